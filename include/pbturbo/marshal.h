/* pbturbo/marshal.h - protobuf-c messages to bytes.
 *
 * With PBT_ALLOW_PARTIAL and no other flag each call here produces the bytes
 * of protobuf_c_message_pack. A message is read, never modified: any number of
 * threads may marshal one message at once.
 */
#ifndef PBTURBO_MARSHAL_H
#define PBTURBO_MARSHAL_H

#include <stddef.h>

#include <sys/uio.h>

#include <protobuf-c/protobuf-c.h>

#include <pbturbo/buffer.h>
#include <pbturbo/options.h>
#include <pbturbo/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Errors common to all calls of this header, in addition to their own:
 *   PBT_ERR_ARGUMENT        a pointer that must not be NULL is; unknown flags
 *   PBT_ERR_REQUIRED        a required string or message is NULL
 *                           (not with PBT_ALLOW_PARTIAL)
 *   PBT_ERR_BAD_MESSAGE     count > 0 or len > 0 with a NULL pointer, a NULL
 *                           element, a message without descriptor
 *   PBT_ERR_UTF8            with PBT_VALIDATE_UTF8
 *   PBT_ERR_DEPTH           nested deeper than max_depth (a cycle)
 *   PBT_ERR_TOO_LARGE       larger than max_size; 2^30 elements or more in a
 *                           repeated field
 *   PBT_ERR_BAD_DESCRIPTOR  the type contradicts itself
 * pbt_error.path names the field where one is to blame. */

/** Builds the tables of a type and of all types it contains now rather than on
 *  first use. Calls with PBT_CONFORMANT have tables of their own, which the
 *  first such call builds.
 *  @param type  [in] a descriptor; NULL is PBT_ERR_ARGUMENT
 *  @param error [out] filled on failure; may be NULL
 *  Errors:  PBT_ERR_NO_MEMORY (marshal calls would take the slower reflection
 *           road), PBT_ERR_BAD_DESCRIPTOR.
 *  Memory:  from malloc, kept until pbt_forget or the end of the program.
 *  Threads: any. Cost: linear in the fields of the types; a look-up when done
 *           before.
 */
PBT_API pbt_status pbt_prepare(const ProtobufCMessageDescriptor *type,
                               pbt_error *error) PBT_MUST_USE;

/** Frees the tables of a type and of the types that contain it. Those of the
 *  types that it contains stay.
 *
 *  Call it before dlclose of the code that holds the descriptor, for each type
 *  of that code. A type without tables is ignored. The next use builds them
 *  again.
 *  @param type [in] a descriptor; NULL does nothing
 *  Threads: no other call may be running on a message of the type or of a
 *           type that contains it.
 */
PBT_API void pbt_forget(const ProtobufCMessageDescriptor *type);

/** Tells how many bytes the message takes.
 *  @param msg     [in] the message; NULL is PBT_ERR_ARGUMENT
 *  @param options [in] NULL for the defaults; PBT_DELIMITED counts the length
 *                 prefix too
 *  @param size    [out] bytes; 0 is a valid size; 0 on error
 *  Memory:  none up to 16 levels of nesting, then a stack of frames; where
 *           that cannot be had the reflection road does without.
 *  Threads: any. Cost: one pass.
 *  Source:  equals protobuf_c_message_get_packed_size.
 */
PBT_API pbt_status pbt_size(const ProtobufCMessage *msg,
                            const pbt_options *options,
                            size_t *size) PBT_MUST_USE;

/** Marshals a message, replacing the content of a buffer.
 *  @param msg     [in] the message; NULL is PBT_ERR_ARGUMENT
 *  @param options [in] NULL for the defaults
 *  @param buffer  [in,out] all zero at first; empty on error, block kept
 *  Errors:  PBT_ERR_NO_MEMORY.
 *  Memory:  the buffer's block grows through the allocator; free it with
 *           pbt_buffer_free. `data` need not be the start of the block.
 *  Threads: any, each with its own buffer.
 *  Cost:    one pass; no allocation once the block is large enough.
 *  Source:  equals protobuf_c_message_pack (see the top of this header).
 */
PBT_API pbt_status pbt_marshal(const ProtobufCMessage *msg,
                               const pbt_options *options,
                               pbt_buffer *buffer) PBT_MUST_USE;

