/* bench_scale.c - the scale curves: subjects of growing size, and the same
 * rounds in turn as for the datasets (bench_time.c). Threads and tables have
 * rounds of their own (bench_scale_shared.c). */
#include "bench_scale.h"
#include "bench_machine.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const scale_curve scale_curves[SCALE_N_CURVES] = {
    {"size", "Size of the message", "bytes", "ns/byte", 0.1},
    {"depth", "Depth of the message", "levels", "ns/level", 1},
    {"fields", "Fields of the type, all set", "fields", "ns/field", 1},
    {"fields_tenth", "Fields of the type, a tenth set", "fields", "ns/field",
     1},
    {"threads", "Threads on shared tables, 1 KB messages", "threads",
     "ns/message", 100},
    {"build", "Time to make types and tables", "fields", "ns/field", 10},
    {"memory", "Memory of the tables", "fields", "bytes/field", 10},
};

enum {
    /* protobuf-c calls itself for each level. */
    PROTOBUF_C_DEPTH = 10000,
    MAX_DEPTH = 1000000,
    /* The message, its bytes, the outputs of two codecs and a copy, and room
     * for buffers that grow: so many times the size has to be free. */
    MEMORY_FACTOR = 10
};
static const double max_size = 1e9;
static const double max_size_quick = 64e6;

static const bench_budget budget_full = {5, 1e8};
static const bench_budget budget_quick = {3, 5e6};

void scale_add(scaling *run, scale_curve_id curve, const char *series, double x,
               double total, double spread) {
    scale_result *result = run->result;
    result->points =
        bench_grow(result->points, result->n + 1, sizeof *result->points);
    double cost = curve == SCALE_THREADS ? total : total / x;
    result->points[result->n++] =
        (scale_point){curve, series, x, total, cost, spread};
    printf("%s\t%s\t%.0f\t%.1f\t%.4f\t%s\t%.3f\n", scale_curves[curve].name,
           series, x, total, cost, scale_curves[curve].unit, spread);
    fflush(stdout);
}

void scale_note(scaling *run, scale_curve_id curve, const char *text) {
    snprintf(run->result->notes[curve], sizeof run->result->notes[curve], "%s",
             text);
    fprintf(stderr, "# %s: %s\n", scale_curves[curve].name, text);
}

double scale_next(const scaling *run, double x) {
    double decade = pow(10, floor(log10(x) + 1e-9));
    bool is_start = x < 2 * decade;
    if (run->args->quick)
        return 10 * x;
    return is_start ? 3 * decade : 10 * decade;
}

/* pbturbo where the default limit of depth would not do. */
struct deep_marshaler {
    const bench_dataset *dataset;
    pbt_buffer buffer;
};

static void *deep_prepare(const bench_dataset *dataset, const char **why) {
    (void) why;
    struct deep_marshaler *marshaler = bench_alloc(1, sizeof *marshaler);
    marshaler->dataset = dataset;
    return marshaler;
}

static void deep_release(void *objects) {
    struct deep_marshaler *marshaler = objects;
    pbt_buffer_free(&marshaler->buffer);
    free(marshaler);
}

static bool deep_output(void *objects, size_t i, bench_bytes *bytes,
                        const char **why) {
    struct deep_marshaler *marshaler = objects;
    pbt_buffer *buffer = &marshaler->buffer;
    pbt_status status =
        pbt_marshal(marshaler->dataset->structs[i], &scale_any_depth, buffer);
    *why = pbt_status_name(status);
    *bytes = (bench_bytes){buffer->data, buffer->len};
    return status == PBT_OK;
}

static uint64_t deep_marshal(void *objects) {
    bench_bytes bytes;
    const char *why;
    if (!deep_output(objects, 0, &bytes, &why))
        return 0;
    return bench_fold_bytes(0, bytes.data, bytes.len);
}

static const bench_codec deep_codec = {.name = "pbturbo",
                                       .prepare = deep_prepare,
                                       .release = deep_release,
                                       .output = deep_output,
                                       .pass = {deep_marshal}};

bool scale_lane_open(bench_lane *lane, const bench_codec *codec,
                     const scale_subject *subject) {
    memset(lane, 0, sizeof *lane);
    const char *why = "it wrote other bytes";
    const bench_bytes *want = &subject->bytes;
    bench_bytes got = {NULL, 0};
    lane->codec = codec;
    lane->objects = codec->prepare(&subject->dataset, &why);
    lane->expected[BENCH_MARSHAL] = bench_fold_bytes(0, want->data, want->len);
    if (lane->objects != NULL && codec->output(lane->objects, 0, &got, &why) &&
        got.len == want->len && memcmp(got.data, want->data, want->len) == 0)
        return true;
    fprintf(stderr, "pbturbo-bench: scale: %s: %s\n", codec->name, why);
    return false;
}

