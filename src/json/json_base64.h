/* json_base64.h - bytes as base64. */
#ifndef PBTI_JSON_BASE64_H
#define PBTI_JSON_BASE64_H

#include "base_compiler.h"
#include "base_level.h"

#define PBTI_DECLARE_LEVEL(level)                                              \
    char *pbti_json_put_base64_##level(char *, const uint8_t *, size_t);
PBTI_FOR_EACH_LEVEL(PBTI_DECLARE_LEVEL)
#undef PBTI_DECLARE_LEVEL

/** Writes base64 in the standard alphabet, with padding, without quotes; the
 *  result points behind its last byte.
 *  @param data [in] n bytes; nothing beyond is read; may be NULL when n is 0
 *  Needs 4 * ((n + 2) / 3) + 32 bytes at p, and may write all of them. */
PBTI_INLINE char *pbti_json_put_base64(char *p, const uint8_t *data, size_t n) {
    return PBTI_LEVEL_NAME(pbti_json_put_base64)(p, data, n);
}

#endif
