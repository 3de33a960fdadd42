/* pbturbo/buffer.h - where output goes: a growing buffer, or a sink. */
#ifndef PBTURBO_BUFFER_H
#define PBTURBO_BUFFER_H

#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

#include <pbturbo/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A block of memory that marshal calls fill and grow.
 *
 *  All zero is an empty buffer. Read `data` and `len`; they hold until the
 *  next call that is given the buffer. A buffer that is used again keeps its
 *  block, so a loop that marshals into one buffer soon allocates nothing.
 *  The block always belongs to the allocator that was in force when it was
 *  allocated, whatever the options of a later call say.
 *  A call that fails leaves a buffer it would have replaced empty, and one it
 *  would have appended to as it was; the block is kept in both cases.
 */
typedef struct pbt_buffer {
    uint8_t *data; /* first byte of the content; may be NULL when len is 0 */
    size_t len;    /* bytes of content */
    /* private from here */
    uint8_t *block;
    size_t capacity;
    const ProtobufCAllocator *allocator;
} pbt_buffer;

/** Frees the block of a buffer and makes it all zero.
 *  @param buffer [in,out] may be NULL or all zero
 *  Threads: one thread at a time for each buffer.
 */
PBT_API void pbt_buffer_free(pbt_buffer *buffer);

/** Receives output in order, in large pieces.
 *
 *  Embed it as the first member of a struct of your own. `write` gets at
 *  least one byte, takes all of it, and returns PBT_OK; with any other status
 *  nothing more is written and the call returns PBT_ERR_SINK. The call writes
 *  nothing at all before the whole message has proved good.
 */
typedef struct pbt_sink {
    pbt_status (*write)(struct pbt_sink *sink, const void *data, size_t len);
} pbt_sink;

#ifdef __cplusplus
}
#endif

#endif
