/* wire_item_runs.h - what the quick size loop counts for the items of one kind
 * that follow each other: item->n of them, of which `item` is the first.
 * Those that may meet what is wrong return PBTI_GAVE_UP then.
 */
#ifndef PBTI_WIRE_ITEM_RUNS_H
#define PBTI_WIRE_ITEM_RUNS_H

#include "wire_items.h"

/* Numbers of a known size. */
PBTI_INLINE uint64_t pbti_tally_flags(const char *msg, const pbti_item *item) {
    const pbti_item *end = item + item->n;
    uint64_t sum = 0;
    do {
        sum += pbti_if(pbti_has_item(msg, item), item->bytes);
    } while (++item != end);
    return sum;
}

PBTI_INLINE uint64_t pbti_tally_varints(const char *msg, const pbti_item *item,
                                        bool zigzag) {
    const pbti_item *end = item + item->n;
    uint64_t sum = 0;
    do {
        sum += pbti_if(pbti_has_item(msg, item),
                       pbti_varint_item(msg, item, zigzag));
    } while (++item != end);
    return sum;
}

/* Strings that the pointer to their default, or NULL, leaves out. */
PBTI_INLINE uint64_t pbti_tally_optional_strings(const pbti_call *call,
                                                 const char *msg,
                                                 const pbti_item *item) {
    const pbti_item *end = item + item->n;
    uint64_t sum = 0;
    do {
        const char *s = pbti_load_pointer(pbti_at(msg, item->data));
        if (s != item->u.default_value) {
            PBTI_COUNT(size_ops[PBTI_OP_STRING]);
            sum += pbti_string_item(call, item, s, false);
        } else if (PBTI_UNLIKELY(item->class & PBTI_ITEM_IS_REQUIRED)) {
            return PBTI_GAVE_UP;
        }
    } while (++item != end);
    return sum;
}

/* Strings that are left out if empty. */
PBTI_INLINE uint64_t pbti_tally_implicit_strings(const pbti_call *call,
                                                 const char *msg,
                                                 const pbti_item *item) {
    const pbti_item *end = item + item->n;
    uint64_t sum = 0;
    do {
        const char *s = pbti_load_pointer(pbti_at(msg, item->data));
        sum += pbti_string_item(call, item, s, true);
    } while (++item != end);
    return sum;
}

PBTI_INLINE uint64_t pbti_tally_bytes(const pbti_call *call, const char *msg,
                                      const pbti_item *item) {
    const pbti_item *end = item + item->n;
    uint64_t sum = 0;
    do {
        ProtobufCBinaryData bytes;
        memcpy(&bytes, pbti_at(msg, item->data), sizeof bytes);
        if (!pbti_has_item(msg, item))
            continue;
        if (PBTI_UNLIKELY(!pbti_is_sound(call, &bytes)))
            return PBTI_GAVE_UP;
        sum += pbti_item_block(item, bytes.len);
    } while (++item != end);
    return sum;
}

/* Arrays of numbers of one width, packed or not. */
PBTI_INLINE uint64_t pbti_tally_fixed_arrays(const char *msg,
                                             const pbti_item *item) {
    const pbti_item *end = item + item->n;
    uint64_t sum = 0;
    do {
        size_t n = pbti_load_size(pbti_at(msg, item->presence));
        if (n == 0)
            continue;
        if (PBTI_UNLIKELY(n >= PBTI_MAX_ELEMENTS ||
                          !pbti_load_pointer(pbti_at(msg, item->data))))
            return PBTI_GAVE_UP;
        sum += item->op == PBTI_ITEM_FIXED_BLOCKS
                   ? pbti_item_block(item, (uint64_t) n * item->class)
                   : (uint64_t) n * (item->class + (uint64_t) item->bytes);
    } while (++item != end);
    return sum;
}

/* Arrays that a function of their own counts. */
PBTI_INLINE uint64_t pbti_tally_arrays(
    const pbti_call *call, const char *msg, const pbti_item *item,
    uint64_t (*tally)(const pbti_call *, const char *, const pbti_item *)) {
    const pbti_item *end = item + item->n;
    uint64_t sum = 0;
    do {
        uint64_t size;
        if (!pbti_load_size(pbti_at(msg, item->presence)))
            continue;
        size = tally(call, msg, item);
        if (PBTI_UNLIKELY(size == PBTI_GAVE_UP))
            return PBTI_GAVE_UP;
        sum += size;
    } while (++item != end);
    return sum;
}

#endif
