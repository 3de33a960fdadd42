/* test_dropin_memory.c - the original allocates nothing, so no lack of memory
 * may show: each allocation fails in turn, and then all of them do. */
#include <string.h>

#include "cases2.pb-c.h"
#include "dropin_same.h"
#include "suites.h"
#include "support_expect.h"
#include "support_memory.h"
#include "support_message.h"
#include "support_output.h"

enum { N_SEEDS = 6, DEPTH = 40, MAX_CALLS = 400 };

/* One message with what the original makes of it, and room for what the
 * library does: nothing else is allocated meanwhile. */
typedef struct subject {
    const ProtobufCMessage *message;
    packed want;
    uint8_t *out;
    dropin_buffer buffer;
    bool complete;
} subject;

static void make_subject(subject *s, arena *a,
                         const ProtobufCMessage *message) {
    s->message = message;
    s->want = packed_by_protobuf_c(a, message);
    s->out = arena_alloc(a, s->want.len + 1);
    dropin_buffer_init(&s->buffer, a, s->want.len);
    s->complete = protobuf_c_message_check(message);
}

static bool holds(const subject *s, const uint8_t *bytes) {
    return s->want.len == 0 || memcmp(bytes, s->want.bytes, s->want.len) == 0;
}

/* What went wrong, or NULL. */
static const char *run(subject *s) {
    const ProtobufCMessage *m = s->message;
    if (dropin_size(m) != s->want.len)
        return "size";
    memset(s->out, 0, s->want.len);
    if (dropin_pack(m, s->out) != s->want.len || !holds(s, s->out))
        return "pack";
    memset(s->buffer.bytes, 0, s->want.len);
    s->buffer.len = 0;
    if (dropin_pack_to_buffer(m, &s->buffer.base) != s->want.len ||
        s->buffer.len != s->want.len || !holds(s, s->buffer.bytes))
        return "pack_to_buffer";
    return (dropin_check(m) != 0) != s->complete ? "check" : NULL;
}

/* Fails one allocation after the other, with tables and without. */
static void fail_in_turn(subject *s, bool forget) {
    const ProtobufCMessageDescriptor *type = s->message->descriptor;
    const char *wrong;
    long n, calls = 1;
    dropin_use(DROPIN_TABLES);
    for (n = 0; n < calls && n < MAX_CALLS; n++) {
        if (forget)
            pbt_forget(type);
        malloc_fail_at(n);
        wrong = run(s);
        calls = malloc_calls();
        malloc_fail_at(-1);
        expect_context("allocation %ld", n);
        expect_true(wrong ? wrong : "results", !wrong);
    }
    if (forget)
        pbt_forget(type);
    malloc_limit(0);
    wrong = run(s);
    malloc_limit(SIZE_MAX);
    expect_true(wrong ? wrong : "without any memory", !wrong);
}

START_TEST(random_messages) {
    arena a = {0};
    rng r = {(uint64_t) _i};
    schema_params params = schema_random_params(&r);
    message_params m = {.depth = 6, .budget = 300};
    schema s;
    subject one;
    size_t i;
    params.groups = 0;
    schema_random(&s, &a, &r, &params);
    dropin_use(DROPIN_TABLES);
    make_subject(&one, &a, message_random(&a, &r, &m, s.types[0]));
    fail_in_turn(&one, true);
    fail_in_turn(&one, false);
    for (i = 0; i < s.n_types; i++)
        pbt_forget(s.types[i]);
    arena_free(&a);
}
END_TEST

/* Frames and blocks beyond those that the stack holds. */
START_TEST(a_deep_and_a_large_message) {
    arena a = {0};
    C2__Node nodes[DEPTH];
    C2__Rep rep = C2__REP__INIT;
    subject one;
    size_t i;
    for (i = 0; i < DEPTH; i++) {
        c2__node__init(&nodes[i]);
        nodes[i].n = i + 1 < DEPTH ? &nodes[i + 1] : NULL;
    }
    make_subject(&one, &a, &nodes[0].base);
    fail_in_turn(&one, true);
    rep.n_i = 20000;
    rep.i = arena_alloc(&a, rep.n_i * sizeof *rep.i);
    memset(rep.i, 0x5a, rep.n_i * sizeof *rep.i);
    make_subject(&one, &a, &rep.base);
    fail_in_turn(&one, false);
    arena_free(&a);
}
END_TEST

START_TEST(nothing_is_kept) {
    arena a = {0};
    C2__Rep rep = C2__REP__INIT;
    subject one;
    bool right;
    long live;
    int i;
    rep.n_i = 20000;
    rep.i = arena_alloc(&a, rep.n_i * sizeof *rep.i);
    make_subject(&one, &a, &rep.base);
    dropin_use(DROPIN_TABLES);
    right = !run(&one);
    live = malloc_live();
    for (i = 0; i < 10; i++)
        right = !run(&one) && right;
    live = malloc_live() - live;
    ck_assert(right);
    ck_assert_int_eq(live, 0);
    arena_free(&a);
}
END_TEST

Suite *dropin_memory_suite(void) {
    Suite *suite = suite_create("dropin_memory");
    TCase *tests = tcase_create("dropin_memory");
    tcase_add_loop_test(tests, random_messages, 0, N_SEEDS);
    tcase_add_test(tests, a_deep_and_a_large_message);
    tcase_add_test(tests, nothing_is_kept);
    suite_add_tcase(suite, tests);
    return suite;
}
