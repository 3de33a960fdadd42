/* test_unmarshal_types.c - what unmarshal makes of facts that only types built
 * at run time have, and of required fields: groups, closed enums, hundreds of
 * required fields. */
#include <string.h>

#include "base_facts.h"
#include "cases2.pb-c.h"
#include "suites.h"
#include "support_bytes.h"
#include "support_expect.h"
#include "support_message.h"
#include "support_schema.h"
#include "wire_trace.h"

enum { N_REQUIRED = 200 };

#define FIELD(number_, type_, label_)                                          \
    .number = (number_), .type = PROTOBUF_C_TYPE_##type_,                      \
    .label = PROTOBUF_C_LABEL_##label_

static const ProtobufCEnumDescriptor *colour(arena *a) {
    static const ProtobufCIntRange ranges[] = {{-1, 0}, {1, 1}, {0, 3}};
    static const ProtobufCEnumValue values[] = {
        {"MINUS", "MINUS", -1}, {"ONE", "ONE", 1}, {"TWO", "TWO", 2}};
    ProtobufCEnumDescriptor *type = arena_alloc(a, sizeof *type);
    type->magic = PROTOBUF_C__ENUM_DESCRIPTOR_MAGIC;
    type->name = "Colour";
    type->n_values = 3;
    type->values = values;
    type->n_value_ranges = 2;
    type->value_ranges = ranges;
    return type;
}

/* Gives a type facts: what is a message is a group, what is an enum is closed,
 * what is a string promises UTF-8. */
static void add_facts(arena *a, ProtobufCMessageDescriptor *type) {
    pbti_field_facts *fields = arena_alloc(a, type->n_fields * sizeof *fields);
    pbti_type_facts *facts = arena_alloc(a, sizeof *facts);
    unsigned i;
    for (i = 0; i < type->n_fields; i++) {
        ProtobufCType kind = type->fields[i].type;
        fields[i].is_group = kind == PROTOBUF_C_TYPE_MESSAGE;
        fields[i].is_closed_enum = kind == PROTOBUF_C_TYPE_ENUM;
        fields[i].validates_utf8 = kind == PROTOBUF_C_TYPE_STRING;
    }
    facts->magic = PBTI_FACTS_MAGIC;
    facts->fields = fields;
    facts->file = "made.proto";
    memcpy(&type->reserved1, &facts, sizeof facts);
}

static ProtobufCMessageDescriptor *make_leaf(arena *a) {
    const schema_field fields[] = {{FIELD(1, INT32, OPTIONAL)},
                                   {FIELD(2, STRING, OPTIONAL)}};
    return schema_make(a, "Leaf", fields, 2);
}

/* 1: a group, 2: groups, 3: a group or 4: a number, 5: a closed enum, 6: of
 * them unpacked, 7: packed, 8: a closed enum or 9: a number, 10: a string */
static ProtobufCMessageDescriptor *make_type(arena *a) {
    const ProtobufCMessageDescriptor *leaf = make_leaf(a);
    const ProtobufCEnumDescriptor *e = colour(a);
    const schema_field fields[] = {
        {FIELD(1, MESSAGE, OPTIONAL), .type_of = leaf, .name = "g"},
        {FIELD(2, MESSAGE, REPEATED), .type_of = leaf, .name = "r"},
        {FIELD(3, MESSAGE, NONE), .type_of = leaf, .name = "o",
         .flags = PROTOBUF_C_FIELD_FLAG_ONEOF},
        {FIELD(4, INT32, NONE), .flags = PROTOBUF_C_FIELD_FLAG_ONEOF},
        {FIELD(5, ENUM, OPTIONAL), .type_of = e},
        {FIELD(6, ENUM, REPEATED), .type_of = e},
        {FIELD(7, ENUM, REPEATED), .type_of = e,
         .flags = PROTOBUF_C_FIELD_FLAG_PACKED, .name = "packed"},
        {FIELD(8, ENUM, NONE), .type_of = e, .oneof = 1,
         .flags = PROTOBUF_C_FIELD_FLAG_ONEOF},
        {FIELD(9, INT32, NONE), .oneof = 1,
         .flags = PROTOBUF_C_FIELD_FLAG_ONEOF},
        {FIELD(10, STRING, OPTIONAL), .name = "text"}};
    ProtobufCMessageDescriptor *type =
        schema_make(a, "Made", fields, sizeof fields / sizeof *fields);
    add_facts(a, type);
    return type;
}

