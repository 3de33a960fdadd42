/* wire_scalar.h - numbers to bytes, written downwards from a cursor.
 *
 * Room contract of every put function: it may write 8 bytes below the bytes it
 * is there to write. A varint takes up to 10 bytes.
 */
#ifndef PBTI_WIRE_SCALAR_H
#define PBTI_WIRE_SCALAR_H

#include "wire_level.h"

typedef enum pbti_encoding {
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    PBTI_ENCODING_##name,
#include "table_kinds.def"
} pbti_encoding;

/* Bytes of a scalar's member, and its smallest size on the wire. */
PBTI_INLINE size_t pbti_member_size(pbti_encoding encoding) {
    switch (encoding) {
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    case PBTI_ENCODING_##name:                                                 \
        return member_size;
#include "table_kinds.def"
    }
    return 0;
}

PBTI_INLINE size_t pbti_min_size(pbti_encoding encoding) {
    switch (encoding) {
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    case PBTI_ENCODING_##name:                                                 \
        return min;
#include "table_kinds.def"
    }
    return 0;
}

PBTI_INLINE bool pbti_is_varint(pbti_encoding encoding) {
    return encoding != PBTI_ENCODING_FIXED32 &&
           encoding != PBTI_ENCODING_FIXED64;
}

/* The number that goes on the wire for a member. */
PBTI_INLINE uint64_t pbti_wire_value(pbti_encoding encoding,
                                     const void *member) {
    uint64_t v;
    switch (encoding) {
    case PBTI_ENCODING_SIGNED32:
        return (uint64_t) (int64_t) (int32_t) pbti_load32(member);
    case PBTI_ENCODING_ZIGZAG32:
        v = pbti_load32(member);
        return (uint32_t) (v << 1) ^ (0 - (uint32_t) (v >> 31));
    case PBTI_ENCODING_ZIGZAG64:
        v = pbti_load64(member);
        return v << 1 ^ (0 - (v >> 63));
    case PBTI_ENCODING_BOOL:
        return pbti_load32(member) != 0;
    case PBTI_ENCODING_UNSIGNED32:
    case PBTI_ENCODING_FIXED32:
        return pbti_load32(member);
    case PBTI_ENCODING_VARINT64:
    case PBTI_ENCODING_FIXED64:
        return pbti_load64(member);
    }
    return 0;
}

/* Bytes of a varint: a byte for every seven bits, at least one. 9/64 is close
 * enough to 1/7 for up to 64 bits. */
PBTI_INLINE unsigned pbti_varint_size(uint64_t v) {
#if defined(__GNUC__)
    return (unsigned) ((63 ^ __builtin_clzll(v | 1)) * 9 + 73) / 64;
#else
    unsigned n = 1;
    for (; v >= 0x80; v >>= 7)
        n++;
    return n;
#endif
}

/* A varint byte by byte; any value, any byte order. */
PBTI_INLINE uint8_t *pbti_put_varint_bytes(uint8_t *p, uint64_t v) {
    unsigned n = pbti_varint_size(v);
    unsigned i;
    p -= n;
    for (i = 0; i + 1 < n; i++, v >>= 7)
        p[i] = (uint8_t) (v | 0x80);
    p[i] = (uint8_t) v;
    return p;
}

#if PBTI_WORD_STORES
/* The groups of seven bits of up to 56 bits, one to a byte. */
PBTI_INLINE uint64_t pbti_spread_sevens(uint64_t v) {
#if PBTI_PDEP
    return _pdep_u64(v, 0x7f7f7f7f7f7f7f7f);
#else
    v = (v & 0x000000000fffffff) | (v & 0x00fffffff0000000) << 4;
    v = (v & 0x00003fff00003fff) | (v & 0x0fffc0000fffc000) << 2;
    return (v & 0x007f007f007f007f) | (v & 0x3f803f803f803f80) << 1;
#endif
}

/* Spreads up to 56 bits to the n bytes of their varint, without a branch: all
 * bytes but the last get their continuation bit. */
PBTI_INLINE uint64_t pbti_spread_varint(uint64_t v, unsigned n) {
    return pbti_spread_sevens(v) | UINT64_C(0x0080808080808080) >> (64 - 8 * n);
}

/* A varint of up to 56 bits, stored as one word that ends at p. */
PBTI_INLINE uint8_t *pbti_put_varint56(uint8_t *p, uint64_t v) {
    unsigned n = pbti_varint_size(v);
    pbti_store64(p - 8, pbti_spread_varint(v, n) << (64 - 8 * n));
    return p - n;
}

/* A varint of more than 56 bits: nine bytes or ten. The last of nine overwrites
 * what the tenth would have before it. */
PBTI_INLINE uint8_t *pbti_put_varint64(uint8_t *p, uint64_t v) {
    uint8_t top = (uint8_t) (v >> 56);
    unsigned n = 9 + top / 0x80;
    p[-2] = top;
    p[-1] = top < 0x80 ? top : 1;
    pbti_store64(p - n, pbti_spread_varint(v & UINT64_MAX >> 8, 8) |
                            UINT64_C(0x8080808080808080));
    return p - n;
}
#endif

/* A varint whose size nothing is known about: packed elements. */
PBTI_INLINE uint8_t *pbti_put_any_varint(uint8_t *p, uint64_t v) {
#if PBTI_WORD_STORES
    if (PBTI_LIKELY(v >> 56 == 0))
        return pbti_put_varint56(p, v);
    return pbti_put_varint64(p, v);
#else
    return pbti_put_varint_bytes(p, v);
#endif
}

/* A varint that is most often one byte: lengths and single fields. */
PBTI_INLINE uint8_t *pbti_put_varint(uint8_t *p, uint64_t v) {
    if (PBTI_LIKELY(v < 0x80)) {
        *--p = (uint8_t) v;
        return p;
    }
    if (!PBTI_PDEP && v < 0x4000) {
        *--p = (uint8_t) (v >> 7);
        *--p = (uint8_t) (v | 0x80);
        return p;
    }
    return pbti_put_any_varint(p, v);
}

PBTI_INLINE uint8_t *pbti_put_fixed(uint8_t *p, uint64_t v, unsigned size) {
#if PBTI_WORD_STORES
    p -= size;
    if (size == 4)
        pbti_store32(p, (uint32_t) v);
    else
        pbti_store64(p, v);
#else
    unsigned i;
    p -= size;
    for (i = 0; i < size; i++, v >>= 8)
        p[i] = (uint8_t) v;
#endif
    return p;
}

/* Any scalar. A packed one is not expected to be small. */
PBTI_INLINE uint8_t *pbti_put_scalar(uint8_t *p, pbti_encoding encoding,
                                     const void *member, bool packed) {
    uint64_t v = pbti_wire_value(encoding, member);
    if (!pbti_is_varint(encoding))
        return pbti_put_fixed(p, v, (unsigned) pbti_member_size(encoding));
    if (encoding == PBTI_ENCODING_BOOL) {
        *--p = (uint8_t) v;
        return p;
    }
    return packed ? pbti_put_any_varint(p, v) : pbti_put_varint(p, v);
}

/* The tag in a row's head. */
PBTI_INLINE uint8_t *pbti_put_head(uint8_t *p, pbti_head head) {
    pbti_store64(p - 8, head);
    return p - pbti_head_tag_len(head);
}

/* The tag of a row's field. */
PBTI_INLINE uint8_t *pbti_put_tag(uint8_t *p, const pbti_row *row) {
    return pbti_put_head(p, pbti_row_head(row));
}

#endif
