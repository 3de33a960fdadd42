/* support_message.c - see support_message.h. */
#include "support_message.h"

#include <string.h>

typedef struct maker {
    arena *arena;
    rng *rng;
    const message_params *params;
    uint32_t left; /* of the budget */
} maker;

static ProtobufCMessage *make_message(maker *m, uint32_t depth,
                                      const ProtobufCMessageDescriptor *type);

ProtobufCMessage *message_empty(arena *a,
                                const ProtobufCMessageDescriptor *type) {
    ProtobufCMessage *message = arena_alloc(a, type->sizeof_message);
    message->descriptor = type;
    return message;
}

static bool spend(maker *m) {
    if (m->left == 0)
        return false;
    m->left--;
    return true;
}

static size_t draw_length(rng *r) {
    static const uint16_t lengths[] = {0,  0,  1,  2,  3,   7,   8,   9,
                                       15, 16, 17, 31, 32,  33,  63,  64,
                                       65, 95, 96, 97, 127, 128, 129, 200};
    if (rng_chance(r, 1))
        return 16382 + rng_below(r, 4);
    if (rng_chance(r, 1))
        return 4094 + rng_below(r, 4);
    return lengths[rng_below(r, sizeof lengths / sizeof *lengths)];
}

static char *make_string(maker *m) {
    return string_random(m->arena, m->rng, draw_length(m->rng),
                         m->params->valid_utf8 || rng_chance(m->rng, 90));
}

static ProtobufCBinaryData make_bytes(maker *m) {
    ProtobufCBinaryData bytes = {draw_length(m->rng), NULL};
    size_t i;
    if (bytes.len == 0 && rng_chance(m->rng, 50))
        return bytes;
    bytes.data = arena_alloc(m->arena, bytes.len);
    for (i = 0; i < bytes.len; i++)
        bytes.data[i] = (uint8_t) rng_next(m->rng);
    return bytes;
}

static ProtobufCMessage *make_sub_message(maker *m, uint32_t depth,
                                          const ProtobufCFieldDescriptor *f) {
    const message_params *p = m->params;
    if (p->n_foreign > 0 && rng_chance(m->rng, 5)) {
        uint32_t pick = rng_below(m->rng, (uint32_t) p->n_foreign);
        return make_message(m, depth + 1, p->foreign[pick]);
    }
    return make_message(m, depth + 1, f->descriptor);
}

static bool may_nest(maker *m, uint32_t depth) {
    return depth < m->params->depth && m->left > 0;
}

/* The value of a singular field that is to be present. */
static void fill_value(maker *m, uint32_t depth,
                       const ProtobufCFieldDescriptor *f, void *member) {
    if (f->type == PROTOBUF_C_TYPE_STRING) {
        *(char **) member = make_string(m);
    } else if (f->type == PROTOBUF_C_TYPE_BYTES) {
        *(ProtobufCBinaryData *) member = make_bytes(m);
    } else if (f->type == PROTOBUF_C_TYPE_MESSAGE) {
        *(ProtobufCMessage **) member = make_sub_message(m, depth, f);
    } else {
        value_random(m->rng, f->type, member);
    }
}

static void fill_required(maker *m, uint32_t depth,
                          const ProtobufCFieldDescriptor *f, void *member) {
    bool complete = m->params->complete || rng_chance(m->rng, 97);
    if (f->type == PROTOBUF_C_TYPE_MESSAGE)
        complete = complete && (m->params->complete || may_nest(m, depth));
    if (complete || schema_type_is_packable(f->type) ||
        f->type == PROTOBUF_C_TYPE_BYTES)
        fill_value(m, depth, f, member);
}

/* A pointer that may be absent: NULL, the default, or a value. */
static void fill_pointer(maker *m, uint32_t depth,
                         const ProtobufCFieldDescriptor *f, void *member) {
    if (rng_chance(m->rng, 40))
        return;
    if (f->type == PROTOBUF_C_TYPE_MESSAGE && !may_nest(m, depth))
        return;
    if (f->default_value && rng_chance(m->rng, 30))
        memcpy(member, &f->default_value, sizeof(void *));
    else
        fill_value(m, depth, f, member);
}

static bool holds_pointer(const ProtobufCFieldDescriptor *f) {
    return f->type == PROTOBUF_C_TYPE_STRING ||
           f->type == PROTOBUF_C_TYPE_MESSAGE;
}

static void fill_optional(maker *m, uint32_t depth, ProtobufCMessage *message,
                          const ProtobufCFieldDescriptor *f) {
    static const int has[] = {0, 0, 0, 1, 1, 1, 7, 256, -1};
    void *member = message_member(message, f->offset);
    if (holds_pointer(f)) {
        fill_pointer(m, depth, f, member);
        return;
    }
    *(int *) message_member(message, f->quantifier_offset) =
        has[rng_below(m->rng, 9)];
    fill_value(m, depth, f, member);
}

static void fill_implicit(maker *m, uint32_t depth, ProtobufCMessage *message,
                          const ProtobufCFieldDescriptor *f) {
    void *member = message_member(message, f->offset);
    if (holds_pointer(f))
        fill_pointer(m, depth, f, member);
    else if (rng_chance(m->rng, 60))
        fill_value(m, depth, f, member);
}

