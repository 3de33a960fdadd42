/* bench_gen_citm.c - a season of concerts: some tables by number, and ten
 * thousand small objects of numbers. */
#include "bench_gen.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    SEASON_EVENTS = 184,
    SHOWS = 243,
    FIRST_EVENT = 138586341,
    FIRST_SHOW = 339887544,
    FIRST_AREA = 205705993,
    FIRST_SEAT_CATEGORY = 338937235,
    AREAS = 17,
    SEAT_CATEGORIES = 64,
    SUB_TOPICS = 19,
    FIRST_SUB_TOPIC = 337184262,
    TOPICS = 4,
    FIRST_TOPIC = 107888604
};

/* An entry of a map from numbers to texts. */
static void put_name(wire_writer *out, uint32_t field, uint64_t number,
                     bench_random *random, unsigned max_words) {
    static const char *const words[] = {"Arri\303\250re-sc\303\250ne",
                                        "1er balcon",
                                        "central",
                                        "jardin",
                                        "2\303\250me balcon bergerie",
                                        "cour",
                                        "Th\303\251\303\242tre",
                                        "musique de chambre",
                                        "orchestre",
                                        "Cat\303\251gorie",
                                        "Op\303\251ra",
                                        "festival"};
    char text[128];
    size_t len = 0;
    for (uint64_t n = random_between(random, 1, max_words); n > 0; n--)
        len += (size_t) snprintf(
            text + len, sizeof text - len, "%s%s", len > 0 ? " " : "",
            words[random_between(random, 0, sizeof words / sizeof *words - 1)]);
    size_t entry = wire_open(out, field);
    wire_varint(out, 1, number);
    wire_string(out, 2, text);
    wire_close(out, entry);
}

static void put_names(wire_writer *out, uint32_t field, uint64_t first,
                      unsigned n, bench_random *random) {
    for (unsigned i = 0; i < n; i++)
        put_name(out, field, first + i, random, 3);
}

static void put_logo(wire_writer *out, uint32_t field, bench_random *random) {
    char text[128];
    snprintf(text, sizeof text,
             "/images/UE0AAAAACEKo6QAAAAZDSVRN/%08" PRIX64 "/logo.jpg",
             random_u64(random) >> 32);
    wire_string(out, field, text);
}

static void put_packed(wire_writer *out, uint32_t field, uint64_t first,
                       uint64_t range, uint64_t n, bench_random *random) {
    size_t mark = wire_open(out, field);
    for (; n > 0; n--)
        wire_put_varint(out, first + random_between(random, 0, range));
    wire_close(out, mark);
}

static void put_event(wire_writer *out, uint64_t id, bench_random *random) {
    size_t entry = wire_open(out, 4);
    wire_varint(out, 1, id);
    size_t event = wire_open(out, 2);
    wire_varint(out, 2, id);
    if (random_percent(random, 50))
        put_logo(out, 3, random);
    wire_random_text(out, 4, random, 10, 40);
    put_packed(out, 5, FIRST_SUB_TOPIC, SUB_TOPICS - 1,
               random_between(random, 1, 4), random);
    put_packed(out, 8, FIRST_TOPIC, TOPICS - 1, random_between(random, 1, 3),
               random);
    wire_close(out, event);
    wire_close(out, entry);
}

static void put_seats(wire_writer *out, bench_random *random) {
    size_t seats = wire_open(out, 6);
    for (unsigned i = 0; i < AREAS; i++) {
        if (random_percent(random, 25))
            continue;
        size_t area = wire_open(out, 1);
        wire_varint(out, 1, FIRST_AREA + i);
        wire_close(out, area);
    }
    wire_varint(out, 2,
                FIRST_SEAT_CATEGORY +
                    random_between(random, 0, SEAT_CATEGORIES - 1));
    wire_close(out, seats);
}

static void put_show(wire_writer *out, unsigned number, bench_random *random) {
    size_t show = wire_open(out, 5);
    uint64_t n_prices = random_between(random, 1, 6);
    wire_varint(out, 1,
                FIRST_EVENT + random_between(random, 0, SEASON_EVENTS - 1));
    wire_varint(out, 2, FIRST_SHOW + number);
    if (random_percent(random, 40))
        put_logo(out, 3, random);
    for (uint64_t i = 0; i < n_prices; i++) {
        size_t price = wire_open(out, 5);
        wire_varint(out, 1, 250 * random_between(random, 20, 720));
        wire_varint(out, 2, 337100890);
        wire_varint(out, 3, FIRST_SEAT_CATEGORY + i);
        wire_close(out, price);
    }
    for (uint64_t i = 0; i < n_prices; i++)
        put_seats(out, random);
    wire_double(out, 8,
                1372701600000.0 +
                    900000.0 * (double) random_between(random, 0, 40000));
    wire_string(out, 9, "PLEYEL_PLEYEL");
    wire_close(out, show);
}

/* Which numbers of one table belong to a number of another. */
static void put_sub_topics(wire_writer *out, uint64_t topic,
                           bench_random *random) {
    size_t entry = wire_open(out, 10);
    wire_varint(out, 1, topic);
    size_t list = wire_open(out, 2);
    for (uint64_t n = random_between(random, 2, 8); n > 0; n--) {
        size_t value = wire_open(out, 1);
        wire_double(out, 2,
                    (double) (FIRST_SUB_TOPIC +
                              random_between(random, 0, SUB_TOPICS - 1)));
        wire_close(out, value);
    }
    wire_close(out, list);
    wire_close(out, entry);
}

void fill_citm(wire_writer *out, bench_random *random) {
    put_names(out, 1, FIRST_AREA, AREAS, random);
    put_names(out, 2, 337100890, 1, random);
    for (unsigned n = 0; n < SEASON_EVENTS; n++)
        put_event(out, FIRST_EVENT + n, random);
    for (unsigned n = 0; n < SHOWS; n++)
        put_show(out, n, random);
    put_names(out, 6, FIRST_SEAT_CATEGORY, SEAT_CATEGORIES, random);
    put_names(out, 7, FIRST_SUB_TOPIC, SUB_TOPICS, random);
    put_names(out, 9, FIRST_TOPIC, TOPICS, random);
    for (unsigned n = 0; n < TOPICS; n++)
        put_sub_topics(out, FIRST_TOPIC + n, random);
    size_t venue = wire_open(out, 11);
    wire_string(out, 1, "PLEYEL_PLEYEL");
    wire_string(out, 2, "Salle Pleyel");
    wire_close(out, venue);
}
