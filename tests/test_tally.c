/* test_tally.c - the quick size loop: types of many fields, which it takes by
 * parts or by steps, and whatever makes it give up. */
#include <string.h>

#include <pbturbo/version.h>

#include "cases2.pb-c.h"
#include "suites.h"
#include "support_expect.h"
#include "support_message.h"
#include "support_output.h"
#include "support_road.h"
#include "table_registry.h"
#include "wire_trace.h"

enum { N_SEEDS = 120, MIN_FIELDS = 3, MAX_FIELDS = 200 };

/* All kinds but groups. */
static schema_field draw_field(rng *r, uint32_t number) {
    schema_field f = {.number = number, .label = PROTOBUF_C_LABEL_OPTIONAL};
    if (rng_chance(r, 30))
        f.label = PROTOBUF_C_LABEL_NONE;
    f.type = (ProtobufCType) rng_below(r, PROTOBUF_C_TYPE_MESSAGE);
    if (rng_chance(r, 15))
        f.label = PROTOBUF_C_LABEL_REPEATED;
    else if (rng_chance(r, 10))
        f.label = PROTOBUF_C_LABEL_REQUIRED;
    if (f.label == PROTOBUF_C_LABEL_REPEATED && rng_chance(r, 50) &&
        schema_type_is_packable(f.type))
        f.flags = PROTOBUF_C_FIELD_FLAG_PACKED;
    if (f.type == PROTOBUF_C_TYPE_ENUM)
        f.type_of = &schema_enum;
    if (rng_chance(r, 5)) {
        f.type = PROTOBUF_C_TYPE_MESSAGE;
        f.type_of = &c2__sub__descriptor;
        f.flags = 0;
        if (f.label == PROTOBUF_C_LABEL_REQUIRED)
            f.label = PROTOBUF_C_LABEL_OPTIONAL;
    }
    return f;
}

static ProtobufCMessageDescriptor *draw_type(arena *a, rng *r) {
    schema_field fields[MAX_FIELDS];
    uint32_t n = MIN_FIELDS + rng_below(r, MAX_FIELDS - MIN_FIELDS + 1);
    uint32_t number = 0, i;
    for (i = 0; i < n; i++) {
        number += 1 + (rng_chance(r, 5) ? rng_below(r, 300) : 0);
        fields[i] = draw_field(r, number);
    }
    return schema_make(a, "test.Tally", fields, n);
}

/* The size by the quick loop and by the careful one, which the flag asks for.
 */
static void compare_sizes(const ProtobufCMessage *message, size_t want) {
    pbt_options careful = {.flags = PBT_DETERMINISTIC};
    size_t size = 0;
    expect_status("quick", pbt_size(message, NULL, &size), PBT_OK);
    expect_number("quick size", size, want);
    expect_status("careful", pbt_size(message, &careful, &size), PBT_OK);
    expect_number("careful size", size, want);
}

static unsigned long parts_so_far(void) {
    return atomic_load(&pbti_trace_counts.size_parts);
}

static unsigned long steps_so_far(void) {
    return atomic_load(&pbti_trace_counts.size_steps);
}

static bool has_item(const pbti_table *table, pbti_item_op op) {
    const pbti_item *item;
    for (item = table->items; item->op != PBTI_ITEM_END; item++)
        if (item->op == op)
            return true;
    return false;
}

/* The level with AVX-512 has parts of its own, and no steps. */
static bool has_own_loop(void) {
    return strcmp(pbt_cpu_level(), "x86-64-v4") == 0;
}

static bool has_parts(const pbti_table *table) {
    return has_own_loop() ? table->tally != NULL
                          : has_item(table, PBTI_ITEM_PARTS);
}

static bool has_steps(const pbti_table *table) {
    return !has_own_loop() && has_item(table, PBTI_ITEM_STEPS);
}

static unsigned long given_up_so_far(void) {
    return atomic_load(&pbti_trace_counts.sizes_given_up);
}

