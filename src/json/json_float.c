/* json_float.c - the shortest text of a float or double.
 *
 * A number c * 2^q stands for all reals nearer to it than to its neighbours:
 * the interval from (c - 1/2) * 2^q to (c + 1/2) * 2^q, whose ends belong to it
 * where c is even. With k = floor(log10(2^q)) the interval is at least 10^k and
 * less than 10^(k+1) wide. So it holds at least one multiple of 10^k, and at
 * most one of 10^(k+1), which has fewer digits and, where it exists, is the
 * answer (R. Giulietti, "The Schubfach way to render doubles", 2021).
 *
 * The scaled number c * 2^q / 10^k is calculated with 64 bits behind the point
 * by multiplying with a power of ten of 128 bits. Its error is below one unit
 * of the last place, so all comparisons are safe but those that come closer
 * than NEAR; these, and the lopsided intervals of powers of two, take the exact
 * road. Digits come as a number with k fixed: a zero at its end stands for the
 * digit that was saved.
 */
#include <stdbool.h>

#include "json_digits.h"
#include "json_number.h"
#include "json_pow10.h"

enum {
    NEAR = 2,
    TWICE_NEAR = 4,
    FLOAT_DIGITS = 9,
    FIRST_POSITION = -6, /* exponents of ten with positional text */
    LAST_POSITION = 20
};

static const uint64_t ten_16 = 10000000000000000;

typedef struct decimal {
    uint64_t digits;
    int exponent;
} decimal;

/* Logarithms of powers as products with 22 or 19 bits of the fraction: exact
 * for |q| <= 1500, |k| <= 400. Right shifts of negative numbers are arithmetic
 * with all compilers that this library knows; the tests would tell. */
PBTI_INLINE int floor_log10_pow2(int q) {
    return (q * 1262611) >> 22;
}

/* floor(log10(2^q * 3/4)) */
PBTI_INLINE int floor_log10_three_quarters(int q) {
    return (q * 1262611 - 524031) >> 22;
}

PBTI_INLINE int floor_log2_pow10(int k) {
    return (k * 1741647) >> 19;
}

/* floor(v * g / 2^128), with the lowest bit set where that is not exact. */
static uint64_t scale_to_odd(pbti_wide g, uint64_t v) {
    pbti_wide product =
        pbti_add(pbti_multiply(g.high, v), pbti_multiply(g.low, v).high);
    return product.high | (product.low > 1);
}

/* The exact road: all bounds in quarters of 10^k. */
PBTI_OUTLINE decimal shorten_exactly(uint64_t c, int q, bool is_lopsided) {
    int k = is_lopsided ? floor_log10_three_quarters(q) : floor_log10_pow2(q);
    int h = q + floor_log2_pow10(-k) + 1;
    pbti_wide g = pbti_pow10(-k);
    uint64_t odd = c & 1;
    uint64_t low = scale_to_odd(g, (4 * c - 2 + is_lopsided) << h) + odd;
    uint64_t at = scale_to_odd(g, (4 * c) << h);
    uint64_t high = scale_to_odd(g, (4 * c + 2) << h) - odd;
    uint64_t s = at / 4, tens = s / 10 * 10;
    bool below, above;
    below = s >= 10 && low <= 4 * tens;
    above = s >= 10 && 4 * tens + 40 <= high;
    if (below != above)
        return (decimal){tens + (above ? 10 : 0), k};
    below = low <= 4 * s;
    above = 4 * s + 4 <= high;
    if (below != above)
        return (decimal){s + above, k};
    above = at > 4 * s + 2 || (at == 4 * s + 2 && (s & 1));
    return (decimal){s + above, k};
}

/* c * 2^q, not 0. */
PBTI_INLINE decimal shorten(uint64_t c, int q, bool is_lopsided) {
    const uint64_t one = UINT64_C(1) << 60, half = UINT64_C(1) << 63;
    int k = floor_log10_pow2(q);
    int h = q + floor_log2_pow10(-k) + 1;
    pbti_wide g = pbti_pow10(-k);
    uint64_t v = c << h;
    pbti_wide scaled =
        pbti_add(pbti_multiply(g.high, v), pbti_multiply(g.low, v).high);
    uint64_t s = scaled.high, digit = s % 10, digits;
    uint64_t radius = g.high >> (5 - h); /* of the interval, in 2^-60 */
    uint64_t down = digit << 60 | scaled.low >> 4, up = 10 * one - down;
    if (PBTI_UNLIKELY(is_lopsided || down - radius + NEAR <= TWICE_NEAR ||
                      up - radius + NEAR <= TWICE_NEAR ||
                      scaled.low - half + NEAR <= TWICE_NEAR))
        return shorten_exactly(c, q, is_lopsided);
    digits = s + (scaled.low >> 63);
    digits = down < radius ? s - digit : digits;
    digits = up < radius ? s - digit + 10 : digits;
    return (decimal){digits, k};
}

