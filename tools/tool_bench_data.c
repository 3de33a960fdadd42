/* tool_bench_data.c - reads the messages, and lets the codecs show that they do
 * the same before anything is timed. */
#include "tool_bench.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pbturbo/marshal.h>

#include "tool_report.h"
#include "tool_wire.h"

/* protobuf-c recurses for each level, both ways. */
static const size_t max_depth_of_protobuf_c = 500;

int tool_bench_keep(void *self, const tool_message *message) {
    tool_bench_data *data = (tool_bench_data *) self;
    size_t needed = data->n_bytes + message->len;
    if (needed > data->capacity) {
        data->capacity = 2 * needed;
        data->bytes = (uint8_t *) tool_grow(data->bytes, data->capacity, 1);
    }
    if (message->len > 0)
        memcpy(data->bytes + data->n_bytes, message->data, message->len);
    if ((data->n & (data->n - 1)) == 0)
        data->items = (tool_bench_item *) tool_grow(
            data->items, data->n > 0 ? 2 * data->n : 1, sizeof *data->items);
    data->items[data->n++] =
        (tool_bench_item){data->n_bytes, message->len, message->offset, NULL};
    data->n_bytes = needed;
    return TOOL_OK;
}

static void reject(tool_bench_lane *lane, const char *why, size_t index) {
    if (lane->rejected[0] == '\0')
        snprintf(lane->rejected, sizeof lane->rejected,
                 "not timed: protobuf-c %s message %zu", why, index + 1);
}

/* What protobuf-c cannot take. */
typedef struct shape {
    tool_wire_visitor visitor;
    size_t depth;
    size_t max_depth;
    bool has_groups;
} shape;

static void ignore_value(tool_wire_visitor *self,
                         const ProtobufCFieldDescriptor *field, size_t n_values,
                         size_t bytes) {
    (void) self;
    (void) field;
    (void) n_values;
    (void) bytes;
}

static void note_message(tool_wire_visitor *self,
                         const ProtobufCFieldDescriptor *field, bool is_group) {
    shape *seen = (shape *) self;
    (void) field;
    seen->has_groups = seen->has_groups || is_group;
    if (++seen->depth > seen->max_depth)
        seen->max_depth = seen->depth;
}

static void note_end(tool_wire_visitor *self, size_t bytes) {
    shape *seen = (shape *) self;
    (void) bytes;
    seen->depth--;
}

static const char *why_not(const tool_bench_data *data,
                           const tool_bench_item *item) {
    shape seen = {.visitor = {ignore_value, note_message, note_end}};
    if (!tool_wire_walk(data->type, data->bytes + item->start, item->len,
                        &seen.visitor))
        return NULL;
    if (seen.has_groups)
        return "knows no groups, as in";
    if (seen.max_depth > max_depth_of_protobuf_c)
        return "might exhaust the stack with";
    return NULL;
}

/* All or none of the messages are protobuf-c's own. */
static void free_messages(tool_bench_data *data) {
    for (size_t i = 0; i < data->n; i++) {
        if (data->is_heap && data->items[i].msg != NULL)
            protobuf_c_message_free_unpacked(data->items[i].msg, NULL);
        data->items[i].msg = NULL;
    }
    data->is_heap = false;
}

/* Messages of protobuf-c are what its users marshal. False, and the lanes
 * rejected, where it cannot read them. */
static bool unpack_all(tool_bench_data *data, tool_bench_lanes lanes) {
    free_messages(data);
    data->is_heap = true;
    for (size_t i = 0; i < data->n; i++) {
        tool_bench_item *item = &data->items[i];
        const char *why = why_not(data, item);
        if (why == NULL) {
            item->msg = protobuf_c_message_unpack(data->type, NULL, item->len,
                                                  data->bytes + item->start);
            why = "does not read";
        } else {
            reject(&lanes[TOOL_BENCH_MARSHAL][TOOL_BENCH_PROTOBUF_C], why, i);
        }
        if (item->msg == NULL) {
            reject(&lanes[TOOL_BENCH_UNMARSHAL][TOOL_BENCH_PROTOBUF_C], why, i);
            free_messages(data);
            return false;
        }
    }
    return true;
}

static int bad_item(const tool_bench_data *data, const char *file, size_t i) {
    const tool_bench_item *item = &data->items[i];
    tool_message message = {file, i + 1, item->offset,
                            data->bytes + item->start, item->len};
    return tool_bad_message(&message, &data->error);
}

static int unmarshal_all(tool_bench_data *data, const char *file) {
    for (size_t i = 0; i < data->n; i++) {
        tool_bench_item *item = &data->items[i];
        if (pbt_unmarshal(data->type, data->bytes + item->start, item->len,
                          &data->options, data->kept, &item->msg) == PBT_OK)
            continue;
        return bad_item(data, file, i);
    }
    return TOOL_OK;
}

/* Packs into the block, which is made large enough. */
static size_t pack(tool_bench_data *data, const ProtobufCMessage *msg) {
    size_t size = protobuf_c_message_get_packed_size(msg);
    if (size > data->block_size) {
        data->block_size = 2 * size;
        data->block = (uint8_t *) tool_grow(data->block, data->block_size, 1);
    }
    return protobuf_c_message_pack(msg, data->block);
}

/* Whether the buffer holds what protobuf-c makes of the message. */
static bool equals_pack(tool_bench_data *data, const ProtobufCMessage *msg) {
    size_t size = protobuf_c_message_get_packed_size(msg);
    return size == data->buffer.len && pack(data, msg) == size &&
           (size == 0 || memcmp(data->buffer.data, data->block, size) == 0);
}

