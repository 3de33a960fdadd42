/* test_upb.c - upb messages on the reflection road against upb's own encoder.
 * A program of its own: it exists where upb's source does. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ruby-upb.h>

#include <pbturbo/pbturbo.h>
#include <pbturbo/upb.h>

#include "support_expect.h"
#include "support_rng.h"

enum { N_SEEDS = 400, MAX_DEPTH = 4, MAX_SET = 70000, MANY = 100000 };

typedef struct fixture {
    upb_DefPool *pool;
    upb_Arena *arena;
    rng rng;
} fixture;

/* The types of the descriptor set that protoc has made of testdata. */
static void open_fixture(fixture *fix, uint64_t seed) {
    static char set[MAX_SET];
    FILE *file = fopen(PBT_UPB_DESCRIPTORS, "rb");
    google_protobuf_FileDescriptorSet *parsed;
    const google_protobuf_FileDescriptorProto *const *files;
    upb_Status status;
    size_t len, n, i;
    ck_assert_msg(file != NULL, "cannot open %s", PBT_UPB_DESCRIPTORS);
    len = fread(set, 1, sizeof set, file);
    fclose(file);
    fix->pool = upb_DefPool_New();
    fix->arena = upb_Arena_New();
    fix->rng.state = seed;
    parsed = google_protobuf_FileDescriptorSet_parse(set, len, fix->arena);
    ck_assert_ptr_nonnull(parsed);
    files = google_protobuf_FileDescriptorSet_file(parsed, &n);
    upb_Status_Clear(&status);
    for (i = 0; i < n; i++)
        ck_assert_msg(upb_DefPool_AddFile(fix->pool, files[i], &status),
                      "upb: %s", upb_Status_ErrorMessage(&status));
}

static void close_fixture(fixture *fix) {
    upb_Arena_Free(fix->arena);
    upb_DefPool_Free(fix->pool);
}

static const upb_MessageDef *type_of(const fixture *fix, const char *name) {
    const upb_MessageDef *type = upb_DefPool_FindMessageByName(fix->pool, name);
    ck_assert_msg(type != NULL, "no type %s", name);
    return type;
}

static const upb_FieldDef *field_of(const upb_MessageDef *type,
                                    const char *name) {
    const upb_FieldDef *f = upb_MessageDef_FindFieldByName(type, name);
    ck_assert_msg(f != NULL, "no field %s", name);
    return f;
}

static upb_Message *draw_message(fixture *fix, const upb_MessageDef *type,
                                 int depth);

static upb_MessageValue draw_string(fixture *fix) {
    upb_MessageValue v;
    size_t len = rng_below(&fix->rng, rng_chance(&fix->rng, 5) ? 5000 : 20), i;
    char *data = upb_Arena_Malloc(fix->arena, len + 1);
    for (i = 0; i < len; i++)
        data[i] = (char) ('a' + rng_below(&fix->rng, 26));
    v.str_val = upb_StringView_FromDataAndSize(data, len);
    return v;
}

static upb_MessageValue draw_value(fixture *fix, const upb_FieldDef *f,
                                   int depth) {
    static const uint64_t edges[] = {0,
                                     1,
                                     127,
                                     128,
                                     UINT32_MAX,
                                     UINT64_MAX,
                                     UINT64_C(0x8000000080000000),
                                     UINT64_C(0x3ff0000000000000)};
    upb_MessageValue v;
    memset(&v, 0, sizeof v);
    switch (upb_FieldDef_CType(f)) {
    case kUpb_CType_String:
    case kUpb_CType_Bytes:
        return draw_string(fix);
    case kUpb_CType_Message:
        v.msg_val = draw_message(fix, upb_FieldDef_MessageSubDef(f), depth + 1);
        return v;
    case kUpb_CType_Bool:
        v.bool_val = rng_chance(&fix->rng, 50);
        return v;
    case kUpb_CType_Float:
    case kUpb_CType_Int32:
    case kUpb_CType_UInt32:
    case kUpb_CType_Enum:
    case kUpb_CType_Double:
    case kUpb_CType_Int64:
    case kUpb_CType_UInt64:
        break;
    }
    v.uint64_val = rng_chance(&fix->rng, 60)
                       ? edges[rng_below(&fix->rng, 8)]
                       : rng_next(&fix->rng) >> rng_below(&fix->rng, 64);
    if (upb_FieldDef_CType(f) != kUpb_CType_Double &&
        upb_FieldDef_CType(f) != kUpb_CType_Int64 &&
        upb_FieldDef_CType(f) != kUpb_CType_UInt64)
        v.uint64_val = (uint32_t) v.uint64_val;
    return v;
}

