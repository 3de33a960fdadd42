/* pbturbo/version.h - which pbturbo this is, and how it runs here. */
#ifndef PBTURBO_VERSION_H
#define PBTURBO_VERSION_H

#include <pbturbo/status.h>

#define PBT_VERSION_MAJOR 0
#define PBT_VERSION_MINOR 1
#define PBT_VERSION_PATCH 0
#define PBT_VERSION_STRING "0.1.0"
/* For comparisons in #if: 1002003 is 1.2.3. */
#define PBT_VERSION_NUMBER                                                     \
    (PBT_VERSION_MAJOR * 1000000 + PBT_VERSION_MINOR * 1000 + PBT_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/** Tells the version of the library that is running: "0.1.0".
 *  @return a constant string; compare with PBT_VERSION_STRING
 */
PBT_API const char *pbt_version(void);

/** Tells which variant of the hot code runs on this machine.
 *
 *  The best one the CPU can run is chosen on first use. The environment
 *  variable PBTURBO_CPU, read at that moment, forces another of them
 *  ("portable"; "x86-64", "x86-64-v3", "x86-64-v3-pdep", "x86-64-v4"; on 64-bit
 *  ARM "neon"); a name that is unknown, or that the CPU cannot run, is ignored.
 *  x86-64-v3-pdep is for CPUs of x86-64-v3 whose bit deposit is fast: Intel's,
 *  and AMD's from Zen 3 on. x86-64-v4 asks for the byte compression of AVX-512
 *  VBMI2 besides.
 *  @return the name of the variant, a constant string
 */
PBT_API const char *pbt_cpu_level(void);

#ifdef __cplusplus
}
#endif

#endif
