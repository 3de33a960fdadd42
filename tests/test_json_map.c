/* test_json_map.c - maps as JSON: keys, order, duplicates, values that are not
 * there. */
#include <stdio.h>
#include <stdlib.h>

#include "json2.pb-c.h"
#include "json3.pb-c.h"
#include "suites.h"
#include "support_expect.h"
#include "support_json.h"

/* Makes an array of n entries of a map. */
#define ENTRIES(Type, INIT, n)                                                 \
    Type entry[n];                                                             \
    Type *entries[n];                                                          \
    do {                                                                       \
        size_t k;                                                              \
        for (k = 0; k < (n); k++) {                                            \
            Type start = INIT;                                                 \
            entry[k] = start;                                                  \
            entries[k] = &entry[k];                                            \
        }                                                                      \
    } while (0)

START_TEST(string_keys) {
    ENTRIES(J3__Maps__SiEntry, J3__MAPS__SI_ENTRY__INIT, 4);
    J3__Maps maps = J3__MAPS__INIT;
    entry[0].key = text("a\"b");
    entry[0].value = 1;
    entry[1].key = text("");
    entry[1].value = 2;
    entry[2].key = NULL;
    entry[2].value = 3;
    entry[3].key = text("\xc3\xa9");
    maps.n_si = 2;
    maps.si = entries;
    json_expect(&maps, 0, "{\"si\":{\"a\\\"b\":1,\"\":2}}");
    json_expect(&maps, PBT_JSON_SORT_MAP_KEYS,
                "{\"si\":{\"\":2,\"a\\\"b\":1}}");
    maps.n_si = 4;
    json_expect(&maps, 0, "{\"si\":{\"a\\\"b\":1,\"\":3,\"\xc3\xa9\":0}}");
    json_expect_with(&maps, &(pbt_json_options){.indent = 1},
                     "{\n \"si\": {\n  \"a\\\"b\": 1,\n  \"\": 3,\n"
                     "  \"\xc3\xa9\": 0\n }\n}");
    entry[3].key = text("k\xff");
    json_expect_error(&maps, 0, PBT_ERR_UTF8, "si[\"k\xff\"].key");
}
END_TEST

START_TEST(bool_keys) {
    ENTRIES(J3__Maps__BsEntry, J3__MAPS__BS_ENTRY__INIT, 3);
    J3__Maps maps = J3__MAPS__INIT;
    entry[0].key = 1;
    entry[0].value = text("yes");
    entry[1].key = 0;
    entry[1].value = NULL;
    entry[2].key = 5;
    entry[2].value = text("5");
    maps.n_bs = 2;
    maps.bs = entries;
    json_expect(&maps, 0, "{\"bs\":{\"true\":\"yes\",\"false\":\"\"}}");
    json_expect(&maps, PBT_JSON_SORT_MAP_KEYS,
                "{\"bs\":{\"false\":\"\",\"true\":\"yes\"}}");
    maps.n_bs = 3;
    json_expect(&maps, 0, "{\"bs\":{\"false\":\"\",\"true\":\"5\"}}");
}
END_TEST

START_TEST(number_keys) {
    ENTRIES(J3__Maps__UdEntry, J3__MAPS__UD_ENTRY__INIT, 3);
    J3__Maps maps = J3__MAPS__INIT;
    entry[0].key = UINT64_MAX;
    entry[0].value = 0.5;
    entry[1].key = 9;
    entry[1].value = -0.0;
    entry[2].key = 10;
    maps.n_ud = 3;
    maps.ud = entries;
    json_expect(&maps, 0,
                "{\"ud\":{\"18446744073709551615\":0.5,\"9\":0,\"10\":0}}");
    json_expect(&maps, PBT_JSON_SORT_MAP_KEYS,
                "{\"ud\":{\"9\":0,\"10\":0,\"18446744073709551615\":0.5}}");
    json_expect(&maps, PBT_JSON_CONFORMANT,
                "{\"ud\":{\"18446744073709551615\":0.5,\"9\":-0,\"10\":0}}");
}
END_TEST

