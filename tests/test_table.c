/* test_table.c - coder tables as text against testdata/golden. When the form
 * of the text changes on purpose, run the suite once with PBT_UPDATE_GOLDEN=1
 * in the environment and look at the difference before it is committed. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases2.pb-c.h"
#include "cases3.pb-c.h"
#include "suites.h"
#include "support_arena.h"
#include "support_expect.h"
#include "support_memory.h"
#include "support_message.h"
#include "support_schema.h"
#include "support_slots.h"

static const ProtobufCMessageDescriptor *const types[] = {
    &c2__sub__descriptor,  &c2__req__descriptor,        &c2__opt__descriptor,
    &c2__rep__descriptor,  &c2__node__descriptor,       &c2__big__descriptor,
    &c2__one__descriptor,  &c2__attributes__descriptor, &c2__tree__descriptor,
    &c2__leaf__descriptor, &c3__pl__descriptor,         &c3__one__descriptor,
    &c3__mp__descriptor,
};

enum { N_TYPES = sizeof types / sizeof *types };

static FILE *open_golden(arena *a, const ProtobufCMessageDescriptor *type,
                         const char *mode) {
    const char *path = arena_format(a, "%s/%s.txt", PBT_GOLDEN_DIR, type->name);
    FILE *file = fopen(path, mode);
    ck_assert_msg(file != NULL, "cannot open %s", path);
    return file;
}

static void write_golden(arena *a, const ProtobufCMessageDescriptor *type,
                         const pbt_buffer *text) {
    FILE *file = open_golden(a, type, "wb");
    ck_assert_uint_eq(fwrite(text->data, 1, text->len, file), text->len);
    ck_assert_int_eq(fclose(file), 0);
}

static void compare_golden(arena *a, const ProtobufCMessageDescriptor *type,
                           const pbt_buffer *text) {
    FILE *file = open_golden(a, type, "rb");
    char *golden = arena_alloc(a, text->len + 1);
    size_t len = fread(golden, 1, text->len + 1, file);
    fclose(file);
    expect_context("table of %s", type->name);
    expect_bytes("golden text", text->data, text->len, golden, len);
}

/* Masks are shown as they are in memory. That of a float without its sign bit
 * is another one where the bytes of a word are in the other order. */
static bool is_like_golden(const ProtobufCMessageDescriptor *type) {
    const uint16_t one = 1;
    uint8_t first;
    memcpy(&first, &one, 1);
    return first == 1 || type != &c3__pl__descriptor;
}

START_TEST(tables_as_text) {
    arena a = {0};
    pbt_buffer text = {0};
    pbt_error error = {0};
    expect_context("table of %s", types[_i]->name);
    expect_status("text", pbt_table_text(types[_i], &text, &error), PBT_OK);
    if (getenv("PBT_UPDATE_GOLDEN"))
        write_golden(&a, types[_i], &text);
    else if (is_like_golden(types[_i]))
        compare_golden(&a, types[_i], &text);
    pbt_buffer_free(&text);
    arena_free(&a);
}
END_TEST

/* No generated type has groups. */
START_TEST(a_table_with_groups_as_text) {
    arena a = {0};
    pbt_buffer text = {0};
    schema_field fields[] = {
        {.number = 1, .label = PROTOBUF_C_LABEL_OPTIONAL, .name = "single"},
        {.number = 2, .label = PROTOBUF_C_LABEL_REQUIRED, .name = "needed"},
        {.number = 16, .label = PROTOBUF_C_LABEL_REPEATED, .name = "many"},
        {.number = 17,
         .label = PROTOBUF_C_LABEL_OPTIONAL,
         .flags = PROTOBUF_C_FIELD_FLAG_ONEOF,
         .name = "member"}};
    ProtobufCMessageDescriptor *type;
    size_t i;
    for (i = 0; i < 4; i++) {
        fields[i].type = PROTOBUF_C_TYPE_MESSAGE;
        fields[i].type_of = &c2__sub__descriptor;
        fields[i].is_group = true;
    }
    type = schema_make(&a, "test.Groups", fields, 4);
    expect_status("text", pbt_table_text(type, &text, NULL), PBT_OK);
    if (getenv("PBT_UPDATE_GOLDEN"))
        write_golden(&a, type, &text);
    else
        compare_golden(&a, type, &text);
    pbt_buffer_free(&text);
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

enum { CHAIN = 4000, CALLS_PER_TYPE = 8 };

/* Tables that are there are not walked through again: each type of a chain
 * takes as little memory as the one before it. */
START_TEST(types_met_one_by_one_cost_the_same) {
    arena a = {0};
    const ProtobufCMessageDescriptor **chain =
        arena_alloc(&a, CHAIN * sizeof(void *));
    schema_field field = {.number = 1,
                          .type = PROTOBUF_C_TYPE_MESSAGE,
                          .label = PROTOBUF_C_LABEL_OPTIONAL};
    const schema_field last = {.number = 1,
                               .type = PROTOBUF_C_TYPE_STRING,
                               .label = PROTOBUF_C_LABEL_REQUIRED};
    ProtobufCMessage *message;
    size_t i;
    long calls;
    chain[0] = schema_make(&a, "test.Chain", &last, 1);
    for (i = 1; i < CHAIN; i++) {
        field.type_of = chain[i - 1];
        chain[i] = schema_make(&a, "test.Chain", &field, 1);
    }
    malloc_fail_at(-1);
    for (i = 0; i < CHAIN; i++)
        expect_status("prepare", pbt_prepare(chain[i], NULL), PBT_OK);
    calls = malloc_calls();
    expect_true("few allocations", calls <= (long) CHAIN * CALLS_PER_TYPE);
    /* What the last of them can lack is known all the way up. */
    message = message_empty(&a, chain[0]);
    for (i = 1; i < CHAIN; i++) {
        ProtobufCMessage *outer = message_empty(&a, chain[i]);
        slot_set(message_member(outer, chain[i]->fields[0].offset), message);
        message = outer;
    }
    expect_status("check", pbt_check_required(message, NULL), PBT_ERR_REQUIRED);
    for (i = 0; i < CHAIN; i++)
        pbt_forget(chain[i]);
    arena_free(&a);
}
END_TEST

START_TEST(text_replaces_the_content_of_a_buffer) {
    pbt_buffer text = {0};
    size_t len;
    expect_context("one buffer");
    expect_status("text", pbt_table_text(types[0], &text, NULL), PBT_OK);
    len = text.len;
    expect_status("text", pbt_table_text(types[2], &text, NULL), PBT_OK);
    expect_status("text", pbt_table_text(types[0], &text, NULL), PBT_OK);
    expect_number("length", text.len, len);
    pbt_buffer_free(&text);
}
END_TEST

Suite *table_suite(void) {
    Suite *suite = suite_create("table");
    TCase *tests = tcase_create("table");
    tcase_add_loop_test(tests, tables_as_text, 0, N_TYPES);
    tcase_add_test(tests, a_table_with_groups_as_text);
    tcase_add_test(tests, types_met_one_by_one_cost_the_same);
    tcase_add_test(tests, text_replaces_the_content_of_a_buffer);
    suite_add_tcase(suite, tests);
    return suite;
}
