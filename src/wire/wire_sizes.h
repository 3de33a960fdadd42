/* wire_sizes.h - what the size loop does for one field: tells its size, or why
 * marshal could not write it.
 *
 * Fields that take a loop of their own are out of line, so that the size loop
 * keeps its registers. *size means nothing on failure; an element that is to
 * blame goes into *element.
 */
#ifndef PBTI_WIRE_SIZES_H
#define PBTI_WIRE_SIZES_H

#include "base_utf8.h"
#include "wire_array.h"
#include "wire_avx2.h"
#include "wire_avx512.h"
#include "wire_block.h"
#include "wire_scalar.h"
#include "wire_string.h"

PBTI_INLINE uint64_t pbti_block_size(const pbti_row *field, uint64_t len) {
    return field->tag_len + (uint64_t) pbti_varint_size(len) + len;
}

/* A message in a field: a group has a second tag instead of its length. */
PBTI_INLINE uint64_t pbti_message_size(const pbti_row *field, uint64_t len) {
    if (PBTI_UNLIKELY(pbti_is_group(field)))
        return 2 * (uint64_t) field->tag_len + len;
    return pbti_block_size(field, len);
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

#if PBTI_AVX512
/* Numbers of 32 bits: the size of each lane from its leading zeros. */
PBTI_INLINE uint64_t pbti_words_size(const char *array, size_t n,
                                     pbti_encoding encoding) {
    enum { BLOCK = 1 << 16 }; /* elements whose sizes add up in 32 bits */
    /* sizes of 32 - i bits */
    const __m512i sizes = _mm512_castsi256_si512(
        _mm256_setr_epi8(5, 5, 5, 5, 4, 4, 4, 4, 4, 4, 4, 3, 3, 3, 3, 3, 3, 3,
                         2, 2, 2, 2, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1));
    const __mmask64 low_bytes = UINT64_C(0x1111111111111111);
    uint64_t sum = 0;
    size_t i = 0;
    while (i < n) {
        size_t end = n - i > BLOCK ? i + BLOCK : n;
        __m512i block = _mm512_setzero_si512();
        for (; i < end; i += PBTI_LANES32) {
            unsigned step =
                n - i < PBTI_LANES32 ? (unsigned) (n - i) : PBTI_LANES32;
            __mmask16 used = (__mmask16) _bzhi_u32(0xffff, step);
            __m512i v = pbti_load_lanes(array + 4 * i, step, encoding);
            __m512i zeros =
                _mm512_lzcnt_epi32(_mm512_or_si512(v, _mm512_set1_epi32(1)));
            __m512i size =
                _mm512_maskz_permutexvar_epi8(low_bytes, zeros, sizes);
            block = _mm512_mask_add_epi32(block, used, block, size);
            if (encoding == PBTI_ENCODING_SIGNED32)
                block = _mm512_mask_add_epi32(block, _mm512_movepi32_mask(v),
                                              block, _mm512_set1_epi32(5));
        }
        sum += (uint32_t) _mm512_reduce_add_epi32(block);
    }
    return sum;
}
#endif

PBTI_INLINE uint64_t pbti_elements_size(const char *array, size_t n,
                                        pbti_encoding encoding) {
    enum { BLOCK = 1 << 16 }; /* elements whose sizes add up in 32 bits */
    size_t size = pbti_member_size(encoding);
    uint64_t sum = 0;
    size_t i = 0;
    if (encoding == PBTI_ENCODING_BOOL || !pbti_is_varint(encoding))
        return (uint64_t) n * pbti_min_size(encoding);
#if PBTI_AVX512
    if (pbti_is_wide(encoding)) {
        for (; i < n; i += PBTI_LANES64)
            sum += pbti_step_size(array + i * size,
                                  n - i < PBTI_LANES64 ? (unsigned) (n - i)
                                                       : PBTI_LANES64,
                                  encoding);
        return sum;
    }
    return pbti_words_size(array, n, encoding);
#elif PBTI_AVX2
    return pbti_is_wide(encoding) ? pbti_wide_size(array, n, encoding)
                                  : pbti_words_size(array, n, encoding);
#endif
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
PBTI_INLINE pbt_status pbti_array_size(const pbti_call *call,
                                       const pbti_row *field, const char *msg,
                                       pbti_encoding encoding, bool packed,
                                       uint64_t *size) {
    const char *array = pbti_pointer(msg, field);
    size_t n = pbti_count(msg, field);
    size_t min = pbti_min_size(encoding) + (packed ? 0 : field->tag_len);
    pbt_status status = pbti_check_array(call->max_size, array, n, min);
    uint64_t elements;
    if (status != PBT_OK)
        return status;
    elements = pbti_elements_size(array, n, encoding);
    *size = packed ? pbti_block_size(field, elements)
                   : (uint64_t) n * field->tag_len + elements;
    return PBT_OK;
}

#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    PBTI_OUTLINE pbt_status size_repeated_##name(                              \
        const pbti_call *call, const pbti_row *field, const char *msg,         \
        uint64_t *size) {                                                      \
        return pbti_array_size(call, field, msg, PBTI_ENCODING_##name, false,  \
                               size);                                          \
    }                                                                          \
    PBTI_OUTLINE pbt_status size_packed_##name(                                \
        const pbti_call *call, const pbti_row *field, const char *msg,         \
        uint64_t *size) {                                                      \
        return pbti_array_size(call, field, msg, PBTI_ENCODING_##name, true,   \
                               size);                                          \
    }
