/* base_buffer.c - the end of a pbt_buffer; marshal calls fill and grow it. */
#include <pbturbo/buffer.h>

#include "base_alloc.h"

void pbt_buffer_free(pbt_buffer *buffer) {
    if (!buffer)
        return;
    pbti_free(buffer->allocator, buffer->block);
    *buffer = (pbt_buffer){0};
}
