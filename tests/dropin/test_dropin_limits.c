/* test_dropin_limits.c - what is too deep or too large for the tables is as the
 * original has it. Data that is only measured lies nowhere. */
#define _GNU_SOURCE
#include <string.h>

#include <sys/mman.h>

#include "cases2.pb-c.h"
#include "dropin_same.h"
#include "suites.h"
#include "support_expect.h"
#include "support_message.h"
#include "support_slots.h"

static void *const no_address = (void *) (uintptr_t) 8;

static void expect_same_size(const ProtobufCMessage *message) {
    size_t want = protobuf_c_message_get_packed_size(message), mode;
    for (mode = 0; mode < DROPIN_N_MODES; mode++) {
        dropin_use((dropin_mode) mode);
        expect_number("size", dropin_size(message), want);
    }
    dropin_use(DROPIN_TABLES);
}

START_TEST(lengths_around_the_powers_of_two) {
    C2__Opt opt = C2__OPT__INIT;
    unsigned bit;
    opt.has_b = 1;
    opt.b.data = no_address;
    for (bit = 7; bit < 40; bit++) {
        size_t i;
        for (i = 0; i < 7; i++) {
            opt.b.len = ((size_t) 1 << bit) + i - 3;
            expect_context("2^%u + %zu - 3 bytes", bit, i);
            expect_same_size(&opt.base);
        }
    }
}
END_TEST

START_TEST(counts_of_arrays_that_are_nowhere) {
    static const size_t counts[] = {1,
                                    1000,
                                    (size_t) 1 << 29,
                                    (size_t) 1 << 30,
                                    (size_t) 1 << 32,
                                    ((size_t) 1 << 33) + 7};
    C2__Rep rep = C2__REP__INIT;
    size_t i;
    for (i = 0; i < sizeof counts / sizeof *counts; i++) {
        rep.n_pf = rep.n_pb = counts[i];
        rep.pf = i % 2 ? no_address : NULL;
        rep.pb = i % 2 ? no_address : NULL;
        expect_context("%zu elements", counts[i]);
        expect_same_size(&rep.base);
    }
}
END_TEST

/* Of each call, the length and the first and the last byte. */
typedef struct digest {
    ProtobufCBuffer base;
    size_t len;
    uint64_t sum;
} digest;

static void take(ProtobufCBuffer *base, size_t len, const uint8_t *data) {
    digest *d = (digest *) base;
    size_t i;
    d->len += len;
    for (i = 0; i < len && len < 64; i++)
        d->sum = d->sum * 31 + data[i];
}

/* More than the tables write. The data is passed on where it lies, and never
 * read. The answer is the original's, which counts in 32 bits there. */
START_TEST(more_than_four_gigabytes_go_to_a_buffer) {
    const size_t len = (size_t) 1 << 31;
    void *data = mmap(NULL, len, PROT_READ,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    C2__Rep rep = C2__REP__INIT;
    ProtobufCBinaryData parts[3];
    size_t n, mode;
    ck_assert_ptr_ne(data, MAP_FAILED);
    for (n = 0; n < 3; n++)
        parts[n] = (ProtobufCBinaryData){len, data};
    rep.b = parts;
    for (n = 1; n <= 3; n++) {
        digest want = {.base = {take}};
        rep.n_b = n;
        size_t answer =
            protobuf_c_message_pack_to_buffer(&rep.base, &want.base);
        for (mode = 0; mode < DROPIN_N_MODES; mode++) {
            digest got = {.base = {take}};
            dropin_use((dropin_mode) mode);
            expect_context("%zu parts, mode %zu", n, mode);
            expect_number("pack_to_buffer",
                          dropin_pack_to_buffer(&rep.base, &got.base), answer);
            expect_number("appended", got.len, want.len);
            expect_number("small pieces", got.sum, want.sum);
        }
        expect_same_size(&rep.base);
    }
    dropin_use(DROPIN_TABLES);
    munmap(data, len);
}
END_TEST

static C2__Node *make_chain(arena *a, size_t depth) {
    C2__Node *nodes = arena_alloc(a, depth * sizeof *nodes);
    size_t i;
    for (i = 0; i < depth; i++) {
        c2__node__init(&nodes[i]);
        nodes[i].has_v = 1;
        nodes[i].v = (int32_t) i;
        nodes[i].n = i + 1 < depth ? &nodes[i + 1] : NULL;
    }
    return nodes;
}

START_TEST(twelve_thousand_levels) {
    arena a = {0};
    C2__Node *chain = make_chain(&a, 12000);
    dropin_expect_same(&chain->base, DROPIN_TABLES);
    arena_free(&a);
}
END_TEST

/* The original would end here, for want of stack. */
START_TEST(half_a_million_levels_take_no_stack) {
    arena a = {0};
    size_t depth = 500000, size;
    C2__Node *chain = make_chain(&a, depth);
    uint8_t *bytes;
    dropin_use(DROPIN_TABLES);
    size = dropin_size(&chain->base);
    ck_assert_uint_gt(size, 4 * depth);
    bytes = arena_alloc(&a, size);
    expect_number("pack", dropin_pack(&chain->base, bytes), size);
    arena_free(&a);
}
END_TEST

/* pack writes what is larger than its blocks may become in place. */
START_TEST(forty_megabytes_of_small_values) {
    arena a = {0};
    C2__Rep rep = C2__REP__INIT;
    size_t i;
    rep.n_pi = 5000000;
    rep.pi = arena_alloc(&a, rep.n_pi * sizeof *rep.pi);
    for (i = 0; i < rep.n_pi; i++)
        rep.pi[i] = i % 3 ? -(int32_t) i : (int32_t) i;
    dropin_expect_same(&rep.base, DROPIN_TABLES);
    arena_free(&a);
}
END_TEST

Suite *dropin_limits_suite(void) {
    Suite *suite = suite_create("dropin_limits");
    TCase *tests = tcase_create("dropin_limits");
    tcase_add_test(tests, lengths_around_the_powers_of_two);
    tcase_add_test(tests, counts_of_arrays_that_are_nowhere);
    tcase_add_test(tests, more_than_four_gigabytes_go_to_a_buffer);
    tcase_add_test(tests, twelve_thousand_levels);
    tcase_add_test(tests, half_a_million_levels_take_no_stack);
    tcase_add_test(tests, forty_megabytes_of_small_values);
    suite_add_tcase(suite, tests);
    return suite;
}
