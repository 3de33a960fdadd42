/* test_status.c - every status that this version can give is given; names and
 * sentences; arguments that are no arguments; sinks that refuse. */
#include <stdio.h>
#include <string.h>

#include "cases2.pb-c.h"
#include "suites.h"
#include "support_expect.h"
#include "support_memory.h"
#include "support_message.h"
#include "support_output.h"

static char some_text[] = "some";

static pbt_status marshal_with(const void *message, uint32_t flags) {
    pbt_options options = {.flags = flags};
    pbt_buffer buffer = {0};
    pbt_status status = pbt_marshal(message, &options, &buffer);
    pbt_buffer_free(&buffer);
    return status;
}

static pbt_status give_ok(void) {
    C2__S1 s1 = C2__S1__INIT;
    return marshal_with(&s1, 0);
}

static pbt_status give_no_space(void) {
    C2__S1 s1 = C2__S1__INIT;
    size_t len;
    s1.a = some_text;
    return pbt_marshal_into(&s1.base, NULL, NULL, 0, &len);
}

static pbt_status give_no_memory(void) {
    C2__S1 s1 = C2__S1__INIT;
    pbt_options options = {0};
    pbt_buffer buffer = {0};
    meter m;
    meter_init(&m);
    m.fail_at = 0;
    m.fail_after = 1;
    options.allocator = &m.allocator;
    s1.a = some_text;
    return pbt_marshal(&s1.base, &options, &buffer);
}

static pbt_status refuse(pbt_sink *sink, const void *data, size_t len) {
    (void) sink;
    (void) data;
    (void) len;
    return PBT_ERR_NO_SPACE;
}

static pbt_status give_sink(void) {
    C2__S1 s1 = C2__S1__INIT;
    pbt_sink sink = {refuse};
    s1.a = some_text;
    return pbt_marshal_to_sink(&s1.base, NULL, &sink);
}

static pbt_status give_required(void) {
    C2__Sub sub = C2__SUB__INIT;
    return marshal_with(&sub, 0);
}

static pbt_status give_utf8(void) {
    C2__S1 s1 = C2__S1__INIT;
    char text[] = "\xff";
    s1.a = text;
    return marshal_with(&s1, PBT_VALIDATE_UTF8);
}

static pbt_status give_depth(void) {
    C2__Node node = C2__NODE__INIT;
    node.n = &node;
    return marshal_with(&node, 0);
}

static pbt_status give_too_large(void) {
    C2__Opt opt = C2__OPT__INIT;
    opt.has_b = 1;
    opt.b.len = SIZE_MAX;
    opt.b.data = (uint8_t *) some_text;
    return marshal_with(&opt, 0);
}

static pbt_status give_bad_message(void) {
    C2__Rep rep = C2__REP__INIT;
    rep.n_i = 1;
    return marshal_with(&rep, 0);
}

static pbt_status give_bad_descriptor(void) {
    ProtobufCMessageDescriptor type = c2__s1__descriptor;
    C2__S1 s1 = C2__S1__INIT;
    type.magic = 0;
    s1.base.descriptor = &type;
    return marshal_with(&s1, 0);
}

static pbt_status give_argument(void) {
    return marshal_with(NULL, 0);
}

static const struct {
    pbt_status status;
    pbt_status (*give)(void);
} givers[] = {
    {PBT_OK, give_ok},
    {PBT_ERR_NO_SPACE, give_no_space},
    {PBT_ERR_NO_MEMORY, give_no_memory},
    {PBT_ERR_SINK, give_sink},
    {PBT_ERR_REQUIRED, give_required},
    {PBT_ERR_UTF8, give_utf8},
    {PBT_ERR_DEPTH, give_depth},
    {PBT_ERR_TOO_LARGE, give_too_large},
    {PBT_ERR_BAD_MESSAGE, give_bad_message},
    {PBT_ERR_BAD_DESCRIPTOR, give_bad_descriptor},
    {PBT_ERR_ARGUMENT, give_argument},
};

