/* test_dropin_unpack_cases.c - unpack on what is hard to get right: the edges
 * of the wire format, and what protobuf-c does differently from others. */
#include <stdio.h>
#include <string.h>

#include "cases2.pb-c.h"
#include "cases3.pb-c.h"
#include "dropin_unpack.h"
#include "fuzz_target.h"
#include "schema2.pb-c.h"
#include "suites.h"
#include "support_expect.h"
#include "support_schema.h"

/* A message, and whether protobuf-c accepts it. */
typedef struct hard_case {
    const ProtobufCMessageDescriptor *type;
    const char *hex;
    bool accepted;
} hard_case;

#define OPT &c2__opt__descriptor
#define REP &c2__rep__descriptor
#define ONE &c2__one__descriptor
#define NODE &c2__node__descriptor
#define REQ &c2__req__descriptor
#define TREE &c2__tree__descriptor
#define PL &c3__pl__descriptor
#define ONE3 &c3__one__descriptor
#define MAP &c3__mp__descriptor
#define MIXED &schema__two_part__mixed__descriptor
#define DEFAULTS &schema__two_part__defaults__descriptor

static const hard_case cases[] = {
    /* nothing */
    {OPT, "", true},
    {REQ, "", false},
    {PL, "", true},
    /* tags: number 0 is a number when the tag is longer than it need be; of
     * more than 35 bits it is none */
    {OPT, "00 01", false},
    {OPT, "07", false},
    {OPT, "80 00 01", true},
    {OPT, "82 00 00", true},
    {OPT, "a8 00 05", true},
    {OPT, "a8 80 80 80 00 05", true},
    {OPT, "a8 80 80 80 80 00 05", false},
    {OPT, "f8 ff ff ff 0f 05", true},
    {OPT, "f8 ff ff ff 7f 05", true},
    {OPT, "fa ff ff ff 7f 01 61", true},
    {OPT, "ff ff ff ff 7f", false},
    {OPT, "a8", false},
    {OPT, "a8 80", false},
    /* varints have ten bytes at the most, and what does not fit is dropped */
    {OPT, "28 ff*9 01", true},
    {OPT, "28 ff*9 7f", true},
    {OPT, "28 ff*10 01", false},
    {OPT, "28 80*9 00", true},
    {OPT, "28 80", false},
    {OPT, "28", false},
    /* a bool is any of its bits, of any wire type */
    {OPT, "48 00", true},
    {OPT, "48 02", true},
    {OPT, "48 80*9 00", true},
    {OPT, "48 80*9 01", true},
    {OPT, "48 80*9 02", true},
    {OPT, "48 80*9 7e", true},
    {OPT, "49 00*8", true},
    {OPT, "49 00*7 80", true},
    {OPT, "49 00*7 01", true},
    {OPT, "4d 80*4", true},
    {OPT, "4d 00 01 00 00", true},
    {OPT, "4a 00", true},
    {OPT, "4a 01 00", true},
    {OPT, "4a 01 80", true},
    {OPT, "4b 4c", false},
    {PL, "25 00 00 01 00 25 80*4", true},
    {ONE3, "2d 01 00 00 00", true},
    {ONE3, "0a 01 61 2a 00", true},
    {REP, "42 0a 80*9 02", true},
    {REP, "42 0b 80*10 02", false},
    {REP, "42 03 80 80 00", true},
    {REP, "42 01 80", false},
    {REP, "45 01 00 00 00 41 00*8 40 01 42 01 02", true},
    /* other wire types are failures, but for repeated numbers both forms */
    {OPT, "2d 01 00 00 00", false},
    {OPT, "08 01", false},
    {OPT, "18 01", false},
    {REP, "2a 03 01 02 03 28 04 2a 00 30 05 32 02 06 07", true},
    {REP, "3d 01 00 00 00 3a 08 02 00 00 00 03 00 00 00", true},
    {REP, "3a 03 01 02 03", false},
    {REP, "2d 01 00 00 00", false},
    {REP, "38 01", false},
    {REP, "08 01", false},
    /* groups, and the wire types that do not exist */
    {OPT, "a3 06 a4 06", false},
    {OPT, "a4 06", false},
    {OPT, "a6 06", false},
    {OPT, "a7 06", false},
    /* lengths: five bytes, less than 2 GiB, and no more than there is */
    {OPT, "0a 81 00 61", true},
    {OPT, "0a 81 80 80 80 00 61", true},
    {OPT, "0a 81 80 80 80 80 00 61", false},
    {OPT, "0a 80 80 80 80 08", false},
    {OPT, "0a ff ff ff ff 07", false},
    {OPT, "0a ff ff ff ff 7f", false},
    {OPT, "0a 02 61", false},
    {OPT, "0a", false},
    {OPT, "a2 06 ff ff ff ff 7f", false},
    /* text ends at a NUL, but what follows is kept; the last one stays */
    {OPT, "0a 03 61 00 62", true},
    {OPT, "0a 01 61 0a 00 0a 02 62 63", true},
    {OPT, "32 01 61 32 01 62", true},
    {OPT, "32 04 64 66 6c 74", true},
    {OPT, "12 00", true},
    {OPT, "12 01 61 12 00", true},
    {OPT, "3a 00", true},
    {OPT, "3a 03 78 79 7a 3a 01 61", true},
    {PL, "2a 00 32 00", true},
    {PL, "2a 01 61 2a 00", true},
    /* required fields: in each occurrence, but for those with a default */
    {REQ, "0a 00 12 02 0a 00 1a 00 20 00 28 00", true},
    {REQ, "0a 00 12 02 0a 00 1a 00 20 00", false},
    {REQ, "0a 00 12 02 10 01 1a 00 20 00 28 00", false},
    {REQ, "0a 00 12 02 0a 00 12 02 10 01 1a 00 20 00 28 00", false},
    {REQ, "0a 00 12 04 0a 00 10 07 12 02 0a 00 1a 00 20 00 28 00", true},
    {OPT, "1a 00", false},
    {OPT, "1a 00 1a 03 0a 01 61", false},
    {DEFAULTS, "b0 01 01", true},
    {DEFAULTS, "a0 01 05", false},
    {DEFAULTS, "b0 01 01 a0 01 05 aa 01 01 61 aa 01 01 62", true},
    /* a message that occurs twice: what is merged, and what is lost */
    {NODE, "0a 02 10 07 0a 00", true},
    {NODE, "0a 02 10 07 0a 02 10 08", true},
    {NODE, "0a 02 0a 00 0a 02 0a 00", true},
    {NODE, "0a 04 0a 02 10 07 0a 04 0a 02 0a 00", true},
    {NODE, "0a 05 9a 01 02 61 62 0a 05 9a 01 02 63 64", true},
    {NODE, "0a 02 10 07 10 01 0a 02 0a 00 10 02 0a 00", true},
    {PL, "3a 02 08 07 3a 00", true},
    {PL, "3a 02 08 07 3a 02 08 08", true},
    {TREE, "0a 06 12 04 12 02 6c 31", true},
    {TREE, "12 04 12 02 6c 31 12 06 12 01 6c 0a 01 00", false},
    {TREE, "12 03 12 01 61 12 03 12 01 62", true},
    {TREE, "12 05 12 01 61 0a 00 12 05 12 01 62 0a 00", false},
    {TREE, "12 0a 12 01 61 0a 05 1a 03 0a 01 6e 12 05 12 01 62 0a 00", true},
    {TREE, "12 0a 12 01 61 0a 05 1a 03 0a 01 6e 12 07 12 01 62 0a 02 22 00",
     true},
    {TREE,
     "12 0b 12 01 61 0a 06 0a 00 0a 00 22 00 "
     "12 0b 12 01 62 0a 06 0a 00 22 02 10 01",
     true},
    /* maps keep all entries, whole or not */
    {MAP, "0a 05 0a 01 61 10 01 0a 05 0a 01 61 10 02 0a 00", true},
    {MAP, "1a 08 08 01 12 02 08 05 12 00", true},
    {MAP, "12 04 08 01 12 00 12 02 08 00", true},
    /* oneofs: the last one, whatever it is */
    {ONE, "0a 01 61 20 05", true},
    {ONE, "20 05 0a 01 61 12 01 62 0a 01 63 0a 00", true},
    {ONE, "1a 03 0a 01 61 1a 05 0a 01 62 10 05", true},
    {ONE, "1a 05 0a 01 62 10 05 1a 03 0a 01 61 20 01", true},
    {ONE, "1a 03 0a 01 61 1a 02 10 05", false},
    {ONE, "1a 03 0a 01 61 0d 01 00 00 00", false},
    {ONE, "12 00 12 01 61", true},
    {ONE3, "1a 02 08 05 1a 00 28 01 28 00", true},
    {DEFAULTS, "b0 01 01 ca 01 01 61 c0 01 05 ca 01 06 63 68 6f 73 65 6e",
     true},
    /* the same in a message that occurs twice */
    {MIXED, "32 08 12 06 4a 01 61 42 01 62 12 00", true},
    {MIXED, "32 02 12 00", true},
    {MIXED, "32 04 12 00 12 00", false},
    {MIXED, "32 0a 12 05 4a 01 61 40 01 12 01 00", false},
    {MIXED, "32 0b 12 05 4a 01 61 40 01 12 02 08 01", true},
    {MIXED, "32 0a 12 04 4a 00 40 01 12 02 08 01", true},
    {MIXED, "32 0a 12 04 08 01 40 01 12 02 40 00", true},
    /* unknown fields keep their order and their bytes */
    {OPT, "a0 06 01 28 07 a1 06 00*8 aa 06 02 61 62 ad 06 00*4 a0 06 80 00",
     true},
    {NODE, "0a 03 a0 06 01 a0 06 02", true},
    /* an enum is any number */
    {OPT, "20 63", true},
    {OPT, "20 ff*9 01", true},
    {REP, "20 63 4a 02 63 01 22 02 01 63", true},
};