/* Measures marshal of the subject by some codecs, side by side. */
static void measure(scaling *run, scale_curve_id curve, double x,
                    const scale_subject *subject,
                    const bench_codec *const *codecs, size_t n) {
    bench_lane lanes[BENCH_MAX_CODECS];
    bench_figure figures[BENCH_MAX_CODECS];
    bool good = true;
    for (size_t i = 0; i < n; i++)
        good &= scale_lane_open(&lanes[i], codecs[i], subject);
    if (good)
        bench_measure(lanes, n, BENCH_MARSHAL,
                      run->args->quick ? &budget_quick : &budget_full, figures);
    for (size_t i = 0; i < n; i++) {
        if (good && figures[i].rejected == NULL)
            scale_add(run, curve, codecs[i]->name, x, figures[i].ns,
                      figures[i].spread);
        else
            run->failed = true;
        bench_lane_close(&lanes[i]);
    }
}

static void run_size(scaling *run, const scale_types *types) {
    static const bench_codec *const codecs[] = {
        &bench_codec_pbturbo, &bench_codec_protobuf_c, &bench_codec_memcpy};
    double limit = run->args->quick ? max_size_quick : max_size;
    if (run->args->largest > 0)
        limit = (double) run->args->largest;
    bench_machine machine;
    bench_machine_find(&machine);
    double possible = (double) machine.free_memory / MEMORY_FACTOR;
    if (possible > 0 && possible < limit) {
        limit = possible;
        char text[100];
        snprintf(text, sizeof text, "ends at %.0f MB, for want of memory",
                 limit / 1e6);
        scale_note(run, SCALE_SIZE, text);
    }
    bool goes_on = true;
    for (double size = 10; goes_on; size = fmin(scale_next(run, size), limit)) {
        goes_on = size < limit;
        scale_subject subject;
        scale_subject_tree(&subject, types, (size_t) size, run->args->seed);
        measure(run, SCALE_SIZE, (double) subject.bytes.len, &subject, codecs,
                3);
        scale_subject_free(&subject);
    }
}

static void run_depth(scaling *run, const scale_types *types) {
    static const bench_codec *const both[] = {&bench_codec_pbturbo,
                                              &bench_codec_protobuf_c};
    static const bench_codec *const alone[] = {&deep_codec};
    scale_note(run, SCALE_DEPTH,
               "protobuf-c to 10,000 levels, which fill its stack");
    for (double depth = 1; depth <= MAX_DEPTH; depth = scale_next(run, depth)) {
        bool is_deep = depth > PROTOBUF_C_DEPTH;
        scale_subject subject;
        scale_subject_chain(&subject, types, (size_t) depth);
        measure(run, SCALE_DEPTH, depth, &subject, is_deep ? alone : both,
                is_deep ? 1 : 2);
        scale_subject_free(&subject);
    }
}

static void run_fields(scaling *run, scale_curve_id curve, unsigned percent) {
    static const bench_codec *const codecs[] = {&bench_codec_pbturbo,
                                                &bench_codec_protobuf_c};
    for (double n = 1; n <= SCALE_MAX_FIELDS; n = scale_next(run, n)) {
        scale_subject subject;
        scale_subject_wide(&subject, (size_t) n, percent, run->args->seed);
        measure(run, curve, n, &subject, codecs, 2);
        pbt_forget(subject.dataset.type);
        scale_subject_free(&subject);
    }
}

bool scale_run(const bench_args *args, scale_result *result) {
    memset(result, 0, sizeof *result);
    scaling run = {args, result, false};
    puts("curve\tseries\tx\ttotal\tcost\tunit\tspread");
    scale_types types;
    scale_types_open(&types);
    run_size(&run, &types);
    run_depth(&run, &types);
    run_fields(&run, SCALE_FIELDS, 100);
    run_fields(&run, SCALE_TENTH, 10);
    scale_run_threads(&run, &types);
    scale_run_tables(&run);
    pbt_forget(types.tree);
    pbt_forget(types.level);
    scale_types_close(&types);
    return !run.failed;
}

void scale_result_free(scale_result *result) {
    free(result->points);
    memset(result, 0, sizeof *result);
}
