/* reflect_json_value.c - values that are no messages, and the order and keys of
 * map entries. */
#include "reflect_json.h"

#include <math.h>

#include "base_alloc.h"
#include "base_error.h"

static bool is_null_value(const pbt_reflect_detail *detail) {
    return detail->type_name &&
           strcmp(detail->type_name, "google.protobuf.NullValue") == 0;
}

static void print_nonfinite(pbti_printer *to, bool is_nan, bool is_negative) {
    switch (to->options->nonfinite) {
    case PBT_JSON_NONFINITE_STRING:
        pbti_print_word(to, is_nan        ? "\"NaN\""
                            : is_negative ? "\"-Infinity\""
                                          : "\"Infinity\"");
        break;
    case PBT_JSON_NONFINITE_NULL:
        pbti_print_word(to, "null");
        break;
    default:
        (void) pbti_print_fail(to, PBT_ERR_VALUE,
                               "the value is not a finite number");
        break;
    }
}

static void print_double(pbti_printer *to, uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    if (isfinite(value))
        pbti_print_double(to, value);
    else
        print_nonfinite(to, isnan(value), value < 0);
}

static void print_float(pbti_printer *to, uint64_t bits) {
    uint32_t half = (uint32_t) bits;
    float value;
    memcpy(&value, &half, sizeof value);
    if (isfinite(value))
        pbti_print_float(to, value);
    else
        print_nonfinite(to, isnan(value), value < 0);
}

/* Whether no bit is lost in a double. Below 2^64 the way there and back is
 * always possible. */
static bool is_exact(uint64_t magnitude) {
    double value = (double) magnitude;
    return value < 18446744073709551616.0 && (uint64_t) value == magnitude;
}

static void print_wide(pbti_printer *to, uint64_t bits, bool is_signed) {
    bool is_negative = is_signed && bits >> 63;
    uint64_t magnitude = is_negative ? 0 - bits : bits;
    bool bare = (to->options->flags & PBT_JSON_INT64_AS_NUMBER) ||
                ((to->options->flags & PBT_JSON_INT64_UNQUOTED_IF_SAFE) &&
                 is_exact(magnitude));
    if (!bare)
        pbti_print_char(to, '"');
    pbti_print_integer(to, magnitude, is_negative);
    if (!bare)
        pbti_print_char(to, '"');
}

static void print_enum(pbti_printer *to, const pbt_reflect_field *field,
                       const pbt_reflect_detail *detail, int32_t number) {
    const char *name = NULL;
    if (is_null_value(detail)) {
        pbti_print_word(to, "null");
        return;
    }
    if (!(to->options->flags & PBT_JSON_ENUM_NUMBERS)) {
        pbt_reflect_field named = *field;
        if (detail->names_def)
            named.def = detail->names_def;
        name = to->walk.reflection->enum_name(&named, number);
    }
    if (!name) {
        pbti_print_signed(to, number);
        return;
    }
    pbti_print_char(to, '"');
    pbti_print_escaped(to, name, strlen(name), PBT_JSON_UTF8_REPLACE);
    pbti_print_char(to, '"');
}

static void print_bytes(pbti_printer *to, const pbt_reflect_detail *detail,
                        const pbt_reflect_value *value) {
    const void *data = value->as.run.data;
    size_t len = value->as.run.len;
    if (len > to->max_size)
        (void) pbti_print_fail(to, PBT_ERR_TOO_LARGE,
                               "the text takes more than max_size bytes");
    else if (len > 0 && !data)
        (void) pbti_print_fail(to, PBT_ERR_BAD_MESSAGE,
                               "the data is NULL but not empty");
    else if (detail->is_text)
        pbti_print_string(to, data, len);
    else
        pbti_print_base64(to, data, len);
}

static void print_scalar(pbti_printer *to, const pbt_reflect_field *field,
                         const pbt_reflect_detail *detail,
                         const pbt_reflect_value *value) {
    uint64_t bits = value->as.bits;
    switch ((pbt_reflect_type) field->type) {
    case PBT_REFLECT_DOUBLE:
        print_double(to, bits);
        break;
    case PBT_REFLECT_FLOAT:
        print_float(to, bits);
        break;
    case PBT_REFLECT_INT64:
    case PBT_REFLECT_SFIXED64:
    case PBT_REFLECT_SINT64:
        print_wide(to, bits, true);
        break;
    case PBT_REFLECT_UINT64:
    case PBT_REFLECT_FIXED64:
        print_wide(to, bits, false);
        break;
    case PBT_REFLECT_INT32:
    case PBT_REFLECT_SFIXED32:
    case PBT_REFLECT_SINT32:
    case PBT_REFLECT_UINT32:
    case PBT_REFLECT_FIXED32:
        pbti_print_signed(to, (int64_t) bits);
        break;
    case PBT_REFLECT_BOOL:
        pbti_print_word(to, bits ? "true" : "false");
        break;
    case PBT_REFLECT_ENUM:
        print_enum(to, field, detail, (int32_t) (uint32_t) bits);
        break;
    case PBT_REFLECT_STRING:
        pbti_print_string(to, value->as.run.data, value->as.run.len);
        break;
    case PBT_REFLECT_BYTES:
        print_bytes(to, detail, value);
        break;
    case PBT_REFLECT_GROUP:
    case PBT_REFLECT_MESSAGE:
        break;
    }
}

