/* support_output.c - see support_output.h. */
#include "support_output.h"

#include <string.h>

#include "support_expect.h"

enum { GUARD = 0xa5, N_GUARD = 64 };

packed packed_by_protobuf_c(arena *a, const ProtobufCMessage *message) {
    packed p;
    p.len = protobuf_c_message_get_packed_size(message);
    p.bytes = arena_alloc(a, p.len + 1);
    ck_assert_uint_eq(protobuf_c_message_pack(message, p.bytes), p.len);
    return p;
}

static pbt_status collect(pbt_sink *sink, const void *data, size_t len) {
    collector *c = (collector *) sink;
    c->n_pieces++;
    ck_assert_msg(data != NULL && len > 0, "an empty piece");
    if (c->n_pieces == c->refuse_at)
        return PBT_ERR_NO_SPACE;
    ck_assert_uint_le(len, c->capacity - c->len);
    memcpy(c->bytes + c->len, data, len);
    c->len += len;
    return PBT_OK;
}

void collector_init(collector *c, arena *a, size_t capacity) {
    memset(c, 0, sizeof *c);
    c->sink.write = collect;
    c->bytes = arena_alloc(a, capacity + 1);
    c->capacity = capacity;
}

typedef struct virtual_buffer {
    ProtobufCBuffer base;
    collector to;
} virtual_buffer;

static void append_virtual(ProtobufCBuffer *buffer, size_t len,
                           const uint8_t *data) {
    virtual_buffer *b = (virtual_buffer *) buffer;
    expect_status("append", collect(&b->to.sink, data, len), PBT_OK);
}

static void expect_marshal(const ProtobufCMessage *message,
                           const pbt_options *options, const void *bytes,
                           size_t len) {
    pbt_buffer buffer = {0};
    const uint8_t *block;
    int round;
    for (round = 0; round < 3; round++) {
        block = buffer.block;
        expect_status("pbt_marshal", pbt_marshal(message, options, &buffer),
                      PBT_OK);
        expect_bytes("pbt_marshal", buffer.data, buffer.len, bytes, len);
    }
    expect_true("a buffer used again keeps its block", block == buffer.block);
    pbt_buffer_free(&buffer);
    expect_true("a freed buffer is all zero",
                !buffer.data && !buffer.len && !buffer.block);
}

static void expect_append(const ProtobufCMessage *message,
                          const pbt_options *options, const uint8_t *bytes,
                          size_t len) {
    pbt_buffer buffer = {0};
    size_t round;
    for (round = 0; round < 3; round++) {
        expect_status("pbt_marshal_append",
                      pbt_marshal_append(message, options, &buffer), PBT_OK);
        expect_number("length after append", buffer.len, (round + 1) * len);
    }
    for (round = 0; round < 3 && len > 0; round++)
        expect_bytes("pbt_marshal_append", buffer.data + round * len, len,
                     bytes, len);
    pbt_buffer_free(&buffer);
}

/* Into memory of exactly cap bytes. */
static void expect_into(const ProtobufCMessage *message,
                        const pbt_options *options, const void *bytes,
                        size_t len, size_t cap) {
    arena memory = {0};
    uint8_t *out = arena_alloc(&memory, cap);
    size_t got = SIZE_MAX;
    memset(out, GUARD, cap);
    expect_status("pbt_marshal_into",
                  pbt_marshal_into(message, options, out, cap, &got), PBT_OK);
    expect_bytes("pbt_marshal_into", out, got, bytes, len);
    arena_free(&memory);
}

static void expect_no_space(const ProtobufCMessage *message,
                            const pbt_options *options, size_t len) {
    arena memory = {0};
    uint8_t *out = arena_alloc(&memory, len - 1);
    size_t got = SIZE_MAX;
    expect_status("pbt_marshal_into a byte too few",
                  pbt_marshal_into(message, options, out, len - 1, &got),
                  PBT_ERR_NO_SPACE);
    expect_number("space needed", got, len);
    arena_free(&memory);
}

static void expect_sinks(const ProtobufCMessage *message,
                         const pbt_options *options, const void *bytes,
                         size_t len) {
    arena memory = {0};
    collector c;
    virtual_buffer b = {{append_virtual}, {{0}, 0, 0, 0, 0, 0}};
    collector_init(&c, &memory, len);
    collector_init(&b.to, &memory, len);
    expect_status("pbt_marshal_to_sink",
                  pbt_marshal_to_sink(message, options, &c.sink), PBT_OK);
    expect_bytes("pbt_marshal_to_sink", c.bytes, c.len, bytes, len);
    expect_status("pbt_marshal_to_buffer",
                  pbt_marshal_to_buffer(message, options, &b.base), PBT_OK);
    expect_bytes("pbt_marshal_to_buffer", b.to.bytes, b.to.len, bytes, len);
    arena_free(&memory);
}

