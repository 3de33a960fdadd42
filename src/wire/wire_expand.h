/* wire_expand.h - packed varints to numbers with the byte expand of AVX-512
 * VBMI2: sixteen a step, of up to four bytes each, without a branch on their
 * size.
 *
 * A step gives each varint a lane of four bytes. Where the bytes of the input
 * go is a mask: bit 4i + j is set when varint i has a byte j. Three words of
 * continuation bits, shifted and taken at the starts of the varints, say so for
 * all of them at once.
 */
#ifndef PBTI_WIRE_EXPAND_H
#define PBTI_WIRE_EXPAND_H

#include "wire_read.h"

#if PBTI_AVX512
enum { PBTI_EXPAND_LANES = 16, PBTI_EXPAND_BYTES = 64 };

/* Which bytes of the lanes the varints have. `more` has a bit for each byte of
 * the input that is not the last one of a varint. */
PBTI_INLINE uint64_t pbti_lane_bytes(uint64_t more) {
    uint64_t starts = ~more << 1 | 1;
    uint64_t two = more;
    uint64_t three = two & more >> 1;
    uint64_t four = three & more >> 2;
    return UINT64_C(0x1111111111111111) |
           _pdep_u64(_pext_u64(two, starts), UINT64_C(0x2222222222222222)) |
           _pdep_u64(_pext_u64(three, starts), UINT64_C(0x4444444444444444)) |
           _pdep_u64(_pext_u64(four, starts), UINT64_C(0x8888888888888888));
}

/* The groups of seven bits of each lane, together. */
PBTI_INLINE __m512i pbti_join_lanes(__m512i groups) {
    const __m512i pairs = _mm512_set1_epi16((short) (0x80 << 8 | 1));
    const __m512i halves = _mm512_set1_epi32(0x4000 << 16 | 1);
    groups = _mm512_and_si512(groups, _mm512_set1_epi8(0x7f));
    return _mm512_madd_epi16(_mm512_maddubs_epi16(pairs, groups), halves);
}

PBTI_INLINE __m512i pbti_unzigzag_lanes(__m512i v) {
    __m512i sign = _mm512_sub_epi32(_mm512_setzero_si512(),
                                    _mm512_and_si512(v, _mm512_set1_epi32(1)));
    return _mm512_xor_si512(_mm512_srli_epi32(v, 1), sign);
}

/* Stores the first n lanes as members of an encoding. */
PBTI_INLINE void pbti_store_lanes(char *element, __m512i v, unsigned n,
                                  pbti_op encoding, size_t size) {
    const __mmask16 used = (__mmask16) _bzhi_u32(0xffff, n);
    if (encoding == PBTI_OP_ZIGZAG32 || encoding == PBTI_OP_ZIGZAG64)
        v = pbti_unzigzag_lanes(v);
    if (encoding == PBTI_OP_BOOL)
        v = _mm512_min_epu32(v, _mm512_set1_epi32(1));
    if (size == sizeof(uint32_t)) {
        _mm512_mask_storeu_epi32(element, used, v);
        return;
    }
    _mm512_mask_storeu_epi64(element, (__mmask8) used,
                             _mm512_cvtepi32_epi64(_mm512_castsi512_si256(v)));
    _mm512_mask_storeu_epi64(
        element + PBTI_EXPAND_BYTES, (__mmask8) (used >> 8),
        _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(v, 1)));
}

/* Reads up to sixteen of the varints in the `left` bytes at p, which start with
 * one; reads 64 bytes. NULL, and nothing stored, when one of them takes more
 * than four bytes. */
PBTI_INLINE const uint8_t *pbti_expand_step(const uint8_t *p, ptrdiff_t left,
                                            char **element, pbti_op encoding,
                                            size_t size) {
    __m512i bytes = _mm512_loadu_si512(p);
    uint64_t more = _mm512_movepi8_mask(bytes);
    uint64_t ends =
        left < PBTI_EXPAND_BYTES ? _bzhi_u64(~more, (unsigned) left) : ~more;
    unsigned n = (unsigned) __builtin_popcountll(ends);
    uint64_t last;
    if (n > PBTI_EXPAND_LANES)
        n = PBTI_EXPAND_LANES;
    /* zero when n is */
    last = _pdep_u64(UINT64_C(1) << n >> 1, ends);
    if (PBTI_UNLIKELY(last == 0 || (more & more >> 1 & more >> 2 & more >> 3 &
                                    (last - 1)) != 0))
        return NULL;
    bytes = _mm512_maskz_expand_epi8(pbti_lane_bytes(more), bytes);
    pbti_store_lanes(*element, pbti_join_lanes(bytes), n, encoding, size);
    *element += n * size;
    return p + (unsigned) __builtin_ctzll(last) + 1;
}
#endif

#endif
