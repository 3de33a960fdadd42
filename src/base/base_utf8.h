/* base_utf8.h - is this text UTF-8? */
#ifndef PBTI_BASE_UTF8_H
#define PBTI_BASE_UTF8_H

#include <stddef.h>

/** Finds the first byte that does not belong to well-formed UTF-8 (RFC 3629:
 *  no overlong forms, no surrogates, nothing above U+10FFFF).
 *  @param text [in] len bytes; may be NULL when len is 0
 *  @return offset of the first byte of the first ill-formed sequence, or len
 *  Cost: one pass; eight bytes a step while they are ASCII.
 */
size_t pbti_utf8_valid_prefix(const void *text, size_t len);

#endif
