/* test_json_options.c - every option of the JSON calls. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json2.pb-c.h"
#include "json3.pb-c.h"
#include "suites.h"
#include "support_expect.h"
#include "support_json.h"

#define ZEROS                                                                  \
    "\"i32\":0,\"s32\":0,\"sf32\":0,\"i64\":\"0\",\"s64\":\"0\","              \
    "\"sf64\":\"0\",\"u32\":0,\"f32\":0,\"u64\":\"0\",\"f64\":\"0\","          \
    "\"f\":0,\"d\":0,\"t\":false,\"e\":\"ZERO\",\"s\":\"\",\"b\":\"\""

START_TEST(default_scalars) {
    J3__All all = J3__ALL__INIT;
    J3__Choice choice = J3__CHOICE__INIT;
    J2__Opt opt = J2__OPT__INIT;
    J3__Lists lists = J3__LISTS__INIT;
    json_expect(&all, PBT_JSON_EMIT_DEFAULT_SCALARS, "{" ZEROS "}");
    all.s = NULL;
    json_expect(&all, PBT_JSON_EMIT_DEFAULTS, "{" ZEROS "}");
    json_expect(&all, PBT_JSON_EMIT_EMPTY_LISTS | PBT_JSON_EMIT_EMPTY_MAPS,
                "{}");
    json_expect(&all, PBT_JSON_EMIT_DEFAULTS | PBT_JSON_EMIT_NULL_MESSAGES,
                "{" ZEROS ",\"m\":null}");
    json_expect(&choice, PBT_JSON_EMIT_DEFAULTS | PBT_JSON_EMIT_NULL_MESSAGES,
                "{\"before\":\"\",\"after\":\"\"}");
    json_expect(&opt, PBT_JSON_EMIT_DEFAULTS, "{}");
    json_expect(&opt, PBT_JSON_EMIT_NULL_MESSAGES, "{\"m\":null}");
    json_expect(&lists, PBT_JSON_EMIT_DEFAULT_SCALARS, "{}");
    all.u64 = 5;
    json_expect(&all,
                PBT_JSON_EMIT_DEFAULT_SCALARS | PBT_JSON_INT64_AS_NUMBER |
                    PBT_JSON_ENUM_NUMBERS,
                "{\"i32\":0,\"s32\":0,\"sf32\":0,\"i64\":0,\"s64\":0,"
                "\"sf64\":0,\"u32\":0,\"f32\":0,\"u64\":5,\"f64\":0,"
                "\"f\":0,\"d\":0,\"t\":false,\"e\":0,\"s\":\"\",\"b\":\"\"}");
}
END_TEST

START_TEST(declared_defaults) {
    J2__Defaults d = J2__DEFAULTS__INIT;
    const char *want = "{\"i32\":-3,\"u64\":\"18446744073709551615\","
                       "\"d\":1.5,\"t\":true,\"e\":\"ONE\",\"s\":\"d\\\"t\","
                       "\"b\":\"eHl6\",\"f\":0.25}";
    json_expect(&d, 0, "{}");
    json_expect(&d, PBT_JSON_EMIT_DEFAULT_SCALARS, want);
    /* The values of unset fields do not count. */
    d.i32 = 7;
    d.b = bytes("other");
    json_expect(&d, PBT_JSON_EMIT_DEFAULT_SCALARS, want);
    d.s = NULL;
    json_expect(&d, PBT_JSON_EMIT_DEFAULT_SCALARS, want);
    d.has_i32 = d.has_u64 = 1;
    d.u64 = 0;
    d.s = text("");
    json_expect(&d, PBT_JSON_EMIT_DEFAULT_SCALARS,
                "{\"i32\":7,\"u64\":\"0\",\"d\":1.5,\"t\":true,\"e\":\"ONE\","
                "\"s\":\"\",\"b\":\"eHl6\",\"f\":0.25}");
}
END_TEST

