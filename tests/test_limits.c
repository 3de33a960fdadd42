/* test_limits.c - counts, lengths and sums that are too large, and the limits
 * of the options. Nothing here reads the data that the counts promise: the
 * pointers are no addresses. */
#include <string.h>

#include "cases2.pb-c.h"
#include "suites.h"
#include "support_expect.h"
#include "support_message.h"
#include "support_output.h"
#include "support_road.h"
#include "support_slots.h"

static void *const no_address = (void *) (uintptr_t) 8;

static void expect_too_large(const void *message, const char *path,
                             uint32_t number) {
    roads_expect_error(message, 0, PBT_ERR_TOO_LARGE, path, number);
    roads_expect_error(message, PBT_DELIMITED | PBT_DETERMINISTIC,
                       PBT_ERR_TOO_LARGE, path, number);
    expect_status("validate", pbt_validate(message, NULL), PBT_ERR_TOO_LARGE);
}

static void expect_count_too_large(ProtobufCType type, uint32_t flags,
                                   size_t count) {
    arena a = {0};
    schema_field field = {.number = 3,
                          .type = type,
                          .label = PROTOBUF_C_LABEL_REPEATED,
                          .flags = flags};
    ProtobufCMessageDescriptor *descriptor;
    ProtobufCMessage *message;
    if (type == PROTOBUF_C_TYPE_MESSAGE)
        field.type_of = &c2__node__descriptor;
    descriptor = schema_make(&a, "test.Many", &field, 1);
    message = message_empty(&a, descriptor);
    slot_set(message_member(message, descriptor->fields->offset), no_address);
    *(size_t *) message_member(message, descriptor->fields->quantifier_offset) =
        count;
    expect_context("type %d, flags %u, %zu elements", (int) type,
                   (unsigned) flags, count);
    expect_too_large(message, "f3", 3);
    pbt_forget(descriptor);
    arena_free(&a);
}

START_TEST(counts_of_two_to_the_thirtieth_and_more) {
    static const size_t counts[] = {(size_t) 1 << 30, ((size_t) 1 << 30) + 1,
                                    (size_t) 1 << 32, (size_t) 1 << 61,
                                    (size_t) 1 << 63, SIZE_MAX};
    size_t i;
    for (i = 0; i < sizeof counts / sizeof *counts; i++) {
        ProtobufCType type = (ProtobufCType) _i;
        expect_count_too_large(type, 0, counts[i]);
        if (schema_type_is_packable(type))
            expect_count_too_large(type, PROTOBUF_C_FIELD_FLAG_PACKED,
                                   counts[i]);
    }
}
END_TEST

START_TEST(fixed_width_arrays_that_exceed_the_largest_message) {
    expect_count_too_large(PROTOBUF_C_TYPE_FIXED64,
                           PROTOBUF_C_FIELD_FLAG_PACKED,
                           ((size_t) 1 << 30) - 1);
    expect_count_too_large(PROTOBUF_C_TYPE_DOUBLE, PROTOBUF_C_FIELD_FLAG_PACKED,
                           (size_t) 1 << 28);
    expect_count_too_large(PROTOBUF_C_TYPE_FLOAT, PROTOBUF_C_FIELD_FLAG_PACKED,
                           (size_t) 1 << 29);
}
END_TEST

START_TEST(lengths_of_bytes) {
    static const size_t lengths[] = {(size_t) 1 << 31, ((size_t) 1 << 32) - 1,
                                     (size_t) 1 << 32, (size_t) 1 << 61,
                                     SIZE_MAX - 8,     SIZE_MAX};
    C2__Opt opt = C2__OPT__INIT;
    C2__Rep rep = C2__REP__INIT;
    ProtobufCBinaryData data;
    ProtobufCMessageUnknownField unknown = {
        9, PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED, 0, no_address};
    size_t i;
    opt.b.data = no_address;
    rep.b = &data;
    data.data = no_address;
    for (i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        expect_context("%zu bytes", lengths[i]);
        opt.b.len = data.len = unknown.len = lengths[i];
        opt.has_b = 1;
        opt.base.n_unknown_fields = 0;
        expect_too_large(&opt, "b", 2);
        rep.n_b = 1;
        expect_too_large(&rep, "b[0]", 2);
        opt.has_b = 0;
        opt.base.n_unknown_fields = 1;
        opt.base.unknown_fields = &unknown;
        expect_status("unknown field", roads_compare(&opt.base, 0),
                      PBT_ERR_TOO_LARGE);
    }
}
END_TEST

