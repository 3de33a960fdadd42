/* test_dropin_broken.c - messages with bad pointers and odd flags: the verdict
 * of check, and the size and the bytes wherever the original gives any. */
#include <string.h>

#include "cases2.pb-c.h"
#include "dropin_same.h"
#include "suites.h"
#include "support_expect.h"
#include "support_message.h"
#include "support_output.h"
#include "support_slots.h"

enum { N_SEEDS = 200, N_BREAKS = 4 };

static unsigned n_refused;

static void expect_same_verdict(const ProtobufCMessage *message) {
    int mode;
    bool want = protobuf_c_message_check(message);
    for (mode = 0; mode < DROPIN_N_MODES; mode++) {
        dropin_use((dropin_mode) mode);
        expect_number("check", (uint64_t) dropin_check(message), want);
    }
    dropin_use(DROPIN_TABLES);
    n_refused += !want;
}

static void break_slots(arena *a, rng *r, ProtobufCMessage *message,
                        slot_kind kind) {
    slot_list list = {0};
    size_t i;
    slots_collect(&list, a, message, kind);
    for (i = 0; i < N_BREAKS && list.n > 0; i++) {
        void *slot = list.slots[rng_below(r, (uint32_t) list.n)];
        void *former = slot_get(slot);
        expect_context("seed %d, slot kind %d", (int) r->state, (int) kind);
        slot_set(slot, NULL);
        expect_same_verdict(message);
        /* a required field that is missing is the one the original packs */
        if (kind == SLOT_REQUIRED)
            dropin_expect_all(message);
        slot_set(slot, former);
    }
}

START_TEST(a_bad_pointer_gets_the_same_verdict) {
    static const slot_kind kinds[] = {SLOT_REQUIRED, SLOT_ARRAY, SLOT_ELEMENT,
                                      SLOT_DATA, SLOT_DESCRIPTOR};
    arena a = {0};
    rng r = {(uint64_t) _i};
    schema_params params = schema_random_params(&r);
    message_params m = {.depth = 4, .budget = 150, .complete = true};
    schema s;
    size_t i;
    params.groups = 0;
    schema_random(&s, &a, &r, &params);
    for (i = 0; i < sizeof kinds / sizeof *kinds; i++)
        break_slots(&a, &r, message_random(&a, &r, &m, s.types[0]), kinds[i]);
    for (i = 0; i < s.n_types; i++)
        pbt_forget(s.types[i]);
    arena_free(&a);
}
END_TEST

START_TEST(some_messages_were_refused) {
    ck_assert_uint_gt(n_refused, 100);
}
END_TEST

/* Bytes of three without data, in a field of one form. */
static void check_bytes_without_data(ProtobufCLabel label, uint32_t flags,
                                     uint32_t number) {
    static const int quantifiers[] = {0, 1, 2, 7, 256, -1, INT32_MIN};
    arena a = {0};
    const schema_field field = {.number = number,
                                .type = PROTOBUF_C_TYPE_BYTES,
                                .label = label,
                                .flags = flags};
    ProtobufCMessageDescriptor *type = schema_make(&a, "test.Bytes", &field, 1);
    ProtobufCMessage *message = message_empty(&a, type);
    ProtobufCBinaryData *bytes = message_member(message, type->fields->offset);
    unsigned place = type->fields->quantifier_offset;
    size_t i;
    bytes->len = 3;
    for (i = 0; i < sizeof quantifiers / sizeof *quantifiers; i++) {
        if (place)
            *(int *) message_member(message, place) = quantifiers[i];
        expect_context("label %d, flags %u, number %u, quantifier %d",
                       (int) label, (unsigned) flags, (unsigned) number,
                       quantifiers[i]);
        expect_same_verdict(message);
        expect_number("size", dropin_size(message),
                      protobuf_c_message_get_packed_size(message));
    }
    pbt_forget(type);
    arena_free(&a);
}

START_TEST(bytes_without_data_count_as_the_original_counts_them) {
    uint32_t number;
    for (number = 1; number < 4; number++) {
        check_bytes_without_data(PROTOBUF_C_LABEL_REQUIRED, 0, number);
        check_bytes_without_data(PROTOBUF_C_LABEL_OPTIONAL, 0, number);
        check_bytes_without_data(PROTOBUF_C_LABEL_NONE, 0, number);
        check_bytes_without_data(PROTOBUF_C_LABEL_OPTIONAL,
                                 PROTOBUF_C_FIELD_FLAG_ONEOF, number);
        check_bytes_without_data(PROTOBUF_C_LABEL_NONE,
                                 PROTOBUF_C_FIELD_FLAG_ONEOF, number);
    }
}
END_TEST

/* The original's pack takes a NULL element for an empty one; its size does
 * not survive it. Here both take it. */
