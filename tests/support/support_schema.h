/* support_schema.h - message descriptors made in memory.
 *
 * They are laid out as protoc-c lays them out: members naturally aligned,
 * structs a multiple of 8 bytes, has-flags and oneof cases 4 bytes, counts
 * size_t. Beyond that the order of members, the padding, the field numbers,
 * labels and types are random. */
#ifndef SUPPORT_SCHEMA_H
#define SUPPORT_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

#include "support_arena.h"
#include "support_rng.h"

typedef enum schema_syntax {
    SYNTAX_PROTO2, /* required, optional, repeated */
    SYNTAX_PROTO3, /* no label, repeated */
    SYNTAX_MIXED   /* all four labels in one type */
} schema_syntax;

typedef struct schema_params {
    uint32_t n_types;    /* message types, map entries not counted */
    uint32_t max_fields; /* of one type */
    schema_syntax syntax;
    bool nameless;    /* as with optimize_for = CODE_SIZE */
    bool big_structs; /* some structs exceed 64 KiB */
    bool no_required;
    /* Of a hundred message fields, so many are groups. Types have facts, as
     * those have that are made at run time, if it is not 0. */
    uint32_t groups;
} schema_params;

typedef struct schema {
    arena *arena;
    rng *rng;
    schema_params params;
    ProtobufCMessageDescriptor **types; /* the first n_types are messages */
    size_t n_types;                     /* map entries included */
    size_t capacity;
} schema;

extern const ProtobufCEnumDescriptor schema_enum;

/** Makes the types of a schema; pointers among them make any graph. */
void schema_random(schema *s, arena *a, rng *r, const schema_params *params);

/** Parameters drawn at random, for tests that want them all. */
schema_params schema_random_params(rng *r);

/** One field of a type for schema_make: what a .proto file would say. */
typedef struct schema_field {
    uint32_t number;
    ProtobufCType type;
    ProtobufCLabel label;
    uint32_t flags;      /* PACKED, ONEOF */
    uint32_t oneof;      /* with the ONEOF flag: which of the type */
    const void *type_of; /* descriptor of a message or enum field */
    const void *default_value;
    const char *name;      /* NULL: "f" and the number */
    bool is_group, is_map; /* facts; a type has them if a field has one */
} schema_field;

/** Makes one type of the fields given, in number order, with members laid out
 *  in that order. */
ProtobufCMessageDescriptor *schema_make(arena *a, const char *name,
                                        const schema_field *fields, size_t n);

/** Bytes that one value of the type takes in a struct or an array. */
size_t schema_member_size(ProtobufCType type);

bool schema_type_is_packable(ProtobufCType type);

#endif
