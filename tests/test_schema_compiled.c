/* test_schema_compiled.c - compiled types in a schema: found by name, and with
 * the facts of the loaded types of the same name. */
#include <string.h>

#include "cases2.pb-c.h"
#include "cases3.pb-c.h"
#include "schema2.pb-c.h"
#include "schema3.pb-c.h"
#include "schema_store.h"
#include "suites.h"
#include "support_expect.h"
#include "support_memory.h"
#include "support_schema.h"
#include "support_set.h"

static pbt_schema *new_schema(void) {
    pbt_schema *store;
    expect_status("new", pbt_schema_new(NULL, &store), PBT_OK);
    return store;
}

START_TEST(added_types_are_found_with_all_below) {
    pbt_schema *store = new_schema();
    const ProtobufCMessageDescriptor *mixed =
        &schema__two_part__mixed__descriptor;
    expect_status("add", pbt_schema_add(store, mixed, NULL), PBT_OK);
    expect_status("again", pbt_schema_add(store, mixed, NULL), PBT_OK);
    /* itself and the entries of its two maps */
    expect_number("types", pbt_schema_n_messages(store), 3);
    ck_assert_ptr_eq(pbt_schema_message(store, mixed->name), mixed);
    ck_assert_ptr_eq(
        pbt_schema_message(store, "schema.Two_part.Mixed.TreeEntry"),
        &schema__two_part__mixed__tree_entry__descriptor);
    ck_assert_ptr_eq(
        pbt_schema_enum(store, "schema.Two_part.odd_NAMES_2x.inner_Enum"),
        &schema__two_part__odd__names_2x__inner__enum__descriptor);
    /* What holds the enum was not added. */
    ck_assert_ptr_null(
        pbt_schema_message(store, "schema.Two_part.odd_NAMES_2x"));
    expect_status("its scope",
                  pbt_schema_add(store,
                                 &schema__two_part__odd__names_2x__descriptor,
                                 NULL),
                  PBT_OK);
    ck_assert_ptr_eq(pbt_schema_message(store, "schema.Two_part.odd_NAMES_2x"),
                     &schema__two_part__odd__names_2x__descriptor);
    ck_assert_ptr_null(pbt_schema_root(store));
    pbt_schema_free(store);
}
END_TEST

START_TEST(names_are_added_once) {
    pbt_schema *store = set_schema("cases2");
    size_t n = pbt_schema_n_messages(store);
    pbt_error error = {.status = PBT_OK};
    expect_status("loaded before",
                  pbt_schema_add(store, &c2__leaf__descriptor, &error),
                  PBT_ERR_BAD_DESCRIPTOR);
    expect_text("message", error.message,
                "type c2.Leaf: the schema has another one of that name, a "
                "loaded one: pbt_schema_attach is the call for that");
    expect_number("types", pbt_schema_n_messages(store), n);
    expect_status("another", pbt_schema_add(store, &c3__pl__descriptor, NULL),
                  PBT_OK);
    ck_assert_ptr_eq(pbt_schema_message(store, "c3.Pl"), &c3__pl__descriptor);
    pbt_schema_free(store);
}
END_TEST

/* A has a B and an enum E in a package p, and a C of a name that is taken. */
START_TEST(adding_is_all_or_nothing) {
    arena a = {NULL};
    pbt_schema *store = new_schema();
    ProtobufCEnumDescriptor values = c2__e__descriptor;
    const ProtobufCMessageDescriptor *b = schema_make(&a, "p.A.B", NULL, 0);
    const ProtobufCMessageDescriptor *c = schema_make(&a, "p.C", NULL, 0);
    const ProtobufCMessageDescriptor *taken = schema_make(&a, "p.C", NULL, 0);
    const schema_field fields[] = {{.number = 1,
                                    .type = PROTOBUF_C_TYPE_MESSAGE,
                                    .label = PROTOBUF_C_LABEL_OPTIONAL,
                                    .type_of = b},
                                   {.number = 2,
                                    .type = PROTOBUF_C_TYPE_ENUM,
                                    .label = PROTOBUF_C_LABEL_OPTIONAL,
                                    .type_of = &values},
                                   {.number = 3,
                                    .type = PROTOBUF_C_TYPE_MESSAGE,
                                    .label = PROTOBUF_C_LABEL_OPTIONAL,
                                    .type_of = c}};
    const ProtobufCMessageDescriptor *type = schema_make(&a, "p.A", fields, 3);
    pbt_error error = {.status = PBT_OK};
    values.name = "p.E";
    expect_status("first", pbt_schema_add(store, taken, NULL), PBT_OK);
    expect_status("add", pbt_schema_add(store, type, &error),
                  PBT_ERR_BAD_DESCRIPTOR);
    expect_text("message", error.message,
                "type p.C: the schema has another one of that name");
    expect_number("types", pbt_schema_n_messages(store), 1);
    ck_assert_ptr_null(pbt_schema_message(store, "p.A"));
    ck_assert_ptr_null(pbt_schema_message(store, "p.A.B"));
    ck_assert_ptr_null(pbt_schema_enum(store, "p.E"));
    ck_assert_ptr_eq(pbt_schema_message(store, "p.C"), taken);
    /* The names are free. */
    expect_status("part", pbt_schema_add(store, b, NULL), PBT_OK);
    ck_assert_ptr_eq(pbt_schema_message(store, "p.A.B"), b);
    pbt_schema_free(store);
    arena_free(&a);
}
END_TEST

