/* test_json.c - every type, label and kind of presence as JSON. */
#include <float.h>
#include <inttypes.h>
#include <stdio.h>

#include "json2.pb-c.h"
#include "json3.pb-c.h"
#include "suites.h"
#include "support_expect.h"
#include "support_json.h"
#include "support_rng.h"

START_TEST(nothing) {
    J3__All all = J3__ALL__INIT;
    J3__Lists lists = J3__LISTS__INIT;
    J3__Choice choice = J3__CHOICE__INIT;
    J3__Maps maps = J3__MAPS__INIT;
    J2__Opt opt = J2__OPT__INIT;
    json_expect(&all, 0, "{}");
    json_expect(&lists, 0, "{}");
    json_expect(&choice, 0, "{}");
    json_expect(&maps, 0, "{}");
    json_expect(&opt, 0, "{}");
    json_expect(&opt, PBT_JSON_NEWLINE, "{}\n");
}
END_TEST

static void fill_all(J3__All *all, J3__Sub *sub) {
    all->i32 = INT32_MIN;
    all->s32 = INT32_MAX;
    all->sf32 = -1;
    all->i64 = INT64_MIN;
    all->s64 = INT64_MAX;
    all->sf64 = -1;
    all->u32 = UINT32_MAX;
    all->f32 = 10;
    all->u64 = UINT64_MAX;
    all->f64 = 10;
    all->f = 0.1f;
    all->d = 0.1;
    all->t = 1;
    all->e = J3__E__ONE;
    all->s = text("text");
    all->b = bytes("a");
    all->m = sub;
}

START_TEST(implicit_presence) {
    J3__All all = J3__ALL__INIT;
    J3__Sub sub = J3__SUB__INIT;
    sub.v = 7;
    fill_all(&all, &sub);
    json_expect(
        &all, 0,
        "{\"i32\":-2147483648,\"s32\":2147483647,\"sf32\":-1,"
        "\"i64\":\"-9223372036854775808\",\"s64\":\"9223372036854775807\","
        "\"sf64\":\"-1\",\"u32\":4294967295,\"f32\":10,"
        "\"u64\":\"18446744073709551615\",\"f64\":\"10\",\"f\":0.1,\"d\":0.1,"
        "\"t\":true,\"e\":\"ONE\",\"s\":\"text\",\"b\":\"YQ==\","
        "\"m\":{\"v\":7}}");
}
END_TEST

START_TEST(zero_is_set_with_explicit_presence) {
    J2__Opt opt = J2__OPT__INIT;
    J2__Sub sub = J2__SUB__INIT;
    sub.name = text("");
    opt.has_i32 = opt.has_s32 = opt.has_sf32 = opt.has_i64 = opt.has_s64 = 1;
    opt.has_sf64 = opt.has_u32 = opt.has_f32 = opt.has_u64 = opt.has_f64 = 1;
    opt.has_f = opt.has_d = opt.has_t = opt.has_e = opt.has_b = 1;
    opt.e = J2__E__ZERO;
    opt.s = text("");
    opt.m = &sub;
    json_expect(&opt, 0,
                "{\"i32\":0,\"s32\":0,\"sf32\":0,\"i64\":\"0\",\"s64\":\"0\","
                "\"sf64\":\"0\",\"u32\":0,\"f32\":0,\"u64\":\"0\","
                "\"f64\":\"0\",\"f\":0,\"d\":0,\"t\":false,\"e\":\"ZERO\","
                "\"s\":\"\",\"b\":\"\",\"m\":{\"name\":\"\"}}");
}
END_TEST

