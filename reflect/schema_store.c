/* schema_store.c - see schema_store.h. */
#include "schema_store.h"

#include "base_alloc.h"
#include "schema_build.h"

enum { FIRST_SYMBOLS = 64, FIRST_TYPES = 16 };

static size_t hash_symbol(const pbti_symbol *scope, const char *name,
                          size_t len) {
    uint64_t hash = (uintptr_t) scope ^ UINT64_C(0xcbf29ce484222325);
    size_t i;
    for (i = 0; i < len; i++)
        hash = (hash ^ (uint8_t) name[i]) * UINT64_C(0x100000001b3);
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    return (size_t) (hash >> 32);
}

/* The slot that holds the symbol, or the free one where it belongs. */
static pbti_symbol **find_slot(const pbti_symbols *symbols,
                               const pbti_symbol *scope, const char *name,
                               size_t len) {
    size_t at = hash_symbol(scope, name, len);
    for (;; at++) {
        pbti_symbol **slot = &symbols->slots[at & (symbols->n_slots - 1)];
        const pbti_symbol *found = *slot;
        if (!found || (found->scope == scope && found->len == len &&
                       memcmp(found->name, name, len) == 0))
            return slot;
    }
}

pbti_symbol *pbti_symbol_find(const pbti_symbols *symbols,
                              const pbti_symbol *scope, const char *name,
                              size_t len) {
    return symbols->n_slots ? *find_slot(symbols, scope, name, len) : NULL;
}

static bool grow_symbols(pbti_symbols *symbols, pbt_arena *arena) {
    pbti_symbols grown = {0};
    size_t i;
    grown.n_slots = symbols->n_slots ? 2 * symbols->n_slots : FIRST_SYMBOLS;
    grown.n = symbols->n;
    grown.slots =
        pbti_arena_alloc(arena, grown.n_slots * sizeof(pbti_symbol *));
    if (!grown.slots)
        return false;
    for (i = 0; i < grown.n_slots; i++)
        grown.slots[i] = NULL;
    for (i = 0; i < symbols->n_slots; i++) {
        pbti_symbol *symbol = symbols->slots[i];
        if (symbol)
            *find_slot(&grown, symbol->scope, symbol->name, symbol->len) =
                symbol;
    }
    *symbols = grown;
    return true;
}

pbti_symbol *pbti_symbol_add(pbti_symbols *symbols, pbt_arena *arena,
                             const pbti_symbol *scope, const char *name,
                             size_t len, pbti_symbol_kind kind) {
    pbti_symbol *symbol;
    if (2 * symbols->n >= symbols->n_slots && !grow_symbols(symbols, arena))
        return NULL;
    symbol = pbti_arena_alloc(arena, sizeof *symbol);
    if (!symbol)
        return NULL;
    *symbol = (pbti_symbol){scope, name, len, kind, NULL, NULL};
    *find_slot(symbols, scope, name, len) = symbol;
    symbols->n++;
    return symbol;
}

pbti_symbol *pbti_symbol_find_path(const pbti_symbols *symbols,
                                   pbti_symbol *scope, const char *path) {
    for (;;) {
        size_t len = strcspn(path, ".");
        scope = pbti_symbol_find(symbols, scope, path, len);
        if (!scope || !path[len])
            return scope;
        path += len + 1;
    }
}

pbt_schema *pbti_schema_make(const ProtobufCAllocator *allocator) {
    pbt_schema *schema = pbti_alloc(allocator, sizeof *schema);
    if (!schema)
        return NULL;
    memset(schema, 0, sizeof *schema);
    schema->allocator = allocator;
    schema->arena = pbt_arena_new(allocator, 0);
    if (!schema->arena) {
        pbti_free(allocator, schema);
        return NULL;
    }
    return schema;
}

void pbti_schema_destroy(pbt_schema *schema) {
    size_t i;
    for (i = 0; i < schema->n_init_slots; i++)
        pbti_init_give_back(schema->init_slots[i]);
    pbt_arena_free(schema->arena);
    pbti_free(schema->allocator, schema);
}

bool pbti_schema_list(pbt_schema *schema,
                      const ProtobufCMessageDescriptor *type) {
    if (schema->n_types == schema->types_capacity) {
        size_t capacity =
            schema->types_capacity ? 2 * schema->types_capacity : FIRST_TYPES;
        const ProtobufCMessageDescriptor **grown =
            pbti_arena_alloc(schema->arena, capacity * sizeof(void *));
        if (!grown)
            return false;
        if (schema->n_types)
            memcpy(grown, schema->types, schema->n_types * sizeof(void *));
        schema->types = grown;
        schema->types_capacity = capacity;
    }
    schema->types[schema->n_types++] = type;
    return true;
}
