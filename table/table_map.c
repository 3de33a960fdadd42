/* table_map.c - which message fields are maps and which are groups. Compiled
 * descriptors do not say: a map is told by the shape and the name of the entry
 * type, and groups protoc-c refuses. Types with facts say both. */
#include <string.h>

#include "base_facts.h"
#include "table_build.h"

static bool is_key_type(ProtobufCType type) {
    switch (type) {
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_ENUM:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
        return false;
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_BOOL:
    case PROTOBUF_C_TYPE_STRING:
        return true;
    }
    return false;
}

static bool is_entry_field(const ProtobufCFieldDescriptor *field,
                           uint32_t number) {
    return field->id == number && !pbti_is_oneof_member(field) &&
           (field->label == PROTOBUF_C_LABEL_OPTIONAL ||
            field->label == PROTOBUF_C_LABEL_NONE);
}

bool pbti_is_group_field(const ProtobufCMessageDescriptor *type,
                         const ProtobufCFieldDescriptor *field) {
    const pbti_field_facts *facts = pbti_field_fact(type, field);
    return facts && facts->is_group;
}

bool pbti_is_entry(const ProtobufCMessageDescriptor *entry) {
    return entry->n_fields == 2 && is_entry_field(&entry->fields[0], 1) &&
           is_entry_field(&entry->fields[1], 2) &&
           is_key_type(entry->fields[0].type) &&
           !pbti_is_group_field(entry, &entry->fields[1]);
}

static char upper(char c) {
    return c >= 'a' && c <= 'z' ? (char) (c - 'a' + 'A') : c;
}

/* If text starts with the CamelCase form of a field name, returns what follows
 * it, else NULL. */
static const char *skip_camel_case(const char *text, const char *field_name) {
    bool capital = true;
    for (; *field_name; field_name++) {
        if (*field_name == '_') {
            capital = true;
            continue;
        }
        if (*text != (capital ? upper(*field_name) : *field_name))
            return NULL;
        text++;
        capital = false;
    }
    return text;
}

/* Source: protoc names the entry type of map field foo_bar of message M
 * M.FooBarEntry (language guide, "Maps", "Backwards compatibility"). */
static bool has_entry_name(const ProtobufCMessageDescriptor *type,
                           const ProtobufCFieldDescriptor *field,
                           const ProtobufCMessageDescriptor *entry) {
    size_t parent_len;
    const char *rest;
    if (!type->name || !field->name || !entry->name)
        return false;
    parent_len = strlen(type->name);
    if (strncmp(entry->name, type->name, parent_len) != 0 ||
        entry->name[parent_len] != '.')
        return false;
    rest = skip_camel_case(entry->name + parent_len + 1, field->name);
    return rest && strcmp(rest, "Entry") == 0;
}

bool pbti_is_map(const ProtobufCMessageDescriptor *type,
                 const ProtobufCFieldDescriptor *field) {
    const ProtobufCMessageDescriptor *entry = field->descriptor;
    const pbti_field_facts *facts = pbti_field_fact(type, field);
    return field->type == PROTOBUF_C_TYPE_MESSAGE &&
           field->label == PROTOBUF_C_LABEL_REPEATED && pbti_is_entry(entry) &&
           (facts ? facts->is_map : has_entry_name(type, field, entry));
}

pbti_variant pbti_sub_variant(const ProtobufCMessageDescriptor *type,
                              pbti_variant variant,
                              const ProtobufCFieldDescriptor *field) {
    if (variant == PBTI_PLAIN)
        return PBTI_PLAIN;
    return pbti_is_map(type, field) ? PBTI_CONFORMANT_ENTRY : PBTI_CONFORMANT;
}
