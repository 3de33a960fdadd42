/* tool_bench.h - pbturbo bench: the user's messages in memory, the lanes that
 * are timed on them, and the timing.
 *
 * A lane is one codec at one operation. Before it is timed it has shown that it
 * does the same as the other; where it has not, it is rejected and says why.
 */
#ifndef PBTURBO_TOOL_BENCH_H
#define PBTURBO_TOOL_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

#include <pbturbo/buffer.h>
#include <pbturbo/options.h>
#include <pbturbo/unmarshal.h>

#include "tool_input.h"

typedef struct tool_bench_item {
    size_t start; /* of its bytes among those that were read */
    size_t len;
    uint64_t offset; /* in the file */
    ProtobufCMessage *msg;
} tool_bench_item;

typedef struct tool_bench_data {
    const ProtobufCMessageDescriptor *type;
    uint8_t *bytes;
    size_t n_bytes;
    size_t capacity;
    tool_bench_item *items;
    size_t n;
    bool is_heap;   /* the messages were made by protobuf-c */
    size_t written; /* bytes that pbturbo marshals them to */
    pbt_options options;
    pbt_error error;
    pbt_arena *kept;    /* of the messages, unless they are on the heap */
    pbt_arena *scratch; /* for the lanes */
    pbt_buffer buffer;
    uint8_t *block; /* protobuf-c's buffer */
    size_t block_size;
} tool_bench_data;

enum { TOOL_BENCH_MARSHAL, TOOL_BENCH_UNMARSHAL, TOOL_BENCH_N_OPS };
enum { TOOL_BENCH_PBTURBO, TOOL_BENCH_PROTOBUF_C, TOOL_BENCH_N_CODECS };

extern const char *const tool_bench_ops[TOOL_BENCH_N_OPS];
extern const char *const tool_bench_codecs[TOOL_BENCH_N_CODECS];

typedef struct tool_bench_lane {
    char rejected[160]; /* why it is not timed; empty: it is */
    size_t bytes;       /* read or written in one pass */
    double ns;          /* of the fastest round's pass over all messages */
    double spread;      /* the middle round divided by the fastest */
} tool_bench_lane;

typedef tool_bench_lane tool_bench_lanes[TOOL_BENCH_N_OPS][TOOL_BENCH_N_CODECS];

/* Keeps a copy of a message; self is the data. */
int tool_bench_keep(void *self, const tool_message *message);

/* Makes the messages out of the bytes, and compares the codecs. The value is an
 * exit code, and an error has been reported: pbturbo cannot read them. */
int tool_bench_prepare(tool_bench_data *data, const char *file,
                       tool_bench_lanes lanes);

/* Times what is not rejected, again and again while the machine is busy, but
 * not for ever. */
void tool_bench_measure(tool_bench_data *data, bool is_quick,
                        tool_bench_lanes lanes);

/* Whether a lane of an operation varies so much that the machine was busy with
 * something else. */
bool tool_bench_was_busy(const tool_bench_lane *lanes);

void tool_bench_free(tool_bench_data *data);

/* One pass over all messages; the bytes read or written, 0 on a failure. */
size_t tool_bench_pass(tool_bench_data *data, size_t op, size_t codec);

#endif
