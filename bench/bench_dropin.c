/* bench_dropin.c - the drop-in library beside the original: the same messages
 * and the same calls, by way of either library, in turn.
 *
 *   pbturbo-bench-dropin LIBRARY [DATASET...]
 *
 * Types that are made at run time are left out: the drop-in library has no
 * tables for them. The results are compared before any clock runs.
 */
#include "bench_data.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { N_ROUNDS = 15 };

static const double round_ns = 4e6;

typedef struct library {
    size_t (*size)(const ProtobufCMessage *);
    size_t (*pack)(const ProtobufCMessage *, uint8_t *);
    size_t (*pack_to_buffer)(const ProtobufCMessage *, ProtobufCBuffer *);
    protobuf_c_boolean (*check)(const ProtobufCMessage *);
    ProtobufCMessage *(*unpack)(const ProtobufCMessageDescriptor *,
                                ProtobufCAllocator *, size_t, const uint8_t *);
    void (*free_unpacked)(ProtobufCMessage *, ProtobufCAllocator *);
} library;

/* What a pass works on. */
typedef struct work {
    const library *calls;
    const bench_dataset *dataset;
    uint8_t *buffer;
    size_t used;
} work;

typedef uint64_t pass(work *w);

static const library original = {
    protobuf_c_message_get_packed_size, protobuf_c_message_pack,
    protobuf_c_message_pack_to_buffer,  protobuf_c_message_check,
    protobuf_c_message_unpack,          protobuf_c_message_free_unpacked};

static uint64_t pass_size(work *w) {
    uint64_t sum = 0;
    for (size_t i = 0; i < w->dataset->n; i++)
        sum = bench_fold(sum, w->calls->size(w->dataset->structs[i]));
    return sum;
}

/* As programs do it: the size is for the allocation. */
static uint64_t pass_pack(work *w) {
    uint64_t sum = 0;
    for (size_t i = 0; i < w->dataset->n; i++) {
        const ProtobufCMessage *message = w->dataset->structs[i];
        sum = bench_fold(sum, w->calls->size(message));
        sum = bench_fold(sum, w->calls->pack(message, w->buffer));
    }
    return sum;
}

typedef struct collector {
    ProtobufCBuffer base;
    work *work;
} collector;

static void collect(ProtobufCBuffer *buffer, size_t len, const uint8_t *data) {
    work *w = ((collector *) buffer)->work;
    memcpy(w->buffer + w->used, data, len);
    w->used += len;
}

static uint64_t pass_buffer(work *w) {
    collector c = {{collect}, w};
    uint64_t sum = 0;
    for (size_t i = 0; i < w->dataset->n; i++) {
        w->used = 0;
        sum = bench_fold(
            sum, w->calls->pack_to_buffer(w->dataset->structs[i], &c.base));
    }
    return sum;
}

static uint64_t pass_check(work *w) {
    uint64_t sum = 0;
    for (size_t i = 0; i < w->dataset->n; i++)
        sum =
            bench_fold(sum, (uint64_t) w->calls->check(w->dataset->structs[i]));
    return sum;
}

static uint64_t pass_unpack(work *w) {
    uint64_t sum = 0;
    for (size_t i = 0; i < w->dataset->n; i++) {
        const bench_bytes *bytes = &w->dataset->plain[i];
        ProtobufCMessage *message =
            w->calls->unpack(w->dataset->type, NULL, bytes->len, bytes->data);
        sum = bench_fold(sum, message != NULL);
        w->calls->free_unpacked(message, NULL);
    }
    return sum;
}

static const struct {
    const char *name;
    pass *run;
} ops[] = {
    {"size", pass_size},          {"size+pack", pass_pack},
    {"to_buffer", pass_buffer},   {"check", pass_check},
    {"unpack+free", pass_unpack},
};

enum { N_OPS = sizeof ops / sizeof *ops };

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec * 1e9 + (double) now.tv_nsec;
}

static double time_passes(pass *run, work *w, size_t n) {
    double start = now_ns();
    for (size_t i = 0; i < n; i++)
        run(w);
    return (now_ns() - start) / (double) n;
}

