/* wire_unpack.h - packed fields: the elements are counted first, so that the
 * array is allocated once. */
#ifndef PBTI_WIRE_UNPACK_H
#define PBTI_WIRE_UNPACK_H

#include "wire_expand.h"

/* The bytes below 0x80: the last ones of as many varints. */
PBTI_INLINE size_t pbti_count_varints(const uint8_t *p, size_t len) {
    size_t n = 0, i = 0;
#if PBTI_AVX2
    for (; i + 32 <= len; i += 32) {
        __m256i v =
            _mm256_loadu_si256((const __m256i *) (const void *) (p + i));
        n += 32 -
             (size_t) __builtin_popcount((unsigned) _mm256_movemask_epi8(v));
    }
#elif PBTI_SSE2
    __m128i sums = _mm_setzero_si128();
    for (; i + 16 <= len; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *) (const void *) (p + i));
        __m128i is_end =
            _mm_andnot_si128(_mm_srli_epi16(v, 7), _mm_set1_epi8(1));
        sums = _mm_add_epi64(sums, _mm_sad_epu8(is_end, _mm_setzero_si128()));
    }
    n = (size_t) (_mm_cvtsi128_si64(sums) +
                  _mm_cvtsi128_si64(_mm_unpackhi_epi64(sums, sums)));
#endif
    for (; i < len; i++)
        n += p[i] < 0x80;
    return n;
}

/* Room for n elements more. */
PBTI_INLINE char *pbti_room_for(pbti_decoder *d, char *msg,
                                const pbti_slot *slot, size_t n, size_t size) {
    size_t n_before = pbti_n_elements(msg, slot);
    char *array = pbti_grow_array(d, msg, slot->data, n_before, n, size);
    return array ? array + n_before * size : NULL;
}

PBTI_INLINE bool pbti_unpack_fixed(pbti_decoder *d, char *msg,
                                   const pbti_slot *slot, const uint8_t *p,
                                   size_t len, pbti_op encoding, size_t size) {
    size_t n = len / size, i;
    char *element;
    if (PBTI_UNLIKELY(len % size != 0))
        return pbti_blame(d, PBT_ERR_MALFORMED, p + n * size,
                          "the last number of a packed field is cut off");
    element = pbti_room_for(d, msg, slot, n, size);
    if (!element)
        return false;
#if PBTI_WORD_STORES
    (void) encoding;
    (void) i;
    memcpy(element, p, len);
#else
    for (i = 0; i < n; i++)
        (void) pbti_read_scalar(p + i * size, element + i * size, encoding);
#endif
    pbti_set_elements(msg, slot, pbti_n_elements(msg, slot) + n);
    return true;
}

/* The last element may lie too near to the end of the input for a look at
 * whole words. */
PBTI_INLINE const uint8_t *pbti_read_packed(const pbti_decoder *d,
                                            const uint8_t *p,
                                            const uint8_t *end, uint64_t *v) {
    if (PBTI_LIKELY(p < d->safe))
        return pbti_read_varint(p, v);
    return pbti_read_carefully(p, end, v);
}

enum { PBTI_UNPACK_BLOCK = 64 };

#if PBTI_SSE2
/* A bit for each of 64 bytes that is the last one of a varint. */
PBTI_INLINE uint64_t pbti_find_ends(const uint8_t *p) {
    uint64_t more = 0;
    int i;
#if PBTI_AVX2
    for (i = 32; i >= 0; i -= 32) {
        __m256i v =
            _mm256_loadu_si256((const __m256i *) (const void *) (p + i));
        more = more << 32 | (uint32_t) _mm256_movemask_epi8(v);
    }
#else
    for (i = 48; i >= 0; i -= 16) {
        __m128i v = _mm_loadu_si128((const __m128i *) (const void *) (p + i));
        more = more << 16 | (uint32_t) _mm_movemask_epi8(v);
    }
#endif
    return ~more;
}

/* Reads the varints of 64 bytes, or of the first `left` of them; they start
 * with one, and the last may go on behind them. Where each starts comes from
 * one word of bits, so that no read waits for the length of the one before it.
 * Reads 8 bytes past the
 * 64. NULL when one has no end. */
PBTI_INLINE const uint8_t *pbti_unpack_block(const uint8_t *p, ptrdiff_t left,
                                             char **element, pbti_op encoding,
                                             size_t size) {
    uint64_t ends = pbti_find_ends(p);
    char *out = *element;
    unsigned start = 0;
    if (left < PBTI_UNPACK_BLOCK)
        ends &= (UINT64_C(1) << left) - 1;
    if (PBTI_UNLIKELY(ends == 0))
        return NULL;
    for (; ends != 0; ends &= ends - 1) {
        unsigned end = (unsigned) __builtin_ctzll(ends) + 1;
        unsigned len = end - start;
        uint64_t v;
        if (PBTI_UNLIKELY(len > sizeof v)) {
            if (len > PBTI_MAX_VARINT)
                return NULL;
            (void) pbti_read_long_varint(p + start, &v);
        } else {
            v = pbti_load64(p + start);
            v = pbti_join_sevens(v & UINT64_MAX >> (64 - 8 * len));
        }
        pbti_store_varint(out, encoding, v);
        out += size;
        start = end;
    }
    *element = out;
    return p + start;
}
#endif

PBTI_INLINE bool pbti_unpack_varints(pbti_decoder *d, char *msg,
                                     const pbti_slot *slot, const uint8_t *p,
                                     size_t len, pbti_op encoding,
                                     size_t size) {
    const uint8_t *end = p + len;
    const uint8_t *start = p;
    size_t n = pbti_count_varints(p, len);
    char *element;
    if (PBTI_UNLIKELY(end[-1] >= 0x80))
        return pbti_blame(d, PBT_ERR_MALFORMED, end - 1,
                          "the last number of a packed field is cut off");
    element = pbti_room_for(d, msg, slot, n, size);
    if (PBTI_UNLIKELY(!element))
        return false;
#if PBTI_SSE2
    while (p < end && d->safe - p >= PBTI_UNPACK_BLOCK) {
        start = p;
#if PBTI_AVX512
        p = pbti_expand_step(p, end - p, &element, encoding, size);
        if (PBTI_LIKELY(p != NULL))
            continue;
        p = start;
#endif
        p = pbti_unpack_block(p, end - p, &element, encoding, size);
        if (PBTI_UNLIKELY(!p))
            return pbti_blame_packed(d, start, end);
    }
#endif
    while (p < end) {
        uint64_t v;
        start = p;
        p = pbti_read_packed(d, p, end, &v);
        if (PBTI_UNLIKELY(!p))
            return pbti_blame_packed(d, start, end);
        pbti_store_varint(element, encoding, v);
        element += size;
    }
    pbti_set_elements(msg, slot, pbti_n_elements(msg, slot) + n);
    return true;
}

/* A function for each encoding: appends the len > 0 bytes of packed numbers at
 * p, which are all there. */
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    PBTI_OUTLINE bool unpack_##name(pbti_decoder *d, char *msg,                \
                                    const pbti_slot *slot, const uint8_t *p,   \
                                    size_t len) {                              \
        if (wire_type == PROTOBUF_C_WIRE_TYPE_VARINT)                          \
            return pbti_unpack_varints(d, msg, slot, p, len, PBTI_OP_##name,   \
                                       member_size);                           \
        return pbti_unpack_fixed(d, msg, slot, p, len, PBTI_OP_##name,         \
                                 member_size);                                 \
    }
#include "table_kinds.def"

#endif
