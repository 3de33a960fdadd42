/* test_groups_random.c - random messages with groups: both roads agree, in
 * every form of output, and the bytes are those of the same message without
 * groups, rewritten. */
#include "suites.h"
#include "support_expect.h"
#include "support_groups.h"
#include "support_message.h"
#include "support_road.h"

enum { N_SEEDS = 300, MESSAGES = 4 };

static const uint32_t flag_sets[] = {
    0,
    PBT_ALLOW_PARTIAL,
    PBT_ALLOW_PARTIAL | PBT_DELIMITED | PBT_DISCARD_UNKNOWN,
    PBT_ALLOW_PARTIAL | PBT_CONFORMANT,
    PBT_ALLOW_PARTIAL | PBT_DETERMINISTIC,
    PBT_DETERMINISTIC | PBT_CONFORMANT | PBT_VALIDATE_UTF8};
enum { N_FLAG_SETS = sizeof flag_sets / sizeof *flag_sets };

static void make_schema(schema *s, arena *a, rng *r, uint32_t groups) {
    schema_params params = schema_random_params(r);
    params.groups = groups;
    schema_random(s, a, r, &params);
}

static void forget_all(const schema *s) {
    size_t i;
    for (i = 0; i < s->n_types; i++)
        pbt_forget(s->types[i]);
}

static ProtobufCMessage *draw_message(const schema *s, message_params *m) {
    uint32_t pick = rng_below(s->rng, s->params.n_types);
    return message_random(s->arena, s->rng, m, s->types[pick]);
}

START_TEST(both_roads_agree) {
    arena a = {0};
    rng r = {31000000 + (uint64_t) _i};
    message_params m = {.depth = 6, .budget = 150, .complete = _i % 2};
    schema s;
    int i;
    make_schema(&s, &a, &r, 1 + rng_below(&r, 100));
    expect_context("seed %d", _i);
    if (rng_chance(&r, 30)) {
        m.foreign = s.types;
        m.n_foreign = s.params.n_types;
    }
    for (i = 0; i < N_FLAG_SETS; i++)
        (void) roads_compare(draw_message(&s, &m), flag_sets[i]);
    forget_all(&s);
    arena_free(&a);
}
END_TEST

static void compare_rewritten(const schema *s, const ProtobufCMessage *message,
                              uint32_t flags) {
    const pbt_options options = {.flags = flags | PBT_ALLOW_PARTIAL |
                                          PBT_DISCARD_UNKNOWN};
    pbt_buffer plain = {0};
    packed want;
    groups_hide(s->arena, s->types, s->n_types);
    expect_status("without groups", pbt_marshal(message, &options, &plain),
                  PBT_OK);
    groups_show(s->types, s->n_types);
    want = groups_rewrite(s->arena, message->descriptor, plain.data, plain.len);
    roads_expect(message, options.flags, want.bytes, want.len);
    pbt_buffer_free(&plain);
}

START_TEST(groups_differ_from_messages_by_their_tags_only) {
    arena a = {0};
    rng r = {32000000 + (uint64_t) _i};
    message_params m = {.depth = 6, .budget = 150};
    schema s;
    int i;
    make_schema(&s, &a, &r, 1 + rng_below(&r, 100));
    expect_context("seed %d", _i);
    for (i = 0; i < MESSAGES; i++)
        compare_rewritten(&s, draw_message(&s, &m),
                          i % 2 ? PBT_DETERMINISTIC | PBT_CONFORMANT : 0);
    forget_all(&s);
    arena_free(&a);
}
END_TEST

Suite *groups_random_suite(void) {
    Suite *suite = suite_create("groups_random");
    TCase *tests = tcase_create("groups_random");
    tcase_set_timeout(tests, 600);
    tcase_add_loop_test(tests, both_roads_agree, 0, N_SEEDS);
    tcase_add_loop_test(tests, groups_differ_from_messages_by_their_tags_only,
                        0, N_SEEDS);
    suite_add_tcase(suite, tests);
    return suite;
}
