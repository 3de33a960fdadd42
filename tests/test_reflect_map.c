/* test_reflect_map.c - maps on the reflection road: how they are recognised,
 * ordered, and written whole. */
#include <stdint.h>
#include <string.h>

#include <check.h>

#include <pbturbo/pbturbo.h>

#include "reflect2.pb-c.h"
#include "reflect3.pb-c.h"
#include "suites.h"
#include "support_reflect.h"

static const pbt_reflection *const road = &pbt_reflection_protobuf_c;

typedef struct map_of_strings {
    R3__Mp mp;
    R3__Mp__StrIntEntry entries[9];
    R3__Mp__StrIntEntry *pointers[9];
} map_of_strings;

/* Values count from 1. */
static void make_map(map_of_strings *map, const char *const *keys, size_t n) {
    size_t i;
    r3__mp__init(&map->mp);
    for (i = 0; i < n; i++) {
        r3__mp__str_int_entry__init(&map->entries[i]);
        map->entries[i].key = (char *) (uintptr_t) keys[i];
        map->entries[i].value = (int32_t) i + 1;
        map->pointers[i] = &map->entries[i];
    }
    map->mp.n_str_int = n;
    map->mp.str_int = map->pointers;
}

/* With memory for sorting and without. */
static void expect_sorted(const void *msg, const char *bytes, size_t len) {
    counting_allocator c;
    pbt_options options = {.flags = PBT_DETERMINISTIC,
                           .allocator = &c.allocator};
    static uint8_t out[SPACE];
    size_t n = 0;
    counting_allocator_init(&c);
    reflect_expect(msg, &options, bytes, len);
    ck_assert_uint_eq(c.live, 0);
    c.left = 0;
    ck_assert_int_eq(
        pbt_reflect_marshal_into(road, msg, &options, out, sizeof out, &n),
        PBT_OK);
    ck_assert_uint_eq(n, len);
    ck_assert_mem_eq(out, bytes, len);
}

#define EXPECT_SORTED(msg, text) expect_sorted(msg, text, sizeof(text) - 1)

START_TEST(string_keys_are_sorted_and_the_last_wins) {
    static const char *const keys[] = {"b", "a\xff", "a", "b", "ab", "", "a"};
    map_of_strings map;
    make_map(&map, keys, 7);
    EXPECT(&map.mp, 0,
           "\x0a\x05\x0a\x01"
           "b\x10\x01"
           "\x0a\x06\x0a\x02"
           "a\xff\x10\x02"
           "\x0a\x05\x0a\x01"
           "a\x10\x03"
           "\x0a\x05\x0a\x01"
           "b\x10\x04"
           "\x0a\x06\x0a\x02"
           "ab\x10\x05"
           "\x0a\x02\x10\x06"
           "\x0a\x05\x0a\x01"
           "a\x10\x07");
    EXPECT_SORTED(&map.mp, "\x0a\x02\x10\x06"
                           "\x0a\x05\x0a\x01"
                           "a\x10\x07"
                           "\x0a\x06\x0a\x02"
                           "ab\x10\x05"
                           "\x0a\x06\x0a\x02"
                           "a\xff\x10\x02"
                           "\x0a\x05\x0a\x01"
                           "b\x10\x04");
}
END_TEST

START_TEST(sorted_maps_need_no_memory) {
    static const char *const keys[] = {"", "a", "ab", "b"};
    pbt_options options = {.flags = PBT_DETERMINISTIC,
                           .allocator = &refusing_allocator};
    map_of_strings map;
    size_t size = 0;
    make_map(&map, keys, 4);
    ck_assert_int_eq(pbt_reflect_size(road, &map.mp, &options, &size), PBT_OK);
    ck_assert_uint_eq(size, 4 + 7 + 8 + 7);
}
END_TEST

