/* bench_args.c - the command line. */
#include "bench_args.h"
#include "bench_data.h"
#include "bench_report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void bench_args_help(void) {
    puts(
        "usage: pbturbo-bench [options]\n"
        "       pbturbo-bench --schema SET [--type NAME] [--delimited] "
        "[options] FILE\n"
        "\n"
        "  --dataset NAME[,..]  only these datasets\n"
        "  --op NAME[,..]       only these operations\n"
        "  --codec NAME[,..]    only these codecs\n"
        "  --seed N             of the generated datasets (default 1)\n"
        "  --quick              some seconds in all, rough figures\n"
        "  --data DIR           where scripts/datasets put its files\n"
        "  --schema SET         messages of your own instead, from FILE; SET "
        "holds their\n"
        "                       types (protoc --include_imports\n"
        "                       --descriptor_set_out=SET)\n"
        "  --type NAME          full name of their type; may be left out where "
        "only\n"
        "                       one type is part of no other\n"
        "  --delimited          FILE holds many, each behind its length as a "
        "varint\n"
        "  --tsv                lines for programs; remarks go to stderr\n"
        "  --report FILE        writes a page (HTML) of all figures, too\n"
        "  --scale              instead: how the cost of marshal grows with "
        "size, "
        "depth,\n"
        "                       fields and threads, and what tables cost; TSV\n"
        "  --plot FILE          the same, and a drawing (SVG) of it\n"
        "  --largest N          bytes of its largest message (default "
        "1000000000,"
        "\n"
        "                       with --quick 64000000)\n"
        "  --callgrind CODEC:N  N passes of one operation on one dataset, for\n"
        "                       valgrind --tool=callgrind\n"
        "                       --toggle-collect=bench_measured_region\n"
        "  --help               this text, and the names");
    fputs("\ndatasets:", stdout);
    for (size_t i = 0; bench_sources[i].name != NULL; i++)
        printf(" %s", bench_sources[i].name);
    fputs("\noperations:", stdout);
    for (size_t i = 0; i < BENCH_N_OPS; i++)
        printf(" %s", bench_op_names[i]);
    fputs("\ncodecs:", stdout);
    for (size_t i = 0; bench_codecs[i] != NULL; i++)
        printf(" %s", bench_codecs[i]->name);
    putchar('\n');
}

static bool complain(const char *what, const char *value) {
    fprintf(stderr, "pbturbo-bench: %s: %s (--help lists what there is)\n",
            what, value);
    return false;
}

static const char *source_name(size_t i) {
    return bench_sources[i].name;
}

static const char *op_name(size_t i) {
    return i < BENCH_N_OPS ? bench_op_names[i] : NULL;
}

static const char *codec_name(size_t i) {
    return bench_codecs[i] == NULL ? NULL : bench_codecs[i]->name;
}

/* Marks the one name of len bytes. */
static bool choose_one(const char *name, size_t len,
                       const char *(*name_at)(size_t), bool *chosen) {
    for (size_t i = 0; name_at(i) != NULL; i++) {
        if (strlen(name_at(i)) == len && memcmp(name_at(i), name, len) == 0) {
            chosen[i] = true;
            return true;
        }
    }
    return false;
}

/* Marks the names of a list with commas, and nothing else. */
static bool choose(const char *what, const char *list,
                   const char *(*name_at)(size_t), bool *chosen) {
    for (size_t i = 0; name_at(i) != NULL; i++)
        chosen[i] = false;
    for (const char *name = list;; name++) {
        size_t len = strcspn(name, ",");
        if (!choose_one(name, len, name_at, chosen))
            return complain(what, list);
        name += len;
        if (*name == '\0')
            return true;
    }
}

static bool parse_number(const char *what, const char *text, uint64_t *number) {
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0)
        return complain(what, text);
    return true;
}

static bool parse_callgrind(char *value, bench_args *args) {
    char *colon = strchr(value, ':');
    if (colon == NULL)
        return complain("--callgrind wants CODEC:N", value);
    if (!parse_number("not a number of passes", colon + 1,
                      &args->callgrind_passes))
        return false;
    if (args->callgrind_passes == 0)
        return complain("not a number of passes", colon + 1);
    *colon = '\0';
    return choose("unknown codec", value, codec_name, args->codecs);
}

/* Where the value of an option is kept that is kept as it is. */
static const char **text_option(const char *option, bench_args *args) {
    if (strcmp(option, "--schema") == 0)
        return &args->schema;
    if (strcmp(option, "--type") == 0)
        return &args->type;
    if (strcmp(option, "--report") == 0)
        return &args->report;
    if (strcmp(option, "--plot") == 0)
        return &args->plot;
    return &args->folder;
}

