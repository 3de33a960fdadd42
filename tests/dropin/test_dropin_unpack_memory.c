/* test_dropin_unpack_memory.c - each allocation of unpack fails in turn; and
 * messages that are deep, wide or long. */
#include <stdlib.h>
#include <string.h>

#include "cases2.pb-c.h"
#include "cases3.pb-c.h"
#include "dropin_unpack.h"
#include "fuzz_gen.h"
#include "suites.h"
#include "support_expect.h"
#include "support_memory.h"
#include "support_schema.h"
#include "support_set.h"

enum { N_SEEDS = 8, DEPTH = 60, ROWS = 40, VERY_DEEP = 200000 };

/* A field with a length. */
static void put_text(fuzz_bytes *out, uint32_t number, const void *text,
                     size_t len) {
    fuzz_append_varint(out, (uint64_t) number << 3 | 2, 0);
    fuzz_append_varint(out, len, 0);
    fuzz_append(out, text, len);
}

static void put_number(fuzz_bytes *out, uint32_t number, uint64_t value) {
    fuzz_append_varint(out, (uint64_t) number << 3, 0);
    fuzz_append_varint(out, value, 0);
}

START_TEST(random_messages) {
    const fuzz_shape shape = {.fields = 30, .depth = 4};
    rng r = {(uint64_t) _i};
    size_t i, n;
    for (i = 0; i < n_set_compiled; i++)
        for (n = 0; set_compiled_all[i].roots[n]; n++) {
            const ProtobufCMessageDescriptor *type =
                set_compiled_all[i].roots[n];
            fuzz_bytes bytes = {0};
            fuzz_message(&bytes, &r, type, &shape);
            expect_context("seed %d, type %s", _i, type->name);
            if (dropin_expect_unpack_all(type, bytes.data, bytes.len))
                dropin_expect_little_memory(type, bytes.data, bytes.len);
            fuzz_free(&bytes);
        }
}
END_TEST

/* Arrays that take turns all grow, more of them than have a place at first;
 * unknown fields, too. */
START_TEST(arrays_that_take_turns) {
    fuzz_bytes bytes = {0};
    uint32_t i, k;
    for (i = 0; i < ROWS; i++) {
        put_text(&bytes, 1, "text", 4);
        put_text(&bytes, 2, "bytes", i % 6);
        put_text(&bytes, 3, "\x0a\x01n\x10\x05", 5);
        for (k = 4; k <= 6; k++)
            put_number(&bytes, k, i);
        put_text(&bytes, 7, "\1\2\3\4\5\6\7", 4);
        put_number(&bytes, 8, i & 1);
        put_text(&bytes, 9, "\1\1\0", 3);
        put_text(&bytes, 10, "\x80\1\0", 3);
        put_number(&bytes, 50, i);
        put_text(&bytes, 51, "", 0);
    }
    ck_assert(
        dropin_expect_unpack_all(&c2__rep__descriptor, bytes.data, bytes.len));
    dropin_expect_little_memory(&c2__rep__descriptor, bytes.data, bytes.len);
    fuzz_free(&bytes);
}
END_TEST

/* Levels of n around a number. */
static void put_levels(fuzz_bytes *out, size_t levels) {
    size_t i;
    put_number(out, 2, 7);
    for (i = 0; i < levels; i++) {
        fuzz_insert_length(out, 0);
        fuzz_insert(out, 0, "\x0a", 1);
    }
}

START_TEST(a_deep_message) {
    fuzz_bytes bytes = {0};
    put_levels(&bytes, DEPTH);
    ck_assert(
        dropin_expect_unpack_all(&c2__node__descriptor, bytes.data, bytes.len));
    dropin_expect_little_memory(&c2__node__descriptor, bytes.data, bytes.len);
    /* twice the same: merged at each level */
    fuzz_append(&bytes, bytes.data, bytes.len);
    ck_assert(
        dropin_expect_unpack_all(&c2__node__descriptor, bytes.data, bytes.len));
    dropin_expect_little_memory(&c2__node__descriptor, bytes.data, bytes.len);
    fuzz_free(&bytes);
}
END_TEST

