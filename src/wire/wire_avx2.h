/* wire_avx2.h - packed numbers with the byte shuffle of AVX2: sixteen elements
 * a step, or eight of 64 bits, from the last to the first.
 *
 * A step spreads each number over a lane of 16 bits or of 32, and puts the
 * bytes that go on the wire together by shuffles, the orders of which come from
 * tables (wire_lanes.h). It takes the first elements of an array like any
 * other, in its upper lanes: the zeros in the lower ones get their bytes, too,
 * below those of the array.
 *
 * Room contract: a step spills up to 32 bytes below those it is there to write.
 */
#ifndef PBTI_WIRE_AVX2_H
#define PBTI_WIRE_AVX2_H

#include "base_vector.h"
#include "wire_lanes.h"
#include "wire_scalar.h"
#include "wire_trace.h"

#if PBTI_AVX2 && !PBTI_AVX512
enum { PBTI_LANES32 = 16, PBTI_LANES64 = 8 };

PBTI_INLINE bool pbti_is_wide(pbti_encoding encoding) {
    return encoding == PBTI_ENCODING_VARINT64 ||
           encoding == PBTI_ENCODING_ZIGZAG64;
}

PBTI_INLINE unsigned pbti_step_lanes(pbti_encoding encoding) {
    return pbti_is_wide(encoding) ? PBTI_LANES64 : PBTI_LANES32;
}

/* The second half of a step is that of its last elements. What lies before and
 * behind the n elements of up to one step is not read: they are in the upper
 * lanes, and there are zeros in the lower ones. */
PBTI_INLINE __m256i pbti_load_half(const void *elements) {
    return _mm256_loadu_si256((const __m256i *) elements);
}

