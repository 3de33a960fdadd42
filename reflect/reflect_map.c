/* reflect_map.c - map keys, and the order of the entries under
 * PBT_DETERMINISTIC.
 *
 * Entries are compared by key and then by place, so that no two are equal and
 * the last of those with one key comes last. Sorted are indices, by heap sort:
 * it needs no memory besides. Without memory for the indices the next entry
 * is searched for among all of them each time.
 */
#include "reflect_walk.h"

#include "base_alloc.h"

pbt_status pbti_reflect_key(const pbti_walk *walk,
                            const pbt_reflect_message *message,
                            pbt_reflect_field *field, size_t index,
                            pbti_key *key, const char **why) {
    const pbt_reflection *reflection = walk->reflection;
    pbt_reflect_value entry = {0}, value = {0};
    pbt_reflect_shape shape = {0};
    pbt_reflect_field key_field = {0};
    pbt_status status;

    memset(key, 0, sizeof *key);
    status = reflection->value(message, field, index, &entry, why);
    if (status != PBT_OK)
        return status;
    key->foreign = !entry.entry;
    if (key->foreign)
        return PBT_OK;
    status = reflection->shape(&entry.as.message, &shape, why);
    if (status != PBT_OK)
        return status;
    status = reflection->field(&entry.as.message, 0, 0, &key_field, why);
    if (status != PBT_OK)
        return status;
    key->type = key_field.type;
    if (key_field.count == 0)
        return PBT_OK;
    status = reflection->value(&entry.as.message, &key_field, 0, &value, why);
    if (status != PBT_OK)
        return status;
    if (key->type == PBT_REFLECT_STRING) {
        key->data = value.as.run.data;
        key->len = value.as.run.len;
    } else {
        key->bits = value.as.bits;
    }
    return PBT_OK;
}

static int compare_strings(const pbti_key *a, const pbti_key *b) {
    size_t common = a->len < b->len ? a->len : b->len;
    int order = common > 0 ? memcmp(a->data, b->data, common) : 0;
    if (order != 0)
        return order;
    return (a->len > b->len) - (a->len < b->len);
}

static int compare_keys(const pbti_key *a, const pbti_key *b) {
    int64_t x, y;
    switch (a->type) {
    case PBT_REFLECT_STRING:
        return compare_strings(a, b);
    case PBT_REFLECT_BOOL:
    case PBT_REFLECT_UINT32:
    case PBT_REFLECT_UINT64:
    case PBT_REFLECT_FIXED32:
    case PBT_REFLECT_FIXED64:
        return (a->bits > b->bits) - (a->bits < b->bits);
    default:
        x = (int64_t) a->bits;
        y = (int64_t) b->bits;
        return (x > y) - (x < y);
    }
}

/* The survey has read all keys before, so reading them cannot fail. */
int pbti_reflect_compare(const pbti_walk *walk, const pbti_order *order,
                         size_t a, size_t b) {
    pbti_key key_a, key_b;
    const char *why = NULL;
    if (pbti_reflect_key(walk, order->message, order->field, a, &key_a, &why) !=
            PBT_OK ||
        pbti_reflect_key(walk, order->message, order->field, b, &key_b, &why) !=
            PBT_OK)
        return 0;
    return compare_keys(&key_a, &key_b);
}

static bool is_before(const pbti_walk *walk, const pbti_order *order,
                      uint32_t a, uint32_t b) {
    int by_key = pbti_reflect_compare(walk, order, a, b);
    return by_key != 0 ? by_key < 0 : a < b;
}

/* Moves the entry at `at` down the heap of n entries, whose top is the last
 * in order. */
static void sift_down(const pbti_walk *walk, const pbti_order *order, size_t at,
                      size_t n) {
    uint32_t *heap = order->index;
    uint32_t moved = heap[at];
    size_t child;
    while ((child = 2 * at + 1) < n) {
        if (child + 1 < n &&
            is_before(walk, order, heap[child], heap[child + 1]))
            child++;
        if (!is_before(walk, order, moved, heap[child]))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

static void sort_entries(const pbti_walk *walk, const pbti_order *order) {
    size_t n = order->field->count, i;
    for (i = n / 2; i-- > 0;)
        sift_down(walk, order, i, n);
    for (i = n; i-- > 1;) {
        uint32_t last = order->index[0];
        order->index[0] = order->index[i];
        order->index[i] = last;
        sift_down(walk, order, 0, i);
    }
}

/* Reads all keys and finds out whether the stored order will do: there is a
 * message without a key, or the keys ascend strictly. */
static pbt_status survey(pbti_walk *walk, pbti_link *link, pbti_order *order) {
    bool foreign = false, ascending = true;
    pbti_key key, after;
    size_t i;
    memset(&after, 0, sizeof after);
    for (i = order->field->count; i-- > 0;) {
        const char *why = NULL;
        pbt_status status;
        link->element = (uint32_t) i;
        status =
            pbti_reflect_key(walk, &link->message, order->field, i, &key, &why);
        if (status != PBT_OK)
            return pbti_reflect_fail_why(walk, link, order->field, status, why);
        foreign = foreign || key.foreign;
        if (!foreign && i + 1 < order->field->count)
            ascending = ascending && compare_keys(&key, &after) < 0;
        after = key;
    }
    order->stored = foreign || ascending;
    return PBT_OK;
}

pbt_status pbti_reflect_order(pbti_walk *walk, pbti_link *link,
                              pbt_reflect_field *field, pbti_order *order) {
    size_t i;
    pbt_status status;
    memset(order, 0, sizeof *order);
    order->field = field;
    order->message = &link->message;
    order->left = field->count;
    order->last = PBTI_NOTHING;
    status = survey(walk, link, order);
    if (status != PBT_OK || order->stored)
        return status;
    order->index =
        pbti_alloc(walk->allocator, field->count * sizeof *order->index);
    if (!order->index)
        return PBT_OK;
    for (i = 0; i < field->count; i++)
        order->index[i] = (uint32_t) i;
    sort_entries(walk, order);
    return PBT_OK;
}

/* The last entry of those whose key is less than that of the entry given
 * last; PBTI_NOTHING if there is none. */
static uint32_t search_next(const pbti_walk *walk, const pbti_order *order) {
    uint32_t best = PBTI_NOTHING, i;
    for (i = 0; i < order->field->count; i++) {
        if (order->last != PBTI_NOTHING &&
            pbti_reflect_compare(walk, order, i, order->last) >= 0)
            continue;
        if (best == PBTI_NOTHING || is_before(walk, order, best, i))
            best = i;
    }
    return best;
}

/* Skips the entries that have the key of the one given last. */
static uint32_t take_indexed(const pbti_walk *walk, pbti_order *order) {
    while (order->left > 0) {
        uint32_t entry = order->index[--order->left];
        if (order->last == PBTI_NOTHING ||
            pbti_reflect_compare(walk, order, entry, order->last) != 0)
            return entry;
    }
    return PBTI_NOTHING;
}

bool pbti_reflect_order_next(const pbti_walk *walk, pbti_order *order,
                             size_t *index) {
    if (order->stored)
        order->last = order->left > 0 ? (uint32_t) --order->left : PBTI_NOTHING;
    else if (order->index)
        order->last = take_indexed(walk, order);
    else
        order->last = search_next(walk, order);
    *index = order->last;
    return order->last != PBTI_NOTHING;
}

void pbti_reflect_order_end(const pbti_walk *walk, pbti_order *order) {
    pbti_free(walk->allocator, order->index);
    order->index = NULL;
}
