/* shim.h - the drop-in library: protobuf-c's own calls, by coder tables.
 *
 * Every call asks pbti_shim_table for the table of its message's type, and does
 * its work with that. Where there is none, or the loop reports anything but
 * success, the call is done again without tables (shim_plain.h), as protobuf-c
 * would do it: no error of the tables is ever the caller's.
 */
#ifndef PBTI_SHIM_H
#define PBTI_SHIM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

#include "base_compiler.h"
#include "table_registry.h"
#include "wire.h"

/* Makes a call of protobuf-c's interface visible; the version script gives it
 * its version. */
#if defined(__GNUC__)
#define PBTI_SHIM_API __attribute__((visibility("default")))
#else
#define PBTI_SHIM_API
#endif

/* What PBTURBO_STATS counts: name in the report. */
#define PBTI_SHIM_COUNTS(X)                                                    \
    X(SIZE, "get_packed_size")                                                 \
    X(PACK, "pack")                                                            \
    X(BUFFER, "pack_to_buffer")                                                \
    X(CHECK, "check")                                                          \
    X(UNPACK, "unpack")                                                        \
    X(FREE, "free_unpacked")

typedef enum pbti_shim_count {
#define PBTI_SHIM_COUNT(name, text) PBTI_SHIM_##name,
    PBTI_SHIM_COUNTS(PBTI_SHIM_COUNT)
#undef PBTI_SHIM_COUNT
        PBTI_SHIM_N_COUNTS
} pbti_shim_count;

/* Why a call cannot go straight on. */
enum {
    PBTI_SHIM_UNSTARTED = 1, /* pbti_shim_start has not run */
    PBTI_SHIM_OFF = 2,       /* PBTURBO_DISABLE */
    PBTI_SHIM_COUNTING = 4   /* PBTURBO_STATS */
};

typedef struct pbti_shim_state {
    _Atomic(unsigned) mode; /* 0: nothing in the way */
    /* The main program, which is never unloaded: its types need no second
     * look. Zero until the start. */
    _Atomic(uintptr_t) main_start;
    _Atomic(size_t) main_size;
} pbti_shim_state;

extern pbti_shim_state pbti_shim;

/** Reads the environment and finds the main program. May run more than once,
 *  and in several threads. */
void pbti_shim_start(void);

/** The mode, after the start. */
PBTI_INLINE unsigned pbti_shim_mode(void) {
    unsigned mode = atomic_load_explicit(&pbti_shim.mode, memory_order_relaxed);
    if (PBTI_UNLIKELY(mode & PBTI_SHIM_UNSTARTED)) {
        pbti_shim_start();
        mode = atomic_load_explicit(&pbti_shim.mode, memory_order_relaxed);
    }
    return mode;
}

/** Counts a call and its bytes, if PBTURBO_STATS is set. */
void pbti_shim_tally(pbti_shim_count what, size_t bytes);

PBTI_INLINE void pbti_shim_counted(pbti_shim_count what, size_t bytes) {
    if (PBTI_UNLIKELY(
            atomic_load_explicit(&pbti_shim.mode, memory_order_relaxed)))
        pbti_shim_tally(what, bytes);
}

/** Counts a call that is done without tables. */
void pbti_shim_tally_plain(void);

/** As pbti_shim_table, for types that are not in the main program, or have no
 *  table yet. */
const pbti_table *pbti_shim_find_table(const ProtobufCMessageDescriptor *type);

/** Returns the table of a type, or NULL if the call is to be done without one:
 *  there is no memory for it, another thread is building one at the moment, the
 *  type is not part of a loaded program or library, it is no proper descriptor,
 *  or PBTURBO_DISABLE is set. Never waits.
 *  @param type [in] not NULL
 */
PBTI_INLINE const pbti_table *
pbti_shim_table(const ProtobufCMessageDescriptor *type) {
    uintptr_t start =
        atomic_load_explicit(&pbti_shim.main_start, memory_order_relaxed);
    size_t size =
        atomic_load_explicit(&pbti_shim.main_size, memory_order_relaxed);
    if (PBTI_LIKELY((uintptr_t) type - start < size)) {
        const pbti_table *table = pbti_registry_find(type, PBTI_PLAIN);
        if (PBTI_LIKELY(table != NULL))
            return table;
    }
    return pbti_shim_find_table(type);
}

#endif
