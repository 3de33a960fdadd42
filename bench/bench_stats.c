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

/* The elements of a packed field, less the one that its tag has counted. */
static void count_packed(bench_stats *stats, const wire_field *field) {
    wire_reader in = {field->data, field->data + field->len, false};
    uint64_t value;
    stats->values--;
    while (in.at < in.end && wire_read_varint(&in, &value)) {
        count_varint(stats, value);
        stats->values++;
    }
}

/* Bytes of a number of fixed width. */
static size_t fixed_width(ProtobufCType type) {
    bool is_narrow = type == PROTOBUF_C_TYPE_FIXED32 ||
                     type == PROTOBUF_C_TYPE_SFIXED32 ||
                     type == PROTOBUF_C_TYPE_FLOAT;
    return is_narrow ? 4 : 8;
}

static void count_message(bench_stats *stats,
                          const ProtobufCMessageDescriptor *type,
                          wire_reader *in, size_t depth);

static void count_field(bench_stats *stats,
                        const ProtobufCFieldDescriptor *declared,
                        const wire_field *field, size_t depth) {
    if (field->type == WIRE_VARINT) {
        count_varint(stats, field->value);
    } else if (field->type != WIRE_LENGTH) {
        return;
    } else if (declared->type == PROTOBUF_C_TYPE_MESSAGE) {
        wire_reader within = {field->data, field->data + field->len, false};
        count_message(stats, declared->descriptor, &within, depth + 1);
    } else if (is_varint(declared->type)) {
        count_packed(stats, field);
    } else if (declared->type == PROTOBUF_C_TYPE_STRING ||
               declared->type == PROTOBUF_C_TYPE_BYTES) {
        stats->text_fields++;
        stats->text_bytes += field->len;
    } else {
        stats->values += field->len / fixed_width(declared->type) - 1;
    }
}

/* A group has no length: its content has to be read even if it is unknown. */
static void count_group(bench_stats *stats,
                        const ProtobufCFieldDescriptor *declared,
                        wire_reader *in, size_t depth) {
    stats->groups++;
    count_message(stats, declared == NULL ? NULL : declared->descriptor, in,
                  depth + 1);
}

/* Fields come in the order of their numbers, so elements of one repeated field
 * are neighbours. */
static void count_message(bench_stats *stats,
                          const ProtobufCMessageDescriptor *type,
                          wire_reader *in, size_t depth) {
    stats->messages++;
    stats->fields_declared += type == NULL ? 0 : type->n_fields;
    if (depth > stats->depth)
        stats->depth = depth;
    wire_field field;
    uint32_t last = 0;
    while (wire_read_field(in, &field) && field.type != WIRE_GROUP_END) {
        const ProtobufCFieldDescriptor *declared =
            type == NULL
                ? NULL
                : protobuf_c_message_descriptor_get_field(type, field.number);
        stats->fields_set += declared != NULL && field.number != last;
        stats->values += declared != NULL;
        last = field.number;
        if (field.type == WIRE_GROUP)
            count_group(stats, declared, in, depth);
        else if (declared != NULL)
            count_field(stats, declared, &field, depth);
    }
}

void bench_stats_take(const bench_dataset *dataset, bench_stats *stats) {
    memset(stats, 0, sizeof *stats);
    for (size_t i = 0; i < dataset->n; i++) {
        const bench_bytes *bytes = &dataset->messages[i];
        wire_reader in = {bytes->data, bytes->data + bytes->len, false};
        count_message(stats, dataset->type, &in, 0);
    }
}
