/* test_json_known.c - the well-known types of google/protobuf as JSON. */
#include <math.h>
#include <stdio.h>

#include "json2.pb-c.h"
#include "json3.pb-c.h"
#include "suites.h"
#include "support_expect.h"
#include "support_json.h"
#include "support_schema.h"

typedef struct moment {
    int64_t seconds;
    int32_t nanos;
    const char *text; /* NULL: an error */
} moment;

static const moment timestamps[] = {
    {0, 0, "\"1970-01-01T00:00:00Z\""},
    {-1, 500000000, "\"1969-12-31T23:59:59.500Z\""},
    {0, 1, "\"1970-01-01T00:00:00.000000001Z\""},
    {0, 1000, "\"1970-01-01T00:00:00.000001Z\""},
    {0, 1000000, "\"1970-01-01T00:00:00.001Z\""},
    {0, 10, "\"1970-01-01T00:00:00.000000010Z\""},
    {0, 999999999, "\"1970-01-01T00:00:00.999999999Z\""},
    {951782400, 0, "\"2000-02-29T00:00:00Z\""},
    {951868799, 0, "\"2000-02-29T23:59:59Z\""},
    {951868800, 0, "\"2000-03-01T00:00:00Z\""},
    {-2203891201, 0, "\"1900-02-28T23:59:59Z\""},
    {-2203891200, 0, "\"1900-03-01T00:00:00Z\""},
    {1704067199, 0, "\"2023-12-31T23:59:59Z\""},
    {1709164800, 0, "\"2024-02-29T00:00:00Z\""},
    {INT64_C(253402300799), 999999999, "\"9999-12-31T23:59:59.999999999Z\""},
    {INT64_C(-62135596800), 0, "\"0001-01-01T00:00:00Z\""},
    {INT64_C(253402300800), 0, NULL},
    {INT64_C(-62135596801), 999999999, NULL},
    {INT64_MAX, 0, NULL},
    {INT64_MIN, 0, NULL},
    {0, -1, NULL},
    {0, 1000000000, NULL},
    {-1, INT32_MIN, NULL}};

static const moment durations[] = {
    {0, 0, "\"0s\""},
    {0, -500000000, "\"-0.500s\""},
    {-1, -500000000, "\"-1.500s\""},
    {-3600, 0, "\"-3600s\""},
    {1, 1, "\"1.000000001s\""},
    {1, 1000, "\"1.000001s\""},
    {0, -1, "\"-0.000000001s\""},
    {INT64_C(315576000000), 999999999, "\"315576000000.999999999s\""},
    {INT64_C(-315576000000), -999999999, "\"-315576000000.999999999s\""},
    {INT64_C(315576000001), 0, NULL},
    {INT64_C(-315576000001), 0, NULL},
    {INT64_MIN, 0, NULL},
    {1, -1, NULL},
    {-1, 1, NULL},
    {0, 1000000000, NULL},
    {0, -1000000000, NULL}};

static void expect_moment(const void *bare, const J3__Known *known,
                          const char *field, const moment *want) {
    char text[100];
    expect_context("%s %lld, %d", field, (long long) want->seconds,
                   (int) want->nanos);
    if (!want->text) {
        json_expect_error(bare, 0, PBT_ERR_VALUE, "");
        json_expect_error(known, 0, PBT_ERR_VALUE, field);
        return;
    }
    json_expect(bare, 0, want->text);
    snprintf(text, sizeof text, "{\"%s\":%s}", field, want->text);
    json_expect(known, 0, text);
}

START_TEST(timestamp) {
    size_t i;
    for (i = 0; i < sizeof timestamps / sizeof *timestamps; i++) {
        Google__Protobuf__Timestamp t = GOOGLE__PROTOBUF__TIMESTAMP__INIT;
        J3__Known known = J3__KNOWN__INIT;
        t.seconds = timestamps[i].seconds;
        t.nanos = timestamps[i].nanos;
        known.timestamp = &t;
        expect_moment(&t, &known, "timestamp", &timestamps[i]);
    }
}
END_TEST