START_TEST(sizes_by_kind_match_protobuf_c) {
    arena a = {0};
    rng r = {(uint64_t) _i + 7000};
    const ProtobufCMessageDescriptor *type = draw_type(&a, &r);
    const message_params params = {
        .depth = 2, .budget = 2000, .valid_utf8 = true, .complete = true};
    const pbti_table *table = NULL;
    unsigned long parts = parts_so_far(), steps = steps_so_far();
    unsigned long given_up = given_up_so_far();
    int i;
    expect_context("seed %d", _i);
    expect_status("table", pbti_registry_get(type, PBTI_PLAIN, &table, NULL),
                  PBT_OK);
    for (i = 0; i < 4; i++) {
        ProtobufCMessage *message = message_random(&a, &r, &params, type);
        compare_sizes(message, packed_by_protobuf_c(&a, message).len);
    }
    expect_true("parts were used, if there are any",
                (parts_so_far() > parts) == has_parts(table));
    expect_true("steps were used, if there are any",
                (steps_so_far() > steps) == has_steps(table));
    expect_true("nothing was given up", given_up_so_far() == given_up);
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

/* How the types of the next test are taken: by parts, by steps, or field by
 * field, because there are too few for a step. */
static const uint32_t n_numbers[] = {150, 40, 2};

/* Numbers only, each value at a border of its size, one after the other: in all
 * words of all parts, all lanes of all steps, with both halves of a word. What
 * is in the other members is not to be looked at. */
START_TEST(each_number_by_itself) {
    enum { N = 150 };
    static const ProtobufCType types[] = {
        PROTOBUF_C_TYPE_INT32,  PROTOBUF_C_TYPE_SINT32, PROTOBUF_C_TYPE_UINT32,
        PROTOBUF_C_TYPE_INT64,  PROTOBUF_C_TYPE_SINT64, PROTOBUF_C_TYPE_UINT64,
        PROTOBUF_C_TYPE_BOOL,   PROTOBUF_C_TYPE_FLOAT,  PROTOBUF_C_TYPE_DOUBLE,
        PROTOBUF_C_TYPE_FIXED64};
    uint32_t n = n_numbers[_i / 4];
    bool implicit = _i % 2;
    arena a = {0};
    rng r = {(uint64_t) _i + 8000};
    schema_field fields[N];
    const ProtobufCMessageDescriptor *type;
    const pbti_table *table = NULL;
    unsigned i, j, bits;
    for (i = 0; i < n; i++)
        fields[i] = (schema_field){
            .number = i + 1,
            .type = types[rng_below(&r, sizeof types / sizeof *types)],
            .label =
                implicit ? PROTOBUF_C_LABEL_NONE : PROTOBUF_C_LABEL_OPTIONAL};
    type = schema_make(&a, "test.Numbers", fields, n);
    expect_status("table", pbti_registry_get(type, PBTI_PLAIN, &table, NULL),
                  PBT_OK);
    expect_true("parts", has_parts(table) == (n == N && !implicit) ||
                             implicit || has_own_loop());
    expect_true("steps", has_steps(table) == (n == 40) || has_own_loop());
    for (i = 0; i < n; i++) {
        const ProtobufCFieldDescriptor *f = &type->fields[i];
        ProtobufCMessage *message = message_empty(&a, type);
        const protobuf_c_boolean yes = 1;
        const uint64_t ones = UINT64_MAX;
        for (j = 0; j < n && !implicit; j++)
            memcpy(message_member(message, type->fields[j].offset), &ones,
                   schema_member_size(type->fields[j].type));
        if (!implicit)
            memcpy(message_member(message, f->quantifier_offset), &yes,
                   sizeof yes);
        for (bits = 0; bits < 8 * schema_member_size(f->type); bits++) {
            uint64_t value = (UINT64_C(1) << bits) - (rng_chance(&r, 50) != 0);
            memcpy(message_member(message, f->offset), &value,
                   schema_member_size(f->type));
            expect_context("seed %d, field %u, bit %u", _i, i, bits);
            compare_sizes(message, packed_by_protobuf_c(&a, message).len);
            value = ~value;
            memcpy(message_member(message, f->offset), &value,
                   schema_member_size(f->type));
            compare_sizes(message, packed_by_protobuf_c(&a, message).len);
        }
    }
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

/* Both loops count a message whose end lies below what the quick one enters. */
START_TEST(deeper_than_the_quick_loop_goes) {
    enum { N = 200 };
    C2__Node nodes[N];
    uint32_t depth, i;
    pbt_options limited = {0};
    size_t size = 0;
    arena a = {0};
    for (depth = 55; depth < N; depth += 1 + depth / 16) {
        for (i = 0; i <= depth; i++) {
            nodes[i] = (C2__Node) C2__NODE__INIT;
            nodes[i].has_v = 1;
            nodes[i].v = (int32_t) i;
            if (i < depth)
                nodes[i].n = &nodes[i + 1];
        }
        expect_context("depth %u", (unsigned) depth);
        compare_sizes(&nodes[0].base,
                      packed_by_protobuf_c(&a, &nodes[0].base).len);
        limited.max_depth = depth;
        expect_status("as deep as it may be",
                      pbt_size(&nodes[0].base, &limited, &size), PBT_OK);
        limited.max_depth = depth - 1;
        expect_status("too deep", pbt_size(&nodes[0].base, &limited, &size),
                      PBT_ERR_DEPTH);
    }
    arena_free(&a);
}
END_TEST

/* A string, bytes or a message that is required and not there; data that is
 * NULL and not empty. */
START_TEST(errors_among_parts) {
    enum { N = 40, BAD = 20 };
    arena a = {0};
    schema_field fields[N];
    const ProtobufCMessageDescriptor *type;
    ProtobufCMessage *message;
    pbt_error error;
    pbt_options options = {.error = &error};
    unsigned long before = given_up_so_far();
    const protobuf_c_boolean yes = 1;
    const ProtobufCBinaryData bad = {.len = 1};
    size_t size = 1;
    unsigned i;
    for (i = 0; i < N; i++)
        fields[i] = (schema_field){.number = i + 1,
                                   .type = PROTOBUF_C_TYPE_UINT32,
                                   .label = PROTOBUF_C_LABEL_OPTIONAL};
    fields[BAD].label =
        _i == 2 ? PROTOBUF_C_LABEL_OPTIONAL : PROTOBUF_C_LABEL_REQUIRED;
    fields[BAD].type = _i == 0   ? PROTOBUF_C_TYPE_STRING
                       : _i == 1 ? PROTOBUF_C_TYPE_MESSAGE
                                 : PROTOBUF_C_TYPE_BYTES;
    if (_i == 1)
        fields[BAD].type_of = &c2__sub__descriptor;
    type = schema_make(&a, "test.Bad", fields, N);
    message = message_empty(&a, type);
    if (_i == 2) {
        memcpy(message_member(message, type->fields[BAD].quantifier_offset),
               &yes, sizeof yes);
        memcpy(message_member(message, type->fields[BAD].offset), &bad,
               sizeof bad);
    }
    expect_status("size", pbt_size(message, &options, &size),
                  _i == 2 ? PBT_ERR_BAD_MESSAGE : PBT_ERR_REQUIRED);
    expect_number("no size", size, 0);
    expect_number("field", error.field_number, BAD + 1);
    expect_true("the quick loop gave up", given_up_so_far() == before + 1);
    expect_status("without options", pbt_size(message, NULL, &size),
                  _i == 2 ? PBT_ERR_BAD_MESSAGE : PBT_ERR_REQUIRED);
    expect_number("no size", size, 0);
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

Suite *tally_suite(void) {
    Suite *suite = suite_create("tally");
    TCase *tests = tcase_create("tally");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, sizes_by_kind_match_protobuf_c, 0, N_SEEDS);
    tcase_add_loop_test(tests, each_number_by_itself, 0, 12);
    tcase_add_test(tests, deeper_than_the_quick_loop_goes);
    tcase_add_loop_test(tests, errors_among_parts, 0, 3);
    suite_add_tcase(suite, tests);
    return suite;
}
