/* support_rng.h - seeded random numbers (splitmix64): one seed, one run. */
#ifndef SUPPORT_RNG_H
#define SUPPORT_RNG_H

#include <stdbool.h>
#include <stdint.h>

typedef struct rng {
    uint64_t state;
} rng;

static inline uint64_t rng_next(rng *r) {
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/** A number from 0 to n - 1; n must not be 0. */
static inline uint32_t rng_below(rng *r, uint32_t n) {
    return (uint32_t) ((rng_next(r) >> 32) * n >> 32);
}

static inline bool rng_chance(rng *r, uint32_t percent) {
    return rng_below(r, 100) < percent;
}

#endif
