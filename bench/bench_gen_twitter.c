/* bench_gen_twitter.c - the answer to a search for short messages: mostly
 * Japanese text, numbers twice, addresses, and colours. */
#include "bench_gen.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    STATUSES = 100,
    TEXT_SIZE = 1024 /* of the buffers that texts are made in */
};

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

static void put_flag(wire_writer *out, uint32_t field, bench_random *random,
                     unsigned percent) {
    if (random_percent(random, percent))
        wire_varint(out, field, 1);
}

static void put_color(wire_writer *out, uint32_t field, bench_random *random) {
    char text[8];
    snprintf(text, sizeof text, "%06X",
             (unsigned) random_between(random, 0, 0xffffff));
    wire_string(out, field, text);
}

static void put_link(wire_writer *out, uint32_t field, bench_random *random) {
    size_t mark = wire_open(out, field);
    put_address(out, 1, random, "");
    put_address(out, 2, random, "/photo/1");
    put_address(out, 3, random, "...");
    put_indices(out, 4, random);
    wire_close(out, mark);
}

static void put_profile(wire_writer *out, bench_random *random) {
    put_color(out, 24, random);
    put_address(out, 25, random, ".png");
    put_address(out, 26, random, ".png");
    put_flag(out, 27, random, 40);
    put_address(out, 28, random, "_normal.jpeg");
    put_address(out, 29, random, "_normal.jpeg");
    put_address(out, 30, random, "");
    put_color(out, 31, random);
    put_color(out, 32, random);
    put_color(out, 33, random);
    put_color(out, 34, random);
    put_flag(out, 35, random, 90);
    put_flag(out, 36, random, 50);
    put_flag(out, 37, random, 5);
}

static void put_user(wire_writer *out, bench_random *random, bool is_japanese) {
    size_t mark = wire_open(out, 13);
    put_id(out, 1, random);
    put_text(out, 3, random, 3, 15, is_japanese);
    wire_random_text(out, 4, random, 5, 15);
    put_text(out, 5, random, 2, 10, is_japanese);
    put_text(out, 6, random, 20, 140, is_japanese);
    if (random_percent(random, 30)) {
        put_address(out, 7, random, "");
        size_t entities = wire_open(out, 8);
        size_t addresses = wire_open(out, 3);
        put_link(out, 1, random);
        wire_close(out, addresses);
        wire_close(out, entities);
    }
    wire_varint(out, 10, random_width(random, 14));
    wire_varint(out, 11, random_width(random, 12));
    wire_varint(out, 12, random_width(random, 6));
    put_time(out, 13, random);
    wire_varint(out, 14, random_width(random, 10));
    if (random_percent(random, 50)) {
        wire_varint(out, 15, 32400);
        wire_string(out, 16, "Tokyo");
    }
    put_flag(out, 17, random, 30);
    put_flag(out, 18, random, 2);
    wire_varint(out, 19, random_width(random, 17));
    wire_string(out, 20, is_japanese ? "ja" : "en");
    put_profile(out, random);
    wire_close(out, mark);
}

static void put_size(wire_writer *out, bench_random *random, const char *name,
                     bool is_cut) {
    size_t entry = wire_open(out, 10);
    wire_string(out, 1, name);
    size_t size = wire_open(out, 2);
    wire_varint(out, 1, random_between(random, 150, 1024));
    wire_varint(out, 2, random_between(random, 150, 1024));
    wire_string(out, 3, is_cut ? "crop" : "fit");
    wire_close(out, size);
    wire_close(out, entry);
}

static void put_media(wire_writer *out, bench_random *random) {
    size_t mark = wire_open(out, 7);
    put_id(out, 1, random);
    put_indices(out, 3, random);
    for (uint32_t field = 4; field <= 8; field++)
        put_address(out, field, random, field < 6 ? ".jpg" : "");
    wire_string(out, 9, "photo");
    put_size(out, random, "medium", false);
    put_size(out, random, "small", false);
    put_size(out, random, "thumb", true);
    put_size(out, random, "large", false);
    wire_close(out, mark);
}

static void put_entities(wire_writer *out, bench_random *random,
                         bool is_japanese) {
    size_t entities = wire_open(out, 17);
    if (random_percent(random, 20)) {
        size_t mark = wire_open(out, 1);
        put_text(out, 1, random, 4, 12, is_japanese);
        put_indices(out, 2, random);
        wire_close(out, mark);
    }
    if (random_percent(random, 40))
        put_link(out, 4, random);
    if (random_percent(random, 60)) {
        size_t mark = wire_open(out, 5);
        wire_random_text(out, 1, random, 5, 15);
        put_text(out, 2, random, 3, 15, is_japanese);
        put_id(out, 3, random);
        put_indices(out, 5, random);
        wire_close(out, mark);
    }
    if (random_percent(random, 15))
        put_media(out, random);
    wire_close(out, entities);
}

static void put_status(wire_writer *out, uint32_t field, bench_random *random,
                       bool is_repeated) {
    bool is_japanese = random_percent(random, 80);
    size_t mark = wire_open(out, field);
    size_t metadata = wire_open(out, 1);
    wire_string(out, 1, "recent");
    wire_string(out, 2, is_japanese ? "ja" : "en");
    wire_close(out, metadata);
    put_time(out, 2, random);
    put_id(out, 3, random);
    put_text(out, 5, random, 40, 140, is_japanese);
    wire_string(out, 6,
                "<a href=\"http://example.com/download\" rel=\"nofollow\">"
                "Example for phones</a>");
    if (random_percent(random, 15)) {
        put_id(out, 8, random);
        put_id(out, 10, random);
        wire_random_text(out, 12, random, 5, 15);
    }
    put_user(out, random, is_japanese);
    if (!is_repeated && random_percent(random, 60))
        put_status(out, 14, random, true);
    wire_varint(out, 15, random_width(random, 10));
    wire_varint(out, 16, random_width(random, 10));
    put_entities(out, random, is_japanese);
    put_flag(out, 20, random, 30);
    wire_string(out, 21, is_japanese ? "ja" : "en");
    wire_close(out, mark);
}

void fill_twitter(wire_writer *out, bench_random *random) {
    for (unsigned status = 0; status < STATUSES; status++)
        put_status(out, 1, random, false);
    size_t metadata = wire_open(out, 2);
    wire_double(out, 1, 0.087);
    put_id(out, 2, random);
    wire_string(out, 4, "?max_id=505874847260352512&q=%E4%B8%80&count=100");
    wire_string(out, 5, "%E4%B8%80");
    wire_string(out, 6, "?since_id=505874924095815681&q=%E4%B8%80");
    wire_varint(out, 7, STATUSES);
    wire_string(out, 9, "0");
    wire_close(out, metadata);
}
