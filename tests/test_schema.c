/* test_schema.c - what a schema answers. */
#include "suites.h"
#include "support_expect.h"
#include "support_set.h"

START_TEST(types_are_found_by_name) {
    pbt_schema *schema = set_schema("schema2");
    size_t i;
    for (i = 0; i < pbt_schema_n_messages(schema); i++) {
        const ProtobufCMessageDescriptor *type =
            pbt_schema_message_at(schema, i);
        ck_assert_ptr_eq(pbt_schema_message(schema, type->name), type);
    }
    ck_assert_ptr_nonnull(pbt_schema_enum(schema, "schema.Two_part.Color"));
    ck_assert_ptr_null(pbt_schema_message(schema, "schema.Two_part.Color"));
    ck_assert_ptr_null(pbt_schema_message(schema, "schema.Two_part"));
    ck_assert_ptr_null(pbt_schema_message(schema, ".schema.Two_part.Mixed"));
    ck_assert_ptr_null(pbt_schema_message(schema, "schema.Two_part.Mixed."));
    ck_assert_ptr_null(pbt_schema_message(schema, ""));
    ck_assert_ptr_null(pbt_schema_message_at(schema, i));
    pbt_schema_free(schema);
}
END_TEST

Suite *schema_suite(void) {
    Suite *suite = suite_create("schema");
    TCase *tcase = tcase_create("schema");
    tcase_add_test(tcase, types_are_found_by_name);
    suite_add_tcase(suite, tcase);
    return suite;
}
