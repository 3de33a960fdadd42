/* bench_verify.c - no codec is timed before its output has been compared. */
#include "bench_data.h"
#include "bench_run.h"

#include <stdio.h>
#include <string.h>

static size_t first_difference(const bench_bytes *a, const bench_bytes *b) {
    size_t i = 0;
    while (i < a->len && i < b->len && a->data[i] == b->data[i])
        i++;
    return i;
}

static void reject(bench_lane *lane, const char *reason) {
    snprintf(lane->reason, sizeof lane->reason, "not timed: %s", reason);
    lane->rejected = lane->reason;
}

static void reject_difference(bench_lane *lane, size_t i,
                              const bench_bytes *got, const bench_bytes *want) {
    snprintf(lane->reason, sizeof lane->reason,
             "not timed: message %zu differs from protobuf-c's at byte %zu "
             "(%zu bytes instead of %zu)",
             i, first_difference(got, want), got->len, want->len);
    lane->rejected = lane->reason;
}

/* Compares message i; false when the codec is out. */
static bool verify_message(bench_lane *lane, const bench_dataset *dataset,
                           size_t i) {
    const char *why = "it failed";
    bench_bytes got;
    if (!lane->codec->output(lane->objects, i, &got, &why)) {
        reject(lane, why);
        return false;
    }
    const bench_bytes *want = &dataset->messages[i];
    if (got.len != want->len || first_difference(&got, want) != want->len) {
        reject_difference(lane, i, &got, want);
        return false;
    }
    lane->bytes += got.len;
    lane->checksum = bench_checksum(lane->checksum, got.data, got.len);
    return true;
}

bool bench_lane_open(bench_lane *lane, const bench_codec *codec,
                     const bench_dataset *dataset) {
    memset(lane, 0, sizeof *lane);
    lane->codec = codec;
    lane->checksum = BENCH_CHECKSUM_START;
    const char *why = NULL;
    lane->objects = codec->prepare(dataset, &why);
    if (lane->objects == NULL) {
        if (why != NULL)
            reject(lane, why);
        return why != NULL;
    }
    for (size_t i = 0; i < dataset->n; i++)
        if (!verify_message(lane, dataset, i))
            break;
    return true;
}

void bench_lane_close(bench_lane *lane) {
    if (lane->objects != NULL)
        lane->codec->release(lane->objects);
    lane->objects = NULL;
}

uint64_t bench_expected(const bench_dataset *dataset, bench_op op) {
    uint64_t sum = 0;
    for (size_t i = 0; i < dataset->n; i++) {
        const bench_bytes *bytes = &dataset->messages[i];
        switch (op) {
        case BENCH_MARSHAL:
            sum = bench_fold_bytes(sum, bytes->data, bytes->len);
            break;
        case BENCH_SIZE:
            sum = bench_fold(sum, bytes->len);
            break;
        case BENCH_CHECK:
            sum = bench_fold(
                sum, protobuf_c_message_check(dataset->structs[i]) != 0);
            break;
        case BENCH_N_OPS:
            break;
        }
    }
    return sum;
}
