/* support_value.c - boundary values of the number types, and strings. */
#include <string.h>

#include "support_message.h"

/* Bit patterns; the last four rows matter as float and double. */
static const uint64_t patterns[] = {
    0,
    1,
    UINT64_MAX,
    2,
    UINT64_C(0x7fffffff),
    UINT64_C(0xffffffff80000000),
    UINT64_C(0x80000000),
    UINT64_C(0xffffffff),
    UINT64_C(0x100000000),
    UINT64_C(0x7fffffffffffffff),
    UINT64_C(0x8000000000000000),
    UINT64_C(0x8000000000000001),
    UINT64_C(0xc000000000000000),
    /* 1.0, -0.0, infinity, NaN, signalling NaN, the smallest denormal */
    UINT64_C(0x3ff0000000000000),
    UINT64_C(0x7ff0000000000000),
    UINT64_C(0xfff0000000000000),
    UINT64_C(0x7ff8000000000000),
    UINT64_C(0x7ff0000000000001),
    UINT64_C(0x3f800000),
    UINT64_C(0x7f800000),
    UINT64_C(0xff800000),
    UINT64_C(0x7fc00000),
    UINT64_C(0x7f800001),
};

enum {
    N_PATTERNS = sizeof patterns / sizeof *patterns,
    N_POWERS = 9, /* 2^7, 2^14 .. 2^63 */
    N_AROUND = 6, /* a power minus 1, itself, plus 1; and their negatives */
    N_BOUNDARIES = N_PATTERNS + N_POWERS * N_AROUND
};

static uint64_t boundary(size_t n) {
    uint64_t value;
    if (n < N_PATTERNS)
        return patterns[n];
    n -= N_PATTERNS;
    value = (UINT64_C(1) << (7 * (n / N_AROUND + 1))) + n % 3 - 1;
    return n % N_AROUND < 3 ? value : 0 - value;
}

static void store(ProtobufCType type, uint64_t bits, void *member) {
    uint32_t low = (uint32_t) bits;
    if (schema_member_size(type) == 8)
        memcpy(member, &bits, 8);
    else
        memcpy(member, &low, 4);
}

bool value_boundary(ProtobufCType type, size_t n, void *member) {
    if (n >= N_BOUNDARIES)
        return false;
    store(type, boundary(n), member);
    return true;
}

void value_random(rng *r, ProtobufCType type, void *member) {
    static const uint32_t bools[] = {0, 1, 1, 7, 256, UINT32_MAX};
    if (type == PROTOBUF_C_TYPE_BOOL)
        store(type, bools[rng_below(r, 6)], member);
    else if (rng_chance(r, 60))
        store(type, boundary(rng_below(r, N_BOUNDARIES)), member);
    else
        store(type, rng_next(r) >> rng_below(r, 64), member);
}

/* Appends one character of 1 to 4 bytes that fits in left. */
static size_t put_character(rng *r, char *out, size_t left) {
    static const char *const characters[] = {
        "\xc2\x80",     "\xc3\xa9",     "\xdf\xbf",         "\xe0\xa0\x80",
        "\xed\x9f\xbf", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"};
    const char *c = characters[rng_below(r, 8)];
    if (rng_chance(r, 80) || strlen(c) > left) {
        *out = (char) (1 + rng_below(r, 127));
        return 1;
    }
    memcpy(out, c, strlen(c));
    return strlen(c);
}

char *string_random(arena *a, rng *r, size_t len, bool valid_utf8) {
    char *text = arena_alloc(a, len + 1);
    size_t at = 0;
    while (at < len) {
        if (valid_utf8)
            at += put_character(r, text + at, len - at);
        else
            text[at++] = (char) (1 + rng_below(r, 255));
    }
    return text;
}
