/* wire_packed.h - vector kernels for packed arrays: eight elements a step, from
 * the last to the first.
 *
 * A kernel's step writes at most 16 bytes, and spills up to 8 below them. It
 * declines when an element needs more than two bytes; the caller then writes
 * the eight elements one by one, up to 80 bytes.
 */
#ifndef PBTI_WIRE_PACKED_H
#define PBTI_WIRE_PACKED_H

#include "wire_scalar.h"

enum { PBTI_VECTOR_STEP = 8 };

#if PBTI_AVX2
/* Where the bytes of four 16-bit lanes go, right-aligned in eight bytes, when
 * bit k of the index says that lane k has two bytes and not one. A byte
 * appended moves those before it down. */
#define APPEND(bytes, index) ((bytes) >> 8 | (uint64_t) (index) << 56)
#define APPEND_LANE(bytes, mask, k)                                            \
    ((mask) >> (k) &1 ? APPEND(APPEND(bytes, 2 * (k)), 2 * (k) + 1)            \
                      : APPEND(bytes, 2 * (k)))
#define LANES_01(mask)                                                         \
    APPEND_LANE(APPEND_LANE(UINT64_C(0x8080808080808080), mask, 0), mask, 1)
#define LANES_0123(mask)                                                       \
    APPEND_LANE(APPEND_LANE(LANES_01(mask), mask, 2), mask, 3)

static const uint64_t pbti_lane_bytes[16] = {
    LANES_0123(0),  LANES_0123(1),  LANES_0123(2),  LANES_0123(3),
    LANES_0123(4),  LANES_0123(5),  LANES_0123(6),  LANES_0123(7),
    LANES_0123(8),  LANES_0123(9),  LANES_0123(10), LANES_0123(11),
    LANES_0123(12), LANES_0123(13), LANES_0123(14), LANES_0123(15)};
#undef LANES_0123
#undef LANES_01
#undef APPEND_LANE
#undef APPEND

/* Eight numbers below 2^14, as 16-bit lanes. */
PBTI_INLINE uint8_t *pbti_put_two_byte_lanes(uint8_t *p, __m128i v) {
    __m128i two_bytes = _mm_cmpgt_epi16(v, _mm_set1_epi16(0x7f));
    __m128i high = _mm_and_si128(_mm_slli_epi16(v, 1), _mm_set1_epi16(0x7f00));
    __m128i low = _mm_and_si128(v, _mm_set1_epi16(0x7f));
    __m128i more = _mm_and_si128(two_bytes, _mm_set1_epi16(0x80));
    __m128i bytes = _mm_or_si128(_mm_or_si128(low, high), more);
    unsigned mask = (unsigned) _mm_movemask_epi8(
        _mm_packs_epi16(two_bytes, _mm_setzero_si128()));
    __m128i order = _mm_set_epi64x(
        (long long) (pbti_lane_bytes[mask >> 4] + UINT64_C(0x0808080808080808)),
        (long long) pbti_lane_bytes[mask & 15]);
    bytes = _mm_shuffle_epi8(bytes, order);
    /* not _mm_storeh_pd, which asks for the alignment of a double */
    _mm_storeh_pi((__m64 *) (void *) (p - 8), _mm_castsi128_ps(bytes));
    p -= 4 + __builtin_popcount(mask >> 4);
    _mm_storel_epi64((__m128i *) (void *) (p - 8), bytes);
    return p - 4 - __builtin_popcount(mask & 15);
}

/* Eight numbers of 32 bits, if all are below 2^14; else NULL. */
PBTI_INLINE uint8_t *pbti_put_eight_words(uint8_t *p, __m256i v) {
    __m128i halves;
    if (!_mm256_testz_si256(v, _mm256_set1_epi32(~0x3fff)))
        return NULL;
    halves = _mm_packus_epi32(_mm256_castsi256_si128(v),
                              _mm256_extracti128_si256(v, 1));
    if (_mm256_testz_si256(v, _mm256_set1_epi32(~0x7f))) {
        _mm_storel_epi64((__m128i *) (void *) (p - 8),
                         _mm_packus_epi16(halves, halves));
        return p - 8;
    }
    return pbti_put_two_byte_lanes(p, halves);
}

