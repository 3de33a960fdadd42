/* test_descriptors.c - descriptors that lie, members that are not aligned, and
 * addresses that hold another descriptor than before. */
#include <string.h>

#include "cases2.pb-c.h"
#include "suites.h"
#include "support_expect.h"
#include "support_message.h"
#include "support_output.h"
#include "support_road.h"
#include "support_slots.h"
#include "table.h"

enum { N_FIELDS = 4 };

/* A type that can be changed, and a message of it in memory of its own size
 * whatever the type says later. */
typedef struct victim {
    arena arena;
    ProtobufCMessageDescriptor *type;
    ProtobufCFieldDescriptor *fields;
    ProtobufCMessage *message;
} victim;

static void make_victim(victim *v) {
    static const schema_field fields[N_FIELDS] = {
        {.number = 1,
         .label = PROTOBUF_C_LABEL_OPTIONAL,
         .type = PROTOBUF_C_TYPE_INT32},
        {.number = 2,
         .label = PROTOBUF_C_LABEL_REPEATED,
         .type = PROTOBUF_C_TYPE_STRING},
        {.number = 3,
         .label = PROTOBUF_C_LABEL_OPTIONAL,
         .type = PROTOBUF_C_TYPE_MESSAGE,
         .type_of = &c2__s1__descriptor},
        {.number = 4,
         .label = PROTOBUF_C_LABEL_NONE,
         .type = PROTOBUF_C_TYPE_UINT32,
         .flags = PROTOBUF_C_FIELD_FLAG_ONEOF}};
    static C2__S1 sub = C2__S1__INIT;
    memset(v, 0, sizeof *v);
    v->type = schema_make(&v->arena, "test.Victim", fields, N_FIELDS);
    v->fields =
        arena_copy(&v->arena, v->type->fields, N_FIELDS * sizeof *v->fields);
    v->type->fields = v->fields;
    v->message = message_empty(&v->arena, v->type);
    slot_set(message_member(v->message, v->fields[2].offset), &sub);
}

static void lie_magic(victim *v) {
    v->type->magic ^= 1;
}
static void lie_no_fields(victim *v) {
    v->type->fields = NULL;
}
static void lie_small_struct(victim *v) {
    v->type->sizeof_message = sizeof(ProtobufCMessage) - 1;
}
static void lie_unsorted(victim *v) {
    v->fields[0].id = 3;
    v->fields[2].id = 1;
}
static void lie_twice_a_number(victim *v) {
    v->fields[1].id = 1;
}
static void lie_number_zero(victim *v) {
    v->fields[0].id = 0;
}
static void lie_number_too_large(victim *v) {
    v->fields[3].id = 1u << 29;
}
static void lie_type(victim *v) {
    v->fields[0].type = (ProtobufCType) 17;
}
static void lie_type_far_off(victim *v) {
    v->fields[0].type = (ProtobufCType) 0x40000000;
}
static void lie_label(victim *v) {
    v->fields[0].label = (ProtobufCLabel) 4;
}
static void lie_label_far_off(victim *v) {
    v->fields[0].label = (ProtobufCLabel) 0x7fffffff;
}
static void lie_offset_at_end(victim *v) {
    v->fields[0].offset = (unsigned) v->type->sizeof_message - 3;
}
static void lie_offset_far_off(victim *v) {
    v->fields[3].offset = 0xfffffffcu;
}
static void lie_offset_in_base(victim *v) {
    v->fields[0].offset = 16;
}
static void lie_flag_beyond(victim *v) {
    v->fields[0].quantifier_offset = (unsigned) v->type->sizeof_message;
}
static void lie_count_beyond(victim *v) {
    v->fields[1].quantifier_offset = (unsigned) v->type->sizeof_message - 4;
}
static void lie_count_in_base(victim *v) {
    v->fields[1].quantifier_offset = 8;
}
static void lie_case_beyond(victim *v) {
    v->fields[3].quantifier_offset = 0x10000000u;
}
static void lie_no_sub_type(victim *v) {
    v->fields[2].descriptor = NULL;
}
static void lie_packed_strings(victim *v) {
    v->fields[1].flags |= PROTOBUF_C_FIELD_FLAG_PACKED;
}

