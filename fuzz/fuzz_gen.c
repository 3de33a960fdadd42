/* fuzz_gen.c - random messages, from descriptors to bytes. */
#include "fuzz_gen.h"

#include <string.h>

#include <protobuf-c/protobuf-c.h>

#include "base_facts.h"

enum { VARINT, FIXED64, DELIMITED, START_GROUP, END_GROUP, FIXED32 };

typedef struct generator {
    fuzz_bytes *out;
    rng *rng;
    bool plain;
    uint32_t fields; /* that may still be written */
} generator;

static void put_message(generator *g, const ProtobufCMessageDescriptor *type,
                        uint32_t depth);

static uint64_t random_number(rng *r) {
    static const uint64_t edges[] = {0,
                                     1,
                                     2,
                                     63,
                                     64,
                                     127,
                                     128,
                                     0x3fff,
                                     0x4000,
                                     0x7fffffff,
                                     0x80000000,
                                     0xffffffff,
                                     UINT64_C(0xffffffff80000000),
                                     UINT64_C(0x7fffffffffffffff),
                                     UINT64_C(0x8000000000000000),
                                     UINT64_MAX};
    if (rng_chance(r, 50))
        return edges[rng_below(r, sizeof edges / sizeof *edges)];
    return rng_next(r) >> rng_below(r, 64);
}

static void put_varint(generator *g, uint64_t value) {
    uint32_t extra = 0;
    if (!g->plain && rng_chance(g->rng, 3))
        extra = rng_below(g->rng, 10);
    fuzz_append_varint(g->out, value, extra);
}

static void put_tag(generator *g, uint32_t number, uint32_t wire_type) {
    uint32_t extra = 0;
    if (!g->plain && rng_chance(g->rng, 1))
        extra = 1;
    fuzz_append_varint(g->out, (uint64_t) number << 3 | wire_type, extra);
}

/* Mostly short, and now and then of a length that takes another byte. */
static size_t random_length(rng *r) {
    static const size_t edges[] = {0, 1, 7, 8, 15, 16, 31, 32, 126, 127, 128};
    if (rng_chance(r, 20))
        return edges[rng_below(r, sizeof edges / sizeof *edges)];
    return rng_below(r, rng_chance(r, 2) ? 20000 : 24);
}

/* C++ takes no length of more than five bytes. */
static void put_raw(generator *g) {
    size_t n = random_length(g->rng);
    uint32_t extra = !g->plain && rng_chance(g->rng, 3) ? 2 : 0;
    fuzz_append_varint(g->out, n, extra);
    while (n--)
        fuzz_append_fixed(g->out, rng_next(g->rng), 1);
}

static void put_text(generator *g) {
    static const char *const words[] = {"a",
                                        "text",
                                        " ",
                                        "\xc3\xa9",
                                        "\xe2\x82\xac",
                                        "\xf0\x9f\x98\x80",
                                        "\x7f",
                                        "sixteen bytes on"};
    static const uint8_t bad[] = {0x00, 0x80, 0xc0, 0xed, 0xff};
    size_t start = g->out->len, n = random_length(g->rng);
    while (g->out->len - start < n) {
        const char *word = words[rng_below(g->rng, 8)];
        fuzz_append(g->out, word, strlen(word));
        if (!g->plain && rng_chance(g->rng, 1))
            fuzz_append(g->out, &bad[rng_below(g->rng, sizeof bad)], 1);
    }
    fuzz_insert_length(g->out, start);
}

/* A number as a parser keeps it, in the varint that a writer makes of it. */
static uint64_t plain_number(ProtobufCType type, uint64_t value) {
    if (type == PROTOBUF_C_TYPE_INT32 || type == PROTOBUF_C_TYPE_ENUM)
        return value & 0x80000000 ? value | ~UINT64_C(0x7fffffff)
                                  : value & 0x7fffffff;
    if (type == PROTOBUF_C_TYPE_UINT32 || type == PROTOBUF_C_TYPE_SINT32)
        return value & 0xffffffff;
    return type == PROTOBUF_C_TYPE_BOOL ? value & 1 : value;
}

static uint64_t random_enum(generator *g, const ProtobufCFieldDescriptor *field,
                            bool declared) {
    const ProtobufCEnumDescriptor *type = field->descriptor;
    if (type->n_values && (declared || rng_chance(g->rng, 85)))
        return (uint64_t) (int64_t) type
            ->values[rng_below(g->rng, type->n_values)]
            .value;
    return random_number(g->rng);
}

static uint32_t wire_type_of(ProtobufCType type) {
    if (type == PROTOBUF_C_TYPE_SFIXED32 || type == PROTOBUF_C_TYPE_FIXED32 ||
        type == PROTOBUF_C_TYPE_FLOAT)
        return FIXED32;
    if (type == PROTOBUF_C_TYPE_SFIXED64 || type == PROTOBUF_C_TYPE_FIXED64 ||
        type == PROTOBUF_C_TYPE_DOUBLE)
        return FIXED64;
    if (type == PROTOBUF_C_TYPE_STRING || type == PROTOBUF_C_TYPE_BYTES ||
        type == PROTOBUF_C_TYPE_MESSAGE)
        return DELIMITED;
    return VARINT;
}

static void put_scalar(generator *g, const ProtobufCMessageDescriptor *type,
                       const ProtobufCFieldDescriptor *field) {
    const pbti_type_facts *facts = pbti_facts(type);
    uint32_t wire_type = wire_type_of(field->type);
    uint64_t value = random_number(g->rng);
    /* Parsers differ in what they keep of a closed enum's unknown value beyond
     * 32 bits, and about unknown ones in maps. */
    bool is_exact = g->plain || field->type == PROTOBUF_C_TYPE_ENUM;
    if (field->type == PROTOBUF_C_TYPE_ENUM)
        value = random_enum(g, field, g->plain && facts && facts->is_map_entry);
    if (wire_type == FIXED32)
        fuzz_append_fixed(g->out, value, 4);
    else if (wire_type == FIXED64)
        fuzz_append_fixed(g->out, value, 8);
    else
        put_varint(g, is_exact ? plain_number(field->type, value) : value);
}

