/* facade_stream.c - marshal to a sink, to protobuf-c's virtual buffer, and to
 * a vector for writev. Large fields are passed on where they lie in the
 * message; what is handed out is in order, although it was written from the
 * end. */
#include <pbturbo/marshal.h>
#include <pbturbo/reflect.h>

#include "base_alloc.h"
#include "base_error.h"
#include "facade.h"

/* The pieces of an output in order: the current one first, then the others
 * from the last to the first. */
static pbti_piece piece_at(const pbti_writer *writer, const uint8_t *p,
                           size_t i) {
    if (i == 0)
        return (pbti_piece){.data = p, .len = (size_t) (writer->end - p)};
    return writer->pieces[writer->n_pieces - i];
}

static pbt_status write_piece(const pbti_job *job, pbt_sink *sink,
                              const void *data, size_t len) {
    pbt_status answer = len > 0 ? sink->write(sink, data, len) : PBT_OK;
    if (answer == PBT_OK)
        return PBT_OK;
    return pbti_fail(job->call.error, PBT_ERR_SINK, 0, NULL,
                     "the sink refused %zu bytes with %s", len,
                     pbt_status_name(answer));
}

static pbt_status write_pieces(const pbti_job *job, const uint8_t *p,
                               pbt_sink *sink) {
    const pbti_writer *writer = &job->call.writer;
    pbt_status status = PBT_OK;
    size_t i;
    for (i = 0; status == PBT_OK && i <= writer->n_pieces; i++) {
        pbti_piece piece = piece_at(writer, p, i);
        status = write_piece(job, sink, piece.data, piece.len);
    }
    return status;
}

static pbt_status sink_by_reflection(const pbti_job *job, pbt_sink *sink) {
    pbt_buffer output = {0};
    pbt_status status = pbt_reflect_marshal(&pbt_reflection_protobuf_c,
                                            job->msg, job->options, &output);
    if (status == PBT_OK)
        status = write_piece(job, sink, output.data, output.len);
    pbt_buffer_free(&output);
    return status;
}

static pbt_status sink_by_table(pbti_job *job, pbt_sink *sink) {
    uint8_t first_block[PBTI_SPARE_SIZE];
    pbti_writer *writer = &job->call.writer;
    uint8_t *p = pbti_writer_start(writer, first_block, sizeof first_block);
    pbt_status status;
    writer->by_reference = true;
    status = pbti_job_marshal(job, &p);
    if (status == PBT_OK)
        status = write_pieces(job, p, sink);
    pbti_writer_release(writer);
    return status;
}

pbt_status pbt_marshal_to_sink(const ProtobufCMessage *msg,
                               const pbt_options *options, pbt_sink *sink) {
    pbti_job job;
    pbt_status status;
    status = pbti_job_start(&job, msg, options, sink, "the sink");
    if (status != PBT_OK)
        return status;
    if (!sink->write)
        return pbti_fail(job.call.error, PBT_ERR_ARGUMENT, 0, NULL,
                         "the sink has no write function");
    status =
        job.table ? sink_by_table(&job, sink) : sink_by_reflection(&job, sink);
    pbti_call_end(&job.call);
    return status;
}

/* A sink over protobuf-c's buffer. */
typedef struct buffer_sink {
    pbt_sink base;
    ProtobufCBuffer *buffer;
} buffer_sink;

static pbt_status append_to_buffer(pbt_sink *sink, const void *data,
                                   size_t len) {
    ProtobufCBuffer *buffer = ((buffer_sink *) sink)->buffer;
    buffer->append(buffer, len, data);
    return PBT_OK;
}

pbt_status pbt_marshal_to_buffer(const ProtobufCMessage *msg,
                                 const pbt_options *options,
                                 ProtobufCBuffer *buffer) {
    buffer_sink sink = {{append_to_buffer}, buffer};
    return pbt_marshal_to_sink(msg, options, buffer ? &sink.base : NULL);
}

/* The number of vector elements: one for each reference, and one for each run
 * of copied bytes between them. */
