/* fuzz_valid.c - see fuzz_valid.h. Strict, slow and without recursion: messages
 * nest deeper than a stack does. */
#include "fuzz_valid.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct reader {
    const char *p;
    const char *end;
    bool is_pretty;
    char *open; /* the brackets around p */
    size_t depth;
} reader;

static void skip_blanks(reader *r) {
    while (r->is_pretty && r->p < r->end && memchr(" \t\n\r", *r->p, 4))
        r->p++;
}

static bool take(reader *r, char c) {
    if (r->p == r->end || *r->p != c)
        return false;
    r->p++;
    return true;
}

static bool take_word(reader *r, const char *word) {
    size_t len = strlen(word);
    if ((size_t) (r->end - r->p) < len || memcmp(r->p, word, len))
        return false;
    r->p += len;
    return true;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool take_digits(reader *r) {
    const char *start = r->p;
    while (r->p < r->end && is_digit(*r->p))
        r->p++;
    return r->p > start;
}

static bool take_number(reader *r) {
    take(r, '-');
    if (!take(r, '0') && !take_digits(r))
        return false;
    if (take(r, '.') && !take_digits(r))
        return false;
    if (!take(r, 'e') && !take(r, 'E'))
        return true;
    if (!take(r, '+'))
        take(r, '-');
    return take_digits(r);
}

/* Reads the u and its four hex digits behind a backslash, or returns -1. */
static int32_t take_unit(reader *r) {
    int32_t unit = 0;
    int i;
    if (!take(r, 'u') || r->end - r->p < 4)
        return -1;
    for (i = 0; i < 4; i++) {
        static const char digits[] = "0123456789abcdef";
        const char *digit = *r->p ? strchr(digits, *r->p) : NULL;
        if (!digit)
            return -1;
        unit = unit << 4 | (int32_t) (digit - digits);
        r->p++;
    }
    return unit;
}

/* Surrogates come in pairs. */
static bool take_escape(reader *r) {
    int32_t unit;
    if (r->p < r->end && memchr("\"\\/bfnrt", *r->p, 8)) {
        r->p++;
        return true;
    }
    unit = take_unit(r);
    if (unit < 0xd800 || unit > 0xdfff)
        return unit >= 0;
    if (unit > 0xdbff || !take(r, '\\'))
        return false;
    unit = take_unit(r);
    return unit >= 0xdc00 && unit <= 0xdfff;
}

static bool take_string(reader *r) {
    if (!take(r, '"'))
        return false;
    while (r->p < r->end && *r->p != '"') {
        char c = *r->p++;
        if ((unsigned char) c < 0x20 || (c == '\\' && !take_escape(r)))
            return false;
    }
    return take(r, '"');
}

static bool take_key(reader *r) {
    skip_blanks(r);
    if (!take_string(r))
        return false;
    skip_blanks(r);
    return take(r, ':');
}

static bool take_scalar(reader *r) {
    if (r->p < r->end && *r->p == '"')
        return take_string(r);
    return take_word(r, "null") || take_word(r, "true") ||
           take_word(r, "false") || take_number(r);
}

/* Goes into objects and arrays until a scalar or an empty one has been read. */
static bool enter(reader *r) {
    for (;;) {
        char close;
        skip_blanks(r);
        if (take(r, '{'))
            close = '}';
        else if (take(r, '['))
            close = ']';
        else
            return take_scalar(r);
        skip_blanks(r);
        if (take(r, close))
            return true;
        r->open[r->depth++] = close;
        if (close == '}' && !take_key(r))
            return false;
    }
}

static bool take_value(reader *r) {
    if (!enter(r))
        return false;
    while (r->depth) {
        char close = r->open[r->depth - 1];
        skip_blanks(r);
        if (take(r, close)) {
            r->depth--;
        } else if (!take(r, ',') || (close == '}' && !take_key(r)) ||
                   !enter(r)) {
            return false;
        }
    }
    return true;
}

bool fuzz_is_json(const char *text, size_t len, bool is_pretty) {
    reader r = {.p = text, .end = text + len, .is_pretty = is_pretty};
    bool is_json;
    if (!len)
        return false;
    r.open = malloc(len);
    is_json = r.open && take_value(&r) && r.p == r.end;
    free(r.open);
    return is_json;
}

/* The bytes of a sequence, or 0 if it is none. */
static size_t sequence_length(const unsigned char *s, size_t len) {
    static const uint32_t lowest[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t i, n = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    uint32_t code = n == 1 ? s[0] : s[0] & (0x7fu >> n);
    if (n > len || (n > 1 && s[0] < 0xc0) || s[0] > 0xf7)
        return 0;
    for (i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (s[i] & 0x3fu);
    }
    if (code < lowest[n] || code > 0x10ffff ||
        (code >= 0xd800 && code <= 0xdfff))
        return 0;
    return n;
}

bool fuzz_is_utf8(const char *text, size_t len) {
    const unsigned char *s = (const unsigned char *) text;
    while (len) {
        size_t n = sequence_length(s, len);
        if (!n)
            return false;
        s += n;
        len -= n;
    }
    return true;
}
