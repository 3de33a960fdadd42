/* bench_gen_log.c - metrics and dnstap: what servers report about themselves.
 */
#include "bench_gen.h"

enum {
    SOURCES = 2, /* in each export */
    SCOPES = 3,  /* in each source */
    METRICS = 6, /* in each scope */
    POINTS = 4,  /* in each metric */
};

static const uint64_t epoch_sec = 1700000000;
static const uint64_t ns_per_sec = 1000000000;

static uint64_t random_time_ns(bench_random *random) {
    return epoch_sec * ns_per_sec + random_width(random, 56);
}

static double random_real(bench_random *random) {
    return (double) random_width(random, 40) / 1000;
}

/* Mostly text, now and then a list, whose elements are the ninth level. */
static void put_any(wire_writer *out, bench_random *random, uint32_t number,
                    bool list_allowed) {
    size_t mark = wire_open(out, number);
    uint64_t kind = random_between(random, 0, list_allowed ? 10 : 9);
    if (kind <= 5) {
        wire_random_text(out, 1, random, 3, 30);
    } else if (kind == 6) {
        wire_varint(out, 2, random_between(random, 0, 1));
    } else if (kind <= 8) {
        wire_varint(out, 3, random_width(random, 31));
    } else if (kind == 9) {
        wire_double(out, 4, random_real(random));
    } else {
        size_t list = wire_open(out, 5);
        for (uint64_t n = random_between(random, 1, 4); n > 0; n--)
            put_any(out, random, 1, false);
        wire_close(out, list);
    }
    wire_close(out, mark);
}

static void put_mark(wire_writer *out, bench_random *random, uint32_t number) {
    size_t mark = wire_open(out, number);
    wire_random_text(out, 1, random, 6, 24);
    put_any(out, random, 2, true);
    wire_close(out, mark);
}

static void put_marks(wire_writer *out, bench_random *random, uint32_t number) {
    for (uint64_t n = random_between(random, 1, 5); n > 0; n--)
        put_mark(out, random, number);
}

static void put_point(wire_writer *out, bench_random *random) {
    size_t mark = wire_open(out, 1);
    wire_fixed64(out, 2, random_time_ns(random));
    wire_fixed64(out, 3, random_time_ns(random));
    if (random_percent(random, 50))
        wire_double(out, 4, random_real(random));
    else
        wire_fixed64(out, 6, random_width(random, 40));
    put_marks(out, random, 7);
    wire_close(out, mark);
}

static void put_counts(wire_writer *out, bench_random *random, unsigned n) {
    size_t mark = wire_open(out, 6);
    for (unsigned i = 0; i < n; i++)
        wire_put_fixed64(out, random_width(random, 20));
    wire_close(out, mark);
}

static void put_bounds(wire_writer *out, bench_random *random, unsigned n) {
    size_t mark = wire_open(out, 7);
    for (unsigned i = 0; i < n; i++)
        wire_put_double(out, random_real(random));
    wire_close(out, mark);
}

static void put_buckets(wire_writer *out, bench_random *random) {
    size_t mark = wire_open(out, 1);
    unsigned n = (unsigned) random_between(random, 4, 16);
    wire_fixed64(out, 2, random_time_ns(random));
    wire_fixed64(out, 3, random_time_ns(random));
    wire_fixed64(out, 4, random_width(random, 30));
    wire_double(out, 5, random_real(random));
    put_counts(out, random, n + 1);
    put_bounds(out, random, n);
    put_marks(out, random, 9);
    wire_close(out, mark);
}

static void put_metric(wire_writer *out, bench_random *random) {
    static const uint32_t kinds[] = {5, 7, 9};
    uint32_t kind = kinds[random_between(random, 0, 2)];
    size_t mark = wire_open(out, 3);
    wire_random_text(out, 1, random, 10, 40);
    wire_random_text(out, 2, random, 10, 60);
    wire_random_text(out, 3, random, 1, 6);
    size_t data = wire_open(out, kind);
    for (unsigned i = 0; i < POINTS; i++) {
        if (kind == 9)
            put_buckets(out, random);
        else
            put_point(out, random);
    }
    if (kind != 5)
        wire_varint(out, 2, random_between(random, 1, 2));
    if (kind == 7)
        wire_varint(out, 3, 1);
    wire_close(out, data);
    wire_close(out, mark);
}

static void put_scope(wire_writer *out, bench_random *random) {
    size_t mark = wire_open(out, 2);
    wire_random_text(out, 1, random, 10, 40);
    wire_random_text(out, 2, random, 3, 8);
    for (unsigned i = 0; i < METRICS; i++)
        put_metric(out, random);
    wire_close(out, mark);
}

void generate_metrics(const ProtobufCMessageDescriptor *type, size_t i,
                      bench_random *random, wire_writer *out) {
    (void) type;
    (void) i;
    for (unsigned source = 0; source < SOURCES; source++) {
        size_t mark = wire_open(out, 1);
        put_marks(out, random, 1);
        for (unsigned scope = 0; scope < SCOPES; scope++)
            put_scope(out, random);
        wire_close(out, mark);
    }
}

static void put_exchange(wire_writer *out, bench_random *random) {
    static const uint64_t kinds[] = {1, 2, 5, 6};
    bool inet6 = random_percent(random, 30);
    bool answered = random_percent(random, 50);
    size_t mark = wire_open(out, 14);
    wire_varint(out, 1, kinds[random_between(random, 0, 3)]);
    wire_varint(out, 2, inet6 ? 2 : 1);
    wire_varint(out, 3, random_between(random, 1, 3));
    wire_random_bytes(out, 4, random, inet6 ? 16 : 4);
    wire_random_bytes(out, 5, random, inet6 ? 16 : 4);
    wire_varint(out, 6, random_between(random, 1024, 65535));
    wire_varint(out, 7, 53);
    wire_varint(out, 8, epoch_sec + random_width(random, 20));
    wire_fixed32(out, 9, (uint32_t) random_between(random, 0, ns_per_sec - 1));
    wire_random_bytes(out, 10, random, random_between(random, 28, 70));
    if (random_percent(random, 30))
        wire_random_bytes(out, 11, random, random_between(random, 5, 30));
    if (answered) {
        uint64_t ns = random_between(random, 0, ns_per_sec - 1);
        wire_varint(out, 12, epoch_sec + random_width(random, 20));
        wire_fixed32(out, 13, (uint32_t) ns);
        wire_random_bytes(out, 14, random, random_between(random, 40, 300));
    }
    wire_close(out, mark);
}

void generate_dnstap(const ProtobufCMessageDescriptor *type, size_t i,
                     bench_random *random, wire_writer *out) {
    (void) type;
    (void) i;
    wire_random_bytes(out, 1, random, random_between(random, 8, 20));
    wire_random_bytes(out, 2, random, random_between(random, 5, 12));
    put_exchange(out, random);
    wire_varint(out, 15, 1);
}
