/* bench_gen_text.c - long texts in many scripts: one that is nearly all
 * characters of two and three bytes, and one of which every third has to be
 * escaped. */
#include "bench_gen.h"

#include <stdio.h>

enum { CHARS = 128 /* of a text, on average */ };

/* A script's name and the range of its characters. */
typedef struct script {
    const char *name;
    unsigned first;
    unsigned last;
} script;

static const script scripts[] = {
    {"Arabic", 0x621, 0x64a},
    {"Arabic Presentation Forms-A", 0xfbd3, 0xfd3d},
    {"Armenian", 0x561, 0x586},
    {"Bengali", 0x995, 0x9b9},
    {"Bopomofo", 0x3105, 0x312d},
    {"CJK Unified Ideographs", 0x4e00, 0x9fa5},
    {"Cherokee", 0x13a0, 0x13f4},
    {"Cyrillic", 0x430, 0x44f},
    {"Devanagari", 0x905, 0x939},
    {"Emoticons", 0x1f600, 0x1f64f},
    {"Ethiopic", 0x1208, 0x1248},
    {"Georgian", 0x10d0, 0x10f0},
    {"Greek and Coptic", 0x3b1, 0x3c9},
    {"Gujarati", 0xa95, 0xab9},
    {"Hangul Syllables", 0xac00, 0xd7a3},
    {"Hebrew", 0x5d0, 0x5ea},
    {"Hiragana", 0x3041, 0x3096},
    {"Katakana", 0x30a1, 0x30fa},
    {"Khmer", 0x1780, 0x17b3},
    {"Lao", 0xe81, 0xe84},
    {"Latin Extended-A", 0x100, 0x17f},
    {"Malayalam", 0xd15, 0xd39},
    {"Mongolian", 0x1820, 0x1877},
    {"Myanmar", 0x1000, 0x1027},
    {"Sinhala", 0xd9a, 0xdb1},
    {"Tamil", 0xbae, 0xbb9},
    {"Telugu", 0xc2a, 0xc39},
    {"Thai", 0xe01, 0xe30},
    {"Tibetan", 0xf40, 0xf47},
    {"Yi Syllables", 0xa000, 0xa48c}};

static size_t put_utf8(char *to, unsigned code) {
    size_t n = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char marks[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = n - 1; i > 0; i--, code >>= 6)
        to[i] = (char) (0x80 | (code & 0x3f));
    to[0] = (char) (marks[n] | code);
    return n;
}

static unsigned pick_char(const script *from, bench_random *random,
                          bool is_escaped) {
    static const char escaped[] = {'"', '\\', '\n', '\t', '\r', '\b', '\f', 1};
    uint64_t kind = random_between(random, 0, 99);
    if (is_escaped && kind < 33)
        return (unsigned char)
            escaped[random_between(random, 0, sizeof escaped - 1)];
    if (is_escaped && kind < 80)
        return 'a' + (unsigned) random_between(random, 0, 25);
    if (kind >= 90)
        return ' ';
    return (unsigned) random_between(random, from->first, from->last);
}

static void put_scripts(bench_random *random, wire_writer *out,
                        bool is_escaped) {
    char text[8 * CHARS + 1];
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        size_t len = 0;
        uint64_t n = random_between(random, CHARS / 2, CHARS * 3 / 2);
        for (; n > 0; n--)
            len += put_utf8(text + len,
                            pick_char(&scripts[i], random, is_escaped));
        text[len] = '\0';
        size_t entry = wire_open(out, 1);
        wire_string(out, 1, scripts[i].name);
        wire_string(out, 2, text);
        wire_close(out, entry);
    }
}

void fill_text_unicode(wire_writer *out, bench_random *random) {
    put_scripts(random, out, false);
}

void fill_text_escaped(wire_writer *out, bench_random *random) {
    put_scripts(random, out, true);
}
