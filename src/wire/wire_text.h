/* wire_text.h - strings and bytes fields in the marshal loop, and how a field
 * fails. The contracts are those of wire_fields.h. */
#ifndef PBTI_WIRE_TEXT_H
#define PBTI_WIRE_TEXT_H

#include "base_utf8.h"
#include "wire_array.h"
#include "wire_scalar.h"
#include "wire_string.h"

/* Why and at which element a field failed. */
typedef struct pbti_fault {
    pbt_status status; /* PBT_OK: the writer knows */
    size_t element;
} pbti_fault;

PBTI_INLINE uint8_t *pbti_fault_at(pbti_fault *fault, pbt_status status,
                                   size_t element) {
    fault->status = status;
    fault->element = element;
    return NULL;
}

/* The zero of a field's type: a number, an empty string, an empty message. */
PBTI_INLINE uint8_t *pbti_put_zero(uint8_t *p, const pbti_row *field) {
    unsigned n = pbti_zero_size(field);
    p -= n;
    memset(p, 0, n);
    return pbti_put_tag(p, field);
}

/* An empty string, bytes field or message. It makes room first: any number of
 * them may follow each other, and no ROOM row counts them. */
PBTI_INLINE uint8_t *pbti_put_empty(pbti_writer *writer, uint8_t *p,
                                    const pbti_row *field) {
    p = pbti_writer_room(writer, p);
    return PBTI_LIKELY(p != NULL) ? pbti_put_zero(p, field) : NULL;
}

/* A length-delimited field that does not fit, or is worth a reference. */
PBTI_OUTLINE uint8_t *put_large_block(pbti_writer *writer, uint8_t *p,
                                      const pbti_row *field, const void *data,
                                      size_t len) {
    p = pbti_writer_put_bytes(writer, p, data, len);
    if (!p)
        return NULL;
    p = pbti_put_any_varint(p, len);
    return pbti_put_tag(p, field);
}

/* Bytes, their length, and the tag. `last` as for pbti_copy_below. */
PBTI_INLINE uint8_t *pbti_put_block(pbti_writer *writer, uint8_t *p,
                                    const pbti_row *field, const char *data,
                                    size_t len, const char *last) {
    intptr_t room = (intptr_t) ((uintptr_t) p - writer->floor);
    if (PBTI_UNLIKELY(room < (intptr_t) len || len >= PBTI_REFERENCE_SIZE))
        return put_large_block(writer, p, field, data, len);
    p = pbti_copy_below(p, data, len, last);
    p = pbti_put_varint(p, len);
    return pbti_put_tag(p, field);
}

/* A string of any length. */
PBTI_INLINE uint8_t *pbti_put_any_string(pbti_call *call, uint8_t *p,
                                         const pbti_row *field, const char *s,
                                         size_t element, pbti_fault *fault) {
    size_t len = pbti_string_length(s);
    if (PBTI_UNLIKELY(call->flags & PBT_VALIDATE_UTF8) &&
        pbti_utf8_valid_prefix(s, len) != len)
        return pbti_fault_at(fault, PBT_ERR_UTF8, element);
    return pbti_put_block(&call->writer, p, field, s, len, s + len);
}

#if PBTI_STRING_STEPS
/* A string of 32 bytes and more, one at an edge of its page, one that is looked
 * at, or any where room is short. */
PBTI_OUTLINE uint8_t *put_long_string(pbti_call *call, uint8_t *p,
                                      const pbti_row *field, const char *s,
                                      size_t element, pbti_fault *fault) {
#if !PBTI_AVX512
    if (PBTI_LIKELY(pbti_in_one_page((uintptr_t) s, 2 * PBTI_TEXT_STEP) &&
                    (uintptr_t) p >= call->writer.text_floor &&
                    (uintptr_t) p - call->writer.text_floor >=
                        PBTI_TEXT_STEP)) {
        uint8_t *below = pbti_put_two_steps(p, s);
        if (PBTI_LIKELY(below != NULL))
            return pbti_put_tag(below, field);
    }
#endif
    return pbti_put_any_string(call, p, field, s, element, fault);
}

/* Most strings end within one step from their first byte on. */
PBTI_INLINE uint8_t *pbti_put_string(pbti_call *call, uint8_t *p,
                                     const pbti_row *field, pbti_head head,
                                     const char *s, size_t element,
                                     pbti_fault *fault) {
    __m256i step;
    pbti_mask zeros;
    unsigned len;
    if (PBTI_UNLIKELY(!pbti_may_load_string(s)))
        return put_long_string(call, p, field, s, element, fault);
    step = pbti_load_step(s);
    zeros = pbti_zero_bytes(step);
    if (PBTI_UNLIKELY(zeros == 0 || (uintptr_t) p < call->writer.text_floor))
        return put_long_string(call, p, field, s, element, fault);
    len = (unsigned) __builtin_ctz(zeros);
    pbti_store_string(p, s, len, step);
    p -= len;
    *--p = (uint8_t) len;
    return pbti_put_head(p, head);
}
#else
PBTI_INLINE uint8_t *pbti_put_string(pbti_call *call, uint8_t *p,
                                     const pbti_row *field, pbti_head head,
                                     const char *s, size_t element,
                                     pbti_fault *fault) {
    (void) head;
    return pbti_put_any_string(call, p, field, s, element, fault);
}
#endif

