/* fuzz_write.c - bytes that grow, and the pieces of the wire format. */
#include "fuzz_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void make_room(fuzz_bytes *bytes, size_t len) {
    size_t capacity = bytes->capacity;
    if (len <= bytes->capacity - bytes->len)
        return;
    while (capacity - bytes->len < len)
        capacity = capacity ? 2 * capacity : 256;
    bytes->data = realloc(bytes->data, capacity);
    if (!bytes->data) {
        fputs("fuzz: no memory\n", stderr);
        exit(2);
    }
    bytes->capacity = capacity;
}

void fuzz_insert(fuzz_bytes *bytes, size_t at, const void *data, size_t len) {
    if (!len)
        return;
    make_room(bytes, len);
    memmove(bytes->data + at + len, bytes->data + at, bytes->len - at);
    memcpy(bytes->data + at, data, len);
    bytes->len += len;
}

void fuzz_append(fuzz_bytes *bytes, const void *data, size_t len) {
    fuzz_insert(bytes, bytes->len, data, len);
}

void fuzz_remove(fuzz_bytes *bytes, size_t at, size_t len) {
    if (!len)
        return;
    memmove(bytes->data + at, bytes->data + at + len, bytes->len - at - len);
    bytes->len -= len;
}

void fuzz_append_fixed(fuzz_bytes *bytes, uint64_t value, size_t len) {
    uint8_t raw[8];
    size_t i;
    for (i = 0; i < len; i++)
        raw[i] = (uint8_t) (value >> (8 * i));
    fuzz_append(bytes, raw, len);
}

static size_t encode_varint(uint8_t raw[10], uint64_t value, uint32_t extra) {
    size_t n = 0;
    while (n < 9 && (value > 0x7f || extra)) {
        if (value <= 0x7f)
            extra--;
        raw[n++] = (uint8_t) (value | 0x80);
        value >>= 7;
    }
    raw[n++] = (uint8_t) (value & 0x7f);
    return n;
}

void fuzz_append_varint(fuzz_bytes *bytes, uint64_t value, uint32_t extra) {
    uint8_t raw[10];
    fuzz_append(bytes, raw, encode_varint(raw, value, extra));
}

void fuzz_insert_length(fuzz_bytes *bytes, size_t at) {
    uint8_t raw[10];
    fuzz_insert(bytes, at, raw, encode_varint(raw, bytes->len - at, 0));
}

static int hex_digit(char c) {
    static const char digits[] = "0123456789abcdef";
    const char *found = c ? strchr(digits, c) : NULL;
    return found ? (int) (found - digits) : -1;
}

bool fuzz_append_hex(fuzz_bytes *bytes, const char *text) {
    for (; *text; text++) {
        int high = hex_digit(text[0]);
        int low = high < 0 ? -1 : hex_digit(text[1]);
        unsigned long times = 1;
        uint8_t byte;
        if (*text == ' ')
            continue;
        if (low < 0)
            return false;
        byte = (uint8_t) (high << 4 | low);
        text++;
        if (text[1] == '*') {
            char *end;
            times = strtoul(text + 2, &end, 10);
            text = end - 1;
        }
        while (times--)
            fuzz_append(bytes, &byte, 1);
    }
    return true;
}

void fuzz_free(fuzz_bytes *bytes) {
    free(bytes->data);
    *bytes = (fuzz_bytes){0};
}