START_TEST(hard_cases) {
    const hard_case *c = &cases[_i];
    fuzz_bytes bytes = {0};
    expect_context("case %d: %s", _i, c->hex);
    ck_assert(fuzz_append_hex(&bytes, c->hex));
    expect_number("accepted by the original",
                  dropin_expect_unpack_all(c->type, bytes.data, bytes.len),
                  c->accepted);
    fuzz_free(&bytes);
}
END_TEST

/* Each of them cut off at each place, and with another byte behind it. */
START_TEST(hard_cases_cut_off) {
    const hard_case *c = &cases[_i];
    fuzz_bytes bytes = {0};
    size_t len;
    ck_assert(fuzz_append_hex(&bytes, c->hex));
    for (len = 0; len < bytes.len; len++) {
        expect_context("case %d: %s, %zu bytes", _i, c->hex, len);
        dropin_expect_unpack_all(c->type, bytes.data, len);
    }
    fuzz_append(&bytes, "\x08", 1);
    dropin_expect_unpack_all(c->type, bytes.data, bytes.len);
    fuzz_free(&bytes);
}
END_TEST

/* The same behind a field that is longer than what is read without care. */
START_TEST(hard_cases_in_a_long_message) {
    const hard_case *c = &cases[_i];
    fuzz_bytes bytes = {0};
    uint8_t blanks[100] = {0};
    fuzz_append(&bytes, "\x82\x7d\x64", 3);
    fuzz_append(&bytes, blanks, sizeof blanks);
    ck_assert(fuzz_append_hex(&bytes, c->hex));
    fuzz_append(&bytes, "\x82\x7d\x64", 3);
    fuzz_append(&bytes, blanks, sizeof blanks);
    expect_context("case %d: %s", _i, c->hex);
    dropin_expect_unpack_all(c->type, bytes.data, bytes.len);
    fuzz_free(&bytes);
}
END_TEST