/* Whether pbturbo reads the message to the same as protobuf-c did, which the
 * buffer holds. */
static int reads_same(tool_bench_data *data, const tool_bench_item *item,
                      pbt_buffer *other, bool *is_same) {
    ProtobufCMessage *msg;
    pbt_arena_reset(data->scratch);
    if (pbt_unmarshal(data->type, data->bytes + item->start, item->len,
                      &data->options, data->scratch, &msg) != PBT_OK ||
        pbt_marshal(msg, &data->options, other) != PBT_OK)
        return TOOL_FOUND;
    *is_same = other->len == data->buffer.len &&
               (other->len == 0 ||
                memcmp(other->data, data->buffer.data, other->len) == 0);
    return TOOL_OK;
}

static int compare_one(tool_bench_data *data, size_t i, pbt_buffer *other,
                       tool_bench_lanes lanes) {
    const tool_bench_item *item = &data->items[i];
    tool_bench_lane *peer = &lanes[TOOL_BENCH_MARSHAL][TOOL_BENCH_PROTOBUF_C];
    bool is_same = true;
    if (pbt_marshal(item->msg, &data->options, &data->buffer) != PBT_OK)
        return TOOL_FOUND;
    data->written += data->buffer.len;
    if (peer->rejected[0] == '\0' && !equals_pack(data, item->msg))
        reject(peer, "writes other bytes for", i);
    if (!data->is_heap)
        return TOOL_OK;
    int code = reads_same(data, item, other, &is_same);
    if (code == TOOL_OK && !is_same)
        reject(&lanes[TOOL_BENCH_UNMARSHAL][TOOL_BENCH_PROTOBUF_C],
               "reads something else from", i);
    return code;
}

static int compare_all(tool_bench_data *data, const char *file,
                       tool_bench_lanes lanes) {
    pbt_buffer other = {0};
    int code = TOOL_OK;
    for (size_t i = 0; i < data->n && code == TOOL_OK; i++) {
        code = compare_one(data, i, &other, lanes);
        if (code != TOOL_OK)
            code = bad_item(data, file, i);
    }
    pbt_buffer_free(&other);
    return code;
}

int tool_bench_prepare(tool_bench_data *data, const char *file,
                       tool_bench_lanes lanes) {
    data->options.error = &data->error;
    data->kept = pbt_arena_new(NULL, 0);
    data->scratch = pbt_arena_new(NULL, 0);
    if (data->kept == NULL || data->scratch == NULL)
        return tool_trouble("out of memory");
    int code = unmarshal_all(data, file);
    if (code != TOOL_OK)
        return code;
    bool is_unpacked = unpack_all(data, lanes);
    pbt_arena_reset(data->kept);
    if (!is_unpacked)
        code = unmarshal_all(data, file);
    if (code == TOOL_OK)
        code = compare_all(data, file, lanes);
    for (size_t codec = 0; codec < TOOL_BENCH_N_CODECS; codec++) {
        lanes[TOOL_BENCH_MARSHAL][codec].bytes = data->written;
        lanes[TOOL_BENCH_UNMARSHAL][codec].bytes = data->n_bytes;
    }
    return code;
}

static size_t pass_marshal_pbturbo(tool_bench_data *data) {
    size_t bytes = 0;
    for (size_t i = 0; i < data->n; i++) {
        if (pbt_marshal(data->items[i].msg, &data->options, &data->buffer) !=
            PBT_OK)
            return 0;
        bytes += data->buffer.len;
    }
    return bytes;
}

static size_t pass_marshal_protobuf_c(tool_bench_data *data) {
    size_t bytes = 0;
    for (size_t i = 0; i < data->n; i++)
        bytes += pack(data, data->items[i].msg);
    return bytes;
}

static size_t pass_unmarshal_pbturbo(tool_bench_data *data) {
    size_t bytes = 0;
    for (size_t i = 0; i < data->n; i++) {
        const tool_bench_item *item = &data->items[i];
        ProtobufCMessage *msg;
        pbt_arena_reset(data->scratch);
        if (pbt_unmarshal(data->type, data->bytes + item->start, item->len,
                          &data->options, data->scratch, &msg) != PBT_OK)
            return 0;
        bytes += item->len;
    }
    return bytes;
}

static size_t pass_unmarshal_protobuf_c(tool_bench_data *data) {
    size_t bytes = 0;
    for (size_t i = 0; i < data->n; i++) {
        const tool_bench_item *item = &data->items[i];
        ProtobufCMessage *msg = protobuf_c_message_unpack(
            data->type, NULL, item->len, data->bytes + item->start);
        if (msg == NULL)
            return 0;
        protobuf_c_message_free_unpacked(msg, NULL);
        bytes += item->len;
    }
    return bytes;
}

size_t tool_bench_pass(tool_bench_data *data, size_t op, size_t codec) {
    static size_t (*const passes[TOOL_BENCH_N_OPS][TOOL_BENCH_N_CODECS])(
        tool_bench_data *) = {
        {pass_marshal_pbturbo, pass_marshal_protobuf_c},
        {pass_unmarshal_pbturbo, pass_unmarshal_protobuf_c}};
    return passes[op][codec](data);
}

void tool_bench_free(tool_bench_data *data) {
    free_messages(data);
    free(data->bytes);
    free(data->items);
    free(data->block);
    pbt_arena_free(data->kept);
    pbt_arena_free(data->scratch);
    pbt_buffer_free(&data->buffer);
    memset(data, 0, sizeof *data);
}
