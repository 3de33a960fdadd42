/* tool_input.h - messages from files, one at a time, in memory that is used
 * again for each. */
#ifndef PBTURBO_TOOL_INPUT_H
#define PBTURBO_TOOL_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pbturbo/status.h>

#include "tool_args.h"

typedef struct tool_message {
    const char *file; /* for messages */
    uint64_t number;  /* from 1, in its file */
    uint64_t offset;  /* of its first byte in the file */
    const uint8_t *data;
    size_t len;
} tool_message;

/* Does something with a message. The value is an exit code, and an error has
 * been reported. */
typedef int tool_message_call(void *self, const tool_message *message);

/* Calls for each message of all files in turn, or of standard input. With
 * `goes_on` a bad message or file does not end it. The value is the worst exit
 * code there was. */
int tool_each_message(const tool_args *args, bool goes_on,
                      tool_message_call *call, void *self);

/* The same for one file. */
int tool_each_message_of(const tool_args *args, const char *file, bool goes_on,
                         tool_message_call *call, void *self);

/* Reports what is wrong with a message: file, number, path, what. The value is
 * TOOL_FOUND, or TOOL_TROUBLE where the message is not to blame. */
int tool_bad_message(const tool_message *message, const pbt_error *error);

#endif