START_TEST(required_fields) {
    J2__Req req = J2__REQ__INIT;
    J2__Sub sub = J2__SUB__INIT;
    sub.name = text("n");
    req.i32 = 1;
    req.e = J2__E__NEG;
    req.s = text("s");
    req.m = &sub;
    json_expect(&req, 0,
                "{\"i32\":1,\"s32\":0,\"sf32\":0,\"i64\":\"0\",\"s64\":\"0\","
                "\"sf64\":\"0\",\"u32\":0,\"f32\":0,\"u64\":\"0\","
                "\"f64\":\"0\",\"f\":0,\"d\":0,\"t\":false,\"e\":\"NEG\","
                "\"s\":\"s\",\"b\":\"\",\"m\":{\"name\":\"n\"}}");
}
END_TEST

START_TEST(repeated_fields) {
    int32_t i32[] = {0, -1, 12345};
    int64_t i64[] = {0, -5};
    uint32_t u32[] = {0, UINT32_MAX};
    uint64_t u64[] = {1, UINT64_MAX};
    float f[] = {1.5f, 16777216, FLT_MAX};
    double d[] = {5e-324, 1e16, 123456789.125, -0.0};
    protobuf_c_boolean t[] = {1, 0, 5};
    J3__E e[] = {J3__E__ZERO, (J3__E) 99, J3__E__FAR, J3__E__NEG};
    char *s[] = {text(""), text("x\n")};
    ProtobufCBinaryData b[] = {bytes(""), bytes("abc")};
    J3__Sub one = J3__SUB__INIT, two = J3__SUB__INIT;
    J3__Sub *m[] = {&one, &two};
    J3__Lists lists = J3__LISTS__INIT;
    one.v = 1;
    lists.n_i32 = lists.n_s32 = lists.n_sf32 = lists.n_unpacked = 3;
    lists.i32 = lists.s32 = lists.sf32 = lists.unpacked = i32;
    lists.n_i64 = lists.n_s64 = lists.n_sf64 = 2;
    lists.i64 = lists.s64 = lists.sf64 = i64;
    lists.n_u32 = lists.n_f32 = lists.n_u64 = lists.n_f64 = 2;
    lists.u32 = lists.f32 = u32;
    lists.u64 = lists.f64 = u64;
    lists.n_f = 3;
    lists.f = f;
    lists.n_d = 4;
    lists.d = d;
    lists.n_t = 3;
    lists.t = t;
    lists.n_e = 4;
    lists.e = e;
    lists.n_s = lists.n_b = lists.n_m = 2;
    lists.s = s;
    lists.b = b;
    lists.m = m;
    json_expect(
        &lists, 0,
        "{\"i32\":[0,-1,12345],\"s32\":[0,-1,12345],\"sf32\":[0,-1,12345],"
        "\"i64\":[\"0\",\"-5\"],\"s64\":[\"0\",\"-5\"],\"sf64\":[\"0\","
        "\"-5\"],\"u32\":[0,4294967295],\"f32\":[0,4294967295],"
        "\"u64\":[\"1\",\"18446744073709551615\"],"
        "\"f64\":[\"1\",\"18446744073709551615\"],"
        "\"f\":[1.5,16777216,3.4028235e+38],"
        "\"d\":[5e-324,10000000000000000,123456789.125,-0],"
        "\"t\":[true,false,true],\"e\":[\"ZERO\",99,\"FAR\",\"NEG\"],"
        "\"s\":[\"\",\"x\\n\"],\"b\":[\"\",\"YWJj\"],\"m\":[{\"v\":1},{}],"
        "\"unpacked\":[0,-1,12345]}");
    lists.n_i32 = 0;
    lists.i32 = NULL;
}
END_TEST

