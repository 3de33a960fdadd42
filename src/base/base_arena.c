/* base_arena.c - the blocks behind an arena.
 *
 * Blocks double, so that a large message takes few of them, up to a limit; a
 * request that is large beside the next block gets a block of its own, and the
 * block in use stays in use. A reset replaces several blocks by one, of which
 * no more than is used becomes memory: what fits in the same place again finds
 * it in the cache. */
#include "base_arena.h"

#include <stdbool.h>

#include "base_alloc.h"

enum {
#ifdef PBTI_SHRINK
    FIRST_SIZE = 128,
    LARGEST_SIZE = 1024,
#else
    FIRST_SIZE = 4096,
    LARGEST_SIZE = 32 << 20,
#endif
    /* A request of more than one in so many parts of the next block. */
    LARGE_PART = 4
};

struct pbti_arena_block {
    pbti_arena_block *next;
    size_t size; /* of the pieces, without header and slack */
};

_Static_assert(sizeof(pbti_arena_block) % PBTI_ARENA_ALIGNMENT == 0 &&
                   sizeof(pbt_arena) % PBTI_ARENA_ALIGNMENT == 0,
               "what follows a header is aligned");

static size_t block_overhead(void) {
    return sizeof(pbti_arena_block) + PBTI_ARENA_SLACK;
}

static char *first_piece(pbti_arena_block *block) {
    return (char *) (block + 1);
}

static void use_block(pbt_arena *arena, pbti_arena_block *block) {
    arena->cursor = first_piece(block);
    arena->end = arena->cursor + block->size;
    PBTI_ARENA_POISON(arena->cursor, block->size + PBTI_ARENA_SLACK);
}

static pbti_arena_block *add_block(pbt_arena *arena, size_t size) {
    pbti_arena_block *block =
        pbti_alloc(arena->allocator, size + block_overhead());
    if (!block)
        return NULL;
    block->next = arena->blocks;
    block->size = size;
    arena->blocks = block;
    PBTI_ARENA_POISON(first_piece(block), size + PBTI_ARENA_SLACK);
    return block;
}

static void free_block(const pbt_arena *arena, pbti_arena_block *block) {
    PBTI_ARENA_UNPOISON(first_piece(block), block->size + PBTI_ARENA_SLACK);
    pbti_free(arena->allocator, block);
}

/* The next block, of its full size or, when memory is short, just enough. */
static pbti_arena_block *add_next_block(pbt_arena *arena, size_t least) {
    pbti_arena_block *block = add_block(arena, arena->next_size);
    return block ? block : add_block(arena, least);
}

/* One block in place of those before the reset; NULL when there is no memory
 * for it, or nothing to replace. */
static pbti_arena_block *add_united_block(pbt_arena *arena, size_t least) {
    size_t size = arena->united_size;
    arena->united_size = 0;
    return size >= least ? add_block(arena, size) : NULL;
}

PBTI_NOINLINE void *pbti_arena_alloc_slowly(pbt_arena *arena, size_t size) {
    pbti_arena_block *block;
    size_t piece;
    bool is_large = false;
    if (size > SIZE_MAX / 4)
        return NULL;
    piece = pbti_arena_piece(size);
    block = add_united_block(arena, piece);
    if (!block) {
        is_large = piece > arena->next_size / LARGE_PART;
        block =
            is_large ? add_block(arena, piece) : add_next_block(arena, piece);
    }
    if (!block)
        return NULL;
    if (arena->next_size < LARGEST_SIZE)
        arena->next_size *= 2;
    if (!is_large) {
        use_block(arena, block);
        arena->cursor += piece;
    }
    PBTI_ARENA_UNPOISON(first_piece(block), size);
    return first_piece(block);
}

pbt_arena *pbt_arena_new(const ProtobufCAllocator *allocator,
                         size_t first_block) {
    size_t built_in = first_block ? first_block + block_overhead() : 0;
    pbt_arena *arena;
    if (first_block > SIZE_MAX / 4)
        return NULL;
    arena = pbti_alloc(allocator, sizeof *arena + built_in);
    if (!arena)
        return NULL;
    *arena = (pbt_arena){.allocator = allocator, .next_size = FIRST_SIZE};
    /* no room, and yet an address, which a piece of no bytes gets */
    arena->cursor = (char *) (arena + 1);
    arena->end = arena->cursor;
    if (first_block) {
        arena->built_in = (pbti_arena_block *) (void *) (arena + 1);
        arena->built_in->next = NULL;
        arena->built_in->size = first_block;
        use_block(arena, arena->built_in);
        while (arena->next_size <= first_block &&
               arena->next_size < LARGEST_SIZE)
            arena->next_size *= 2;
    }
    return arena;
}

void *pbt_arena_alloc(pbt_arena *arena, size_t size) {
    return arena ? pbti_arena_alloc(arena, size) : NULL;
}

static pbti_arena_block *largest_block(const pbt_arena *arena) {
    pbti_arena_block *largest = arena->built_in;
    pbti_arena_block *block;
    for (block = arena->blocks; block; block = block->next)
        if (!largest || block->size > largest->size)
            largest = block;
    return largest;
}

/* Frees all blocks but one. */
static void free_others(pbt_arena *arena, const pbti_arena_block *kept) {
    pbti_arena_block **link = &arena->blocks;
    while (*link) {
        pbti_arena_block *block = *link;
        if (block == kept) {
            link = &block->next;
            continue;
        }
        *link = block->next;
        free_block(arena, block);
    }
}

/* Bytes of all blocks but the built-in one. */
static size_t size_of_blocks(const pbt_arena *arena) {
    const pbti_arena_block *block;
    size_t size = 0;
    for (block = arena->blocks; block; block = block->next)
        size += block->size;
    return size;
}

PBTI_NOINLINE static void reset_blocks(pbt_arena *arena) {
    pbti_arena_block *kept;
    if (arena->blocks && arena->blocks->next) {
        arena->united_size = size_of_blocks(arena);
        free_others(arena, NULL);
        arena->cursor = (char *) (arena + 1);
        arena->end = arena->cursor;
    }
    kept = largest_block(arena);
    free_others(arena, kept);
    if (kept)
        use_block(arena, kept);
}

/* Mostly there is one block. */
void pbt_arena_reset(pbt_arena *arena) {
    if (!arena)
        return;
    if (PBTI_LIKELY(arena->blocks && !arena->blocks->next && !arena->built_in))
        use_block(arena, arena->blocks);
    else
        reset_blocks(arena);
}

void pbt_arena_free(pbt_arena *arena) {
    if (!arena)
        return;
    free_others(arena, NULL);
    if (arena->built_in)
        PBTI_ARENA_UNPOISON(first_piece(arena->built_in),
                            arena->built_in->size + PBTI_ARENA_SLACK);
    pbti_free(arena->allocator, arena);
}
