/* test_json_string.c - strings and base64: every length, every byte that is
 * special at every kind of place, and text that ends where memory does; each
 * CPU level against a plain reference. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "suites.h"
#include "support_expect.h"
#include "support_json_text.h"
#include "support_rng.h"

enum { MOST_BYTES = 2048, MOST_TEXT = 6 * MOST_BYTES + 64, GUARD = 32 };

static const pbti_json_escaping policies[] = {
    {PBTI_JSON_UTF8_ERROR, false, false},
    {PBTI_JSON_UTF8_REPLACE, false, false},
    {PBTI_JSON_UTF8_TRUST, false, false},
    {PBTI_JSON_UTF8_ERROR, true, false},
    {PBTI_JSON_UTF8_REPLACE, true, false},
    {PBTI_JSON_UTF8_TRUST, true, false},
    {PBTI_JSON_UTF8_ERROR, false, true},
    {PBTI_JSON_UTF8_REPLACE, false, true},
    {PBTI_JSON_UTF8_TRUST, true, true},
};
enum { N_POLICIES = sizeof policies / sizeof *policies };

/* The reference decodes first, then asks for limits. */
typedef struct decoded {
    uint32_t point;
    size_t length;
    bool is_good;
} decoded;

/* Could these n bytes be the start of a good sequence, or a whole one? */
static bool may_start(const uint8_t *s, size_t n, size_t length) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t low, high;
    size_t i;
    low = s[0] & (0x7fu >> length);
    for (i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return false;
        low = low << 6 | (s[i] & 0x3f);
    }
    high = low;
    for (i = n; i < length; i++) {
        low <<= 6;
        high = high << 6 | 0x3f;
    }
    if (high < least[length] || low > 0x10ffff)
        return false;
    return low < 0xd800 || high > 0xdfff;
}

static decoded decode(const uint8_t *s, size_t left) {
    decoded d = {s[0], 1, s[0] < 0x80};
    size_t length, i;
    if (s[0] < 0xc0 || s[0] >= 0xf8)
        return d;
    length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    if (!may_start(s, 1, length))
        return d;
    while (d.length < length && d.length < left &&
           may_start(s, d.length + 1, length))
        d.length++;
    d.is_good = d.length == length;
    d.point = s[0] & (0x7fu >> length);
    for (i = 1; i < d.length; i++)
        d.point = d.point << 6 | (s[i] & 0x3f);
    return d;
}

static bool must_escape(uint32_t point, const pbti_json_escaping *how) {
    if (point < 0x20 || point == '"' || point == '\\')
        return true;
    if (how->html && (point == '<' || point == '>' || point == '&' ||
                      point == 0x2028 || point == 0x2029))
        return true;
    return how->ascii_only && point > 0x7f;
}

static int print_escaped(char *p, uint32_t point) {
    static const char letters[] = "\"\\\b\f\n\r\t", names[] = "\"\\bfnrt";
    const char *letter = point ? strchr(letters, (int) point) : NULL;
    if (point < 0x80 && letter)
        return sprintf(p, "\\%c", names[letter - letters]);
    if (point < 0x10000)
        return sprintf(p, "\\u%04x", point);
    return sprintf(p, "\\u%04x\\u%04x", 0xd800 + ((point - 0x10000) >> 10),
                   0xdc00 + ((point - 0x10000) & 0x3ff));
}

static size_t refer(char *p, const uint8_t *s, size_t n,
                    const pbti_json_escaping *how, size_t *used) {
    char *start = p;
    size_t at = 0;
    while (at < n) {
        decoded d = decode(s + at, n - at);
        if (!d.is_good && how->utf8 == PBTI_JSON_UTF8_ERROR)
            break;
        if (!d.is_good &&
            (how->ascii_only || how->utf8 == PBTI_JSON_UTF8_REPLACE))
            p += sprintf(p, how->ascii_only ? "\\ufffd" : "\xef\xbf\xbd");
        else if (d.is_good && must_escape(d.point, how))
            p += print_escaped(p, d.point);
        else {
            memcpy(p, s + at, d.length);
            p += d.length;
        }
        at += d.length;
    }
    *used = at;
    return (size_t) (p - start);
}

/* Text at the end of a page, in front of one that must not be read. */
typedef struct fixture {
    uint8_t *end;
    size_t page;
    char *out, *want;
} fixture;

