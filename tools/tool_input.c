/* tool_input.c - see tool_input.h. A length that is announced is not believed:
 * the block grows only as bytes arrive. */
#include "tool_input.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool_report.h"

static const size_t first_block = (size_t) 256 * 1024;
static const size_t max_message = INT32_MAX;

typedef struct tool_input {
    const char *name;
    int fd;
    tool_framing framing;
    bool has_ended;
    int error; /* errno of a read that failed */
    uint8_t *block;
    size_t capacity;
    size_t begin; /* what has not been used yet lies from here to end */
    size_t end;
    uint64_t offset; /* of begin in the file */
    uint64_t number; /* of the message that is being read */
} tool_input;

static int open_input(tool_input *in, const char *file, tool_framing framing) {
    memset(in, 0, sizeof *in);
    in->framing = framing;
    in->name = file;
    if (strcmp(file, "-") == 0) {
        in->name = "(standard input)";
        in->fd = STDIN_FILENO;
    } else {
        in->fd = open(file, O_RDONLY | O_CLOEXEC);
    }
    if (in->fd < 0)
        return tool_trouble("%s: %s", file, strerror(errno));
    in->capacity = first_block;
    in->block = (uint8_t *) tool_alloc(in->capacity, 1);
    return TOOL_OK;
}

static void close_input(tool_input *in) {
    tool_progress_end();
    free(in->block);
    if (in->fd != STDIN_FILENO)
        (void) close(in->fd);
}

static void make_room(tool_input *in) {
    if (in->begin > 0) {
        memmove(in->block, in->block + in->begin, in->end - in->begin);
        in->end -= in->begin;
        in->begin = 0;
    }
    if (in->end < in->capacity)
        return;
    in->block = (uint8_t *) tool_grow(in->block, in->capacity, 2);
    in->capacity *= 2;
}

/* Reads until there are n bytes, or the file has ended; false on an error. */
static bool fill(tool_input *in, size_t n) {
    while (in->end - in->begin < n && !in->has_ended) {
        if (in->end == in->capacity)
            make_room(in);
        ssize_t got = read(in->fd, in->block + in->end, in->capacity - in->end);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            in->error = errno;
            return false;
        }
        in->has_ended = got == 0;
        in->end += (size_t) got;
        tool_progress(in->name, in->offset + (in->end - in->begin), in->number);
    }
    return true;
}

static size_t available(const tool_input *in) {
    return in->end - in->begin;
}

static void skip(tool_input *in, size_t n) {
    in->begin += n;
    in->offset += n;
}

static int fail_read(const tool_input *in) {
    return tool_trouble("%s: %s", in->name, strerror(in->error));
}

static int fail_length(const tool_input *in, const char *what) {
    return tool_found("%s: message %" PRIu64 ": the length at byte %" PRIu64
                      " %s",
                      in->name, in->number, in->offset, what);
}

/* The length before a message. At the end of the file `is_there` is false. */
static int read_length(tool_input *in, uint64_t *len, bool *is_there) {
    size_t width = in->framing == TOOL_U32LE ? 4 : 10;
    if (!fill(in, width))
        return fail_read(in);
    *is_there = available(in) > 0;
    if (!*is_there)
        return TOOL_OK;
    const uint8_t *at = in->block + in->begin;
    size_t n = 0;
    *len = 0;
    for (; n < width && n < available(in); n++) {
        bool is_varint = in->framing == TOOL_DELIMITED;
        uint64_t bits = is_varint ? at[n] & 0x7f : at[n];
        *len |= bits << ((is_varint ? 7 : 8) * n);
        if ((is_varint && at[n] < 0x80) || (!is_varint && n == 3)) {
            skip(in, n + 1);
            return TOOL_OK;
        }
    }
    return fail_length(in, n == 10 ? "has more than ten bytes" : "is cut off");
}

static int read_framed(tool_input *in, uint64_t *len, bool *is_there) {
    uint64_t start = in->offset;
    int code = read_length(in, len, is_there);
    if (code != TOOL_OK || !*is_there)
        return code;
    if (*len > max_message)
        return tool_found("%s: message %" PRIu64 ": the length at byte %" PRIu64
                          " is %" PRIu64 "; a message has at most %zu bytes",
                          in->name, in->number, start, *len, max_message);
    if (!fill(in, (size_t) *len))
        return fail_read(in);
    if (available(in) < *len)
        return tool_found("%s: message %" PRIu64
                          ": cut off after %zu of %" PRIu64
                          " bytes (the length is at byte %" PRIu64 ")",
                          in->name, in->number, available(in), *len, start);
    return TOOL_OK;
}

