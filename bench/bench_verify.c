/* bench_verify.c - no codec is timed before its output has been compared.
 *
 * Same bytes, or bytes that protobuf-c reads as the same message: a codec may
 * order map entries as it likes, and no two parsers keep unknown fields in the
 * same place.
 */
#include "bench_data.h"
#include "bench_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef bool bench_output(void *objects, size_t i, bench_bytes *bytes,
                          const char **why);

static size_t first_difference(const bench_bytes *a, const bench_bytes *b) {
    size_t i = 0;
    while (i < a->len && i < b->len && a->data[i] == b->data[i])
        i++;
    return i;
}

static bool are_equal(const bench_bytes *a, const bench_bytes *b) {
    return a->len == b->len &&
           (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

/* What the lane's codec has to write. */
static const bench_bytes *
expected_bytes(const bench_lane *lane, const bench_dataset *dataset, size_t i) {
    return lane->codec->is_plain ? &dataset->plain[i] : &dataset->messages[i];
}

/* Unpacks plain bytes and packs them with sorted maps, in a fresh block. */
static bench_bytes repack(const bench_dataset *dataset,
                          const bench_bytes *plain, uint32_t flags) {
    bench_bytes packed = {NULL, 0};
    ProtobufCMessage *message =
        protobuf_c_message_unpack(dataset->type, NULL, plain->len, plain->data);
    if (message == NULL)
        return packed;
    pbt_options options = {.flags =
                               flags | PBT_DETERMINISTIC | PBT_ALLOW_PARTIAL};
    pbt_buffer buffer = {0};
    if (pbt_reflect_marshal(&pbt_reflection_protobuf_c, message, &options,
                            &buffer) == PBT_OK) {
        packed.data = bench_alloc(buffer.len, 1);
        packed.len = buffer.len;
        memcpy(packed.data, buffer.data, buffer.len);
    }
    pbt_buffer_free(&buffer);
    protobuf_c_message_free_unpacked(message, NULL);
    return packed;
}

bool bench_is_message(const bench_dataset *dataset, const bench_bytes *got,
                      size_t i, bool is_plain, uint32_t flags) {
    const bench_schema *strict = is_plain ? NULL : dataset->schema;
    wire_writer plain = {NULL, 0, 0};
    bool same = false;
    if (bench_schema_to_plain(strict, dataset->type, got, &plain)) {
        bench_bytes a =
            repack(dataset, &(bench_bytes){plain.data, plain.len}, flags);
        bench_bytes b = repack(dataset, &dataset->plain[i], flags);
        same = a.data != NULL && b.data != NULL && are_equal(&a, &b);
        free(a.data);
        free(b.data);
    }
    free(plain.data);
    return same;
}

/* Compares message i as the call puts it out; false, with the reason, when it
 * is another. */
static bool verify_message(const bench_lane *lane, const bench_dataset *dataset,
                           size_t i, bench_output *output, bench_bytes *got,
                           char *reason) {
    const char *why = "it failed";
    if (!output(lane->objects, i, got, &why)) {
        snprintf(reason, sizeof lane->reasons[0], "not timed: %s", why);
        return false;
    }
    const bench_bytes *want = expected_bytes(lane, dataset, i);
    if (are_equal(got, want) ||
        bench_is_message(dataset, got, i, lane->codec->is_plain, 0))
        return true;
    snprintf(reason, sizeof lane->reasons[0],
             "not timed: message %zu differs from protobuf-c's at byte %zu "
             "(%zu bytes instead of %zu)",
             i, first_difference(got, want), got->len, want->len);
    return false;
}

/* JSON is verified on its own. */
static void reject_wire(bench_lane *lane) {
    for (size_t op = 0; op < BENCH_N_OPS; op++)
        if (op != BENCH_JSON)
            lane->rejected[op] = lane->reasons[0];
}

/* All messages as they are put out; sums up what passes have to return. */
static void verify_output(bench_lane *lane, const bench_dataset *dataset) {
    uint64_t *expected = lane->expected;
    for (size_t i = 0; i < dataset->n; i++) {
        bench_bytes got;
        if (!verify_message(lane, dataset, i, lane->codec->output, &got,
                            lane->reasons[0])) {
            reject_wire(lane);
            return;
        }
        lane->wire.bytes += got.len;
        lane->wire.checksum =
            bench_checksum(lane->wire.checksum, got.data, got.len);
        expected[BENCH_MARSHAL] =
            bench_fold_bytes(expected[BENCH_MARSHAL], got.data, got.len);
        expected[BENCH_SIZE] = bench_fold(expected[BENCH_SIZE], got.len);
        expected[BENCH_CHECK] =
            bench_fold(expected[BENCH_CHECK],
                       protobuf_c_message_check(dataset->structs[i]) != 0);
        expected[BENCH_UNMARSHAL] = bench_fold(expected[BENCH_UNMARSHAL], 1);
    }
}

/* All messages as they come out again after the codec has unmarshaled them. */
static void verify_reparse(bench_lane *lane, const bench_dataset *dataset) {
    if (lane->codec->reparse == NULL || lane->rejected[BENCH_UNMARSHAL] != NULL)
        return;
    for (size_t i = 0; i < dataset->n; i++) {
        bench_bytes got;
        if (verify_message(lane, dataset, i, lane->codec->reparse, &got,
                           lane->reasons[1]))
            continue;
        lane->rejected[BENCH_UNMARSHAL] = lane->reasons[1];
        return;
    }
}

static size_t count_wire_ops(const bench_codec *codec, const bool *ops) {
    size_t n = 0;
    for (int op = 0; op < BENCH_N_OPS; op++)
        n += op != BENCH_JSON && ops[op] && bench_has(codec, (bench_op) op);
    return n;
}

bool bench_lane_open(bench_lane *lane, const bench_codec *codec,
                     const bench_dataset *dataset, const bool *ops) {
    bool has_wire = !dataset->is_json && count_wire_ops(codec, ops) > 0;
    bool has_json = ops[BENCH_JSON] && bench_has(codec, BENCH_JSON);
    memset(lane, 0, sizeof *lane);
    if (!has_wire && !has_json)
        return false;
    lane->codec = codec;
    lane->wire.checksum = BENCH_CHECKSUM_START;
    lane->json.checksum = BENCH_CHECKSUM_START;
    const char *why = NULL;
    lane->objects = codec->prepare(dataset, &why);
    if (lane->objects == NULL) {
        if (why == NULL)
            return false;
        snprintf(lane->reasons[0], sizeof lane->reasons[0], "not timed: %s",
                 why);
        reject_wire(lane);
        lane->rejected[BENCH_JSON] = lane->reasons[0];
        return true;
    }
    if (has_wire) {
        verify_output(lane, dataset);
        verify_reparse(lane, dataset);
    }
    if (has_json)
        bench_verify_json(lane, dataset);
    return true;
}

void bench_lane_close(bench_lane *lane) {
    if (lane->objects != NULL)
        lane->codec->release(lane->objects);
    lane->objects = NULL;
}
