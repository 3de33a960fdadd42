/* json_map.c - see json_map.h. Of entries with one key, which only a repeated
 * field can hold, the last is the one that a reader of the wire would keep. */
#include "json_map.h"

#include "base_alloc.h"

/* Up to this many entries every pair is compared. */
enum { FEW = 8 };

pbti_map_key pbti_json_read_key(const ProtobufCMessage *entry,
                                const pbti_json_row *row) {
    const char *msg = (const char *) entry;
    return pbti_member_key(msg + row->data,
                           pbti_has_bits(msg, row->presence, row->mask),
                           row->field->type);
}

/* The last entry of each key, by place: what goes is marked in a copy of the
 * array first. */
static size_t last_in_place(const pbti_map_item *items, size_t n,
                            const ProtobufCMessage **kept) {
    size_t n_kept = 0, i;
    for (i = 0; i < n; i++) {
        bool stays = pbti_is_last_of_key(items, n, i);
        kept[items[i].place] = stays ? items[i].entry : NULL;
    }
    for (i = 0; i < n; i++)
        if (kept[i])
            kept[n_kept++] = kept[i];
    return n_kept;
}

/* Sorts, and drops all but the last of each key. */
static const ProtobufCMessage *const *
sort_entries(pbti_json_call *call, const pbti_json_row *key,
             const ProtobufCMessage *const *entries, size_t *n) {
    const ProtobufCMessage **kept =
        pbti_json_scratch_take(call, *n * sizeof(const ProtobufCMessage *));
    pbti_map_item *items =
        pbti_alloc(call->allocator, 2 * *n * sizeof(pbti_map_item));
    const pbti_map_item *sorted;
    size_t i;
    if (!kept || !items) {
        pbti_free(call->allocator, items);
        return pbti_json_fail(call, PBT_ERR_NO_MEMORY, PBTI_JSON_NO_ELEMENT,
                              NULL);
    }
    for (i = 0; i < *n; i++)
        items[i] =
            (pbti_map_item){pbti_json_read_key(entries[i], key), entries[i], i};
    sorted = pbti_sort_items(items, items + *n, *n);
    *n = call->flags & PBT_JSON_SORT_MAP_KEYS
             ? pbti_last_of_keys(sorted, *n, kept)
             : last_in_place(sorted, *n, kept);
    pbti_free(call->allocator, items);
    return kept;
}

/* Are the entries to be written as they are? */
static bool trusts_keys(const pbti_json_call *call) {
    return (call->flags & PBT_JSON_UNIQUE_MAP_KEYS) &&
           !(call->flags & PBT_JSON_SORT_MAP_KEYS);
}

/* What a look at all keys in order says. */
typedef enum map_order {
    ORDER_BAD,    /* an entry cannot be read; the call says why */
    ORDER_RISING, /* sorted and without duplicates */
    ORDER_OTHER
} map_order;

static map_order find_order(pbti_json_call *call, const pbti_json_row *field,
                            const ProtobufCMessage *const *entries, size_t n) {
    const pbti_json_type *type = field->u.sub;
    map_order order = trusts_keys(call) ? ORDER_OTHER : ORDER_RISING;
    pbti_map_key last = {PBTI_KEY_BOOL, NULL, 0};
    size_t i;
    for (i = 0; i < n; i++) {
        pbti_map_key key;
        const char *wrong = NULL;
        if (!entries[i])
            wrong = "the element is NULL";
        else if (entries[i]->descriptor != type->table->type)
            wrong = "the element is no entry of the map";
        if (wrong) {
            pbti_json_fail(call, PBT_ERR_BAD_MESSAGE, i, wrong);
            return ORDER_BAD;
        }
        if (order == ORDER_OTHER)
            continue;
        key = pbti_json_read_key(entries[i], type->key);
        if (i > 0 && pbti_compare_keys(&last, &key) >= 0)
            order = ORDER_OTHER;
        last = key;
    }
    return order;
}

/* Of few entries: do any two have one key? */
static bool have_duplicates(const pbti_json_row *key,
                            const ProtobufCMessage *const *entries, size_t n) {
    pbti_map_key keys[FEW];
    size_t i, j;
    for (i = 0; i < n; i++) {
        keys[i] = pbti_json_read_key(entries[i], key);
        for (j = 0; j < i; j++)
            if (pbti_compare_keys(&keys[i], &keys[j]) == 0)
                return true;
    }
    return false;
}

static uint32_t hash_key(const pbti_map_key *key) {
    uint64_t hash = key->number;
    const char *s;
    if (key->kind == PBTI_KEY_STRING)
        for (s = key->text; *s; s++)
            hash = (hash ^ (unsigned char) *s) * UINT64_C(0x100000001b3);
    hash ^= hash >> 32;
    return (uint32_t) ((hash * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

/* Of many entries: may any two have one key? A slot holds the hash of an entry
 * and its number + 1; they are a power of two, half full at most. Keys that
 * were chosen to collide are left to the sort. */
static bool find_duplicates(const pbti_json_row *key,
                            const ProtobufCMessage *const *entries, size_t n,
                            uint64_t *slots, size_t n_slots) {
    size_t probes = 8 * n;
    size_t i;
    for (i = 0; i < n; i++) {
        pbti_map_key mine = pbti_json_read_key(entries[i], key);
        uint32_t hash = hash_key(&mine);
        size_t at = hash & (n_slots - 1);
        for (; slots[at]; at = (at + 1) & (n_slots - 1)) {
            size_t number = (uint32_t) slots[at];
            pbti_map_key other;
            if (probes-- == 0)
                return true;
            if (slots[at] >> 32 != hash)
                continue;
            other = pbti_json_read_key(entries[number - 1], key);
            if (pbti_compare_keys(&mine, &other) == 0)
                return true;
        }
        slots[at] = (uint64_t) hash << 32 | (i + 1);
    }
    return false;
}

static bool many_have_duplicates(pbti_json_call *call, const pbti_json_row *key,
                                 const ProtobufCMessage *const *entries,
                                 size_t n) {
    size_t n_slots = 32;
    uint64_t *slots;
    bool found;
    while (n_slots < 2 * n)
        n_slots *= 2;
    slots = pbti_alloc(call->allocator, n_slots * sizeof *slots);
    if (!slots)
        return true; /* sorting will tell, if there is memory for that */
    memset(slots, 0, n_slots * sizeof *slots);
    found = find_duplicates(key, entries, n, slots, n_slots);
    pbti_free(call->allocator, slots);
    return found;
}

const ProtobufCMessage *const *
pbti_json_entries(pbti_json_call *call, const pbti_json_row *field,
                  const ProtobufCMessage *const *entries, size_t *n) {
    const pbti_json_row *key = field->u.sub->key;
    map_order order = find_order(call, field, entries, *n);
    bool as_it_is = order == ORDER_RISING || trusts_keys(call);
    if (order == ORDER_BAD)
        return NULL;
    if (!as_it_is && !(call->flags & PBT_JSON_SORT_MAP_KEYS))
        as_it_is = *n <= FEW ? !have_duplicates(key, entries, *n)
                             : !many_have_duplicates(call, key, entries, *n);
    return as_it_is ? entries : sort_entries(call, key, entries, n);
}
