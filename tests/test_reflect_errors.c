/* test_reflect_errors.c - the reflection road: every error, with its place. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <check.h>

#include <pbturbo/pbturbo.h>

#include "reflect2.pb-c.h"
#include "reflect3.pb-c.h"
#include "suites.h"
#include "support_reflect.h"

static const pbt_reflection *const road = &pbt_reflection_protobuf_c;

/* An address that must not be read. */
static void *const nowhere = (void *) (uintptr_t) 16;

static pbt_error error;

static void expect_report(pbt_status got, pbt_status wanted, const char *path,
                          uint32_t number) {
    ck_assert_msg(got == wanted, "%s instead of %s: %s", pbt_status_name(got),
                  pbt_status_name(wanted), error.message);
    ck_assert_int_eq(error.status, wanted);
    ck_assert_str_eq(error.path, path);
    ck_assert_uint_eq(error.field_number, number);
    ck_assert_str_ne(error.message, "");
    memset(&error, 0, sizeof error);
}

/* All calls but the required check fail alike. */
static void expect_error_options(const void *msg, pbt_options options,
                                 pbt_status status, const char *path,
                                 uint32_t number) {
    static uint8_t out[SPACE];
    size_t n = 99;
    pbt_buffer buffer = {0};
    options.error = &error;
    options.allocator = &refusing_allocator;
    expect_report(pbt_reflect_size(road, msg, &options, &n), status, path,
                  number);
    ck_assert_uint_eq(n, 0);
    n = 99;
    expect_report(
        pbt_reflect_marshal_into(road, msg, &options, out, sizeof out, &n),
        status, path, number);
    ck_assert_uint_eq(n, 0);
    expect_report(pbt_reflect_marshal_into(road, msg, &options, NULL, 0, &n),
                  status, path, number);
    expect_report(pbt_reflect_marshal(road, msg, &options, &buffer), status,
                  path, number);
    ck_assert_ptr_null(buffer.block);
    expect_report(pbt_reflect_validate(road, msg, &options), status, path,
                  number);
}

static void expect_error(const void *msg, uint32_t flags, pbt_status status,
                         const char *path, uint32_t number) {
    expect_error_options(msg, (pbt_options){.flags = flags}, status, path,
                         number);
}

static void expect_missing(const void *msg, const char *path, uint32_t number) {
    pbt_options options = {.error = &error, .flags = PBT_ALLOW_PARTIAL};
    expect_error(msg, 0, PBT_ERR_REQUIRED, path, number);
    expect_report(pbt_reflect_check_required(road, msg, &options),
                  PBT_ERR_REQUIRED, path, number);
    ck_assert(!protobuf_c_message_check(msg));
    ck_assert_int_eq(pbt_reflect_validate(road, msg, &options), PBT_OK);
}

static char some[] = "some";

START_TEST(the_first_missing_field_is_named) {
    R2__Req req = R2__REQ__INIT;
    R2__Sub sub = R2__SUB__INIT, good = R2__SUB__INIT;
    R2__Sub *subs[] = {&good, &sub, &sub};
    R2__Rep rep = R2__REP__INIT;
    R2__One one = R2__ONE__INIT;
    R2__Mp mp = R2__MP__INIT;
    R2__Mp__ReqsEntry entry = R2__MP__REQS_ENTRY__INIT;
    R2__Mp__ReqsEntry *entries[] = {&entry};
    expect_missing(&req, "s", 1);
    req.s = some;
    expect_missing(&req, "m", 2);
    req.m = &sub;
    expect_missing(&req, "m.name", 1);
    good.name = some;
    rep.n_m = 3;
    rep.m = subs;
    expect_missing(&rep, "m[1].name", 1);
    one.c_case = R2__ONE__C_M;
    one.m = &sub;
    expect_missing(&one, "m.name", 1);
    one.c_case = R2__ONE__C_I;
    ck_assert_int_eq(pbt_reflect_check_required(road, &one, NULL), PBT_OK);
    entry.has_key = 1;
    entry.key = -5;
    entry.value = &req;
    mp.n_reqs = 1;
    mp.reqs = entries;
    expect_missing(&mp, "reqs[-5].value.m.name", 1);
    entry.has_key = 0;
    expect_missing(&mp, "reqs[0].value.m.name", 1);
}
END_TEST

