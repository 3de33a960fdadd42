/* bench_report.c - the two forms of output. The columns of the TSV form are
 * fixed: other programs read them. */
#include "bench_report.h"
#include "bench_html.h"
#include "bench_machine.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <pbturbo/pbturbo.h>

const char *const bench_op_names[BENCH_N_OPS] = {"marshal", "size", "check",
                                                 "unmarshal", "json"};

/* One peer's ratios in one operation. */
typedef struct bench_mean {
    size_t n;
    double log_sum;
    double lowest;
    char lowest_at[64];
} bench_mean;

static bench_mean means[BENCH_N_OPS][BENCH_MAX_CODECS];

static FILE *remarks(bool tsv) {
    return tsv ? stderr : stdout;
}

static void print_versions(FILE *to) {
    fputs("# codecs:", to);
    for (size_t i = 0; bench_codecs[i] != NULL; i++) {
        const bench_codec *codec = bench_codecs[i];
        if (codec->is_by_name)
            continue;
        fprintf(to, "%s %s", i == 0 ? "" : ",", codec->name);
        if (codec->version != NULL)
            fprintf(to, " %s", codec->version());
    }
    fputc('\n', to);
}

void bench_report_start(bool tsv, uint64_t seed) {
    bench_machine machine;
    bench_machine_find(&machine);
    FILE *to = remarks(tsv);
    fprintf(to, "# pbturbo %s, CPU level %s, on %s, seed %" PRIu64 "\n",
            pbt_version(), pbt_cpu_level(), machine.model, seed);
    print_versions(to);
    for (size_t i = 0; bench_missing_peers[i] != NULL; i++)
        bench_report_note(tsv, "%s", bench_missing_peers[i]);
    if (tsv)
        puts("dataset\top\tcodec\tmessages\tbytes\tns\tmb_s\tspread\tratio");
}

void bench_report_note(bool tsv, const char *format, ...) {
    FILE *to = remarks(tsv);
    va_list args;
    va_start(args, format);
    fputs("# ", to);
    vfprintf(to, format, args);
    fputc('\n', to);
    va_end(args);
}

static double percent(size_t part, size_t whole) {
    return whole == 0 ? 0 : 100 * (double) part / (double) whole;
}

static void print_stats(FILE *to, const bench_dataset *dataset) {
    bench_stats stats;
    bench_stats_take(dataset, &stats);
    size_t varints = stats.varints[0] + stats.varints[1] + stats.varints[2];
    fprintf(to,
            "#   %zu messages and sub-messages (%zu groups), depth %zu; %zu of "
            "%zu fields set (%.1f %%)\n",
            stats.messages, stats.groups, stats.depth, stats.fields_set,
            stats.fields_declared,
            percent(stats.fields_set, stats.fields_declared));
    fprintf(to,
            "#   %zu varints (%.0f %% of one byte, %.0f %% of two); %zu "
            "strings and bytes fields, %.0f bytes on average\n",
            varints, percent(stats.varints[0], varints),
            percent(stats.varints[1], varints), stats.text_fields,
            percent(stats.text_bytes, stats.text_fields) / 100);
    if (dataset->has_groups)
        fputs("#   protobuf-c has no groups: it reads and writes them as "
              "sub-messages\n",
              to);
}

static uint64_t checksum_of(const bench_dataset *dataset) {
    uint64_t sum = BENCH_CHECKSUM_START;
    for (size_t i = 0; i < dataset->n; i++)
        sum = bench_checksum(sum, dataset->messages[i].data,
                             dataset->messages[i].len);
    return sum;
}

void bench_report_dataset(bool tsv, const bench_dataset *dataset,
                          const bench_source *source, uint64_t seed) {
    const char *origin = bench_source_origin(source);
    FILE *to = remarks(tsv);
    fprintf(to, "%s# %s: %s, %zu message%s, %zu bytes, checksum %016" PRIx64,
            tsv ? "" : "\n", dataset->name, dataset->type->name, dataset->n,
            dataset->n == 1 ? "" : "s", dataset->total, checksum_of(dataset));
    if (origin != NULL)
        fprintf(to, ", %s", origin);
    else if (bench_source_is_generated(source))
        fprintf(to, ", generated with seed %" PRIu64, seed);
    fputc('\n', to);
    print_stats(to, dataset);
    if (!tsv)
        printf("%-9s %-19s %12s %14s %14s %10s %7s %7s  %s\n", "op", "codec",
               "bytes", "ns", "ns/message", "MB/s", "spread", "ratio",
               "checksum");
}

