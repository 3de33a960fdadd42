/* wire_string.h - length and copy of short strings without a call. */
#ifndef PBTI_WIRE_STRING_H
#define PBTI_WIRE_STRING_H

#include "wire_level.h"

/* Instrumented builds see the whole of every load; there the C library, which
 * is instrumented too, does the work. */
#define PBTI_VECTOR_STRINGS (PBTI_SSE2 && !PBTI_ASAN)

#if PBTI_VECTOR_STRINGS
/* A bit for each zero among the 16 bytes at an aligned address. An aligned load
 * stays within one page, and that page holds at least one byte of the string
 * or its end, so it cannot fault, although it may read bytes outside the
 * string's object; their bits are shifted out or lie above the end's. */
PBTI_INLINE unsigned pbti_zero_mask(const char *aligned) {
    __m128i bytes = _mm_load_si128((const __m128i *) (const void *) aligned);
    return (unsigned) _mm_movemask_epi8(
        _mm_cmpeq_epi8(bytes, _mm_setzero_si128()));
}
#endif

PBTI_INLINE size_t pbti_string_length(const char *s) {
#if PBTI_VECTOR_STRINGS
    enum { SCAN = 64 };
    unsigned skip = (unsigned) ((uintptr_t) s & 15);
    const char *aligned = s - skip;
    unsigned mask = pbti_zero_mask(aligned) >> skip;
    size_t n;
    if (PBTI_LIKELY(mask != 0))
        return (size_t) __builtin_ctz(mask);
    for (n = 16; n <= SCAN; n += 16) {
        mask = pbti_zero_mask(aligned + n);
        if (mask != 0)
            return n - skip + (size_t) __builtin_ctz(mask);
    }
    return n - skip + strlen(aligned + n);
#else
    return strlen(s);
#endif
}

/* Copies n bytes. Short ones with two loads and two stores that overlap; exact
 * at both ends, because what lies above `to` has been written already. */
PBTI_INLINE void pbti_copy(uint8_t *to, const void *from, size_t n) {
    const uint8_t *s = from;
    if (n >= 8) {
        if (n <= 16) {
            uint64_t first = pbti_load64(s), last = pbti_load64(s + n - 8);
            pbti_store64(to, first);
            pbti_store64(to + n - 8, last);
            return;
        }
#if PBTI_SSE2
        if (n <= 32) {
            __m128i first = _mm_loadu_si128((const __m128i *) from);
            __m128i last =
                _mm_loadu_si128((const __m128i *) (const void *) (s + n - 16));
            _mm_storeu_si128((__m128i *) (void *) to, first);
            _mm_storeu_si128((__m128i *) (void *) (to + n - 16), last);
            return;
        }
#endif
        memcpy(to, from, n);
    } else if (n >= 4) {
        uint32_t first = pbti_load32(s), last = pbti_load32(s + n - 4);
        pbti_store32(to, first);
        pbti_store32(to + n - 4, last);
    } else if (n > 0) {
        to[0] = s[0];
        to[n / 2] = s[n / 2];
        to[n - 1] = s[n - 1];
    }
}

#endif
