/* wire_trace.h - which road ran and what it met, for tests.
 *
 * Counts in the testing build only (PBTI_TRACE); elsewhere the macros expand
 * to nothing. */
#ifndef PBTI_WIRE_TRACE_H
#define PBTI_WIRE_TRACE_H

#ifdef PBTI_TRACE
#include <stdatomic.h>

#include "table.h"

typedef struct pbti_trace {
    _Atomic(unsigned long) fast_calls;              /* loops entered */
    _Atomic(unsigned long) reflect_calls;           /* calls that fell back */
    _Atomic(unsigned long) marshal_ops[PBTI_N_OPS]; /* rows run by marshal */
    _Atomic(unsigned long) size_ops[PBTI_N_OPS];
    _Atomic(unsigned long) size_parts;     /* by the quick size loop */
    _Atomic(unsigned long) size_steps;     /* runs of steps, by that loop */
    _Atomic(unsigned long) sizes_given_up; /* by that loop */
    _Atomic(unsigned long) unmarshal_ops[PBTI_N_PARSE_OPS];
    _Atomic(unsigned long) vector_steps; /* steps of the packed kernels */
    _Atomic(unsigned long) read_steps;   /* of those that unmarshal with AVX2 */
} pbti_trace;

extern pbti_trace pbti_trace_counts;

#define PBTI_COUNT(member)                                                     \
    atomic_fetch_add_explicit(&pbti_trace_counts.member, 1,                    \
                              memory_order_relaxed)
#else
#define PBTI_COUNT(member) ((void) 0)
#endif

#endif
