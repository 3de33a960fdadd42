/* json_fields.h - what the JSON loop does for one value: each function writes a
 * whole value behind its key and returns the new cursor, or NULL with the
 * reason in the call. The room contract is in json_call.h. */
#ifndef PBTI_JSON_FIELDS_H
#define PBTI_JSON_FIELDS_H

#include "json_base64.h"
#include "json_integers.h"
#include "json_map.h"
#include "json_number.h"
#include "json_trace.h"

enum {
    /* Keys and names are copied in steps of this size. */
    PBTI_JSON_STEP = PBTI_JSON_PAD / 2,
    /* Strings are escaped in pieces of this size, so that a long one does not
     * reserve six times its length. */
    PBTI_JSON_PIECE = 1024
};

/* Copies text with PBTI_JSON_PAD bytes behind it; as many are written at most
 * behind the copy. */
PBTI_INLINE char *pbti_json_copy(char *p, const char *text, size_t len) {
    memcpy(p, text, PBTI_JSON_STEP);
    if (PBTI_UNLIKELY(len > PBTI_JSON_STEP)) {
        memcpy(p + PBTI_JSON_STEP, text + PBTI_JSON_STEP, PBTI_JSON_STEP);
        if (PBTI_UNLIKELY(len > 2 * PBTI_JSON_STEP))
            memcpy(p + 2 * PBTI_JSON_STEP, text + 2 * PBTI_JSON_STEP,
                   len - 2 * PBTI_JSON_STEP);
    }
    return p + len;
}

/* Makes the room of the contract, and that for the key of a row. */
PBTI_INLINE char *pbti_json_key_room(pbti_json_call *call, char *p,
                                     const pbti_json_row *row) {
    size_t need = row->key_len + PBTI_JSON_ROOM;
    if (PBTI_UNLIKELY(call->pretty))
        need += pbti_json_indent(call) + PBTI_JSON_STEP;
    return pbti_json_reserve(call, p, need);
}

/* Writes the key of a row; the room is there. */
PBTI_INLINE char *pbti_json_put_key(pbti_json_call *call, char *p,
                                    const pbti_json_row *row) {
    if (PBTI_UNLIKELY(call->pretty))
        return pbti_json_pretty_key(call, p, row);
    return pbti_json_copy(p, row->key, row->key_len);
}

/* True when the field of a row may be present in the message. */
PBTI_INLINE bool pbti_json_may_be_present(const char *msg,
                                          const pbti_json_row *row) {
    return pbti_has_bits(msg, row->presence, row->mask);
}

PBTI_INLINE size_t pbti_json_count(const char *msg, const pbti_json_row *row) {
    return pbti_count_at(msg, row->presence, row->mask);
}

/* The array of a repeated field that is not empty; NULL on failure. An element
 * takes two bytes at least, with its comma. */
PBTI_INLINE const void *pbti_json_array(pbti_json_call *call, const char *msg,
                                        const pbti_json_row *row, size_t *n) {
    const void *array = pbti_load_pointer(msg + row->data);
    *n = pbti_json_count(msg, row);
    if (PBTI_UNLIKELY(*n >= PBTI_MAX_ELEMENTS || *n > call->max_size / 2))
        return pbti_json_fail(call, PBT_ERR_TOO_LARGE, PBTI_JSON_NO_ELEMENT,
                              NULL);
    if (PBTI_UNLIKELY(!array))
        return pbti_json_fail(call, PBT_ERR_BAD_MESSAGE, PBTI_JSON_NO_ELEMENT,
                              "the array is NULL but not empty");
    return array;
}

/* The place of the next element. */
PBTI_INLINE char *pbti_json_next(pbti_json_call *call, char *p) {
    if (PBTI_UNLIKELY(call->pretty))
        return pbti_json_new_line(call, p);
    return pbti_json_reserve(call, p, PBTI_JSON_ROOM);
}

PBTI_INLINE char *pbti_json_open(pbti_json_call *call, char *p, char bracket) {
    *p = bracket;
    if (PBTI_UNLIKELY(call->pretty))
        call->level++;
    return p + 1;
}

/* Puts the closing bracket in place of the last comma. */
PBTI_INLINE char *pbti_json_close(pbti_json_call *call, char *p, char bracket) {
    if (PBTI_UNLIKELY(call->pretty)) {
        call->level--;
        p = pbti_json_new_line(call, p - 1);
        if (!p)
            return NULL;
        p++;
    }
    p[-1] = bracket;
    return p;
}

