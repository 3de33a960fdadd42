/* table_parse.h - the part of a coder table that unmarshal reads: from a tag to
 * what is done with the field's value.
 */
#ifndef PBTI_TABLE_PARSE_H
#define PBTI_TABLE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

#include "base_compiler.h"

/* What is done with a value. Each scalar encoding has four operations:
 *
 *   NAME           stores it
 *   NAME_MARKED    and sets the has-flag or the case of the oneof
 *   NAME_REPEATED  appends it
 *   NAME_PACKED    appends all of them
 */
typedef enum pbti_parse_op {
    PBTI_PARSE_NONE, /* no field has the number */
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    PBTI_PARSE_##name, PBTI_PARSE_##name##_MARKED,                             \
        PBTI_PARSE_##name##_REPEATED, PBTI_PARSE_##name##_PACKED,
#include "table_kinds.def"
    PBTI_PARSE_STRING,           /* stores a copy that ends with NUL */
    PBTI_PARSE_STRING_MARKED,    /* and sets the case */
    PBTI_PARSE_STRING_REPEATED,  /* appends it */
    PBTI_PARSE_BYTES,            /* stores a copy */
    PBTI_PARSE_BYTES_MARKED,     /* and sets the has-flag or the case */
    PBTI_PARSE_BYTES_REPEATED,   /* appends it */
    PBTI_PARSE_MESSAGE,          /* enters it, the former one if there is one */
    PBTI_PARSE_MESSAGE_MARKED,   /* and sets the case */
    PBTI_PARSE_MESSAGE_REPEATED, /* appends one and enters it */
    PBTI_PARSE_GROUP,            /* the same three for groups */
    PBTI_PARSE_GROUP_MARKED,
    PBTI_PARSE_GROUP_REPEATED,
    PBTI_PARSE_ENUM, /* closed enums: a number that is none of them is kept
                        as an unknown field */
    PBTI_PARSE_ENUM_REPEATED,
    PBTI_PARSE_ENUM_PACKED,
    PBTI_PARSE_ENUM_REQUIRED, /* notes that it was there if the number is one
                                 of them; then ENUM */
    PBTI_PARSE_REQUIRED,      /* notes that it was there, then `other` */
    PBTI_N_PARSE_OPS
} pbti_parse_op;

struct pbti_table;

enum {
    PBTI_IMAGE_STEP = 32,
    /* The two wire types that protobuf-c has no names for. */
    PBTI_START_GROUP = 3,
    PBTI_END_GROUP = 4,
    /* pbti_slot.flags: the wire type that `other` is for; 7 is none. */
    PBTI_SLOT_WIRE_TYPE = 7,
    PBTI_SLOT_UTF8 = 8,   /* a string whose type promises UTF-8 */
    PBTI_SLOT_ONEOF = 16, /* MARKED: the quantifier is a oneof's case */
    /* Fields that are not required share the bit that nobody asks for. */
    PBTI_SLOT_NO_BIT = 63
};

/* One field number.
 *
 *   byte 0     4  5  6  7    8      12         16          24     28   32
 *        +-----+--+--+--+-----+------+----------+-----------+------+----+
 *        | tag |op|ot|bi|flags| data |quantifier| sub, enum | mark |more|
 *        +-----+--+--+--+-----+------+----------+-----------+------+----+
 */
typedef struct pbti_slot {
    uint32_t tag;        /* the one that `op` is for; 0 for NONE */
    uint8_t op;          /* pbti_parse_op */
    uint8_t other;       /* a repeated scalar: op for the other form */
    uint8_t bit;         /* of a required field in pbti_parse.required */
    uint8_t flags;       /* PBTI_SLOT_... */
    uint32_t data;       /* offset in the message of the member */
    uint32_t quantifier; /* offset of has-flag, case or count; 0: none */
    union {
        const struct pbti_table *sub;          /* MESSAGE*, GROUP* */
        const ProtobufCEnumDescriptor *closed; /* ENUM* */
    } u;
    uint32_t mark; /* what MARKED writes to the quantifier; ENUM: 0 is none */
    /* REQUIRED: the bit among those behind the first 63; ENUM_REQUIRED: the
     * bit among all, as `bit` would be set whatever the number is. */
    uint32_t more;
} pbti_slot;

_Static_assert(offsetof(pbti_slot, op) == 4, "op is byte 4");
_Static_assert(offsetof(pbti_slot, flags) == 7, "flags is byte 7");
_Static_assert(offsetof(pbti_slot, quantifier) == 12, "quantifier: byte 12");
_Static_assert(offsetof(pbti_slot, u) == 16, "the union is byte 16");
#if UINTPTR_MAX == UINT64_MAX
_Static_assert(sizeof(pbti_slot) == 32, "two slots to a cache line");
#endif

/* Only plain tables have one.
 *
 * A message takes `size` bytes: the struct, and if the type has required
 * fields, behind it at `seen` words with a bit for each of them: 63 in the
 * first word, 64 in each that follows. They live as long as the call. */
typedef struct pbti_parse {
    /* slots[number] for numbers below n_dense, then those that the index
     * leads to. slots[0] is NONE. */
    const pbti_slot *slots;
    const uint32_t *index; /* open addressing; 0 is free */
    const ProtobufCMessageDescriptor *type;
    /* A message of no fields, padded to PBTI_IMAGE_STEP; NULL: all zero. */
    const void *image;
    uint64_t required; /* the bits of the first 63 required fields */
    uint32_t n_dense;
    uint32_t index_bits; /* 2^index_bits entries; 0: no index */
    uint32_t size;
    uint32_t seen; /* 0 when no field is required */
    uint32_t n_required;
    bool is_usual; /* see pbti_is_usual */
    uint32_t n_owners;
    /* The slots of members that have memory of their own: strings, bytes,
     * messages, arrays; of members of a oneof that follow each other the first
     * only. */
    const uint32_t *owners;
} pbti_parse;

/** The slot of a number that is not below n_dense. */
const pbti_slot *pbti_slot_search(const pbti_parse *parse, uint32_t number);

/** Returns the slot of a field number; slots[0] when there is no such field. */
PBTI_INLINE const pbti_slot *pbti_find_slot(const pbti_parse *parse,
                                            uint32_t number) {
    if (PBTI_LIKELY(number < parse->n_dense))
        return &parse->slots[number];
    return pbti_slot_search(parse, number);
}

#endif
