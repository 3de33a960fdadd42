/* wire_lanes.h - the orders in which a shuffle puts the bytes of lanes on the
 * wire, and those from the wire to their lanes: eight lanes of 16 bits, of
 * which each uses one byte or two, or four of 32, which use one to four.
 *
 * An order is two words of indices, each of half the lanes.
 */
#ifndef PBTI_WIRE_LANES_H
#define PBTI_WIRE_LANES_H

#include "base_level.h"

#if PBTI_SHUFFLE
#define BIT(bits, k) ((uint64_t) (bits) >> (k) &1)
#define ONES(bits) (BIT(bits, 0) + BIT(bits, 1) + BIT(bits, 2) + BIT(bits, 3))

/* On the wire the bytes end with the last of the 16, as the writer works from
 * the last to the first; what is below them has no meaning. Each half is put
 * together at the end of a word, and then the two: `n` bytes are those of the
 * second. */
#define JOIN(low, high, n)                                                     \
    { (low) << 8 * (8 - (n)), (high) | (low) >> 4 * (n) >> 4 * (n) }

/* Lane k of four, the bytes of which are from `first` on: two bytes where the
 * bit of the mask is set. */
#define LANE_16(mask, first, k)                                                \
    (((first) + 2 * (k) + BIT(mask, k) * ((first) + 2 * (k) + 1) * 256)        \
     << 8 * (4 + (k) -ONES((mask) >> (k))))
#define HALF_16(mask, first)                                                   \
    (LANE_16(mask, first, 0) | LANE_16(mask, first, 1) |                       \
     LANE_16(mask, first, 2) | LANE_16(mask, first, 3))
#define ORDER_16(low, high)                                                    \
    JOIN(HALF_16(low, 0), HALF_16(high, 8), 4 + ONES(high))

/* Bytes of lane k by the bits of its size, less one. */
#define SIZE(low, high, k) (1 + BIT(low, k) + 2 * BIT(high, k))
#define LANE_32(first, size)                                                   \
    ((UINT64_C(0x03020100) + (first) *UINT64_C(0x01010101)) &                  \
     UINT64_MAX >> 8 * (8 - (size)))
#define PAIR_32(first, a, b)                                                   \
    ((LANE_32(first, a) << 8 * (8 - (a) - (b))) |                              \
     (LANE_32((first) + 4, b) << 8 * (8 - (b))))
#define ORDER_32(low, high)                                                    \
    JOIN(PAIR_32(0, SIZE(low, high, 0), SIZE(low, high, 1)),                   \
         PAIR_32(8, SIZE(low, high, 2), SIZE(low, high, 3)),                   \
         SIZE(low, high, 2) + SIZE(low, high, 3))

/* From the wire: lane k starts `at` so many bytes, and bytes that it does not
 * use become zeros. */
#define STARTS_16(mask, k)                                                     \
    ((k) + ONES((mask) & ((1 << (k)) - 1)) +                                   \
     ONES(((mask) & ((1 << (k)) - 1)) >> 4))
#define FROM_16(mask, k)                                                       \
    ((STARTS_16(mask, k) | (BIT(mask, k) ? STARTS_16(mask, k) + 1 : 0x80)      \
                               << 8)                                           \
     << 16 * ((k) % 4))
#define FOUR_FROM_16(mask, k)                                                  \
    (FROM_16(mask, k) | FROM_16(mask, (k) + 1) | FROM_16(mask, (k) + 2) |      \
     FROM_16(mask, (k) + 3))
#define FROM_ORDER_16(low, high)                                               \
    {                                                                          \
        FOUR_FROM_16((low) + 16 * (high), 0),                                  \
            FOUR_FROM_16((low) + 16 * (high), 4)                               \
    }

#define FROM_32(at, size)                                                      \
    ((LANE_32(at, size) & UINT64_C(0xffffffff)) |                              \
     (UINT64_C(0x80808080) << 8 * (size) &UINT64_C(0xffffffff)))
#define PAIR_FROM_32(at, a, b) (FROM_32(at, a) | FROM_32((at) + (a), b) << 32)
#define FROM_ORDER_32(low, high)                                               \
    {                                                                          \
        PAIR_FROM_32(0, SIZE(low, high, 0), SIZE(low, high, 1)),               \
            PAIR_FROM_32(SIZE(low, high, 0) + SIZE(low, high, 1),              \
                         SIZE(low, high, 2), SIZE(low, high, 3))               \
    }

#define ROW(order, high)                                                       \
    order(0, high), order(1, high), order(2, high), order(3, high),            \
        order(4, high), order(5, high), order(6, high), order(7, high),        \
        order(8, high), order(9, high), order(10, high), order(11, high),      \
        order(12, high), order(13, high), order(14, high), order(15, high)
#define TABLE(order)                                                           \
    {                                                                          \
        ROW(order, 0), ROW(order, 1), ROW(order, 2), ROW(order, 3),            \
            ROW(order, 4), ROW(order, 5), ROW(order, 6), ROW(order, 7),        \
            ROW(order, 8), ROW(order, 9), ROW(order, 10), ROW(order, 11),      \
            ROW(order, 12), ROW(order, 13), ROW(order, 14), ROW(order, 15)     \
    }

/* By a bit for each lane that uses two bytes. */
static const uint64_t pbti_orders_16[256][2] __attribute__((aligned(16))) =
    TABLE(ORDER_16);
/* By the low bits of the sizes, less one, of all lanes, and above them by the
 * high bits. */
static const uint64_t pbti_orders_32[256][2] __attribute__((aligned(16))) =
    TABLE(ORDER_32);
/* The same, from the wire. */
static const uint64_t pbti_from_orders_16[256][2] __attribute__((aligned(16))) =
    TABLE(FROM_ORDER_16);
static const uint64_t pbti_from_orders_32[256][2] __attribute__((aligned(16))) =
    TABLE(FROM_ORDER_32);
#undef TABLE
#undef ROW
#undef FROM_ORDER_32
#undef PAIR_FROM_32
#undef FROM_32
#undef FROM_ORDER_16
#undef FOUR_FROM_16
#undef FROM_16
#undef STARTS_16
#undef ORDER_32
#undef PAIR_32
#undef LANE_32
#undef SIZE
#undef ORDER_16
#undef HALF_16
#undef LANE_16
#undef JOIN
#undef ONES
#undef BIT
#endif

#endif
