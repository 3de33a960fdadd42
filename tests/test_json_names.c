/* test_json_names.c - types that have no names of their own, and fields that
 * the options leave out for good reason. */
#include <stdlib.h>

#include "codesize3.pb-c.h"
#include "json3.pb-c.h"
#include "suites.h"
#include "support_expect.h"
#include "support_json.h"
#include "support_message.h"
#include "support_set.h"

/* One with every kind of field, in the order of their numbers. */
#define TEXT(big, the_text, by_truth, choice)                                  \
    "{\"" big "\":\"7\",\"kind\":\"SOME\",\"kinds\":[\"NONE\",\"FAR\",5],"     \
    "\"inner\":{\"" the_text "\":\"t\"},\"counts\":{\"k\":3},"                 \
    "\"inners\":{\"-4\":{\"" the_text "\":\"t\"}},\"" by_truth                 \
    "\":{\"true\":\"FAR\",\"false\":\"NONE\"},\"" choice "\":\"x\"}"

START_TEST(types_of_code_size) {
    Codesize__Inner inner = CODESIZE__INNER__INIT;
    Codesize__Everything all = CODESIZE__EVERYTHING__INIT;
    Codesize__Everything__CountsEntry count =
        CODESIZE__EVERYTHING__COUNTS_ENTRY__INIT;
    Codesize__Everything__InnersEntry entry =
        CODESIZE__EVERYTHING__INNERS_ENTRY__INIT;
    Codesize__Everything__ByTruthEntry truths[] = {
        CODESIZE__EVERYTHING__BY_TRUTH_ENTRY__INIT,
        CODESIZE__EVERYTHING__BY_TRUTH_ENTRY__INIT};
    Codesize__Everything__CountsEntry *counts[] = {&count};
    Codesize__Everything__InnersEntry *inners[] = {&entry};
    Codesize__Everything__ByTruthEntry *by_truth[] = {&truths[0], &truths[1]};
    Codesize__Kind kinds[] = {CODESIZE__KIND__NONE, CODESIZE__KIND__FAR, 5};
    pbt_schema *types = set_schema("codesize3");
    pbt_json_options options = {.schema = types};
    inner.the_text = text("t");
    all.big_number = 7;
    all.kind = CODESIZE__KIND__SOME;
    all.n_kinds = 3;
    all.kinds = kinds;
    all.inner = &inner;
    count.key = text("k");
    count.value = 3;
    all.n_counts = 1;
    all.counts = counts;
    entry.key = -4;
    entry.value = &inner;
    all.n_inners = 1;
    all.inners = inners;
    truths[0].key = 1;
    truths[0].value = CODESIZE__KIND__FAR;
    all.n_by_truth = 2;
    all.by_truth = by_truth;
    all.choice_case = CODESIZE__EVERYTHING__CHOICE_NAMED;
    all.named = text("x");
    json_expect_error(&all, 0, PBT_ERR_UNSUPPORTED, "");
    json_expect_error_with(&all, &options, PBT_ERR_UNSUPPORTED, "");
    expect_status(
        "attach",
        pbt_schema_attach(types, &codesize__everything__descriptor, NULL),
        PBT_OK);
    json_expect_with(&all, &options,
                     TEXT("bigNumber", "theText", "byTruth", "other"));
    options.flags = PBT_JSON_PROTO_NAMES;
    json_expect_with(&all, &options,
                     TEXT("big_number", "the_text", "by_truth", "named"));
    options.flags = PBT_JSON_EMIT_DEFAULTS;
    json_expect_with(&(Codesize__Everything) CODESIZE__EVERYTHING__INIT,
                     &options,
                     "{\"bigNumber\":\"0\",\"kind\":\"NONE\",\"kinds\":[],"
                     "\"counts\":{},\"inners\":{},\"byTruth\":{}}");
    json_expect_error(&all, 0, PBT_ERR_UNSUPPORTED, "");
    pbt_schema_free(types);
}
END_TEST

/* Nothing tells which of two it is, or there is none. */
START_TEST(shapes_that_tell_nothing) {
    pbt_schema *types = set_schema("codesize3");
    pbt_schema *other = set_schema("cases2");
    pbt_error error;
    expect_status(
        "two", pbt_schema_attach(types, &codesize__first__descriptor, &error),
        PBT_ERR_NOT_FOUND);
    ck_assert_str_eq(error.message, "the type has no name, and may be "
                                    "codesize.First or codesize.Second");
    expect_status(
        "none",
        pbt_schema_attach(other, &codesize__everything__descriptor, &error),
        PBT_ERR_NOT_FOUND);
    pbt_schema_free(types);
    pbt_schema_free(other);
}
END_TEST