#include "table_kinds.def"

/* Bytes that may be counted as they are. */
PBTI_INLINE bool pbti_is_sound(const pbti_call *call,
                               const ProtobufCBinaryData *bytes) {
    return bytes->len <= call->max_size && (bytes->data || bytes->len == 0);
}

PBTI_INLINE pbt_status pbti_string_size(const pbti_call *call,
                                        const pbti_row *field, const char *s,
                                        uint64_t *size) {
    size_t len = pbti_string_length(s);
    if (PBTI_UNLIKELY(len > call->max_size))
        return PBT_ERR_TOO_LARGE;
    if (PBTI_UNLIKELY(call->flags & PBT_VALIDATE_UTF8) &&
        pbti_utf8_valid_prefix(s, len) != len)
        return PBT_ERR_UTF8;
    *size = pbti_block_size(field, len);
    return PBT_OK;
}

PBTI_INLINE pbt_status pbti_binary_size(const pbti_call *call,
                                        const pbti_row *field,
                                        const void *member, uint64_t *size) {
    ProtobufCBinaryData bytes;
    memcpy(&bytes, member, sizeof bytes);
    if (PBTI_UNLIKELY(bytes.len > call->max_size))
        return PBT_ERR_TOO_LARGE;
    if (PBTI_UNLIKELY(!bytes.data && bytes.len > 0))
        return PBT_ERR_BAD_MESSAGE;
    *size = pbti_block_size(field, bytes.len);
    return PBT_OK;
}

PBTI_OUTLINE pbt_status size_strings(const pbti_call *call,
                                     const pbti_row *field, const char *msg,
                                     uint64_t *size, size_t *element) {
    const char *const *strings = pbti_pointer(msg, field);
    size_t i = pbti_count(msg, field);
    uint64_t total = 0, one = 0;
    pbt_status status = pbti_check_array(call->max_size, strings, i,
                                         field->tag_len + (size_t) 1);
    while (status == PBT_OK && i-- > 0) {
        status = strings[i] ? pbti_string_size(call, field, strings[i], &one)
                            : PBT_ERR_BAD_MESSAGE;
        total += one;
        if (PBTI_UNLIKELY(status != PBT_OK))
            *element = i;
    }
    *size = total;
    return status;
}

PBTI_OUTLINE pbt_status size_binaries(const pbti_call *call,
                                      const pbti_row *field, const char *msg,
                                      uint64_t *size, size_t *element) {
    const ProtobufCBinaryData *items = pbti_pointer(msg, field);
    size_t i = pbti_count(msg, field);
    uint64_t total = 0, one = 0;
    pbt_status status =
        pbti_check_array(call->max_size, items, i, field->tag_len + (size_t) 1);
    while (status == PBT_OK && i-- > 0) {
        status = pbti_binary_size(call, field, &items[i], &one);
        total += one;
        if (PBTI_UNLIKELY(status != PBT_OK))
            *element = i;
    }
    *size = total;
    return status;
}

/* The rows of a window up to one that only the size loop can run, which goes
 * to *stop together with one that fails; NULL at the end of the window. */
PBTI_OUTLINE pbt_status size_block_rows(pbti_call *call, const char *msg,
                                        uint64_t *size, const pbti_row **stop) {
    pbti_block *block = &call->block;
    uint64_t total = 0, one = 0;
    pbt_status status = PBT_OK;
    *stop = NULL;
    while (block->bits && status == PBT_OK && !*stop) {
        bool is_scalar = pbti_next_is_scalar(block);
        const pbti_row *row = pbti_take_row(block->row, &block->bits);
        if (PBTI_UNLIKELY(!pbti_may_be_present(msg, row)))
            continue;
        if (PBTI_LIKELY(is_scalar)) {
            total += pbti_shape_size(msg, row) + (uint64_t) row->tag_len;
        } else if (row->op == PBTI_OP_STRING) {
            const char *s = pbti_pointer(msg, row);
            if (s == row->u.default_value)
                continue;
            status = pbti_string_size(call, row, s, &one);
            total += one;
        } else if (row->op == PBTI_OP_BYTES) {
            status = pbti_binary_size(call, row, msg + row->data, &one);
            total += one;
        } else {
            *stop = row;
        }
        if (PBTI_UNLIKELY(status != PBT_OK))
            *stop = row;
    }
    *size = total;
    return status;
}

PBTI_OUTLINE pbt_status size_unknown(const pbti_call *call, const char *msg,
                                     uint64_t *size, size_t *element) {
    const ProtobufCMessage *message = (const void *) msg;
    const ProtobufCMessageUnknownField *fields = message->unknown_fields;
    size_t i = message->n_unknown_fields;
    uint64_t total = 0;
    *size = 0;
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
        total += pbti_varint_size((uint64_t) unknown->tag << 3) +
                 (uint64_t) unknown->len;
    }
    *element = PBTI_NO_ELEMENT;
    *size = total;
    return PBT_OK;
}

/* A required string or message that is NULL. */
PBTI_INLINE pbt_status pbti_missing_size(const pbti_call *call,
                                         const pbti_row *field,
                                         uint64_t *size) {
    if (!(call->flags & PBT_ALLOW_PARTIAL))
        return PBT_ERR_REQUIRED;
    *size = pbti_message_size(field, 0);
    return PBT_OK;
}

#endif
