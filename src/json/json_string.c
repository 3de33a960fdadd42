/* json_string.c - escapes strings a block at a time.
 *
 * A block is copied first and looked at afterwards: most have nothing to
 * escape, and then all is done. Otherwise what lies before the first byte of
 * interest is in its place already. Text that is not ASCII is validated while
 * it is copied; blocks of ASCII need no validation.
 */
#include "json_string.h"

#include "json_utf8.h"

/* Escapes of ASCII, with their length in the last byte. */
typedef struct escape {
    char text[7];
    uint8_t length;
} escape;

/* clang-format off */
#define SHORT(c) {{'\\', c}, 2}
#define LONG(a, b) {{'\\', 'u', '0', '0', a, b}, 6}
static const escape escapes[128] = {
    LONG('0', '0'), LONG('0', '1'), LONG('0', '2'), LONG('0', '3'),
    LONG('0', '4'), LONG('0', '5'), LONG('0', '6'), LONG('0', '7'),
    SHORT('b'),     SHORT('t'),     SHORT('n'),     LONG('0', 'b'),
    SHORT('f'),     SHORT('r'),     LONG('0', 'e'), LONG('0', 'f'),
    LONG('1', '0'), LONG('1', '1'), LONG('1', '2'), LONG('1', '3'),
    LONG('1', '4'), LONG('1', '5'), LONG('1', '6'), LONG('1', '7'),
    LONG('1', '8'), LONG('1', '9'), LONG('1', 'a'), LONG('1', 'b'),
    LONG('1', 'c'), LONG('1', 'd'), LONG('1', 'e'), LONG('1', 'f'),
    ['"'] = SHORT('"'), ['\\'] = SHORT('\\'),
    ['<'] = LONG('3', 'c'), ['>'] = LONG('3', 'e'), ['&'] = LONG('2', '6'),
};
#undef SHORT
#undef LONG
/* clang-format on */

/* A sequence of UTF-8, or what to skip where there is none. */
typedef struct sequence {
    uint32_t point;
    unsigned length; /* of the longest start of a sequence, if it is bad */
    bool is_good;
} sequence;

/* By the table of well-formed sequences in the Unicode standard (table 3-7):
 * the first byte tells the length and the range of the second. */
static sequence read_sequence(const unsigned char *s, size_t left) {
    unsigned low = 0x80, high = 0xbf, length, i;
    uint32_t point;
    unsigned char c = s[0];
    if (c < 0xc2 || c > 0xf4)
        return (sequence){0, 1, false};
    length = c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
    if (c == 0xe0)
        low = 0xa0;
    else if (c == 0xed)
        high = 0x9f;
    else if (c == 0xf0)
        low = 0x90;
    else if (c == 0xf4)
        high = 0x8f;
    point = c & (0x7fu >> length);
    for (i = 1; i < length; i++) {
        if (i == left || s[i] < low || s[i] > high)
            return (sequence){0, i, false};
        point = point << 6 | (s[i] & 0x3f);
        low = 0x80;
        high = 0xbf;
    }
    return (sequence){point, length, true};
}

static char *put_unit(char *p, uint32_t unit) {
    static const char hex[] = "0123456789abcdef";
    p[0] = '\\';
    p[1] = 'u';
    p[2] = hex[unit >> 12];
    p[3] = hex[unit >> 8 & 15];
    p[4] = hex[unit >> 4 & 15];
    p[5] = hex[unit & 15];
    return p + 6;
}

static char *put_units(char *p, uint32_t point) {
    if (point < 0x10000)
        return put_unit(p, point);
    p = put_unit(p, 0xd800 + ((point - 0x10000) >> 10));
    return put_unit(p, 0xdc00 + (point & 0x3ff));
}

/* One sequence, with all that the options ask for. *consumed is 0 where they
 * ask for an end. */
static char *put_sequence(char *p, const unsigned char *s, size_t left,
                          const pbti_json_escaping *how, size_t *consumed) {
    static const unsigned char replacement[] = {0xef, 0xbf, 0xbd};
    sequence next = read_sequence(s, left);
    *consumed = next.length;
    if (next.is_good) {
        if (how->ascii_only ||
            (how->html && (next.point == 0x2028 || next.point == 0x2029)))
            return put_units(p, next.point);
    } else if (how->utf8 == PBTI_JSON_UTF8_ERROR) {
        *consumed = 0;
        return p;
    } else if (how->ascii_only) {
        return put_unit(p, 0xfffd);
    } else if (how->utf8 == PBTI_JSON_UTF8_REPLACE) {
        memcpy(p, replacement, sizeof replacement);
        return p + sizeof replacement;
    }
    memcpy(p, s, next.length);
    return p + next.length;
}

/* The length of a sequence of two or three bytes of the common kinds, or of
 * four, or 0 for others and where it is hard to tell. */
