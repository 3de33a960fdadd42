/* wire_packed.h - vector kernels for packed arrays: eight elements a step, from
 * the last to the first. For NEON, and of bools for SSE2, too; AVX2 and AVX-512
 * have kernels of their own (wire_avx2.h, wire_avx512.h).
 *
 * A kernel's step writes at most 16 bytes, and spills up to 8 below them. It
 * declines when an element needs more than two bytes; the caller then writes
 * the eight elements one by one, up to 80 bytes.
 */
#ifndef PBTI_WIRE_PACKED_H
#define PBTI_WIRE_PACKED_H

#include "base_vector.h"
#include "wire_scalar.h"

#if !PBTI_AVX2
enum { PBTI_VECTOR_STEP = 8 };

#if PBTI_SHUFFLE
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

/* How many of four bits are set. */
PBTI_INLINE unsigned pbti_count_bits4(unsigned bits) {
    return (unsigned) (UINT64_C(0x4332322132212110) >> 4 * bits & 15);
}

/* Eight numbers below 2^14, as 16-bit lanes. */
PBTI_INLINE uint8_t *pbti_put_two_byte_lanes(uint8_t *p, pbti_s16x8 v) {
    pbti_s16x8 two_bytes = v > 0x7f;
    pbti_s16x8 bytes = (v & 0x7f) | ((v << 1) & 0x7f00) | (two_bytes & 0x80);
    unsigned mask = pbti_bits8(two_bytes);
    pbti_u64x2 order = {pbti_lane_bytes[mask & 15],
                        pbti_lane_bytes[mask >> 4] +
                            UINT64_C(0x0808080808080808)};
    pbti_u64x2 ordered =
        (pbti_u64x2) pbti_shuffle((pbti_u8x16) bytes, (pbti_u8x16) order);
    pbti_store64(p - 8, ordered[1]);
    p -= 4 + pbti_count_bits4(mask >> 4);
    pbti_store64(p - 8, ordered[0]);
    return p - 4 - pbti_count_bits4(mask & 15);
}

/* Eight numbers of 32 bits; what a kernel needs to know of them:
 *
 * pbti_load_eight   from memory
 * pbti_load_upper   the first n < 8 numbers of an array in the upper lanes,
 *                   zeros in the lower; what lies before and behind the array
 *                   is not read
 * pbti_have_bits    whether any has one of some bits
 * pbti_zigzag_eight
 * pbti_as_words     as lanes of 16 bits, in which they fit
 */
typedef struct pbti_eight {
    pbti_s32x4 low, high;
} pbti_eight;

PBTI_INLINE pbti_eight pbti_load_eight(const void *elements) {
    const char *at = elements;
    return (pbti_eight){(pbti_s32x4) pbti_load_16(at),
                        (pbti_s32x4) pbti_load_16(at + 16)};
}

PBTI_INLINE pbti_eight pbti_load_upper(const void *array, size_t n) {
    const pbti_u8x16 in_place = {0, 1, 2,  3,  4,  5,  6,  7,
                                 8, 9, 10, 11, 12, 13, 14, 15};
    const char *at = array;
    const char *last = at + 4 * (n - 1);
    pbti_eight v = {{0}, {0}};
    if (n >= 4) {
        uint8_t up = (uint8_t) (4 * (PBTI_VECTOR_STEP - n));
        v.low = (pbti_s32x4) pbti_shuffle(pbti_load_16(at),
                                          in_place - pbti_all_bytes(up));
        v.high = (pbti_s32x4) pbti_load_16(last - 12);
        return v;
    }
    v.high[3] = (int32_t) pbti_load32(last);
    v.high[2] = n > 1 ? (int32_t) pbti_load32(last - 4) : 0;
    v.high[1] = n > 2 ? (int32_t) pbti_load32(at) : 0;
    return v;
}

PBTI_INLINE bool pbti_have_bits(pbti_eight v, int32_t bits) {
    pbti_u64x2 found = (pbti_u64x2) ((v.low | v.high) & bits);
    return (found[0] | found[1]) != 0;
}

PBTI_INLINE pbti_eight pbti_zigzag_eight(pbti_eight v) {
    return (pbti_eight){v.low << 1 ^ v.low >> 31, v.high << 1 ^ v.high >> 31};
}

PBTI_INLINE pbti_s16x8 pbti_as_words(pbti_eight v) {
    return pbti_narrow32(v.low, v.high);
}

/* Eight numbers, if all are below 2^14; else NULL. */
PBTI_INLINE uint8_t *pbti_put_eight_words(uint8_t *p, pbti_eight v) {
    pbti_s16x8 words;
    if (pbti_have_bits(v, ~0x3fff))
        return NULL;
    words = pbti_as_words(v);
    if (!pbti_have_bits(v, ~0x7f)) {
        pbti_store64(p - 8, ((pbti_u64x2) pbti_narrow16(words, words))[0]);
        return p - 8;
    }
    return pbti_put_two_byte_lanes(p, words);
}
#endif

/* The encodings whose members are 32-bit words and whose values may be large.
 */
PBTI_INLINE bool pbti_has_word_kernel(pbti_encoding encoding) {
    return PBTI_SHUFFLE && (encoding == PBTI_ENCODING_UNSIGNED32 ||
                            encoding == PBTI_ENCODING_SIGNED32 ||
                            encoding == PBTI_ENCODING_ZIGZAG32);
}

#if PBTI_VECTOR
/* Eight ints to eight bytes of 0 or 1. */
PBTI_INLINE uint8_t *pbti_put_eight_bools(uint8_t *p, const void *elements) {
    const char *at = elements;
    pbti_s32x4 low = (pbti_s32x4) pbti_load_16(at) == 0;
    pbti_s32x4 high = (pbti_s32x4) pbti_load_16(at + 16) == 0;
    pbti_s16x8 words = pbti_narrow32(low, high);
    pbti_s8x16 bytes = pbti_narrow16(words, words) + 1;
    pbti_store64(p - 8, ((pbti_u64x2) bytes)[0]);
    return p - 8;
}
#endif

/* One step of eight elements; NULL when there is no kernel for them. */
PBTI_INLINE uint8_t *pbti_put_eight(uint8_t *p, pbti_encoding encoding,
                                    const void *elements) {
#if PBTI_VECTOR
    if (encoding == PBTI_ENCODING_BOOL)
        return pbti_put_eight_bools(p, elements);
#endif
#if PBTI_SHUFFLE
    if (pbti_has_word_kernel(encoding)) {
        pbti_eight v = pbti_load_eight(elements);
        if (encoding == PBTI_ENCODING_ZIGZAG32)
            v = pbti_zigzag_eight(v);
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
#if PBTI_SHUFFLE
    if (pbti_has_word_kernel(encoding)) {
        pbti_eight v = pbti_load_upper(array, n);
        if (encoding == PBTI_ENCODING_ZIGZAG32)
            v = pbti_zigzag_eight(v);
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

#endif
