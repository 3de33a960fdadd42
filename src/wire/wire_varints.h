/* wire_varints.h - the numbers of a packed field: how many there are, and
 * reading them into an array that has room for them. */
#ifndef PBTI_WIRE_VARINTS_H
#define PBTI_WIRE_VARINTS_H

#include "base_vector.h"
#include "wire_expand.h"
#include "wire_spread.h"

/* The bytes below 0x80: the last ones of as many varints. */
PBTI_INLINE size_t pbti_count_varints(const pbti_decoder *d, const uint8_t *p,
                                      size_t len) {
    size_t n = 0, i = 0;
#if PBTI_AVX2
    for (; i < len && (len - i >= 32 || p + i < d->safe); i += 32) {
        const void *at = p + i;
        __m256i v = _mm256_loadu_si256((const __m256i *) at);
        uint32_t ends = ~(uint32_t) _mm256_movemask_epi8(v);
        if (len - i < 32)
            ends &= (UINT32_C(1) << (len - i)) - 1;
        n += (unsigned) __builtin_popcount(ends);
    }
#elif PBTI_VECTOR
    pbti_u64x2 sums = {0};
    for (; i + 16 <= len; i += 16) {
        pbti_s8x16 v = (pbti_s8x16) pbti_load_16(p + i);
        sums += pbti_sums((pbti_u8x16) (v >= 0) & 1);
    }
    n = (size_t) (sums[0] + sums[1]);
#endif
    (void) d;
    for (; i < len; i++)
        n += p[i] < 0x80;
    return n;
}

/* Copies n numbers of a fixed width. */
PBTI_INLINE void pbti_copy_fixed(char *element, const uint8_t *p, size_t n,
                                 pbti_op encoding, size_t size) {
#if PBTI_WORD_STORES
    (void) encoding;
    pbti_copy_many(element, p, n * size);
#else
    size_t i;
    for (i = 0; i < n; i++)
        (void) pbti_read_scalar(p + i * size, element + i * size, encoding);
#endif
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

#if PBTI_VECTOR
/* A bit for each of 64 bytes that is the last one of a varint. */
PBTI_INLINE uint64_t pbti_find_ends(const uint8_t *p) {
#if PBTI_AVX2
    uint64_t more = 0;
    int i;
    for (i = 32; i >= 0; i -= 32) {
        __m256i v =
            _mm256_loadu_si256((const __m256i *) (const void *) (p + i));
        more = more << 32 | (uint32_t) _mm256_movemask_epi8(v);
    }
    return ~more;
#else
    const pbti_u8x16 v[4] = {pbti_load_16(p), pbti_load_16(p + 16),
                             pbti_load_16(p + 32), pbti_load_16(p + 48)};
    return ~pbti_bits64(v);
#endif
}

/* Reads the varints of 64 bytes, or of the first `left` of them; they start
 * with one, and the last may go on behind them. Where each starts comes from
 * one word of bits, so that no read waits for the length of the one before it.
 * Reads 8 bytes past the 64. NULL when one has no end. */
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

/* One varint. NULL when it has no end. */
PBTI_INLINE const uint8_t *pbti_unpack_one(const pbti_decoder *d,
                                           const uint8_t *p, const uint8_t *end,
                                           char **element, pbti_op encoding,
                                           size_t size) {
    uint64_t v;
    p = pbti_read_packed(d, p, end, &v);
    if (PBTI_LIKELY(p != NULL))
        pbti_store_varint(*element, encoding, v);
    *element += size;
    return p;
}

/* Reads the varints from p to end, the last byte of which is the last of one.
 * Returns NULL; or where those start of which one has no end.
 * @param spills up to 32 bytes may be written behind the last number */
PBTI_INLINE const uint8_t *
pbti_read_varints(const pbti_decoder *d, const uint8_t *p, const uint8_t *end,
                  char *element, bool spills, pbti_op encoding, size_t size) {
    const uint8_t *start;
#if PBTI_SPREAD
    while (end - p > PBTI_FEW_BYTES && p < d->safe) {
        start = p;
        p = d->safe - p >= 64
                ? pbti_spread_window(p, (size_t) (end - p), &element, spills,
                                     encoding, size)
                : pbti_spread_rest(p, (size_t) (end - p), &element, spills,
                                   encoding, size);
        if (PBTI_LIKELY(p != NULL))
            continue;
        p = d->safe - start >= PBTI_UNPACK_BLOCK
                ? pbti_unpack_block(start, end - start, &element, encoding,
                                    size)
                : pbti_unpack_one(d, start, end, &element, encoding, size);
        if (PBTI_UNLIKELY(!p))
            return start;
    }
#elif PBTI_VECTOR
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
            return start;
    }
#endif
    (void) spills;
    while (p < end) {
        start = p;
        p = pbti_unpack_one(d, p, end, &element, encoding, size);
        if (PBTI_UNLIKELY(!p))
            return start;
    }
    return NULL;
}

#endif