static void fill_map(fixture *fix, upb_Map *map, const upb_MessageDef *entry,
                     int depth) {
    const upb_FieldDef *key = upb_MessageDef_FindFieldByNumber(entry, 1);
    const upb_FieldDef *value = upb_MessageDef_FindFieldByNumber(entry, 2);
    uint32_t n = rng_below(&fix->rng, 12);
    while (n-- > 0)
        upb_Map_Insert(map, draw_value(fix, key, depth),
                       draw_value(fix, value, depth), fix->arena);
}

static void fill_field(fixture *fix, upb_Message *message,
                       const upb_FieldDef *f, int depth) {
    upb_MutableMessageValue many;
    uint32_t n = rng_below(&fix->rng, 5);
    if (!upb_FieldDef_IsRepeated(f)) {
        upb_Message_Set(message, f, draw_value(fix, f, depth), fix->arena);
        return;
    }
    many = upb_Message_Mutable(message, f, fix->arena);
    if (upb_FieldDef_IsMap(f)) {
        fill_map(fix, many.map, upb_FieldDef_MessageSubDef(f), depth);
        return;
    }
    while (n-- > 0)
        upb_Array_Append(many.array, draw_value(fix, f, depth), fix->arena);
}

static void fill_extensions(fixture *fix, upb_Message *message,
                            const upb_MessageDef *type, int depth) {
    size_t n, i;
    const upb_FieldDef **extensions =
        upb_DefPool_GetAllExtensions(fix->pool, type, &n);
    for (i = 0; i < n; i++)
        if (rng_chance(&fix->rng, 20))
            fill_field(fix, message, extensions[i], depth);
    free(extensions);
}

static upb_Message *draw_message(fixture *fix, const upb_MessageDef *type,
                                 int depth) {
    upb_Message *message = upb_Message_New(type, fix->arena);
    uint32_t chance = 10 + rng_below(&fix->rng, 60);
    int i;
    for (i = 0; i < upb_MessageDef_FieldCount(type); i++) {
        const upb_FieldDef *f = upb_MessageDef_Field(type, i);
        uint32_t wanted =
            upb_FieldDef_Label(f) == kUpb_Label_Required ? 98 : chance;
        if (depth < MAX_DEPTH || !upb_FieldDef_IsSubMessage(f))
            if (rng_chance(&fix->rng, wanted))
                fill_field(fix, message, f, depth);
    }
    if (depth < MAX_DEPTH)
        fill_extensions(fix, message, type, depth);
    if (rng_chance(&fix->rng, 20))
        (void) _upb_Message_AddUnknown(message, "\x98\x06\x07", 3, fix->arena);
    return message;
}

/* upb's bytes; NULL when a required field is missing and that is asked. */
static const char *encode(fixture *fix, const upb_Message *message,
                          const upb_MessageDef *type, int options,
                          size_t *len) {
    return upb_Encode(message, upb_MessageDef_MiniTable(type), options,
                      fix->arena, len);
}

