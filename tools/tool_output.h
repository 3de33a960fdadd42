/* tool_output.h - where results go: standard output, or a file that appears
 * under its name only when it is complete. */
#ifndef PBTURBO_TOOL_OUTPUT_H
#define PBTURBO_TOOL_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "tool_args.h"

typedef struct tool_output {
    FILE *file;
    const char *name; /* for messages */
    char *target;     /* the file to be replaced; NULL: written directly */
    char *temporary;
    int error; /* errno of the first write that failed */
} tool_output;

/* Opens the file of -o, or standard output where path is NULL. The value is an
 * exit code, and an error has been reported. */
int tool_output_open(tool_output *out, const char *path);

/* False once a write has failed; what it was is told when closing. */
bool tool_output_write(tool_output *out, const void *data, size_t len);
bool tool_output_print(tool_output *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes a message with what goes before it. */
int tool_output_message(tool_output *out, tool_framing framing,
                        const uint8_t *data, size_t len);

/* Ends the output: puts the file in its place where keep is true, drops it
 * otherwise. The value is `code` or that of an error found on the way. */
int tool_output_close(tool_output *out, int code, bool keep);

#endif
