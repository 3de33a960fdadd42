/* bench_codec_pbturbo.c - the library itself, through its public interface,
 * with default options: the required check is part of marshal. */
#include "bench.h"
#include "bench_wire.h"

#include <stdlib.h>
#include <string.h>

#include <pbturbo/pbturbo.h>

struct marshaler {
    const bench_dataset *dataset;
    pbt_buffer buffer;
    pbt_buffer flat; /* the pieces of an iovec, put together */
    pbt_arena *arena;
    const pbt_options *options; /* of marshal */
    const pbt_options *reading; /* of unmarshal */
};

static void release(void *objects) {
    struct marshaler *marshaler = objects;
    pbt_buffer_free(&marshaler->buffer);
    free(marshaler->flat.data);
    pbt_arena_free(marshaler->arena);
    free(marshaler);
}

static void *prepare(const bench_dataset *dataset, const char **why) {
    pbt_status status = pbt_prepare(dataset->type, NULL);
    if (status != PBT_OK) {
        *why = pbt_status_name(status);
        return NULL;
    }
    struct marshaler *marshaler = bench_alloc(1, sizeof *marshaler);
    marshaler->dataset = dataset;
    marshaler->arena = pbt_arena_new(NULL, 0);
    return marshaler;
}

static bool report(pbt_status status, const char **why) {
    if (status != PBT_OK)
        *why = pbt_status_name(status);
    return status == PBT_OK;
}

static bool output(void *objects, size_t i, bench_bytes *bytes,
                   const char **why) {
    struct marshaler *marshaler = objects;
    pbt_status status = pbt_marshal(marshaler->dataset->structs[i],
                                    marshaler->options, &marshaler->buffer);
    bytes->data = marshaler->buffer.data;
    bytes->len = marshaler->buffer.len;
    return report(status, why);
}

static uint64_t marshal_all(void *objects) {
    struct marshaler *marshaler = objects;
    pbt_buffer *buffer = &marshaler->buffer;
    uint64_t sum = 0;
    for (size_t i = 0; i < marshaler->dataset->n; i++) {
        if (pbt_marshal(marshaler->dataset->structs[i], marshaler->options,
                        buffer) != PBT_OK)
            return 0;
        sum = bench_fold_bytes(sum, buffer->data, buffer->len);
    }
    return sum;
}

static uint64_t size_all(void *objects) {
    const bench_dataset *dataset = ((struct marshaler *) objects)->dataset;
    uint64_t sum = 0;
    for (size_t i = 0; i < dataset->n; i++) {
        size_t size;
        if (pbt_size(dataset->structs[i], NULL, &size) != PBT_OK)
            return 0;
        sum = bench_fold(sum, size);
    }
    return sum;
}

static uint64_t check_all(void *objects) {
    const bench_dataset *dataset = ((struct marshaler *) objects)->dataset;
    uint64_t sum = 0;
    for (size_t i = 0; i < dataset->n; i++) {
        pbt_status status = pbt_check_required(dataset->structs[i], NULL);
        sum = bench_fold(sum, status == PBT_OK);
    }
    return sum;
}

static pbt_status parse(struct marshaler *marshaler, size_t i,
                        ProtobufCMessage **message) {
    const bench_dataset *dataset = marshaler->dataset;
    const bench_bytes *bytes = &dataset->messages[i];
    pbt_arena_reset(marshaler->arena);
    return pbt_unmarshal(dataset->type, bytes->data, bytes->len,
                         marshaler->reading, marshaler->arena, message);
}

static bool reparse(void *objects, size_t i, bench_bytes *bytes,
                    const char **why) {
    struct marshaler *marshaler = objects;
    ProtobufCMessage *message;
    pbt_status status = parse(marshaler, i, &message);
    if (status == PBT_OK)
        status = pbt_marshal(message, NULL, &marshaler->buffer);
    bytes->data = marshaler->buffer.data;
    bytes->len = marshaler->buffer.len;
    return report(status, why);
}

static uint64_t unmarshal_all(void *objects) {
    struct marshaler *marshaler = objects;
    uint64_t sum = 0;
    for (size_t i = 0; i < marshaler->dataset->n; i++) {
        ProtobufCMessage *message;
        sum = bench_fold(sum, parse(marshaler, i, &message) == PBT_OK);
    }
    pbt_arena_reset(marshaler->arena);
    return sum;
}

/* None at all where the dataset has no flags. */
static const pbt_json_options *json_options(const bench_dataset *dataset,
                                            pbt_json_options *options) {
    if (dataset->json_flags == 0)
        return NULL;
    *options = (pbt_json_options){.flags = dataset->json_flags};
    return options;
}

static bool print(void *objects, size_t i, bench_bytes *text,
                  const char **why) {
    struct marshaler *marshaler = objects;
    pbt_json_options options;
    pbt_status status = pbt_marshal_json(
        marshaler->dataset->structs[i],
        json_options(marshaler->dataset, &options), &marshaler->buffer);
    text->data = marshaler->buffer.data;
    text->len = marshaler->buffer.len;
    return report(status, why);
}

