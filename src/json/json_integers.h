/* json_integers.h - arrays of integers as JSON.
 *
 * Most numbers in arrays are small. Up to three digits and the comma are taken
 * as one word from a table, so that their number costs no branch; with
 * AVX-512 VBMI2 sixteen such numbers, or eight of up to seven digits, are
 * spread over a vector, and the leading zeros are squeezed out of it.
 */
#ifndef PBTI_JSON_INTEGERS_H
#define PBTI_JSON_INTEGERS_H

#include <stdbool.h>

#include "json_number.h"

enum {
    PBTI_INTEGER_STEP = 16, /* elements in one step */
    /* What a step takes at most, with what it may write beyond. */
    PBTI_INTEGER_ROOM = 12 * PBTI_INTEGER_STEP + 64,
    PBTI_WIDE_ROOM = 24 * PBTI_INTEGER_STEP + 64 /* of 64 bits, with quotes */
};

/* "000,001,002, ... 999," and what may be read behind it */
extern const char pbti_digit_triples[4000 + 4];

/* Up to three digits, v < 1000, and a comma. Writes four bytes. */
PBTI_INLINE char *pbti_put_triple(char *p, uint32_t v) {
    unsigned zeros = (unsigned) (v < 100) + (unsigned) (v < 10);
    memcpy(p, pbti_digit_triples + 4 * (size_t) v + zeros, 4);
    return p + 4 - zeros;
}

/* A number with its comma. */
PBTI_INLINE char *pbti_put_element(char *p, uint32_t v) {
    if (PBTI_LIKELY(v < 1000))
        return pbti_put_triple(p, v);
    if (v < 1000000) {
        p = pbti_put_triple(p, v / 1000) - 1;
        memcpy(p, pbti_digit_triples + 4 * (size_t) (v % 1000), 4);
        return p + 4;
    }
    p = pbti_json_put_u32(p, v);
    *p = ',';
    return p + 1;
}

PBTI_INLINE char *pbti_put_signed_element(char *p, uint32_t v) {
    bool is_negative = v >> 31;
    *p = '-';
    return pbti_put_element(p + is_negative, is_negative ? 0 - v : v);
}

/* A 64-bit number with its quotes and its comma. */
PBTI_INLINE char *pbti_put_quoted(char *p, uint64_t v, bool is_signed) {
    bool is_negative = is_signed && v >> 63;
    memcpy(p, "\"-", 2);
    p += 1 + is_negative;
    v = is_negative ? 0 - v : v;
    if (PBTI_LIKELY(v < 1000))
        p = pbti_put_triple(p, (uint32_t) v) - 1;
    else if (v < 1000000)
        p = pbti_put_element(p, (uint32_t) v) - 1;
    else
        p = pbti_json_put_u64(p, v);
    memcpy(p, "\",", 2);
    return p + 2;
}

#if PBTI_AVX512
/* Of words in which the first digit is the lowest byte, and the last digit the
 * last but one: the bytes from the first digit on that is not zero, or that is
 * the last. */
PBTI_INLINE uint64_t pbti_digits_32(__m512i digits) {
    __m512i some = _mm512_or_si512(digits, _mm512_set1_epi32(1 << 16));
    __m512i zero = _mm512_setzero_si512();
    __m512i low = _mm512_and_si512(some, _mm512_sub_epi32(zero, some));
    return _mm512_movepi8_mask(_mm512_sub_epi32(zero, low));
}

PBTI_INLINE uint64_t pbti_digits_64(__m512i digits) {
    __m512i some = _mm512_or_si512(digits, _mm512_set1_epi64(1LL << 48));
    __m512i zero = _mm512_setzero_si512();
    __m512i low = _mm512_and_si512(some, _mm512_sub_epi64(zero, some));
    return _mm512_movepi8_mask(_mm512_sub_epi64(zero, low));
}

PBTI_INLINE char *pbti_squeeze(char *p, __m512i text, uint64_t kept) {
    _mm512_storeu_si512(p, _mm512_maskz_compress_epi8(kept, text));
    return p + __builtin_popcountll(kept);
}

