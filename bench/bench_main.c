/* bench_main.c - pbturbo-bench: one dataset after the other, its codecs side
 * by side. */
#include "bench_args.h"
#include "bench_data.h"
#include "bench_html.h"
#include "bench_report.h"
#include "bench_scale.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static size_t open_lanes(const bench_args *args, const bench_dataset *dataset,
                         bench_lane *lanes) {
    size_t n = 0;
    for (size_t i = 0; bench_codecs[i] != NULL; i++)
        if (args->codecs[i])
            n +=
                bench_lane_open(&lanes[n], bench_codecs[i], dataset, args->ops);
    return n;
}

static void measure_dataset(const bench_args *args,
                            const bench_dataset *dataset) {
    bench_lane lanes[BENCH_MAX_CODECS];
    bench_figure figures[BENCH_MAX_CODECS];
    size_t n = open_lanes(args, dataset, lanes);
    for (int i = 0; i < BENCH_N_OPS; i++) {
        bench_op op = (bench_op) i;
        if (!args->ops[op] || (dataset->is_json && op != BENCH_JSON))
            continue;
        bench_measure(lanes, n, op,
                      args->quick ? &bench_budget_quick : &bench_budget_full,
                      figures);
        bench_report_op(args->tsv, dataset, op, lanes, figures, n);
    }
    for (size_t i = 0; i < n; i++)
        bench_lane_close(&lanes[i]);
}

static bench_wanted wanted_by(const bench_args *args) {
    return (bench_wanted){args->seed, args->quick, args->folder};
}

static bool measure_source(const bench_args *args, const bench_source *source) {
    bench_wanted wanted = wanted_by(args);
    bench_dataset dataset;
    const char *why;
    bool opened = bench_dataset_open(source, &wanted, &dataset, &why);
    if (opened) {
        bench_report_dataset(args->tsv, &dataset, source, args->seed);
        measure_dataset(args, &dataset);
    } else {
        bench_report_note(args->tsv, "%s: left out, %s", source->name, why);
        bench_html_note(source->name, why);
    }
    bench_dataset_close(&dataset);
    return opened;
}

/* A reference dataset that is not there is an error only for somebody who
 * asked for it by name. */
static int measure_all(const bench_args *args) {
    bool complete = true;
    bench_report_start(args->tsv, args->seed);
    for (size_t i = 0; bench_sources[i].name != NULL; i++)
        if (args->datasets[i])
            complete &= measure_source(args, &bench_sources[i]);
    bench_report_means(args->tsv);
    return complete || !args->some_datasets ? 0 : 1;
}

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* The user's own messages. */
static int measure_own(const bench_args *args) {
    bench_source source = {.name = base_name(args->file),
                           .type_name = args->type,
                           .schema_path = args->schema,
                           .path = args->file,
                           .is_delimited = args->delimited};
    bench_report_start(args->tsv, args->seed);
    return measure_source(args, &source) ? 0 : 1;
}

static size_t find_chosen(const bool *chosen) {
    size_t i = 0;
    while (!chosen[i])
        i++;
    return i;
}

static int run_passes(const bench_args *args, const bench_dataset *dataset) {
    const bench_codec *codec = bench_codecs[find_chosen(args->codecs)];
    bench_op op = (bench_op) find_chosen(args->ops);
    bench_lane lane;
    if (codec->pass[op] == NULL ||
        !bench_lane_open(&lane, codec, dataset, args->ops)) {
        fprintf(stderr, "pbturbo-bench: %s has no %s of %s\n", codec->name,
                bench_op_names[op], dataset->name);
        return 1;
    }
    uint64_t expected = lane.expected[op];
    bool right = lane.rejected[op] == NULL;
    if (right) {
        uint64_t n = args->callgrind_passes;
        right =
            bench_measured_region(codec->pass[op], lane.objects, n) == expected;
        const bench_written *written = bench_lane_written(&lane, op);
        bench_stats stats;
        bench_stats_take(dataset, &stats);
        printf("%s %s %s: %" PRIu64 " passes of %zu messages, %zu values, "
               "%zu bytes, checksum %016" PRIx64 "\n",
               dataset->name, bench_op_names[op], codec->name, n, dataset->n,
               stats.values, written->bytes, written->checksum);
    }
    if (!right)
        fprintf(stderr, "pbturbo-bench: %s\n",
                lane.rejected[op] != NULL ? lane.rejected[op]
                                          : "a pass gave a wrong result");
    bench_lane_close(&lane);
    return right ? 0 : 1;
}

static int run_callgrind(const bench_args *args) {
    const bench_source *source = &bench_sources[find_chosen(args->datasets)];
    bench_wanted wanted = wanted_by(args);
    bench_dataset dataset;
    const char *why;
    int result = 1;
    if (bench_dataset_open(source, &wanted, &dataset, &why))
        result = run_passes(args, &dataset);
    else
        fprintf(stderr, "pbturbo-bench: %s: %s\n", source->name, why);
    bench_dataset_close(&dataset);
    return result;
}

static int measure_scale(const bench_args *args) {
    scale_result result;
    FILE *plot = NULL;
    if (args->plot != NULL && (plot = fopen(args->plot, "w")) == NULL) {
        fprintf(stderr, "pbturbo-bench: %s: %s\n", args->plot, strerror(errno));
        return 1;
    }
    bool done = scale_run(args, &result);
    if (plot != NULL)
        done &= scale_plot(plot, &result, args);
    scale_result_free(&result);
    return done ? 0 : 1;
}

int main(int argc, char **argv) {
    bench_args args;
    if (!bench_args_parse(argc, argv, &args))
        return 2;
    if (args.help) {
        bench_args_help();
        return 0;
    }
    if (args.scale)
        return measure_scale(&args);
    if (args.callgrind_passes > 0)
        return run_callgrind(&args);
    if (args.report != NULL && !bench_html_start(args.report))
        return 1;
    int result = args.schema != NULL ? measure_own(&args) : measure_all(&args);
    return bench_html_finish(args.seed, args.quick) ? result : 1;
}
