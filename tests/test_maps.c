/* test_maps.c - map fields: order, duplicates and what an entry carries. */
#include <stdio.h>

#include "cases2.pb-c.h"
#include "cases3.pb-c.h"
#include "suites.h"
#include "support_expect.h"
#include "support_hex.h"
#include "support_output.h"
#include "support_rng.h"

typedef C3__Mp__SiEntry text_entry;
typedef C3__Mp__BsEntry flag_entry;
typedef C3__Mp__ImEntry number_entry;

enum { MAX_ENTRIES = 1000 };

/* A map from strings, its entries in the order of keys. */
typedef struct text_map {
    C3__Mp map;
    text_entry entries[MAX_ENTRIES];
    text_entry *pointers[MAX_ENTRIES];
} text_map;

static void fill_text_map(text_map *m, char *const *keys, size_t n) {
    const text_entry entry = C3__MP__SI_ENTRY__INIT;
    const C3__Mp map = C3__MP__INIT;
    size_t i;
    m->map = map;
    m->map.n_si = n;
    m->map.si = m->pointers;
    for (i = 0; i < n; i++) {
        m->entries[i] = entry;
        m->entries[i].key = keys[i];
        m->entries[i].value = (int32_t) i + 1;
        m->pointers[i] = &m->entries[i];
    }
}

static text_map text;

START_TEST(entries_without_key_or_value) {
    C3__Mp map = C3__MP__INIT;
    text_entry si = C3__MP__SI_ENTRY__INIT, *si_list = &si;
    number_entry im = C3__MP__IM_ENTRY__INIT, *im_list = &im;
    flag_entry bs = C3__MP__BS_ENTRY__INIT, *bs_list = &bs;
    map.n_si = 1;
    map.si = &si_list;
    hex_expect_same(&map, "0a 00");
    hex_expect(&map, PBT_CONFORMANT, "0a 04 0a 00 10 00");
    map.n_si = 0;
    map.n_im = 1;
    map.im = &im_list;
    im.key = 1;
    hex_expect_same(&map, "1a 02 08 01");
    hex_expect(&map, PBT_CONFORMANT, "1a 04 08 01 12 00");
    map.n_im = 0;
    map.n_bs = 1;
    map.bs = &bs_list;
    hex_expect_same(&map, "12 00");
    hex_expect(&map, PBT_CONFORMANT, "12 04 08 00 12 00");
}
END_TEST

START_TEST(entries_with_explicit_presence) {
    C2__Attributes map = C2__ATTRIBUTES__INIT;
    C2__Attributes__ByNumberEntry entry = C2__ATTRIBUTES__BY_NUMBER_ENTRY__INIT;
    C2__Attributes__ByNumberEntry *list = &entry;
    C2__Sub sub = C2__SUB__INIT;
    char name[] = "n";
    sub.name = name;
    map.n_by_number = 1;
    map.by_number = &list;
    hex_expect_same(&map, "12 00");
    hex_expect(&map, PBT_CONFORMANT | PBT_ALLOW_PARTIAL, "12 04 08 00 12 00");
    entry.value = &sub;
    hex_expect_same(&map, "12 05 12 03 0a 01 6e");
    hex_expect(&map, PBT_CONFORMANT, "12 07 08 00 12 03 0a 01 6e");
    entry.has_key = 1;
    entry.key = -1;
    hex_expect_same(&map, "12 07 08 01 12 03 0a 01 6e");
}
END_TEST

START_TEST(string_keys_ascend_by_unsigned_bytes) {
    char a[] = "a", b[] = "b", ab[] = "ab", high[] = "\xff", none[] = "";
    char *keys[] = {high, b, ab, none, a};
    fill_text_map(&text, keys, 5);
    hex_expect_same(&text.map, "0a 05 0a 01 ff 10 01 0a 05 0a 01 62 10 02 "
                               "0a 06 0a 02 61 62 10 03 0a 02 10 04 "
                               "0a 05 0a 01 61 10 05");
    hex_expect(&text.map, PBT_DETERMINISTIC,
               "0a 02 10 04 0a 05 0a 01 61 10 05 0a 06 0a 02 61 62 10 03 "
               "0a 05 0a 01 62 10 02 0a 05 0a 01 ff 10 01");
}
END_TEST

START_TEST(the_last_entry_of_a_key_wins) {
    char a[] = "a", other_a[] = "a", b[] = "b";
    char *keys[] = {a, b, other_a, a};
    char *sorted[] = {a, b};
    fill_text_map(&text, keys, 4);
    hex_expect(&text.map, PBT_DETERMINISTIC,
               "0a 05 0a 01 61 10 04 0a 05 0a 01 62 10 02");
    keys[3] = b;
    fill_text_map(&text, keys, 4);
    hex_expect(&text.map, PBT_DETERMINISTIC,
               "0a 05 0a 01 61 10 03 0a 05 0a 01 62 10 04");
    fill_text_map(&text, sorted, 2);
    hex_expect(&text.map, PBT_DETERMINISTIC,
               "0a 05 0a 01 61 10 01 0a 05 0a 01 62 10 02");
}
END_TEST