/* Sixteen numbers below 1000, each with its comma. */
PBTI_INLINE char *pbti_put_16_small(char *p, __m512i v) {
    /* n * 41 >> 12 is n / 100, and n * 103 >> 10 is n / 10 below 100 */
    __m512i hundreds =
        _mm512_srli_epi32(_mm512_mullo_epi32(v, _mm512_set1_epi32(41)), 12);
    __m512i rest = _mm512_sub_epi32(
        v, _mm512_mullo_epi32(hundreds, _mm512_set1_epi32(100)));
    __m512i tens =
        _mm512_srli_epi32(_mm512_mullo_epi32(rest, _mm512_set1_epi32(103)), 10);
    __m512i ones =
        _mm512_sub_epi32(rest, _mm512_mullo_epi32(tens, _mm512_set1_epi32(10)));
    __m512i digits =
        _mm512_or_si512(hundreds, _mm512_or_si512(_mm512_slli_epi32(tens, 8),
                                                  _mm512_slli_epi32(ones, 16)));
    __m512i text = _mm512_or_si512(digits, _mm512_set1_epi32(0x2c303030));
    return pbti_squeeze(p, text, pbti_digits_32(digits));
}

/* Eight numbers below 10^7. */
PBTI_INLINE char *pbti_put_8_middle(char *p, __m256i numbers) {
    const __m512i ten_4 = _mm512_set1_epi64(10000);
    const __m512i hundred = _mm512_set1_epi64(100);
    const __m512i comma = _mm512_set1_epi64(0x2c30303030303030);
    __m512i v = _mm512_cvtepu32_epi64(numbers);
    __m512i upper = _mm512_srli_epi64(
        _mm512_mul_epu32(v, _mm512_set1_epi64(109951163)), 40);
    __m512i lower = _mm512_sub_epi64(v, _mm512_mul_epu32(upper, ten_4));
    /* pairs of digits in the four quarters of a word */
    __m512i first =
        _mm512_srli_epi64(_mm512_mul_epu32(upper, _mm512_set1_epi64(41)), 12);
    __m512i second = _mm512_sub_epi64(upper, _mm512_mul_epu32(first, hundred));
    __m512i third =
        _mm512_srli_epi64(_mm512_mul_epu32(lower, _mm512_set1_epi64(5243)), 19);
    __m512i fourth = _mm512_sub_epi64(lower, _mm512_mul_epu32(third, hundred));
    __m512i pairs =
        _mm512_or_si512(_mm512_or_si512(first, _mm512_slli_epi64(second, 16)),
                        _mm512_or_si512(_mm512_slli_epi64(third, 32),
                                        _mm512_slli_epi64(fourth, 48)));
    __m512i tens = _mm512_srli_epi16(
        _mm512_mullo_epi16(pairs, _mm512_set1_epi16(103)), 10);
    __m512i ones = _mm512_sub_epi16(
        pairs, _mm512_mullo_epi16(tens, _mm512_set1_epi16(10)));
    /* the first of eight digits is zero */
    __m512i digits =
        _mm512_srli_epi64(_mm512_or_si512(tens, _mm512_slli_epi16(ones, 8)), 8);
    return pbti_squeeze(p, _mm512_or_si512(digits, comma),
                        pbti_digits_64(digits));
}

/* One step: NULL when a number is too large. */
PBTI_INLINE char *pbti_put_step(char *p, const char *array) {
    __m512i v = _mm512_loadu_si512(array);
    if (PBTI_LIKELY(!_mm512_cmpge_epu32_mask(v, _mm512_set1_epi32(1000))))
        return pbti_put_16_small(p, v);
    if (_mm512_cmpge_epu32_mask(v, _mm512_set1_epi32(10000000)))
        return NULL;
    p = pbti_put_8_middle(p, _mm512_castsi512_si256(v));
    return pbti_put_8_middle(p, _mm512_extracti64x4_epi64(v, 1));
}
#else
PBTI_INLINE char *pbti_put_step(char *p, const char *array) {
    (void) p;
    (void) array;
    return NULL;
}
#endif

/** Writes up to PBTI_INTEGER_STEP numbers, each with a comma behind it. Needs
 *  PBTI_INTEGER_ROOM bytes at p. */
PBTI_INLINE char *pbti_json_put_integers(char *p, const char *array, size_t n,
                                         bool is_signed) {
    char *end = n == PBTI_INTEGER_STEP ? pbti_put_step(p, array) : NULL;
    size_t i;
    if (end)
        return end;
    for (i = 0; i < n; i++) {
        uint32_t v = pbti_load32(array + 4 * i);
        p = is_signed ? pbti_put_signed_element(p, v) : pbti_put_element(p, v);
    }
    return p;
}

#endif
