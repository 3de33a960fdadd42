/* wire_size.c - the careful size loop: one walk over the rows that marshal
 * runs, in the same order, with the same answers about errors. pbt_validate is
 * the same loop, for its answers alone. For sizes the quick loop
 * (wire_item_loop.h; with AVX-512 wire_tally.h) comes first, and leaves to it
 * what may be an error.
 *
 * The count starts again at zero for each sub-message; the frame keeps what
 * was counted before it.
 */
#include "wire_sizes.h"
#if PBTI_AVX512
#include "wire_tally.h"
#else
#include "wire_item_loop.h"
#endif
#include "wire_trace.h"

/* NOLINTNEXTLINE(readability-function-size): a dispatch body, see STYLE */
PBTI_NOINLINE static pbt_status size_carefully(pbti_call *call,
                                               const ProtobufCMessage *message,
                                               const pbti_table *table,
                                               uint64_t *result) {
    const char *msg = (const char *) message;
    const pbti_row *row = pbti_first_row(message, table);
    const pbti_row *field = row;
    pbti_frame *top = call->frames;
    pbti_frame *frame;
    const ProtobufCMessage *sub;
    const ProtobufCMessage *const *elements;
    const void *pointer;
    const pbti_row *stop;
    size_t left;
    size_t element = PBTI_NO_ELEMENT;
    uint64_t total = 0;
    uint64_t size = 0;
    pbt_status status = PBT_OK;

    PBTI_COUNT(fast_calls);
    while (PBTI_LIKELY(status == PBT_OK)) {
        while (!pbti_may_be_present(msg, row))
            row++;
        field = row++;
    dispatch:
        PBTI_COUNT(size_ops[field->op]);
        switch ((pbti_op) field->op) {
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    case PBTI_OP_##name:                                                       \
        total += field->tag_len +                                              \
                 pbti_scalar_size(PBTI_ENCODING_##name, msg + field->data);    \
        continue;                                                              \
    case PBTI_OP_##name##_REPEATED:                                            \
        status = size_repeated_##name(call, field, msg, &size);                \
        total += size;                                                         \
        continue;                                                              \
    case PBTI_OP_##name##_PACKED:                                              \
        status = size_packed_##name(call, field, msg, &size);                  \
        total += size;                                                         \
        continue;
#include "table_kinds.def"
        case PBTI_OP_STRING:
            pointer = pbti_pointer(msg, field);
            if (!pointer || pointer == field->u.default_value)
                continue;
            status = pbti_string_size(call, field, pointer, &size);
            total += size;
            continue;
        case PBTI_OP_STRING_IMPLICIT:
            pointer = pbti_pointer(msg, field);
            if (*(const char *) pointer == '\0')
                continue;
            status = pbti_string_size(call, field, pointer, &size);
            total += size;
            continue;
        case PBTI_OP_STRING_REQUIRED:
            pointer = pbti_pointer(msg, field);
            status = pointer ? pbti_string_size(call, field, pointer, &size)
                             : pbti_missing_size(call, field, &size);
            total += size;
            continue;
        case PBTI_OP_STRING_REPEATED:
            status = size_strings(call, field, msg, &size, &element);
            total += size;
            continue;
        case PBTI_OP_BYTES:
            status = pbti_binary_size(call, field, msg + field->data, &size);
            total += size;
            continue;
        case PBTI_OP_BYTES_REPEATED:
            status = size_binaries(call, field, msg, &size, &element);
            total += size;
            continue;
        case PBTI_OP_UNKNOWN:
            status = size_unknown(call, msg, &size, &element);
            total += size;
            continue;
        case PBTI_OP_BLOCK:
            pbti_open_block(&call->block, msg, field);
            row = &pbti_resume_row;
            continue;
        case PBTI_OP_RETURN:
            pbti_return_to_block(call, top);
            /* fall through */
        case PBTI_OP_RESUME:
            status = size_block_rows(call, msg, &size, &stop);
            total += size;
            row = &pbti_return_row;
            if (stop) {
                field = stop;
                if (PBTI_UNLIKELY(status != PBT_OK))
                    continue;
                frame = pbti_keep_block(call, top, &status);
                if (PBTI_UNLIKELY(!frame))
                    continue;
                top = frame;
                goto dispatch;
            }
            row = pbti_after_block(&call->block);
            continue;
        case PBTI_OP_ONEOF:
            field =
                pbti_oneof_row(field->u.oneof, pbti_load32(msg + field->data));
            if (field)
                goto dispatch;
            continue;
        case PBTI_OP_OR_ZERO:
            field = field->u.member;
            if (pbti_is_set(msg, field))
                goto dispatch;
            total += field->tag_len + (uint64_t) pbti_zero_size(field);
            continue;
        case PBTI_OP_ABSENT:
        case PBTI_OP_ROOM:
            continue;
        case PBTI_N_OPS:
        default:
            PBTI_UNREACHABLE();
            continue;
        case PBTI_OP_MESSAGE:
        case PBTI_OP_MESSAGE_DEFAULTED:
        case PBTI_OP_GROUP:
            sub = pbti_pointer(msg, field);
            if (!sub ||
                (!call->follow_defaults && pbti_is_unset(msg, field, sub)))
                continue;
            break;
        case PBTI_OP_MESSAGE_REQUIRED:
        case PBTI_OP_GROUP_REQUIRED:
            sub = pbti_pointer(msg, field);
            if (sub)
                break;
            status = pbti_missing_size(call, field, &size);
            total += size;
            continue;
        case PBTI_OP_MESSAGE_REPEATED:
        case PBTI_OP_MAP:
        case PBTI_OP_GROUP_REPEATED:
            status = pbti_take_elements(call, msg, field, &elements, &left,
                                        &element);
            if (PBTI_UNLIKELY(status != PBT_OK))
                continue;
            frame = pbti_wait(call, top, msg, row, field, &status);
            if (PBTI_UNLIKELY(!frame))
                continue;
            top = frame;
            frame->elements = elements + left;
            frame->left = left;
            goto next_element;
        case PBTI_OP_END:
            if (PBTI_UNLIKELY(total > call->max_size)) {
                status = PBT_ERR_TOO_LARGE;
                continue;
            }
            if (top == call->frames) {
                if (PBTI_LIKELY(!call->part)) {
                    *result = total;
                    return PBT_OK;
                }
                top = pbti_leave_frames(call);
            }
            frame = top - 1;
            top = frame;
            field = frame->field;
            total = frame->base + pbti_message_size(field, total);
            msg = frame->msg;
            row = frame->row;
            if (frame->left == 0)
                continue;
            goto next_element;
        }
        /* into sub, the value of field in msg */
        table = pbti_sub_table(call, field, sub, &status);
        if (PBTI_UNLIKELY(!table))
            continue;
        frame = pbti_wait(call, top, msg, row, field, &status);
        if (PBTI_UNLIKELY(!frame))
            continue;
        frame->left = 0;
        goto enter;
    next_element: /* of frame, the values of field in msg, from the last on */
        frame->left--;
        frame->elements--;
        sub = *frame->elements;
        table = pbti_sub_table(call, field, sub, &status);
        if (PBTI_UNLIKELY(!table)) {
            element = frame->left;
            continue;
        }
    enter:
        frame->base = total;
        top = frame + 1;
        total = 0;
        msg = (const char *) sub;
        row = pbti_first_row(sub, table);
    }
    return pbti_fail_at(call, status, &(pbti_place){top, msg, field, element});
}

pbt_status PBTI_LEVEL_NAME(pbti_size)(pbti_call *call,
                                      const ProtobufCMessage *message,
                                      const pbti_table *table,
                                      uint64_t *result) {
    if (PBTI_LIKELY(pbti_tally_message(call, message, table, result)))
        return PBT_OK;
    return size_carefully(call, message, table, result);
}
