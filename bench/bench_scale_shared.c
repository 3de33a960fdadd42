/* bench_scale_shared.c - threads that marshal with the same tables, and what it
 * takes to make tables and to keep them. */
#include "bench_machine.h"
#include "bench_scale.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

enum { MAX_THREADS = 64, MESSAGE_SIZE = 1000 };
static const double min_round_ns = 5e6;

/* One thread, with a message and a buffer of its own. */
typedef struct worker {
    pthread_t thread;
    pthread_barrier_t *start;
    scale_subject subject;
    bench_lane lane;
    uint64_t n_passes;
    bool is_right;
} worker;

static void *work(void *argument) {
    worker *self = argument;
    const bench_lane *lane = &self->lane;
    pthread_barrier_wait(self->start);
    self->is_right =
        bench_measured_region(lane->codec->pass[BENCH_MARSHAL], lane->objects,
                              self->n_passes) == lane->expected[BENCH_MARSHAL];
    return NULL;
}

/* One round of n threads: ns until the last is done. Negative when a thread
 * could not be had or was wrong. */
static double run_together(worker *workers, size_t n, uint64_t n_passes) {
    pthread_barrier_t start;
    if (pthread_barrier_init(&start, NULL, (unsigned) n + 1) != 0)
        return -1;
    for (size_t i = 0; i < n; i++) {
        workers[i].start = &start;
        workers[i].n_passes = n_passes;
        if (pthread_create(&workers[i].thread, NULL, work, &workers[i]) != 0) {
            fputs("pbturbo-bench: scale: no more threads\n", stderr);
            exit(1);
        }
    }
    pthread_barrier_wait(&start);
    double begin = bench_now_ns();
    for (size_t i = 0; i < n; i++)
        pthread_join(workers[i].thread, NULL);
    double elapsed = bench_now_ns() - begin;
    pthread_barrier_destroy(&start);
    for (size_t i = 0; i < n; i++)
        if (!workers[i].is_right)
            return -1;
    return elapsed;
}

static int compare_doubles(const void *a, const void *b) {
    double x = *(const double *) a;
    double y = *(const double *) b;
    return (x > y) - (x < y);
}

/* The fastest of the rounds, and how far the middle one was from it. */
static double lowest(double *rounds, size_t n, double *spread) {
    qsort(rounds, n, sizeof *rounds, compare_doubles);
    *spread = rounds[n / 2] / rounds[0];
    return rounds[0];
}

static void measure_threads(scaling *run, worker *workers, size_t n) {
    enum { MAX_ROUNDS = 40 };
    double rounds[MAX_ROUNDS];
    size_t n_rounds = run->args->quick ? 5 : MAX_ROUNDS;
    uint64_t n_passes = 1;
    for (size_t i = 0; i < n_rounds;) {
        double elapsed = run_together(workers, n, n_passes);
        if (elapsed < 0) {
            run->failed = true;
            return;
        }
        rounds[i] = elapsed / (double) n_passes;
        if (elapsed < min_round_ns)
            n_passes *= 2;
        else
            i++;
    }
    double spread;
    double ns = lowest(rounds, n_rounds, &spread);
    scale_add(run, SCALE_THREADS, workers[0].lane.codec->name, (double) n, ns,
              spread);
}

static void run_threads_of(scaling *run, const scale_types *types,
                           const bench_codec *codec, size_t n) {
    worker *workers = bench_alloc(n, sizeof *workers);
    bool good = true;
    for (size_t i = 0; i < n; i++) {
        scale_subject_tree(&workers[i].subject, types, MESSAGE_SIZE,
                           run->args->seed + i);
        good &= scale_lane_open(&workers[i].lane, codec, &workers[i].subject);
    }
    if (good)
        measure_threads(run, workers, n);
    run->failed |= !good;
    for (size_t i = 0; i < n; i++) {
        bench_lane_close(&workers[i].lane);
        scale_subject_free(&workers[i].subject);
    }
    free(workers);
}

/* As many threads as there are CPUs, two at least. */
void scale_run_threads(scaling *run, const scale_types *types) {
    bench_machine machine;
    bench_machine_find(&machine);
    size_t limit = machine.n_cpus < 2 ? 2 : (size_t) machine.n_cpus;
    limit = limit > MAX_THREADS ? MAX_THREADS : limit;
    if (machine.n_cpus < 2)
        scale_note(run, SCALE_THREADS, "two threads share one CPU");
    for (size_t n = 1; n <= limit; n *= 2) {
        run_threads_of(run, types, &bench_codec_pbturbo, n);
        run_threads_of(run, types, &bench_codec_protobuf_c, n);
    }
}

/* Bytes that malloc has given out, its own overhead included; 0: unknown. */
static size_t used_memory(void) {
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
#else
    return 0;
#endif
}

typedef struct table_costs {
    double load_ns;
    double prepare_ns;
    size_t bytes; /* of the tables */
} table_costs;

/* Makes type and tables, and forgets them again. */
static bool make_tables(const wire_writer *set, table_costs *costs) {
    pbt_schema *schema;
    double start = bench_now_ns();
    if (pbt_schema_load(set->data, set->len, &schema, NULL) != PBT_OK)
        return false;
    costs->load_ns = bench_now_ns() - start;
    const ProtobufCMessageDescriptor *type = pbt_schema_message(schema, "Wide");
    size_t before = used_memory();
    start = bench_now_ns();
    bool made = type != NULL && pbt_prepare(type, NULL) == PBT_OK;
    costs->prepare_ns = bench_now_ns() - start;
    costs->bytes = used_memory() - before;
    pbt_forget(type);
    pbt_schema_free(schema);
    return made;
}

static void measure_tables(scaling *run, size_t n_fields) {
    enum { MAX_ROUNDS = 50 };
    double loads[MAX_ROUNDS];
    double prepares[MAX_ROUNDS];
    size_t n = run->args->quick ? 5 : MAX_ROUNDS;
    table_costs costs = {0, 0, 0};
    wire_writer set = {NULL, 0, 0};
    scale_wide_set(n_fields, &set);
    for (size_t i = 0; i < n; i++) {
        if (!make_tables(&set, &costs)) {
            run->failed = true;
            break;
        }
        loads[i] = costs.load_ns;
        prepares[i] = costs.prepare_ns;
    }
    free(set.data);
    if (run->failed)
        return;
    double x = (double) n_fields;
    double spread;
    double ns = lowest(loads, n, &spread);
    scale_add(run, SCALE_BUILD, "pbt_schema_load", x, ns, spread);
    ns = lowest(prepares, n, &spread);
    scale_add(run, SCALE_BUILD, "pbt_prepare", x, ns, spread);
    if (costs.bytes > 0)
        scale_add(run, SCALE_MEMORY, "pbt_prepare", x, (double) costs.bytes, 1);
}

void scale_run_tables(scaling *run) {
    if (used_memory() == 0)
        scale_note(run, SCALE_MEMORY, "this C library does not tell");
    for (double n = 1; n <= SCALE_MAX_FIELDS; n = scale_next(run, n))
        measure_tables(run, (size_t) n);
}