/* Bytes that are none, many, or not there. */
PBTI_OUTLINE uint8_t *put_rare_binary(pbti_call *call, uint8_t *p,
                                      const pbti_row *field, const void *member,
                                      size_t element, pbti_fault *fault) {
    ProtobufCBinaryData bytes;
    memcpy(&bytes, member, sizeof bytes);
    if (bytes.len == 0)
        return pbti_put_empty(&call->writer, p, field);
    if (bytes.len > call->max_size)
        return pbti_fault_at(fault, PBT_ERR_TOO_LARGE, element);
    if (!bytes.data)
        return pbti_fault_at(fault, PBT_ERR_BAD_MESSAGE, element);
    return put_large_block(&call->writer, p, field, bytes.data, bytes.len);
}

/* Bytes of any number. */
PBTI_INLINE uint8_t *pbti_put_any_binary(pbti_call *call, uint8_t *p,
                                         const pbti_row *field,
                                         const void *member, size_t element,
                                         pbti_fault *fault) {
    ProtobufCBinaryData bytes;
    const char *data;
    memcpy(&bytes, member, sizeof bytes);
    data = (const char *) bytes.data;
    if (PBTI_UNLIKELY(bytes.len - 1 >= PBTI_REFERENCE_SIZE - 1 || !data))
        return put_rare_binary(call, p, field, member, element, fault);
    return pbti_put_block(&call->writer, p, field, data, bytes.len,
                          data + bytes.len - 1);
}

#if PBTI_STRING_STEPS && !PBTI_AVX512
PBTI_OUTLINE uint8_t *put_long_binary(pbti_call *call, uint8_t *p,
                                      const pbti_row *field, const void *member,
                                      size_t element, pbti_fault *fault) {
    return pbti_put_any_binary(call, p, field, member, element, fault);
}

/* Most bytes fit in the step that ends with them. */
PBTI_INLINE uint8_t *pbti_put_binary(pbti_call *call, uint8_t *p,
                                     const pbti_row *field, pbti_head head,
                                     const void *member, size_t element,
                                     pbti_fault *fault) {
    ProtobufCBinaryData bytes;
    uintptr_t step;
    memcpy(&bytes, member, sizeof bytes);
    step = (uintptr_t) bytes.data + bytes.len - PBTI_TEXT_STEP;
    if (PBTI_UNLIKELY(bytes.len - 1 >= PBTI_TEXT_STEP || !bytes.data ||
                      !pbti_in_one_page(step, PBTI_TEXT_STEP) ||
                      (uintptr_t) p < call->writer.text_floor))
        return put_long_binary(call, p, field, member, element, fault);
    pbti_store_last_step(p, (const char *) bytes.data, bytes.len);
    p -= bytes.len;
    *--p = (uint8_t) bytes.len;
    return pbti_put_head(p, head);
}
#else
PBTI_INLINE uint8_t *pbti_put_binary(pbti_call *call, uint8_t *p,
                                     const pbti_row *field, pbti_head head,
                                     const void *member, size_t element,
                                     pbti_fault *fault) {
    (void) head;
    return pbti_put_any_binary(call, p, field, member, element, fault);
}
#endif

PBTI_OUTLINE uint8_t *put_strings(pbti_call *call, uint8_t *p,
                                  const pbti_row *field, const char *msg,
                                  pbti_fault *fault) {
    const char *const *strings = pbti_pointer(msg, field);
    size_t i = pbti_count(msg, field);
    pbt_status status = pbti_check_array(call->max_size, strings, i,
                                         field->tag_len + (size_t) 1);
    if (status != PBT_OK)
        return pbti_fault_at(fault, status, PBTI_NO_ELEMENT);
    while (i-- > 0) {
        if (!strings[i])
            return pbti_fault_at(fault, PBT_ERR_BAD_MESSAGE, i);
        p = pbti_put_string(call, p, field, pbti_row_head(field), strings[i], i,
                            fault);
        if (!p)
            return NULL;
    }
    return p;
}

PBTI_OUTLINE uint8_t *put_binaries(pbti_call *call, uint8_t *p,
                                   const pbti_row *field, const char *msg,
                                   pbti_fault *fault) {
    const ProtobufCBinaryData *items = pbti_pointer(msg, field);
    size_t i = pbti_count(msg, field);
    pbt_status status =
        pbti_check_array(call->max_size, items, i, field->tag_len + (size_t) 1);
    if (status != PBT_OK)
        return pbti_fault_at(fault, status, PBTI_NO_ELEMENT);
    while (i-- > 0) {
        p = pbti_put_binary(call, p, field, pbti_row_head(field), &items[i], i,
                            fault);
        if (!p)
            return NULL;
    }
    return p;
}

#endif