static void expect_iovec(const ProtobufCMessage *message,
                         const pbt_options *options, const void *bytes,
                         size_t len) {
    arena memory = {0};
    pbt_buffer scratch = {0};
    collector c;
    struct iovec *vec = NULL;
    size_t n = 0, i;
    int round;
    for (round = 0; round < 2; round++) {
        collector_init(&c, &memory, len);
        expect_status("pbt_marshal_iovec",
                      pbt_marshal_iovec(message, options, &scratch, &vec, &n),
                      PBT_OK);
        for (i = 0; i < n; i++)
            expect_status("piece",
                          collect(&c.sink, vec[i].iov_base, vec[i].iov_len),
                          PBT_OK);
        expect_bytes("pbt_marshal_iovec", c.bytes, c.len, bytes, len);
    }
    pbt_buffer_free(&scratch);
    arena_free(&memory);
}

void output_expect(const ProtobufCMessage *message, const pbt_options *options,
                   const void *bytes, size_t len) {
    size_t size = SIZE_MAX;
    expect_status("pbt_size", pbt_size(message, options, &size), PBT_OK);
    expect_number("pbt_size", size, len);
    expect_marshal(message, options, bytes, len);
    expect_append(message, options, bytes, len);
    expect_into(message, options, bytes, len, len);
    expect_into(message, options, bytes, len, len + 1);
    expect_into(message, options, bytes, len, 2 * len + 700);
    if (len > 0)
        expect_no_space(message, options, len);
    expect_sinks(message, options, bytes, len);
    expect_iovec(message, options, bytes, len);
}

static const uint8_t former[] = {0x08, 0x07};

/* Marshals a message of no type to have some content. */
static void fill_buffer(pbt_buffer *buffer) {
    static uint8_t data[] = {7};
    static const ProtobufCMessageDescriptor no_fields = {
        .magic = PROTOBUF_C__MESSAGE_DESCRIPTOR_MAGIC,
        .name = "test.NoFields",
        .sizeof_message = sizeof(ProtobufCMessage)};
    ProtobufCMessageUnknownField unknown = {1, PROTOBUF_C_WIRE_TYPE_VARINT, 1,
                                            data};
    ProtobufCMessage message = {&no_fields, 1, &unknown};
    expect_status("former content", pbt_marshal(&message, NULL, buffer),
                  PBT_OK);
    expect_bytes("former content", buffer->data, buffer->len, former,
                 sizeof former);
}

static void expect_buffer_error(const ProtobufCMessage *message,
                                const pbt_options *options, pbt_status status) {
    pbt_buffer buffer = {0};
    fill_buffer(&buffer);
    expect_status("pbt_marshal_append",
                  pbt_marshal_append(message, options, &buffer), status);
    expect_bytes("content after a failed append", buffer.data, buffer.len,
                 former, sizeof former);
    expect_status("pbt_marshal", pbt_marshal(message, options, &buffer),
                  status);
    expect_number("content after a failed marshal", buffer.len, 0);
    expect_true("a failed marshal keeps the block", buffer.block != NULL);
    pbt_buffer_free(&buffer);
}

static void expect_into_error(const ProtobufCMessage *message,
                              const pbt_options *options, pbt_status status) {
    static const size_t caps[] = {4096, 8, 0};
    uint8_t out[4096];
    size_t i, len;
    for (i = 0; i < 3; i++) {
        len = SIZE_MAX;
        expect_status("pbt_marshal_into",
                      pbt_marshal_into(message, options, caps[i] ? out : NULL,
                                       caps[i], &len),
                      status);
        expect_number("length after an error", len, 0);
    }
}

static void expect_sink_error(const ProtobufCMessage *message,
                              const pbt_options *options, pbt_status status) {
    arena memory = {0};
    collector c;
    virtual_buffer b = {{append_virtual}, {{0}, 0, 0, 0, 0, 0}};
    collector_init(&c, &memory, 0);
    collector_init(&b.to, &memory, 0);
    expect_status("pbt_marshal_to_sink",
                  pbt_marshal_to_sink(message, options, &c.sink), status);
    expect_status("pbt_marshal_to_buffer",
                  pbt_marshal_to_buffer(message, options, &b.base), status);
    arena_free(&memory);
}

void output_expect_error(const ProtobufCMessage *message,
                         const pbt_options *options, pbt_status status) {
    pbt_buffer scratch = {0};
    struct iovec some, *vec = &some;
    size_t size = SIZE_MAX, n = SIZE_MAX;
    expect_status("pbt_size", pbt_size(message, options, &size), status);
    expect_number("size after an error", size, 0);
    expect_buffer_error(message, options, status);
    expect_into_error(message, options, status);
    expect_sink_error(message, options, status);
    expect_status("pbt_marshal_iovec",
                  pbt_marshal_iovec(message, options, &scratch, &vec, &n),
                  status);
    expect_true("no vector after an error", vec == NULL && n == 0);
    pbt_buffer_free(&scratch);
}
