/* bench_codec_protobuf_c.c - the peer whose bytes are the reference. */
#include "bench.h"
#include "bench_wire.h"

#include <stdlib.h>

struct packer {
    const bench_dataset *dataset;
    uint8_t *buffer;
    size_t capacity;
};

static void release(void *objects) {
    struct packer *packer = objects;
    free(packer->buffer);
    free(packer);
}

static void *prepare(const bench_dataset *dataset, const char **why) {
    (void) why;
    struct packer *packer = bench_alloc(1, sizeof *packer);
    packer->dataset = dataset;
    return packer;
}

/* What a user has to do: ask for the size, provide room, pack. */
static inline size_t pack(struct packer *packer, size_t i) {
    const ProtobufCMessage *message = packer->dataset->structs[i];
    size_t size = protobuf_c_message_get_packed_size(message);
    if (size > packer->capacity) {
        packer->capacity = size;
        packer->buffer = bench_grow(packer->buffer, size, 1);
    }
    return protobuf_c_message_pack(message, packer->buffer);
}

static bool output(void *objects, size_t i, bench_bytes *bytes,
                   const char **why) {
    (void) why;
    struct packer *packer = objects;
    bytes->len = pack(packer, i);
    bytes->data = packer->buffer;
    return true;
}

static uint64_t marshal_all(void *objects) {
    struct packer *packer = objects;
    uint64_t sum = 0;
    for (size_t i = 0; i < packer->dataset->n; i++) {
        size_t len = pack(packer, i);
        sum = bench_fold_bytes(sum, packer->buffer, len);
    }
    return sum;
}

static uint64_t size_all(void *objects) {
    const bench_dataset *dataset = ((struct packer *) objects)->dataset;
    uint64_t sum = 0;
    for (size_t i = 0; i < dataset->n; i++) {
        size_t size = protobuf_c_message_get_packed_size(dataset->structs[i]);
        sum = bench_fold(sum, size);
    }
    return sum;
}

static uint64_t check_all(void *objects) {
    const bench_dataset *dataset = ((struct packer *) objects)->dataset;
    uint64_t sum = 0;
    for (size_t i = 0; i < dataset->n; i++) {
        bool complete = protobuf_c_message_check(dataset->structs[i]);
        sum = bench_fold(sum, complete);
    }
    return sum;
}

const bench_codec bench_codec_protobuf_c = {
    .name = "protobuf-c",
    .version = protobuf_c_version,
    .prepare = prepare,
    .release = release,
    .output = output,
    .pass = {marshal_all, size_all, check_all}};
