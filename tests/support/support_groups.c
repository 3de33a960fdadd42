/* support_groups.c - see support_groups.h. */
#include "support_groups.h"

#include <string.h>

#include "base_facts.h"
#include "support_expect.h"

/* Facts without groups, and where the true ones are. */
typedef struct hidden_facts {
    pbti_type_facts facts;
    const pbti_type_facts *shown;
} hidden_facts;

void groups_hide(arena *a, ProtobufCMessageDescriptor *const *types, size_t n) {
    size_t i, k;
    for (i = 0; i < n; i++) {
        const pbti_type_facts *shown = pbti_facts(types[i]);
        hidden_facts *hidden = arena_alloc(a, sizeof *hidden);
        pbti_field_facts *fields;
        if (!shown)
            continue;
        fields =
            arena_copy(a, shown->fields, types[i]->n_fields * sizeof *fields);
        for (k = 0; k < types[i]->n_fields; k++)
            fields[k].is_group = false;
        hidden->facts = *shown;
        hidden->facts.fields = fields;
        hidden->shown = shown;
        types[i]->reserved1 = hidden;
        pbt_forget(types[i]);
    }
}

void groups_show(ProtobufCMessageDescriptor *const *types, size_t n) {
    size_t i;
    for (i = 0; i < n; i++) {
        const hidden_facts *hidden = types[i]->reserved1;
        if (!hidden)
            continue;
        memcpy(&types[i]->reserved1, &hidden->shown, sizeof(void *));
        pbt_forget(types[i]);
    }
}

typedef struct span {
    const uint8_t *at, *end;
} span;

typedef struct output {
    arena *arena;
    uint8_t *bytes;
    size_t len, capacity;
} output;

static void put(output *out, const void *bytes, size_t len) {
    if (out->capacity - out->len < len) {
        size_t capacity = 2 * (out->len + len);
        uint8_t *grown = arena_alloc(out->arena, capacity);
        if (out->len > 0)
            memcpy(grown, out->bytes, out->len);
        out->bytes = grown;
        out->capacity = capacity;
    }
    if (len > 0)
        memcpy(out->bytes + out->len, bytes, len);
    out->len += len;
}

static void put_varint(output *out, uint64_t v) {
    uint8_t byte;
    for (; v >= 0x80; v >>= 7) {
        byte = (uint8_t) (v | 0x80);
        put(out, &byte, 1);
    }
    byte = (uint8_t) v;
    put(out, &byte, 1);
}

static uint64_t take_varint(span *in) {
    uint64_t v = 0;
    unsigned shift = 0;
    do {
        ck_assert_msg(in->at < in->end && shift < 70, "a bad varint");
        v |= (uint64_t) (*in->at & 0x7f) << shift;
        shift += 7;
    } while (*in->at++ & 0x80);
    return v;
}

static void copy_bytes(output *out, span *in, size_t len) {
    ck_assert_msg((size_t) (in->end - in->at) >= len, "a field is cut short");
    put(out, in->at, len);
    in->at += len;
}

static void rewrite(output *out, const ProtobufCMessageDescriptor *type,
                    span in);

/* A message field whose tag has been read. */
static void rewrite_message(output *out, const ProtobufCMessageDescriptor *type,
                            const ProtobufCFieldDescriptor *field, span *in) {
    size_t len = take_varint(in);
    const pbti_field_facts *facts = pbti_field_fact(type, field);
    output inner = {.arena = out->arena};
    ck_assert_msg((size_t) (in->end - in->at) >= len, "a field is cut short");
    rewrite(&inner, field->descriptor, (span){in->at, in->at + len});
    in->at += len;
    if (facts && facts->is_group) {
        put_varint(out, (uint64_t) field->id << 3 | 3);
        put(out, inner.bytes, inner.len);
        put_varint(out, (uint64_t) field->id << 3 | 4);
    } else {
        put_varint(out, (uint64_t) field->id << 3 | 2);
        put_varint(out, inner.len);
        put(out, inner.bytes, inner.len);
    }
}

static void copy_field(output *out, span *in, uint64_t tag) {
    uint64_t len;
    put_varint(out, tag);
    switch (tag & 7) {
    case 0:
        put_varint(out, take_varint(in));
        break;
    case 1:
        copy_bytes(out, in, 8);
        break;
    case 2:
        len = take_varint(in);
        put_varint(out, len);
        copy_bytes(out, in, len);
        break;
    case 5:
        copy_bytes(out, in, 4);
        break;
    default:
        ck_abort_msg("wire type %u", (unsigned) (tag & 7));
    }
}

static void rewrite(output *out, const ProtobufCMessageDescriptor *type,
                    span in) {
    while (in.at < in.end) {
        uint64_t tag = take_varint(&in);
        const ProtobufCFieldDescriptor *field =
            protobuf_c_message_descriptor_get_field(type,
                                                    (unsigned) (tag >> 3));
        ck_assert_msg(field != NULL, "no field %u", (unsigned) (tag >> 3));
        if (field->type == PROTOBUF_C_TYPE_MESSAGE)
            rewrite_message(out, type, field, &in);
        else
            copy_field(out, &in, tag);
    }
}

packed groups_rewrite(arena *a, const ProtobufCMessageDescriptor *type,
                      const void *bytes, size_t len) {
    output out = {.arena = a};
    rewrite(&out, type,
            (span){bytes, len > 0 ? (const uint8_t *) bytes + len : bytes});
    return (packed){out.bytes, out.len};
}
