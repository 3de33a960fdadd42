/* wire_read.h - reading one value: varints, fixed-width numbers, lengths.
 *
 * Nothing here looks at the end of the input: the caller has PBTI_SLOP bytes
 * from the start of the field (see wire_decode.h). */
#ifndef PBTI_WIRE_READ_H
#define PBTI_WIRE_READ_H

#include "wire_decode.h"
#include "wire_level.h"

#define PBTI_PEXT PBTI_PDEP

/* A varint of more than one byte. NULL when it has no end. */
#if PBTI_WORD_STORES
/* The seven low bits of each byte, together. */
PBTI_INLINE uint64_t pbti_join_sevens(uint64_t v) {
#if PBTI_PEXT
    return _pext_u64(v, UINT64_C(0x7f7f7f7f7f7f7f7f));
#else
    v = (v & UINT64_C(0x007f007f007f007f)) |
        (v & UINT64_C(0x7f007f007f007f00)) >> 1;
    v = (v & UINT64_C(0x00003fff00003fff)) |
        (v & UINT64_C(0x3fff00003fff0000)) >> 2;
    return (v & UINT64_C(0x000000000fffffff)) |
           (v & UINT64_C(0x0fffffff00000000)) >> 4;
#endif
}

PBTI_INLINE const uint8_t *pbti_read_long_varint(const uint8_t *p,
                                                 uint64_t *value) {
    uint64_t word = pbti_load64(p);
    uint64_t ends = ~word & UINT64_C(0x8080808080808080);
    if (PBTI_LIKELY(ends != 0)) {
        /* up to and with the end's bit, which is clear */
        *value = pbti_join_sevens(word & (ends ^ (ends - 1)));
        return p + ((unsigned) __builtin_ctzll(ends) + 1) / 8;
    }
    word = pbti_join_sevens(word);
    word |= (uint64_t) (p[8] & 0x7f) << 56;
    if (p[8] < 0x80) {
        *value = word;
        return p + 9;
    }
    *value = word | (uint64_t) p[9] << 63;
    return p[9] < 0x80 ? p + 10 : NULL;
}
#else
PBTI_INLINE const uint8_t *pbti_read_long_varint(const uint8_t *p,
                                                 uint64_t *value) {
    return pbti_read_carefully(p, p + PBTI_MAX_VARINT, value);
}
#endif

PBTI_INLINE const uint8_t *pbti_read_varint(const uint8_t *p, uint64_t *value) {
    *value = *p;
    if (PBTI_LIKELY(*p < 0x80))
        return p + 1;
    return pbti_read_long_varint(p, value);
}

/* The same, without a branch on one byte: for numbers that may well be larger,
 * as a wrong guess takes longer than the work. */
PBTI_INLINE const uint8_t *pbti_read_large_varint(const uint8_t *p,
                                                  uint64_t *value) {
#if PBTI_WORD_STORES
    return pbti_read_long_varint(p, value);
#else
    return pbti_read_varint(p, value);
#endif
}

/* Copies any number of bytes. For some thousands of them the C library uses the
 * string instruction, which takes longer on Zen 3 (docs/bench.md). */
PBTI_INLINE void pbti_copy_many(char *to, const uint8_t *from, size_t len) {
#if PBTI_AVX2
    enum { STEP = 128, MOST = 16384 };
    size_t steps = len <= MOST ? len / STEP : 0;
    for (; steps > 0; steps--) {
        const __m256i *v = (const __m256i *) (const void *) from;
        __m256i *w = (__m256i *) (void *) to;
        __m256i a = _mm256_loadu_si256(v), b = _mm256_loadu_si256(v + 1);
        __m256i c = _mm256_loadu_si256(v + 2), e = _mm256_loadu_si256(v + 3);
        _mm256_storeu_si256(w, a);
        _mm256_storeu_si256(w + 1, b);
        _mm256_storeu_si256(w + 2, c);
        _mm256_storeu_si256(w + 3, e);
        from += STEP;
        to += STEP;
        len -= STEP;
    }
#endif
    memcpy(to, from, len);
}