PBTI_INLINE size_t easy_sequence(const unsigned char *s, size_t left) {
    unsigned c = s[0];
    if (left < 4)
        return 0;
    if (c < 0xe0)
        return c >= 0xc2 && (s[1] ^ 0x80) < 0x40 ? 2 : 0;
    if (((s[1] ^ 0x80) | (s[2] ^ 0x80)) >= 0x40)
        return 0;
    if (c < 0xf0)
        return c != 0xed && (c != 0xe0 || s[1] >= 0xa0) ? 3 : 0;
    return c < 0xf4 && (c != 0xf0 || s[1] >= 0x90) && (s[3] ^ 0x80) < 0x40 ? 4
                                                                           : 0;
}

/* What is being written, from where, and how many bytes of it are left. */
typedef struct job {
    char *p;
    const unsigned char *s;
    size_t left;
} job;

#if PBTI_VECTOR
/* Escapes a block in which there is something to escape, and stops at bytes
 * that are not ASCII if these are of interest. Where the escapes are is known
 * beforehand, so none waits for the one before it: text with a line break every
 * 11 bytes takes half the time. There must be two blocks of text. */
PBTI_INLINE void put_block(job *j, bool html, bool high) {
    const unsigned char *s = j->s;
    char *p = j->p;
    uint32_t above, marks = pbti_mark_block(s, html, &above);
    unsigned end = PBTI_BLOCK, from = 0;
    if (high && above) {
        end = (unsigned) __builtin_ctz(above);
        marks &= (1u << end) - 1;
    }
    for (; marks; marks &= marks - 1) {
        unsigned at = (unsigned) __builtin_ctz(marks);
        const escape *e = &escapes[s[at]];
        memcpy(p, s + from, PBTI_BLOCK);
        p += at - from;
        memcpy(p, e->text, sizeof *e);
        p += e->length;
        from = at + 1;
    }
    memcpy(p, s + from, PBTI_BLOCK);
    *j = (job){p + (end - from), s + end, j->left - end};
}
#endif

/* Writes text that starts with a sequence of UTF-8 of which nothing is to be
 * escaped; false when it is not of an easy kind. */
PBTI_INLINE bool put_easy(job *j, bool html) {
    size_t n = html ? 0 : easy_sequence(j->s, j->left);
    memcpy(j->p, j->s, n > 0 ? 4 : 0);
#if PBTI_SHUFFLE
    /* a single one among ASCII is not worth more */
    if (n == 0 || (n < j->left && j->s[n] >= 0x80))
        n += pbti_copy_utf8(j->p + n, j->s + n, j->left - n, html);
#endif
    *j = (job){j->p + n, j->s + n, j->left - n};
    return n > 0;
}

static bool put_one(job *j, const pbti_json_escaping *how) {
    size_t n;
    j->p = put_sequence(j->p, j->s, j->left, how, &n);
    j->s += n;
    j->left -= n;
    return n > 0;
}

/* Writes what is of interest at the start of the rest. False at a sequence that
 * must not be written. */
PBTI_INLINE bool put_interesting(job *j, const pbti_json_escaping *how,
                                 bool html, bool high) {
    while (j->left > 0) {
        unsigned char c = *j->s;
        if (c >= 0x80) {
            if (!high)
                return true;
            if ((how->ascii_only || !put_easy(j, html)) && !put_one(j, how))
                return false;
            continue;
        }
        if (pbti_is_plain(c, html, high))
            return true;
#if PBTI_VECTOR
        if (j->left >= PBTI_TWO_BLOCKS) {
            put_block(j, html, high);
            continue;
        }
#endif
        memcpy(j->p, escapes[c].text, sizeof(escape));
        j->p += escapes[c].length;
        j->s++;
        j->left--;
    }
    return true;
}

PBTI_INLINE char *escape_all(char *p, const char *text, size_t n,
                             const pbti_json_escaping *how, bool html,
                             bool high, size_t *used) {
    job j;
    j.p = p;
    j.s = (const unsigned char *) text;
    j.left = n;
    do {
        size_t plain = pbti_copy_plain(j.p, j.s, j.left, html, high);
        j.p += plain;
        j.s += plain;
        j.left -= plain;
    } while (j.left > 0 && put_interesting(&j, how, html, high));
    *used = n - j.left;
    return j.p;
}

PBTI_OUTLINE char *escape_any(char *p, const char *text, size_t n,
                              const pbti_json_escaping *how, size_t *used) {
    if (how->html)
        return escape_all(p, text, n, how, true, true, used);
    if (how->ascii_only || how->utf8 != PBTI_JSON_UTF8_TRUST)
        return escape_all(p, text, n, how, false, true, used);
    return escape_all(p, text, n, how, false, false, used);
}

char *PBTI_LEVEL_NAME(pbti_json_escape)(char *p, const char *text, size_t n,
                                        const pbti_json_escaping *how,
                                        size_t *used) {
    if (pbti_copied_short(p, text, n, how)) {
        *used = n;
        return p + n;
    }
    return escape_any(p, text, n, how, used);
}
