/* test_capacity.c - marshal_into with every capacity from 0 to one more than
 * the message needs, between guard bytes, on both roads; and fields that wear
 * down the room that the writer keeps free. */
#include <string.h>

#include "suites.h"
#include "support_expect.h"
#include "support_message.h"
#include "support_output.h"

enum { N_SEEDS = 40, N_GUARD = 64, GUARD = 0xa5, MAX_LEN = 1500 };

static const uint32_t flag_sets[] = {
    PBT_ALLOW_PARTIAL, PBT_ALLOW_PARTIAL | PBT_DELIMITED,
    PBT_ALLOW_PARTIAL | PBT_DETERMINISTIC | PBT_CONFORMANT};

typedef pbt_status marshal_into(const ProtobufCMessage *message,
                                const pbt_options *options, void *out,
                                size_t cap, size_t *len);

static pbt_status reflect_into(const ProtobufCMessage *message,
                               const pbt_options *options, void *out,
                               size_t cap, size_t *len) {
    return pbt_reflect_marshal_into(&pbt_reflection_protobuf_c, message,
                                    options, out, cap, len);
}

static void expect_guard(const char *what, const uint8_t *bytes) {
    size_t i;
    for (i = 0; i < N_GUARD; i++)
        expect_true(what, bytes[i] == GUARD);
}

static void try_capacity(marshal_into *into, const ProtobufCMessage *message,
                         const pbt_options *options, size_t cap,
                         const pbt_buffer *want) {
    arena a = {0};
    uint8_t *block = arena_alloc(&a, cap + 2 * N_GUARD);
    uint8_t *out = block + N_GUARD;
    size_t len = SIZE_MAX;
    pbt_status status;
    memset(block, GUARD, cap + 2 * N_GUARD);
    status = into(message, options, out, cap, &len);
    expect_status("into", status, cap < want->len ? PBT_ERR_NO_SPACE : PBT_OK);
    expect_number("length", len, want->len);
    if (status == PBT_OK)
        expect_bytes("into", out, len, want->data, want->len);
    expect_guard("bytes before the output", block);
    expect_guard("bytes after the output", out + cap);
    arena_free(&a);
}

static void sweep(const ProtobufCMessage *message, uint32_t flags) {
    pbt_options options = {0};
    pbt_buffer want = {0};
    size_t cap;
    options.flags = flags;
    expect_status("marshal", pbt_marshal(message, &options, &want), PBT_OK);
    for (cap = 0; cap <= want.len + 1 && cap <= MAX_LEN; cap++) {
        try_capacity(pbt_marshal_into, message, &options, cap, &want);
        try_capacity(reflect_into, message, &options, cap, &want);
    }
    for (cap = want.len > 40 ? want.len - 40 : 0; cap <= want.len + 600; cap++)
        try_capacity(pbt_marshal_into, message, &options, cap, &want);
    pbt_buffer_free(&want);
}

START_TEST(every_capacity_of_random_messages) {
    arena a = {0};
    rng r = {7000000 + (uint64_t) _i};
    schema_params params = schema_random_params(&r);
    message_params m = {.depth = 4, .budget = 30};
    schema s;
    size_t i;
    params.groups = _i % 2 ? 50 : 0;
    schema_random(&s, &a, &r, &params);
    expect_context("seed %d", _i);
    for (i = 0; i < sizeof flag_sets / sizeof *flag_sets; i++)
        sweep(
            message_random(&a, &r, &m, s.types[rng_below(&r, params.n_types)]),
            flag_sets[i]);
    for (i = 0; i < s.n_types; i++)
        pbt_forget(s.types[i]);
    arena_free(&a);
}
END_TEST

