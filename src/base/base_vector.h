/* base_vector.h - vectors of 16 bytes, for kernels that are the same on every
 * processor that has them: SSE2 and what follows it, and NEON.
 *
 * Lanes are added, compared and shifted by the compiler's own operators; a
 * comparison gives all ones or zero. Here is what there is no operator for,
 * once for each kind of processor.
 */
#ifndef PBTI_BASE_VECTOR_H
#define PBTI_BASE_VECTOR_H

#include "base_compiler.h"
#include "base_level.h"

#if PBTI_VECTOR
typedef uint8_t pbti_u8x16 __attribute__((vector_size(16)));
typedef int8_t pbti_s8x16 __attribute__((vector_size(16)));
typedef int16_t pbti_s16x8 __attribute__((vector_size(16)));
typedef uint32_t pbti_u32x4 __attribute__((vector_size(16)));
typedef int32_t pbti_s32x4 __attribute__((vector_size(16)));
typedef uint64_t pbti_u64x2 __attribute__((vector_size(16)));

PBTI_INLINE pbti_u8x16 pbti_load_16(const void *p) {
    pbti_u8x16 v;
    memcpy(&v, p, sizeof v);
    return v;
}

PBTI_INLINE void pbti_store_16(void *p, pbti_u8x16 v) {
    memcpy(p, &v, sizeof v);
}

PBTI_INLINE pbti_u8x16 pbti_all_bytes(uint8_t c) {
    return (pbti_u8x16){c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c};
}

/* A mask has a bit for each byte, 1 << PBTI_MASK_SHIFT places apart, so that
 * it takes few instructions to make one; of bits16 and bits64 they are next to
 * each other.
 *
 * pbti_mask_bytes   the highest bits of all bytes
 * pbti_bits16       the same, next to each other
 * pbti_bits64       the same of four vectors
 * pbti_bits8        a bit for each lane of 16 bits that is all ones; the others
 *                   are zero
 * pbti_sums         of each half the sum of its bytes
 * pbti_subtract     lanes of bytes, not below zero
 * pbti_narrow32     lanes of 32 bits as lanes of 16, in which they fit
 * pbti_narrow16     lanes of 16 bits as bytes, in which they fit
 */
#if PBTI_SSE2
typedef uint32_t pbti_mask;
enum { PBTI_MASK_SHIFT = 0 };

PBTI_INLINE uint32_t pbti_bits16(pbti_u8x16 v) {
    return (uint32_t) _mm_movemask_epi8((__m128i) v);
}

PBTI_INLINE pbti_mask pbti_mask_bytes(pbti_u8x16 v) {
    return pbti_bits16(v);
}

PBTI_INLINE uint64_t pbti_bits64(const pbti_u8x16 v[4]) {
    return (uint64_t) pbti_bits16(v[0]) | (uint64_t) pbti_bits16(v[1]) << 16 |
           (uint64_t) pbti_bits16(v[2]) << 32 |
           (uint64_t) pbti_bits16(v[3]) << 48;
}

PBTI_INLINE pbti_u64x2 pbti_sums(pbti_u8x16 v) {
    return (pbti_u64x2) _mm_sad_epu8((__m128i) v, _mm_setzero_si128());
}

PBTI_INLINE pbti_u8x16 pbti_subtract(pbti_u8x16 a, pbti_u8x16 b) {
    return (pbti_u8x16) _mm_subs_epu8((__m128i) a, (__m128i) b);
}

PBTI_INLINE pbti_s16x8 pbti_narrow32(pbti_s32x4 low, pbti_s32x4 high) {
    return (pbti_s16x8) _mm_packs_epi32((__m128i) low, (__m128i) high);
}

PBTI_INLINE pbti_s8x16 pbti_narrow16(pbti_s16x8 low, pbti_s16x8 high) {
    return (pbti_s8x16) _mm_packs_epi16((__m128i) low, (__m128i) high);
}

PBTI_INLINE unsigned pbti_bits8(pbti_s16x8 v) {
    return pbti_bits16((pbti_u8x16) pbti_narrow16(v, (pbti_s16x8){0}));
}

#elif PBTI_NEON
typedef uint64_t pbti_mask;
enum { PBTI_MASK_SHIFT = 2 };

PBTI_INLINE pbti_u8x16 pbti_negative(pbti_u8x16 v) {
    return (pbti_u8x16) ((pbti_s8x16) v < 0);
}