static bool parse_value(const char *option, char *value, bench_args *args) {
    if (value == NULL)
        return complain("missing value", option);
    if (strcmp(option, "--dataset") == 0) {
        args->some_datasets = true;
        return choose("unknown dataset", value, source_name, args->datasets);
    }
    if (strcmp(option, "--op") == 0)
        return choose("unknown operation", value, op_name, args->ops);
    if (strcmp(option, "--codec") == 0)
        return choose("unknown codec", value, codec_name, args->codecs);
    if (strcmp(option, "--seed") == 0)
        return parse_number("not a seed", value, &args->seed);
    if (strcmp(option, "--largest") == 0)
        return parse_number("not a size", value, &args->largest);
    if (strcmp(option, "--callgrind") == 0)
        return parse_callgrind(value, args);
    *text_option(option, args) = value;
    return true;
}

static bool takes_value(const char *option) {
    static const char *const options[] = {
        "--dataset", "--op",     "--codec",  "--seed",
        "--data",    "--schema", "--type",   "--callgrind",
        "--report",  "--plot",   "--largest"};
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (strcmp(option, options[i]) == 0)
            return true;
    return false;
}

static bool parse_flag(const char *option, bench_args *args) {
    if (strcmp(option, "--help") == 0)
        args->help = true;
    else if (strcmp(option, "--tsv") == 0)
        args->tsv = true;
    else if (strcmp(option, "--scale") == 0)
        args->scale = true;
    else if (strcmp(option, "--quick") == 0)
        args->quick = true;
    else if (strcmp(option, "--delimited") == 0)
        args->delimited = true;
    else if (option[0] != '-' && args->file == NULL)
        args->file = option;
    else
        return complain("unknown option", option);
    return true;
}

static size_t count(const bool *chosen, const char *(*name_at)(size_t)) {
    size_t n = 0;
    for (size_t i = 0; name_at(i) != NULL; i++)
        n += chosen[i];
    return n;
}

/* Callgrind counts all passes together, so there must be one kind only. */
static bool check_callgrind(const bench_args *args) {
    if (args->callgrind_passes == 0 || args->help)
        return true;
    if (args->report != NULL)
        return complain("--callgrind does not go with", "--report");
    if (count(args->datasets, source_name) != 1)
        return complain("--callgrind wants one", "--dataset");
    if (count(args->ops, op_name) != 1)
        return complain("--callgrind wants one", "--op");
    if (count(args->codecs, codec_name) != 1)
        return complain("--callgrind wants one", "codec");
    return true;
}

/* A file goes with a schema, and neither with a choice of datasets. */
static bool check_own(const bench_args *args) {
    if (args->schema == NULL && (args->type != NULL || args->delimited))
        return complain("missing option", "--schema");
    if (args->schema == NULL && args->file != NULL)
        return complain("a file without --schema", args->file);
    if (args->schema == NULL || args->help)
        return true;
    if (args->file == NULL)
        return complain("missing", "FILE");
    if (args->some_datasets || args->callgrind_passes > 0)
        return complain("does not go with --schema",
                        args->some_datasets ? "--dataset" : "--callgrind");
    return true;
}

/* The curves have subjects and codecs of their own. */
static bool check_scale(bench_args *args) {
    args->scale |= args->plot != NULL;
    if (!args->scale && args->largest > 0)
        return complain("missing option", "--scale");
    if (!args->scale || args->help)
        return true;
    if (args->some_datasets || args->schema != NULL || args->file != NULL)
        return complain("does not go with --scale", "datasets");
    if (args->callgrind_passes > 0 || args->report != NULL)
        return complain("does not go with --scale",
                        args->report != NULL ? "--report" : "--callgrind");
    return true;
}

static void set_defaults(bench_args *args) {
    memset(args, 0, sizeof *args);
    args->seed = 1;
    args->folder = BENCH_DATASETS_DIR;
    memset(args->datasets, true, sizeof args->datasets);
    memset(args->ops, true, sizeof args->ops);
    for (size_t i = 0; bench_codecs[i] != NULL; i++)
        args->codecs[i] = !bench_codecs[i]->is_by_name;
}

bool bench_args_parse(int argc, char **argv, bench_args *args) {
    set_defaults(args);
    for (int i = 1; i < argc; i++) {
        if (takes_value(argv[i])) {
            if (!parse_value(argv[i], argv[i + 1], args))
                return false;
            i++;
        } else if (!parse_flag(argv[i], args)) {
            return false;
        }
    }
    return check_scale(args) && check_own(args) && check_callgrind(args);
}
