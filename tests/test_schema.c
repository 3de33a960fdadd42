/* test_schema.c - what a schema makes of a set, and what it answers. */
#include <math.h>
#include <string.h>

#include "base_facts.h"
#include "suites.h"
#include "support_expect.h"
#include "support_set.h"

/* The schema of a set written as text, see set_write. */
static pbt_schema *load_text(const char *text) {
    arena a = {NULL};
    pbt_schema *schema;
    expect_context("%s", text);
    schema = set_load(set_write(&a, text));
    arena_free(&a);
    return schema;
}

static const ProtobufCMessageDescriptor *find_type(const pbt_schema *schema,
                                                   const char *name) {
    const ProtobufCMessageDescriptor *type = pbt_schema_message(schema, name);
    ck_assert_msg(type != NULL, "no type %s", name);
    return type;
}

static const ProtobufCFieldDescriptor *
find_field(const ProtobufCMessageDescriptor *type, const char *name) {
    const ProtobufCFieldDescriptor *field =
        protobuf_c_message_descriptor_get_field_by_name(type, name);
    ck_assert_msg(field != NULL, "no field %s in %s", name, type->name);
    return field;
}

static const pbti_field_facts *
find_facts(const ProtobufCMessageDescriptor *type, const char *name) {
    return pbti_field_fact(type, find_field(type, name));
}

START_TEST(types_are_found_by_name) {
    pbt_schema *schema = set_schema("schema2");
    size_t i;
    for (i = 0; i < pbt_schema_n_messages(schema); i++) {
        const ProtobufCMessageDescriptor *type =
            pbt_schema_message_at(schema, i);
        ck_assert_ptr_eq(pbt_schema_message(schema, type->name), type);
    }
    ck_assert_ptr_nonnull(pbt_schema_enum(schema, "schema.Two_part.Color"));
    ck_assert_ptr_null(pbt_schema_enum(schema, "schema.Two_part.Mixed"));
    ck_assert_ptr_null(pbt_schema_message(schema, "schema.Two_part.Color"));
    ck_assert_ptr_null(pbt_schema_message(schema, "schema.Two_part"));
    ck_assert_ptr_null(pbt_schema_message(schema, ".schema.Two_part.Mixed"));
    ck_assert_ptr_null(pbt_schema_message(schema, "schema.Two_part.Mixed."));
    ck_assert_ptr_null(pbt_schema_message(schema, ""));
    ck_assert_ptr_null(pbt_schema_message_at(schema, i));
    pbt_schema_free(schema);
}
END_TEST

START_TEST(types_stand_in_the_order_of_the_set) {
    static const char *const names[] = {"B", "B.C", "B.C.D", "B.A", "A"};
    pbt_schema *schema = load_text("1{1'b' 4{1'B' 3{1'C' 3{1'D'}} 3{1'A'}}} "
                                   "1{1'a' 4{1'A'}}");
    size_t i;
    expect_number("types", pbt_schema_n_messages(schema), 5);
    for (i = 0; i < 5; i++)
        expect_text("type", pbt_schema_message_at(schema, i)->name, names[i]);
    expect_true("nested", pbti_facts(find_type(schema, "B.C"))->is_nested);
    expect_true("not nested", !pbti_facts(find_type(schema, "B"))->is_nested);
    expect_text("file", pbti_facts(find_type(schema, "A"))->file, "a");
    pbt_schema_free(schema);
}
END_TEST

