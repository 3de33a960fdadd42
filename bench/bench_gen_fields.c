/* bench_gen_fields.c - sparse, dense, strings: one flat message whose fields
 * are filled one by one as the descriptor lists them. */
#include "bench_gen.h"

enum { SPARSE_PERCENT = 10, TEXT_MIN = 1, TEXT_MAX = 24 };

static void put_signed(const ProtobufCFieldDescriptor *field,
                       bench_random *random, wire_writer *out, unsigned bits) {
    int64_t value = (int64_t) random_width(random, bits);
    if (random_percent(random, 20))
        value = -value;
    if (field->type == PROTOBUF_C_TYPE_SINT32 ||
        field->type == PROTOBUF_C_TYPE_SINT64)
        wire_sint(out, field->id, value);
    else
        wire_varint(out, field->id, (uint64_t) value);
}

static void put_enum(const ProtobufCFieldDescriptor *field,
                     bench_random *random, wire_writer *out) {
    const ProtobufCEnumDescriptor *type = field->descriptor;
    uint64_t at = random_between(random, 0, type->n_values - 1);
    wire_varint(out, field->id, (uint64_t) (int64_t) type->values[at].value);
}

/* A float with few mantissa bits: never zero, infinite or not a number. */
static uint32_t random_float_bits(bench_random *random) {
    uint32_t mantissa = (uint32_t) random_between(random, 0, 0x7fffff);
    uint32_t exponent = (uint32_t) random_between(random, 100, 150);
    return exponent << 23 | mantissa;
}

void generate_field(const ProtobufCFieldDescriptor *field, bench_random *random,
                    wire_writer *out) {
    switch (field->type) {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
        put_signed(field, random, out, 31);
        break;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
        put_signed(field, random, out, 63);
        break;
    case PROTOBUF_C_TYPE_UINT32:
        wire_varint(out, field->id, random_width(random, 32));
        break;
    case PROTOBUF_C_TYPE_UINT64:
        wire_varint(out, field->id, random_width(random, 64));
        break;
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32:
        wire_fixed32(out, field->id, (uint32_t) random_width(random, 32));
        break;
    case PROTOBUF_C_TYPE_FLOAT:
        wire_fixed32(out, field->id, random_float_bits(random));
        break;
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64:
        wire_fixed64(out, field->id, random_width(random, 64));
        break;
    case PROTOBUF_C_TYPE_DOUBLE:
        wire_double(out, field->id, (double) random_width(random, 50) / 1024);
        break;
    case PROTOBUF_C_TYPE_BOOL:
        wire_varint(out, field->id, random_between(random, 0, 1));
        break;
    case PROTOBUF_C_TYPE_ENUM:
        put_enum(field, random, out);
        break;
    case PROTOBUF_C_TYPE_STRING:
        wire_random_text(out, field->id, random, TEXT_MIN, TEXT_MAX);
        break;
    case PROTOBUF_C_TYPE_BYTES:
        wire_random_bytes(out, field->id, random,
                          random_between(random, TEXT_MIN, TEXT_MAX));
        break;
    case PROTOBUF_C_TYPE_MESSAGE:
        wire_close(out, wire_open(out, field->id));
        break;
    }
}

/* Each field with a chance of percent in a hundred; the fields of a message
 * field all of them. */
static void put_fields(const ProtobufCMessageDescriptor *type, unsigned percent,
                       bench_random *random, wire_writer *out) {
    for (unsigned i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        if (!random_percent(random, percent))
            continue;
        if (field->type != PROTOBUF_C_TYPE_MESSAGE) {
            generate_field(field, random, out);
            continue;
        }
        size_t mark = wire_open(out, field->id);
        put_fields(field->descriptor, 100, random, out);
        wire_close(out, mark);
    }
}

void generate_sparse(const ProtobufCMessageDescriptor *type, size_t i,
                     bench_random *random, wire_writer *out) {
    (void) i;
    put_fields(type, SPARSE_PERCENT, random, out);
}

void generate_dense(const ProtobufCMessageDescriptor *type, size_t i,
                    bench_random *random, wire_writer *out) {
    (void) i;
    put_fields(type, 100, random, out);
}

void generate_strings(const ProtobufCMessageDescriptor *type, size_t i,
                      bench_random *random, wire_writer *out) {
    (void) i;
    put_fields(type, 100, random, out);
}
