/* test_matrix.c - every kind of field in every form, with boundary values, at
 * every length of tag: one message of one field each, from the one list of
 * kinds. */
#include <string.h>

#include "suites.h"
#include "support_expect.h"
#include "support_message.h"
#include "support_output.h"
#include "support_road.h"
#include "support_slots.h"

typedef enum field_form {
    FORM_REQUIRED,
    FORM_OPTIONAL,
    FORM_IMPLICIT,
    FORM_ONEOF,
    FORM_ONEOF_IMPLICIT,
    FORM_REPEATED,
    FORM_PACKED,
    N_FORMS
} field_form;

typedef struct form_facts {
    const char *name;
    ProtobufCLabel label;
    uint32_t flags;
} form_facts;

static const form_facts forms[N_FORMS] = {
    [FORM_REQUIRED] = {"required", PROTOBUF_C_LABEL_REQUIRED, 0},
    [FORM_OPTIONAL] = {"optional", PROTOBUF_C_LABEL_OPTIONAL, 0},
    [FORM_IMPLICIT] = {"implicit", PROTOBUF_C_LABEL_NONE, 0},
    [FORM_ONEOF] = {"oneof", PROTOBUF_C_LABEL_OPTIONAL,
                    PROTOBUF_C_FIELD_FLAG_ONEOF},
    [FORM_ONEOF_IMPLICIT] = {"implicit oneof", PROTOBUF_C_LABEL_NONE,
                             PROTOBUF_C_FIELD_FLAG_ONEOF},
    [FORM_REPEATED] = {"repeated", PROTOBUF_C_LABEL_REPEATED, 0},
    [FORM_PACKED] = {"packed", PROTOBUF_C_LABEL_REPEATED,
                     PROTOBUF_C_FIELD_FLAG_PACKED},
};