START_TEST(signed_keys) {
    ENTRIES(J3__Maps__ImEntry, J3__MAPS__IM_ENTRY__INIT, 3);
    J3__Maps maps = J3__MAPS__INIT;
    J3__Sub sub = J3__SUB__INIT;
    sub.v = 4;
    entry[0].key = 3;
    entry[0].value = &sub;
    entry[1].key = -5;
    entry[2].key = INT64_MIN;
    entry[2].value = &sub;
    maps.n_im = 3;
    maps.im = entries;
    json_expect(&maps, 0,
                "{\"im\":{\"3\":{\"v\":4},\"-5\":{},"
                "\"-9223372036854775808\":{\"v\":4}}}");
    json_expect(&maps, PBT_JSON_SORT_MAP_KEYS,
                "{\"im\":{\"-9223372036854775808\":{\"v\":4},\"-5\":{},"
                "\"3\":{\"v\":4}}}");
}
END_TEST

START_TEST(other_values) {
    ENTRIES(J3__Maps__IeEntry, J3__MAPS__IE_ENTRY__INIT, 2);
    J3__Maps__FbEntry fb = J3__MAPS__FB_ENTRY__INIT, *fbs[] = {&fb};
    J3__Maps__SlEntry sl = J3__MAPS__SL_ENTRY__INIT, *sls[] = {&sl};
    J3__Maps__IbEntry ib = J3__MAPS__IB_ENTRY__INIT, *ibs[] = {&ib};
    J3__Maps maps = J3__MAPS__INIT;
    entry[0].key = -1;
    entry[0].value = J3__E__TWO;
    entry[1].value = (J3__E) 99;
    maps.n_ie = 2;
    maps.ie = entries;
    fb.key = 7;
    fb.value = bytes("a");
    maps.n_fb = maps.n_sl = maps.n_ib = 1;
    maps.fb = fbs;
    sl.key = text("l");
    sl.value = -8;
    maps.sl = sls;
    ib.value = 1;
    maps.ib = ibs;
    json_expect(&maps, 0,
                "{\"ie\":{\"-1\":\"TWO\",\"0\":99},\"fb\":{\"7\":\"YQ==\"},"
                "\"sl\":{\"l\":\"-8\"},\"ib\":{\"0\":true}}");
    json_expect(&maps, PBT_JSON_ENUM_NUMBERS | PBT_JSON_INT64_AS_NUMBER,
                "{\"ie\":{\"-1\":2,\"0\":99},\"fb\":{\"7\":\"YQ==\"},"
                "\"sl\":{\"l\":-8},\"ib\":{\"0\":true}}");
}
END_TEST

/* A message that is NULL in a map is an empty one. */
START_TEST(values_that_are_not_there) {
    J3__Maps__StEntry st = J3__MAPS__ST_ENTRY__INIT, *sts[] = {&st};
    J3__Maps__SvEntry sv = J3__MAPS__SV_ENTRY__INIT, *svs[] = {&sv};
    J3__Maps maps = J3__MAPS__INIT;
    J2__Requires__SubsEntry sub = J2__REQUIRES__SUBS_ENTRY__INIT;
    J2__Requires__SubsEntry *subs[] = {&sub};
    J2__Requires requires = J2__REQUIRES__INIT;
    J2__Sub lacking = J2__SUB__INIT;
    st.key = text("t");
    maps.n_st = 1;
    maps.st = sts;
    json_expect(&maps, 0, "{\"st\":{\"t\":\"1970-01-01T00:00:00Z\"}}");
    sv.key = text("v");
    maps.n_sv = 1;
    maps.sv = svs;
    json_expect_error(&maps, 0, PBT_ERR_VALUE, "sv[\"v\"].value");
    sub.key = text("k");
    requires.n_subs = 1;
    requires.subs = subs;
    json_expect(&requires, 0, "{\"subs\":{\"k\":{}}}");
    sub.value = &lacking;
    json_expect_error(&requires, 0, PBT_ERR_REQUIRED, "subs[\"k\"].value.name");
}
END_TEST