enum { N_GIVERS = sizeof givers / sizeof *givers };

START_TEST(every_status_is_given) {
    expect_context("giver %d", _i);
    expect_status("given", givers[_i].give(), givers[_i].status);
}
END_TEST

/* The statuses that no call of this version gives. */
static bool is_for_later(pbt_status status) {
    return status == PBT_ERR_VALUE || status == PBT_ERR_MALFORMED ||
           status == PBT_ERR_NOT_FOUND || status == PBT_ERR_UNSUPPORTED ||
           status == PBT_ERR_INTERNAL;
}

START_TEST(the_list_of_givers_is_complete) {
    static const pbt_status all[] = {
#define STATUS(name, number, sentence) name,
        PBT_STATUS_LIST(STATUS)
#undef STATUS
    };
    size_t i, k;
    for (i = 0; i < sizeof all / sizeof *all; i++) {
        bool found = is_for_later(all[i]);
        for (k = 0; k < N_GIVERS; k++)
            found = found || givers[k].status == all[i];
        ck_assert_msg(found, "%s is given by no test", pbt_status_name(all[i]));
    }
}
END_TEST

START_TEST(names_and_sentences) {
    ck_assert_str_eq(pbt_status_name(PBT_OK), "PBT_OK");
    ck_assert_str_eq(pbt_status_name(PBT_ERR_REQUIRED), "PBT_ERR_REQUIRED");
    ck_assert_str_eq(pbt_status_name(PBT_ERR_INTERNAL), "PBT_ERR_INTERNAL");
    ck_assert_str_eq(pbt_status_name((pbt_status) 99), "PBT_ERR_?");
    ck_assert_str_eq(pbt_status_message((pbt_status) 99), "unknown status");
    ck_assert_str_eq(pbt_status_message(PBT_ERR_SINK),
                     "the sink refused the output");
    ck_assert_int_eq(PBT_OK, 0);
    ck_assert_str_eq(pbt_version(), PBT_VERSION_STRING);
}
END_TEST

/* Programs have the numbers compiled in. */
START_TEST(numbers_stay_as_they_are) {
    static const pbt_status by_number[] = {
        PBT_OK,
        PBT_ERR_NO_SPACE,
        PBT_ERR_NO_MEMORY,
        PBT_ERR_SINK,
        PBT_ERR_REQUIRED,
        PBT_ERR_UTF8,
        PBT_ERR_DEPTH,
        PBT_ERR_TOO_LARGE,
        PBT_ERR_BAD_MESSAGE,
        PBT_ERR_VALUE,
        PBT_ERR_MALFORMED,
        PBT_ERR_BAD_DESCRIPTOR,
        PBT_ERR_UNSUPPORTED,
        PBT_ERR_NOT_FOUND,
        PBT_ERR_ARGUMENT,
        PBT_ERR_INTERNAL,
    };
    size_t i;
    for (i = 0; i < sizeof by_number / sizeof *by_number; i++)
        ck_assert_uint_eq((size_t) by_number[i], i);
}
END_TEST

START_TEST(versions_can_be_compared) {
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", PBT_VERSION_NUMBER / 1000000,
             PBT_VERSION_NUMBER / 1000 % 1000, PBT_VERSION_NUMBER % 1000);
    ck_assert_str_eq(text, PBT_VERSION_STRING);
}
END_TEST

/* Calls with arguments that must not be NULL. */
static void expect_argument_errors(const ProtobufCMessage *message,
                                   const pbt_options *options,
                                   pbt_buffer *buffer, size_t *n,
                                   struct iovec **vec, pbt_sink *sink) {
    uint8_t out[64];
    const pbt_status argument = PBT_ERR_ARGUMENT;
    expect_status("size", pbt_size(message, options, n), argument);
    expect_status("marshal", pbt_marshal(message, options, buffer), argument);
    expect_status("append", pbt_marshal_append(message, options, buffer),
                  argument);
    expect_status("into",
                  pbt_marshal_into(message, options, out, sizeof out, n),
                  argument);
    expect_status("sink", pbt_marshal_to_sink(message, options, sink),
                  argument);
    expect_status("iovec", pbt_marshal_iovec(message, options, buffer, vec, n),
                  argument);
}

