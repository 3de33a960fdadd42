/* base_alloc.h - memory through the allocator of the options. */
#ifndef PBTI_BASE_ALLOC_H
#define PBTI_BASE_ALLOC_H

#include <stdlib.h>

#include <protobuf-c/protobuf-c.h>

#include "base_compiler.h"

/** Allocates size bytes, or returns NULL. allocator NULL means malloc. */
PBTI_INLINE void *pbti_alloc(const ProtobufCAllocator *allocator, size_t size) {
    if (!allocator)
        return malloc(size);
    return allocator->alloc(allocator->allocator_data, size);
}

/** Frees what pbti_alloc gave with the same allocator; NULL is ignored. */
PBTI_INLINE void pbti_free(const ProtobufCAllocator *allocator, void *block) {
    if (!block)
        return;
    if (!allocator)
        free(block);
    else
        allocator->free(allocator->allocator_data, block);
}

#endif
