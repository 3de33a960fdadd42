/* wire_array.h - the questions that all loops ask of repeated and message
 * fields before they follow a pointer. */
#ifndef PBTI_WIRE_ARRAY_H
#define PBTI_WIRE_ARRAY_H

#include "wire_level.h"

/* Refuses arrays that are too long, or not there. Elements take at least
 * min_size bytes each on the wire. There is at least one: rows of empty
 * fields are not run. */
PBTI_INLINE pbt_status pbti_check_array(uint64_t max_size, const void *array,
                                        size_t n, size_t min_size) {
    if (PBTI_UNLIKELY(n >= PBTI_MAX_ELEMENTS))
        return PBT_ERR_TOO_LARGE;
    if (PBTI_UNLIKELY((uint64_t) n * min_size > max_size))
        return PBT_ERR_TOO_LARGE;
    if (PBTI_UNLIKELY(!array))
        return PBT_ERR_BAD_MESSAGE;
    return PBT_OK;
}

/* True when a message pointer means that the field is unset. */
PBTI_INLINE bool pbti_is_unset(const char *msg, const pbti_row *field,
                               const void *pointer) {
    return !pointer || (field->op == PBTI_OP_MESSAGE_DEFAULTED &&
                        pbti_is_default_message(msg, field, pointer));
}

PBTI_INLINE bool pbti_is_required(const pbti_row *field) {
    return field->op == PBTI_OP_STRING_REQUIRED ||
           field->op == PBTI_OP_MESSAGE_REQUIRED ||
           field->op == PBTI_OP_GROUP_REQUIRED;
}

/* The messages of a repeated field. With PBT_DETERMINISTIC those of a map are
 * put in order first. */
PBTI_INLINE pbt_status pbti_take_elements(
    pbti_call *call, const char *msg, const pbti_row *field,
    const ProtobufCMessage *const **elements, size_t *n, size_t *element) {
    pbt_status status = PBT_OK;
    *elements = pbti_pointer(msg, field);
    *n = pbti_count(msg, field);
    /* entries that are left out do not count for max_size */
    if (PBTI_UNLIKELY(call->flags & PBT_DETERMINISTIC) &&
        field->op == PBTI_OP_MAP) {
        status = pbti_check_array(call->max_size, *elements, *n, 0);
        if (status == PBT_OK)
            status = pbti_sort_map(call, field->u.sub, elements, n, element);
    }
    if (PBTI_UNLIKELY(status != PBT_OK))
        return status;
    return pbti_check_array(call->max_size, *elements, *n,
                            field->tag_len + (size_t) 1);
}

/* The table of a message in a field: that of its own descriptor, which is the
 * field's type unless somebody put another message there. NULL on failure. */
PBTI_INLINE const pbti_table *pbti_sub_table(const pbti_call *call,
                                             const pbti_row *field,
                                             const ProtobufCMessage *sub,
                                             pbt_status *status) {
    const pbti_table *table = field->u.sub;
    if (PBTI_UNLIKELY(!sub)) {
        *status = PBT_ERR_BAD_MESSAGE;
        return NULL;
    }
    if (PBTI_UNLIKELY(sub->descriptor != table->type))
        return pbti_foreign_table(call, sub, table, status);
    return table;
}

/* True when the member of an OR_ZERO row holds a value. */
PBTI_INLINE bool pbti_is_set(const char *msg, const pbti_row *member) {
    const char *text;
    if (!pbti_may_be_present(msg, member))
        return false;
    if (member->op == PBTI_OP_MESSAGE_DEFAULTED)
        return !pbti_is_unset(msg, member, pbti_pointer(msg, member));
    if (member->op != PBTI_OP_STRING && member->op != PBTI_OP_STRING_IMPLICIT)
        return true;
    text = pbti_pointer(msg, member);
    if (member->op == PBTI_OP_STRING)
        return text != member->u.default_value;
    return *text != '\0';
}

/* Bytes of a field that is written as the zero of its type. */
PBTI_INLINE unsigned pbti_zero_size(const pbti_row *member) {
    if (member->op == PBTI_OP_FIXED32)
        return 4;
    return member->op == PBTI_OP_FIXED64 ? 8 : 1;
}

#endif