/* ddd.ddd with `ahead` digits, at least one, before the point */
PBTI_INLINE char *put_positional(char *p, const pbti_digits *d,
                                 unsigned ahead) {
    pbti_put_digits(p, d);
    if (d->n <= ahead) {
        pbti_store_word(p + PBTI_MOST_DIGITS, pbti_ascii_zeros);
        return p + ahead;
    }
    p[ahead] = '.';
    pbti_put_digits_from(p + ahead + 1, d, ahead);
    return p + d->n + 1;
}

/* 0.000ddd with `behind` zeros behind the point */
PBTI_INLINE char *put_fraction(char *p, const pbti_digits *d, unsigned behind) {
    pbti_store_word(p, pbti_ascii_zeros);
    p[1] = '.';
    pbti_put_digits(p + 2 + behind, d);
    return p + 2 + behind + d->n;
}

PBTI_INLINE char *put_scientific(char *p, const pbti_digits *d, int e) {
    p = d->n == 1 ? (pbti_put_digits(p, d), p + 1) : put_positional(p, d, 1);
    p[0] = 'e';
    p[1] = e < 0 ? '-' : '+';
    return pbti_json_put_u32(p + 2, (uint32_t) (e < 0 ? -e : e));
}

/* The text of digits of which the first counts 10^e. */
PBTI_INLINE char *put_text(char *p, const pbti_digits *d, int e) {
    if (PBTI_LIKELY(e >= 0 && e <= LAST_POSITION))
        return put_positional(p, d, (unsigned) e + 1);
    if (e < 0 && e >= FIRST_POSITION)
        return put_fraction(p, d, (unsigned) (-e - 1));
    return put_scientific(p, d, e);
}

/* Appends a zero if there are fewer than n digits: as a choice of values, for a
 * branch would be wrong half the time. */
PBTI_INLINE decimal append_zero(decimal v, uint64_t least) {
    bool is_short = v.digits < least;
    v.digits = is_short ? v.digits * 10 : v.digits;
    v.exponent -= is_short;
    return v;
}

PBTI_INLINE char *put_subnormal(char *p, decimal v) {
    pbti_digits d;
    while (v.digits < ten_16)
        v = append_zero(v, ten_16);
    d = pbti_split_17(v.digits);
    return put_text(p, &d, v.exponent + PBTI_MOST_DIGITS - 1);
}

/* 16 or 17 digits */
PBTI_INLINE char *put_normal_double(char *p, decimal v) {
    pbti_digits d;
    v = append_zero(v, ten_16);
    d = pbti_split_17(v.digits);
    return put_text(p, &d, v.exponent + PBTI_MOST_DIGITS - 1);
}

/* 7 to 9 digits */
PBTI_INLINE char *put_normal_float(char *p, decimal v) {
    pbti_digits d;
    v = append_zero(append_zero(v, PBTI_TEN_8), PBTI_TEN_8);
    d = pbti_split_9((uint32_t) v.digits);
    return put_text(p, &d, v.exponent + FLOAT_DIGITS - 1);
}

char *PBTI_LEVEL_NAME(pbti_json_put_double)(char *p, double v) {
    const uint64_t top = UINT64_C(1) << 52;
    uint64_t bits, c;
    int e;
    memcpy(&bits, &v, sizeof bits);
    *p = '-';
    p += bits >> 63;
    bits &= ~(UINT64_C(1) << 63);
    memcpy(&v, &bits, sizeof v);
    if (v < (double) (2 * top) && (double) (int64_t) v == v)
        return pbti_json_put_u64(p, (uint64_t) v);
    c = bits & (top - 1);
    e = (int) (bits >> 52);
    if (PBTI_UNLIKELY(e == 0))
        return put_subnormal(p, shorten(c, -1074, false));
    return put_normal_double(p, shorten(c | top, e - 1075, c == 0 && e > 1));
}

char *PBTI_LEVEL_NAME(pbti_json_put_float)(char *p, float v) {
    const uint32_t top = UINT32_C(1) << 23;
    uint32_t bits, c;
    int e;
    memcpy(&bits, &v, sizeof bits);
    *p = '-';
    p += bits >> 31;
    bits &= ~(UINT32_C(1) << 31);
    memcpy(&v, &bits, sizeof v);
    if (v < (float) (2 * top) && (float) (int32_t) v == v)
        return pbti_json_put_u32(p, (uint32_t) v);
    c = bits & (top - 1);
    e = (int) (bits >> 23);
    if (PBTI_UNLIKELY(e == 0))
        return put_subnormal(p, shorten(c, -149, false));
    return put_normal_float(p, shorten(c | top, e - 150, c == 0 && e > 1));
}
