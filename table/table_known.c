/* table_known.c - the well-known types of google/protobuf that have a JSON text
 * of their own, told by full name and shape. A type that only has the name is
 * an ordinary message. */
#include <string.h>

#include "table_names_build.h"

enum { MAX_MEMBERS = 6 };

/* A field of a well-known type; their numbers ascend from 1. */
typedef struct known_member {
    ProtobufCType type;
    ProtobufCLabel label;
    bool in_oneof;
    const char *of; /* of a message: its name behind "google.protobuf." */
} known_member;

typedef struct known_shape {
    const char *name;
    pbti_known known;
    unsigned n_members;
    known_member members[MAX_MEMBERS];
} known_shape;

#define MEMBER(type)                                                           \
    { PROTOBUF_C_TYPE_##type, PROTOBUF_C_LABEL_NONE, false, NULL }
#define REPEATED(type, of)                                                     \
    { PROTOBUF_C_TYPE_##type, PROTOBUF_C_LABEL_REPEATED, false, of }
#define CASE(type, of)                                                         \
    { PROTOBUF_C_TYPE_##type, PROTOBUF_C_LABEL_NONE, true, of }

static const known_shape shapes[] = {
    {"Any", PBTI_KNOWN_ANY, 2, {MEMBER(STRING), MEMBER(BYTES)}},
    {"BoolValue", PBTI_KNOWN_WRAPPER, 1, {MEMBER(BOOL)}},
    {"BytesValue", PBTI_KNOWN_WRAPPER, 1, {MEMBER(BYTES)}},
    {"DoubleValue", PBTI_KNOWN_WRAPPER, 1, {MEMBER(DOUBLE)}},
    {"Duration", PBTI_KNOWN_DURATION, 2, {MEMBER(INT64), MEMBER(INT32)}},
    {"FieldMask", PBTI_KNOWN_FIELD_MASK, 1, {REPEATED(STRING, NULL)}},
    {"FloatValue", PBTI_KNOWN_WRAPPER, 1, {MEMBER(FLOAT)}},
    {"Int32Value", PBTI_KNOWN_WRAPPER, 1, {MEMBER(INT32)}},
    {"Int64Value", PBTI_KNOWN_WRAPPER, 1, {MEMBER(INT64)}},
    {"ListValue", PBTI_KNOWN_LIST_VALUE, 1, {REPEATED(MESSAGE, "Value")}},
    {"StringValue", PBTI_KNOWN_WRAPPER, 1, {MEMBER(STRING)}},
    {"Struct", PBTI_KNOWN_STRUCT, 1, {REPEATED(MESSAGE, "Struct.FieldsEntry")}},
    {"Timestamp", PBTI_KNOWN_TIMESTAMP, 2, {MEMBER(INT64), MEMBER(INT32)}},
    {"UInt32Value", PBTI_KNOWN_WRAPPER, 1, {MEMBER(UINT32)}},
    {"UInt64Value", PBTI_KNOWN_WRAPPER, 1, {MEMBER(UINT64)}},
    {"Value",
     PBTI_KNOWN_VALUE,
     6,
     {CASE(ENUM, NULL), CASE(DOUBLE, NULL), CASE(STRING, NULL),
      CASE(BOOL, NULL), CASE(MESSAGE, "Struct"), CASE(MESSAGE, "ListValue")}},
};
#undef MEMBER
#undef REPEATED
#undef CASE

static const char package[] = "google.protobuf.";

static bool has_name(const ProtobufCMessageDescriptor *type, const char *name) {
    size_t len = sizeof package - 1;
    return type->name && strncmp(type->name, package, len) == 0 &&
           strcmp(type->name + len, name) == 0;
}

static bool has_member(const ProtobufCMessageDescriptor *type, unsigned at,
                       const known_member *member) {
    const ProtobufCFieldDescriptor *field = &type->fields[at];
    if (field->id != at + 1 || field->type != member->type ||
        field->label != member->label ||
        pbti_is_oneof_member(field) != member->in_oneof)
        return false;
    /* Members of a oneof must share the case. */
    if (member->in_oneof &&
        field->quantifier_offset != type->fields->quantifier_offset)
        return false;
    return !member->of || has_name(field->descriptor, member->of);
}

static bool has_shape(const ProtobufCMessageDescriptor *type,
                      const known_shape *shape) {
    unsigned i;
    if (type->n_fields != shape->n_members)
        return false;
    for (i = 0; i < shape->n_members; i++)
        if (!has_member(type, i, &shape->members[i]))
            return false;
    return shape->known != PBTI_KNOWN_STRUCT || pbti_is_map(type, type->fields);
}

pbti_known pbti_known_type(const ProtobufCMessageDescriptor *type) {
    size_t i;
    for (i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (has_name(type, shapes[i].name))
            return has_shape(type, &shapes[i]) ? shapes[i].known
                                               : PBTI_KNOWN_NONE;
    return PBTI_KNOWN_NONE;
}
