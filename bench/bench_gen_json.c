/* bench_gen_json.c - canada and twitter: what people measure JSON with, an
 * outline of many doubles and the answer to a search for short messages. */
#include "bench_gen.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    RINGS = 480,
    MIN_POINTS = 20, /* of a ring */
    MAX_POINTS = 213,
    STATUSES = 100,
    TEXT_SIZE = 1024 /* of the buffers that texts are made in */
};

/* A coordinate of so many millionths of a degree, which went through a program
 * that was not exact: one of eight is the number with six decimals, the others
 * are close to it and take 16 or 17 digits. */
static void put_degrees(wire_writer *out, bench_random *random,
                        int64_t millionths) {
    double degrees = (double) millionths / 1e6;
    uint64_t bits;
    memcpy(&bits, &degrees, sizeof bits);
    wire_put_fixed64(out, bits + random_between(random, 0, 7));
}

static int64_t random_step(bench_random *random) {
    return (int64_t) random_between(random, 0, 40000) - 20000;
}

static void put_ring(wire_writer *out, bench_random *random) {
    uint64_t points = random_between(random, MIN_POINTS, MAX_POINTS);
    int64_t x = -(int64_t) random_between(random, 53000000, 141000000);
    int64_t y = (int64_t) random_between(random, 42000000, 83000000);
    size_t ring = wire_open(out, 2);
    size_t numbers = wire_open(out, 1);
    for (uint64_t i = 0; i < points; i++) {
        put_degrees(out, random, x += random_step(random));
        put_degrees(out, random, y += random_step(random));
    }
    wire_close(out, numbers);
    wire_close(out, ring);
}

void generate_canada(const ProtobufCMessageDescriptor *type, size_t i,
                     bench_random *random, wire_writer *out) {
    (void) type;
    (void) i;
    wire_string(out, 1, "FeatureCollection");
    size_t feature = wire_open(out, 2);
    wire_string(out, 1, "Feature");
    size_t properties = wire_open(out, 2);
    wire_string(out, 1, "Canada");
    wire_close(out, properties);
    size_t polygon = wire_open(out, 3);
    wire_string(out, 1, "Polygon");
    for (unsigned ring = 0; ring < RINGS; ring++)
        put_ring(out, random);
    wire_close(out, polygon);
    wire_close(out, feature);
}

/* One character: mostly hiragana, three bytes in UTF-8, or a small letter; now
 * and then what JSON has to escape, or an emoji of four bytes. */
static size_t put_char(char *to, bench_random *random, bool is_japanese) {
    static const char escaped[] = {'\n', '"', '/', '\\'};
    uint64_t kind = random_between(random, 0, 99);
    uint64_t r = random_u64(random);
    unsigned code =
        is_japanese ? 0x3042 + (unsigned) (r % 80) : 'a' + (unsigned) (r % 26);
    if (kind < 2) {
        to[0] = escaped[r % sizeof escaped];
        return 1;
    }
    if (kind < 3)
        code = 0x1f600 + (unsigned) (r % 64);
    else if (kind < 18)
        code = ' ';
    if (code < 0x80) {
        to[0] = (char) code;
        return 1;
    }
    size_t n = code < 0x10000 ? 3 : 4;
    for (size_t i = n - 1; i > 0; i--, code >>= 6)
        to[i] = (char) (0x80 | (code & 0x3f));
    to[0] = (char) ((n == 3 ? 0xe0 : 0xf0) | code);
    return n;
}

static void put_text(wire_writer *out, uint32_t field, bench_random *random,
                     uint64_t min, uint64_t max, bool is_japanese) {
    char text[TEXT_SIZE];
    size_t len = 0;
    for (uint64_t n = random_between(random, min, max); n > 0; n--)
        len += put_char(text + len, random, is_japanese);
    text[len] = '\0';
    wire_string(out, field, text);
}

/* A number of 18 digits in two fields: as such and as a string. */
static void put_id(wire_writer *out, uint32_t field, bench_random *random) {
    char text[24];
    uint64_t id = random_between(random, UINT64_C(500000000000000000),
                                 UINT64_C(510000000000000000));
    snprintf(text, sizeof text, "%" PRIu64, id);
    wire_varint(out, field, id);
    wire_string(out, field + 1, text);
}

