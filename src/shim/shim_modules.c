/* shim_modules.c - see shim_modules.h.
 *
 * protobuf-c keeps nothing from call to call. The tables do, and a descriptor's
 * address may come to hold another one without anybody telling: when a plugin
 * is closed and another is loaded in its place, or when descriptors are made
 * in memory that is freed and used again. Against the first, the number of
 * modules that were ever unloaded is compared before a table is used; when it
 * has changed, every table is held to its descriptor, and dropped if that is
 * gone or another one. Against the second, only types inside a module have
 * tables.
 *
 * The comparison takes the loader's lock for some ten nanoseconds. The main
 * program, which stays, is spared that.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_iterate_phdr */
#endif
#include "shim_modules.h"

#include <stdatomic.h>

#include <dlfcn.h>
#include <link.h>
#include <sys/auxv.h>

#include "base_compiler.h"
#include "table_registry.h"

/* The number of unloaded modules that the tables have been held to. */
static _Atomic(unsigned long long) seen_unloads;

typedef struct range {
    uintptr_t start;
    size_t size;
} range;

static bool segment_holds(const struct dl_phdr_info *module,
                          const ElfW(Phdr) * segment, const range *r) {
    uintptr_t start = (uintptr_t) module->dlpi_addr + segment->p_vaddr;
    return segment->p_type == PT_LOAD && (segment->p_flags & PF_R) &&
           r->start >= start && r->size <= segment->p_memsz &&
           r->start - start <= segment->p_memsz - r->size;
}

/* Ends the walk over the modules when it is found. */
static int find_range(struct dl_phdr_info *module, size_t size, void *wanted) {
    unsigned i;
    (void) size;
    for (i = 0; i < module->dlpi_phnum; i++)
        if (segment_holds(module, &module->dlpi_phdr[i], wanted))
            return 1;
    return 0;
}

static bool is_loaded(const void *data, size_t size) {
    range wanted = {(uintptr_t) data, size};
    return dl_iterate_phdr(find_range, &wanted) == 1;
}

#ifdef PBTI_HAVE_FIND_OBJECT
static void *find_argument(const void *address) {
    union {
        const void *in;
        void *out; /* it is looked for, and not written to */
    } pointer = {address};
    return pointer.out;
}
#endif

static bool is_whole(const ProtobufCMessageDescriptor *type,
                     const ProtobufCFieldDescriptor *fields,
                     unsigned n_fields) {
    return is_loaded(type, sizeof *type) &&
           (n_fields == 0 || is_loaded(fields, n_fields * sizeof *fields));
}

/* Runs with the loader's lock held, so that no module goes meanwhile. Nobody
 * who holds the registry's lock waits for the loader's: sweeping does not wait
 * for it. */
static int compare_unloads(struct dl_phdr_info *module, size_t size,
                           void *current) {
    unsigned long long unloads = module->dlpi_subs;
    bool *is_current = current;
    (void) size;
    *is_current =
        unloads == atomic_load_explicit(&seen_unloads, memory_order_relaxed);
    if (PBTI_UNLIKELY(!*is_current) && pbti_registry_sweep(is_whole)) {
        atomic_store_explicit(&seen_unloads, unloads, memory_order_relaxed);
        *is_current = true;
    }
    return 1; /* one module tells it */
}

bool pbti_modules_settle(void) {
    bool is_current = false;
    dl_iterate_phdr(compare_unloads, &is_current);
    return is_current;
}

bool pbti_modules_hold(const ProtobufCMessageDescriptor *type) {
#ifdef PBTI_HAVE_FIND_OBJECT
    /* takes no lock, and no time where the answer is no */
    struct dl_find_object object;
    if (_dl_find_object(find_argument(type), &object) != 0)
        return false;
#endif
    return is_loaded(type, sizeof *type);
}

/* From the program headers that the system has left for the loader. */
void pbti_modules_main(uintptr_t *start, size_t *size) {
    const ElfW(Phdr) *headers = (const void *) (uintptr_t) getauxval(AT_PHDR);
    size_t n = getauxval(AT_PHNUM);
    uintptr_t base = 0, low = UINTPTR_MAX, high = 0;
    size_t i;
    for (i = 0; headers && i < n; i++)
        if (headers[i].p_type == PT_PHDR)
            base = (uintptr_t) headers - headers[i].p_vaddr;
    for (i = 0; headers && i < n; i++) {
        uintptr_t at = base + headers[i].p_vaddr;
        if (headers[i].p_type != PT_LOAD)
            continue;
        low = at < low ? at : low;
        high = at + headers[i].p_memsz > high ? at + headers[i].p_memsz : high;
    }
    *start = high > low ? low : 0;
    *size = high > low ? high - low : 0;
}
