/* dropin_whole.c - a plugin whose message type contains a type of another
 * library. It does not change when that library becomes another one. */
#include <string.h>

#include "dropin_part.h"

typedef struct whole {
    ProtobufCMessage base;
    part *content;
} whole;

static const ProtobufCFieldDescriptor fields[] = {
    {"content", 1, PROTOBUF_C_LABEL_REQUIRED, PROTOBUF_C_TYPE_MESSAGE, 0,
     offsetof(whole, content), &part_type, NULL, 0, 0, NULL, NULL},
};
static const unsigned by_name[] = {0};
static const ProtobufCIntRange ranges[] = {{1, 0}, {0, 1}};

static const ProtobufCMessageDescriptor whole_type = {
    PROTOBUF_C__MESSAGE_DESCRIPTOR_MAGIC,
    "plugin.Whole",
    "Whole",
    "Whole",
    "plugin",
    sizeof(whole),
    1,
    fields,
    by_name,
    1,
    ranges,
    NULL,
    NULL,
    NULL,
    NULL};

/* NULL, or what is wrong with the variant of the part that is loaded. */
const char *whole_run(int variant);
const char *whole_run(int variant) {
    part content = {{&part_type, 0, NULL}, 3};
    whole w = {{&whole_type, 0, NULL}, &content};
    const uint8_t wanted[] = {0x0a, 0x02, 0x08, variant ? 0x06 : 0x03};
    uint8_t out[sizeof wanted];
    if (protobuf_c_message_get_packed_size(&w.base) != sizeof wanted)
        return "the size of a whole";
    (void) protobuf_c_message_pack(&w.base, out);
    return memcmp(out, wanted, sizeof out) == 0 ? NULL : "the part of a whole";
}

const void *whole_place(void);
const void *whole_place(void) {
    return &part_type;
}
