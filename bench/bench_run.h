/* bench_run.h - measuring: lanes, rounds and their figures. */
#ifndef PBTURBO_BENCH_RUN_H
#define PBTURBO_BENCH_RUN_H

#include "bench.h"

enum { BENCH_MAX_ROUNDS = 400 };

/* One codec with its objects of the current dataset. */
typedef struct bench_lane {
    const bench_codec *codec;
    void *objects;
    size_t bytes;                   /* written for the whole dataset */
    uint64_t checksum;              /* of these bytes */
    uint64_t expected[BENCH_N_OPS]; /* what a pass has to return */
    /* Why an operation is not timed; NULL: it is. */
    const char *rejected[BENCH_N_OPS];
    char reasons[2][160]; /* where they are kept when they have figures */
} bench_lane;

/* How long to measure. */
typedef struct bench_budget {
    unsigned min_rounds;
    double lane_ns; /* for one operation of one lane, if that is more */
} bench_budget;

extern const bench_budget bench_budget_full;
extern const bench_budget bench_budget_quick;

typedef struct bench_figure {
    double ns;     /* one pass: the minimum of all rounds; 0: not timed */
    double spread; /* median of the rounds over their minimum */
    const char *rejected; /* why there is no figure */
} bench_figure;

/* bench_verify.c: builds the objects and compares the output with that of
 * protobuf-c. False when the dataset is not meant for the codec. */
bool bench_lane_open(bench_lane *lane, const bench_codec *codec,
                     const bench_dataset *dataset);
void bench_lane_close(bench_lane *lane);

/* bench_time.c: a clock that only goes on. */
double bench_now_ns(void);

/* All lanes in turn, round after round. */
void bench_measure(const bench_lane *lanes, size_t n, bench_op op,
                   const bench_budget *budget, bench_figure *figures);

/* n passes and nothing else: what callgrind is told to look at. */
uint64_t bench_measured_region(bench_pass *pass, void *objects, uint64_t n);

#endif
