/* bench_scale.h - how the cost of marshal grows with size, depth, fields and
 * threads, and what tables cost. */
#ifndef PBTURBO_BENCH_SCALE_H
#define PBTURBO_BENCH_SCALE_H

#include <stdio.h>

#include "bench_args.h"
#include "bench_run.h"
#include "bench_schema.h"

/* In the order of scale_curves. */
typedef enum scale_curve_id {
    SCALE_SIZE,    /* bytes of the message */
    SCALE_DEPTH,   /* levels of sub-messages */
    SCALE_FIELDS,  /* fields of the type, all of them set */
    SCALE_TENTH,   /* the same, a tenth of them set */
    SCALE_THREADS, /* that marshal at once */
    SCALE_BUILD,   /* fields of the type whose tables are built */
    SCALE_MEMORY,  /* fields of the type whose tables are kept */
    SCALE_N_CURVES
} scale_curve_id;

typedef struct scale_curve {
    const char *name;
    const char *title;
    const char *x_name;
    const char *unit; /* of scale_point.cost */
    double base;      /* its axis starts no higher than with this */
} scale_curve;

extern const scale_curve scale_curves[SCALE_N_CURVES];

typedef struct scale_point {
    scale_curve_id curve;
    const char *series; /* a constant string: the codec, or the call */
    double x;
    double total;  /* ns or bytes in all */
    double cost;   /* in the unit of the curve: for one byte, level, ... */
    double spread; /* median round over the fastest; 1 for memory */
} scale_point;

typedef struct scale_result {
    scale_point *points;
    size_t n;
    /* What a curve leaves out, and why; empty: nothing. */
    char notes[SCALE_N_CURVES][160];
} scale_result;

/* Measures all curves and prints each point as a line of TSV, and remarks on
 * stderr. False, after a message there, when a codec gave wrong bytes. */
bool scale_run(const bench_args *args, scale_result *result);
void scale_result_free(scale_result *result);

/* What the parts of a run share. */
typedef struct scaling {
    const bench_args *args;
    scale_result *result;
    bool failed; /* a codec gave wrong bytes */
} scaling;

enum { SCALE_MAX_FIELDS = 10000 };

void scale_add(scaling *run, scale_curve_id curve, const char *series, double x,
               double total, double spread);
void scale_note(scaling *run, scale_curve_id curve, const char *text);
/* The next value of a curve: a decade on, or with a full run half of one. */
double scale_next(const scaling *run, double x);

/* bench_plot.c: draws the curves and closes the file. False, after a message on
 * stderr, when it cannot be written. */
bool scale_plot(FILE *file, const scale_result *result, const bench_args *args);

/* bench_scale_subject.c: one message, and what it takes to marshal it. */
typedef struct scale_subject {
    bench_dataset dataset; /* of this one message; what codecs are given */
    bench_bytes bytes;     /* what has to be written */
    ProtobufCMessage *message;
    pbt_arena *arena;   /* holds the message; NULL: it is on the heap */
    pbt_schema *schema; /* owns the type; NULL: it does not */
} scale_subject;

/* Types of a schema that is written there. */
typedef struct scale_types {
    pbt_schema *schema;
    const ProtobufCMessageDescriptor *tree;  /* a list of small messages */
    const ProtobufCMessageDescriptor *level; /* a chain */
} scale_types;

void scale_types_open(scale_types *types);
void scale_types_close(scale_types *types);

/* A schema with one type of n optional fields of mixed kinds, serialized. */
void scale_wide_set(size_t n, wire_writer *set);

/* Messages of about so many bytes, of so many levels, and of so many fields,
 * percent of which are set. */
void scale_subject_tree(scale_subject *subject, const scale_types *types,
                        size_t size, uint64_t seed);
void scale_subject_chain(scale_subject *subject, const scale_types *types,
                         size_t depth);
void scale_subject_wide(scale_subject *subject, size_t n_fields,
                        unsigned percent, uint64_t seed);
void scale_subject_free(scale_subject *subject);

/* For messages of any depth. */
extern const pbt_options scale_any_depth;

/* A lane for marshal alone: the comparisons of bench_lane_open would call
 * protobuf-c on messages of any depth. False when the bytes are wrong; it has
 * to be closed either way. */
bool scale_lane_open(bench_lane *lane, const bench_codec *codec,
                     const scale_subject *subject);

/* bench_scale_shared.c: the curves of threads, and of the tables they share. */
void scale_run_threads(scaling *run, const scale_types *types);
void scale_run_tables(scaling *run);

#endif
