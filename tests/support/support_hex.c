/* support_hex.c - see support_hex.h. */
#include "support_hex.h"

#include <stdlib.h>
#include <string.h>

#include "support_expect.h"
#include "support_output.h"

size_t hex_parse(const char *hex, uint8_t bytes[HEX_MAX]) {
    size_t n = 0;
    while (*hex) {
        char digits[3] = {hex[0], hex[1]}, *end;
        unsigned long byte = strtoul(digits, &end, 16), count = 1;
        ck_assert_msg(end == digits + 2, "bad hex: %s", hex);
        hex += 2;
        if (*hex == '*') {
            count = strtoul(hex + 1, &end, 10);
            hex = end;
        }
        ck_assert_uint_le(n + count, HEX_MAX);
        memset(bytes + n, (int) byte, count);
        n += count;
        hex += strspn(hex, " ");
    }
    return n;
}

void hex_expect(const void *message, uint32_t flags, const char *hex) {
    uint8_t bytes[HEX_MAX];
    size_t len = hex_parse(hex, bytes);
    expect_context("expected %.100s", hex);
    roads_expect(message, flags, bytes, len);
}

void hex_expect_same(const void *message, const char *hex) {
    uint8_t bytes[HEX_MAX];
    size_t len = hex_parse(hex, bytes);
    arena a = {0};
    packed by_protobuf_c = packed_by_protobuf_c(&a, message);
    expect_context("expected %.100s", hex);
    expect_bytes("protobuf-c", by_protobuf_c.bytes, by_protobuf_c.len, bytes,
                 len);
    arena_free(&a);
    roads_expect(message, PBT_ALLOW_PARTIAL, bytes, len);
}