START_TEST(duration) {
    size_t i;
    for (i = 0; i < sizeof durations / sizeof *durations; i++) {
        Google__Protobuf__Duration d = GOOGLE__PROTOBUF__DURATION__INIT;
        J3__Known known = J3__KNOWN__INIT;
        d.seconds = durations[i].seconds;
        d.nanos = durations[i].nanos;
        known.duration = &d;
        expect_moment(&d, &known, "duration", &durations[i]);
    }
}
END_TEST

START_TEST(field_mask) {
    static const char *const bad[] = {"Foo",  "foo__bar", "foo_3",
                                      "foo_", "",         "fooBar",
                                      "a,b",  "a b",      "a.b_.c"};
    char *paths[] = {text("foo_bar"), text("a.b_c"), text("_foo"),
                     text("x1.y2_z")};
    Google__Protobuf__FieldMask mask = GOOGLE__PROTOBUF__FIELD_MASK__INIT;
    J3__Known known = J3__KNOWN__INIT;
    size_t i;
    known.mask = &mask;
    json_expect(&mask, 0, "\"\"");
    mask.n_paths = 2;
    mask.paths = paths;
    json_expect(&mask, 0, "\"fooBar,a.bC\"");
    mask.n_paths = 4;
    json_expect(&known, 0, "{\"mask\":\"fooBar,a.bC,Foo,x1.y2Z\"}");
    for (i = 0; i < sizeof bad / sizeof *bad; i++) {
        expect_context("path %s", bad[i]);
        paths[1] = text(bad[i]);
        json_expect_error(&known, 0, PBT_ERR_VALUE, "mask.paths[1]");
    }
    paths[1] = NULL;
    json_expect_error(&known, 0, PBT_ERR_BAD_MESSAGE, "mask.paths[1]");
    mask.paths = NULL;
    json_expect_error(&known, 0, PBT_ERR_BAD_MESSAGE, "mask.paths");
}
END_TEST

#define WRAPPER(Type, TYPE, zero, v, want)                                     \
    do {                                                                       \
        Google__Protobuf__##Type##Value w =                                    \
            GOOGLE__PROTOBUF__##TYPE##_VALUE__INIT;                            \
        json_expect(&w, 0, zero);                                              \
        w.value = v;                                                           \
        json_expect(&w, 0, want);                                              \
    } while (0)

START_TEST(wrappers) {
    WRAPPER(Bool, BOOL, "false", 1, "true");
    WRAPPER(Int32, INT32, "0", -7, "-7");
    WRAPPER(UInt32, UINT32, "0", UINT32_MAX, "4294967295");
    WRAPPER(Int64, INT64, "\"0\"", -7, "\"-7\"");
    WRAPPER(UInt64, UINT64, "\"0\"", 7, "\"7\"");
    WRAPPER(Float, FLOAT, "0", 0.1f, "0.1");
    WRAPPER(Double, DOUBLE, "0", -0.0, "-0");
    WRAPPER(String, STRING, "\"\"", text("a\"b"), "\"a\\\"b\"");
    WRAPPER(Bytes, BYTES, "\"\"", bytes("a"), "\"YQ==\"");
}
END_TEST

START_TEST(wrappers_in_fields) {
    Google__Protobuf__BoolValue t = GOOGLE__PROTOBUF__BOOL_VALUE__INIT;
    Google__Protobuf__Int64Value i64 = GOOGLE__PROTOBUF__INT64_VALUE__INIT;
    Google__Protobuf__StringValue s = GOOGLE__PROTOBUF__STRING_VALUE__INIT;
    Google__Protobuf__Empty empty = GOOGLE__PROTOBUF__EMPTY__INIT;
    Google__Protobuf__NullValue nulls[] = {0, 5};
    Google__Protobuf__Int64Value *i64s[] = {&i64, &i64};
    J3__Known known = J3__KNOWN__INIT;
    known.t = &t;
    known.i64 = &i64;
    known.s = &s;
    known.empty = &empty;
    known.n_nulls = 2;
    known.nulls = nulls;
    known.n_i64s = 2;
    known.i64s = i64s;
    json_expect(&known, 0,
                "{\"empty\":{},\"t\":false,\"i64\":\"0\",\"s\":\"\","
                "\"nulls\":[null,null],\"i64s\":[\"0\",\"0\"]}");
    json_expect(&known, PBT_JSON_INT64_AS_NUMBER,
                "{\"empty\":{},\"t\":false,\"i64\":0,\"s\":\"\","
                "\"nulls\":[null,null],\"i64s\":[0,0]}");
    s.value = NULL;
    json_expect(&s, 0, "\"\"");
}
END_TEST

