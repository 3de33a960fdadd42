/* bench_wire.h - wire format for the generators: a writer and a reader.
 *
 * It shares nothing with the library that is measured. The writer grows a
 * block and never fails: out of memory ends the program.
 */
#ifndef PBTURBO_BENCH_WIRE_H
#define PBTURBO_BENCH_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench.h"
#include "bench_random.h"

enum wire_type {
    WIRE_VARINT = 0,
    WIRE_FIXED64 = 1,
    WIRE_LENGTH = 2,
    WIRE_GROUP = 3, /* read as a field of its own, without its content */
    WIRE_GROUP_END = 4,
    WIRE_FIXED32 = 5
};

typedef struct wire_writer {
    uint8_t *data;
    size_t len;
    size_t capacity;
} wire_writer;

/* Calls that end the program when memory runs out. */
void *bench_alloc(size_t n, size_t size); /* zeroed */
void *bench_grow(void *block, size_t n, size_t size);

/* Without a tag: the elements of a packed field. */
void wire_put_varint(wire_writer *out, uint64_t value);
void wire_put_fixed64(wire_writer *out, uint64_t value);
void wire_put_double(wire_writer *out, double value);
void wire_put_raw(wire_writer *out, const void *data, size_t len);

/* With a tag. */
void wire_varint(wire_writer *out, uint32_t field, uint64_t value);
void wire_sint(wire_writer *out, uint32_t field, int64_t value);
void wire_fixed32(wire_writer *out, uint32_t field, uint32_t value);
void wire_fixed64(wire_writer *out, uint32_t field, uint64_t value);
void wire_double(wire_writer *out, uint32_t field, double value);
void wire_string(wire_writer *out, uint32_t field, const char *text);

/* Random printable text (lower-case letters, and now and then a letter of two
 * bytes in UTF-8), and random bytes. */
void wire_random_text(wire_writer *out, uint32_t field, bench_random *random,
                      size_t min_len, size_t max_len);
void wire_random_bytes(wire_writer *out, uint32_t field, bench_random *random,
                       size_t len);

/* Everything written between the two calls is the content of the field: a
 * sub-message, or the elements of a packed field. */
size_t wire_open(wire_writer *out, uint32_t field);
void wire_close(wire_writer *out, size_t mark);

/* The same for a group: its content stands between its two tags. */
void wire_group(wire_writer *out, uint32_t field);
void wire_group_end(wire_writer *out, uint32_t field);

static inline uint64_t wire_zigzag(int64_t value) {
    return ((uint64_t) value << 1) ^ (value < 0 ? UINT64_MAX : 0);
}

typedef struct wire_field {
    uint32_t number;
    enum wire_type type;
    uint64_t value;      /* of a varint or fixed-width field */
    const uint8_t *data; /* of a length-delimited field */
    size_t len;
} wire_field;

typedef struct wire_reader {
    const uint8_t *at;
    const uint8_t *end;
    bool failed;
} wire_reader;

bool wire_read_varint(wire_reader *in, uint64_t *value);
/* False at the end, and when the bytes make no field (in->failed). */
bool wire_read_field(wire_reader *in, wire_field *field);

#endif
