/* support_json_text.h - the text kernels of each CPU level that runs here. */
#ifndef SUPPORT_JSON_TEXT_H
#define SUPPORT_JSON_TEXT_H

#include "json_base64.h"
#include "json_number.h"
#include "json_string.h"

typedef struct json_text_level {
    const char *name;
    char *(*put_double)(char *, double);
    char *(*put_float)(char *, float);
    char *(*put_base64)(char *, const uint8_t *, size_t);
    char *(*escape)(char *, const char *, size_t, const pbti_json_escaping *,
                    size_t *);
} json_text_level;

/** The levels that the CPU can run, the plainest first. */
const json_text_level *json_text_levels(size_t *n);

#endif