typedef Google__Protobuf__Value Value;
typedef Google__Protobuf__Struct__FieldsEntry Entry;

static Value value_of(Google__Protobuf__Value__KindCase kind) {
    Value v = GOOGLE__PROTOBUF__VALUE__INIT;
    v.kind_case = kind;
    return v;
}

START_TEST(values_of_all_kinds) {
    Value null = value_of(GOOGLE__PROTOBUF__VALUE__KIND_NULL_VALUE);
    Value number = value_of(GOOGLE__PROTOBUF__VALUE__KIND_NUMBER_VALUE);
    Value string = value_of(GOOGLE__PROTOBUF__VALUE__KIND_STRING_VALUE);
    Value truth = value_of(GOOGLE__PROTOBUF__VALUE__KIND_BOOL_VALUE);
    Value object = value_of(GOOGLE__PROTOBUF__VALUE__KIND_STRUCT_VALUE);
    Value array = value_of(GOOGLE__PROTOBUF__VALUE__KIND_LIST_VALUE);
    Value *all[] = {&null, &number, &string, &truth, &object, &array};
    Value *some[] = {&number, &array};
    Google__Protobuf__ListValue list = GOOGLE__PROTOBUF__LIST_VALUE__INIT;
    Google__Protobuf__ListValue nothing = GOOGLE__PROTOBUF__LIST_VALUE__INIT;
    Google__Protobuf__Struct fields = GOOGLE__PROTOBUF__STRUCT__INIT;
    Entry a = GOOGLE__PROTOBUF__STRUCT__FIELDS_ENTRY__INIT;
    Entry b = GOOGLE__PROTOBUF__STRUCT__FIELDS_ENTRY__INIT;
    Entry *entries[] = {&a, &b};
    Google__Protobuf__ListValue outer = GOOGLE__PROTOBUF__LIST_VALUE__INIT;
    number.number_value = 3;
    string.string_value = text("s");
    truth.bool_value = 1;
    object.struct_value = &fields;
    array.list_value = &nothing;
    json_expect(&null, 0, "null");
    json_expect(&number, 0, "3");
    json_expect(&string, 0, "\"s\"");
    json_expect(&truth, 0, "true");
    json_expect(&object, 0, "{}");
    json_expect(&array, 0, "[]");
    json_expect(&list, 0, "[]");
    json_expect(&fields, 0, "{}");
    a.key = text("a");
    a.value = &number;
    b.key = text("b");
    b.value = &array;
    fields.n_fields = 2;
    fields.fields = entries;
    list.n_values = 2;
    list.values = some;
    outer.n_values = 6;
    outer.values = all;
    json_expect(&outer, 0, "[null,3,\"s\",true,{\"a\":3,\"b\":[]},[]]");
    json_expect(&outer, PBT_JSON_EMIT_DEFAULTS,
                "[null,3,\"s\",true,{\"a\":3,\"b\":[]},[]]");
    json_expect_with(&outer, &(pbt_json_options){.indent = 1},
                     "[\n null,\n 3,\n \"s\",\n true,\n {\n  \"a\": 3,\n"
                     "  \"b\": []\n },\n []\n]");
}
END_TEST

START_TEST(values_that_are_none) {
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    Value v = value_of(GOOGLE__PROTOBUF__VALUE__KIND__NOT_SET);
    Value *values[] = {&v};
    J3__Known known = J3__KNOWN__INIT;
    size_t i;
    known.value = &v;
    json_expect_error(&v, 0, PBT_ERR_VALUE, "");
    json_expect_error(&known, 0, PBT_ERR_VALUE, "value");
    v.kind_case = GOOGLE__PROTOBUF__VALUE__KIND_STRUCT_VALUE;
    json_expect_error(&known, 0, PBT_ERR_VALUE, "value");
    v.kind_case = GOOGLE__PROTOBUF__VALUE__KIND_STRING_VALUE;
    json_expect_error(&known, 0, PBT_ERR_VALUE, "value");
    v.kind_case = GOOGLE__PROTOBUF__VALUE__KIND_NUMBER_VALUE;
    known.value = NULL;
    known.n_values = 1;
    known.values = values;
    for (i = 0; i < 3; i++) {
        pbt_json_options options = {.nonfinite = (uint8_t) i};
        v.number_value = bad[i];
        json_expect_error_with(&known, &options, PBT_ERR_VALUE,
                               "values[0].number_value");
    }
}
END_TEST

