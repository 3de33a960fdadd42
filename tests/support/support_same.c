/* support_same.c - see support_same.h. */
#include "support_same.h"

#include <stdio.h>
#include <string.h>

#include "support_expect.h"
#include "support_message.h"

static void compare_messages(const char *what, const ProtobufCMessage *got,
                             const ProtobufCMessage *want);

static void compare_value(const char *what, const ProtobufCFieldDescriptor *f,
                          const void *got, const void *want) {
    if (f->type == PROTOBUF_C_TYPE_STRING) {
        const char *a = *(char *const *) got, *b = *(char *const *) want;
        expect_true(what, !a == !b);
        if (a)
            expect_text(what, a, b);
    } else if (f->type == PROTOBUF_C_TYPE_BYTES) {
        const ProtobufCBinaryData *a = got, *b = want;
        expect_bytes(what, a->data, a->len, b->data, b->len);
        expect_true(what, !a->data == !b->data);
    } else if (f->type == PROTOBUF_C_TYPE_MESSAGE) {
        const ProtobufCMessage *a = *(ProtobufCMessage *const *) got;
        const ProtobufCMessage *b = *(ProtobufCMessage *const *) want;
        expect_true(what, !a == !b);
        if (a && a != b)
            compare_messages(what, a, b);
    } else {
        size_t size = schema_member_size(f->type);
        expect_bytes(what, got, size, want, size);
    }
}

static void compare_repeated(const char *what,
                             const ProtobufCFieldDescriptor *f, const char *got,
                             const char *want) {
    size_t n = *(const size_t *) (const void *) (got + f->quantifier_offset);
    size_t size = schema_member_size(f->type), i;
    const char *a = *(char *const *) (const void *) (got + f->offset);
    const char *b = *(char *const *) (const void *) (want + f->offset);
    expect_number(
        what, n,
        *(const size_t *) (const void *) (want + f->quantifier_offset));
    for (i = 0; i < n; i++)
        compare_value(what, f, a + i * size, b + i * size);
}

static bool is_pointer(const ProtobufCFieldDescriptor *f) {
    return f->type == PROTOBUF_C_TYPE_STRING ||
           f->type == PROTOBUF_C_TYPE_MESSAGE;
}

static bool has_quantifier(const ProtobufCFieldDescriptor *f) {
    return (f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) ||
           (f->label == PROTOBUF_C_LABEL_OPTIONAL && !is_pointer(f));
}

static void compare_field(const char *what, const ProtobufCFieldDescriptor *f,
                          const char *got, const char *want) {
    char where[200];
    snprintf(where, sizeof where, "%.150s > %u", what, (unsigned) f->id);
    if (f->label == PROTOBUF_C_LABEL_REPEATED) {
        compare_repeated(where, f, got, want);
        return;
    }
    if (has_quantifier(f)) {
        uint32_t a, b;
        memcpy(&a, got + f->quantifier_offset, sizeof a);
        memcpy(&b, want + f->quantifier_offset, sizeof b);
        expect_number(where, a, b);
        if ((f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) && a != f->id)
            return;
    }
    compare_value(where, f, got + f->offset, want + f->offset);
}

static void compare_unknown(const char *what, const ProtobufCMessage *got,
                            const ProtobufCMessage *want) {
    unsigned i;
    expect_number(what, got->n_unknown_fields, want->n_unknown_fields);
    for (i = 0; i < got->n_unknown_fields; i++) {
        const ProtobufCMessageUnknownField *a = &got->unknown_fields[i];
        const ProtobufCMessageUnknownField *b = &want->unknown_fields[i];
        expect_number(what, a->tag, b->tag);
        expect_number(what, a->wire_type, b->wire_type);
        expect_bytes(what, a->data, a->len, b->data, b->len);
    }
}

static void compare_messages(const char *what, const ProtobufCMessage *got,
                             const ProtobufCMessage *want) {
    const ProtobufCMessageDescriptor *type = want->descriptor;
    unsigned i;
    expect_true(what, got->descriptor == type);
    for (i = 0; i < type->n_fields; i++)
        compare_field(what, &type->fields[i], (const char *) got,
                      (const char *) want);
    compare_unknown(what, got, want);
}

void expect_same_message(const char *what, const ProtobufCMessage *got,
                         const ProtobufCMessage *want) {
    compare_messages(what, got, want);
}