START_TEST(number_and_bool_keys_are_sorted_by_value) {
    R3__Mp mp = R3__MP__INIT;
    R3__Mp__BsEntry b[2] = {R3__MP__BS_ENTRY__INIT, R3__MP__BS_ENTRY__INIT};
    R3__Mp__BsEntry *bs[] = {&b[0], &b[1]};
    R3__Mp__Im2xEntry i[3] = {R3__MP__IM2X_ENTRY__INIT,
                              R3__MP__IM2X_ENTRY__INIT,
                              R3__MP__IM2X_ENTRY__INIT};
    R3__Mp__Im2xEntry *im[] = {&i[0], &i[1], &i[2]};
    R3__Mp__UsEntry u[2] = {R3__MP__US_ENTRY__INIT, R3__MP__US_ENTRY__INIT};
    R3__Mp__UsEntry *us[] = {&u[0], &u[1]};
    b[0].key = 77;
    i[0].key = 3;
    i[1].key = -1;
    u[0].key = UINT64_MAX;
    u[1].key = 1;
    mp.n_bs = mp.n_us = 2;
    mp.bs = bs;
    mp.us = us;
    mp.n_im_2x = 3;
    mp.im_2x = im;
    EXPECT_SORTED(&mp, "\x12\0\x12\x02\x08\x01"
                       "\x1a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
                       "\x1a\0\x1a\x02\x08\x03"
                       "\x22\x02\x08\x01"
                       "\x22\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
}
END_TEST

START_TEST(absent_keys_sort_as_zero) {
    R2__Mp mp = R2__MP__INIT;
    R2__Mp__ReqsEntry e[3] = {R2__MP__REQS_ENTRY__INIT,
                              R2__MP__REQS_ENTRY__INIT,
                              R2__MP__REQS_ENTRY__INIT};
    R2__Mp__ReqsEntry *reqs[] = {&e[0], &e[1], &e[2]};
    e[0].has_key = e[1].has_key = 1;
    e[0].key = 1;
    e[1].key = -1;
    e[2].key = 9; /* without has_key */
    mp.n_reqs = 3;
    mp.reqs = reqs;
    EXPECT_SORTED(&mp, "\x12\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
                       "\x12\0\x12\x02\x08\x01");
    mp.n_reqs = 1;
    mp.reqs = &reqs[2];
    EXPECT(&mp, PBT_CONFORMANT, "\x12\x04\x08\0\x12\0");
}
END_TEST

START_TEST(entries_are_whole_when_conformant) {
    R3__Mp mp = R3__MP__INIT;
    R3__Mp__StrIntEntry s = R3__MP__STR_INT_ENTRY__INIT;
    R3__Mp__StrIntEntry *si[] = {&s};
    R3__Mp__Im2xEntry i = R3__MP__IM2X_ENTRY__INIT;
    R3__Mp__Im2xEntry *im[] = {&i};
    i.key = 1;
    s.key = NULL;
    mp.n_str_int = mp.n_im_2x = 1;
    mp.str_int = si;
    mp.im_2x = im;
    EXPECT(&mp, 0, "\x0a\0\x1a\x02\x08\x01");
    EXPECT(&mp, PBT_CONFORMANT, "\x0a\x04\x0a\0\x10\0\x1a\x04\x08\x01\x12\0");
}
END_TEST

START_TEST(a_foreign_entry_keeps_the_stored_order) {
    static const char *const keys[] = {"b", "a", "c"};
    map_of_strings map;
    R3__Sub foreign = R3__SUB__INIT;
    make_map(&map, keys, 3);
    map.pointers[2] = (R3__Mp__StrIntEntry *) &foreign;
    EXPECT(&map.mp, PBT_DETERMINISTIC | PBT_CONFORMANT,
           "\x0a\x05\x0a\x01"
           "b\x10\x01"
           "\x0a\x05\x0a\x01"
           "a\x10\x02"
           "\x0a\0");
}
END_TEST

/* Many entries in random order: sorted by both ways, and not in n squared. */
START_TEST(large_maps_are_sorted) {
    enum { N = 600 };
    static R3__Mp__UsEntry entries[N];
    static R3__Mp__UsEntry *pointers[N];
    static uint8_t first[SPACE], second[SPACE];
    counting_allocator c;
    pbt_options options = {.flags = PBT_DETERMINISTIC,
                           .allocator = &c.allocator};
    R3__Mp mp = R3__MP__INIT, *parsed;
    size_t len = 0, again = 0, i;
    counting_allocator_init(&c);
    random_seed(3);
    for (i = 0; i < N; i++) {
        r3__mp__us_entry__init(&entries[i]);
        entries[i].key = random_bits() % 450;
        pointers[i] = &entries[i];
    }
    mp.n_us = N;
    mp.us = pointers;
    ck_assert_int_eq(
        pbt_reflect_marshal_into(road, &mp, &options, first, SPACE, &len),
        PBT_OK);
    ck_assert_uint_eq(c.calls, 1);
    ck_assert_uint_eq(c.live, 0);
    c.left = 0;
    ck_assert_int_eq(
        pbt_reflect_marshal_into(road, &mp, &options, second, SPACE, &again),
        PBT_OK);
    ck_assert_uint_eq(len, again);
    ck_assert_mem_eq(first, second, len);
    parsed = r3__mp__unpack(NULL, len, first);
    ck_assert_ptr_nonnull(parsed);
    for (i = 1; i < parsed->n_us; i++)
        ck_assert_uint_lt(parsed->us[i - 1]->key, parsed->us[i]->key);
    r3__mp__free_unpacked(parsed, NULL);
}
END_TEST

Suite *reflect_map_suite(void) {
    Suite *suite = suite_create("reflect_map");
    TCase *maps = tcase_create("maps");
    tcase_add_test(maps, string_keys_are_sorted_and_the_last_wins);
    tcase_add_test(maps, sorted_maps_need_no_memory);
    tcase_add_test(maps, number_and_bool_keys_are_sorted_by_value);
    tcase_add_test(maps, absent_keys_sort_as_zero);
    tcase_add_test(maps, entries_are_whole_when_conformant);
    tcase_add_test(maps, a_foreign_entry_keeps_the_stored_order);
    tcase_add_test(maps, large_maps_are_sorted);
    suite_add_tcase(suite, maps);
    return suite;
}
