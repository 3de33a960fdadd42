/* shim_modules.c - see shim_modules.h.
 *
 * protobuf-c keeps nothing from call to call. The tables do, and a descriptor's
 * address may come to hold another one without anybody telling: when a plugin
 * is closed and another is loaded in its place, or when descriptors are made
 * in memory that can be written to.
 *
 * Against the second, only types in the constant parts of a module have tables:
 * that is where the compiler puts what protoc-c writes. Against the first there
 * are three ways, the quickest first:
 *
 * - The main program is never unloaded.
 * - A module is told by its addresses, its file's name and its build ID, where
 *   it has one, which the linker makes of its content. glibc 2.35 finds the
 *   module of an address without a lock.
 * - Else the number of modules that were ever unloaded tells, for which the
 *   loader's lock is taken. When it has changed, every table is held to its
 *   descriptor, and dropped if that is gone or another one.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dl_iterate_phdr */
#endif
#include "shim_modules.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sys/auxv.h>

#ifdef PBTI_HAVE_SINGLE_THREADED
#include <sys/single_threaded.h>
#endif

#include "base_compiler.h"
#include "table_registry.h"

enum {
    MAX_BUILD_ID = 32,
    FIRST_PAGE = 4096 /* at the least, of what is mapped and can be read */
};

/* The number of unloaded modules that the tables have been held to. */
static _Atomic(unsigned long long) seen_unloads;

/* The child of a process with threads: another thread of the parent may have
 * held the loader's lock, which nobody gives back here. */
static _Atomic(bool) is_orphan;

typedef struct range {
    uintptr_t start;
    size_t size;
} range;

static bool spans(uintptr_t base, const ElfW(Phdr) * segment, const range *r) {
    uintptr_t start = base + segment->p_vaddr;
    return r->start >= start && r->size <= segment->p_memsz &&
           r->start - start <= segment->p_memsz - r->size;
}

static bool segment_holds(const struct dl_phdr_info *module,
                          const ElfW(Phdr) * segment, const range *r) {
    return segment->p_type == PT_LOAD && (segment->p_flags & PF_R) &&
           spans((uintptr_t) module->dlpi_addr, segment, r);
}

/* Whether a segment says that nobody writes there: one that cannot be written
 * to, or the part that cannot once the loader has done its work. */
static bool is_kept_by(uintptr_t base, const ElfW(Phdr) * segment,
                       const range *r) {
    bool is_constant =
        segment->p_type == PT_GNU_RELRO ||
        (segment->p_type == PT_LOAD && (segment->p_flags & PF_R) &&
         !(segment->p_flags & PF_W));
    return is_constant && spans(base, segment, r);
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

static void become_child(void) {
#ifdef PBTI_HAVE_SINGLE_THREADED
    if (__libc_single_threaded)
        return;
#endif
    atomic_store_explicit(&is_orphan, true, memory_order_relaxed);
}

void pbti_modules_watch_forks(void) {
    (void) pthread_atfork(NULL, NULL, become_child);
}

bool pbti_modules_settle(void) {
    bool is_current = false;
    if (atomic_load_explicit(&is_orphan, memory_order_relaxed))
        return false;
    dl_iterate_phdr(compare_unloads, &is_current);
    return is_current;
}

#ifdef PBTI_HAVE_FIND_OBJECT
/* Reads a program header: of the main program where the system has left them
 * for the loader, else by the file's header, which is mapped where the module
 * begins. False behind the last. */
static bool read_segment(const struct dl_find_object *object, size_t i,
                         ElfW(Phdr) * segment) {
    const uint8_t *start = object->dlfo_map_start;
    uintptr_t size = (uintptr_t) object->dlfo_map_end - (uintptr_t) start;
    const ElfW(Phdr) *headers = (const void *) (uintptr_t) getauxval(AT_PHDR);
    ElfW(Ehdr) header;
    size_t at;
    if ((uintptr_t) headers - (uintptr_t) start < size) {
        if (i < getauxval(AT_PHNUM))
            *segment = headers[i];
        return i < getauxval(AT_PHNUM);
    }
    memcpy(&header, start, sizeof header);
    at = header.e_phoff + i * sizeof *segment;
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_phentsize != sizeof *segment || i >= header.e_phnum ||
        at > FIRST_PAGE - sizeof *segment)
        return false;
    memcpy(segment, start + at, sizeof *segment);
    return true;
}

