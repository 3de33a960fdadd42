/* wire_levels.c - chooses the loops for this CPU, and PBTURBO_CPU. */
#include <stdlib.h>
#include <string.h>

#include <pbturbo/version.h>

#include "wire_level.h"
#include "wire_trace.h"

#ifdef PBTI_HAVE_X86_LEVELS
#include <cpuid.h>
#endif

#ifdef PBTI_TRACE
pbti_trace pbti_trace_counts;
#endif

typedef struct cpu_level {
    pbti_wire_ops ops;
    bool (*runs_here)(void);
    bool reads_around; /* PBTI_STRING_STEPS */
} cpu_level;

static bool always(void) {
    return true;
}

#ifdef PBTI_HAVE_X86_LEVELS
/* The features of x86-64-v3 (x86-64 psABI, "Micro-Architecture Levels"). The
 * compiler's own check covers AVX2 and the system's support of its registers;
 * the others need no more than the CPU's word. */
static bool has_x86_64_v3(void) {
    unsigned a, b, c, d;
    const unsigned leaf1 = bit_FMA | bit_MOVBE | bit_F16C;
    const unsigned leaf7 = bit_BMI | bit_BMI2;
    if (!__builtin_cpu_supports("avx2"))
        return false;
    if (!__get_cpuid(1, &a, &b, &c, &d) || (c & leaf1) != leaf1)
        return false;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (b & leaf7) != leaf7)
        return false;
    return __get_cpuid(0x80000001, &a, &b, &c, &d) && (c & bit_LZCNT);
}

/* AMD's CPUs before Zen 3 (family 0x19), and Hygon's, which descend from Zen 1,
 * have BMI2 but deposit and extract bits in microcode, bit by bit. */
static bool has_fast_pdep(void) {
    unsigned a, b, c, d;
    uint32_t vendor[3];
    unsigned family;
    if (!__get_cpuid(0, &a, &vendor[0], &vendor[2], &vendor[1]))
        return false;
    if (memcmp(vendor, "HygonGenuine", sizeof vendor) == 0)
        return false;
    if (memcmp(vendor, "AuthenticAMD", sizeof vendor) != 0)
        return true;
    if (!__get_cpuid(1, &a, &b, &c, &d))
        return false;
    family = a >> 8 & 0xf;
    if (family == 0xf)
        family += a >> 20 & 0xff;
    return family >= 0x19;
}

static bool has_x86_64_v3_pdep(void) {
    return has_x86_64_v3() && has_fast_pdep();
}

/* x86-64-v4, and the two extensions with which bytes are compressed. */
static bool has_x86_64_v4(void) {
    return has_x86_64_v3() && __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") &&
           __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512vbmi2");
}
#endif

#define LEVEL_OPS(name, level)                                                 \
    {                                                                          \
        name, pbti_marshal_##level, pbti_size_##level, pbti_required_##level,  \
            pbti_unmarshal_##level                                             \
    }

/* From the plainest to the best. */
static const cpu_level levels[] = {
    {LEVEL_OPS("portable", portable), always, false},
#ifdef PBTI_HAVE_X86_LEVELS
    {LEVEL_OPS("x86-64", x86_64), always, false},
    {LEVEL_OPS("x86-64-v3", x86_64_v3), has_x86_64_v3, false},
    {LEVEL_OPS("x86-64-v3-pdep", x86_64_v3_pdep), has_x86_64_v3_pdep, true},
    {LEVEL_OPS("x86-64-v4", x86_64_v4), has_x86_64_v4, true},
#endif
#ifdef PBTI_HAVE_NEON_LEVEL
    {LEVEL_OPS("neon", neon), always, false},
#endif
};
#undef LEVEL_OPS

/* Valgrind, of which a library is preloaded wherever it runs, would report
 * reads next to strings that can do no harm. */
static bool is_under_valgrind(const char *tool) {
    const char *preloaded = getenv("LD_PRELOAD");
    return preloaded && strstr(preloaded, tool);
}

static const pbti_wire_ops *choose(void) {
    const char *forced = getenv("PBTURBO_CPU");
    const bool is_watched = is_under_valgrind("/vgpreload_");
    const pbti_wire_ops *best = &levels[0].ops;
    size_t i;
    for (i = 0; i < sizeof levels / sizeof *levels; i++) {
        if (!levels[i].runs_here())
            continue;
        if (forced && strcmp(forced, levels[i].ops.name) == 0)
            return &levels[i].ops;
        if (!levels[i].reads_around || !is_watched)
            best = &levels[i].ops;
    }
    return best;
}

_Atomic(const pbti_wire_ops *) pbti_chosen_wire;

_Atomic(uint64_t) pbti_string_limit;

/* Threads that choose at the same time choose the same. */
const pbti_wire_ops *pbti_choose_wire(void) {
    enum { PAGE_SIZE = 4096, BYTES_AT_ONCE = 64 };
    const pbti_wire_ops *ops = choose();
    if (!is_under_valgrind("/vgpreload_memcheck"))
        atomic_store_explicit(&pbti_string_limit, PAGE_SIZE - BYTES_AT_ONCE,
                              memory_order_relaxed);
    atomic_store_explicit(&pbti_chosen_wire, ops, memory_order_relaxed);
    return ops;
}

const char *pbt_cpu_level(void) {
    return pbti_wire()->name;
}
