/* test_schema_errors.c - sets that are wrong: each fault has its status and
 * names the file and the element. */
#include <stdio.h>
#include <string.h>

#include "suites.h"
#include "support_expect.h"
#include "support_set.h"

/* A file t.proto of package p, and parts of it; numbers as in descriptor.proto.
 * Labels: 1 optional, 2 required, 3 repeated. */
#define FILE2(content) "1{1't.proto' 2'p' " content "} "
#define FILE3(content) "1{1't.proto' 2'p' " content " 12'proto3'} "
#define FILE_2023(content)                                                     \
    "1{1't.proto' 2'p' " content " 12'editions' 14:1000} "
#define MESSAGE(name, content) "4{1'" name "' " content "} "
#define NESTED(name, content) "3{1'" name "' " content "} "
#define FIELD(name, content) "2{1'" name "' " content "} "
#define INT32(name, number) FIELD(name, "3:" #number " 4:1 5:5")
#define ENUM(name, content) "5{1'" name "' " content "} "
#define VALUE(name, number) "2{1'" name "' 2:" #number "} "
#define EXTENSION(content) "7{1'x' 2'.p.M' " content "} "

typedef struct bad_set {
    const char *text;
    pbt_status status;
    const char *message;
} bad_set;

#define BAD PBT_ERR_BAD_DESCRIPTOR

