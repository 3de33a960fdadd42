/* test_schema_hostile.c - bytes that are no set, or nearly one, and memory that
 * runs out: an error each time, and nothing else. What loads all the same must
 * be usable. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suites.h"
#include "support_expect.h"
#include "support_memory.h"
#include "support_rng.h"
#include "support_set.h"

enum { N_MUTATIONS = 4000, MEMORY_STEP = 96 };

static const char *const names[] = {"schema2", "schema3",
                                    "google/protobuf/api"};
enum { N_NAMES = sizeof names / sizeof *names };

/* Marshals an empty message of each type. */
static void use_types(const pbt_schema *schema) {
    size_t i;
    for (i = 0; i < pbt_schema_n_messages(schema); i++) {
        const ProtobufCMessageDescriptor *type =
            pbt_schema_message_at(schema, i);
        pbt_options partial = {.flags = PBT_ALLOW_PARTIAL};
        pbt_buffer buffer = {0};
        pbt_error error = {.status = PBT_OK};
        ProtobufCMessage *message = malloc(type->sizeof_message);
        ck_assert_ptr_nonnull(message);
        expect_status(type->name, pbt_prepare(type, &error), PBT_OK);
        expect_true("init", type->message_init != NULL);
        protobuf_c_message_init(type, message);
        expect_status(type->name, pbt_marshal(message, &partial, &buffer),
                      PBT_OK);
        pbt_buffer_free(&buffer);
        free(message);
    }
}

static bool try_load(packed set) {
    pbt_schema *schema;
    pbt_error error = {.status = PBT_OK};
    pbt_status status = pbt_schema_load(set.bytes, set.len, &schema, &error);
    if (status != PBT_OK) {
        expect_true("a reason", error.message[0] != '\0');
        return false;
    }
    use_types(schema);
    pbt_schema_free(schema);
    return true;
}

START_TEST(truncated_sets) {
    arena a = {NULL};
    packed set = set_read(&a, names[_i]);
    size_t step = set.len / 1500 + 1;
    size_t len;
    for (len = 0; len < set.len; len += step) {
        arena piece = {NULL};
        expect_context("%s, %zu bytes", names[_i], len);
        (void) try_load((packed){arena_copy(&piece, set.bytes, len), len});
        arena_free(&piece);
    }
    expect_true("the whole", try_load(set));
    arena_free(&a);
}
END_TEST

START_TEST(mutated_sets) {
    arena a = {NULL};
    packed set = set_read(&a, names[_i]);
    rng r = {(uint64_t) _i};
    int n_loaded = 0;
    int i;
    for (i = 0; i < N_MUTATIONS; i++) {
        arena piece = {NULL};
        uint8_t *bytes = arena_copy(&piece, set.bytes, set.len);
        uint32_t n = 1 + rng_below(&r, 3);
        expect_context("%s, mutation %d", names[_i], i);
        while (n-- > 0)
            bytes[rng_below(&r, (uint32_t) set.len)] = (uint8_t) rng_next(&r);
        n_loaded += try_load((packed){bytes, set.len});
        arena_free(&piece);
    }
    expect_true("some load, some do not", n_loaded > 0 && n_loaded < i);
    arena_free(&a);
}
END_TEST

START_TEST(memory_runs_out_everywhere) {
    arena a = {NULL};
    packed set = set_twice(&a, set_read(&a, names[_i]));
    size_t limit = 0;
    pbt_status status;
    do {
        pbt_schema *schema;
        pbt_error error = {.status = PBT_OK};
        long live;
        expect_context("%s, %zu bytes of memory", names[_i], limit);
        live = malloc_live();
        malloc_limit(limit);
        status = pbt_schema_load(set.bytes, set.len, &schema, &error);
        malloc_limit(SIZE_MAX);
        live = malloc_live() - live;
        if (status == PBT_OK) {
            use_types(schema);
            pbt_schema_free(schema);
            break;
        }
        expect_status("load", status, PBT_ERR_NO_MEMORY);
        expect_status("report", error.status, status);
        ck_assert_ptr_null(schema);
        expect_number("live blocks", (uint64_t) live, 0);
        limit += MEMORY_STEP;
    } while (limit < (size_t) 1 << 24);
    expect_status("in the end", status, PBT_OK);
    arena_free(&a);
}
END_TEST

/* Messages declared in messages, n deep. */
static packed nested_messages(arena *a, size_t n) {
    char *text = arena_alloc(a, 16 * n + 64);
    char *end = text;
    size_t i;
    end += sprintf(end, "1{1't' 4{1'M' ");
    for (i = 0; i < n; i++)
        end += sprintf(end, "3{1'M' ");
    for (i = 0; i < n + 2; i++)
        *end++ = '}';
    return set_write(a, text);
}

START_TEST(nesting_has_a_limit) {
    arena a = {NULL};
    packed set = nested_messages(&a, 90);
    pbt_schema *schema = set_load(set);
    pbt_error error = {.status = PBT_OK};
    expect_number("types", pbt_schema_n_messages(schema), 91);
    pbt_schema_free(schema);
    set = nested_messages(&a, 2000);
    expect_status("too deep",
                  pbt_schema_load(set.bytes, set.len, &schema, &error),
                  PBT_ERR_DEPTH);
    ck_assert_ptr_null(schema);
    arena_free(&a);
}
END_TEST

Suite *schema_hostile_suite(void) {
    Suite *suite = suite_create("schema_hostile");
    TCase *tcase = tcase_create("schema_hostile");
    tcase_set_timeout(tcase, 600);
    tcase_add_loop_test(tcase, truncated_sets, 0, N_NAMES);
    tcase_add_loop_test(tcase, mutated_sets, 0, N_NAMES);
    tcase_add_loop_test(tcase, memory_runs_out_everywhere, 0, N_NAMES);
    tcase_add_test(tcase, nesting_has_a_limit);
    suite_add_tcase(suite, tcase);
    return suite;
}
