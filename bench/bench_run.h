/* bench_run.h - measuring: lanes, rounds and their figures. */
#ifndef PBTURBO_BENCH_RUN_H
#define PBTURBO_BENCH_RUN_H

#include "bench.h"

enum { BENCH_MAX_ROUNDS = 400 };

/* What a codec writes for the whole dataset. */
typedef struct bench_written {
    size_t bytes;
    uint64_t checksum;
} bench_written;

/* One codec with its objects of the current dataset. */
typedef struct bench_lane {
    const bench_codec *codec;
    void *objects;
    bench_written wire;
    bench_written json;
    bool is_unread; /* nobody in this build can read JSON of this type */
    uint64_t expected[BENCH_N_OPS]; /* what a pass has to return */
    /* Why an operation is not timed; NULL: it is. */
    const char *rejected[BENCH_N_OPS];
    char reasons[3][240]; /* where they are kept when they have figures */
} bench_lane;

static inline const bench_written *bench_lane_written(const bench_lane *lane,
                                                      bench_op op) {
    return op == BENCH_JSON ? &lane->json : &lane->wire;
}

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

/* bench_verify.c: builds the objects and compares the output of the operations
 * that are wanted with that of protobuf-c. False when the dataset is not meant
 * for the codec, or it has none of the operations. */
bool bench_lane_open(bench_lane *lane, const bench_codec *codec,
                     const bench_dataset *dataset, const bool *ops);
void bench_lane_close(bench_lane *lane);

/* Is this message i of the dataset? Plain or with groups; the flags
 * are those of pbt_options, for the two messages as they are compared. */
bool bench_is_message(const bench_dataset *dataset, const bench_bytes *got,
                      size_t i, bool is_plain, uint32_t flags);

/* bench_verify_json.c: has all messages printed and read back. */
void bench_verify_json(bench_lane *lane, const bench_dataset *dataset);

/* bench_time.c: a clock that only goes on. */
double bench_now_ns(void);

/* All lanes in turn, round after round. */
void bench_measure(const bench_lane *lanes, size_t n, bench_op op,
                   const bench_budget *budget, bench_figure *figures);

/* n passes and nothing else: what callgrind is told to look at. */
uint64_t bench_measured_region(bench_pass *pass, void *objects, uint64_t n);

#endif