PBTI_OUTLINE char *put_long_string(pbti_json_call *call, char *p, const char *s,
                                   size_t n, size_t element) {
    while (n > 0) {
        size_t piece = n;
        size_t used = 0;
        if (piece > PBTI_JSON_PIECE)
            piece = pbti_json_whole(s, PBTI_JSON_PIECE);
        p = pbti_json_reserve(call, p, 6 * piece + 64 + PBTI_JSON_ROOM);
        if (!p)
            return NULL;
        p = pbti_json_escape(p, s, piece, &call->escaping, &used);
        if (PBTI_UNLIKELY(used != piece))
            return pbti_json_fail(call, PBT_ERR_UTF8, element, NULL);
        s += piece;
        n -= piece;
    }
    *p++ = '"';
    return p;
}

/* The rest of a string whose opening quote is there. */
PBTI_INLINE char *pbti_json_put_text(pbti_json_call *call, char *p,
                                     const char *s, size_t n, size_t element) {
    size_t used = 0;
    if (PBTI_UNLIKELY(n > PBTI_JSON_PIECE))
        return put_long_string(call, p, s, n, element);
    p = pbti_json_reserve(call, p, 6 * n + 64 + PBTI_JSON_ROOM);
    if (PBTI_UNLIKELY(!p))
        return NULL;
    p = pbti_json_escape(p, s, n, &call->escaping, &used);
    if (PBTI_UNLIKELY(used != n))
        return pbti_json_fail(call, PBT_ERR_UTF8, element, NULL);
    *p++ = '"';
    return p;
}

PBTI_INLINE char *pbti_json_put_string(pbti_json_call *call, char *p,
                                       const char *s, size_t element) {
    return pbti_json_put_text(call, p, s, strlen(s), element);
}

/* Bytes, or a string that is kept as bytes. */
PBTI_INLINE char *pbti_json_put_binary(pbti_json_call *call, char *p,
                                       const void *member, bool is_text,
                                       size_t element) {
    ProtobufCBinaryData bytes;
    memcpy(&bytes, member, sizeof bytes);
    if (PBTI_UNLIKELY(bytes.len > call->max_size))
        return pbti_json_fail(call, PBT_ERR_TOO_LARGE, element, NULL);
    if (PBTI_UNLIKELY(!bytes.data && bytes.len > 0))
        return pbti_json_fail(call, PBT_ERR_BAD_MESSAGE, element,
                              "the data is NULL but not empty");
    if (is_text)
        return pbti_json_put_text(call, p, (const char *) bytes.data, bytes.len,
                                  element);
    p = pbti_json_reserve(call, p, bytes.len / 3 * 4 + 4 + 32 + PBTI_JSON_ROOM);
    if (PBTI_UNLIKELY(!p))
        return NULL;
    p = pbti_json_put_base64(p, bytes.data, bytes.len);
    *p++ = '"';
    return p;
}

/* A number that is none. */
PBTI_OUTLINE char *put_nonfinite(pbti_json_call *call, char *p, bool is_nan,
                                 bool is_negative) {
    const char *text = is_nan        ? "\"NaN\""
                       : is_negative ? "\"-Infinity\""
                                     : "\"Infinity\"";
    if (call->nonfinite == PBT_JSON_NONFINITE_ERROR)
        return pbti_json_fail(call, PBT_ERR_VALUE, PBTI_JSON_NO_ELEMENT,
                              "the value is not a finite number");
    if (call->nonfinite == PBT_JSON_NONFINITE_NULL)
        text = "null";
    memcpy(p, text, strlen(text));
    return p + strlen(text);
}

PBTI_OUTLINE char *put_bare_number(pbti_json_call *call, char *p,
                                   uint64_t magnitude, bool is_negative,
                                   bool is_quoted) {
    (void) call;
    if (is_quoted)
        *p++ = '"';
    if (is_negative)
        *p++ = '-';
    p = pbti_json_put_u64(p, magnitude);
    if (is_quoted)
        *p++ = '"';
    return p;
}

/* A double holds 53 bits, wherever they lie in the number. */
PBTI_INLINE bool pbti_json_is_exact(uint64_t magnitude) {
    if (magnitude >> 53 == 0)
        return true;
    while (!(magnitude & 1))
        magnitude >>= 1;
    return magnitude >> 53 == 0;
}

PBTI_OUTLINE char *put_long_name(pbti_json_call *call, char *p,
                                 const pbti_json_text *name) {
    p = pbti_json_reserve(call, p, name->len + PBTI_JSON_ROOM);
    return p ? pbti_json_copy(p, name->data, name->len) : NULL;
}