static void expect_encoded(fixture *fix, const upb_Message *message,
                           const upb_MessageDef *type, uint32_t flags,
                           int upb_options) {
    const pbt_upb_message root = {message, type};
    const pbt_options options = {.flags = flags | PBT_ALLOW_PARTIAL};
    pbt_buffer buffer = {0};
    size_t len, size;
    const char *want = encode(fix, message, type, upb_options, &len);
    ck_assert_ptr_nonnull(want);
    expect_status(
        "marshal",
        pbt_reflect_marshal(&pbt_reflection_upb, &root, &options, &buffer),
        PBT_OK);
    expect_bytes("marshal", buffer.data, buffer.len, want, len);
    expect_status("size",
                  pbt_reflect_size(&pbt_reflection_upb, &root, &options, &size),
                  PBT_OK);
    expect_number("size", size, len);
    pbt_buffer_free(&buffer);
}

/* A message read back from pbturbo's bytes; it has its extensions in order. */
static upb_Message *read_back(fixture *fix, const upb_Message *message,
                              const upb_MessageDef *type, uint32_t flags) {
    const pbt_upb_message root = {message, type};
    const pbt_options options = {.flags = flags | PBT_ALLOW_PARTIAL};
    upb_Message *again = upb_Message_New(type, fix->arena);
    pbt_buffer buffer = {0};
    expect_status(
        "marshal",
        pbt_reflect_marshal(&pbt_reflection_upb, &root, &options, &buffer),
        PBT_OK);
    ck_assert_int_eq(upb_Decode((const char *) buffer.data, buffer.len, again,
                                upb_MessageDef_MiniTable(type),
                                upb_DefPool_ExtensionRegistry(fix->pool), 0,
                                fix->arena),
                     kUpb_DecodeStatus_Ok);
    pbt_buffer_free(&buffer);
    return again;
}

/* upb sorts maps the other way round, so what has been sorted here is compared
 * after upb has sorted it, too. */
static void expect_same_sorted(fixture *fix, const upb_Message *message,
                               const upb_MessageDef *type) {
    const upb_Message *sorted =
        read_back(fix, message, type, PBT_DETERMINISTIC);
    size_t want_len, len;
    const char *want =
        encode(fix, message, type, kUpb_Encode_Deterministic, &want_len);
    const char *got =
        encode(fix, sorted, type, kUpb_Encode_Deterministic, &len);
    expect_bytes("sorted", got, len, want, want_len);
}

static void expect_check(fixture *fix, const upb_Message *message,
                         const upb_MessageDef *type) {
    const pbt_upb_message root = {message, type};
    size_t len;
    bool complete =
        encode(fix, message, type, kUpb_Encode_CheckRequired, &len) != NULL;
    pbt_status want = complete ? PBT_OK : PBT_ERR_REQUIRED;
    expect_status("check",
                  pbt_reflect_check_required(&pbt_reflection_upb, &root, NULL),
                  want);
    expect_status("validate",
                  pbt_reflect_validate(&pbt_reflection_upb, &root, NULL), want);
}

static const char *const random_types[] = {"u2.All", "u2.Inner", "u2.All.R",
                                           "u3.All"};

START_TEST(the_bytes_are_those_of_upb) {
    fixture fix;
    const upb_MessageDef *type;
    const upb_Message *message, *again;
    open_fixture(&fix, 41000000 + (uint64_t) _i);
    type = type_of(&fix, random_types[_i % 4]);
    message = draw_message(&fix, type, 0);
    expect_context("seed %d", _i);
    expect_check(&fix, message, type);
    again = read_back(&fix, message, type, 0);
    expect_encoded(&fix, again, type, 0, 0);
    expect_same_sorted(&fix, again, type);
    expect_encoded(&fix, again, type, PBT_DISCARD_UNKNOWN | PBT_CONFORMANT,
                   kUpb_Encode_SkipUnknown);
    if (_i % 4 == 3) /* no extensions */
        expect_encoded(&fix, message, type, 0, 0);
    else
        expect_check(&fix, again, type);
    close_fixture(&fix);
}
END_TEST

/* What upb reads of a JSON text, in bytes that do not depend on the order of
 * map entries. */
