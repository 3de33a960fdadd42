/* test_schema_editions.c - the features of editions: their defaults, where they
 * are inherited from, and what they change. The sets are written by hand, as
 * the protoc of the tests may be too old for editions.
 *
 * Numbers: FileOptions.features = 50, MessageOptions 12, FieldOptions 21,
 * OneofOptions 1, EnumOptions 7; in a FeatureSet field_presence = 1 (explicit
 * 1, implicit 2, required 3), enum_type = 2 (open 1, closed 2),
 * repeated_field_encoding = 3 (packed 1, expanded 2), utf8_validation = 4
 * (verify 2, none 3), message_encoding = 5 (length-prefixed 1, delimited 2). */
#include "base_facts.h"
#include "suites.h"
#include "support_expect.h"
#include "support_set.h"

#define EDITION "12'editions' 14:1000 "

typedef struct expected {
    const char *text; /* of a set with a message M that has a field f */
    ProtobufCLabel label;
    uint32_t flags;
    bool has_presence;
    bool is_group;
    bool is_closed;
    bool validates_utf8;
} expected;

#define NONE PROTOBUF_C_LABEL_NONE
#define OPTIONAL PROTOBUF_C_LABEL_OPTIONAL
#define REPEATED PROTOBUF_C_LABEL_REPEATED
#define REQUIRED PROTOBUF_C_LABEL_REQUIRED
#define PACKED PROTOBUF_C_FIELD_FLAG_PACKED
#define ONEOF PROTOBUF_C_FIELD_FLAG_ONEOF

