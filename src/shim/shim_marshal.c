/* shim_marshal.c - protobuf_c_message_get_packed_size, _pack, _pack_to_buffer
 * and _check. */
#include <pbturbo/check.h>
#include <pbturbo/marshal.h>

#include "shim.h"

static const pbt_options options = {.flags = PBT_ALLOW_PARTIAL};

PBTI_SHIM_API size_t
protobuf_c_message_get_packed_size(const ProtobufCMessage *message) {
    size_t size = 0;
    return pbt_size(message, &options, &size) == PBT_OK ? size : 0;
}

PBTI_SHIM_API size_t protobuf_c_message_pack(const ProtobufCMessage *message,
                                             uint8_t *out) {
    size_t cap = protobuf_c_message_get_packed_size(message);
    size_t len = 0;
    return pbt_marshal_into(message, &options, out, cap, &len) == PBT_OK ? len
                                                                         : 0;
}

PBTI_SHIM_API size_t protobuf_c_message_pack_to_buffer(
    const ProtobufCMessage *message, ProtobufCBuffer *buffer) {
    pbt_status status = pbt_marshal_to_buffer(message, &options, buffer);
    return status == PBT_OK ? protobuf_c_message_get_packed_size(message) : 0;
}

PBTI_SHIM_API protobuf_c_boolean
protobuf_c_message_check(const ProtobufCMessage *message) {
    return pbt_validate(message, NULL) == PBT_OK;
}
