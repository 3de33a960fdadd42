/* base_error.c - see base_error.h. */
#include "base_error.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

static void append_char(pbti_path *path, char c) {
    if (path->len < PBTI_PATH_SIZE)
        path->head[path->len] = c;
    path->ring[path->len % PBTI_PATH_HALF] = c;
    path->len++;
}

static void append_text(pbti_path *path, const char *text) {
    for (; *text; text++)
        append_char(path, *text);
}

void pbti_path_field(pbti_path *path, const char *name, uint32_t number) {
    char digits[16];
    if (path->len > 0)
        append_char(path, '.');
    if (!name) {
        snprintf(digits, sizeof digits, "#%" PRIu32, number);
        name = digits;
    }
    append_text(path, name);
}

static void append_bracketed(pbti_path *path, const char *text) {
    append_char(path, '[');
    append_text(path, text);
    append_char(path, ']');
}

void pbti_path_index(pbti_path *path, size_t index) {
    pbti_path_unsigned_key(path, index);
}

void pbti_path_signed_key(pbti_path *path, int64_t key) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRId64, key);
    append_bracketed(path, digits);
}

void pbti_path_unsigned_key(pbti_path *path, uint64_t key) {
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, key);
    append_bracketed(path, digits);
}

void pbti_path_bool_key(pbti_path *path, bool key) {
    append_bracketed(path, key ? "true" : "false");
}

void pbti_path_string_key(pbti_path *path, const char *key) {
    append_text(path, "[\"");
    for (; *key; key++) {
        unsigned char c = (unsigned char) *key;
        if (c < 0x20 || c == 0x7f) {
            char escape[8];
            snprintf(escape, sizeof escape, "\\x%02x", c);
            append_text(path, escape);
            continue;
        }
        if (c == '"' || c == '\\')
            append_char(path, '\\');
        append_char(path, *key);
    }
    append_text(path, "\"]");
}

/* Leaves out the middle of a path that does not fit. */
static void copy_path(const pbti_path *path, char out[PBTI_PATH_SIZE]) {
    size_t n = 0;
    if (path->len < PBTI_PATH_SIZE) {
        memcpy(out, path->head, path->len);
        out[path->len] = '\0';
        return;
    }
    memcpy(out, path->head, PBTI_PATH_HALF);
    memcpy(out + PBTI_PATH_HALF, "...", 3);
    for (n = 0; n < PBTI_PATH_HALF; n++)
        out[PBTI_PATH_HALF + 3 + n] =
            path->ring[(path->len + n) % PBTI_PATH_HALF];
    out[PBTI_PATH_HALF + 3 + n] = '\0';
}

_Static_assert(2 * PBTI_PATH_HALF + 3 + 1 <= PBTI_PATH_SIZE,
               "two halves, the dots and the NUL fit");
_Static_assert(PBTI_PATH_SIZE == sizeof((pbt_error *) 0)->path,
               "the path of pbt_error has the size assumed here");

pbt_status pbti_fail(pbt_error *error, pbt_status status, uint32_t number,
                     const pbti_path *path, const char *format, ...) {
    va_list arguments;
    if (!error)
        return status;
    memset(error, 0, sizeof *error);
    error->status = status;
    error->field_number = number;
    if (path)
        copy_path(path, error->path);
    if (!format) {
        snprintf(error->message, sizeof error->message, "%s",
                 pbt_status_message(status));
        return status;
    }
    va_start(arguments, format);
    vsnprintf(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    return status;
}
