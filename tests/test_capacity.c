/* test_capacity.c - marshal_into with every capacity from 0 to one more than
 * the message needs, between guard bytes, on both roads. */
#include <string.h>

#include "suites.h"
#include "support_expect.h"
#include "support_message.h"
#include "support_output.h"

enum { N_SEEDS = 40, N_GUARD = 64, GUARD = 0xa5, MAX_LEN = 1500 };

static const uint32_t flag_sets[] = {
    PBT_ALLOW_PARTIAL, PBT_ALLOW_PARTIAL | PBT_DELIMITED,
    PBT_ALLOW_PARTIAL | PBT_DETERMINISTIC | PBT_CONFORMANT};

typedef pbt_status marshal_into(const ProtobufCMessage *message,
                                const pbt_options *options, void *out,
                                size_t cap, size_t *len);

static pbt_status reflect_into(const ProtobufCMessage *message,
                               const pbt_options *options, void *out,
                               size_t cap, size_t *len) {
    return pbt_reflect_marshal_into(&pbt_reflection_protobuf_c, message,
                                    options, out, cap, len);
}

static void expect_guard(const char *what, const uint8_t *bytes) {
    size_t i;
    for (i = 0; i < N_GUARD; i++)
        expect_true(what, bytes[i] == GUARD);
}

static void try_capacity(marshal_into *into, const ProtobufCMessage *message,
                         const pbt_options *options, size_t cap,
                         const pbt_buffer *want) {
    arena a = {0};
    uint8_t *block = arena_alloc(&a, cap + 2 * N_GUARD);
    uint8_t *out = block + N_GUARD;
    size_t len = SIZE_MAX;
    pbt_status status;
    memset(block, GUARD, cap + 2 * N_GUARD);
    status = into(message, options, out, cap, &len);
    expect_status("into", status, cap < want->len ? PBT_ERR_NO_SPACE : PBT_OK);
    expect_number("length", len, want->len);
    if (status == PBT_OK)
        expect_bytes("into", out, len, want->data, want->len);
    expect_guard("bytes before the output", block);
    expect_guard("bytes after the output", out + cap);
    arena_free(&a);
}

static void sweep(const ProtobufCMessage *message, uint32_t flags) {
    pbt_options options = {0};
    pbt_buffer want = {0};
    size_t cap;
    options.flags = flags;
    expect_status("marshal", pbt_marshal(message, &options, &want), PBT_OK);
    for (cap = 0; cap <= want.len + 1 && cap <= MAX_LEN; cap++) {
        try_capacity(pbt_marshal_into, message, &options, cap, &want);
        try_capacity(reflect_into, message, &options, cap, &want);
    }
    for (cap = want.len > 40 ? want.len - 40 : 0; cap <= want.len + 600; cap++)
        try_capacity(pbt_marshal_into, message, &options, cap, &want);
    pbt_buffer_free(&want);
}

START_TEST(every_capacity_of_random_messages) {
    arena a = {0};
    rng r = {7000000 + (uint64_t) _i};
    schema_params params = schema_random_params(&r);
    message_params m = {.depth = 4, .budget = 30};
    schema s;
    size_t i;
    schema_random(&s, &a, &r, &params);
    expect_context("seed %d", _i);
    for (i = 0; i < sizeof flag_sets / sizeof *flag_sets; i++)
        sweep(
            message_random(&a, &r, &m, s.types[rng_below(&r, params.n_types)]),
            flag_sets[i]);
    for (i = 0; i < s.n_types; i++)
        pbt_forget(s.types[i]);
    arena_free(&a);
}
END_TEST

START_TEST(no_memory_is_needed_for_no_bytes) {
    const ProtobufCMessageDescriptor *type;
    arena a = {0};
    size_t len = 1;
    type = schema_make(&a, "test.Empty", NULL, 0);
    expect_status(
        "into nothing",
        pbt_marshal_into(message_empty(&a, type), NULL, NULL, 0, &len), PBT_OK);
    expect_number("length", len, 0);
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

Suite *capacity_suite(void) {
    Suite *suite = suite_create("capacity");
    TCase *tests = tcase_create("capacity");
    tcase_add_loop_test(tests, every_capacity_of_random_messages, 0, N_SEEDS);
    tcase_add_test(tests, no_memory_is_needed_for_no_bytes);
    suite_add_tcase(suite, tests);
    return suite;
}
