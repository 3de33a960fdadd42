/* support_memory.h - memory that runs out when a test wants it to: through an
 * allocator for the options, and through malloc itself (the test program is
 * linked with --wrap). */
#ifndef SUPPORT_MEMORY_H
#define SUPPORT_MEMORY_H

#include <protobuf-c/protobuf-c.h>

/* Counts its calls and live blocks. */
typedef struct meter {
    ProtobufCAllocator allocator;
    long fail_at;   /* number of the call that fails, from 0; -1: none */
    int fail_after; /* all calls after that one fail, too */
    long n_calls;
    long n_live;
    size_t largest; /* request */
} meter;

void meter_init(meter *m);

/** Makes the n-th allocation by malloc and its kin from now on fail, from 0,
 *  in this thread; -1 makes none fail. */
void malloc_fail_at(long n);

/** Gives malloc and its kin so many bytes from now on, in this thread; what
 *  exceeds them fails. SIZE_MAX takes the limit away. */
void malloc_limit(size_t bytes);

/** Tells how many calls there were since malloc_fail_at. */
long malloc_calls(void);

/** Returns the blocks of malloc that are live, of all threads. */
long malloc_live(void);

#endif
