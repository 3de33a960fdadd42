/* test_trace.c - which road ran, which rows it met, and how often: the trace
 * of the testing build. */
#include <string.h>

#include "cases2.pb-c.h"
#include "suites.h"
#include "support_expect.h"
#include "support_memory.h"
#include "support_message.h"
#include "support_output.h"
#include "wire_trace.h"

static const char *const op_names[PBTI_N_OPS] = {
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    [PBTI_OP_##name] = #name, [PBTI_OP_##name##_REPEATED] = #name " repeated", \
    [PBTI_OP_##name##_PACKED] = #name " packed",
#define PBTI_ROW_OP(name, text, holds) [PBTI_OP_##name] = text,
#include "table_kinds.def"
};

static void reset_trace(void) {
    size_t i;
    pbti_trace_counts.fast_calls = 0;
    pbti_trace_counts.reflect_calls = 0;
    pbti_trace_counts.vector_steps = 0;
    for (i = 0; i < PBTI_N_OPS; i++) {
        pbti_trace_counts.marshal_ops[i] = 0;
        pbti_trace_counts.size_ops[i] = 0;
    }
}

static void run_seed(uint64_t seed) {
    arena a = {0};
    rng r = {seed};
    schema_params params = schema_random_params(&r);
    message_params m = {.depth = 4, .budget = 200, .complete = true};
    pbt_options options = {.flags = seed % 2 ? PBT_CONFORMANT : 0};
    pbt_buffer buffer = {0};
    schema s;
    size_t i, size;
    params.groups = seed % 3 == 0 ? 40 : 0;
    schema_random(&s, &a, &r, &params);
    for (i = 0; i < params.n_types; i++) {
        ProtobufCMessage *message = message_random(&a, &r, &m, s.types[i]);
        expect_status("marshal", pbt_marshal(message, &options, &buffer),
                      PBT_OK);
        expect_status("size", pbt_size(message, &options, &size), PBT_OK);
    }
    pbt_buffer_free(&buffer);
    for (i = 0; i < s.n_types; i++)
        pbt_forget(s.types[i]);
    arena_free(&a);
}

/* A oneof case that is the number of no member, but lies between members. */
static void run_case_in_gap(void) {
    arena a = {0};
    const schema_field member = {.number = 1,
                                 .label = PROTOBUF_C_LABEL_NONE,
                                 .type = PROTOBUF_C_TYPE_INT32,
                                 .flags = PROTOBUF_C_FIELD_FLAG_ONEOF};
    schema_field members[2] = {member, member};
    ProtobufCMessageDescriptor *type;
    ProtobufCMessage *message;
    pbt_buffer buffer = {0};
    size_t size;
    members[1].number = 3;
    type = schema_make(&a, "test.Gap", members, 2);
    message = message_empty(&a, type);
    *(uint32_t *) message_member(message, type->fields->quantifier_offset) = 2;
    expect_status("marshal", pbt_marshal(message, NULL, &buffer), PBT_OK);
    expect_number("bytes", buffer.len, 0);
    expect_status("size", pbt_size(message, NULL, &size), PBT_OK);
    pbt_buffer_free(&buffer);
    pbt_forget(type);
    arena_free(&a);
}

/* The rows that have nothing to count. */
static bool is_only_for_marshal(size_t op) {
    return op == PBTI_OP_ROOM || op == PBTI_OP_RESUME;
}

START_TEST(every_kind_of_row_is_met_by_the_fast_road) {
    uint64_t seed;
    size_t op;
    reset_trace();
    for (seed = 0; seed < 300; seed++)
        run_seed(16000000 + seed);
    run_case_in_gap();
    ck_assert_uint_gt(pbti_trace_counts.fast_calls, 600);
    ck_assert_uint_eq(pbti_trace_counts.reflect_calls, 0);
    for (op = 0; op < PBTI_N_OPS; op++) {
        ck_assert_msg(pbti_trace_counts.marshal_ops[op] > 0,
                      "marshal never met a row \"%s\"", op_names[op]);
        ck_assert_msg(pbti_trace_counts.size_ops[op] > 0 ||
                          is_only_for_marshal(op),
                      "size never met a row \"%s\"", op_names[op]);
    }
}
END_TEST

START_TEST(a_type_without_a_table_goes_by_reflection) {
    C2__S1 s1 = C2__S1__INIT;
    pbt_buffer buffer = {0};
    size_t size = 1;
    meter m;
    pbt_options options = {0};
    meter_init(&m);
    options.allocator = &m.allocator;
    pbt_forget(&c2__s1__descriptor);
    reset_trace();
    malloc_fail_at(0);
    expect_status("marshal", pbt_marshal(&s1.base, &options, &buffer), PBT_OK);
    malloc_fail_at(0);
    expect_status("size", pbt_size(&s1.base, &options, &size), PBT_OK);
    malloc_fail_at(-1);
    ck_assert_uint_eq(pbti_trace_counts.reflect_calls, 2);
    ck_assert_uint_eq(pbti_trace_counts.fast_calls, 0);
    expect_status("marshal", pbt_marshal(&s1.base, &options, &buffer), PBT_OK);
    ck_assert_uint_eq(pbti_trace_counts.reflect_calls, 2);
    ck_assert_uint_eq(pbti_trace_counts.fast_calls, 1);
    pbt_buffer_free(&buffer);
}
END_TEST

/* Steps that a level takes for a thousand packed elements. */
static void expected_steps(unsigned *bools, unsigned *ints) {
    const char *level = pbt_cpu_level();
    *bools = strcmp(level, "portable") == 0 ? 0 : 1000 / 8;
    *ints = strcmp(level, "neon") == 0 ? 1000 / 8 : 0;
    if (strncmp(level, "x86-64-v", strlen("x86-64-v")) == 0)
        *bools = *ints = (1000 + 15) / 16;
}

START_TEST(packed_arrays_are_vector_work) {
    int32_t numbers[1000];
    C2__Rep rep = C2__REP__INIT;
    pbt_buffer buffer = {0};
    unsigned bool_steps, int_steps;
    int i;
    expected_steps(&bool_steps, &int_steps);
    for (i = 0; i < 1000; i++)
        numbers[i] = i;
    reset_trace();
    rep.n_pb = 1000;
    rep.pb = numbers;
    expect_status("bools", pbt_marshal(&rep.base, NULL, &buffer), PBT_OK);
    ck_assert_uint_eq(pbti_trace_counts.vector_steps, bool_steps);
    rep.n_pb = 0;
    rep.n_pi = 1000;
    rep.pi = numbers;
    expect_status("ints", pbt_marshal(&rep.base, NULL, &buffer), PBT_OK);
    ck_assert_uint_eq(pbti_trace_counts.vector_steps, bool_steps + int_steps);
    pbt_buffer_free(&buffer);
}
END_TEST

enum { MAX_DEPTH = 1000 };

/* Rows that one call of marshal and one of each other kind meet in a chain. */
static void expect_linear(uint32_t depth) {
    static C2__Node nodes[MAX_DEPTH + 1];
    const C2__Node node = C2__NODE__INIT;
    pbt_buffer buffer = {0};
    arena a = {0};
    collector sink;
    struct iovec *vec;
    uint32_t i;
    size_t n;
    for (i = 0; i <= depth; i++) {
        nodes[i] = node;
        nodes[i].n = i < depth ? &nodes[i + 1] : NULL;
    }
    reset_trace();
    expect_context("depth %u", (unsigned) depth);
    expect_status("size", pbt_size(&nodes->base, NULL, &n), PBT_OK);
    expect_number("messages sized", pbti_trace_counts.size_ops[PBTI_OP_MESSAGE],
                  depth);
    expect_status("marshal", pbt_marshal(&nodes->base, NULL, &buffer), PBT_OK);
    collector_init(&sink, &a, n);
    expect_status("sink", pbt_marshal_to_sink(&nodes->base, NULL, &sink.sink),
                  PBT_OK);
    expect_status("iovec",
                  pbt_marshal_iovec(&nodes->base, NULL, &buffer, &vec, &n),
                  PBT_OK);
    expect_number("messages marshaled",
                  pbti_trace_counts.marshal_ops[PBTI_OP_MESSAGE],
                  (uint64_t) 3 * depth);
    expect_number("messages sized by marshal",
                  pbti_trace_counts.size_ops[PBTI_OP_MESSAGE], depth);
    expect_number("calls by reflection", pbti_trace_counts.reflect_calls, 0);
    pbt_buffer_free(&buffer);
    arena_free(&a);
}

START_TEST(nested_messages_are_visited_once) {
    expect_linear(10);
    expect_linear(100);
    expect_linear(MAX_DEPTH);
}
END_TEST

#ifdef PBTI_SHRINK
enum { MOST_PIECES = 5 }; /* the first block is tiny, the next ones double */
#else
enum { MOST_PIECES = 2 };
#endif

START_TEST(sinks_get_large_pieces) {
    int32_t numbers[1000] = {0};
    C2__Rep rep = C2__REP__INIT;
    arena a = {0};
    collector sink;
    rep.n_pi = rep.n_i = 1000;
    rep.pi = rep.i = numbers;
    collector_init(&sink, &a, 4000);
    expect_status("sink", pbt_marshal_to_sink(&rep.base, NULL, &sink.sink),
                  PBT_OK);
    ck_assert_uint_le(sink.n_pieces, MOST_PIECES);
    arena_free(&a);
}
END_TEST

Suite *trace_suite(void) {
    Suite *suite = suite_create("trace");
    TCase *tests = tcase_create("trace");
    tcase_add_test(tests, every_kind_of_row_is_met_by_the_fast_road);
    tcase_add_test(tests, a_type_without_a_table_goes_by_reflection);
    tcase_add_test(tests, packed_arrays_are_vector_work);
    tcase_add_test(tests, nested_messages_are_visited_once);
    tcase_add_test(tests, sinks_get_large_pieces);
    suite_add_tcase(suite, tests);
    return suite;
}