/* A type name in a set, where it stands, and what it means. */
START_TEST(relative_names_follow_scopes) {
    static const struct {
        const char *name;
        const char *meaning;
    } cases[] = {{"X", "a.b.M.X"},  {"b.X", "a.b.X"},   {"M.X", "a.b.M.X"},
                 {"a.X", "a.X"},    {"a.b.X", "a.b.X"}, {".X", "X"},
                 {"M", "a.b.M"},    {"Y", "Y"},         {".a.b.M.X", "a.b.M.X"},
                 {"Z", "a.b.M.Z.Z"}};
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        arena a = {NULL};
        const char *text = arena_format(
            &a,
            "1{1't' 2'a.b' 4{1'X'} 4{1'M' 3{1'X'} 3{1'Z' 3{1'Z'} "
            "2{1'f' 3:1 4:1 6'%s'}}}} 1{1'u' 2'a' 4{1'X'}} 1{1'v' 4{1'X'} "
            "4{1'Y'}}",
            cases[i].name);
        pbt_schema *schema = load_text(text);
        const ProtobufCMessageDescriptor *sub =
            find_field(find_type(schema, "a.b.M.Z"), "f")->descriptor;
        expect_text("meaning", sub->name, cases[i].meaning);
        pbt_schema_free(schema);
        arena_free(&a);
    }
}
END_TEST

START_TEST(imports_may_be_late_circular_or_missing) {
    pbt_schema *schema =
        load_text("1{1'a' 3'b' 3'gone' 4{1'A' 2{1'b' 3:1 4:1 5:11 6'.B'}}} "
                  "1{1'b' 3'a' 4{1'B' 2{1'a' 3:1 4:3 5:11 6'.A'}}}");
    ck_assert_ptr_eq(find_field(find_type(schema, "A"), "b")->descriptor,
                     find_type(schema, "B"));
    ck_assert_ptr_eq(find_field(find_type(schema, "B"), "a")->descriptor,
                     find_type(schema, "A"));
    ck_assert_ptr_null(pbt_schema_root(schema));
    pbt_schema_free(schema);
}
END_TEST

/* As `cat` of two sets that import the same file makes it. */
START_TEST(sets_may_be_joined) {
#define COMMON "1{1'c.proto' 2'p' 4{1'C' 2{1'f' 3:1 4:1 5:5}}} "
    pbt_schema *schema = load_text(
        COMMON "1{1'a.proto' 2'p' 3'c.proto' 4{1'A' 2{1'c' 3:1 4:1 5:11 6'C'}}}"
               " " COMMON COMMON "1{1'b.proto' 2'p' 3'c.proto' 4{1'B'}}");
#undef COMMON
    ck_assert_uint_eq(pbt_schema_n_messages(schema), 3);
    ck_assert_ptr_eq(find_field(find_type(schema, "p.A"), "c")->descriptor,
                     find_type(schema, "p.C"));
    ck_assert_ptr_nonnull(pbt_schema_message(schema, "p.B"));
    pbt_schema_free(schema);
    schema =
        load_text("1{1'a.proto' 3'b.proto' 4{1'A'}} 1{1'b.proto' 4{1'B'}} "
                  "1{1'a.proto' 3'b.proto' 4{1'A'}} 1{1'b.proto' 4{1'B'}}");
    ck_assert_ptr_eq(pbt_schema_root(schema), find_type(schema, "A"));
    pbt_schema_free(schema);
}
END_TEST

START_TEST(root_is_no_part_of_another) {
    static const struct {
        const char *text;
        const char *root;
    } cases[] = {
        {"1{1'a' 4{1'A'}}", "A"},
        {"1{1'a' 4{1'A'} 4{1'B'}}", NULL},
        {"1{1'a' 4{1'A'} 4{1'B' 2{1'f' 3:1 4:1 6'A'}}}", "B"},
        /* contains itself, directly and through a message in it */
        {"1{1'a' 4{1'A' 2{1'f' 3:1 4:1 6'A'}}}", "A"},
        {"1{1'a' 4{1'A' 3{1'B' 2{1'f' 3:1 4:1 6'A'}}}}", "A"},
        /* what is imported does not count, used or not */
        {"1{1'a' 4{1'A'}} 1{1'b' 3'a' 4{1'B'}}", "B"},
        {"1{1'b' 3'a' 4{1'B'}} 1{1'a' 4{1'A'} 4{1'C'}}", "B"},
        {"1{1'a' 4{1'A'}} 1{1'b' 4{1'B'}}", NULL},
    };
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++) {
        pbt_schema *schema = load_text(cases[i].text);
        const ProtobufCMessageDescriptor *root = pbt_schema_root(schema);
        expect_text("root", root ? root->name : "",
                    cases[i].root ? cases[i].root : "");
        pbt_schema_free(schema);
    }
}
END_TEST