static const char *read_json(fixture *fix, const char *text, size_t len,
                             const upb_MessageDef *type, size_t *n) {
    upb_Message *message = upb_Message_New(type, fix->arena);
    upb_Status status;
    upb_Status_Clear(&status);
    ck_assert_msg(upb_JsonDecode(text, len, message, type, fix->pool, 0,
                                 fix->arena, &status),
                  "upb does not read %.*s: %s", (int) len, text,
                  upb_Status_ErrorMessage(&status));
    return encode(fix, message, type, kUpb_Encode_Deterministic, n);
}

static void expect_json(fixture *fix, const upb_Message *message,
                        const upb_MessageDef *type, uint32_t flags,
                        int upb_options) {
    const pbt_upb_message root = {message, type};
    const pbt_json_options options = {.flags = flags | PBT_JSON_ALLOW_PARTIAL};
    pbt_buffer buffer = {0};
    upb_Status status;
    size_t text_len, want_len, len;
    char *text;
    const char *want, *got;
    expect_status(
        "json",
        pbt_reflect_marshal_json(&pbt_reflection_upb, &root, &options, &buffer),
        PBT_OK);
    upb_Status_Clear(&status);
    text_len =
        upb_JsonEncode(message, type, fix->pool, upb_options, NULL, 0, &status);
    text = upb_Arena_Malloc(fix->arena, text_len + 1);
    (void) upb_JsonEncode(message, type, fix->pool, upb_options, text,
                          text_len + 1, &status);
    want = read_json(fix, text, text_len, type, &want_len);
    got = read_json(fix, (const char *) buffer.data, buffer.len, type, &len);
    expect_bytes("json", got, len, want, want_len);
    pbt_buffer_free(&buffer);
}

START_TEST(json_means_what_that_of_upb_means) {
    fixture fix;
    const upb_MessageDef *type;
    const upb_Message *message;
    open_fixture(&fix, 42000000 + (uint64_t) _i);
    type = type_of(&fix, random_types[_i % 4]);
    message = draw_message(&fix, type, 0);
    expect_context("seed %d", _i);
    expect_json(&fix, message, type, 0, 0);
    expect_json(&fix, message, type,
                PBT_JSON_PROTO_NAMES | PBT_JSON_SORT_MAP_KEYS,
                upb_JsonEncode_UseProtoNames);
    if (_i % 4 == 3) /* upb does not write the defaults of proto2 */
        expect_json(&fix, message, type, PBT_JSON_EMIT_DEFAULTS,
                    upb_JsonEncode_EmitDefaults);
    close_fixture(&fix);
}
END_TEST

static void set_int(fixture *fix, upb_Message *message, const upb_FieldDef *f,
                    int32_t number) {
    upb_MessageValue v = {.int32_val = number};
    upb_Message_Set(message, f, v, fix->arena);
}

START_TEST(extensions_stand_in_the_order_of_numbers) {
    static const uint8_t want[] = {0x08, 1, 0x10, 2, 0x18, 3, 0x20, 4, 0x28, 5};
    fixture fix;
    pbt_buffer buffer = {0};
    pbt_upb_message root;
    const upb_MessageDef *type;
    upb_Message *message;
    static const char *const names[] = {"u2.next", "u2.before", "u2.middle"};
    static const int numbers[] = {4, 2, 3};
    int i;
    open_fixture(&fix, 1);
    expect_context("extensions");
    type = type_of(&fix, "u2.Spread");
    message = upb_Message_New(type, fix.arena);
    for (i = 0; i < 3; i++)
        set_int(&fix, message,
                upb_DefPool_FindExtensionByName(fix.pool, names[i]),
                numbers[i]);
    set_int(&fix, message, field_of(type, "last"), 5);
    set_int(&fix, message, field_of(type, "first"), 1);
    root = (pbt_upb_message){message, type};
    expect_status(
        "marshal",
        pbt_reflect_marshal(&pbt_reflection_upb, &root, NULL, &buffer), PBT_OK);
    expect_bytes("extensions", buffer.data, buffer.len, want, sizeof want);
    pbt_buffer_free(&buffer);
    close_fixture(&fix);
}
END_TEST

