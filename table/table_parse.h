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

/* What is done with a value. Each scalar encoding has five operations:
 *
 *   NAME           stores it
 *   NAME_FLAGGED   and sets the has-flag
 *   NAME_MEMBER    and sets the case of the oneof
 *   NAME_REPEATED  appends it
 *   NAME_PACKED    appends all of them
 */
typedef enum pbti_parse_op {
    PBTI_PARSE_NONE, /* no field has the number */
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    PBTI_PARSE_##name##_FLAGGED, PBTI_PARSE_##name,                            \
        PBTI_PARSE_##name##_MEMBER, PBTI_PARSE_##name##_REPEATED,              \
        PBTI_PARSE_##name##_PACKED,
#include "table_kinds.def"
    PBTI_PARSE_STRING,           /* stores a copy that ends with NUL */
    PBTI_PARSE_STRING_MEMBER,    /* and sets the case */
    PBTI_PARSE_STRING_REPEATED,  /* appends it */
    PBTI_PARSE_BYTES_FLAGGED,    /* BYTES, and sets the has-flag */
    PBTI_PARSE_BYTES,            /* stores a copy */
    PBTI_PARSE_BYTES_MEMBER,     /* and sets the case */
    PBTI_PARSE_BYTES_REPEATED,   /* appends it */
    PBTI_PARSE_MESSAGE,          /* enters it, the former one if there is one */
    PBTI_PARSE_MESSAGE_MEMBER,   /* and sets the case */
    PBTI_PARSE_MESSAGE_REPEATED, /* appends one and enters it */
    PBTI_PARSE_GROUP,            /* the same three for groups */
    PBTI_PARSE_GROUP_MEMBER,
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
    PBTI_SLOT_ONEOF = 16, /* the quantifier is a oneof's case */
    /* Required fields whose bits are in the slots. */
    PBTI_FIRST_REQUIRED = 32,
    /* Numbers whose tag is one byte all have a slot, so that none of them is
     * compared with the number of slots. */
    PBTI_SHORT_NUMBERS = 16
};

/* The usual operations, for a loop that tells them apart by conditional
 * branches: these are foreseen where one indirect jump for all fields is not
 * (docs/bench.md). FLAGGED is one with that without a suffix. */
typedef enum pbti_form {
    PBTI_FORM_VARINT32,
    PBTI_FORM_BOOL,
    PBTI_FORM_VARINT64,
    PBTI_FORM_ZIGZAG32,
    PBTI_FORM_ZIGZAG64,
    PBTI_FORM_FIXED32,
    PBTI_FORM_FIXED64,
    PBTI_FORM_STRING,
    PBTI_FORM_STRING_REPEATED,
    PBTI_FORM_BYTES,
    PBTI_FORM_MESSAGE,
    PBTI_FORM_MESSAGE_REPEATED,
    PBTI_FORM_NONE,       /* see the operation */
    PBTI_FORM_MEMBER = 16 /* added: a member of a oneof */
} pbti_form;

/* Where a singular number or bytes set their has-flag, and to what. Fields
 * without one write the low half of the message's first word, the address of
 * its type, once more. */
typedef struct pbti_flag {
    uint32_t at;
    uint32_t value;
} pbti_flag;

/* One field number.
 *
 *   byte 0     4  5  6     7    8      12         16          24     28 32
 *        +-----+--+--+-----+----+------+----------+-----------+------+--------+
 *        | tag |op|ot|flags|form| data |quantifier| sub, ... | mark |required|
 *        +-----+--+--+-----+----+------+----------+-----------+------+--------+
 */
typedef struct pbti_slot {
    uint32_t tag;  /* the one that `op` is for; 0 for NONE */
    uint8_t op;    /* pbti_parse_op */
    uint8_t other; /* a repeated scalar: op for the other form */
    uint8_t flags; /* PBTI_SLOT_... */
    uint8_t form;  /* pbti_form of op */
    uint32_t data; /* offset in the message of the member */
    union {
        uint32_t quantifier; /* offset of has-flag, case or count; 0: none */
        /* REQUIRED: the bit among those behind the first ones; ENUM_REQUIRED:
         * the bit among all, as `required` would be set whatever the number
         * is. */
        uint32_t more;
    };
    union {
        const struct pbti_table *sub;          /* MESSAGE*, GROUP* */
        const ProtobufCEnumDescriptor *closed; /* ENUM* */
        pbti_flag flag;                        /* other numbers, bytes */
    } u;
    /* What FLAGGED and MEMBER write to the quantifier; ENUM: 0 is none. */
    uint32_t mark;
    /* The bit of one of the first required fields in pbti_parse.required. The
     * operations without a suffix note it. */
    uint32_t required;
} pbti_slot;

_Static_assert(offsetof(pbti_slot, op) == 4, "op is byte 4");
_Static_assert(offsetof(pbti_slot, flags) == 6, "flags is byte 6");
_Static_assert(offsetof(pbti_slot, quantifier) == 12, "quantifier: byte 12");
_Static_assert(offsetof(pbti_slot, u) == 16, "the union is byte 16");
#if UINTPTR_MAX == UINT64_MAX
_Static_assert(sizeof(pbti_slot) == 32, "two slots to a cache line");
#endif

/* Only plain tables have one.
 *
 * A message takes `size` bytes: the struct, and if the type has required
 * fields, behind it at `seen` words with a bit for each of them: 32 in the
 * first word, 64 in each that follows. They live as long as the call. */
typedef struct pbti_parse {
    /* slots[number] for numbers below n_dense, then those that the index
     * leads to. slots[0] is NONE. n_dense is PBTI_SHORT_NUMBERS at least. */
    const pbti_slot *slots;
    const uint32_t *index; /* open addressing; 0 is free */
    const ProtobufCMessageDescriptor *type;
    /* A message of no fields, padded to PBTI_IMAGE_STEP; NULL: all zero. */
    const void *image;
    uint64_t required; /* the bits of the first required fields */
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

/** The form of an operation; 0 when it has none. */
uint8_t pbti_form_of(pbti_parse_op op);

/* Where the search for a number starts. */
PBTI_INLINE uint32_t pbti_first_entry(uint32_t number, uint32_t bits) {
    return (number * UINT32_C(0x9e3779b9)) >> (32 - bits);
}

/** The slot of a number that is not below n_dense. */
const pbti_slot *pbti_slot_search(const pbti_parse *parse, uint32_t number);

/** The same, with the usual case in line. */
PBTI_INLINE const pbti_slot *pbti_find_sparse_slot(const pbti_parse *parse,
                                                   uint32_t number) {
    const pbti_slot *slot;
    if (PBTI_UNLIKELY(parse->index_bits == 0))
        return parse->slots;
    slot =
        &parse
             ->slots[parse->index[pbti_first_entry(number, parse->index_bits)]];
    if (PBTI_LIKELY(slot->tag >> 3 == number))
        return slot;
    return pbti_slot_search(parse, number);
}

/** Returns the slot of a field number; slots[0] when there is no such field. */
PBTI_INLINE const pbti_slot *pbti_find_slot(const pbti_parse *parse,
                                            uint32_t number) {
    if (PBTI_LIKELY(number < parse->n_dense))
        return &parse->slots[number];
    return pbti_find_sparse_slot(parse, number);
}

#endif
