/* json_string.h - JSON's form of the text of strings. */
#ifndef PBTI_JSON_STRING_H
#define PBTI_JSON_STRING_H

#include "json_block.h"

/* What to do with bytes that are not UTF-8. */
typedef enum pbti_json_utf8 {
    PBTI_JSON_UTF8_ERROR,   /* stop in front of them */
    PBTI_JSON_UTF8_REPLACE, /* U+FFFD for each maximal part (Unicode, 3.9) */
    PBTI_JSON_UTF8_TRUST    /* there are none: copy without a look */
} pbti_json_utf8;

typedef struct pbti_json_escaping {
    pbti_json_utf8 utf8;
    bool html;       /* < > & U+2028 U+2029 as \u003c ... \u2029 too */
    bool ascii_only; /* escapes for all but ASCII, in pairs above U+FFFF */
} pbti_json_escaping;

#define PBTI_DECLARE_LEVEL(level)                                              \
    char *pbti_json_escape_##level(char *, const char *, size_t,               \
                                   const pbti_json_escaping *, size_t *);
PBTI_FOR_EACH_LEVEL(PBTI_DECLARE_LEVEL)
#undef PBTI_DECLARE_LEVEL

/* Copies a short text if there is nothing to escape. Most strings are like
 * that, and the time of a call counts. */
PBTI_INLINE bool pbti_copied_short(char *p, const char *s, size_t n,
                                   const pbti_json_escaping *how) {
    const unsigned char *bytes = (const unsigned char *) s;
    return n < PBTI_SHORT_TEXT && !how->html &&
           pbti_copy_plain(p, bytes, n, false, true) == n;
}

/** Writes the text of a string, without the quotes around it: `"` and `\` and
 *  the controls below U+0020 escaped, all other characters as they are.
 *  @param s    [in]  n bytes; nothing beyond is read; may be NULL when n is 0
 *  @param used [out] n; less only under PBTI_JSON_UTF8_ERROR: the offset of the
 *                    sequence that is not UTF-8, or not whole
 *  A sequence that n cuts off counts as bad; pbti_json_whole tells how to cut a
 *  long text. ascii_only replaces bad bytes under PBTI_JSON_UTF8_TRUST too,
 *  which have no other form in ASCII.
 *  Needs 6 * n + 64 bytes at p, and may write all of them.
 */
PBTI_INLINE char *pbti_json_escape(char *p, const char *s, size_t n,
                                   const pbti_json_escaping *how,
                                   size_t *used) {
    if (PBTI_LIKELY(pbti_copied_short(p, s, n, how))) {
        *used = n;
        return p + n;
    }
    return PBTI_LEVEL_NAME(pbti_json_escape)(p, s, n, how, used);
}

/** The number of bytes, up to 3 less than n, after which a text can be cut
 *  without cutting a sequence of UTF-8: where to end one of the pieces that go
 *  through pbti_json_escape. n itself for text that is not UTF-8 there, and for
 *  n below 4. */
PBTI_INLINE size_t pbti_json_whole(const char *s, size_t n) {
    size_t back;
    for (back = 1; back < 4 && back < n; back++) {
        unsigned byte = (unsigned char) s[n - back];
        if (byte >= 0xc0) {
            unsigned length = byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4;
            return length > back ? n - back : n;
        }
        if (byte < 0x80)
            break;
    }
    return n;
}

#endif
