/* reflect_json_text.c - pieces of JSON text: punctuation, numbers, strings.
 *
 * Numbers are searched for by trial: the fewest digits that the C library reads
 * back as the same value. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base_alloc.h"
#include "base_error.h"
#include "reflect_json.h"

enum {
    FIRST_BLOCK = 256,
    MAX_DIGITS = 17, /* that a double needs */
    /* Below and above these powers of ten numbers get an exponent. */
    MIN_POSITIONAL = -6,
    MAX_POSITIONAL = 21
};

pbt_status pbti_print_fail(pbti_printer *to, pbt_status status,
                           const char *sentence) {
    if (to->status == PBT_OK)
        to->status = pbti_reflect_fail(&to->walk, status, "%s", sentence);
    return to->status;
}

/* Makes room for n bytes; false, with the status set, where there is none. */
static bool make_room(pbti_printer *to, size_t n) {
    pbt_buffer *buffer = to->buffer;
    size_t capacity = 2 * buffer->capacity;
    uint8_t *block;
    if (to->status != PBT_OK)
        return false;
    if (buffer->len - to->kept + (uint64_t) n > to->max_size) {
        to->status = pbti_reflect_fail(
            &to->walk, PBT_ERR_TOO_LARGE,
            "the text takes more than %" PRIu64 " bytes", to->max_size);
        return false;
    }
    if (n <= buffer->capacity - buffer->len)
        return true;
    if (capacity < FIRST_BLOCK)
        capacity = FIRST_BLOCK;
    if (capacity < buffer->len + n)
        capacity = buffer->len + n;
    block = pbti_alloc(buffer->allocator, capacity);
    if (!block) {
        to->status =
            pbti_fail(to->walk.error, PBT_ERR_NO_MEMORY, 0, NULL, NULL);
        return false;
    }
    if (buffer->len > 0)
        memcpy(block, buffer->block, buffer->len);
    pbti_free(buffer->allocator, buffer->block);
    buffer->block = block;
    buffer->capacity = capacity;
    return true;
}

void pbti_print(pbti_printer *to, const char *text, size_t n) {
    if (n == 0 || !make_room(to, n))
        return;
    memcpy(to->buffer->block + to->buffer->len, text, n);
    to->buffer->len += n;
}

void pbti_print_char(pbti_printer *to, char c) {
    pbti_print(to, &c, 1);
}

void pbti_print_word(pbti_printer *to, const char *word) {
    pbti_print(to, word, strlen(word));
}

static void start_line(pbti_printer *to) {
    bool tab = to->options->indent == PBT_JSON_TAB;
    size_t i;
    pbti_print_char(to, '\n');
    for (i = 0; i < to->level * (tab ? 1u : to->options->indent); i++)
        pbti_print_char(to, tab ? '\t' : ' ');
}

void pbti_print_open(pbti_printer *to, char bracket) {
    pbti_print_char(to, bracket);
    to->level++;
}

void pbti_print_close(pbti_printer *to, char bracket, bool is_empty) {
    to->level--;
    if (to->options->indent && !is_empty)
        start_line(to);
    pbti_print_char(to, bracket);
}

void pbti_print_next(pbti_printer *to, bool is_first) {
    if (!is_first)
        pbti_print_char(to, ',');
    if (to->options->indent)
        start_line(to);
}

void pbti_print_colon(pbti_printer *to) {
    pbti_print_word(to, to->options->indent ? ": " : ":");
}

void pbti_print_integer(pbti_printer *to, uint64_t magnitude,
                        bool is_negative) {
    char digits[24];
    size_t at = sizeof digits;
    do
        digits[--at] = (char) ('0' + magnitude % 10);
    while ((magnitude /= 10) > 0);
    if (is_negative)
        digits[--at] = '-';
    pbti_print(to, digits + at, sizeof digits - at);
}

void pbti_print_signed(pbti_printer *to, int64_t value) {
    uint64_t bits = (uint64_t) value;
    pbti_print_integer(to, value < 0 ? 0 - bits : bits, value < 0);
}

/* A number as the C library writes it, "d.ddde-xx", with whatever stands for
 * the point where the program is run. */
typedef struct trial {
    char text[64];
} trial;

static bool reads_back(const trial *t, double value, bool is_float) {
    if (is_float)
        return strtof(t->text, NULL) == (float) value;
    return strtod(t->text, NULL) == value;
}