START_TEST(null_pointers_are_refused_with_their_index) {
    char *strings[] = {some, NULL, some};
    ProtobufCBinaryData bytes[] = {{0, NULL}, {3, NULL}};
    R2__Sub sub = R2__SUB__INIT, bare = R2__SUB__INIT;
    R2__Sub *subs[] = {&sub, NULL};
    R2__Rep rep = R2__REP__INIT;
    R2__Opt opt = R2__OPT__INIT;
    sub.name = bare.name = some;
    rep.n_s = 3;
    rep.s = strings;
    expect_error(&rep, 0, PBT_ERR_BAD_MESSAGE, "s[1]", 1);
    rep.s = NULL;
    expect_error(&rep, 0, PBT_ERR_BAD_MESSAGE, "s", 1);
    ck_assert_int_eq(pbt_reflect_check_required(road, &rep, NULL), PBT_OK);
    rep.n_s = 0;
    rep.n_b = 2;
    rep.b = bytes;
    expect_error(&rep, 0, PBT_ERR_BAD_MESSAGE, "b[1]", 2);
    rep.n_b = 0;
    rep.n_m = 2;
    rep.m = subs;
    expect_error(&rep, 0, PBT_ERR_BAD_MESSAGE, "m[1]", 3);
    bare.base.descriptor = NULL;
    subs[1] = &bare;
    expect_error(&rep, 0, PBT_ERR_BAD_MESSAGE, "m[1]", 3);
    ck_assert_int_eq(pbt_reflect_check_required(road, &rep, NULL),
                     PBT_ERR_BAD_MESSAGE);
    rep.n_m = 0;
    rep.n_pf = 2;
    expect_error(&rep, 0, PBT_ERR_BAD_MESSAGE, "pf", 7);
    opt.has_b = 1;
    opt.b.len = 1;
    expect_error(&opt, 0, PBT_ERR_BAD_MESSAGE, "b", 2);
    opt.has_b = 0;
    opt.base.n_unknown_fields = 1;
    expect_error(&opt, 0, PBT_ERR_BAD_MESSAGE, "", 0);
    ck_assert_int_eq(
        pbt_reflect_validate(road, &opt,
                             &(pbt_options){.flags = PBT_DISCARD_UNKNOWN}),
        PBT_OK);
}
END_TEST

START_TEST(of_several_errors_the_last_is_reported) {
    R2__Rep rep = R2__REP__INIT;
    char *strings[] = {NULL, NULL};
    rep.n_s = 2;
    rep.s = strings;
    expect_error(&rep, 0, PBT_ERR_BAD_MESSAGE, "s[1]", 1);
    rep.n_i = 1;
    expect_error(&rep, 0, PBT_ERR_BAD_MESSAGE, "i", 5);
}
END_TEST

START_TEST(null_entries_of_maps_are_refused) {
    R3__Mp mp = R3__MP__INIT;
    R3__Mp__BsEntry b = R3__MP__BS_ENTRY__INIT;
    R3__Mp__BsEntry *bs[] = {NULL, &b};
    mp.n_bs = 2;
    mp.bs = bs;
    expect_error(&mp, 0, PBT_ERR_BAD_MESSAGE, "bs[0]", 2);
    expect_error(&mp, PBT_DETERMINISTIC, PBT_ERR_BAD_MESSAGE, "bs[0]", 2);
}
END_TEST

