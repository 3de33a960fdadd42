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
static inline size_t pack(struct packer *packer,
                          const ProtobufCMessage *message) {
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
    bytes->len = pack(packer, packer->dataset->structs[i]);
    bytes->data = packer->buffer;
    return true;
}

static uint64_t marshal_all(void *objects) {
    struct packer *packer = objects;
    uint64_t sum = 0;
    for (size_t i = 0; i < packer->dataset->n; i++) {
        size_t len = pack(packer, packer->dataset->structs[i]);
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

static ProtobufCMessage *unpack(const bench_dataset *dataset, size_t i) {
    return protobuf_c_message_unpack(dataset->type, NULL, dataset->plain[i].len,
                                     dataset->plain[i].data);
}

static bool reparse(void *objects, size_t i, bench_bytes *bytes,
                    const char **why) {
    struct packer *packer = objects;
    ProtobufCMessage *message = unpack(packer->dataset, i);
    *why = "protobuf_c_message_unpack failed";
    if (message == NULL)
        return false;
    bytes->len = pack(packer, message);
    bytes->data = packer->buffer;
    protobuf_c_message_free_unpacked(message, NULL);
    return true;
}

static uint64_t unmarshal_all(void *objects) {
    const bench_dataset *dataset = ((struct packer *) objects)->dataset;
    uint64_t sum = 0;
    for (size_t i = 0; i < dataset->n; i++) {
        ProtobufCMessage *message = unpack(dataset, i);
        sum = bench_fold(sum, message != NULL);
        protobuf_c_message_free_unpacked(message, NULL);
    }
    return sum;
}

const bench_codec bench_codec_protobuf_c = {
    .name = "protobuf-c",
    .is_plain = true,
    .version = protobuf_c_version,
    .prepare = prepare,
    .release = release,
    .output = output,
    .reparse = reparse,
    .pass = {marshal_all, size_all, check_all, unmarshal_all}};