static void put_time(wire_writer *out, uint32_t field, bench_random *random) {
    char text[40];
    snprintf(text, sizeof text, "Sun Aug 31 %02u:%02u:%02u +0000 2014",
             (unsigned) random_between(random, 0, 23),
             (unsigned) random_between(random, 0, 59),
             (unsigned) random_between(random, 0, 59));
    wire_string(out, field, text);
}

static void put_address(wire_writer *out, uint32_t field, bench_random *random,
                        const char *suffix) {
    char text[80];
    snprintf(text, sizeof text, "http://pics.example.com/%016" PRIx64 "%s",
             random_u64(random), suffix);
    wire_string(out, field, text);
}

static void put_indices(wire_writer *out, uint32_t field,
                        bench_random *random) {
    size_t mark = wire_open(out, field);
    uint64_t start = random_between(random, 0, 100);
    wire_put_varint(out, start);
    wire_put_varint(out, start + random_between(random, 3, 30));
    wire_close(out, mark);
}

static void put_flag(wire_writer *out, uint32_t field, bench_random *random) {
    if (random_percent(random, 30))
        wire_varint(out, field, 1);
}

static void put_user(wire_writer *out, bench_random *random, bool is_japanese) {
    size_t mark = wire_open(out, 8);
    put_id(out, 1, random);
    put_text(out, 3, random, 3, 15, is_japanese);
    wire_random_text(out, 4, random, 5, 15);
    put_text(out, 5, random, 2, 10, is_japanese);
    put_text(out, 6, random, 20, 140, is_japanese);
    wire_varint(out, 7, random_width(random, 14));
    wire_varint(out, 8, random_width(random, 12));
    put_time(out, 9, random);
    wire_varint(out, 10, 32400);
    put_flag(out, 11, random);
    wire_varint(out, 12, random_width(random, 17));
    wire_string(out, 13, is_japanese ? "ja" : "en");
    wire_string(out, 14, "C0DEED");
    put_address(out, 15, random, ".png");
    put_address(out, 16, random, "_normal.jpeg");
    put_flag(out, 17, random);
    wire_close(out, mark);
}

static void put_entities(wire_writer *out, bench_random *random,
                         bool is_japanese) {
    size_t entities = wire_open(out, 12);
    if (random_percent(random, 20)) {
        size_t mark = wire_open(out, 1);
        put_text(out, 1, random, 4, 12, is_japanese);
        put_indices(out, 2, random);
        wire_close(out, mark);
    }
    if (random_percent(random, 40)) {
        size_t mark = wire_open(out, 2);
        put_address(out, 1, random, "");
        put_address(out, 2, random, "/photo/1");
        put_address(out, 3, random, "...");
        put_indices(out, 4, random);
        wire_close(out, mark);
    }
    if (random_percent(random, 60)) {
        size_t mark = wire_open(out, 3);
        wire_random_text(out, 1, random, 5, 15);
        put_text(out, 2, random, 3, 15, is_japanese);
        put_id(out, 3, random);
        put_indices(out, 5, random);
        wire_close(out, mark);
    }
    wire_close(out, entities);
}

static void put_status(wire_writer *out, uint32_t field, bench_random *random,
                       bool is_repeated) {
    bool is_japanese = random_percent(random, 80);
    size_t mark = wire_open(out, field);
    put_time(out, 1, random);
    put_id(out, 2, random);
    put_text(out, 4, random, 40, 140, is_japanese);
    wire_string(out, 5,
                "<a href=\"http://example.com/download\" rel=\"nofollow\">"
                "Example for phones</a>");
    put_user(out, random, is_japanese);
    if (!is_repeated && random_percent(random, 60))
        put_status(out, 9, random, true);
    wire_varint(out, 10, random_width(random, 10));
    wire_varint(out, 11, random_width(random, 10));
    put_entities(out, random, is_japanese);
    put_flag(out, 13, random);
    put_flag(out, 14, random);
    wire_string(out, 15, is_japanese ? "ja" : "en");
    wire_close(out, mark);
}

void generate_twitter(const ProtobufCMessageDescriptor *type, size_t i,
                      bench_random *random, wire_writer *out) {
    (void) type;
    (void) i;
    for (unsigned status = 0; status < STATUSES; status++)
        put_status(out, 1, random, false);
    size_t metadata = wire_open(out, 2);
    wire_double(out, 1, 0.087);
    put_id(out, 2, random);
    wire_string(out, 4, "%E4%B8%80");
    wire_varint(out, 5, STATUSES);
    wire_close(out, metadata);
}
