/* test_differential.c - random messages of random types against protobuf-c,
 * and one road against the other. The loop number is the seed. */
#include <string.h>

#include "suites.h"
#include "support_expect.h"
#include "support_message.h"
#include "support_output.h"
#include "support_road.h"

enum { N_SEEDS = 400, N_MESSAGES = 4, N_BIG_SEEDS = 12 };

static const uint32_t flag_sets[] = {
    PBT_DELIMITED,
    PBT_DETERMINISTIC,
    PBT_CONFORMANT,
    PBT_VALIDATE_UTF8,
    PBT_CONFORMANT | PBT_DETERMINISTIC,
    PBT_DISCARD_UNKNOWN | PBT_DELIMITED | PBT_DETERMINISTIC,
    PBT_DISCARD_UNKNOWN | PBT_DETERMINISTIC | PBT_CONFORMANT |
        PBT_VALIDATE_UTF8 | PBT_DELIMITED,
};

static message_params draw_message_params(rng *r, const schema *s) {
    message_params params = {0};
    params.depth = rng_below(r, 7);
    params.budget = 20 + rng_below(r, 400);
    params.complete = rng_chance(r, 60);
    params.valid_utf8 = rng_chance(r, 50);
    params.long_arrays = rng_chance(r, 20);
    if (rng_chance(r, 30)) {
        params.foreign = s->types;
        params.n_foreign = s->n_types;
    }
    return params;
}

static void remove_unknown(ProtobufCMessage *message);

static void remove_unknown_below(ProtobufCMessage *message,
                                 const ProtobufCFieldDescriptor *f) {
    void *member = message_member(message, f->offset);
    size_t n = 1, i;
    ProtobufCMessage **sub = member;
    if (f->type != PROTOBUF_C_TYPE_MESSAGE)
        return;
    if (f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF &&
        *(uint32_t *) message_member(message, f->quantifier_offset) != f->id)
        return;
    if (f->label == PROTOBUF_C_LABEL_REPEATED) {
        sub = *(ProtobufCMessage ***) member;
        n = *(size_t *) message_member(message, f->quantifier_offset);
    }
    for (i = 0; i < n; i++)
        if (sub[i])
            remove_unknown(sub[i]);
}

static void remove_unknown(ProtobufCMessage *message) {
    const ProtobufCMessageDescriptor *type = message->descriptor;
    unsigned i;
    message->n_unknown_fields = 0;
    for (i = 0; i < type->n_fields; i++)
        remove_unknown_below(message, &type->fields[i]);
}

/* Changes the message. */
static void compare_without_unknown(arena *a, ProtobufCMessage *message) {
    pbt_options options = {0};
    pbt_buffer buffer = {0};
    packed want;
    options.flags = PBT_ALLOW_PARTIAL | PBT_DISCARD_UNKNOWN;
    expect_status("without unknown fields",
                  pbt_marshal(message, &options, &buffer), PBT_OK);
    remove_unknown(message);
    want = packed_by_protobuf_c(a, message);
    expect_bytes("without unknown fields", buffer.data, buffer.len, want.bytes,
                 want.len);
    pbt_buffer_free(&buffer);
}

/* pbt_validate and protobuf_c_message_check on a message whose only flaw can
 * be a missing required field. */
static void compare_checks(const ProtobufCMessage *message, bool complete) {
    pbt_options partial = {0};
    partial.flags = PBT_ALLOW_PARTIAL;
    expect_status("validate a partial message", pbt_validate(message, &partial),
                  PBT_OK);
    expect_status("validate", pbt_validate(message, NULL),
                  complete ? PBT_OK : PBT_ERR_REQUIRED);
    if (complete || !message_holds_foreign(message))
        expect_status("check_required", pbt_check_required(message, NULL),
                      complete ? PBT_OK : PBT_ERR_REQUIRED);
}

static void compare_message(arena *a, ProtobufCMessage *message) {
    packed want = packed_by_protobuf_c(a, message);
    bool complete = protobuf_c_message_check(message);
    size_t i;
    roads_expect(message, PBT_ALLOW_PARTIAL, want.bytes, want.len);
    compare_checks(message, complete);
    expect_status("with the default flags", roads_compare(message, 0),
                  complete ? PBT_OK : PBT_ERR_REQUIRED);
    for (i = 0; i < sizeof flag_sets / sizeof *flag_sets; i++) {
        roads_compare(message, flag_sets[i] | PBT_ALLOW_PARTIAL);
        if (complete)
            roads_compare(message, flag_sets[i]);
    }
    compare_without_unknown(a, message);
}

static void compare_schema(arena *a, rng *r, const schema_params *params,
                           int seed) {
    schema s;
    size_t i;
    schema_random(&s, a, r, params);
    for (i = 0; i < N_MESSAGES; i++) {
        uint32_t pick = rng_below(r, params->n_types);
        message_params m = draw_message_params(r, &s);
        expect_context("seed %d, message %zu, type %u", seed, i,
                       (unsigned) pick);
        compare_message(a, message_random(a, r, &m, s.types[pick]));
    }
    for (i = 0; i < s.n_types; i++)
        pbt_forget(s.types[i]);
}

START_TEST(random_messages_match_protobuf_c) {
    arena a = {0};
    rng r = {(uint64_t) _i};
    schema_params params = schema_random_params(&r);
    compare_schema(&a, &r, &params, _i);
    arena_free(&a);
}
END_TEST

START_TEST(types_of_thousands_of_fields_match_protobuf_c) {
    arena a = {0};
    rng r = {1000000 + (uint64_t) _i};
    schema_params params = {.n_types = 2, .max_fields = 4000};
    params.syntax = (schema_syntax) (_i % 3);
    params.big_structs = _i % 4 == 3;
    compare_schema(&a, &r, &params, _i);
    arena_free(&a);
}
END_TEST

Suite *differential_suite(void) {
    Suite *suite = suite_create("differential");
    TCase *tests = tcase_create("differential");
    tcase_add_loop_test(tests, random_messages_match_protobuf_c, 0, N_SEEDS);
    tcase_add_loop_test(tests, types_of_thousands_of_fields_match_protobuf_c, 0,
                        N_BIG_SEEDS);
    suite_add_tcase(suite, tests);
    return suite;
}
