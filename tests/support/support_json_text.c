/* support_json_text.c - finds out which levels the CPU can run. */
#include "support_json_text.h"

#define LEVEL(level)                                                           \
    {                                                                          \
#level, pbti_json_put_double_##level, pbti_json_put_float_##level,     \
            pbti_json_put_base64_##level, pbti_json_escape_##level             \
    }
static const json_text_level levels[] = {
    LEVEL(portable),
#ifdef PBTI_HAVE_X86_LEVELS
    LEVEL(x86_64),   LEVEL(x86_64_v3), LEVEL(x86_64_v4),
#endif
#ifdef PBTI_HAVE_NEON_LEVEL
    LEVEL(neon),
#endif
};
#undef LEVEL

const json_text_level *json_text_levels(size_t *n) {
    *n = 1;
#ifdef PBTI_HAVE_X86_LEVELS
    __builtin_cpu_init();
    *n = 2;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2"))
        *n = 3;
    if (*n == 3 && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512vbmi") &&
        __builtin_cpu_supports("avx512vbmi2"))
        *n = 4;
#elif defined(PBTI_HAVE_NEON_LEVEL)
    *n = 2;
#endif
    return levels;
}
