/* wire_map.c - map entries in the order of their keys, for PBT_DETERMINISTIC.
 *
 * A stable merge sort over keys read beforehand. Of entries with equal keys the
 * last in the array is the one a parser would keep, so it is the one written.
 */
#include "wire_map.h"

#include "base_alloc.h"

static bool may_be_present(const char *msg, const pbti_row *row) {
    return (pbti_load64(msg + row->presence) & row->mask) != 0;
}

static const pbti_row *key_row(const pbti_table *table) {
    const pbti_row *row = table->rows;
    while (pbti_row_number(row) != 1)
        row++;
    return pbti_member(row);
}

static pbti_map_key read_text(const char *msg, const pbti_row *row) {
    const char *text = pbti_load_pointer(msg + row->data);
    return (pbti_map_key){PBTI_KEY_STRING, text ? text : "", 0};
}

static pbti_map_key read_number(const char *msg, const pbti_row *row,
                                ProtobufCType type) {
    const char *member = msg + row->data;
    bool present = may_be_present(msg, row);
    uint64_t word = 0;
    switch (type) {
    case PROTOBUF_C_TYPE_BOOL:
        word = present && pbti_load32(member) != 0;
        return (pbti_map_key){PBTI_KEY_BOOL, NULL, word};
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
        word = present ? pbti_load32(member) : 0;
        return (pbti_map_key){PBTI_KEY_UNSIGNED, NULL, word};
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        word = present ? pbti_load64(member) : 0;
        return (pbti_map_key){PBTI_KEY_UNSIGNED, NULL, word};
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
        word = present ? pbti_load64(member) : 0;
        return (pbti_map_key){PBTI_KEY_SIGNED, NULL, word};
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_ENUM:
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
        break;
    }
    word = present ? (uint64_t) (int64_t) (int32_t) pbti_load32(member) : 0;
    return (pbti_map_key){PBTI_KEY_SIGNED, NULL, word};
}

pbti_map_key pbti_read_key(const ProtobufCMessage *entry,
                           const pbti_table *table) {
    const char *msg = (const char *) entry;
    const pbti_row *row = key_row(table);
    ProtobufCType type = table->fields[0].type;
    if (type == PROTOBUF_C_TYPE_STRING)
        return read_text(msg, row);
    return read_number(msg, row, type);
}

static int compare_keys(const pbti_map_key *a, const pbti_map_key *b) {
    if (a->kind == PBTI_KEY_STRING)
        return strcmp(a->text, b->text); /* of unsigned bytes */
    if (a->kind == PBTI_KEY_SIGNED)
        return ((int64_t) a->number > (int64_t) b->number) -
               ((int64_t) a->number < (int64_t) b->number);
    return (a->number > b->number) - (a->number < b->number);
}

typedef struct sort_item {
    pbti_map_key key;
    const ProtobufCMessage *entry;
} sort_item;

/* Merges the sorted runs [0, middle) and [middle, end) of `from` into `to`. */
static void merge_runs(const sort_item *from, size_t middle, size_t end,
                       sort_item *to) {
    size_t left = 0, right = middle, i;
    for (i = 0; i < end; i++) {
        bool take_left = right == end ||
                         (left < middle &&
                          compare_keys(&from[left].key, &from[right].key) <= 0);
        to[i] = from[take_left ? left++ : right++];
    }
}

/* Sorts n items; `other` has room for as many. Returns whichever of the two
 * arrays holds the result. */
static sort_item *merge_sort(sort_item *items, sort_item *other, size_t n) {
    size_t width, at;
    for (width = 1; width < n; width *= 2) {
        sort_item *sorted = other;
        for (at = 0; at < n; at += 2 * width) {
            size_t end = n - at < 2 * width ? n - at : 2 * width;
            size_t middle = width < end ? width : end;
            merge_runs(items + at, middle, end, other + at);
        }
        other = items;
        items = sorted;
    }
    return items;
}

/* Keeps the last entry of each key. Returns how many. */
static size_t last_of_each(const sort_item *items, size_t n,
                           const ProtobufCMessage **entries) {
    size_t kept = 0, i;
    for (i = 0; i < n; i++)
        if (i + 1 == n || compare_keys(&items[i].key, &items[i + 1].key) != 0)
            entries[kept++] = items[i].entry;
    return kept;
}

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
        ascends = i == 0 || compare_keys(&last, &key) < 0;
        last = key;
    }
    return ascends;
}

/* One block for the call's scratch list: head, entries, two arrays of items. */
static pbti_scratch *allocate_scratch(pbti_call *call, size_t n) {
    pbti_scratch *scratch =
        pbti_alloc(call->allocator, sizeof *scratch +
                                        n * sizeof(const ProtobufCMessage *) +
                                        2 * n * sizeof(sort_item));
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
    sort_item *items;
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
    items = (sort_item *) (void *) (entries + *n);
    for (i = 0; i < *n; i++)
        items[i] =
            (sort_item){pbti_read_key((*elements)[i], entry), (*elements)[i]};
    *n = last_of_each(merge_sort(items, items + *n, *n), *n, entries);
    *elements = entries;
    return PBT_OK;
}