/* Entries that are not written take no room, however many. */
START_TEST(only_what_is_written_counts_for_max_size) {
    static const uint8_t want[] = {0x0a, 0x06, 0x0a, 0x01, 'a', 0x10, 0xe8, 7};
    char a[] = "a";
    char *keys[MAX_ENTRIES];
    pbt_options options = {.flags = PBT_DETERMINISTIC, .max_size = sizeof want};
    size_t i;
    for (i = 0; i < MAX_ENTRIES; i++)
        keys[i] = a;
    fill_text_map(&text, keys, MAX_ENTRIES);
    output_expect(&text.map.base, &options, want, sizeof want);
    options.max_size--;
    output_expect_error(&text.map.base, &options, PBT_ERR_TOO_LARGE);
}
END_TEST

START_TEST(a_missing_string_key_is_the_empty_string) {
    char b[] = "b", empty[] = "";
    char *keys[] = {b, NULL, empty};
    fill_text_map(&text, keys, 3);
    hex_expect(&text.map, PBT_DETERMINISTIC,
               "0a 02 10 03 0a 05 0a 01 62 10 01");
}
END_TEST

START_TEST(number_keys_ascend_by_value) {
    C3__Mp map = C3__MP__INIT;
    const number_entry entry = C3__MP__IM_ENTRY__INIT;
    number_entry entries[4] = {entry, entry, entry, entry};
    number_entry *list[] = {&entries[0], &entries[1], &entries[2], &entries[3]};
    entries[0].key = 1;
    entries[1].key = INT64_MAX;
    entries[2].key = -1;
    entries[3].key = INT64_MIN;
    map.n_im = 4;
    map.im = list;
    hex_expect(&map, PBT_DETERMINISTIC,
               "1a 0b 08 80*9 01 1a 0b 08 ff*9 01 1a 02 08 01 "
               "1a 0a 08 ff*8 7f");
}
END_TEST

START_TEST(unsigned_keys_ascend_by_value) {
    C3__Mp map = C3__MP__INIT;
    C3__Mp__UdEntry high = C3__MP__UD_ENTRY__INIT;
    C3__Mp__UdEntry low = C3__MP__UD_ENTRY__INIT;
    C3__Mp__UdEntry *list[] = {&high, &low};
    high.key = UINT64_MAX;
    low.key = 1;
    map.n_ud = 2;
    map.ud = list;
    hex_expect(&map, PBT_DETERMINISTIC, "22 02 08 01 22 0b 08 ff*9 01");
}
END_TEST

START_TEST(false_comes_before_true) {
    C3__Mp map = C3__MP__INIT;
    flag_entry yes = C3__MP__BS_ENTRY__INIT, no = C3__MP__BS_ENTRY__INIT;
    flag_entry also_yes = C3__MP__BS_ENTRY__INIT;
    flag_entry *list[] = {&yes, &no, &also_yes};
    char value[] = "v";
    yes.key = 1;
    also_yes.key = 256;
    also_yes.value = value;
    map.n_bs = 2;
    map.bs = list;
    hex_expect(&map, PBT_DETERMINISTIC, "12 00 12 02 08 01");
    map.n_bs = 3;
    hex_expect(&map, PBT_DETERMINISTIC, "12 00 12 05 08 01 12 01 76");
}
END_TEST

START_TEST(a_large_map_is_sorted) {
    static char keys[MAX_ENTRIES][8];
    static char *order[MAX_ENTRIES];
    pbt_options options = {.flags = PBT_DETERMINISTIC};
    pbt_buffer want = {0};
    rng r = {1};
    uint32_t i;
    for (i = 0; i < MAX_ENTRIES; i++) {
        snprintf(keys[i], sizeof keys[i], "k%05u", (unsigned) (i * 7));
        order[i] = keys[i];
    }
    fill_text_map(&text, order, MAX_ENTRIES);
    expect_status("sorted map", pbt_marshal(&text.map.base, NULL, &want),
                  PBT_OK);
    for (i = MAX_ENTRIES; i > 1; i--) {
        uint32_t k = rng_below(&r, i);
        text_entry *swap = text.pointers[k];
        text.pointers[k] = text.pointers[i - 1];
        text.pointers[i - 1] = swap;
    }
    expect_context("shuffled map");
    roads_expect(&text.map.base, options.flags, want.data, want.len);
    expect_true("the message is not modified",
                text.map.si == text.pointers && text.pointers[0] != NULL);
    pbt_buffer_free(&want);
}
END_TEST

Suite *maps_suite(void) {
    Suite *suite = suite_create("maps");
    TCase *tests = tcase_create("maps");
    tcase_add_test(tests, entries_without_key_or_value);
    tcase_add_test(tests, entries_with_explicit_presence);
    tcase_add_test(tests, string_keys_ascend_by_unsigned_bytes);
    tcase_add_test(tests, the_last_entry_of_a_key_wins);
    tcase_add_test(tests, only_what_is_written_counts_for_max_size);
    tcase_add_test(tests, a_missing_string_key_is_the_empty_string);
    tcase_add_test(tests, number_keys_ascend_by_value);
    tcase_add_test(tests, unsigned_keys_ascend_by_value);
    tcase_add_test(tests, false_comes_before_true);
    tcase_add_test(tests, a_large_map_is_sorted);
    suite_add_tcase(suite, tests);
    return suite;
}