static void expect_missing(const upb_Message *message,
                           const upb_MessageDef *type, const char *path,
                           uint32_t number) {
    const pbt_upb_message root = {message, type};
    pbt_error error = {0};
    const pbt_options options = {.error = &error};
    size_t size;
    expect_status(
        "check",
        pbt_reflect_check_required(&pbt_reflection_upb, &root, &options),
        PBT_ERR_REQUIRED);
    expect_text("path", error.path, path);
    expect_number("number", error.field_number, number);
    memset(&error, 0, sizeof error);
    expect_status("size",
                  pbt_reflect_size(&pbt_reflection_upb, &root, &options, &size),
                  PBT_ERR_REQUIRED);
    expect_text("path", error.path, path);
}

START_TEST(a_missing_field_is_named) {
    fixture fix;
    const upb_MessageDef *type, *row_type, *inner_type;
    upb_Message *message, *inner;
    upb_Array *rows;
    upb_Map *map;
    upb_MessageValue key, value;
    open_fixture(&fix, 1);
    expect_context("missing");
    type = type_of(&fix, "u2.All");
    row_type = type_of(&fix, "u2.All.R");
    inner_type = type_of(&fix, "u2.Inner");
    message = upb_Message_New(type, fix.arena);
    map = upb_Message_Mutable(message, field_of(type, "sm"), fix.arena).map;
    key.str_val = upb_StringView_FromString("k\"");
    value.msg_val = inner = upb_Message_New(inner_type, fix.arena);
    upb_Map_Insert(map, key, value, fix.arena);
    expect_missing(message, type, "sm[\"k\\\"\"].value.a", 1);
    set_int(&fix, inner, field_of(inner_type, "a"), 1);
    expect_missing(message, type, "sm[\"k\\\"\"].value.b", 2);
    rows = upb_Message_Mutable(message, field_of(type, "r"), fix.arena).array;
    value.msg_val = inner = upb_Message_New(row_type, fix.arena);
    set_int(&fix, inner, field_of(row_type, "n"), 1);
    upb_Array_Append(rows, value, fix.arena);
    value.msg_val = upb_Message_New(row_type, fix.arena);
    upb_Array_Append(rows, value, fix.arena);
    expect_missing(message, type, "r[1].n", 1);
    expect_encoded(&fix, message, type, 0, 0);
    close_fixture(&fix);
}
END_TEST

START_TEST(maps_are_sorted_on_demand) {
    static const int32_t keys[] = {5, -1, 300, 0, -200};
    static const uint8_t want[] = {
        0xca, 0x02, 5, 0x08, 0x8f, 0x03, 0x12, 0, /* zigzag of -200 */
        0xca, 0x02, 4, 0x08, 1,    0x12, 0,       /* -1 */
        0xca, 0x02, 4, 0x08, 0,    0x12, 0,       /* 0 */
        0xca, 0x02, 4, 0x08, 10,   0x12, 0,       /* 5 */
        0xca, 0x02, 5, 0x08, 0xd8, 0x04, 0x12, 0, /* 300 */
    };
    const pbt_options options = {.flags = PBT_DETERMINISTIC};
    fixture fix;
    pbt_buffer buffer = {0};
    pbt_upb_message root;
    const upb_MessageDef *type;
    upb_Message *message;
    upb_Map *map;
    int i;
    open_fixture(&fix, 1);
    expect_context("sorted map");
    type = type_of(&fix, "u2.All");
    message = upb_Message_New(type, fix.arena);
    map = upb_Message_Mutable(message, field_of(type, "im"), fix.arena).map;
    for (i = 0; i < 5; i++) {
        upb_MessageValue key = {.int64_val = keys[i]}, value = {0};
        value.str_val = upb_StringView_FromDataAndSize("", 0);
        upb_Map_Insert(map, key, value, fix.arena);
    }
    root = (pbt_upb_message){message, type};
    expect_status(
        "marshal",
        pbt_reflect_marshal(&pbt_reflection_upb, &root, &options, &buffer),
        PBT_OK);
    expect_bytes("sorted map", buffer.data, buffer.len, want, sizeof want);
    pbt_buffer_free(&buffer);
    close_fixture(&fix);
}
END_TEST

