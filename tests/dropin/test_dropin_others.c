/* test_dropin_others.c - what the drop-in library has beside messages: looking
 * up in descriptors, services, the simple buffer, the version. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cases2.pb-c.h"
#include "cases3.pb-c.h"
#include "dropin_same.h"
#include "google/protobuf/descriptor.pb-c.h"
#include "schema2.pb-c.h"
#include "suites.h"
#include "support_expect.h"
#include "support_memory.h"
#include "support_set.h"

const ProtobufCEnumValue *dropin_value(const ProtobufCEnumDescriptor *, int);
const ProtobufCEnumValue *dropin_value_by_name(const ProtobufCEnumDescriptor *,
                                               const char *);
const ProtobufCFieldDescriptor *dropin_field(const ProtobufCMessageDescriptor *,
                                             unsigned);
const ProtobufCFieldDescriptor *
dropin_field_by_name(const ProtobufCMessageDescriptor *, const char *);
const ProtobufCMethodDescriptor *
dropin_method_by_name(const ProtobufCServiceDescriptor *, const char *);
void dropin_service_init(ProtobufCService *, const ProtobufCServiceDescriptor *,
                         ProtobufCServiceDestroy);
void dropin_service_destroy(ProtobufCService *);
void dropin_service_invoke(ProtobufCService *, unsigned,
                           const ProtobufCMessage *, ProtobufCClosure, void *);
void dropin_buffer_append(ProtobufCBuffer *, size_t, const unsigned char *);
void dropin_init(const ProtobufCMessageDescriptor *, void *);
const char *dropin_version(void);
uint32_t dropin_version_number(void);
extern const char dropin_empty_string[1];

static void try_name(const ProtobufCMessageDescriptor *type, const char *name) {
    ck_assert_ptr_eq(
        dropin_field_by_name(type, name),
        protobuf_c_message_descriptor_get_field_by_name(type, name));
}

static void try_number(const ProtobufCMessageDescriptor *type,
                       uint32_t number) {
    ck_assert_ptr_eq(dropin_field(type, number),
                     protobuf_c_message_descriptor_get_field(type, number));
}

static void try_type(const ProtobufCMessageDescriptor *type) {
    const uint32_t edges[] = {0, 1, INT_MAX, (uint32_t) INT_MAX + 1, UINT_MAX};
    unsigned i;
    expect_context("type %s", type->name);
    for (i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        ck_assert_ptr_eq(dropin_field_by_name(type, field->name), field);
        ck_assert_ptr_eq(dropin_field(type, field->id), field);
        try_number(type, field->id - 1);
        try_number(type, field->id + 1);
    }
    for (i = 0; i < sizeof edges / sizeof *edges; i++)
        try_number(type, edges[i]);
    try_name(type, "");
    try_name(type, "m");
    try_name(type, "zzz");
}

START_TEST(fields) {
    const set_compiled *set = &set_compiled_all[_i];
    ProtobufCMessageDescriptor nameless = c2__opt__descriptor;
    size_t i;
    for (i = 0; set->roots[i]; i++)
        try_type(set->roots[i]);
    nameless.fields_sorted_by_name = NULL;
    ck_assert_ptr_null(dropin_field_by_name(&nameless, "s"));
    ck_assert_ptr_null(dropin_field_by_name(NULL, "s"));
}
END_TEST

static void try_value(const ProtobufCEnumDescriptor *type, int number) {
    ck_assert_ptr_eq(dropin_value(type, number),
                     protobuf_c_enum_descriptor_get_value(type, number));
}

static void try_enum(const ProtobufCEnumDescriptor *type) {
    const int edges[] = {INT_MIN, INT_MIN + 1, -1, 0, 1, INT_MAX - 1, INT_MAX};
    unsigned i;
    int k;
    expect_context("enum %s", type->name);
    for (i = 0; i < type->n_value_names; i++) {
        const char *name = type->values_by_name[i].name;
        ck_assert_ptr_nonnull(dropin_value_by_name(type, name));
        ck_assert_ptr_eq(
            dropin_value_by_name(type, name),
            protobuf_c_enum_descriptor_get_value_by_name(type, name));
    }
    for (i = 0; i < type->n_values; i++)
        for (k = -1; k <= 1; k++)
            try_value(type,
                      (int) ((unsigned) type->values[i].value + (unsigned) k));
    for (i = 0; i < sizeof edges / sizeof *edges; i++)
        try_value(type, edges[i]);
    ck_assert_ptr_null(dropin_value_by_name(type, ""));
    ck_assert_ptr_null(dropin_value_by_name(type, "~"));
}

/* With aliases, and with the smallest and the largest number. */
START_TEST(values) {
    ProtobufCEnumDescriptor nameless = c2__e__descriptor;
    try_enum(&c2__e__descriptor);
    try_enum(&c3__e__descriptor);
    try_enum(&schema__two_part__color__descriptor);
    try_enum(&google__protobuf__field_descriptor_proto__type__descriptor);
    nameless.values_by_name = NULL;
    ck_assert_ptr_null(dropin_value_by_name(&nameless, "ZERO"));
    ck_assert_ptr_null(dropin_value_by_name(NULL, "ZERO"));
}
END_TEST