/* A set member of a oneof is printed, zero or not, at its own place. */
START_TEST(oneofs) {
    static const struct {
        J3__Choice__CCase which;
        const char *member;
    } members[] = {{J3__CHOICE__C_I32, "\"i32\":0"},
                   {J3__CHOICE__C_S32, "\"s32\":0"},
                   {J3__CHOICE__C_SF32, "\"sf32\":0"},
                   {J3__CHOICE__C_I64, "\"i64\":\"0\""},
                   {J3__CHOICE__C_S64, "\"s64\":\"0\""},
                   {J3__CHOICE__C_SF64, "\"sf64\":\"0\""},
                   {J3__CHOICE__C_U32, "\"u32\":0"},
                   {J3__CHOICE__C_F32, "\"f32\":0"},
                   {J3__CHOICE__C_U64, "\"u64\":\"0\""},
                   {J3__CHOICE__C_F64, "\"f64\":\"0\""},
                   {J3__CHOICE__C_F, "\"f\":0"},
                   {J3__CHOICE__C_D, "\"d\":0"},
                   {J3__CHOICE__C_T, "\"t\":false"},
                   {J3__CHOICE__C_E, "\"e\":\"ZERO\""},
                   {J3__CHOICE__C_B, "\"b\":\"\""},
                   {J3__CHOICE__C_N, "\"n\":null"},
                   {J3__CHOICE__C_FAR, "\"far\":0"}};
    char want[80];
    size_t i;
    for (i = 0; i < sizeof members / sizeof *members; i++) {
        J3__Choice choice = J3__CHOICE__INIT;
        choice.c_case = members[i].which;
        snprintf(want, sizeof want, "{%s}", members[i].member);
        json_expect(&choice, 0, want);
        choice.before = text("b");
        choice.after = text("a");
        snprintf(want, sizeof want, "{\"before\":\"b\",%s,\"after\":\"a\"}",
                 members[i].member);
        json_expect(&choice, 0, want);
    }
}
END_TEST

START_TEST(oneof_pointers) {
    J3__Choice choice = J3__CHOICE__INIT;
    J3__Sub sub = J3__SUB__INIT;
    choice.c_case = J3__CHOICE__C_S;
    json_expect(&choice, 0, "{}");
    choice.s = text("");
    json_expect(&choice, 0, "{\"s\":\"\"}");
    choice.c_case = J3__CHOICE__C_M;
    choice.m = &sub;
    json_expect(&choice, 0, "{\"m\":{}}");
    choice.m = NULL;
    json_expect(&choice, 0, "{}");
    choice.c_case = (J3__Choice__CCase) 4000;
    json_expect(&choice, 0, "{}");
}
END_TEST

START_TEST(keys) {
    J3__Names names = J3__NAMES__INIT;
    names.foo__bar = names._lead = names.trail_ = names.a_1b = 1;
    names.foobaz = names.x_y = names.httpcode = names.foo_bar2_baz = 1;
    names.named = 1;
    json_expect(&names, 0,
                "{\"fooBar\":1,\"Lead\":1,\"trail\":1,\"a1b\":1,\"FooBaz\":1,"
                "\"xY\":1,\"HTTPCode\":1,\"fooBar2Baz\":1,\"named\":1}");
    json_expect(&names, PBT_JSON_PROTO_NAMES,
                "{\"foo__bar\":1,\"_lead\":1,\"trail_\":1,\"a_1b\":1,"
                "\"FooBaz\":1,\"x_Y\":1,\"HTTPCode\":1,\"foo_bar2_baz\":1,"
                "\"named\":1}");
}
END_TEST

START_TEST(negative_zero) {
    J3__All all = J3__ALL__INIT;
    all.f = -0.0f;
    all.d = -0.0;
    json_expect(&all, 0, "{}");
    json_expect(&all, PBT_JSON_CONFORMANT, "{\"f\":-0,\"d\":-0}");
}
END_TEST

START_TEST(unknown_fields_are_left_out) {
    J3__Sub sub = J3__SUB__INIT;
    uint8_t data[] = {1};
    ProtobufCMessageUnknownField unknown = {9, PROTOBUF_C_WIRE_TYPE_VARINT, 1,
                                            data};
    sub.base.n_unknown_fields = 1;
    sub.base.unknown_fields = &unknown;
    json_expect(&sub, 0, "{}");
}
END_TEST

enum { MOST_NUMBERS = 3000 };