PBTI_INLINE uint32_t pbti_read_fixed32(const uint8_t *p) {
#if PBTI_WORD_STORES
    return pbti_load32(p);
#else
    return (uint32_t) p[0] | (uint32_t) p[1] << 8 | (uint32_t) p[2] << 16 |
           (uint32_t) p[3] << 24;
#endif
}

PBTI_INLINE uint64_t pbti_read_fixed64(const uint8_t *p) {
    return pbti_read_fixed32(p) | (uint64_t) pbti_read_fixed32(p + 4) << 32;
}

/* Stores what a varint stands for. */
PBTI_INLINE void pbti_store_varint(void *member, pbti_op encoding, uint64_t v) {
    if (encoding == PBTI_OP_ZIGZAG32) {
        uint32_t z = (uint32_t) v;
        pbti_store32(member, z >> 1 ^ (0 - (z & 1)));
    } else if (encoding == PBTI_OP_ZIGZAG64) {
        pbti_store64(member, v >> 1 ^ (0 - (v & 1)));
    } else if (encoding == PBTI_OP_VARINT64) {
        pbti_store64(member, v);
    } else if (encoding == PBTI_OP_BOOL) {
        pbti_store32(member, v != 0);
    } else {
        pbti_store32(member, (uint32_t) v);
    }
}

/* Reads a scalar; encoding is a constant. NULL when it has no end. */
PBTI_INLINE const uint8_t *pbti_read_scalar(const uint8_t *p, void *member,
                                            pbti_op encoding) {
    uint64_t v;
    if (encoding == PBTI_OP_FIXED32) {
        pbti_store32(member, pbti_read_fixed32(p));
        return p + 4;
    }
    if (encoding == PBTI_OP_FIXED64) {
        pbti_store64(member, pbti_read_fixed64(p));
        return p + 8;
    }
    p = pbti_read_varint(p, &v);
    if (PBTI_LIKELY(p != NULL))
        pbti_store_varint(member, encoding, v);
    return p;
}

/* Reads a length that the message at work has room for; NULL when there is
 * none. */
PBTI_INLINE const uint8_t *pbti_read_length(const uint8_t *p,
                                            const uint8_t *limit, size_t *len) {
    uint64_t v;
    p = pbti_read_varint(p, &v);
    if (PBTI_UNLIKELY(!p || p > limit || v > (uint64_t) (limit - p)))
        return NULL;
    *len = (size_t) v;
    return p;
}

/* The number of elements of a repeated field. */
PBTI_INLINE size_t pbti_n_elements(const char *msg, const pbti_slot *slot) {
    return pbti_load_size(msg + slot->quantifier);
}

PBTI_INLINE void pbti_set_elements(char *msg, const pbti_slot *slot, size_t n) {
    memcpy(msg + slot->quantifier, &n, sizeof n);
}

/* The first array of a repeated field: like pbti_grow_array, which is asked
 * when the arena's block has no room. */
PBTI_INLINE char *pbti_first_array(pbti_decoder *d, char *msg,
                                   const pbti_slot *slot, size_t size) {
    uint64_t capacity = pbti_first_capacity(size);
    char *head, *array;
    if (PBTI_UNLIKELY(!pbti_arena_take(
            d->arena, sizeof capacity + (size_t) capacity * size, &head)))
        return pbti_grow_array(d, msg, slot->data, 0, 1, size);
    pbti_store64(head, capacity);
    array = head + sizeof capacity;
    memcpy(msg + slot->data, &array, sizeof array);
    return array;
}

/* Where the element behind the n that a repeated field has goes. The caller
 * counts it once it is there. NULL when there is no room for it. */
PBTI_INLINE char *pbti_next_element(pbti_decoder *d, char *msg,
                                    const pbti_slot *slot, size_t n,
                                    size_t size) {
    char *array;
    if (n == 0)
        return pbti_first_array(d, msg, slot, size);
    memcpy(&array, msg + slot->data, sizeof array);
    if (PBTI_UNLIKELY(n == pbti_load64(array - sizeof(uint64_t)))) {
        array = pbti_grow_array(d, msg, slot->data, n, 1, size);
        if (PBTI_UNLIKELY(!array))
            return NULL;
    }
    return array + n * size;
}

#endif