/* In a map, too, there must be a name for each value, or numbers. */
START_TEST(enum_without_names_in_a_map) {
    Codesize__Everything__ByTruthEntry truth =
        CODESIZE__EVERYTHING__BY_TRUTH_ENTRY__INIT;
    Codesize__Everything__ByTruthEntry *by_truth[] = {&truth, &truth};
    ProtobufCFieldDescriptor field = codesize__everything__descriptor.fields[6];
    ProtobufCMessageDescriptor type = codesize__everything__descriptor;
    ProtobufCMessageDescriptor entry = *truth.base.descriptor;
    ProtobufCFieldDescriptor entry_fields[2];
    Codesize__Everything all = CODESIZE__EVERYTHING__INIT;
    memcpy(entry_fields, entry.fields, sizeof entry_fields);
    entry_fields[0].name = "key";
    entry_fields[1].name = "value";
    entry.name = "x.T.ByTruthEntry";
    entry.fields = entry_fields;
    field.name = "by_truth";
    field.descriptor = &entry;
    type.name = "x.T";
    type.fields = &field;
    type.n_fields = 1;
    all.base.descriptor = &type;
    truth.base.descriptor = &entry;
    all.n_by_truth = 1;
    all.by_truth = by_truth;
    json_expect_error(&all, 0, PBT_ERR_UNSUPPORTED, "by_truth[false].value");
    json_expect(&all, PBT_JSON_ENUM_NUMBERS, "{\"byTruth\":{\"false\":0}}");
    truth.value = 77;
    json_expect_error(&all, 0, PBT_ERR_UNSUPPORTED, "by_truth[false].value");
    json_expect(&all, PBT_JSON_ENUM_NUMBERS, "{\"byTruth\":{\"false\":77}}");
    pbt_forget(&type);
    pbt_forget(&entry);
}
END_TEST

/* An Any whose fields have no names can be opened, but not printed as it is. */
START_TEST(any_without_names) {
    Google__Protobuf__Any any = GOOGLE__PROTOBUF__ANY__INIT;
    ProtobufCMessageDescriptor type = *any.base.descriptor;
    ProtobufCFieldDescriptor fields[2];
    pbt_schema *types = set_schema("json3");
    pbt_json_options options = {.schema = types};
    memcpy(fields, type.fields, sizeof fields);
    fields[0].name = fields[1].name = NULL;
    type.fields = fields;
    any.base.descriptor = &type;
    json_expect_with(&any, &options, "{}");
    any.type_url = text("/j3.Sub");
    any.value = bytes("\x08\x05");
    json_expect_with(&any, &options, "{\"@type\":\"/j3.Sub\",\"v\":5}");
    options.flags = PBT_JSON_ANY_RAW;
    any.type_url = text("/no.Such");
    json_expect_error_with(&any, &options, PBT_ERR_UNSUPPORTED, "");
    pbt_forget(&type);
    pbt_schema_free(types);
}
END_TEST

/* A reader would take null for the value. */
START_TEST(no_null_for_a_value) {
    J3__Known known = J3__KNOWN__INIT;
    json_expect(&known, PBT_JSON_EMIT_NULL_MESSAGES,
                "{\"timestamp\":null,\"duration\":null,\"mask\":null,"
                "\"struct\":null,\"list\":null,\"any\":null,\"empty\":null,"
                "\"t\":null,\"i32\":null,\"u32\":null,\"i64\":null,"
                "\"u64\":null,\"f\":null,\"d\":null,\"s\":null,\"b\":null}");
}
END_TEST

/* A type does not have the extensions that others add to it. */
START_TEST(unset_extensions) {
    pbt_schema *types = set_schema("protobuf-c/protobuf-c");
    size_t n = pbt_schema_n_messages(types), i, j, n_looked_at = 0;
    for (i = 0; i < n; i++) {
        const ProtobufCMessageDescriptor *type =
            pbt_schema_message_at(types, i);
        arena a = {0};
        ProtobufCMessage *message = message_empty(&a, type);
        pbt_json_options options = {.flags = PBT_JSON_EMIT_DEFAULTS |
                                             PBT_JSON_EMIT_NULL_MESSAGES |
                                             PBT_JSON_ALLOW_PARTIAL};
        pbt_buffer buffer = {0};
        expect_context("%s", type->name);
        if (json_compare(message, &options) == PBT_OK) {
            expect_status("again", pbt_marshal_json(message, &options, &buffer),
                          PBT_OK);
            for (j = 0; j + 1 < buffer.len; j++)
                expect_true("no extension",
                            memcmp(buffer.data + j, "\"[", 2) != 0);
            n_looked_at++;
        }
        pbt_buffer_free(&buffer);
        pbt_forget(type);
        arena_free(&a);
    }
    expect_true("some", n_looked_at > 0);
    pbt_schema_free(types);
}
END_TEST

Suite *json_names_suite(void) {
    Suite *suite = suite_create("json_names");
    TCase *tcase = tcase_create("json_names");
    tcase_add_test(tcase, types_of_code_size);
    tcase_add_test(tcase, shapes_that_tell_nothing);
    tcase_add_test(tcase, enum_without_names_in_a_map);
    tcase_add_test(tcase, any_without_names);
    tcase_add_test(tcase, no_null_for_a_value);
    tcase_add_test(tcase, unset_extensions);
    suite_add_tcase(suite, tcase);
    return suite;
}
