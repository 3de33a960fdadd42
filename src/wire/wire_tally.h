/* wire_tally.h - the quick size loop of the level with AVX-512: for messages
 * with nothing wrong and nothing special about them, without regard to the
 * order of fields. The other levels have wire_item_loop.h.
 *
 * It reports no errors: where it meets anything that may be one, it gives up,
 * and the careful loop, which keeps the order, finds out what there is to say.
 * It recurses, for a few levels: what is deeper is for the careful loop, too.
 */
#ifndef PBTI_WIRE_TALLY_H
#define PBTI_WIRE_TALLY_H

#include "wire_sizes.h"
#include "wire_tally_part.h"
#include "wire_trace.h"

/* Levels. Without optimization each takes kilobytes of the stack, as nothing
 * that is inlined shares its place there. */
#if defined(__OPTIMIZE__) && !PBTI_ASAN
enum { PBTI_TALLY_DEPTH = 64 };
#else
enum { PBTI_TALLY_DEPTH = 4 };
#endif

/* The size of a field that the careful loop has to look at. */
PBTI_NOINLINE static uint64_t give_up(pbti_call *call) {
    call->gave_up = true;
    return 0;
}

static pbt_status size_carefully(pbti_call *call,
                                 const ProtobufCMessage *message,
                                 const pbti_table *table, uint64_t *result);
static uint64_t tally_tree(pbti_call *call, const ProtobufCMessage *message,
                           const pbti_table *table, unsigned depth);
static uint64_t tally_leaf(pbti_call *call, const ProtobufCMessage *message,
                           const pbti_table *table);

/* The elements of an array of strings or bytes. */
PBTI_OUTLINE uint64_t tally_blocks(pbti_call *call, const char *msg,
                                   const pbti_row *row) {
    uint64_t size = 0;
    size_t element;
    pbt_status status = row->op == PBTI_OP_STRING_REPEATED
                            ? size_strings(call, row, msg, &size, &element)
                            : size_binaries(call, row, msg, &size, &element);
    return PBTI_LIKELY(status == PBT_OK) ? size : give_up(call);
}

#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    PBTI_OUTLINE uint64_t tally_elements_##name(const char *array, size_t n) { \
        return pbti_elements_size(array, n, PBTI_ENCODING_##name);             \
    }
#include "table_kinds.def"

/* A message in a field. */
PBTI_INLINE uint64_t pbti_tally_sub(pbti_call *call, const pbti_row *field,
                                    const ProtobufCMessage *sub,
                                    unsigned depth) {
    const pbti_table *table = field->u.sub;
    uint64_t size;
    if (PBTI_UNLIKELY(!sub || sub->descriptor != table->type))
        return give_up(call);
    size = table->is_leaf && sub->n_unknown_fields == 0
               ? tally_leaf(call, sub, table)
               : tally_tree(call, sub, table, depth + 1);
    if (PBTI_UNLIKELY(size > call->max_size))
        return give_up(call);
    return pbti_message_size(field, size);
}

PBTI_INLINE uint64_t pbti_tally_subs(pbti_call *call, const char *msg,
                                     const pbti_row *field, unsigned depth) {
    const ProtobufCMessage *const *elements = pbti_pointer(msg, field);
    size_t n = pbti_count(msg, field);
    uint64_t size = 0;
    size_t i;
    if (PBTI_UNLIKELY(pbti_check_array(call->max_size, elements, n,
                                       field->tag_len + (size_t) 1) != PBT_OK))
        return give_up(call);
    for (i = 0; i < n; i++)
        size += pbti_tally_sub(call, field, elements[i], depth);
    return size;
}

/* The fields of a message, row by row; with `single` that of the one row. Rows
 * of leaves need no calls, so that no registers are saved for them. */
