/* table_registry.c - the registry: an open-addressing hash table of tables.
 *
 * Readers take no lock. They load the current index, probe it by key, and find
 * either a complete table or a free slot; in the second case they take the
 * lock and build. A reader touches no table but the one whose key it looks
 * for, so tables of other types may come and go meanwhile. An index that is
 * outgrown stays allocated for readers that still probe it.
 */
#include "table_registry.h"

#include <stdatomic.h>
#include <stdlib.h>

#include <pthread.h>

#include "table_build.h"
#include "table_names.h"

enum {
#ifdef PBTI_SHRINK
    FIRST_SLOTS = 2
#else
    FIRST_SLOTS = 64
#endif
};

/* Keys that stand for no table; a descriptor's address is neither. */
enum { KEY_FREE = 0, KEY_TOMBSTONE = 1 };

typedef struct index_slot {
    _Atomic(uintptr_t) key; /* written after table */
    _Atomic(pbti_table *) table;
} index_slot;

typedef struct table_index table_index;
struct table_index {
    size_t n_slots;  /* a power of two */
    size_t n_used;   /* slots that are not free */
    size_t n_tables; /* slots that hold a table */
    table_index *outgrown;
    index_slot slots[];
};

static struct registry {
    pthread_mutex_t lock;
    _Atomic(table_index *) index;
    /* A type whose table find_exactly found to be out of date; under the
     * lock. */
    const ProtobufCMessageDescriptor *stale;
    /* What the last sweep took out, and what was found stale since, until the
     * next sweep: a call may be at work with one of these tables. */
    pbti_table *swept;
    _Atomic(size_t) built;
    _Atomic(const pbti_guard *) guard;
} registry = {.lock = PTHREAD_MUTEX_INITIALIZER};

_Static_assert(PBTI_CONFORMANT_ENTRY < _Alignof(ProtobufCMessageDescriptor),
               "a variant fits in the low bits of an address");

static uintptr_t make_key(const ProtobufCMessageDescriptor *type,
                          pbti_variant variant) {
    return (uintptr_t) type + (uintptr_t) variant;
}

