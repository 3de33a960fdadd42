/* dropin_unpack.h - the drop-in library's unpack and free_unpacked, held to the
 * original's. */
#ifndef DROPIN_UNPACK_H
#define DROPIN_UNPACK_H

#include <stdbool.h>

#include "dropin_same.h"

ProtobufCMessage *dropin_unpack(const ProtobufCMessageDescriptor *type,
                                ProtobufCAllocator *allocator, size_t len,
                                const uint8_t *data);
void dropin_free_unpacked(ProtobufCMessage *message,
                          ProtobufCAllocator *allocator);

/** Fails the test unless unpack accepts what the original accepts, in a mode,
 *  and makes the same message of it, of pieces that either library frees
 *  without a rest; and unless the original packs both to the same bytes.
 *  @return whether the bytes are accepted
 */
bool dropin_expect_unpack(const ProtobufCMessageDescriptor *type,
                          const void *data, size_t len, dropin_mode mode);

/** The same in all modes. */
bool dropin_expect_unpack_all(const ProtobufCMessageDescriptor *type,
                              const void *data, size_t len);

/** Lets each allocation of unpack fail in turn, alone and with all that follow:
 *  it gives NULL, and nothing is left over. Without memory for tables, which is
 *  not the caller's, it gives the message all the same. */
void dropin_expect_little_memory(const ProtobufCMessageDescriptor *type,
                                 const void *data, size_t len);

/** Makes a random type safe for the original, which without message_init
 *  frees the default of another member of a oneof, and merges into the default
 *  of a message: takes such defaults away. */
void dropin_tame_type(const ProtobufCMessageDescriptor *type);

#endif
