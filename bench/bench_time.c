/* bench_time.c - many short rounds, the codecs in turn.
 *
 * What disturbs the machine disturbs all codecs alike when their rounds
 * alternate; the minimum over the rounds is what a codec can do, the spread
 * says how far the middle round was from it.
 */
#include "bench_run.h"

#include <stdlib.h>
#include <time.h>

static const double min_round_ns = 1e6;

const bench_budget bench_budget_full = {12, 2e8};
const bench_budget bench_budget_quick = {3, 1.5e7};

typedef struct bench_track {
    uint64_t n_passes; /* in one round */
    size_t n_rounds;
    double spent_ns;
    double rounds[BENCH_MAX_ROUNDS]; /* ns of one pass */
} bench_track;

double bench_now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec * 1e9 + (double) now.tv_nsec;
}

__attribute__((noinline)) uint64_t
bench_measured_region(bench_pass *pass, void *objects, uint64_t n) {
    uint64_t last = 0;
    for (uint64_t i = 0; i < n; i++)
        last = pass(objects);
    return last;
}

static uint64_t run_passes(const bench_lane *lane, bench_op op, uint64_t n,
                           double *elapsed) {
    if (lane->codec->run != NULL)
        return lane->codec->run(lane->objects, op, n, elapsed);
    double start = bench_now_ns();
    uint64_t last =
        bench_measured_region(lane->codec->pass[op], lane->objects, n);
    *elapsed = bench_now_ns() - start;
    return last;
}

/* One round of at least a millisecond. The pass before it brings the codec's
 * data back into the caches that the other codecs have just used; without it a
 * codec that fits one pass into a round would be measured cold, and a faster
 * one warm. */
static bool run_round(bench_track *track, const bench_lane *lane, bench_op op) {
    uint64_t expected = lane->expected[op];
    double elapsed;
    if (run_passes(lane, op, 1, &elapsed) != expected)
        return false;
    for (;;) {
        if (run_passes(lane, op, track->n_passes, &elapsed) != expected)
            return false;
        if (elapsed >= min_round_ns) {
            track->rounds[track->n_rounds++] =
                elapsed / (double) track->n_passes;
            return true;
        }
        double factor = elapsed > 0 ? 1.2 * min_round_ns / elapsed : 10;
        factor = factor > 10 ? 10 : factor;
        track->n_passes +=
            1 + (uint64_t) ((double) track->n_passes * (factor - 1));
    }
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *) a;
    double y = *(const double *) b;
    return (x > y) - (x < y);
}

static void sum_up(bench_track *track, bench_figure *figure) {
    if (figure->rejected != NULL || track->n_rounds == 0)
        return;
    qsort(track->rounds, track->n_rounds, sizeof *track->rounds,
          compare_doubles);
    figure->ns = track->rounds[0];
    figure->spread = track->rounds[track->n_rounds / 2] / figure->ns;
}

static bool has_enough(const bench_track *track, const bench_budget *budget) {
    return track->n_rounds == BENCH_MAX_ROUNDS ||
           (track->n_rounds >= budget->min_rounds &&
            track->spent_ns > budget->lane_ns);
}

void bench_measure(const bench_lane *lanes, size_t n, bench_op op,
                   const bench_budget *budget, bench_figure *figures) {
    static bench_track tracks[BENCH_MAX_CODECS];
    for (size_t i = 0; i < n; i++) {
        tracks[i].n_passes = 1;
        tracks[i].n_rounds = 0;
        tracks[i].spent_ns = 0;
        figures[i] = (bench_figure){0, 0, lanes[i].rejected[op]};
    }
    bool goes_on = true;
    while (goes_on) {
        goes_on = false;
        for (size_t i = 0; i < n; i++) {
            if (!bench_has(lanes[i].codec, op) || figures[i].rejected != NULL ||
                has_enough(&tracks[i], budget))
                continue;
            goes_on = true;
            double start = bench_now_ns();
            if (!run_round(&tracks[i], &lanes[i], op))
                figures[i].rejected = "not timed: a pass gave another result "
                                      "than the comparison";
            tracks[i].spent_ns += bench_now_ns() - start;
        }
    }
    for (size_t i = 0; i < n; i++)
        sum_up(&tracks[i], &figures[i]);
}
