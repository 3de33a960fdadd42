/* test_places.c - where an error is said to be: path and field number, in
 * generated structs and on both roads. */
#include <stdio.h>
#include <string.h>

#include "cases2.pb-c.h"
#include "suites.h"
#include "support_expect.h"
#include "support_message.h"
#include "support_road.h"

static char some_text[] = "some";

static void expect_required(const ProtobufCMessage *message, const char *path,
                            uint32_t number) {
    pbt_error error = {0};
    pbt_options options = {.error = &error};
    expect_context("required %s", path);
    expect_status("check_required", pbt_check_required(message, &options),
                  PBT_ERR_REQUIRED);
    expect_text("path", error.path, path);
    expect_number("field number", error.field_number, number);
    expect_true("protobuf_c_message_check agrees",
                !protobuf_c_message_check(message));
    roads_expect_error(message, 0, PBT_ERR_REQUIRED, path, number);
    expect_status("partial", roads_compare(message, PBT_ALLOW_PARTIAL), PBT_OK);
}

static void expect_bad(const ProtobufCMessage *message, const char *path,
                       uint32_t number) {
    expect_context("bad %s", path);
    roads_expect_error(message, PBT_ALLOW_PARTIAL, PBT_ERR_BAD_MESSAGE, path,
                       number);
    expect_status("validate", pbt_validate(message, NULL), PBT_ERR_BAD_MESSAGE);
    expect_true("protobuf_c_message_check agrees",
                !protobuf_c_message_check(message));
}

START_TEST(required_fields_of_one_message) {
    C2__Req req = C2__REQ__INIT;
    C2__Sub sub = C2__SUB__INIT;
    expect_required(&req.base, "s", 1);
    req.s = some_text;
    expect_required(&req.base, "m", 2);
    req.m = &sub;
    expect_required(&req.base, "m.name", 1);
    sub.name = some_text;
    expect_status("complete", roads_compare(&req.base, 0), PBT_OK);
    req.s = NULL;
    sub.name = NULL;
    expect_required(&req.base, "s", 1);
}
END_TEST

START_TEST(required_fields_of_maps) {
    C2__Attributes map = C2__ATTRIBUTES__INIT;
    C2__Attributes__AttributesEntry entry =
        C2__ATTRIBUTES__ATTRIBUTES_ENTRY__INIT;
    C2__Attributes__AttributesEntry *list = &entry;
    C2__Sub sub = C2__SUB__INIT;
    char key[] = "k", odd_key[] = "a\"b\\\x01";
    map.n_attributes = 1;
    map.attributes = &list;
    entry.value = &sub;
    entry.key = key;
    expect_required(&map.base, "attributes[\"k\"].value.name", 1);
    entry.key = odd_key;
    expect_required(&map.base, "attributes[\"a\\\"b\\\\\\x01\"].value.name", 1);
    entry.key = NULL;
    expect_required(&map.base, "attributes[\"\"].value.name", 1);
}
END_TEST

START_TEST(keys_of_numbers_in_paths) {
    C2__Attributes map = C2__ATTRIBUTES__INIT;
    C2__Attributes__ByNumberEntry number =
        C2__ATTRIBUTES__BY_NUMBER_ENTRY__INIT;
    C2__Attributes__ByFlagEntry flag = C2__ATTRIBUTES__BY_FLAG_ENTRY__INIT;
    C2__Attributes__ByIdEntry id = C2__ATTRIBUTES__BY_ID_ENTRY__INIT;
    C2__Attributes__ByNumberEntry *numbers = &number;
    C2__Attributes__ByFlagEntry *flags = &flag;
    C2__Attributes__ByIdEntry *ids = &id;
    C2__Sub sub = C2__SUB__INIT;
    number.value = flag.value = id.value = &sub;
    number.has_key = flag.has_key = id.has_key = 1;
    number.key = INT32_MIN;
    flag.key = 7;
    id.key = UINT64_MAX;
    map.by_number = &numbers;
    map.by_flag = &flags;
    map.by_id = &ids;
    map.n_by_id = 1;
    expect_required(&map.base, "by_id[18446744073709551615].value.name", 1);
    map.n_by_flag = 1;
    expect_required(&map.base, "by_flag[true].value.name", 1);
    map.n_by_number = 1;
    expect_required(&map.base, "by_number[-2147483648].value.name", 1);
}
END_TEST

