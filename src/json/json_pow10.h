/* json_pow10.h - powers of ten to 128 bits.
 *
 * Instead of a table of all 617 powers that doubles need (10 KiB, which would
 * have to be generated) there are every 28th power to 192 bits and the first 28
 * powers of five, which are exact: one product of the two gives any power. The
 * powers from 1 to 10^27, which numbers of everyday size need, are the powers
 * of five themselves.
 */
#ifndef PBTI_JSON_POW10_H
#define PBTI_JSON_POW10_H

#include "base_compiler.h"

enum {
    PBTI_POW10_STEP = 28,
    PBTI_POW10_STEPS = 23,
    PBTI_POW10_BASE = -308,
    PBTI_POW10_MIN = -292, /* what the writers of doubles ask for */
    PBTI_POW10_MAX = 324
};

extern const uint64_t pbti_fives[PBTI_POW10_STEP];
extern const uint64_t pbti_tens[PBTI_POW10_STEPS][3];

typedef struct pbti_wide {
    uint64_t high, low;
} pbti_wide;

PBTI_INLINE pbti_wide pbti_multiply(uint64_t a, uint64_t b) {
    pbti_wide wide;
#ifdef __SIZEOF_INT128__
    __extension__ typedef unsigned __int128 native;
    native product = (native) a * b;
    wide.high = (uint64_t) (product >> 64);
    wide.low = (uint64_t) product;
#else
    const uint64_t half = UINT32_MAX;
    uint64_t low = (a & half) * (b & half);
    uint64_t cross = (a >> 32) * (b & half) + (low >> 32);
    uint64_t other = (a & half) * (b >> 32) + (cross & half);
    wide.high = (a >> 32) * (b >> 32) + (cross >> 32) + (other >> 32);
    wide.low = other << 32 | (low & half);
#endif
    return wide;
}

/* wide + more; the sum fits. */
PBTI_INLINE pbti_wide pbti_add(pbti_wide wide, uint64_t more) {
    wide.low += more;
    wide.high += wide.low < more;
    return wide;
}

/* 10^e as g * 2^x with the highest bit of g set: g is exact for e from 0 to
 * 27, else g is the 128 highest bits plus one. */
PBTI_INLINE pbti_wide pbti_pow10(int e) {
    unsigned place = (unsigned) (e - PBTI_POW10_BASE);
    uint64_t five = pbti_fives[place % PBTI_POW10_STEP];
    const uint64_t *ten = pbti_tens[place / PBTI_POW10_STEP];
    pbti_wide middle, high;
    if (PBTI_LIKELY(e >= 0 && e < PBTI_POW10_STEP))
        return (pbti_wide){pbti_fives[e], 0};
    middle =
        pbti_add(pbti_multiply(ten[1], five), pbti_multiply(ten[2], five).high);
    high = pbti_add(pbti_multiply(ten[0], five), middle.high);
    if (!(high.high >> 63)) {
        high.high = high.high << 1 | high.low >> 63;
        high.low = high.low << 1 | middle.low >> 63;
    }
    return pbti_add(high, 1);
}

#endif
