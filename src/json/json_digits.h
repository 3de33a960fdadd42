/* json_digits.h - 17 digits at once: split, counted and stored without a branch
 * and without a table. */
#ifndef PBTI_JSON_DIGITS_H
#define PBTI_JSON_DIGITS_H

#include "base_compiler.h"
#include "base_level.h"

enum { PBTI_MOST_DIGITS = 17, PBTI_TEN_8 = 100000000 };

static const uint64_t pbti_ascii_zeros = UINT64_C(0x3030303030303030);

/* The first digit and the others as bytes 0 to 9, the second digit in the
 * lowest byte of the first word. */
typedef struct pbti_digits {
    unsigned first;
    unsigned n; /* without the zeros at the end, at least one */
    uint64_t words[2];
} pbti_digits;

#if PBTI_SSE2
/* Twice eight digits as bytes: splits into 4, 2 and 1 digits side by side. A
 * quotient is the upper part of a product with a reciprocal, rounded up. */
PBTI_INLINE __m128i pbti_spread(uint32_t upper, uint32_t lower) {
    __m128i v = _mm_set_epi64x(lower, upper);
    __m128i q = _mm_srli_epi64(_mm_mul_epu32(v, _mm_set1_epi64x(0xd1b71759)),
                               45); /* v / 10^4 */
    __m128i rest = _mm_sub_epi64(v, _mm_mul_epu32(q, _mm_set1_epi64x(10000)));
    v = _mm_or_si128(q, _mm_slli_epi64(rest, 32));
    q = _mm_srli_epi16(_mm_mulhi_epu16(v, _mm_set1_epi16(5243)), 3);
    rest = _mm_sub_epi16(v, _mm_mullo_epi16(q, _mm_set1_epi16(100)));
    v = _mm_or_si128(q, _mm_slli_epi32(rest, 16));
    q = _mm_mulhi_epu16(v, _mm_set1_epi16(6554)); /* v / 10 */
    rest = _mm_sub_epi16(v, _mm_mullo_epi16(q, _mm_set1_epi16(10)));
    return _mm_or_si128(q, _mm_slli_epi16(rest, 8));
}

PBTI_INLINE void pbti_set_words(pbti_digits *d, uint32_t upper,
                                uint32_t lower) {
    __m128i digits = pbti_spread(upper, lower);
    unsigned used = (unsigned) _mm_movemask_epi8(
        _mm_cmpgt_epi8(digits, _mm_setzero_si128()));
    _mm_storeu_si128((__m128i *) (void *) d->words, digits);
    d->n = 32 - (unsigned) __builtin_clz(2 * used + 1);
}

#else
/* Eight digits as bytes, as above: multiplied with 2^20 / 100 and 2^10 / 10,
 * rounded up, which is exact below 10^4 and 10^2. */
PBTI_INLINE uint64_t pbti_spread(uint32_t v) {
    uint64_t fours = (uint64_t) (v / 10000) | (uint64_t) (v % 10000) << 32;
    uint64_t hundreds = ((fours * 10486) >> 20) & UINT64_C(0x0000007f0000007f);
    uint64_t twos = hundreds | (fours - 100 * hundreds) << 16;
    uint64_t tens = ((twos * 103) >> 10) & UINT64_C(0x000f000f000f000f);
    return tens | (twos - 10 * tens) << 8;
}

/* The bytes of a word up to the last that is not zero. */
PBTI_INLINE unsigned pbti_used_bytes(uint64_t word) {
    unsigned n = 8;
    if (word == 0)
        return 0;
#ifdef PBTI_LEADING_ZEROS
    n -= PBTI_LEADING_ZEROS(word) / 8;
#else
    for (; !(word >> 56); word <<= 8)
        n--;
#endif
    return n;
}

PBTI_INLINE void pbti_set_words(pbti_digits *d, uint32_t upper,
                                uint32_t lower) {
    d->words[0] = pbti_spread(upper);
    d->words[1] = lower ? pbti_spread(lower) : 0;
    d->n = 1 + (lower ? 8 + pbti_used_bytes(d->words[1])
                      : pbti_used_bytes(d->words[0]));
}
#endif

/* v from 10^16 to below 10^17 */
PBTI_INLINE pbti_digits pbti_split_17(uint64_t v) {
    uint64_t upper = v / PBTI_TEN_8;
    pbti_digits d;
    d.first = (unsigned) (upper / PBTI_TEN_8);
    pbti_set_words(&d, (uint32_t) (upper - (uint64_t) d.first * PBTI_TEN_8),
                   (uint32_t) (v - upper * PBTI_TEN_8));
    return d;
}

/* v from 10^8 to below 10^9 */
PBTI_INLINE pbti_digits pbti_split_9(uint32_t v) {
    pbti_digits d;
    d.first = v / PBTI_TEN_8;
    pbti_set_words(&d, v % PBTI_TEN_8, 0);
    return d;
}

PBTI_INLINE void pbti_store_word(char *p, uint64_t word) {
#if PBTI_WORD_STORES
    pbti_store64(p, word);
#else
    int i;
    for (i = 0; i < 8; i++)
        p[i] = (char) (unsigned char) (word >> 8 * i);
#endif
}

/* All 17 digits. */
PBTI_INLINE void pbti_put_digits(char *p, const pbti_digits *d) {
    *p = (char) ('0' + d->first);
    pbti_store_word(p + 1, d->words[0] + pbti_ascii_zeros);
    pbti_store_word(p + 9, d->words[1] + pbti_ascii_zeros);
}

/* The digits from number `skip` on, 1 to 16, and zeros up to 16 bytes. */
PBTI_INLINE void pbti_put_digits_from(char *p, const pbti_digits *d,
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
    pbti_store_word(p, low + pbti_ascii_zeros);
    pbti_store_word(p + 8, high + pbti_ascii_zeros);
}

#endif
