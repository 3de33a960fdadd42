/* shim_buffer.c - protobuf_c_buffer_simple_append: the buffer that grows. */
#include <string.h>

#include "base_alloc.h"
#include "shim.h"

/* Twice as much until it is enough, as protobuf-c does.
 * compat: there, a buffer of no bytes never becomes larger. */
static size_t new_capacity(size_t capacity, size_t wanted) {
    if (capacity == 0)
        return wanted;
    do {
        if (capacity > SIZE_MAX / 2)
            return wanted;
        capacity *= 2;
    } while (capacity < wanted);
    return capacity;
}

static bool grow(ProtobufCBufferSimple *buffer, size_t wanted) {
    size_t capacity = new_capacity(buffer->alloced, wanted);
    uint8_t *data = pbti_alloc(buffer->allocator, capacity);
    if (!data)
        return false;
    if (buffer->len > 0)
        memcpy(data, buffer->data, buffer->len);
    if (buffer->must_free_data)
        pbti_free(buffer->allocator, buffer->data);
    buffer->must_free_data = 1;
    buffer->data = data;
    buffer->alloced = capacity;
    return true;
}

/* compat: bytes for which there is no memory are lost, and nobody is told. */
PBTI_SHIM_API void protobuf_c_buffer_simple_append(ProtobufCBuffer *buffer,
                                                   size_t len,
                                                   const unsigned char *data) {
    ProtobufCBufferSimple *simple = (ProtobufCBufferSimple *) buffer;
    size_t wanted = simple->len + len;
    if (wanted < len || (wanted > simple->alloced && !grow(simple, wanted)))
        return;
    if (len > 0)
        memcpy(simple->data + simple->len, data, len);
    simple->len = wanted;
}
