/* dropin_unpack.c - see dropin_unpack.h. */
#include "dropin_unpack.h"

#include <string.h>

#include "support_expect.h"
#include "support_memory.h"
#include "support_output.h"
#include "support_same.h"

typedef ProtobufCMessage *unpack_call(const ProtobufCMessageDescriptor *,
                                      ProtobufCAllocator *, size_t,
                                      const uint8_t *);
typedef void free_call(ProtobufCMessage *, ProtobufCAllocator *);

/* What one library makes of the bytes. */
typedef struct made {
    meter memory;
    ProtobufCMessage *message;
} made;

static void make(made *m, unpack_call *unpack,
                 const ProtobufCMessageDescriptor *type, const uint8_t *data,
                 size_t len) {
    meter_init(&m->memory);
    m->message = unpack(type, &m->memory.allocator, len, data);
    if (!m->message)
        expect_number("left over by a failure", (uint64_t) m->memory.n_live, 0);
}

static void unmake(made *m, free_call *call) {
    call(m->message, &m->memory.allocator);
    expect_number("left over", (uint64_t) m->memory.n_live, 0);
}

static void expect_same_bytes(const made *got, const made *want) {
    arena a = {0};
    packed g = packed_by_protobuf_c(&a, got->message);
    packed w = packed_by_protobuf_c(&a, want->message);
    expect_bytes("packed again", g.bytes, g.len, w.bytes, w.len);
    arena_free(&a);
}

static bool compare(const ProtobufCMessageDescriptor *type, const uint8_t *data,
                    size_t len, free_call *free_got, free_call *free_want) {
    made got, want;
    bool accepted;
    make(&want, protobuf_c_message_unpack, type, data, len);
    make(&got, dropin_unpack, type, data, len);
    accepted = want.message != NULL;
    expect_number("accepted", got.message != NULL, accepted);
    if (!accepted)
        return false;
    expect_same_message("unpacked", got.message, want.message);
    expect_same_bytes(&got, &want);
    unmake(&got, free_got);
    unmake(&want, free_want);
    return true;
}

bool dropin_expect_unpack(const ProtobufCMessageDescriptor *type,
                          const void *data, size_t len, dropin_mode mode) {
    arena a = {0};
    /* a copy that ends where its block ends */
    const uint8_t *bytes = len > 0 ? arena_copy(&a, data, len) : NULL;
    ProtobufCMessage *message;
    bool accepted;
    dropin_use(mode);
    accepted = compare(type, bytes, len, dropin_free_unpacked,
                       protobuf_c_message_free_unpacked);
    if (accepted) {
        compare(type, bytes, len, protobuf_c_message_free_unpacked,
                dropin_free_unpacked);
        message = dropin_unpack(type, NULL, len, bytes);
        ck_assert_ptr_nonnull(message);
        dropin_free_unpacked(message, NULL);
    }
    arena_free(&a);
    dropin_use(DROPIN_TABLES);
    return accepted;
}

bool dropin_expect_unpack_all(const ProtobufCMessageDescriptor *type,
                              const void *data, size_t len) {
    bool accepted = dropin_expect_unpack(type, data, len, DROPIN_TABLES);
    dropin_expect_unpack(type, data, len, DROPIN_USUAL);
    dropin_expect_unpack(type, data, len, DROPIN_OFF);
    return accepted;
}

/* Each allocation of the caller's allocator fails, alone or with all others
 * after it. */
static void fail_allocator(const made *want,
                           const ProtobufCMessageDescriptor *type,
                           const uint8_t *data, size_t len, int fail_after) {
    made got = {.message = NULL};
    long n;
    for (n = 0; !got.message; n++) {
        meter_init(&got.memory);
        got.memory.fail_at = n;
        got.memory.fail_after = fail_after;
        expect_context("allocation %ld of the allocator", n);
        got.message = dropin_unpack(type, &got.memory.allocator, len, data);
        expect_number("a failure that was met is one", got.message == NULL,
                      got.memory.n_calls > n);
        if (!got.message)
            expect_number("left over", (uint64_t) got.memory.n_live, 0);
    }
    expect_true("some allocation is needed", n > 1);
    expect_same_message("unpacked", got.message, want->message);
    unmake(&got, dropin_free_unpacked);
}

/* Memory for tables is from malloc. */
static void fail_tables(const made *want,
                        const ProtobufCMessageDescriptor *type,
                        const uint8_t *data, size_t len) {
    made got;
    long n, calls = 1;
    for (n = 0; n < calls; n++) {
        pbt_forget(type);
        expect_context("allocation %ld of tables", n);
        meter_init(&got.memory);
        malloc_fail_at(n);
        got.message = dropin_unpack(type, &got.memory.allocator, len, data);
        calls = malloc_calls();
        malloc_fail_at(-1);
        ck_assert_ptr_nonnull(got.message);
        expect_same_message("unpacked", got.message, want->message);
        unmake(&got, dropin_free_unpacked);
    }
    pbt_forget(type);
}

void dropin_expect_little_memory(const ProtobufCMessageDescriptor *type,
                                 const void *data, size_t len) {
    made want;
    dropin_mode mode;
    make(&want, protobuf_c_message_unpack, type, data, len);
    ck_assert_ptr_nonnull(want.message);
    for (mode = DROPIN_TABLES; mode < DROPIN_N_MODES; mode++) {
        dropin_use(mode);
        fail_allocator(&want, type, data, len, 0);
        fail_allocator(&want, type, data, len, 1);
        fail_tables(&want, type, data, len);
    }
    dropin_use(DROPIN_TABLES);
    unmake(&want, protobuf_c_message_free_unpacked);
}

void dropin_tame_type(const ProtobufCMessageDescriptor *type) {
    unsigned i;
    for (i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        const void *none = NULL;
        if (field->type == PROTOBUF_C_TYPE_MESSAGE ||
            (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF))
            memcpy((char *) (uintptr_t) &field->default_value, &none,
                   sizeof none);
    }
}
