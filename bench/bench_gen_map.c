/* bench_gen_map.c - tile and osm: packed numbers. */
#include "bench_gen.h"

enum {
    TILE_LAYERS = 4,
    TILE_FEATURES = 2000, /* in each layer */
    TILE_KEYS = 40,
    TILE_VALUES = 200,
    OSM_NODES = 8000, /* in each block */
    OSM_STRINGS = 400
};

/* 74 % of the numbers take one byte, the rest two. */
static void put_small(wire_writer *out, bench_random *random) {
    bool one_byte = random_percent(random, 74);
    wire_put_varint(out, one_byte ? random_between(random, 0, 127)
                                  : random_between(random, 128, 4096));
}

/* A move, then lines; a command is 3 bits of what and a count above them, and
 * each takes two numbers a point. */
static void put_geometry(wire_writer *out, bench_random *random) {
    size_t mark = wire_open(out, 4);
    uint64_t points = random_between(random, 2, 73);
    wire_put_varint(out, 1 << 3 | 1);
    for (uint64_t i = 0; i < 2 * points; i++) {
        if (i == 2)
            wire_put_varint(out, (points - 1) << 3 | 2);
        put_small(out, random);
    }
    wire_close(out, mark);
}

static void put_feature(wire_writer *out, bench_random *random, uint64_t id) {
    size_t mark = wire_open(out, 4);
    wire_varint(out, 1, id);
    size_t tags = wire_open(out, 3);
    uint64_t n_tags = random_between(random, 1, 6);
    for (uint64_t i = 0; i < n_tags; i++) {
        wire_put_varint(out, random_between(random, 0, TILE_KEYS - 1));
        wire_put_varint(out, random_between(random, 0, TILE_VALUES - 1));
    }
    wire_close(out, tags);
    wire_varint(out, 2, random_between(random, 1, 3));
    put_geometry(out, random);
    wire_close(out, mark);
}

static void put_value(wire_writer *out, bench_random *random) {
    size_t mark = wire_open(out, 6);
    switch (random_between(random, 0, 3)) {
    case 0:
        wire_double(out, 2, (double) random_width(random, 20) / 16);
        break;
    case 1:
        wire_sint(out, 3, (int64_t) random_width(random, 20));
        break;
    default:
        wire_random_text(out, 1, random, 3, 20);
    }
    wire_close(out, mark);
}

void generate_tile(const ProtobufCMessageDescriptor *type, size_t i,
                   bench_random *random, wire_writer *out) {
    (void) type;
    (void) i;
    for (unsigned layer = 0; layer < TILE_LAYERS; layer++) {
        size_t mark = wire_open(out, 1);
        wire_random_text(out, 1, random, 4, 12);
        wire_varint(out, 2, 2);
        wire_varint(out, 3, 4096);
        for (unsigned feature = 0; feature < TILE_FEATURES; feature++)
            put_feature(out, random, random_width(random, 32));
        for (unsigned key = 0; key < TILE_KEYS; key++)
            wire_random_text(out, 5, random, 3, 12);
        for (unsigned value = 0; value < TILE_VALUES; value++)
            put_value(out, random);
        wire_close(out, mark);
    }
}

/* A packed column of differences that are up to `bits` bits wide. */
static void put_column(wire_writer *out, bench_random *random, uint32_t field,
                       unsigned bits, bool rising) {
    size_t mark = wire_open(out, field);
    for (unsigned i = 0; i < OSM_NODES; i++) {
        int64_t delta = (int64_t) random_width(random, bits);
        if (!rising && random_percent(random, 50))
            delta = -delta;
        wire_put_varint(out, wire_zigzag(delta));
    }
    wire_close(out, mark);
}

static void put_marks(wire_writer *out, bench_random *random) {
    size_t mark = wire_open(out, 5);
    for (unsigned i = 0; i < OSM_NODES; i++) {
        while (random_percent(random, 10)) {
            wire_put_varint(out, random_between(random, 1, OSM_STRINGS - 1));
            wire_put_varint(out, random_between(random, 1, OSM_STRINGS - 1));
        }
        wire_put_varint(out, 0);
    }
    wire_close(out, mark);
}

static void put_nodes(wire_writer *out, bench_random *random) {
    size_t nodes = wire_open(out, 2);
    put_column(out, random, 1, 10, true);
    size_t edits = wire_open(out, 2);
    put_column(out, random, 1, 24, false);
    put_column(out, random, 2, 20, false);
    put_column(out, random, 3, 20, false);
    wire_close(out, edits);
    put_column(out, random, 3, 20, false);
    put_column(out, random, 4, 20, false);
    put_marks(out, random);
    wire_close(out, nodes);
}

void generate_osm(const ProtobufCMessageDescriptor *type, size_t i,
                  bench_random *random, wire_writer *out) {
    (void) type;
    (void) i;
    size_t strings = wire_open(out, 1);
    for (unsigned text = 0; text < OSM_STRINGS; text++)
        wire_random_text(out, 1, random, 2, 24);
    wire_close(out, strings);
    put_nodes(out, random);
    wire_varint(out, 3, 100);
}
