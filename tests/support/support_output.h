/* support_output.h - one message through every form of output. */
#ifndef SUPPORT_OUTPUT_H
#define SUPPORT_OUTPUT_H

#include <pbturbo/pbturbo.h>

#include "support_arena.h"

/** What protobuf-c makes of a message. */
typedef struct packed {
    uint8_t *bytes;
    size_t len;
} packed;

packed packed_by_protobuf_c(arena *a, const ProtobufCMessage *message);

/** Fails the test unless pbt_size and every pbt_marshal call give these bytes;
 *  buffers are reused and prefilled on the way. */
void output_expect(const ProtobufCMessage *message, const pbt_options *options,
                   const void *bytes, size_t len);

/** Fails the test unless pbt_size and every pbt_marshal call give this error,
 *  write nothing, keep what was appended to, and set the out-parameters to
 *  zero. */
void output_expect_error(const ProtobufCMessage *message,
                         const pbt_options *options, pbt_status status);

/** A sink that collects, and refuses the piece number refuse_at (from 1). */
typedef struct collector {
    pbt_sink sink;
    uint8_t *bytes;
    size_t len, capacity;
    uint32_t n_pieces, refuse_at;
} collector;

void collector_init(collector *c, arena *a, size_t capacity);

#endif
