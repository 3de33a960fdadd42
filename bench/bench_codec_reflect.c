/* bench_codec_reflect.c - pbturbo's reflection road, called by name. */
#include "bench.h"
#include "bench_wire.h"

#include <stdlib.h>

#include <pbturbo/pbturbo.h>

struct marshaler {
    const bench_dataset *dataset;
    pbt_buffer buffer;
};

static void release(void *objects) {
    struct marshaler *marshaler = objects;
    pbt_buffer_free(&marshaler->buffer);
    free(marshaler);
}

static void *prepare(const bench_dataset *dataset, const char **why) {
    (void) why;
    struct marshaler *marshaler = bench_alloc(1, sizeof *marshaler);
    marshaler->dataset = dataset;
    return marshaler;
}

static bool output(void *objects, size_t i, bench_bytes *bytes,
                   const char **why) {
    struct marshaler *marshaler = objects;
    pbt_status status = pbt_reflect_marshal(&pbt_reflection_protobuf_c,
                                            marshaler->dataset->structs[i],
                                            NULL, &marshaler->buffer);
    if (status != PBT_OK)
        *why = pbt_status_name(status);
    bytes->data = marshaler->buffer.data;
    bytes->len = marshaler->buffer.len;
    return status == PBT_OK;
}

static uint64_t marshal_all(void *objects) {
    struct marshaler *marshaler = objects;
    pbt_buffer *buffer = &marshaler->buffer;
    uint64_t sum = 0;
    for (size_t i = 0; i < marshaler->dataset->n; i++) {
        if (pbt_reflect_marshal(&pbt_reflection_protobuf_c,
                                marshaler->dataset->structs[i], NULL,
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
        if (pbt_reflect_size(&pbt_reflection_protobuf_c, dataset->structs[i],
                             NULL, &size) != PBT_OK)
            return 0;
        sum = bench_fold(sum, size);
    }
    return sum;
}

static uint64_t check_all(void *objects) {
    const bench_dataset *dataset = ((struct marshaler *) objects)->dataset;
    uint64_t sum = 0;
    for (size_t i = 0; i < dataset->n; i++) {
        pbt_status status = pbt_reflect_check_required(
            &pbt_reflection_protobuf_c, dataset->structs[i], NULL);
        sum = bench_fold(sum, status == PBT_OK);
    }
    return sum;
}

const bench_codec bench_codec_pbturbo_reflect = {
    .name = "pbturbo-reflect",
    .prepare = prepare,
    .release = release,
    .output = output,
    .pass = {marshal_all, size_all, check_all}};
