/* wire_spread.h - packed varints to numbers with the byte shuffle of AVX2:
 * sixteen a step that take up to two bytes each, or eight of up to four,
 * without a branch on their size.
 *
 * A step looks at 32 bytes. Two words of continuation bits, taken at the starts
 * of the varints, say how many bytes each has; orders from tables
 * (wire_lanes.h) spread those over a lane each.
 */
#ifndef PBTI_WIRE_SPREAD_H
#define PBTI_WIRE_SPREAD_H

#include "wire_lanes.h"
#include "wire_read.h"
#include "wire_trace.h"

#define PBTI_SPREAD (PBTI_AVX2 && PBTI_PEXT && !PBTI_AVX512)

#if PBTI_SPREAD
enum { PBTI_FEW_BYTES = 2 }; /* which are read faster one by one */

/* A bit for each of 32 bytes that is not the last one of a varint. */
PBTI_INLINE uint32_t pbti_more_bits(const uint8_t *p) {
    __m256i v = _mm256_loadu_si256((const __m256i *) (const void *) p);
    return (uint32_t) _mm256_movemask_epi8(v);
}

PBTI_INLINE __m128i pbti_spread_lanes(const uint8_t *p,
                                      const uint64_t order[2]) {
    __m128i bytes = _mm_loadu_si128((const __m128i *) (const void *) p);
    return _mm_shuffle_epi8(bytes, _mm_load_si128((const __m128i *) order));
}

/* The groups of seven bits of lanes of 16 bits, together. */
PBTI_INLINE __m256i pbti_join_pairs(__m128i low, __m128i high) {
    __m256i groups =
        _mm256_and_si256(_mm256_set_m128i(high, low), _mm256_set1_epi8(0x7f));
    return _mm256_maddubs_epi16(_mm256_set1_epi16((short) (0x80 << 8 | 1)),
                                groups);
}

/* What numbers of up to 28 bits stand for, in lanes of 16 or 32 bits. */
PBTI_INLINE __m256i pbti_decode_words(__m256i v, pbti_op encoding) {
    const __m256i one = _mm256_set1_epi16(1);
    if (encoding == PBTI_OP_ZIGZAG32 || encoding == PBTI_OP_ZIGZAG64)
        return _mm256_xor_si256(
            _mm256_srli_epi16(v, 1),
            _mm256_sub_epi16(_mm256_setzero_si256(), _mm256_and_si256(v, one)));
    return encoding == PBTI_OP_BOOL ? _mm256_min_epu16(v, one) : v;
}

PBTI_INLINE __m256i pbti_decode_lanes(__m256i v, pbti_op encoding) {
    const __m256i one = _mm256_set1_epi32(1);
    if (encoding == PBTI_OP_ZIGZAG32 || encoding == PBTI_OP_ZIGZAG64)
        return _mm256_xor_si256(
            _mm256_srli_epi32(v, 1),
            _mm256_sub_epi32(_mm256_setzero_si256(), _mm256_and_si256(v, one)));
    return encoding == PBTI_OP_BOOL ? _mm256_min_epu32(v, one) : v;
}

PBTI_INLINE void pbti_store_half(char *to, __m256i v) {
    _mm256_storeu_si256((__m256i *) (void *) to, v);
}

/* Stores the first n of eight numbers of 32 bits, and up to a vector more. */
PBTI_INLINE void pbti_store_eight(char *to, __m256i v, unsigned n,
                                  size_t size) {
    if (size == sizeof(uint32_t)) {
        pbti_store_half(to, v);
        return;
    }
    pbti_store_half(to, _mm256_cvtepi32_epi64(_mm256_castsi256_si128(v)));
    if (n > 4)
        pbti_store_half(to + 32,
                        _mm256_cvtepi32_epi64(_mm256_extracti128_si256(v, 1)));
}

/* Sixteen varints of up to two bytes each, by a bit for each that has two.
 * Returns where the next one is. */
PBTI_INLINE const uint8_t *pbti_spread_small(const uint8_t *p,
                                             uint32_t two_bytes, char *to,
                                             unsigned n, pbti_op encoding,
                                             size_t size) {
    uint32_t low = two_bytes & 0xff, high = two_bytes >> 8 & 0xff;
    const uint8_t *middle = p + 8 + __builtin_popcount(low);
    __m256i words =
        pbti_join_pairs(pbti_spread_lanes(p, pbti_from_orders_16[low]),
                        pbti_spread_lanes(middle, pbti_from_orders_16[high]));
    PBTI_COUNT(read_steps);
    words = pbti_decode_words(words, encoding);
    pbti_store_eight(to, _mm256_cvtepi16_epi32(_mm256_castsi256_si128(words)),
                     n, size);
    if (n > 8)
        pbti_store_eight(
            to + 8 * size,
            _mm256_cvtepi16_epi32(_mm256_extracti128_si256(words, 1)), n - 8,
            size);
    return middle + 8 + __builtin_popcount(high);
}

/* Eight varints of up to four bytes each, by the two bits of each one's size,
 * less one. */
