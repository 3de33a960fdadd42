/* json_trace.h - which rows of the JSON writer ran, for tests. Counts in the
 * testing build only (PBTI_TRACE); elsewhere the macro expands to nothing. */
#ifndef PBTI_JSON_TRACE_H
#define PBTI_JSON_TRACE_H

#ifdef PBTI_TRACE
#include <stdatomic.h>

#include "table_names.h"

typedef struct pbti_json_trace {
    _Atomic(unsigned long) fast_calls;
    _Atomic(unsigned long) ops[PBTI_N_JSON_OPS];
} pbti_json_trace;

extern pbti_json_trace pbti_json_trace_counts;

#define PBTI_JSON_COUNT(member)                                                \
    atomic_fetch_add_explicit(&pbti_json_trace_counts.member, 1,               \
                              memory_order_relaxed)
#else
#define PBTI_JSON_COUNT(member) ((void) 0)
#endif

#endif
