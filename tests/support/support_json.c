/* support_json.c - see support_json.h. */
#include "support_json.h"

#include <stdlib.h>
#include <string.h>

#include "support_arena.h"
#include "support_expect.h"
#include "support_output.h"

enum { N_GUARD = 40, GUARD = 0xa5 };

static void expect_guard(const char *what, const uint8_t *bytes) {
    size_t i;
    for (i = 0; i < N_GUARD; i++)
        expect_true(what, bytes[i] == GUARD);
}

/* Into a place of cap bytes. */
static void try_into(const ProtobufCMessage *message,
                     const pbt_json_options *options, const char *text,
                     size_t cap) {
    size_t want = strlen(text), len = SIZE_MAX;
    uint8_t *block = malloc(cap + 2 * N_GUARD);
    uint8_t *out = block + N_GUARD;
    pbt_status status;
    memset(block, GUARD, cap + 2 * N_GUARD);
    status = pbt_marshal_json_into(message, options, out, cap, &len);
    expect_status("into", status, cap < want ? PBT_ERR_NO_SPACE : PBT_OK);
    expect_number("length", len, want);
    if (status == PBT_OK)
        expect_bytes("into", out, len, text, want);
    if (cap > want)
        expect_number("NUL", out[want], 0);
    expect_guard("before the output", block);
    expect_guard("after the output", out + cap);
    free(block);
}

static void try_buffers(const ProtobufCMessage *message,
                        const pbt_json_options *options, const char *text) {
    pbt_buffer buffer = {0};
    size_t len = strlen(text);
    int i;
    for (i = 0; i < 2; i++) {
        expect_status("json", pbt_marshal_json(message, options, &buffer),
                      PBT_OK);
        expect_bytes("json", buffer.data, buffer.len, text, len);
    }
    expect_status("append", pbt_marshal_json_append(message, options, &buffer),
                  PBT_OK);
    expect_number("appended", buffer.len, 2 * len);
    expect_bytes("first", buffer.data, len, text, len);
    expect_bytes("second", buffer.data + len, len, text, len);
    pbt_buffer_free(&buffer);
}

static void try_sink(const ProtobufCMessage *message,
                     const pbt_json_options *options, const char *text) {
    arena a = {0};
    collector c;
    collector_init(&c, &a, strlen(text));
    expect_status("sink", pbt_marshal_json_to_sink(message, options, &c.sink),
                  PBT_OK);
    expect_bytes("sink", c.bytes, c.len, text, strlen(text));
    arena_free(&a);
}

pbt_status json_compare(const void *message, const pbt_json_options *options) {
    pbt_json_options fast = *options, slow = *options;
    pbt_error fast_error = {0}, slow_error = {0};
    pbt_buffer got = {0}, want = {0};
    pbt_status status;
    fast.error = &fast_error;
    slow.error = &slow_error;
    status = pbt_marshal_json(message, &fast, &got);
    expect_status("by reflection",
                  pbt_reflect_marshal_json(&pbt_reflection_protobuf_c, message,
                                           &slow, &want),
                  status);
    if (status == PBT_OK)
        expect_bytes("both roads", got.data, got.len, want.data, want.len);
    else if (status != PBT_ERR_TOO_LARGE)
        expect_same_error("both roads", &fast_error, &slow_error);
    if (status != PBT_OK)
        expect_true("nothing is left", !want.data && want.len == 0);
    pbt_buffer_free(&got);
    pbt_buffer_free(&want);
    return status;
}

void json_expect_with(const void *message, const pbt_json_options *options,
                      const char *text) {
    size_t len = strlen(text);
    size_t cap;
    pbt_error error = {0};
    pbt_json_options with_error = {0};
    pbt_buffer buffer = {0};
    if (options)
        with_error = *options;
    with_error.error = &error;
    if (pbt_marshal_json(message, &with_error, &buffer) != PBT_OK)
        ck_abort_msg("%s: %s, %s at %s instead of %s", expect_context_text(),
                     pbt_status_name(error.status), error.message, error.path,
                     text);
    if (buffer.len != len || memcmp(buffer.data, text, len) != 0)
        ck_abort_msg("%s: got %.*s instead of %s", expect_context_text(),
                     (int) buffer.len, (const char *) buffer.data, text);
    pbt_buffer_free(&buffer);
    (void) json_compare(message, &with_error);
    try_buffers(message, options, text);
    try_sink(message, options, text);
    for (cap = 0; cap <= len + 2; cap += len > 500 ? 97 : 1)
        try_into(message, options, text, cap);
    try_into(message, options, text, len);
    try_into(message, options, text, len + 1000);
}

void json_expect(const void *message, uint32_t flags, const char *text) {
    pbt_json_options options = {0};
    options.flags = flags;
    json_expect_with(message, &options, text);
}

static void expect_failure(const pbt_error *error, pbt_status got,
                           pbt_status status, const char *path) {
    expect_status("status", got, status);
    expect_status("reported status", error->status, status);
    expect_text("path", error->path, path);
    expect_true("a sentence", error->message[0] != '\0');
}

void json_expect_error_with(const void *message,
                            const pbt_json_options *options, pbt_status status,
                            const char *path) {
    pbt_error error = {0};
    pbt_json_options o = *options;
    pbt_buffer buffer = {0};
    size_t len = 1;
    char out[600];
    arena a = {0};
    collector c;
    (void) json_compare(message, options);
    o.error = &error;
    expect_failure(&error, pbt_marshal_json(message, &o, &buffer), status,
                   path);
    expect_number("length", buffer.len, 0);
    expect_true("no data", !buffer.data);
    pbt_buffer_free(&buffer);
    expect_failure(&error,
                   pbt_marshal_json_into(message, &o, out, sizeof out, &len),
                   status, path);
    expect_number("length", len, 0);
    collector_init(&c, &a, 1000);
    expect_failure(&error, pbt_marshal_json_to_sink(message, &o, &c.sink),
                   status, path);
    expect_number("written", c.len, 0);
    arena_free(&a);
    o.error = NULL;
    expect_status("without report", pbt_marshal_json(message, &o, &buffer),
                  status);
    pbt_buffer_free(&buffer);
}

void json_expect_error(const void *message, uint32_t flags, pbt_status status,
                       const char *path) {
    pbt_json_options options = {0};
    options.flags = flags;
    json_expect_error_with(message, &options, status, path);
}
