/* wire_map.c - map entries in the order of their keys, for PBT_DETERMINISTIC.
 *
 * A stable merge sort over keys read beforehand. Of entries with equal keys the
 * last in the array is the one a parser would keep, so it is the one written.
 */
#include "base_alloc.h"
#include "table_keys.h"
#include "wire.h"

/* True when the keys ascend strictly, or the map cannot be sorted because it
 * holds something else than entries. */
static bool needs_no_sort(const ProtobufCMessage *const *elements, size_t n,
                          const pbti_table *table) {
    bool ascends = true;
    pbti_map_key last = {PBTI_KEY_BOOL, NULL, 0};
    size_t i;
    for (i = 0; i < n; i++) {
        pbti_map_key key;
        if (elements[i]->descriptor != table->type)
            return true;
        if (!ascends)
            continue;
        key = pbti_read_key(elements[i], table);
        ascends = i == 0 || pbti_compare_keys(&last, &key) < 0;
        last = key;
    }
    return ascends;
}

/* One block for the call's scratch list: head, entries, two arrays of items. */
static pbti_scratch *allocate_scratch(pbti_call *call, size_t n) {
    pbti_scratch *scratch =
        pbti_alloc(call->allocator, sizeof *scratch +
                                        n * sizeof(const ProtobufCMessage *) +
                                        2 * n * sizeof(pbti_map_item));
    if (!scratch)
        return NULL;
    scratch->next = call->scratch;
    call->scratch = scratch;
    return scratch;
}

pbt_status pbti_sort_map(pbti_call *call, const pbti_table *entry,
                         const ProtobufCMessage *const **elements, size_t *n,
                         size_t *bad) {
    pbti_scratch *scratch;
    const ProtobufCMessage **entries;
    pbti_map_item *items;
    size_t i;
    for (i = *n; i-- > 0;) {
        if (!(*elements)[i]) {
            *bad = i;
            return PBT_ERR_BAD_MESSAGE;
        }
    }
    if (needs_no_sort(*elements, *n, entry))
        return PBT_OK;
    scratch = allocate_scratch(call, *n);
    if (!scratch)
        return PBT_ERR_NO_MEMORY;
    entries = (const ProtobufCMessage **) (void *) (scratch + 1);
    items = (pbti_map_item *) (void *) (entries + *n);
    for (i = 0; i < *n; i++)
        items[i] = (pbti_map_item){pbti_read_key((*elements)[i], entry),
                                   (*elements)[i], i};
    *n = pbti_last_of_keys(pbti_sort_items(items, items + *n, *n), *n, entries);
    *elements = entries;
    return PBT_OK;
}
