/* json_tables.c - the tables of the number writers. */
#include "json_integers.h"
#include "json_pow10.h"

/* clang-format off */
const char pbti_digit_pairs[200] =
    "00010203040506070809"
    "10111213141516171819"
    "20212223242526272829"
    "30313233343536373839"
    "40414243444546474849"
    "50515253545556575859"
    "60616263646566676869"
    "70717273747576777879"
    "80818283848586878889"
    "90919293949596979899";

#define TEN(x)                                                                 \
    x "0," x "1," x "2," x "3," x "4," x "5," x "6," x "7," x "8," x "9,"
#define HUNDRED(x)                                                             \
    TEN(x "0") TEN(x "1") TEN(x "2") TEN(x "3") TEN(x "4")                     \
    TEN(x "5") TEN(x "6") TEN(x "7") TEN(x "8") TEN(x "9")
const char pbti_digit_triples[4000 + 4] =
    HUNDRED("0") HUNDRED("1") HUNDRED("2") HUNDRED("3") HUNDRED("4")
    HUNDRED("5") HUNDRED("6") HUNDRED("7") HUNDRED("8") HUNDRED("9");
#undef TEN
#undef HUNDRED

/* 5^0 to 5^27, shifted up to 64 bits. */
const uint64_t pbti_fives[PBTI_POW10_STEP] = {
    UINT64_C(0x8000000000000000), UINT64_C(0xa000000000000000),
    UINT64_C(0xc800000000000000), UINT64_C(0xfa00000000000000),
    UINT64_C(0x9c40000000000000), UINT64_C(0xc350000000000000),
    UINT64_C(0xf424000000000000), UINT64_C(0x9896800000000000),
    UINT64_C(0xbebc200000000000), UINT64_C(0xee6b280000000000),
    UINT64_C(0x9502f90000000000), UINT64_C(0xba43b74000000000),
    UINT64_C(0xe8d4a51000000000), UINT64_C(0x9184e72a00000000),
    UINT64_C(0xb5e620f480000000), UINT64_C(0xe35fa931a0000000),
    UINT64_C(0x8e1bc9bf04000000), UINT64_C(0xb1a2bc2ec5000000),
    UINT64_C(0xde0b6b3a76400000), UINT64_C(0x8ac7230489e80000),
    UINT64_C(0xad78ebc5ac620000), UINT64_C(0xd8d726b7177a8000),
    UINT64_C(0x878678326eac9000), UINT64_C(0xa968163f0a57b400),
    UINT64_C(0xd3c21bcecceda100), UINT64_C(0x84595161401484a0),
    UINT64_C(0xa56fa5b99019a5c8), UINT64_C(0xcecb8f27f4200f3a),
};

/* The upper 192 bits of 10^-308, 10^-280 ... 10^308, the highest set; what lies
 * below is cut off. tests/test_json_text.c calculates all powers anew. */
const uint64_t pbti_tens[PBTI_POW10_STEPS][3] = {
    {UINT64_C(0xe61acf033d1a45df), UINT64_C(0x6fb92487298e33bd),
     UINT64_C(0xadd7728c20b99bd1)}, /* -308 */
    {UINT64_C(0xe858ad248f5c22c9), UINT64_C(0xd1b3400f8f9cff68),
     UINT64_C(0xf910f9f648232f14)}, /* -280 */
    {UINT64_C(0xea9c227723ee8bcb), UINT64_C(0x465e15a979c1cadc),
     UINT64_C(0x0a0ce827eac11f2d)}, /* -252 */
    {UINT64_C(0xece53cec4a314ebd), UINT64_C(0xa4f8bf5635246428),
     UINT64_C(0x4609ac5c7899ca36)}, /* -224 */
    {UINT64_C(0xef340a98172aace4), UINT64_C(0x86fb897116c87c34),
     UINT64_C(0x9c39c1da4c49278d)}, /* -196 */
    {UINT64_C(0xf18899b1bc3f8ca1), UINT64_C(0xdc44e6c3cb279ac1),
     UINT64_C(0xf80f36174730ca34)}, /* -168 */
    {UINT64_C(0xf3e2f893dec3f126), UINT64_C(0x5a89dba3c3efccfa),
     UINT64_C(0xd8ecb58659be9c90)}, /* -140 */
    {UINT64_C(0xf64335bcf065d37d), UINT64_C(0x4d4617b5ff4a16d5),
     UINT64_C(0xaa09501d5954a559)}, /* -112 */
    {UINT64_C(0xf8a95fcf88747d94), UINT64_C(0x75a44c6397ce912a),
     UINT64_C(0x33cca6c06b07b74d)}, /* -84 */
    {UINT64_C(0xfb158592be068d2e), UINT64_C(0xeed6e2f0f0d56712),
     UINT64_C(0xac2e4f162cfad40a)}, /* -56 */
    {UINT64_C(0xfd87b5f28300ca0d), UINT64_C(0x8bca9d6e188853fc),
     UINT64_C(0x76dcb60081ce0fa5)}, /* -28 */
    {UINT64_C(0x8000000000000000), UINT64_C(0x0000000000000000),
     UINT64_C(0x0000000000000000)}, /* 0 */
    {UINT64_C(0x813f3978f8940984), UINT64_C(0x4000000000000000),
     UINT64_C(0x0000000000000000)}, /* 28 */
    {UINT64_C(0x82818f1281ed449f), UINT64_C(0xbff8f10e7a8921a4),
     UINT64_C(0x2000000000000000)}, /* 56 */
    {UINT64_C(0x83c7088e1aab65db), UINT64_C(0x792667c6da79e0fa),
     UINT64_C(0x0861d3ee22d1cc53)}, /* 84 */
    {UINT64_C(0x850fadc09923329e), UINT64_C(0x03e2cf6bc604ddb0),
     UINT64_C(0x74a7ef0198791097)}, /* 112 */
    {UINT64_C(0x865b86925b9bc5c2), UINT64_C(0x0b8a2392ba45a9b2),
     UINT64_C(0x5c6658d409fb8bf7)}, /* 140 */
    {UINT64_C(0x87aa9aff79042286), UINT64_C(0x90fb44d2f05d0842),
     UINT64_C(0xfb118fc9c217a1d2)}, /* 168 */
    {UINT64_C(0x88fcf317f22241e2), UINT64_C(0x441fece3bdf81f03),
     UINT64_C(0x12f274928400100d)}, /* 196 */
    {UINT64_C(0x8a5296ffe33cc92f), UINT64_C(0x82bd6b70d99aaa6f),
     UINT64_C(0xbc10c5c5cda97c8d)}, /* 224 */
    {UINT64_C(0x8bab8eefb6409c1a), UINT64_C(0x1ad089b6c2f7548e),
     UINT64_C(0x25c7b885ba466e37)}, /* 252 */
    {UINT64_C(0x8d07e33455637eb2), UINT64_C(0xdb0b487b6423e1e8),
     UINT64_C(0x7ec63730f500b406)}, /* 280 */
    {UINT64_C(0x8e679c2f5e44ff8f), UINT64_C(0x570f09eaa7ea7648),
     UINT64_C(0x5961db50c6d2b886)}, /* 308 */
};
/* clang-format on */