START_TEST(types_without_a_name_are_refused) {
    ProtobufCMessageDescriptor nameless = c2__leaf__descriptor;
    ProtobufCMessageDescriptor broken = c2__leaf__descriptor;
    pbt_schema *store = set_schema("cases2");
    pbt_error error = {.status = PBT_OK};
    nameless.name = NULL;
    broken.magic = 1;
    expect_status("add", pbt_schema_add(store, &nameless, &error),
                  PBT_ERR_BAD_DESCRIPTOR);
    expect_status("magic", pbt_schema_add(store, &broken, &error),
                  PBT_ERR_BAD_DESCRIPTOR);
    expect_text("message", error.message,
                "a type without a name, or with a bad magic number, cannot be "
                "in a schema");
    expect_status("attach", pbt_schema_attach(store, &nameless, &error),
                  PBT_ERR_NOT_FOUND);
    expect_text("message", error.message,
                "the schema has no loaded type of the name (unnamed)");
    pbt_schema_free(store);
}
END_TEST

static const pbti_field_facts *
attached_fact(const pbt_schema *store, const ProtobufCMessageDescriptor *type,
              const char *field) {
    const pbti_type_facts *facts = pbti_schema_facts(store, type);
    ck_assert_ptr_nonnull(facts);
    return &facts->fields[protobuf_c_message_descriptor_get_field_by_name(
                              type, field) -
                          type->fields];
}

START_TEST(attached_types_have_facts) {
    const ProtobufCMessageDescriptor *type =
        &schema__two_part__mixed__descriptor;
    const ProtobufCMessageDescriptor *odd =
        &schema__two_part__odd__names_2x__descriptor;
    pbt_schema *store = set_schema("schema2");
    ck_assert_ptr_null(pbti_schema_facts(store, type));
    expect_status("attach", pbt_schema_attach(store, type, NULL), PBT_OK);
    expect_status("again", pbt_schema_attach(store, type, NULL), PBT_OK);
    expect_status("attach", pbt_schema_attach(store, odd, NULL), PBT_OK);
    expect_true("map", attached_fact(store, type, "tree")->is_map);
    expect_true("text", attached_fact(store, type, "as_bytes")->is_string);
    expect_text("oneof", attached_fact(store, type, "only")->oneof_name,
                "small");
    expect_text("json_name", attached_fact(store, odd, "json")->json_name,
                "x-y");
    expect_true("entry",
                pbti_schema_facts(
                    store, &schema__two_part__mixed__tree_entry__descriptor)
                    ->is_map_entry);
    expect_true(
        "below",
        pbti_schema_facts(
            store, &schema__two_part__odd__names_2x__deep__deeper__descriptor)
            ->is_nested);
    ck_assert_ptr_null(
        pbti_schema_facts(store, &schema__two_part__nothing__descriptor));
    pbt_schema_free(store);
}
END_TEST

START_TEST(all_compiled_types_can_be_attached) {
    const set_compiled *set = &set_compiled_all[_i];
    pbt_schema *store = set_schema(set->name);
    size_t i;
    for (i = 0; set->roots[i]; i++) {
        pbt_error error = {.status = PBT_OK};
        expect_status(set->roots[i]->name,
                      pbt_schema_attach(store, set->roots[i], &error), PBT_OK);
        ck_assert_ptr_nonnull(pbti_schema_facts(store, set->roots[i]));
    }
    pbt_schema_free(store);
}
END_TEST

/* A type of the name of a loaded one, that does not fit it. */
static void expect_misfit(const schema_field *fields, size_t n,
                          const char *path, const char *message) {
    arena a = {NULL};
    pbt_schema *store = set_schema("cases2");
    ProtobufCMessageDescriptor *type = schema_make(&a, "c2.Leaf", fields, n);
    pbt_error error = {.status = PBT_OK};
    expect_status("attach", pbt_schema_attach(store, type, &error),
                  PBT_ERR_BAD_DESCRIPTOR);
    expect_text("path", error.path, path);
    expect_text("message", error.message, message);
    ck_assert_ptr_null(pbti_schema_facts(store, type));
    pbt_schema_free(store);
    arena_free(&a);
}