static uint32_t number_of_no_field(const ProtobufCMessageDescriptor *type,
                                   uint32_t number) {
    while (protobuf_c_message_descriptor_get_field(type, number))
        number++;
    return number;
}

/* Later members of a oneof replace earlier ones; what they leave in the rest
 * of the union stays. Sometimes the case is set and the pointer is NULL, or
 * the case names no member. */
static void fill_oneof(maker *m, uint32_t depth, ProtobufCMessage *message,
                       const ProtobufCFieldDescriptor *f) {
    void *member = message_member(message, f->offset);
    uint32_t *which = message_member(message, f->quantifier_offset);
    if (*which != 0 ? !rng_chance(m->rng, 10) : !rng_chance(m->rng, 30))
        return;
    if (rng_chance(m->rng, 6)) {
        *which = number_of_no_field(message->descriptor, f->id + 1);
        return;
    }
    *which = f->id;
    if (!holds_pointer(f)) {
        fill_value(m, depth, f, member);
        return;
    }
    *(void **) member = NULL;
    if (rng_chance(m->rng, 80))
        fill_pointer(m, depth, f, member);
}

static size_t draw_count(maker *m, uint32_t depth,
                         const ProtobufCFieldDescriptor *f) {
    static const uint16_t counts[] = {0,  0,  1,  1,   2,   2,   3,
                                      4,  7,  8,  9,   15,  16,  17,
                                      31, 32, 33, 127, 128, 1000};
    size_t n = counts[rng_below(m->rng, sizeof counts / sizeof *counts)];
    if (!schema_type_is_packable(f->type) && n > 4)
        n %= 18;
    if (f->type == PROTOBUF_C_TYPE_MESSAGE && !may_nest(m, depth))
        return 0;
    if (m->params->long_arrays && schema_type_is_packable(f->type) &&
        rng_chance(m->rng, 3))
        n = 20000;
    return m->left > 0 ? n : 0;
}

static void fill_repeated(maker *m, uint32_t depth, ProtobufCMessage *message,
                          const ProtobufCFieldDescriptor *f) {
    size_t size = schema_member_size(f->type), n = draw_count(m, depth, f), i;
    bool monotonous = rng_chance(m->rng, 30);
    char *array = NULL;
    if (n > 0 || rng_chance(m->rng, 10))
        array = arena_alloc(m->arena, n * size);
    *(size_t *) message_member(message, f->quantifier_offset) = n;
    *(void **) message_member(message, f->offset) = array;
    for (i = 0; i < n; i++) {
        spend(m);
        if (monotonous && i > 0 && schema_type_is_packable(f->type))
            memcpy(array + i * size, array, size);
        else
            fill_value(m, depth, f, array + i * size);
    }
}

static void fill_unknown(maker *m, ProtobufCMessage *message) {
    static const ProtobufCWireType wire_types[] = {
        PROTOBUF_C_WIRE_TYPE_VARINT, PROTOBUF_C_WIRE_TYPE_64BIT,
        PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED, PROTOBUF_C_WIRE_TYPE_32BIT};
    unsigned n = 1 + rng_below(m->rng, 4), i;
    message->unknown_fields =
        arena_alloc(m->arena, n * sizeof *message->unknown_fields);
    message->n_unknown_fields = n;
    for (i = 0; i < n; i++) {
        ProtobufCMessageUnknownField *u = &message->unknown_fields[i];
        ProtobufCBinaryData bytes = make_bytes(m);
        u->tag = 1 + rng_below(m->rng,
                               rng_chance(m->rng, 50) ? 40u : (1u << 29) - 1);
        u->wire_type = wire_types[rng_below(m->rng, 4)];
        u->len = bytes.len;
        u->data = bytes.data;
    }
}

static void fill_field(maker *m, uint32_t depth, ProtobufCMessage *message,
                       const ProtobufCFieldDescriptor *f) {
    if (f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
        fill_oneof(m, depth, message, f);
    else if (f->label == PROTOBUF_C_LABEL_REQUIRED)
        fill_required(m, depth, f, message_member(message, f->offset));
    else if (f->label == PROTOBUF_C_LABEL_OPTIONAL)
        fill_optional(m, depth, message, f);
    else if (f->label == PROTOBUF_C_LABEL_NONE)
        fill_implicit(m, depth, message, f);
    else
        fill_repeated(m, depth, message, f);
}

static ProtobufCMessage *make_message(maker *m, uint32_t depth,
                                      const ProtobufCMessageDescriptor *type) {
    ProtobufCMessage *message = message_empty(m->arena, type);
    uint32_t sparse = rng_chance(m->rng, 30) ? 90 : 0;
    unsigned i;
    spend(m);
    for (i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &type->fields[i];
        if (f->label != PROTOBUF_C_LABEL_REQUIRED && rng_chance(m->rng, sparse))
            continue;
        fill_field(m, depth, message, f);
    }
    if (rng_chance(m->rng, 10))
        fill_unknown(m, message);
    return message;
}

ProtobufCMessage *message_random(arena *a, rng *r, const message_params *params,
                                 const ProtobufCMessageDescriptor *type) {
    maker m = {a, r, params, params->budget};
    return make_message(&m, 0, type);
}
