/* bench_gen_golang.c - a tree of source files: the folders of the Go source
 * that Debian's package has put on this machine, or else a seeded tree that is
 * much like them. What is kept of a file besides its name is made of its size,
 * or of the random numbers. */
#include "bench_gen.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    MAX_PATH = 1024,
    FILES = 8000, /* about, in a seeded tree */
    MAX_LEVEL = 6
};

/* Where packages of Go 1.15 and later leave a link to their source. */
static const char source_folder[] = "/usr/lib/go/src";

static int is_entry(const struct dirent *entry) {
    return entry->d_name[0] != '.';
}

/* By bytes: alphasort asks the locale. */
static int compare_entries(const struct dirent **a, const struct dirent **b) {
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* The numbers of a node, all of which may be zero. */
static void put_numbers(wire_writer *out, uint64_t size) {
    uint64_t touches = size / 4000;
    wire_double(out, 3, (double) touches / 1024 + (double) (size % 97) / 1e6);
    wire_varint(out, 4, touches);
    if (touches == 0)
        return;
    wire_varint(out, 5, 1230000000 + size % 1000 * 7919);
    wire_varint(out, 6, 1360000000 + size % 5000 * 7919);
    wire_varint(out, 7, 1300000000 + size % 3000 * 7919);
}

static void put_folder(wire_writer *out, const char *path, unsigned level);

static void put_file(wire_writer *out, const char *path, const char *name,
                     unsigned level) {
    struct stat about;
    if (stat(path, &about) != 0)
        return;
    size_t node = wire_open(out, level == 0 ? 1 : 2);
    wire_string(out, 1, name);
    if (S_ISDIR(about.st_mode))
        put_folder(out, path, level + 1);
    else
        put_numbers(out, (uint64_t) about.st_size);
    wire_close(out, node);
}

static void put_folder(wire_writer *out, const char *path, unsigned level) {
    struct dirent **entries;
    int n = scandir(path, &entries, is_entry, compare_entries);
    for (int i = 0; i < n; i++) {
        char below[MAX_PATH];
        int len =
            snprintf(below, sizeof below, "%s/%s", path, entries[i]->d_name);
        if (len > 0 && (size_t) len < sizeof below)
            put_file(out, below, entries[i]->d_name, level);
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

static void put_random_name(wire_writer *out, bench_random *random,
                            bool is_file) {
    static const char *const endings[] = {".go",      ".go",       ".go",
                                          "_test.go", "_linux.go", ".s"};
    char text[64];
    size_t len = 0;
    for (uint64_t n = random_between(random, 3, 14); n > 0; n--)
        text[len++] = (char) ('a' + random_between(random, 0, 25));
    snprintf(text + len, sizeof text - len, "%s",
             is_file ? endings[random_between(random, 0, 5)] : "");
    wire_string(out, 1, text);
}

static void put_random_folder(wire_writer *out, bench_random *random,
                              unsigned level, unsigned *files) {
    uint64_t kids = random_between(random, 4, 30);
    size_t node = wire_open(out, level == 0 ? 1 : 2);
    put_random_name(out, random, false);
    for (; kids > 0 && *files < FILES; kids--) {
        if (level < MAX_LEVEL && (level < 2 || random_percent(random, 10))) {
            put_random_folder(out, random, level + 1, files);
            continue;
        }
        size_t file = wire_open(out, 2);
        put_random_name(out, random, true);
        put_numbers(out, random_width(random, 16));
        wire_close(out, file);
        ++*files;
    }
    wire_close(out, node);
}

static bool have_source(void) {
    struct stat about;
    return stat(source_folder, &about) == 0 && S_ISDIR(about.st_mode);
}

const char *describe_golang(void) {
    return have_source() ? "the names and sizes of Go's source files here"
                         : NULL;
}

void fill_golang(wire_writer *out, bench_random *random) {
    unsigned files = 0;
    if (have_source())
        put_file(out, source_folder, "src", 0);
    else
        put_random_folder(out, random, 0, &files);
    wire_string(out, 2, "gopher");
}
