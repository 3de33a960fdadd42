/* reflect_json_known.c - the well-known types of google/protobuf: how they are
 * told, and the text of those that have no messages in it. */
#include "reflect_json.h"

#include <stdio.h>

/* Source: google/protobuf/timestamp.proto and duration.proto. */
#define FIRST_SECOND INT64_C(-62135596800) /* 0001-01-01T00:00:00Z */
#define LAST_SECOND INT64_C(253402300799)  /* 9999-12-31T23:59:59Z */
#define LONGEST INT64_C(315576000000)

enum { BILLION = 1000000000, DAY = 86400 };

/* The fields of a type, from number 1 on, a letter or two each: the type's
 * letter, behind * for repeated ones and | for members of one oneof. */
typedef struct known_type {
    const char *name;
    pbti_print_kind kind;
    const char *fields;
    const char *subs[6]; /* names of the types of messages, in this order */
} known_type;

static const known_type known_types[] = {
    {"Any", PBTI_PRINT_ANY, "sy", {NULL}},
    {"BoolValue", PBTI_PRINT_WRAPPER, "b", {NULL}},
    {"BytesValue", PBTI_PRINT_WRAPPER, "y", {NULL}},
    {"DoubleValue", PBTI_PRINT_WRAPPER, "d", {NULL}},
    {"Duration", PBTI_PRINT_DURATION, "li", {NULL}},
    {"FieldMask", PBTI_PRINT_FIELD_MASK, "*s", {NULL}},
    {"FloatValue", PBTI_PRINT_WRAPPER, "f", {NULL}},
    {"Int32Value", PBTI_PRINT_WRAPPER, "i", {NULL}},
    {"Int64Value", PBTI_PRINT_WRAPPER, "l", {NULL}},
    {"ListValue", PBTI_PRINT_LIST_VALUE, "*m", {"Value"}},
    {"StringValue", PBTI_PRINT_WRAPPER, "s", {NULL}},
    {"Struct", PBTI_PRINT_STRUCT, "*m", {"Struct.FieldsEntry"}},
    {"Timestamp", PBTI_PRINT_TIMESTAMP, "li", {NULL}},
    {"UInt32Value", PBTI_PRINT_WRAPPER, "u", {NULL}},
    {"UInt64Value", PBTI_PRINT_WRAPPER, "U", {NULL}},
    {"Value", PBTI_PRINT_VALUE, "|e|d|s|b|m|m", {"Struct", "ListValue"}},
};

static char letter_of(uint8_t type) {
    switch ((pbt_reflect_type) type) {
    case PBT_REFLECT_DOUBLE:
        return 'd';
    case PBT_REFLECT_FLOAT:
        return 'f';
    case PBT_REFLECT_INT64:
        return 'l';
    case PBT_REFLECT_UINT64:
        return 'U';
    case PBT_REFLECT_INT32:
        return 'i';
    case PBT_REFLECT_UINT32:
        return 'u';
    case PBT_REFLECT_BOOL:
        return 'b';
    case PBT_REFLECT_STRING:
        return 's';
    case PBT_REFLECT_BYTES:
        return 'y';
    case PBT_REFLECT_ENUM:
        return 'e';
    case PBT_REFLECT_MESSAGE:
    case PBT_REFLECT_GROUP:
        return 'm';
    case PBT_REFLECT_FIXED64:
    case PBT_REFLECT_FIXED32:
    case PBT_REFLECT_SFIXED32:
    case PBT_REFLECT_SFIXED64:
    case PBT_REFLECT_SINT32:
    case PBT_REFLECT_SINT64:
        break;
    }
    return '?';
}

static bool has_name(const char *type_name, const char *name) {
    static const char package[] = "google.protobuf.";
    size_t len = sizeof package - 1;
    return type_name && strncmp(type_name, package, len) == 0 &&
           strcmp(type_name + len, name) == 0;
}

/* Whether a field is what `*fields` says, which is moved on. */
static bool has_form(const pbt_reflect_field *field,
                     const pbt_reflect_detail *detail, const char **fields,
                     size_t *oneof) {
    bool repeated = (field->traits & PBT_REFLECT_REPEATED) != 0;
    char mark = **fields;
    if (mark == '*' || mark == '|')
        ++*fields;
    if (repeated != (mark == '*') || (detail->oneof != 0) != (mark == '|'))
        return false;
    if (!repeated && !detail->is_implicit)
        return false;
    if (mark == '|' && *oneof && *oneof != detail->oneof)
        return false;
    *oneof = detail->oneof;
    return letter_of(field->type) == *(*fields)++;
}

static bool has_fields(const pbti_printer *to, const pbti_link *link,
                       const known_type *known) {
    const char *fields = known->fields;
    const char *const *sub = known->subs;
    size_t oneof = 0, i;
    for (i = 0; i < link->n_fields; i++) {
        pbt_reflect_field field;
        pbt_reflect_detail detail;
        const char *why = NULL;
        memset(&field, 0, sizeof field);
        if (*fields == '\0' ||
            to->walk.reflection->field(&link->message, i, 0, &field, &why) !=
                PBT_OK)
            return false;
        detail = pbti_print_detail(to, link, &field);
        if (field.number != i + 1 ||
            !has_form(&field, &detail, &fields, &oneof))
            return false;
        if (pbti_reflect_is_message(&field) &&
            !has_name(detail.type_name, *sub++))
            return false;
        if (known->kind == PBTI_PRINT_STRUCT &&
            (!(field.traits & PBT_REFLECT_MAP) || detail.is_list))
            return false;
    }
    return *fields == '\0';
}

