/* json_utf8.h - copies and validates UTF-8 in vectors.
 *
 * Validation by three table look-ups, of the nibbles around each border between
 * two bytes: a bit that all three have stands for one kind of error (J. Keiser,
 * D. Lemire, "Validating UTF-8 In Less Than One Instruction Per Byte", 2021).
 * Needs the shuffle of bytes, which x86 has from AVX2's level on, and NEON.
 */
#ifndef PBTI_JSON_UTF8_H
#define PBTI_JSON_UTF8_H

#include "json_block.h"

#if PBTI_SHUFFLE
/* Errors that a byte and its predecessor can show. TWO_MORE is none yet: two
 * continuations in a row, which the byte before them must allow. */
enum {
    TOO_SHORT = 1 << 0,  /* a lead, and no continuation */
    TOO_LONG = 1 << 1,   /* ASCII, and a continuation */
    OVERLONG_3 = 1 << 2, /* e0 80..9f */
    TOO_LARGE = 1 << 3,  /* f4 90..bf, or f5..ff */
    SURROGATE = 1 << 4,  /* ed a0..bf */
    OVERLONG_2 = 1 << 5, /* c0, c1 */
    OVERLONG_4 = 1 << 6, /* f0 80..8f, and f5..ff 80..8f */
    TWO_MORE = 1 << 7,
    ANY_LOW = TOO_SHORT | TOO_LONG | TWO_MORE,
    LOW_ABOVE_4 = ANY_LOW | TOO_LARGE | OVERLONG_4
};

#define FOUR(x) x, x, x, x
PBTI_INLINE pbti_u8x16 pbti_errors_of_high(void) {
    return (pbti_u8x16){FOUR(TOO_LONG),
                        FOUR(TOO_LONG),
                        FOUR(TWO_MORE),
                        TOO_SHORT | OVERLONG_2,
                        TOO_SHORT,
                        TOO_SHORT | OVERLONG_3 | SURROGATE,
                        TOO_SHORT | TOO_LARGE | OVERLONG_4};
}

PBTI_INLINE pbti_u8x16 pbti_errors_of_low(void) {
    return (pbti_u8x16){ANY_LOW | OVERLONG_2 | OVERLONG_3 | OVERLONG_4,
                        ANY_LOW | OVERLONG_2,
                        ANY_LOW,
                        ANY_LOW,
                        ANY_LOW | TOO_LARGE,
                        FOUR(LOW_ABOVE_4),
                        FOUR(LOW_ABOVE_4),
                        LOW_ABOVE_4 | SURROGATE,
                        LOW_ABOVE_4,
                        LOW_ABOVE_4};
}

PBTI_INLINE pbti_u8x16 pbti_errors_of_next(void) {
    enum { ALL = TOO_LONG | OVERLONG_2 | TWO_MORE };
    return (pbti_u8x16){FOUR(TOO_SHORT),
                        FOUR(TOO_SHORT),
                        ALL | OVERLONG_3 | OVERLONG_4,
                        ALL | OVERLONG_3 | TOO_LARGE,
                        ALL | SURROGATE | TOO_LARGE,
                        ALL | SURROGATE | TOO_LARGE,
                        FOUR(TOO_SHORT)};
}
#undef FOUR

/* 0 for each byte that goes well with the three before it, else not 0. */
PBTI_INLINE pbti_u8x16 pbti_errors_16(pbti_u8x16 v, pbti_u8x16 before) {
    pbti_u8x16 prev1 = PBTI_BEFORE(v, before, 1);
    pbti_u8x16 prev2 = PBTI_BEFORE(v, before, 2);
    pbti_u8x16 prev3 = PBTI_BEFORE(v, before, 3);
    pbti_u8x16 third = pbti_subtract(prev2, pbti_all_bytes(0xe0 - 0x80));
    pbti_u8x16 fourth = pbti_subtract(prev3, pbti_all_bytes(0xf0 - 0x80));
    pbti_u8x16 two_more = (third | fourth) & 0x80;
    pbti_u8x16 high = pbti_shuffle(pbti_errors_of_high(), prev1 >> 4);
    pbti_u8x16 low = pbti_shuffle(pbti_errors_of_low(), prev1 & 0x0f);
    pbti_u8x16 next = pbti_shuffle(pbti_errors_of_next(), v >> 4);
    return (high & low & next) ^ two_more;
}

