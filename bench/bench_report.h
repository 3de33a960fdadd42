/* bench_report.h - what is printed, for people or (tsv) for programs. */
#ifndef PBTURBO_BENCH_REPORT_H
#define PBTURBO_BENCH_REPORT_H

#include <stdarg.h>

#include "bench_data.h"
#include "bench_run.h"

/* Machine, versions and seed, then in TSV the names of the columns. With tsv,
 * everything but the lines of figures goes to stderr. */
void bench_report_start(bool tsv, uint64_t seed);
/* A dataset or a peer that is not there. */
void bench_report_note(bool tsv, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Sizes and densities of a dataset, and the checksum of its bytes. */
void bench_report_dataset(bool tsv, const bench_dataset *dataset,
                          const bench_source *source, uint64_t seed);
void bench_report_op(bool tsv, const bench_dataset *dataset, bench_op op,
                     const bench_lane *lanes, const bench_figure *figures,
                     size_t n);
/* What all datasets together say: the geometric mean of each peer's ratio. */
void bench_report_means(bool tsv);

extern const char *const bench_op_names[BENCH_N_OPS];

#endif