/* A service of three methods, as protoc-c makes one. */
typedef struct server {
    ProtobufCService base;
    void (*methods[3])(void *service, const ProtobufCMessage *input,
                       ProtobufCClosure closure, void *closure_data);
    int after; /* the methods */
} server;

static const ProtobufCMethodDescriptor methods[] = {
    {"Zeta", &c2__s1__descriptor, &c2__node__descriptor},
    {"Alpha", &c2__s1__descriptor, &c2__node__descriptor},
    {"Mid", &c2__s1__descriptor, &c2__node__descriptor}};
static const unsigned method_order[] = {1, 2, 0};
static const ProtobufCServiceDescriptor service_type = {
    PROTOBUF_C__SERVICE_DESCRIPTOR_MAGIC,
    "c2.Service",
    "Service",
    "C2__Service",
    "c2",
    3,
    methods,
    method_order};

START_TEST(method_names) {
    static const char *const names[] = {"Alpha", "Mid",  "Zeta", "",
                                        "Beta",  "Zoot", "alpha"};
    ProtobufCServiceDescriptor nameless = service_type;
    size_t i;
    for (i = 0; i < sizeof names / sizeof *names; i++)
        ck_assert_ptr_eq(dropin_method_by_name(&service_type, names[i]),
                         protobuf_c_service_descriptor_get_method_by_name(
                             &service_type, names[i]));
    ck_assert_ptr_eq(dropin_method_by_name(&service_type, "Mid"), &methods[2]);
    nameless.method_indices_by_name = NULL;
    ck_assert_ptr_null(dropin_method_by_name(&nameless, "Mid"));
    ck_assert_ptr_null(dropin_method_by_name(NULL, "Mid"));
}
END_TEST

static int n_answers, n_destroyed;

static void serve(void *service, const ProtobufCMessage *input,
                  ProtobufCClosure closure, void *closure_data) {
    ck_assert_int_eq(((server *) service)->after, 77);
    closure(input, closure_data);
}

static void answer(const ProtobufCMessage *message, void *data) {
    ck_assert_ptr_eq(message->descriptor, &c2__s1__descriptor);
    n_answers += *(int *) data;
}

static void destroy(ProtobufCService *service) {
    ck_assert_ptr_eq(service->descriptor, &service_type);
    n_destroyed++;
}

START_TEST(services) {
    C2__S1 input = C2__S1__INIT;
    server s;
    int two = 2;
    memset(&s, 0xff, sizeof s);
    s.after = 77;
    dropin_service_init(&s.base, &service_type, destroy);
    ck_assert_ptr_eq(s.base.descriptor, &service_type);
    ck_assert(s.base.destroy == destroy);
    ck_assert(s.base.invoke == dropin_service_invoke);
    ck_assert(!s.methods[0] && !s.methods[1] && !s.methods[2]);
    ck_assert_int_eq(s.after, 77);
    s.methods[2] = serve;
    s.base.invoke(&s.base, 2, &input.base, answer, &two);
    ck_assert_int_eq(n_answers, 2);
    /* no such method, and one that is not there */
    s.base.invoke(&s.base, 3, &input.base, answer, &two);
    s.base.invoke(&s.base, 0, &input.base, answer, &two);
    ck_assert_int_eq(n_answers, 2);
    dropin_service_destroy(&s.base);
    ck_assert_int_eq(n_destroyed, 1);
}
END_TEST

typedef void append_call(ProtobufCBuffer *, size_t, const unsigned char *);

/* Appends pieces of these lengths, and clears the buffer. */
static void fill(ProtobufCBufferSimple *buffer, append_call *append,
                 const size_t *lens, size_t n) {
    static uint8_t bytes[5100];
    size_t i;
    for (i = 0; i < sizeof bytes; i++)
        bytes[i] = (uint8_t) (i * 7);
    for (i = 0; i < n; i++)
        append(&buffer->base, lens[i], bytes + i);
}

