/* facade_marshal.c - pbt_size, and marshal into memory: a buffer's block, or
 * the caller's.
 *
 * Output is written from the end of a block. pbt_marshal leaves it there;
 * append and into move it to where it belongs.
 */
#include <pbturbo/marshal.h>
#include <pbturbo/reflect.h>

#include "base_alloc.h"
#include "base_error.h"
#include "facade.h"

/* The common case of pbt_size: nothing special is asked for, and nothing is
 * wrong. */
PBTI_INLINE bool find_size(const ProtobufCMessage *msg, size_t *size) {
    const pbti_table *table = pbti_registry_find(msg->descriptor, PBTI_PLAIN);
    pbti_call call;
    uint64_t total = 0;
    pbt_status status;
    if (!table)
        return false;
    pbti_call_start_reading(&call);
    status = pbti_wire()->size(&call, msg, table, &total);
    pbti_call_end(&call);
    *size = (size_t) total;
    return status == PBT_OK;
}

/* All others, apart so that the common case saves few registers. */
PBTI_OUTLINE pbt_status size_by_job(const ProtobufCMessage *msg,
                                    const pbt_options *options, size_t *size) {
    pbti_job job;
    pbt_status status;
    if (size)
        *size = 0; /* whatever find_size has left there */
    status = pbti_job_start(&job, msg, options, size, "size");
    if (status != PBT_OK)
        return status;
    if (job.table)
        status = pbti_job_size(&job, size);
    else
        status =
            pbt_reflect_size(&pbt_reflection_protobuf_c, msg, options, size);
    pbti_call_end(&job.call);
    return status;
}

pbt_status pbt_size(const ProtobufCMessage *msg, const pbt_options *options,
                    size_t *size) {
    if (PBTI_LIKELY(!options && msg && size && msg->descriptor) &&
        find_size(msg, size))
        return PBT_OK;
    return size_by_job(msg, options, size);
}

/* Starts writing to the part of a buffer's block behind its first `kept`
 * bytes. The block stays with the allocator it came from. */
PBTI_INLINE uint8_t *start_in_buffer(pbti_job *job, const pbt_buffer *buffer,
                                     size_t kept) {
    pbti_writer *writer = &job->call.writer;
    if (!buffer->block)
        return pbti_writer_start(writer, NULL, 0);
    writer->allocator = buffer->allocator;
    return pbti_writer_start(writer, buffer->block + kept,
                             buffer->capacity - kept);
}

static void set_block(pbti_job *job, pbt_buffer *buffer, uint8_t *block,
                      size_t capacity) {
    pbti_free(buffer->allocator, buffer->block);
    buffer->block = block;
    buffer->capacity = capacity;
    buffer->allocator = job->call.writer.allocator;
}

/* Puts the first `kept` bytes of the buffer and the output behind them into a
 * new block, with room to spare for the next use. */
static pbt_status flatten(pbti_job *job, pbt_buffer *buffer, size_t kept,
                          const uint8_t *p) {
    const pbti_writer *writer = &job->call.writer;
    size_t len = kept + (size_t) pbti_writer_total(writer, p);
    size_t capacity = len + len / 4 + PBTI_ROOM;
    uint8_t *block = NULL;
    if (len >= kept && capacity >= len)
        block = pbti_alloc(writer->allocator, capacity);
    if (!block && len >= kept) {
        capacity = len;
        block = pbti_alloc(writer->allocator, capacity);
    }
    if (!block)
        return pbti_job_fail(job, PBT_ERR_NO_MEMORY);
    if (kept > 0)
        memcpy(block, buffer->block, kept);
    pbti_writer_gather(writer, p, block + kept);
    set_block(job, buffer, block, capacity);
    buffer->data = block;
    buffer->len = len;
    return PBT_OK;
}

/* The output becomes the content: in a block of the writer's that can hold all
 * of it, or flattened. */
static pbt_status keep_new_block(pbti_job *job, pbt_buffer *buffer,
                                 uint8_t *p) {
    pbti_writer *writer = &job->call.writer;
    if (!writer->block || !pbti_writer_fits(writer, p))
        return flatten(job, buffer, 0, p);
    pbti_writer_gather(writer, p, p);
    set_block(job, buffer, writer->block, writer->block_size);
    writer->block = NULL;
    buffer->data = p;
    buffer->len = (size_t) pbti_writer_total(writer, p);
    return PBT_OK;
}

PBTI_INLINE pbt_status keep_output(pbti_job *job, pbt_buffer *buffer,
                                   uint8_t *p) {
    if (PBTI_UNLIKELY(job->call.writer.n_pieces > 0))
        return keep_new_block(job, buffer, p);
    buffer->data = p;
    buffer->len = (size_t) pbti_writer_total(&job->call.writer, p);
    return PBT_OK;
}

