/* base_facts.h - what a type built at run time knows of itself beyond its
 * descriptor: what protobuf-c's descriptors have no room for.
 *
 * The schema loader hangs the facts on the descriptor's reserved1, which
 * compiled types leave NULL; the magic number tells them from anything else
 * that might be there.
 */
#ifndef PBTI_BASE_FACTS_H
#define PBTI_BASE_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

#include "base_compiler.h"

#define PBTI_FACTS_MAGIC UINT64_C(0x7062746661637473)

/* One field, at the index it has in the descriptor's array of fields. */
typedef struct pbti_field_facts {
    const char *json_name;
    /* Of attached types: the loaded field, which has the names that a compiled
     * one may lack; else NULL. */
    const ProtobufCFieldDescriptor *loaded;
    const char *oneof_name; /* NULL outside of a declared oneof */
    bool is_group;          /* sent between tags of wire types 3 and 4 */
    bool is_map;
    bool is_extension;
    bool is_closed_enum; /* numbers it does not know are unknown fields */
    bool is_string;      /* even where it is kept as bytes (string_as_bytes) */
    bool validates_utf8;
    bool has_presence;
} pbti_field_facts;

typedef struct pbti_type_facts {
    uint64_t magic;
    const pbti_field_facts *fields; /* as many as the descriptor has */
    const char *name;               /* of attached types; else NULL */
    const char *file;               /* the .proto file it is declared in */
    bool is_map_entry;
    bool is_nested; /* declared inside another message */
} pbti_type_facts;

/** Returns the facts of a type, or NULL for a compiled one. */
PBTI_INLINE const pbti_type_facts *
pbti_facts(const ProtobufCMessageDescriptor *type) {
    const pbti_type_facts *facts = (const pbti_type_facts *) type->reserved1;
    return facts && facts->magic == PBTI_FACTS_MAGIC ? facts : NULL;
}

/** The name of a field, which may be known from its facts alone; or NULL. */
PBTI_INLINE const char *pbti_field_name(const ProtobufCFieldDescriptor *field,
                                        const pbti_field_facts *facts) {
    return field->name || !facts || !facts->loaded ? field->name
                                                   : facts->loaded->name;
}

/** The field whose descriptor names the values of its enum. */
PBTI_INLINE const ProtobufCFieldDescriptor *
pbti_named_enum_field(const ProtobufCFieldDescriptor *field,
                      const pbti_field_facts *facts) {
    const ProtobufCEnumDescriptor *values =
        (const ProtobufCEnumDescriptor *) field->descriptor;
    return (values && values->name) || !facts || !facts->loaded ? field
                                                                : facts->loaded;
}

/** Returns the facts of one of the type's fields, or NULL. */
PBTI_INLINE const pbti_field_facts *
pbti_field_fact(const ProtobufCMessageDescriptor *type,
                const ProtobufCFieldDescriptor *field) {
    const pbti_type_facts *facts = pbti_facts(type);
    return facts ? &facts->fields[field - type->fields] : NULL;
}

#endif
