/* fuzz_valid.h - is a text JSON? */
#ifndef FUZZ_VALID_H
#define FUZZ_VALID_H

#include <stdbool.h>
#include <stddef.h>

/** Is a text one JSON value (RFC 8259), with nothing before and after it?
 *  @param is_pretty [in] whether there may be blanks inside
 *  Bytes above 0x7f may stand in strings; that they are UTF-8 is for others. */
bool fuzz_is_json(const char *text, size_t len, bool is_pretty);

/** Is a text UTF-8, and without surrogates? */
bool fuzz_is_utf8(const char *text, size_t len);

#endif