/* The last of each key counts, and stays where it is. */
START_TEST(duplicates) {
    enum { MAX = 40 };
    ENTRIES(J3__Maps__SiEntry, J3__MAPS__SI_ENTRY__INIT, MAX);
    char keys[MAX][8];
    char want[1000];
    size_t n, i, same;
    for (n = 2; n <= MAX; n++) {
        for (same = 0; same + 1 < n; same++) {
            J3__Maps maps = J3__MAPS__INIT;
            size_t len = (size_t) snprintf(want, sizeof want, "{\"si\":{");
            for (i = 0; i < n; i++) {
                /* not in order */
                snprintf(keys[i], sizeof keys[i], "k%zu", (n - i) * 7 % 100);
                entry[i].key = keys[i + 1 == n ? same : i];
                entry[i].value = (int32_t) i;
                if (i != same)
                    len += (size_t) snprintf(
                        want + len, sizeof want - len, "%s\"%s\":%zu",
                        want[len - 1] == '{' ? "" : ",", entry[i].key, i);
            }
            snprintf(want + len, sizeof want - len, "}}");
            maps.n_si = n;
            maps.si = entries;
            expect_context("%zu entries, number %zu twice", n, same);
            if (same < 2 || same + 3 > n)
                json_expect(&maps, 0, want);
        }
    }
}
END_TEST

START_TEST(many_entries_are_sorted) {
    enum { N = 1000 };
    J3__Maps__SiEntry *entry = calloc(N, sizeof *entry);
    J3__Maps__SiEntry **entries = calloc(N, sizeof(J3__Maps__SiEntry *));
    char(*keys)[8] = calloc(N, 8);
    char *want = calloc(N, 20);
    J3__Maps maps = J3__MAPS__INIT;
    size_t len = (size_t) sprintf(want, "{\"si\":{");
    size_t i;
    pbt_json_options stable = PBT_JSON_STABLE;
    for (i = 0; i < N; i++) {
        J3__Maps__SiEntry start = J3__MAPS__SI_ENTRY__INIT;
        size_t number = i * 617 % N;
        entry[i] = start;
        sprintf(keys[i], "%03zu", number);
        entry[i].key = keys[i];
        entry[i].value = (int32_t) number;
        entries[i] = &entry[i];
        len +=
            (size_t) sprintf(want + len, "%s\"%03zu\":%zu", i ? "," : "", i, i);
    }
    sprintf(want + len, "}}");
    maps.n_si = N;
    maps.si = entries;
    json_expect_with(&maps, &stable, want);
    free(entry);
    free(entries);
    free(keys);
    free(want);
}
END_TEST

START_TEST(bad_entries) {
    ENTRIES(J3__Maps__SiEntry, J3__MAPS__SI_ENTRY__INIT, 2);
    J3__Maps__SlEntry other = J3__MAPS__SL_ENTRY__INIT;
    J3__Maps maps = J3__MAPS__INIT;
    maps.n_si = 2;
    json_expect_error(&maps, 0, PBT_ERR_BAD_MESSAGE, "si");
    maps.si = entries;
    entries[1] = NULL;
    json_expect_error(&maps, 0, PBT_ERR_BAD_MESSAGE, "si[1]");
    entries[1] = (J3__Maps__SiEntry *) &other;
    json_expect_error(&maps, 0, PBT_ERR_BAD_MESSAGE, "si[1]");
}
END_TEST

Suite *json_map_suite(void) {
    Suite *suite = suite_create("json_map");
    TCase *tcase = tcase_create("json_map");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, string_keys);
    tcase_add_test(tcase, bool_keys);
    tcase_add_test(tcase, number_keys);
    tcase_add_test(tcase, signed_keys);
    tcase_add_test(tcase, other_values);
    tcase_add_test(tcase, values_that_are_not_there);
    tcase_add_test(tcase, duplicates);
    tcase_add_test(tcase, many_entries_are_sorted);
    tcase_add_test(tcase, bad_entries);
    suite_add_tcase(suite, tcase);
    return suite;
}
