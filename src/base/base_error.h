/* base_error.h - building pbt_error: the field path and the sentence.
 *
 * A path is appended from the outermost message inwards. It keeps its first
 * and its last part, so that one too long for pbt_error loses its middle.
 */
#ifndef PBTI_BASE_ERROR_H
#define PBTI_BASE_ERROR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pbturbo/status.h>

#include "base_compiler.h"

enum { PBTI_PATH_SIZE = 256, PBTI_PATH_HALF = 126 };

typedef struct pbti_path {
    size_t len; /* of the whole path, kept or not */
    /* What came first, then a ring of what came last. */
    char head[PBTI_PATH_SIZE];
    char ring[PBTI_PATH_HALF];
} pbti_path;

/** Adds a field: ".name", or "#7" for a field that has no name. */
void pbti_path_field(pbti_path *path, const char *name, uint32_t number);

/** Adds the index of an element: "[3]". */
void pbti_path_index(pbti_path *path, size_t index);

/** Adds a map key of type string: "["k"]", control bytes, quotes and
 *  backslashes escaped. */
void pbti_path_string_key(pbti_path *path, const char *key);

/** Adds a map key of a number type or bool: "[-5]", "[true]". */
void pbti_path_signed_key(pbti_path *path, int64_t key);
void pbti_path_unsigned_key(pbti_path *path, uint64_t key);
void pbti_path_bool_key(pbti_path *path, bool key);

/** Fills an error report.
 *  @param error  may be NULL
 *  @param number of the field at the end of path, or 0
 *  @param path   may be NULL
 *  @param format printf's, for the sentence; NULL for the status's own
 *  @return status
 */
pbt_status pbti_fail(pbt_error *error, pbt_status status, uint32_t number,
                     const pbti_path *path, const char *format, ...)
    PBTI_PRINTF(5, 6);

#endif
