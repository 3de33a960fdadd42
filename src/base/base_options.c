/* base_options.c - see base_options.h. */
#include "base_options.h"

#include <stddef.h>

enum {
    KNOWN_JSON_FLAGS = PBT_JSON_EMIT_DEFAULTS | PBT_JSON_EMIT_NULL_MESSAGES |
                       PBT_JSON_PROTO_NAMES | PBT_JSON_ENUM_NUMBERS |
                       PBT_JSON_SORT_MAP_KEYS | PBT_JSON_INT64_AS_NUMBER |
                       PBT_JSON_INT64_UNQUOTED_IF_SAFE | PBT_JSON_ESCAPE_HTML |
                       PBT_JSON_ASCII_ONLY | PBT_JSON_NEWLINE |
                       PBT_JSON_ALLOW_PARTIAL | PBT_JSON_ANY_RAW |
                       PBT_JSON_CONFORMANT | PBT_JSON_UNIQUE_MAP_KEYS,
    MAX_INDENT = 8
};

/* What is common to the two kinds of options: flags, and words to come. */
static const char *find_fault(uint32_t flags, uint32_t known,
                              void *const reserved[4]) {
    size_t i;
    if (flags & ~known)
        return "options.flags has an unknown bit";
    for (i = 0; i < 4; i++)
        if (reserved[i])
            return "options.reserved is not NULL";
    return NULL;
}

const char *pbti_options_fault(const pbt_options *options) {
    if (options->flags & PBT_REJECT_NUL)
        return "options.flags has PBT_REJECT_NUL, which only unmarshal knows";
    if (options->flags & PBT_BORROW_BYTES)
        return "options.flags has PBT_BORROW_BYTES, which only unmarshal knows";
    return find_fault(options->flags, PBTI_KNOWN_FLAGS, options->reserved);
}

const char *pbti_unmarshal_options_fault(const pbt_options *options) {
    return find_fault(options->flags,
                      PBTI_KNOWN_FLAGS | PBT_REJECT_NUL | PBT_BORROW_BYTES,
                      options->reserved);
}

const char *pbti_json_options_fault(const pbt_json_options *options) {
    if (options->indent > MAX_INDENT && options->indent != PBT_JSON_TAB)
        return "options.indent is more than 8 and not PBT_JSON_TAB";
    if (options->utf8 > PBT_JSON_UTF8_TRUST)
        return "options.utf8 is no policy";
    if (options->nonfinite > PBT_JSON_NONFINITE_ERROR)
        return "options.nonfinite is no policy";
    return find_fault(options->flags, KNOWN_JSON_FLAGS, options->reserved);
}
