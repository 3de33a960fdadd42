/* test_cases.c - the bytes of messages that encoders have got wrong, in
 * generated structs. */
#include <limits.h>
#include <math.h>

#include "cases2.pb-c.h"
#include "cases3.pb-c.h"
#include "suites.h"
#include "support_expect.h"
#include "support_hex.h"
#include "support_output.h"

_Static_assert(sizeof(C2__E) == 4, "enum members are read as four bytes");
_Static_assert(sizeof(C2__One__CCase) == 4, "oneof cases are four bytes");

START_TEST(negative_enums_take_ten_bytes) {
    C2__Opt opt = C2__OPT__INIT;
    C2__Rep rep = C2__REP__INIT;
    C2__E both[] = {C2__E__NEG, C2__E__ONE};
    opt.has_e = 1;
    opt.e = C2__E__NEG;
    hex_expect_same(&opt, "20 ff*9 01");
    rep.n_pe = 2;
    rep.pe = both;
    hex_expect_same(&rep, "4a 0b ff*9 01 01");
    rep.n_pe = 0;
    rep.n_e = 2;
    rep.e = both;
    hex_expect_same(&rep, "20 ff*9 01 20 01");
}
END_TEST

START_TEST(negative_int32_takes_ten_bytes) {
    C2__Opt opt = C2__OPT__INIT;
    opt.has_i = 1;
    opt.i = -1;
    hex_expect_same(&opt, "28 ff*9 01");
}
END_TEST

START_TEST(packing_follows_the_descriptor_not_the_syntax) {
    C3__Pl pl = C3__PL__INIT;
    int32_t values[] = {1, 0, 2};
    pl.n_ri = pl.n_ru = 3;
    pl.ri = pl.ru = values;
    hex_expect_same(&pl, "4a 03 01 00 02 50 01 50 00 50 02");
}
END_TEST

START_TEST(an_empty_packed_field_is_not_written) {
    C2__Rep rep = C2__REP__INIT;
    int32_t none[1] = {0};
    rep.pi = none;
    rep.ps = none;
    hex_expect_same(&rep, "");
}
END_TEST

START_TEST(any_non_zero_bool_is_one) {
    C2__Rep rep = C2__REP__INIT;
    C2__Opt opt = C2__OPT__INIT;
    protobuf_c_boolean values[] = {2, 0, -1};
    protobuf_c_boolean large[] = {7, 256, -1, INT_MIN, 0x100, 0x10000, 1, 0, 2};
    rep.n_pb = 3;
    rep.pb = values;
    hex_expect_same(&rep, "42 03 01 00 01");
    rep.n_pb = 9;
    rep.pb = large;
    hex_expect_same(&rep, "42 09 01*7 00 01");
    opt.has_t = 256;
    opt.t = 0x1000000;
    hex_expect_same(&opt, "48 01");
}
END_TEST

START_TEST(the_length_of_a_packed_field_fits_its_payload) {
    static const int32_t minus_one = -1;
    C2__Rep rep = C2__REP__INIT;
    arena a = {0};
    size_t n, i;
    rep.pi = arena_alloc(&a, 16383 * sizeof *rep.pi);
    for (i = 0; i < 16383; i++)
        rep.pi[i] = minus_one;
    rep.n_pi = 13;
    hex_expect_same(&rep, "32 82 01 ff*9 01 ff*9 01 ff*9 01 ff*9 01 ff*9 01 "
                          "ff*9 01 ff*9 01 ff*9 01 ff*9 01 ff*9 01 ff*9 01 "
                          "ff*9 01 ff*9 01");
    for (n = 1; n <= 16383; n += n < 140 ? 1 : 997) {
        packed want;
        rep.n_pi = n;
        expect_context("%zu negative elements", n);
        want = packed_by_protobuf_c(&a, &rep.base);
        roads_expect(&rep.base, 0, want.bytes, want.len);
    }
    arena_free(&a);
}
END_TEST

START_TEST(missing_required_fields_can_be_written_empty) {
    C2__Req req = C2__REQ__INIT;
    hex_expect_same(&req, "0a 00 12 00 1a 00 20 ff*9 01 28 00");
    roads_expect_error(&req.base, 0, PBT_ERR_REQUIRED, "s", 1);
}
END_TEST