/* Names alone do not make a well-known type. */
START_TEST(types_of_another_shape) {
    static const schema_field one = {.number = 1,
                                     .type = PROTOBUF_C_TYPE_INT32,
                                     .label = PROTOBUF_C_LABEL_NONE,
                                     .name = "seconds"};
    static const char *const of[] = {
        "google.protobuf.Timestamp", "google.protobuf.Duration",
        "google.protobuf.Any",       "google.protobuf.FieldMask",
        "google.protobuf.Struct",    "google.protobuf.Value",
        "google.protobuf.ListValue", "google.protobuf.Int64Value"};
    size_t i;
    for (i = 0; i < sizeof of / sizeof *of; i++) {
        arena a = {0};
        ProtobufCMessageDescriptor *type = schema_make(&a, of[i], &one, 1);
        ProtobufCMessage *message = arena_alloc(&a, type->sizeof_message);
        memset(message, 0, type->sizeof_message);
        message->descriptor = type;
        *(int32_t *) (void *) ((char *) message + type->fields->offset) = 5;
        json_expect(message, 0, "{\"seconds\":5}");
        pbt_forget(type);
        arena_free(&a);
    }
}
END_TEST

static pbt_schema *types_of(const ProtobufCMessageDescriptor *type) {
    pbt_schema *types;
    expect_status("new", pbt_schema_new(NULL, &types), PBT_OK);
    expect_status("add", pbt_schema_add(types, type, NULL), PBT_OK);
    return types;
}

static void pack_any(Google__Protobuf__Any *any, const char *url,
                     const ProtobufCMessage *message, uint8_t *out) {
    any->type_url = text(url);
    any->value.len = protobuf_c_message_pack(message, out);
    any->value.data = out;
}

START_TEST(any) {
    pbt_schema *types = types_of(&j3__known__descriptor);
    pbt_json_options options = {.schema = types};
    pbt_json_options pretty = {.schema = types, .indent = 2};
    Google__Protobuf__Any a = GOOGLE__PROTOBUF__ANY__INIT;
    Google__Protobuf__Any outer = GOOGLE__PROTOBUF__ANY__INIT;
    Google__Protobuf__Duration d = GOOGLE__PROTOBUF__DURATION__INIT;
    Google__Protobuf__Empty empty = GOOGLE__PROTOBUF__EMPTY__INIT;
    J3__Known known = J3__KNOWN__INIT, inner = J3__KNOWN__INIT;
    Google__Protobuf__Any *anys[] = {&a, &a};
    uint8_t out[100], nested[200];
    json_expect_with(&a, &options, "{}");
    json_expect(&a, PBT_JSON_EMIT_DEFAULTS, "{}");
    inner.duration = &d;
    known.any = &a;
    d.seconds = 1;
    pack_any(&a, "type.example.com/j3.Known", &inner.base, out);
    json_expect_with(&a, &options,
                     "{\"@type\":\"type.example.com/j3.Known\","
                     "\"duration\":\"1s\"}");
    json_expect_with(&a, &pretty,
                     "{\n  \"@type\": \"type.example.com/j3.Known\",\n"
                     "  \"duration\": \"1s\"\n}");
    json_expect_with(&known, &options,
                     "{\"any\":{\"@type\":\"type.example.com/j3.Known\","
                     "\"duration\":\"1s\"}}");
    known.n_anys = 2;
    known.anys = anys;
    pack_any(&a, "/google.protobuf.Duration", &d.base, out);
    json_expect_with(
        &known, &options,
        "{\"any\":{\"@type\":\"/google.protobuf.Duration\",\"value\":\"1s\"},"
        "\"anys\":[{\"@type\":\"/google.protobuf.Duration\",\"value\":\"1s\"},"
        "{\"@type\":\"/google.protobuf.Duration\",\"value\":\"1s\"}]}");
    pack_any(&outer, "a/b/google.protobuf.Any", &a.base, nested);
    json_expect_with(&outer, &options,
                     "{\"@type\":\"a/b/google.protobuf.Any\",\"value\":{"
                     "\"@type\":\"/google.protobuf.Duration\","
                     "\"value\":\"1s\"}}");
    json_expect_with(&outer, &pretty,
                     "{\n  \"@type\": \"a/b/google.protobuf.Any\",\n"
                     "  \"value\": {\n"
                     "    \"@type\": \"/google.protobuf.Duration\",\n"
                     "    \"value\": \"1s\"\n  }\n}");
    pack_any(&a, "/google.protobuf.Empty", &empty.base, out);
    json_expect_with(&a, &options, "{\"@type\":\"/google.protobuf.Empty\"}");
    pbt_schema_free(types);
}
END_TEST

