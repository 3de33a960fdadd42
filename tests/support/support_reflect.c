/* support_reflect.c - see support_reflect.h. */
#include "support_reflect.h"

#include <stdlib.h>
#include <string.h>

#include <check.h>

static const pbt_reflection *const road = &pbt_reflection_protobuf_c;

static struct {
    size_t used;
    _Alignas(16) uint8_t bytes[POOL_SIZE];
} pool;

void *pool_take(size_t size) {
    void *p = pool.bytes + pool.used;
    pool.used += (size + 15) & ~(size_t) 15;
    ck_assert_uint_le(pool.used, POOL_SIZE);
    memset(p, 0, size);
    return p;
}

void pool_empty(void) {
    pool.used = 0;
}

ProtobufCMessage *pool_message(const ProtobufCMessageDescriptor *type) {
    ProtobufCMessage *m = pool_take(type->sizeof_message);
    protobuf_c_message_init(type, m);
    return m;
}

/* An allocator that must not be used. */
static void *refuse_alloc(void *data, size_t size) {
    (void) data;
    (void) size;
    ck_abort_msg("an allocation");
    return NULL;
}

static void refuse_free(void *data, void *block) {
    (void) data;
    (void) block;
}

ProtobufCAllocator refusing_allocator = {refuse_alloc, refuse_free, NULL};

static void *count_alloc(void *data, size_t size) {
    counting_allocator *c = data;
    c->calls++;
    if (c->left == 0)
        return NULL;
    c->left--;
    c->live++;
    return malloc(size);
}

static void count_free(void *data, void *block) {
    counting_allocator *c = data;
    if (block)
        c->live--;
    free(block);
}

void counting_allocator_init(counting_allocator *c) {
    memset(c, 0, sizeof *c);
    c->allocator.alloc = count_alloc;
    c->allocator.free = count_free;
    c->allocator.allocator_data = c;
    c->left = SIZE_MAX;
}

void reflect_expect(const void *msg, const pbt_options *options,
                    const void *bytes, size_t len) {
    static uint8_t out[SPACE];
    pbt_buffer buffer = {0};
    size_t size = 99;
    ck_assert_int_eq(pbt_reflect_size(road, msg, options, &size), PBT_OK);
    ck_assert_uint_eq(size, len);
    ck_assert_int_eq(pbt_reflect_marshal(road, msg, options, &buffer), PBT_OK);
    ck_assert_uint_eq(buffer.len, len);
    if (len > 0)
        ck_assert_mem_eq(buffer.data, bytes, len);
    pbt_buffer_free(&buffer);
    ck_assert_uint_lt(len, sizeof out);
    ck_assert_int_eq(
        pbt_reflect_marshal_into(road, msg, options, out, sizeof out, &size),
        PBT_OK);
    ck_assert_uint_eq(size, len);
    ck_assert_mem_eq(out, bytes, len);
}

static uint64_t random_state;

void random_seed(uint64_t seed) {
    random_state = seed;
}

uint64_t random_bits(void) {
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

uint64_t random_number(void) {
    uint64_t v = random_bits() >> (random_bits() % 64);
    return random_bits() % 4 == 0 ? ~v : v;
}

static void fill_value(const ProtobufCFieldDescriptor *f, void *at,
                       unsigned depth) {
    uint64_t number = random_number();
    uint32_t half = (uint32_t) number;
    size_t len =
        random_bits() % 3 == 0 ? random_bits() % 200 : random_bits() % 4;
    void *p;
    switch ((unsigned) f->type) {
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
        memcpy(at, &number, sizeof number);
        break;
    case PROTOBUF_C_TYPE_STRING:
        p = pool_take(len + 1);
        memset(p, 'x', len);
        memcpy(at, &p, sizeof p);
        break;
    case PROTOBUF_C_TYPE_BYTES: {
        ProtobufCBinaryData b = {len, len > 0 ? pool_take(len) : NULL};
        memcpy(at, &b, sizeof b);
        break;
    }
    case PROTOBUF_C_TYPE_MESSAGE:
        p = pool_message(f->descriptor);
        random_fill(p, depth + 1);
        memcpy(at, &p, sizeof p);
        break;
    default:
        memcpy(at, &half, sizeof half);
        break;
    }
}

static size_t element_size(const ProtobufCFieldDescriptor *f) {
    switch ((unsigned) f->type) {
    case PROTOBUF_C_TYPE_BYTES:
        return sizeof(ProtobufCBinaryData);
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
        return 8;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE:
        return sizeof(void *);
    default:
        return 4;
    }
}

static void fill_repeated(const ProtobufCFieldDescriptor *f, uint8_t *m,
                          unsigned depth) {
    size_t n = random_bits() % 4 == 0 ? random_bits() % 20 : random_bits() % 3,
           i;
    uint8_t *array = n > 0 ? pool_take(n * element_size(f)) : NULL;
    for (i = 0; i < n; i++)
        fill_value(f, array + i * element_size(f), depth);
    memcpy(m + f->quantifier_offset, &n, sizeof n);
    memcpy(m + f->offset, &array, sizeof array);
}

void random_fill(ProtobufCMessage *message, unsigned depth) {
    uint8_t *m = (uint8_t *) message;
    unsigned i;
    for (i = 0; i < message->descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &message->descriptor->fields[i];
        if (random_bits() % 3 == 0 ||
            (f->type == PROTOBUF_C_TYPE_MESSAGE && depth > 3))
            continue;
        if (f->label == PROTOBUF_C_LABEL_REPEATED) {
            fill_repeated(f, m, depth);
            continue;
        }
        if (f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
            memcpy(m + f->quantifier_offset, &f->id, sizeof f->id);
        else if (f->quantifier_offset > 0)
            memset(m + f->quantifier_offset, random_bits() % 2 ? 1 : 0, 4);
        fill_value(f, m + f->offset, depth);
    }
    if (random_bits() % 4 == 0) {
        message->n_unknown_fields = 1;
        message->unknown_fields = pool_take(sizeof *message->unknown_fields);
        message->unknown_fields[0].tag =
            1 + (uint32_t) random_number() % 536870911;
        message->unknown_fields[0].wire_type = random_bits() % 2 ? 0 : 5;
        message->unknown_fields[0].len = random_bits() % 5;
        message->unknown_fields[0].data = pool_take(8);
    }
}
