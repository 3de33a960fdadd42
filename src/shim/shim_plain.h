/* shim_plain.h - the marshal side of protobuf-c without tables: descriptor by
 * descriptor, as protobuf-c does it. It allocates nothing, and decides what is
 * written in every case that the tables leave to it. */
#ifndef PBTI_SHIM_PLAIN_H
#define PBTI_SHIM_PLAIN_H

#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

/** As protobuf_c_message_get_packed_size. */
size_t pbti_plain_size(const ProtobufCMessage *message);

/** As protobuf_c_message_pack: writes pbti_plain_size bytes. */
size_t pbti_plain_pack(const ProtobufCMessage *message, uint8_t *out);

/** As protobuf_c_message_pack_to_buffer, with fewer calls of append. */
size_t pbti_plain_pack_to_buffer(const ProtobufCMessage *message,
                                 ProtobufCBuffer *buffer);

/** As protobuf_c_message_check. */
protobuf_c_boolean pbti_plain_check(const ProtobufCMessage *message);

/* The four of them: these, or those of the library that comes next. */
typedef struct pbti_plain_calls {
    size_t (*size)(const ProtobufCMessage *);
    size_t (*pack)(const ProtobufCMessage *, uint8_t *);
    size_t (*pack_to_buffer)(const ProtobufCMessage *, ProtobufCBuffer *);
    protobuf_c_boolean (*check)(const ProtobufCMessage *);
} pbti_plain_calls;

/** What does the calls without tables. In the preload library, with
 *  PBTURBO_DISABLE, that is the original, where it can be found. */
const pbti_plain_calls *pbti_shim_plain(void);

#endif