#if PBTI_AVX2 && !PBTI_AVX512
PBTI_INLINE __m256i pbti_errors_32(__m256i v, __m256i before) {
    const __m256i nibble = _mm256_set1_epi8(0x0f);
    __m256i middle = _mm256_permute2x128_si256(before, v, 0x21);
    __m256i prev1 = _mm256_alignr_epi8(v, middle, 15);
    __m256i prev2 = _mm256_alignr_epi8(v, middle, 14);
    __m256i prev3 = _mm256_alignr_epi8(v, middle, 13);
    __m256i high = _mm256_and_si256(_mm256_srli_epi16(prev1, 4), nibble);
    __m256i low = _mm256_and_si256(prev1, nibble);
    __m256i next = _mm256_and_si256(_mm256_srli_epi16(v, 4), nibble);
    __m256i third = _mm256_subs_epu8(prev2, _mm256_set1_epi8(0xe0 - 0x80));
    __m256i fourth = _mm256_subs_epu8(prev3, _mm256_set1_epi8(0xf0 - 0x80));
    __m256i two_more = _mm256_and_si256(_mm256_or_si256(third, fourth),
                                        _mm256_set1_epi8((char) 0x80));
    high = _mm256_shuffle_epi8(
        _mm256_broadcastsi128_si256((__m128i) pbti_errors_of_high()), high);
    low = _mm256_shuffle_epi8(
        _mm256_broadcastsi128_si256((__m128i) pbti_errors_of_low()), low);
    next = _mm256_shuffle_epi8(
        _mm256_broadcastsi128_si256((__m128i) pbti_errors_of_next()), next);
    return _mm256_xor_si256(_mm256_and_si256(_mm256_and_si256(high, low), next),
                            two_more);
}
#endif

/* The bytes at the end of s[0..n), valid so far, of a sequence that is not
 * whole. */
PBTI_INLINE size_t pbti_cut_bytes(const unsigned char *s, size_t n) {
    if (n >= 1 && s[n - 1] >= 0xc0)
        return 1;
    if (n >= 2 && s[n - 2] >= 0xe0)
        return 2;
    return n >= 3 && s[n - 3] >= 0xf0 ? 3 : 0;
}

/* A step of 16 bytes that starts with a sequence, and of the last ones. Returns
 * how many were copied, whole sequences and plain ASCII; *goes_on tells whether
 * what follows may be of the same kind. */
PBTI_INLINE size_t pbti_copy_utf8_16(char *p, const unsigned char *s, size_t n,
                                     bool html, bool *goes_on) {
    const pbti_u8x16 incomplete = {255, 255, 255, 255, 255, 255,  255,  255,
                                   255, 255, 255, 255, 255, 0xef, 0xdf, 0xbf};
    pbti_u8x16 v = n < 16 ? pbti_load_below_16(s, n) : pbti_load_16(s);
    pbti_u8x16 errors = pbti_errors_16(v, pbti_all_bytes(0));
    pbti_u8x16 marks = pbti_mark_16(v, html, false);
    uint32_t good = pbti_bits16((pbti_u8x16) (errors == 0));
    uint32_t whole =
        pbti_bits16((pbti_u8x16) (pbti_subtract(v, incomplete) == 0));
    uint32_t marked;
    unsigned stop;
    if (html)
        marks |= (pbti_u8x16) (v == 0xe2);
    marked = pbti_bits16(marks);
    stop = (unsigned) __builtin_ctz(marked | ~whole);
    pbti_store_16(p, v);
    *goes_on = !(marked >> stop & 1);
    if (~good & ((2u << stop) - 1) & 0xffff) {
        *goes_on = false;
        return 0;
    }
    return stop;
}