/* What is wanted is what protobuf-c packs: groups as sub-messages. */
START_TEST(groups) {
    static const struct {
        const char *input, *want;
    } cases[] = {
        {"0b 08 01 0c", "0a 02 08 01"},
        {"0b 0c", "0a 00"},
        {"0b 08 01 0c 0b 12 01 61 0c", "0a 05 08 01 12 01 61"},
        {"13 14 13 08 02 14", "12 00 12 02 08 02"},
        {"1b 08 01 1c 20 05", "20 05"},
        {"20 05 1b 08 01 1c", "1a 02 08 01"},
        {"1b 08 01 1c 1b 12 00 1c", "1a 04 08 01 12 00"},
        {"0b 1b 08 07 1c 08 01 0c", "0a 06 08 01 1b 08 07 1c"},
        /* a group is no message, and a message no group */
        {"0a 02 08 01", "0a 02 08 01"},
        {"12 00 1a 00", "12 00 1a 00"},
    };
    arena a = {0};
    ProtobufCMessageDescriptor *type = make_type(&a);
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        bytes_expect(type, 0, cases[i].input, cases[i].want);
    bytes_expect(type, PBT_DISCARD_UNKNOWN, "0a 02 08 01 12 00 1a 00", "");
    bytes_expect_error(type, 0, "0b 08 01", PBT_ERR_MALFORMED, "g", 3);
    bytes_expect_error(type, 0, "13 14 13 0c", PBT_ERR_MALFORMED, "r[1]", 3);
    bytes_expect_error(type, 0, "0b 08 80", PBT_ERR_MALFORMED, "g.f1", 1);
    bytes_expect_error(type, 0, "0c", PBT_ERR_MALFORMED, "", 0);
    bytes_expect_error(type, 0, "0b 8c", PBT_ERR_MALFORMED, "g", 1);
    bytes_expect_error(type, 0, "1b 0b", PBT_ERR_MALFORMED, "o.f1", 2);
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

START_TEST(closed_enums) {
    static const struct {
        const char *input, *want;
    } cases[] = {
        {"28 02", "28 02"},
        {"28 ff*9 01", "28 ff*9 01"},
        {"28 ff ff ff ff 0f", "28 ff*9 01"},
        {"28 01 28 03", "28 01 28 03"}, /* the second is unknown */
        {"28 83 00", "28 03"},
        {"30 01 30 00 30 02 32 03 05 01 06", "30 01 30 02 30 01"
                                             "30 00 30 05 30 06"},
        {"38 01 38 00 3a 0d 02 fe ff*8 01 01 07",
         "3a 03 01 02 01 38 00 38 fe ff*8 01 38 07"},
        {"48 05 40 03", "48 05 40 03"},
        {"48 05 40 02", "40 02"},
        {"40 02 48 05", "48 05"},
        {"3a 00", ""},
    };
    arena a = {0};
    ProtobufCMessageDescriptor *type = make_type(&a);
    size_t i;
    for (i = 0; i < sizeof cases / sizeof *cases; i++)
        bytes_expect(type, 0, cases[i].input, cases[i].want);
    bytes_expect(type, PBT_DISCARD_UNKNOWN, "28 03 30 05 3a 02 05 01",
                 "3a 01 01");
    bytes_expect_error(type, 0, "3a 02 01 80", PBT_ERR_MALFORMED, "packed", 3);
    bytes_expect_error(type, 0, "28 ff*10 01", PBT_ERR_MALFORMED, "f5", 0);
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

/* Unmarshals a number for the closed enum that is field 1. */
static void expect_enum(const ProtobufCMessageDescriptor *type, int32_t number,
                        bool is_known) {
    uint8_t in[11] = {0x08};
    pbt_arena *pieces = pbt_arena_new(NULL, 0);
    ProtobufCMessage *message = NULL;
    uint64_t v = (uint64_t) (int64_t) number;
    size_t n = 1;
    for (; v >= 0x80; v >>= 7)
        in[n++] = (uint8_t) (v | 0x80);
    in[n++] = (uint8_t) v;
    expect_context("number %d", (int) number);
    expect_status("unmarshal",
                  pbt_unmarshal(type, in, n, NULL, pieces, &message), PBT_OK);
    expect_number("unknown", message->n_unknown_fields, !is_known);
    pbt_arena_free(pieces);
}

/* The look-up of protobuf-c fails for all numbers of a range that ends with
 * the largest one. */
START_TEST(closed_enums_up_to_the_limits) {
    static const ProtobufCIntRange ranges[] = {
        {INT32_MIN, 0}, {-1, 2}, {7, 4}, {INT32_MAX - 2, 5}, {0, 8}};
    static const ProtobufCEnumDescriptor e = {
        .magic = PROTOBUF_C__ENUM_DESCRIPTOR_MAGIC,
        .n_value_ranges = 4,
        .value_ranges = ranges};
    static const int32_t known[] = {
        INT32_MIN, INT32_MIN + 1, -1,           0, 7,
        INT32_MAX, INT32_MAX - 1, INT32_MAX - 2};
    static const int32_t unknown[] = {INT32_MIN + 2, -2, 1, 6, 8,
                                      INT32_MAX - 3};
    arena a = {0};
    const schema_field fields[] = {{FIELD(1, ENUM, OPTIONAL), .type_of = &e}};
    ProtobufCMessageDescriptor *type = schema_make(&a, "Limits", fields, 1);
    size_t i;
    add_facts(&a, type);
    for (i = 0; i < sizeof known / sizeof *known; i++)
        expect_enum(type, known[i], true);
    for (i = 0; i < sizeof unknown / sizeof *unknown; i++)
        expect_enum(type, unknown[i], false);
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

START_TEST(strings_that_promise_utf8) {
    arena a = {0};
    ProtobufCMessageDescriptor *type = make_type(&a);
    bytes_expect(type, 0, "52 01 ff", "52 01 ff");
    bytes_expect_error(type, PBT_CONFORMANT, "52 01 ff", PBT_ERR_UTF8, "text",
                       -1);
    /* Leaf has no facts */
    bytes_expect(type, PBT_CONFORMANT, "0b 12 01 ff 0c", "0a 03 12 01 ff");
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

typedef struct required_case {
    const ProtobufCMessageDescriptor *type;
    const char *input, *path; /* NULL: complete */
} required_case;

#define REQ &c2__req__descriptor
#define OPT &c2__opt__descriptor
#define REP &c2__rep__descriptor
#define TREE &c2__tree__descriptor
#define ATTRIBUTES &c2__attributes__descriptor

static const required_case required_cases[] = {
    {REQ, "", "s"},
    {REQ, "0a 00", "m"},
    {REQ, "0a 00 12 00", "m.name"},
    {REQ, "0a 00 12 02 0a 00", "b"},
    {REQ, "28 01 20 01 1a 00 12 02 0a 00", "s"},
    {REQ, "28 01 1a 00 12 02 0a 00 0a 00", "e"},
    {REQ, "0a 00 12 02 0a 00 1a 00 20 00 28 00", NULL},
    /* merged */
    {OPT, "1a 02 10 01", "m.name"},
    {OPT, "1a 02 10 01 1a 02 0a 00", NULL},
    {OPT, "1a 02 0a 00 1a 02 10 01", NULL},
    {OPT, "1a 00 1a 02 10 01 1a 00", "m.name"},
    /* replaced */
    {TREE, "1a 00", "sub.name"},
    {TREE, "1a 00 22 00", NULL},
    {TREE, "1a 02 0a 00 22 00 1a 00", "sub.name"},
    /* the first in field order, wherever it was in the input */
    {REP, "1a 02 0a 00 1a 00 1a 00", "m[1].name"},
    {TREE, "1a 00 12 00", "leaf.label"},
    {TREE, "12 00 0a 02 12 00", "children[0].leaf.label"},
    {TREE, "0a 00 0a 04 0a 02 12 00 12 00",
     "children[1].children[0].leaf.label"},
    {ATTRIBUTES, "0a 07 0a 01 6b 12 02 10 01", "attributes[\"k\"].value.name"},
    {ATTRIBUTES, "12 04 08 05 12 00", "by_number[-3].value.name"},
    /* of another wire type: not there */
    {REQ, "0a 00 12 02 0a 00 1a 00 20 00 2d 00*4", "i"},
};

START_TEST(missing_required_fields) {
    size_t i;
    for (i = 0; i < sizeof required_cases / sizeof *required_cases; i++) {
        const required_case *c = &required_cases[i];
        if (c->path) {
            bytes_expect_error(c->type, 0, c->input, PBT_ERR_REQUIRED, c->path,
                               -1);
        } else {
            arena a = {0};
            packed in = bytes_of(&a, c->input);
            pbt_arena *pieces = pbt_arena_new(NULL, 0);
            ProtobufCMessage *message;
            expect_context("input %s", c->input);
            expect_status("complete",
                          pbt_unmarshal(c->type, in.bytes, in.len, NULL, pieces,
                                        &message),
                          PBT_OK);
            pbt_arena_free(pieces);
            arena_free(&a);
        }
    }
}
END_TEST

/* Bytes of fields 1 to N_REQUIRED, but for one of them. */
static size_t put_fields(uint8_t *out, uint32_t skipped) {
    size_t n = 0;
    uint32_t i;
    for (i = 1; i <= N_REQUIRED; i++) {
        if (i == skipped)
            continue;
        out[n++] = (uint8_t) ((i << 3 & 0x7f) | (i >= 16 ? 0x80 : 0));
        if (i >= 16)
            out[n++] = (uint8_t) (i >> 4);
        out[n++] = (uint8_t) (i & 0x7f);
    }
    return n;
}

START_TEST(hundreds_of_required_fields) {
    arena a = {0};
    schema_field fields[N_REQUIRED] = {{0}};
    uint8_t in[4 * N_REQUIRED];
    pbt_arena *pieces = pbt_arena_new(NULL, 0);
    ProtobufCMessageDescriptor *type;
    uint32_t i;
    for (i = 0; i < N_REQUIRED; i++)
        fields[i] = (schema_field){FIELD(i + 1, INT32, REQUIRED)};
    type = schema_make(&a, "Many", fields, N_REQUIRED);
    for (i = 0; i <= N_REQUIRED; i++) {
        pbt_error error = {0};
        pbt_options options = {.error = &error};
        ProtobufCMessage *message;
        size_t len = put_fields(in, i);
        expect_context("without field %u", (unsigned) i);
        expect_status("message",
                      pbt_unmarshal(type, in, len, &options, pieces, &message),
                      i == 0 ? PBT_OK : PBT_ERR_REQUIRED);
        expect_number("field", error.field_number, i);
        options.flags = PBT_ALLOW_PARTIAL;
        expect_status("partial",
                      pbt_unmarshal(type, in, len, &options, pieces, &message),
                      PBT_OK);
        pbt_arena_reset(pieces);
    }
    pbt_arena_free(pieces);
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

static size_t put_enum(uint8_t *out, uint32_t number, uint8_t value) {
    uint32_t tag = number << 3;
    size_t n = 0;
    if (tag >= 0x80)
        out[n++] = (uint8_t) (tag | 0x80);
    out[n++] = (uint8_t) (tag >= 0x80 ? tag >> 7 : tag);
    out[n++] = value;
    return n;
}

/* A required closed enum is still missing when its number is not known; of 200
 * in one type, each in turn. */
START_TEST(required_closed_enums) {
    arena a = {0};
    schema_field fields[N_REQUIRED] = {{0}};
    pbt_arena *pieces = pbt_arena_new(NULL, 0);
    ProtobufCMessageDescriptor *type;
    uint32_t i, unknown;
    for (i = 0; i < N_REQUIRED; i++)
        fields[i] =
            (schema_field){FIELD(i + 1, ENUM, REQUIRED), .type_of = colour(&a)};
    type = schema_make(&a, "Enums", fields, N_REQUIRED);
    add_facts(&a, type);
    for (unknown = 0; unknown <= N_REQUIRED; unknown++) {
        uint8_t in[4 * (N_REQUIRED + 1)];
        pbt_error error = {0};
        const pbt_options options = {.error = &error};
        ProtobufCMessage *message;
        size_t len = 0;
        for (i = 1; i <= N_REQUIRED; i++)
            len += put_enum(in + len, i, i == unknown ? 3 : 1);
        expect_context("unknown number in field %u", (unsigned) unknown);
        expect_status("message",
                      pbt_unmarshal(type, in, len, &options, pieces, &message),
                      unknown == 0 ? PBT_OK : PBT_ERR_REQUIRED);
        expect_number("field", error.field_number, unknown);
        if (unknown > 0)
            len += put_enum(in + len, unknown, 2);
        expect_status("known in the end",
                      pbt_unmarshal(type, in, len, NULL, pieces, &message),
                      PBT_OK);
        pbt_arena_reset(pieces);
    }
    pbt_arena_free(pieces);
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

/* A known number counts whether an unknown one is before it, behind it, or in
 * another occurrence of the message. */
START_TEST(required_closed_enums_that_are_merged) {
    arena a = {0};
    const schema_field inner[] = {
        {FIELD(1, ENUM, REQUIRED), .type_of = colour(&a), .name = "e"}};
    ProtobufCMessageDescriptor *leaf = schema_make(&a, "Leaf", inner, 1);
    const schema_field outer[] = {
        {FIELD(1, MESSAGE, OPTIONAL), .type_of = leaf, .name = "m"}};
    ProtobufCMessageDescriptor *type = schema_make(&a, "Outer", outer, 1);
    add_facts(&a, leaf);
    bytes_expect(leaf, 0, "08 01", "08 01");
    bytes_expect(leaf, 0, "08 03 08 01", "08 01 08 03");
    bytes_expect(leaf, 0, "08 01 08 03", "08 01 08 03");
    bytes_expect(type, 0, "0a 02 08 03 0a 02 08 01", "0a 04 08 01 08 03");
    bytes_expect(type, 0, "0a 02 08 01 0a 02 08 03", "0a 04 08 01 08 03");
    bytes_expect_error(leaf, 0, "08 03", PBT_ERR_REQUIRED, "e", -1);
    bytes_expect_error(leaf, 0, "0a 00", PBT_ERR_REQUIRED, "e", -1);
    bytes_expect_error(type, 0, "0a 02 08 03 0a 00", PBT_ERR_REQUIRED, "m.e",
                       -1);
    pbt_forget(leaf);
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

/* Field numbers far apart, and more than the dense part of the table holds. */
START_TEST(sparse_numbers) {
    static const uint32_t numbers[] = {3,    17,    18,    90,     91,
                                       1000, 50000, 50001, 262144, 536870911};
    enum { N = sizeof numbers / sizeof *numbers };
    arena a = {0};
    schema_field fields[N] = {{0}};
    ProtobufCMessageDescriptor *type;
    size_t i;
    for (i = 0; i < N; i++)
        fields[i] = (schema_field){FIELD(numbers[i], UINT32, OPTIONAL)};
    type = schema_make(&a, "Sparse", fields, N);
    bytes_expect(type, 0,
                 "18 01 88 01 02 90 01 03 d0 05 04 d8 05 05 c0 3e 06 80 b5 18 "
                 "07 88 b5 18 08 80 80 80 01 09 f8 ff ff ff 0f 0a",
                 "18 01 88 01 02 90 01 03 d0 05 04 d8 05 05 c0 3e 06 80 b5 18 "
                 "07 88 b5 18 08 80 80 80 01 09 f8 ff ff ff 0f 0a");
    bytes_expect(type, PBT_DISCARD_UNKNOWN,
                 "10 01 80 01 02 98 01 03 c8 05 04 e0 05 05 c8 3e 06 f8 b4 18 "
                 "07 90 b5 18 08 88 80 80 01 09 f0 ff ff ff 0f 0a",
                 "");
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

static size_t init_size;

static void init_too_much(ProtobufCMessage *message) {
    memset(message, 0x55, init_size);
}

/* What message_init writes is taken if it stays within the message. */
START_TEST(inits_of_another_size) {
    const schema_field field = {.number = 1,
                                .type = PROTOBUF_C_TYPE_ENUM,
                                .label = PROTOBUF_C_LABEL_OPTIONAL};
    arena a = {0};
    ProtobufCMessageDescriptor *type = schema_make(&a, "test.Init", &field, 1);
    size_t member = type->fields->offset;
    pbt_arena *messages = pbt_arena_new(NULL, 0);
    ProtobufCMessage *msg;
    type->message_init = init_too_much;
    init_size = type->sizeof_message;
    expect_status("exact", pbt_unmarshal(type, "", 0, NULL, messages, &msg),
                  PBT_OK);
    expect_number("member", *(uint32_t *) message_member(msg, member),
                  0x55555555);
    pbt_forget(type);
    init_size = type->sizeof_message + 100;
    expect_status("beyond", pbt_unmarshal(type, "", 0, NULL, messages, &msg),
                  PBT_OK);
    expect_number("member", *(uint32_t *) message_member(msg, member), 0);
    pbt_forget(type);
    pbt_arena_free(messages);
    arena_free(&a);
}
END_TEST

/* The tests above took the table's road, through its rarer operations. */
START_TEST(operations_that_ran) {
    static const pbti_parse_op ops[] = {
        PBTI_PARSE_GROUP,          PBTI_PARSE_GROUP_MEMBER,
        PBTI_PARSE_GROUP_REPEATED, PBTI_PARSE_ENUM,
        PBTI_PARSE_ENUM_REPEATED,  PBTI_PARSE_ENUM_PACKED,
        PBTI_PARSE_REQUIRED,       PBTI_PARSE_MESSAGE_MEMBER,
        PBTI_PARSE_ENUM_REQUIRED};
    size_t i;
    for (i = 0; i < sizeof ops / sizeof *ops; i++) {
        expect_context("operation %d", (int) ops[i]);
        expect_true("ran", pbti_trace_counts.unmarshal_ops[ops[i]] > 0);
    }
}
END_TEST

Suite *unmarshal_types_suite(void) {
    Suite *suite = suite_create("unmarshal_types");
    TCase *tc = tcase_create("unmarshal_types");
    suite_add_tcase(suite, tc);
    tcase_add_test(tc, groups);
    tcase_add_test(tc, closed_enums);
    tcase_add_test(tc, closed_enums_up_to_the_limits);
    tcase_add_test(tc, strings_that_promise_utf8);
    tcase_add_test(tc, missing_required_fields);
    tcase_add_test(tc, hundreds_of_required_fields);
    tcase_add_test(tc, required_closed_enums);
    tcase_add_test(tc, required_closed_enums_that_are_merged);
    tcase_add_test(tc, sparse_numbers);
    tcase_add_test(tc, inits_of_another_size);
    tcase_add_test(tc, operations_that_ran);
    return suite;
}