START_TEST(invalid_utf8_is_found_when_asked_for) {
    char bad[] = "ab\xff", key[] = "a\"\n\\";
    R3__Nest nest = R3__NEST__INIT, inner = R3__NEST__INIT;
    R3__Mp mp = R3__MP__INIT;
    R3__Mp *maps[] = {&mp};
    R3__Mp__BsEntry b = R3__MP__BS_ENTRY__INIT;
    R3__Mp__BsEntry *bs[] = {&b};
    R3__Mp__StrIntEntry s = R3__MP__STR_INT_ENTRY__INIT;
    R3__Mp__StrIntEntry *strs[] = {&s};
    R3__Mp__NestEntry n = R3__MP__NEST_ENTRY__INIT;
    R3__Mp__NestEntry *nests[] = {&n};
    pbt_options options = {.flags = PBT_VALIDATE_UTF8, .error = &error};
    b.key = 5;
    b.value = bad;
    nest.n_maps = 1;
    nest.maps = maps;
    mp.n_bs = 1;
    mp.bs = bs;
    EXPECT(&nest, 0,
           "\x0a\x09\x12\x07\x08\x01\x12\x03"
           "ab\xff");
    expect_error(&nest, PBT_VALIDATE_UTF8, PBT_ERR_UTF8,
                 "maps[0].bs[true].value", 2);
    ck_assert_int_eq(pbt_reflect_validate(road, &nest, &options), PBT_ERR_UTF8);
    ck_assert_ptr_nonnull(strstr(error.message, "byte 2"));
    mp.n_bs = 0;
    inner.text = bad;
    n.key = -1;
    n.value = &inner;
    mp.n_nest = 1;
    mp.nest = nests;
    expect_error(&nest, PBT_VALIDATE_UTF8, PBT_ERR_UTF8,
                 "maps[0].nest[-1].value.text", 2);
    mp.n_nest = 0;
    s.key = key;
    mp.n_str_int = 1;
    mp.str_int = strs;
    ck_assert_int_eq(pbt_reflect_validate(road, &nest, &options), PBT_OK);
    key[3] = '\xc0';
    expect_error(&nest, PBT_VALIDATE_UTF8, PBT_ERR_UTF8,
                 "maps[0].str_int[\"a\\\"\\x0a\xc0\"].key", 1);
}
END_TEST

START_TEST(long_keys_lose_their_middle) {
    char key[1001], wanted[256] = "ints[\"";
    R2__Mp mp = R2__MP__INIT;
    R2__Mp__IntsEntry entry = R2__MP__INTS_ENTRY__INIT;
    R2__Mp__IntsEntry *entries[] = {&entry};
    memset(key, 'a', 500);
    memset(key + 500, 'b', 499);
    key[999] = '\xff';
    key[1000] = '\0';
    entry.key = key;
    mp.n_ints = 1;
    mp.ints = entries;
    memset(wanted + 6, 'a', 120);
    memset(wanted + 126, '.', 3);
    memset(wanted + 129, 'b', 119);
    memcpy(wanted + 248, "\xff\"].key", 8);
    expect_error(&mp, PBT_VALIDATE_UTF8, PBT_ERR_UTF8, wanted, 1);
}
END_TEST