START_TEST(empty_lists_and_maps) {
    J3__Lists lists = J3__LISTS__INIT;
    J3__Maps maps = J3__MAPS__INIT;
    J3__Tree tree = J3__TREE__INIT, child = J3__TREE__INIT;
    int32_t dangling = 0;
    const char *want =
        "{\"i32\":[],\"s32\":[],\"sf32\":[],\"i64\":[],\"s64\":[],\"sf64\":[],"
        "\"u32\":[],\"f32\":[],\"u64\":[],\"f64\":[],\"f\":[],\"d\":[],"
        "\"t\":[],\"e\":[],\"s\":[],\"b\":[],\"m\":[],\"unpacked\":[]}";
    json_expect(&lists, PBT_JSON_EMIT_EMPTY_LISTS, want);
    json_expect(&lists, PBT_JSON_EMIT_EMPTY_MAPS, "{}");
    lists.i32 = &dangling;
    json_expect(&lists, PBT_JSON_EMIT_EMPTY_LISTS, want);
    json_expect(&maps, PBT_JSON_EMIT_EMPTY_MAPS,
                "{\"si\":{},\"bs\":{},\"im\":{},\"ud\":{},\"ie\":{},\"st\":{},"
                "\"fb\":{},\"sl\":{},\"sv\":{},\"ib\":{}}");
    json_expect(&maps, PBT_JSON_EMIT_EMPTY_LISTS, "{}");
    tree.child = &child;
    json_expect(&tree, PBT_JSON_EMIT_DEFAULTS,
                "{\"child\":{\"children\":[],\"named\":{},\"text\":\"\"},"
                "\"children\":[],\"named\":{},\"text\":\"\"}");
    json_expect_with(
        &tree,
        &(pbt_json_options){.flags = PBT_JSON_EMIT_DEFAULTS, .indent = 1},
        "{\n \"child\": {\n  \"children\": [],\n  \"named\": {},\n"
        "  \"text\": \"\"\n },\n \"children\": [],\n \"named\": {},\n"
        " \"text\": \"\"\n}");
}
END_TEST

START_TEST(int64_forms) {
    static const struct {
        int64_t value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-1, "-1"},
                 {INT64_C(1) << 53, "9007199254740992"},
                 {(INT64_C(1) << 53) + 1, "\"9007199254740993\""},
                 {(INT64_C(1) << 53) + 2, "9007199254740994"},
                 {-(INT64_C(1) << 53) - 1, "\"-9007199254740993\""},
                 {INT64_MAX, "\"9223372036854775807\""},
                 {INT64_MIN, "-9223372036854775808"}};
    char want[100];
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        J3__Choice c = J3__CHOICE__INIT;
        bool quoted = cases[i].text[0] == '"';
        c.c_case = J3__CHOICE__C_S64;
        c.s64 = cases[i].value;
        snprintf(want, sizeof want, "{\"s64\":%s}", cases[i].text);
        json_expect(&c, PBT_JSON_INT64_UNQUOTED_IF_SAFE, want);
        snprintf(want, sizeof want, "{\"s64\":%.*s}",
                 (int) strlen(cases[i].text) - 2 * quoted,
                 cases[i].text + quoted);
        json_expect(&c, PBT_JSON_INT64_AS_NUMBER, want);
        json_expect(&c,
                    PBT_JSON_INT64_AS_NUMBER | PBT_JSON_INT64_UNQUOTED_IF_SAFE,
                    want);
    }
}
END_TEST

START_TEST(int64_lists) {
    uint64_t u[] = {UINT64_MAX, UINT64_C(1) << 63, 3};
    J3__Lists lists = J3__LISTS__INIT;
    lists.n_u64 = lists.n_f64 = 3;
    lists.u64 = lists.f64 = u;
    json_expect(&lists, PBT_JSON_INT64_UNQUOTED_IF_SAFE,
                "{\"u64\":[\"18446744073709551615\",9223372036854775808,3],"
                "\"f64\":[\"18446744073709551615\",9223372036854775808,3]}");
    json_expect(&lists, PBT_JSON_INT64_AS_NUMBER,
                "{\"u64\":[18446744073709551615,9223372036854775808,3],"
                "\"f64\":[18446744073709551615,9223372036854775808,3]}");
}
END_TEST

START_TEST(enum_numbers) {
    J3__E e[] = {J3__E__ZERO, J3__E__UNO, (J3__E) 99};
    J3__Lists lists = J3__LISTS__INIT;
    lists.n_e = 3;
    lists.e = e;
    json_expect(&lists, 0, "{\"e\":[\"ZERO\",\"ONE\",99]}");
    json_expect(&lists, PBT_JSON_ENUM_NUMBERS, "{\"e\":[0,1,99]}");
}
END_TEST