PBTI_INLINE pbti_mask pbti_mask_bytes(pbti_u8x16 v) {
    uint8x8_t halves =
        vshrn_n_u16((uint16x8_t) (uint8x16_t) pbti_negative(v), 4);
    return vget_lane_u64((uint64x1_t) halves, 0) & UINT64_C(0x1111111111111111);
}

/* Each byte that counts becomes a bit of its own; adding neighbours up three
 * times collects eight of them. */
PBTI_INLINE pbti_u8x16 pbti_weigh(pbti_u8x16 v) {
    const pbti_u8x16 weights = {1, 2, 4, 8, 16, 32, 64, 128,
                                1, 2, 4, 8, 16, 32, 64, 128};
    return pbti_negative(v) & weights;
}

PBTI_INLINE uint32_t pbti_bits16(pbti_u8x16 v) {
    uint8x16_t sums = (uint8x16_t) pbti_weigh(v);
    sums = vpaddq_u8(sums, sums);
    sums = vpaddq_u8(sums, sums);
    sums = vpaddq_u8(sums, sums);
    return vgetq_lane_u16((uint16x8_t) sums, 0);
}

PBTI_INLINE uint64_t pbti_bits64(const pbti_u8x16 v[4]) {
    uint8x16_t low =
        vpaddq_u8((uint8x16_t) pbti_weigh(v[0]), (uint8x16_t) pbti_weigh(v[1]));
    uint8x16_t high =
        vpaddq_u8((uint8x16_t) pbti_weigh(v[2]), (uint8x16_t) pbti_weigh(v[3]));
    low = vpaddq_u8(low, high);
    low = vpaddq_u8(low, low);
    return vgetq_lane_u64((uint64x2_t) low, 0);
}

PBTI_INLINE pbti_u64x2 pbti_sums(pbti_u8x16 v) {
    return (pbti_u64x2) vpaddlq_u32(vpaddlq_u16(vpaddlq_u8((uint8x16_t) v)));
}

PBTI_INLINE pbti_u8x16 pbti_subtract(pbti_u8x16 a, pbti_u8x16 b) {
    return (pbti_u8x16) vqsubq_u8((uint8x16_t) a, (uint8x16_t) b);
}

PBTI_INLINE pbti_s16x8 pbti_narrow32(pbti_s32x4 low, pbti_s32x4 high) {
    return (pbti_s16x8) vuzp1q_s16((int16x8_t) low, (int16x8_t) high);
}

PBTI_INLINE pbti_s8x16 pbti_narrow16(pbti_s16x8 low, pbti_s16x8 high) {
    return (pbti_s8x16) vuzp1q_s8((int8x16_t) low, (int8x16_t) high);
}

PBTI_INLINE unsigned pbti_bits8(pbti_s16x8 v) {
    const pbti_s16x8 weights = {1, 2, 4, 8, 16, 32, 64, 128};
    return vaddvq_u16((uint16x8_t) (v & weights));
}
#endif

/* The number of the first byte in a mask, which has one. */
PBTI_INLINE unsigned pbti_first_byte(pbti_mask mask) {
    return (unsigned) __builtin_ctzll(mask) >> PBTI_MASK_SHIFT;
}
#endif

#if PBTI_SHUFFLE
/* pbti_shuffle   byte i is byte order[i] of v, or zero where order[i] is 128
 *                or more; from 16 to 127 it means nothing
 * PBTI_BEFORE    the 16 bytes that start n bytes before v, `before` being what
 *                stands there; a macro, as n has to be a constant
 */
#if PBTI_SSE2
PBTI_INLINE pbti_u8x16 pbti_shuffle(pbti_u8x16 v, pbti_u8x16 order) {
    return (pbti_u8x16) _mm_shuffle_epi8((__m128i) v, (__m128i) order);
}
#define PBTI_BEFORE(v, before, n)                                              \
    ((pbti_u8x16) _mm_alignr_epi8((__m128i) (v), (__m128i) (before), 16 - (n)))
#else
PBTI_INLINE pbti_u8x16 pbti_shuffle(pbti_u8x16 v, pbti_u8x16 order) {
    return (pbti_u8x16) vqtbl1q_u8((uint8x16_t) v, (uint8x16_t) order);
}
#define PBTI_BEFORE(v, before, n)                                              \
    ((pbti_u8x16) vextq_u8((uint8x16_t) (before), (uint8x16_t) (v), 16 - (n)))
#endif
#endif

#endif
