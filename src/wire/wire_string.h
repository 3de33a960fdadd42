/* wire_string.h - length and copy of short strings without a call. */
#ifndef PBTI_WIRE_STRING_H
#define PBTI_WIRE_STRING_H

#include "base_vector.h"
#include "wire_level.h"

/* Instrumented builds see the whole of every load; there the C library, which
 * is instrumented too, does the work. */
#define PBTI_VECTOR_STRINGS (PBTI_VECTOR && !PBTI_ASAN)

/* Strings and bytes are read by steps that need not be aligned, and so neither
 * does a branch on where they lie. Valgrind reports such reads if they leave
 * the object, so the levels that it runs by itself do not do this: see
 * wire_levels.c. */
#define PBTI_STRING_STEPS (PBTI_AVX2 && PBTI_PDEP && PBTI_VECTOR_STRINGS)

#if PBTI_VECTOR_STRINGS
enum { PBTI_SCAN_STEP = PBTI_AVX2 ? 32 : 16, PBTI_SCAN_STEPS = 4 };

/* A mask of the zeros among the bytes of a step. */
#if PBTI_AVX2
PBTI_INLINE pbti_mask pbti_zero_bytes(__m256i bytes) {
    return (pbti_mask) _mm256_movemask_epi8(
        _mm256_cmpeq_epi8(bytes, _mm256_setzero_si256()));
}
#endif

/* The same at an aligned address. An aligned load stays within one page, and
 * that page holds at least one byte of the string or its end, so it cannot
 * fault, although it may read bytes outside the string's object; their bits are
 * shifted out or lie above the end's. */
PBTI_INLINE pbti_mask pbti_zero_mask(const char *aligned) {
#if PBTI_AVX2
    const void *step = aligned;
    return pbti_zero_bytes(_mm256_load_si256((const __m256i *) step));
#else
    const void *step = __builtin_assume_aligned(aligned, 16);
    return pbti_mask_bytes((pbti_u8x16) (pbti_load_16(step) == 0));
#endif
}
#endif

PBTI_INLINE size_t pbti_string_length(const char *s) {
#if PBTI_VECTOR_STRINGS
    unsigned skip = (unsigned) ((uintptr_t) s & (PBTI_SCAN_STEP - 1));
    const char *aligned = s - skip;
    pbti_mask mask = pbti_zero_mask(aligned) >> (skip << PBTI_MASK_SHIFT);
    size_t n;
    if (PBTI_LIKELY(mask != 0))
        return pbti_first_byte(mask);
    for (n = PBTI_SCAN_STEP; n < PBTI_SCAN_STEPS * PBTI_SCAN_STEP;
         n += PBTI_SCAN_STEP) {
        mask = pbti_zero_mask(aligned + n);
        if (mask != 0)
            return n - skip + pbti_first_byte(mask);
    }
    return n - skip + strlen(aligned + n);
#else
    return strlen(s);
#endif
}

#if PBTI_SHUFFLE && PBTI_VECTOR_STRINGS
/* Writes the up to 16 bytes that end at `end` so that they end at p, together
 * with bytes of no meaning below them, 16 in all. `last` is an address within
 * the object, end or end - 1. The bytes lie in the aligned blocks of their
 * first and their last byte, which may be one and the same; both hold a byte
 * of the object, so neither load can fault. A shuffle index above 127 gives
 * zero, so each byte comes from the one block that has it. */
PBTI_INLINE void pbti_store_ending(uint8_t *p, const char *first,
                                   const char *last, const char *end) {
#if PBTI_NEON
    const pbti_u8x16 ending = {0xf0, 0xf1, 0xf2, 0xf3, 0xf4, 0xf5, 0xf6, 0xf7,
                               0xf8, 0xf9, 0xfa, 0xfb, 0xfc, 0xfd, 0xfe, 0xff};
    const char *low_block = first - ((uintptr_t) first & 15);
    const char *high_block = last - ((uintptr_t) last & 15);
    pbti_u8x16 order = ending + pbti_all_bytes((uint8_t) (end - low_block));
    /* one look-up in both: where they are the same, nothing is beyond it */
    uint8x16x2_t blocks = {{(uint8x16_t) pbti_load_16(low_block),
                            (uint8x16_t) pbti_load_16(high_block)}};
    pbti_store_16(p - 16, (pbti_u8x16) vqtbl2q_u8(blocks, (uint8x16_t) order));
#else
    const __m128i low_bytes =
        _mm_set_epi64x(0x7f7e7d7c7b7a7978, 0x7776757473727170);
    const __m128i high_bytes = _mm_xor_si128(low_bytes, _mm_set1_epi8(-128));
    const char *low_block = first - ((uintptr_t) first & 15);
    const char *high_block = last - ((uintptr_t) last & 15);
    __m128i shift = _mm_set1_epi8((char) (end - high_block));
    __m128i low = _mm_load_si128((const __m128i *) (const void *) low_block);
    __m128i high = _mm_load_si128((const __m128i *) (const void *) high_block);
    low = _mm_shuffle_epi8(low, _mm_add_epi8(shift, low_bytes));
    high = _mm_shuffle_epi8(high, _mm_add_epi8(shift, high_bytes));
    _mm_storeu_si128((__m128i *) (void *) (p - 16), _mm_or_si128(low, high));
#endif
}
#endif

#if PBTI_AVX2
PBTI_INLINE __m256i pbti_load_step(const char *s) {
    return _mm256_loadu_si256((const __m256i *) (const void *) s);
}

