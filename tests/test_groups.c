/* test_groups.c - groups: fields that facts mark as such are sent between two
 * tags and without a length. Expected bytes are written by hand. */
#include <string.h>

#include "base_facts.h"
#include "suites.h"
#include "support_expect.h"
#include "support_groups.h"
#include "support_hex.h"
#include "support_message.h"
#include "support_output.h"
#include "support_road.h"
#include "wire_trace.h"

enum {
    LAST_NUMBER = (1 << 29) - 1,
    LARGE = 5000,
    N_WIDE = 200,
    N_SCALARS = 40,
    DEEP = 10000
};

/* A type that contains itself in every way there is, and a number. */
typedef struct node_type {
    ProtobufCMessageDescriptor *type;
    ProtobufCFieldDescriptor *fields;
} node_type;

enum { G, V, M, RG, OG, RM, S, N_NODE_FIELDS };

static node_type make_node_type(arena *a) {
    const schema_field fields[N_NODE_FIELDS] = {
        {1, PROTOBUF_C_TYPE_MESSAGE, PROTOBUF_C_LABEL_OPTIONAL, .name = "g",
         .is_group = true},
        {2, PROTOBUF_C_TYPE_INT32, PROTOBUF_C_LABEL_OPTIONAL, .name = "v"},
        {3, PROTOBUF_C_TYPE_MESSAGE, PROTOBUF_C_LABEL_OPTIONAL, .name = "m"},
        {4, PROTOBUF_C_TYPE_MESSAGE, PROTOBUF_C_LABEL_REPEATED, .name = "rg",
         .is_group = true},
        {16, PROTOBUF_C_TYPE_MESSAGE, PROTOBUF_C_LABEL_OPTIONAL,
         PROTOBUF_C_FIELD_FLAG_ONEOF, .name = "og", .is_group = true},
        {17, PROTOBUF_C_TYPE_MESSAGE, PROTOBUF_C_LABEL_REPEATED, .name = "rm"},
        {LAST_NUMBER, PROTOBUF_C_TYPE_STRING, PROTOBUF_C_LABEL_OPTIONAL,
         .name = "s"}};
    node_type node;
    unsigned i;
    node.type = schema_make(a, "test.Node", fields, N_NODE_FIELDS);
    node.fields =
        arena_copy(a, node.type->fields, N_NODE_FIELDS * sizeof *node.fields);
    for (i = 0; i < N_NODE_FIELDS; i++)
        if (node.fields[i].type == PROTOBUF_C_TYPE_MESSAGE)
            node.fields[i].descriptor = node.type;
    node.type->fields = node.fields;
    return node;
}

static void *member_of(ProtobufCMessage *message, unsigned index) {
    return message_member(message, message->descriptor->fields[index].offset);
}

static void *quantifier_of(ProtobufCMessage *message, unsigned index) {
    return message_member(message,
                          message->descriptor->fields[index].quantifier_offset);
}

static void set_pointer(ProtobufCMessage *message, unsigned index,
                        const void *pointer) {
    memcpy(member_of(message, index), &pointer, sizeof pointer);
}

static void set_number(ProtobufCMessage *message, unsigned index, int number) {
    memcpy(member_of(message, index), &number, sizeof number);
    number = 1;
    memcpy(quantifier_of(message, index), &number, sizeof number);
}

static void set_case(ProtobufCMessage *message, unsigned index) {
    memcpy(quantifier_of(message, index),
           &message->descriptor->fields[index].id, sizeof(uint32_t));
}

static void set_elements(ProtobufCMessage *message, unsigned index,
                         ProtobufCMessage *const *elements, size_t n) {
    set_pointer(message, index, elements);
    memcpy(quantifier_of(message, index), &n, sizeof n);
}

static ProtobufCMessage *make_node(arena *a, node_type node, int v) {
    ProtobufCMessage *message = message_empty(a, node.type);
    set_number(message, V, v);
    return message;
}

