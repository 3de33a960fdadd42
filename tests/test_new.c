/* test_new.c - pbt_message_new and pbt_arena_alloc: messages that are put
 * together in an arena. */
#include <string.h>

#include "cases2.pb-c.h"
#include "suites.h"
#include "support_expect.h"
#include "support_memory.h"
#include "support_set.h"

/* What unmarshal makes of no bytes, and what protobuf-c starts with. */
static void expect_new(pbt_arena *pieces,
                       const ProtobufCMessageDescriptor *type) {
    const pbt_options partial = {.flags = PBT_ALLOW_PARTIAL};
    ProtobufCMessage *made = pbt_message_new(type, pieces);
    ProtobufCMessage *want;
    expect_context("type %s", type->name);
    ck_assert_ptr_nonnull(made);
    ck_assert_ptr_eq(made->descriptor, type);
    expect_status("unmarshal",
                  pbt_unmarshal(type, NULL, 0, &partial, pieces, &want),
                  PBT_OK);
    expect_bytes("unmarshalled", made, type->sizeof_message, want,
                 type->sizeof_message);
    if (!type->message_init)
        return;
    want = pbt_arena_alloc(pieces, type->sizeof_message);
    ck_assert_ptr_nonnull(want);
    memset(want, 0, type->sizeof_message); /* padding, too */
    protobuf_c_message_init(type, want);
    expect_bytes("initialised", made, type->sizeof_message, want,
                 type->sizeof_message);
}

START_TEST(compiled_and_loaded_types_have_new_messages) {
    const set_compiled *set = &set_compiled_all[_i];
    pbt_schema *store = set_schema(set->name);
    pbt_arena *pieces = pbt_arena_new(NULL, 0);
    size_t i;
    for (i = 0; set->roots[i]; i++)
        expect_new(pieces, set->roots[i]);
    for (i = 0; i < pbt_schema_n_messages(store); i++)
        expect_new(pieces, pbt_schema_message_at(store, i));
    pbt_arena_free(pieces);
    pbt_schema_free(store);
}
END_TEST

/* A type without message_init, as those beyond the first 4096. */
START_TEST(a_type_without_an_init_function_has_them) {
    ProtobufCMessageDescriptor type = c2__opt__descriptor;
    pbt_arena *pieces = pbt_arena_new(NULL, 0);
    C2__Opt want;
    ProtobufCMessage *made;
    type.message_init = NULL;
    made = pbt_message_new(&type, pieces);
    ck_assert_ptr_nonnull(made);
    memset(&want, 0, sizeof want); /* padding, too */
    protobuf_c_message_init(&c2__opt__descriptor, &want);
    want.base.descriptor = &type;
    /* The descriptor does not say which value was declared first. */
    want.e = C2__E__ZERO;
    expect_bytes("message", made, sizeof want, &want, sizeof want);
    pbt_forget(&type);
    pbt_arena_free(pieces);
}
END_TEST

START_TEST(a_message_is_put_together) {
    pbt_arena *pieces = pbt_arena_new(NULL, 0);
    C2__S1 *message = (C2__S1 *) pbt_message_new(&c2__s1__descriptor, pieces);
    pbt_buffer buffer = {0};
    message->a = pbt_arena_alloc(pieces, 3);
    memcpy(message->a, "ab", 3);
    expect_status("marshal", pbt_marshal(&message->base, NULL, &buffer),
                  PBT_OK);
    expect_bytes("bytes", buffer.data, buffer.len,
                 "\x0a\x02"
                 "ab",
                 4);
    pbt_buffer_free(&buffer);
    pbt_arena_free(pieces);
}
END_TEST

START_TEST(what_cannot_be_had_is_null) {
    ProtobufCMessageDescriptor broken = c2__s1__descriptor;
    pbt_arena *pieces = pbt_arena_new(NULL, 0);
    meter m;
    broken.magic = 1;
    ck_assert_ptr_null(pbt_message_new(NULL, pieces));
    ck_assert_ptr_null(pbt_message_new(&c2__s1__descriptor, NULL));
    ck_assert_ptr_null(pbt_message_new(&broken, pieces));
    ck_assert_ptr_null(pbt_arena_alloc(NULL, 1));
    ck_assert_ptr_null(pbt_arena_alloc(pieces, SIZE_MAX));
    ck_assert_ptr_nonnull(pbt_arena_alloc(pieces, 0));
    pbt_arena_free(pieces);
    meter_init(&m);
    m.fail_at = 1; /* the arena is there, its first block is not */
    m.fail_after = 1;
    pieces = pbt_arena_new(&m.allocator, 0);
    ck_assert_ptr_null(pbt_message_new(&c2__s1__descriptor, pieces));
    m.fail_at = -1;
    m.fail_after = 0;
    ck_assert_ptr_nonnull(pbt_message_new(&c2__s1__descriptor, pieces));
    pbt_arena_free(pieces);
    expect_number("live blocks", (uint64_t) m.n_live, 0);
}
END_TEST

START_TEST(a_table_that_cannot_be_had) {
    pbt_arena *pieces = pbt_arena_new(NULL, 1024);
    long n;
    for (n = 0; n < 100; n++) {
        ProtobufCMessage *message;
        pbt_forget(&c2__s1__descriptor);
        malloc_fail_at(n);
        message = pbt_message_new(&c2__s1__descriptor, pieces);
        malloc_fail_at(-1);
        if (message)
            break;
    }
    expect_true("in the end, after failures", n > 0 && n < 100);
    pbt_arena_free(pieces);
}
END_TEST

Suite *new_suite(void) {
    Suite *suite = suite_create("new");
    TCase *tests = tcase_create("new");
    tcase_add_loop_test(tests, compiled_and_loaded_types_have_new_messages, 0,
                        (int) n_set_compiled);
    tcase_add_test(tests, a_type_without_an_init_function_has_them);
    tcase_add_test(tests, a_message_is_put_together);
    tcase_add_test(tests, what_cannot_be_had_is_null);
    tcase_add_test(tests, a_table_that_cannot_be_had);
    suite_add_tcase(suite, tests);
    return suite;
}