START_TEST(the_first_missing_field_in_field_order) {
    C2__Tree root = C2__TREE__INIT, child = C2__TREE__INIT;
    C2__Tree whole = C2__TREE__INIT, back = C2__TREE__INIT;
    C2__Tree *children[] = {&whole, &child};
    C2__Leaf leaf = C2__LEAF__INIT, missing = C2__LEAF__INIT;
    C2__Sub sub = C2__SUB__INIT;
    leaf.label = some_text;
    leaf.back = &back;
    root.leaf = &leaf;
    root.choice_case = C2__TREE__CHOICE_SUB;
    root.sub = &sub;
    expect_required(&root.base, "sub.name", 1);
    back.leaf = &missing;
    expect_required(&root.base, "leaf.back.leaf.label", 2);
    child.leaf = &missing;
    root.n_children = 2;
    root.children = children;
    expect_required(&root.base, "children[1].leaf.label", 2);
    root.choice_case = C2__TREE__CHOICE__NOT_SET;
    child.leaf = NULL;
    back.leaf = NULL;
    expect_status("complete", roads_compare(&root.base, 0), PBT_OK);
}
END_TEST

START_TEST(a_type_that_can_lack_nothing) {
    C2__Tree root = C2__TREE__INIT;
    C2__Node node = C2__NODE__INIT, inner = C2__NODE__INIT;
    node.n = &inner;
    root.choice_case = C2__TREE__CHOICE_NODE;
    root.node = &node;
    expect_status("complete", roads_compare(&root.base, 0), PBT_OK);
    expect_status("complete", roads_compare(&node.base, 0), PBT_OK);
}
END_TEST

/* The last of n required strings is missing. */
static void expect_last_missing(uint32_t n) {
    arena a = {0};
    schema_field *fields = arena_alloc(&a, n * sizeof *fields);
    ProtobufCMessageDescriptor *type;
    ProtobufCMessage *message;
    char path[16];
    uint32_t i;
    for (i = 0; i < n; i++) {
        fields[i].number = i + 1;
        fields[i].label = PROTOBUF_C_LABEL_REQUIRED;
        fields[i].type = PROTOBUF_C_TYPE_STRING;
    }
    type = schema_make(&a, "test.Many", fields, n);
    message = message_empty(&a, type);
    for (i = 0; i + 1 < n; i++)
        *(char **) message_member(message, type->fields[i].offset) = some_text;
    snprintf(path, sizeof path, "f%u", (unsigned) n);
    expect_required(message, path, n);
    pbt_forget(type);
    arena_free(&a);
}

START_TEST(the_last_of_many_required_fields) {
    static const uint32_t counts[] = {1,  31, 32,  33,  63,  64,
                                      65, 96, 127, 128, 129, 130};
    size_t i;
    for (i = 0; i < sizeof counts / sizeof *counts; i++)
        expect_last_missing(counts[i]);
}
END_TEST

START_TEST(counts_without_arrays) {
    C2__Rep rep = C2__REP__INIT;
    rep.n_i = 2;
    expect_bad(&rep.base, "i", 5);
    rep.n_i = 0;
    rep.n_pf = 2;
    expect_bad(&rep.base, "pf", 7);
    rep.n_pf = 0;
    rep.n_pe = 1;
    expect_bad(&rep.base, "pe", 9);
    rep.n_pe = 0;
    rep.n_s = 1;
    expect_bad(&rep.base, "s", 1);
    rep.n_s = 0;
    rep.n_m = 1;
    expect_bad(&rep.base, "m", 3);
}
END_TEST

START_TEST(bad_elements) {
    C2__Rep rep = C2__REP__INIT;
    C2__Sub sub = C2__SUB__INIT, zero;
    C2__Sub *subs[] = {&sub, &sub, &sub, &zero};
    char *texts[] = {some_text, NULL};
    ProtobufCBinaryData bytes[] = {{0, NULL}, {3, NULL}};
    memset(&zero, 0, sizeof zero);
    sub.name = some_text;
    rep.m = subs;
    rep.n_m = 4;
    expect_bad(&rep.base, "m[3]", 3);
    subs[0] = NULL;
    rep.n_m = 1;
    expect_bad(&rep.base, "m[0]", 3);
    rep.n_m = 0;
    rep.s = texts;
    rep.n_s = 2;
    expect_bad(&rep.base, "s[1]", 1);
    rep.n_s = 0;
    rep.b = bytes;
    rep.n_b = 2;
    expect_bad(&rep.base, "b[1]", 2);
}
END_TEST

START_TEST(length_without_data) {
    C2__Opt opt = C2__OPT__INIT;
    C2__One one = C2__ONE__INIT;
    opt.has_b = 1;
    opt.b.len = 1;
    expect_bad(&opt.base, "b", 2);
    one.c_case = C2__ONE__C_B;
    one.b.len = 1;
    expect_context("bytes in a oneof");
    roads_expect_error(&one.base, 0, PBT_ERR_BAD_MESSAGE, "b", 2);
}
END_TEST

