/* wire_unpack.h - packed fields: the elements are counted first, so that the
 * array is allocated once. */
#ifndef PBTI_WIRE_UNPACK_H
#define PBTI_WIRE_UNPACK_H

#include "wire_varints.h"

/* Room for n elements more. */
PBTI_INLINE char *pbti_room_for(pbti_decoder *d, char *msg,
                                const pbti_slot *slot, size_t n, size_t size) {
    size_t n_before = pbti_n_elements(msg, slot);
    char *array = pbti_grow_array(d, msg, slot->data, n_before, n, size);
    return array ? array + n_before * size : NULL;
}

PBTI_INLINE bool pbti_unpack_fixed(pbti_decoder *d, char *msg,
                                   const pbti_slot *slot, const uint8_t *p,
                                   size_t len, pbti_op encoding, size_t size) {
    size_t n = len / size;
    char *element;
    if (PBTI_UNLIKELY(len % size != 0))
        return pbti_blame(d, PBT_ERR_MALFORMED, p + n * size,
                          "the last number of a packed field is cut off");
    element = pbti_room_for(d, msg, slot, n, size);
    if (!element)
        return false;
    pbti_copy_fixed(element, p, n, encoding, size);
    pbti_set_elements(msg, slot, pbti_n_elements(msg, slot) + n);
    return true;
}

/* Tells whether nothing lies behind a piece of the arena that ends there, so
 * that what spills over its end does no harm. */
PBTI_INLINE bool pbti_ends_arena(const pbt_arena *arena, const char *end) {
    return !PBTI_ARENA_POISONS &&
           (uintptr_t) arena->cursor - (uintptr_t) end < PBTI_ARENA_ALIGNMENT;
}

PBTI_INLINE bool pbti_unpack_varints(pbti_decoder *d, char *msg,
                                     const pbti_slot *slot, const uint8_t *p,
                                     size_t len, pbti_op encoding,
                                     size_t size) {
    const uint8_t *end = p + len;
    const uint8_t *bad;
    size_t n = pbti_count_varints(d, p, len);
    char *element;
    if (PBTI_UNLIKELY(end[-1] >= 0x80))
        return pbti_blame(d, PBT_ERR_MALFORMED, end - 1,
                          "the last number of a packed field is cut off");
    element = pbti_room_for(d, msg, slot, n, size);
    if (PBTI_UNLIKELY(!element))
        return false;
    bad = pbti_read_varints(d, p, end, element,
                            pbti_ends_arena(d->arena, element + n * size),
                            encoding, size);
    if (PBTI_UNLIKELY(bad != NULL))
        return pbti_blame_packed(d, bad, end);
    pbti_set_elements(msg, slot, pbti_n_elements(msg, slot) + n);
    return true;
}

/* A function for each encoding: appends the len > 0 bytes of packed numbers at
 * p, which are all there. */
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    PBTI_OUTLINE bool unpack_##name(pbti_decoder *d, char *msg,                \
                                    const pbti_slot *slot, const uint8_t *p,   \
                                    size_t len) {                              \
        if (wire_type == PROTOBUF_C_WIRE_TYPE_VARINT)                          \
            return pbti_unpack_varints(d, msg, slot, p, len, PBTI_OP_##name,   \
                                       member_size);                           \
        return pbti_unpack_fixed(d, msg, slot, p, len, PBTI_OP_##name,         \
                                 member_size);                                 \
    }
#include "table_kinds.def"

#endif
