/* support_memory.c - see support_memory.h. */
#include "support_memory.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The linker sends all calls of the program and of the library's objects, but
 * none of shared libraries, to these. */
extern __typeof__(malloc) __real_malloc, __wrap_malloc;
extern __typeof__(calloc) __real_calloc, __wrap_calloc;
extern __typeof__(realloc) __real_realloc, __wrap_realloc;
extern __typeof__(aligned_alloc) __real_aligned_alloc, __wrap_aligned_alloc;
extern __typeof__(free) __real_free, __wrap_free;

static void *meter_alloc(void *data, size_t size) {
    meter *m = data;
    long call = m->n_calls++;
    void *block;
    if (size > m->largest)
        m->largest = size;
    if (m->fail_at >= 0 &&
        (m->fail_after ? call >= m->fail_at : call == m->fail_at))
        return NULL;
    block = __real_malloc(size);
    if (block)
        m->n_live++;
    return block;
}

static void meter_free(void *data, void *block) {
    meter *m = data;
    if (block)
        m->n_live--;
    __real_free(block);
}

void meter_init(meter *m) {
    const meter fresh = {{meter_alloc, meter_free, NULL}, -1, 0, 0, 0, 0};
    *m = fresh;
    m->allocator.allocator_data = m;
}

static _Thread_local long fail_at = -1;
static _Thread_local long n_calls;
static _Thread_local size_t bytes_left = SIZE_MAX;
static atomic_long n_live;

void malloc_fail_at(long n) {
    fail_at = n;
    n_calls = 0;
}

void malloc_limit(size_t bytes) {
    bytes_left = bytes;
}

long malloc_calls(void) {
    return n_calls;
}

long malloc_live(void) {
    return n_live;
}

static bool fails(size_t size) {
    if (n_calls++ == fail_at || size > bytes_left)
        return true;
    if (bytes_left != SIZE_MAX)
        bytes_left -= size;
    return false;
}

static void *count_live(void *block) {
    if (block)
        atomic_fetch_add(&n_live, 1);
    return block;
}

void *__wrap_malloc(size_t size) {
    return fails(size) ? NULL : count_live(__real_malloc(size));
}

void *__wrap_calloc(size_t n, size_t size) {
    return fails(n * size) ? NULL : count_live(__real_calloc(n, size));
}

void *__wrap_aligned_alloc(size_t alignment, size_t size) {
    return fails(size) ? NULL
                       : count_live(__real_aligned_alloc(alignment, size));
}

void *__wrap_realloc(void *block, size_t size) {
    void *moved;
    if (fails(size))
        return NULL;
    moved = __real_realloc(block, size);
    return block ? moved : count_live(moved);
}

/* What is freed is spoilt first, so that whoever still reads it is found out.
 */
void __wrap_free(void *block) {
    if (block) {
        atomic_fetch_sub(&n_live, 1);
        memset(block, 0xdd, malloc_usable_size(block));
    }
    __real_free(block);
}