START_TEST(json_names_are_given_or_derived) {
    pbt_schema *schema = set_schema("schema2");
    const ProtobufCMessageDescriptor *type =
        find_type(schema, "schema.Two_part.odd_NAMES_2x");
    expect_text("given", find_facts(type, "json")->json_name, "x-y");
    pbt_schema_free(schema);
    schema = load_text("1{1'a' 4{1'A' 2{1'_foo__bar_9x_' 3:1 4:1 5:5} "
                       "2{1'Foo_Bar' 3:2 4:1 5:5}}}");
    type = find_type(schema, "A");
    expect_text("derived", find_facts(type, "_foo__bar_9x_")->json_name,
                "FooBar9x");
    expect_text("derived", find_facts(type, "Foo_Bar")->json_name, "FooBar");
    pbt_schema_free(schema);
}
END_TEST

START_TEST(optional_of_proto3_has_presence) {
    pbt_schema *schema =
        load_text("1{1'a' 12'proto3' 4{1'A' "
                  "2{1'o' 3:1 4:1 5:5 9:1 17:1} 2{1'p' 3:2 4:1 5:5} "
                  "2{1's' 3:3 4:1 5:9 9:2 17:1} 2{1't' 3:4 4:1 5:9} "
                  "2{1'c' 3:5 4:1 5:5 9:0} 8{1'real'} 8{1'_o'} 8{1'_s'}}}");
    const ProtobufCMessageDescriptor *type = find_type(schema, "A");
    const ProtobufCFieldDescriptor *o = find_field(type, "o");
    expect_number("label", o->label, PROTOBUF_C_LABEL_OPTIONAL);
    expect_number("flags", o->flags, 0);
    expect_number("has_", o->quantifier_offset, sizeof(ProtobufCMessage));
    expect_number("offset", o->offset, sizeof(ProtobufCMessage) + 4);
    expect_true("presence", pbti_field_fact(type, o)->has_presence);
    ck_assert_ptr_null(pbti_field_fact(type, o)->oneof_name);
    expect_number("label", find_field(type, "p")->label, PROTOBUF_C_LABEL_NONE);
    expect_true("no presence", !find_facts(type, "p")->has_presence);
    ck_assert_ptr_null(find_field(type, "s")->default_value);
    ck_assert_ptr_eq(find_field(type, "t")->default_value,
                     protobuf_c_empty_string);
    expect_number("flags", find_field(type, "c")->flags,
                  PROTOBUF_C_FIELD_FLAG_ONEOF);
    expect_text("oneof", find_facts(type, "c")->oneof_name, "real");
    expect_true("presence", find_facts(type, "c")->has_presence);
    pbt_schema_free(schema);
}
END_TEST

START_TEST(groups_are_marked) {
    pbt_schema *schema = load_text(
        "1{1'a' 4{1'A' 3{1'G' 2{1'i' 3:1 4:2 5:5}} "
        "2{1'g' 3:1 4:3 5:10 6'.A.G'} 2{1'm' 3:2 4:1 5:11 6'.A.G'}}}");
    const ProtobufCMessageDescriptor *type = find_type(schema, "A");
    expect_number("type", find_field(type, "g")->type, PROTOBUF_C_TYPE_MESSAGE);
    expect_true("group", find_facts(type, "g")->is_group);
    expect_true("message", !find_facts(type, "m")->is_group);
    pbt_schema_free(schema);
}
END_TEST

START_TEST(message_sets_that_nothing_uses_are_left_out) {
    pbt_schema *schema =
        load_text("1{1'a' 4{1'A' 3{1'Set' 7{1:1} 5{1:4 2:2147483647}} "
                  "3{1'Part' 6{1'x' 2'.A.Set' 3:1547769 4:1 5:11 6'.A.Part'} "
                  "2{1's' 3:1 4:1 5:9}}}}");
    expect_number("types", pbt_schema_n_messages(schema), 2);
    ck_assert_ptr_null(pbt_schema_message(schema, "A.Set"));
    expect_number("fields", find_type(schema, "A.Part")->n_fields, 1);
    pbt_schema_free(schema);
}
END_TEST

