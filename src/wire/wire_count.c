/* wire_count.c - the loops behind pbt_size and pbt_validate: one walk over the
 * rows that marshal runs, in the same order, with the same answers about
 * errors.
 *
 * The count starts again at zero for each sub-message; the frame keeps what
 * was counted before it.
 */
#include "wire_count.h"
#include "wire_trace.h"

/* The dispatch body may be longer than other functions. */
/* NOLINTNEXTLINE(readability-function-size) */
PBTI_INLINE pbt_status count_message(pbti_call *call,
                                     const ProtobufCMessage *message,
                                     const pbti_table *table, bool validating,
                                     uint64_t *size) {
    const char *msg = (const char *) message;
    const pbti_row *row = table->rows;
    const pbti_row *field;
    pbti_frame *top = call->frames;
    pbti_frame *frame;
    const ProtobufCMessage *sub;
    const ProtobufCMessage *const *elements;
    const void *pointer;
    size_t left;
    size_t element = PBTI_NO_ELEMENT;
    uint64_t total = 0;
    pbt_status status = PBT_OK;

    PBTI_COUNT(fast_calls);
    for (;;) {
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
    case PBTI_OP_##name##_PACKED:                                              \
        status =                                                               \
            pbti_count_array(call, field, msg, PBTI_ENCODING_##name,           \
                             field->op == PBTI_OP_##name##_PACKED, &total);    \
        break;
#include "table_kinds.def"
        case PBTI_OP_STRING:
        case PBTI_OP_STRING_IMPLICIT:
        case PBTI_OP_STRING_REQUIRED:
            pointer = pbti_pointer(msg, field);
            if (field->op == PBTI_OP_STRING &&
                (!pointer || pointer == field->u.default_value))
                continue;
            if (field->op == PBTI_OP_STRING_IMPLICIT &&
                *(const char *) pointer == '\0')
                continue;
            status = pointer ? pbti_count_string(call, field, pointer, &total)
                             : pbti_count_missing(call, field, &total);
            break;
        case PBTI_OP_STRING_REPEATED:
            status = pbti_count_strings(call, field, msg, &total, &element);
            break;
        case PBTI_OP_BYTES:
            status = pbti_count_binary(call, field, msg + field->data, &total);
            break;
        case PBTI_OP_BYTES_REPEATED:
            status = pbti_count_binaries(call, field, msg, &total, &element);
            break;
        case PBTI_OP_UNKNOWN:
            status = pbti_count_unknown(call, msg, &total, &element);
            break;
        case PBTI_OP_MESSAGE:
        case PBTI_OP_MESSAGE_DEFAULTED:
            sub = pbti_pointer(msg, field);
            /* protobuf_c_message_check looks at a default's message too */
            if (validating ? !sub : pbti_is_unset(msg, field, sub))
                continue;
            elements = NULL;
            left = 0;
            goto descend;
        case PBTI_OP_MESSAGE_REQUIRED:
            sub = pbti_pointer(msg, field);
            elements = NULL;
            left = 0;
            if (sub)
                goto descend;
            status = pbti_count_missing(call, field, &total);
            break;
        case PBTI_OP_MESSAGE_REPEATED:
        case PBTI_OP_MAP:
            status = pbti_take_elements(call, msg, field, &elements, &left,
                                        &element);
            if (status != PBT_OK)
                break;
            elements += --left;
            sub = *elements;
            goto descend;
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
        case PBTI_OP_BLOCK:
        case PBTI_OP_RESUME:
            continue;
        case PBTI_N_OPS:
        default:
            PBTI_UNREACHABLE();
            continue;
        case PBTI_OP_END:
            if (top == call->frames) {
                *size = total;
                if (total <= call->max_size)
                    return PBT_OK;
                status = PBT_ERR_TOO_LARGE;
                break;
            }
            frame = top - 1;
            field = frame->field;
            msg = frame->msg;
            if (total > call->max_size)
                status = PBT_ERR_TOO_LARGE;
            total = frame->base + pbti_block_size(field, total);
            left = frame->left;
            row = frame->row;
            top = frame;
            if (left == 0 || status != PBT_OK)
                break;
            left--;
            elements = frame->elements - 1;
            sub = *elements;
            goto descend;
        }
        if (PBTI_LIKELY(status == PBT_OK))
            continue;
        break;
    descend:
        table = pbti_sub_table(call, field, sub, &status);
        if (PBTI_UNLIKELY(!table)) {
            element = elements ? left : PBTI_NO_ELEMENT;
            break;
        }
        frame = pbti_push(call, top, &status);
        if (PBTI_UNLIKELY(!frame))
            break;
        *frame = (pbti_frame){.msg = msg,
                              .row = row,
                              .field = field,
                              .elements = elements,
                              .left = left,
                              .base = total};
        top = frame + 1;
        total = 0;
        msg = (const char *) sub;
        row = table->rows;
    }
    return pbti_fail_at(call, status, &(pbti_place){top, msg, field, element});
}

pbt_status PBTI_LEVEL_NAME(pbti_size)(pbti_call *call,
                                      const ProtobufCMessage *message,
                                      const pbti_table *table, uint64_t *size) {
    return count_message(call, message, table, false, size);
}

pbt_status PBTI_LEVEL_NAME(pbti_validate)(pbti_call *call,
                                          const ProtobufCMessage *message,
                                          const pbti_table *table) {
    uint64_t size;
    return count_message(call, message, table, true, &size);
}
