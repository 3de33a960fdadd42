/* wire_item_loop.h - the quick size loop: for messages with nothing wrong and
 * nothing special about them, without regard to the order of fields.
 *
 * It runs the items of a type, one kind of field after the other, with frames
 * for the messages that wait. It reports no errors: where it meets anything
 * that may be one it gives up, and the careful loop, which keeps the order,
 * finds out what there is to say.
 */
#ifndef PBTI_WIRE_ITEM_LOOP_H
#define PBTI_WIRE_ITEM_LOOP_H

#include "wire_item_runs.h"

PBTI_NOINLINE static pbti_frame *grow_frames(pbti_call *call, pbti_frame *top) {
    pbt_status status = PBT_OK;
    return pbti_grow_frames(call, top, &status);
}

/* Returns the size of a message, or PBTI_GAVE_UP.
 *
 * Kinds that occur most follow each other in the order of runs, each with a
 * branch from the one before it: that is guessed better than a jump, which the
 * other kinds are reached by.
 *
 * NOLINTNEXTLINE(readability-function-size): a dispatch body, see STYLE */
PBTI_INLINE uint64_t tally_message(pbti_call *call, const ProtobufCMessage *sub,
                                   const pbti_table *table) {
    const char *msg = NULL;
    const pbti_item *item = NULL;
    pbti_frame *top = call->frames;
    const ProtobufCMessage *const *elements;
    uint64_t total = 0;
    uint64_t size;
    size_t n;
    goto enter;
    for (;;) {
        switch ((pbti_item_op) item->op) {
        case PBTI_ITEM_STEPS:
        first:
            if (item->op == PBTI_ITEM_STEPS) {
                PBTI_COUNT(size_steps);
                total += pbti_steps(msg, item->u.steps, item->n);
                item++;
            }
            if (item->op == PBTI_ITEM_FLAGS) {
            case PBTI_ITEM_FLAGS:
                total += pbti_tally_flags(msg, item);
                item += item->n;
            }
            if (item->op == PBTI_ITEM_VARINTS) {
            case PBTI_ITEM_VARINTS:
                total += pbti_tally_varints(msg, item, false);
                item += item->n;
            }
            if (item->op == PBTI_ITEM_STRINGS) {
            case PBTI_ITEM_STRINGS:
                size = pbti_tally_optional_strings(call, msg, item);
                if (PBTI_UNLIKELY(size == PBTI_GAVE_UP))
                    return size;
                total += size;
                item += item->n;
            }
            if (item->op == PBTI_ITEM_STRINGS_IMPLICIT) {
            case PBTI_ITEM_STRINGS_IMPLICIT:
                total += pbti_tally_implicit_strings(call, msg, item);
                item += item->n;
            }
            if (item->op == PBTI_ITEM_BYTES) {
            case PBTI_ITEM_BYTES:
                size = pbti_tally_bytes(call, msg, item);
                if (PBTI_UNLIKELY(size == PBTI_GAVE_UP))
                    return size;
                total += size;
                item += item->n;
            }
        messages:
            if (item->op == PBTI_ITEM_MESSAGES) {
            case PBTI_ITEM_MESSAGES:
                sub = pbti_load_pointer(pbti_at(msg, item->data));
                if (!sub) {
                    if (PBTI_UNLIKELY(item->class & PBTI_ITEM_IS_REQUIRED))
                        return PBTI_GAVE_UP;
                    item++;
                    goto messages;
                }
                table = item->u.sub;
                PBTI_COUNT(size_ops[PBTI_OP_MESSAGE]);
                break;
            }
        arrays:
            if (item->op == PBTI_ITEM_MESSAGE_ARRAYS) {
            case PBTI_ITEM_MESSAGE_ARRAYS:
                n = pbti_load_size(pbti_at(msg, item->presence));
                if (n == 0) {
                    item++;
                    goto arrays;
                }
                PBTI_COUNT(size_ops[PBTI_OP_MESSAGE_REPEATED]);
                elements = pbti_load_pointer(pbti_at(msg, item->data));
                if (PBTI_UNLIKELY(pbti_check_array(call->max_size, elements, n,
                                                   item->bytes + (size_t) 1) !=
                                  PBT_OK))
                    return PBTI_GAVE_UP;
                if (PBTI_UNLIKELY(top == call->frames_end)) {
                    top = grow_frames(call, top);
                    if (!top)
                        return PBTI_GAVE_UP;
                }
                sub = *elements;
                table = item->u.sub;
                top->elements = elements + 1;
                top->left = n - 1;
                goto descend;
            }
            if (item->op == PBTI_ITEM_END) {
            case PBTI_ITEM_END:
                PBTI_COUNT(size_ops[PBTI_OP_END]);
                if (PBTI_UNLIKELY(total > call->max_size))
                    return PBTI_GAVE_UP;
                if (top == call->frames) {
                    if (PBTI_LIKELY(!call->part))
                        return total;
                    top = pbti_leave_frames(call);
                }
                top--;
                item = top->item;
                size = pbti_item_block(item, total);
                if (PBTI_UNLIKELY(item->class & PBTI_ITEM_IS_GROUP))
                    size = 2 * (uint64_t) item->bytes + total;
                total = top->base + size;
                if (top->left == 0) {
                    msg = top->msg;
                    item++;
                    goto messages;
                }
                sub = *top->elements;
                table = item->u.sub;
                top->left--;
                top->elements++;
                top->base = total;
                top++;
                total = 0;
                goto enter;
            }
            continue;
        case PBTI_ITEM_PARTS:
            size = tally_parts(call, msg, item->u.parts);
            if (PBTI_UNLIKELY(size == PBTI_GAVE_UP))
                return size;
            total += size;
            item++;
            continue;
        case PBTI_ITEM_ZIGZAGS:
            total += pbti_tally_varints(msg, item, true);
            item += item->n;
            continue;
        case PBTI_ITEM_STRING_ARRAYS:
            size = pbti_tally_arrays(call, msg, item, tally_strings);
            goto counted;
        case PBTI_ITEM_OTHER_ARRAYS:
            size = pbti_tally_arrays(call, msg, item, tally_array);
            goto counted;
        case PBTI_ITEM_FIXED_ARRAYS:
        case PBTI_ITEM_FIXED_BLOCKS:
            size = pbti_tally_fixed_arrays(msg, item);
        counted:
            if (PBTI_UNLIKELY(size == PBTI_GAVE_UP))
                return size;
            total += size;
            item += item->n;
            goto messages;
        case PBTI_ITEM_ONEOF:
            item = pbti_oneof_item(msg, item);
            continue;
        case PBTI_ITEM_SEARCHED_ONEOF:
            item = searched_item(msg, item);
            continue;
        case PBTI_ITEM_RETURN:
            item = item->u.next;
            continue;
        case PBTI_ITEM_NOTHING:
            item++;
            continue;
        case PBTI_ITEM_MESSAGES_DEFAULTED:
            table = item->u.row->u.sub;
            sub = pbti_pointer(msg, item->u.row);
            if (pbti_is_unset(msg, item->u.row, sub)) {
                item++;
                continue;
            }
            break;
        case PBTI_N_ITEM_OPS:
        default:
            PBTI_UNREACHABLE();
        }
        if (PBTI_UNLIKELY(top == call->frames_end)) {
            top = grow_frames(call, top);
            if (!top)
                return PBTI_GAVE_UP;
        }
        top->left = 0;
    descend:
        top->item = item;
        top->msg = msg;
        top->base = total;
        top++;
        total = 0;
    enter:
        if (PBTI_UNLIKELY(!sub || sub->descriptor != table->type))
            return PBTI_GAVE_UP;
        msg = (const char *) sub;
        item = table->items;
        if (PBTI_UNLIKELY(!item))
            return PBTI_GAVE_UP;
        if (PBTI_UNLIKELY(sub->n_unknown_fields != 0)) {
            total = tally_unknown(call, msg);
            if (total == PBTI_GAVE_UP)
                return PBTI_GAVE_UP;
        }
        if (item->op < PBTI_ITEM_PARTS)
            goto first;
    }
}

/* Counts the bytes of a message; false when the careful loop has to. */
PBTI_INLINE bool pbti_tally_message(pbti_call *call,
                                    const ProtobufCMessage *message,
                                    const pbti_table *table, uint64_t *result) {
    const uint32_t special =
        PBT_VALIDATE_UTF8 | PBT_DETERMINISTIC | PBT_CONFORMANT;
    if ((call->flags & special) || call->follow_defaults)
        return false;
    *result = tally_message(call, message, table);
    if (PBTI_LIKELY(*result != PBTI_GAVE_UP))
        return true;
    while (call->part)
        (void) pbti_leave_frames(call);
    PBTI_COUNT(sizes_given_up);
    return false;
}

#endif
