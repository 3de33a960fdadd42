/* wire_level.h - names for the files that are compiled once per CPU level.
 *
 * The build defines PBTI_LEVEL as portable, x86_64, x86_64_v3 or x86_64_v4; a
 * function named PBTI_LEVEL_NAME(pbti_marshal) becomes pbti_marshal_x86_64_v3.
 */
#ifndef PBTI_WIRE_LEVEL_H
#define PBTI_WIRE_LEVEL_H

#include "wire.h"

#define PBTI_JOIN_NAMES(a, b) a##_##b
#define PBTI_JOIN(a, b) PBTI_JOIN_NAMES(a, b)
#define PBTI_LEVEL_NAME(name) PBTI_JOIN(name, PBTI_LEVEL)

/* Vector code: x86 has SSE2 at every level but portable. */
#if defined(__SSE2__) && !defined(PBTI_PORTABLE)
#define PBTI_SSE2 1
#include <immintrin.h>
#else
#define PBTI_SSE2 0
#endif
#if defined(__AVX2__) && !defined(PBTI_PORTABLE)
#define PBTI_AVX2 1
#else
#define PBTI_AVX2 0
#endif

/* With VBMI2, which the build and the check of the CPU add to x86-64-v4. */
#if defined(__AVX512VBMI2__) && defined(__AVX512VBMI__) &&                     \
    !defined(PBTI_PORTABLE)
#define PBTI_AVX512 1
#else
#define PBTI_AVX512 0
#endif

/* Eight bytes may be stored as one little-endian word. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ &&    \
    !defined(PBTI_PORTABLE)
#define PBTI_WORD_STORES 1
#else
#define PBTI_WORD_STORES 0
#endif

/* The loops of one level, as wire_levels.c lists them. */
#define PBTI_DECLARE_LEVEL(level)                                              \
    pbt_status pbti_marshal_##level(pbti_call *, const ProtobufCMessage *,     \
                                    const pbti_table *, uint8_t **);           \
    pbt_status pbti_size_##level(pbti_call *, const ProtobufCMessage *,        \
                                 const pbti_table *, uint64_t *);              \
    pbt_status pbti_required_##level(pbti_call *, const ProtobufCMessage *,    \
                                     const pbti_table *);                      \
    pbt_status pbti_unmarshal_##level(                                         \
        struct pbti_decoder *, const pbti_table *, ProtobufCMessage **);
PBTI_DECLARE_LEVEL(portable)
PBTI_DECLARE_LEVEL(x86_64)
PBTI_DECLARE_LEVEL(x86_64_v3)
PBTI_DECLARE_LEVEL(x86_64_v4)
#undef PBTI_DECLARE_LEVEL

/* True when the field of a row may be present in the message. */
PBTI_INLINE bool pbti_may_be_present(const char *msg, const pbti_row *row) {
    return (pbti_load64(msg + row->presence) & row->mask) != 0;
}

/* The first row to run: most messages have no unknown fields, and skip the row
 * for them without a look at it. */
PBTI_INLINE const pbti_row *pbti_first_row(const ProtobufCMessage *msg,
                                           const pbti_table *table) {
    const pbti_row *row = table->rows;
    if (PBTI_LIKELY(msg->n_unknown_fields == 0))
        row++;
    return row;
}

/* The number of elements of a repeated field: what its presence test reads. */
PBTI_INLINE size_t pbti_count(const char *msg, const pbti_row *row) {
#if SIZE_MAX == UINT64_MAX
    return pbti_load64(msg + row->presence);
#else
    uint64_t word = pbti_load64(msg + row->presence) & row->mask;
    uint64_t mask = row->mask;
    for (; mask && !(mask & 1); mask >>= 1)
        word >>= 1;
    return (size_t) word;
#endif
}

PBTI_INLINE const void *pbti_pointer(const char *msg, const pbti_row *row) {
    return pbti_load_pointer(msg + row->data);
}

#endif