START_TEST(a_group_is_written_between_two_tags) {
    arena a = {0};
    node_type node = make_node_type(&a);
    ProtobufCMessage *empty = message_empty(&a, node.type);
    ProtobufCMessage *outer = make_node(&a, node, 5);
    expect_context("a group");
    set_pointer(outer, G, empty);
    hex_expect(outer, 0, "0b0c 1005");
    set_pointer(outer, G, make_node(&a, node, 300));
    hex_expect(outer, 0, "0b10ac020c 1005");
    set_pointer(outer, G, NULL);
    hex_expect(outer, 0, "1005");
    pbt_forget(node.type);
    arena_free(&a);
}
END_TEST

START_TEST(repeated_groups_each_have_their_tags) {
    arena a = {0};
    node_type node = make_node_type(&a);
    ProtobufCMessage *outer = message_empty(&a, node.type);
    ProtobufCMessage *elements[3];
    expect_context("repeated groups");
    elements[0] = make_node(&a, node, 1);
    elements[1] = message_empty(&a, node.type);
    elements[2] = make_node(&a, node, 3);
    set_elements(outer, RG, elements, 3);
    hex_expect(outer, 0, "231001242324231003 24");
    set_elements(outer, RG, elements, 1);
    hex_expect(outer, 0, "23100124");
    set_elements(outer, RG, elements, 0);
    hex_expect(outer, 0, "");
    pbt_forget(node.type);
    arena_free(&a);
}
END_TEST

START_TEST(a_oneof_may_hold_a_group) {
    arena a = {0};
    node_type node = make_node_type(&a);
    ProtobufCMessage *outer = message_empty(&a, node.type);
    expect_context("oneof");
    set_pointer(outer, OG, make_node(&a, node, 7));
    hex_expect(outer, 0, "");
    set_case(outer, OG);
    hex_expect(outer, 0, "8301 1007 8401");
    set_pointer(outer, OG, NULL);
    hex_expect(outer, 0, "");
    pbt_forget(node.type);
    arena_free(&a);
}
END_TEST

START_TEST(groups_and_messages_nest) {
    arena a = {0};
    node_type node = make_node_type(&a);
    ProtobufCMessage *nodes[6], *group[2];
    int i;
    expect_context("nesting");
    for (i = 0; i < 6; i++)
        nodes[i] = make_node(&a, node, i);
    set_pointer(nodes[0], G, nodes[1]); /* a group in a message in a group */
    set_pointer(nodes[1], M, nodes[2]);
    set_pointer(nodes[2], G, nodes[3]);
    group[0] = nodes[4];
    group[1] = nodes[5];
    set_elements(nodes[3], RG, group, 2);
    set_elements(nodes[5], RM, &group[0], 1);
    hex_expect(nodes[0], 0,
               "0b 1001 1a13"
               "   0b 1003 23 1004 24 23 1005 8a01 02 1004 24 0c 1002"
               " 0c 1000");
    pbt_forget(node.type);
    arena_free(&a);
}
END_TEST

static const schema_field required_group = {.number = LAST_NUMBER,
                                            .type = PROTOBUF_C_TYPE_MESSAGE,
                                            .label = PROTOBUF_C_LABEL_REQUIRED,
                                            .name = "need",
                                            .is_group = true};

START_TEST(a_required_group_may_be_missing) {
    arena a = {0};
    schema_field field = required_group;
    node_type node = make_node_type(&a);
    ProtobufCMessageDescriptor *type;
    ProtobufCMessage *message, *outer;
    field.type_of = node.type;
    type = schema_make(&a, "test.Need", &field, 1);
    message = message_empty(&a, type);
    expect_context("required");
    roads_expect_error(message, 0, PBT_ERR_REQUIRED, "need", LAST_NUMBER);
    hex_expect(message, PBT_ALLOW_PARTIAL, "fbffffff0f fcffffff0f");
    set_pointer(message, 0, make_node(&a, node, 1));
    hex_expect(message, 0, "fbffffff0f 1001 fcffffff0f");
    /* a group that contains one that is missing */
    field = required_group;
    field.type_of = type;
    field.name = "outer";
    outer = message_empty(&a, schema_make(&a, "test.Outer", &field, 1));
    set_pointer(outer, 0, message);
    hex_expect(outer, 0, "fbffffff0f fbffffff0f 1001 fcffffff0f fcffffff0f");
    set_pointer(message, 0, NULL);
    roads_expect_error(outer, 0, PBT_ERR_REQUIRED, "outer.need", LAST_NUMBER);
    pbt_forget(outer->descriptor);
    pbt_forget(type);
    pbt_forget(node.type);
    arena_free(&a);
}
END_TEST