START_TEST(counts_and_lengths_out_of_bounds_touch_nothing) {
    static const size_t counts[] = {(size_t) 1 << 30, (size_t) 1 << 31,
                                    SIZE_MAX / 8 + 1, SIZE_MAX};
    R2__Rep rep = R2__REP__INIT;
    R2__Opt opt = R2__OPT__INIT;
    ProtobufCMessageUnknownField unknown = {.tag = 9, .data = nowhere};
    size_t i;
    for (i = 0; i < sizeof counts / sizeof *counts; i++) {
        rep.n_pi = rep.n_m = counts[i];
        rep.pi = nowhere;
        rep.m = nowhere;
        expect_error(&rep, 0, PBT_ERR_TOO_LARGE, "pi", 6);
        rep.n_pi = 0;
        expect_error(&rep, PBT_DETERMINISTIC, PBT_ERR_TOO_LARGE, "m", 3);
        ck_assert_int_eq(pbt_reflect_check_required(road, &rep, NULL),
                         PBT_ERR_TOO_LARGE);
    }
    rep.n_m = 0;
    rep.n_pd = ((size_t) 1 << 28);
    rep.pd = nowhere;
    expect_error(&rep, 0, PBT_ERR_TOO_LARGE, "pd", 11);
    rep.n_pd = 0;
    rep.n_pi = 100;
    expect_error_options(&rep, (pbt_options){.max_size = 99}, PBT_ERR_TOO_LARGE,
                         "pi", 6);
    opt.has_b = 1;
    opt.b.data = nowhere;
    opt.b.len = (size_t) INT32_MAX + 1;
    expect_error(&opt, 0, PBT_ERR_TOO_LARGE, "b", 2);
    opt.b.len = (size_t) UINT32_MAX + 1;
    expect_error_options(&opt, (pbt_options){.max_size = SIZE_MAX},
                         PBT_ERR_TOO_LARGE, "b", 2);
    opt.has_b = 0;
    unknown.len = SIZE_MAX;
    opt.base.n_unknown_fields = 1;
    opt.base.unknown_fields = &unknown;
    expect_error(&opt, 0, PBT_ERR_TOO_LARGE, "", 0);
}
END_TEST

START_TEST(max_size_is_exact) {
    static char text[201];
    R3__Nest nest = R3__NEST__INIT;
    R3__Mp empty = R3__MP__INIT;
    R3__Mp *maps[] = {&empty, &empty};
    pbt_options options = {.max_size = 207, .error = &error};
    size_t n = 0;
    memset(text, 'x', 200);
    nest.text = text;
    nest.n_maps = 2;
    nest.maps = maps;
    ck_assert_int_eq(pbt_reflect_size(road, &nest, &options, &n), PBT_OK);
    ck_assert_uint_eq(n, 207);
    options.flags = PBT_DELIMITED;
    ck_assert_int_eq(pbt_reflect_size(road, &nest, &options, &n), PBT_OK);
    ck_assert_uint_eq(n, 209);
    options.max_size = 206;
    expect_error_options(&nest, options, PBT_ERR_TOO_LARGE, "maps[0]", 1);
    options.max_size = 1;
    expect_error_options(&nest, options, PBT_ERR_TOO_LARGE, "text", 2);
}
END_TEST

START_TEST(arguments_are_checked) {
    R3__Sub sub = R3__SUB__INIT;
    pbt_options options = {.error = &error};
    uint8_t out[8];
    size_t n = 0;
    expect_report(pbt_reflect_size(road, NULL, &options, &n), PBT_ERR_ARGUMENT,
                  "", 0);
    expect_report(pbt_reflect_size(NULL, &sub, &options, &n), PBT_ERR_ARGUMENT,
                  "", 0);
    expect_report(pbt_reflect_size(road, &sub, &options, NULL),
                  PBT_ERR_ARGUMENT, "", 0);
    expect_report(pbt_reflect_marshal(road, &sub, &options, NULL),
                  PBT_ERR_ARGUMENT, "", 0);
    expect_report(pbt_reflect_marshal_into(road, &sub, &options, NULL, 1, &n),
                  PBT_ERR_ARGUMENT, "", 0);
    expect_report(pbt_reflect_marshal_into(road, &sub, &options, out, 8, NULL),
                  PBT_ERR_ARGUMENT, "", 0);
    expect_report(pbt_reflect_check_required(road, NULL, &options),
                  PBT_ERR_ARGUMENT, "", 0);
    expect_report(pbt_reflect_validate(road, NULL, &options), PBT_ERR_ARGUMENT,
                  "", 0);
    expect_error(&sub, 0x40, PBT_ERR_ARGUMENT, "", 0);
    options.reserved[3] = &sub;
    expect_error_options(&sub, options, PBT_ERR_ARGUMENT, "", 0);
    ck_assert_int_eq(pbt_reflect_size(road, NULL, NULL, &n), PBT_ERR_ARGUMENT);
    sub.v = 1;
    options.reserved[3] = NULL;
    expect_report(pbt_reflect_marshal_into(road, &sub, &options, out, 1, &n),
                  PBT_ERR_NO_SPACE, "", 0);
    ck_assert_uint_eq(n, 2);
}
END_TEST

