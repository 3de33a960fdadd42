/* json_base64.c - three bytes to four characters; with vectors 12 or 24 bytes a
 * step. */
#include "json_base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "abcdefghijklmnopqrstuvwxyz0123456789+/";

PBTI_INLINE char *put_three(char *p, const uint8_t *data) {
    uint32_t v = (uint32_t) data[0] << 16 | (uint32_t) data[1] << 8 | data[2];
    p[0] = alphabet[v >> 18];
    p[1] = alphabet[v >> 12 & 63];
    p[2] = alphabet[v >> 6 & 63];
    p[3] = alphabet[v & 63];
    return p + 4;
}

char *PBTI_LEVEL_NAME(pbti_json_put_base64)(char *p, const uint8_t *data,
                                            size_t n) {
    for (; n >= 3; n -= 3, data += 3)
        p = put_three(p, data);
    if (n > 0) {
        uint8_t last[3] = {data[0], n > 1 ? data[1] : 0, 0};
        p = put_three(p, last);
        p[-1] = '=';
        if (n == 1)
            p[-2] = '=';
    }
    return p;
}
