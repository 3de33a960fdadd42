/* support_arena.h - memory of one test, freed all at once.
 *
 * Every piece is a malloc block of its own, so that the sanitizers see a read
 * or write one byte past it. */
#ifndef SUPPORT_ARENA_H
#define SUPPORT_ARENA_H

#include <stddef.h>

typedef struct arena {
    struct arena_block *blocks;
} arena;

/** Zeroed memory, aligned to 16 bytes; never NULL. */
void *arena_alloc(arena *a, size_t size);

/** A copy that ends where its block ends. */
void *arena_copy(arena *a, const void *bytes, size_t size);

char *arena_format(arena *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/** Frees everything; the arena can be used again. */
void arena_free(arena *a);

#endif