START_TEST(escapes) {
    J3__All all = J3__ALL__INIT;
    all.s = text("<&>\xe2\x80\xa8\xc3\xa9\xf0\x9f\x98\x80\x01\"");
    json_expect(&all, 0,
                "{\"s\":\"<&>\xe2\x80\xa8\xc3\xa9\xf0\x9f\x98\x80\\u0001"
                "\\\"\"}");
    json_expect(&all, PBT_JSON_ESCAPE_HTML,
                "{\"s\":\"\\u003c\\u0026\\u003e\\u2028\xc3\xa9"
                "\xf0\x9f\x98\x80\\u0001\\\"\"}");
    json_expect(&all, PBT_JSON_ASCII_ONLY,
                "{\"s\":\"<&>\\u2028\\u00e9\\ud83d\\ude00\\u0001\\\"\"}");
    json_expect(&all, PBT_JSON_ASCII_ONLY | PBT_JSON_ESCAPE_HTML,
                "{\"s\":\"\\u003c\\u0026\\u003e\\u2028\\u00e9\\ud83d\\ude00"
                "\\u0001\\\"\"}");
}
END_TEST

START_TEST(utf8_policies) {
    J3__All all = J3__ALL__INIT;
    J3__Tree tree = J3__TREE__INIT;
    pbt_json_options replace = {.utf8 = PBT_JSON_UTF8_REPLACE};
    pbt_json_options trust = PBT_JSON_FAST;
    all.s = text("a\xff\xe2\x82"
                 "b");
    json_expect_error(&all, 0, PBT_ERR_UTF8, "s");
    json_expect_with(&all, &replace,
                     "{\"s\":\"a\xef\xbf\xbd\xef\xbf\xbd"
                     "b\"}");
    json_expect_with(&all, &trust,
                     "{\"s\":\"a\xff\xe2\x82"
                     "b\"}");
    tree.text = text("\xc3");
    json_expect_error(&tree, 0, PBT_ERR_UTF8, "text");
}
END_TEST

/* Long strings are written in pieces, which must not cut a character. */
START_TEST(long_strings) {
    enum { MAX = 3000 };
    char *s = malloc(MAX + 8);
    char *want = malloc(MAX + 32);
    size_t lead, i;
    for (lead = 1018; lead < 1030; lead++) {
        J3__All all = J3__ALL__INIT;
        size_t n = lead;
        memset(s, 'x', lead);
        for (i = 0; i < 400; i++, n += 4)
            memcpy(s + n, "\xf0\x9f\x98\x80", 4);
        s[n] = '\0';
        all.s = s;
        snprintf(want, MAX + 32, "{\"s\":\"%s\"}", s);
        json_expect(&all, 0, want);
        s[n - 1] = '\0';
        json_expect_error(&all, 0, PBT_ERR_UTF8, "s");
    }
    free(s);
    free(want);
}
END_TEST

START_TEST(nonfinite_policies) {
    float f[] = {NAN, 1, -INFINITY};
    J3__All all = J3__ALL__INIT;
    J3__Lists lists = J3__LISTS__INIT;
    pbt_json_options null = {.nonfinite = PBT_JSON_NONFINITE_NULL};
    pbt_json_options refuse = {.nonfinite = PBT_JSON_NONFINITE_ERROR};
    all.f = NAN;
    all.d = INFINITY;
    json_expect(&all, 0, "{\"f\":\"NaN\",\"d\":\"Infinity\"}");
    json_expect_with(&all, &null, "{\"f\":null,\"d\":null}");
    json_expect_error_with(&all, &refuse, PBT_ERR_VALUE, "f");
    all.f = 0;
    all.d = -INFINITY;
    json_expect(&all, 0, "{\"d\":\"-Infinity\"}");
    json_expect_error_with(&all, &refuse, PBT_ERR_VALUE, "d");
    lists.n_f = 3;
    lists.f = f;
    json_expect(&lists, 0, "{\"f\":[\"NaN\",1,\"-Infinity\"]}");
    json_expect_with(&lists, &null, "{\"f\":[null,1,null]}");
    json_expect_error_with(&lists, &refuse, PBT_ERR_VALUE, "f[0]");
    f[0] = 0;
    json_expect_error_with(&lists, &refuse, PBT_ERR_VALUE, "f[2]");
}
END_TEST

