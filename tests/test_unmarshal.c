/* test_unmarshal.c - pbt_unmarshal gives what protobuf_c_message_unpack gives:
 * random messages of random types, whole, in parts and merged. */
#include <string.h>

#include "suites.h"
#include "support_expect.h"
#include "support_message.h"
#include "support_same.h"

enum { N_SEEDS = 300, N_PER_SCHEMA = 6 };

static uint8_t *pack(arena *a, const ProtobufCMessage *message, size_t *len) {
    uint8_t *bytes;
    *len = protobuf_c_message_get_packed_size(message);
    bytes = arena_alloc(a, *len);
    protobuf_c_message_pack(message, bytes);
    return bytes;
}

static void expect_packed(const ProtobufCMessage *message,
                          const ProtobufCMessage *want) {
    arena a = {0};
    size_t len, want_len;
    uint8_t *bytes = pack(&a, message, &len);
    uint8_t *want_bytes = pack(&a, want, &want_len);
    expect_bytes("packed again", bytes, len, want_bytes, want_len);
    arena_free(&a);
}

/* Both parsers, on a copy that ends where its block ends. What protobuf-c takes
 * is taken, and becomes the same message. */
static pbt_status compare(pbt_arena *pieces,
                          const ProtobufCMessageDescriptor *type,
                          const uint8_t *bytes, size_t len) {
    arena a = {0};
    const uint8_t *copy = arena_copy(&a, bytes, len);
    ProtobufCMessage *want = protobuf_c_message_unpack(type, NULL, len, copy);
    ProtobufCMessage *got = NULL;
    pbt_error error = {0};
    pbt_options options = {.error = &error};
    pbt_status status = pbt_unmarshal(type, copy, len, &options, pieces, &got);
    /* compat: protobuf-c ignores bits of a tag beyond the 32nd, and takes a
     * field number 0. */
    if (want && strstr(error.message, "no field has such a number")) {
        expect_status("a tag", status, PBT_ERR_MALFORMED);
        protobuf_c_message_free_unpacked(want, NULL);
    } else if (want) {
        if (status != PBT_OK)
            ck_abort_msg("%s: %s: %s: %s", expect_context_text(),
                         pbt_status_name(status), error.path, error.message);
        expect_same_message("message", got, want);
        expect_packed(got, want);
        protobuf_c_message_free_unpacked(want, NULL);
    } else {
        expect_true("a message or an error", (status == PBT_OK) == !!got);
    }
    pbt_arena_reset(pieces);
    arena_free(&a);
    return status;
}

/* What all tests of a seed share. */
typedef struct trial {
    arena memory;
    rng random;
    schema types;
    pbt_arena *pieces;
} trial;

static void set_field(const ProtobufCFieldDescriptor *field, size_t offset,
                      const void *bytes, size_t size) {
    memcpy((char *) (uintptr_t) field + offset, bytes, size);
}

/* Where protobuf-c goes wrong: protobuf_c_message_init writes the defaults of
 * a oneof's members over each other, and protobuf_c_message_unpack then frees
 * what is left of them; required fields with a default may be missing; and
 * a bool is taken from any wire type. */
static void keep_out_of_trouble(const schema *s, bool bools) {
    static const ProtobufCType other = PROTOBUF_C_TYPE_UINT32;
    size_t i;
    unsigned k;
    for (i = 0; i < s->n_types; i++)
        for (k = 0; k < s->types[i]->n_fields; k++) {
            const ProtobufCFieldDescriptor *f = &s->types[i]->fields[k];
            const void *none = NULL;
            if ((f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) ||
                f->label == PROTOBUF_C_LABEL_REQUIRED)
                set_field(f, offsetof(ProtobufCFieldDescriptor, default_value),
                          &none, sizeof none);
            if (!bools && f->type == PROTOBUF_C_TYPE_BOOL)
                set_field(f, offsetof(ProtobufCFieldDescriptor, type), &other,
                          sizeof other);
        }
}