START_TEST(types_that_do_not_fit_are_refused) {
    const ProtobufCFieldDescriptor *first = &c2__leaf__descriptor.fields[0];
    schema_field field = {.number = first->id,
                          .type = first->type,
                          .label = first->label,
                          .name = "f"};
    schema_field other = field;
    other.number = 18000;
    expect_misfit(&other, 1, "f",
                  "compiled type c2.Leaf: the schema lacks this field");
    other = field;
    other.label = PROTOBUF_C_LABEL_REPEATED;
    expect_misfit(&other, 1, "f",
                  "compiled type c2.Leaf: the schema has another type or label "
                  "for it");
    other = field;
    other.type = PROTOBUF_C_TYPE_DOUBLE;
    expect_misfit(&other, 1, "f",
                  "compiled type c2.Leaf: the schema has another type or label "
                  "for it");
}
END_TEST

/* The misfit is in a type below: nothing at all is attached. */
START_TEST(attaching_is_all_or_nothing) {
    arena a = {NULL};
    pbt_schema *store = set_load(
        set_write(&a, "1{1't' 4{1'A' 2{1'b' 3:1 4:1 5:11 6'B'}} 4{1'B'}}"));
    const schema_field in_sub = {.number = 1,
                                 .type = PROTOBUF_C_TYPE_INT32,
                                 .label = PROTOBUF_C_LABEL_OPTIONAL,
                                 .name = "x"};
    const ProtobufCMessageDescriptor *sub = schema_make(&a, "B", &in_sub, 1);
    const schema_field in_type = {.number = 1,
                                  .type = PROTOBUF_C_TYPE_MESSAGE,
                                  .label = PROTOBUF_C_LABEL_OPTIONAL,
                                  .type_of = sub,
                                  .name = "b"};
    const ProtobufCMessageDescriptor *type = schema_make(&a, "A", &in_type, 1);
    expect_status("attach", pbt_schema_attach(store, type, NULL),
                  PBT_ERR_BAD_DESCRIPTOR);
    ck_assert_ptr_null(pbti_schema_facts(store, type));
    ck_assert_ptr_null(pbti_schema_facts(store, sub));
    pbt_schema_free(store);
    arena_free(&a);
}
END_TEST

START_TEST(memory_is_the_allocators) {
    long n = 0;
    pbt_status status;
    do {
        meter m;
        pbt_schema *store;
        meter_init(&m);
        m.fail_at = n++;
        status = pbt_schema_new(&m.allocator, &store);
        if (status == PBT_OK) {
            status = pbt_schema_add(store, &c2__tree__descriptor, NULL);
            expect_true("all or nothing",
                        (status == PBT_OK) ==
                            (pbt_schema_n_messages(store) > 0));
            pbt_schema_free(store);
        } else {
            ck_assert_ptr_null(store);
        }
        expect_number("live blocks", (uint64_t) m.n_live, 0);
    } while (status == PBT_ERR_NO_MEMORY);
    expect_status("in the end", status, PBT_OK);
    expect_true("some failed", n > 1);
}
END_TEST

START_TEST(attaching_survives_a_lack_of_memory) {
    const ProtobufCMessageDescriptor *type =
        &schema__two_part__odd__names_2x__descriptor;
    size_t limit = 0;
    pbt_status status;
    do {
        pbt_schema *store = set_schema("schema2");
        long n = 0;
        malloc_limit(limit);
        do {
            status = pbt_schema_attach(store, type, NULL);
            n++;
        } while (status == PBT_OK && n < 100);
        malloc_limit(SIZE_MAX);
        /* What was attached before stays so. */
        expect_true("attached", n == 1 || pbti_schema_facts(store, type));
        pbt_schema_free(store);
        limit += 100;
    } while (status == PBT_ERR_NO_MEMORY);
    expect_status("in the end", status, PBT_OK);
    expect_true("some failed", limit > 100);
}
END_TEST

Suite *schema_compiled_suite(void) {
    Suite *suite = suite_create("schema_compiled");
    TCase *tcase = tcase_create("schema_compiled");
    tcase_add_test(tcase, added_types_are_found_with_all_below);
    tcase_add_test(tcase, names_are_added_once);
    tcase_add_test(tcase, adding_is_all_or_nothing);
    tcase_add_test(tcase, types_without_a_name_are_refused);
    tcase_add_test(tcase, attached_types_have_facts);
    tcase_add_loop_test(tcase, all_compiled_types_can_be_attached, 0,
                        (int) n_set_compiled);
    tcase_add_test(tcase, types_that_do_not_fit_are_refused);
    tcase_add_test(tcase, attaching_is_all_or_nothing);
    tcase_add_test(tcase, memory_is_the_allocators);
    tcase_add_test(tcase, attaching_survives_a_lack_of_memory);
    suite_add_tcase(suite, tcase);
    return suite;
}