static void put_packed(generator *g, const ProtobufCMessageDescriptor *type,
                       const ProtobufCFieldDescriptor *field) {
    size_t start, n = random_length(g->rng);
    put_tag(g, field->id, DELIMITED);
    start = g->out->len;
    while (n--)
        put_scalar(g, type, field);
    fuzz_insert_length(g->out, start);
}

static void put_sub_message(generator *g, const ProtobufCFieldDescriptor *field,
                            bool is_group, uint32_t depth) {
    size_t start;
    put_tag(g, field->id, is_group ? START_GROUP : DELIMITED);
    start = g->out->len;
    put_message(g, field->descriptor, depth);
    if (is_group)
        put_tag(g, field->id, END_GROUP);
    else
        fuzz_insert_length(g->out, start);
}

static void put_field(generator *g, const ProtobufCMessageDescriptor *type,
                      const ProtobufCFieldDescriptor *field, uint32_t depth) {
    const pbti_field_facts *facts = pbti_field_fact(type, field);
    uint32_t wire_type = wire_type_of(field->type);
    if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
        if (depth)
            put_sub_message(g, field, facts && facts->is_group, depth - 1);
        return;
    }
    if (field->label == PROTOBUF_C_LABEL_REPEATED && wire_type != DELIMITED &&
        rng_chance(g->rng, 50)) {
        put_packed(g, type, field);
        return;
    }
    put_tag(g, field->id, wire_type);
    if (field->type == PROTOBUF_C_TYPE_STRING)
        put_text(g);
    else if (field->type == PROTOBUF_C_TYPE_BYTES)
        put_raw(g);
    else
        put_scalar(g, type, field);
}

static void put_unknown_value(generator *g, uint32_t number, uint32_t depth) {
    static const uint32_t wire_types[] = {VARINT, FIXED64, DELIMITED, FIXED32,
                                          START_GROUP};
    uint32_t wire_type = wire_types[rng_below(g->rng, depth ? 5 : 4)];
    uint32_t n;
    put_tag(g, number, wire_type);
    switch (wire_type) {
    case VARINT:
        put_varint(g, random_number(g->rng));
        break;
    case FIXED64:
        fuzz_append_fixed(g->out, random_number(g->rng), 8);
        break;
    case FIXED32:
        fuzz_append_fixed(g->out, random_number(g->rng), 4);
        break;
    case DELIMITED:
        put_raw(g);
        break;
    default:
        for (n = rng_below(g->rng, 4); n; n--)
            put_unknown_value(g, 1 + rng_below(g->rng, 99), depth - 1);
        put_tag(g, number, END_GROUP);
        break;
    }
}

static void put_unknown(generator *g, const ProtobufCMessageDescriptor *type,
                        uint32_t depth) {
    uint32_t number =
        1 + rng_below(g->rng,
                      rng_chance(g->rng, 80) ? 600 : (UINT32_C(1) << 29) - 1);
    if (!protobuf_c_message_descriptor_get_field(type, number))
        put_unknown_value(g, number, depth < 5 ? depth : 5);
}

static void put_message(generator *g, const ProtobufCMessageDescriptor *type,
                        uint32_t depth) {
    const pbti_type_facts *facts = pbti_facts(type);
    bool is_entry = facts && facts->is_map_entry;
    uint32_t n = is_entry ? rng_below(g->rng, 4) : rng_below(g->rng, 12);
    for (; n && g->fields; n--) {
        g->fields--;
        if (rng_chance(g->rng, 7) && !(g->plain && is_entry))
            put_unknown(g, type, depth);
        else if (type->n_fields)
            put_field(g, type, &type->fields[rng_below(g->rng, type->n_fields)],
                      depth);
    }
}

void fuzz_message(fuzz_bytes *out, rng *r,
                  const ProtobufCMessageDescriptor *type,
                  const fuzz_shape *shape) {
    generator g = {
        .out = out, .rng = r, .plain = shape->plain, .fields = shape->fields};
    uint32_t n;
    for (n = 1 + rng_below(r, 4); n && g.fields; n--)
        put_message(&g, type, shape->depth);
}

/* One change: the place is anywhere, its kind what breaks parsers. */
static void damage(fuzz_bytes *bytes, rng *r) {
    size_t at = rng_below(r, (uint32_t) bytes->len);
    size_t len = 1 + rng_below(r, 8);
    uint64_t value = random_number(r);
    if (len > bytes->len - at)
        len = bytes->len - at;
    switch (rng_below(r, 7)) {
    case 0:
        bytes->data[at] ^= (uint8_t) (1u << rng_below(r, 8));
        break;
    case 1:
        bytes->data[at] = (uint8_t) value;
        break;
    case 2:
        fuzz_remove(bytes, at, len);
        break;
    case 3:
        fuzz_insert(bytes, at, &value, len);
        break;
    case 4:
        bytes->len = at;
        break;
    case 5:
        memset(bytes->data + at, 0xff, len);
        break;
    default:
        memmove(bytes->data + at, bytes->data + bytes->len - len, len);
        break;
    }
}

void fuzz_mutate(fuzz_bytes *bytes, rng *r) {
    uint32_t n;
    for (n = 1 + rng_below(r, 4); n && bytes->len; n--)
        damage(bytes, r);
}
