/* base_options.c - see base_options.h. */
#include "base_options.h"

#include <stddef.h>

enum {
    KNOWN_FLAGS = PBT_ALLOW_PARTIAL | PBT_DETERMINISTIC | PBT_VALIDATE_UTF8 |
                  PBT_DISCARD_UNKNOWN | PBT_CONFORMANT | PBT_DELIMITED
};

static const char *find_fault(const pbt_options *options, uint32_t known) {
    size_t i;
    if (options->flags & ~known)
        return "options.flags has an unknown bit";
    for (i = 0; i < sizeof options->reserved / sizeof *options->reserved; i++)
        if (options->reserved[i])
            return "options.reserved is not NULL";
    return NULL;
}

const char *pbti_options_fault(const pbt_options *options) {
    if (options->flags & PBT_REJECT_NUL)
        return "options.flags has PBT_REJECT_NUL, which only unmarshal knows";
    return find_fault(options, KNOWN_FLAGS);
}

const char *pbti_unmarshal_options_fault(const pbt_options *options) {
    return find_fault(options, KNOWN_FLAGS | PBT_REJECT_NUL);
}

uint64_t pbti_options_max_size(const pbt_options *options) {
    if (options->max_size == 0)
        return INT32_MAX;
    return options->max_size < UINT32_MAX ? options->max_size : UINT32_MAX;
}
