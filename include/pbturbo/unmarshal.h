/* pbturbo/unmarshal.h - from bytes to protobuf-c messages, in an arena.
 *
 * What pbt_unmarshal makes are the structs of protoc-c, and every call that
 * takes a protobuf-c message takes them while the arena lives. All they point
 * to lies in the arena, so it is never freed piece by piece:
 * protobuf_c_message_free_unpacked must not be called on them.
 *
 * Compiled types do not know all that their .proto file says. Only with types
 * that pbt_schema_load makes are enums known to be closed, and strings to be
 * UTF-8 by promise (PBT_CONFORMANT); with those of protoc-c all enums are open,
 * as in protobuf-c. The same bytes may thus become different messages.
 */
#ifndef PBTURBO_UNMARSHAL_H
#define PBTURBO_UNMARSHAL_H

#include <stddef.h>

#include <protobuf-c/protobuf-c.h>

#include <pbturbo/options.h>
#include <pbturbo/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Memory that is given out piece by piece and taken back all at once. */
typedef struct pbt_arena pbt_arena;

/** Makes an empty arena.
 *  @param allocator   [in] where its blocks come from; NULL for malloc and
 *                     free; must outlive the arena. Its free may do nothing.
 *  @param first_block [in] bytes of a first block that is allocated together
 *                     with the arena; 0 for none, the first block is then
 *                     allocated on first use
 *  @return the arena, or NULL if there is no memory
 *  Memory:  one block; more of them later, each twice as large as the one
 *           before, up to 32 MiB or the piece that is asked for. Free it with
 *           pbt_arena_free.
 *  Threads: any; an arena serves one thread at a time.
 *  Cost:    one allocation.
 */
PBT_API pbt_arena *pbt_arena_new(const ProtobufCAllocator *allocator,
                                 size_t first_block);

/** Takes back all that came from the arena. One block is kept; several are
 *  freed, and the next block is as large as all of them, so that a loop of
 *  unmarshal and reset soon allocates nothing.
 *  @param arena [in,out] messages in it are no more; NULL does nothing
 *  Memory:  room for as much as it held stays with the arena until it is freed.
 *  Threads: one thread at a time for each arena.
 *  Cost:    a free for each block, if there are several.
 */
PBT_API void pbt_arena_reset(pbt_arena *arena);

/** Frees an arena and all that came from it.
 *  @param arena [in] NULL is ignored
 *  Threads: one thread at a time for each arena.
 */
PBT_API void pbt_arena_free(pbt_arena *arena);

/** Allocates memory that lives as long as what is unmarshalled into the arena:
 *  for strings, arrays and messages to hang on such messages.
 *  @param arena [in,out] NULL gives NULL
 *  @param size  [in] bytes; 0 gives an address, too
 *  @return size bytes, aligned to 8, of undefined content; NULL when there is
 *          no memory
 *  Threads: one thread at a time for each arena.
 *  Cost:    moves a cursor while the arena has room.
 */
PBT_API void *pbt_arena_alloc(pbt_arena *arena, size_t size);

/** Makes a message without fields, with the defaults of its type: what
 *  pbt_unmarshal makes of no bytes, and what the INIT macro of protoc-c is.
 *
 *  It serves all types, those of pbt_schema_load beyond the 4096 that have a
 *  message_init included; without one, an enum without default begins as 0
 *  rather than as its first value.
 *  @param type  [in] NULL gives NULL
 *  @param arena [in,out] NULL gives NULL
 *  @return the message; NULL when there is no memory, or when the descriptor
 *          contradicts itself (pbt_prepare says how)
 *  Memory:  all in the arena; the type's tables.
 *  Threads: any, each with its own arena.
 *  Cost:    one copy.
 */
PBT_API ProtobufCMessage *
pbt_message_new(const ProtobufCMessageDescriptor *type, pbt_arena *arena);

