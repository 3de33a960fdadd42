/* bench_stats.c - what a dataset is like: read from the bytes, with the
 * descriptors to tell sub-messages and packed fields from text. */
#include "bench_data.h"

#include <string.h>

static void count_varint(bench_stats *stats, uint64_t value) {
    stats->varints[value < 1u << 7 ? 0 : value < 1u << 14 ? 1 : 2]++;
}

static bool is_varint(ProtobufCType type) {
    switch (type) {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_BOOL:
    case PROTOBUF_C_TYPE_ENUM:
        return true;
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
        break;
    }
    return false;
}

static void count_packed(bench_stats *stats, const wire_field *field) {
    wire_reader in = {field->data, field->data + field->len, false};
    uint64_t value;
    while (in.at < in.end && wire_read_varint(&in, &value))
        count_varint(stats, value);
}

static void count_message(bench_stats *stats,
                          const ProtobufCMessageDescriptor *type,
                          const uint8_t *data, size_t len, size_t depth);

static void count_field(bench_stats *stats,
                        const ProtobufCFieldDescriptor *declared,
                        const wire_field *field, size_t depth) {
    if (field->type == WIRE_VARINT) {
        count_varint(stats, field->value);
    } else if (field->type != WIRE_LENGTH) {
        return;
    } else if (declared->type == PROTOBUF_C_TYPE_MESSAGE) {
        count_message(stats, declared->descriptor, field->data, field->len,
                      depth + 1);
    } else if (is_varint(declared->type)) {
        count_packed(stats, field);
    } else if (declared->type == PROTOBUF_C_TYPE_STRING ||
               declared->type == PROTOBUF_C_TYPE_BYTES) {
        stats->text_fields++;
        stats->text_bytes += field->len;
    }
}

/* Fields come in the order of their numbers, so elements of one repeated field
 * are neighbours. */
static void count_message(bench_stats *stats,
                          const ProtobufCMessageDescriptor *type,
                          const uint8_t *data, size_t len, size_t depth) {
    stats->messages++;
    stats->fields_declared += type->n_fields;
    if (depth > stats->depth)
        stats->depth = depth;
    wire_reader in = {data, data + len, false};
    wire_field field;
    uint32_t last = 0;
    while (wire_read_field(&in, &field)) {
        const ProtobufCFieldDescriptor *declared =
            protobuf_c_message_descriptor_get_field(type, field.number);
        if (declared == NULL)
            continue;
        stats->fields_set += field.number != last;
        last = field.number;
        count_field(stats, declared, &field, depth);
    }
}

void bench_stats_take(const bench_dataset *dataset, bench_stats *stats) {
    memset(stats, 0, sizeof *stats);
    for (size_t i = 0; i < dataset->n; i++)
        count_message(stats, dataset->type, dataset->messages[i].data,
                      dataset->messages[i].len, 0);
}
