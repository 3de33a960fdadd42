/* base_compiler.h - what the code asks of the compiler, with a plain C form
 * of each for compilers that are not GCC or Clang. */
#ifndef PBTI_BASE_COMPILER_H
#define PBTI_BASE_COMPILER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__GNUC__)
#define PBTI_INLINE static inline __attribute__((always_inline))
#define PBTI_NOINLINE __attribute__((noinline, cold))
#define PBTI_OUTLINE static __attribute__((noinline))
#ifdef __clang__
#define PBTI_RECURSIVE PBTI_OUTLINE
#else
/* GCC makes a copy for each of the first levels. */
#define PBTI_RECURSIVE static __attribute__((noinline, noclone))
#endif
#define PBTI_LIKELY(x) __builtin_expect(!!(x), 1)
#define PBTI_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define PBTI_PREFETCH(address) __builtin_prefetch(address)
#define PBTI_UNREACHABLE() __builtin_unreachable()
#define PBTI_ASSUME(x) ((x) ? (void) 0 : __builtin_unreachable())
#define PBTI_LEADING_ZEROS(bits) ((unsigned) __builtin_clzll(bits))
#define PBTI_TRAILING_ZEROS(bits) ((unsigned) __builtin_ctzll(bits))
#define PBTI_COUNT_BITS(bits) ((unsigned) __builtin_popcountll(bits))
#define PBTI_PRINTF(string, first)                                             \
    __attribute__((format(printf, string, first)))
/* Makes the compiler forget what it knows of a number, lest it turns arithmetic
 * with it back into a branch. */
#define PBTI_OPAQUE(number) __asm__("" : "+r"(number))
/* Reads what is there, whether it is one object or not. */
#define PBTI_ANY_MEMORY __attribute__((no_sanitize("address")))
#else
#define PBTI_INLINE static inline
#define PBTI_NOINLINE
#define PBTI_OUTLINE static
#define PBTI_RECURSIVE static
#define PBTI_LIKELY(x) (x)
#define PBTI_UNLIKELY(x) (x)
#define PBTI_PREFETCH(address) ((void) (address))
#define PBTI_UNREACHABLE() ((void) 0)
#define PBTI_ASSUME(x) ((void) 0)
#define PBTI_PRINTF(string, first)
#define PBTI_OPAQUE(number) ((void) 0)
#define PBTI_ANY_MEMORY
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define PBTI_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer) ||     \
    __has_feature(thread_sanitizer)
#define PBTI_ASAN 1
#endif
#endif
#ifndef PBTI_ASAN
#define PBTI_ASAN 0
#endif

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define PBTI_BIG_ENDIAN 1
#else
#define PBTI_BIG_ENDIAN 0
#endif

/* Unaligned, type-agnostic loads and stores: memcpy of constant size, which
 * compilers turn into one instruction. */
PBTI_INLINE uint32_t pbti_load32(const void *p) {
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

PBTI_INLINE uint64_t pbti_load64(const void *p) {
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

PBTI_INLINE const void *pbti_load_pointer(const void *p) {
    const void *v;
    memcpy(&v, p, sizeof v);
    return v;
}

PBTI_INLINE size_t pbti_load_size(const void *p) {
    size_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

PBTI_INLINE void pbti_store32(void *p, uint32_t v) {
    memcpy(p, &v, sizeof v);
}

PBTI_INLINE void pbti_store64(void *p, uint64_t v) {
    memcpy(p, &v, sizeof v);
}

#endif