PBTI_INLINE const uint8_t *pbti_spread_large(const uint8_t *p, uint32_t odd,
                                             uint32_t even, char *to,
                                             unsigned n, pbti_op encoding,
                                             size_t size) {
    uint32_t low = (odd & 15) | (even & 15) << 4;
    uint32_t high = (odd >> 4 & 15) | (even & 0xf0);
    const uint8_t *middle =
        p + 4 + __builtin_popcount(low) + __builtin_popcount(low >> 4);
    __m256i pairs =
        pbti_join_pairs(pbti_spread_lanes(p, pbti_from_orders_32[low]),
                        pbti_spread_lanes(middle, pbti_from_orders_32[high]));
    __m256i v = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x4000 << 16 | 1));
    PBTI_COUNT(read_steps);
    pbti_store_eight(to, pbti_decode_lanes(v, encoding), n, size);
    return middle + 4 + __builtin_popcount(high) +
           __builtin_popcount(high >> 4);
}

/* The varints of a window: bits of those that are complete in it, and how many
 * these are. Bytes behind those of the field seem to be varints of one byte. */
typedef struct pbti_varint_bits {
    uint64_t more, three, four; /* bytes that one, two, three bytes follow */
    uint64_t starts;
    unsigned n;
} pbti_varint_bits;

PBTI_INLINE pbti_varint_bits pbti_look_at(uint64_t bits, unsigned used) {
    pbti_varint_bits w;
    w.more = _bzhi_u64(bits, used);
    w.three = w.more & w.more >> 1;
    w.four = w.three & w.more >> 2;
    w.starts = ~w.more << 1 | 1;
    w.n = (unsigned) __builtin_popcountll(_bzhi_u64(~bits, used));
    return w;
}

PBTI_INLINE bool pbti_has_long_varint(const pbti_varint_bits *w) {
    return (w->four & w->more >> 3) != 0;
}

/* Reads the varints that are complete in the first 64 of the `left` bytes at p,
 * which start with one and end with the last of one; reads 96 bytes, however
 * few are left. All of them but for those that fill no step, which are left
 * unless they are the last. NULL, and nothing stored, when one takes more than
 * four bytes.
 * @param spills up to 32 bytes may be written behind the last number */
PBTI_INLINE const uint8_t *pbti_spread_window(const uint8_t *p, size_t left,
                                              char **element, bool spills,
                                              pbti_op encoding, size_t size) {
    char part[16 * sizeof(uint64_t)];
    uint64_t bits = pbti_more_bits(p) | (uint64_t) pbti_more_bits(p + 32) << 32;
    pbti_varint_bits v = pbti_look_at(bits, left < 64 ? (unsigned) left : 64);
    const uint8_t *end = p + left;
    char *to = *element;
    if (PBTI_LIKELY(v.three == 0)) {
        uint64_t two_bytes = _pext_u64(v.more, v.starts);
        for (; v.n >= 16; v.n -= 16) {
            p = pbti_spread_small(p, (uint32_t) two_bytes, to, 16, encoding,
                                  size);
            two_bytes >>= 16;
            to += 16 * size;
        }
        *element = to;
        if (left >= 64)
            return p;
        if (v.n > 0)
            pbti_spread_small(p, (uint32_t) two_bytes, spills ? to : part, v.n,
                              encoding, size);
    } else {
        uint64_t odd = _pext_u64(v.more ^ v.three ^ v.four, v.starts);
        uint64_t even = _pext_u64(v.three, v.starts);
        if (PBTI_UNLIKELY(pbti_has_long_varint(&v)))
            return NULL;
        for (; v.n >= 8; v.n -= 8) {
            p = pbti_spread_large(p, (uint32_t) odd, (uint32_t) even, to, 8,
                                  encoding, size);
            odd >>= 8;
            even >>= 8;
            to += 8 * size;
        }
        *element = to;
        if (left >= 64)
            return p;
        if (v.n > 0)
            pbti_spread_large(p, (uint32_t) odd, (uint32_t) even,
                              spills ? to : part, v.n, encoding, size);
    }
    if (!spills)
        memcpy(to, part, v.n * size);
    return end;
}

/* Reads up to sixteen of the varints in the `left` bytes at p, which start with
 * one and end with the last of one; reads 32 bytes, however few are left. NULL
 * as above.
 * @param spills up to 32 bytes may be written behind the last number */
PBTI_INLINE const uint8_t *pbti_spread_rest(const uint8_t *p, size_t left,
                                            char **element, bool spills,
                                            pbti_op encoding, size_t size) {
    char part[16 * sizeof(uint64_t)];
    pbti_varint_bits w =
        pbti_look_at(pbti_more_bits(p), left < 32 ? (unsigned) left : 32);
    unsigned lanes = w.three == 0 ? 16 : 8;
    char *to = *element;
    const uint8_t *next;
    if (PBTI_UNLIKELY(pbti_has_long_varint(&w)))
        return NULL;
    if (w.n < lanes && !spills)
        to = part;
    if (lanes == 16) {
        uint32_t two_bytes = (uint32_t) _pext_u64(w.more, w.starts);
        next = pbti_spread_small(p, two_bytes, to, w.n, encoding, size);
    } else {
        uint32_t odd =
            (uint32_t) _pext_u64(w.more ^ w.three ^ w.four, w.starts);
        uint32_t even = (uint32_t) _pext_u64(w.three, w.starts);
        next = pbti_spread_large(p, odd, even, to, w.n, encoding, size);
    }
    if (w.n < lanes && !spills)
        memcpy(*element, part, w.n * size);
    *element += (w.n < lanes ? w.n : lanes) * size;
    return w.n < lanes ? p + left : next;
}
#endif

#endif
