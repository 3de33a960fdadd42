/* wire_count.h - what the count loop does for one field: adds its size to the
 * total, or says why marshal could not write it. An element that is to blame
 * is put into *element.
 */
#ifndef PBTI_WIRE_COUNT_H
#define PBTI_WIRE_COUNT_H

#include "base_utf8.h"
#include "wire_array.h"
#include "wire_scalar.h"
#include "wire_string.h"

PBTI_INLINE uint64_t pbti_block_size(const pbti_row *field, uint64_t len) {
    return field->tag_len + (uint64_t) pbti_varint_size(len) + len;
}

PBTI_INLINE uint64_t pbti_scalar_size(pbti_encoding encoding,
                                      const void *member) {
    if (encoding == PBTI_ENCODING_BOOL || !pbti_is_varint(encoding))
        return pbti_min_size(encoding);
    return pbti_varint_size(pbti_wire_value(encoding, member));
}

/* Of a number of 32 bits without a count of leading zeros: compilers turn this
 * into vector compares. */
PBTI_INLINE uint32_t pbti_varint_size32(uint32_t v) {
    return 1u + (v >= 1u << 7) + (v >= 1u << 14) + (v >= 1u << 21) +
           (v >= 1u << 28);
}

PBTI_INLINE uint64_t pbti_elements_size(const char *array, size_t n,
                                        pbti_encoding encoding) {
    enum { BLOCK = 1 << 16 }; /* elements whose sizes add up in 32 bits */
    size_t size = pbti_member_size(encoding);
    uint64_t sum = 0;
    size_t i = 0;
    if (encoding == PBTI_ENCODING_BOOL || !pbti_is_varint(encoding))
        return (uint64_t) n * pbti_min_size(encoding);
    if (encoding != PBTI_ENCODING_UNSIGNED32 &&
        encoding != PBTI_ENCODING_ZIGZAG32) {
        for (i = 0; i < n; i++)
            sum += pbti_scalar_size(encoding, array + i * size);
        return sum;
    }
    while (i < n) {
        size_t end = n - i > BLOCK ? i + BLOCK : n;
        uint32_t block = 0;
        for (; i < end; i++)
            block += pbti_varint_size32(
                (uint32_t) pbti_wire_value(encoding, array + i * size));
        sum += block;
    }
    return sum;
}

/* A repeated scalar field. */
PBTI_INLINE pbt_status pbti_count_array(const pbti_call *call,
                                        const pbti_row *field, const char *msg,
                                        pbti_encoding encoding, bool packed,
                                        uint64_t *total) {
    const char *array = pbti_pointer(msg, field);
    size_t n = pbti_count(msg, field);
    size_t min = pbti_min_size(encoding) + (packed ? 0 : field->tag_len);
    pbt_status status = pbti_check_array(call->max_size, array, n, min);
    if (status != PBT_OK)
        return status;
    if (packed)
        *total +=
            pbti_block_size(field, pbti_elements_size(array, n, encoding));
    else
        *total += (uint64_t) n * field->tag_len +
                  pbti_elements_size(array, n, encoding);
    return PBT_OK;
}

PBTI_INLINE pbt_status pbti_count_string(const pbti_call *call,
                                         const pbti_row *field, const char *s,
                                         uint64_t *total) {
    size_t len = pbti_string_length(s);
    if (PBTI_UNLIKELY(len > call->max_size))
        return PBT_ERR_TOO_LARGE;
    if (PBTI_UNLIKELY(call->flags & PBT_VALIDATE_UTF8) &&
        pbti_utf8_valid_prefix(s, len) != len)
        return PBT_ERR_UTF8;
    *total += pbti_block_size(field, len);
    return PBT_OK;
}

PBTI_INLINE pbt_status pbti_count_binary(const pbti_call *call,
                                         const pbti_row *field,
                                         const void *member, uint64_t *total) {
    ProtobufCBinaryData bytes;
    memcpy(&bytes, member, sizeof bytes);
    if (PBTI_UNLIKELY(bytes.len > call->max_size))
        return PBT_ERR_TOO_LARGE;
    if (PBTI_UNLIKELY(!bytes.data && bytes.len > 0))
        return PBT_ERR_BAD_MESSAGE;
    *total += pbti_block_size(field, bytes.len);
    return PBT_OK;
}

PBTI_INLINE pbt_status pbti_count_strings(const pbti_call *call,
                                          const pbti_row *field,
                                          const char *msg, uint64_t *total,
                                          size_t *element) {
    const char *const *strings = pbti_pointer(msg, field);
    size_t i = pbti_count(msg, field);
    pbt_status status = pbti_check_array(call->max_size, strings, i,
                                         field->tag_len + (size_t) 1);
    while (status == PBT_OK && i-- > 0) {
        status = strings[i] ? pbti_count_string(call, field, strings[i], total)
                            : PBT_ERR_BAD_MESSAGE;
        if (PBTI_UNLIKELY(status != PBT_OK))
            *element = i;
    }
    return status;
}

PBTI_INLINE pbt_status pbti_count_binaries(const pbti_call *call,
                                           const pbti_row *field,
                                           const char *msg, uint64_t *total,
                                           size_t *element) {
    const ProtobufCBinaryData *items = pbti_pointer(msg, field);
    size_t i = pbti_count(msg, field);
    pbt_status status =
        pbti_check_array(call->max_size, items, i, field->tag_len + (size_t) 1);
    while (status == PBT_OK && i-- > 0) {
        status = pbti_count_binary(call, field, &items[i], total);
        if (PBTI_UNLIKELY(status != PBT_OK))
            *element = i;
    }
    return status;
}

PBTI_INLINE pbt_status pbti_count_unknown(const pbti_call *call,
                                          const char *msg, uint64_t *total,
                                          size_t *element) {
    const ProtobufCMessage *message = (const void *) msg;
    const ProtobufCMessageUnknownField *fields = message->unknown_fields;
    size_t i = message->n_unknown_fields;
    if (call->flags & PBT_DISCARD_UNKNOWN)
        return PBT_OK;
    if (!fields)
        return PBT_ERR_BAD_MESSAGE;
    while (i-- > 0) {
        const ProtobufCMessageUnknownField *unknown = &fields[i];
        *element = i;
        if (unknown->len > call->max_size)
            return PBT_ERR_TOO_LARGE;
        if (!unknown->data && unknown->len > 0)
            return PBT_ERR_BAD_MESSAGE;
        *total += pbti_varint_size((uint64_t) unknown->tag << 3) +
                  (uint64_t) unknown->len;
    }
    *element = PBTI_NO_ELEMENT;
    return PBT_OK;
}

/* A required string or message that is NULL. */
PBTI_INLINE pbt_status pbti_count_missing(const pbti_call *call,
                                          const pbti_row *field,
                                          uint64_t *total) {
    if (!(call->flags & PBT_ALLOW_PARTIAL))
        return PBT_ERR_REQUIRED;
    *total += pbti_block_size(field, 0);
    return PBT_OK;
}

#endif
