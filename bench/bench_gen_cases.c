/* bench_gen_cases.c - the cases of the benchmark of fast-json-stringify: small
 * messages of one shape each. Their values are ours, of the sizes there. */
#include "bench_gen.h"

#include <stdlib.h>
#include <string.h>

enum {
    LONG_TEXT = 38890, /* bytes; 100 of them are quotes, if any */
    QUOTES = 100,
    ELEMENTS = 1000,
    VALUE_NUMBER = 2, /* fields of google.protobuf.Value */
    VALUE_STRING = 3
};

static const char short_text[] = "hello world";

static char *make_long_text(bench_random *random, bool with_quotes) {
    char *text = bench_alloc(LONG_TEXT + 1, 1);
    for (size_t i = 0; i < LONG_TEXT; i++)
        text[i] = i % 6 == 5 ? ' ' : (char) ('a' + random_u64(random) % 26);
    for (size_t i = 0; with_quotes && i < QUOTES; i++)
        text[(i + 1) * (LONG_TEXT / QUOTES) - 1] = '"';
    return text;
}

static void put_long_text(wire_writer *out, bench_random *random,
                          bool with_quotes) {
    char *text = make_long_text(random, with_quotes);
    wire_string(out, 1, text);
    free(text);
}

static uint64_t random_element(bench_random *random) {
    return random_between(random, 0, 999);
}

void fill_case_short_text(wire_writer *out, bench_random *random) {
    (void) random;
    wire_string(out, 1, short_text);
}

void fill_case_quoted_text(wire_writer *out, bench_random *random) {
    (void) random;
    wire_string(out, 1, "hello \" world");
}

void fill_case_long_text(wire_writer *out, bench_random *random) {
    put_long_text(out, random, false);
}

void fill_case_long_quoted_text(wire_writer *out, bench_random *random) {
    put_long_text(out, random, true);
}

void fill_case_number(wire_writer *out, bench_random *random) {
    (void) random;
    wire_double(out, 1, 42);
}

void fill_case_integer(wire_writer *out, bench_random *random) {
    (void) random;
    wire_varint(out, 1, 42);
}

/* A Timestamp with milliseconds, as a Date has them. */
void fill_case_time(wire_writer *out, bench_random *random) {
    (void) random;
    wire_varint(out, 1, 1700000000);
    wire_varint(out, 2, 123000000);
}

void fill_case_list_of_numbers(wire_writer *out, bench_random *random) {
    for (unsigned n = 0; n < ELEMENTS; n++) {
        size_t value = wire_open(out, 1);
        wire_double(out, VALUE_NUMBER, (double) random_element(random));
        wire_close(out, value);
    }
}

void fill_case_list_of_texts(wire_writer *out, bench_random *random) {
    (void) random;
    for (unsigned n = 0; n < ELEMENTS; n++) {
        size_t value = wire_open(out, 1);
        wire_string(out, VALUE_STRING, short_text);
        wire_close(out, value);
    }
}

void fill_case_numbers(wire_writer *out, bench_random *random) {
    size_t numbers = wire_open(out, 1);
    for (unsigned n = 0; n < ELEMENTS; n++)
        wire_put_double(out, (double) random_element(random));
    wire_close(out, numbers);
}

void fill_case_integers(wire_writer *out, bench_random *random) {
    size_t numbers = wire_open(out, 1);
    for (unsigned n = 0; n < ELEMENTS; n++)
        wire_put_varint(out, random_element(random));
    wire_close(out, numbers);
}

void fill_case_texts(wire_writer *out, bench_random *random) {
    (void) random;
    for (unsigned n = 0; n < ELEMENTS; n++)
        wire_string(out, 1, short_text);
}

void fill_case_objects(wire_writer *out, bench_random *random) {
    (void) random;
    for (unsigned n = 0; n < ELEMENTS; n++) {
        size_t item = wire_open(out, 1);
        wire_string(out, 1, short_text);
        wire_double(out, 2, 42);
        wire_varint(out, 3, 1);
        wire_close(out, item);
    }
}

void fill_case_simple(wire_writer *out, bench_random *random) {
    (void) random;
    wire_string(out, 1, "Max");
    wire_string(out, 2, "Power");
    wire_varint(out, 3, 22);
}

void fill_case_mixed(wire_writer *out, bench_random *random) {
    (void) random;
    for (uint32_t field = 1; field <= 15; field += 3) {
        wire_string(out, field, short_text);
        wire_double(out, field + 1, 42);
        wire_varint(out, field + 2, 1);
    }
}

void fill_case_constants(wire_writer *out, bench_random *random) {
    (void) random;
    wire_string(out, 1, "Hello");
    wire_double(out, 2, 42);
    wire_varint(out, 3, 1);
    wire_varint(out, 4, 1);
}