/* The place of a number among those of an enum, or n when it has no name. */
PBTI_OUTLINE uint32_t find_name(const pbti_json_enum *values, int number) {
    uint32_t low = 0, high = values->n;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (values->numbers[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low < values->n && values->numbers[low] == number ? low : values->n;
}

PBTI_INLINE char *pbti_json_put_enum(pbti_json_call *call, char *p, int number,
                                     const pbti_json_enum *values) {
    uint32_t at = (uint32_t) number - (uint32_t) values->first;
    const pbti_json_text *name;
    if (PBTI_UNLIKELY(at >= values->n_dense)) {
        at = find_name(values, number);
        if (at == values->n)
            return pbti_json_put_i32(p, number);
    }
    name = &values->names[at];
    if (PBTI_UNLIKELY(name->len > PBTI_JSON_STEP))
        return put_long_name(call, p, name);
    return pbti_json_copy(p, name->data, name->len);
}

/* One function for each kind of scalar: the value at `member`, but for the
 * opening quote of those that have quotes. */
PBTI_INLINE char *pbti_json_put_BOOL(pbti_json_call *call, char *p,
                                     const pbti_json_row *row,
                                     const char *member) {
    bool v = pbti_load32(member) != 0;
    (void) call;
    (void) row;
    memcpy(p, v ? "true" : "false", 5);
    return p + 5 - v;
}

PBTI_INLINE char *pbti_json_put_INT32(pbti_json_call *call, char *p,
                                      const pbti_json_row *row,
                                      const char *member) {
    (void) call;
    (void) row;
    return pbti_json_put_i32(p, (int32_t) pbti_load32(member));
}

PBTI_INLINE char *pbti_json_put_UINT32(pbti_json_call *call, char *p,
                                       const pbti_json_row *row,
                                       const char *member) {
    (void) call;
    (void) row;
    return pbti_json_put_u32(p, pbti_load32(member));
}

PBTI_INLINE char *pbti_json_put_INT64(pbti_json_call *call, char *p,
                                      const pbti_json_row *row,
                                      const char *member) {
    (void) call;
    (void) row;
    p = pbti_json_put_i64(p, (int64_t) pbti_load64(member));
    *p = '"';
    return p + 1;
}

PBTI_INLINE char *pbti_json_put_UINT64(pbti_json_call *call, char *p,
                                       const pbti_json_row *row,
                                       const char *member) {
    (void) call;
    (void) row;
    p = pbti_json_put_u64(p, pbti_load64(member));
    *p = '"';
    return p + 1;
}

PBTI_INLINE char *pbti_json_put_INT64_BARE(pbti_json_call *call, char *p,
                                           const pbti_json_row *row,
                                           const char *member) {
    uint64_t v = pbti_load64(member);
    bool is_negative = v >> 63;
    (void) row;
    return put_bare_number(call, p, is_negative ? 0 - v : v, is_negative,
                           false);
}

PBTI_INLINE char *pbti_json_put_UINT64_BARE(pbti_json_call *call, char *p,
                                            const pbti_json_row *row,
                                            const char *member) {
    (void) row;
    return put_bare_number(call, p, pbti_load64(member), false, false);
}

PBTI_INLINE char *pbti_json_put_INT64_SAFE(pbti_json_call *call, char *p,
                                           const pbti_json_row *row,
                                           const char *member) {
    uint64_t v = pbti_load64(member);
    bool is_negative = v >> 63;
    uint64_t magnitude = is_negative ? 0 - v : v;
    (void) row;
    return put_bare_number(call, p, magnitude, is_negative,
                           !pbti_json_is_exact(magnitude));
}

PBTI_INLINE char *pbti_json_put_UINT64_SAFE(pbti_json_call *call, char *p,
                                            const pbti_json_row *row,
                                            const char *member) {
    uint64_t v = pbti_load64(member);
    (void) row;
    return put_bare_number(call, p, v, false, !pbti_json_is_exact(v));
}

PBTI_INLINE char *pbti_json_put_FLOAT(pbti_json_call *call, char *p,
                                      const pbti_json_row *row,
                                      const char *member) {
    const uint32_t infinity = UINT32_C(0x7f800000);
    uint32_t bits = pbti_load32(member);
    float v;
    (void) row;
    if (PBTI_UNLIKELY((bits & infinity) == infinity))
        return put_nonfinite(call, p, (bits & ~infinity) << 1 != 0, bits >> 31);
    memcpy(&v, member, sizeof v);
    return pbti_json_put_float(p, v);
}

PBTI_INLINE char *pbti_json_put_DOUBLE(pbti_json_call *call, char *p,
                                       const pbti_json_row *row,
                                       const char *member) {
    const uint64_t infinity = UINT64_C(0x7ff0000000000000);
    uint64_t bits = pbti_load64(member);
    double v;
    (void) row;
    if (PBTI_UNLIKELY((bits & infinity) == infinity))
        return put_nonfinite(call, p, (bits & ~infinity) << 1 != 0, bits >> 63);
    memcpy(&v, member, sizeof v);
    return pbti_json_put_any_double(p, v);
}

/* Of google.protobuf.Value: the text "NaN" would come back as a string. */
PBTI_INLINE char *pbti_json_put_FINITE(pbti_json_call *call, char *p,
                                       const pbti_json_row *row,
                                       const char *member) {
    const uint64_t infinity = UINT64_C(0x7ff0000000000000);
    if (PBTI_UNLIKELY((pbti_load64(member) & infinity) == infinity))
        return pbti_json_fail(call, PBT_ERR_VALUE, PBTI_JSON_NO_ELEMENT,
                              "a Value cannot hold NaN or an infinity");
    return pbti_json_put_DOUBLE(call, p, row, member);
}

PBTI_INLINE char *pbti_json_put_ENUM(pbti_json_call *call, char *p,
                                     const pbti_json_row *row,
                                     const char *member) {
    return pbti_json_put_enum(call, p, (int) pbti_load32(member),
                              row->u.values);
}

PBTI_INLINE char *pbti_json_put_NULL_VALUE(pbti_json_call *call, char *p,
                                           const pbti_json_row *row,
                                           const char *member) {
    (void) call;
    (void) row;
    (void) member;
    memcpy(p, "null", 4);
    return p + 4;
}

PBTI_INLINE bool is_narrow(pbti_json_op op) {
    return op == PBTI_JSON_INT32 || op == PBTI_JSON_UINT32;
}

PBTI_INLINE bool is_wide(pbti_json_op op) {
    return op == PBTI_JSON_INT64 || op == PBTI_JSON_UINT64;
}

/* The elements of an array of 32-bit integers, on one line. */
PBTI_OUTLINE char *put_integers(pbti_json_call *call, char *p,
                                const char *array, size_t n, bool is_signed) {
    *p++ = '[';
    while (n > 0) {
        size_t step = n < PBTI_INTEGER_STEP ? n : PBTI_INTEGER_STEP;
        p = pbti_json_reserve(call, p, PBTI_INTEGER_ROOM + PBTI_JSON_ROOM);
        if (PBTI_UNLIKELY(!p))
            return NULL;
        p = pbti_json_put_integers(p, array, step, is_signed);
        array += 4 * step;
        n -= step;
    }
    p[-1] = ']';
    return p;
}

/* The same of 64 bits, with quotes. */
PBTI_OUTLINE char *put_wide_integers(pbti_json_call *call, char *p,
                                     const char *array, size_t n,
                                     bool is_signed) {
    size_t i;
    *p++ = '[';
    for (i = 0; i < n; i++) {
        if (i % PBTI_INTEGER_STEP == 0)
            p = pbti_json_reserve(call, p, PBTI_WIDE_ROOM + PBTI_JSON_ROOM);
        if (PBTI_UNLIKELY(!p))
            return NULL;
        p = pbti_put_quoted(p, pbti_load64(array + 8 * i), is_signed);
    }
    p[-1] = ']';
    return p;
}

/* Repeated scalars, one function for each kind. */
#define PBTI_JSON_SCALAR(name, size, quoted)                                   \
    PBTI_OUTLINE char *put_list_##name(pbti_json_call *call, char *p,          \
                                       const pbti_json_row *row,               \
                                       const char *msg) {                      \
        size_t n = 0, i;                                                       \
        const char *array = pbti_json_array(call, msg, row, &n);               \
        if (!array)                                                            \
            return NULL;                                                       \
        if (!call->pretty && is_narrow(PBTI_JSON_##name))                      \
            return put_integers(call, p, array, n,                             \
                                PBTI_JSON_##name == PBTI_JSON_INT32);          \
        if (!call->pretty && is_wide(PBTI_JSON_##name))                        \
            return put_wide_integers(call, p, array, n,                        \
                                     PBTI_JSON_##name == PBTI_JSON_INT64);     \
        p = pbti_json_open(call, p, '[');                                      \
        for (i = 0; i < n; i++) {                                              \
            p = pbti_json_next(call, p);                                       \
            if (PBTI_UNLIKELY(!p))                                             \
                return NULL;                                                   \
            if (quoted)                                                        \
                *p++ = '"';                                                    \
            p = pbti_json_put_##name(call, p, row, array + i * size);          \
            if (PBTI_UNLIKELY(!p)) {                                           \
                call->element = i;                                             \
                return NULL;                                                   \
            }                                                                  \
            *p++ = ',';                                                        \
        }                                                                      \
        return pbti_json_close(call, p, ']');                                  \
    }
#include "table_json.def"

PBTI_OUTLINE char *put_list_of_strings(pbti_json_call *call, char *p,
                                       const pbti_json_row *row,
                                       const char *msg) {
    size_t n = 0, i;
    const char *const *strings = pbti_json_array(call, msg, row, &n);
    if (!strings)
        return NULL;
    p = pbti_json_open(call, p, '[');
    for (i = 0; i < n; i++) {
        if (PBTI_UNLIKELY(!strings[i]))
            return pbti_json_fail(call, PBT_ERR_BAD_MESSAGE, i,
                                  "the element is NULL");
        p = pbti_json_next(call, p);
        if (PBTI_UNLIKELY(!p))
            return NULL;
        *p++ = '"';
        p = pbti_json_put_string(call, p, strings[i], i);
        if (PBTI_UNLIKELY(!p))
            return NULL;
        *p++ = ',';
    }
    return pbti_json_close(call, p, ']');
}

PBTI_OUTLINE char *put_list_of_binaries(pbti_json_call *call, char *p,
                                        const pbti_json_row *row,
                                        const char *msg, bool is_text) {
    size_t n = 0, i;
    const ProtobufCBinaryData *items = pbti_json_array(call, msg, row, &n);
    if (!items)
        return NULL;
    p = pbti_json_open(call, p, '[');
    for (i = 0; i < n; i++) {
        p = pbti_json_next(call, p);
        if (PBTI_UNLIKELY(!p))
            return NULL;
        *p++ = '"';
        p = pbti_json_put_binary(call, p, &items[i], is_text, i);
        if (PBTI_UNLIKELY(!p))
            return NULL;
        *p++ = ',';
    }
    return pbti_json_close(call, p, ']');
}

/* A scalar, string or bytes value that is kept at `value`, behind its key; NULL
 * on failure. Strings are not NULL. */
PBTI_OUTLINE char *put_value_at(pbti_json_call *call, char *p,
                                const pbti_json_row *row, const char *value) {
    switch ((pbti_json_op) row->op) {
#define PBTI_JSON_SCALAR(name, size, quoted)                                   \
    case PBTI_JSON_##name:                                                     \
        return pbti_json_put_##name(call, p, row, value);                      \
    case PBTI_JSON_##name##_REPEATED:
#define PBTI_JSON_OP(name) case PBTI_JSON_##name:
#include "table_json.def"
    case PBTI_N_JSON_OPS:
        break;
    }
    if (row->op == PBTI_JSON_BYTES || row->op == PBTI_JSON_TEXT)
        return pbti_json_put_binary(call, p, value, row->op == PBTI_JSON_TEXT,
                                    PBTI_JSON_NO_ELEMENT);
    return pbti_json_put_string(call, p, value, PBTI_JSON_NO_ELEMENT);
}

/* What an OR_ELSE row writes for an unset field, behind the key. */
PBTI_OUTLINE char *put_else(pbti_json_call *call, char *p,
                            const pbti_json_else *or_else) {
    if (or_else->text.len > 0)
        return pbti_json_copy(p, or_else->text.data, or_else->text.len);
    return put_value_at(call, p, or_else->member, or_else->value);
}

/* The key of a map entry, with its colon. */
PBTI_INLINE char *pbti_json_put_map_key(pbti_json_call *call, char *p,
                                        const ProtobufCMessage *entry,
                                        const pbti_json_row *row) {
    pbti_map_key key = pbti_json_read_key(entry, row);
    *p++ = '"';
    switch (key.kind) {
    case PBTI_KEY_STRING:
        p = pbti_json_put_string(call, p, key.text, PBTI_JSON_NO_ELEMENT);
        if (PBTI_UNLIKELY(!p))
            return NULL;
        p--;
        break;
    case PBTI_KEY_SIGNED:
        p = pbti_json_put_i64(p, (int64_t) key.number);
        break;
    case PBTI_KEY_UNSIGNED:
        p = pbti_json_put_u64(p, key.number);
        break;
    case PBTI_KEY_BOOL:
        memcpy(p, key.number ? "true" : "false", 5);
        p += key.number ? 4 : 5;
        break;
    }
    *p++ = '"';
    *p++ = ':';
    if (PBTI_UNLIKELY(call->pretty))
        *p++ = ' ';
    return p;
}

/* The row of the member of a oneof that is set, or NULL. */
PBTI_INLINE const pbti_json_row *pbti_json_member(const char *msg,
                                                  const pbti_json_row *row) {
    const pbti_json_oneof *oneof = row->u.oneof;
    const pbti_row *member =
        pbti_oneof_row(oneof->wire, pbti_load32(msg + row->data));
    return member ? &oneof->rows[member - oneof->wire->rows] : NULL;
}

/* True when a pointer member holds something. */
PBTI_INLINE bool pbti_json_points(const char *msg, const pbti_json_row *row) {
    const char *pointer = pbti_load_pointer(msg + row->data);
    if (!pointer)
        return false;
    if (row->op == PBTI_JSON_STRING)
        return pointer != row->u.default_value;
    if (row->op == PBTI_JSON_STRING_IMPLICIT)
        return *pointer != '\0';
    return row->op != PBTI_JSON_MESSAGE_DEFAULTED ||
           !pbti_json_is_default(row, pointer);
}

/* True when the member of an OR_ELSE row, or of a Value, holds something. */
PBTI_OUTLINE bool is_set(const char *msg, const pbti_json_row *row) {
    if (row->mask && !pbti_json_may_be_present(msg, row))
        return false;
    if (row->op == PBTI_JSON_STRING || row->op == PBTI_JSON_STRING_IMPLICIT ||
        row->op == PBTI_JSON_MESSAGE || row->op == PBTI_JSON_MESSAGE_DEFAULTED)
        return pbti_json_points(msg, row);
    return row->op != PBTI_JSON_ABSENT;
}

/* A member of a Value, or of a wrapper, that is no message. */
PBTI_OUTLINE char *put_bare(pbti_json_call *call, char *p,
                            const pbti_json_row *row, const char *msg) {
    const char *value = msg + row->data;
    bool is_string =
        row->op == PBTI_JSON_STRING || row->op == PBTI_JSON_STRING_ALWAYS;
    p = pbti_json_copy(p, row->key, row->key_len);
    if (is_string) {
        const char *text = pbti_load_pointer(value);
        value = text ? text : "";
    }
    return put_value_at(call, p, row, value);
}

/* Writes a message whose text takes no frame: a time, a wrapper, most Values.
 * For others, and on failure, returns p or NULL; they take the long way, which
 * tells the place of a failure. */
PBTI_OUTLINE char *put_leaf(pbti_json_call *call, char *p,
                            const ProtobufCMessage *message,
                            const pbti_json_type *type) {
    const char *msg = (const char *) message;
    const pbti_json_row *row = type->rows;
    switch (type->known) {
    case PBTI_KNOWN_TIMESTAMP:
        return pbti_json_put_timestamp(call, p, msg, type->members);
    case PBTI_KNOWN_DURATION:
        return pbti_json_put_duration(call, p, msg, type->members);
    case PBTI_KNOWN_WRAPPER:
        return put_bare(call, p, row, msg);
    case PBTI_KNOWN_VALUE:
        row = pbti_json_member(msg, row);
        if (row && is_set(msg, row) && row->op != PBTI_JSON_MESSAGE)
            return put_bare(call, p, row, msg);
        return p;
    case PBTI_KNOWN_NONE:
    case PBTI_KNOWN_ANY:
    case PBTI_KNOWN_FIELD_MASK:
    case PBTI_KNOWN_LIST_VALUE:
    case PBTI_KNOWN_STRUCT:
        break;
    }
    return p;
}

/* The table of a message in a field: that of its own descriptor, which is the
 * field's type unless somebody put another message there. */
PBTI_INLINE const pbti_json_type *
pbti_json_sub_type(pbti_json_call *call, const pbti_json_row *row,
                   const ProtobufCMessage *sub) {
    const pbti_json_type *type = row->u.sub;
    if (PBTI_LIKELY(sub->descriptor == type->table->type))
        return type;
    return pbti_json_type_of(call, sub->descriptor);
}

#endif
