/* dropin_part.c - a library with one message type, of which there are two
 * variants; that in dropin_whole.c contains it. */
#include "dropin_part.h"

static const ProtobufCFieldDescriptor fields[] = {
    {"value", 1, PROTOBUF_C_LABEL_REQUIRED,
     VARIANT ? PROTOBUF_C_TYPE_SINT32 : PROTOBUF_C_TYPE_INT32, 0,
     offsetof(part, value), NULL, NULL, 0, 0, NULL, NULL},
};
static const unsigned by_name[] = {0};
static const ProtobufCIntRange ranges[] = {{1, 0}, {0, 1}};

const ProtobufCMessageDescriptor part_type = {
    PROTOBUF_C__MESSAGE_DESCRIPTOR_MAGIC,
    "plugin.Part",
    "Part",
    "Part",
    "plugin",
    sizeof(part),
    1,
    fields,
    by_name,
    1,
    ranges,
    NULL,
    NULL,
    NULL,
    NULL};
