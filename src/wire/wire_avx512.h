/* wire_avx512.h - packed numbers with the byte compress of AVX-512 VBMI2: up to
 * sixteen elements a step, of any size on the wire, without a branch on it.
 *
 * A step spreads each number over a lane of bytes, marks the bytes that go on
 * the wire in a mask, and compresses and stores those. The masks also say how
 * many elements there are, so an array's first elements are a step like any
 * other.
 */
#ifndef PBTI_WIRE_AVX512_H
#define PBTI_WIRE_AVX512_H

#include "wire_scalar.h"

#if PBTI_AVX512
enum { PBTI_LANES32 = 16, PBTI_LANES64 = 8 };

/* Eight numbers below 2^56 as bytes: the seven bits of each, with continuation
 * bits, and a mask of those that go on the wire if all lanes are used. */
PBTI_INLINE __m512i pbti_spread_lanes(__m512i v, __mmask64 *on_wire) {
    const __m512i shifts = _mm512_set1_epi64(0x312a231c150e0700);
    const __m512i more = _mm512_set1_epi64(0x0080808080808080);
    __m512i groups = _mm512_and_si512(_mm512_multishift_epi64_epi8(shifts, v),
                                      _mm512_set1_epi8(0x7f));
    /* bits above the highest byte that is used, which is at least the first */
    __m512i unused = _mm512_and_si512(
        _mm512_lzcnt_epi64(_mm512_or_si512(groups, _mm512_set1_epi64(1))),
        _mm512_set1_epi64(0x38));
    __m512i continued = _mm512_srlv_epi64(more, unused);
    __m512i used = _mm512_or_si512(_mm512_slli_epi64(continued, 8),
                                   _mm512_set1_epi64(0x80));
    *on_wire = _mm512_movepi8_mask(used);
    return _mm512_or_si512(groups, continued);
}

/* The lanes that need more than 56 bits. */
PBTI_INLINE __mmask8 pbti_large_lanes(__m512i v) {
    return _mm512_test_epi64_mask(v, _mm512_set1_epi64(INT64_MIN >> 7));
}

/* The first n of eight numbers; NULL when one takes more than 56 bits. */
PBTI_INLINE uint8_t *pbti_put_lanes64(uint8_t *p, __m512i v, unsigned n) {
    __mmask64 on_wire;
    __m512i bytes;
    unsigned len;
    if (PBTI_UNLIKELY(pbti_large_lanes(v) != 0))
        return NULL;
    bytes = pbti_spread_lanes(v, &on_wire);
    on_wire = _bzhi_u64(on_wire, 8 * n);
    len = (unsigned) __builtin_popcountll(on_wire);
    p -= len;
    _mm512_mask_storeu_epi8(p, _bzhi_u64(UINT64_MAX, len),
                            _mm512_maskz_compress_epi8(on_wire, bytes));
    return p;
}

/* The first n of sixteen numbers below 2^14. */
PBTI_INLINE uint8_t *pbti_put_small_lanes(uint8_t *p, __m512i v, unsigned n) {
    const __m256i low_group = _mm256_set1_epi16(0x7f);
    __m256i words = _mm512_cvtepi32_epi16(v);
    __m256i high = _mm256_andnot_si256(_mm256_set1_epi16(0xff),
                                       _mm256_slli_epi16(words, 1));
    __m256i low = _mm256_and_si256(words, low_group);
    __mmask16 two_bytes = _mm256_cmpgt_epi16_mask(words, low_group);
    __m256i bytes = _mm256_or_si256(
        low,
        _mm256_mask_blend_epi16(
            two_bytes, high, _mm256_or_si256(high, _mm256_set1_epi16(0x80))));
    uint32_t on_wire = _mm256_test_epi8_mask(high, high) |
                       _bzhi_u32(UINT32_C(0x55555555), 2 * n);
    unsigned len = (unsigned) __builtin_popcount(on_wire);
    p -= len;
    _mm256_mask_storeu_epi8(p, _bzhi_u32(UINT32_MAX, len),
                            _mm256_maskz_compress_epi8(on_wire, bytes));
    return p;
}

