/* tool_report.c - see tool_report.h. */
#include "tool_report.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tool_temp.h"

static const double first_progress_s = 1.0;
static const double next_progress_s = 0.2;

static struct {
    bool is_decided;
    bool is_wanted;
    bool is_shown;
    double next_s;
} progress;

/* Lines that wait. */
static struct {
    FILE *file; /* NULL: nothing waits */
    char *text;
    size_t len;
} held;

static void print_line(const char *format, va_list arguments) {
    FILE *to = held.file != NULL ? held.file : stderr;
    tool_progress_end();
    fputs("pbturbo: ", to);
    vfprintf(to, format, arguments);
    fputc('\n', to);
}

void tool_hold(void) {
    if (held.file == NULL)
        held.file = open_memstream(&held.text, &held.len);
}

void tool_release(void) {
    if (held.file == NULL)
        return;
    if (fclose(held.file) == 0)
        (void) fwrite(held.text, 1, held.len, stderr);
    free(held.text);
    held.file = NULL;
    held.text = NULL;
}

int tool_trouble(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
    return TOOL_TROUBLE;
}

int tool_found(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_line(format, arguments);
    va_end(arguments);
    return TOOL_FOUND;
}

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double) now.tv_sec + (double) now.tv_nsec * 1e-9;
}

void tool_progress(const char *file, uint64_t bytes, uint64_t messages) {
    if (!progress.is_decided) {
        progress.is_decided = true;
        progress.is_wanted = isatty(STDERR_FILENO) && !isatty(STDOUT_FILENO);
        progress.next_s = now_s() + first_progress_s;
    }
    if (!progress.is_wanted || now_s() < progress.next_s)
        return;
    progress.next_s = now_s() + next_progress_s;
    progress.is_shown = true;
    fprintf(stderr, "\r\033[Kpbturbo: %s: %" PRIu64 " MB, %" PRIu64 " messages",
            file, bytes / 1000000, messages);
    fflush(stderr);
}

void tool_progress_end(void) {
    if (!progress.is_shown)
        return;
    progress.is_shown = false;
    fputs("\r\033[K", stderr);
    fflush(stderr);
}

static void *require_memory(void *block) {
    if (block == NULL) {
        tool_temp_remove_all();
        tool_release();
        exit(tool_trouble("out of memory"));
    }
    return block;
}

void *tool_alloc(size_t n, size_t size) {
    return require_memory(calloc(n > 0 ? n : 1, size > 0 ? size : 1));
}

void *tool_grow(void *block, size_t n, size_t size) {
    if (n == 0 || size == 0 || n > SIZE_MAX / size)
        return require_memory(NULL);
    return require_memory(realloc(block, n * size));
}

char *tool_join(const char *first, const char *second) {
    size_t size = strlen(first) + strlen(second) + 1;
    char *joined = (char *) tool_alloc(size, 1);
    (void) snprintf(joined, size, "%s%s", first, second);
    return joined;
}