PBTI_APART pbt_status pbti_print_value(pbti_printer *to, pbti_link *link,
                                       pbt_reflect_field *field, size_t index) {
    pbt_reflect_value value;
    pbt_reflect_detail detail;
    pbt_status status =
        pbti_reflect_value(&to->walk, link, field, index, &value);
    if (status != PBT_OK)
        return to->status = status;
    detail = pbti_print_detail(to, link, field);
    print_scalar(to, field, &detail, &value);
    return to->status;
}

PBTI_APART pbt_status pbti_print_default(pbti_printer *to,
                                         const pbti_link *link,
                                         const pbt_reflect_field *field) {
    pbt_reflect_detail detail = pbti_print_detail(to, link, field);
    print_scalar(to, field, &detail, &detail.unset);
    return to->status;
}

bool pbti_print_lacks_names(const pbti_printer *to,
                            const pbt_reflect_field *field,
                            const pbt_reflect_detail *detail) {
    return field->type == PBT_REFLECT_ENUM && detail->is_nameless &&
           !is_null_value(detail) &&
           !(to->options->flags & PBT_JSON_ENUM_NUMBERS);
}

PBTI_APART pbt_status pbti_print_check_enum(pbti_printer *to,
                                            const pbti_link *link,
                                            const pbt_reflect_field *field) {
    pbt_reflect_detail detail;
    if (field->type != PBT_REFLECT_ENUM)
        return PBT_OK;
    detail = pbti_print_detail(to, link, field);
    if (!pbti_print_lacks_names(to, field, &detail))
        return PBT_OK;
    return pbti_print_fail(to, PBT_ERR_UNSUPPORTED,
                           "the enum has no names (optimize_for = CODE_SIZE)");
}

/* All elements must be entries of the map. */
static pbt_status check_entries(pbti_printer *to, pbti_link *link,
                                pbt_reflect_field *field) {
    size_t i;
    for (i = 0; i < field->count; i++) {
        pbt_reflect_value value;
        pbt_status status =
            pbti_reflect_value(&to->walk, link, field, i, &value);
        if (status != PBT_OK)
            return to->status = status;
        if (!value.entry)
            return pbti_print_fail(to, PBT_ERR_BAD_MESSAGE,
                                   "the element is no entry of the map");
    }
    link->element = PBTI_NOTHING;
    return PBT_OK;
}

/* Drops all but the last entry of each key from the sorted indices. */
static void drop_duplicates(const pbti_printer *to, pbti_order *order) {
    size_t n = 0, i;
    for (i = 0; i < order->left; i++)
        if (i + 1 == order->left ||
            pbti_reflect_compare(&to->walk, order, order->index[i],
                                 order->index[i + 1]) != 0)
            order->index[n++] = order->index[i];
    order->left = n;
}

static pbt_status fail_memory(pbti_printer *to) {
    return to->status =
               pbti_fail(to->walk.error, PBT_ERR_NO_MEMORY, 0, NULL, NULL);
}

/* Puts the entries back in their stored order. */
static pbt_status restore_order(pbti_printer *to, pbti_order *order) {
    size_t count = order->field->count, n = 0, i;
    uint8_t *stays = pbti_alloc(to->walk.allocator, count);
    if (!stays)
        return fail_memory(to);
    memset(stays, 0, count);
    for (i = 0; i < order->left; i++)
        stays[order->index[i]] = 1;
    for (i = 0; i < count; i++)
        if (stays[i])
            order->index[n++] = (uint32_t) i;
    pbti_free(to->walk.allocator, stays);
    return PBT_OK;
}

PBTI_APART pbt_status pbti_print_order(pbti_printer *to, pbti_link *link,
                                       pbt_reflect_field *field,
                                       pbti_order *order) {
    bool sorted = (to->options->flags & PBT_JSON_SORT_MAP_KEYS) != 0;
    bool is_unique = (to->options->flags & PBT_JSON_UNIQUE_MAP_KEYS) ||
                     (field->traits & PBT_REFLECT_UNIQUE);
    pbt_status status = check_entries(to, link, field);
    memset(order, 0, sizeof *order);
    order->left = field->count;
    if (status != PBT_OK || (!sorted && is_unique))
        return status;
    status = pbti_reflect_order(&to->walk, link, field, order);
    link->element = PBTI_NOTHING;
    if (status != PBT_OK)
        return to->status = status;
    if (order->stored)
        return PBT_OK;
    if (!order->index)
        return fail_memory(to);
    drop_duplicates(to, order);
    return sorted ? PBT_OK : restore_order(to, order);
}

PBTI_APART pbt_status pbti_print_entry_key(pbti_printer *to, pbti_link *entry) {
    pbt_reflect_field field;
    pbt_reflect_value value;
    pbt_reflect_detail detail = {0};
    pbt_status status = pbti_reflect_field(&to->walk, entry, 0, &field);
    memset(&value, 0, sizeof value);
    if (status == PBT_OK && field.count > 0)
        status = pbti_reflect_value(&to->walk, entry, &field, 0, &value);
    if (status != PBT_OK)
        return to->status = status;
    if (field.type == PBT_REFLECT_STRING) {
        pbti_print_string(to, value.as.run.data, value.as.run.len);
    } else {
        pbti_print_char(to, '"');
        if (field.type == PBT_REFLECT_INT64 ||
            field.type == PBT_REFLECT_SFIXED64 ||
            field.type == PBT_REFLECT_SINT64)
            pbti_print_signed(to, (int64_t) value.as.bits);
        else if (field.type == PBT_REFLECT_UINT64 ||
                 field.type == PBT_REFLECT_FIXED64)
            pbti_print_integer(to, value.as.bits, false);
        else
            print_scalar(to, &field, &detail, &value);
        pbti_print_char(to, '"');
    }
    pbti_print_colon(to);
    return to->status;
}
