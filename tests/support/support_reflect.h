/* support_reflect.h - what the tests of the reflection road share: memory for
 * messages, allocators that watch, random messages, and comparing the bytes. */
#ifndef SUPPORT_REFLECT_H
#define SUPPORT_REFLECT_H

#include <stddef.h>
#include <stdint.h>

#include <pbturbo/pbturbo.h>

enum { POOL_SIZE = 1 << 22, SPACE = 1 << 16 };

/** Memory, all zero, until pool_empty. Fails the test when there is no more. */
void *pool_take(size_t size);
void pool_empty(void);

/** A message as its INIT macro makes it, in the pool. */
ProtobufCMessage *pool_message(const ProtobufCMessageDescriptor *type);

/** An allocator that fails the test when it is used. */
extern ProtobufCAllocator refusing_allocator;

/** An allocator that counts, and fails when `left` is used up. Its data is
 *  the struct itself. */
typedef struct counting_allocator {
    ProtobufCAllocator allocator;
    size_t calls, left, live;
} counting_allocator;

void counting_allocator_init(counting_allocator *c);

/** Random numbers, the same for the same seed; random_number has any number
 *  of bits, so that all lengths of varints occur. */
void random_seed(uint64_t seed);
uint64_t random_bits(void);
uint64_t random_number(void);

/** Sets fields of a message, and of messages below it, at random. depth is
 *  how deep the message is already. */
void random_fill(ProtobufCMessage *message, unsigned depth);

/** Fails the test unless the reflection road makes these bytes of a message of
 *  protobuf-c, in every form. */
void reflect_expect(const void *msg, const pbt_options *options,
                    const void *bytes, size_t len);

#define EXPECT(msg, wanted_flags, text)                                        \
    reflect_expect(msg, &(pbt_options){.flags = (wanted_flags)}, text,         \
                   sizeof(text) - 1)

#endif
