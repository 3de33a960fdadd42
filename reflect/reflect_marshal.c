/* reflect_marshal.c - the public calls of the reflection road. */
#include "reflect_walk.h"

#include <inttypes.h>

#include "base_alloc.h"
#include "base_error.h"
#include "base_options.h"

static const pbt_options default_options;

static pbt_status fail_argument(const pbt_options *options, const char *why) {
    (void) pbti_fail(options ? options->error : NULL, PBT_ERR_ARGUMENT, 0, NULL,
                     "%s", why);
    return PBT_ERR_ARGUMENT;
}

static uint32_t limit_of_depth(const pbt_options *options) {
    if (options->max_depth == 0 || options->max_depth > PBT_REFLECT_MAX_DEPTH)
        return PBT_REFLECT_MAX_DEPTH;
    return options->max_depth;
}

/* Starts the walk again, without an output area. */
static void restart(pbti_walk *walk, const void *msg) {
    walk->depth = 0;
    walk->total = 0;
    walk->start = NULL;
    walk->cursor = NULL;
    walk->full = true;
    walk->root.next = NULL;
    walk->root.message = walk->reflection->root(msg);
    walk->root.field = PBTI_NOTHING;
    walk->root.element = PBTI_NOTHING;
    walk->root.presence = walk->presence;
}

static pbt_status start(pbti_walk *walk, const pbt_reflection *reflection,
                        const void *msg, const pbt_options *options) {
    const char *wrong;
    memset(walk, 0, sizeof *walk);
    if (!reflection || !msg)
        return fail_argument(options, reflection ? "the message is NULL"
                                                 : "the reflection is NULL");
    if (!options)
        options = &default_options;
    wrong = pbti_options_fault(options);
    if (wrong)
        return fail_argument(options, wrong);
    walk->reflection = reflection;
    walk->allocator = options->allocator;
    walk->error = options->error;
    walk->flags = options->flags;
    walk->max_depth = limit_of_depth(options);
    walk->max_size = pbti_options_max_size(options);
    if (walk->flags & PBT_CONFORMANT)
        walk->presence |= PBT_REFLECT_NEGATIVE_ZERO;
    restart(walk, msg);
    return PBT_OK;
}

/* Writes to the end of `cap` bytes at `out`, or only counts if that is NULL.
 * A missing field is looked for again, forwards, to name the first. */
static pbt_status run(pbti_walk *walk, const void *msg, uint8_t *out,
                      size_t cap) {
    pbt_status status;
    if (out) {
        walk->start = out;
        walk->cursor = out + cap;
        walk->full = false;
    }
    status = pbti_reflect_write(walk);
    if (status == PBT_ERR_REQUIRED) {
        restart(walk, msg);
        status = pbti_reflect_find_missing(walk);
        return status != PBT_OK ? status : PBT_ERR_REQUIRED;
    }
    if (status != PBT_OK)
        return status;
    if (walk->flags & PBT_DELIMITED)
        pbti_reflect_put_varint(walk, walk->total);
#if SIZE_MAX <= UINT32_MAX
    if (walk->total > SIZE_MAX)
        return pbti_reflect_fail_size(walk);
#endif
    return PBT_OK;
}

pbt_status pbt_reflect_size(const pbt_reflection *reflection, const void *msg,
                            const pbt_options *options, size_t *size) {
    pbti_walk walk;
    pbt_status status;
    if (!size)
        return fail_argument(options, "size is NULL");
    *size = 0;
    status = start(&walk, reflection, msg, options);
    if (status == PBT_OK)
        status = run(&walk, msg, NULL, 0);
    if (status == PBT_OK)
        *size = (size_t) walk.total;
    return status;
}

pbt_status pbt_reflect_marshal_into(const pbt_reflection *reflection,
                                    const void *msg, const pbt_options *options,
                                    void *out, size_t cap, size_t *len) {
    pbti_walk walk;
    pbt_status status;
    if (!len)
        return fail_argument(options, "len is NULL");
    *len = 0;
    if (!out && cap > 0)
        return fail_argument(options, "out is NULL and cap is not 0");
    status = start(&walk, reflection, msg, options);
    if (status == PBT_OK)
        status = run(&walk, msg, out, cap);
    if (status != PBT_OK)
        return status;
    *len = (size_t) walk.total;
    if (*len > cap)
        return pbti_fail(walk.error, PBT_ERR_NO_SPACE, 0, NULL,
                         "the output takes %zu bytes; there are %zu", *len,
                         cap);
    if (*len > 0 && *len < cap)
        memmove(out, walk.cursor, *len);
    return PBT_OK;
}

/* A block of at least `size` bytes: that of the buffer, or a new one. */
static uint8_t *provide_block(const pbt_buffer *buffer,
                              const ProtobufCAllocator *allocator, size_t size,
                              size_t *capacity) {
    size_t grown = buffer->capacity + buffer->capacity / 2;
    *capacity = buffer->capacity;
    if (size <= buffer->capacity)
        return buffer->block;
    *capacity = size > grown ? size : grown;
    return pbti_alloc(allocator, *capacity);
}

static void replace_block(pbt_buffer *buffer,
                          const ProtobufCAllocator *allocator, uint8_t *block,
                          size_t capacity) {
    if (block != buffer->block)
        pbti_free(allocator, buffer->block);
    buffer->block = block;
    buffer->capacity = capacity;
    buffer->allocator = allocator;
}

pbt_status pbt_reflect_marshal(const pbt_reflection *reflection,
                               const void *msg, const pbt_options *options,
                               pbt_buffer *buffer) {
    const ProtobufCAllocator *allocator;
    size_t size, capacity;
    uint8_t *block;
    pbt_status status;
    if (!buffer)
        return fail_argument(options, "buffer is NULL");
    buffer->data = NULL;
    buffer->len = 0;
    status = pbt_reflect_size(reflection, msg, options, &size);
    if (status != PBT_OK)
        return status;
    allocator = options ? options->allocator : NULL;
    if (buffer->block)
        allocator = buffer->allocator;
    block = provide_block(buffer, allocator, size, &capacity);
    if (size > 0 && !block)
        return pbti_fail(options ? options->error : NULL, PBT_ERR_NO_MEMORY, 0,
                         NULL, "no memory for %zu bytes", capacity);
    /* The message has proved good, so that this does not fail half-way. */
    status =
        pbt_reflect_marshal_into(reflection, msg, options, block, size, &size);
    if (status != PBT_OK) {
        if (block != buffer->block)
            pbti_free(allocator, block);
        return status;
    }
    replace_block(buffer, allocator, block, capacity);
    buffer->data = block;
    buffer->len = size;
    return PBT_OK;
}

pbt_status pbt_reflect_check_required(const pbt_reflection *reflection,
                                      const void *msg,
                                      const pbt_options *options) {
    pbti_walk walk;
    pbt_status status = start(&walk, reflection, msg, options);
    return status == PBT_OK ? pbti_reflect_find_missing(&walk) : status;
}

pbt_status pbt_reflect_validate(const pbt_reflection *reflection,
                                const void *msg, const pbt_options *options) {
    pbti_walk walk;
    pbt_status status = start(&walk, reflection, msg, options);
    if (status != PBT_OK)
        return status;
    /* Every entry counts here, so there is nothing to sort. */
    walk.flags &= ~PBT_DETERMINISTIC;
    walk.presence |= PBT_REFLECT_DEFAULT_MESSAGE;
    restart(&walk, msg);
    return run(&walk, msg, NULL, 0);
}