static const bad_set bad_sets[] = {
    /* files */
    {"1{2'p'} ", BAD, "(unnamed file): the file has no name"},
    {FILE2("") FILE2(ENUM("E", VALUE("V", 0))), BAD,
     "t.proto: the set has another file of the same name"},
    {FILE2(MESSAGE("M", INT32("f", 1))) FILE2(MESSAGE("M", INT32("f", 2))), BAD,
     "t.proto: the set has another file of the same name"},
    {"1{1't.proto'} 1{2'p'} ", BAD, "(unnamed file): the file has no name"},
    {"1{1't.proto' 2'a..b'} ", BAD, "t.proto: the package name is not valid"},
    {"1{1't.proto' 2'a.'} ", BAD, "t.proto: the package name is not valid"},
    {"1{1't.proto' 2'4'} ", BAD, "t.proto: the package name is not valid"},
    {"1{1'a.proto' 4{1'p'}} " FILE2(""), BAD,
     "t.proto: the package has the name of something else"},
    {"1{1't.proto' 12'proto4'} ", PBT_ERR_UNSUPPORTED,
     "t.proto: syntax proto4: not known"},
    {"1{1't.proto' 12'editions' 14:999} ", PBT_ERR_UNSUPPORTED,
     "t.proto: edition 999: not known"},
    {"1{1't.proto' 12'editions'} ", PBT_ERR_UNSUPPORTED,
     "t.proto: edition 0: not known"},
    {FILE_2023("8{50{1:4}}"), BAD, "t.proto: a feature has an unknown value"},
    {FILE_2023("8{50{5:0}}"), BAD, "t.proto: a feature has an unknown value"},
    /* names */
    {FILE2("4{2{}}"), BAD, "t.proto: message p.(unnamed): it has no name"},
    {FILE2(MESSAGE("a-b", "")), BAD,
     "t.proto: message p.a-b: the name is not an identifier"},
    {FILE2(MESSAGE("a\x01", "")), BAD,
     "t.proto: message p.a?: the name is not an identifier"},
    {FILE2(MESSAGE("M", "") MESSAGE("M", "")), BAD,
     "t.proto: message p.M: the name is used twice"},
    {FILE2(MESSAGE("M", "") ENUM("M", VALUE("V", 0))), BAD,
     "t.proto: enum p.M: the name is used twice"},
    {FILE2(ENUM("E", VALUE("V", 0)) ENUM("F", VALUE("V", 0))), BAD,
     "t.proto: enum value p.V: the name is used twice"},
    {FILE2(MESSAGE("M", INT32("f", 1) INT32("f", 2))), BAD,
     "t.proto: field p.M.f: the name is used twice"},
    {FILE2(MESSAGE("M", "8{1'f'}" INT32("f", 1))), BAD,
     "t.proto: field p.M.f: the name is used twice"},
    {FILE2(MESSAGE("M", INT32("f", 1) NESTED("f", ""))), BAD,
     "t.proto: message p.M.f: the name is used twice"},
    {FILE2("7{}"), BAD, "t.proto: extension p.(unnamed): it has no name"},
    /* numbers */
    {FILE2(MESSAGE("M", INT32("f", 0))), BAD,
     "t.proto: field p.M.f: number 0 is out of range"},
    {FILE2(MESSAGE("M", INT32("f", -1))), BAD,
     "t.proto: field p.M.f: number -1 is out of range"},
    {FILE2(MESSAGE("M", INT32("f", 536870912))), BAD,
     "t.proto: field p.M.f: number 536870912 is out of range"},
    {FILE2(MESSAGE("M", INT32("f", 19000))), BAD,
     "t.proto: field p.M.f: number 19000 is reserved for protobuf itself"},
    {FILE2(MESSAGE("M", INT32("f", 19999))), BAD,
     "t.proto: field p.M.f: number 19999 is reserved for protobuf itself"},
    {FILE2(MESSAGE("M", FIELD("f", "4:1 5:5"))), BAD,
     "t.proto: field p.M.f: it has no number"},
    {FILE2(MESSAGE("M", INT32("f", 7) INT32("g", 8) INT32("h", 7))), BAD,
     "t.proto: field p.M.h: number 7 is used by f as well"},
    /* labels and types */
    {FILE2(MESSAGE("M", FIELD("f", "3:1 5:5"))), BAD,
     "t.proto: field p.M.f: it has no valid label"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:4 5:5"))), BAD,
     "t.proto: field p.M.f: it has no valid label"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:0 5:5"))), BAD,
     "t.proto: field p.M.f: it has no valid label"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1"))), BAD,
     "t.proto: field p.M.f: it has no type"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:19"))), BAD,
     "t.proto: field p.M.f: type number 19 is not known"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:0"))), BAD,
     "t.proto: field p.M.f: type number 0 is not known"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:11"))), BAD,
     "t.proto: field p.M.f: it has no type name"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:11 6'.p.N'"))), BAD,
     "t.proto: field p.M.f: type .p.N is not in the set"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:11 6'N'"))), BAD,
     "t.proto: field p.M.f: type N is not in the set"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:11 6'p'"))), BAD,
     "t.proto: field p.M.f: type p is not in the set"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:14 6'M'"))), BAD,
     "t.proto: field p.M.f: M is not of the kind of type 14"},
    {FILE2(ENUM("E", VALUE("V", 0))
               MESSAGE("M", FIELD("f", "3:1 4:1 5:11 6'E'"))),
     BAD, "t.proto: field p.M.f: E is not of the kind of type 11"},
    /* The innermost scope that knows A decides, and there is no B in it. */
    {FILE2(MESSAGE("A", NESTED("B", ""))
               MESSAGE("M", NESTED("A", "") FIELD("f", "3:1 4:1 5:11 6'A.B'"))),
     BAD, "t.proto: field p.M.f: type A.B is not in the set"},
    {FILE3(MESSAGE("M", FIELD("f", "3:1 4:2 5:5"))), BAD,
     "t.proto: field p.M.f: fields of proto3 cannot be required"},
    /* oneofs */
    {FILE2(MESSAGE("M", "8{1'o'}" FIELD("f", "3:1 4:1 5:5 9:1"))), BAD,
     "t.proto: field p.M.f: oneof_index 1 is out of range"},
    {FILE2(MESSAGE("M", "8{1'o'}" FIELD("f", "3:1 4:1 5:5 9:-1"))), BAD,
     "t.proto: field p.M.f: oneof_index -1 is out of range"},
    {FILE2(MESSAGE("M", "8{1'o'}" FIELD("f", "3:1 4:3 5:5 9:0"))), BAD,
     "t.proto: field p.M.f: a member of a oneof must be optional"},
    {FILE2(MESSAGE("M", "8{1'o'}")), BAD,
     "t.proto: oneof p.M.o: it has no fields"},
    /* defaults */
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:5 7'2147483648'"))), BAD,
     "t.proto: field p.M.f: the default value \"2147483648\" is not valid"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:5 7'-2147483649'"))), BAD,
     "t.proto: field p.M.f: the default value \"-2147483649\" is not valid"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:13 7'-1'"))), BAD,
     "t.proto: field p.M.f: the default value \"-1\" is not valid"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:3 7'9223372036854775808'"))), BAD,
     "t.proto: field p.M.f: the default value \"9223372036854775808\" is not "
     "valid"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:4 7'18446744073709551616'"))),
     BAD,
     "t.proto: field p.M.f: the default value \"18446744073709551616\" is not "
     "valid"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:5 7''"))), BAD,
     "t.proto: field p.M.f: the default value \"\" is not valid"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:5 7'-'"))), BAD,
     "t.proto: field p.M.f: the default value \"-\" is not valid"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:5 7'1x'"))), BAD,
     "t.proto: field p.M.f: the default value \"1x\" is not valid"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:1 7'1,5'"))), BAD,
     "t.proto: field p.M.f: the default value \"1,5\" is not valid"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:2 7'1.5.'"))), BAD,
     "t.proto: field p.M.f: the default value \"1.5.\" is not valid"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:2 7'-'"))), BAD,
     "t.proto: field p.M.f: the default value \"-\" is not valid"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:2 7'0x10'"))), BAD,
     "t.proto: field p.M.f: the default value \"0x10\" is not valid"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:2 7'infinity'"))), BAD,
     "t.proto: field p.M.f: the default value \"infinity\" is not valid"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:8 7'1'"))), BAD,
     "t.proto: field p.M.f: the default value \"1\" is not valid"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:12 7'a\\'"))), BAD,
     "t.proto: field p.M.f: the default value \"a\\\" is not valid"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:12 7'\\q'"))), BAD,
     "t.proto: field p.M.f: the default value \"\\q\" is not valid"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:12 7'\\x'"))), BAD,
     "t.proto: field p.M.f: the default value \"\\x\" is not valid"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:12 7'\\400'"))), BAD,
     "t.proto: field p.M.f: the default value \"\\400\" is not valid"},
    {FILE2(ENUM("E", VALUE("V", 0))
               MESSAGE("M", FIELD("f", "3:1 4:1 5:14 6'E' 7'W'"))),
     BAD, "t.proto: field p.M.f: the default value \"W\" is not valid"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:1 5:11 6'M' 7'x'"))), BAD,
     "t.proto: field p.M.f: a message has no default value"},
    {FILE2(MESSAGE("M", FIELD("f", "3:1 4:3 5:5 7'1'"))), BAD,
     "t.proto: field p.M.f: a repeated field has no default value"},
    {FILE3(MESSAGE("M", FIELD("f", "3:1 4:1 5:5 7'1'"))), BAD,
     "t.proto: field p.M.f: a default value needs explicit presence"},
    /* enums */
    {FILE2(ENUM("E", "")), BAD, "t.proto: enum p.E: it has no values"},
    {FILE2(ENUM("E", "2{1'V'}")), BAD,
     "t.proto: enum p.E: value V has no number"},
    {FILE2(ENUM("E", VALUE("V", 1) VALUE("W", 1))), BAD,
     "t.proto: enum p.E: V and W have the same number, and it has no "
     "allow_alias"},
    {FILE3(ENUM("E", VALUE("V", 1))), BAD,
     "t.proto: enum p.E: the first value of an open enum must be 0"},
    /* extensions */
    {FILE2(MESSAGE("M", "5{1:10 2:20}") EXTENSION("3:20 4:1 5:5")), BAD,
     "t.proto: extension p.x: number 20 is in no extension range of .p.M"},
    {FILE2(MESSAGE("M", "5{1:10 2:20}") EXTENSION("3:9 4:1 5:5")), BAD,
     "t.proto: extension p.x: number 9 is in no extension range of .p.M"},
    {FILE2(MESSAGE("M", "5{1:10 2:20}") EXTENSION("3:10 4:2 5:5")), BAD,
     "t.proto: extension p.x: an extension cannot be required"},
    {FILE2(MESSAGE("M", "5{1:10 2:20} 8{1'o'}" FIELD("f", "3:1 4:1 5:5 9:0"))
               EXTENSION("3:10 4:1 5:5 9:0")),
     BAD, "t.proto: extension p.x: an extension cannot be in a oneof"},
    {FILE2(EXTENSION("3:10 4:1 5:5")), BAD,
     "t.proto: extension p.x: message .p.M is not in the set"},
    {FILE2("7{1'x' 3:10 4:1 5:5}"), BAD,
     "t.proto: extension p.x: it does not say what it extends"},
    {FILE2(MESSAGE("M", "5{1:10 2:20}")
               EXTENSION("3:10 4:1 5:5") "7{1'y' 2'M' 3:10 4:1 5:5}"),
     BAD, "t.proto: extension p.y: number 10 is used by [p.x] as well"},
    /* maps */
    {FILE2(MESSAGE("M", "7{7:1}")), BAD,
     "t.proto: message p.M: a map entry must be declared in a message"},
    {FILE2(MESSAGE("M", NESTED("E", "7{7:1}" INT32("key", 1)))), BAD,
     "t.proto: message p.M.E: a map entry has a key and a value, no more"},
    {FILE2(MESSAGE("M", NESTED("E", "7{7:1}" INT32("key", 1) INT32("val", 2)))),
     BAD,
     "t.proto: message p.M.E: the fields of a map entry must be an optional "
     "key = 1 and an optional value = 2"},
    {FILE2(MESSAGE("M", NESTED("E", "7{7:1}" FIELD("key", "3:1 4:1 5:1")
                                        INT32("value", 2)))),
     BAD, "t.proto: message p.M.E: this type cannot be a map's key"},
    {FILE2(MESSAGE("M", NESTED("E", "7{7:1}" INT32("key", 1) INT32("value", 2))
                            FIELD("f", "3:1 4:1 5:11 6'E'"))),
     BAD, "t.proto: field p.M.f: a map entry is used as an ordinary message"},
    {FILE2(MESSAGE("M", NESTED("E", "7{7:1}" INT32("key", 1) INT32("value", 2)))
               MESSAGE("N", FIELD("f", "3:1 4:3 5:11 6'M.E'"))),
     BAD, "t.proto: field p.N.f: a map entry is used as an ordinary message"},
    /* MessageSet */
    {FILE2(MESSAGE("M", "7{1:1}")), PBT_ERR_UNSUPPORTED,
     "t.proto: message p.M: MessageSet is not supported"},
    {FILE2(MESSAGE("M", NESTED("S", "7{1:1}") FIELD("f", "3:1 4:1 5:11 6'S'"))),
     PBT_ERR_UNSUPPORTED,
     "t.proto: field p.M.f: its type S is a MessageSet, which is not "
     "supported"},
};
enum { N_BAD_SETS = sizeof bad_sets / sizeof *bad_sets };