START_TEST(extensions_are_fields_behind_the_others) {
    static const char own[] = "4{1'A' 5{1:10 2:99} 2{1'z' 3:50 4:1 5:5}} ";
    arena a = {NULL};
    pbt_schema *alone = load_text(arena_format(&a, "1{1'a' 2'p' %s}", own));
    pbt_schema *schema = load_text(arena_format(
        &a,
        "1{1'a' 2'p' %s 7{1'ext_one' 2'A' 3:98 4:1 5:1 7'2.5' 10'other'}} "
        "1{1'b' 2'q' 12'proto3' 4{1'B' 6{1'list' 2'.p.A' 3:10 4:3 5:5} "
        "6{1'text' 2'.p.A' 3:11 4:1 5:9}}}",
        own));
    const ProtobufCMessageDescriptor *type = find_type(schema, "p.A");
    const ProtobufCFieldDescriptor *one = find_field(type, "[p.ext_one]");
    const ProtobufCFieldDescriptor *list = find_field(type, "[q.B.list]");
    const ProtobufCFieldDescriptor *text = find_field(type, "[q.B.text]");
    expect_number("fields", type->n_fields, 4);
    expect_number("first", type->fields[0].id, 10);
    expect_number("last", type->fields[3].id, 98);
    expect_number("own field", find_field(type, "z")->offset,
                  find_field(find_type(alone, "p.A"), "z")->offset);
    expect_true("behind",
                one->quantifier_offset > find_field(type, "z")->offset);
    expect_number("label", one->label, PROTOBUF_C_LABEL_OPTIONAL);
    expect_number("packed", list->flags, PROTOBUF_C_FIELD_FLAG_PACKED);
    /* Explicit presence also where the file is proto3. */
    expect_number("label", text->label, PROTOBUF_C_LABEL_OPTIONAL);
    ck_assert_ptr_null(text->default_value);
    expect_true("mark", pbti_field_fact(type, one)->is_extension);
    expect_true("no mark", !find_facts(type, "z")->is_extension);
    expect_text("json_name", pbti_field_fact(type, one)->json_name,
                "[p.ext_one]");
    expect_number("type with no own field", find_type(schema, "q.B")->n_fields,
                  0);
    pbt_schema_free(schema);
    pbt_schema_free(alone);
    arena_free(&a);
}
END_TEST

static void expect_default(const ProtobufCMessageDescriptor *type,
                           const char *name, const void *want, size_t size) {
    const ProtobufCFieldDescriptor *field = find_field(type, name);
    ck_assert_ptr_nonnull(field->default_value);
    expect_bytes(name, field->default_value, size, want, size);
}

/* The bits of a default, so that zeros have signs. */
static void expect_double(const ProtobufCMessageDescriptor *type,
                          const char *name, double want) {
    expect_default(type, name, &want, sizeof want);
}

static void expect_float(const ProtobufCMessageDescriptor *type,
                         const char *name, float want) {
    expect_default(type, name, &want, sizeof want);
}