PBTI_INLINE __m256i pbti_load_part(const char *elements, size_t n, size_t size,
                                   unsigned half) {
    static const int64_t lanes64[] = {0,  0,  0,  0,  0,  0,  0,  0,
                                      -1, -1, -1, -1, -1, -1, -1, -1};
    static const int32_t lanes32[] = {
        0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,  0,
        -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    const char *used =
        size == 8 ? (const char *) lanes64 : (const char *) lanes32;
    const size_t back = 64 - 32 * half;
    uintptr_t at = (uintptr_t) elements + n * size - back;
    return _mm256_maskload_epi32((const int *) at,
                                 pbti_load_half(used + n * size + 32 * half));
}

PBTI_INLINE bool pbti_have_bits(__m256i v, __m256i bits) {
    return !_mm256_testz_si256(v, bits);
}

/* As they go on the wire. */
PBTI_INLINE __m256i pbti_encode_lanes(__m256i v, pbti_encoding encoding) {
    if (encoding == PBTI_ENCODING_ZIGZAG32)
        return _mm256_xor_si256(_mm256_add_epi32(v, v),
                                _mm256_srai_epi32(v, 31));
    if (encoding == PBTI_ENCODING_ZIGZAG64)
        return _mm256_xor_si256(_mm256_add_epi64(v, v),
                                _mm256_cmpgt_epi64(_mm256_setzero_si256(), v));
    return v;
}

PBTI_INLINE void pbti_put_ordered(uint8_t *p, __m128i bytes,
                                  const uint64_t order[2]) {
    __m128i ordered =
        _mm_shuffle_epi8(bytes, _mm_load_si128((const __m128i *) order));
    _mm_storeu_si128((__m128i *) (void *) (p - 16), ordered);
}

PBTI_INLINE void pbti_store_halves(uint8_t *upper, uint8_t *lower, __m128i v) {
    pbti_store64(upper, (uint64_t) _mm_extract_epi64(v, 1));
    pbti_store64(lower, (uint64_t) _mm_cvtsi128_si64(v));
}

/* Sixteen numbers below 2^14. */
PBTI_INLINE uint8_t *pbti_put_small_lanes(uint8_t *p, __m256i lower,
                                          __m256i upper) {
    __m256i words =
        _mm256_permute4x64_epi64(_mm256_packus_epi32(lower, upper), 0xd8);
    __m256i above = _mm256_and_si256(words, _mm256_set1_epi16(0x3f80));
    __m256i more = _mm256_min_epu16(above, _mm256_set1_epi16(0x80));
    __m256i bytes = _mm256_add_epi16(_mm256_add_epi16(words, above), more);
    /* bits of the upper eight from bit 16 on */
    uint32_t two_bytes = (uint32_t) _mm256_movemask_epi8(
        _mm256_packus_epi16(more, _mm256_setzero_si256()));
    uint32_t high = two_bytes >> 16, low = two_bytes & 0xff;
    uint8_t *middle = p - __builtin_popcount(high);
    pbti_put_ordered(p, _mm256_extracti128_si256(bytes, 1),
                     pbti_orders_16[high]);
    pbti_put_ordered(middle - 8, _mm256_castsi256_si128(bytes),
                     pbti_orders_16[low]);
    p -= __builtin_popcount(two_bytes);
    return p - 16;
}

/* The same of eight. */
PBTI_INLINE uint8_t *pbti_put_small_half(uint8_t *p, __m256i v) {
    __m128i words = _mm_packus_epi32(_mm256_castsi256_si128(v),
                                     _mm256_extracti128_si256(v, 1));
    __m128i above = _mm_and_si128(words, _mm_set1_epi16(0x3f80));
    __m128i more = _mm_min_epu16(above, _mm_set1_epi16(0x80));
    __m128i bytes = _mm_add_epi16(_mm_add_epi16(words, above), more);
    uint32_t two_bytes = (uint32_t) _mm_movemask_epi8(
        _mm_packus_epi16(more, _mm_setzero_si128()));
    pbti_put_ordered(p, bytes, pbti_orders_16[two_bytes]);
    return p - 8 - __builtin_popcount(two_bytes);
}

PBTI_INLINE bool pbti_may_be_small(pbti_encoding encoding) {
    return encoding != PBTI_ENCODING_BOOL && pbti_member_size(encoding) == 4;
}

/* Up to eight numbers, which take half a step. */
PBTI_INLINE uint8_t *pbti_put_few(uint8_t *p, const char *array, size_t n,
                                  pbti_encoding encoding) {
    __m256i v = pbti_encode_lanes(pbti_load_part(array, n, 4, 1), encoding);
    if (PBTI_UNLIKELY(pbti_have_bits(v, _mm256_set1_epi32(~0x3fff))))
        return NULL;
    PBTI_COUNT(vector_steps);
    return pbti_put_small_half(p, v) + (8 - n);
}

PBTI_INLINE uint8_t *pbti_put_many(uint8_t *p, const char *array, size_t n,
                                   pbti_encoding encoding) {
    const __m256i large = _mm256_set1_epi32(~0x3fff);
    const size_t odd = (n - 1) % PBTI_LANES32 + 1;
    const char *at = array + 4 * (n - odd);
    __m256i lower = pbti_encode_lanes(pbti_load_part(at, odd, 4, 0), encoding);
    __m256i upper = pbti_encode_lanes(pbti_load_part(at, odd, 4, 1), encoding);
    if (PBTI_UNLIKELY(pbti_have_bits(_mm256_or_si256(lower, upper), large)))
        return NULL;
    PBTI_COUNT(vector_steps);
    p = pbti_put_small_lanes(p, lower, upper) + (PBTI_LANES32 - odd);
    while (at != array) {
        at -= 64;
        lower = pbti_encode_lanes(pbti_load_half(at), encoding);
        upper = pbti_encode_lanes(pbti_load_half(at + 32), encoding);
        if (PBTI_UNLIKELY(pbti_have_bits(_mm256_or_si256(lower, upper), large)))
            return NULL;
        PBTI_COUNT(vector_steps);
        p = pbti_put_small_lanes(p, lower, upper);
    }
    return p;
}

/* An array whose numbers are below 2^14; NULL when one is not, and what has
 * been written has no meaning. Takes up to two bytes for each, and the spill.
 */
PBTI_INLINE uint8_t *pbti_put_small_array(uint8_t *p, const char *array,
                                          size_t n, pbti_encoding encoding) {
    return n <= 8 ? pbti_put_few(p, array, n, encoding)
                  : pbti_put_many(p, array, n, encoding);
}

/* Four lanes of 32 bits that use one to four bytes each; the index is that of
 * their order. */
PBTI_INLINE uint8_t *pbti_put_four_lanes(uint8_t *p, __m128i bytes,
                                         unsigned index) {
    pbti_put_ordered(p, bytes, pbti_orders_32[index]);
    return p - 4 - (unsigned) __builtin_popcount(index) -
           (unsigned) __builtin_popcount(index >> 4);
}

/* Eight numbers below 2^28. */
PBTI_INLINE uint8_t *pbti_put_eight_lanes(uint8_t *p, __m256i v) {
    __m256i two = _mm256_cmpgt_epi32(v, _mm256_set1_epi32(0x7f));
    __m256i three = _mm256_cmpgt_epi32(v, _mm256_set1_epi32(0x3fff));
    __m256i four = _mm256_cmpgt_epi32(v, _mm256_set1_epi32(0x1fffff));
    /* bits of the sizes, less one: two and four bytes have the low one */
    __m256i sizes = _mm256_packs_epi32(
        _mm256_xor_si256(_mm256_xor_si256(two, three), four), three);
    uint32_t index =
        (uint32_t) _mm256_movemask_epi8(_mm256_packs_epi16(sizes, sizes));
    /* minus one for each byte but the last */
    __m256i more =
        _mm256_add_epi32(_mm256_add_epi32(two, _mm256_slli_epi32(three, 8)),
                         _mm256_slli_epi32(four, 16));
    /* two groups of 14 bits, and then four of seven */
    __m256i halves = _mm256_blend_epi16(v, _mm256_slli_epi32(v, 2), 0xaa);
    __m256i bytes =
        _mm256_or_si256(_mm256_and_si256(halves, _mm256_set1_epi32(0x007f007f)),
                        _mm256_and_si256(_mm256_add_epi32(halves, halves),
                                         _mm256_set1_epi32(0x7f007f00)));
    bytes = _mm256_sub_epi32(bytes, _mm256_slli_epi32(more, 7));
    p = pbti_put_four_lanes(p, _mm256_extracti128_si256(bytes, 1), index >> 24);
    return pbti_put_four_lanes(p, _mm256_castsi256_si128(bytes), index & 0xff);
}

/* Four numbers below 2^56, each stored as a word. */
PBTI_INLINE uint8_t *pbti_put_wide_lanes(uint8_t *p, __m256i v) {
    /* two groups of 28 bits, four of 14, and then eight of seven */
    __m256i halves = _mm256_blend_epi32(v, _mm256_slli_epi64(v, 4), 0xaa);
    __m256i quarters =
        _mm256_blend_epi16(halves, _mm256_slli_epi32(halves, 2), 0xaa);
    __m256i bytes =
        _mm256_or_si256(_mm256_and_si256(quarters, _mm256_set1_epi16(0x007f)),
                        _mm256_and_si256(_mm256_add_epi16(quarters, quarters),
                                         _mm256_set1_epi16(0x7f00)));
    /* the first byte, and those that have bits, or some above them */
    __m256i used = _mm256_or_si256(bytes, _mm256_set1_epi64x(1));
    __m256i unused, more, shift;
    uint32_t mask;
    used = _mm256_or_si256(used, _mm256_srli_epi64(used, 8));
    used = _mm256_or_si256(used, _mm256_srli_epi64(used, 16));
    used = _mm256_or_si256(used, _mm256_srli_epi64(used, 32));
    unused = _mm256_cmpeq_epi8(used, _mm256_setzero_si256());
    more = _mm256_andnot_si256(unused, _mm256_set1_epi8(-128));
    bytes = _mm256_or_si256(bytes, _mm256_srli_epi64(more, 8));
    shift = _mm256_sad_epu8(_mm256_and_si256(unused, _mm256_set1_epi8(8)),
                            _mm256_setzero_si256());
    bytes = _mm256_sllv_epi64(bytes, shift);
    mask = (uint32_t) _mm256_movemask_epi8(unused);
    pbti_store_halves(p - 8, p - 16 + __builtin_popcount(mask >> 24),
                      _mm256_extracti128_si256(bytes, 1));
    pbti_store_halves(p - 24 + __builtin_popcount(mask >> 16),
                      p - 32 + __builtin_popcount(mask >> 8),
                      _mm256_castsi256_si128(bytes));
    return p - 32 + __builtin_popcount(mask);
}

/* Eight numbers of 64 bits, which fit in 32. */
PBTI_INLINE __m256i pbti_narrow_lanes(__m256i lower, __m256i upper) {
    __m256 even = _mm256_shuffle_ps(_mm256_castsi256_ps(lower),
                                    _mm256_castsi256_ps(upper), 0x88);
    return _mm256_permute4x64_epi64(_mm256_castps_si256(even), 0xd8);
}

/* Eight numbers of 64 bits; NULL when they have to be written one by one. */
PBTI_INLINE uint8_t *pbti_put_lanes64(uint8_t *p, __m256i lower,
                                      __m256i upper) {
    __m256i all = _mm256_or_si256(lower, upper);
    if (!pbti_have_bits(all, _mm256_set1_epi64x(~INT64_C(0x0fffffff))))
        return pbti_put_eight_lanes(p, pbti_narrow_lanes(lower, upper));
    if (PBTI_UNLIKELY(pbti_have_bits(all, _mm256_set1_epi64x(INT64_MIN >> 7))))
        return NULL;
    p = pbti_put_wide_lanes(p, upper);
    return pbti_put_wide_lanes(p, lower);
}

PBTI_INLINE uint8_t *pbti_put_eight_words(uint8_t *p, __m256i v) {
    p = pbti_put_wide_lanes(
        p, _mm256_cvtepu32_epi64(_mm256_extracti128_si256(v, 1)));
    return pbti_put_wide_lanes(
        p, _mm256_cvtepu32_epi64(_mm256_castsi256_si128(v)));
}

/* Sixteen numbers of 32 bits; NULL as above. */
PBTI_INLINE uint8_t *pbti_put_lanes32(uint8_t *p, __m256i lower, __m256i upper,
                                      pbti_encoding encoding) {
    __m256i all = _mm256_or_si256(lower, upper);
    if (!pbti_have_bits(all, _mm256_set1_epi32(~0x3fff)))
        return pbti_put_small_lanes(p, lower, upper);
    if (!pbti_have_bits(all, _mm256_set1_epi32(~0x0fffffff))) {
        p = pbti_put_eight_lanes(p, upper);
        return pbti_put_eight_lanes(p, lower);
    }
    /* ten bytes, as 64 bits with the sign */
    if (encoding == PBTI_ENCODING_SIGNED32 &&
        pbti_have_bits(all, _mm256_set1_epi32(INT32_MIN)))
        return NULL;
    p = pbti_put_eight_words(p, upper);
    return pbti_put_eight_words(p, lower);
}

PBTI_INLINE uint8_t *pbti_put_truth_lanes(uint8_t *p, __m256i lower,
                                          __m256i upper) {
    const __m256i zero = _mm256_setzero_si256();
    __m256i words = _mm256_packs_epi32(_mm256_cmpeq_epi32(lower, zero),
                                       _mm256_cmpeq_epi32(upper, zero));
    __m256i halves = _mm256_permute4x64_epi64(words, 0xd8);
    __m128i bytes = _mm_packs_epi16(_mm256_castsi256_si128(halves),
                                    _mm256_extracti128_si256(halves, 1));
    _mm_storeu_si128((__m128i *) (void *) (p - 16),
                     _mm_add_epi8(bytes, _mm_set1_epi8(1)));
    return p - 16;
}

/* The n elements of up to one step; NULL when they have to be written one by
 * one. */
PBTI_INLINE uint8_t *pbti_put_step(uint8_t *p, const char *elements, unsigned n,
                                   pbti_encoding encoding) {
    const size_t size = pbti_member_size(encoding);
    __m256i lower = pbti_load_part(elements, n, size, 0);
    __m256i upper = pbti_load_part(elements, n, size, 1);
    lower = pbti_encode_lanes(lower, encoding);
    upper = pbti_encode_lanes(upper, encoding);
    if (pbti_is_wide(encoding))
        p = pbti_put_lanes64(p, lower, upper);
    else if (encoding == PBTI_ENCODING_BOOL)
        p = pbti_put_truth_lanes(p, lower, upper);
    else
        p = pbti_put_lanes32(p, lower, upper, encoding);
    return p ? p + (pbti_step_lanes(encoding) - n) : NULL;
}

/* The bytes beyond one each, as negative sums, of numbers as 32 bits halved. */
PBTI_INLINE __m256i pbti_more_bytes(__m256i halved) {
    __m256i low = _mm256_add_epi32(
        _mm256_cmpgt_epi32(halved, _mm256_set1_epi32(0x7f / 2)),
        _mm256_cmpgt_epi32(halved, _mm256_set1_epi32(0x3fff / 2)));
    __m256i high = _mm256_add_epi32(
        _mm256_cmpgt_epi32(halved, _mm256_set1_epi32(0x1fffff / 2)),
        _mm256_cmpgt_epi32(halved, _mm256_set1_epi32(0xfffffff / 2)));
    return _mm256_add_epi32(low, high);
}

/* Sums of lanes of 32 bits. */
PBTI_INLINE uint64_t pbti_add_lanes(__m256i v) {
    __m128i sums = _mm_add_epi32(_mm256_castsi256_si128(v),
                                 _mm256_extracti128_si256(v, 1));
    sums = _mm_add_epi32(sums, _mm_unpackhi_epi64(sums, sums));
    return (uint32_t) _mm_cvtsi128_si32(sums) +
           (uint64_t) (uint32_t) _mm_extract_epi32(sums, 1);
}

/* Bytes of an array of numbers of 32 bits. Lanes that are not used hold zeros,
 * which take no more than one byte. */
PBTI_INLINE uint64_t pbti_words_size(const char *array, size_t n,
                                     pbti_encoding encoding) {
    const size_t odd = (n - 1) % 8 + 1;
    const char *at = array + 4 * (n - odd);
    __m256i more = _mm256_setzero_si256(), negative = more;
    __m256i v = pbti_load_part(at, odd, 4, 1);
    for (;;) {
        v = pbti_encode_lanes(v, encoding);
        more = _mm256_sub_epi32(more, pbti_more_bytes(_mm256_srli_epi32(v, 1)));
        if (encoding == PBTI_ENCODING_SIGNED32)
            negative = _mm256_sub_epi32(negative, _mm256_srai_epi32(v, 31));
        if (at == array)
            break;
        at -= 32;
        v = pbti_load_half(at);
    }
    return n + pbti_add_lanes(more) + 5 * pbti_add_lanes(negative);
}

/* The same of 64 bits, eight at a time; those of more than 31 bits one by one.
 */
PBTI_INLINE uint64_t pbti_wide_size(const char *array, size_t n,
                                    pbti_encoding encoding) {
    const __m256i large = _mm256_set1_epi64x(~INT64_C(0x7fffffff));
    __m256i more = _mm256_setzero_si256();
    uint64_t sum = n;
    size_t left = n;
    while (left > 0) {
        size_t step = (left - 1) % 8 + 1, i;
        const char *at = array + 8 * (left - step);
        __m256i lower = pbti_load_part(at, step, 8, 0);
        __m256i upper = pbti_load_part(at, step, 8, 1);
        lower = pbti_encode_lanes(lower, encoding);
        upper = pbti_encode_lanes(upper, encoding);
        left -= step;
        if (PBTI_LIKELY(
                !pbti_have_bits(_mm256_or_si256(lower, upper), large))) {
            __m256i v = pbti_narrow_lanes(lower, upper);
            more = _mm256_sub_epi32(more,
                                    pbti_more_bytes(_mm256_srli_epi32(v, 1)));
            continue;
        }
        for (i = 0; i < step; i++)
            sum += pbti_varint_size(pbti_wire_value(encoding, at + 8 * i)) - 1;
    }
    return sum + pbti_add_lanes(more);
}

#else
PBTI_INLINE bool pbti_may_be_small(pbti_encoding encoding) {
    (void) encoding;
    return false;
}

PBTI_INLINE uint8_t *pbti_put_small_array(uint8_t *p, const char *array,
                                          size_t n, pbti_encoding encoding) {
    (void) p;
    (void) array;
    (void) n;
    (void) encoding;
    return NULL;
}
#endif

#endif
