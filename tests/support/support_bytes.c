/* support_bytes.c - see support_bytes.h. */
#include "support_bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support_expect.h"
#include "support_schema.h"

enum { MAX_BYTES = 4096, PADDING = 64 };

packed bytes_of(arena *a, const char *hex) {
    uint8_t bytes[MAX_BYTES];
    size_t n = 0;
    while (*hex) {
        char digits[3] = {hex[0], hex[1], '\0'};
        long repeat = 1;
        if (*hex == ' ') {
            hex++;
            continue;
        }
        hex += 2;
        if (*hex == '*') {
            char *end;
            repeat = strtol(hex + 1, &end, 10);
            hex = end;
        }
        for (; repeat > 0 && n < sizeof bytes; repeat--)
            bytes[n++] = (uint8_t) strtoul(digits, NULL, 16);
    }
    return (packed){arena_copy(a, bytes, n), n};
}

void bytes_expect(const ProtobufCMessageDescriptor *type, uint32_t flags,
                  const char *input, const char *want) {
    arena a = {0};
    pbt_arena *pieces = pbt_arena_new(NULL, 0);
    pbt_error error = {0};
    pbt_options options = {.flags = flags | PBT_ALLOW_PARTIAL, .error = &error};
    packed in = bytes_of(&a, input);
    packed wanted = bytes_of(&a, want), got;
    ProtobufCMessage *message = NULL;
    expect_context("input %s", input);
    if (pbt_unmarshal(type, in.bytes, in.len, &options, pieces, &message) !=
        PBT_OK)
        ck_abort_msg("%s: %s: %s", input, error.path, error.message);
    got = packed_by_protobuf_c(&a, message);
    expect_bytes("packed again", got.bytes, got.len, wanted.bytes, wanted.len);
    pbt_arena_free(pieces);
    arena_free(&a);
}

static void expect_refused(const ProtobufCMessageDescriptor *type,
                           uint32_t flags, packed in, pbt_status status,
                           const char *path, int offset) {
    pbt_arena *pieces = pbt_arena_new(NULL, 0);
    pbt_error error = {0};
    pbt_options options = {.flags = flags, .error = &error};
    ProtobufCMessage *message = (ProtobufCMessage *) (void *) &error;
    char start[32];
    expect_status(
        "refused",
        pbt_unmarshal(type, in.bytes, in.len, &options, pieces, &message),
        status);
    expect_true("no message", message == NULL);
    expect_status("report", error.status, status);
    expect_text("path", error.path, path);
    if (offset >= 0) {
        snprintf(start, sizeof start, "byte %d: ", offset);
        error.message[strlen(start)] = '\0';
        expect_text("place", error.message, start);
    }
    pbt_arena_free(pieces);
}

/* The input as field 1 of a message, with padding behind it. */
static packed wrap(arena *a, packed in) {
    uint8_t bytes[MAX_BYTES + PADDING + 8] = {0x0a, (uint8_t) in.len};
    size_t n = 2;
    expect_true("a short input", in.len < 128);
    memcpy(bytes + n, in.bytes, in.len);
    n += in.len;
    bytes[n++] = 0x12;
    bytes[n++] = PADDING;
    n += PADDING;
    return (packed){arena_copy(a, bytes, n), n};
}

void bytes_expect_error(const ProtobufCMessageDescriptor *type, uint32_t flags,
                        const char *input, pbt_status status, const char *path,
                        int offset) {
    arena a = {0};
    packed in = bytes_of(&a, input);
    const schema_field fields[] = {{.number = 1,
                                    .type = PROTOBUF_C_TYPE_MESSAGE,
                                    .label = PROTOBUF_C_LABEL_OPTIONAL,
                                    .type_of = type,
                                    .name = "inner"},
                                   {.number = 2,
                                    .type = PROTOBUF_C_TYPE_BYTES,
                                    .label = PROTOBUF_C_LABEL_OPTIONAL}};
    ProtobufCMessageDescriptor *outer = schema_make(&a, "Outer", fields, 2);
    expect_context("input %s", input);
    expect_refused(type, flags, in, status, path, offset);
    expect_context("input %s, wrapped", input);
    expect_refused(outer, flags, wrap(&a, in), status,
                   arena_format(&a, *path ? "inner.%s" : "inner", path),
                   offset < 0 ? offset : offset + 2);
    pbt_forget(type);
    pbt_forget(outer);
    arena_free(&a);
}