/* The nodes of a chain, from its depth up: lengths cannot be put in front one
 * by one for so many. */
static void put_chain(fuzz_bytes *out, size_t levels) {
    size_t i, len = 2;
    size_t *lens = malloc(levels * sizeof *lens);
    ck_assert_ptr_nonnull(lens);
    for (i = levels; i > 0; i--) {
        size_t prefix = len < 0x80       ? 1
                        : len < 0x4000   ? 2
                        : len < 0x200000 ? 3
                                         : 4;
        lens[i - 1] = len;
        len += 1 + prefix;
    }
    for (i = 0; i < levels; i++) {
        fuzz_append(out, "\x0a", 1);
        fuzz_append_varint(out, lens[i], 0);
    }
    put_number(out, 2, 7);
    free(lens);
}

/* The original has a limit, the stack; here there is none. */
START_TEST(a_message_deeper_than_the_stack) {
    const dropin_mode modes[] = {DROPIN_TABLES, DROPIN_OFF};
    fuzz_bytes bytes = {0};
    meter m;
    C2__Node *node;
    const C2__Node *n;
    size_t depth = 0;
    put_chain(&bytes, VERY_DEEP);
    if (_i & 1)
        put_chain(&bytes, VERY_DEEP);
    dropin_use(modes[_i >> 1]);
    meter_init(&m);
    node = (C2__Node *) dropin_unpack(&c2__node__descriptor, &m.allocator,
                                      bytes.len, bytes.data);
    ck_assert_ptr_nonnull(node);
    for (n = node; n->n; n = n->n)
        depth++;
    ck_assert_uint_eq(depth, VERY_DEEP);
    ck_assert(n->has_v && n->v == 7);
    dropin_free_unpacked(&node->base, &m.allocator);
    ck_assert_int_eq(m.n_live, 0);
    /* what is damaged at the bottom is freed as well */
    bytes.data[bytes.len - 1] = 0xff;
    ck_assert_ptr_null(dropin_unpack(&c2__node__descriptor, &m.allocator,
                                     bytes.len, bytes.data));
    ck_assert_int_eq(m.n_live, 0);
    dropin_use(DROPIN_TABLES);
    fuzz_free(&bytes);
}
END_TEST

/* The allocator gets as much as an array needs, whether it is counted first or
 * grows. */
START_TEST(no_more_memory_than_the_original) {
    fuzz_bytes bytes = {0};
    ProtobufCMessage *message;
    meter m;
    size_t largest;
    uint32_t i;
    for (i = 0; i < 1000; i++)
        put_number(&bytes, 5, i);
    meter_init(&m);
    message = protobuf_c_message_unpack(&c2__rep__descriptor, &m.allocator,
                                        bytes.len, bytes.data);
    protobuf_c_message_free_unpacked(message, &m.allocator);
    largest = sizeof(int32_t) * 1000;
    ck_assert_uint_ge(m.largest, largest);
    meter_init(&m);
    message = dropin_unpack(&c2__rep__descriptor, &m.allocator, bytes.len,
                            bytes.data);
    dropin_free_unpacked(message, &m.allocator);
    ck_assert_uint_eq(m.largest, largest);
    ck_assert_int_eq(m.n_calls, 2);
    fuzz_free(&bytes);
}
END_TEST

Suite *dropin_unpack_memory_suite(void) {
    Suite *suite = suite_create("dropin_unpack_memory");
    TCase *tests = tcase_create("dropin_unpack_memory");
    tcase_add_loop_test(tests, random_messages, 0, N_SEEDS);
    tcase_add_test(tests, arrays_that_take_turns);
    tcase_add_test(tests, a_deep_message);
    tcase_add_loop_test(tests, a_message_deeper_than_the_stack, 0, 4);
    tcase_add_test(tests, no_more_memory_than_the_original);
    suite_add_tcase(suite, tests);
    return suite;
}
