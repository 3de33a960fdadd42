/* tool_cmd_bench.c - pbturbo bench: reads, measures and reports one file after
 * the other. The columns of --tsv are those of pbturbo-bench. */
#include "tool_commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <pbturbo/marshal.h>
#include <pbturbo/version.h>

#include "tool_bench.h"
#include "tool_output.h"
#include "tool_report.h"
#include "tool_schema.h"

const char *const tool_bench_ops[] = {"marshal", "unmarshal"};
const char *const tool_bench_codecs[] = {"pbturbo", "protobuf-c"};

typedef struct row {
    const char *dataset;
    const tool_bench_data *data;
    size_t op;
    size_t codec;
    const tool_bench_lane *lane;
    const tool_bench_lane *own; /* pbturbo's at the same operation */
} row;

static double mb_s(const tool_bench_lane *lane) {
    return (double) lane->bytes * 1e3 / lane->ns;
}

static void print_tsv(tool_output *out, const row *of) {
    (void) tool_output_print(out, "%s\t%s\t%s\t%zu\t", of->dataset,
                             tool_bench_ops[of->op],
                             tool_bench_codecs[of->codec], of->data->n);
    if (of->lane->rejected[0] != '\0')
        (void) tool_output_print(out, "-\t-\t-\t-\t%s\n", of->lane->rejected);
    else
        (void) tool_output_print(out, "%zu\t%.1f\t%.1f\t%.3f\t%.2f\n",
                                 of->lane->bytes, of->lane->ns, mb_s(of->lane),
                                 of->lane->spread, of->lane->ns / of->own->ns);
}

static void print_line(tool_output *out, const row *of) {
    (void) tool_output_print(out, "%-10s %-11s ", tool_bench_ops[of->op],
                             tool_bench_codecs[of->codec]);
    if (of->lane->rejected[0] != '\0')
        (void) tool_output_print(out, "%s\n", of->lane->rejected);
    else
        (void) tool_output_print(
            out, "%12zu %14.1f %12.1f %9.1f %7.2f %7.2f\n", of->lane->bytes,
            of->lane->ns, of->lane->ns / (double) of->data->n, mb_s(of->lane),
            of->lane->spread, of->lane->ns / of->own->ns);
}

/* How often as fast pbturbo is; 0 when that cannot be said. */
static double advantage(const tool_bench_lane *lanes) {
    const tool_bench_lane *own = &lanes[TOOL_BENCH_PBTURBO];
    const tool_bench_lane *peer = &lanes[TOOL_BENCH_PROTOBUF_C];
    return own->rejected[0] == '\0' && peer->rejected[0] == '\0' && own->ns > 0
               ? peer->ns / own->ns
               : 0;
}

static void print_verdict(tool_output *out, tool_bench_lanes lanes) {
    double marshal = advantage(lanes[TOOL_BENCH_MARSHAL]);
    double unmarshal = advantage(lanes[TOOL_BENCH_UNMARSHAL]);
    if (marshal <= 0 && unmarshal <= 0)
        (void) tool_output_print(
            out, "There is nothing to compare: protobuf-c is not timed.\n");
    else if (tool_bench_was_busy(lanes[TOOL_BENCH_MARSHAL]) ||
             tool_bench_was_busy(lanes[TOOL_BENCH_UNMARSHAL]))
        (void) tool_output_print(
            out, "The machine was busy: do not compare these times.\n");
    else if (marshal <= 0 || unmarshal <= 0)
        (void) tool_output_print(
            out,
            "These messages %s %.2f times as fast with pbturbo as with "
            "protobuf-c.\n",
            marshal > 0 ? "marshal" : "unmarshal",
            marshal > 0 ? marshal : unmarshal);
    else
        (void) tool_output_print(
            out,
            "These messages marshal %.2f times and unmarshal %.2f times as "
            "fast with\npbturbo as with protobuf-c.\n",
            marshal, unmarshal);
}

static void report(tool_output *out, const char *dataset, bool tsv,
                   const tool_bench_data *data, tool_bench_lanes lanes) {
    if (!tsv)
        (void) tool_output_print(out,
                                 "\n%s: %s, %zu message%s, %zu bytes\n"
                                 "%-10s %-11s %12s %14s %12s %9s %7s %7s\n",
                                 dataset, data->type->name, data->n,
                                 data->n == 1 ? "" : "s", data->n_bytes, "op",
                                 "codec", "bytes", "ns", "ns/message", "MB/s",
                                 "spread", "ratio");
    for (size_t op = 0; op < TOOL_BENCH_N_OPS; op++) {
        for (size_t codec = 0; codec < TOOL_BENCH_N_CODECS; codec++) {
            row of = {dataset,
                      data,
                      op,
                      codec,
                      &lanes[op][codec],
                      &lanes[op][TOOL_BENCH_PBTURBO]};
            if (tsv)
                print_tsv(out, &of);
            else
                print_line(out, &of);
        }
    }
    if (!tsv)
        print_verdict(out, lanes);
    (void) fflush(out->file);
}

static void print_head(tool_output *out, bool tsv) {
    if (tsv)
        (void) tool_output_print(out, "dataset\top\tcodec\tmessages\tbytes\tns"
                                      "\tmb_s\tspread\tratio\n");
    else
        (void) tool_output_print(
            out, "pbturbo %s, CPU level %s; protobuf-c %s\n", pbt_version(),
            pbt_cpu_level(), protobuf_c_version());
}

static int bench_file(const tool_args *args,
                      const ProtobufCMessageDescriptor *type, const char *file,
                      bool is_first, tool_output *out) {
    tool_bench_lanes lanes = {0};
    tool_bench_data data = {.type = type,
                            .options.flags = args->flags & PBT_ALLOW_PARTIAL};
    const char *name = strcmp(file, "-") == 0 ? "(standard input)" : file;
    int code = tool_each_message_of(args, file, false, tool_bench_keep, &data);
    if (code == TOOL_OK && data.n == 0)
        code = tool_found("%s: there are no messages in it", name);
    if (code == TOOL_OK)
        code = tool_bench_prepare(&data, name, lanes);
    if (code == TOOL_OK) {
        tool_bench_measure(&data, args->quick, lanes);
        if (is_first)
            print_head(out, args->tsv);
        report(out, name, args->tsv, &data, lanes);
    }
    tool_bench_free(&data);
    return code;
}

static int bench_files(const tool_args *args,
                       const ProtobufCMessageDescriptor *type,
                       tool_output *out) {
    int code = TOOL_OK;
    if (args->operands.n == 0)
        return bench_file(args, type, "-", true, out);
    for (size_t i = 0; i < args->operands.n && code == TOOL_OK; i++)
        code = bench_file(args, type, args->operands.items[i], i == 0, out);
    return code;
}

int tool_bench(const tool_args *args) {
    tool_schema schema;
    tool_output out = {0};
    int code = tool_schema_open(args, &schema);
    if (code != TOOL_OK)
        return code;
    code = tool_output_open(&out, args->output);
    if (code == TOOL_OK)
        code = bench_files(args, schema.type, &out);
    code = tool_output_close(&out, code, code == TOOL_OK);
    tool_schema_close(&schema);
    return code;
}
