/* test_json_errors.c - messages, types and circumstances in which no JSON can
 * be written, and what is known of a type from a schema. */
#include <stdio.h>
#include <stdlib.h>

#include "json2.pb-c.h"
#include "json3.pb-c.h"
#include "json_trace.h"
#include "suites.h"
#include "support_expect.h"
#include "support_json.h"
#include "support_locale.h"
#include "support_memory.h"
#include "support_message.h"
#include "support_set.h"

START_TEST(missing_fields) {
    J2__Two two = J2__TWO__INIT;
    J2__Sub good = J2__SUB__INIT, lacking = J2__SUB__INIT;
    J2__Sub *subs[] = {&good, &lacking, &lacking};
    J2__Two__ByNameEntry entry = J2__TWO__BY_NAME_ENTRY__INIT;
    J2__Two__ByNameEntry *entries[] = {&entry};
    J2__Req req = J2__REQ__INIT;
    good.name = text("n");
    two.second = NULL;
    two.n_subs = 3;
    two.subs = subs;
    json_expect_error(&two, 0, PBT_ERR_REQUIRED, "second");
    two.second = text("s");
    json_expect_error(&two, 0, PBT_ERR_REQUIRED, "subs[1].name");
    json_expect(&two, PBT_JSON_ALLOW_PARTIAL,
                "{\"first\":\"a\",\"second\":\"s\",\"subs\":[{\"name\":\"n\"},"
                "{},{}]}");
    two.n_subs = 1;
    entry.key = text("k");
    entry.value = &lacking;
    two.n_by_name = 1;
    two.by_name = entries;
    json_expect_error(&two, 0, PBT_ERR_REQUIRED, "by_name[\"k\"].value.name");
    json_expect_error(&req, 0, PBT_ERR_REQUIRED, "s");
    req.s = text("");
    json_expect_error(&req, 0, PBT_ERR_REQUIRED, "m");
    json_expect(&req,
                PBT_JSON_ALLOW_PARTIAL | PBT_JSON_ENUM_NUMBERS |
                    PBT_JSON_INT64_AS_NUMBER | PBT_JSON_EMIT_NULL_MESSAGES,
                "{\"i32\":0,\"s32\":0,\"sf32\":0,\"i64\":0,\"s64\":0,"
                "\"sf64\":0,\"u32\":0,\"f32\":0,\"u64\":0,\"f64\":0,\"f\":0,"
                "\"d\":0,\"t\":false,\"e\":-1,\"s\":\"\",\"b\":\"\"}");
}
END_TEST

START_TEST(pointers_that_cannot_be_used) {
    J3__Lists lists = J3__LISTS__INIT;
    J3__All all = J3__ALL__INIT;
    J3__Sub sub = J3__SUB__INIT;
    J3__Sub *subs[] = {&sub, NULL};
    char *strings[] = {text("a"), text("b"), NULL};
    ProtobufCBinaryData binaries[] = {{0, NULL}, {3, NULL}};
    all.b.len = 3;
    json_expect_error(&all, 0, PBT_ERR_BAD_MESSAGE, "b");
    lists.n_i32 = 1;
    json_expect_error(&lists, 0, PBT_ERR_BAD_MESSAGE, "i32");
    lists.n_i32 = 0;
    lists.n_s = 3;
    lists.s = strings;
    json_expect_error(&lists, 0, PBT_ERR_BAD_MESSAGE, "s[2]");
    lists.n_s = 0;
    lists.n_b = 2;
    lists.b = binaries;
    json_expect_error(&lists, 0, PBT_ERR_BAD_MESSAGE, "b[1]");
    lists.n_b = 0;
    lists.n_m = 2;
    lists.m = subs;
    json_expect_error(&lists, 0, PBT_ERR_BAD_MESSAGE, "m[1]");
    subs[1] = &sub;
    sub.base.descriptor = NULL;
    json_expect_error(&lists, 0, PBT_ERR_BAD_MESSAGE, "m[0]");
    lists.m = NULL;
    json_expect_error(&lists, 0, PBT_ERR_BAD_MESSAGE, "m");
    lists.n_m = (size_t) 1 << 30;
    json_expect_error(&lists, 0, PBT_ERR_TOO_LARGE, "m");
}
END_TEST

