/* pbturbo/unmarshal.h - from bytes to protobuf-c messages, in an arena. */
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
 *  @param allocator   [in] NULL for malloc and free; must outlive the arena
 *  @param first_block [in] bytes of the first block, allocated here; 0 for a
 *                     default, allocated on first use
 *  @return the arena, or NULL if there is no memory
 */
PBT_API pbt_arena *pbt_arena_new(const ProtobufCAllocator *allocator,
                                 size_t first_block);

/** Takes back all that came from the arena, and keeps its largest block. */
PBT_API void pbt_arena_reset(pbt_arena *arena);

/** Frees the arena and all that came from it; NULL is ignored. */
PBT_API void pbt_arena_free(pbt_arena *arena);

/** Unmarshals a message into an arena. */
PBT_API pbt_status pbt_unmarshal(const ProtobufCMessageDescriptor *type,
                                 const void *data, size_t len,
                                 const pbt_options *options, pbt_arena *arena,
                                 ProtobufCMessage **msg) PBT_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