START_TEST(empty_bytes_need_no_pointer) {
    C2__Opt opt = C2__OPT__INIT;
    C2__Rep rep = C2__REP__INIT;
    C2__One one = C2__ONE__INIT;
    ProtobufCBinaryData empty[2] = {{0, NULL}, {0, NULL}};
    ProtobufCMessageUnknownField unknown = {
        3, PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED, 0, NULL};
    opt.has_b = 1;
    hex_expect_same(&opt, "12 00");
    rep.n_b = 2;
    rep.b = empty;
    hex_expect_same(&rep, "12 00 12 00");
    one.c_case = C2__ONE__C_B;
    hex_expect_same(&one, "12 00");
    opt.has_b = 0;
    opt.base.n_unknown_fields = 1;
    opt.base.unknown_fields = &unknown;
    hex_expect_same(&opt, "1a");
}
END_TEST

START_TEST(zigzag_of_the_extremes) {
    C2__Rep rep = C2__REP__INIT;
    int32_t values[] = {INT32_MIN, INT32_MAX, -1};
    rep.n_ps = 3;
    rep.ps = values;
    hex_expect_same(&rep, "52 0b ff ff ff ff 0f fe ff ff ff 0f 01");
}
END_TEST

START_TEST(fixed_width_numbers_are_little_endian) {
    C2__Id id = C2__ID__INIT;
    id.id = INT32_MIN;
    hex_expect_same(&id, "a5 06 00 00 00 80");
}
END_TEST

START_TEST(presence_of_a_oneof_member_is_its_case) {
    C3__One one = C3__ONE__INIT;
    char empty[] = "";
    one.c_case = C3__ONE__C_I;
    hex_expect_same(&one, "20 00");
    one.c_case = C3__ONE__C_T;
    hex_expect_same(&one, "28 00");
    one.c_case = C3__ONE__C_B;
    hex_expect_same(&one, "12 00");
    one.c_case = C3__ONE__C_S;
    one.s = empty;
    hex_expect_same(&one, "0a 00");
    one.c_case = C3__ONE__C__NOT_SET;
    hex_expect_same(&one, "");
    one.c_case = (C3__One__CCase) 6;
    hex_expect_same(&one, "");
}
END_TEST

START_TEST(members_of_a_oneof_that_are_not_selected_are_not_read) {
    C2__One one = C2__ONE__INIT;
    one.b.len = SIZE_MAX;
    one.b.data = (uint8_t *) (uintptr_t) 8;
    one.c_case = C2__ONE__C_I;
    one.i = 5;
    hex_expect_same(&one, "20 05");
    expect_status("validate", pbt_validate(&one.base, NULL), PBT_OK);
    expect_status("required", pbt_check_required(&one.base, NULL), PBT_OK);
}
END_TEST

START_TEST(a_value_without_its_has_flag_is_not_sent) {
    C2__Opt opt = C2__OPT__INIT;
    C3__Pl pl = C3__PL__INIT;
    opt.i = 5;
    opt.t = 1;
    opt.e = C2__E__ONE;
    hex_expect_same(&opt, "");
    hex_expect_same(&pl, "");
}
END_TEST

START_TEST(the_default_pointer_is_unset_and_its_text_is_not) {
    C2__Opt opt = C2__OPT__INIT;
    char same_text[] = "dflt";
    hex_expect_same(&opt, "");
    opt.ds = same_text;
    hex_expect_same(&opt, "32 04 64 66 6c 74");
    opt.has_db = 1;
    hex_expect_same(&opt, "32 04 64 66 6c 74 3a 03 78 79 7a");
}
END_TEST

START_TEST(strings_end_at_the_first_nul) {
    C2__S1 s1 = C2__S1__INIT;
    char text[] = "a\0b";
    s1.a = text;
    hex_expect_same(&s1, "0a 01 61");
}
END_TEST

START_TEST(text_is_not_checked_unless_asked) {
    C2__S1 s1 = C2__S1__INIT;
    char text[] = "\xff\xfe";
    s1.a = text;
    hex_expect_same(&s1, "0a 02 ff fe");
    roads_expect_error(&s1.base, PBT_VALIDATE_UTF8, PBT_ERR_UTF8, "a", 1);
}
END_TEST