/* The least time of a pass of each, in rounds that take turns. */
static void compare(pass *run, work works[2], double least[2]) {
    size_t n[2];
    for (size_t side = 0; side < 2; side++) {
        double once = time_passes(run, &works[side], 3);
        least[side] = once;
        n[side] = once < round_ns ? (size_t) (round_ns / once) + 1 : 1;
    }
    for (size_t i = 0; i < (size_t) N_ROUNDS; i++) {
        for (size_t side = 0; side < 2; side++) {
            double ns = time_passes(run, &works[side], n[side]);
            least[side] = ns < least[side] ? ns : least[side];
        }
    }
}

static bool is_same(const bench_dataset *dataset, work *w) {
    collector c = {{collect}, w};
    for (size_t i = 0; i < dataset->n; i++) {
        const bench_bytes *want = &dataset->plain[i];
        const ProtobufCMessage *message = dataset->structs[i];
        if (w->calls->size(message) != want->len ||
            w->calls->pack(message, w->buffer) != want->len ||
            memcmp(w->buffer, want->data, want->len) != 0)
            return false;
        w->used = 0;
        memset(w->buffer, 0, want->len);
        if (w->calls->pack_to_buffer(message, &c.base) != want->len ||
            w->used != want->len ||
            memcmp(w->buffer, want->data, want->len) != 0)
            return false;
    }
    return true;
}

static bool measure(const bench_dataset *dataset, const library *dropin) {
    uint8_t *buffer = bench_alloc(dataset->largest + 1, 1);
    work works[2] = {{&original, dataset, buffer, 0},
                     {dropin, dataset, buffer, 0}};
    bool same = is_same(dataset, &works[1]);
    printf("| %s |", dataset->name);
    for (size_t op = 0; same && op < N_OPS; op++) {
        double least[2];
        if (ops[op].run == pass_unpack && dropin->unpack == NULL)
            continue;
        compare(ops[op].run, works, least);
        printf(" %.0f / %.0f = %.2f |", least[0], least[1],
               least[0] / least[1]);
        fflush(stdout);
    }
    puts(same ? "" : " differs");
    free(buffer);
    return same;
}

static bool find(void *handle, const char *name, void *call, size_t size) {
    void *found = dlsym(handle, name);
    memcpy(call, &found, size);
    return found != NULL;
}

static bool open_library(const char *path, library *l) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL)
        return false;
    find(handle, "protobuf_c_message_unpack", &l->unpack, sizeof l->unpack);
    find(handle, "protobuf_c_message_free_unpacked", &l->free_unpacked,
         sizeof l->free_unpacked);
    return find(handle, "protobuf_c_message_get_packed_size", &l->size,
                sizeof l->size) &&
           find(handle, "protobuf_c_message_pack", &l->pack, sizeof l->pack) &&
           find(handle, "protobuf_c_message_pack_to_buffer", &l->pack_to_buffer,
                sizeof l->pack_to_buffer) &&
           find(handle, "protobuf_c_message_check", &l->check, sizeof l->check);
}

static bool is_wanted(const char *name, char **names, int n) {
    for (int i = 0; i < n; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return n == 0;
}

static bool run_source(const bench_source *source, const library *dropin) {
    const bench_wanted wanted = {1, true, BENCH_DATASETS_DIR};
    bench_dataset dataset;
    const char *why = NULL;
    bool good = true;
    if (bench_dataset_open(source, &wanted, &dataset, &why))
        good = measure(&dataset, dropin);
    else
        printf("| %s | %s |\n", source->name, why);
    bench_dataset_close(&dataset);
    return good;
}

int main(int argc, char **argv) {
    library dropin = {NULL, NULL, NULL, NULL, NULL, NULL};
    int result = 0;
    if (argc < 2 || !open_library(argv[1], &dropin)) {
        fprintf(stderr, "usage: pbturbo-bench-dropin LIBRARY [DATASET...]\n");
        return 2;
    }
    printf("ns of the original / of %s\n| dataset |", argv[1]);
    for (size_t op = 0; op < N_OPS; op++)
        printf(" %s |", ops[op].name);
    puts("");
    for (const bench_source *s = bench_sources; s->name != NULL; s++)
        if (s->type != NULL && is_wanted(s->name, argv + 2, argc - 2) &&
            !run_source(s, &dropin))
            result = 1;
    return result;
}
