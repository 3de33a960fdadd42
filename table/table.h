/* table.h - the coder table: what is computed once for each message type, and
 * all that the fast road reads besides the message.
 *
 * A table is one block of memory, immutable once published. Its rows stand in
 * the order the back-to-front writer visits them: the unknown fields, then the
 * fields by descending number, then the end.
 */
#ifndef PBTI_TABLE_H
#define PBTI_TABLE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

#include "base_compiler.h"
#include "table_items.h"
#include "table_parse.h"
#include "table_tally.h"

enum {
    PBTI_MAX_FIELD_NUMBER = (1 << 29) - 1,
    PBTI_CACHE_LINE = 64,
    PBTI_MAX_TAG = 5,       /* bytes of the largest tag */
    PBTI_WINDOW_WORDS = 64, /* words of eight bytes in a window */
    PBTI_WINDOW_SIZE = 8 * PBTI_WINDOW_WORDS,
    PBTI_MAX_ELEMENTS = 1 << 30, /* a repeated field must have fewer */
    /* Largest sum of tags and values of the singular scalars that are written
     * without a look at the room left; a ROOM row follows when it is used up.
     * The writer keeps that much free (see wire_writer.h). */
    PBTI_SCALAR_ROOM = 336
};

/* What a row does with its field. Each scalar encoding has three. */
typedef enum pbti_op {
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    PBTI_OP_##name, PBTI_OP_##name##_REPEATED, PBTI_OP_##name##_PACKED,
#define PBTI_ROW_OP(name, text, holds) PBTI_OP_##name,
#include "table_kinds.def"
    PBTI_N_OPS
} pbti_op;

typedef struct pbti_row pbti_row;
typedef struct pbti_table pbti_table;
typedef struct pbti_oneof pbti_oneof;
typedef struct pbti_window pbti_window;

/* A type has a table of its own for each way of testing presence. */
typedef enum pbti_variant {
    PBTI_PLAIN,           /* presence as protobuf-c tests it */
    PBTI_CONFORMANT,      /* -0.0 is a value */
    PBTI_CONFORMANT_ENTRY /* a map entry: key and value always present */
} pbti_variant;

/* How a singular scalar gets from its member to the wire, for code that takes
 * all of them the same way. */
typedef struct pbti_shape {
    uint8_t drop;   /* bits by which eight bytes at the member exceed it */
    uint8_t clear;  /* high bits to clear after sign extension */
    uint8_t zigzag; /* 1: zigzag */
    uint8_t truth;  /* 1: any value but 0 is 1 */
    uint8_t fixed;  /* bytes of a fixed-width value; 0: a varint */
} pbti_shape;

/* One field, or one oneof run, or one of UNKNOWN, ROOM, BLOCK, END.
 *
 *   byte 0       8  9  10 11      16        20    24            32
 *        +-------+--+--+--+-------+---------+-----+--------------+
 *        | mask  |op|tl|- |  tag  |presence | data| sub, default |
 *        +-------+--+--+--+-------+---------+-----+--------------+
 *
 * The field may be present when the eight bytes of the message at `presence`
 * have a bit in common with `mask`; they cover the has-flag, the count, the
 * pointer, the value of a field with implicit presence, or the case of a
 * oneof, and for rows that always run the descriptor pointer. The mask of a
 * oneof's member is 0, since the case tells; its presence is at the pointer, if
 * it is one and has eight bytes. So where pointers do, the word at `presence`
 * is the pointer of every STRING, STRING_IMPLICIT and MESSAGE row. The
 * operation decides what is left to decide: "" and the default's pointer for
 * strings.
 *
 * Bytes 8 to 15 are the head. The tag ends at byte 15, so storing the head
 * eight below the cursor puts the tag just before the cursor; the bytes before
 * it are overwritten by what is written next. */
struct pbti_row {
    uint64_t mask;
    uint8_t op;                /* pbti_op */
    uint8_t tag_len;           /* bytes of the tag */
    uint8_t unused;            /* zero */
    uint8_t tag[PBTI_MAX_TAG]; /* right-aligned varint of number and type */
    uint32_t presence;         /* offset in the message of eight bytes */
    uint32_t data;             /* offset in the message of the member */
    union {
        const pbti_table *sub;     /* messages: the field's own type */
        const void *default_value; /* STRING: a pointer that means unset */
        const pbti_oneof *oneof;   /* ONEOF */
        const pbti_row *member;    /* OR_ZERO: the row of the field */
        pbti_shape shape;          /* singular scalars */
        const pbti_window *window; /* BLOCK */
    } u;
};

enum { PBTI_ROW_HEAD = 8 };
_Static_assert(offsetof(pbti_row, op) == PBTI_ROW_HEAD, "op is byte 8");
_Static_assert(offsetof(pbti_row, tag_len) == 9, "tag_len is byte 9");
_Static_assert(offsetof(pbti_row, tag) == 11, "the tag ends at byte 15");
_Static_assert(offsetof(pbti_row, presence) == 16, "presence is byte 16");
_Static_assert(offsetof(pbti_row, data) == 20, "data is byte 20");
_Static_assert(offsetof(pbti_row, u) == 24, "the union is byte 24");
#if UINTPTR_MAX == UINT64_MAX
_Static_assert(sizeof(pbti_row) == 32, "two rows to a cache line");
#endif

/* The head of a row: its operation and its tag, in one load. */
typedef uint64_t pbti_head;

PBTI_INLINE pbti_head pbti_row_head(const pbti_row *row) {
    return pbti_load64((const char *) row + PBTI_ROW_HEAD);
}

PBTI_INLINE pbti_op pbti_head_op(pbti_head head) {
#if PBTI_BIG_ENDIAN
    head >>= 56;
#endif
    return (pbti_op) (uint8_t) head;
}