/* Walked in both directions, and with most entries taken out again. */
START_TEST(large_maps_take_linear_time) {
    fixture fix;
    const upb_MessageDef *type;
    const upb_FieldDef *f;
    upb_Message *message;
    upb_Map *map;
    pbt_upb_message root;
    int i;
    open_fixture(&fix, 1);
    expect_context("large map");
    type = type_of(&fix, "u3.All");
    f = field_of(type, "m_int32");
    message = upb_Message_New(type, fix.arena);
    map = upb_Message_Mutable(message, f, fix.arena).map;
    root = (pbt_upb_message){message, type};
    for (i = 0; i < MANY; i++) {
        upb_MessageValue key = {.int32_val = i};
        upb_MessageValue value = {.msg_val = upb_Message_New(type, fix.arena)};
        upb_Map_Insert(map, key, value, fix.arena);
    }
    expect_encoded(&fix, message, type, 0, 0);
    expect_status("check",
                  pbt_reflect_check_required(&pbt_reflection_upb, &root, NULL),
                  PBT_OK);
    for (i = 0; i < MANY; i++) {
        upb_MessageValue key = {.int32_val = i};
        if (i % 97 != 0)
            ck_assert(upb_Map_Delete(map, key));
    }
    expect_encoded(&fix, message, type, 0, 0);
    expect_status("check",
                  pbt_reflect_check_required(&pbt_reflection_upb, &root, NULL),
                  PBT_OK);
    close_fixture(&fix);
}
END_TEST

static void expect_refused(const void *message, const upb_MessageDef *type,
                           pbt_status want) {
    const pbt_upb_message root = {message, type};
    size_t size;
    expect_status("size",
                  pbt_reflect_size(&pbt_reflection_upb, &root, NULL, &size),
                  want);
    expect_status("check",
                  pbt_reflect_check_required(&pbt_reflection_upb, &root, NULL),
                  want);
}

START_TEST(what_cannot_be_read_is_refused) {
    fixture fix, other;
    const upb_MessageDef *type;
    const upb_FieldDef *stranger;
    upb_Message *message;
    open_fixture(&fix, 1);
    open_fixture(&other, 1);
    expect_context("refused");
    type = type_of(&fix, "u2.Set");
    message = upb_Message_New(type, fix.arena);
    expect_refused(message, type, PBT_ERR_BAD_DESCRIPTOR);
    expect_refused(message, NULL, PBT_ERR_BAD_DESCRIPTOR);
    expect_refused(NULL, type, PBT_ERR_BAD_MESSAGE);
    type = type_of(&fix, "u2.Spread");
    stranger = upb_DefPool_FindExtensionByName(other.pool, "u2.middle");
    message = upb_Message_New(type, fix.arena);
    set_int(&fix, message, stranger, 1);
    expect_refused(message, type, PBT_ERR_BAD_MESSAGE);
    close_fixture(&other);
    close_fixture(&fix);
}
END_TEST

static Suite *upb_suite(void) {
    Suite *suite = suite_create("upb");
    TCase *tests = tcase_create("upb");
    tcase_set_timeout(tests, 60);
    tcase_add_loop_test(tests, the_bytes_are_those_of_upb, 0, N_SEEDS);
    tcase_add_loop_test(tests, json_means_what_that_of_upb_means, 0, N_SEEDS);
    tcase_add_test(tests, extensions_stand_in_the_order_of_numbers);
    tcase_add_test(tests, a_missing_field_is_named);
    tcase_add_test(tests, maps_are_sorted_on_demand);
    tcase_add_test(tests, large_maps_take_linear_time);
    tcase_add_test(tests, what_cannot_be_read_is_refused);
    suite_add_tcase(suite, tests);
    return suite;
}

int main(void) {
    SRunner *runner = srunner_create(upb_suite());
    int failed;
    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
