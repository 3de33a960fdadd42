/* test_broken.c - random messages with one bad pointer or string: both roads
 * and all forms of output give the same error at the same place. */
#include <string.h>

#include "suites.h"
#include "support_expect.h"
#include "support_road.h"
#include "support_slots.h"

enum { N_SEEDS = 300, N_MESSAGES = 2, N_BREAKS = 3 };

static const pbt_status expected_status[N_SLOT_KINDS] = {
    [SLOT_REQUIRED] = PBT_ERR_REQUIRED,
    [SLOT_ARRAY] = PBT_ERR_BAD_MESSAGE,
    [SLOT_ELEMENT] = PBT_ERR_BAD_MESSAGE,
    [SLOT_DATA] = PBT_ERR_BAD_MESSAGE,
    [SLOT_DESCRIPTOR] = PBT_ERR_BAD_MESSAGE,
    [SLOT_UNKNOWN_ARRAY] = PBT_ERR_BAD_MESSAGE,
    [SLOT_UNKNOWN_DATA] = PBT_ERR_BAD_MESSAGE,
    [SLOT_STRING] = PBT_ERR_UTF8,
};

/* How often each kind of slot was broken, to see that the seeds reach all. */
static unsigned n_broken[N_SLOT_KINDS];

static const uint32_t other_flags[] = {0, PBT_DELIMITED, PBT_CONFORMANT};

static void expect_broken(const ProtobufCMessage *message, slot_kind kind,
                          uint32_t flags) {
    pbt_options options = {0};
    if (kind == SLOT_STRING)
        flags |= PBT_VALIDATE_UTF8;
    expect_status("broken message", roads_compare(message, flags),
                  expected_status[kind]);
    options.flags = flags;
    expect_status("validate", pbt_validate(message, &options),
                  expected_status[kind]);
}

/* The roads must agree on these, too, whatever the outcome: the bad pointer
 * may be in what is left out. */
static void compare_with_all_flags(const ProtobufCMessage *message) {
    roads_compare(message, PBT_ALLOW_PARTIAL | PBT_DETERMINISTIC);
    roads_compare(message, PBT_DETERMINISTIC | PBT_VALIDATE_UTF8);
    roads_compare(message, PBT_DISCARD_UNKNOWN);
}

static void break_slot(ProtobufCMessage *message, rng *r, slot_kind kind,
                       void *slot, const char *where) {
    static const char bad_text[] = "good \xf4\x90\x80\x80";
    void *former = slot_get(slot);
    expect_context("%s, slot kind %d", where, (int) kind);
    slot_set(slot, kind == SLOT_STRING ? bad_text : NULL);
    expect_broken(message, kind, other_flags[rng_below(r, 3)]);
    compare_with_all_flags(message);
    slot_set(slot, former);
    n_broken[kind]++;
}

static void break_message(arena *a, rng *r, ProtobufCMessage *message,
                          const char *where) {
    slot_list list = {0};
    slot_kind kind;
    int i;
    for (kind = 0; kind < N_SLOT_KINDS; kind++) {
        slots_collect(&list, a, message, kind);
        for (i = 0; i < N_BREAKS && list.n > 0; i++)
            break_slot(message, r, kind,
                       list.slots[rng_below(r, (uint32_t) list.n)], where);
    }
}

START_TEST(both_roads_report_the_same_place) {
    arena a = {0};
    rng r = {5000000 + (uint64_t) _i};
    schema_params params = schema_random_params(&r);
    schema s;
    size_t i;
    schema_random(&s, &a, &r, &params);
    for (i = 0; i < N_MESSAGES; i++) {
        message_params m = {.complete = true, .valid_utf8 = true};
        uint32_t pick = rng_below(&r, params.n_types);
        m.depth = rng_below(&r, 6);
        m.budget = 10 + rng_below(&r, 100);
        break_message(&a, &r, message_random(&a, &r, &m, s.types[pick]),
                      arena_format(&a, "seed %d, message %zu", _i, i));
    }
    for (i = 0; i < s.n_types; i++)
        pbt_forget(s.types[i]);
    arena_free(&a);
}
END_TEST

START_TEST(every_kind_of_slot_was_broken) {
    slot_kind kind;
    expect_context("after all seeds");
    for (kind = 0; kind < N_SLOT_KINDS; kind++)
        ck_assert_msg(n_broken[kind] > 20, "slot kind %d broken %u times",
                      (int) kind, n_broken[kind]);
}
END_TEST

Suite *broken_suite(void) {
    Suite *suite = suite_create("broken");
    TCase *tests = tcase_create("broken");
    tcase_add_loop_test(tests, both_roads_report_the_same_place, 0, N_SEEDS);
    tcase_add_test(tests, every_kind_of_slot_was_broken);
    suite_add_tcase(suite, tests);
    return suite;
}
