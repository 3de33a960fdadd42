/* support_arena.c - see support_arena.h. */
#include "support_arena.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct arena_block {
    struct arena_block *next;
    max_align_t bytes[];
} arena_block;

void *arena_alloc(arena *a, size_t size) {
    arena_block *block = calloc(1, sizeof *block + size);
    if (!block) {
        fputs("the test ran out of memory\n", stderr);
        exit(99);
    }
    block->next = a->blocks;
    a->blocks = block;
    return block->bytes;
}

void *arena_copy(arena *a, const void *bytes, size_t size) {
    void *copy = arena_alloc(a, size);
    if (size > 0)
        memcpy(copy, bytes, size);
    return copy;
}

char *arena_format(arena *a, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return arena_copy(a, text, strlen(text) + 1);
}

void arena_free(arena *a) {
    while (a->blocks) {
        arena_block *next = a->blocks->next;
        free(a->blocks);
        a->blocks = next;
    }
}