/* An array of numbers in all ways that it may be written, against snprintf. */
static void expect_numbers(uint32_t *numbers, size_t n) {
    static char unsigned_text[12 * MOST_NUMBERS + 16];
    static char signed_text[12 * MOST_NUMBERS + 16];
    J3__Lists lists = J3__LISTS__INIT;
    union {
        uint32_t *u32;
        int32_t *i32;
    } array = {numbers};
    size_t u = (size_t) snprintf(unsigned_text, 16, "{\"u32\":[");
    size_t i = (size_t) snprintf(signed_text, 16, "{\"i32\":["), k;
    for (k = 0; k < n; k++) {
        const char *comma = k == 0 ? "" : ",";
        u += (size_t) snprintf(unsigned_text + u, 16, "%s%" PRIu32, comma,
                               numbers[k]);
        i += (size_t) snprintf(signed_text + i, 16, "%s%" PRId32, comma,
                               array.i32[k]);
    }
    snprintf(unsigned_text + u, 4, "]}");
    snprintf(signed_text + i, 4, "]}");
    lists.n_u32 = n;
    lists.u32 = numbers;
    json_expect(&lists, 0, unsigned_text);
    lists.n_u32 = 0;
    lists.n_i32 = n;
    lists.i32 = array.i32;
    json_expect(&lists, 0, signed_text);
}

/* Of each number of digits, mixed with shorter ones and not. */
START_TEST(arrays_of_integers) {
    static const uint32_t limits[] = {10,       100,       1000,     10000,
                                      100000,   1000000,   10000000, 100000000,
                                      1u << 31, UINT32_MAX};
    static uint32_t numbers[MOST_NUMBERS];
    rng random = {7};
    size_t i, n, k;
    for (i = 0; i < sizeof limits / sizeof *limits; i++)
        for (n = 1; n < 50; n++) {
            expect_context("below %" PRIu32 ", %zu numbers", limits[i], n);
            for (k = 0; k < n; k++) {
                size_t j = n % 2 ? i : rng_below(&random, (uint32_t) i + 1);
                numbers[k] = rng_below(&random, limits[j]);
            }
            numbers[rng_below(&random, (uint32_t) n)] = limits[i] - 1;
            expect_numbers(numbers, n);
            numbers[rng_below(&random, (uint32_t) n)] = limits[i];
            expect_numbers(numbers, n);
        }
}
END_TEST

START_TEST(runs_of_integers) {
    static const uint32_t starts[] = {
        0, 998500, 9998500, 99998500, 0x80000000 - 1500, UINT32_MAX - 2999};
    static uint32_t numbers[MOST_NUMBERS];
    size_t i;
    uint32_t k;
    for (i = 0; i < sizeof starts / sizeof *starts; i++) {
        expect_context("from %" PRIu32, starts[i]);
        for (k = 0; k < MOST_NUMBERS; k++)
            numbers[k] = starts[i] + k;
        expect_numbers(numbers, MOST_NUMBERS);
    }
}
END_TEST

START_TEST(arrays_of_wide_integers) {
    static char unsigned_text[24 * 200 + 16], signed_text[24 * 200 + 16];
    static uint64_t numbers[200];
    rng random = {9};
    size_t n, k;
    for (n = 1; n < 200; n++) {
        J3__Lists lists = J3__LISTS__INIT;
        union {
            uint64_t *u64;
            int64_t *i64;
        } array = {numbers};
        size_t u = (size_t) snprintf(unsigned_text, 16, "{\"u64\":[");
        size_t i = (size_t) snprintf(signed_text, 16, "{\"i64\":[");
        for (k = 0; k < n; k++) {
            const char *comma = k == 0 ? "" : ",";
            uint64_t v = rng_next(&random) >> rng_below(&random, 64);
            static const uint64_t edges[] = {0, 999, 1000, 999999, 1000000};
            if (rng_chance(&random, 30))
                v = edges[rng_below(&random, 5)];
            numbers[k] = rng_chance(&random, 50) ? v : 0 - v;
            u += (size_t) snprintf(unsigned_text + u, 32, "%s\"%" PRIu64 "\"",
                                   comma, numbers[k]);
            i += (size_t) snprintf(signed_text + i, 32, "%s\"%" PRId64 "\"",
                                   comma, array.i64[k]);
        }
        snprintf(unsigned_text + u, 4, "]}");
        snprintf(signed_text + i, 4, "]}");
        expect_context("%zu numbers", n);
        lists.n_u64 = n;
        lists.u64 = numbers;
        json_expect(&lists, 0, unsigned_text);
        lists.n_u64 = 0;
        lists.n_i64 = n;
        lists.i64 = array.i64;
        json_expect(&lists, 0, signed_text);
    }
}
END_TEST

