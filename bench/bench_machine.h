/* bench_machine.h - what a figure depends on besides the code. */
#ifndef PBTURBO_BENCH_MACHINE_H
#define PBTURBO_BENCH_MACHINE_H

#include <stddef.h>

typedef struct bench_machine {
    char model[128];    /* of the CPU; "unknown" where nothing tells */
    char system[160];   /* kernel and architecture */
    char compiler[128]; /* that compiled this program */
    char date[32];      /* now, in UTC: 2026-11-30 23:59 UTC */
    long n_cpus;
    size_t free_memory; /* bytes that can be had without swapping; 0: unknown */
} bench_machine;

void bench_machine_find(bench_machine *machine);

#endif
