/* bench_codec_memcpy.c - the floor: copy the bytes that are asked for. */
#include "bench.h"
#include "bench_wire.h"

#include <stdlib.h>
#include <string.h>

struct copies {
    const bench_dataset *dataset;
    uint8_t *buffer;
};

static void release(void *objects) {
    struct copies *copies = objects;
    free(copies->buffer);
    free(copies);
}

static void *prepare(const bench_dataset *dataset, const char **why) {
    (void) why;
    struct copies *copies = bench_alloc(1, sizeof *copies);
    copies->dataset = dataset;
    copies->buffer = bench_alloc(dataset->largest, 1);
    return copies;
}

static bool output(void *objects, size_t i, bench_bytes *bytes,
                   const char **why) {
    (void) why;
    struct copies *copies = objects;
    *bytes = copies->dataset->messages[i];
    memcpy(copies->buffer, bytes->data, bytes->len);
    bytes->data = copies->buffer;
    return true;
}

static uint64_t marshal_all(void *objects) {
    struct copies *copies = objects;
    const bench_bytes *messages = copies->dataset->messages;
    uint64_t sum = 0;
    for (size_t i = 0; i < copies->dataset->n; i++) {
        memcpy(copies->buffer, messages[i].data, messages[i].len);
        sum = bench_fold_bytes(sum, copies->buffer, messages[i].len);
    }
    return sum;
}

const bench_codec bench_codec_memcpy = {.name = "memcpy",
                                        .prepare = prepare,
                                        .release = release,
                                        .output = output,
                                        .pass = {marshal_all}};