PBTI_APART pbti_print_kind pbti_print_kind_of(pbti_printer *to,
                                              pbti_link *link) {
    pbt_reflect_shape shape = {0};
    const char *why = NULL;
    size_t i;
    (void) to->walk.reflection->shape(&link->message, &shape, &why);
    for (i = 0; i < sizeof known_types / sizeof *known_types; i++)
        if (has_name(shape.type_name, known_types[i].name))
            return has_fields(to, link, &known_types[i]) ? known_types[i].kind
                                                         : PBTI_PRINT_ORDINARY;
    return PBTI_PRINT_ORDINARY;
}

void pbti_print_step_back(pbti_link *link) {
    link->field = PBTI_NOTHING;
    link->element = PBTI_NOTHING;
}

pbt_status pbti_print_read(pbti_printer *to, pbti_link *link, size_t index,
                           pbt_reflect_value *value) {
    pbt_reflect_field field;
    pbt_status status = pbti_reflect_field(&to->walk, link, index, &field);
    memset(value, 0, sizeof *value);
    if (status == PBT_OK && field.count > 0)
        status = pbti_reflect_value(&to->walk, link, &field, 0, value);
    pbti_print_step_back(link);
    return to->status = status;
}

static pbt_status read_time(pbti_printer *to, pbti_link *link, int64_t *seconds,
                            int64_t *nanos) {
    pbt_reflect_value value;
    pbt_status status = pbti_print_read(to, link, 0, &value);
    *seconds = (int64_t) value.as.bits;
    if (status == PBT_OK)
        status = pbti_print_read(to, link, 1, &value);
    *nanos = (int64_t) value.as.bits;
    return status;
}

/* No digits, 3, 6 or 9 of them. */
static void print_fraction(pbti_printer *to, int64_t nanos) {
    char digits[16];
    size_t n = 9;
    if (nanos == 0)
        return;
    snprintf(digits, sizeof digits, "%09d", (int) nanos);
    while (memcmp(digits + n - 3, "000", 3) == 0)
        n -= 3;
    pbti_print_char(to, '.');
    pbti_print(to, digits, n);
}

