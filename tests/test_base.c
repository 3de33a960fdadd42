/* test_base.c - the base: UTF-8, error paths, and the buffer. */
#include <string.h>

#include "base_error.h"
#include "base_utf8.h"
#include "suites.h"
#include "support_arena.h"
#include "support_expect.h"

/* Length of the UTF-8 form of the code point at text, or 0: decodes and then
 * asks whether the code point is allowed and its form the shortest. */
static size_t decode(const uint8_t *text, size_t left) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t point;
    size_t n, i;
    if (text[0] < 0x80)
        return 1;
    if (text[0] < 0xc0 || text[0] > 0xf7)
        return 0;
    n = text[0] < 0xe0 ? 2 : text[0] < 0xf0 ? 3 : 4;
    point = text[0] & (0x7fu >> n);
    if (left < n)
        return 0;
    for (i = 1; i < n; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        point = point << 6 | (text[i] & 0x3f);
    }
    if (point < least[n] || point > 0x10ffff ||
        (point >= 0xd800 && point <= 0xdfff))
        return 0;
    return n;
}

static size_t valid_prefix(const uint8_t *text, size_t len) {
    size_t at = 0, n = 1;
    while (at < len && (n = decode(text + at, len - at)) > 0)
        at += n;
    return at;
}

static void compare_utf8(const uint8_t *text, size_t len) {
    expect_number("valid bytes", pbti_utf8_valid_prefix(text, len),
                  valid_prefix(text, len));
}

START_TEST(utf8_of_all_short_sequences) {
    uint32_t i;
    expect_context("short sequence");
    for (i = 0; i < 1u << 24; i += i < 1u << 16 ? 1 : 5) {
        const uint8_t text[] = {(uint8_t) (i >> 16), (uint8_t) (i >> 8),
                                (uint8_t) i};
        compare_utf8(text, 3);
    }
    for (i = 0; i < 1u << 16; i++) {
        const uint8_t text[] = {(uint8_t) (i >> 8), (uint8_t) i};
        compare_utf8(text, 2);
        compare_utf8(text, 1);
    }
}
END_TEST

START_TEST(utf8_of_four_bytes) {
    static const uint8_t edges[] = {0x00, 0x41, 0x7f, 0x80, 0x8f, 0x90, 0x9f,
                                    0xa0, 0xbf, 0xc0, 0xc2, 0xed, 0xf0, 0xff};
    enum { N = sizeof edges };
    uint32_t i;
    expect_context("four bytes");
    for (i = 0; i < 16 * N * N * N; i++) {
        const uint8_t text[] = {(uint8_t) (0xf0 + i % 16), edges[i / 16 % N],
                                edges[i / 16 / N % N],
                                edges[i / 16 / N / N % N]};
        compare_utf8(text, 4);
    }
}
END_TEST

START_TEST(utf8_at_every_place_in_a_long_text) {
    static const char *const odd[] = {"\xff", "\xc2\x80", "\xed\xa0\x80",
                                      "\xf4\x8f\xbf\xbf", "\xe2\x82"};
    size_t len, at, i;
    for (len = 0; len < 40; len++)
        for (at = 0; at < len; at++)
            for (i = 0; i < sizeof odd / sizeof *odd; i++) {
                arena a = {0};
                uint8_t *text = arena_alloc(&a, len);
                size_t n = strlen(odd[i]);
                memset(text, 'a', len);
                memcpy(text + at, odd[i], n < len - at ? n : len - at);
                expect_context("length %zu, at %zu, text %zu", len, at, i);
                compare_utf8(text, len);
                arena_free(&a);
            }
    ck_assert_uint_eq(pbti_utf8_valid_prefix(NULL, 0), 0);
}
END_TEST

START_TEST(paths_of_all_parts) {
    pbti_path path = {0};
    pbt_error error;
    pbti_path_field(&path, "a", 1);
    pbti_path_index(&path, 3);
    pbti_path_field(&path, NULL, 77);
    pbti_path_signed_key(&path, INT64_MIN);
    pbti_path_unsigned_key(&path, UINT64_MAX);
    pbti_path_bool_key(&path, true);
    pbti_path_bool_key(&path, false);
    pbti_path_string_key(&path, "k\n\"\\\x7f");
    expect_status("fail",
                  pbti_fail(&error, PBT_ERR_UTF8, 77, &path, "%d bytes", 5),
                  PBT_ERR_UTF8);
    ck_assert_str_eq(error.path,
                     "a[3].#77[-9223372036854775808][18446744073709551615]"
                     "[true][false][\"k\\x0a\\\"\\\\\\x7f\"]");
    ck_assert_str_eq(error.message, "5 bytes");
    ck_assert_uint_eq(error.field_number, 77);
    ck_assert_int_eq(error.status, PBT_ERR_UTF8);
}
END_TEST

START_TEST(paths_lose_their_middle) {
    char name[601];
    size_t len, i;
    for (len = 1; len < sizeof name; len++) {
        pbti_path path = {0};
        pbt_error error;
        for (i = 0; i < len; i++)
            name[i] = (char) ('a' + i % 26);
        name[len] = '\0';
        pbti_path_field(&path, name, 1);
        expect_context("path of %zu bytes", len);
        expect_status("fail", pbti_fail(&error, PBT_ERR_UTF8, 1, &path, NULL),
                      PBT_ERR_UTF8);
        if (len < sizeof error.path) {
            expect_text("path", error.path, name);
            continue;
        }
        expect_number("length", strlen(error.path), sizeof error.path - 1);
        expect_true("the start", memcmp(error.path, name, 126) == 0);
        expect_true("the dots", memcmp(error.path + 126, "...", 3) == 0);
        expect_text("the end", error.path + 129, name + len - 126);
    }
}
END_TEST

START_TEST(a_report_is_optional_and_complete) {
    pbt_error error;
    memset(&error, 0x5a, sizeof error);
    expect_context("report");
    expect_status("no report", pbti_fail(NULL, PBT_ERR_SINK, 0, NULL, NULL),
                  PBT_ERR_SINK);
    expect_status("report", pbti_fail(&error, PBT_ERR_SINK, 0, NULL, NULL),
                  PBT_ERR_SINK);
    expect_text("path", error.path, "");
    expect_text("message", error.message, pbt_status_message(PBT_ERR_SINK));
    expect_number("field number", error.field_number, 0);
}
END_TEST

Suite *base_suite(void) {
    Suite *suite = suite_create("base");
    TCase *tests = tcase_create("base");
    tcase_add_test(tests, utf8_of_all_short_sequences);
    tcase_add_test(tests, utf8_of_four_bytes);
    tcase_add_test(tests, utf8_at_every_place_in_a_long_text);
    tcase_add_test(tests, paths_of_all_parts);
    tcase_add_test(tests, paths_lose_their_middle);
    tcase_add_test(tests, a_report_is_optional_and_complete);
    suite_add_tcase(suite, tests);
    return suite;
}
