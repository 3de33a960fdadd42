/* tool_bench_time.c - many short rounds, the two codecs in turn: what disturbs
 * the machine disturbs both alike. The fastest round is what a codec can do. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "tool_bench.h"

enum { MAX_ROUNDS = 400, MAX_ATTEMPTS = 4 };

static const double min_round_ns = 1e6;
static const double max_spread = 1.5;

typedef struct time_budget {
    unsigned min_rounds;
    double op_ns; /* for both codecs together */
} time_budget;

static const time_budget full_budget = {15, 2e9};
static const time_budget quick_budget = {3, 5e7};

typedef struct track {
    double rounds[MAX_ROUNDS]; /* ns of one pass */
    size_t n;
    size_t n_passes; /* in a round */
} track;

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec * 1e9 + (double) now.tv_nsec;
}

/* One pass first, which brings the data back into the caches that the other
 * codec has just used; then a round that takes a millisecond at least. */
static bool run_round(tool_bench_data *data, size_t op, size_t codec,
                      size_t expected, track *to) {
    if (tool_bench_pass(data, op, codec) != expected)
        return false;
    for (;;) {
        bool is_good = true;
        double start = now_ns();
        for (size_t i = 0; i < to->n_passes; i++)
            is_good = tool_bench_pass(data, op, codec) == expected && is_good;
        double elapsed = now_ns() - start;
        if (!is_good)
            return false;
        if (elapsed >= min_round_ns) {
            to->rounds[to->n++] = elapsed / (double) to->n_passes;
            return true;
        }
        double factor = elapsed > 0 ? 1.2 * min_round_ns / elapsed : 10;
        factor = factor > 10 ? 10 : factor;
        to->n_passes += 1 + (size_t) ((double) to->n_passes * (factor - 1));
    }
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *) a;
    double y = *(const double *) b;
    return (x > y) - (x < y);
}

/* The fastest round is that of all attempts, the middle one of the last. */
static void sum_up(track *from, tool_bench_lane *lane) {
    if (lane->rejected[0] != '\0' || from->n == 0)
        return;
    qsort(from->rounds, from->n, sizeof *from->rounds, compare_doubles);
    if (lane->ns <= 0 || from->rounds[0] < lane->ns)
        lane->ns = from->rounds[0];
    lane->spread = from->rounds[from->n / 2] / lane->ns;
}

bool tool_bench_was_busy(const tool_bench_lane *lanes) {
    for (size_t codec = 0; codec < TOOL_BENCH_N_CODECS; codec++)
        if (lanes[codec].rejected[0] == '\0' &&
            lanes[codec].spread > max_spread)
            return true;
    return false;
}

static void attempt(tool_bench_data *data, size_t op, const time_budget *budget,
                    tool_bench_lane *lanes, track *tracks) {
    double start = now_ns();
    for (size_t codec = 0; codec < TOOL_BENCH_N_CODECS; codec++)
        tracks[codec].n = 0;
    for (unsigned round = 0; round < MAX_ROUNDS; round++) {
        if (round >= budget->min_rounds && now_ns() - start > budget->op_ns)
            break;
        for (size_t codec = 0; codec < TOOL_BENCH_N_CODECS; codec++) {
            tool_bench_lane *lane = &lanes[codec];
            if (lane->rejected[0] == '\0' &&
                !run_round(data, op, codec, lane->bytes, &tracks[codec]))
                snprintf(lane->rejected, sizeof lane->rejected,
                         "not timed: a pass failed");
        }
    }
    for (size_t codec = 0; codec < TOOL_BENCH_N_CODECS; codec++)
        sum_up(&tracks[codec], &lanes[codec]);
}

static void measure_op(tool_bench_data *data, size_t op,
                       const time_budget *budget, tool_bench_lane *lanes,
                       track *tracks) {
    for (size_t codec = 0; codec < TOOL_BENCH_N_CODECS; codec++)
        tracks[codec].n_passes = 1;
    for (unsigned i = 0;
         i < MAX_ATTEMPTS && (i == 0 || tool_bench_was_busy(lanes)); i++)
        attempt(data, op, budget, lanes, tracks);
}

void tool_bench_measure(tool_bench_data *data, bool is_quick,
                        tool_bench_lanes lanes) {
    static track tracks[TOOL_BENCH_N_CODECS];
    const time_budget *budget = is_quick ? &quick_budget : &full_budget;
    for (size_t op = 0; op < TOOL_BENCH_N_OPS; op++)
        measure_op(data, op, budget, lanes[op], tracks);
}
