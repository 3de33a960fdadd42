/* test_edges.c - values at the very start and the very end of accessible
 * memory: a read or write of one byte beyond, where it is not an aligned load
 * of a block that has a byte of the value, ends the test program.
 *
 * Pages without access lie on both sides of what a test places. Every length
 * occurs at every distance from both. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "suites.h"
#include "support_expect.h"
#include "support_message.h"
#include "support_output.h"
#include "support_slots.h"

enum { MAX_LENGTH = 300, N_GAPS = 70, N_PAGES = 16 };

typedef enum edge { AT_START, AT_END, N_EDGES } edge;

/* Bytes next to the value: ends of strings, or none. */
static const int surroundings[] = {0, 0xff};

/* Accessible pages between two that are not. */
typedef struct fenced {
    char *pages; /* the first is not accessible, nor is the last */
    size_t page_size;
    char *begin, *end;
} fenced;

static void fenced_open(fenced *f) {
    size_t page = (size_t) sysconf(_SC_PAGESIZE);
    f->page_size = page;
    f->pages = mmap(NULL, (N_PAGES + 2) * page, PROT_NONE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(f->pages, MAP_FAILED);
    f->begin = f->pages + page;
    f->end = f->begin + N_PAGES * page;
    ck_assert_int_eq(mprotect(f->begin, N_PAGES * page, PROT_READ | PROT_WRITE),
                     0);
}

static void fenced_close(fenced *f) {
    munmap(f->pages, (N_PAGES + 2) * f->page_size);
}

/* Where `size` bytes start that lie `gap` bytes from an edge. */
static char *place(const fenced *f, edge at, size_t gap, size_t size) {
    size_t both = size + 2 * (size_t) N_GAPS;
    char *near = at == AT_START ? f->begin : f->end - both;
    ck_assert_uint_le(both, (size_t) (f->end - f->begin));
    memset(near, surroundings[gap % 2], both);
    return at == AT_START ? f->begin + gap : f->end - gap - size;
}

/* One type of one field, a message of it, and where things are put. */
typedef struct subject {
    arena arena;
    fenced value, array, output;
    ProtobufCMessage *message;
    void *member;
    size_t *count; /* of a repeated field */
    pbt_buffer buffer;
} subject;

static void open_fences(subject *s) {
    memset(s, 0, sizeof *s);
    fenced_open(&s->value);
    fenced_open(&s->array);
    fenced_open(&s->output);
}

static void subject_open(subject *s, const schema_field *field) {
    const ProtobufCMessageDescriptor *type;
    open_fences(s);
    type = schema_make(&s->arena, "test.Edge", field, 1);
    s->message = message_empty(&s->arena, type);
    s->member = message_member(s->message, type->fields->offset);
    s->count = message_member(s->message, type->fields->quantifier_offset);
    if (field->label == PROTOBUF_C_LABEL_OPTIONAL &&
        type->fields->quantifier_offset)
        *(int *) message_member(s->message, type->fields->quantifier_offset) =
            1;
}

static void subject_close(subject *s) {
    if (s->message)
        pbt_forget(s->message->descriptor);
    pbt_buffer_free(&s->buffer);
    fenced_close(&s->value);
    fenced_close(&s->array);
    fenced_close(&s->output);
    arena_free(&s->arena);
}

/* The bytes of protobuf-c, into a buffer and into memory that begins or ends
 * at an edge. */
static void compare(subject *s, const ProtobufCMessage *message,
                    uint32_t flags) {
    const pbt_options options = {.flags = PBT_ALLOW_PARTIAL | flags};
    arena a = {0};
    packed want = packed_by_protobuf_c(&a, message);
    size_t got = 0;
    edge at;
    expect_status("pbt_size", pbt_size(message, &options, &got), PBT_OK);
    expect_number("pbt_size", got, want.len);
    expect_status("pbt_marshal", pbt_marshal(message, &options, &s->buffer),
                  PBT_OK);
    expect_bytes("pbt_marshal", s->buffer.data, s->buffer.len, want.bytes,
                 want.len);
    for (at = AT_START; at < N_EDGES; at++) {
        char *out = place(&s->output, at, 0, want.len);
        expect_status("pbt_marshal_into",
                      pbt_marshal_into(message, &options, out, want.len, &got),
                      PBT_OK);
        expect_bytes("pbt_marshal_into", out, got, want.bytes, want.len);
    }
    arena_free(&a);
}

/* Calls a function for every length at every gap from both edges. The gap is
 * a multiple of what the value must be aligned to. */
static void for_all_places(subject *s, size_t alignment,
                           void (*try)(subject *, edge, size_t, size_t)) {
    size_t len, gap;
    edge at;
    for (at = AT_START; at < N_EDGES; at++)
        for (len = 0; len <= MAX_LENGTH; len++)
            for (gap = 0; gap < N_GAPS; gap += alignment) {
                expect_context("length %zu, %zu bytes from the %s", len, gap,
                               at == AT_START ? "start" : "end");
                try(s, at, gap, len);
            }
}

static char *place_string(subject *s, edge at, size_t gap, size_t len) {
    char *text = place(&s->value, at, gap, len + 1);
    size_t i;
    for (i = 0; i < len; i++)
        text[i] = (char) ('!' + (len + i) % 90);
    text[len] = '\0';
    return text;
}

static ProtobufCBinaryData place_bytes(subject *s, edge at, size_t gap,
                                       size_t len) {
    ProtobufCBinaryData bytes = {.len = len};
    size_t i;
    bytes.data = (uint8_t *) place(&s->value, at, gap, len);
    for (i = 0; i < len; i++)
        bytes.data[i] = (uint8_t) (len + i * 7);
    return bytes;
}

static void try_string(subject *s, edge at, size_t gap, size_t len) {
    slot_set(s->member, place_string(s, at, gap, len));
    compare(s, s->message, len % 2 ? PBT_VALIDATE_UTF8 : 0);
}

static void try_bytes(subject *s, edge at, size_t gap, size_t len) {
    ProtobufCBinaryData bytes = place_bytes(s, at, gap, len);
    memcpy(s->member, &bytes, sizeof bytes);
    compare(s, s->message, 0);
}

/* Elements that are all the one value at the edge; the array of them lies at
 * an edge, too. */
static void try_strings(subject *s, edge at, size_t gap, size_t len) {
    const char *text = place_string(s, at, gap, len);
    char *array;
    size_t i;
    *s->count = len % 4;
    array = place(&s->array, at, gap & 24, *s->count * sizeof text);
    for (i = 0; i < *s->count; i++)
        slot_set(array + i * sizeof text, text);
    slot_set(s->member, array);
    compare(s, s->message, len % 2 ? PBT_VALIDATE_UTF8 : 0);
}

static void try_all_bytes(subject *s, edge at, size_t gap, size_t len) {
    ProtobufCBinaryData bytes = place_bytes(s, at, gap, len);
    char *array;
    size_t i;
    *s->count = len % 4;
    array = place(&s->array, at, gap & 24, *s->count * sizeof bytes);
    for (i = 0; i < *s->count; i++)
        memcpy(array + i * sizeof bytes, &bytes, sizeof bytes);
    slot_set(s->member, array);
    compare(s, s->message, 0);
}

static void try_unknown(subject *s, edge at, size_t gap, size_t len) {
    ProtobufCBinaryData bytes = place_bytes(s, at, gap, len);
    ProtobufCMessageUnknownField unknown = {.tag = 7, .wire_type = 2};
    unknown.len = bytes.len;
    unknown.data = bytes.data;
    s->message->n_unknown_fields = 1;
    s->message->unknown_fields = &unknown;
    compare(s, s->message, 0);
}

/* Numbers of one byte on the wire, of up to two, and any. */
static void set_number(const ProtobufCFieldDescriptor *field, rng *r,
                       size_t range, void *member) {
    static const uint64_t below[] = {64, 8192};
    uint64_t number;
    if (range >= sizeof below / sizeof *below) {
        value_random(r, field->type, member);
        return;
    }
    number = rng_next(r) % below[range];
    memcpy(member, &number, schema_member_size(field->type));
}

static void try_numbers(subject *s, edge at, size_t gap, size_t len) {
    const ProtobufCFieldDescriptor *field = s->message->descriptor->fields;
    size_t size = schema_member_size(field->type), i;
    char *array = place(&s->array, at, gap, len * size);
    rng r = {len * N_GAPS + gap};
    for (i = 0; i < len; i++)
        set_number(field, &r, (len + gap / size) % 3, array + i * size);
    *s->count = len;
    slot_set(s->member, array);
    compare(s, s->message, 0);
}

static void run(const schema_field *field, size_t alignment,
                void (*try)(subject *, edge, size_t, size_t)) {
    subject s;
    subject_open(&s, field);
    for_all_places(&s, alignment, try);
    subject_close(&s);
}

START_TEST(strings) {
    static const schema_field fields[] = {
        {.number = 1,
         .type = PROTOBUF_C_TYPE_STRING,
         .label = PROTOBUF_C_LABEL_OPTIONAL},
        {.number = 2047,
         .type = PROTOBUF_C_TYPE_STRING,
         .label = PROTOBUF_C_LABEL_NONE,
         .default_value = protobuf_c_empty_string},
        {.number = 16,
         .type = PROTOBUF_C_TYPE_STRING,
         .label = PROTOBUF_C_LABEL_REQUIRED}};
    run(&fields[_i], 1, try_string);
}
END_TEST

START_TEST(bytes_fields) {
    static const ProtobufCLabel labels[] = {PROTOBUF_C_LABEL_OPTIONAL,
                                            PROTOBUF_C_LABEL_NONE,
                                            PROTOBUF_C_LABEL_REQUIRED};
    const schema_field field = {
        .number = 1, .type = PROTOBUF_C_TYPE_BYTES, .label = labels[_i]};
    run(&field, 1, try_bytes);
}
END_TEST

START_TEST(repeated_strings) {
    const schema_field field = {.number = 1,
                                .type = PROTOBUF_C_TYPE_STRING,
                                .label = PROTOBUF_C_LABEL_REPEATED};
    run(&field, 1, try_strings);
}
END_TEST

START_TEST(repeated_bytes) {
    const schema_field field = {.number = 1,
                                .type = PROTOBUF_C_TYPE_BYTES,
                                .label = PROTOBUF_C_LABEL_REPEATED};
    run(&field, 1, try_all_bytes);
}
END_TEST

START_TEST(unknown_fields) {
    const schema_field field = {.number = 1,
                                .type = PROTOBUF_C_TYPE_BOOL,
                                .label = PROTOBUF_C_LABEL_NONE};
    run(&field, 1, try_unknown);
}
END_TEST

START_TEST(arrays_of_numbers) {
    schema_field field = {.number = 1,
                          .type = (ProtobufCType) _i,
                          .label = PROTOBUF_C_LABEL_REPEATED};
    if (!schema_type_is_packable(field.type))
        return;
    run(&field, schema_member_size(field.type), try_numbers);
    field.flags = PROTOBUF_C_FIELD_FLAG_PACKED;
    run(&field, schema_member_size(field.type), try_numbers);
}
END_TEST

/* The struct itself: no presence test may read beyond it. */
START_TEST(structs) {
    const message_params params = {.depth = 1, .budget = 40};
    rng r = {17000000 + (uint64_t) _i};
    schema_params shape = schema_random_params(&r);
    schema types;
    subject s;
    size_t i;
    edge at;
    shape.big_structs = false;
    shape.max_fields = 30;
    open_fences(&s);
    schema_random(&types, &s.arena, &r, &shape);
    for (i = 0; i < types.n_types; i++) {
        ProtobufCMessage *message =
            message_random(&s.arena, &r, &params, types.types[i]);
        size_t size = types.types[i]->sizeof_message;
        expect_context("seed %d, type %zu", _i, i);
        for (at = AT_START; at < N_EDGES; at++) {
            char *copy = place(&s.value, at, 0, size);
            memcpy(copy, message, size);
            compare(&s, (const ProtobufCMessage *) (void *) copy, 0);
        }
    }
    for (i = 0; i < types.n_types; i++)
        pbt_forget(types.types[i]);
    subject_close(&s);
}
END_TEST

Suite *edges_suite(void) {
    Suite *suite = suite_create("edges");
    TCase *tests = tcase_create("edges");
    tcase_add_loop_test(tests, strings, 0, 3);
    tcase_add_loop_test(tests, bytes_fields, 0, 3);
    tcase_add_test(tests, repeated_strings);
    tcase_add_test(tests, repeated_bytes);
    tcase_add_test(tests, unknown_fields);
    tcase_add_loop_test(tests, arrays_of_numbers, 0,
                        PROTOBUF_C_TYPE_MESSAGE + 1);
    tcase_add_loop_test(tests, structs, 0, 100);
    suite_add_tcase(suite, tests);
    return suite;
}