START_TEST(null_elements_are_packed_as_empty_ones) {
    C2__Rep rep = C2__REP__INIT;
    C2__Sub sub = C2__SUB__INIT;
    char text[] = "text";
    char *strings[] = {text, NULL, text};
    C2__Sub *subs[] = {NULL, &sub, NULL};
    uint8_t want[64], got[64];
    size_t len, mode;
    sub.name = text;
    rep.n_s = 3;
    rep.s = strings;
    rep.n_m = 3;
    rep.m = subs;
    len = protobuf_c_message_pack(&rep.base, want);
    for (mode = 0; mode < DROPIN_N_MODES; mode++) {
        dropin_use((dropin_mode) mode);
        expect_number("size", dropin_size(&rep.base), len);
        expect_bytes("pack", got, dropin_pack(&rep.base, got), want, len);
    }
    dropin_use(DROPIN_TABLES);
}
END_TEST

START_TEST(null_is_no_message_to_check) {
    ProtobufCMessage bad = {0};
    expect_number("check", (uint64_t) dropin_check(NULL), 0);
    expect_number("check", (uint64_t) dropin_check(&bad), 0);
}
END_TEST

/* Descriptors that tables refuse, and that the original takes as they are. */
static void compare_odd_type(const schema_field *fields, size_t n) {
    arena a = {0};
    ProtobufCMessageDescriptor *type = schema_make(&a, "test.Odd", fields, n);
    ProtobufCFieldDescriptor *changed =
        arena_copy(&a, type->fields, n * sizeof *changed);
    ProtobufCMessage *message;
    size_t i;
    type->fields = changed;
    message = message_empty(&a, type);
    for (i = 0; i < n; i++)
        *(int32_t *) message_member(message, changed[i].offset) =
            (int32_t) i - 1;
    for (i = 0; i < n; i++)
        changed[i].id = (uint32_t) (n - i);
    expect_context("numbers that descend");
    dropin_expect_all(message);
    for (i = 0; i < n; i++)
        changed[i].id = UINT32_MAX - (uint32_t) i;
    expect_context("numbers that are too large");
    dropin_expect_all(message);
    for (i = 0; i < n; i++)
        changed[i].id = 5;
    expect_context("one number for all");
    dropin_expect_all(message);
    pbt_forget(type);
    arena_free(&a);
}

START_TEST(descriptors_that_have_no_table_are_taken_all_the_same) {
    schema_field fields[3];
    size_t i;
    for (i = 0; i < 3; i++)
        fields[i] = (schema_field){.number = (uint32_t) i + 1,
                                   .type = PROTOBUF_C_TYPE_INT32,
                                   .label = PROTOBUF_C_LABEL_REQUIRED};
    compare_odd_type(fields, 3);
}
END_TEST

START_TEST(odd_unknown_fields_are_written_as_they_are) {
    static uint8_t data[] = "data";
    ProtobufCMessageUnknownField fields[] = {
        {0, PROTOBUF_C_WIRE_TYPE_VARINT, 1, data},
        {UINT32_MAX, PROTOBUF_C_WIRE_TYPE_32BIT, 4, data},
        {1, (ProtobufCWireType) 0xff, 0, NULL},
        {1u << 29, (ProtobufCWireType) 7, 5, data},
    };
    C2__Opt opt = C2__OPT__INIT;
    size_t n;
    for (n = 0; n <= 4; n++) {
        opt.base.n_unknown_fields = (unsigned) n;
        opt.base.unknown_fields = fields;
        expect_context("%zu unknown fields", n);
        dropin_expect_all(&opt.base);
    }
}
END_TEST

/* A type made at run time has no table unless a test says so; groups are
 * messages then, as for the original. */
START_TEST(groups_of_types_in_memory_are_messages) {
    arena a = {0};
    const schema_field inner = {.number = 1,
                                .type = PROTOBUF_C_TYPE_INT32,
                                .label = PROTOBUF_C_LABEL_REQUIRED};
    schema_field field = {.number = 2,
                          .type = PROTOBUF_C_TYPE_MESSAGE,
                          .label = PROTOBUF_C_LABEL_OPTIONAL,
                          .is_group = true};
    ProtobufCMessageDescriptor *type;
    ProtobufCMessage *message;
    field.type_of = schema_make(&a, "test.Inner", &inner, 1);
    type = schema_make(&a, "test.Outer", &field, 1);
    message = message_empty(&a, type);
    slot_set(message_member(message, type->fields->offset),
             message_empty(&a, field.type_of));
    dropin_expect_same(message, DROPIN_USUAL);
    dropin_expect_same(message, DROPIN_OFF);
    arena_free(&a);
}
END_TEST

Suite *dropin_broken_suite(void) {
    Suite *suite = suite_create("dropin_broken");
    TCase *tests = tcase_create("dropin_broken");
    tcase_add_loop_test(tests, a_bad_pointer_gets_the_same_verdict, 0, N_SEEDS);
    tcase_add_test(tests, some_messages_were_refused);
    tcase_add_test(tests, bytes_without_data_count_as_the_original_counts_them);
    tcase_add_test(tests, null_elements_are_packed_as_empty_ones);
    tcase_add_test(tests, null_is_no_message_to_check);
    tcase_add_test(tests,
                   descriptors_that_have_no_table_are_taken_all_the_same);
    tcase_add_test(tests, odd_unknown_fields_are_written_as_they_are);
    tcase_add_test(tests, groups_of_types_in_memory_are_messages);
    suite_add_tcase(suite, tests);
    return suite;
}
