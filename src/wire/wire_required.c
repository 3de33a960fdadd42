/* wire_required.c - the required check: finds the first missing required
 * field, in field order.
 *
 * It walks the rows of the fields that can lack something and no others, so a
 * type that cannot lack anything costs one look at its first row.
 */
#include "wire_array.h"
#include "wire_trace.h"

/* The member of a oneof that is set, when the check has to look into it. */
static const pbti_row *selected_member(const char *msg, const pbti_row *oneof) {
    const pbti_row *member =
        pbti_oneof_row(oneof->u.oneof, pbti_load32(msg + oneof->data));
    const pbti_table *sub = member ? pbti_row_sub(member) : NULL;
    return sub && sub->can_lack ? member : NULL;
}

/* The field of the next row that runs; NULL when it is a oneof that holds
 * nothing to look into. */
PBTI_INLINE const pbti_row *next_field(const char *msg, const pbti_row **row) {
    const pbti_row *field = *row;
    while (!pbti_may_be_present(msg, field))
        field++;
    *row = field + 1;
    return field->op == PBTI_OP_ONEOF ? selected_member(msg, field) : field;
}

/* The first message to look into for a row, and the number of those after it;
 * NULL when there is none, with *status telling whether something is wrong. */
static const ProtobufCMessage *const *
first_message(const pbti_call *call, const char *msg, const pbti_row *field,
              size_t *left, pbt_status *status) {
    const void *member = msg + field->data;
    size_t n;
    *left = 0;
    if (pbti_is_message_array(field)) {
        const ProtobufCMessage *const *elements = pbti_pointer(msg, field);
        n = pbti_count(msg, field);
        *left = n - 1;
        *status = pbti_check_array(call->max_size, elements, n,
                                   field->tag_len + (size_t) 1);
        return *status == PBT_OK ? elements : NULL;
    }
    if (pbti_is_unset(msg, field, pbti_pointer(msg, field))) {
        if (pbti_is_required(field))
            *status = PBT_ERR_REQUIRED;
        return NULL;
    }
    if (field->op == PBTI_OP_STRING_REQUIRED)
        return NULL;
    return field->u.sub->can_lack ? member : NULL;
}

pbt_status PBTI_LEVEL_NAME(pbti_required)(pbti_call *call,
                                          const ProtobufCMessage *message,
                                          const pbti_table *table) {
    const char *msg = (const char *) message;
    const pbti_row *row = table->required_rows;
    const pbti_row *field;
    pbti_frame *top = call->frames;
    pbti_frame *frame;
    const ProtobufCMessage *const *elements;
    const ProtobufCMessage *sub;
    size_t left = 0;
    size_t element = PBTI_NO_ELEMENT;
    pbt_status status = PBT_OK;

    PBTI_COUNT(fast_calls);
    for (;;) {
        field = next_field(msg, &row);
        if (!field)
            continue;
        if (field->op == PBTI_OP_END) {
            if (top == call->frames) {
                if (PBTI_LIKELY(!call->part))
                    return PBT_OK;
                top = pbti_leave_frames(call);
            }
            frame = top - 1;
            msg = frame->msg;
            row = frame->row;
            top = frame;
            if (frame->left == 0)
                continue;
            field = frame->field;
            elements = frame->elements + 1;
            left = frame->left - 1;
        } else {
            elements = first_message(call, msg, field, &left, &status);
            if (PBTI_UNLIKELY(status != PBT_OK))
                break;
            if (!elements)
                continue;
        }
        sub = pbti_load_pointer(elements);
        table = pbti_sub_table(call, field, sub, &status);
        if (PBTI_UNLIKELY(!table)) {
            if (pbti_is_message_array(field))
                element = pbti_count(msg, field) - 1 - left;
            break;
        }
        frame = pbti_push(call, top, &status);
        if (PBTI_UNLIKELY(!frame))
            break;
        *frame = (pbti_frame){.msg = msg,
                              .row = row,
                              .field = field,
                              .elements = elements,
                              .left = left};
        top = frame + 1;
        msg = (const char *) sub;
        row = table->required_rows;
    }
    return pbti_fail_at(call, status, &(pbti_place){top, msg, field, element});
}
