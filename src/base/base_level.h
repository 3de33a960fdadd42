/* base_level.h - names for the files that are compiled once per CPU level, and
 * what the level at hand can do.
 *
 * The build defines PBTI_LEVEL as portable, x86_64, x86_64_v3, x86_64_v3_pdep,
 * x86_64_v4 or neon; a function named PBTI_LEVEL_NAME(pbti_marshal) becomes
 * pbti_marshal_x86_64_v3.
 * Files that are compiled once use the plainest level for this processor.
 */
#ifndef PBTI_BASE_LEVEL_H
#define PBTI_BASE_LEVEL_H

#ifndef PBTI_LEVEL
#ifdef PBTI_HAVE_X86_LEVELS
#define PBTI_LEVEL x86_64
#elif defined(PBTI_HAVE_NEON_LEVEL)
#define PBTI_LEVEL neon
#else
#define PBTI_LEVEL portable
#endif
#endif

#define PBTI_JOIN_NAMES(a, b) a##_##b
#define PBTI_JOIN(a, b) PBTI_JOIN_NAMES(a, b)
#define PBTI_LEVEL_NAME(name) PBTI_JOIN(name, PBTI_LEVEL)

/* All levels, for declarations. Those of x86 exist on x86 only, and neon on
 * 64-bit ARM; x86_64_v3_pdep is no level of JSON. */
#define PBTI_FOR_EACH_LEVEL(X)                                                 \
    X(portable)                                                                \
    X(x86_64) X(x86_64_v3) X(x86_64_v3_pdep) X(x86_64_v4) X(neon)

/* Vector code: x86 has SSE2 at every level but portable. */
#if defined(__SSE2__) && !defined(PBTI_PORTABLE)
#define PBTI_SSE2 1
#include <immintrin.h>
#else
#define PBTI_SSE2 0
#endif
#if defined(__AVX2__) && !defined(PBTI_PORTABLE)
#define PBTI_AVX2 1
#else
#define PBTI_AVX2 0
#endif

/* With VBMI2, which the build and the check of the CPU add to x86-64-v4. */
#if defined(__AVX512VBMI2__) && defined(__AVX512VBMI__) &&                     \
    !defined(PBTI_PORTABLE)
#define PBTI_AVX512 1
#else
#define PBTI_AVX512 0
#endif

/* Bits are deposited and extracted fast. BMI2 has the instructions, but on some
 * CPUs of x86-64-v3 they take hundreds of cycles, so the build says where they
 * may be used: PBTI_PDEP. */
#ifndef PBTI_PDEP
#define PBTI_PDEP 0
#endif

/* 64-bit ARM has NEON at every level but portable; the kernels want its usual
 * byte order. */
#if defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__) &&  \
    !defined(PBTI_PORTABLE)
#define PBTI_NEON 1
#include <arm_neon.h>
#else
#define PBTI_NEON 0
#endif

/* What base_vector.h has: vectors, and the shuffle of their bytes. */
#define PBTI_VECTOR (PBTI_SSE2 || PBTI_NEON)
#define PBTI_SHUFFLE (PBTI_AVX2 || PBTI_NEON)

/* Eight bytes may be stored as one little-endian word. */
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ &&    \
    !defined(PBTI_PORTABLE)
#define PBTI_WORD_STORES 1
#else
#define PBTI_WORD_STORES 0
#endif

#endif
