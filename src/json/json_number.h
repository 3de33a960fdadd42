/* json_number.h - the decimal text of numbers.
 *
 * Integers by pairs of digits: one table look-up and one store of two bytes
 * each, after a cascade of comparisons for the number of digits.
 */
#ifndef PBTI_JSON_NUMBER_H
#define PBTI_JSON_NUMBER_H

#include "base_compiler.h"
#include "base_level.h"

/* "00" "01" ... "99" */
extern const char pbti_digit_pairs[200];

PBTI_INLINE void pbti_put_pair(char *p, uint32_t v) {
    memcpy(p, pbti_digit_pairs + 2 * (size_t) v, 2);
}

/* One or two digits: v < 100. Writes two bytes. */
PBTI_INLINE char *pbti_put_up_to_2(char *p, uint32_t v) {
    memcpy(p, pbti_digit_pairs + 2 * (size_t) v + (v < 10), 2);
    return p + 1 + (v >= 10);
}

PBTI_INLINE char *pbti_put_4(char *p, uint32_t v) {
    pbti_put_pair(p, v / 100);
    pbti_put_pair(p + 2, v % 100);
    return p + 4;
}

PBTI_INLINE char *pbti_put_8(char *p, uint32_t v) {
    pbti_put_4(p, v / 10000);
    return pbti_put_4(p + 4, v % 10000);
}

/* v < 10^8 */
PBTI_INLINE char *pbti_put_up_to_8(char *p, uint32_t v) {
    if (v < 100)
        return pbti_put_up_to_2(p, v);
    if (v < 10000) {
        p = pbti_put_up_to_2(p, v / 100);
        pbti_put_pair(p, v % 100);
        return p + 2;
    }
    if (v < 1000000)
        p = pbti_put_up_to_2(p, v / 10000);
    else {
        p = pbti_put_up_to_2(p, v / 1000000);
        pbti_put_pair(p, v / 10000 % 100);
        p += 2;
    }
    return pbti_put_4(p, v % 10000);
}

/** Writes an integer; the result points behind its last digit.
 *  Needs 24 bytes at p, and may write all of them. */
PBTI_INLINE char *pbti_json_put_u32(char *p, uint32_t v) {
    if (v < 100000000)
        return pbti_put_up_to_8(p, v);
    p = pbti_put_up_to_2(p, v / 100000000);
    return pbti_put_8(p, v % 100000000);
}

PBTI_INLINE char *pbti_json_put_u64(char *p, uint64_t v) {
    const uint64_t chunk = 100000000;
    if (v < chunk)
        return pbti_put_up_to_8(p, (uint32_t) v);
    if (v < chunk * chunk) {
        p = pbti_put_up_to_8(p, (uint32_t) (v / chunk));
        return pbti_put_8(p, (uint32_t) (v % chunk));
    }
    p = pbti_put_up_to_8(p, (uint32_t) (v / chunk / chunk));
    p = pbti_put_8(p, (uint32_t) (v / chunk % chunk));
    return pbti_put_8(p, (uint32_t) (v % chunk));
}

PBTI_INLINE char *pbti_json_put_i32(char *p, int32_t v) {
    *p = '-';
    return pbti_json_put_u32(p + (v < 0),
                             v < 0 ? 0u - (uint32_t) v : (uint32_t) v);
}

PBTI_INLINE char *pbti_json_put_i64(char *p, int64_t v) {
    *p = '-';
    return pbti_json_put_u64(p + (v < 0),
                             v < 0 ? 0u - (uint64_t) v : (uint64_t) v);
}

#define PBTI_DECLARE_LEVEL(level)                                              \
    char *pbti_json_put_double_##level(char *, double);                        \
    char *pbti_json_put_float_##level(char *, float);
PBTI_FOR_EACH_LEVEL(PBTI_DECLARE_LEVEL)
#undef PBTI_DECLARE_LEVEL

/** Writes a finite number with the fewest digits that read back as the same
 *  number, and of those the closest, in ECMAScript's style: positional from
 *  1e-6 to below 1e21, else with an exponent (1e-7, 1.5e+21). -0 is "-0". A
 *  float has the digits that it needs as a float.
 *  Needs 40 bytes at p, and may write all of them. */
PBTI_INLINE char *pbti_json_put_double(char *p, double v) {
    return PBTI_LEVEL_NAME(pbti_json_put_double)(p, v);
}

/** The same, with whole numbers of up to eight digits on the spot. */
PBTI_INLINE char *pbti_json_put_any_double(char *p, double v) {
    double above = v < 0 ? -v : v;
    if (PBTI_LIKELY(above < 1e8 && (double) (int32_t) above == above)) {
        uint64_t bits;
        memcpy(&bits, &v, sizeof bits);
        *p = '-';
        return pbti_put_up_to_8(p + (bits >> 63), (uint32_t) (int32_t) above);
    }
    return pbti_json_put_double(p, v);
}

PBTI_INLINE char *pbti_json_put_float(char *p, float v) {
    return PBTI_LEVEL_NAME(pbti_json_put_float)(p, v);
}

#endif