static void trial_start(trial *t, uint64_t seed, bool bools) {
    schema_params params;
    *t = (trial){.random = {seed}, .pieces = pbt_arena_new(NULL, 0)};
    params = schema_random_params(&t->random);
    params.no_required = rng_chance(&t->random, 50);
    schema_random(&t->types, &t->memory, &t->random, &params);
    keep_out_of_trouble(&t->types, bools);
}

static void trial_end(trial *t) {
    size_t i;
    pbt_arena_free(t->pieces);
    for (i = 0; i < t->types.n_types; i++)
        pbt_forget(t->types.types[i]);
    arena_free(&t->memory);
}

static const ProtobufCMessageDescriptor *pick_type(trial *t) {
    return t->types.types[rng_below(&t->random, (uint32_t) t->types.n_types)];
}

/* A message on the wire. Its unknown fields, which are random bytes, are left
 * out. */
static pbt_buffer random_bytes(trial *t,
                               const ProtobufCMessageDescriptor *type) {
    message_params params = {.depth = rng_below(&t->random, 6),
                             .budget = 20 + rng_below(&t->random, 300),
                             .complete = rng_chance(&t->random, 60),
                             .long_arrays = rng_chance(&t->random, 20)};
    pbt_options options = {.flags = PBT_ALLOW_PARTIAL | PBT_DISCARD_UNKNOWN};
    pbt_buffer bytes = {0};
    expect_status(
        "marshal",
        pbt_marshal(message_random(&t->memory, &t->random, &params, type),
                    &options, &bytes),
        PBT_OK);
    return bytes;
}

START_TEST(random_messages) {
    trial t;
    int i;
    trial_start(&t, (uint64_t) _i, true);
    for (i = 0; i < N_PER_SCHEMA; i++) {
        const ProtobufCMessageDescriptor *type = pick_type(&t);
        pbt_buffer bytes = random_bytes(&t, type);
        pbt_status status;
        expect_context("seed %d, message %d", _i, i);
        status = compare(t.pieces, type, bytes.data, bytes.len);
        if (status != PBT_OK)
            expect_status("a message", status, PBT_ERR_REQUIRED);
        pbt_buffer_free(&bytes);
    }
    trial_end(&t);
}
END_TEST

/* Bytes of another type: unknown fields, other wire types. */
START_TEST(messages_of_other_types) {
    trial t;
    int i;
    trial_start(&t, 10000 + (uint64_t) _i, false);
    for (i = 0; i < N_PER_SCHEMA; i++) {
        pbt_buffer bytes = random_bytes(&t, pick_type(&t));
        expect_context("seed %d, message %d", _i, i);
        compare(t.pieces, pick_type(&t), bytes.data, bytes.len);
        pbt_buffer_free(&bytes);
    }
    trial_end(&t);
}
END_TEST

static void damage(rng *r, uint8_t *bytes, size_t *len) {
    uint32_t n = 1 + rng_below(r, 4);
    while (n-- > 0 && *len > 0) {
        size_t at = rng_below(r, (uint32_t) *len);
        if (rng_chance(r, 20))
            *len = at;
        else if (rng_chance(r, 50))
            bytes[at] = (uint8_t) rng_next(r);
        else
            bytes[at] ^= (uint8_t) (1u << rng_below(r, 8));
    }
}

START_TEST(damaged_messages) {
    trial t;
    int i;
    trial_start(&t, 20000 + (uint64_t) _i, false);
    for (i = 0; i < N_PER_SCHEMA * 4; i++) {
        const ProtobufCMessageDescriptor *type = pick_type(&t);
        pbt_buffer bytes = random_bytes(&t, type);
        size_t len = bytes.len;
        expect_context("seed %d, message %d", _i, i);
        damage(&t.random, bytes.data, &len);
        compare(t.pieces, type, bytes.data, len);
        pbt_buffer_free(&bytes);
    }
    trial_end(&t);
}
END_TEST

