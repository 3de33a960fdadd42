/* fuzz_write.h - bytes that grow, and the pieces of the wire format. */
#ifndef FUZZ_WRITE_H
#define FUZZ_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fuzz_bytes {
    uint8_t *data; /* NULL while empty */
    size_t len;
    size_t capacity;
} fuzz_bytes;

/** Appends bytes; without memory the program ends. */
void fuzz_append(fuzz_bytes *bytes, const void *data, size_t len);

/** Puts bytes in at a place, and moves what follows. */
void fuzz_insert(fuzz_bytes *bytes, size_t at, const void *data, size_t len);

/** Takes bytes out. */
void fuzz_remove(fuzz_bytes *bytes, size_t at, size_t len);

/** Appends the low bytes of a number, the lowest first. */
void fuzz_append_fixed(fuzz_bytes *bytes, uint64_t value, size_t len);

/** Appends a varint that is some bytes longer than it need be, but never longer
 *  than ten. */
void fuzz_append_varint(fuzz_bytes *bytes, uint64_t value, uint32_t extra);

/** Puts the length of all that follows a place there, as a varint. */
void fuzz_insert_length(fuzz_bytes *bytes, size_t at);

/** Appends what text says in hexadecimal: two digits a byte, blanks between
 *  them, and "ff*9" for nine of a kind.
 *  @return false if the text says something else */
bool fuzz_append_hex(fuzz_bytes *bytes, const char *text);

/** Frees the bytes; they are empty afterwards. */
void fuzz_free(fuzz_bytes *bytes);

#ifdef __cplusplus
}
#endif

#endif
