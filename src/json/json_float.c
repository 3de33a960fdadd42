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

#include "json_number.h"
#include "json_pow10.h"

enum {
    NEAR = 2,
    DIGITS = 17,         /* of a double, at the most */
    FIRST_POSITION = -6, /* exponents of ten with positional text */
    LAST_POSITION = 20
};

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
    if (PBTI_UNLIKELY(is_lopsided || down - radius + NEAR <= 2 * NEAR ||
                      up - radius + NEAR <= 2 * NEAR ||
                      scaled.low - half + NEAR <= 2 * NEAR))
        return shorten_exactly(c, q, is_lopsided);
    digits = s + (scaled.low >> 63);
    digits = down < radius ? s - digit : digits;
    digits = up < radius ? s - digit + 10 : digits;
    return (decimal){digits, k};
}

/* The 17 digits of a number, the first one and the others as bytes 0 to 9, the
 * second digit in the lowest byte of the first word. */
typedef struct digit_string {
    unsigned first;
    uint64_t words[2];
    unsigned n; /* without the zeros at the end, at least one */
} digit_string;

/* Eight digits as bytes: splits into 4, 2 and 1 digits side by side. Division
 * by 100 and by 10 are products with 2^20 / 100 and 2^10 / 10, rounded up, and
 * exact below 10^4 and 10^2. */
PBTI_INLINE uint64_t spread(uint32_t v) {
    uint64_t fours = (uint64_t) (v / 10000) | (uint64_t) (v % 10000) << 32;
    uint64_t hundreds = ((fours * 10486) >> 20) & UINT64_C(0x0000007f0000007f);
    uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
    uint64_t tens = ((twos * 103) >> 10) & UINT64_C(0x000f000f000f000f);
    return tens | (twos - 10 * tens) << 8;
}

/* Bytes of a word below its last byte that is not zero, and this one. */
PBTI_INLINE unsigned used_bytes(uint64_t word) {
    unsigned n = 8;
#if defined(__GNUC__)
    n -= PBTI_LEADING_ZEROS(word | 1) / 8;
    return word ? n : 0;
#else
    for (; n > 0 && !(word >> 56); word <<= 8)
        n--;
    return n;
#endif
}

PBTI_INLINE void store_word(char *p, uint64_t word) {
#if PBTI_WORD_STORES
    pbti_store64(p, word);
#else
    int i;
    for (i = 0; i < 8; i++)
        p[i] = (char) (unsigned char) (word >> 8 * i);
#endif
}

/* v from 10^16 to below 10^17 */
PBTI_INLINE digit_string split(uint64_t v) {
    const uint32_t chunk = 100000000;
    uint64_t upper = v / chunk;
    uint32_t first = (uint32_t) (upper / chunk);
    digit_string d;
    d.first = first;
    d.words[0] = spread((uint32_t) (upper - (uint64_t) first * chunk));
    d.words[1] = spread((uint32_t) (v - upper * chunk));
    d.n = d.words[1] ? 9 + used_bytes(d.words[1]) : 1 + used_bytes(d.words[0]);
    return d;
}

static const uint64_t zeros = UINT64_C(0x3030303030303030);

/* All 17 digits. */
PBTI_INLINE void put_digits(char *p, const digit_string *d) {
    *p = (char) ('0' + d->first);
    store_word(p + 1, d->words[0] + zeros);
    store_word(p + 9, d->words[1] + zeros);
}

/* The digits from number `skip` on, 1 to 16, and zeros up to 16 bytes. */
PBTI_INLINE void put_digits_from(char *p, const digit_string *d,
                                 unsigned skip) {
    unsigned bits = 8 * (skip - 1);
    uint64_t low = d->words[0], high = d->words[1];
    if (bits >= 64) {
        low = high;
        high = 0;
        bits -= 64;
    }
    /* two shifts: one by 64 would be undefined */
    low = low >> bits | high << 1 << (63 - bits);
    high >>= bits;
    store_word(p, low + zeros);
    store_word(p + 8, high + zeros);
}

/* ddd.ddd with `ahead` digits, at least one, before the point */
PBTI_INLINE char *put_positional(char *p, const digit_string *d,
                                 unsigned ahead) {
    put_digits(p, d);
    if (d->n <= ahead) {
        store_word(p + DIGITS, zeros);
        return p + ahead;
    }
    p[ahead] = '.';
    put_digits_from(p + ahead + 1, d, ahead);
    return p + d->n + 1;
}

/* 0.000ddd with `behind` zeros behind the point */
PBTI_INLINE char *put_fraction(char *p, const digit_string *d,
                               unsigned behind) {
    store_word(p, zeros);
    p[1] = '.';
    put_digits(p + 2 + behind, d);
    return p + 2 + behind + d->n;
}

PBTI_INLINE char *put_scientific(char *p, const digit_string *d, int e) {
    p = d->n == 1 ? (put_digits(p, d), p + 1) : put_positional(p, d, 1);
    p[0] = 'e';
    p[1] = e < 0 ? '-' : '+';
    return pbti_json_put_u32(p + 2, (uint32_t) (e < 0 ? -e : e));
}

/* The text of a decimal with 17 digits. */
PBTI_INLINE char *put_decimal(char *p, decimal v) {
    digit_string d = split(v.digits);
    int e = v.exponent + DIGITS - 1; /* of the first digit */
    if (PBTI_LIKELY(e >= 0 && e <= LAST_POSITION))
        return put_positional(p, &d, (unsigned) e + 1);
    if (e < 0 && e >= FIRST_POSITION)
        return put_fraction(p, &d, (unsigned) (-e - 1));
    return put_scientific(p, &d, e);
}

PBTI_INLINE decimal widen(decimal v) {
    while (v.digits < UINT64_C(10000000000000000)) {
        v.digits *= 10;
        v.exponent--;
    }
    return v;
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
        return put_decimal(p, widen(shorten(c, -1074, false)));
    return put_decimal(p, widen(shorten(c | top, e - 1075, c == 0 && e > 1)));
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
        return put_decimal(p, widen(shorten(c, -149, false)));
    return put_decimal(p, widen(shorten(c | top, e - 150, c == 0 && e > 1)));
}