START_TEST(no_memory_is_needed_for_no_bytes) {
    const ProtobufCMessageDescriptor *type;
    arena a = {0};
    size_t len = 1;
    type = schema_make(&a, "test.Empty", NULL, 0);
    expect_status(
        "into nothing",
        pbt_marshal_into(message_empty(&a, type), NULL, NULL, 0, &len), PBT_OK);
    expect_number("length", len, 0);
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

static void expect_packed(const ProtobufCMessage *message) {
    pbt_options options = {.flags = PBT_ALLOW_PARTIAL};
    arena a = {0};
    packed want = packed_by_protobuf_c(&a, message);
    output_expect(message, &options, want.bytes, want.len);
    arena_free(&a);
}

/* More empty values than a block has bytes. */
START_TEST(empty_fields_make_room) {
    enum { N = 3000 };
    static const ProtobufCType types[] = {
        PROTOBUF_C_TYPE_STRING, PROTOBUF_C_TYPE_BYTES, PROTOBUF_C_TYPE_MESSAGE};
    static const ProtobufCLabel labels[] = {PROTOBUF_C_LABEL_REQUIRED,
                                            PROTOBUF_C_LABEL_OPTIONAL};
    arena a = {0};
    schema_field *fields = arena_alloc(&a, N * sizeof *fields);
    ProtobufCType type = types[_i / 2];
    ProtobufCLabel label = labels[_i % 2];
    ProtobufCMessageDescriptor *empty = schema_make(&a, "test.Nil", NULL, 0);
    const void *nothing = type == PROTOBUF_C_TYPE_STRING
                              ? (const void *) ""
                              : message_empty(&a, empty);
    ProtobufCMessageDescriptor *of_fields;
    ProtobufCMessage *message;
    unsigned i;
    for (i = 0; i < N; i++)
        fields[i] = (schema_field){
            .number = i + 1, .type = type, .label = label, .type_of = empty};
    of_fields = schema_make(&a, "test.Wide", fields, N);
    message = message_empty(&a, of_fields);
    for (i = 0; i < N && label == PROTOBUF_C_LABEL_OPTIONAL; i++) {
        const ProtobufCFieldDescriptor *field = &of_fields->fields[i];
        if (type == PROTOBUF_C_TYPE_BYTES)
            *(protobuf_c_boolean *) message_member(
                message, field->quantifier_offset) = 1;
        else
            memcpy(message_member(message, field->offset), &nothing,
                   sizeof nothing);
    }
    expect_packed(message);
    pbt_forget(of_fields);
    pbt_forget(empty);
    arena_free(&a);
}
END_TEST

START_TEST(empty_elements_make_room) {
    enum { N = 5000 };
    static const ProtobufCType types[] = {PROTOBUF_C_TYPE_STRING,
                                          PROTOBUF_C_TYPE_BYTES};
    arena a = {0};
    schema_field field = {
        .number = 1, .type = types[_i], .label = PROTOBUF_C_LABEL_REPEATED};
    ProtobufCMessageDescriptor *type = schema_make(&a, "test.Many", &field, 1);
    ProtobufCMessage *message = message_empty(&a, type);
    ProtobufCBinaryData *bytes = arena_alloc(&a, N * sizeof *bytes);
    const char **strings = arena_alloc(&a, N * sizeof *strings);
    void *array =
        field.type == PROTOBUF_C_TYPE_BYTES ? (void *) bytes : (void *) strings;
    size_t i;
    for (i = 0; i < N; i++)
        strings[i] = "";
    memcpy(message_member(message, type->fields->offset), &array, sizeof array);
    *(size_t *) message_member(message, type->fields->quantifier_offset) = N;
    expect_packed(message);
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

/* A packed array of the largest varints, written after as many scalars of the
 * largest size as need no look at the room, at every place of a block. */
START_TEST(packed_arrays_make_room) {
    enum { N_SCALARS = 22, PACKED = 0, PADDING = N_SCALARS + 1, N = 15 };
    static const int64_t minus_one = -1;
    arena a = {0};
    schema_field fields[PADDING + 1] = {{0}};
    ProtobufCBinaryData padding = {0, arena_alloc(&a, 4096)};
    ProtobufCMessageDescriptor *type;
    ProtobufCMessage *message;
    int64_t *array = arena_alloc(&a, N * sizeof *array);
    unsigned i;
    for (i = 0; i <= PADDING; i++)
        fields[i] = (schema_field){.number = (1u << 28) + i,
                                   .type = PROTOBUF_C_TYPE_INT64,
                                   .label = PROTOBUF_C_LABEL_REQUIRED};
    fields[PACKED].number = 1;
    fields[PACKED].label = PROTOBUF_C_LABEL_REPEATED;
    fields[PACKED].flags = PROTOBUF_C_FIELD_FLAG_PACKED;
    fields[PADDING].type = PROTOBUF_C_TYPE_BYTES;
    type = schema_make(&a, "test.Room", fields, PADDING + 1);
    message = message_empty(&a, type);
    memset(array, 0xff, N * sizeof *array);
    memcpy(message_member(message, type->fields[PACKED].offset), &array,
           sizeof array);
    *(size_t *) message_member(message,
                               type->fields[PACKED].quantifier_offset) = N;
    for (i = PACKED + 1; i < PADDING; i++)
        memcpy(message_member(message, type->fields[i].offset), &minus_one,
               sizeof minus_one);
    for (padding.len = 0; padding.len < 4096; padding.len++) {
        memcpy(message_member(message, type->fields[PADDING].offset), &padding,
               sizeof padding);
        expect_context("%zu bytes before", padding.len);
        expect_packed(message);
    }
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

Suite *capacity_suite(void) {
    Suite *suite = suite_create("capacity");
    TCase *tests = tcase_create("capacity");
    tcase_add_loop_test(tests, every_capacity_of_random_messages, 0, N_SEEDS);
    tcase_add_test(tests, no_memory_is_needed_for_no_bytes);
    tcase_add_loop_test(tests, empty_fields_make_room, 0, 6);
    tcase_add_loop_test(tests, empty_elements_make_room, 0, 2);
    tcase_add_test(tests, packed_arrays_make_room);
    suite_add_tcase(suite, tests);
    return suite;
}