PBTI_INLINE unsigned pbti_head_tag_len(pbti_head head) {
#if PBTI_BIG_ENDIAN
    head >>= 40;
#endif
    return (uint8_t) (head >> 8);
}

/* Members of a oneof that follow each other in field order. Their rows are
 * indexed by case - first; where that would waste room, `numbers` holds the
 * ascending field numbers and the row is found by binary search. */
struct pbti_oneof {
    uint32_t first;
    uint32_t n_indexed; /* n_rows, or 0 when they are not */
    const pbti_row *rows;
    const uint32_t *numbers; /* NULL when indexed */
    uint32_t n_rows;
};

/* Sixty-four words of a struct in which the presence of many fields is looked
 * for at once; the rows of those fields stand behind the BLOCK row. Word i is
 * the presence of the row rows[i] places behind it, if bit i of `words` is
 * set. */
struct pbti_window {
    uint64_t words;
    uint64_t scalars; /* words of rows whose shape may be used */
    uint32_t offset;  /* of word 0 in the struct */
    uint32_t n_rows;  /* behind the BLOCK row, ROOM rows among them */
    uint32_t n_fields;
    uint8_t rows[PBTI_WINDOW_WORDS];
};

/* The parse part starts a line of its own.
 * NOLINTNEXTLINE(clang-analyzer-optin.performance.Padding) */
struct pbti_table {
    _Alignas(PBTI_CACHE_LINE) const ProtobufCMessageDescriptor *type;
    /* What the quick size loop runs, a block of its own; NULL: there is none,
     * and the careful loop has to. */
    pbti_item *items;
    const pbti_row *rows; /* as the writer visits them, up to END */
    pbti_tally *tally;    /* a block of its own; NULL: sizes go by the rows */
    /* Rows of the fields that can be, or can contain, a missing required
     * field, by ascending number, up to END. The first is END when the type
     * cannot lack anything. */
    const pbti_row *required_rows;
    uint32_t n_rows;
    uint32_t n_required_rows;
    pbti_variant variant;
    bool is_leaf;  /* has only rows that the quick size loop runs without a
                      call */
    bool can_lack; /* a required string or message is missing somewhere
                      in some message of this type */
    /* What the descriptor looked like, to notice that its address holds
     * another one now. */
    const char *name;
    const ProtobufCFieldDescriptor *fields;
    unsigned n_fields;
    uint64_t fingerprint; /* of the fields' contents */
    pbti_table *next;     /* the registry's, while it takes tables out */
    const void *origin;   /* see pbti_registry_guard; NULL: unknown */
    /* What the JSON writer reads, once it was asked for: table_names.h. */
    _Atomic(struct pbti_json_type *) json;
    _Alignas(PBTI_CACHE_LINE) pbti_parse parse;
};

/** The same as pbti_oneof_row for a number that is not indexed: by binary
 *  search of oneof->numbers, if there are any. */
const pbti_row *pbti_oneof_search(const pbti_oneof *oneof, uint32_t number);

/** Returns the row of a oneof member, or NULL when the case is none of them. */
PBTI_INLINE const pbti_row *pbti_oneof_row(const pbti_oneof *oneof,
                                           uint32_t number) {
    uint32_t slot = number - oneof->first;
    if (PBTI_LIKELY(slot < oneof->n_indexed))
        return &oneof->rows[slot];
    return pbti_oneof_search(oneof, number);
}

/** Tells whether the messages of a row's field are groups: sent between a tag
 *  of wire type 3, which is the one in the row, and a tag of wire type 4, and
 *  without their length. */
PBTI_INLINE bool pbti_is_group(const pbti_row *row) {
    return row->op >= PBTI_OP_GROUP;
}
_Static_assert(PBTI_OP_GROUP == PBTI_N_OPS - 3, "groups are the last three");

/** Tells whether a row's field is an array of messages. */
PBTI_INLINE bool pbti_is_message_array(const pbti_row *row) {
    return row->op == PBTI_OP_MESSAGE_REPEATED || row->op == PBTI_OP_MAP ||
           row->op == PBTI_OP_GROUP_REPEATED;
}

/** Returns the row that tells a field's own presence: the row itself, or the
 *  member of an OR_ZERO row. */
PBTI_INLINE const pbti_row *pbti_member(const pbti_row *row) {
    return row->op == PBTI_OP_OR_ZERO ? row->u.member : row;
}

/** Tells whether eight bytes of a message have a bit in common with a mask: the
 *  presence test of a row. */
PBTI_INLINE bool pbti_has_bits(const char *msg, uint32_t presence,
                               uint64_t mask) {
    return (pbti_load64(msg + presence) & mask) != 0;
}

/** The number of elements of a repeated field: what its presence test reads. */
PBTI_INLINE size_t pbti_count_at(const char *msg, uint32_t presence,
                                 uint64_t mask) {
#if SIZE_MAX == UINT64_MAX
    (void) mask;
    return pbti_load64(msg + presence);
#else
    uint64_t word = pbti_load64(msg + presence) & mask;
    for (; mask && !(mask & 1); mask >>= 1)
        word >>= 1;
    return (size_t) word;
#endif
}

/** Returns the type of the messages in a row's field; NULL for other rows. */
const pbti_table *pbti_row_sub(const pbti_row *row);

/** Returns the field number in a row's tag; 0 for a row without a tag. */
uint32_t pbti_row_number(const pbti_row *row);

/** Returns the field of that number in a type, or NULL. */
const ProtobufCFieldDescriptor *
pbti_field_of_number(const ProtobufCMessageDescriptor *type, uint32_t number);

#endif
