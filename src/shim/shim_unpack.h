/* shim_unpack.h - what the two readers of protobuf_c_message_unpack share.
 *
 * The loop of shim_unpack_loop.c goes by the slots of a coder table, and exists
 * once per CPU level; shim_unpack_plain.c goes by descriptors alone. Whatever
 * they make is allocated piece by piece, as protobuf-c does it, so that either
 * library frees what the other has made.
 *
 * A message hangs on its parent once it is complete. Until then it is known to
 * the stack of frames only, and all it holds is in a state that
 * pbti_free_unpacked understands: arrays count the elements that are there.
 */
#ifndef PBTI_SHIM_UNPACK_H
#define PBTI_SHIM_UNPACK_H

#include <stdbool.h>

#include "base_alloc.h"
#include "wire_decode.h"
#include "wire_level.h"

/* A repeated field, or the unknown fields, of any message of a type. */
typedef struct pbti_array {
    uint32_t data;       /* offset of the pointer to the elements */
    uint32_t quantifier; /* offset of their number */
    size_t size;         /* of an element */
} pbti_array;

/* An array that has been made larger. As there is no place in the message for
 * its capacity, it is kept here until the message ends; the array is then cut
 * to what it holds. Those of one message stand next to each other. */
typedef struct pbti_growth {
    char *msg;
    pbti_array array;
    size_t capacity;
} pbti_growth;

enum {
#ifdef PBTI_SHRINK
    PBTI_INLINE_GROWTHS = 1,
#else
    PBTI_INLINE_GROWTHS = 8,
#endif
    PBTI_MAX_PREFIX = 5 /* bytes of a length: compat */
};

typedef struct pbti_unpacker {
    pbti_decoder d;  /* the input, the frames and the allocator */
    bool is_unusual; /* there was a type that slots do not do justice to */
    size_t n_growths;
    size_t growth_capacity;
    size_t growth_hint; /* where to look first */
    pbti_growth *growths;
    pbti_growth inline_growths[PBTI_INLINE_GROWTHS];
} pbti_unpacker;

/** Starts a call; end it with pbti_unpacker_free. */
void pbti_unpacker_start(pbti_unpacker *u, const ProtobufCAllocator *allocator,
                         const uint8_t *data, size_t len);
void pbti_unpacker_free(pbti_unpacker *u);

/** The number of elements of an array. */
PBTI_INLINE size_t pbti_array_count(const char *msg, pbti_array array) {
    if (array.data == offsetof(ProtobufCMessage, unknown_fields))
        return pbti_load32(msg + array.quantifier);
    return pbti_load_size(msg + array.quantifier);
}

/** Makes room for n > 0 elements more. A first array is as large as it has to
 *  be; later it doubles.
 *  @return where the first of them goes; NULL when there is no memory
 */
char *pbti_unpack_room(pbti_unpacker *u, char *msg, pbti_array array, size_t n);

/** Cuts the arrays of a message that is complete to their size.
 *  @return false when there is no memory for that
 */
bool pbti_unpack_trim(pbti_unpacker *u, const char *msg);

/** Reads a length that the message at work has room for; NULL when there is
 *  none, or it is not one to protobuf-c: more than five bytes or 2 GiB. */
const uint8_t *pbti_unpack_length(const uint8_t *p, const uint8_t *limit,
                                  size_t *len);

/** Returns the end of a value; NULL when it has none, or is of a wire type that
 *  protobuf-c does not know, as are those of groups. */
const uint8_t *pbti_unpack_skip(const uint8_t *p, const uint8_t *limit,
                                uint32_t wire_type);

/** Keeps a field that the type does not know.
 *  @return its end; NULL on failure
 */
const uint8_t *pbti_unpack_unknown(pbti_unpacker *u, char *msg, uint32_t number,
                                   uint32_t wire_type, const uint8_t *p,
                                   const uint8_t *limit);

/** What protobuf-c takes a bool from, which may be a value of any wire type:
 *  whether any of its bytes is more than a continuation bit. */
bool pbti_unpack_truth(const uint8_t *p, const uint8_t *end);

/** Rids a oneof of the member that it has, before it gets another.
 *  @return false when the case is not the number of a field
 */
bool pbti_unpack_clear_oneof(pbti_unpacker *u, char *msg,
                             const ProtobufCMessageDescriptor *type,
                             uint32_t quantifier);

/** Puts a message where its field has one already: protobuf-c merges what it
 *  can of the earlier one into the later one.
 *  @return false when protobuf-c fails, or there is no memory; the message is
 *          in its place all the same
 */
bool pbti_unpack_replace(pbti_unpacker *u, char *member,
                         ProtobufCMessage *later);

/** Merges an earlier message into a later one of the same type as protobuf-c
 *  does, which leaves out some of it (see shim_unpack_merge.c). What is taken
 *  is taken out of the earlier one.
 *  @return false when protobuf-c fails, or there is no memory
 */
bool pbti_merge_messages(ProtobufCMessage *earlier, ProtobufCMessage *later,
                         const ProtobufCAllocator *allocator);

/** Frees a message and all that is in it, however deep; NULL is ignored. */
void pbti_free_unpacked(ProtobufCMessage *message,
                        const ProtobufCAllocator *allocator);

/** Frees the unknown fields of a message; it has none afterwards. */
void pbti_free_unknown(ProtobufCMessage *message,
                       const ProtobufCAllocator *allocator);

/** Frees what a singular string, bytes or message field holds, unless it is the
 *  field's default; other fields hold nothing. */
void pbti_free_member(const ProtobufCFieldDescriptor *field, char *member,
                      const ProtobufCAllocator *allocator);

/** Bytes of a singular member, or of an element. */
size_t pbti_unpack_size(ProtobufCType type);

/** Reads a message without tables.
 *  @return NULL on failure
 */
ProtobufCMessage *pbti_unpack_plain(const ProtobufCMessageDescriptor *type,
                                    const ProtobufCAllocator *allocator,
                                    size_t len, const uint8_t *data);

/** Reads a message by its table, at one CPU level.
 *  @return NULL on failure, or when u->is_unusual
 */
typedef ProtobufCMessage *pbti_unpack_loop(pbti_unpacker *u,
                                           const pbti_table *table);

#define PBTI_DECLARE_LOOP(level) pbti_unpack_loop pbti_unpack_##level;
PBTI_FOR_EACH_LEVEL(PBTI_DECLARE_LOOP)
#undef PBTI_DECLARE_LOOP

/** Frees the messages of a call that fails: one, and those in the frames up to
 *  top. */
void pbti_unpack_abandon(pbti_unpacker *u, const pbti_decode_frame *top,
                         char *msg);

#endif
