/* base_ranges.h - from a number to its place by the ranges that protobuf-c's
 * descriptors have for fields and for the values of enums. */
#ifndef PBTI_BASE_RANGES_H
#define PBTI_BASE_RANGES_H

#include <protobuf-c/protobuf-c.h>

#include "base_compiler.h"

/** Returns the index that a number has in the array which n ranges, in
 *  ascending order, and an end are for; -1 when it is in none of them.
 *  compat: the end of a range that goes up to INT32_MAX overflows in
 *  protobuf-c, which finds nothing in it. */
PBTI_INLINE int pbti_range_index(unsigned n, const ProtobufCIntRange *ranges,
                                 int number) {
    int64_t place, size;
    if (n == 0)
        return -1;
    while (n > 1) {
        unsigned half = n / 2;
        if (ranges[half].start_value <= number) {
            ranges += half;
            n -= half;
        } else {
            n = half;
        }
    }
    place = (int64_t) number - ranges->start_value;
    size = (int64_t) ranges[1].orig_index - (int64_t) ranges->orig_index;
    if (place < 0 || place >= size || ranges->start_value + size > INT32_MAX)
        return -1;
    return (int) (ranges->orig_index + (unsigned) place);
}

#endif