PBTI_INLINE uint64_t pbti_tally_rows(pbti_call *call, const char *msg,
                                     const pbti_row *row, bool leaf,
                                     bool single, unsigned depth) {
    const pbti_row *field;
    const pbti_oneof *oneof;
    const ProtobufCMessage *sub;
    const char *pointer;
    ProtobufCBinaryData bytes;
    uint64_t size = 0, elements;
    uint32_t number;
    size_t n;
    bool done = false;
    for (;;) {
        if (single && done)
            return size;
        done = true;
        while (!single && !pbti_may_be_present(msg, row))
            row++;
        field = row++;
    dispatch:
        PBTI_COUNT(size_ops[field->op]);
        switch ((pbti_op) field->op) {
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    case PBTI_OP_##name:                                                       \
        size += field->tag_len +                                               \
                pbti_scalar_size(PBTI_ENCODING_##name, msg + field->data);     \
        continue;                                                              \
    case PBTI_OP_##name##_REPEATED:                                            \
    case PBTI_OP_##name##_PACKED:                                              \
        pointer = pbti_pointer(msg, field);                                    \
        n = pbti_count(msg, field);                                            \
        if (PBTI_UNLIKELY(n >= PBTI_MAX_ELEMENTS || !pointer ||                \
                          (leaf && max != min)))                               \
            return give_up(call);                                              \
        elements = max == min ? (uint64_t) n * min                             \
                              : tally_elements_##name(pointer, n);             \
        size += field->op == PBTI_OP_##name##_PACKED                           \
                    ? pbti_block_size(field, elements)                         \
                    : (uint64_t) n * field->tag_len + elements;                \
        continue;
#include "table_kinds.def"
        case PBTI_OP_STRING_REPEATED:
        case PBTI_OP_BYTES_REPEATED:
            if (leaf)
                return give_up(call);
            size += tally_blocks(call, msg, field);
            continue;
        case PBTI_OP_STRING:
        case PBTI_OP_STRING_REQUIRED:
            pointer = pbti_pointer(msg, field);
            if (PBTI_LIKELY(pointer && pointer != field->u.default_value))
                size += pbti_block_size(field, pbti_tally_length(pointer));
            else if (field->op == PBTI_OP_STRING_REQUIRED)
                return give_up(call);
            continue;
        case PBTI_OP_STRING_IMPLICIT:
            n = pbti_tally_length(pbti_pointer(msg, field));
            if (n > 0)
                size += pbti_block_size(field, n);
            continue;
        case PBTI_OP_BYTES:
            memcpy(&bytes, msg + field->data, sizeof bytes);
            if (PBTI_UNLIKELY(!pbti_is_sound(call, &bytes)))
                return give_up(call);
            size += pbti_block_size(field, bytes.len);
            continue;
        case PBTI_OP_ONEOF:
            oneof = field->u.oneof;
            number = pbti_load32(msg + field->data);
            if (PBTI_LIKELY(number - oneof->first < oneof->n_indexed))
                field = &oneof->rows[number - oneof->first];
            else
                field = leaf ? NULL : pbti_oneof_search(oneof, number);
            if (field)
                goto dispatch;
            continue;
        case PBTI_OP_MESSAGE:
        case PBTI_OP_MESSAGE_DEFAULTED:
        case PBTI_OP_GROUP:
            if (leaf)
                return give_up(call);
            sub = pbti_pointer(msg, field);
            if (!pbti_is_unset(msg, field, sub))
                size += pbti_tally_sub(call, field, sub, depth);
            continue;
        case PBTI_OP_MESSAGE_REQUIRED:
        case PBTI_OP_GROUP_REQUIRED:
            if (leaf)
                return give_up(call);
            size +=
                pbti_tally_sub(call, field, pbti_pointer(msg, field), depth);
            continue;
        case PBTI_OP_MESSAGE_REPEATED:
        case PBTI_OP_MAP:
        case PBTI_OP_GROUP_REPEATED:
            if (leaf)
                return give_up(call);
            size += pbti_tally_subs(call, msg, field, depth);
            continue;
        case PBTI_OP_END:
            return size;
        case PBTI_OP_ABSENT:
        case PBTI_OP_ROOM:
        case PBTI_OP_BLOCK: /* the rows of its window follow */
        case PBTI_OP_OR_ZERO:
        case PBTI_OP_UNKNOWN:
        case PBTI_OP_RESUME:
        case PBTI_OP_RETURN:
        case PBTI_N_OPS:
        default:
            if (field->op == PBTI_OP_OR_ZERO)
                return give_up(call);
            continue;
        }
    }
}

PBTI_OUTLINE uint64_t tally_row(pbti_call *call, const char *msg,
                                const pbti_row *row, unsigned depth) {
    return pbti_tally_rows(call, msg, row, false, true, depth);
}

/* The fields of a part of a message. */
PBTI_INLINE uint64_t pbti_tally_part(pbti_call *call, const char *msg,
                                     const pbti_tally *part, unsigned depth) {
    uint64_t size, set;
    uint64_t present = pbti_tally_scalars(msg, part, &size) | part->always;
    PBTI_COUNT(size_parts);
    if (PBTI_UNLIKELY((present & part->needed) != part->needed))
        return give_up(call);
    for (set = present & part->strings; set;) {
        const pbti_row *row = pbti_tally_row(part, &set);
        const char *s = pbti_pointer(msg, row);
        if (PBTI_LIKELY(s != row->u.default_value))
            size += pbti_block_size(row, pbti_tally_length(s));
    }
    for (set = present & part->bytes; set;) {
        const pbti_row *row = pbti_tally_row(part, &set);
        ProtobufCBinaryData bytes;
        memcpy(&bytes, msg + row->data, sizeof bytes);
        if (PBTI_UNLIKELY(!pbti_is_sound(call, &bytes)))
            return give_up(call);
        size += pbti_block_size(row, bytes.len);
    }
    for (set = present & part->others; set;)
        size += tally_row(call, msg, pbti_tally_row(part, &set), depth);
    return size;
}

PBTI_OUTLINE uint64_t tally_parts(pbti_call *call, const char *msg,
                                  const pbti_tally *part, unsigned depth) {
    uint64_t size = 0;
    for (; part; part = part->next) {
        if (part->next)
            pbti_prefetch_part(msg, part->next);
        size += pbti_tally_part(call, msg, part, depth);
    }
    return size;
}

/* A message without unknown fields, of a type all whose rows need no calls. */
PBTI_RECURSIVE uint64_t tally_leaf(pbti_call *call,
                                   const ProtobufCMessage *message,
                                   const pbti_table *table) {
    return pbti_tally_rows(call, (const char *) message, table->rows + 1, true,
                           false, 0);
}

PBTI_OUTLINE uint64_t tally_unknown(pbti_call *call, const char *msg) {
    uint64_t size = 0;
    size_t element;
    pbt_status status = size_unknown(call, msg, &size, &element);
    return PBTI_LIKELY(status == PBT_OK) ? size : give_up(call);
}

/* A message that is too deep to recurse into. */
PBTI_NOINLINE static uint64_t tally_deep(pbti_call *call,
                                         const ProtobufCMessage *message,
                                         const pbti_table *table) {
    uint64_t size = 0;
    pbt_status status;
    call->max_depth -= PBTI_TALLY_DEPTH;
    status = size_carefully(call, message, table, &size);
    call->max_depth += PBTI_TALLY_DEPTH;
    return status == PBT_OK ? size : give_up(call);
}

PBTI_RECURSIVE uint64_t tally_tree(pbti_call *call,
                                   const ProtobufCMessage *message,
                                   const pbti_table *table, unsigned depth) {
    const char *msg = (const char *) message;
    uint64_t unknown = 0;
    if (PBTI_UNLIKELY(depth == PBTI_TALLY_DEPTH))
        return tally_deep(call, message, table);
    /* what gave up has to end: the same message may occur very often */
    if (PBTI_UNLIKELY(call->gave_up))
        return 0;
    if (PBTI_UNLIKELY(message->n_unknown_fields != 0))
        unknown = tally_unknown(call, msg);
    if (table->tally)
        return unknown + tally_parts(call, msg, table->tally, depth);
    return unknown +
           pbti_tally_rows(call, msg, table->rows + 1, false, false, depth);
}

/* Counts the bytes of a message; false when the careful loop has to. */
PBTI_INLINE bool pbti_tally_message(pbti_call *call,
                                    const ProtobufCMessage *message,
                                    const pbti_table *table, uint64_t *result) {
    const uint32_t special =
        PBT_VALIDATE_UTF8 | PBT_DETERMINISTIC | PBT_CONFORMANT;
    if ((call->flags & special) || call->follow_defaults ||
        call->max_depth < PBTI_TALLY_DEPTH + PBTI_INLINE_FRAMES)
        return false; /* tally_deep leaves as many levels as there are frames */
    call->gave_up = false;
    *result = tally_tree(call, message, table, 0);
    if (PBTI_LIKELY(!call->gave_up && *result <= call->max_size))
        return true;
    PBTI_COUNT(sizes_given_up);
    return false;
}

#endif