/* A message is printed by its own type, whatever its field says. */
START_TEST(foreign_messages) {
    J2__Sub foreign = J2__SUB__INIT;
    J3__Sub sub = J3__SUB__INIT;
    J3__Sub *subs[] = {&sub, (J3__Sub *) &foreign};
    J3__Lists lists = J3__LISTS__INIT;
    foreign.name = text("f");
    lists.n_m = 2;
    lists.m = subs;
    json_expect(&lists, 0, "{\"m\":[{},{\"name\":\"f\"}]}");
}
END_TEST

START_TEST(clashing_names) {
    J2__Clash clash = J2__CLASH__INIT;
    J2__HasClash has = J2__HAS_CLASH__INIT;
    pbt_error error = {0};
    pbt_json_options options = {.error = &error};
    pbt_buffer buffer = {0};
    clash.has_foo_bar = 1;
    clash.foo_bar = 2;
    json_expect_error(&clash, 0, PBT_ERR_UNSUPPORTED, "");
    json_expect(&clash, PBT_JSON_PROTO_NAMES, "{\"foo_bar\":2}");
    has.has_v = 1;
    json_expect(&has, 0, "{\"v\":0}");
    has.clash = &clash;
    json_expect_error(&has, 0, PBT_ERR_UNSUPPORTED, "clash");
    expect_status("clash", pbt_marshal_json(&has.base, &options, &buffer),
                  PBT_ERR_UNSUPPORTED);
    expect_true("names both", strstr(error.message, "foo_bar") &&
                                  strstr(error.message, "fooBar"));
    pbt_buffer_free(&buffer);
}
END_TEST

