/* base_utf8.c - UTF-8 validation by the table of well-formed sequences in the
 * Unicode standard (table 3-7): the first byte fixes the length and the range
 * of the second byte; all further bytes are 80..BF. */
#include "base_utf8.h"

#include <stdbool.h>
#include <stdint.h>

#include "base_compiler.h"

typedef struct utf8_form {
    uint8_t first_low, first_high;   /* range of the first byte */
    uint8_t second_low, second_high; /* range of the second byte */
    uint8_t length;
} utf8_form;

static const utf8_form multi_byte_forms[] = {
    {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
    {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3},
    {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
    {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
};

/* Length of the well-formed sequence at s, or 0. */
static size_t sequence_length(const uint8_t *s, size_t left) {
    size_t i, k;
    if (s[0] < 0x80)
        return 1;
    for (i = 0; i < sizeof multi_byte_forms / sizeof *multi_byte_forms; i++) {
        const utf8_form *form = &multi_byte_forms[i];
        if (s[0] < form->first_low || s[0] > form->first_high)
            continue;
        if (left < form->length || s[1] < form->second_low ||
            s[1] > form->second_high)
            return 0;
        for (k = 2; k < form->length; k++)
            if ((s[k] & 0xc0) != 0x80)
                return 0;
        return form->length;
    }
    return 0;
}

size_t pbti_utf8_valid_prefix(const void *text, size_t len) {
    const uint8_t *s = text;
    size_t at = 0;
    while (at < len) {
        size_t n;
        while (len - at >= 8 &&
               !(pbti_load64(s + at) & UINT64_C(0x8080808080808080)))
            at += 8;
        if (at == len)
            break;
        n = sequence_length(s + at, len - at);
        if (n == 0)
            return at;
        at += n;
    }
    return len;
}
