/* wire_fields.h - what the marshal loop does for one field: each function
 * writes a whole field below the cursor and returns the new cursor, or NULL
 * with the fault filled in.
 *
 * Room contract: on entry PBTI_FIELD_SLACK bytes and the spill are free below
 * p; on return p >= floor - PBTI_FIELD_SLACK (see wire_writer.h), except for
 * singular scalars, which are accounted for in the table.
 */
#ifndef PBTI_WIRE_FIELDS_H
#define PBTI_WIRE_FIELDS_H

#include "wire_array.h"
#include "wire_avx2.h"
#include "wire_avx512.h"
#include "wire_block.h"
#include "wire_packed.h"
#include "wire_text.h"
#include "wire_trace.h"

/* A repeated scalar that is not packed: value and tag for each element. */
PBTI_INLINE uint8_t *put_repeated(pbti_call *call, uint8_t *p,
                                  const pbti_row *field, const char *msg,
                                  pbti_fault *fault, pbti_encoding encoding) {
    const char *array = pbti_pointer(msg, field);
    size_t i = pbti_count(msg, field);
    pbt_status status = pbti_check_array(
        call->max_size, array, i, field->tag_len + pbti_min_size(encoding));
    if (status != PBT_OK)
        return pbti_fault_at(fault, status, PBTI_NO_ELEMENT);
    while (i-- > 0) {
        p = pbti_put_scalar(p, encoding, array + i * pbti_member_size(encoding),
                            false);
        p = pbti_put_tag(p, field);
        p = pbti_writer_room(&call->writer, p);
        if (!p)
            return NULL;
    }
    return p;
}

#if PBTI_AVX2
/* The elements of a packed array. A step takes at most 160 of the bytes that
 * the room contract leaves below floor. */
PBTI_INLINE uint8_t *put_elements(pbti_writer *writer, uint8_t *p,
                                  const char *array, size_t n,
                                  pbti_encoding encoding) {
    const unsigned lanes = pbti_step_lanes(encoding);
    size_t size = pbti_member_size(encoding);
    while (n > 0 && (p = pbti_writer_room(writer, p))) {
        unsigned step = n < lanes ? (unsigned) n : lanes;
        const char *elements = array + (n - step) * size;
        uint8_t *below = pbti_put_step(p, elements, step, encoding);
        n -= step;
        if (PBTI_LIKELY(below != NULL)) {
            PBTI_COUNT(vector_steps);
            p = below;
            continue;
        }
        while (step-- > 0)
            p = pbti_put_scalar(p, encoding, elements + step * size, true);
    }
    return p ? pbti_writer_room(writer, p) : NULL;
}
#else
/* The elements of a packed array, eight at a time where there is a kernel. A
 * step of eight takes at most 80 of the bytes that the room contract leaves
 * below floor. */
PBTI_INLINE uint8_t *put_elements(pbti_writer *writer, uint8_t *p,
                                  const char *array, size_t n,
                                  pbti_encoding encoding) {
    size_t size = pbti_member_size(encoding);
    p = pbti_writer_room(writer, p);
    if (!p)
        return NULL;
    while (n >= PBTI_VECTOR_STEP) {
        const char *step = array + (n - PBTI_VECTOR_STEP) * size;
        uint8_t *below = pbti_put_eight(p, encoding, step);
        n -= PBTI_VECTOR_STEP;
        if (below) {
            PBTI_COUNT(vector_steps);
            p = below;
        } else {
            size_t i = PBTI_VECTOR_STEP;
            while (i-- > 0)
                p = pbti_put_scalar(p, encoding, step + i * size, true);
        }
        p = pbti_writer_room(writer, p);
        if (!p)
            return NULL;
    }
    if (n > 0) {
        uint8_t *below = pbti_put_first(p, encoding, array, n);
        if (below)
            p = below;
        else
            while (n-- > 0)
                p = pbti_put_scalar(p, encoding, array + n * size, true);
    }
    return pbti_writer_room(writer, p);
}
#endif

/* A length of one byte or two, without a branch on which of them. */
PBTI_INLINE uint8_t *pbti_put_length(uint8_t *p, size_t len) {
    unsigned two_bytes = len >= 0x80;
    if (PBTI_UNLIKELY(len >= 0x4000))
        return pbti_put_any_varint(p, len);
    p[-2] = (uint8_t) (len | 0x80);
    p[-1] = (uint8_t) (len >> 7 * two_bytes);
    return p - 1 - two_bytes;
}

/* A packed array of numbers of any size. */
PBTI_INLINE uint8_t *put_any_packed(pbti_call *call, uint8_t *p,
                                    const pbti_row *field, const char *msg,
                                    pbti_encoding encoding) {
    uint64_t before = pbti_writer_total(&call->writer, p);
    p = put_elements(&call->writer, p, pbti_pointer(msg, field),
                     pbti_count(msg, field), encoding);
    if (!p)
        return NULL;
    p = pbti_put_varint(p, pbti_writer_total(&call->writer, p) - before);
    return pbti_put_tag(p, field);
}

