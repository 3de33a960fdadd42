/* table_names.c - makes the JSON parts of tables: that of a type together with
 * those of all types below it, which are then published at once.
 *
 * A part is published by hanging it on its table, with release order, and never
 * changes. Those that are made with a source, which knows facts of compiled
 * types, may have to go before their table; they are looked for under a lock.
 */
#include "table_names.h"

#include <stdlib.h>

#include <pthread.h>

#include "base_arena.h"
#include "table_names_build.h"

struct pbti_json_source {
    const void *schema;
    pbti_find_facts *find;
};

static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

/* The parts that were made with a source; under the lock. */
static pbti_json_type *sourced;

pbti_json_source *pbti_json_source_new(const void *schema,
                                       pbti_find_facts *find) {
    pbti_json_source *source = malloc(sizeof *source);
    if (source)
        *source = (pbti_json_source){.schema = schema, .find = find};
    return source;
}

/* Frees the parts that were made with a source, or those of a table. */
static void free_sourced(const pbti_json_source *source,
                         const pbti_table *table) {
    pbti_json_type **link = &sourced;
    pthread_mutex_lock(&making);
    while (*link) {
        pbti_json_type *type = *link;
        if (type->source != source && type->table != table) {
            link = &type->next;
            continue;
        }
        *link = type->next;
        pbt_arena_free(type->arena);
    }
    pthread_mutex_unlock(&making);
}

void pbti_json_source_free(pbti_json_source *source) {
    if (!source)
        return;
    free_sourced(source, NULL);
    free(source);
}

void pbti_json_types_free(pbti_table *table) {
    pbti_json_type *type =
        atomic_load_explicit(&table->json, memory_order_relaxed);
    while (type) {
        pbti_json_type *next = type->next;
        pbt_arena_free(type->arena);
        type = next;
    }
    atomic_store_explicit(&table->json, NULL, memory_order_relaxed);
    free_sourced(NULL, table);
}

/* Among the parts that are published. */
static const pbti_json_type *find_published(const pbti_json_source *source,
                                            const pbti_table *table,
                                            uint32_t flags) {
    const pbti_json_type *type =
        source ? sourced
               : atomic_load_explicit(&table->json, memory_order_acquire);
    while (type && (type->table != table || type->flags != flags ||
                    type->source != source))
        type = type->next;
    return type;
}

const pbti_type_facts *
pbti_naming_facts(const pbti_naming *naming,
                  const ProtobufCMessageDescriptor *type) {
    if (naming->source)
        return naming->source->find(naming->source->schema, type);
    return pbti_facts(type);
}

void *pbti_naming_take(pbti_naming *naming, const pbti_json_type *type,
                       size_t size) {
    void *memory = NULL;
    if (!naming->failed)
        memory = pbti_arena_alloc(type->arena, size);
    if (!memory) {
        naming->failed = true;
        return NULL;
    }
    return memset(memory, 0, size);
}

static bool grow_naming(pbti_naming *naming) {
    size_t capacity = naming->capacity ? 2 * naming->capacity : 16;
    pbti_json_type **types =
        realloc(naming->types, capacity * sizeof(pbti_json_type *));
    if (!types)
        return false;
    naming->types = types;
    naming->capacity = capacity;
    return true;
}

/* A part without rows. */
static pbti_json_type *add_type(pbti_naming *naming, const pbti_table *table,
                                uint32_t flags) {
    pbti_json_type *type;
    pbt_arena *arena;
    if (naming->n_types == naming->capacity && !grow_naming(naming))
        return NULL;
    arena = pbt_arena_new(NULL, 512 + (size_t) table->n_fields * 128);
    if (!arena)
        return NULL;
    type = pbti_arena_alloc(arena, sizeof *type);
    if (!type) {
        pbt_arena_free(arena);
        return NULL;
    }
    *type = (pbti_json_type){.table = table,
                             .flags = flags,
                             .source = naming->source,
                             .arena = arena};
    naming->types[naming->n_types++] = type;
    return type;
}

const pbti_json_type *pbti_naming_sub(pbti_naming *naming,
                                      const pbti_table *table, uint32_t flags) {
    const pbti_json_type *found = find_published(naming->source, table, flags);
    size_t i;
    if (found)
        return found;
    for (i = naming->n_types; i-- > 0;)
        if (naming->types[i]->table == table &&
            naming->types[i]->flags == flags)
            return naming->types[i];
    found = add_type(naming, table, flags);
    if (!found)
        naming->failed = true;
    return found;
}

/* Tables are immutable to all but who publishes. */
static _Atomic(pbti_json_type *) *json_list(const pbti_table *table) {
    union {
        const pbti_table *in;
        pbti_table *out;
    } pointer = {table};
    return &pointer.out->json;
}

static void publish(pbti_naming *naming) {
    size_t i;
    for (i = 0; i < naming->n_types; i++) {
        pbti_json_type *type = naming->types[i];
        if (naming->source) {
            type->next = sourced;
            sourced = type;
            continue;
        }
        type->next =
            atomic_load_explicit(json_list(type->table), memory_order_relaxed);
        atomic_store_explicit(json_list(type->table), type,
                              memory_order_release);
    }
}

static void give_up(const pbti_naming *naming) {
    size_t i;
    for (i = 0; i < naming->n_types; i++)
        pbt_arena_free(naming->types[i]->arena);
}

static const pbti_json_type *make(const pbti_table *table, uint32_t flags,
                                  const pbti_json_source *source) {
    pbti_naming naming = {.source = source};
    const pbti_json_type *root = pbti_naming_sub(&naming, table, flags);
    size_t i;
    for (i = 0; i < naming.n_types && !naming.failed; i++)
        pbti_naming_fill(&naming, naming.types[i]);
    if (naming.failed) {
        give_up(&naming);
        root = NULL;
    } else {
        publish(&naming);
    }
    free(naming.types);
    return root;
}

const pbti_json_type *pbti_json_type_get(const pbti_table *table,
                                         uint32_t flags,
                                         const pbti_json_source *source) {
    const pbti_json_type *type = NULL;
    flags &= PBTI_JSON_ROW_FLAGS;
    if (!source)
        type = find_published(NULL, table, flags);
    if (type)
        return type;
    pthread_mutex_lock(&making);
    type = find_published(source, table, flags);
    if (!type)
        type = make(table, flags, source);
    pthread_mutex_unlock(&making);
    return type;
}