PBTI_INLINE __m256i pbti_zigzag_lanes(__m256i v) {
    return _mm256_xor_si256(_mm256_slli_epi32(v, 1), _mm256_srai_epi32(v, 31));
}

/* The first n < 8 numbers of an array in the upper lanes, zeros in the lower.
 * What lies before the array is not read. */
PBTI_INLINE __m256i pbti_load_upper_lanes(const void *array, size_t n) {
    static const int32_t lanes[16] = {0,  0,  0,  0,  0,  0,  0,  0,
                                      -1, -1, -1, -1, -1, -1, -1, -1};
    __m256i used = _mm256_loadu_si256((const __m256i *) (lanes + n));
    uintptr_t before = (uintptr_t) array - (PBTI_VECTOR_STEP - n) * 4;
    return _mm256_maskload_epi32((const int *) before, used);
}
#endif

/* The encodings whose members are 32-bit words and whose values may be large.
 */
PBTI_INLINE bool pbti_has_word_kernel(pbti_encoding encoding) {
    return PBTI_AVX2 && (encoding == PBTI_ENCODING_UNSIGNED32 ||
                         encoding == PBTI_ENCODING_SIGNED32 ||
                         encoding == PBTI_ENCODING_ZIGZAG32);
}

#if PBTI_SSE2
/* Eight ints to eight bytes of 0 or 1. */
PBTI_INLINE uint8_t *pbti_put_eight_bools(uint8_t *p, const void *elements) {
    const __m128i *v = elements;
    __m128i zero = _mm_setzero_si128();
    __m128i low = _mm_cmpeq_epi32(_mm_loadu_si128(v), zero);
    __m128i high = _mm_cmpeq_epi32(_mm_loadu_si128(v + 1), zero);
    __m128i bytes = _mm_packs_epi16(_mm_packs_epi32(low, high), zero);
    bytes = _mm_add_epi8(bytes, _mm_set1_epi8(1));
    _mm_storel_epi64((__m128i *) (void *) (p - 8), bytes);
    return p - 8;
}
#endif

/* One step of eight elements; NULL when there is no kernel for them. */
PBTI_INLINE uint8_t *pbti_put_eight(uint8_t *p, pbti_encoding encoding,
                                    const void *elements) {
#if PBTI_SSE2
    if (encoding == PBTI_ENCODING_BOOL)
        return pbti_put_eight_bools(p, elements);
#endif
#if PBTI_AVX2
    if (pbti_has_word_kernel(encoding)) {
        __m256i v = _mm256_loadu_si256((const __m256i *) elements);
        if (encoding == PBTI_ENCODING_ZIGZAG32)
            v = pbti_zigzag_lanes(v);
        return pbti_put_eight_words(p, v);
    }
#endif
    (void) p;
    (void) encoding;
    (void) elements;
    return NULL;
}

/* The first n < 8 elements of an array; NULL when there is no kernel for them.
 * The zeros in the unused lanes take a byte each, below those of the array. */
PBTI_INLINE uint8_t *pbti_put_first(uint8_t *p, pbti_encoding encoding,
                                    const void *array, size_t n) {
#if PBTI_AVX2
    if (pbti_has_word_kernel(encoding)) {
        __m256i v = pbti_load_upper_lanes(array, n);
        if (encoding == PBTI_ENCODING_ZIGZAG32)
            v = pbti_zigzag_lanes(v);
        p = pbti_put_eight_words(p, v);
        return p ? p + (PBTI_VECTOR_STEP - n) : NULL;
    }
#endif
    (void) p;
    (void) encoding;
    (void) array;
    (void) n;
    return NULL;
}

#endif