static size_t count_elements(const pbti_writer *writer, const uint8_t *p) {
    bool in_run = false;
    size_t n = 0, i;
    for (i = 0; i <= writer->n_pieces; i++) {
        pbti_piece piece = piece_at(writer, p, i);
        if (piece.len == 0)
            continue;
        if (piece.is_reference || !in_run)
            n++;
        in_run = !piece.is_reference;
    }
    return n;
}

static size_t count_copied(const pbti_writer *writer, const uint8_t *p) {
    size_t n = 0, i;
    for (i = 0; i <= writer->n_pieces; i++) {
        pbti_piece piece = piece_at(writer, p, i);
        if (!piece.is_reference)
            n += piece.len;
    }
    return n;
}

static void *writable(const void *data) {
    union {
        const void *in;
        void *out; /* struct iovec serves readv too */
    } pointer = {data};
    return pointer.out;
}

/* Fills the vector. What is not a reference is copied to `to`, or left where it
 * is when that is NULL. */
static void fill_vector(const pbti_writer *writer, const uint8_t *p,
                        struct iovec *vec, uint8_t *to) {
    bool in_run = false;
    size_t n = 0, i;
    for (i = 0; i <= writer->n_pieces; i++) {
        pbti_piece piece = piece_at(writer, p, i);
        if (piece.len == 0)
            continue;
        if (to && !piece.is_reference) {
            memcpy(to, piece.data, piece.len);
            piece.data = to;
            to += piece.len;
        }
        if (piece.is_reference || !in_run)
            vec[n++] = (struct iovec){writable(piece.data), piece.len};
        else
            vec[n - 1].iov_len += piece.len;
        in_run = !piece.is_reference;
    }
}

/* Puts the vector, and the bytes that are not references, into the scratch
 * buffer: the vector at the start of the block when the bytes are all in its
 * rest already, else both in a new block. */
static pbt_status keep_vector(pbti_job *job, pbt_buffer *scratch,
                              const uint8_t *p, struct iovec **vec, size_t *n) {
    const pbti_writer *writer = &job->call.writer;
    size_t elements = count_elements(writer, p);
    size_t vec_size = elements * sizeof **vec;
    size_t capacity = 2 * (vec_size + count_copied(writer, p)) + PBTI_ROOM;
    uint8_t *block = scratch->block;
    if (elements == 0)
        return PBT_OK;
    if (writer->block || !block || (size_t) (p - block) < vec_size) {
        block = pbti_alloc(writer->allocator, capacity);
        if (!block)
            return pbti_job_fail(job, PBT_ERR_NO_MEMORY);
        fill_vector(writer, p, (struct iovec *) (void *) block,
                    block + vec_size);
        pbti_free(scratch->allocator, scratch->block);
        scratch->block = block;
        scratch->capacity = capacity;
        scratch->allocator = writer->allocator;
    } else {
        fill_vector(writer, p, (struct iovec *) (void *) block, NULL);
    }
    *vec = (struct iovec *) (void *) block;
    *n = elements;
    return PBT_OK;
}

pbt_status pbt_marshal_iovec(const ProtobufCMessage *msg,
                             const pbt_options *options, pbt_buffer *scratch,
                             struct iovec **vec, size_t *n) {
    pbti_job job;
    pbti_writer *writer = &job.call.writer;
    uint8_t *p;
    pbt_status status;
    if (vec)
        *vec = NULL;
    if (n)
        *n = 0;
    status = pbti_job_start(&job, msg, options, vec && n ? scratch : NULL,
                            "scratch, vec or n");
    if (status != PBT_OK)
        return status;
    scratch->data = NULL;
    scratch->len = 0;
    if (scratch->block)
        writer->allocator = scratch->allocator;
    p = pbti_writer_start(writer, scratch->block,
                          scratch->block ? scratch->capacity : 0);
    writer->by_reference = job.table != NULL;
    status = job.table ? pbti_job_marshal(&job, &p) : pbti_job_copy(&job, &p);
    if (status == PBT_OK)
        status = keep_vector(&job, scratch, p, vec, n);
    pbti_writer_release(writer);
    pbti_call_end(&job.call);
    return status;
}