START_TEST(a_missing_field_in_repeated_groups_is_named) {
    arena a = {0};
    schema_field need = {1, PROTOBUF_C_TYPE_STRING, PROTOBUF_C_LABEL_REQUIRED,
                         .name = "need"};
    schema_field rows = {2, PROTOBUF_C_TYPE_MESSAGE, PROTOBUF_C_LABEL_REPEATED,
                         .name = "rows", .is_group = true};
    ProtobufCMessage *message, *elements[2];
    ProtobufCMessageDescriptor *row_type, *type;
    char text[] = "x";
    expect_context("required in repeated");
    row_type = schema_make(&a, "test.Row", &need, 1);
    rows.type_of = row_type;
    type = schema_make(&a, "test.Table", &rows, 1);
    message = message_empty(&a, type);
    elements[0] = message_empty(&a, row_type);
    elements[1] = message_empty(&a, row_type);
    set_pointer(elements[0], 0, text);
    set_elements(message, 0, elements, 2);
    roads_expect_error(message, 0, PBT_ERR_REQUIRED, "rows[1].need", 1);
    set_pointer(elements[1], 0, text);
    hex_expect(message, 0, "130a017814130a017814");
    elements[0] = NULL;
    roads_expect_error(message, 0, PBT_ERR_BAD_MESSAGE, "rows[0]", 2);
    set_elements(message, 0, NULL, 2);
    roads_expect_error(message, 0, PBT_ERR_BAD_MESSAGE, "rows", 2);
    pbt_forget(type);
    pbt_forget(row_type);
    arena_free(&a);
}
END_TEST

START_TEST(a_group_may_hold_a_message_of_another_type) {
    arena a = {0};
    schema_field field = {.number = 5,
                          .type = PROTOBUF_C_TYPE_BOOL,
                          .label = PROTOBUF_C_LABEL_NONE};
    node_type node = make_node_type(&a);
    ProtobufCMessageDescriptor *type = schema_make(&a, "test.Other", &field, 1);
    ProtobufCMessage *outer = message_empty(&a, node.type);
    ProtobufCMessage *other = message_empty(&a, type);
    expect_context("foreign");
    *(int *) member_of(other, 0) = 1;
    set_pointer(outer, G, other);
    set_elements(outer, RG, &other, 1);
    hex_expect(outer, 0, "0b28010c 23280124");
    other->descriptor = NULL;
    roads_expect_error(outer, 0, PBT_ERR_BAD_MESSAGE, "rg[0]", 4);
    pbt_forget(type);
    pbt_forget(node.type);
    arena_free(&a);
}
END_TEST

static ProtobufCMessage *make_chain(arena *a, node_type node, int depth) {
    ProtobufCMessage *chain = message_empty(a, node.type);
    while (depth-- > 0) {
        ProtobufCMessage *outer = message_empty(a, node.type);
        set_pointer(outer, G, chain);
        chain = outer;
    }
    return chain;
}

START_TEST(the_limit_on_depth_counts_groups) {
    static const uint32_t depths[] = {1, 2, 15, 16, 17, 100};
    size_t i;
    for (i = 0; i < sizeof depths / sizeof *depths; i++) {
        arena a = {0};
        node_type node = make_node_type(&a);
        int depth = (int) depths[i];
        ProtobufCMessage *chain = make_chain(&a, node, depth);
        pbt_options options = {.max_depth = depths[i]};
        char *hex = arena_format(&a, "0b*%d 0c*%d", depth, depth);
        expect_context("depth %d", depth);
        hex_expect(chain, 0, hex);
        expect_status("exactly", roads_compare_options(chain, &options),
                      PBT_OK);
        options.max_depth--;
        if (options.max_depth > 0)
            expect_status("one less", roads_compare_options(chain, &options),
                          PBT_ERR_DEPTH);
        pbt_forget(node.type);
        arena_free(&a);
    }
}
END_TEST