START_TEST(faults_are_named) {
    const bad_set *bad = &bad_sets[_i];
    arena a = {NULL};
    packed set = set_write(&a, bad->text);
    pbt_error error = {.status = PBT_OK};
    pbt_schema *schema = (pbt_schema *) &error;
    expect_context("%s", bad->text);
    expect_status("load", pbt_schema_load(set.bytes, set.len, &schema, &error),
                  bad->status);
    ck_assert_ptr_null(schema);
    expect_status("report", error.status, bad->status);
    expect_text("message", error.message, bad->message);
    expect_text("path", error.path, "");
    expect_status("without a report",
                  pbt_schema_load(set.bytes, set.len, &schema, NULL),
                  bad->status);
    arena_free(&a);
}
END_TEST

/* Files of other kinds, which are messages of unknown fields to a reader. */
START_TEST(a_set_without_a_file_is_refused) {
    static const char *const others[] = {"2:1", "15'text'", "100{1'x'} 3:7"};
    size_t i;
    for (i = 0; i < sizeof others / sizeof *others; i++) {
        arena a = {NULL};
        packed set = set_write(&a, others[i]);
        pbt_error error = {.status = PBT_OK};
        pbt_schema *schema;
        expect_context("%s", others[i]);
        expect_status("load",
                      pbt_schema_load(set.bytes, set.len, &schema, &error),
                      PBT_ERR_MALFORMED);
        ck_assert_ptr_null(schema);
        expect_text("message", error.message,
                    "there is no file in it: this is no FileDescriptorSet");
        arena_free(&a);
    }
}
END_TEST