START_TEST(defaults_of_numbers_are_exact) {
    pbt_schema *schema = load_text(
        "1{1'a' 4{1'A' 2{1'z' 3:1 4:1 5:1 7'-0'} 2{1'i' 3:2 4:1 5:1 7'inf'} "
        "2{1'j' 3:3 4:1 5:1 7'-inf'} 2{1'n' 3:4 4:1 5:1 7'nan'} "
        "2{1'd' 3:5 4:1 5:1 7'2.2250738585072014e-308'} "
        "2{1'e' 3:6 4:1 5:1 7'1e+400'} 2{1'f' 3:7 4:1 5:2 7'3.1415927'} "
        "2{1'g' 3:8 4:1 5:2 7'-inf'} 2{1'h' 3:9 4:1 5:2 7'1e-46'} "
        "2{1'k' 3:10 4:1 5:3 7'-9223372036854775808'} "
        "2{1'l' 3:11 4:1 5:2 7'nan'}}}");
    const ProtobufCMessageDescriptor *type = find_type(schema, "A");
    int64_t least = INT64_MIN;
    double nan;
    float narrow_nan;
    expect_double(type, "z", -0.0);
    expect_double(type, "i", HUGE_VAL);
    expect_double(type, "j", -HUGE_VAL);
    expect_double(type, "d", 2.2250738585072014e-308);
    expect_double(type, "e", HUGE_VAL);
    expect_float(type, "f", 3.1415927f);
    expect_float(type, "g", -HUGE_VALF);
    expect_float(type, "h", 0.0f);
    expect_default(type, "k", &least, sizeof least);
    memcpy(&nan, find_field(type, "n")->default_value, sizeof nan);
    memcpy(&narrow_nan, find_field(type, "l")->default_value,
           sizeof narrow_nan);
    expect_true("nan", nan != nan);
    expect_true("nan", narrow_nan != narrow_nan);
    pbt_schema_free(schema);
}
END_TEST

START_TEST(defaults_of_bytes_are_unescaped) {
    static const uint8_t want[] = {7,   8,    12,   10,   13,  9,   11,
                                   '"', '\\', '\'', '?',  0,   1,   8,
                                   9,   0xff, 'z',  0x1f, '8', 'g', 0xe4};
    pbt_schema *schema = load_text(
        "1{1'a' 4{1'A' 2{1'b' 3:1 4:1 5:12 "
        "7'\\a\\b\\f\\n\\r\\t\\v\"\\\\\\047\\?\\0\\1\\10\\011\\377z\\x1f8g"
        "\\XE4'}}}");
    const ProtobufCBinaryData *value =
        find_field(find_type(schema, "A"), "b")->default_value;
    expect_bytes("bytes", value->data, value->len, want, sizeof want);
    expect_number("NUL after it", value->data[value->len], 0);
    pbt_schema_free(schema);
}
END_TEST

START_TEST(strings_may_be_kept_as_bytes) {
    pbt_schema *schema = set_schema("schema2");
    const ProtobufCMessageDescriptor *type =
        find_type(schema, "schema.Two_part.Mixed");
    expect_number("type", find_field(type, "as_bytes")->type,
                  PROTOBUF_C_TYPE_BYTES);
    expect_true("still text", find_facts(type, "as_bytes")->is_string);
    expect_true("no text", !find_facts(type, "b")->is_string);
    expect_true("map", find_facts(type, "inner")->is_map);
    expect_true(
        "entry",
        pbti_facts(find_field(type, "inner")->descriptor)->is_map_entry);
    expect_true("no map", !find_facts(type, "wide")->is_map);
    pbt_schema_free(schema);
}
END_TEST

Suite *schema_suite(void) {
    Suite *suite = suite_create("schema");
    TCase *tcase = tcase_create("schema");
    tcase_add_test(tcase, types_are_found_by_name);
    tcase_add_test(tcase, types_stand_in_the_order_of_the_set);
    tcase_add_test(tcase, relative_names_follow_scopes);
    tcase_add_test(tcase, imports_may_be_late_circular_or_missing);
    tcase_add_test(tcase, sets_may_be_joined);
    tcase_add_test(tcase, root_is_no_part_of_another);
    tcase_add_test(tcase, json_names_are_given_or_derived);
    tcase_add_test(tcase, optional_of_proto3_has_presence);
    tcase_add_test(tcase, groups_are_marked);
    tcase_add_test(tcase, message_sets_that_nothing_uses_are_left_out);
    tcase_add_test(tcase, extensions_are_fields_behind_the_others);
    tcase_add_test(tcase, defaults_of_numbers_are_exact);
    tcase_add_test(tcase, defaults_of_bytes_are_unescaped);
    tcase_add_test(tcase, strings_may_be_kept_as_bytes);
    suite_add_tcase(suite, tcase);
    return suite;
}
