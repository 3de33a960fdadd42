/* schema_store.h - a schema as it is kept: the types, and the tree of names
 * through which they are found.
 *
 * Each name is a symbol that knows the scope it is declared in: a package, a
 * message, or nothing for the outermost. The symbols are hashed by scope and
 * name, so no full name is put together to find one. */
#ifndef PBTI_SCHEMA_STORE_H
#define PBTI_SCHEMA_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include <pbturbo/schema.h>

#include "base_arena.h"
#include "base_facts.h"

typedef enum pbti_symbol_kind {
    SYMBOL_PACKAGE,
    SYMBOL_MESSAGE,
    SYMBOL_ENUM,
    SYMBOL_NAME /* field, oneof, extension, enum value: only taken */
} pbti_symbol_kind;

typedef struct pbti_symbol pbti_symbol;
struct pbti_symbol {
    const pbti_symbol *scope; /* NULL for the outermost */
    const char *name;         /* not NUL-terminated */
    size_t len;
    pbti_symbol_kind kind;
    const void *type; /* descriptor of a message or an enum */
    void *record;     /* what the builder knows of it; NULL afterwards */
};

/** Zeroed memory of an arena, or NULL. */
PBTI_INLINE void *pbti_arena_zeroed(pbt_arena *arena, size_t size) {
    void *memory = pbti_arena_alloc(arena, size);
    return memory ? memset(memory, 0, size) : NULL;
}

/* All zero is an empty set. Memory comes from one arena, and stays there when
 * the set grows. */
typedef struct pbti_symbols {
    pbti_symbol **slots;
    size_t n_slots; /* a power of two, or 0 */
    size_t n;
} pbti_symbols;

/** Returns the symbol of that name declared in a scope, or NULL. */
pbti_symbol *pbti_symbol_find(const pbti_symbols *symbols,
                              const pbti_symbol *scope, const char *name,
                              size_t len);

/** Adds a symbol, which must not be there. The name is not copied.
 *  @return NULL when there is no memory
 */
pbti_symbol *pbti_symbol_add(pbti_symbols *symbols, pbt_arena *arena,
                             const pbti_symbol *scope, const char *name,
                             size_t len, pbti_symbol_kind kind);

/** Returns the symbol of a name with dots, counted from a scope, or NULL. */
pbti_symbol *pbti_symbol_find_path(const pbti_symbols *symbols,
                                   pbti_symbol *scope, const char *path);

/* Facts of a compiled type, which has no room for them. */
typedef struct pbti_attached {
    const ProtobufCMessageDescriptor *type;
    const pbti_type_facts *facts;
} pbti_attached;

/* A hash by address; all zero is empty. */
typedef struct pbti_attachments {
    pbti_attached *slots;
    size_t n_slots; /* a power of two, or 0 */
    size_t n;
} pbti_attachments;

struct pbt_schema {
    pbt_arena *arena; /* holds all there is, but the schema itself */
    const ProtobufCAllocator *allocator;
    pbti_symbols symbols;
    const ProtobufCMessageDescriptor **types;
    size_t n_types;
    size_t types_capacity;
    size_t n_loaded; /* the first types are made here, the others added */
    const ProtobufCMessageDescriptor *root;
    pbti_attachments attached;
    void *json_source; /* the facade's: hands `attached` to the JSON writer */
    unsigned *init_slots; /* of the pool of schema_init.c */
    size_t n_init_slots;
};

/** Makes an empty schema, or returns NULL.
 *  @param allocator NULL for malloc
 */
pbt_schema *pbti_schema_make(const ProtobufCAllocator *allocator);

/** Frees a schema that no table and no message refers to any more. */
void pbti_schema_destroy(pbt_schema *schema);

/** Appends a type to the list; false when there is no memory. */
bool pbti_schema_list(pbt_schema *schema,
                      const ProtobufCMessageDescriptor *type);

/** Returns what is known of a type, loaded or attached, or NULL.
 *  Threads: any, while no call changes the schema.
 */
const pbti_type_facts *
pbti_schema_facts(const pbt_schema *schema,
                  const ProtobufCMessageDescriptor *type);

/** pbt_schema_add and pbt_schema_attach, without checks of arguments. */
pbt_status pbti_schema_add(pbt_schema *schema,
                           const ProtobufCMessageDescriptor *compiled,
                           pbt_error *error);
pbt_status pbti_schema_attach(pbt_schema *schema,
                              const ProtobufCMessageDescriptor *compiled,
                              pbt_error *error);

#endif