static double ns_of(const bench_lane *lanes, const bench_figure *figures,
                    size_t n, const char *codec) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(lanes[i].codec->name, codec) == 0)
            return figures[i].ns;
    return 0;
}

/* "-" where pbturbo was not timed; more digits where two would say nothing. */
static void format_ratio(char *text, size_t size, double ns, double own_ns) {
    if (own_ns > 0)
        snprintf(text, size, ns / own_ns < 0.1 ? "%.4f" : "%.2f", ns / own_ns);
    else
        snprintf(text, size, "-");
}

static void print_tsv(const bench_dataset *dataset, bench_op op,
                      const bench_lane *lane, const bench_figure *figure,
                      const char *ratio) {
    printf("%s\t%s\t%s\t%zu\t", dataset->name, bench_op_names[op],
           lane->codec->name, dataset->n);
    size_t bytes = bench_lane_written(lane, op)->bytes;
    if (figure->rejected != NULL)
        printf("-\t-\t-\t-\t%s\n", figure->rejected);
    else
        printf("%zu\t%.1f\t%.1f\t%.3f\t%s\n", bytes, figure->ns,
               (double) bytes * 1e3 / figure->ns, figure->spread, ratio);
}

static void print_line(const bench_dataset *dataset, bench_op op,
                       const bench_lane *lane, const bench_figure *figure,
                       const char *ratio) {
    const bench_written *written = bench_lane_written(lane, op);
    bool is_other = lane->codec->is_plain && dataset->has_groups;
    bool is_unread = op == BENCH_JSON && lane->is_unread;
    printf("%-9s %-19s ", bench_op_names[op], lane->codec->name);
    if (figure->rejected != NULL)
        printf("%s\n", figure->rejected);
    else
        printf("%12zu %14.1f %14.1f %10.1f %7.3f %7s  %016" PRIx64 "%s%s\n",
               written->bytes, figure->ns, figure->ns / (double) dataset->n,
               (double) written->bytes * 1e3 / figure->ns, figure->spread,
               ratio, written->checksum,
               is_other ? " groups as sub-messages" : "",
               is_unread ? " not read back" : "");
}

/* Adds the ratio to what bench_report_means will print. */
static void add_ratio(bench_op op, size_t codec, const char *dataset,
                      double ratio) {
    bench_mean *mean = &means[op][codec];
    mean->log_sum += log(ratio);
    if (mean->n++ == 0 || ratio < mean->lowest) {
        mean->lowest = ratio;
        snprintf(mean->lowest_at, sizeof mean->lowest_at, "%s", dataset);
    }
}

static size_t find_codec(const bench_codec *codec) {
    size_t i = 0;
    while (bench_codecs[i] != codec)
        i++;
    return i;
}

void bench_report_means(bool tsv) {
    for (size_t op = 0; op < BENCH_N_OPS; op++) {
        for (size_t i = 0; bench_codecs[i] != NULL; i++) {
            const bench_mean *mean = &means[op][i];
            if (mean->n < 2 || bench_codecs[i] == &bench_codec_memcpy)
                continue;
            bench_report_note(
                tsv,
                "%s, %s: ratio %.2f (geometric mean of %zu datasets), lowest "
                "%.2f (%s)",
                bench_op_names[op], bench_codecs[i]->name,
                exp(mean->log_sum / (double) mean->n), mean->n, mean->lowest,
                mean->lowest_at);
        }
    }
}

void bench_report_op(bool tsv, const bench_dataset *dataset, bench_op op,
                     const bench_lane *lanes, const bench_figure *figures,
                     size_t n) {
    double own_ns = ns_of(lanes, figures, n, "pbturbo");
    bench_html_op(dataset, op, lanes, figures, n);
    for (size_t i = 0; i < n; i++) {
        if (!bench_has(lanes[i].codec, op))
            continue;
        if (own_ns > 0 && figures[i].ns > 0 && figures[i].ns != own_ns)
            add_ratio(op, find_codec(lanes[i].codec), dataset->name,
                      figures[i].ns / own_ns);
        char ratio[32];
        format_ratio(ratio, sizeof ratio, figures[i].ns, own_ns);
        if (tsv)
            print_tsv(dataset, op, &lanes[i], &figures[i], ratio);
        else
            print_line(dataset, op, &lanes[i], &figures[i], ratio);
    }
    fflush(stdout);
}
