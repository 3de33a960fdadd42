/* bench_codec_go.c - Go protobuf, in a process of its own (go/go_peer.go): the
 * wire, and JSON. */
#include "bench_peer.h"

#include <pbturbo/json.h>

static char program[] = BENCH_GO_PROGRAM;
static char *const arguments[] = {program, NULL};
static bench_peer peer = {.arguments = arguments};

static void release(void *objects) {
    (void) objects;
}

static void *prepare(const bench_dataset *dataset, const char **why) {
    bool loaded = bench_peer_load(&peer, dataset->type->name, dataset->messages,
                                  dataset->n, why);
    return loaded ? &peer : NULL;
}

static bool output(void *objects, size_t i, bench_bytes *bytes,
                   const char **why) {
    return bench_peer_ask(objects, 'O', i, bytes, why);
}

static bool reparse(void *objects, size_t i, bench_bytes *bytes,
                    const char **why) {
    return bench_peer_ask(objects, 'P', i, bytes, why);
}

static uint64_t run(void *objects, bench_op op, uint64_t n, double *ns) {
    return bench_peer_run(objects, op, n, ns);
}

static const char *version(void) {
    return bench_peer_version(&peer);
}

const bench_codec bench_codec_go = {.name = "go",
                                    .version = version,
                                    .prepare = prepare,
                                    .release = release,
                                    .output = output,
                                    .reparse = reparse,
                                    .run = run};

/* It has the messages that are marshaled too; only the options are more. */
static void *prepare_json(const bench_dataset *dataset, const char **why) {
    bench_bytes ignored;
    uint32_t flags = dataset->json_flags;
    size_t options = ((flags & PBT_JSON_PROTO_NAMES) != 0) |
                     ((flags & PBT_JSON_EMIT_DEFAULTS) != 0) << 1;
    if (prepare(dataset, why) == NULL ||
        !bench_peer_ask(&peer, 'F', options, &ignored, why))
        return NULL;
    return &peer;
}

static bool print(void *objects, size_t i, bench_bytes *text,
                  const char **why) {
    return bench_peer_ask(objects, 'J', i, text, why);
}

static bool read_json(void *objects, const bench_bytes *text,
                      bench_bytes *bytes, const char **why) {
    return bench_peer_convert(objects, 'U', text, bytes, why);
}

const bench_codec bench_codec_go_json = {.name = "go-json",
                                         .prepare = prepare_json,
                                         .release = release,
                                         .print = print,
                                         .read = read_json,
                                         .run = run};
