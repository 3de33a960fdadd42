/* table_check.c - descriptors that lie. A descriptor is trusted to be readable
 * where it points, and nothing else: everything the tables rely on is checked
 * here once, so that the loops over the tables need not. */
#include <inttypes.h>

#include "base_error.h"
#include "base_facts.h"
#include "table_build.h"

static pbt_status bad_type(const ProtobufCMessageDescriptor *type,
                           pbt_error *error, const char *what) {
    return pbti_fail(error, PBT_ERR_BAD_DESCRIPTOR, 0, NULL, "type %s: %s",
                     type->name ? type->name : "(unnamed)", what);
}

static pbt_status bad_field(const ProtobufCMessageDescriptor *type,
                            const ProtobufCFieldDescriptor *field,
                            pbt_error *error, const char *what) {
    pbti_path path = {0};
    pbti_path_field(&path, field->name, field->id);
    return pbti_fail(error, PBT_ERR_BAD_DESCRIPTOR, field->id, &path,
                     "type %s, field number %" PRIu32 ": %s",
                     type->name ? type->name : "(unnamed)", field->id, what);
}

size_t pbti_member_bytes(const ProtobufCFieldDescriptor *field) {
    if (field->label == PROTOBUF_C_LABEL_REPEATED)
        return sizeof(void *);
    switch (field->type) {
#define PBTI_FIELD_KIND(type, name, encoding, member)                          \
    case PROTOBUF_C_TYPE_##type:                                               \
        return sizeof(member);
#include "table_kinds.def"
    }
    return 0;
}

static bool known_label(ProtobufCLabel label) {
    switch (label) {
    case PROTOBUF_C_LABEL_REQUIRED:
    case PROTOBUF_C_LABEL_OPTIONAL:
    case PROTOBUF_C_LABEL_REPEATED:
    case PROTOBUF_C_LABEL_NONE:
        return true;
    }
    return false;
}

static bool is_pointer_type(ProtobufCType type) {
    return type == PROTOBUF_C_TYPE_STRING || type == PROTOBUF_C_TYPE_MESSAGE;
}

/* Bytes of the quantifier that presence is read from; 0 if there is none. */
static size_t quantifier_size(const ProtobufCFieldDescriptor *field) {
    if (field->label == PROTOBUF_C_LABEL_REPEATED)
        return sizeof(size_t);
    if (pbti_is_oneof_member(field))
        return sizeof(uint32_t);
    if (field->label == PROTOBUF_C_LABEL_OPTIONAL &&
        !is_pointer_type(field->type))
        return sizeof(protobuf_c_boolean);
    return 0;
}

static bool within(const ProtobufCMessageDescriptor *type, unsigned offset,
                   size_t size) {
    return offset >= sizeof(ProtobufCMessage) &&
           (uint64_t) offset + size <= type->sizeof_message;
}

/* protoc makes no other groups. */
static bool can_be_group(const ProtobufCMessageDescriptor *type,
                         const ProtobufCFieldDescriptor *field) {
    return field->type == PROTOBUF_C_TYPE_MESSAGE && !field->default_value &&
           !pbti_field_fact(type, field)->is_map;
}

static pbt_status check_field(const ProtobufCMessageDescriptor *type,
                              const ProtobufCFieldDescriptor *field,
                              pbt_error *error) {
    size_t size = pbti_member_bytes(field);
    size_t quantifier;
    if (field->id == 0 || field->id > PBTI_MAX_FIELD_NUMBER)
        return bad_field(type, field, error, "number out of range");
    if (!known_label(field->label))
        return bad_field(type, field, error, "unknown label");
    if (size == 0 || field->type > PROTOBUF_C_TYPE_MESSAGE)
        return bad_field(type, field, error, "unknown type");
    if (!within(type, field->offset, size))
        return bad_field(type, field, error, "member outside the message");
    quantifier = quantifier_size(field);
    if (quantifier && !within(type, field->quantifier_offset, quantifier))
        return bad_field(type, field, error, "quantifier outside the message");
    if (field->type == PROTOBUF_C_TYPE_MESSAGE && !field->descriptor)
        return bad_field(type, field, error, "no descriptor of its type");
    if (field->label == PROTOBUF_C_LABEL_REPEATED &&
        (field->flags & PROTOBUF_C_FIELD_FLAG_PACKED) &&
        (is_pointer_type(field->type) || field->type == PROTOBUF_C_TYPE_BYTES))
        return bad_field(type, field, error, "this type cannot be packed");
    if (pbti_is_group_field(type, field) && !can_be_group(type, field))
        return bad_field(type, field, error, "this field cannot be a group");
    return PBT_OK;
}

pbt_status pbti_descriptor_check(const ProtobufCMessageDescriptor *type,
                                 pbt_error *error) {
    uint32_t last = 0;
    unsigned i;
    if (type->magic != PROTOBUF_C__MESSAGE_DESCRIPTOR_MAGIC)
        return pbti_fail(error, PBT_ERR_BAD_DESCRIPTOR, 0, NULL,
                         "a message descriptor has a bad magic number");
    if (type->sizeof_message < sizeof(ProtobufCMessage))
        return bad_type(type, error, "smaller than its base struct");
    if (type->sizeof_message > INT32_MAX)
        return bad_type(type, error, "larger than 2 GiB");
    if (type->n_fields > 0 && !type->fields)
        return bad_type(type, error, "no array of fields");
    for (i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        pbt_status status = check_field(type, field, error);
        if (status != PBT_OK)
            return status;
        if (field->id <= last)
            return bad_field(type, field, error, "numbers do not ascend");
        last = field->id;
    }
    return PBT_OK;
}

static uint64_t mix(uint64_t hash, uint64_t value) {
    hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 29);
}

uint64_t pbti_descriptor_fingerprint(const ProtobufCMessageDescriptor *type) {
    uint64_t hash = mix(type->n_fields, type->sizeof_message);
    const pbti_type_facts *facts = pbti_facts(type);
    unsigned i;
    hash = mix(hash, (uintptr_t) facts);
    for (i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        hash = mix(hash, field->id | (uint64_t) field->flags << 32);
        hash = mix(hash, field->label | (uint64_t) field->type << 32);
        hash = mix(hash,
                   field->offset | (uint64_t) field->quantifier_offset << 32);
        hash = mix(hash, (uintptr_t) field->descriptor);
        hash = mix(hash, (uintptr_t) field->default_value);
        if (facts)
            hash = mix(hash, (uint64_t) facts->fields[i].is_group |
                                 (uint64_t) facts->fields[i].is_map << 1);
    }
    return hash;
}
