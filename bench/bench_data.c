/* bench_data.c - the list of datasets, and how one comes to be.
 *
 * Whatever the origin, messages are unpacked and packed once by protobuf-c:
 * what it packs is the reference for every codec.
 */
#include "bench_data.h"

#include <stdlib.h>
#include <string.h>

#include "blobs.pb-c.h"
#include "deep.pb-c.h"
#include "dense.pb-c.h"
#include "dnstap.pb-c.h"
#include "metrics.pb-c.h"
#include "osm.pb-c.h"
#include "parse_tree.pb-c.h"
#include "required.pb-c.h"
#include "sparse.pb-c.h"
#include "strings.pb-c.h"
#include "tile.pb-c.h"

#ifdef BENCH_HAVE_REFERENCE
#include "benchmark_message1_proto2.pb-c.h"
#include "benchmark_message1_proto3.pb-c.h"
#define REFERENCE_TYPE(type) &type
#else
#define REFERENCE_TYPE(type) NULL
#endif

const bench_source bench_sources[] = {
    {.name = "google_message1_proto2",
     .type = REFERENCE_TYPE(benchmarks__proto2__google_message1__descriptor),
     .file = "google_message1/proto2/dataset.google_message1_proto2.pb"},
    {.name = "google_message1_proto3",
     .type = REFERENCE_TYPE(benchmarks__proto3__google_message1__descriptor),
     .file = "google_message1/proto3/dataset.google_message1_proto3.pb"},
    {.name = "tile",
     .type = &bench__tile__tile__descriptor,
     .generate = generate_tile,
     .n_messages = 1},
    {.name = "osm",
     .type = &bench__osm__block__descriptor,
     .generate = generate_osm,
     .n_messages = 6},
    {.name = "parse_tree",
     .type = &bench__parse_tree__node__descriptor,
     .generate = generate_parse_tree,
     .n_messages = 60},
    {.name = "metrics",
     .type = &bench__metrics__export__descriptor,
     .generate = generate_metrics,
     .n_messages = 8},
    {.name = "dnstap",
     .type = &bench__dnstap__event__descriptor,
     .generate = generate_dnstap,
     .n_messages = 1000},
    {.name = "sparse",
     .type = &bench__sparse__sparse__descriptor,
     .generate = generate_sparse,
     .n_messages = 500},
    {.name = "dense",
     .type = &bench__dense__dense__descriptor,
     .generate = generate_dense,
     .n_messages = 500},
    {.name = "strings",
     .type = &bench__strings__strings__descriptor,
     .generate = generate_strings,
     .n_messages = 500},
    {.name = "blobs",
     .type = &bench__blobs__store__descriptor,
     .generate = generate_blobs,
     .n_messages = 8,
     .has_large_fields = true},
    {.name = "deep",
     .type = &bench__deep__level__descriptor,
     .generate = generate_deep,
     .n_messages = 8},
    {.name = "required",
     .type = &bench__required__node__descriptor,
     .generate = generate_required,
     .n_messages = 40},
    {.name = NULL}};

_Static_assert(sizeof bench_sources / sizeof *bench_sources <=
                   BENCH_MAX_SOURCES,
               "bench_args marks datasets in an array of this size");

uint64_t bench_checksum(uint64_t sum, const uint8_t *data, size_t len) {
    for (size_t i = 0; i < len; i++)
        sum = (sum ^ data[i]) * UINT64_C(0x100000001b3);
    return sum;
}

static void generate_messages(const bench_source *source, uint64_t seed,
                              bench_dataset *dataset) {
    const uint8_t *name = (const uint8_t *) source->name;
    bench_random random = {bench_checksum(seed, name, strlen(source->name))};
    dataset->n = source->n_messages;
    dataset->messages = bench_alloc(dataset->n, sizeof *dataset->messages);
    for (size_t i = 0; i < dataset->n; i++) {
        wire_writer out = {NULL, 0, 0};
        source->generate(source->type, i, &random, &out);
        dataset->messages[i].data = out.data;
        dataset->messages[i].len = out.len;
    }
}

static bool unpack_messages(bench_dataset *dataset) {
    dataset->structs = bench_alloc(dataset->n, sizeof *dataset->structs);
    for (size_t i = 0; i < dataset->n; i++) {
        const bench_bytes *bytes = &dataset->messages[i];
        dataset->structs[i] = protobuf_c_message_unpack(
            dataset->type, NULL, bytes->len, bytes->data);
        if (dataset->structs[i] == NULL)
            return false;
    }
    return true;
}

static void pack_messages(bench_dataset *dataset) {
    for (size_t i = 0; i < dataset->n; i++) {
        bench_bytes *bytes = &dataset->messages[i];
        const ProtobufCMessage *message = dataset->structs[i];
        bytes->len = protobuf_c_message_get_packed_size(message);
        bytes->data =
            bench_grow(bytes->data, bytes->len == 0 ? 1 : bytes->len, 1);
        protobuf_c_message_pack(message, bytes->data);
        dataset->total += bytes->len;
        if (bytes->len > dataset->largest)
            dataset->largest = bytes->len;
    }
}

static bool get_messages(const bench_source *source, uint64_t seed,
                         const char *folder, bench_dataset *dataset,
                         const char **why) {
    if (source->generate != NULL) {
        generate_messages(source, seed, dataset);
        return true;
    }
    return bench_file_read(folder, source->file, dataset, why);
}

bool bench_dataset_open(const bench_source *source, uint64_t seed,
                        const char *folder, bench_dataset *dataset,
                        const char **why) {
    memset(dataset, 0, sizeof *dataset);
    if (source->type == NULL) {
        *why = "its schema was not there when this program was built (run "
               "scripts/datasets, then configure and build again)";
        return false;
    }
    dataset->name = source->name;
    dataset->type = source->type;
    dataset->has_large_fields = source->has_large_fields;
    if (!get_messages(source, seed, folder, dataset, why))
        return false;
    if (!unpack_messages(dataset)) {
        *why = "protobuf-c cannot unpack it";
        bench_dataset_close(dataset);
        return false;
    }
    pack_messages(dataset);
    return true;
}

void bench_dataset_close(bench_dataset *dataset) {
    for (size_t i = 0; i < dataset->n; i++) {
        free(dataset->messages[i].data);
        if (dataset->structs != NULL)
            protobuf_c_message_free_unpacked(dataset->structs[i], NULL);
    }
    free(dataset->messages);
    free(dataset->structs);
    memset(dataset, 0, sizeof *dataset);
}
