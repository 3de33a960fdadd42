/* dropin_same.c - see dropin_same.h. It also takes the place of the roads of
 * the other suites, which so become tests of the drop-in library: what those
 * suites say the library should give is what the original gives. */
#include "dropin_same.h"

#include <stdint.h>
#include <string.h>

#include "shim.h"
#include "support_expect.h"
#include "support_output.h"
#include "support_road.h"

enum { GUARD = 0xa5, N_GUARD = 64 };

static bool admit(const ProtobufCMessageDescriptor *type) {
    return type != NULL;
}

static const void *find_none(const ProtobufCMessageDescriptor *type) {
    (void) type;
    return NULL;
}

/* Takes all memory for what nobody writes to. */
static const pbti_guard any_type = {admit, admit, find_none, NULL};

void dropin_use(dropin_mode mode) {
    static const pbti_guard *usual;
    pbti_shim_start();
    if (!usual)
        usual = pbti_registry_guard(&any_type);
    (void) pbti_registry_guard(mode == DROPIN_TABLES ? &any_type : usual);
    if (mode == DROPIN_TABLES) {
        /* all memory is the main program's */
        atomic_store(&pbti_shim.main_start, 0);
        atomic_store(&pbti_shim.main_size, SIZE_MAX);
    }
    if (mode == DROPIN_OFF) {
        atomic_store(&pbti_shim.main_size, 0);
        atomic_store(&pbti_shim.mode, PBTI_SHIM_OFF);
    }
}

static void append(ProtobufCBuffer *base, size_t len, const uint8_t *data) {
    dropin_buffer *b = (dropin_buffer *) base;
    b->n_calls++;
    expect_true("append gets bytes", data != NULL && len > 0);
    expect_true("append does not get too many", len <= b->capacity - b->len);
    if (data)
        memcpy(b->bytes + b->len, data, len);
    b->len += len;
}

void dropin_buffer_init(dropin_buffer *b, arena *a, size_t capacity) {
    memset(b, 0, sizeof *b);
    b->base.append = append;
    b->bytes = arena_alloc(a, capacity + 1);
    b->capacity = capacity;
}

static void expect_guard(const uint8_t *guard) {
    size_t i;
    for (i = 0; i < N_GUARD; i++)
        expect_true("pack keeps to its place", guard[i] == GUARD);
}

static void expect_packed(arena *a, const ProtobufCMessage *message,
                          const packed *want) {
    uint8_t *block = arena_alloc(a, want->len + 2 * N_GUARD);
    memset(block, GUARD, want->len + 2 * N_GUARD);
    expect_number("pack", dropin_pack(message, block + N_GUARD), want->len);
    expect_bytes("pack", block + N_GUARD, want->len, want->bytes, want->len);
    expect_guard(block);
    expect_guard(block + N_GUARD + want->len);
}

void dropin_expect_same(const ProtobufCMessage *message, dropin_mode mode) {
    arena a = {0};
    packed want = packed_by_protobuf_c(&a, message);
    dropin_buffer buffer;
    dropin_use(mode);
    expect_number("size", dropin_size(message), want.len);
    expect_packed(&a, message, &want);
    dropin_buffer_init(&buffer, &a, want.len);
    expect_number("pack_to_buffer",
                  dropin_pack_to_buffer(message, &buffer.base), want.len);
    expect_bytes("pack_to_buffer", buffer.bytes, buffer.len, want.bytes,
                 want.len);
    expect_number("check", (uint64_t) dropin_check(message),
                  (uint64_t) protobuf_c_message_check(message));
    arena_free(&a);
    dropin_use(DROPIN_TABLES); /* for the suites' own calls */
}

void dropin_expect_all(const ProtobufCMessage *message) {
    dropin_expect_same(message, DROPIN_TABLES);
    dropin_expect_same(message, DROPIN_USUAL);
    dropin_expect_same(message, DROPIN_OFF);
}

/* The linker leads the calls of the suites here (--wrap). */
void __wrap_roads_expect(const ProtobufCMessage *message, uint32_t flags,
                         const void *bytes, size_t len);
void __wrap_roads_expect_error(const ProtobufCMessage *message, uint32_t flags,
                               pbt_status status, const char *path,
                               uint32_t number);
pbt_status __wrap_roads_compare(const ProtobufCMessage *message,
                                uint32_t flags);

void __wrap_roads_expect(const ProtobufCMessage *message, uint32_t flags,
                         const void *bytes, size_t len) {
    (void) bytes;
    (void) len;
    if (!(flags & ~PBT_ALLOW_PARTIAL))
        dropin_expect_all(message);
}

void __wrap_roads_expect_error(const ProtobufCMessage *message, uint32_t flags,
                               pbt_status status, const char *path,
                               uint32_t number) {
    (void) flags;
    (void) path;
    (void) number;
    if (status == PBT_ERR_REQUIRED)
        dropin_expect_all(message);
}

/* The answer is what the suite then asks for. */
pbt_status __wrap_roads_compare(const ProtobufCMessage *message,
                                uint32_t flags) {
    pbt_options options = {.flags = flags};
    pbt_buffer buffer = {0};
    pbt_status status = pbt_marshal(message, &options, &buffer);
    pbt_buffer_free(&buffer);
    return status;
}