typedef uint8_t *put_packed_function(pbti_call *call, uint8_t *p,
                                     const pbti_row *field, const char *msg);

/* A packed array: elements, their length, and the tag. Fixed-width elements
 * are copied as they are where memory has the wire's byte order. Small numbers
 * are tried first where there is a kernel for them, and the registers that the
 * others need are left to put_any. */
PBTI_INLINE uint8_t *put_packed(pbti_call *call, uint8_t *p,
                                const pbti_row *field, const char *msg,
                                pbti_fault *fault, pbti_encoding encoding,
                                put_packed_function *put_any) {
    const char *array = pbti_pointer(msg, field);
    size_t n = pbti_count(msg, field);
    pbt_status status =
        pbti_check_array(call->max_size, array, n, pbti_min_size(encoding));
    if (status != PBT_OK)
        return pbti_fault_at(fault, status, PBTI_NO_ELEMENT);
    if (PBTI_WORD_STORES && !pbti_is_varint(encoding)) {
        size_t len = n * pbti_member_size(encoding);
        return pbti_put_block(&call->writer, p, field, array, len,
                              array + len - 1);
    }
    if (pbti_may_be_small(encoding)) {
        intptr_t room = (intptr_t) ((uintptr_t) p - call->writer.floor);
        uint8_t *below = NULL;
        if (PBTI_LIKELY(room >= (intptr_t) (2 * n)))
            below = pbti_put_small_array(p, array, n, encoding);
        if (PBTI_UNLIKELY(!below))
            return put_any(call, p, field, msg);
        below = pbti_put_length(below, (size_t) (p - below));
        return pbti_put_tag(below, field);
    }
    return put_any_packed(call, p, field, msg, encoding);
}