START_TEST(unknown_fields_come_last_in_stored_order) {
    C2__S1 s1 = C2__S1__INIT;
    uint8_t extension[] = {3, 'a', 'b', 'c'}, varint[] = {0x96, 0x01};
    char text[] = "x";
    ProtobufCMessageUnknownField unknown[] = {
        {20, PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED, 4, extension},
        {2, PROTOBUF_C_WIRE_TYPE_VARINT, 2, varint}};
    s1.base.n_unknown_fields = 1;
    s1.base.unknown_fields = unknown;
    hex_expect_same(&s1, "a2 01 03 61 62 63");
    s1.a = text;
    s1.base.n_unknown_fields = 2;
    hex_expect_same(&s1, "0a 01 78 a2 01 03 61 62 63 10 96 01");
    hex_expect(&s1, PBT_DISCARD_UNKNOWN, "0a 01 78");
    hex_expect(&s1, PBT_DELIMITED, "0c 0a 01 78 a2 01 03 61 62 63 10 96 01");
}
END_TEST

START_TEST(large_field_numbers_and_number_order) {
    C2__Big big = C2__BIG__INIT;
    big.has_lo = big.has_mid = big.has_hi = 1;
    big.lo = 1;
    big.mid = 3;
    big.hi = 2;
    hex_expect_same(&big, "08 01 80 80 80 80 08 03 f8 ff ff ff 0f 02");
}
END_TEST

START_TEST(presence_of_a_sub_message_is_its_pointer) {
    C3__Pl pl = C3__PL__INIT;
    C3__Sub sub = C3__SUB__INIT;
    pl.m = &sub;
    hex_expect_same(&pl, "3a 00");
    sub.v = 1;
    hex_expect_same(&pl, "3a 02 08 01");
}
END_TEST

START_TEST(negative_zero_is_sent_when_conformant) {
    C3__Pl pl = C3__PL__INIT;
    pl.f = -0.0f;
    pl.d = -0.0;
    hex_expect_same(&pl, "");
    hex_expect(&pl, PBT_CONFORMANT,
               "15 00 00 00 80 19 00 00 00 00 00 00 00 80");
    pl.f = 0.0f;
    pl.d = 0.0;
    hex_expect(&pl, PBT_CONFORMANT, "");
    pl.f = NAN;
    hex_expect_same(&pl, "15 00 00 c0 7f");
}
END_TEST

START_TEST(a_sub_message_is_laid_out_by_its_own_descriptor) {
    C2__Node node = C2__NODE__INIT;
    C2__S1 other = C2__S1__INIT;
    C2__Sub lacking = C2__SUB__INIT;
    char text[] = "hi";
    other.a = text;
    node.n = (C2__Node *) &other;
    hex_expect_same(&node, "0a 04 0a 02 68 69");
    node.n = (C2__Node *) &lacking;
    hex_expect_same(&node, "0a 02 0a 00");
    roads_expect_error(&node.base, 0, PBT_ERR_REQUIRED, "n.name", 1);
}
END_TEST

static void add_tests_of_numbers(TCase *tests) {
    tcase_add_test(tests, negative_enums_take_ten_bytes);
    tcase_add_test(tests, negative_int32_takes_ten_bytes);
    tcase_add_test(tests, packing_follows_the_descriptor_not_the_syntax);
    tcase_add_test(tests, an_empty_packed_field_is_not_written);
    tcase_add_test(tests, any_non_zero_bool_is_one);
    tcase_add_test(tests, the_length_of_a_packed_field_fits_its_payload);
    tcase_add_test(tests, zigzag_of_the_extremes);
    tcase_add_test(tests, fixed_width_numbers_are_little_endian);
    tcase_add_test(tests, large_field_numbers_and_number_order);
    tcase_add_test(tests, negative_zero_is_sent_when_conformant);
}

Suite *cases_suite(void) {
    Suite *suite = suite_create("cases");
    TCase *tests = tcase_create("cases");
    add_tests_of_numbers(tests);
    tcase_add_test(tests, missing_required_fields_can_be_written_empty);
    tcase_add_test(tests, empty_bytes_need_no_pointer);
    tcase_add_test(tests, presence_of_a_oneof_member_is_its_case);
    tcase_add_test(tests,
                   members_of_a_oneof_that_are_not_selected_are_not_read);
    tcase_add_test(tests, a_value_without_its_has_flag_is_not_sent);
    tcase_add_test(tests, the_default_pointer_is_unset_and_its_text_is_not);
    tcase_add_test(tests, strings_end_at_the_first_nul);
    tcase_add_test(tests, text_is_not_checked_unless_asked);
    tcase_add_test(tests, unknown_fields_come_last_in_stored_order);
    tcase_add_test(tests, presence_of_a_sub_message_is_its_pointer);
    tcase_add_test(tests, a_sub_message_is_laid_out_by_its_own_descriptor);
    suite_add_tcase(suite, tests);
    return suite;
}
