/* base_options.h - what both roads make of the options. */
#ifndef PBTI_BASE_OPTIONS_H
#define PBTI_BASE_OPTIONS_H

#include <stdint.h>

#include <pbturbo/json.h>
#include <pbturbo/options.h>

/** Says what is wrong with the options; NULL when nothing is. */
const char *pbti_options_fault(const pbt_options *options);

/** The same for pbt_unmarshal, which has a flag of its own. */
const char *pbti_unmarshal_options_fault(const pbt_options *options);

/** The same for the calls that write JSON. */
const char *pbti_json_options_fault(const pbt_json_options *options);

/** The largest output the options allow, UINT32_MAX at the most. */
uint64_t pbti_options_max_size(const pbt_options *options);

#endif