START_TEST(indentation) {
    int32_t numbers[] = {1, 2};
    J3__Sub one = J3__SUB__INIT, none = J3__SUB__INIT;
    J3__Sub *subs[] = {&one, &none};
    char *strings[] = {text("a")};
    J3__Lists lists = J3__LISTS__INIT;
    pbt_json_options two = {.indent = 2, .flags = PBT_JSON_NEWLINE};
    pbt_json_options tab = {.indent = PBT_JSON_TAB};
    one.v = 1;
    lists.n_i32 = 2;
    lists.i32 = numbers;
    lists.n_s = 1;
    lists.s = strings;
    lists.n_m = 2;
    lists.m = subs;
    json_expect_with(&lists, &two,
                     "{\n  \"i32\": [\n    1,\n    2\n  ],\n"
                     "  \"s\": [\n    \"a\"\n  ],\n"
                     "  \"m\": [\n    {\n      \"v\": 1\n    },\n    {}\n"
                     "  ]\n}\n");
    json_expect_with(&lists, &tab,
                     "{\n\t\"i32\": [\n\t\t1,\n\t\t2\n\t],\n"
                     "\t\"s\": [\n\t\t\"a\"\n\t],\n"
                     "\t\"m\": [\n\t\t{\n\t\t\t\"v\": 1\n\t\t},\n\t\t{}\n"
                     "\t]\n}");
    json_expect_with(&none, &two, "{}\n");
}
END_TEST

START_TEST(bad_options) {
    static const pbt_json_options bad[] = {
        {.flags = 0x10000}, {.flags = 0x80000000}, {.indent = 9},
        {.indent = 254},    {.utf8 = 3},           {.nonfinite = 3}};
    J3__All all = J3__ALL__INIT;
    pbt_json_options reserved = {0};
    size_t i;
    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        expect_context("options %zu", i);
        json_expect_error_with(&all, &bad[i], PBT_ERR_ARGUMENT, "");
    }
    reserved.reserved[3] = &all;
    json_expect_error_with(&all, &reserved, PBT_ERR_ARGUMENT, "");
}
END_TEST

START_TEST(bad_arguments) {
    J3__All all = J3__ALL__INIT;
    ProtobufCMessage bare = {0};
    pbt_buffer buffer = {0};
    pbt_sink sink = {0};
    size_t len = 5;
    char out[4];
    expect_status("message", pbt_marshal_json(NULL, NULL, &buffer),
                  PBT_ERR_ARGUMENT);
    expect_status("buffer", pbt_marshal_json(&all.base, NULL, NULL),
                  PBT_ERR_ARGUMENT);
    expect_status("buffer", pbt_marshal_json_append(&all.base, NULL, NULL),
                  PBT_ERR_ARGUMENT);
    expect_status("length",
                  pbt_marshal_json_into(&all.base, NULL, out, 4, NULL),
                  PBT_ERR_ARGUMENT);
    expect_status("out", pbt_marshal_json_into(&all.base, NULL, NULL, 4, &len),
                  PBT_ERR_ARGUMENT);
    expect_number("length", len, 0);
    expect_status("no room",
                  pbt_marshal_json_into(&all.base, NULL, NULL, 0, &len),
                  PBT_ERR_NO_SPACE);
    expect_number("length", len, 2);
    expect_status("sink", pbt_marshal_json_to_sink(&all.base, NULL, NULL),
                  PBT_ERR_ARGUMENT);
    expect_status("write", pbt_marshal_json_to_sink(&all.base, NULL, &sink),
                  PBT_ERR_ARGUMENT);
    json_expect_error(&bare, 0, PBT_ERR_BAD_MESSAGE, "");
}
END_TEST

Suite *json_options_suite(void) {
    Suite *suite = suite_create("json_options");
    TCase *tcase = tcase_create("json_options");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, default_scalars);
    tcase_add_test(tcase, declared_defaults);
    tcase_add_test(tcase, empty_lists_and_maps);
    tcase_add_test(tcase, int64_forms);
    tcase_add_test(tcase, int64_lists);
    tcase_add_test(tcase, enum_numbers);
    tcase_add_test(tcase, escapes);
    tcase_add_test(tcase, utf8_policies);
    tcase_add_test(tcase, long_strings);
    tcase_add_test(tcase, nonfinite_policies);
    tcase_add_test(tcase, indentation);
    tcase_add_test(tcase, bad_options);
    tcase_add_test(tcase, bad_arguments);
    suite_add_tcase(suite, tcase);
    return suite;
}
