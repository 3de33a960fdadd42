/* bench_gen_geo.c - the outline of a country, in two shapes: packed numbers,
 * and the arrays of GeoJSON as a ListValue. */
#include "bench_gen.h"

#include <string.h>

enum {
    RINGS = 480,
    MIN_POINTS = 20, /* of a ring */
    MAX_POINTS = 213,
    VALUE_NUMBER = 2, /* fields of google.protobuf.Value */
    VALUE_LIST = 6
};

/* A coordinate of so many millionths of a degree, which went through a program
 * that was not exact: one of eight is the number with six decimals, the others
 * are close to it and take 16 or 17 digits. */
static uint64_t random_degrees(bench_random *random, int64_t millionths) {
    double degrees = (double) millionths / 1e6;
    uint64_t bits;
    memcpy(&bits, &degrees, sizeof bits);
    return bits + random_between(random, 0, 7);
}

static int64_t random_step(bench_random *random) {
    return (int64_t) random_between(random, 0, 40000) - 20000;
}

/* The points of a ring one after the other. */
typedef struct ring_walk {
    uint64_t points;
    int64_t x; /* in millionths */
    int64_t y;
} ring_walk;

static ring_walk start_ring(bench_random *random) {
    ring_walk walk;
    walk.points = random_between(random, MIN_POINTS, MAX_POINTS);
    walk.x = -(int64_t) random_between(random, 53000000, 141000000);
    walk.y = (int64_t) random_between(random, 42000000, 83000000);
    return walk;
}

static void put_polygon(wire_writer *out, bench_random *random) {
    size_t polygon = wire_open(out, 4);
    wire_string(out, 1, "Polygon");
    for (unsigned i = 0; i < RINGS; i++) {
        ring_walk walk = start_ring(random);
        size_t ring = wire_open(out, 2);
        size_t numbers = wire_open(out, 1);
        for (; walk.points > 0; walk.points--) {
            walk.x += random_step(random);
            wire_put_fixed64(out, random_degrees(random, walk.x));
            walk.y += random_step(random);
            wire_put_fixed64(out, random_degrees(random, walk.y));
        }
        wire_close(out, numbers);
        wire_close(out, ring);
    }
    wire_close(out, polygon);
}

/* A Value in a ListValue that holds a number, or a list. */
static void put_number_value(wire_writer *out, uint64_t bits) {
    size_t value = wire_open(out, 1);
    wire_fixed64(out, VALUE_NUMBER, bits);
    wire_close(out, value);
}

typedef struct list_marks {
    size_t value;
    size_t list;
} list_marks;

static list_marks open_list(wire_writer *out) {
    list_marks marks;
    marks.value = wire_open(out, 1);
    marks.list = wire_open(out, VALUE_LIST);
    return marks;
}

static void close_list(wire_writer *out, list_marks marks) {
    wire_close(out, marks.list);
    wire_close(out, marks.value);
}

static void put_exact(wire_writer *out, bench_random *random) {
    size_t geometry = wire_open(out, 3);
    wire_string(out, 1, "Polygon");
    size_t coordinates = wire_open(out, 2);
    for (unsigned i = 0; i < RINGS; i++) {
        ring_walk walk = start_ring(random);
        list_marks ring = open_list(out);
        for (; walk.points > 0; walk.points--) {
            list_marks point = open_list(out);
            walk.x += random_step(random);
            put_number_value(out, random_degrees(random, walk.x));
            walk.y += random_step(random);
            put_number_value(out, random_degrees(random, walk.y));
            close_list(out, point);
        }
        close_list(out, ring);
    }
    wire_close(out, coordinates);
    wire_close(out, geometry);
}

static void put_outline(wire_writer *out, bench_random *random,
                        void (*put_shape)(wire_writer *, bench_random *)) {
    wire_string(out, 1, "FeatureCollection");
    size_t feature = wire_open(out, 2);
    wire_string(out, 1, "Feature");
    size_t properties = wire_open(out, 2);
    wire_string(out, 1, "Canada");
    wire_close(out, properties);
    put_shape(out, random);
    wire_close(out, feature);
}

void fill_canada(wire_writer *out, bench_random *random) {
    put_outline(out, random, put_polygon);
}

void fill_canada_exact(wire_writer *out, bench_random *random) {
    put_outline(out, random, put_exact);
}