static bool is_kept(const range *r) {
    struct dl_find_object object;
    ElfW(Phdr) segment;
    size_t i;
    if (_dl_find_object(find_argument((const void *) r->start), &object) != 0)
        return false;
    for (i = 0; read_segment(&object, i, &segment); i++)
        if (is_kept_by(object.dlfo_link_map->l_addr, &segment, r))
            return true;
    return false;
}
#else
static int find_kept(struct dl_phdr_info *module, size_t size, void *wanted) {
    unsigned i;
    (void) size;
    for (i = 0; i < module->dlpi_phnum; i++)
        if (is_kept_by((uintptr_t) module->dlpi_addr, &module->dlpi_phdr[i],
                       wanted))
            return 1;
    return 0;
}

static bool is_kept(const range *r) {
    range wanted = *r;
    return !atomic_load_explicit(&is_orphan, memory_order_relaxed) &&
           dl_iterate_phdr(find_kept, &wanted) == 1;
}
#endif

bool pbti_modules_keep(const ProtobufCMessageDescriptor *type) {
    range r = {(uintptr_t) type, sizeof *type};
    if (!is_kept(&r))
        return false;
    r.start = (uintptr_t) type->fields;
    r.size = type->n_fields * sizeof *type->fields;
    return r.size == 0 || is_kept(&r);
}

#ifdef PBTI_HAVE_FIND_OBJECT
/* A module with a build ID in its first page. */
typedef struct module {
    struct module *next;
    const void *start, *end;
    char *name;       /* of its file */
    const void *note; /* where the build ID stands */
    size_t id_len;
    uint8_t id[MAX_BUILD_ID];
} module;

static module *modules; /* never freed: one each */

/* The name is for build IDs that were set by hand, of more than one file. */
static bool is_module(const module *m, const struct dl_find_object *object) {
    return object->dlfo_map_start == m->start &&
           object->dlfo_map_end == m->end &&
           memcmp(m->note, m->id, m->id_len) == 0 &&
           strcmp(object->dlfo_link_map->l_name, m->name) == 0;
}

static size_t aligned(size_t size) {
    return (size + 3) & ~(size_t) 3;
}

/* Looks for the build ID among the notes at `place`. */
static bool read_notes(const uint8_t *place, size_t len, module *m) {
    while (len > sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        size_t name, all;
        memcpy(&note, place, sizeof note);
        name = sizeof note + aligned(note.n_namesz);
        all = name + aligned(note.n_descsz);
        if (note.n_namesz > len || note.n_descsz > len || all > len)
            return false;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            note.n_descsz <= MAX_BUILD_ID) {
            m->note = place + name;
            m->id_len = note.n_descsz;
            memcpy(m->id, m->note, m->id_len);
            return true;
        }
        place += all;
        len -= all;
    }
    return false;
}

static bool read_module(const struct dl_find_object *object, module *m) {
    const uint8_t *start = object->dlfo_map_start;
    ElfW(Phdr) segment;
    size_t i;
    m->start = start;
    m->end = object->dlfo_map_end;
    for (i = 0; read_segment(object, i, &segment); i++)
        if (segment.p_type == PT_NOTE && segment.p_offset < FIRST_PAGE &&
            segment.p_filesz <= FIRST_PAGE - segment.p_offset &&
            read_notes(start + segment.p_offset, segment.p_filesz, m))
            return true;
    return false;
}

const void *pbti_modules_origin(const ProtobufCMessageDescriptor *type) {
    struct dl_find_object object;
    module read = {0};
    module *m;
    if (_dl_find_object(find_argument(type), &object) != 0)
        return NULL;
    for (m = modules; m; m = m->next)
        if (object.dlfo_map_start == m->start && is_module(m, &object))
            return m;
    if (!read_module(&object, &read))
        return NULL;
    read.name = strdup(object.dlfo_link_map->l_name);
    m = malloc(sizeof *m);
    if (!read.name || !m) {
        free(read.name);
        free(m);
        return NULL;
    }
    *m = read;
    m->next = modules;
    modules = m;
    return m;
}

bool pbti_modules_is_from(const ProtobufCMessageDescriptor *type,
                          const void *origin) {
    struct dl_find_object object;
    return _dl_find_object(find_argument(type), &object) == 0 &&
           is_module(origin, &object);
}
#else
const void *pbti_modules_origin(const ProtobufCMessageDescriptor *type) {
    (void) type;
    return NULL;
}

bool pbti_modules_is_from(const ProtobufCMessageDescriptor *type,
                          const void *origin) {
    (void) type;
    (void) origin;
    return false;
}
#endif

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