/* Where doubles are printed as integers, and at the borders of that. */
START_TEST(whole_doubles) {
    double numbers[] = {0.0,        -0.0,        1,          -1,
                        9,          10,          -100,       99999999,
                        -99999999,  100000000,   -100000000, 99999999.5,
                        2147483647, -2147483648, 4294967296, 0.5};
    J3__Lists lists = J3__LISTS__INIT;
    lists.n_d = sizeof numbers / sizeof *numbers;
    lists.d = numbers;
    json_expect(
        &lists, 0,
        "{\"d\":[0,-0,1,-1,9,10,-100,99999999,-99999999,100000000,"
        "-100000000,99999999.5,2147483647,-2147483648,4294967296,0.5]}");
}
END_TEST

START_TEST(deep_trees) {
    J3__Tree leaf = J3__TREE__INIT, middle = J3__TREE__INIT;
    J3__Tree root = J3__TREE__INIT;
    J3__Tree *children[] = {&leaf, &middle, &leaf};
    J3__Tree *grandchildren[] = {&leaf};
    J3__Tree__NamedEntry entry = J3__TREE__NAMED_ENTRY__INIT;
    J3__Tree__NamedEntry *entries[] = {&entry};
    leaf.text = text("leaf");
    middle.n_children = 1;
    middle.children = grandchildren;
    middle.child = &leaf;
    middle.text = text("middle");
    entry.key = text("k");
    entry.value = &middle;
    root.child = &middle;
    root.n_children = 3;
    root.children = children;
    root.n_named = 1;
    root.named = entries;
    root.text = text("root");
#define LEAF "{\"text\":\"leaf\"}"
#define MIDDLE                                                                 \
    "{\"child\":" LEAF ",\"children\":[" LEAF "],\"text\":\"middle\"}"
    json_expect(&root, 0,
                "{\"child\":" MIDDLE ",\"children\":[" LEAF "," MIDDLE "," LEAF
                "],\"named\":{\"k\":" MIDDLE "},\"text\":\"root\"}");
#undef LEAF
#undef MIDDLE
}
END_TEST

Suite *json_suite(void) {
    Suite *suite = suite_create("json");
    TCase *tcase = tcase_create("json");
    tcase_add_test(tcase, nothing);
    tcase_add_test(tcase, implicit_presence);
    tcase_add_test(tcase, zero_is_set_with_explicit_presence);
    tcase_add_test(tcase, required_fields);
    tcase_add_test(tcase, repeated_fields);
    tcase_add_test(tcase, oneofs);
    tcase_add_test(tcase, oneof_pointers);
    tcase_add_test(tcase, keys);
    tcase_add_test(tcase, negative_zero);
    tcase_add_test(tcase, unknown_fields_are_left_out);
    tcase_add_test(tcase, arrays_of_integers);
    tcase_add_test(tcase, runs_of_integers);
    tcase_add_test(tcase, arrays_of_wide_integers);
    tcase_add_test(tcase, whole_doubles);
    tcase_add_test(tcase, deep_trees);
    suite_add_tcase(suite, tcase);
    return suite;
}