static const expected cases[] = {
    /* presence: explicit unless a field, a message's file or a oneof says
     * otherwise */
    {"1{1't' " EDITION "4{1'M' 2{1'f' 3:1 4:1 5:5}}}", OPTIONAL, 0, true, false,
     false, false},
    {"1{1't' " EDITION "8{50{1:2}} 4{1'M' 2{1'f' 3:1 4:1 5:5}}}", NONE, 0,
     false, false, false, false},
    {"1{1't' " EDITION "4{1'M' 2{1'f' 3:1 4:1 5:5 8{21{1:2}}}}}", NONE, 0,
     false, false, false, false},
    {"1{1't' " EDITION "8{50{1:2}} 4{1'M' 2{1'f' 3:1 4:1 5:5 8{21{1:1}}}}}",
     OPTIONAL, 0, true, false, false, false},
    {"1{1't' " EDITION "4{1'M' 7{12{1:2}} 2{1'f' 3:1 4:1 5:5}}}", NONE, 0,
     false, false, false, false},
    {"1{1't' " EDITION "8{50{1:3}} 4{1'M' 2{1'f' 3:1 4:1 5:5}}}", REQUIRED, 0,
     true, false, false, false},
    {"1{1't' " EDITION "4{1'M' 2{1'f' 3:1 4:1 5:11 6'M' 8{21{1:3}}}}}",
     REQUIRED, 0, true, false, false, false},
    /* a message field and a oneof member have presence anyway */
    {"1{1't' " EDITION "8{50{1:2}} 4{1'M' 2{1'f' 3:1 4:1 5:11 6'M'}}}", NONE, 0,
     true, false, false, false},
    {"1{1't' " EDITION "4{1'M' 8{1'o' 2{1{1:2}}} 2{1'f' 3:1 4:1 5:5 9:0}}}",
     NONE, ONEOF, true, false, false, false},
    {"1{1't' " EDITION "8{50{1:3}} 4{1'M' 8{1'o'} 2{1'f' 3:1 4:1 5:5 9:0}}}",
     OPTIONAL, ONEOF, true, false, false, false},
    /* arrays are packed */
    {"1{1't' " EDITION "4{1'M' 2{1'f' 3:1 4:3 5:5}}}", REPEATED, PACKED, false,
     false, false, false},
    {"1{1't' " EDITION "4{1'M' 2{1'f' 3:1 4:3 5:5 8{21{3:2}}}}}", REPEATED, 0,
     false, false, false, false},
    {"1{1't' " EDITION "8{50{3:2}} 4{1'M' 2{1'f' 3:1 4:3 5:5 8{21{3:1}}}}}",
     REPEATED, PACKED, false, false, false, false},
    {"1{1't' " EDITION "4{1'M' 2{1'f' 3:1 4:3 5:9}}}", REPEATED, 0, false,
     false, false, true},
    /* the option of old does not count any more */
    {"1{1't' " EDITION "4{1'M' 2{1'f' 3:1 4:3 5:5 8{2:0}}}}", REPEATED, PACKED,
     false, false, false, false},
    /* strings are valid UTF-8 */
    {"1{1't' " EDITION "4{1'M' 2{1'f' 3:1 4:1 5:9}}}", OPTIONAL, 0, true, false,
     false, true},
    {"1{1't' " EDITION "8{50{4:3}} 4{1'M' 2{1'f' 3:1 4:1 5:9}}}", OPTIONAL, 0,
     true, false, false, false},
    {"1{1't' " EDITION "8{50{4:3}} 4{1'M' 2{1'f' 3:1 4:1 5:9 8{21{4:2}}}}}",
     OPTIONAL, 0, true, false, false, true},
    /* enums are open; the enum decides, not the field's file */
    {"1{1't' " EDITION "5{1'E' 2{1'V' 2:0}} 4{1'M' 2{1'f' 3:1 4:1 5:14 6'E'}}}",
     OPTIONAL, 0, true, false, false, false},
    {"1{1't' " EDITION
     "5{1'E' 2{1'V' 2:1} 3{7{2:2}}} 4{1'M' 2{1'f' 3:1 4:1 5:14 6'E'}}}",
     OPTIONAL, 0, true, false, true, false},
    {"1{1't' " EDITION "8{50{2:2}} 4{1'M' 4{1'E' 2{1'V' 2:1}} "
     "2{1'f' 3:1 4:1 5:14 6'E'}}}",
     OPTIONAL, 0, true, false, true, false},
    {"1{1'u' 5{1'E' 2{1'V' 2:1}}} 1{1't' " EDITION
     "4{1'M' 2{1'f' 3:1 4:1 5:14 6'E'}}}",
     OPTIONAL, 0, true, false, true, false},
    /* messages have a length before them */
    {"1{1't' " EDITION "4{1'M' 2{1'f' 3:1 4:1 5:11 6'M'}}}", OPTIONAL, 0, true,
     false, false, false},
    {"1{1't' " EDITION "4{1'M' 2{1'f' 3:1 4:1 5:11 6'M' 8{21{5:2}}}}}",
     OPTIONAL, 0, true, true, false, false},
    {"1{1't' " EDITION "8{50{5:2}} 4{1'M' 2{1'f' 3:1 4:3 5:11 6'M'}}}",
     REPEATED, 0, false, true, false, false},
    {"1{1't' " EDITION
     "8{50{5:2}} 4{1'M' 2{1'f' 3:1 4:3 5:11 6'M' 8{21{5:1}}}}}",
     REPEATED, 0, false, false, false, false},
    /* maps always have */
    {"1{1't' " EDITION "8{50{5:2}} 4{1'M' 3{1'FEntry' 7{7:1} "
     "2{1'key' 3:1 4:1 5:5} 2{1'value' 3:2 4:1 5:11 6'M'}} "
     "2{1'f' 3:1 4:3 5:11 6'FEntry'}}}",
     REPEATED, 0, false, false, false, false},
    {"1{1't' " EDITION "8{50{5:2}} 4{1'N' 3{1'M' 7{7:1} "
     "2{1'key' 3:1 4:1 5:5} 2{1'value' 3:2 4:1 5:11 6'N'}} "
     "2{1'f' 3:1 4:3 5:11 6'M'}} 4{1'M' 2{1'f' 3:1 4:1 5:11 6'N'}}}",
     OPTIONAL, 0, true, true, false, false},
    /* the features of a file that is no edition have no effect */
    {"1{1't' 8{50{1:2 3:1}} 4{1'M' 2{1'f' 3:1 4:3 5:5}}}", REPEATED, 0, false,
     false, false, false},
    /* proto2 and proto3, for comparison */
    {"1{1't' 4{1'M' 2{1'f' 3:1 4:1 5:9}}}", OPTIONAL, 0, true, false, false,
     false},
    {"1{1't' 12'proto3' 4{1'M' 2{1'f' 3:1 4:1 5:9}}}", NONE, 0, false, false,
     false, true},
    {"1{1't' 12'proto2' 5{1'E' 2{1'V' 2:1}} "
     "4{1'M' 2{1'f' 3:1 4:1 5:14 6'E'}}}",
     OPTIONAL, 0, true, false, true, false},
    /* 2024 has other defaults, but not of these features */
    {"1{1't' 12'editions' 14:1001 4{1'M' 2{1'f' 3:1 4:3 5:5}}}", REPEATED,
     PACKED, false, false, false, false},
};
enum { N_CASES = sizeof cases / sizeof *cases };

