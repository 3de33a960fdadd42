/* bench_codec_node.c - JSON.stringify, and fast-json-stringify on the cases of
 * its own benchmark, each in a process of node (node/node_peer.js). They get
 * the messages as the library's JSON text. */
#include "bench_peer.h"

#include <stdlib.h>
#include <string.h>

#include <pbturbo/pbturbo.h>

static char program[] = BENCH_NODE_PROGRAM;
static char script[] = BENCH_NODE_SCRIPT;
static char plain_name[] = "json-stringify";
static char *const plain_arguments[] = {program, script, plain_name, NULL};
static bench_peer plain_peer = {.arguments = plain_arguments};

static void release(void *objects) {
    (void) objects;
}

/* Stops at the first message that has no text. */
static size_t print_texts(const bench_dataset *dataset, bench_bytes *texts) {
    pbt_json_options options = {.flags = dataset->json_flags};
    size_t i = 0;
    for (; i < dataset->n; i++) {
        pbt_buffer text = {0};
        pbt_status status =
            pbt_marshal_json(dataset->structs[i], &options, &text);
        if (status == PBT_OK) {
            texts[i].data = bench_alloc(text.len, 1);
            texts[i].len = text.len;
            memcpy(texts[i].data, text.data, text.len);
        }
        pbt_buffer_free(&text);
        if (status != PBT_OK)
            break;
    }
    return i;
}

static void *prepare(bench_peer *peer, const bench_dataset *dataset,
                     const char **why) {
    bench_bytes *texts = bench_alloc(dataset->n, sizeof *texts);
    size_t n = print_texts(dataset, texts);
    bool loaded = false;
    *why = "pbturbo has no text of it";
    if (n == dataset->n)
        loaded = bench_peer_load(peer, dataset->name, texts, n, why);
    for (size_t i = 0; i < n; i++)
        free(texts[i].data);
    free(texts);
    return loaded ? peer : NULL;
}

static bool print(void *objects, size_t i, bench_bytes *text,
                  const char **why) {
    return bench_peer_ask(objects, 'J', i, text, why);
}

static uint64_t run(void *objects, bench_op op, uint64_t n, double *ns) {
    return bench_peer_run(objects, op, n, ns);
}

static void *prepare_plain(const bench_dataset *dataset, const char **why) {
    return prepare(&plain_peer, dataset, why);
}

static const char *plain_version(void) {
    return bench_peer_version(&plain_peer);
}

const bench_codec bench_codec_json_stringify = {.name = "json-stringify",
                                                .version = plain_version,
                                                .prepare = prepare_plain,
                                                .release = release,
                                                .print = print,
                                                .run = run};

#ifdef BENCH_NODE_PACKAGES
static char schema_name[] = "fast-json-stringify";
static char packages[] = BENCH_NODE_PACKAGES;
static char *const schema_arguments[] = {program, script, schema_name, packages,
                                         NULL};
static bench_peer schema_peer = {.arguments = schema_arguments};

static void *prepare_schema(const bench_dataset *dataset, const char **why) {
    if (strncmp(dataset->name, "fjs_", 4) != 0)
        return NULL;
    return prepare(&schema_peer, dataset, why);
}

static const char *schema_version(void) {
    return bench_peer_version(&schema_peer);
}

const bench_codec bench_codec_fast_json_stringify = {.name =
                                                         "fast-json-stringify",
                                                     .version = schema_version,
                                                     .prepare = prepare_schema,
                                                     .release = release,
                                                     .print = print,
                                                     .run = run};
#endif
