/* tool_report.h - what the command says on standard error, how it ends, and
 * the memory it takes. */
#ifndef PBTURBO_TOOL_REPORT_H
#define PBTURBO_TOOL_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit codes. A larger one wins when several things happen. */
enum {
    TOOL_OK = 0,
    TOOL_FOUND = 1,  /* check found something, or the data are bad */
    TOOL_TROUBLE = 2 /* usage, schema, files, memory */
};

/* Prints "pbturbo: " and the text as one line. The value is TOOL_TROUBLE, for
 * the caller to return. */
int tool_trouble(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same for bad data: the value is TOOL_FOUND. */
int tool_found(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What is said from tool_hold on waits for tool_release: it is to stand below
 * results that are not there yet. */
void tool_hold(void);
void tool_release(void);

/* Shows how far the reading of a file is, now and then, once it takes long.
 * Only on a terminal that standard output does not write to as well. */
void tool_progress(const char *file, uint64_t bytes, uint64_t messages);
void tool_progress_end(void);

/* Memory of n times size bytes; these end the program where there is none. */
void *tool_alloc(size_t n, size_t size); /* zeroed */
void *tool_grow(void *block, size_t n, size_t size);
char *tool_join(const char *first, const char *second);

#endif
