/* wire_level.h - names for the files that are compiled once per CPU level. See
 * base_level.h.
 */
#ifndef PBTI_WIRE_LEVEL_H
#define PBTI_WIRE_LEVEL_H

#include "base_level.h"
#include "wire.h"

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
PBTI_FOR_EACH_LEVEL(PBTI_DECLARE_LEVEL)
#undef PBTI_DECLARE_LEVEL

/* True when the field of a row may be present in the message. */
PBTI_INLINE bool pbti_may_be_present(const char *msg, const pbti_row *row) {
    return pbti_has_bits(msg, row->presence, row->mask);
}

/* What the presence test of a row reads. */
PBTI_INLINE uint64_t pbti_presence_word(const char *msg, const pbti_row *row) {
    return pbti_load64(msg + row->presence);
}

/* The next row whose field may be present, and what its presence test has read.
 * END always is, so that no row behind it is looked at. */
PBTI_INLINE const pbti_row *pbti_next_row(const char *msg, const pbti_row *row,
                                          uint64_t *word) {
    for (;; row += 2) {
        *word = pbti_presence_word(msg, row);
        if (*word & row->mask)
            return row;
        *word = pbti_presence_word(msg, row + 1);
        if (*word & row[1].mask)
            return row + 1;
    }
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

PBTI_INLINE size_t pbti_count(const char *msg, const pbti_row *row) {
    return pbti_count_at(msg, row->presence, row->mask);
}

PBTI_INLINE const void *pbti_pointer(const char *msg, const pbti_row *row) {
    return pbti_load_pointer(msg + row->data);
}

/* The same for a STRING, STRING_IMPLICIT or MESSAGE row whose presence test has
 * read the word. */
PBTI_INLINE const void *pbti_word_pointer(const char *msg, const pbti_row *row,
                                          uint64_t word) {
#if UINTPTR_MAX == UINT64_MAX
    (void) msg;
    (void) row;
    return (const void *) (uintptr_t) word;
#else
    (void) word;
    return pbti_pointer(msg, row);
#endif
}

#endif