static size_t hash_key(uintptr_t key) {
    return (size_t) ((key * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

PBTI_INLINE pbti_table *probe(table_index *index, uintptr_t key) {
    size_t at = hash_key(key);
    if (!index)
        return NULL;
    for (;; at++) {
        index_slot *slot = &index->slots[at & (index->n_slots - 1)];
        uintptr_t found =
            atomic_load_explicit(&slot->key, memory_order_acquire);
        if (found == key)
            return atomic_load_explicit(&slot->table, memory_order_relaxed);
        if (found == KEY_FREE)
            return NULL;
    }
}

static table_index *current_index(void) {
    return atomic_load_explicit(&registry.index, memory_order_acquire);
}

/* The descriptor looks like the one the table was built from. There may be
 * anything else at its address by now. */
PBTI_ANY_MEMORY static bool is_fresh(const pbti_table *table) {
    const ProtobufCMessageDescriptor *type = table->type;
    return type->magic == PROTOBUF_C__MESSAGE_DESCRIPTOR_MAGIC &&
           type->name == table->name && type->fields == table->fields &&
           type->n_fields == table->n_fields;
}

/* For the builder, which can afford to look at every field. */
static pbti_table *find_exactly(const ProtobufCMessageDescriptor *type,
                                pbti_variant variant) {
    pbti_table *table = probe(current_index(), make_key(type, variant));
    if (!table || (is_fresh(table) &&
                   table->fingerprint == pbti_descriptor_fingerprint(type)))
        return table;
    registry.stale = type;
    return NULL;
}

static bool holds_table(index_slot *slot) {
    return atomic_load_explicit(&slot->key, memory_order_relaxed) >
           KEY_TOMBSTONE;
}

/* Takes the first slot on the key's way that holds no table. */
static void insert(table_index *index, pbti_table *table) {
    uintptr_t key = make_key(table->type, table->variant);
    size_t at = hash_key(key);
    index_slot *slot = &index->slots[at & (index->n_slots - 1)];
    while (holds_table(slot))
        slot = &index->slots[++at & (index->n_slots - 1)];
    if (atomic_load_explicit(&slot->key, memory_order_relaxed) == KEY_FREE)
        index->n_used++;
    index->n_tables++;
    atomic_store_explicit(&slot->table, table, memory_order_relaxed);
    atomic_store_explicit(&slot->key, key, memory_order_release);
}

static table_index *new_index(size_t n_slots) {
    table_index *index =
        malloc(sizeof *index + n_slots * sizeof index->slots[0]);
    size_t i;
    if (!index)
        return NULL;
    *index = (table_index){.n_slots = n_slots};
    for (i = 0; i < n_slots; i++) {
        atomic_init(&index->slots[i].key, KEY_FREE);
        atomic_init(&index->slots[i].table, NULL);
    }
    return index;
}

/* Makes sure that n more tables leave a slot free in four, and that there are
 * at least as many slots for tables as for tombstones. */
static bool reserve_slots(size_t n) {
    table_index *old = current_index();
    table_index *index;
    size_t n_slots = old ? old->n_slots : FIRST_SLOTS;
    size_t n_tables = n + (old ? old->n_tables : 0);
    size_t i;
    if (old && 2 * n_tables <= n_slots && 4 * (old->n_used + n) <= 3 * n_slots)
        return true;
    while (n_slots < 2 * n_tables)
        n_slots *= 2;
    index = new_index(n_slots);
    if (!index)
        return false;
    for (i = 0; old && i < old->n_slots; i++)
        if (holds_table(&old->slots[i]))
            insert(index, atomic_load_explicit(&old->slots[i].table,
                                               memory_order_relaxed));
    index->outgrown = old;
    atomic_store_explicit(&registry.index, index, memory_order_release);
    return true;
}

static bool row_refers_to(const pbti_row *row,
                          const ProtobufCMessageDescriptor *type) {
    const pbti_table *sub = pbti_row_sub(row);
    return sub && sub->type == type;
}

static bool table_refers_to(const pbti_table *table,
                            const ProtobufCMessageDescriptor *type) {
    uint32_t i, j;
    for (i = 0; i < table->n_rows; i++) {
        const pbti_row *row = &table->rows[i];
        if (row_refers_to(row, type))
            return true;
        if (row->op != PBTI_OP_ONEOF)
            continue;
        for (j = 0; j < row->u.oneof->n_rows; j++)
            if (row_refers_to(&row->u.oneof->rows[j], type))
                return true;
    }
    return false;
}

/* Moves the tables of a type, or with `referrers` the tables that refer to
 * it, from the index to the end of a list. Returns the new end. */
static pbti_table **take_out(table_index *index,
                             const ProtobufCMessageDescriptor *type,
                             bool referrers, pbti_table **end) {
    size_t i;
    for (i = 0; i < index->n_slots; i++) {
        index_slot *slot = &index->slots[i];
        pbti_table *table;
        if (!holds_table(slot))
            continue;
        table = atomic_load_explicit(&slot->table, memory_order_relaxed);
        if (referrers ? !table_refers_to(table, type) : table->type != type)
            continue;
        atomic_store_explicit(&slot->key, KEY_TOMBSTONE, memory_order_relaxed);
        index->n_tables--;
        table->next = NULL;
        *end = table;
        end = &table->next;
    }
    return end;
}

static void free_tables(pbti_table *doomed) {
    while (doomed) {
        pbti_table *next = doomed->next;
        pbti_json_types_free(doomed);
        free(doomed->tally);
        free(doomed->items);
        free(doomed);
        doomed = next;
    }
}

/* The tables of a type and all that lead to them, out of the index. */
static pbti_table *take_out_all(const ProtobufCMessageDescriptor *type) {
    table_index *index = current_index();
    pbti_table *doomed = NULL;
    pbti_table **end;
    pbti_table *table;
    if (!index)
        return NULL;
    end = take_out(index, type, false, &doomed);
    for (table = doomed; table; table = table->next)
        end = take_out(index, table->type, true, end);
    return doomed;
}

static void forget_locked(const ProtobufCMessageDescriptor *type) {
    free_tables(take_out_all(type));
}

static void append_swept(pbti_table *tables) {
    pbti_table **end = &registry.swept;
    while (*end)
        end = &(*end)->next;
    *end = tables;
}

static int by_address(const void *left, const void *right) {
    uintptr_t a = (uintptr_t) * (const void *const *) left;
    uintptr_t b = (uintptr_t) * (const void *const *) right;
    return a < b ? -1 : a > b;
}

static void forget_set_locked(const ProtobufCMessageDescriptor **types,
                              size_t n) {
    table_index *index = current_index();
    pbti_table *doomed = NULL;
    size_t i;
    for (i = 0; index && i < index->n_slots; i++) {
        index_slot *slot = &index->slots[i];
        pbti_table *table;
        if (!holds_table(slot))
            continue;
        table = atomic_load_explicit(&slot->table, memory_order_relaxed);
        if (!bsearch(&table->type, types, n, sizeof(void *), by_address))
            continue;
        atomic_store_explicit(&slot->key, KEY_TOMBSTONE, memory_order_relaxed);
        index->n_tables--;
        table->next = doomed;
        doomed = table;
    }
    free_tables(doomed);
}

static const pbti_guard *current_guard(void) {
    return atomic_load_explicit(&registry.guard, memory_order_acquire);
}

static bool keeps_all(const pbti_graph *graph) {
    const pbti_guard *guard = current_guard();
    uint32_t i;
    for (i = 0; guard && i < graph->n_nodes; i++)
        if (graph->nodes[i].is_new && !guard->keeps(graph->nodes[i].type))
            return false;
    return true;
}

/* The origin that the new tables of a graph share, or NULL. Existing ones speak
 * for all below them. */
static const void *find_origin(const pbti_graph *graph,
                               const pbti_guard *guard) {
    const void *origin = guard->origin(graph->nodes[0].type);
    uint32_t i;
    for (i = 0; origin && i < graph->n_nodes; i++) {
        const pbti_node *node = &graph->nodes[i];
        const void *other =
            node->is_new ? guard->origin(node->type) : node->table->origin;
        if (other != origin && other != guard->lasting)
            return NULL;
    }
    return origin;
}

static void set_origin(const pbti_graph *graph) {
    const pbti_guard *guard = current_guard();
    const void *origin = guard ? find_origin(graph, guard) : NULL;
    uint32_t i;
    for (i = 0; origin && i < graph->n_nodes; i++)
        if (graph->nodes[i].is_new)
            graph->nodes[i].table->origin = origin;
}

/* Publishes the new tables of a graph. Any order will do: tables point to each
 * other and never look each other up. */
static void publish(const pbti_graph *graph) {
    uint32_t i;
    for (i = 0; i < graph->n_nodes; i++) {
        if (!graph->nodes[i].is_new)
            continue;
        insert(current_index(), graph->nodes[i].table);
        atomic_fetch_add_explicit(&registry.built, 1, memory_order_relaxed);
    }
}

/* Builds what is missing of the tables reachable from a type. A type found
 * stale on the way is forgotten with all that contain it, and the walk starts
 * again. */
static pbt_status build_locked(const ProtobufCMessageDescriptor *type,
                               pbti_variant variant, pbt_error *error) {
    pbti_graph graph = {0};
    pbt_status status;
    for (;;) {
        registry.stale = NULL;
        status = pbti_graph_collect(&graph, type, variant, find_exactly, error);
        if (status != PBT_OK || !registry.stale)
            break;
        pbti_graph_free(&graph);
        /* not freed: the call that found it may be at work with one of them,
         * as that of unpack is while it frees a message that it replaced */
        append_swept(take_out_all(registry.stale));
    }
    if (status == PBT_OK && !keeps_all(&graph))
        status = PBT_ERR_UNSUPPORTED;
    if (status == PBT_OK && !reserve_slots(graph.n_nodes))
        status = PBT_ERR_NO_MEMORY;
    if (status == PBT_OK)
        status = pbti_graph_build(&graph);
    if (status == PBT_OK) {
        set_origin(&graph);
        publish(&graph);
    }
    pbti_graph_free(&graph);
    return status;
}

const pbti_table *pbti_registry_find(const ProtobufCMessageDescriptor *type,
                                     pbti_variant variant) {
    const pbti_table *table = probe(current_index(), make_key(type, variant));
    return PBTI_LIKELY(table && is_fresh(table)) ? table : NULL;
}

static bool take_lock(bool at_once) {
    return (at_once ? pthread_mutex_trylock(&registry.lock)
                    : pthread_mutex_lock(&registry.lock)) == 0;
}

pbt_status pbti_registry_get(const ProtobufCMessageDescriptor *type,
                             pbti_variant variant, const pbti_table **table,
                             pbt_error *error) {
    const pbti_guard *guard = current_guard();
    pbt_status status;
    *table = NULL;
    if (guard && !guard->admits(type))
        return PBT_ERR_UNSUPPORTED;
    *table = pbti_registry_find(type, variant);
    if (*table)
        return PBT_OK;
    if (!take_lock(guard != NULL))
        return PBT_ERR_NO_MEMORY;
    status = build_locked(type, variant, error);
    if (status == PBT_OK)
        *table = probe(current_index(), make_key(type, variant));
    pthread_mutex_unlock(&registry.lock);
    return status;
}

void pbti_registry_forget(const ProtobufCMessageDescriptor *type) {
    pthread_mutex_lock(&registry.lock);
    forget_locked(type);
    pthread_mutex_unlock(&registry.lock);
}

void pbti_registry_forget_set(const ProtobufCMessageDescriptor **types,
                              size_t n) {
    if (n == 0)
        return;
    qsort(types, n, sizeof(void *), by_address);
    pthread_mutex_lock(&registry.lock);
    forget_set_locked(types, n);
    pthread_mutex_unlock(&registry.lock);
}

static void lock_for_fork(void) {
    pthread_mutex_lock(&registry.lock);
}

static void unlock_after_fork(void) {
    pthread_mutex_unlock(&registry.lock);
}

const pbti_guard *pbti_registry_guard(const pbti_guard *guard) {
    const pbti_guard *former = atomic_exchange(&registry.guard, guard);
    if (!former)
        (void) pthread_atfork(lock_for_fork, unlock_after_fork,
                              unlock_after_fork);
    return former;
}

static bool is_unchanged(const pbti_table *table,
                         bool (*is_there)(const ProtobufCMessageDescriptor *,
                                          const ProtobufCFieldDescriptor *,
                                          unsigned)) {
    return is_there(table->type, table->fields, table->n_fields) &&
           is_fresh(table) &&
           table->fingerprint == pbti_descriptor_fingerprint(table->type);
}

bool pbti_registry_sweep(bool (*is_there)(const ProtobufCMessageDescriptor *,
                                          const ProtobufCFieldDescriptor *,
                                          unsigned)) {
    table_index *index;
    size_t i;
    if (!take_lock(true))
        return false;
    free_tables(registry.swept);
    registry.swept = NULL;
    index = current_index();
    for (i = 0; index && i < index->n_slots; i++) {
        index_slot *slot = &index->slots[i];
        pbti_table *table =
            atomic_load_explicit(&slot->table, memory_order_relaxed);
        if (holds_table(slot) && !is_unchanged(table, is_there))
            append_swept(take_out_all(table->type));
    }
    pthread_mutex_unlock(&registry.lock);
    return true;
}

size_t pbti_registry_built(void) {
    return atomic_load_explicit(&registry.built, memory_order_relaxed);
}
