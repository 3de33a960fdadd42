/* table_names_text.c - the texts that rows of the JSON writer hold ready: keys,
 * names of enum values, sentences. */
#include <stdarg.h>
#include <stdio.h>

#include "table_names_build.h"

enum { MAX_ESCAPED = 6 }; /* bytes that one byte becomes */

/* The code point at s, and its length in bytes; U+FFFD for a byte that is not
 * UTF-8. */
static uint32_t code_point(const unsigned char *s, unsigned *len) {
    unsigned n = s[0] < 0x80 ? 1 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    uint32_t code = n == 1 ? s[0] : s[0] & (0xffu >> (n + 1));
    unsigned i;
    *len = 1;
    if (n > 1 && (s[0] < 0xc2 || s[0] > 0xf4))
        return 0xfffd;
    for (i = 1; i < n; i++) {
        if ((s[i] & 0xc0) != 0x80)
            return 0xfffd;
        code = code << 6 | (s[i] & 0x3f);
    }
    if ((n == 3 && (code < 0x800 || (code >= 0xd800 && code < 0xe000))) ||
        (n == 4 && (code < 0x10000 || code > 0x10ffff)))
        return 0xfffd;
    *len = n;
    return code;
}

static char *put_unit(char *p, uint32_t unit) {
    static const char digits[] = "0123456789abcdef";
    *p++ = '\\';
    *p++ = 'u';
    *p++ = digits[unit >> 12 & 15];
    *p++ = digits[unit >> 8 & 15];
    *p++ = digits[unit >> 4 & 15];
    *p++ = digits[unit & 15];
    return p;
}

static char *put_code_point(char *p, uint32_t code) {
    if (code < 0x10000)
        return put_unit(p, code);
    p = put_unit(p, 0xd7c0 + (code >> 10));
    return put_unit(p, 0xdc00 + (code & 0x3ff));
}

static bool needs_escape(uint32_t code, uint32_t flags) {
    bool html = (flags & PBT_JSON_ESCAPE_HTML) != 0;
    if (code < 0x20)
        return true;
    if (code >= 0x80 && (flags & PBT_JSON_ASCII_ONLY))
        return true;
    return html && (code == '<' || code == '>' || code == '&' ||
                    code == 0x2028 || code == 0x2029);
}

/* The letter of a two-character escape, or 0. */
static char short_escape(uint32_t code) {
    static const char codes[] = "\"\\\b\f\n\r\t";
    static const char letters[] = "\"\\bfnrt";
    const char *found = NULL;
    if (code && code < 0x80)
        found = strchr(codes, (int) code);
    return found ? letters[found - codes] : '\0';
}

static char *escape(char *p, const char *string, uint32_t flags) {
    const unsigned char *s = (const unsigned char *) string;
    unsigned len;
    for (; *s; s += len) {
        uint32_t code = code_point(s, &len);
        if (short_escape(code)) {
            *p++ = '\\';
            *p++ = short_escape(code);
        } else if (needs_escape(code, flags) || (code == 0xfffd && len == 1)) {
            p = put_code_point(p, code);
        } else {
            memcpy(p, s, len);
            p += len;
        }
    }
    return p;
}

/* Makes text of a string between two that need no escape. */
static pbti_json_text make_text(pbti_naming *naming, const pbti_json_type *type,
                                const char *before, const char *string,
                                const char *after) {
    size_t size = strlen(before) + MAX_ESCAPED * strlen(string) +
                  strlen(after) + PBTI_JSON_PAD;
    char *data = pbti_naming_take(naming, type, size);
    char *p = data;
    if (!data)
        return (pbti_json_text){"", 0};
    memcpy(p, before, strlen(before));
    p = escape(p + strlen(before), string, type->flags);
    memcpy(p, after, strlen(after));
    return (pbti_json_text){data, (size_t) (p - data) + strlen(after)};
}

pbti_json_text pbti_naming_key(pbti_naming *naming, const pbti_json_type *type,
                               const char *name, bool quoted) {
    return make_text(naming, type, ",\"", name, quoted ? "\":\"" : "\":");
}

pbti_json_text pbti_naming_text(pbti_naming *naming, const pbti_json_type *type,
                                const char *text) {
    return make_text(naming, type, text, "", "");
}

const char *pbti_naming_camel_case(pbti_naming *naming,
                                   const pbti_json_type *type,
                                   const char *name) {
    char *camel = pbti_naming_take(naming, type, strlen(name) + 1);
    char *p = camel;
    bool after_score = false;
    if (!camel)
        return "";
    for (; *name; name++) {
        bool lower = *name >= 'a' && *name <= 'z';
        if (*name != '_')
            *p++ = after_score && lower ? (char) (*name - 'a' + 'A') : *name;
        after_score = *name == '_';
    }
    *p = '\0';
    return camel;
}

static bool has_names(const ProtobufCEnumDescriptor *values) {
    unsigned i;
    for (i = 0; i < values->n_values; i++)
        if (!values->values[i].name)
            return false;
    return true;
}

const pbti_json_enum *pbti_naming_enum(pbti_naming *naming,
                                       const pbti_json_type *type,
                                       const ProtobufCEnumDescriptor *values) {
    pbti_json_enum *names;
    pbti_json_text *texts;
    int *numbers;
    unsigned i;
    if (!values || !has_names(values))
        return NULL;
    names = pbti_naming_take(naming, type, sizeof *names);
    texts = pbti_naming_take(naming, type, values->n_values * sizeof *texts);
    numbers =
        pbti_naming_take(naming, type, values->n_values * sizeof *numbers);
    if (!names || !texts || !numbers)
        return NULL;
    *names = (pbti_json_enum){
        .n = values->n_values, .numbers = numbers, .names = texts};
    for (i = 0; i < values->n_values; i++) {
        const ProtobufCEnumValue *value = &values->values[i];
        texts[i] = make_text(naming, type, "\"", value->name, "\"");
        numbers[i] = value->value;
        if (i == names->n_dense &&
            (i == 0 || (int64_t) numbers[i] - numbers[0] == i))
            names->n_dense++;
    }
    names->first = values->n_values ? numbers[0] : 0;
    return names;
}

const pbti_json_fault *pbti_naming_fault(pbti_naming *naming,
                                         const pbti_json_type *type,
                                         pbt_status status, const char *format,
                                         ...) {
    char sentence[256];
    pbti_json_fault *fault = pbti_naming_take(naming, type, sizeof *fault);
    char *copy;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    copy = pbti_naming_take(naming, type, strlen(sentence) + 1);
    if (!fault || !copy)
        return NULL;
    memcpy(copy, sentence, strlen(sentence) + 1);
    *fault = (pbti_json_fault){status, copy};
    return fault;
}