static fixture f;

static void set_up(void) {
    uint8_t *pages;
    f.page = (size_t) sysconf(_SC_PAGESIZE);
    pages =
        mmap(NULL, 3 * f.page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert(pages != MAP_FAILED);
    ck_assert(mprotect(pages + f.page, f.page, PROT_READ | PROT_WRITE) == 0);
    f.end = pages + 2 * f.page;
    f.out = malloc(MOST_TEXT + 2 * GUARD);
    f.want = malloc(MOST_TEXT + GUARD);
    ck_assert(f.out && f.want);
}

static void tear_down(void) {
    munmap(f.end - 2 * f.page, 3 * f.page);
    free(f.out);
    free(f.want);
}

static void expect_guards(size_t room) {
    size_t i;
    for (i = 0; i < GUARD; i++) {
        expect_true("nothing before the text is written", f.out[i] == '#');
        expect_true("nothing beyond the room is written",
                    f.out[GUARD + room + i] == '#');
    }
}

static void set_guards(size_t room) {
    memset(f.out, '#', GUARD);
    memset(f.out + GUARD + room, '#', GUARD);
}

static void compare_policy(const uint8_t *s, size_t n,
                           const pbti_json_escaping *how) {
    size_t n_levels, i, want_used, used, room = 6 * n + 64;
    size_t want = refer(f.want, s, n, how, &want_used);
    const json_text_level *levels = json_text_levels(&n_levels);
    for (i = 0; i < n_levels; i++) {
        char *end;
        set_guards(room);
        end = levels[i].escape(f.out + GUARD, (const char *) s, n, how, &used);
        expect_number(levels[i].name, used, want_used);
        expect_bytes(levels[i].name, f.out + GUARD,
                     (size_t) (end - f.out - GUARD), f.want, want);
        expect_guards(room);
    }
}

static void compare(const uint8_t *s, size_t n) {
    size_t i;
    for (i = 0; i < N_POLICIES; i++)
        compare_policy(s, n, &policies[i]);
}

/* The last n bytes of the page, filled with letters. */
static uint8_t *letters(size_t n) {
    size_t i;
    for (i = 0; i < n; i++)
        f.end[i - n] = (uint8_t) ('a' + i % 26);
    return f.end - n;
}

START_TEST(every_byte_at_every_length) {
    static const uint8_t specials[] = {0,    1,    '\b', '\t', '\n', 0x1f,
                                       '"',  '\\', '<',  '>',  '&',  ' ',
                                       0x7f, 0x80, 0xc3, 0xe2, 0xf0, 0xff};
    size_t n, i;
    for (n = 0; n <= 600; n++) {
        size_t stride = n < 140 ? 1 : 1 + n / 24;
        uint8_t *s = letters(n);
        expect_context("%zu letters", n);
        compare(s, n);
        for (i = 0; i < n; i += stride) {
            size_t which = (i + n) % sizeof specials;
            expect_context("byte %02x at %zu of %zu", specials[which], i, n);
            s[i] = specials[which];
            compare_policy(s, n, &policies[(i / 3 + n) % N_POLICIES]);
            s[i] = 'x';
        }
    }
}
END_TEST

START_TEST(every_byte) {
    size_t n, i;
    unsigned c;
    for (c = 0; c < 256; c++)
        for (n = 1; n < 36; n += n < 18 ? 1 : 7) {
            uint8_t *s = letters(n);
            for (i = 0; i < n; i += 1 + n / 5) {
                uint8_t old = s[i];
                expect_context("byte %02x at %zu of %zu", c, i, n);
                s[i] = (uint8_t) c;
                compare(s, n);
                s[i] = old;
            }
        }
}
END_TEST

/* Sequences, good and bad, across the borders of blocks. */
START_TEST(sequences_at_borders) {
    static const char *const sequences[] = {
        "\xc2\x80", "\xdf\xbf", "\xc3\xa4", "\xe0\xa0\x80", "\xed\x9f\xbf",
        "\xee\x80\x80", "\xef\xbf\xbf", "\xe2\x80\xa7", "\xe2\x80\xa8",
        "\xe2\x80\xa9", "\xe2\x80\xaf", "\xe2\x81\xb0", "\xf0\x90\x80\x80",
        "\xf4\x8f\xbf\xbf", "\xf0\x9f\x98\x80",
        /* overlong */
        "\xc0\xaf", "\xc1\xbf", "\xe0\x80\xaf", "\xe0\x9f\xbf",
        "\xf0\x80\x80\xaf", "\xf0\x8f\xbf\xbf",
        /* surrogates, above U+10FFFF, no lead at all */
        "\xed\xa0\x80", "\xed\xbf\xbf", "\xed\xa0\xbd\xed\xb8\x80",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xfe", "\x80",
        "\xbf\xbf", "\xf8\x88\x80\x80\x80", "\xfc\x84\x80\x80\x80\x80",
        /* truncated, and followed by another */
        "\xc3", "\xe2", "\xe2\x82", "\xf0", "\xf0\x9f", "\xf0\x9f\x98",
        "\xe2\x82\xc3\xa4", "\xf0\x9f\x98\xe2\x82\xac", "\xc3\xc3\xa4",
        "\xc3\xa4\xa4", "\xe2\x82\xac\xac", "\xf0\x9f\x98\x80\x80"};
    static const size_t sizes[] = {1,  2,  3,  4,  7,  8,  9,  15, 16, 17,
                                   31, 32, 33, 47, 48, 63, 64, 65, 80, 130};
    size_t k, i, at, back;
    for (k = 0; k < sizeof sequences / sizeof *sequences; k++)
        for (i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (back = 0; back < 6; back++) {
                size_t n = sizes[i], length = strlen(sequences[k]);
                uint8_t *s = letters(n + length);
                if (back > n)
                    continue;
                at = n - back;
                memcpy(s + at, sequences[k], length);
                expect_context("sequence %zu at %zu of %zu", k, at, n + length);
                compare(s, n + length);
                /* and within text that is not ASCII */
                for (at %= 3; at + 3 <= n - back; at += 3)
                    memcpy(s + at, "\xe3\x81\x82", 3);
                compare(s, n + length);
            }
}
END_TEST

/* All pairs of bytes, and triples of those at the limits of a range, where
 * validation in vectors looks them up. */
START_TEST(short_sequences) {
    static const uint8_t edges[] = {0x00, 0x22, 0x41, 0x7f, 0x80, 0x8f, 0x90,
                                    0x9f, 0xa0, 0xbf, 0xc0, 0xc1, 0xc2, 0xdf,
                                    0xe0, 0xe1, 0xec, 0xed, 0xee, 0xef, 0xf0,
                                    0xf1, 0xf3, 0xf4, 0xf5, 0xff};
    enum { N = sizeof edges };
    uint32_t i;
    uint8_t *s = letters(40);
    expect_context("short sequences");
    memcpy(s, "\xc3\xa4\xc3\xb6", 4);
    for (i = 0; i < 1u << 16; i++) {
        s[8] = (uint8_t) (i >> 8);
        s[9] = (uint8_t) i;
        compare_policy(s, 40, &policies[i % 2]);
    }
    for (i = 0; i < N * N * N * N; i++) {
        s[8] = edges[i % N];
        s[9] = edges[i / N % N];
        s[10] = edges[i / N / N % N];
        s[11] = edges[i / N / N / N];
        compare_policy(s, 40, &policies[i % 7 == 0]);
    }
}
END_TEST

/* A piece of text of one of the kinds that are met. */
static size_t put_piece(uint8_t *s, rng *r, unsigned kind) {
    static const char *const pieces[] = {"a",
                                         "plain text ",
                                         "\"",
                                         "\\",
                                         "\n",
                                         "\x01",
                                         "<b>",
                                         "\xc3\xa4",
                                         "\xd8\xa7",
                                         "\xe6\xbc\xa2",
                                         "\xe3\x81\x82",
                                         "\xe2\x80\xa8",
                                         "\xf0\x9f\x98\x80",
                                         "\xe2\x82",
                                         "\x80",
                                         "\xed\xa0\x80"};
    static const unsigned first[] = {0, 0, 7, 7, 0, 9},
                          count[] = {2, 7, 3, 6, 16, 2};
    const char *piece = pieces[first[kind] + rng_below(r, count[kind])];
    memcpy(s, piece, strlen(piece));
    return strlen(piece);
}

START_TEST(random_text) {
    rng r = {5};
    int i;
    for (i = 0; i < 12000; i++) {
        uint8_t text[MOST_BYTES], *s;
        size_t want = rng_below(&r, i % 10 ? 100 : MOST_BYTES - 32), n = 0;
        unsigned kind = rng_below(&r, 6);
        while (n < want)
            n += put_piece(text + n, &r, rng_chance(&r, 5) ? 4 : kind);
        s = f.end - n;
        memcpy(s, text, n);
        expect_context("random text %d", i);
        compare_policy(s, n, &policies[rng_below(&r, N_POLICIES)]);
    }
}
END_TEST

START_TEST(cutting_at_whole_sequences) {
    static const char text[] = "a\xc3\xa4"
                               "b\xe2\x82\xac\xf0\x9f\x98\x80z";
    static const size_t whole[] = {0, 1, 1, 3, 4, 4, 4, 7, 7, 7, 7, 11, 12};
    size_t n;
    for (n = 4; n < sizeof text; n++) {
        expect_context("%zu bytes", n);
        expect_number("whole", pbti_json_whole(text, n), whole[n]);
    }
    expect_context("not UTF-8");
    expect_number("a run of continuations",
                  pbti_json_whole("a\x80\x80\x80\x80\x80", 6), 6);
    expect_number("nothing", pbti_json_whole(NULL, 0), 0);
    expect_number("one lead", pbti_json_whole("\xf0", 1), 1);
}
END_TEST

static size_t refer_base64(char *p, const uint8_t *s, size_t n) {
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t bit, length = 0;
    for (bit = 0; bit < 8 * n; bit += 6) {
        unsigned v = (unsigned) s[bit / 8] << 8;
        if (bit / 8 + 1 < n)
            v |= s[bit / 8 + 1];
        p[length++] = alphabet[v >> (10 - bit % 8) & 63];
    }
    while (length % 4)
        p[length++] = '=';
    return length;
}

static void compare_base64(const uint8_t *s, size_t n) {
    size_t n_levels, i, want = refer_base64(f.want, s, n);
    size_t room = 4 * ((n + 2) / 3) + 32;
    const json_text_level *levels = json_text_levels(&n_levels);
    for (i = 0; i < n_levels; i++) {
        char *end;
        set_guards(room);
        end = levels[i].put_base64(f.out + GUARD, s, n);
        expect_bytes(levels[i].name, f.out + GUARD,
                     (size_t) (end - f.out - GUARD), f.want, want);
        expect_guards(room);
    }
}

START_TEST(base64) {
    static const struct {
        const char *bytes, *text;
    } examples[] = {{"", ""},
                    {"f", "Zg=="},
                    {"fo", "Zm8="},
                    {"foo", "Zm9v"},
                    {"foob", "Zm9vYg=="},
                    {"\xff\xfe", "//4="},
                    {"\xfb\xff", "+/8="}};
    rng r = {6};
    size_t n, i;
    int round;
    for (i = 0; i < sizeof examples / sizeof *examples; i++) {
        char text[64];
        *pbti_json_put_base64(text, (const uint8_t *) examples[i].bytes,
                              strlen(examples[i].bytes)) = 0;
        expect_context("example %zu", i);
        expect_text("base64", text, examples[i].text);
    }
    for (n = 0; n < 700; n++) {
        uint8_t *s = f.end - n;
        expect_context("%zu bytes", n);
        for (round = 0; round < 4; round++) {
            for (i = 0; i < n; i++)
                s[i] = (uint8_t) rng_next(&r);
            compare_base64(s, n);
        }
    }
    expect_context("no bytes");
    expect_true("no text", pbti_json_put_base64(f.out, NULL, 0) == f.out);
}
END_TEST

Suite *json_string_suite(void) {
    Suite *suite = suite_create("json_string");
    TCase *c = tcase_create("json_string");
    tcase_set_timeout(c, 300);
    tcase_add_checked_fixture(c, set_up, tear_down);
    tcase_add_test(c, every_byte_at_every_length);
    tcase_add_test(c, every_byte);
    tcase_add_test(c, sequences_at_borders);
    tcase_add_test(c, short_sequences);
    tcase_add_test(c, random_text);
    tcase_add_test(c, cutting_at_whole_sequences);
    tcase_add_test(c, base64);
    suite_add_tcase(suite, c);
    return suite;
}