/* A type that tells the truth, for each lie to start from. */
typedef struct victim {
    ProtobufCMessage base;
    uint32_t quantifier; /* also the low half of a count */
    uint32_t high;
    void *pointer;
} victim;

static ProtobufCFieldDescriptor fields[2];
static ProtobufCMessageDescriptor type;
static victim message;

static void tell_the_truth(void) {
    const ProtobufCFieldDescriptor truth = {
        .name = "f",
        .id = 1,
        .label = PROTOBUF_C_LABEL_OPTIONAL,
        .type = PROTOBUF_C_TYPE_STRING,
        .offset = offsetof(victim, pointer),
        .quantifier_offset = offsetof(victim, quantifier),
    };
    fields[0] = fields[1] = truth;
    fields[1].id = 2;
    memset(&type, 0, sizeof type);
    type.magic = PROTOBUF_C__MESSAGE_DESCRIPTOR_MAGIC;
    type.name = "liar.Type";
    type.sizeof_message = sizeof(victim);
    type.n_fields = 2;
    type.fields = fields;
    memset(&message, 0, sizeof message);
    message.base.descriptor = &type;
}

static void expect_lie(const char *path, uint32_t number) {
    pbt_options options = {.error = &error};
    expect_error(&message, 0, PBT_ERR_BAD_DESCRIPTOR, path, number);
    ck_assert_int_eq(pbt_reflect_check_required(road, &message, &options),
                     PBT_ERR_BAD_DESCRIPTOR);
    if (*path != '\0')
        ck_assert_ptr_nonnull(strstr(error.message, "type liar.Type, field f"));
    tell_the_truth();
}

START_TEST(types_that_lie_are_refused) {
    tell_the_truth();
    EXPECT(&message, 0, "");
    type.magic = 0;
    expect_lie("", 0);
    type.fields = NULL;
    expect_lie("", 0);
    type.sizeof_message = sizeof(ProtobufCMessage) - 1;
    expect_lie("", 0);
    fields[1].id = 1;
    expect_lie("f", 1);
    fields[0].id = 0;
    expect_lie("f", 0);
    fields[1].id = 1 << 29;
    expect_lie("f", 1 << 29);
    fields[1].id = (1 << 29) - 1;
    EXPECT(&message, 0, "");
    fields[1].label = (ProtobufCLabel) 4;
    expect_lie("f", (1 << 29) - 1);
    fields[0].type = (ProtobufCType) 17;
    expect_lie("f", 1);
    fields[0].type = (ProtobufCType) -1;
    expect_lie("f", 1);
    fields[0].type = PROTOBUF_C_TYPE_MESSAGE;
    expect_lie("f", 1);
}
END_TEST

START_TEST(members_outside_the_message_are_refused) {
    tell_the_truth();
    fields[0].offset = sizeof(victim) - 7;
    expect_lie("f", 1);
    fields[0].offset = UINT32_MAX;
    expect_lie("f", 1);
    fields[0].offset = sizeof(ProtobufCMessage) - 1;
    expect_lie("f", 1);
    fields[0].quantifier_offset = 0;
    EXPECT(&message, 0, "");
    fields[0].flags = PROTOBUF_C_FIELD_FLAG_ONEOF;
    expect_lie("f", 1);
    fields[0].type = PROTOBUF_C_TYPE_BYTES;
    expect_lie("f", 1);
    fields[0].type = PROTOBUF_C_TYPE_INT32;
    fields[0].quantifier_offset = sizeof(victim) - 3;
    expect_lie("f", 1);
    fields[0].label = PROTOBUF_C_LABEL_REPEATED;
    fields[0].quantifier_offset = sizeof(victim) - 7;
    expect_lie("f", 1);
}
END_TEST