/** Unmarshals a message into an arena.
 *
 *  As the specification says: the last of several values of a singular field
 *  counts, several occurrences of a singular message are merged, those of a
 *  repeated field are appended; packed and unpacked numbers are both taken for
 *  a repeated field; a member of a oneof replaces another. Unknown fields, and
 *  fields of another wire type than their number has, are kept in
 *  unknown_fields in their order, groups with wire type 3 and their end tag.
 *  Enums that are known to be closed keep numbers they do not have there, too.
 *
 *  A string with a NUL character in it is copied whole, but C readers, and
 *  marshal, take it to end there: see PBT_REJECT_NUL.
 *
 *  Flags: PBT_ALLOW_PARTIAL, required fields may be missing, and are then as
 *  protobuf_c_message_init leaves them; PBT_VALIDATE_UTF8, all strings are
 *  checked; PBT_CONFORMANT, those are checked whose type promises UTF-8, which
 *  types from a schema may do; PBT_REJECT_NUL; PBT_DISCARD_UNKNOWN;
 *  PBT_BORROW_BYTES, bytes fields may point into data; PBT_DELIMITED, the data
 *  is the length of the message and the message, no more and no less
 *  (pbt_delimited_next is for several); PBT_DETERMINISTIC has no effect.
 *
 *  Paths of errors count the entries of a map (`by_sku[0].value`), as they do
 *  the elements of any repeated field: a key that is not read yet cannot be
 *  told. Only PBT_ERR_REQUIRED, about a message that is complete otherwise,
 *  tells it (`by_sku["k1"].value`), as all calls that marshal do.
 *
 *  @param type    [in] what the bytes are; NULL is PBT_ERR_ARGUMENT
 *  @param data    [in] len bytes, any alignment; may be NULL when len is 0; not
 *                 needed after the call, but for PBT_BORROW_BYTES
 *  @param len     [in] 0 is a message of no fields
 *  @param options [in] NULL for the defaults; its allocator is for memory of
 *                 the call, the message comes from the arena; max_depth counts
 *                 groups, unknown ones too; the flags are listed above
 *  @param arena   [in,out] NULL is PBT_ERR_ARGUMENT; on error it keeps what was
 *                 made of the message until its reset
 *  @param msg     [out] the message; NULL on error
 *  Errors:  PBT_ERR_MALFORMED, the sentence begins with the offset in data of
 *           the field or number at fault: "byte 17: ..."; PBT_ERR_REQUIRED,
 *           with the path of the first missing field in field order;
 *           PBT_ERR_UTF8, PBT_ERR_VALUE (PBT_REJECT_NUL), PBT_ERR_DEPTH;
 *           PBT_ERR_TOO_LARGE, when the message has more than max_size bytes
 *           or a field 2^30 elements; PBT_ERR_NO_MEMORY;
 *           PBT_ERR_BAD_DESCRIPTOR; PBT_ERR_ARGUMENT.
 *  Memory:  all of the message in the arena; frames from the options' allocator
 *           below 16 levels of nesting, freed again; the type's tables.
 *  Threads: any, each with its own arena.
 *  Cost:    one pass; constant for each field, whatever its number. No
 *           allocation while the arena has room.
 *  Source:  protobuf's encoding specification. Equals protobuf_c_message_unpack
 *           for what both that call and the specification take, but that two
 *           messages for one member of a oneof are merged, closed enums are
 *           heeded, and a required field has to be there even if it has a
 *           default.
 */
PBT_API pbt_status pbt_unmarshal(const ProtobufCMessageDescriptor *type,
                                 const void *data, size_t len,
                                 const pbt_options *options, pbt_arena *arena,
                                 ProtobufCMessage **msg) PBT_MUST_USE;

/** Finds the first of several messages that each have their length before
 *  them, as PBT_DELIMITED writes them.
 *
 *  Go on behind `used` bytes until none are left; give each message to
 *  pbt_unmarshal, without PBT_DELIMITED. Of a stream that is read piece by
 *  piece, keep what is not used, and read more: `used` says how much is wanted.
 *  @param data    [in] len bytes; may be NULL when len is 0
 *  @param options [in] NULL for the defaults; only max_size and error count
 *  @param message [out] points into data; NULL on error
 *  @param message_len [out] bytes of the message; may be 0; 0 on error
 *  @param used    [out] bytes of the length and the message together. On
 *                 PBT_ERR_MALFORMED, if the data ends too early, so many bytes
 *                 from its start as are needed at the least, more than len; if
 *                 no more bytes could help, 0, as on any other error
 *  Errors:  PBT_ERR_MALFORMED (the data ends too early, or does not begin with
 *           a length), PBT_ERR_TOO_LARGE (the length exceeds max_size),
 *           PBT_ERR_ARGUMENT.
 *  Memory:  none. Threads: any. Cost: constant.
 */
PBT_API pbt_status pbt_delimited_next(const void *data, size_t len,
                                      const pbt_options *options,
                                      const void **message, size_t *message_len,
                                      size_t *used) PBT_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