START_TEST(null_and_unknown_arguments) {
    C2__S1 s1 = C2__S1__INIT;
    pbt_options flags = {.flags = 0x80000000u};
    pbt_buffer buffer = {0};
    pbt_sink sink = {refuse};
    struct iovec *vec;
    size_t n;
    s1.a = some_text;
    expect_context("arguments");
    expect_argument_errors(NULL, NULL, &buffer, &n, &vec, &sink);
    expect_argument_errors(&s1.base, NULL, NULL, NULL, NULL, NULL);
    expect_argument_errors(&s1.base, &flags, &buffer, &n, &vec, &sink);
    flags.flags = 0x40;
    expect_argument_errors(&s1.base, &flags, &buffer, &n, &vec, &sink);
    expect_status("buffer", pbt_marshal_to_buffer(&s1.base, NULL, NULL),
                  PBT_ERR_ARGUMENT);
    expect_status("into NULL", pbt_marshal_into(&s1.base, NULL, NULL, 5, &n),
                  PBT_ERR_ARGUMENT);
    expect_status("required", pbt_check_required(NULL, NULL), PBT_ERR_ARGUMENT);
    expect_status("validate", pbt_validate(NULL, NULL), PBT_ERR_ARGUMENT);
    expect_status("validate", pbt_validate(&s1.base, &flags), PBT_ERR_ARGUMENT);
    expect_status("prepare", pbt_prepare(NULL, NULL), PBT_ERR_ARGUMENT);
    expect_status("text", pbt_table_text(NULL, &buffer, NULL),
                  PBT_ERR_ARGUMENT);
    pbt_forget(NULL);
    pbt_buffer_free(NULL);
    pbt_buffer_free(&buffer);
}
END_TEST

START_TEST(a_sink_that_refuses_gets_no_more) {
    enum { N = 8, LARGE = 100000 };
    arena a = {0};
    C2__Rep rep = C2__REP__INIT;
    ProtobufCBinaryData data[N];
    uint32_t refuse_at, n_pieces;
    collector sink;
    size_t i;
    for (i = 0; i < N; i++) {
        data[i].len = LARGE;
        data[i].data = arena_alloc(&a, LARGE);
    }
    rep.n_b = N;
    rep.b = data;
    collector_init(&sink, &a, (size_t) N * (LARGE + 10));
    expect_context("sink");
    expect_status("sink", pbt_marshal_to_sink(&rep.base, NULL, &sink.sink),
                  PBT_OK);
    n_pieces = sink.n_pieces;
    ck_assert_uint_ge(n_pieces, N);
    for (refuse_at = 1; refuse_at <= n_pieces; refuse_at++) {
        collector_init(&sink, &a, (size_t) N * (LARGE + 10));
        sink.refuse_at = refuse_at;
        expect_status("sink", pbt_marshal_to_sink(&rep.base, NULL, &sink.sink),
                      PBT_ERR_SINK);
        expect_number("pieces", sink.n_pieces, refuse_at);
    }
    arena_free(&a);
}
END_TEST

Suite *status_suite(void) {
    Suite *suite = suite_create("status");
    TCase *tests = tcase_create("status");
    tcase_add_loop_test(tests, every_status_is_given, 0, N_GIVERS);
    tcase_add_test(tests, the_list_of_givers_is_complete);
    tcase_add_test(tests, names_and_sentences);
    tcase_add_test(tests, numbers_stay_as_they_are);
    tcase_add_test(tests, versions_can_be_compared);
    tcase_add_test(tests, null_and_unknown_arguments);
    tcase_add_test(tests, a_sink_that_refuses_gets_no_more);
    suite_add_tcase(suite, tests);
    return suite;
}