START_TEST(any_that_cannot_be_read) {
    pbt_schema *types = types_of(&j3__known__descriptor);
    pbt_json_options options = {.schema = types};
    Google__Protobuf__Any a = GOOGLE__PROTOBUF__ANY__INIT;
    J3__Known known = J3__KNOWN__INIT;
    known.any = &a;
    a.type_url = text("/j3.Unknown");
    json_expect_error_with(&known, &options, PBT_ERR_NOT_FOUND, "any");
    json_expect_error(&known, 0, PBT_ERR_NOT_FOUND, "any");
    json_expect(&known, PBT_JSON_ANY_RAW,
                "{\"any\":{\"typeUrl\":\"/j3.Unknown\"}}");
    a.value = bytes("abc");
    json_expect(&known, PBT_JSON_ANY_RAW,
                "{\"any\":{\"typeUrl\":\"/j3.Unknown\",\"value\":\"YWJj\"}}");
    json_expect(&known, PBT_JSON_ANY_RAW | PBT_JSON_PROTO_NAMES,
                "{\"any\":{\"type_url\":\"/j3.Unknown\",\"value\":\"YWJj\"}}");
    a.type_url = text("j3.Known");
    json_expect_error_with(&known, &options, PBT_ERR_VALUE, "any");
    a.type_url = text("");
    json_expect_error_with(&known, &options, PBT_ERR_VALUE, "any");
    a.type_url = text("/j3.Known");
    json_expect_error_with(&known, &options, PBT_ERR_MALFORMED, "any");
    a.value.data = NULL;
    json_expect_error_with(&known, &options, PBT_ERR_BAD_MESSAGE, "any");
    pbt_schema_free(types);
}
END_TEST

/* Required fields are asked for around an Any and not inside. */
START_TEST(required_fields_in_any) {
    pbt_schema *types = types_of(&j2__requires__descriptor);
    pbt_json_options options = {.schema = types};
    Google__Protobuf__Any a = GOOGLE__PROTOBUF__ANY__INIT;
    uint8_t sub[] = {0x10, 0x05};
    uint8_t requires[] = {0x0a, 0x04, 0x12, 0x02, 0x10, 0x05};
    a.type_url = text("/j2.Sub");
    json_expect_with(&a, &options, "{\"@type\":\"/j2.Sub\"}");
    a.value = (ProtobufCBinaryData){sizeof sub, sub};
    json_expect_with(&a, &options, "{\"@type\":\"/j2.Sub\",\"v\":5}");
    a.type_url = text("/j2.Requires");
    a.value = (ProtobufCBinaryData){sizeof requires, requires};
    json_expect_with(&a, &options,
                     "{\"@type\":\"/j2.Requires\",\"subs\":{\"\":{\"v\":5}}}");
    pbt_schema_free(types);
}
END_TEST

Suite *json_known_suite(void) {
    Suite *suite = suite_create("json_known");
    TCase *tcase = tcase_create("json_known");
    tcase_add_test(tcase, timestamp);
    tcase_add_test(tcase, duration);
    tcase_add_test(tcase, field_mask);
    tcase_add_test(tcase, wrappers);
    tcase_add_test(tcase, wrappers_in_fields);
    tcase_add_test(tcase, values_of_all_kinds);
    tcase_add_test(tcase, values_that_are_none);
    tcase_add_test(tcase, types_of_another_shape);
    tcase_add_test(tcase, any);
    tcase_add_test(tcase, any_that_cannot_be_read);
    tcase_add_test(tcase, required_fields_in_any);
    suite_add_tcase(suite, tcase);
    return suite;
}
