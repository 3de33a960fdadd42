/* json_levels.c - the JSON loop for the CPU level that the library runs at. */
#include <pbturbo/version.h>

#include "json_call.h"
#include "json_trace.h"

#ifdef PBTI_TRACE
pbti_json_trace pbti_json_trace_counts;
#endif

#define PBTI_DECLARE_LEVEL(level)                                              \
    pbt_status pbti_json_write_##level(pbti_json_call *,                       \
                                       const ProtobufCMessage *,               \
                                       const pbti_json_type *, char **);
PBTI_FOR_EACH_LEVEL(PBTI_DECLARE_LEVEL)
#undef PBTI_DECLARE_LEVEL

static const pbti_json_ops levels[] = {
    {"portable", pbti_json_write_portable},
#ifdef PBTI_HAVE_X86_LEVELS
    {"x86-64", pbti_json_write_x86_64},
    {"x86-64-v3", pbti_json_write_x86_64_v3},
    {"x86-64-v3-pdep", pbti_json_write_x86_64_v3},
    {"x86-64-v4", pbti_json_write_x86_64_v4},
#endif
#ifdef PBTI_HAVE_NEON_LEVEL
    {"neon", pbti_json_write_neon},
#endif
};

_Atomic(const pbti_json_ops *) pbti_chosen_json;

const pbti_json_ops *pbti_choose_json(void) {
    const pbti_json_ops *ops = &levels[0];
    const char *level = pbt_cpu_level();
    size_t i;
    for (i = 0; i < sizeof levels / sizeof *levels; i++)
        if (strcmp(levels[i].name, level) == 0)
            ops = &levels[i];
    atomic_store_explicit(&pbti_chosen_json, ops, memory_order_relaxed);
    return ops;
}
