/* shim_state.c - the start of the drop-in library: the environment, the choice
 * of the tables' types, and the report of PBTURBO_STATS.
 *
 * The start runs in the constructor, where the process has one thread as a
 * rule; or in the first call, should another constructor come before. All of
 * it may be done twice with the same result.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* secure_getenv */
#endif
#include "shim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <unistd.h>

#include "shim_modules.h"

pbti_shim_state pbti_shim = {.mode = PBTI_SHIM_UNSTARTED};

static const char *const count_names[] = {
#define PBTI_SHIM_COUNT(name, text) text,
    PBTI_SHIM_COUNTS(PBTI_SHIM_COUNT)
#undef PBTI_SHIM_COUNT
};

static struct {
    _Atomic(uint64_t) calls[PBTI_SHIM_N_COUNTS];
    _Atomic(uint64_t) bytes[PBTI_SHIM_N_COUNTS];
    _Atomic(uint64_t) plain;
} counts;

/* Programs that run with the rights of another user ignore the variables. */
static bool is_on(const char *name) {
    const char *value = secure_getenv(name);
    return value && *value != '\0' && strcmp(value, "0") != 0;
}

static bool is_in_main(const ProtobufCMessageDescriptor *type) {
    return (uintptr_t) type - atomic_load_explicit(&pbti_shim.main_start,
                                                   memory_order_relaxed) <
           atomic_load_explicit(&pbti_shim.main_size, memory_order_relaxed);
}

static bool admits(const ProtobufCMessageDescriptor *type) {
    if (is_in_main(type))
        return pbti_modules_keep(type);
    return pbti_modules_settle() &&
           (pbti_registry_find(type, PBTI_PLAIN) || pbti_modules_keep(type));
}

static const char main_program[1];

static const void *find_origin(const ProtobufCMessageDescriptor *type) {
    return is_in_main(type) ? main_program : pbti_modules_origin(type);
}

static const pbti_guard guard = {admits, pbti_modules_keep, find_origin,
                                 main_program};

void pbti_shim_start(void) {
    static atomic_flag guarded = ATOMIC_FLAG_INIT;
    unsigned mode = 0;
    uintptr_t start;
    size_t size;
    if (is_on("PBTURBO_DISABLE"))
        mode |= PBTI_SHIM_OFF;
    if (is_on("PBTURBO_STATS"))
        mode |= PBTI_SHIM_COUNTING;
    if (!atomic_flag_test_and_set(&guarded)) {
        (void) pbti_registry_guard(&guard);
        pbti_modules_watch_forks();
    }
    (void) pbti_wire(); /* reads PBTURBO_CPU */
    if (!(mode & PBTI_SHIM_OFF)) {
        pbti_modules_main(&start, &size);
        atomic_store_explicit(&pbti_shim.main_start, start,
                              memory_order_relaxed);
        atomic_store_explicit(&pbti_shim.main_size, size, memory_order_release);
    }
    atomic_store_explicit(&pbti_shim.mode, mode, memory_order_release);
}

__attribute__((constructor)) static void start_early(void) {
    (void) pbti_shim_mode();
}

const pbti_table *pbti_shim_find_table(const ProtobufCMessageDescriptor *type) {
    const pbti_table *table;
    if (pbti_shim_mode() & PBTI_SHIM_OFF)
        return NULL;
    table = pbti_registry_find(type, PBTI_PLAIN);
    if (PBTI_LIKELY(table && table->origin && table->origin != main_program) &&
        pbti_modules_is_from(type, table->origin))
        return table;
    return pbti_registry_get(type, PBTI_PLAIN, &table, NULL) == PBT_OK ? table
                                                                       : NULL;
}

void pbti_shim_tally(pbti_shim_count what, size_t bytes) {
    if (!(pbti_shim_mode() & PBTI_SHIM_COUNTING))
        return;
    atomic_fetch_add_explicit(&counts.calls[what], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counts.bytes[what], bytes, memory_order_relaxed);
}

void pbti_shim_tally_plain(void) {
    if (pbti_shim_mode() & PBTI_SHIM_COUNTING)
        atomic_fetch_add_explicit(&counts.plain, 1, memory_order_relaxed);
}

/* By write alone: nothing of stdio need work any more. */
__attribute__((destructor)) static void report(void) {
    char text[1024];
    size_t len = 0, i;
    ssize_t written;
    if (!(pbti_shim_mode() & PBTI_SHIM_COUNTING))
        return;
    for (i = 0; i < PBTI_SHIM_N_COUNTS; i++)
        len += (size_t) snprintf(
            text + len, sizeof text - len,
            "pbturbo[%ld]: %s: %" PRIu64 " calls, %" PRIu64 " bytes\n",
            (long) getpid(), count_names[i],
            atomic_load_explicit(&counts.calls[i], memory_order_relaxed),
            atomic_load_explicit(&counts.bytes[i], memory_order_relaxed));
    len += (size_t) snprintf(
        text + len, sizeof text - len,
        "pbturbo[%ld]: %zu tables built, %" PRIu64
        " calls without tables, level %s\n",
        (long) getpid(), pbti_registry_built(),
        atomic_load_explicit(&counts.plain, memory_order_relaxed),
        pbti_wire()->name);
    written = write(STDERR_FILENO, text, len);
    (void) written;
}
