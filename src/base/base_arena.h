/* base_arena.h - memory given out by moving a cursor through a block.
 *
 * A block ends with PBTI_ARENA_SLACK bytes that are never given out, so that
 * whoever fills a piece front to back may write whole vectors: what spills
 * over its end falls on memory that is still free. Only the last piece may be
 * filled that way, and never under AddressSanitizer, which is told what is
 * free. */
#ifndef PBTI_BASE_ARENA_H
#define PBTI_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pbturbo/unmarshal.h>

#include "base_compiler.h"

#if defined(__SANITIZE_ADDRESS__)
#define PBTI_ARENA_POISONS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define PBTI_ARENA_POISONS 1
#endif
#endif
#ifndef PBTI_ARENA_POISONS
#define PBTI_ARENA_POISONS 0
#endif

#if PBTI_ARENA_POISONS
#include <sanitizer/asan_interface.h>
#define PBTI_ARENA_POISON(p, size) __asan_poison_memory_region(p, size)
#define PBTI_ARENA_UNPOISON(p, size) __asan_unpoison_memory_region(p, size)
#else
#define PBTI_ARENA_POISON(p, size) ((void) 0)
#define PBTI_ARENA_UNPOISON(p, size) ((void) 0)
#endif

enum {
    PBTI_ARENA_ALIGNMENT = 8, /* nothing in a message needs more */
    PBTI_ARENA_SLACK = 32,
    /* Between two pieces, for the sanitizer to see. */
    PBTI_ARENA_GAP = PBTI_ARENA_POISONS ? PBTI_ARENA_ALIGNMENT : 0
};

typedef struct pbti_arena_block pbti_arena_block;

struct pbt_arena {
    char *cursor; /* first free byte of the block in use */
    char *end;    /* its slack begins here */
    const ProtobufCAllocator *allocator;
    pbti_arena_block *blocks;   /* all but the built-in one */
    pbti_arena_block *built_in; /* follows the arena; NULL if there is none */
    size_t next_size;           /* of the block to come */
    size_t united_size;         /* of one that replaces several; 0 for none */
};

/* The same as pbti_arena_alloc when the block in use has no room. */
void *pbti_arena_alloc_slowly(pbt_arena *arena, size_t size);

/** Bytes that a piece takes of its block. size is below SIZE_MAX / 2. */
PBTI_INLINE size_t pbti_arena_piece(size_t size) {
    return ((size + PBTI_ARENA_ALIGNMENT - 1) &
            ~(size_t) (PBTI_ARENA_ALIGNMENT - 1)) +
           PBTI_ARENA_GAP;
}

/** Allocates size bytes, aligned to 8; their content is undefined.
 *  @return never NULL for size 0; NULL when there is no memory
 */
PBTI_INLINE void *pbti_arena_alloc(pbt_arena *arena, size_t size) {
    char *piece = arena->cursor;
    if (PBTI_UNLIKELY(size > (size_t) (arena->end - piece) ||
                      pbti_arena_piece(size) > (size_t) (arena->end - piece)))
        return pbti_arena_alloc_slowly(arena, size);
    arena->cursor = piece + pbti_arena_piece(size);
    PBTI_ARENA_UNPOISON(piece, size);
    return piece;
}

/** The same for a size that is below SIZE_MAX / 4, but false when the block in
 *  use has no room. */
PBTI_INLINE bool pbti_arena_take(pbt_arena *arena, size_t size, char **piece) {
    size_t taken = pbti_arena_piece(size);
    *piece = arena->cursor;
    if (PBTI_UNLIKELY(taken > (size_t) (arena->end - *piece)))
        return false;
    arena->cursor = *piece + taken;
    PBTI_ARENA_UNPOISON(*piece, size);
    return true;
}

/** The same as pbti_arena_alloc for a size that is below SIZE_MAX / 4. */
PBTI_INLINE void *pbti_arena_alloc_known(pbt_arena *arena, size_t size) {
    char *piece;
    if (PBTI_LIKELY(pbti_arena_take(arena, size, &piece)))
        return piece;
    return pbti_arena_alloc_slowly(arena, size);
}

#endif