#if PBTI_AVX512
PBTI_INLINE __m512i pbti_errors_64(__m512i v, __m512i before) {
    const __m512i nibble = _mm512_set1_epi8(0x0f);
    __m512i middle = _mm512_alignr_epi64(v, before, 6);
    __m512i prev1 = _mm512_alignr_epi8(v, middle, 15);
    __m512i prev2 = _mm512_alignr_epi8(v, middle, 14);
    __m512i prev3 = _mm512_alignr_epi8(v, middle, 13);
    __m512i high = _mm512_and_si512(_mm512_srli_epi16(prev1, 4), nibble);
    __m512i low = _mm512_and_si512(prev1, nibble);
    __m512i next = _mm512_and_si512(_mm512_srli_epi16(v, 4), nibble);
    __m512i third = _mm512_subs_epu8(prev2, _mm512_set1_epi8(0xe0 - 0x80));
    __m512i fourth = _mm512_subs_epu8(prev3, _mm512_set1_epi8(0xf0 - 0x80));
    __m512i two_more = _mm512_and_si512(_mm512_or_si512(third, fourth),
                                        _mm512_set1_epi8((char) 0x80));
    high = _mm512_shuffle_epi8(
        _mm512_broadcast_i32x4((__m128i) pbti_errors_of_high()), high);
    low = _mm512_shuffle_epi8(
        _mm512_broadcast_i32x4((__m128i) pbti_errors_of_low()), low);
    next = _mm512_shuffle_epi8(
        _mm512_broadcast_i32x4((__m128i) pbti_errors_of_next()), next);
    return _mm512_xor_si512(_mm512_and_si512(_mm512_and_si512(high, low), next),
                            two_more);
}

/* Copies blocks of good text in which something is not ASCII. Returns how many
 * bytes; the last sequence may not be whole. Here the last block is filled up
 * with zeros: a sequence that these end is an error. */
PBTI_INLINE size_t pbti_copy_utf8_blocks(char *p, const unsigned char *s,
                                         size_t n, bool html) {
    __m512i before = _mm512_setzero_si512();
    size_t at = 0;
    while (at < n) {
        size_t left = n - at < 64 ? n - at : 64;
        uint64_t there = _bzhi_u64(UINT64_MAX, (unsigned) left);
        __m512i v = _mm512_maskz_loadu_epi8(there, s + at);
        __m512i errors = pbti_errors_64(v, before);
        uint64_t marks = pbti_mark_64(v, html, false);
        if (html)
            marks |= _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(-30));
        marks = (marks & there) | _mm512_test_epi8_mask(errors, errors);
        if (marks || !_mm512_movepi8_mask(v))
            break;
        _mm512_storeu_si512(p + at, v);
        before = v;
        at += left;
    }
    return at;
}
#elif PBTI_AVX2
PBTI_INLINE size_t pbti_copy_utf8_blocks(char *p, const unsigned char *s,
                                         size_t n, bool html) {
    __m256i before = _mm256_setzero_si256();
    size_t at = 0;
    for (; n - at >= 32; at += 32) {
        const __m256i *from = (const __m256i *) (const void *) (s + at);
        __m256i v = _mm256_loadu_si256(from);
        __m256i errors = pbti_errors_32(v, before);
        __m256i marks = pbti_mark_32(v, html, false);
        if (html)
            marks = _mm256_or_si256(
                marks, _mm256_cmpeq_epi8(v, _mm256_set1_epi8(-30)));
        if (_mm256_movemask_epi8(v) == 0 ||
            !_mm256_testz_si256(_mm256_or_si256(errors, marks),
                                _mm256_or_si256(errors, marks)))
            break;
        _mm256_storeu_si256((__m256i *) (void *) (p + at), v);
        before = v;
    }
    return at;
}
#else
PBTI_INLINE size_t pbti_copy_utf8_blocks(char *p, const unsigned char *s,
                                         size_t n, bool html) {
    pbti_u8x16 before = {0};
    size_t at = 0;
    for (; n - at >= 16; at += 16) {
        pbti_u8x16 v = pbti_load_16(s + at);
        pbti_u8x16 stops =
            pbti_errors_16(v, before) | pbti_mark_16(v, html, false);
        if (html)
            stops |= (pbti_u8x16) (v == 0xe2);
        if (pbti_mask_bytes(v) == 0 ||
            pbti_mask_bytes((pbti_u8x16) (stops != 0)) != 0)
            break;
        pbti_store_16(p + at, v);
        before = v;
    }
    return at;
}
#endif

/* Copies text that starts with a sequence: whole good sequences and plain
 * ASCII. Returns how many bytes; there begins something of interest, a sequence
 * that is not good or (with html) one that may have to be escaped, or ASCII
 * only. May write 64 bytes more. */
PBTI_INLINE size_t pbti_copy_utf8(char *p, const unsigned char *s, size_t n,
                                  bool html) {
    size_t at = pbti_copy_utf8_blocks(p, s, n, html);
    bool goes_on = true;
    at -= pbti_cut_bytes(s, at);
    while (goes_on && at < n && s[at] >= 0x80)
        at += pbti_copy_utf8_16(p + at, s + at, n - at, html, &goes_on);
    return at;
}
#endif

#endif