pbt_status pbt_marshal(const ProtobufCMessage *msg, const pbt_options *options,
                       pbt_buffer *buffer) {
    pbti_job job;
    uint8_t *p;
    pbt_status status;
    if (buffer) {
        buffer->data = NULL;
        buffer->len = 0;
    }
    status = pbti_job_start(&job, msg, options, buffer, "the buffer");
    if (status != PBT_OK)
        return status;
    if (!job.table)
        return pbt_reflect_marshal(&pbt_reflection_protobuf_c, msg, options,
                                   buffer);
    p = start_in_buffer(&job, buffer, 0);
    status = pbti_job_marshal(&job, &p);
    if (status == PBT_OK)
        status = keep_output(&job, buffer, p);
    pbti_writer_release(&job.call.writer);
    pbti_call_end(&job.call);
    return status;
}

/* Moves the content to the start of the block, so that output may follow. */
static void move_to_start(pbt_buffer *buffer) {
    if (!buffer->block)
        buffer->len = 0;
    if (buffer->len > 0 && buffer->data != buffer->block)
        memmove(buffer->block, buffer->data, buffer->len);
    buffer->data = buffer->block;
}

static pbt_status append_output(pbti_job *job, pbt_buffer *buffer, uint8_t *p) {
    const pbti_writer *writer = &job->call.writer;
    if (buffer->len == 0)
        return keep_output(job, buffer, p);
    if (writer->n_pieces > 0)
        return flatten(job, buffer, buffer->len, p);
    pbti_writer_gather(writer, p, buffer->data + buffer->len);
    buffer->len += (size_t) pbti_writer_total(writer, p);
    return PBT_OK;
}

pbt_status pbt_marshal_append(const ProtobufCMessage *msg,
                              const pbt_options *options, pbt_buffer *buffer) {
    pbti_job job;
    uint8_t *p;
    pbt_status status;
    status = pbti_job_start(&job, msg, options, buffer, "the buffer");
    if (status != PBT_OK)
        return status;
    move_to_start(buffer);
    p = start_in_buffer(&job, buffer, buffer->len);
    status = job.table ? pbti_job_marshal(&job, &p) : pbti_job_copy(&job, &p);
    if (status == PBT_OK)
        status = append_output(&job, buffer, p);
    pbti_writer_release(&job.call.writer);
    pbti_call_end(&job.call);
    return status;
}

static pbt_status no_space(const pbti_job *job, size_t needed, size_t cap,
                           size_t *len) {
    *len = needed;
    return pbti_fail(job->call.error, PBT_ERR_NO_SPACE, 0, NULL,
                     "the output takes %zu bytes; there are %zu", needed, cap);
}

/* The loop stopped where the space ended. What is needed is for the size loop
 * to say, which also finds what is wrong in the rest of the message. */
static pbt_status count_needed(pbti_job *job, size_t cap, size_t *len) {
    size_t needed = 0;
    pbt_status status = pbti_job_size(job, &needed);
    return status == PBT_OK ? no_space(job, needed, cap, len) : status;
}

static pbt_status marshal_fixed(pbti_job *job, uint8_t *out, size_t cap,
                                size_t *len) {
    uint8_t spare[PBTI_SPARE_SIZE];
    pbti_writer *writer = &job->call.writer;
    /* Without room in `out`, all would go to the spare block. */
    bool is_small = cap < PBTI_ROOM;
    uint8_t *p = pbti_writer_start(writer, is_small ? spare : out,
                                   is_small ? sizeof spare : cap);
    uint64_t total;
    pbt_status status;
    writer->fixed = true;
    writer->spare = is_small ? NULL : spare;
    status = pbti_job_marshal(job, &p);
    if (status == PBT_ERR_NO_SPACE)
        return count_needed(job, cap, len);
    if (status != PBT_OK)
        return status;
    total = pbti_writer_total(writer, p);
    if (total > cap)
        return no_space(job, (size_t) total, cap, len);
    pbti_writer_gather(writer, p, out);
    *len = (size_t) total;
    return PBT_OK;
}

pbt_status pbt_marshal_into(const ProtobufCMessage *msg,
                            const pbt_options *options, void *out, size_t cap,
                            size_t *len) {
    pbti_job job;
    pbt_status status;
    bool by_reflection;
    if (len)
        *len = 0;
    status = pbti_job_start(&job, msg, options, len, "len");
    if (status != PBT_OK)
        return status;
    if (!out && cap > 0)
        return pbti_fail(job.call.error, PBT_ERR_ARGUMENT, 0, NULL,
                         "out is NULL and cap is not 0");
    by_reflection = !job.table;
    if (job.table) {
        status = marshal_fixed(&job, out, cap, len);
        by_reflection = status == PBT_ERR_NO_MEMORY;
    }
    pbti_writer_release(&job.call.writer);
    pbti_call_end(&job.call);
    if (!by_reflection)
        return status;
    return pbt_reflect_marshal_into(&pbt_reflection_protobuf_c, msg, options,
                                    out, cap, len);
}