/* The lines that the fuzz targets start from. */
START_TEST(cases_of_the_fuzzers) {
    char line[8192];
    FILE *file = fopen(PBT_FUZZ_CASES, "r");
    unsigned n = 0;
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file)) {
        fuzz_bytes bytes = {0};
        fuzz_input input;
        line[strcspn(line, "#\n")] = '\0';
        if (*line == '\0' || !fuzz_message_case(&bytes, line))
            continue;
        ck_assert(fuzz_parse_input(&input, bytes.data, bytes.len));
        expect_context("%s", line);
        dropin_expect_unpack_all(input.type, input.data, input.len);
        fuzz_free(&bytes);
        n++;
    }
    fclose(file);
    ck_assert_uint_gt(n, 80);
}
END_TEST

/* A row of numbers: each with its tag, packed, or packed in two pieces. */
static void put_row(fuzz_bytes *out, uint32_t number, uint32_t form,
                    uint32_t n) {
    uint32_t wire_type = number == 7 ? 5 : 0, i;
    rng r = {n};
    size_t start = 0;
    for (i = 0; i < n; i++) {
        if (form == 0 || i == 0 || (form == 2 && i == n / 2)) {
            if (form && i > 0)
                fuzz_insert_length(out, start);
            fuzz_append_varint(out, number << 3 | (form ? 2 : wire_type), 0);
            start = out->len;
        }
        if (number == 7)
            fuzz_append_fixed(out, rng_next(&r), 4);
        else
            fuzz_append_varint(out, rng_next(&r) >> rng_below(&r, 64), 0);
    }
    if (form)
        fuzz_insert_length(out, start);
}