START_TEST(features_decide) {
    const expected *want = &cases[_i];
    arena a = {NULL};
    pbt_schema *schema = set_load(set_write(&a, want->text));
    const ProtobufCMessageDescriptor *type = pbt_schema_message(schema, "M");
    const ProtobufCFieldDescriptor *field = &type->fields[0];
    const pbti_field_facts *facts = pbti_field_fact(type, field);
    expect_context("%s", want->text);
    expect_number("label", field->label, want->label);
    expect_number("flags", field->flags, want->flags);
    expect_number("presence", facts->has_presence, want->has_presence);
    expect_number("group", facts->is_group, want->is_group);
    expect_number("closed", facts->is_closed_enum, want->is_closed);
    expect_number("utf8", facts->validates_utf8, want->validates_utf8);
    pbt_schema_free(schema);
    arena_free(&a);
}
END_TEST

/* Neither the map nor the value of its entry is a group. */
START_TEST(values_of_maps_are_no_groups) {
    arena a = {NULL};
    pbt_schema *schema = set_load(
        set_write(&a, "1{1't' " EDITION "8{50{5:2}} 4{1'M' 3{1'FEntry' 7{7:1} "
                      "2{1'key' 3:1 4:1 5:5} 2{1'value' 3:2 4:1 5:11 6'M'}} "
                      "2{1'f' 3:1 4:3 5:11 6'FEntry'}}}"));
    const ProtobufCMessageDescriptor *entry =
        pbt_schema_message(schema, "M.FEntry");
    expect_true("map",
                pbti_facts(pbt_schema_message(schema, "M"))->fields[0].is_map);
    expect_true("value", !pbti_facts(entry)->fields[1].is_group);
    pbt_schema_free(schema);
    arena_free(&a);
}
END_TEST

/* An extension has explicit presence whatever its file says, and the features
 * of the scope it is declared in, not those of the type it extends. */
START_TEST(extensions_have_the_features_of_their_scope) {
    arena a = {NULL};
    pbt_schema *schema = set_load(set_write(
        &a, "1{1't' " EDITION "4{1'M' 5{1:1 2:9}}} 1{1'u' " EDITION
            "8{50{1:2 3:2}} 7{1'x' 2'M' 3:1 4:1 5:5} 4{1'N' 7{12{3:1}} "
            "6{1'y' 2'M' 3:2 4:3 5:5}} 7{1'z' 2'M' 3:3 4:3 5:5}}"));
    const ProtobufCMessageDescriptor *type = pbt_schema_message(schema, "M");
    expect_number("x", type->fields[0].label, OPTIONAL);
    expect_true("presence", pbti_facts(type)->fields[0].has_presence);
    expect_number("y", type->fields[1].flags, PACKED);
    expect_number("z", type->fields[2].flags, 0);
    pbt_schema_free(schema);
    arena_free(&a);
}
END_TEST

/* A string with implicit presence starts as proto3's does. */
START_TEST(implicit_strings_start_empty) {
    arena a = {NULL};
    pbt_schema *schema = set_load(
        set_write(&a, "1{1't' " EDITION "4{1'M' 2{1'f' 3:1 4:1 5:9 8{21{1:2}}} "
                      "2{1'g' 3:2 4:1 5:9 7'd'}}}"));
    const ProtobufCMessageDescriptor *type = pbt_schema_message(schema, "M");
    ck_assert_ptr_eq(type->fields[0].default_value, protobuf_c_empty_string);
    expect_text("default", type->fields[1].default_value, "d");
    pbt_schema_free(schema);
    arena_free(&a);
}
END_TEST

Suite *schema_editions_suite(void) {
    Suite *suite = suite_create("schema_editions");
    TCase *tcase = tcase_create("schema_editions");
    tcase_add_loop_test(tcase, features_decide, 0, N_CASES);
    tcase_add_test(tcase, values_of_maps_are_no_groups);
    tcase_add_test(tcase, extensions_have_the_features_of_their_scope);
    tcase_add_test(tcase, implicit_strings_start_empty);
    suite_add_tcase(suite, tcase);
    return suite;
}
