/* json_known.c - the text of Timestamp, Duration and FieldMask. */
#include "json_call.h"
#include "json_number.h"

/* Source: google/protobuf/timestamp.proto and duration.proto. */
#define MIN_SECONDS INT64_C(-62135596800) /* 0001-01-01T00:00:00Z */
#define MAX_SECONDS INT64_C(253402300799) /* 9999-12-31T23:59:59Z */
#define MAX_DURATION INT64_C(315576000000)

enum {
    MAX_NANOS = 999999999,
    SECONDS_A_DAY = 86400,
    DAYS_AN_ERA = 146097, /* 400 years */
    /* from 0000-03-01 to 1970-01-01 */
    EPOCH = 719468
};

static void read_members(const char *msg,
                         const ProtobufCFieldDescriptor *members,
                         int64_t *seconds, int32_t *nanos) {
    memcpy(seconds, msg + members[0].offset, sizeof *seconds);
    memcpy(nanos, msg + members[1].offset, sizeof *nanos);
}

/* A fraction of 3, 6 or 9 digits, or none. */
static char *put_fraction(char *p, uint32_t nanos) {
    uint32_t digits = nanos;
    int n = 9, i;
    if (nanos == 0)
        return p;
    for (; digits % 1000 == 0; n -= 3)
        digits /= 1000;
    *p = '.';
    for (i = n; i > 0; i--, digits /= 10)
        p[i] = (char) ('0' + digits % 10);
    return p + 1 + n;
}

/* Years that begin in March put the leap day last: then days before a month,
 * and years before a day, are a matter of multiplication. */
static char *put_date(char *p, uint32_t days) {
    uint32_t era = days / DAYS_AN_ERA;
    uint32_t day_of_era = days % DAYS_AN_ERA;
    uint32_t year_of_era = (day_of_era - day_of_era / 1460 +
                            day_of_era / 36524 - day_of_era / 146096) /
                           365;
    uint32_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    uint32_t month = (5 * day_of_year + 2) / 153; /* from March */
    uint32_t day = day_of_year - (153 * month + 2) / 5 + 1;
    uint32_t year = 400 * era + year_of_era + (month >= 10);
    p = pbti_put_4(p, year);
    *p = '-';
    pbti_put_pair(p + 1, month < 10 ? month + 3 : month - 9);
    p[3] = '-';
    pbti_put_pair(p + 4, day);
    return p + 6;
}

char *pbti_json_put_timestamp(pbti_json_call *call, char *p, const char *msg,
                              const ProtobufCFieldDescriptor *members) {
    int64_t seconds;
    int32_t nanos;
    uint64_t since;
    uint32_t of_day;
    read_members(msg, members, &seconds, &nanos);
    if (seconds < MIN_SECONDS || seconds > MAX_SECONDS)
        return pbti_json_fail(call, PBT_ERR_VALUE, PBTI_JSON_NO_ELEMENT,
                              "the seconds of the Timestamp are not between "
                              "the years 1 and 9999");
    if (nanos < 0 || nanos > MAX_NANOS)
        return pbti_json_fail(call, PBT_ERR_VALUE, PBTI_JSON_NO_ELEMENT,
                              "the nanos of the Timestamp are not between 0 "
                              "and 999999999");
    since = (uint64_t) (seconds + (int64_t) EPOCH * SECONDS_A_DAY);
    of_day = (uint32_t) (since % SECONDS_A_DAY);
    *p++ = '"';
    p = put_date(p, (uint32_t) (since / SECONDS_A_DAY));
    *p = 'T';
    pbti_put_pair(p + 1, of_day / 3600);
    p[3] = ':';
    pbti_put_pair(p + 4, of_day / 60 % 60);
    p[6] = ':';
    pbti_put_pair(p + 7, of_day % 60);
    p = put_fraction(p + 9, (uint32_t) nanos);
    *p++ = 'Z';
    *p++ = '"';
    return p;
}

char *pbti_json_put_duration(pbti_json_call *call, char *p, const char *msg,
                             const ProtobufCFieldDescriptor *members) {
    int64_t seconds;
    int32_t nanos;
    bool negative;
    read_members(msg, members, &seconds, &nanos);
    if (seconds < -MAX_DURATION || seconds > MAX_DURATION)
        return pbti_json_fail(call, PBT_ERR_VALUE, PBTI_JSON_NO_ELEMENT,
                              "the seconds of the Duration are more than "
                              "10000 years");
    if (nanos < -MAX_NANOS || nanos > MAX_NANOS)
        return pbti_json_fail(call, PBT_ERR_VALUE, PBTI_JSON_NO_ELEMENT,
                              "the nanos of the Duration are a second or more");
    if ((seconds < 0 && nanos > 0) || (seconds > 0 && nanos < 0))
        return pbti_json_fail(call, PBT_ERR_VALUE, PBTI_JSON_NO_ELEMENT,
                              "seconds and nanos of the Duration have "
                              "different signs");
    negative = seconds < 0 || nanos < 0;
    *p++ = '"';
    if (negative)
        *p++ = '-';
    p = pbti_json_put_u64(p, (uint64_t) (negative ? -seconds : seconds));
    p = put_fraction(p, (uint32_t) (negative ? -nanos : nanos));
    *p++ = 's';
    *p++ = '"';
    return p;
}

static bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}

static bool is_path_char(char c) {
    return is_lower(c) || (c >= '0' && c <= '9') || c == '.' || c == '_';
}

/* A path in lowerCamelCase; NULL when no reader could turn it back. Needs as
 * many bytes as the path has. */
static char *put_path(char *p, const char *path) {
    const char *s = path;
    if (*s == '\0')
        return NULL;
    for (; *s; s++) {
        if (!is_path_char(*s))
            return NULL;
        if (*s != '_') {
            *p++ = *s;
            continue;
        }
        if (!is_lower(s[1]))
            return NULL;
        *p++ = (char) (*++s - 'a' + 'A');
    }
    return p;
}

char *pbti_json_put_field_mask(pbti_json_call *call, char *p, const char *msg,
                               const ProtobufCFieldDescriptor *members) {
    size_t n = pbti_load_size(msg + members->quantifier_offset);
    const char *const *paths = pbti_load_pointer(msg + members->offset);
    size_t i;
    if (n >= PBTI_MAX_ELEMENTS)
        return pbti_json_fail(call, PBT_ERR_TOO_LARGE, PBTI_JSON_NO_ELEMENT,
                              NULL);
    if (n > 0 && !paths)
        return pbti_json_fail(call, PBT_ERR_BAD_MESSAGE, PBTI_JSON_NO_ELEMENT,
                              "the array is NULL but not empty");
    *p++ = '"';
    for (i = 0; i < n; i++) {
        if (!paths[i])
            return pbti_json_fail(call, PBT_ERR_BAD_MESSAGE, i,
                                  "the path is NULL");
        p = pbti_json_reserve(call, p, strlen(paths[i]) + PBTI_JSON_ROOM);
        if (!p)
            return NULL;
        if (i > 0)
            *p++ = ',';
        p = put_path(p, paths[i]);
        if (!p)
            return pbti_json_fail(
                call, PBT_ERR_VALUE, i,
                "the path has no lowerCamelCase form that can "
                "be turned back");
    }
    *p++ = '"';
    return p;
}