/* One function of each kind for each encoding, out of line: inside the marshal
 * loop their loops would take the registers of the row and the message. */
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    PBTI_OUTLINE uint8_t *put_repeated_##name(                                 \
        pbti_call *call, uint8_t *p, const pbti_row *field, const char *msg,   \
        pbti_fault *fault) {                                                   \
        return put_repeated(call, p, field, msg, fault, PBTI_ENCODING_##name); \
    }                                                                          \
    PBTI_OUTLINE uint8_t *put_any_packed_##name(                               \
        pbti_call *call, uint8_t *p, const pbti_row *field, const char *msg) { \
        return put_any_packed(call, p, field, msg, PBTI_ENCODING_##name);      \
    }                                                                          \
    PBTI_OUTLINE uint8_t *put_packed_##name(                                   \
        pbti_call *call, uint8_t *p, const pbti_row *field, const char *msg,   \
        pbti_fault *fault) {                                                   \
        return put_packed(call, p, field, msg, fault, PBTI_ENCODING_##name,    \
                          put_any_packed_##name);                              \
    }
#include "table_kinds.def"

/* Where a run through a window stopped: the cursor, and the row that the
 * marshal loop has to run next, or that failed when the cursor is NULL; no row
 * at the end of the window. */
typedef struct pbti_stop {
    uint8_t *p;
    const pbti_row *row;
} pbti_stop;

/* Runs the rows of a window up to one that only the marshal loop can run. A
 * word may also be non-zero because of a value without its has-flag. The words
 * that are left live in a register meanwhile: in memory, each field would wait
 * for the bytes of the one before it, which may lie anywhere. */
PBTI_OUTLINE pbti_stop put_block_rows(pbti_call *call, uint8_t *p,
                                      const char *msg, pbti_fault *fault) {
    pbti_block block = call->block;
    const pbti_row *row = NULL;
    p = pbti_writer_room(&call->writer, p);
    while (block.bits && PBTI_LIKELY(p != NULL)) {
        bool is_scalar = pbti_next_is_scalar(&block);
        pbti_head head;
        row = pbti_take_row(block.row, &block.bits);
        if (PBTI_UNLIKELY(!pbti_may_be_present(msg, row)))
            continue;
        head = pbti_row_head(row);
        if (PBTI_LIKELY(is_scalar)) {
            p = pbti_put_shape(p, msg, row);
            p = pbti_put_head(p, head);
        } else if (pbti_head_op(head) == PBTI_OP_STRING) {
            const char *s = pbti_pointer(msg, row);
            if (s != row->u.default_value)
                p = pbti_put_string(call, p, row, head, s, PBTI_NO_ELEMENT,
                                    fault);
        } else if (pbti_head_op(head) == PBTI_OP_BYTES) {
            p = pbti_put_binary(call, p, row, head, msg + row->data,
                                PBTI_NO_ELEMENT, fault);
        } else {
            call->block.bits = block.bits;
            return (pbti_stop){p, row};
        }
        if (PBTI_LIKELY(p != NULL))
            p = pbti_writer_room(&call->writer, p);
    }
    call->block.bits = block.bits;
    return (pbti_stop){p, p ? NULL : row};
}

/* The unknown fields of a message, which come last on the wire. */
PBTI_OUTLINE uint8_t *put_unknown(pbti_call *call, uint8_t *p, const char *msg,
                                  pbti_fault *fault) {
    const ProtobufCMessage *message = (const void *) msg;
    const ProtobufCMessageUnknownField *fields = message->unknown_fields;
    size_t i = message->n_unknown_fields;
    if (call->flags & PBT_DISCARD_UNKNOWN)
        return p;
    if (!fields)
        return pbti_fault_at(fault, PBT_ERR_BAD_MESSAGE, PBTI_NO_ELEMENT);
    while (i-- > 0) {
        const ProtobufCMessageUnknownField *unknown = &fields[i];
        if (unknown->len > 0 && !unknown->data)
            return pbti_fault_at(fault, PBT_ERR_BAD_MESSAGE, i);
        p = pbti_writer_put_bytes(&call->writer, p, unknown->data,
                                  unknown->len);
        if (!p)
            return NULL;
        p = pbti_put_varint(p, (uint64_t) unknown->tag << 3);
        /* compat: protobuf-c takes the wire type as it is */
        *p |= (uint8_t) unknown->wire_type;
        p = pbti_writer_room(&call->writer, p);
        if (!p)
            return NULL;
    }
    return p;
}

/* The end of a group, which is written before its content: the tag in the row
 * with wire type 4 for 3. It takes up to PBTI_MAX_TAG bytes of the slack that
 * the room contract leaves below floor for it. */
PBTI_OUTLINE uint8_t *put_group_end(pbti_writer *writer, uint8_t *p,
                                    const pbti_row *field) {
    p = pbti_writer_room(writer, p);
    if (!p)
        return NULL;
    p = pbti_put_tag(p, field);
    *p ^= 3 ^ 4;
    return p;
}

/* A group that is not there: nothing, but for a required one. */
PBTI_OUTLINE uint8_t *put_no_group(pbti_call *call, uint8_t *p,
                                   const pbti_row *field, pbti_fault *fault) {
    if (!pbti_is_required(field))
        return p;
    if (!(call->flags & PBT_ALLOW_PARTIAL))
        return pbti_fault_at(fault, PBT_ERR_REQUIRED, PBTI_NO_ELEMENT);
    p = put_group_end(&call->writer, p, field);
    return p ? pbti_put_tag(p, field) : NULL;
}

/* The frame of a message that waits for the values of a group field. */
PBTI_OUTLINE pbti_frame *wait_for_groups(pbti_call *call, pbti_frame *top,
                                         const char *msg, const pbti_row *row,
                                         const pbti_row *field,
                                         pbti_fault *fault) {
    const ProtobufCMessage *const *elements =
        (const void *) (msg + field->data);
    pbti_frame *frame;
    size_t n = 1;
    if (pbti_is_message_array(field))
        fault->status = pbti_take_elements(call, msg, field, &elements, &n,
                                           &fault->element);
    if (fault->status != PBT_OK)
        return NULL;
    frame = pbti_wait(call, top, msg, row, field, &fault->status);
    if (!frame)
        return NULL;
    frame->elements = elements + n;
    frame->left = n;
    return frame;
}

PBTI_OUTLINE uint8_t *put_group_start(pbti_writer *writer, uint8_t *p,
                                      const pbti_row *field) {
    return pbti_writer_room(writer, pbti_put_tag(p, field));
}

/* Goes to the next group of a frame, from the last on: returns its table, or
 * NULL. The base that it gets is out of reach, so that its end is not taken
 * for that of a short message: messages pay nothing for groups that way. */
PBTI_OUTLINE const pbti_table *next_group(const pbti_call *call,
                                          pbti_frame *frame,
                                          const pbti_row *field,
                                          pbti_fault *fault) {
    const ProtobufCMessage *sub;
    const pbti_table *table;
    frame->left--;
    frame->elements--;
    frame->base = UINT64_C(1) << 63;
    sub = pbti_load_pointer(frame->elements);
    table = pbti_sub_table(call, field, sub, &fault->status);
    if (!table && pbti_is_message_array(field))
        fault->element = frame->left;
    return table;
}

/* A required string or message that is NULL. */
PBTI_INLINE uint8_t *pbti_put_missing(pbti_call *call, uint8_t *p,
                                      const pbti_row *field,
                                      pbti_fault *fault) {
    if (!(call->flags & PBT_ALLOW_PARTIAL))
        return pbti_fault_at(fault, PBT_ERR_REQUIRED, PBTI_NO_ELEMENT);
    return pbti_put_empty(&call->writer, p, field);
}

#endif