PBTI_INLINE void pbti_store_step(uint8_t *p, __m256i step) {
    _mm256_storeu_si256((__m256i *) (void *) p, step);
}

/* Writes the 32 bytes that end n bytes behind s so that they end at p. Up to n
 * of them count; those below have no meaning if n is less than 32. */
PBTI_INLINE void pbti_store_last_step(uint8_t *p, const char *s, size_t n) {
    const uintptr_t step = (uintptr_t) s + n - PBTI_TEXT_STEP;
    pbti_store_step(p - PBTI_TEXT_STEP, pbti_load_step((const char *) step));
}
#endif

#if PBTI_STRING_STEPS
_Static_assert((int) PBTI_SCAN_STEP == (int) PBTI_TEXT_STEP,
               "what one step finds, one step copies");

/* Tells whether all of n bytes from an address on are in one page, so that they
 * may be read if one of them may. Pages are no smaller than this. */
PBTI_INLINE bool pbti_in_one_page(uintptr_t address, unsigned n) {
    enum { PAGE_SIZE = 4096 };
    return (address & (PAGE_SIZE - 1)) <= PAGE_SIZE - n;
}

/* Tells whether a string may be loaded by one step from its first byte on, and
 * below x86-64-v4 by one that ends with it: that one starts up to a step before
 * the string. */
PBTI_INLINE bool pbti_may_load_string(const char *s) {
#if PBTI_AVX512
    return pbti_in_one_page((uintptr_t) s, PBTI_TEXT_STEP);
#else
    return pbti_in_one_page((uintptr_t) s - PBTI_TEXT_STEP, 2 * PBTI_TEXT_STEP);
#endif
}

/* Copies a string of n < 32 bytes, found in a step from its first byte on, so
 * that it ends at p. May write 32 bytes below p. */
PBTI_INLINE void pbti_store_string(uint8_t *p, const char *s, unsigned n,
                                   __m256i step) {
#if PBTI_AVX512
    (void) s;
    _mm256_mask_storeu_epi8(p - n, _bzhi_u32(UINT32_MAX, n), step);
#else
    (void) step;
    pbti_store_last_step(p, s, n);
#endif
}

/* Writes a string of 32 to 63 bytes, of which 64 may be loaded, and its length;
 * NULL if it has more or fewer. */
PBTI_INLINE uint8_t *pbti_put_two_steps(uint8_t *p, const char *s) {
    __m256i first = pbti_load_step(s);
    pbti_mask zeros = pbti_zero_bytes(pbti_load_step(s + PBTI_TEXT_STEP));
    unsigned n;
    if (PBTI_UNLIKELY(zeros == 0 || pbti_zero_bytes(first) != 0))
        return NULL;
    n = PBTI_TEXT_STEP + (unsigned) __builtin_ctz(zeros);
    pbti_store_last_step(p, s, n);
    p -= n;
    pbti_store_step(p, first);
    *--p = (uint8_t) n;
    return p;
}
#endif

/* Copies n bytes with two loads and two stores that overlap; exact at both
 * ends, because what lies above `to` has been written already. */
PBTI_INLINE void pbti_copy_exact(uint8_t *to, const char *s, size_t n) {
    if (n >= 8) {
        uint64_t first = pbti_load64(s), last = pbti_load64(s + n - 8);
        pbti_store64(to, first);
        pbti_store64(to + n - 8, last);
    } else if (n >= 4) {
        uint32_t first = pbti_load32(s), last = pbti_load32(s + n - 4);
        pbti_store32(to, first);
        pbti_store32(to + n - 4, last);
    } else if (n > 0) {
        to[0] = (uint8_t) s[0];
        to[n / 2] = (uint8_t) s[n / 2];
        to[n - 1] = (uint8_t) s[n - 1];
    }
}

/* Copies n bytes so that they end at p; returns where they start. `last` is an
 * address within the object, s + n or s + n - 1; where it is the latter, n is
 * not 0. May write 16 bytes below p. */
PBTI_INLINE uint8_t *pbti_copy_below(uint8_t *p, const char *s, size_t n,
                                     const char *last) {
    uint8_t *to = p - n;
#if PBTI_AVX512
    (void) last;
    if (PBTI_LIKELY(n <= 64)) {
        uint64_t mask = _bzhi_u64(UINT64_MAX, (unsigned) n);
        _mm512_mask_storeu_epi8(to, mask, _mm512_maskz_loadu_epi8(mask, s));
        return to;
    }
#else
    if (PBTI_LIKELY(n <= 16)) {
#if PBTI_SHUFFLE && PBTI_VECTOR_STRINGS
        pbti_store_ending(p, s, last, s + n);
#else
        (void) last;
        pbti_copy_exact(to, s, n);
#endif
        return to;
    }
#if PBTI_VECTOR
    if (n <= 32) {
        pbti_u8x16 first = pbti_load_16(s), rest = pbti_load_16(s + n - 16);
        pbti_store_16(to, first);
        pbti_store_16(p - 16, rest);
        return to;
    }
#if PBTI_AVX2
    if (n <= 2 * PBTI_TEXT_STEP) {
        __m256i first = pbti_load_step(s);
        pbti_store_last_step(p, s, n);
        pbti_store_step(to, first);
        return to;
    }
#endif
#endif
#endif
    memcpy(to, s, n);
    return to;
}

#endif
