/* base_options.h - what both roads make of the options. */
#ifndef PBTI_BASE_OPTIONS_H
#define PBTI_BASE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <pbturbo/json.h>
#include <pbturbo/options.h>

#include "base_compiler.h"

enum {
    PBTI_KNOWN_FLAGS = PBT_ALLOW_PARTIAL | PBT_DETERMINISTIC |
                       PBT_VALIDATE_UTF8 | PBT_DISCARD_UNKNOWN |
                       PBT_CONFORMANT | PBT_DELIMITED
};

/** Says what is wrong with the options; NULL when nothing is. */
const char *pbti_options_fault(const pbt_options *options);

/** Tells whether pbti_options_fault finds nothing. */
PBTI_INLINE bool pbti_options_are_sound(const pbt_options *options) {
    void *const *reserved = options->reserved;
    return !(options->flags & ~(uint32_t) PBTI_KNOWN_FLAGS) &&
           !((uintptr_t) reserved[0] | (uintptr_t) reserved[1] |
             (uintptr_t) reserved[2] | (uintptr_t) reserved[3]);
}

/** The same for pbt_unmarshal, which has a flag of its own. */
const char *pbti_unmarshal_options_fault(const pbt_options *options);

/** The same for the calls that write JSON. */
const char *pbti_json_options_fault(const pbt_json_options *options);

/** The largest output the options allow, UINT32_MAX at the most. */
PBTI_INLINE uint64_t pbti_options_max_size(const pbt_options *options) {
    if (options->max_size == 0)
        return INT32_MAX;
    return options->max_size < UINT32_MAX ? options->max_size : UINT32_MAX;
}

#endif