START_TEST(groups_nest_as_deep_as_messages) {
    arena a = {0};
    node_type node = make_node_type(&a);
    ProtobufCMessage *chain = make_chain(&a, node, DEEP);
    uint8_t *want = arena_alloc(&a, 2 * DEEP);
    expect_context("depth %d", DEEP);
    memset(want, 0x0b, DEEP);
    memset(want + DEEP, 0x0c, DEEP);
    output_expect(chain, NULL, want, 2 * DEEP);
    chain = make_chain(&a, node, DEEP + 1);
    output_expect_error(chain, NULL, PBT_ERR_DEPTH);
    pbt_forget(node.type);
    arena_free(&a);
}
END_TEST

/* Groups with large tags, filled with scalars of the largest size, one in the
 * other: as much as can be written between two looks at the room. */
START_TEST(groups_wear_down_the_room) {
    enum { DEPTH = 30 };
    arena a = {0};
    schema_field fields[N_SCALARS + 2] = {{0}};
    ProtobufCMessageDescriptor *type;
    ProtobufCFieldDescriptor *copy;
    ProtobufCMessage *chain = NULL;
    pbt_options options = {.flags = PBT_ALLOW_PARTIAL};
    pbt_buffer plain = {0};
    packed want;
    int depth, i;
    for (i = 0; i < N_SCALARS + 2; i++) {
        bool is_group = i % 14 == 0;
        fields[i] = (schema_field){.number = LAST_NUMBER - 50 + (uint32_t) i,
                                   .type = is_group ? PROTOBUF_C_TYPE_MESSAGE
                                                    : PROTOBUF_C_TYPE_INT64,
                                   .label = i == 28 ? PROTOBUF_C_LABEL_REQUIRED
                                                    : PROTOBUF_C_LABEL_OPTIONAL,
                                   .is_group = is_group,
                                   .type_of = &schema_enum};
    }
    type = schema_make(&a, "test.Worn", fields, N_SCALARS + 2);
    copy = arena_copy(&a, type->fields, (N_SCALARS + 2) * sizeof *copy);
    for (i = 0; i < N_SCALARS + 2; i += 14)
        copy[i].descriptor = type;
    type->fields = copy;
    for (depth = 0; depth < DEPTH; depth++) {
        ProtobufCMessage *outer = message_empty(&a, type);
        for (i = 0; i < N_SCALARS + 2; i++)
            if (i % 14 != 0) {
                set_number(outer, (unsigned) i, -1);
                memset(member_of(outer, (unsigned) i), 0xff, 8);
            }
        set_pointer(outer,
                    depth % 3 == 0   ? 0
                    : depth % 3 == 1 ? 14
                                     : 28,
                    chain);
        chain = outer;
        expect_context("depth %d", depth);
        groups_hide(&a, &type, 1);
        expect_status("plain", pbt_marshal(chain, &options, &plain), PBT_OK);
        groups_show(&type, 1);
        want = groups_rewrite(&a, type, plain.data, plain.len);
        roads_expect(chain, PBT_ALLOW_PARTIAL, want.bytes, want.len);
    }
    pbt_buffer_free(&plain);
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

/* More empty groups than a block has bytes, and every capacity for some. */
START_TEST(empty_groups_make_room) {
    enum { MANY = 3000, FEW = 90 };
    arena a = {0};
    schema_field field = required_group;
    schema_field *needs = arena_alloc(&a, MANY * sizeof *needs);
    node_type node = make_node_type(&a);
    ProtobufCMessage *empty = message_empty(&a, node.type);
    ProtobufCMessage **elements = arena_alloc(&a, MANY * sizeof *elements);
    ProtobufCMessageDescriptor *type;
    ProtobufCMessage *message;
    size_t i, cap, len;
    static const uint8_t pair[] = {0xfb, 0xff, 0xff, 0xff, 0x0f,
                                   0xfc, 0xff, 0xff, 0xff, 0x0f};
    uint8_t *want = arena_alloc(&a, MANY * sizeof pair);
    uint8_t out[FEW * sizeof pair];
    field.label = PROTOBUF_C_LABEL_REPEATED;
    field.type_of = node.type;
    type = schema_make(&a, "test.Many", &field, 1);
    message = message_empty(&a, type);
    for (i = 0; i < MANY; i++)
        elements[i] = empty;
    expect_context("empty groups");
    set_elements(message, 0, elements, MANY);
    for (i = 0; i < MANY; i++)
        memcpy(want + i * sizeof pair, pair, sizeof pair);
    roads_expect(message, 0, want, MANY * sizeof pair);
    set_elements(message, 0, elements, FEW);
    for (cap = 0; cap <= sizeof out; cap++) {
        pbt_status status = pbt_marshal_into(message, NULL, out, cap, &len);
        expect_status("into", status,
                      cap < sizeof out ? PBT_ERR_NO_SPACE : PBT_OK);
        expect_number("length", len, sizeof out);
    }
    pbt_forget(type);
    for (i = 0; i < MANY; i++) {
        needs[i] = required_group;
        needs[i].number = LAST_NUMBER - MANY + 1 + (uint32_t) i;
        needs[i].type_of = node.type;
    }
    type = schema_make(&a, "test.Needs", needs, MANY);
    message = message_empty(&a, type);
    expect_status("missing groups", roads_compare(message, PBT_ALLOW_PARTIAL),
                  PBT_OK);
    expect_status(
        "size",
        pbt_size(message, &(pbt_options){.flags = PBT_ALLOW_PARTIAL}, &len),
        PBT_OK);
    expect_number("size", len, 10 * MANY);
    pbt_forget(type);
    pbt_forget(node.type);
    arena_free(&a);
}
END_TEST

START_TEST(large_fields_in_groups_are_referred_to) {
    arena a = {0};
    rng r = {1};
    node_type node = make_node_type(&a);
    ProtobufCMessage *outer = make_node(&a, node, 1), *elements[3];
    pbt_options options = {0};
    pbt_buffer plain = {0};
    packed want;
    int i;
    expect_context("references");
    for (i = 0; i < 3; i++) {
        elements[i] = message_empty(&a, node.type);
        set_pointer(elements[i], S, string_random(&a, &r, LARGE, true));
    }
    set_elements(outer, RG, elements, 3);
    groups_hide(&a, &node.type, 1);
    expect_status("plain", pbt_marshal(outer, &options, &plain), PBT_OK);
    groups_show(&node.type, 1);
    want = groups_rewrite(&a, node.type, plain.data, plain.len);
    roads_expect(outer, 0, want.bytes, want.len);
    pbt_buffer_free(&plain);
    pbt_forget(node.type);
    arena_free(&a);
}
END_TEST

/* Windows stop at a group and come back behind it. */
START_TEST(wide_types_may_hold_groups) {
    arena a = {0};
    rng r = {33000000 + (uint64_t) _i};
    message_params m = {.depth = 4, .budget = 300};
    pbt_options options = {.flags = PBT_ALLOW_PARTIAL | PBT_DISCARD_UNKNOWN};
    schema_field fields[N_WIDE] = {{0}};
    node_type node = make_node_type(&a);
    ProtobufCMessageDescriptor *types[2] = {NULL, node.type};
    ProtobufCMessage *message;
    pbt_buffer plain = {0};
    packed want;
    uint32_t i;
    for (i = 0; i < N_WIDE; i++) {
        ProtobufCLabel label = rng_chance(&r, 30) ? PROTOBUF_C_LABEL_REPEATED
                                                  : PROTOBUF_C_LABEL_OPTIONAL;
        fields[i].number = i + 1;
        fields[i].label = label;
        fields[i].type = (ProtobufCType) rng_below(&r, 17);
        if (fields[i].type == PROTOBUF_C_TYPE_ENUM)
            fields[i].type_of = &schema_enum;
        if (rng_chance(&r, 30)) {
            fields[i].type = PROTOBUF_C_TYPE_MESSAGE;
            fields[i].is_group = true;
        }
        if (fields[i].type == PROTOBUF_C_TYPE_MESSAGE)
            fields[i].type_of = node.type;
    }
    types[0] = schema_make(&a, "test.Wide", fields, N_WIDE);
    message = message_random(&a, &r, &m, types[0]);
    expect_context("seed %d", _i);
    groups_hide(&a, types, 2);
    expect_status("plain", pbt_marshal(message, &options, &plain), PBT_OK);
    groups_show(types, 2);
    want = groups_rewrite(&a, types[0], plain.data, plain.len);
    pbti_trace_counts.marshal_ops[PBTI_OP_BLOCK] = 0;
    roads_expect(message, options.flags, want.bytes, want.len);
    ck_assert_uint_gt(pbti_trace_counts.marshal_ops[PBTI_OP_BLOCK], 0);
    (void) roads_compare(message, PBT_VALIDATE_UTF8);
    pbt_buffer_free(&plain);
    pbt_forget(types[0]);
    pbt_forget(node.type);
    arena_free(&a);
}
END_TEST

typedef struct false_group {
    ProtobufCType type;
    ProtobufCLabel label;
    uint32_t flags;
    bool has_default, is_map;
} false_group;

static const false_group false_groups[] = {
    {PROTOBUF_C_TYPE_STRING, PROTOBUF_C_LABEL_OPTIONAL, 0, false, false},
    {PROTOBUF_C_TYPE_INT32, PROTOBUF_C_LABEL_REPEATED,
     PROTOBUF_C_FIELD_FLAG_PACKED, false, false},
    {PROTOBUF_C_TYPE_MESSAGE, PROTOBUF_C_LABEL_REPEATED,
     PROTOBUF_C_FIELD_FLAG_PACKED, false, false},
    {PROTOBUF_C_TYPE_MESSAGE, PROTOBUF_C_LABEL_OPTIONAL, 0, true, false},
    {PROTOBUF_C_TYPE_MESSAGE, PROTOBUF_C_LABEL_REPEATED, 0, false, true}};

START_TEST(only_a_message_can_be_a_group) {
    const false_group *wrong = &false_groups[_i];
    arena a = {0};
    node_type node = make_node_type(&a);
    schema_field field = {.number = 9,
                          .type = wrong->type,
                          .label = wrong->label,
                          .flags = wrong->flags,
                          .name = "wrong",
                          .is_group = true,
                          .is_map = wrong->is_map};
    ProtobufCMessage *message;
    if (wrong->type == PROTOBUF_C_TYPE_MESSAGE)
        field.type_of = node.type;
    if (wrong->has_default)
        field.default_value = message_empty(&a, node.type);
    message = message_empty(&a, schema_make(&a, "test.Wrong", &field, 1));
    expect_context("false group %d", _i);
    roads_expect_error(message, 0, PBT_ERR_BAD_DESCRIPTOR, "wrong", 9);
    pbt_forget(message->descriptor);
    pbt_forget(node.type);
    arena_free(&a);
}
END_TEST

/* A map field with two entries whose keys descend. */
static ProtobufCMessage *make_map(arena *a, const char *entry_name,
                                  bool with_facts, bool is_map) {
    const schema_field entry_fields[] = {
        {1, PROTOBUF_C_TYPE_INT32, PROTOBUF_C_LABEL_NONE, .name = "key"},
        {2, PROTOBUF_C_TYPE_INT32, PROTOBUF_C_LABEL_NONE, .name = "value"}};
    schema_field fields[] = {
        {1, PROTOBUF_C_TYPE_MESSAGE, PROTOBUF_C_LABEL_REPEATED, .name = "foo",
         .is_map = is_map},
        {2, PROTOBUF_C_TYPE_MESSAGE, PROTOBUF_C_LABEL_OPTIONAL, .name = "bar",
         .is_group = with_facts}};
    ProtobufCMessage *message;
    ProtobufCMessage **elements = arena_alloc(a, 2 * sizeof *elements);
    fields[0].type_of = schema_make(a, entry_name, entry_fields, 2);
    fields[1].type_of = fields[0].type_of;
    message = message_empty(a, schema_make(a, "test.Map", fields, 2));
    elements[0] = message_empty(a, fields[0].type_of);
    elements[1] = message_empty(a, fields[0].type_of);
    *(int *) member_of(elements[0], 0) = 2;
    *(int *) member_of(elements[1], 0) = 1;
    set_elements(message, 0, elements, 2);
    return message;
}

static void expect_map(const char *entry_name, bool with_facts, bool is_map,
                       const char *hex) {
    arena a = {0};
    ProtobufCMessage *message = make_map(&a, entry_name, with_facts, is_map);
    hex_expect(message, PBT_DETERMINISTIC | PBT_CONFORMANT, hex);
    pbt_forget(message->descriptor);
    pbt_forget(message->descriptor->fields[0].descriptor);
    arena_free(&a);
}

START_TEST(facts_say_what_is_a_map) {
    static const char sorted[] = "0a0408011000 0a0408021000";
    static const char stored[] = "0a020802 0a020801";
    expect_map("test.Map.FooEntry", false, false, sorted);
    expect_map("test.Pair", false, false, stored);
    expect_map("test.Map.FooEntry", true, false, stored);
    expect_map("test.Pair", true, true, sorted);
}
END_TEST

/* Marks that change without the field array are noticed when the type is met
 * again through another one. */
START_TEST(changed_facts_make_a_new_table) {
    arena a = {0};
    node_type node = make_node_type(&a);
    schema_field field = {.number = 1,
                          .type = PROTOBUF_C_TYPE_MESSAGE,
                          .label = PROTOBUF_C_LABEL_OPTIONAL};
    pbti_type_facts *facts = node.type->reserved1;
    pbti_field_facts *marks =
        arena_copy(&a, facts->fields, N_NODE_FIELDS * sizeof *marks);
    ProtobufCMessage *inner = message_empty(&a, node.type), *outer;
    facts->fields = marks;
    set_pointer(inner, G, message_empty(&a, node.type));
    expect_context("changed facts");
    hex_expect(inner, 0, "0b0c");
    marks[G].is_group = false;
    field.type_of = node.type;
    outer = message_empty(&a, schema_make(&a, "test.Again", &field, 1));
    set_pointer(outer, 0, inner);
    hex_expect(outer, 0, "0a020a00");
    pbt_forget(node.type);
    arena_free(&a);
}
END_TEST

Suite *groups_suite(void) {
    Suite *suite = suite_create("groups");
    TCase *tests = tcase_create("groups");
    tcase_set_timeout(tests, 120);
    tcase_add_test(tests, a_group_is_written_between_two_tags);
    tcase_add_test(tests, repeated_groups_each_have_their_tags);
    tcase_add_test(tests, a_oneof_may_hold_a_group);
    tcase_add_test(tests, groups_and_messages_nest);
    tcase_add_test(tests, a_required_group_may_be_missing);
    tcase_add_test(tests, a_missing_field_in_repeated_groups_is_named);
    tcase_add_test(tests, a_group_may_hold_a_message_of_another_type);
    tcase_add_test(tests, the_limit_on_depth_counts_groups);
    tcase_add_test(tests, groups_nest_as_deep_as_messages);
    tcase_add_test(tests, groups_wear_down_the_room);
    tcase_add_test(tests, empty_groups_make_room);
    tcase_add_test(tests, large_fields_in_groups_are_referred_to);
    tcase_add_loop_test(tests, wide_types_may_hold_groups, 0, 30);
    tcase_add_loop_test(tests, only_a_message_can_be_a_group, 0,
                        sizeof false_groups / sizeof *false_groups);
    tcase_add_test(tests, facts_say_what_is_a_map);
    tcase_add_test(tests, changed_facts_make_a_new_table);
    suite_add_tcase(suite, tests);
    return suite;
}
