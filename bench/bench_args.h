/* bench_args.h - the command line. */
#ifndef PBTURBO_BENCH_ARGS_H
#define PBTURBO_BENCH_ARGS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench_data.h"

typedef struct bench_args {
    bool help;
    bool tsv;
    bool quick;
    uint64_t seed;
    const char *folder; /* of the reference datasets */
    bool scale;         /* the scale curves instead of datasets */
    uint64_t largest;   /* bytes of its largest message; 0: the usual */
    const char *plot;   /* the drawing of them; NULL: none */
    const char *report; /* the page to write; NULL: none */
    /* The user's own messages, in place of the datasets; NULL: the datasets. */
    const char *schema;
    const char *type;
    const char *file;
    bool delimited;
    /* What to run, by the position in bench_sources, in bench_op, and in
     * bench_codecs. */
    bool datasets[BENCH_MAX_SOURCES];
    bool ops[BENCH_N_OPS];
    bool codecs[BENCH_MAX_CODECS];
    bool some_datasets;        /* named on the command line */
    uint64_t callgrind_passes; /* 0: measure time */
} bench_args;

/* False, after a message on stderr, when they make no sense. */
bool bench_args_parse(int argc, char **argv, bench_args *args);

void bench_args_help(void);

#endif