START_TEST(sums_that_exceed_the_largest_message) {
    enum { N = 4 };
    C2__Rep rep = C2__REP__INIT;
    ProtobufCBinaryData data[N];
    pbt_buffer scratch = {0};
    struct iovec *vec;
    arena a = {0};
    collector sink;
    size_t n, i;
    for (i = 0; i < N; i++) {
        data[i].len = (size_t) 1 << 30;
        data[i].data = no_address;
    }
    rep.n_b = N;
    rep.b = data;
    collector_init(&sink, &a, 0);
    expect_context("sum of four");
    expect_status("size", pbt_size(&rep.base, NULL, &n), PBT_ERR_TOO_LARGE);
    expect_status("validate", pbt_validate(&rep.base, NULL), PBT_ERR_TOO_LARGE);
    expect_status("iovec",
                  pbt_marshal_iovec(&rep.base, NULL, &scratch, &vec, &n),
                  PBT_ERR_TOO_LARGE);
    expect_status("sink", pbt_marshal_to_sink(&rep.base, NULL, &sink.sink),
                  PBT_ERR_TOO_LARGE);
    pbt_buffer_free(&scratch);
    arena_free(&a);
}
END_TEST

/* Which field the last straw was is not compared. */
static void expect_over_max_size(const ProtobufCMessage *message,
                                 const pbt_options *options) {
    pbt_buffer buffer = {0};
    int i;
    output_expect_error(message, options, PBT_ERR_TOO_LARGE);
    for (i = 0; i < N_ROADS; i++) {
        expect_status(roads[i].name,
                      roads[i].marshal(message, options, &buffer),
                      PBT_ERR_TOO_LARGE);
        expect_status(roads[i].name, roads[i].validate(message, options),
                      PBT_ERR_TOO_LARGE);
    }
    pbt_buffer_free(&buffer);
}

START_TEST(max_size_is_exact) {
    arena a = {0};
    rng r = {9000000 + (uint64_t) _i};
    schema_params params = schema_random_params(&r);
    message_params m = {.depth = 4, .budget = 60};
    pbt_options options = {.flags = PBT_ALLOW_PARTIAL};
    schema s;
    size_t size, i;
    ProtobufCMessage *message;
    schema_random(&s, &a, &r, &params);
    message = message_random(&a, &r, &m, s.types[0]);
    expect_context("seed %d", _i);
    expect_status("size", pbt_size(message, &options, &size), PBT_OK);
    if (size > 1) {
        options.max_size = size;
        expect_status("exactly", roads_compare_options(message, &options),
                      PBT_OK);
        options.max_size = size - 1;
        expect_over_max_size(message, &options);
        options.max_size = 1;
        expect_over_max_size(message, &options);
    }
    for (i = 0; i < s.n_types; i++)
        pbt_forget(s.types[i]);
    arena_free(&a);
}
END_TEST

static size_t lengths_of_varints(size_t i) {
    static const size_t lengths[] = {
        0, 1, 127, 128, 255, 256, 16383, 16384, 65535, 65536, 2097151, 2097152};
    return i < sizeof lengths / sizeof *lengths ? lengths[i] : SIZE_MAX;
}

static void compare(const void *message) {
    arena a = {0};
    packed want = packed_by_protobuf_c(&a, message);
    roads_expect(message, 0, want.bytes, want.len);
    arena_free(&a);
}

START_TEST(lengths_around_the_sizes_of_their_varints) {
    size_t len = lengths_of_varints((size_t) _i), back;
    arena a = {0};
    rng r = {len};
    C2__S1 s1 = C2__S1__INIT;
    C2__Opt opt = C2__OPT__INIT;
    C2__Rep rep = C2__REP__INIT;
    C2__Sub sub = C2__SUB__INIT;
    expect_context("length %zu", len);
    s1.a = string_random(&a, &r, len, true);
    compare(&s1);
    opt.has_b = 1;
    opt.b.len = len;
    opt.b.data = (uint8_t *) s1.a;
    compare(&opt);
    rep.pb = arena_alloc(&a, len * sizeof *rep.pb);
    rep.n_pb = len;
    compare(&rep);
    opt.has_b = 0;
    opt.m = &sub;
    for (back = 0; back <= 6 && back <= len; back++) {
        sub.name = s1.a + back;
        compare(&opt);
    }
    arena_free(&a);
}
END_TEST

Suite *limits_suite(void) {
    Suite *suite = suite_create("limits");
    TCase *tests = tcase_create("limits");
    tcase_add_loop_test(tests, counts_of_two_to_the_thirtieth_and_more, 0,
                        PROTOBUF_C_TYPE_MESSAGE + 1);
    tcase_add_test(tests, fixed_width_arrays_that_exceed_the_largest_message);
    tcase_add_test(tests, lengths_of_bytes);
    tcase_add_test(tests, sums_that_exceed_the_largest_message);
    tcase_add_loop_test(tests, max_size_is_exact, 0, 60);
    tcase_add_loop_test(tests, lengths_around_the_sizes_of_their_varints, 0,
                        12);
    suite_add_tcase(suite, tests);
    return suite;
}