/* As with optimize_for = CODE_SIZE. */
START_TEST(types_without_names) {
    static const ProtobufCEnumValue value = {NULL, NULL, 0};
    static const ProtobufCEnumDescriptor nameless = {
        .magic = PROTOBUF_C__ENUM_DESCRIPTOR_MAGIC,
        .n_values = 1,
        .values = &value};
    const schema_field field = {.number = 1,
                                .type = PROTOBUF_C_TYPE_ENUM,
                                .label = PROTOBUF_C_LABEL_REQUIRED,
                                .type_of = &nameless,
                                .name = "e"};
    arena a = {0};
    ProtobufCMessageDescriptor *type =
        schema_make(&a, "test.Nameless", &field, 1);
    ProtobufCMessage *message = message_empty(&a, type);
    type->name = NULL;
    json_expect_error(message, 0, PBT_ERR_UNSUPPORTED, "e");
    json_expect(message, PBT_JSON_ENUM_NUMBERS, "{\"e\":0}");
    pbt_forget(type);
    ((ProtobufCFieldDescriptor *) (uintptr_t) type->fields)->name = NULL;
    json_expect_error(message, PBT_JSON_ENUM_NUMBERS, PBT_ERR_UNSUPPORTED, "");
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

START_TEST(cycles_and_depth) {
    J3__Tree tree = J3__TREE__INIT;
    J3__Tree *nodes = calloc(20000, sizeof *nodes);
    pbt_json_options options = {.max_depth = 3};
    pbt_buffer buffer = {0};
    size_t i;
    tree.child = &tree;
    json_expect_error_with(&tree, &options, PBT_ERR_DEPTH,
                           "child.child.child.child");
    expect_status("cycle", pbt_marshal_json(&tree.base, NULL, &buffer),
                  PBT_ERR_DEPTH);
    for (i = 0; i < 20000; i++) {
        nodes[i] = (J3__Tree) J3__TREE__INIT;
        if (i > 0)
            nodes[i - 1].child = &nodes[i];
    }
    for (i = 0; i < 6; i++) {
        options.max_depth = (uint32_t) i;
        expect_status(
            "depth",
            pbt_marshal_json(&nodes[20000 - 1 - i].base, &options, &buffer),
            PBT_OK);
        if (i > 0)
            expect_status(
                "one more",
                pbt_marshal_json(&nodes[20000 - 2 - i].base, &options, &buffer),
                PBT_ERR_DEPTH);
    }
    expect_status("10000 levels",
                  pbt_marshal_json(&nodes[9999].base, NULL, &buffer), PBT_OK);
    expect_number("length", buffer.len, 10000 * 10 + 2);
    expect_status("10001 levels",
                  pbt_marshal_json(&nodes[9998].base, NULL, &buffer),
                  PBT_ERR_DEPTH);
    pbt_buffer_free(&buffer);
    free(nodes);
}
END_TEST

START_TEST(sizes) {
    J3__Lists lists = J3__LISTS__INIT;
    int32_t numbers[300] = {0};
    pbt_json_options options = {0};
    lists.n_i32 = 300;
    lists.i32 = numbers;
    options.max_size = 8 + 600;
    json_expect_error_with(&lists, &options, PBT_ERR_TOO_LARGE, "");
    options.max_size = 599;
    json_expect_error_with(&lists, &options, PBT_ERR_TOO_LARGE, "i32");
    options.max_size = 9 + 600;
    pbt_buffer buffer = {0};
    expect_status("just right",
                  pbt_marshal_json(&lists.base, &options, &buffer), PBT_OK);
    expect_number("length", buffer.len, options.max_size);
    pbt_buffer_free(&buffer);
}
END_TEST

static pbt_status refuse(pbt_sink *sink, const void *data, size_t len) {
    (void) sink;
    (void) data;
    (void) len;
    return PBT_ERR_NO_SPACE;
}

START_TEST(sink_that_refuses) {
    J3__All all = J3__ALL__INIT;
    pbt_sink sink = {refuse};
    pbt_error error = {0};
    pbt_json_options options = {.error = &error};
    expect_status("sink", pbt_marshal_json_to_sink(&all.base, &options, &sink),
                  PBT_ERR_SINK);
    expect_status("report", error.status, PBT_ERR_SINK);
}
END_TEST

/* An error leaves what was appended to. */
START_TEST(append_keeps_the_content) {
    J3__All all = J3__ALL__INIT;
    pbt_buffer buffer = {0};
    size_t i;
    all.i32 = 1;
    expect_status("first", pbt_marshal(&all.base, NULL, &buffer), PBT_OK);
    expect_status("second", pbt_marshal_json_append(&all.base, NULL, &buffer),
                  PBT_OK);
    expect_bytes("both", buffer.data, buffer.len, "\x08\x01{\"i32\":1}", 11);
    for (i = 0; i < 200; i++) {
        all.s = text("bad \xff");
        expect_status("bad", pbt_marshal_json_append(&all.base, NULL, &buffer),
                      PBT_ERR_UTF8);
        expect_number("length", buffer.len, 11 + 9 * i);
        all.s = NULL;
        expect_status("good", pbt_marshal_json_append(&all.base, NULL, &buffer),
                      PBT_OK);
    }
    expect_bytes("start", buffer.data, 11, "\x08\x01{\"i32\":1}", 11);
    pbt_buffer_free(&buffer);
}
END_TEST

/* A message that needs memory for everything: growth, frames, a map that is
 * not in order, an Any. */
typedef struct hungry {
    J3__Tree nodes[40];
    J3__Tree__NamedEntry entries[20];
    J3__Tree__NamedEntry *named[20];
    char keys[20][8];
} hungry;

static J3__Tree *make_hungry(hungry *h) {
    size_t i;
    for (i = 0; i < 40; i++) {
        h->nodes[i] = (J3__Tree) J3__TREE__INIT;
        h->nodes[i].text = text("some text that takes room");
        if (i > 0)
            h->nodes[i - 1].child = &h->nodes[i];
    }
    for (i = 0; i < 20; i++) {
        h->entries[i] = (J3__Tree__NamedEntry) J3__TREE__NAMED_ENTRY__INIT;
        snprintf(h->keys[i], sizeof h->keys[i], "k%d", (int) (i * 7 % 19));
        h->entries[i].key = h->keys[i];
        h->named[i] = &h->entries[i];
    }
    h->nodes[39].n_named = 20;
    h->nodes[39].named = h->named;
    return &h->nodes[0];
}

START_TEST(failing_allocators) {
    hungry h;
    J3__Tree *message = make_hungry(&h);
    pbt_json_options options = {0};
    meter m;
    long n;
    bool done = false;
    for (n = 0; !done; n++) {
        pbt_buffer buffer = {0};
        pbt_error error = {0};
        pbt_status status;
        meter_init(&m);
        m.fail_at = n;
        m.fail_after = 1;
        options.allocator = &m.allocator;
        options.error = &error;
        status = pbt_marshal_json(&message->base, &options, &buffer);
        done = status == PBT_OK;
        if (!done) {
            expect_status("memory", status, PBT_ERR_NO_MEMORY);
            expect_status("report", error.status, PBT_ERR_NO_MEMORY);
            expect_number("length", buffer.len, 0);
        }
        pbt_buffer_free(&buffer);
        expect_number("live blocks", (uint64_t) m.n_live, 0);
    }
    expect_true("several allocations", n > 5);
}
END_TEST

/* Without memory for tables the text is made by reflection, and is the same;
 * without memory for the text nothing is left behind. */
static void print_hungry(const ProtobufCMessage *message,
                         const pbt_json_options *options, pbt_buffer *want) {
    long n;
    int printed = 0, n_failed = 0;
    for (n = 0; n < 40; n++) {
        pbt_buffer buffer = {0};
        char out[64];
        size_t len = 1;
        pbt_status status;
        pbt_forget(message->descriptor);
        malloc_fail_at(n);
        status = pbt_marshal_json(message, options, &buffer);
        malloc_fail_at(-1);
        if (status == PBT_OK) {
            expect_bytes("text", buffer.data, buffer.len, want->data,
                         want->len);
            printed++;
        } else {
            expect_status("memory", status, PBT_ERR_NO_MEMORY);
            n_failed++;
        }
        pbt_buffer_free(&buffer);
        pbt_forget(message->descriptor);
        malloc_fail_at(n);
        status = pbt_marshal_json_into(message, options, out, sizeof out, &len);
        malloc_fail_at(-1);
        if (status == PBT_OK)
            expect_bytes("into", out, len, want->data, want->len);
        else
            expect_status("memory", status, PBT_ERR_NO_MEMORY);
    }
    expect_true("some printed, some not", printed > 30 && n_failed > 0);
}

START_TEST(failing_malloc) {
    static const ProtobufCMessageDescriptor *const types[] = {
        &j3__known__descriptor, &j3__maps__descriptor, &j2__two__descriptor};
    size_t i;
    for (i = 0; i < 3; i++) {
        arena a = {0};
        ProtobufCMessage *message = message_empty(&a, types[i]);
        pbt_json_options options = {.flags = PBT_JSON_ALLOW_PARTIAL |
                                             PBT_JSON_PROTO_NAMES};
        pbt_buffer want = {0};
        expect_status("with memory", pbt_marshal_json(message, &options, &want),
                      PBT_OK);
        print_hungry(message, &options, &want);
        pbt_buffer_free(&want);
        arena_free(&a);
    }
}
END_TEST

/* json_name, and a repeated field that only looks like a map. */
START_TEST(facts_of_a_schema) {
    pbt_schema *types = set_schema("json3");
    pbt_json_options options = {.schema = types};
    J3__Names names = J3__NAMES__INIT;
    names.named = 1;
    json_expect_with(&names, &options, "{\"named\":1}");
    expect_status("attach",
                  pbt_schema_attach(types, &j3__names__descriptor, NULL),
                  PBT_OK);
    json_expect_with(&names, &options, "{\"<\\\"\xc3\xa9\\\\>\":1}");
    options.flags = PBT_JSON_ESCAPE_HTML | PBT_JSON_ASCII_ONLY;
    json_expect_with(&names, &options, "{\"\\u003c\\\"\\u00e9\\\\\\u003e\":1}");
    options.flags = PBT_JSON_PROTO_NAMES;
    json_expect_with(&names, &options, "{\"named\":1}");
    json_expect(&names, 0, "{\"named\":1}");
    expect_status("attach again",
                  pbt_schema_attach(types, &j3__known__descriptor, NULL),
                  PBT_OK);
    options.flags = 0;
    json_expect_with(&names, &options, "{\"<\\\"\xc3\xa9\\\\>\":1}");
    pbt_schema_free(types);
    json_expect(&names, 0, "{\"named\":1}");
}
END_TEST

/* A type that was loaded knows its names itself. */
START_TEST(loaded_types) {
    pbt_schema *types = set_schema("json3");
    const ProtobufCMessageDescriptor *type =
        pbt_schema_message(types, "j3.Names");
    arena a = {0};
    ProtobufCMessage *message = message_empty(&a, type);
    const ProtobufCFieldDescriptor *field =
        protobuf_c_message_descriptor_get_field(type, 9);
    *(int32_t *) message_member(message, field->offset) = 5;
    json_expect(message, 0, "{\"<\\\"\xc3\xa9\\\\>\":5}");
    arena_free(&a);
    pbt_schema_free(types);
}
END_TEST

START_TEST(decimal_commas) {
    J3__All all = J3__ALL__INIT;
    all.d = 1.5;
    all.f = 0.25f;
    all.i32 = 1234567;
    locale_set_comma();
    json_expect(&all, 0, "{\"i32\":1234567,\"f\":0.25,\"d\":1.5}");
    locale_reset();
}
END_TEST

START_TEST(the_fast_road_runs) {
    J3__All all = J3__ALL__INIT;
    pbt_buffer buffer = {0};
    unsigned long calls = pbti_json_trace_counts.fast_calls;
    unsigned long doubles = pbti_json_trace_counts.ops[PBTI_JSON_DOUBLE];
    all.d = 1.5;
    expect_status("json", pbt_marshal_json(&all.base, NULL, &buffer), PBT_OK);
    expect_number("calls", pbti_json_trace_counts.fast_calls, calls + 1);
    expect_number("doubles", pbti_json_trace_counts.ops[PBTI_JSON_DOUBLE],
                  doubles + 1);
    pbt_buffer_free(&buffer);
}
END_TEST

Suite *json_errors_suite(void) {
    Suite *suite = suite_create("json_errors");
    TCase *tcase = tcase_create("json_errors");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, missing_fields);
    tcase_add_test(tcase, pointers_that_cannot_be_used);
    tcase_add_test(tcase, foreign_messages);
    tcase_add_test(tcase, clashing_names);
    tcase_add_test(tcase, types_without_names);
    tcase_add_test(tcase, cycles_and_depth);
    tcase_add_test(tcase, sizes);
    tcase_add_test(tcase, sink_that_refuses);
    tcase_add_test(tcase, append_keeps_the_content);
    tcase_add_test(tcase, failing_allocators);
    tcase_add_test(tcase, failing_malloc);
    tcase_add_test(tcase, facts_of_a_schema);
    tcase_add_test(tcase, loaded_types);
    tcase_add_test(tcase, decimal_commas);
    tcase_add_test(tcase, the_fast_road_runs);
    suite_add_tcase(suite, tcase);
    return suite;
}