static uint64_t print_all(void *objects) {
    struct marshaler *marshaler = objects;
    pbt_json_options flags;
    const pbt_json_options *options = json_options(marshaler->dataset, &flags);
    pbt_buffer *buffer = &marshaler->buffer;
    uint64_t sum = 0;
    for (size_t i = 0; i < marshaler->dataset->n; i++) {
        if (pbt_marshal_json(marshaler->dataset->structs[i], options, buffer) !=
            PBT_OK)
            return 0;
        sum = bench_fold_bytes(sum, buffer->data, buffer->len);
    }
    return sum;
}

const bench_codec bench_codec_pbturbo = {
    .name = "pbturbo",
    .version = pbt_version,
    .prepare = prepare,
    .release = release,
    .output = output,
    .reparse = reparse,
    .print = print,
    .pass = {marshal_all, size_all, check_all, unmarshal_all, print_all}};

static void *prepare_with(const bench_dataset *dataset,
                          const pbt_options *options, const char **why) {
    struct marshaler *marshaler = prepare(dataset, why);
    if (marshaler != NULL)
        marshaler->options = options;
    return marshaler;
}

static void *prepare_checked(const bench_dataset *dataset, const char **why) {
    static const pbt_options options = {.flags = 0};
    return prepare_with(dataset, &options, why);
}

static void *prepare_partial(const bench_dataset *dataset, const char **why) {
    static const pbt_options options = {.flags = PBT_ALLOW_PARTIAL};
    return prepare_with(dataset, &options, why);
}

/* What the required check costs is the difference between these two: the
 * default options, and those without it. To give any options costs, too. */
const bench_codec bench_codec_pbturbo_checked = {.name = "pbturbo-checked",
                                                 .is_by_name = true,
                                                 .prepare = prepare_checked,
                                                 .release = release,
                                                 .output = output,
                                                 .pass = {marshal_all}};
const bench_codec bench_codec_pbturbo_partial = {.name = "pbturbo-partial",
                                                 .is_by_name = true,
                                                 .prepare = prepare_partial,
                                                 .release = release,
                                                 .output = output,
                                                 .pass = {marshal_all}};

/* Bytes fields stay in the input. */
static void *prepare_borrow(const bench_dataset *dataset, const char **why) {
    static const pbt_options options = {.flags = PBT_BORROW_BYTES};
    struct marshaler *marshaler =
        dataset->has_large_fields ? prepare(dataset, why) : NULL;
    if (marshaler != NULL)
        marshaler->reading = &options;
    return marshaler;
}

const bench_codec bench_codec_pbturbo_borrow = {
    .name = "pbturbo-borrow",
    .prepare = prepare_borrow,
    .release = release,
    .output = output,
    .reparse = reparse,
    .pass = {[BENCH_UNMARSHAL] = unmarshal_all}};

static void *prepare_iovec(const bench_dataset *dataset, const char **why) {
    return dataset->has_large_fields ? prepare(dataset, why) : NULL;
}

static void flatten(pbt_buffer *flat, const struct iovec *vec, size_t n) {
    flat->len = 0;
    for (size_t i = 0; i < n; i++) {
        flat->data = bench_grow(flat->data, flat->len + vec[i].iov_len, 1);
        memcpy(flat->data + flat->len, vec[i].iov_base, vec[i].iov_len);
        flat->len += vec[i].iov_len;
    }
}

static bool output_iovec(void *objects, size_t i, bench_bytes *bytes,
                         const char **why) {
    struct marshaler *marshaler = objects;
    struct iovec *vec;
    size_t n;
    pbt_status status = pbt_marshal_iovec(marshaler->dataset->structs[i], NULL,
                                          &marshaler->buffer, &vec, &n);
    if (status == PBT_OK)
        flatten(&marshaler->flat, vec, n);
    bytes->data = marshaler->flat.data;
    bytes->len = marshaler->flat.len;
    return report(status, why);
}

/* The same fold as for bytes in one piece. */
static uint64_t fold_pieces(uint64_t sum, const struct iovec *vec, size_t n) {
    if (n == 0)
        return bench_fold_bytes(sum, NULL, 0);
    size_t len = 0;
    for (size_t i = 0; i < n; i++)
        len += vec[i].iov_len;
    const uint8_t *first = vec[0].iov_base;
    const uint8_t *last = vec[n - 1].iov_base;
    uint64_t ends = (uint64_t) first[0] << 8 | last[vec[n - 1].iov_len - 1];
    return bench_fold(sum, (uint64_t) len << 16 | ends);
}

static uint64_t marshal_all_iovec(void *objects) {
    struct marshaler *marshaler = objects;
    const bench_dataset *dataset = marshaler->dataset;
    uint64_t sum = 0;
    for (size_t i = 0; i < dataset->n; i++) {
        struct iovec *vec;
        size_t n;
        if (pbt_marshal_iovec(dataset->structs[i], NULL, &marshaler->buffer,
                              &vec, &n) != PBT_OK)
            return 0;
        sum = fold_pieces(sum, vec, n);
    }
    return sum;
}

const bench_codec bench_codec_pbturbo_iovec = {.name = "pbturbo-iovec",
                                               .prepare = prepare_iovec,
                                               .release = release,
                                               .output = output_iovec,
                                               .pass = {marshal_all_iovec}};