START_TEST(bad_text_with_its_offset) {
    C2__Tree root = C2__TREE__INIT, child = C2__TREE__INIT;
    C2__Tree *children[] = {&child};
    C2__Leaf leaf = C2__LEAF__INIT;
    char text[] = "good until 13 \xed\xa0\x80";
    pbt_error error = {0};
    pbt_options options = {.flags = PBT_VALIDATE_UTF8, .error = &error};
    pbt_buffer buffer = {0};
    leaf.label = text;
    child.leaf = &leaf;
    root.n_children = 1;
    root.children = children;
    roads_expect_error(&root.base, PBT_VALIDATE_UTF8, PBT_ERR_UTF8,
                       "children[0].leaf.label", 2);
    expect_status("marshal", pbt_marshal(&root.base, &options, &buffer),
                  PBT_ERR_UTF8);
    expect_true("the sentence has the offset", strstr(error.message, "14"));
}
END_TEST

START_TEST(a_long_path_loses_its_middle) {
    enum { DEPTH = 100 };
    static C2__Tree nodes[DEPTH];
    static C2__Tree *lists[DEPTH];
    const C2__Tree empty = C2__TREE__INIT;
    C2__Leaf leaf = C2__LEAF__INIT;
    pbt_error error = {0};
    pbt_options options = {.error = &error};
    int i;
    for (i = 0; i < DEPTH; i++) {
        nodes[i] = empty;
        lists[i] = &nodes[i];
        if (i > 0) {
            nodes[i - 1].n_children = 1;
            nodes[i - 1].children = &lists[i];
        }
    }
    nodes[DEPTH - 1].leaf = &leaf;
    expect_context("long path");
    expect_status("check", pbt_check_required(&nodes[0].base, &options),
                  PBT_ERR_REQUIRED);
    ck_assert_uint_lt(strlen(error.path), sizeof error.path);
    ck_assert_uint_gt(strlen(error.path), 200);
    expect_true("it starts at the root",
                strncmp(error.path, "children[0].children[0].", 24) == 0);
    expect_true("it has dots", strstr(error.path, "..."));
    expect_text("it ends at the field", error.path + strlen(error.path) - 11,
                ".leaf.label");
    expect_status("both roads", roads_compare(&nodes[0].base, 0),
                  PBT_ERR_REQUIRED);
}
END_TEST

START_TEST(fields_without_names_have_their_number) {
    arena a = {0};
    const schema_field fields[] = {{.number = 7,
                                    .label = PROTOBUF_C_LABEL_REPEATED,
                                    .type = PROTOBUF_C_TYPE_STRING}};
    ProtobufCMessageDescriptor *type =
        schema_make(&a, "test.Nameless", fields, 1);
    ProtobufCFieldDescriptor *field =
        arena_copy(&a, type->fields, sizeof *field);
    ProtobufCMessage *message = message_empty(&a, type);
    field->name = NULL;
    type->fields = field;
    type->name = type->short_name = type->c_name = type->package_name = NULL;
    *(size_t *) message_member(message, field->quantifier_offset) = 1;
    expect_bad(message, "#7", 7);
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

START_TEST(a_report_is_written_by_failures_only) {
    C2__S1 s1 = C2__S1__INIT;
    pbt_error error, same;
    pbt_options options = {.error = &error};
    pbt_buffer buffer = {0};
    memset(&error, 0x5a, sizeof error);
    memset(&same, 0x5a, sizeof same);
    expect_status("marshal", pbt_marshal(&s1.base, &options, &buffer), PBT_OK);
    ck_assert_mem_eq(&error, &same, sizeof error);
    pbt_buffer_free(&buffer);
}
END_TEST

Suite *places_suite(void) {
    Suite *suite = suite_create("places");
    TCase *tests = tcase_create("places");
    tcase_add_test(tests, required_fields_of_one_message);
    tcase_add_test(tests, required_fields_of_maps);
    tcase_add_test(tests, keys_of_numbers_in_paths);
    tcase_add_test(tests, the_first_missing_field_in_field_order);
    tcase_add_test(tests, a_type_that_can_lack_nothing);
    tcase_add_test(tests, the_last_of_many_required_fields);
    tcase_add_test(tests, counts_without_arrays);
    tcase_add_test(tests, bad_elements);
    tcase_add_test(tests, length_without_data);
    tcase_add_test(tests, bad_text_with_its_offset);
    tcase_add_test(tests, a_long_path_loses_its_middle);
    tcase_add_test(tests, fields_without_names_have_their_number);
    tcase_add_test(tests, a_report_is_written_by_failures_only);
    suite_add_tcase(suite, tests);
    return suite;
}
