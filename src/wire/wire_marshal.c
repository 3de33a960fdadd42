/* wire_marshal.c - the marshal loop: a message and its table to bytes, back to
 * front, in one pass.
 *
 * Writing from the end makes the length of a sub-message known when it is
 * written, so there is no pass for sizes. The loop holds four things: the
 * message, the next row, the cursor, and the top of the stack of frames. A
 * field that cannot be written leaves a NULL cursor.
 */
#include "wire_fields.h"

/* NOLINTNEXTLINE(readability-function-size): a dispatch body, see STYLE */
pbt_status PBTI_LEVEL_NAME(pbti_marshal)(pbti_call *call,
                                         const ProtobufCMessage *message,
                                         const pbti_table *table,
                                         uint8_t **cursor) {
    pbti_writer *writer = &call->writer;
    const char *msg = (const char *) message;
    const pbti_row *row = pbti_first_row(message, table);
    const pbti_row *field = row;
    pbti_frame *top = call->frames;
    pbti_frame *frame;
    const ProtobufCMessage *sub;
    const ProtobufCMessage *const *elements;
    const void *pointer;
    pbti_stop stop;
    pbti_head head;
    uint64_t word;
    size_t left;
    uint64_t len;
    pbti_fault fault = {PBT_OK, PBTI_NO_ELEMENT};
    uint8_t *p = pbti_writer_room(writer, *cursor);

    PBTI_COUNT(fast_calls);
    while (PBTI_LIKELY(p != NULL)) {
        field = pbti_next_row(msg, row, &word);
        row = field + 1;
    dispatch:
        PBTI_COUNT(marshal_ops[field->op]);
        head = pbti_row_head(field);
        switch ((unsigned) pbti_head_op(head)) {
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    case PBTI_OP_##name:                                                       \
        p = pbti_put_scalar(p, PBTI_ENCODING_##name, msg + field->data,        \
                            false);                                            \
        p = pbti_put_head(p, head);                                            \
        continue;
#include "table_kinds.def"
        case PBTI_OP_STRING:
            pointer = pbti_word_pointer(msg, field, word);
            if (pointer && pointer != field->u.default_value)
                p = pbti_put_string(call, p, field, head, pointer,
                                    PBTI_NO_ELEMENT, &fault);
            continue;
        case PBTI_OP_STRING_IMPLICIT:
            pointer = pbti_word_pointer(msg, field, word);
            if (*(const char *) pointer != '\0')
                p = pbti_put_string(call, p, field, head, pointer,
                                    PBTI_NO_ELEMENT, &fault);
            continue;
        case PBTI_OP_BYTES:
            p = pbti_put_binary(call, p, field, head, msg + field->data,
                                PBTI_NO_ELEMENT, &fault);
            continue;
        case PBTI_OP_ONEOF:
            field =
                pbti_oneof_row(field->u.oneof, pbti_load32(msg + field->data));
            if (!field)
                continue;
            word = pbti_presence_word(msg, field);
            goto dispatch;
        case PBTI_OP_MESSAGE:
            sub = pbti_word_pointer(msg, field, word);
            if (sub)
                break;
            continue;
        case PBTI_OP_MESSAGE_REPEATED:
        case PBTI_OP_MAP:
            fault.status = pbti_take_elements(call, msg, field, &elements,
                                              &left, &fault.element);
            if (PBTI_UNLIKELY(fault.status != PBT_OK))
                goto failed;
            frame = pbti_wait(call, top, msg, row, field, &fault.status);
            if (PBTI_UNLIKELY(!frame))
                goto failed;
            top = frame;
            p = pbti_writer_room(writer, p);
            if (PBTI_UNLIKELY(!p))
                goto failed;
            frame->elements = elements + left;
            frame->left = left;
            goto next_element;
        case PBTI_OP_END:
            if (top == call->frames) {
                if (PBTI_LIKELY(!call->part)) {
                    *cursor = p;
                    return PBT_OK;
                }
                top = pbti_leave_frames(call);
            }
            frame = top - 1;
            top = frame;
            field = frame->field;
            msg = frame->msg;
            row = frame->row;
            len = pbti_writer_total(writer, p) - frame->base;
            if (PBTI_LIKELY(len < 0x80))
                *--p = (uint8_t) len;
            else if (PBTI_UNLIKELY(pbti_is_group(field)))
                goto start_group;
            else
                p = pbti_put_varint(p, len);
            p = pbti_put_tag(p, field);
            p = pbti_writer_room(writer, p);
            if (frame->left == 0 || PBTI_UNLIKELY(!p))
                continue;
            goto next_element;
        default:
            goto rare;
        }
    into: /* sub, the value of field in msg */
        table = pbti_sub_table(call, field, sub, &fault.status);
        if (PBTI_UNLIKELY(!table))
            break;
        frame = pbti_wait(call, top, msg, row, field, &fault.status);
        if (PBTI_UNLIKELY(!frame))
            break;
        top = frame;
        p = pbti_writer_room(writer, p);
        if (PBTI_UNLIKELY(!p))
            break;
        frame->left = 0;
        goto enter;
    next_element: /* of frame, the values of field in msg, from the last on */
        frame->left--;
        frame->elements--;
        sub = *frame->elements;
        /* gains where the message is in no cache (docs/bench.md) */
        if (PBTI_LIKELY(frame->left > 0))
            PBTI_PREFETCH(frame->elements[-1]);
        table = pbti_sub_table(call, field, sub, &fault.status);
        if (PBTI_UNLIKELY(!table)) {
            fault.element = frame->left;
            break;
        }
    enter:
        frame->base = pbti_writer_total(writer, p);
    enter_group:
        top = frame + 1;
        msg = (const char *) sub;
        row = pbti_first_row(sub, table);
        continue;
    rare: /* what few fields of most messages are */
        switch ((unsigned) pbti_head_op(head)) {
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    case PBTI_OP_##name##_REPEATED:                                            \
        p = put_repeated_##name(call, p, field, msg, &fault);                  \
        continue;                                                              \
    case PBTI_OP_##name##_PACKED:                                              \
        p = put_packed_##name(call, p, field, msg, &fault);                    \
        continue;
#include "table_kinds.def"
        case PBTI_OP_STRING_REQUIRED:
            pointer = pbti_pointer(msg, field);
            p = pointer ? pbti_put_string(call, p, field, head, pointer,
                                          PBTI_NO_ELEMENT, &fault)
                        : pbti_put_missing(call, p, field, &fault);
            continue;
        case PBTI_OP_STRING_REPEATED:
            p = put_strings(call, p, field, msg, &fault);
            continue;
        case PBTI_OP_BYTES_REPEATED:
            p = put_binaries(call, p, field, msg, &fault);
            continue;
        case PBTI_OP_UNKNOWN:
            p = put_unknown(call, p, msg, &fault);
            continue;
        case PBTI_OP_ROOM:
            p = pbti_writer_room(writer, p);
            continue;
        case PBTI_OP_BLOCK:
            pbti_open_block(&call->block, msg, field);
            if (!pbti_is_crowded(&call->block))
                row = &pbti_resume_row;
            continue;
        case PBTI_OP_RETURN:
            pbti_return_to_block(call, top);
            /* fall through */
        case PBTI_OP_RESUME:
            stop = put_block_rows(call, p, msg, &fault);
            p = stop.p;
            row = &pbti_return_row;
            if (stop.row) {
                field = stop.row;
                if (PBTI_UNLIKELY(p == NULL))
                    continue;
                frame = pbti_keep_block(call, top, &fault.status);
                if (PBTI_UNLIKELY(!frame))
                    goto failed;
                top = frame;
                word = pbti_presence_word(msg, field);
                goto dispatch;
            }
            row = pbti_after_block(&call->block);
            continue;
        case PBTI_OP_OR_ZERO:
            field = field->u.member;
            if (pbti_is_set(msg, field)) {
                word = pbti_presence_word(msg, field);
                goto dispatch;
            }
            p = pbti_put_zero(p, field);
            continue;
        case PBTI_OP_ABSENT:
            continue;
        case PBTI_OP_MESSAGE_DEFAULTED:
            sub = pbti_pointer(msg, field);
            if (!pbti_is_unset(msg, field, sub))
                goto into;
            continue;
        case PBTI_OP_MESSAGE_REQUIRED:
            sub = pbti_pointer(msg, field);
            if (sub)
                goto into;
            p = pbti_put_missing(call, p, field, &fault);
            continue;
        case PBTI_OP_GROUP:
        case PBTI_OP_GROUP_REQUIRED:
            if (!pbti_pointer(msg, field)) {
                p = put_no_group(call, p, field, &fault);
                continue;
            }
            /* fall through */
        case PBTI_OP_GROUP_REPEATED:
            frame = wait_for_groups(call, top, msg, row, field, &fault);
            if (!frame)
                goto failed;
            top = frame;
        next_group: /* as next_element, for the values of a group field */
            p = put_group_end(writer, p, field);
            if (PBTI_UNLIKELY(!p))
                continue;
            table = next_group(call, frame, field, &fault);
            if (PBTI_UNLIKELY(!table))
                goto failed;
            sub = pbti_load_pointer(frame->elements);
            goto enter_group;
        default:
            PBTI_UNREACHABLE();
            continue;
        }
    start_group:
        p = put_group_start(writer, p, field);
        if (frame->left > 0 && PBTI_LIKELY(p != NULL))
            goto next_group;
    }
failed:
    if (fault.status == PBT_OK)
        fault.status = writer->status;
    return pbti_fail_at(call, fault.status,
                        &(pbti_place){top, msg, field, fault.element});
}