/* With scratch, as programs use it, and with an allocator. */
START_TEST(simple_buffers) {
    static const size_t lens[] = {0, 1, 7, 8, 0, 1, 16, 100, 3, 5000, 1};
    const size_t n = sizeof lens / sizeof *lens;
    uint8_t scratch1[16], scratch2[16];
    ProtobufCBufferSimple got = PROTOBUF_C_BUFFER_SIMPLE_INIT(scratch1);
    ProtobufCBufferSimple want = PROTOBUF_C_BUFFER_SIMPLE_INIT(scratch2);
    meter m;
    size_t k;
    meter_init(&m);
    got.allocator = _i ? &m.allocator : NULL;
    for (k = 1; k <= n; k++) {
        got.len = want.len = 0;
        fill(&got, dropin_buffer_append, lens, k);
        fill(&want, protobuf_c_buffer_simple_append, lens, k);
        expect_bytes("content", got.data, got.len, want.data, want.len);
        ck_assert_uint_eq(got.alloced, want.alloced);
        ck_assert_int_eq(got.must_free_data, want.must_free_data);
    }
    if (_i) {
        ck_assert_int_eq(m.n_live, 1);
        m.allocator.free(&m, got.data);
    } else {
        PROTOBUF_C_BUFFER_SIMPLE_CLEAR(&got);
    }
    PROTOBUF_C_BUFFER_SIMPLE_CLEAR(&want);
}
END_TEST

/* The original loops for ever, or writes where it must not. */
START_TEST(simple_buffers_at_their_limits) {
    uint8_t scratch[4] = "abc";
    ProtobufCBufferSimple buffer = PROTOBUF_C_BUFFER_SIMPLE_INIT(scratch);
    ProtobufCBufferSimple empty = {{dropin_buffer_append}, 0, 0, NULL, 0, NULL};
    meter m;
    meter_init(&m);
    buffer.base.append = dropin_buffer_append;
    buffer.allocator = &m.allocator;
    buffer.base.append(&buffer.base, 3, (const uint8_t *) "xyz");
    m.fail_at = 0;
    buffer.base.append(&buffer.base, 3, (const uint8_t *) "123");
    ck_assert_uint_eq(buffer.len, 3);
    ck_assert_ptr_eq(buffer.data, scratch);
    buffer.base.append(&buffer.base, SIZE_MAX, (const uint8_t *) "123");
    m.fail_at = 1;
    buffer.base.append(&buffer.base, SIZE_MAX / 2, (const uint8_t *) "123");
    expect_bytes("content", buffer.data, buffer.len, "xyz", 3);
    empty.base.append(&empty.base, 0, NULL);
    ck_assert_ptr_null(empty.data);
    empty.base.append(&empty.base, 2, (const uint8_t *) "hi");
    expect_bytes("content", empty.data, empty.len, "hi", 2);
    PROTOBUF_C_BUFFER_SIMPLE_CLEAR(&empty);
}
END_TEST

START_TEST(a_message_packed_to_a_simple_buffer) {
    uint8_t scratch[8];
    ProtobufCBufferSimple buffer = PROTOBUF_C_BUFFER_SIMPLE_INIT(scratch);
    C2__S1 s1 = C2__S1__INIT;
    char text[] = "a text longer than the scratch";
    s1.a = text;
    buffer.base.append = dropin_buffer_append;
    dropin_use(DROPIN_TABLES);
    ck_assert_uint_eq(dropin_pack_to_buffer(&s1.base, &buffer.base), 32);
    expect_bytes("content", buffer.data, buffer.len,
                 "\x0a\x1e"
                 "a text longer than the scratch",
                 32);
    PROTOBUF_C_BUFFER_SIMPLE_CLEAR(&buffer);
}
END_TEST

START_TEST(version_init_and_empty_string) {
    C2__Opt got, want;
    ck_assert_str_eq(dropin_version(), PROTOBUF_C_VERSION);
    ck_assert_uint_eq(dropin_version_number(), PROTOBUF_C_VERSION_NUMBER);
    ck_assert_str_eq(dropin_empty_string, "");
    memset(&got, 0, sizeof got);
    memset(&want, 0, sizeof want);
    dropin_init(&c2__opt__descriptor, &got);
    c2__opt__init(&want);
    expect_bytes("message", &got, sizeof got, &want, sizeof want);
}
END_TEST

Suite *dropin_others_suite(void) {
    Suite *suite = suite_create("dropin_others");
    TCase *tests = tcase_create("dropin_others");
    tcase_add_loop_test(tests, fields, 0, (int) n_set_compiled);
    tcase_add_test(tests, values);
    tcase_add_test(tests, method_names);
    tcase_add_test(tests, services);
    tcase_add_loop_test(tests, simple_buffers, 0, 2);
    tcase_add_test(tests, simple_buffers_at_their_limits);
    tcase_add_test(tests, a_message_packed_to_a_simple_buffer);
    tcase_add_test(tests, version_init_and_empty_string);
    suite_add_tcase(suite, tests);
    return suite;
}
