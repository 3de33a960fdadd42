/* bench_wire.c - the writer and the reader of the generators.
 *
 * Plain on purpose: speed does not matter here, being independent of the
 * libraries that are measured does.
 */
#include "bench_wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *require_memory(void *block) {
    if (block == NULL) {
        fputs("pbturbo-bench: out of memory\n", stderr);
        exit(1);
    }
    return block;
}

void *bench_alloc(size_t n, size_t size) {
    return require_memory(calloc(n == 0 ? 1 : n, size));
}

void *bench_grow(void *block, size_t n, size_t size) {
    return require_memory(realloc(block, n * size));
}

static void reserve(wire_writer *out, size_t n) {
    if (out->capacity - out->len >= n)
        return;
    out->capacity = (out->len + n) * 2;
    out->data = bench_grow(out->data, out->capacity, 1);
}

void wire_put_raw(wire_writer *out, const void *data, size_t len) {
    reserve(out, len);
    if (len > 0)
        memcpy(out->data + out->len, data, len);
    out->len += len;
}

static size_t encode_varint(uint8_t bytes[10], uint64_t value) {
    size_t n = 0;
    while (value >= 0x80) {
        bytes[n++] = (uint8_t) (value | 0x80);
        value >>= 7;
    }
    bytes[n++] = (uint8_t) value;
    return n;
}

void wire_put_varint(wire_writer *out, uint64_t value) {
    uint8_t bytes[10];
    wire_put_raw(out, bytes, encode_varint(bytes, value));
}

static void put_tag(wire_writer *out, uint32_t field, enum wire_type type) {
    wire_put_varint(out, (uint64_t) field << 3 | (uint64_t) type);
}

static void put_little_endian(wire_writer *out, uint64_t value, unsigned n) {
    uint8_t bytes[8];
    for (unsigned i = 0; i < n; i++)
        bytes[i] = (uint8_t) (value >> (8 * i));
    wire_put_raw(out, bytes, n);
}

void wire_put_fixed64(wire_writer *out, uint64_t value) {
    put_little_endian(out, value, 8);
}

void wire_put_double(wire_writer *out, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    wire_put_fixed64(out, bits);
}

void wire_varint(wire_writer *out, uint32_t field, uint64_t value) {
    put_tag(out, field, WIRE_VARINT);
    wire_put_varint(out, value);
}

void wire_sint(wire_writer *out, uint32_t field, int64_t value) {
    wire_varint(out, field, wire_zigzag(value));
}

void wire_fixed32(wire_writer *out, uint32_t field, uint32_t value) {
    put_tag(out, field, WIRE_FIXED32);
    put_little_endian(out, value, 4);
}

void wire_fixed64(wire_writer *out, uint32_t field, uint64_t value) {
    put_tag(out, field, WIRE_FIXED64);
    wire_put_fixed64(out, value);
}

void wire_double(wire_writer *out, uint32_t field, double value) {
    put_tag(out, field, WIRE_FIXED64);
    wire_put_double(out, value);
}

static void put_length_delimited(wire_writer *out, uint32_t field,
                                 const void *data, size_t len) {
    put_tag(out, field, WIRE_LENGTH);
    wire_put_varint(out, len);
    wire_put_raw(out, data, len);
}

void wire_string(wire_writer *out, uint32_t field, const char *text) {
    put_length_delimited(out, field, text, strlen(text));
}

void wire_random_text(wire_writer *out, uint32_t field, bench_random *random,
                      size_t min_len, size_t max_len) {
    size_t len = (size_t) random_between(random, min_len, max_len);
    put_tag(out, field, WIRE_LENGTH);
    wire_put_varint(out, len);
    reserve(out, len);
    while (len > 0) {
        uint64_t r = random_u64(random);
        bool wide = len >= 2 && r % 50 == 0;
        if (wide)
            out->data[out->len++] = 0xc3;
        out->data[out->len++] =
            (uint8_t) (wide ? 0xa0 + (r >> 8) % 23 : 'a' + (r >> 8) % 26);
        len -= wide ? 2 : 1;
    }
}

void wire_random_bytes(wire_writer *out, uint32_t field, bench_random *random,
                       size_t len) {
    put_tag(out, field, WIRE_LENGTH);
    wire_put_varint(out, len);
    reserve(out, len);
    for (size_t i = 0; i < len; i += 8) {
        uint64_t r = random_u64(random);
        memcpy(out->data + out->len + i, &r, len - i < 8 ? len - i : 8);
    }
    out->len += len;
}

size_t wire_open(wire_writer *out, uint32_t field) {
    put_tag(out, field, WIRE_LENGTH);
    return out->len;
}

void wire_close(wire_writer *out, size_t mark) {
    uint8_t bytes[10];
    size_t len = out->len - mark;
    size_t n = encode_varint(bytes, len);
    reserve(out, n);
    memmove(out->data + mark + n, out->data + mark, len);
    memcpy(out->data + mark, bytes, n);
    out->len += n;
}

void wire_group(wire_writer *out, uint32_t field) {
    put_tag(out, field, WIRE_GROUP);
}

void wire_group_end(wire_writer *out, uint32_t field) {
    put_tag(out, field, WIRE_GROUP_END);
}

bool wire_read_varint(wire_reader *in, uint64_t *value) {
    *value = 0;
    for (unsigned shift = 0; shift < 64 && in->at < in->end; shift += 7) {
        uint8_t byte = *in->at++;
        *value |= (uint64_t) (byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    in->failed = true;
    return false;
}

static bool read_little_endian(wire_reader *in, unsigned n, uint64_t *value) {
    if ((size_t) (in->end - in->at) < n) {
        in->failed = true;
        return false;
    }
    *value = 0;
    for (unsigned i = 0; i < n; i++)
        *value |= (uint64_t) *in->at++ << (8 * i);
    return true;
}

static bool read_length_delimited(wire_reader *in, wire_field *field) {
    uint64_t len;
    if (!wire_read_varint(in, &len))
        return false;
    if (len > (size_t) (in->end - in->at)) {
        in->failed = true;
        return false;
    }
    field->data = in->at;
    field->len = (size_t) len;
    in->at += len;
    return true;
}

bool wire_read_field(wire_reader *in, wire_field *field) {
    uint64_t tag;
    if (in->at >= in->end || !wire_read_varint(in, &tag))
        return false;
    field->number = (uint32_t) (tag >> 3);
    field->data = in->at;
    field->len = 0;
    switch (tag & 7) {
    case WIRE_VARINT:
        field->type = WIRE_VARINT;
        return wire_read_varint(in, &field->value);
    case WIRE_FIXED64:
        field->type = WIRE_FIXED64;
        return read_little_endian(in, 8, &field->value);
    case WIRE_LENGTH:
        field->type = WIRE_LENGTH;
        return read_length_delimited(in, field);
    case WIRE_FIXED32:
        field->type = WIRE_FIXED32;
        return read_little_endian(in, 4, &field->value);
    case WIRE_GROUP:
        field->type = WIRE_GROUP;
        return true;
    case WIRE_GROUP_END:
        field->type = WIRE_GROUP_END;
        return true;
    default:
        in->failed = true;
        return false;
    }
}