/* Up to a block of 64 numbers and more. */
START_TEST(arrays_of_every_length) {
    const uint32_t fields[] = {4, 5, 6, 7, 8, 9, 10};
    uint32_t number = fields[_i % 7], form = (uint32_t) _i / 7, n;
    for (n = 1; n < 150; n++) {
        fuzz_bytes bytes = {0};
        put_row(&bytes, number, form, n);
        expect_context("field %u, form %u, %u elements", number, form, n);
        ck_assert(dropin_expect_unpack_all(REP, bytes.data, bytes.len));
        fuzz_free(&bytes);
    }
}
END_TEST

/* Required fields around the bits that a word has. */
START_TEST(many_required_fields) {
    const uint32_t counts[] = {1, 62, 63, 64, 65, 126, 127, 128, 129, 200};
    uint32_t count = counts[_i], i, missing;
    arena a = {0};
    schema_field *fields = arena_alloc(&a, count * sizeof *fields);
    ProtobufCMessageDescriptor *type;
    for (i = 0; i < count; i++)
        fields[i] = (schema_field){.number = i + 1,
                                   .type = i % 3 ? PROTOBUF_C_TYPE_INT32
                                                 : PROTOBUF_C_TYPE_BOOL,
                                   .label = PROTOBUF_C_LABEL_REQUIRED};
    type = schema_make(&a, "Many", fields, count);
    for (missing = 0; missing <= count; missing++) {
        fuzz_bytes bytes = {0};
        for (i = 0; i < count; i++) {
            if (i == missing)
                continue;
            if (i % 3 == 0 && i % 2 == 0) {
                fuzz_append_varint(&bytes, (i + 1) << 3 | 5, 0);
                fuzz_append_fixed(&bytes, i, 4);
            } else {
                fuzz_append_varint(&bytes, (i + 1) << 3, 0);
                fuzz_append_varint(&bytes, i, 0);
            }
        }
        expect_context("%u fields, %u is missing", count, missing);
        expect_number("accepted",
                      dropin_expect_unpack_all(type, bytes.data, bytes.len),
                      missing == count);
        fuzz_free(&bytes);
    }
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

/* A message with every kind of field that merging treats in its own way, as the
 * field 1 of another. */
static ProtobufCMessageDescriptor *merged_type(arena *a) {
    const ProtobufCType number = PROTOBUF_C_TYPE_INT32;
    const ProtobufCType bytes = PROTOBUF_C_TYPE_BYTES;
    const ProtobufCType message = PROTOBUF_C_TYPE_MESSAGE;
    const ProtobufCLabel optional = PROTOBUF_C_LABEL_OPTIONAL;
    const ProtobufCLabel none = PROTOBUF_C_LABEL_NONE;
    const uint32_t in_oneof = PROTOBUF_C_FIELD_FLAG_ONEOF;
    ProtobufCBinaryData *xyz = arena_alloc(a, sizeof *xyz);
    const schema_field sub_fields[] = {
        {.number = 1, .type = number, .label = optional},
        {.number = 2, .type = number, .label = none}};
    const void *sub = schema_make(a, "Sub", sub_fields, 2);
    const schema_field fields[] = {
        {.number = 1,
         .type = message,
         .type_of = sub,
         .label = PROTOBUF_C_LABEL_REQUIRED},
        {.number = 2, .type = bytes, .label = optional, .default_value = xyz},
        {.number = 3, .type = bytes, .label = none},
        {.number = 4, .type = number, .label = none},
        {.number = 5, .type = number, .label = optional},
        {.number = 6,
         .type = PROTOBUF_C_TYPE_STRING,
         .label = none,
         .default_value = protobuf_c_empty_string},
        {.number = 7,
         .type = PROTOBUF_C_TYPE_BOOL,
         .label = PROTOBUF_C_LABEL_REPEATED},
        {.number = 8, .type = number, .label = optional, .flags = in_oneof},
        {.number = 9, .type = bytes, .label = optional, .flags = in_oneof},
        {.number = 10,
         .type = message,
         .type_of = sub,
         .label = optional,
         .flags = in_oneof}};
    const void *inner = schema_make(a, "Inner", fields, 10);
    const schema_field outer_field = {
        .number = 1, .type = message, .label = optional, .type_of = inner};
    *xyz = (ProtobufCBinaryData){3, arena_copy(a, "xyz", 3)};
    return schema_make(a, "Outer", &outer_field, 1);
}

/* The field 1 with a content in two parts. */
static void put_merged(fuzz_bytes *out, const char *first, const char *second) {
    size_t start = out->len;
    ck_assert(fuzz_append_hex(out, first) && fuzz_append_hex(out, second));
    fuzz_insert_length(out, start);
    fuzz_insert(out, start, "\x0a", 1);
}

/* A field twice, with all pairs of these in it; the second time alone, or in a
 * message that has a member of the oneof. */
START_TEST(merging_by_label_and_type) {
    static const char *const parts[] = {
        "",         "0a 02 08 05",    "0a 00",    "12 00",
        "12 01 61", "12 03 78 79 7a", "1a 00",    "1a 01 61",
        "20 05",    "28 05",          "32 01 61", "32 00",
        "38 01",    "3a 02 01 02",    "40 05",    "4a 00",
        "4a 01 61", "52 02 08 05",    "52 00",    "0a 02 10 05 12 01 61"};
    const size_t n = sizeof parts / sizeof *parts;
    arena a = {0};
    ProtobufCMessageDescriptor *type = merged_type(&a);
    size_t i;
    for (i = 0; i < n * n; i++) {
        fuzz_bytes bytes = {0};
        put_merged(&bytes, "0a 02 08 01", parts[i / n]);
        put_merged(&bytes, _i ? "0a 00 40 01" : "0a 00", parts[i % n]);
        expect_context("%s, then %s", parts[i / n], parts[i % n]);
        dropin_expect_unpack_all(type, bytes.data, bytes.len);
        fuzz_free(&bytes);
    }
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

/* The type of a message that is replaced looks like another one than when its
 * table was built: unpack finds that out when it frees the message, and is at
 * work with the tables of the types that contain it. */
START_TEST(a_type_found_stale_on_the_way) {
    static const uint8_t bytes[] = {0x0a, 0x02, 0x08, 0x01, 0x0a,
                                    0x02, 0x08, 0x05, 0x10, 0x05};
    arena a = {0};
    const schema_field number = {.number = 1,
                                 .type = PROTOBUF_C_TYPE_INT32,
                                 .label = PROTOBUF_C_LABEL_OPTIONAL};
    ProtobufCMessageDescriptor *sub = schema_make(&a, "Sub", &number, 1);
    const schema_field fields[] = {{.number = 1,
                                    .type = PROTOBUF_C_TYPE_MESSAGE,
                                    .label = PROTOBUF_C_LABEL_OPTIONAL,
                                    .type_of = sub},
                                   {.number = 2,
                                    .type = PROTOBUF_C_TYPE_INT32,
                                    .label = PROTOBUF_C_LABEL_REQUIRED}};
    const ProtobufCMessageDescriptor *outer =
        schema_make(&a, "Outer", fields, 2);
    ck_assert(dropin_expect_unpack(outer, bytes, sizeof bytes, DROPIN_TABLES));
    sub->fields = arena_copy(&a, sub->fields, sizeof *sub->fields);
    ck_assert(dropin_expect_unpack(outer, bytes, sizeof bytes, DROPIN_TABLES));
    pbt_forget(sub);
    arena_free(&a);
}
END_TEST

START_TEST(defaults_are_shared) {
    C2__Opt *opt;
    C3__Pl *pl;
    dropin_use(DROPIN_TABLES);
    opt = (C2__Opt *) dropin_unpack(OPT, NULL, 0, NULL);
    pl = (C3__Pl *) dropin_unpack(PL, NULL, 0, NULL);
    ck_assert_ptr_eq(opt->ds, c2__opt__descriptor.fields[5].default_value);
    ck_assert_ptr_eq(pl->s, protobuf_c_empty_string);
    dropin_free_unpacked(&opt->base, NULL);
    dropin_free_unpacked(&pl->base, NULL);
}
END_TEST

/* Descriptors that protoc-c does not make. The original is not asked where it
 * ends the program. */
START_TEST(odd_types) {
    ProtobufCMessageDescriptor type = c2__opt__descriptor;
    static const uint8_t bytes[] = {0x0a, 0x01, 'a', 0x28, 0x05};
    dropin_mode mode;
    /* all fields are unknown without ranges, but for the first at the start */
    type.n_field_ranges = 0;
    ck_assert(dropin_expect_unpack_all(&type, bytes, sizeof bytes));
    pbt_forget(&type);
    type = c2__opt__descriptor;
    type.message_init = NULL;
    ck_assert(dropin_expect_unpack_all(&type, bytes, sizeof bytes));
    pbt_forget(&type);
    type.magic = 0;
    for (mode = DROPIN_TABLES; mode < DROPIN_N_MODES; mode++) {
        dropin_use(mode);
        ck_assert_ptr_null(dropin_unpack(&type, NULL, sizeof bytes, bytes));
        ck_assert_ptr_null(dropin_unpack(NULL, NULL, 0, NULL));
        dropin_free_unpacked(NULL, NULL);
    }
    dropin_use(DROPIN_TABLES);
}
END_TEST

Suite *dropin_unpack_cases_suite(void) {
    const int n = sizeof cases / sizeof *cases;
    Suite *suite = suite_create("dropin_unpack_cases");
    TCase *tests = tcase_create("dropin_unpack_cases");
    tcase_add_loop_test(tests, hard_cases, 0, n);
    tcase_add_loop_test(tests, hard_cases_cut_off, 0, n);
    tcase_add_loop_test(tests, hard_cases_in_a_long_message, 0, n);
    tcase_add_test(tests, cases_of_the_fuzzers);
    tcase_add_loop_test(tests, arrays_of_every_length, 0, 21);
    tcase_add_loop_test(tests, many_required_fields, 0, 10);
    tcase_add_loop_test(tests, merging_by_label_and_type, 0, 2);
    tcase_add_test(tests, a_type_found_stale_on_the_way);
    tcase_add_test(tests, defaults_are_shared);
    tcase_add_test(tests, odd_types);
    suite_add_tcase(suite, tests);
    return suite;
}