/* The first n of sixteen numbers of 32 bits. */
PBTI_INLINE uint8_t *pbti_put_lanes32(uint8_t *p, __m512i v, unsigned n) {
    __m512i low, high;
    if (PBTI_LIKELY(!_mm512_test_epi32_mask(v, _mm512_set1_epi32(~0x3fff))))
        return pbti_put_small_lanes(p, v, n);
    low = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(v));
    high = _mm512_cvtepu32_epi64(_mm512_extracti64x4_epi64(v, 1));
    if (n > PBTI_LANES64)
        p = pbti_put_lanes64(p, high, n - PBTI_LANES64);
    return pbti_put_lanes64(p, low, n < PBTI_LANES64 ? n : PBTI_LANES64);
}

PBTI_INLINE uint8_t *pbti_put_bool_lanes(uint8_t *p, __m512i v, unsigned n) {
    __mmask16 truth = _mm512_test_epi32_mask(v, v);
    p -= n;
    _mm_mask_storeu_epi8(p, (__mmask16) _bzhi_u32(0xffff, n),
                         _mm_maskz_set1_epi8(truth, 1));
    return p;
}

PBTI_INLINE bool pbti_is_wide(pbti_encoding encoding) {
    return encoding == PBTI_ENCODING_VARINT64 ||
           encoding == PBTI_ENCODING_ZIGZAG64;
}

PBTI_INLINE unsigned pbti_step_lanes(pbti_encoding encoding) {
    return pbti_is_wide(encoding) ? PBTI_LANES64 : PBTI_LANES32;
}

/* The numbers of up to one step of elements as they go on the wire, zeros
 * behind them. What lies behind the elements is not read. */
PBTI_INLINE __m512i pbti_load_lanes(const void *elements, unsigned n,
                                    pbti_encoding encoding) {
    __m512i v;
    if (pbti_is_wide(encoding)) {
        v = _mm512_maskz_loadu_epi64((__mmask8) _bzhi_u32(0xff, n), elements);
        if (encoding == PBTI_ENCODING_ZIGZAG64)
            v = _mm512_xor_si512(_mm512_slli_epi64(v, 1),
                                 _mm512_srai_epi64(v, 63));
        return v;
    }
    v = _mm512_maskz_loadu_epi32((__mmask16) _bzhi_u32(0xffff, n), elements);
    if (encoding == PBTI_ENCODING_ZIGZAG32)
        v = _mm512_xor_si512(_mm512_slli_epi32(v, 1), _mm512_srai_epi32(v, 31));
    return v;
}

/* Up to one step of elements; NULL when they have to be written one by one. */
PBTI_INLINE uint8_t *pbti_put_step(uint8_t *p, const void *elements, unsigned n,
                                   pbti_encoding encoding) {
    __m512i v = pbti_load_lanes(elements, n, encoding);
    if (pbti_is_wide(encoding))
        return pbti_put_lanes64(p, v, n);
    if (encoding == PBTI_ENCODING_BOOL)
        return pbti_put_bool_lanes(p, v, n);
    /* ten bytes, as 64 bits with the sign */
    if (encoding == PBTI_ENCODING_SIGNED32 &&
        PBTI_UNLIKELY(_mm512_movepi32_mask(v) != 0))
        return NULL;
    return pbti_put_lanes32(p, v, n);
}

/* Bytes of up to one step of elements of 64 bits. */
PBTI_INLINE unsigned pbti_step_size(const void *elements, unsigned n,
                                    pbti_encoding encoding) {
    __m512i v = pbti_load_lanes(elements, n, encoding);
    __mmask8 large = pbti_large_lanes(v);
    __mmask8 top = _mm512_movepi64_mask(v);
    __mmask64 on_wire;
    /* a large one takes all eight bytes, and one or two more */
    v = _mm512_mask_or_epi64(v, large, v, _mm512_set1_epi64(INT64_C(1) << 55));
    pbti_spread_lanes(v, &on_wire);
    return (unsigned) (__builtin_popcountll(_bzhi_u64(on_wire, 8 * n)) +
                       __builtin_popcount(large) + __builtin_popcount(top));
}
#endif

#endif