static int read_whole(tool_input *in, uint64_t *len, bool *is_there) {
    *is_there = in->number == 1;
    if (!*is_there)
        return TOOL_OK;
    if (!fill(in, max_message + 1))
        return fail_read(in);
    *len = available(in);
    if (*len > max_message)
        return tool_found("%s: a message has at most %zu bytes; a file of many "
                          "needs --delimited or --u32le",
                          in->name, max_message);
    return TOOL_OK;
}

static int read_messages(tool_input *in, const tool_args *args, bool goes_on,
                         tool_message_call *call, void *self) {
    int worst = TOOL_OK;
    uint64_t max = args->max_messages > 0 ? args->max_messages : UINT64_MAX;
    for (in->number = 1; in->number <= max; in->number++) {
        uint64_t len = 0;
        bool is_there = false;
        int code = in->framing == TOOL_SINGLE
                       ? read_whole(in, &len, &is_there)
                       : read_framed(in, &len, &is_there);
        if (code != TOOL_OK)
            return code > worst ? code : worst;
        if (!is_there)
            break;
        tool_message message = {in->name, in->number, in->offset,
                                in->block + in->begin, (size_t) len};
        code = call(self, &message);
        worst = code > worst ? code : worst;
        if (worst != TOOL_OK && !goes_on)
            break;
        skip(in, (size_t) len);
    }
    return worst;
}

int tool_each_message_of(const tool_args *args, const char *file, bool goes_on,
                         tool_message_call *call, void *self) {
    tool_input in;
    int code = open_input(&in, file, args->framing);
    if (code != TOOL_OK)
        return code;
    code = read_messages(&in, args, goes_on, call, self);
    close_input(&in);
    return code;
}

int tool_each_message(const tool_args *args, bool goes_on,
                      tool_message_call *call, void *self) {
    int worst = TOOL_OK;
    if (args->operands.n == 0)
        return tool_each_message_of(args, "-", goes_on, call, self);
    for (size_t i = 0; i < args->operands.n; i++) {
        int code = tool_each_message_of(args, args->operands.items[i], goes_on,
                                        call, self);
        worst = code > worst ? code : worst;
        if (worst != TOOL_OK && !goes_on)
            break;
    }
    return worst;
}

static bool is_about_message(pbt_status status) {
    return status != PBT_ERR_NO_MEMORY && status != PBT_ERR_BAD_DESCRIPTOR &&
           status != PBT_ERR_UNSUPPORTED && status != PBT_ERR_ARGUMENT &&
           status != PBT_ERR_INTERNAL;
}

/* Sentences of the library on bytes begin with "byte N: ", counted from the
 * start of the message. They get the position in the file. */
static void tell_position(const tool_message *message, const char *what,
                          const char **rest, char before[64], char after[64]) {
    size_t byte = 0;
    int n = 0;
    *rest = what;
    if (message->offset == 0)
        return;
    if (sscanf(what, "byte %zu: %n", &byte, &n) == 1 && n > 0) {
        *rest = what + n;
        snprintf(before, 64, "byte %" PRIu64 ": ", message->offset + byte);
        snprintf(after, 64, " (byte %zu of the message)", byte);
    } else {
        snprintf(after, 64, " (the message begins at byte %" PRIu64 ")",
                 message->offset);
    }
}

/* Commands that can end so have the option. */
static const char *hint_for(pbt_status status) {
    if (status == PBT_ERR_REQUIRED)
        return "; --allow-partial accepts that";
    if (status == PBT_ERR_NOT_FOUND)
        return "; --any-raw prints it all the same";
    return "";
}

int tool_bad_message(const tool_message *message, const pbt_error *error) {
    char before[64] = "";
    char after[64] = "";
    const char *rest;
    const char *what = error->message[0] != '\0'
                           ? error->message
                           : pbt_status_message(error->status);
    const char *hint = hint_for(error->status);
    tell_position(message, what, &rest, before, after);
    (void) tool_found("%s: message %" PRIu64 ": %s%s%s%s%s%s", message->file,
                      message->number, error->path,
                      error->path[0] != '\0' ? ": " : "", before, rest, hint,
                      after);
    return is_about_message(error->status) ? TOOL_FOUND : TOOL_TROUBLE;
}