/** Marshals a message behind the content of a buffer.
 *  As pbt_marshal; the former content stays in front of the new, and is all
 *  there is on error (`data` may have moved).
 */
PBT_API pbt_status pbt_marshal_append(const ProtobufCMessage *msg,
                                      const pbt_options *options,
                                      pbt_buffer *buffer) PBT_MUST_USE;

/** Marshals a message into the caller's memory.
 *  @param msg     [in] the message; NULL is PBT_ERR_ARGUMENT
 *  @param options [in] NULL for the defaults
 *  @param out     [out] cap bytes, any alignment; may be NULL when cap is 0;
 *                 content undefined on error
 *  @param cap     [in] bytes that may be written at out; nothing is written
 *                 past them
 *  @param len     [out] bytes of the message; on PBT_ERR_NO_SPACE the bytes
 *                 needed; 0 on any other error
 *  Errors:  PBT_ERR_NO_SPACE.
 *  Memory:  a little scratch memory when cap is only just enough; where that
 *           cannot be had the reflection road does without.
 *  Threads: any. Cost: one pass, and one memmove when cap exceeds the length.
 *  Source:  equals protobuf_c_message_pack.
 */
PBT_API pbt_status pbt_marshal_into(const ProtobufCMessage *msg,
                                    const pbt_options *options, void *out,
                                    size_t cap, size_t *len) PBT_MUST_USE;

/** Marshals a message to a sink.
 *  @param msg     [in] the message; NULL is PBT_ERR_ARGUMENT
 *  @param options [in] NULL for the defaults
 *  @param sink    [in] gets the bytes in order, and none at all on an error
 *                 other than PBT_ERR_SINK
 *  Errors:  PBT_ERR_NO_MEMORY, PBT_ERR_SINK (the sink returned an error; what
 *           it had taken before stays taken).
 *  Memory:  scratch memory for the whole message, less its large fields (see
 *           pbt_marshal_iovec), which go to the sink straight from the message.
 *  Threads: any, each with its own sink. No lock is held while it runs.
 *  Cost:    one pass.
 *  Source:  the pieces together equal protobuf_c_message_pack.
 */
PBT_API pbt_status pbt_marshal_to_sink(const ProtobufCMessage *msg,
                                       const pbt_options *options,
                                       pbt_sink *sink) PBT_MUST_USE;

/** Marshals a message to protobuf-c's own virtual buffer.
 *  As pbt_marshal_to_sink; `append` cannot refuse. It is never called with
 *  zero bytes.
 *  Source: the appended bytes equal protobuf_c_message_pack_to_buffer, in
 *          fewer and larger pieces.
 */
PBT_API pbt_status pbt_marshal_to_buffer(const ProtobufCMessage *msg,
                                         const pbt_options *options,
                                         ProtobufCBuffer *buffer) PBT_MUST_USE;

/** Marshals a message into a vector for writev, without copying its large
 *  fields: strings, bytes and unknown fields of 4096 bytes and more, and packed
 *  fields of fixed-width numbers of that size.
 *  @param msg     [in] the message; NULL is PBT_ERR_ARGUMENT; the vector points
 *                 into it, so it must not change while the vector is in use
 *  @param options [in] NULL for the defaults
 *  @param scratch [in,out] holds the rest of the bytes and the vector itself;
 *                 its content is undefined after the call
 *  @param vec     [out] n pieces, none of them empty, in order, valid until the
 *                 next use of scratch; NULL on error
 *  @param n       [out] pieces; 0 for an empty message and on error. writev
 *                 takes at most IOV_MAX of them a call.
 *  Errors:  PBT_ERR_NO_MEMORY.
 *  Memory:  all in scratch; free it with pbt_buffer_free.
 *  Threads: any, each with its own scratch buffer.
 *  Cost:    one pass; the large fields are not touched (strings: read once for
 *           their length).
 *  Source:  the pieces together equal protobuf_c_message_pack.
 */
PBT_API pbt_status pbt_marshal_iovec(const ProtobufCMessage *msg,
                                     const pbt_options *options,
                                     pbt_buffer *scratch, struct iovec **vec,
                                     size_t *n) PBT_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
