/* schema_default.c - default values: from the text of the set to the bytes
 * that default_value points to. */
#include <stdio.h>
#include <stdlib.h>

#include "schema_build.h"

enum { MAX_NUMBER_TEXT = 400 }; /* longer than any number protoc writes */

static pbt_status bad_default(const pbti_builder *b, const pbti_field *field) {
    return pbti_bad_field(b, field, "the default value \"%s\" is not valid",
                          field->proto->default_value);
}

static pbt_status keep_default(pbti_builder *b, pbti_field *field,
                               const void *value, size_t size) {
    void *copy = pbti_arena_alloc(b->keep, size);
    if (!copy)
        return pbti_no_memory(b);
    field->as.default_value = memcpy(copy, value, size);
    return PBT_OK;
}

/* Reads an optional minus sign and decimal digits that make at most max, or
 * max + 1 below zero. */
static bool read_integer(const char *text, uint64_t max, bool is_signed,
                         uint64_t *value) {
    bool is_negative = *text == '-';
    uint64_t limit = is_negative ? max + 1 : max;
    if (is_negative && !is_signed)
        return false;
    text += is_negative;
    *value = 0;
    if (!*text)
        return false;
    for (; *text; text++) {
        uint64_t digit = (uint64_t) (*text - '0');
        if (*text < '0' || *text > '9' || *value > limit / 10 ||
            digit > limit - *value * 10)
            return false;
        *value = *value * 10 + digit;
    }
    if (is_negative)
        *value = 0 - *value;
    return true;
}

static pbt_status set_integer(pbti_builder *b, pbti_field *field, uint64_t max,
                              bool is_signed, size_t size) {
    uint64_t value;
    uint32_t narrow;
    if (!read_integer(field->proto->default_value, max, is_signed, &value))
        return bad_default(b, field);
    narrow = (uint32_t) value;
    return size == sizeof narrow ? keep_default(b, field, &narrow, size)
                                 : keep_default(b, field, &value, size);
}

/* Copies a number and puts the locale's decimal point in it, which strtod
 * wants to see; false if it is not the text of a number. */
static bool localize(const char *text, char out[MAX_NUMBER_TEXT + 8]) {
    char sample[16];
    const char *point;
    size_t point_len;
    char *end = out;
    snprintf(sample, sizeof sample, "%.1f", 1.5);
    point = sample + 1;
    point_len = strcspn(point, "5");
    if (!*text || strlen(text) > MAX_NUMBER_TEXT ||
        strspn(text, "+-.0123456789eE") != strlen(text) ||
        strchr(text, '.') != strrchr(text, '.'))
        return false;
    for (; *text; text++) {
        if (*text != '.') {
            *end++ = *text;
            continue;
        }
        memcpy(end, point, point_len);
        end += point_len;
    }
    *end = '\0';
    return true;
}

/* Source: descriptor.proto, FieldDescriptorProto.default_value. */
static bool read_special(const char *text, double *value) {
    bool is_negative = *text == '-';
    const char *name = text + is_negative;
    if (strcmp(name, "inf") == 0)
        *value = strtod("inf", NULL);
    else if (strcmp(name, "nan") == 0)
        *value = strtod("nan", NULL);
    else
        return false;
    if (is_negative)
        *value = -*value;
    return true;
}

static pbt_status set_float(pbti_builder *b, pbti_field *field) {
    char text[MAX_NUMBER_TEXT + 8];
    char *end = text;
    double wide = 0;
    float narrow;
    double value;
    bool is_special = read_special(field->proto->default_value, &wide);
    if (!is_special && !localize(field->proto->default_value, text))
        return bad_default(b, field);
    if (field->as.type == PROTOBUF_C_TYPE_FLOAT) {
        narrow = is_special ? (float) wide : strtof(text, &end);
        if (!is_special && (*end || end == text))
            return bad_default(b, field);
        return keep_default(b, field, &narrow, sizeof narrow);
    }
    value = is_special ? wide : strtod(text, &end);
    if (!is_special && (*end || end == text))
        return bad_default(b, field);
    return keep_default(b, field, &value, sizeof value);
}

static pbt_status set_bool(pbti_builder *b, pbti_field *field) {
    const char *text = field->proto->default_value;
    protobuf_c_boolean value = strcmp(text, "true") == 0;
    if (!value && strcmp(text, "false") != 0)
        return bad_default(b, field);
    return keep_default(b, field, &value, sizeof value);
}

static pbt_status set_enum(pbti_builder *b, pbti_field *field) {
    const ProtobufCEnumValue *value =
        protobuf_c_enum_descriptor_get_value_by_name(
            field->values->type, field->proto->default_value);
    int32_t number;
    if (!value)
        return bad_default(b, field);
    number = value->value;
    return keep_default(b, field, &number, sizeof number);
}

static pbt_status set_bytes(pbti_builder *b, pbti_field *field) {
    const char *text = field->proto->default_value;
    ProtobufCBinaryData value;
    value.data = pbti_arena_alloc(b->keep, strlen(text) + 1);
    if (!value.data)
        return pbti_no_memory(b);
    value.len = strlen(text);
    if (field->facts.is_string)
        memcpy(value.data, text, value.len + 1);
    else if (!pbti_text_unescape(text, value.data, &value.len))
        return bad_default(b, field);
    return keep_default(b, field, &value, sizeof value);
}

static pbt_status set_string(pbti_builder *b, pbti_field *field) {
    field->as.default_value =
        pbti_text_copy(b->keep, field->proto->default_value);
    return field->as.default_value ? PBT_OK : pbti_no_memory(b);
}

static pbt_status set_default(pbti_builder *b, pbti_field *field) {
    switch (field->as.type) {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
        return set_integer(b, field, INT32_MAX, true, sizeof(int32_t));
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
        return set_integer(b, field, UINT32_MAX, false, sizeof(uint32_t));
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
        return set_integer(b, field, INT64_MAX, true, sizeof(int64_t));
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        return set_integer(b, field, UINT64_MAX, false, sizeof(uint64_t));
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_DOUBLE:
        return set_float(b, field);
    case PROTOBUF_C_TYPE_BOOL:
        return set_bool(b, field);
    case PROTOBUF_C_TYPE_ENUM:
        return set_enum(b, field);
    case PROTOBUF_C_TYPE_STRING:
        return set_string(b, field);
    case PROTOBUF_C_TYPE_BYTES:
        return set_bytes(b, field);
    case PROTOBUF_C_TYPE_MESSAGE:
        return pbti_bad_field(b, field, "a message has no default value");
    }
    return PBT_ERR_INTERNAL;
}

pbt_status pbti_field_default(pbti_builder *b, pbti_field *field) {
    if (!field->proto->default_value) {
        /* compat: the empty string of protobuf-c itself marks an unset string
         * of proto3, also where it is repeated or in a oneof. */
        if (field->as.type == PROTOBUF_C_TYPE_STRING &&
            field->features.presence == PRESENCE_IMPLICIT &&
            !field->proto->proto3_optional && !field->facts.is_extension)
            field->as.default_value = protobuf_c_empty_string;
        return PBT_OK;
    }
    if (field->as.label == PROTOBUF_C_LABEL_REPEATED)
        return pbti_bad_field(b, field,
                              "a repeated field has no default value");
    if (field->features.presence == PRESENCE_IMPLICIT &&
        !field->facts.is_extension)
        return pbti_bad_field(b, field,
                              "a default value needs explicit presence");
    return set_default(b, field);
}