/* A report has room for 255 characters: of long names the ends are kept, and
 * the reason as a whole. */
START_TEST(long_names_leave_room_for_the_reason) {
    char name[300];
    char text[5 * sizeof name];
    arena a = {NULL};
    pbt_error error = {.status = PBT_OK};
    pbt_schema *schema;
    packed set;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(text, sizeof text,
             "1{1'%s.proto' 2'%s' 4{1'%sM' 2{1'%sf' 3:0 4:1 5:5}}}", name, name,
             name, name);
    set = set_write(&a, text);
    expect_status("load", pbt_schema_load(set.bytes, set.len, &schema, &error),
                  PBT_ERR_BAD_DESCRIPTOR);
    ck_assert_ptr_nonnull(strstr(error.message, "n.proto: field ..."));
    ck_assert_ptr_nonnull(
        strstr(error.message, "nf: number 0 is out of range"));
    arena_free(&a);
}
END_TEST

START_TEST(arguments_are_checked) {
    pbt_error error = {.status = PBT_OK};
    pbt_schema *schema;
    expect_status("no place", pbt_schema_load("", 0, NULL, &error),
                  PBT_ERR_ARGUMENT);
    expect_text("message", error.message, "the place for the schema is NULL");
    expect_status("no set", pbt_schema_load(NULL, 1, &schema, &error),
                  PBT_ERR_ARGUMENT);
    expect_text("message", error.message, "the set is NULL");
    expect_status("new", pbt_schema_new(NULL, NULL), PBT_ERR_ARGUMENT);
    expect_status("empty", pbt_schema_load(NULL, 0, &schema, &error), PBT_OK);
    expect_number("types", pbt_schema_n_messages(schema), 0);
    ck_assert_ptr_null(pbt_schema_root(schema));
    expect_status("add", pbt_schema_add(schema, NULL, &error),
                  PBT_ERR_ARGUMENT);
    expect_text("message", error.message, "the type is NULL");
    expect_status("attach", pbt_schema_attach(NULL, NULL, &error),
                  PBT_ERR_ARGUMENT);
    expect_text("message", error.message, "the schema is NULL");
    ck_assert_ptr_null(pbt_schema_message(NULL, "p.M"));
    ck_assert_ptr_null(pbt_schema_message(schema, NULL));
    ck_assert_ptr_null(pbt_schema_enum(NULL, "p.E"));
    ck_assert_ptr_null(pbt_schema_root(NULL));
    ck_assert_ptr_null(pbt_schema_message_at(NULL, 0));
    pbt_schema_free(schema);
    pbt_schema_free(NULL);
}
END_TEST

Suite *schema_errors_suite(void) {
    Suite *suite = suite_create("schema_errors");
    TCase *tcase = tcase_create("schema_errors");
    tcase_add_loop_test(tcase, faults_are_named, 0, N_BAD_SETS);
    tcase_add_test(tcase, a_set_without_a_file_is_refused);
    tcase_add_test(tcase, long_names_leave_room_for_the_reason);
    tcase_add_test(tcase, arguments_are_checked);
    suite_add_tcase(suite, tcase);
    return suite;
}
