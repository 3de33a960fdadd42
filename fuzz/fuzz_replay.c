/* fuzz_replay.c - feeds a target with hard cases, seeded inputs and files.
 *
 * Usage: fuzz-replay-TARGET [--cases FILE] [--seeded N] [--write FOLDER]
 *                           [FILE...]
 *
 * Inputs are numbered from the seed, so that a fault comes again. --write puts
 * the inputs into files, a corpus for libFuzzer to start from, and runs
 * nothing. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"

static const char *folder; /* to write to, or NULL to run */
static unsigned long n_inputs;
static const char *kind = "no input"; /* at hand */
static unsigned long kind_number;

static void write_input(const fuzz_bytes *input) {
    char name[4096];
    FILE *file;
    snprintf(name, sizeof name, "%s/%s-%06lu", folder, kind, kind_number);
    file = fopen(name, "wb");
    if (!file || fwrite(input->data, 1, input->len, file) != input->len ||
        fclose(file)) {
        fprintf(stderr, "fuzz-replay: cannot write %s\n", name);
        exit(2);
    }
}

/* A copy of the exact size lets AddressSanitizer see reads beyond it. */
static void use_input(const fuzz_bytes *input) {
    uint8_t *copy;
    if (folder) {
        write_input(input);
    } else {
        copy = malloc(input->len ? input->len : 1);
        if (!copy)
            exit(2);
        if (input->len)
            memcpy(copy, input->data, input->len);
        LLVMFuzzerTestOneInput(copy, input->len);
        free(copy);
    }
    n_inputs++;
}

static void use_seeded(unsigned long count) {
    kind = "seeded";
    for (kind_number = 0; kind_number < count; kind_number++) {
        fuzz_bytes input = {0};
        rng r = {kind_number};
        fuzz_seed(&input, &r);
        use_input(&input);
        fuzz_free(&input);
    }
}

static FILE *open_file(const char *name) {
    FILE *file = fopen(name, "rb");
    if (!file) {
        fprintf(stderr, "fuzz-replay: cannot open %s\n", name);
        exit(2);
    }
    return file;
}

/* Lines are cases; what follows a # is for the reader. */
static void use_cases(const char *name) {
    char line[8192];
    FILE *file = open_file(name);
    kind = "case";
    for (kind_number = 1; fgets(line, sizeof line, file); kind_number++) {
        fuzz_bytes input = {0};
        size_t len = strcspn(line, "#\n");
        while (len && line[len - 1] == ' ')
            len--;
        line[len] = '\0';
        if (!len)
            continue;
        if (!fuzz_read_case(&input, line)) {
            fprintf(stderr, "%s:%lu: cannot be read\n", name, kind_number);
            exit(2);
        }
        use_input(&input);
        fuzz_free(&input);
    }
    fclose(file);
}

static void use_file(const char *name) {
    FILE *file = open_file(name);
    fuzz_bytes input = {0};
    uint8_t block[4096];
    size_t n;
    kind = name;
    while ((n = fread(block, 1, sizeof block, file)) > 0)
        fuzz_append(&input, block, n);
    fclose(file);
    use_input(&input);
    fuzz_free(&input);
}

/* Says which input it was that ended the program. */
static void report_input(void) {
    fprintf(stderr, "fuzz-replay: %s %lu\n", kind, kind_number);
}

static void report_abort(int number) {
    (void) number;
    report_input();
}

/* What the sanitizers call before they end the program, in their builds. */
#if defined(__GNUC__)
extern void __sanitizer_set_death_callback(void (*callback)(void))
    __attribute__((weak));
#endif

static void report_faults(void) {
#if defined(__GNUC__)
    if (__sanitizer_set_death_callback)
        __sanitizer_set_death_callback(report_input);
#endif
    signal(SIGABRT, report_abort);
}

int main(int argc, char **argv) {
    int i;
    report_faults();
    for (i = 1; i < argc; i++) {
        bool has_value = i + 1 < argc;
        if (!strcmp(argv[i], "--cases") && has_value)
            use_cases(argv[++i]);
        else if (!strcmp(argv[i], "--seeded") && has_value)
            use_seeded(strtoul(argv[++i], NULL, 10));
        else if (!strcmp(argv[i], "--write") && has_value)
            folder = argv[++i];
        else
            use_file(argv[i]);
    }
    printf("%lu inputs\n", n_inputs);
    return n_inputs ? 0 : 2;
}