static const struct {
    const char *name;
    void (*tell)(victim *v);
} lies[] = {
#define LIE(name)                                                              \
    { #name, name }
    LIE(lie_magic),
    LIE(lie_no_fields),
    LIE(lie_small_struct),
    LIE(lie_unsorted),
    LIE(lie_twice_a_number),
    LIE(lie_number_zero),
    LIE(lie_number_too_large),
    LIE(lie_type),
    LIE(lie_type_far_off),
    LIE(lie_label),
    LIE(lie_label_far_off),
    LIE(lie_offset_at_end),
    LIE(lie_offset_far_off),
    LIE(lie_offset_in_base),
    LIE(lie_flag_beyond),
    LIE(lie_count_beyond),
    LIE(lie_count_in_base),
    LIE(lie_case_beyond),
    LIE(lie_no_sub_type),
    LIE(lie_packed_strings),
#undef LIE
};

enum { N_LIES = sizeof lies / sizeof *lies };

static void expect_refused(const ProtobufCMessageDescriptor *type,
                           const ProtobufCMessage *message) {
    const pbt_status bad = PBT_ERR_BAD_DESCRIPTOR;
    pbt_error error = {0};
    pbt_buffer text = {0};
    int i;
    expect_status("prepare", pbt_prepare(type, &error), bad);
    expect_status("the report", error.status, bad);
    expect_true("a sentence", error.message[0] != '\0');
    expect_status("text", pbt_table_text(type, &text, NULL), bad);
    output_expect_error(message, NULL, bad);
    for (i = 0; i < N_ROADS; i++) {
        size_t size;
        expect_status(roads[i].name, roads[i].size(message, NULL, &size), bad);
        expect_status(roads[i].name, roads[i].marshal(message, NULL, &text),
                      bad);
        expect_status(roads[i].name, roads[i].validate(message, NULL), bad);
        expect_status(roads[i].name, roads[i].check_required(message, NULL),
                      bad);
    }
    pbt_buffer_free(&text);
}

START_TEST(every_lie_is_refused) {
    victim v;
    make_victim(&v);
    expect_context("%s, before", lies[_i].name);
    expect_status("before", roads_compare(v.message, 0), PBT_OK);
    pbt_forget(v.type);
    expect_context("%s", lies[_i].name);
    lies[_i].tell(&v);
    expect_refused(v.type, v.message);
    pbt_forget(v.type);
    arena_free(&v.arena);
}
END_TEST

START_TEST(a_lie_in_the_type_of_a_sub_message) {
    victim v;
    arena a = {0};
    const schema_field field = {.number = 1, .type = PROTOBUF_C_TYPE_MESSAGE};
    schema_field outer = field;
    ProtobufCMessageDescriptor *type;
    ProtobufCMessage *message;
    size_t size;
    make_victim(&v);
    lies[_i].tell(&v);
    outer.label = PROTOBUF_C_LABEL_OPTIONAL;
    outer.type_of = v.type;
    type = schema_make(&a, "test.Outer", &outer, 1);
    message = message_empty(&a, type);
    slot_set(message_member(message, type->fields->offset), v.message);
    expect_context("%s in a sub-message", lies[_i].name);
    expect_status("prepare", pbt_prepare(type, NULL), PBT_ERR_BAD_DESCRIPTOR);
    output_expect_error(message, NULL, PBT_ERR_BAD_DESCRIPTOR);
    /* The fast road knows the type before the message, so the paths differ. */
    expect_status("reflection", roads[1].validate(message, NULL),
                  PBT_ERR_BAD_DESCRIPTOR);
    expect_status("reflection", roads[1].size(message, NULL, &size),
                  PBT_ERR_BAD_DESCRIPTOR);
    pbt_forget(type);
    pbt_forget(v.type);
    arena_free(&v.arena);
    arena_free(&a);
}
END_TEST

/* A copy of a message with every member moved by some bytes. */
static ProtobufCMessage *misalign(arena *a, const ProtobufCMessage *message,
                                  size_t by) {
    const ProtobufCMessageDescriptor *type = message->descriptor;
    ProtobufCMessageDescriptor *odd = arena_copy(a, type, sizeof *odd);
    ProtobufCFieldDescriptor *fields =
        arena_copy(a, type->fields, type->n_fields * sizeof *fields);
    const char *from = (const char *) message;
    ProtobufCMessage *to;
    unsigned i;
    for (i = 0; i < type->n_fields; i++) {
        fields[i].offset += (unsigned) by;
        if (fields[i].quantifier_offset)
            fields[i].quantifier_offset += (unsigned) by;
    }
    odd->fields = fields;
    odd->sizeof_message += 8;
    to = message_empty(a, odd);
    to->n_unknown_fields = message->n_unknown_fields;
    to->unknown_fields = message->unknown_fields;
    memcpy((char *) to + sizeof *to + by, from + sizeof *message,
           type->sizeof_message - sizeof *message);
    return to;
}

START_TEST(members_that_are_not_aligned) {
    arena a = {0};
    rng r = {15000000 + (uint64_t) _i};
    const schema_params params = {
        .n_types = 3, .max_fields = 40, .syntax = SYNTAX_MIXED};
    const message_params m = {.depth = 3, .budget = 100};
    schema s;
    ProtobufCMessage *message, *odd;
    packed want;
    schema_random(&s, &a, &r, &params);
    if (s.types[0]->n_fields == 0) {
        arena_free(&a);
        return;
    }
    message = message_random(&a, &r, &m, s.types[0]);
    want = packed_by_protobuf_c(&a, message);
    odd = misalign(&a, message, 1 + (size_t) _i % 7);
    expect_context("seed %d", _i);
    expect_status("prepare", pbt_prepare(odd->descriptor, NULL), PBT_OK);
    roads_expect(odd, PBT_ALLOW_PARTIAL, want.bytes, want.len);
    roads_compare(odd, 0);
    roads_compare(odd, PBT_ALLOW_PARTIAL | PBT_DETERMINISTIC | PBT_CONFORMANT);
    pbt_forget(odd->descriptor);
    arena_free(&a);
}
END_TEST

static void compare_with_protobuf_c(ProtobufCMessage *message) {
    arena a = {0};
    packed want = packed_by_protobuf_c(&a, message);
    roads_expect(message, PBT_ALLOW_PARTIAL, want.bytes, want.len);
    arena_free(&a);
}

/* The code that held a descriptor is gone and other code is in its place. */
static void reuse_address(bool forget) {
    arena a = {0};
    rng r = {1};
    ProtobufCMessageDescriptor *type = arena_alloc(&a, sizeof *type);
    uint32_t number;
    for (number = 1; number < 40; number++) {
        schema_field field = {.number = number,
                              .label = PROTOBUF_C_LABEL_REPEATED,
                              .type = (ProtobufCType) (number % 17)};
        const message_params m = {.depth = 1, .budget = 50};
        if (field.type == PROTOBUF_C_TYPE_MESSAGE)
            continue;
        *type = *schema_make(
            &a, arena_format(&a, "test.Type%u", (unsigned) number), &field, 1);
        expect_context("field number %u", (unsigned) number);
        compare_with_protobuf_c(message_random(&a, &r, &m, type));
        if (forget)
            pbt_forget(type);
    }
    pbt_forget(type);
    arena_free(&a);
}

START_TEST(an_address_is_used_again_after_pbt_forget) {
    reuse_address(true);
}
END_TEST

START_TEST(an_address_is_used_again_and_nobody_said_so) {
    reuse_address(false);
}
END_TEST

START_TEST(forgotten_types_are_built_again) {
    C2__Tree tree = C2__TREE__INIT, child = C2__TREE__INIT;
    C2__Tree *children[] = {&child};
    C2__Leaf leaf = C2__LEAF__INIT;
    int i;
    child.leaf = &leaf;
    tree.n_children = 1;
    tree.children = children;
    for (i = 0; i < 5; i++) {
        expect_context("round %d", i);
        expect_status("prepare", pbt_prepare(&c2__tree__descriptor, NULL),
                      PBT_OK);
        compare_with_protobuf_c(&tree.base);
        pbt_forget(i % 2 ? &c2__tree__descriptor : &c2__leaf__descriptor);
        compare_with_protobuf_c(&tree.base);
        pbt_forget(&c2__sub__descriptor);
        compare_with_protobuf_c(&leaf.base);
    }
}
END_TEST

/* The last field gets another number, and the type another array. */
static void renumber(arena *a, ProtobufCMessageDescriptor *type) {
    ProtobufCFieldDescriptor *fields;
    if (type->n_fields == 0 ||
        type->fields[type->n_fields - 1].id == PBTI_MAX_FIELD_NUMBER)
        return;
    fields = arena_copy(a, type->fields, type->n_fields * sizeof *fields);
    fields[type->n_fields - 1].id++;
    type->fields = fields;
}

/* Whatever kind of field a type is used by: when it is forgotten, so are the
 * tables that refer to it, whichever variant they are. */
START_TEST(types_that_change_after_pbt_forget) {
    static const uint32_t flags[] = {0, PBT_CONFORMANT};
    arena a = {0};
    rng r = {16000000 + (uint64_t) _i};
    const schema_params params = {
        .n_types = 4, .max_fields = 12, .syntax = SYNTAX_MIXED};
    const message_params m = {.depth = 4, .budget = 100};
    ProtobufCMessage *message;
    schema s;
    size_t i, k;
    schema_random(&s, &a, &r, &params);
    message = message_random(&a, &r, &m, s.types[0]);
    for (i = 0; i <= s.n_types; i++) {
        expect_context("seed %d, %zu types have changed", _i, i);
        for (k = 0; k < sizeof flags / sizeof *flags; k++)
            roads_compare(message, PBT_ALLOW_PARTIAL | flags[k]);
        if (i == s.n_types)
            break;
        pbt_forget(s.types[i]);
        renumber(&a, s.types[i]);
    }
    for (i = 0; i < s.n_types; i++)
        pbt_forget(s.types[i]);
    arena_free(&a);
}
END_TEST

/* Each type is checked once, however many fields have it: once a field, this
 * would run into Check's limit. */
START_TEST(many_fields_of_one_large_type) {
    enum { N = 70000 };
    arena a = {0};
    schema_field *list = arena_alloc(&a, N * sizeof *list);
    ProtobufCMessageDescriptor *type;
    ProtobufCFieldDescriptor *fields;
    ProtobufCMessage *message;
    size_t i;
    for (i = 0; i < N; i++)
        list[i] = (schema_field){.number = (uint32_t) i + 1,
                                 .type = PROTOBUF_C_TYPE_MESSAGE,
                                 .label = PROTOBUF_C_LABEL_OPTIONAL,
                                 .type_of = &schema_enum}; /* for now */
    type = schema_make(&a, "test.Large", list, N);
    fields = arena_copy(&a, type->fields, N * sizeof *fields);
    for (i = 0; i < N; i++)
        fields[i].descriptor = type;
    type->fields = fields;
    message = message_empty(&a, type);
    for (i = 0; i < N; i += 1000)
        slot_set(message_member(message, fields[i].offset),
                 message_empty(&a, type));
    compare_with_protobuf_c(message);
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

Suite *descriptors_suite(void) {
    Suite *suite = suite_create("descriptors");
    TCase *tests = tcase_create("descriptors");
    tcase_add_loop_test(tests, every_lie_is_refused, 0, N_LIES);
    tcase_add_loop_test(tests, a_lie_in_the_type_of_a_sub_message, 0, N_LIES);
    tcase_add_loop_test(tests, members_that_are_not_aligned, 0, 50);
    tcase_add_test(tests, an_address_is_used_again_after_pbt_forget);
    tcase_add_test(tests, an_address_is_used_again_and_nobody_said_so);
    tcase_add_test(tests, forgotten_types_are_built_again);
    tcase_add_loop_test(tests, types_that_change_after_pbt_forget, 0, 200);
    tcase_add_test(tests, many_fields_of_one_large_type);
    suite_add_tcase(suite, tests);
    return suite;
}