enum { MAX_NUMBERS = 100, MAX_VARINT = 10, ANY_SIZE = 0 };

/* A varint of that many bytes, which may be more than its value needs. */
static uint8_t *put_number(uint8_t *p, rng *r, unsigned size) {
    unsigned i;
    for (i = 0; i < size; i++)
        p[i] = (uint8_t) (rng_next(r) | 0x80);
    p[size - 1] &= size == MAX_VARINT ? 0x01 : 0x7f;
    if (rng_chance(r, 10))
        p[size - 1] = 0;
    return p + size;
}

/* Most are small, as most are everywhere. */
static unsigned number_size(rng *r, unsigned size) {
    if (size != ANY_SIZE)
        return size;
    return rng_chance(r, 90) ? 1 + rng_below(r, 4) : 1 + rng_below(r, 10);
}

static void compare_numbers(pbt_arena *pieces, rng *r,
                            const ProtobufCMessageDescriptor *type, size_t n,
                            unsigned size) {
    uint8_t bytes[16 + MAX_NUMBERS * MAX_VARINT], *start = bytes + 3;
    uint8_t *p = start;
    size_t i, len;
    for (i = 0; i < n; i++)
        p = put_number(p, r, number_size(r, size));
    len = (size_t) (p - start);
    bytes[0] = 1 << 3 | PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED;
    bytes[1] = (uint8_t) (len | 0x80);
    bytes[2] = (uint8_t) (len >> 7);
    expect_context("%zu numbers of %u bytes", n, size);
    expect_status("packed", compare(pieces, type, bytes, (size_t) (p - bytes)),
                  PBT_OK);
}

static const int varint_types[] = {
    PROTOBUF_C_TYPE_INT32,  PROTOBUF_C_TYPE_SINT32, PROTOBUF_C_TYPE_INT64,
    PROTOBUF_C_TYPE_SINT64, PROTOBUF_C_TYPE_UINT32, PROTOBUF_C_TYPE_UINT64,
    PROTOBUF_C_TYPE_BOOL,   PROTOBUF_C_TYPE_ENUM,
};

/* Varints of all sizes, and of sizes mixed, so many that whole vectors of them
 * are read, and each count of them up to that. */
START_TEST(packed_numbers) {
    schema_field field = {.number = 1,
                          .type = (ProtobufCType) varint_types[_i],
                          .label = PROTOBUF_C_LABEL_REPEATED,
                          .flags = PROTOBUF_C_FIELD_FLAG_PACKED,
                          .type_of = &schema_enum};
    rng r = {30000 + (uint64_t) _i};
    arena a = {0};
    pbt_arena *pieces = pbt_arena_new(NULL, 0);
    const ProtobufCMessageDescriptor *type =
        schema_make(&a, "test.Packed", &field, 1);
    unsigned size;
    size_t n;
    for (size = ANY_SIZE; size <= MAX_VARINT; size++)
        for (n = 0; n <= MAX_NUMBERS; n++)
            compare_numbers(pieces, &r, type, n, size);
    for (n = 0; n < 2000; n++)
        compare_numbers(pieces, &r, type, MAX_NUMBERS, ANY_SIZE);
    pbt_forget(type);
    pbt_arena_free(pieces);
    arena_free(&a);
}
END_TEST

Suite *unmarshal_suite(void) {
    Suite *suite = suite_create("unmarshal");
    TCase *tc = tcase_create("unmarshal");
    suite_add_tcase(suite, tc);
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, random_messages, 0, N_SEEDS);
    tcase_add_loop_test(tc, messages_of_other_types, 0, N_SEEDS);
    tcase_add_loop_test(tc, damaged_messages, 0, N_SEEDS);
    tcase_add_loop_test(tc, packed_numbers, 0,
                        sizeof varint_types / sizeof *varint_types);
    return suite;
}