static bool is_leap_year(int year) {
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Counts the years and months from 0001-01-01 on. */
static void print_date(pbti_printer *to, int64_t days) {
    static const int lengths[] = {31, 28, 31, 30, 31, 30,
                                  31, 31, 30, 31, 30, 31};
    char date[48];
    int year = 1, month = 0;
    for (; days >= 365 + is_leap_year(year); year++)
        days -= 365 + is_leap_year(year);
    for (; days >= lengths[month] + (month == 1 && is_leap_year(year)); month++)
        days -= lengths[month] + (month == 1 && is_leap_year(year));
    snprintf(date, sizeof date, "%04d-%02d-%02d", year, month + 1,
             (int) days + 1);
    pbti_print_word(to, date);
}

PBTI_APART pbt_status pbti_print_timestamp(pbti_printer *to, pbti_link *link) {
    int64_t seconds, nanos;
    char time[48];
    int of_day;
    if (read_time(to, link, &seconds, &nanos) != PBT_OK)
        return to->status;
    if (seconds < FIRST_SECOND || seconds > LAST_SECOND)
        return pbti_print_fail(to, PBT_ERR_VALUE,
                               "the seconds of the Timestamp are not between "
                               "the years 1 and 9999");
    if (nanos < 0 || nanos >= BILLION)
        return pbti_print_fail(to, PBT_ERR_VALUE,
                               "the nanos of the Timestamp are not between 0 "
                               "and 999999999");
    seconds -= FIRST_SECOND;
    of_day = (int) (seconds % DAY);
    snprintf(time, sizeof time, "T%02d:%02d:%02d", of_day / 3600,
             of_day / 60 % 60, of_day % 60);
    pbti_print_char(to, '"');
    print_date(to, seconds / DAY);
    pbti_print_word(to, time);
    print_fraction(to, nanos);
    pbti_print_word(to, "Z\"");
    return to->status;
}

PBTI_APART pbt_status pbti_print_duration(pbti_printer *to, pbti_link *link) {
    int64_t seconds, nanos;
    bool is_negative;
    if (read_time(to, link, &seconds, &nanos) != PBT_OK)
        return to->status;
    if (seconds < -LONGEST || seconds > LONGEST)
        return pbti_print_fail(to, PBT_ERR_VALUE,
                               "the seconds of the Duration are more than "
                               "10000 years");
    if (nanos <= -BILLION || nanos >= BILLION)
        return pbti_print_fail(
            to, PBT_ERR_VALUE,
            "the nanos of the Duration are a second or more");
    is_negative = seconds < 0 || nanos < 0;
    if (is_negative && (seconds > 0 || nanos > 0))
        return pbti_print_fail(to, PBT_ERR_VALUE,
                               "seconds and nanos of the Duration have "
                               "different signs");
    if (is_negative) {
        seconds = -seconds;
        nanos = -nanos;
    }
    pbti_print_word(to, is_negative ? "\"-" : "\"");
    pbti_print_integer(to, (uint64_t) seconds, false);
    print_fraction(to, nanos);
    pbti_print_word(to, "s\"");
    return to->status;
}

static bool is_small(unsigned char c) {
    return c >= 'a' && c <= 'z';
}

/* False when no reader could turn the path back. */
static bool print_path(pbti_printer *to, const unsigned char *path, size_t n) {
    size_t i;
    if (n == 0)
        return false;
    for (i = 0; i < n; i++) {
        unsigned char c = path[i];
        if (c == '_') {
            if (++i == n || !is_small(path[i]))
                return false;
            c = (unsigned char) (path[i] - 'a' + 'A');
        } else if (!is_small(c) && !(c >= '0' && c <= '9') && c != '.') {
            return false;
        }
        pbti_print_char(to, (char) c);
    }
    return true;
}

PBTI_APART pbt_status pbti_print_field_mask(pbti_printer *to, pbti_link *link) {
    pbt_reflect_field field;
    size_t i;
    pbt_status status = pbti_reflect_field(&to->walk, link, 0, &field);
    if (status == PBT_OK)
        status = pbti_reflect_check_count(&to->walk, link, &field);
    if (status != PBT_OK)
        return to->status = status;
    pbti_print_char(to, '"');
    for (i = 0; i < field.count && to->status == PBT_OK; i++) {
        pbt_reflect_value value;
        status = pbti_reflect_value(&to->walk, link, &field, i, &value);
        if (status != PBT_OK)
            return to->status = status;
        if (i > 0)
            pbti_print_char(to, ',');
        if (!print_path(to, value.as.run.data, value.as.run.len))
            return pbti_print_fail(to, PBT_ERR_VALUE,
                                   "the path has no lowerCamelCase form that "
                                   "can be turned back");
    }
    pbti_print_char(to, '"');
    return to->status;
}

/* What stands behind the last slash, or NULL. */
static const char *find_name(const pbt_reflect_value *url, size_t *len) {
    const char *data = url->as.run.data;
    size_t at = url->as.run.len;
    while (at > 0 && data[at - 1] != '/')
        at--;
    *len = url->as.run.len - at;
    return at > 0 ? data + at : NULL;
}

/* What cannot be looked into. */
static pbt_status refuse_any(pbti_printer *to, const pbt_reflect_value *url,
                             const char *name) {
    if (url->as.run.len == 0)
        return pbti_print_fail(to, PBT_ERR_VALUE,
                               "the Any has a value and no type");
    if (!name)
        return pbti_print_fail(to, PBT_ERR_VALUE,
                               "the type URL of the Any has no /");
    return pbti_print_fail(to, PBT_ERR_NOT_FOUND,
                           "the type of the Any is not in the schema of the "
                           "options");
}

PBTI_APART pbt_status pbti_print_open_any(pbti_printer *to, pbti_link *link,
                                          pbti_print_any *how,
                                          pbt_reflect_made *made) {
    const pbt_reflection *reflection = to->walk.reflection;
    pbt_reflect_value url, value;
    const char *name, *why = NULL;
    size_t len = 0;
    pbt_status status = pbti_print_read(to, link, 0, &url);
    if (status == PBT_OK)
        status = pbti_print_read(to, link, 1, &value);
    if (status != PBT_OK)
        return status;
    if (value.as.run.len > 0 && !value.as.run.data)
        return pbti_print_fail(to, PBT_ERR_BAD_MESSAGE,
                               "the data is NULL but not empty");
    *how = PBTI_PRINT_ANY_EMPTY;
    if (url.as.run.len == 0 && value.as.run.len == 0)
        return PBT_OK;
    name = find_name(&url, &len);
    status = PBT_ERR_NOT_FOUND;
    *made = (pbt_reflect_made){.allocator = to->walk.allocator};
    if (name && reflection->payload)
        status = reflection->payload(&link->message, to->options, name, len,
                                     value.as.run.data, value.as.run.len, made,
                                     &why);
    *how = PBTI_PRINT_ANY_MADE;
    if (status == PBT_OK)
        return PBT_OK;
    *how = PBTI_PRINT_ANY_RAW;
    if (status == PBT_ERR_NOT_FOUND)
        return to->options->flags & PBT_JSON_ANY_RAW
                   ? PBT_OK
                   : refuse_any(to, &url, name);
    return pbti_print_fail(to, status, why ? why : pbt_status_message(status));
}

PBTI_APART void pbti_print_type_url(pbti_printer *to, pbti_link *link) {
    pbt_reflect_value url;
    if (pbti_print_read(to, link, 0, &url) != PBT_OK)
        return;
    pbti_print_word(to, "\"@type\"");
    pbti_print_colon(to);
    pbti_print_string(to, url.as.run.data, url.as.run.len);
}
