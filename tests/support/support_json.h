/* support_json.h - JSON as tests expect it. */
#ifndef SUPPORT_JSON_H
#define SUPPORT_JSON_H

#include <string.h>

#include <pbturbo/pbturbo.h>

/** A constant, for members that are not const. */
static inline char *text(const char *constant) {
    union {
        const char *in;
        char *out;
    } pointer = {constant};
    return pointer.out;
}

/** The bytes of a constant without its NUL. */
static inline ProtobufCBinaryData bytes(const char *constant) {
    return (ProtobufCBinaryData){strlen(constant), (uint8_t *) text(constant)};
}

/** Fails the test unless both roads print the same text, or fail at the same
 *  place. (Where a text that is too long is noticed is up to them.)
 *  @return the status */
pbt_status json_compare(const void *message, const pbt_json_options *options);

/** Fails the test unless every form of output gives this text, and reflection,
 *  too. */
void json_expect_with(const void *message, const pbt_json_options *options,
                      const char *text);

/** The same with no options but flags. */
void json_expect(const void *message, uint32_t flags, const char *text);

/** Fails the test unless every form of output fails like this and leaves
 *  nothing behind. */
void json_expect_error_with(const void *message,
                            const pbt_json_options *options, pbt_status status,
                            const char *path);

void json_expect_error(const void *message, uint32_t flags, pbt_status status,
                       const char *path);

#endif
