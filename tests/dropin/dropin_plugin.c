/* dropin_plugin.c - a plugin with a message type of its own, in two variants
 * that differ in what the type is like and in nothing else: names, numbers of
 * fields and sizes are the same, so that the one may be loaded exactly where
 * the other was.
 *
 * It packs in its constructor, too, before main if it is preloaded. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <protobuf-c/protobuf-c.h>

#ifndef VARIANT
#define VARIANT 0
#endif

typedef struct record {
    ProtobufCMessage base;
    int32_t one, two;
    int64_t three;
} record;

#if VARIANT
#define FIRST_TYPE PROTOBUF_C_TYPE_SINT32
#define FIRST_PLACE offsetof(record, two)
#define SECOND_TYPE PROTOBUF_C_TYPE_FIXED64
static const uint8_t wanted[] = {0x08, 0x0d, 0x11, 5, 0, 0, 0, 0, 0, 0, 0};
#else
#define FIRST_TYPE PROTOBUF_C_TYPE_INT32
#define FIRST_PLACE offsetof(record, one)
#define SECOND_TYPE PROTOBUF_C_TYPE_INT64
static const uint8_t wanted[] = {0x08, 0x03, 0x10, 5, 0, 0, 0, 0, 0, 0, 0};
#endif

enum { WANTED_SIZE = VARIANT ? 11 : 4 };

static const ProtobufCFieldDescriptor fields[] = {
    {"first", 1, PROTOBUF_C_LABEL_REQUIRED, FIRST_TYPE, 0, FIRST_PLACE, NULL,
     NULL, 0, 0, NULL, NULL},
    {"second", 2, PROTOBUF_C_LABEL_REQUIRED, SECOND_TYPE, 0,
     offsetof(record, three), NULL, NULL, 0, 0, NULL, NULL},
};
static const unsigned by_name[] = {0, 1};
static const ProtobufCIntRange ranges[] = {{1, 0}, {0, 2}};

static const ProtobufCMessageDescriptor type = {
    PROTOBUF_C__MESSAGE_DESCRIPTOR_MAGIC,
    "plugin.Record",
    "Record",
    "Record",
    "plugin",
    sizeof(record),
    2,
    fields,
    by_name,
    1,
    ranges,
    NULL,
    NULL,
    NULL,
    NULL};

static int packs_right(const ProtobufCMessageDescriptor *descriptor) {
    record r = {{descriptor, 0, NULL}, 3, -7, 5};
    uint8_t out[64];
    size_t size = protobuf_c_message_get_packed_size(&r.base);
    return size == WANTED_SIZE &&
           protobuf_c_message_pack(&r.base, out) == size &&
           memcmp(out, wanted, size) == 0 && protobuf_c_message_check(&r.base);
}

/* A type in memory that becomes another one without moving. */
static int packs_changing_type(ProtobufCMessageDescriptor *copy,
                               ProtobufCFieldDescriptor *own) {
    static const ProtobufCType types[] = {
        PROTOBUF_C_TYPE_SINT32, PROTOBUF_C_TYPE_INT32, PROTOBUF_C_TYPE_FIXED32};
    static const size_t sizes[] = {2 + 2, 2 + 2, 5 + 2};
    int right = 1, i;
    for (i = 0; right && i < 3; i++) {
        record r = {{copy, 0, NULL}, 3, -7, 5};
        memcpy(own, fields, sizeof fields);
        memcpy(copy, &type, sizeof type);
        copy->fields = own;
        own[0].type = types[i];
        own[0].offset = offsetof(record, one);
        own[1].type = PROTOBUF_C_TYPE_INT64;
        right = protobuf_c_message_get_packed_size(&r.base) == sizes[i];
    }
    return right;
}

static int packs_changing_types(void) {
    static ProtobufCMessageDescriptor own_type;
    static ProtobufCFieldDescriptor own_fields[2];
    ProtobufCMessageDescriptor *copy = malloc(sizeof *copy);
    ProtobufCFieldDescriptor *own = malloc(sizeof fields);
    int right = copy && own && packs_changing_type(copy, own) &&
                packs_changing_type(&own_type, own) &&
                packs_changing_type(&own_type, own_fields);
    free(copy);
    free(own);
    return right;
}

static int was_right_early;

__attribute__((constructor)) static void pack_early(void) {
    was_right_early = packs_right(&type);
}

/* NULL, or what is wrong. */
const char *plugin_run(void);
const char *plugin_run(void) {
    if (!was_right_early)
        return "in the constructor";
    if (!packs_right(&type))
        return "the plugin's type";
    return packs_changing_types() ? NULL : "a type in memory";
}

const void *plugin_type(void);
const void *plugin_type(void) {
    return &type;
}

size_t (*plugin_size(void))(const ProtobufCMessage *);
size_t (*plugin_size(void))(const ProtobufCMessage *) {
    return protobuf_c_message_get_packed_size;
}