static const struct {
    const char *name;
    ProtobufCType type;
    size_t member_size;
} kinds[] = {
#define PBTI_FIELD_KIND(type, name, encoding, member)                          \
    {name, PROTOBUF_C_TYPE_##type, sizeof(member)},
#include "table_kinds.def"
};

enum { N_KINDS = sizeof kinds / sizeof *kinds };

static const uint32_t numbers[] = {1,
                                   15,
                                   16,
                                   2047,
                                   2048,
                                   1 << 18,
                                   (1 << 21) - 1,
                                   1 << 21,
                                   1 << 25,
                                   (1 << 28) - 1,
                                   1 << 28,
                                   (1 << 29) - 1};

/* The one field of the type that is being tested. */
typedef struct subject {
    arena *arena;
    const ProtobufCMessageDescriptor *type;
    const ProtobufCFieldDescriptor *field;
    field_form form;
} subject;

static const char default_text[] = "default";

static void make_subject(subject *s, arena *a, ProtobufCType type,
                         field_form form, uint32_t number) {
    schema_field field = {.number = number, .type = type};
    field.label = forms[form].label;
    field.flags = forms[form].flags;
    if (type == PROTOBUF_C_TYPE_STRING)
        field.default_value =
            form == FORM_IMPLICIT ? protobuf_c_empty_string : default_text;
    if (type == PROTOBUF_C_TYPE_MESSAGE) {
        const schema_field inner = {.number = 1,
                                    .type = PROTOBUF_C_TYPE_UINT64,
                                    .label = PROTOBUF_C_LABEL_NONE};
        field.type_of = schema_make(a, "test.Inner", &inner, 1);
    }
    s->arena = a;
    s->type = schema_make(a, "test.Subject", &field, 1);
    s->field = s->type->fields;
    s->form = form;
}

static void forget_subject(const subject *s) {
    pbt_forget(s->type);
    if (s->field->type == PROTOBUF_C_TYPE_MESSAGE)
        pbt_forget(s->field->descriptor);
}

static void compare(ProtobufCMessage *message) {
    packed want;
    arena a = {0};
    want = packed_by_protobuf_c(&a, message);
    roads_expect(message, PBT_ALLOW_PARTIAL, want.bytes, want.len);
    roads_compare(message, 0);
    roads_compare(message, PBT_CONFORMANT | PBT_VALIDATE_UTF8);
    arena_free(&a);
}

/* Sets the quantifier of a oneof member or a field with a has-flag to all
 * there is, and compares. */
static void compare_presences(const subject *s, ProtobufCMessage *message) {
    static const int has[] = {1, 0, 7, 256, -1, INT32_MIN};
    int *quantifier = message_member(message, s->field->quantifier_offset);
    size_t i;
    if (s->field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
        const uint32_t cases[] = {0, s->field->id + 1, s->field->id};
        for (i = 0; i < 3; i++) {
            *quantifier = (int) cases[i];
            compare(message);
        }
    } else if (s->form == FORM_OPTIONAL && s->field->quantifier_offset) {
        for (i = 0; i < 6; i++) {
            *quantifier = has[i];
            compare(message);
        }
    } else {
        compare(message);
    }
}

/* The n-th value worth testing; false when there are no more. */
static bool set_value(const subject *s, size_t n, void *member) {
    static const size_t lengths[] = {0,  1,  7,   8,   15,  16,  17,   31,
                                     32, 33, 127, 128, 129, 300, 20000};
    static const uint64_t inner[] = {0, 1, 127, 128, UINT64_MAX};
    rng r = {n};
    ProtobufCMessage *sub;
    ProtobufCType type = s->field->type;
    if (schema_type_is_packable(type))
        return value_boundary(type, n, member);
    if (type == PROTOBUF_C_TYPE_MESSAGE) {
        if (n >= sizeof inner / sizeof *inner)
            return false;
        sub = message_empty(s->arena, s->field->descriptor);
        *(uint64_t *) message_member(sub, sub->descriptor->fields->offset) =
            inner[n];
        slot_set(member, sub);
        return true;
    }
    if (n >= sizeof lengths / sizeof *lengths)
        return false;
    if (type == PROTOBUF_C_TYPE_STRING) {
        *(char **) member = string_random(s->arena, &r, lengths[n], n % 2 == 0);
    } else {
        ProtobufCBinaryData *bytes = member;
        bytes->len = lengths[n];
        bytes->data = (uint8_t *) string_random(s->arena, &r, lengths[n], true);
    }
    return true;
}

/* A NULL pointer, and the pointer that is the default's own. */
static void compare_unset_pointers(const subject *s) {
    ProtobufCMessage *message = message_empty(s->arena, s->type);
    void *member = message_member(message, s->field->offset);
    compare_presences(s, message);
    if (s->field->type != PROTOBUF_C_TYPE_STRING)
        return;
    slot_set(member, s->field->default_value);
    compare_presences(s, message);
    slot_set(member, arena_copy(s->arena, default_text, sizeof default_text));
    compare_presences(s, message);
}

static void compare_singular(const subject *s, size_t n_values) {
    ProtobufCMessage *message = message_empty(s->arena, s->type);
    void *member = message_member(message, s->field->offset);
    size_t n;
    compare_unset_pointers(s);
    for (n = 0; n < n_values && set_value(s, n, member); n++) {
        expect_context("%s %s, number %u, value %zu", forms[s->form].name,
                       kinds[s->field->type].name, (unsigned) s->field->id, n);
        compare_presences(s, message);
    }
}

static size_t count_values(const subject *s) {
    union {
        uint64_t number;
        void *pointer;
        ProtobufCBinaryData bytes;
    } member;
    size_t n = 0;
    while (set_value(s, n, &member))
        n++;
    return n;
}

/* An array of count elements: all with value n, or of all values in turn. */
static void *make_array(const subject *s, size_t count, size_t n,
                        bool in_turn) {
    size_t size = schema_member_size(s->field->type), i;
    size_t n_values = count_values(s);
    char *array = arena_alloc(s->arena, count * size);
    ck_assert_uint_gt(n_values, 0);
    for (i = 0; i < count; i++)
        set_value(s, in_turn ? (n + i) % n_values : n, array + i * size);
    return array;
}

static void compare_repeated(const subject *s, size_t n_values) {
    static const uint16_t counts[] = {0,  1,  2,  3,  7,  8,   9,   13,  15,
                                      16, 17, 31, 32, 33, 127, 128, 129, 1000};
    ProtobufCMessage *message = message_empty(s->arena, s->type);
    void *member = message_member(message, s->field->offset);
    size_t *count = message_member(message, s->field->quantifier_offset);
    size_t all = count_values(s), i;
    ck_assert_uint_gt(all, 0);
    for (i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (counts[i] > 17 && !schema_type_is_packable(s->field->type))
            break;
        expect_context("%s %s, number %u, %u elements", forms[s->form].name,
                       kinds[s->field->type].name, (unsigned) s->field->id,
                       (unsigned) counts[i]);
        *count = counts[i];
        slot_set(member, make_array(s, counts[i], i, true));
        compare(message);
        slot_set(member, make_array(s, counts[i], i % all, false));
        compare(message);
    }
    for (i = 0; i < n_values && i < all; i++) {
        *count = 11;
        slot_set(member, make_array(s, 11, i, false));
        compare(message);
    }
}

static void compare_form(size_t kind, field_form form, uint32_t number,
                         size_t n_values) {
    arena a = {0};
    subject s;
    make_subject(&s, &a, kinds[kind].type, form, number);
    if (s.field->label == PROTOBUF_C_LABEL_REPEATED)
        compare_repeated(&s, n_values);
    else
        compare_singular(&s, n_values);
    forget_subject(&s);
    arena_free(&a);
}

START_TEST(every_value_of_every_kind_in_every_form) {
    size_t kind = (size_t) _i;
    field_form form;
    for (form = 0; form < N_FORMS; form++)
        if (form != FORM_PACKED || schema_type_is_packable(kinds[kind].type))
            compare_form(kind, form, 1, SIZE_MAX);
}
END_TEST

START_TEST(every_kind_in_every_form_at_every_tag) {
    size_t kind = (size_t) _i, i;
    field_form form;
    for (i = 1; i < sizeof numbers / sizeof *numbers; i++)
        for (form = 0; form < N_FORMS; form++)
            if (form != FORM_PACKED ||
                schema_type_is_packable(kinds[kind].type))
                compare_form(kind, form, numbers[i], 3);
}
END_TEST

START_TEST(the_list_has_all_types_of_protobuf_c) {
    size_t i;
    ck_assert_uint_eq(N_KINDS, PROTOBUF_C_TYPE_MESSAGE + 1);
    for (i = 0; i < N_KINDS; i++) {
        ck_assert_uint_eq(kinds[i].type, i);
        ck_assert_uint_eq(kinds[i].member_size,
                          schema_member_size(kinds[i].type));
    }
}
END_TEST

Suite *matrix_suite(void) {
    Suite *suite = suite_create("matrix");
    TCase *tests = tcase_create("matrix");
    tcase_add_test(tests, the_list_has_all_types_of_protobuf_c);
    tcase_add_loop_test(tests, every_value_of_every_kind_in_every_form, 0,
                        N_KINDS);
    tcase_add_loop_test(tests, every_kind_in_every_form_at_every_tag, 0,
                        N_KINDS);
    suite_add_tcase(suite, tests);
    return suite;
}