START_TEST(packed_strings_are_refused) {
    tell_the_truth();
    fields[0].flags = PROTOBUF_C_FIELD_FLAG_PACKED;
    EXPECT(&message, 0, "");
    fields[0].label = PROTOBUF_C_LABEL_REPEATED;
    expect_lie("f", 1);
}
END_TEST

START_TEST(the_oneof_flag_counts_only_where_protobuf_c_heeds_it) {
    tell_the_truth();
    type.n_fields = 1;
    fields[0].label = PROTOBUF_C_LABEL_REQUIRED;
    fields[0].flags = PROTOBUF_C_FIELD_FLAG_ONEOF;
    message.quantifier = 9;
    message.pointer = some;
    EXPECT(&message, 0, "\x0a\x04some");
    fields[0].label = PROTOBUF_C_LABEL_NONE;
    EXPECT(&message, 0, "");
    message.quantifier = 1;
    EXPECT(&message, 0, "\x0a\x04some");
    fields[0].default_value = some;
    EXPECT(&message, 0, "");
    fields[0].flags = 0;
    EXPECT(&message, 0, "\x0a\x04some");
}
END_TEST

START_TEST(members_may_lie_at_any_alignment) {
    tell_the_truth();
    type.n_fields = 1;
    fields[0].type = PROTOBUF_C_TYPE_INT64;
    fields[0].offset = offsetof(victim, quantifier) + 5;
    memset((uint8_t *) &message + fields[0].offset, 0x01, 8);
    message.quantifier = 1;
    EXPECT(&message, 0, "\x08\x81\x82\x84\x88\x90\xa0\xc0\x80\x01");
}
END_TEST

/* Whatever protobuf-c's check refuses, validate refuses. */
START_TEST(a_message_that_is_the_default_is_validated) {
    R2__Sub incomplete = R2__SUB__INIT;
    tell_the_truth();
    type.n_fields = 1;
    fields[0].type = PROTOBUF_C_TYPE_MESSAGE;
    fields[0].descriptor = &r2__sub__descriptor;
    fields[0].default_value = &incomplete;
    message.pointer = &incomplete;
    EXPECT(&message, 0, "");
    ck_assert(!protobuf_c_message_check(&message.base));
    expect_report(
        pbt_reflect_validate(road, &message, &(pbt_options){.error = &error}),
        PBT_ERR_REQUIRED, "f.name", 1);
}
END_TEST

START_TEST(fields_without_a_name_are_named_by_number) {
    tell_the_truth();
    type.name = fields[0].name = NULL;
    fields[0].label = PROTOBUF_C_LABEL_REQUIRED;
    expect_missing(&message, "#1", 1);
}
END_TEST

Suite *reflect_errors_suite(void) {
    Suite *suite = suite_create("reflect_errors");
    TCase *values = tcase_create("values"), *types = tcase_create("types");
    tcase_add_test(values, the_first_missing_field_is_named);
    tcase_add_test(values, null_pointers_are_refused_with_their_index);
    tcase_add_test(values, of_several_errors_the_last_is_reported);
    tcase_add_test(values, null_entries_of_maps_are_refused);
    tcase_add_test(values, invalid_utf8_is_found_when_asked_for);
    tcase_add_test(values, long_keys_lose_their_middle);
    tcase_add_test(values, counts_and_lengths_out_of_bounds_touch_nothing);
    tcase_add_test(values, max_size_is_exact);
    tcase_add_test(values, arguments_are_checked);
    suite_add_tcase(suite, values);
    tcase_add_test(types, types_that_lie_are_refused);
    tcase_add_test(types, members_outside_the_message_are_refused);
    tcase_add_test(types, packed_strings_are_refused);
    tcase_add_test(types, the_oneof_flag_counts_only_where_protobuf_c_heeds_it);
    tcase_add_test(types, members_may_lie_at_any_alignment);
    tcase_add_test(types, a_message_that_is_the_default_is_validated);
    tcase_add_test(types, fields_without_a_name_are_named_by_number);
    suite_add_tcase(suite, types);
    return suite;
}