/* Adds one to the last digit; false for a number that is all nines. */
static bool step_up(trial *t) {
    char *p = strchr(t->text, 'e');
    while (p-- > t->text) {
        if (*p < '0' || *p > '9')
            continue;
        if (*p != '9') {
            ++*p;
            return true;
        }
        *p = '0';
    }
    return false;
}

/* The shortest digits of a positive number. The nearest number of so many
 * digits comes first. Just above a power of two the neighbours below are closer
 * than those above, so that the nearest may be read back as another number, and
 * the next one upwards not. */
static trial find_shortest(double value, bool is_float) {
    trial t;
    int n;
    for (n = 1; n < MAX_DIGITS; n++) {
        snprintf(t.text, sizeof t.text, "%.*e", n - 1, value);
        if (reads_back(&t, value, is_float))
            return t;
        if (step_up(&t) && reads_back(&t, value, is_float))
            return t;
    }
    snprintf(t.text, sizeof t.text, "%.*e", MAX_DIGITS - 1, value);
    return t;
}

/* The digits of a number alone, without zeros at the end. Returns how many. */
static int take_digits(const trial *t, char *digits) {
    const char *p;
    int n = 0;
    for (p = t->text; *p != 'e'; p++)
        if (*p >= '0' && *p <= '9')
            digits[n++] = *p;
    while (n > 1 && digits[n - 1] == '0')
        n--;
    return n;
}

static void print_zeros(pbti_printer *to, int n) {
    while (n-- > 0)
        pbti_print_char(to, '0');
}

/* Digits that stand for d.ddd times the power of ten. */
static void print_digits(pbti_printer *to, const char *digits, int n,
                         int power) {
    int n_whole = power + 1;
    if (power < MIN_POSITIONAL || power >= MAX_POSITIONAL) {
        pbti_print(to, digits, 1);
        if (n > 1)
            pbti_print_char(to, '.');
        pbti_print(to, digits + 1, (size_t) n - 1);
        pbti_print_word(to, power < 0 ? "e-" : "e+");
        pbti_print_integer(to, (uint64_t) abs(power), false);
    } else if (n_whole <= 0) {
        pbti_print_word(to, "0.");
        print_zeros(to, -n_whole);
        pbti_print(to, digits, (size_t) n);
    } else if (n_whole >= n) {
        pbti_print(to, digits, (size_t) n);
        print_zeros(to, n_whole - n);
    } else {
        pbti_print(to, digits, (size_t) n_whole);
        pbti_print_char(to, '.');
        pbti_print(to, digits + n_whole, (size_t) (n - n_whole));
    }
}

static void print_number(pbti_printer *to, double value, bool is_negative,
                         bool is_float) {
    int kept_errno = errno; /* strtod sets it for the smallest numbers */
    char digits[MAX_DIGITS + 1];
    trial t;
    int n;
    if (is_negative)
        pbti_print_char(to, '-');
    if (value == 0) {
        pbti_print_char(to, '0');
        return;
    }
    t = find_shortest(is_negative ? -value : value, is_float);
    n = take_digits(&t, digits);
    print_digits(to, digits, n, atoi(strchr(t.text, 'e') + 1));
    errno = kept_errno;
}

void pbti_print_double(pbti_printer *to, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    print_number(to, value, bits >> 63, false);
}

void pbti_print_float(pbti_printer *to, float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    print_number(to, (double) value, bits >> 31, true);
}

static void print_unit(pbti_printer *to, uint32_t unit) {
    char escape[8];
    snprintf(escape, sizeof escape, "\\u%04" PRIx32, unit & 0xffff);
    pbti_print(to, escape, 6);
}

static void print_code(pbti_printer *to, uint32_t code) {
    if (code >= 0x10000) {
        print_unit(to, 0xd800 + ((code - 0x10000) >> 10));
        code = 0xdc00 + ((code - 0x10000) & 0x3ff);
    }
    print_unit(to, code);
}

/* True when the code point that starts with these bytes, of which the last are
 * the lowest possible ones, may exist: not overlong, no surrogate, not beyond
 * U+10FFFF. */
static bool may_exist(uint32_t lowest, uint32_t highest, unsigned length) {
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    return highest >= least[length] && lowest <= 0x10ffff &&
           !(lowest >= 0xd800 && highest <= 0xdfff);
}

/* The length of the longest start of a well-formed sequence of UTF-8, at least
 * 1; *code is the code point, or UINT32_MAX if it is not whole. */
