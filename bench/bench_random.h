/* bench_random.h - the seeded random numbers of the generators.
 *
 * SplitMix64: the state is a counter, its hash is the number. Every dataset
 * starts from the seed and its own name, so that one dataset does not depend
 * on which others were made before it.
 */
#ifndef PBTURBO_BENCH_RANDOM_H
#define PBTURBO_BENCH_RANDOM_H

#include <stdbool.h>
#include <stdint.h>

typedef struct bench_random {
    uint64_t state;
} bench_random;

static inline uint64_t random_u64(bench_random *random) {
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* A number from low to high, both included. */
static inline uint64_t random_between(bench_random *random, uint64_t low,
                                      uint64_t high) {
    return low + random_u64(random) % (high - low + 1);
}

static inline bool random_percent(bench_random *random, unsigned percent) {
    return random_u64(random) % 100 < percent;
}

/* A number of random width, 1 to max_bits bits, never zero. */
static inline uint64_t random_width(bench_random *random, unsigned max_bits) {
    unsigned bits = (unsigned) random_between(random, 1, max_bits);
    uint64_t top = UINT64_C(1) << (bits - 1);
    return top | (random_u64(random) & (top - 1));
}

#endif
