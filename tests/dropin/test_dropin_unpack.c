/* test_dropin_unpack.c - random messages, whole and damaged, of random types,
 * of compiled ones and of those that are loaded at run time. */
#include <string.h>

#include "dropin_unpack.h"
#include "fuzz_gen.h"
#include "fuzz_target.h"
#include "suites.h"
#include "support_expect.h"
#include "support_schema.h"
#include "support_set.h"

enum { N_SCHEMAS = 60, N_MESSAGES = 12, N_ROUNDS = 8 };

/* What the tests of a suite have met. */
static unsigned long n_accepted, n_rejected;

/* A varint of any length up to twelve bytes, and of any bits. */
static void put_odd_varint(fuzz_bytes *out, rng *r, uint64_t value) {
    uint32_t len = 1 + rng_below(r, rng_chance(r, 80) ? 5 : 12), i;
    if (rng_chance(r, 70)) {
        fuzz_append_varint(out, value, rng_chance(r, 50) ? 0 : len);
        return;
    }
    for (i = 0; i + 1 < len; i++)
        fuzz_append_fixed(out, 0x80 | (rng_chance(r, 50) ? 0 : rng_next(r)), 1);
    fuzz_append_fixed(out, rng_next(r) & (rng_chance(r, 50) ? 0x7e : 0x7f), 1);
}

static void put_odd_message(fuzz_bytes *out, rng *r,
                            const ProtobufCMessageDescriptor *type,
                            uint32_t depth);

/* What follows a length: bytes, or a message for what should be one. */
static void put_odd_content(fuzz_bytes *out, rng *r,
                            const ProtobufCFieldDescriptor *field,
                            uint32_t depth) {
    fuzz_bytes content = {0};
    uint32_t n = rng_below(r, 12);
    if (field && field->type == PROTOBUF_C_TYPE_MESSAGE && depth > 0)
        put_odd_message(&content, r, field->descriptor, depth - 1);
    else
        while (n-- > 0)
            put_odd_varint(&content, r, rng_below(r, 3));
    put_odd_varint(out, r, content.len);
    fuzz_append(out, content.data, content.len);
    fuzz_free(&content);
}

/* A field whose wire type need not be its own, or whose number not be one. */
static void put_odd_field(fuzz_bytes *out, rng *r,
                          const ProtobufCMessageDescriptor *type,
                          uint32_t depth) {
    static const uint32_t own[] = {0, 2, 2, 2, 0, 1, 5, 0, 2};
    const ProtobufCFieldDescriptor *field = NULL;
    uint32_t wire_type = own[rng_below(r, 9)];
    uint64_t number = rng_next(r) >> (32 + rng_below(r, 32));
    if (type->n_fields > 0 && rng_chance(r, 95)) {
        field = &type->fields[rng_below(r, type->n_fields)];
        number = field->id;
        if (field->type == PROTOBUF_C_TYPE_MESSAGE && rng_chance(r, 90))
            wire_type = 2;
    }
    if (rng_chance(r, 2))
        wire_type = rng_below(r, 8);
    fuzz_append_varint(out, number << 3 | wire_type,
                       rng_chance(r, 90) ? 0 : rng_below(r, 5));
    if (wire_type == 0)
        put_odd_varint(out, r, rng_next(r) >> rng_below(r, 64));
    else if (wire_type == 2)
        put_odd_content(out, r, field, depth);
    else
        fuzz_append_fixed(out, rng_chance(r, 50) ? 0 : rng_next(r),
                          wire_type == 1 ? 8 : 4);
}

static void put_odd_message(fuzz_bytes *out, rng *r,
                            const ProtobufCMessageDescriptor *type,
                            uint32_t depth) {
    uint32_t n;
    for (n = rng_below(r, 4); n > 0; n--)
        put_odd_field(out, r, type, depth);
}

static void try_message(rng *r, const ProtobufCMessageDescriptor *type) {
    fuzz_shape shape = {.plain = rng_chance(r, 50),
                        .fields = 1 + rng_below(r, 80),
                        .depth = rng_below(r, 7)};
    fuzz_bytes bytes = {0};
    fuzz_message(&bytes, r, type, &shape);
    if (rng_chance(r, 40))
        fuzz_mutate(&bytes, r);
    if (rng_chance(r, 20))
        bytes.len = 0;
    if (rng_chance(r, 50))
        put_odd_message(&bytes, r, type, 4);
    if (dropin_expect_unpack_all(type, bytes.data, bytes.len))
        n_accepted++;
    else
        n_rejected++;
    fuzz_free(&bytes);
}

START_TEST(random_types) {
    arena a = {0};
    rng r = {(uint64_t) _i};
    schema_params params = schema_random_params(&r);
    schema s;
    size_t i, n;
    params.groups = 0;
    schema_random(&s, &a, &r, &params);
    for (i = 0; i < s.n_types; i++)
        dropin_tame_type(s.types[i]);
    for (i = 0; i < s.n_types; i++)
        for (n = 0; n < N_MESSAGES; n++) {
            expect_context("seed %d, type %zu, message %zu", _i, i, n);
            try_message(&r, s.types[i]);
        }
    for (i = 0; i < s.n_types; i++)
        pbt_forget(s.types[i]);
    arena_free(&a);
}
END_TEST

START_TEST(compiled_types) {
    rng r = {(uint64_t) _i};
    size_t i, n;
    for (i = 0; i < n_set_compiled; i++) {
        const set_compiled *set = &set_compiled_all[i];
        for (n = 0; set->roots[n]; n++) {
            expect_context("seed %d, %s, type %zu", _i, set->name, n);
            try_message(&r, set->roots[n]);
        }
    }
}
END_TEST

/* Those have facts: groups and closed enums, which the original knows nothing
 * of. */
START_TEST(loaded_types) {
    rng r = {(uint64_t) _i};
    size_t i;
    for (i = 0; i < fuzz_n_types(); i++) {
        expect_context("seed %d, type %s", _i, fuzz_type(i)->name);
        try_message(&r, fuzz_type(i));
    }
}
END_TEST

START_TEST(both_kinds_of_messages_were_met) {
    ck_assert_uint_gt(n_accepted, 1000);
    ck_assert_uint_gt(n_rejected, 1000);
}
END_TEST

Suite *dropin_unpack_suite(void) {
    Suite *suite = suite_create("dropin_unpack");
    TCase *tests = tcase_create("dropin_unpack");
    tcase_add_loop_test(tests, random_types, 0, N_SCHEMAS);
    tcase_add_loop_test(tests, compiled_types, 0, N_ROUNDS);
    tcase_add_loop_test(tests, loaded_types, 0, N_ROUNDS);
    tcase_add_test(tests, both_kinds_of_messages_were_met);
    suite_add_tcase(suite, tests);
    return suite;
}