static unsigned read_code(const unsigned char *s, size_t left, uint32_t *code) {
    unsigned length = 1, i;
    uint32_t lowest = s[0];
    *code = UINT32_MAX;
    if (s[0] >= 0xf0)
        length = 4;
    else if (s[0] >= 0xe0)
        length = 3;
    else if (s[0] >= 0x80)
        length = 2;
    if (length > 1)
        lowest = s[0] & (0x7fu >> length);
    if ((s[0] >= 0x80 && s[0] < 0xc0) || s[0] >= 0xf8)
        return 1;
    for (i = 1; i <= length; i++) {
        unsigned bits_left = 6 * (length - i);
        uint32_t floor = lowest << bits_left;
        if (!may_exist(floor, floor + (1u << bits_left) - 1, length))
            return i > 1 ? i - 1 : 1;
        if (i == length)
            break;
        if (i == left || (s[i] & 0xc0) != 0x80)
            return i;
        lowest = lowest << 6 | (s[i] & 0x3f);
    }
    *code = lowest;
    return length;
}

static bool print_ascii(pbti_printer *to, uint32_t code) {
    static const char special[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *found = code ? strchr(special, (int) code) : NULL;
    bool html = (to->options->flags & PBT_JSON_ESCAPE_HTML) != 0;
    if (found) {
        pbti_print_char(to, '\\');
        pbti_print_char(to, letters[found - special]);
    } else if (code < 0x20 ||
               (html && (code == '<' || code == '>' || code == '&'))) {
        print_unit(to, code);
    } else {
        pbti_print_char(to, (char) code);
    }
    return to->status == PBT_OK;
}

/* A sequence that is not UTF-8. */
static bool print_bad(pbti_printer *to, const unsigned char *s, unsigned length,
                      uint8_t utf8) {
    if (utf8 == PBT_JSON_UTF8_ERROR)
        (void) pbti_print_fail(to, PBT_ERR_UTF8,
                               pbt_status_message(PBT_ERR_UTF8));
    else if (to->options->flags & PBT_JSON_ASCII_ONLY)
        print_unit(to, 0xfffd);
    else if (utf8 == PBT_JSON_UTF8_REPLACE)
        pbti_print_word(to, "\xef\xbf\xbd");
    else
        pbti_print(to, (const char *) s, length);
    return to->status == PBT_OK;
}

void pbti_print_escaped(pbti_printer *to, const void *text, size_t n,
                        uint8_t utf8) {
    const uint32_t flags = to->options->flags;
    const unsigned char *s = text;
    bool going = true;
    unsigned length;
    for (; n > 0 && going; s += length, n -= length) {
        uint32_t code;
        length = read_code(s, n, &code);
        if (code == UINT32_MAX) {
            going = print_bad(to, s, length, utf8);
        } else if (code < 0x80) {
            going = print_ascii(to, code);
        } else if ((flags & PBT_JSON_ASCII_ONLY) ||
                   ((flags & PBT_JSON_ESCAPE_HTML) &&
                    (code == 0x2028 || code == 0x2029))) {
            print_code(to, code);
        } else {
            pbti_print(to, (const char *) s, length);
        }
    }
}

void pbti_print_string(pbti_printer *to, const void *text, size_t n) {
    pbti_print_char(to, '"');
    pbti_print_escaped(to, text, n, to->options->utf8);
    pbti_print_char(to, '"');
}

void pbti_print_base64(pbti_printer *to, const void *bytes, size_t n) {
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "abcdefghijklmnopqrstuvwxyz0123456789+/";
    const unsigned char *s = bytes;
    size_t i;
    pbti_print_char(to, '"');
    for (i = 0; i < n && to->status == PBT_OK; i += 3) {
        size_t left = n - i < 3 ? n - i : 3;
        uint32_t group = (uint32_t) s[i] << 16;
        char quad[4];
        if (left > 1)
            group |= (uint32_t) s[i + 1] << 8;
        if (left > 2)
            group |= s[i + 2];
        quad[0] = letters[group >> 18];
        quad[1] = letters[group >> 12 & 63];
        quad[2] = left > 1 ? letters[group >> 6 & 63] : '=';
        quad[3] = left > 2 ? letters[group & 63] : '=';
        pbti_print(to, quad, sizeof quad);
    }
    pbti_print_char(to, '"');
}
