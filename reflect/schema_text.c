/* schema_text.c - names as protoc and protoc-c derive them, and C escapes.
 * ASCII only, whatever the locale. */
#include "schema_build.h"

static bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}

static bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}

static char to_upper(char c) {
    return is_lower(c) ? (char) (c - 'a' + 'A') : c;
}

char *pbti_text_copy(pbt_arena *arena, const char *text) {
    size_t size = strlen(text) + 1;
    char *copy = pbti_arena_alloc(arena, size);
    return copy ? memcpy(copy, text, size) : NULL;
}

static char *put_text(char *out, const char *text, size_t len) {
    memcpy(out, text, len);
    return out + len;
}

char *pbti_text_join(pbt_arena *arena, const char *scope, const char *name) {
    size_t scope_len = scope ? strlen(scope) : 0;
    size_t name_len = strlen(name);
    char *text;
    char *end;
    if (!scope_len)
        return pbti_text_copy(arena, name);
    text = pbti_arena_alloc(arena, scope_len + 1 + name_len + 1);
    if (!text)
        return NULL;
    end = put_text(text, scope, scope_len);
    *end++ = '.';
    *put_text(end, name, name_len) = '\0';
    return text;
}

/* foo_bar to FooBar. */
static char *put_camel(char *out, const char *name, size_t len) {
    bool capital = true;
    size_t i;
    for (i = 0; i < len; i++) {
        if (name[i] == '_') {
            capital = true;
            continue;
        }
        *out++ = capital ? to_upper(name[i]) : name[i];
        capital = false;
    }
    return out;
}

/* FooBar to FOO_BAR. */
static char *put_capitals(char *out, const char *name, size_t len) {
    bool after_upper = true;
    size_t i;
    for (i = 0; i < len; i++) {
        if (is_upper(name[i]) && !after_upper)
            *out++ = '_';
        *out++ = to_upper(name[i]);
        after_upper = is_upper(name[i]);
    }
    return out;
}

typedef char *put_part(char *out, const char *name, size_t len);

/* Puts each part of a full name, with "__" between them. */
static char *put_parts(char *out, const char *full_name, put_part *put) {
    const char *begin = out;
    while (*full_name) {
        size_t len = strcspn(full_name, ".");
        if (len > 0 && out > begin) {
            *out++ = '_';
            *out++ = '_';
        }
        out = put(out, full_name, len);
        full_name += len + (full_name[len] == '.');
    }
    return out;
}

/* Source: protoc-c's option c_package, which stands in for the package. */
static const char *override_package(pbt_arena *arena, const pbti_file *file,
                                    const char *full_name) {
    size_t package_len = strlen(file->package);
    if (!file->c_package)
        return full_name;
    if (package_len)
        package_len++;
    return pbti_text_join(arena, file->c_package, full_name + package_len);
}

static char *start_c_name(pbt_arena *arena, const pbti_file *file,
                          const char *full_name, const char *tail,
                          put_part *put) {
    const char *source = override_package(arena, file, full_name);
    char *text;
    char *end;
    if (!source)
        return NULL;
    /* Each character gives two at most, and so does each dot. */
    text = pbti_arena_alloc(arena, 2 * strlen(source) + strlen(tail) + 1);
    if (!text)
        return NULL;
    end = put_parts(text, source, put);
    memcpy(end, tail, strlen(tail) + 1);
    return text;
}

char *pbti_text_c_name(pbt_arena *arena, const pbti_file *file,
                       const char *full_name) {
    return start_c_name(arena, file, full_name, "", put_camel);
}

char *pbti_text_c_value(pbt_arena *arena, const pbti_file *file,
                        const char *enum_name, const char *value) {
    char *text;
    char *prefix = start_c_name(arena, file, enum_name, "__", put_capitals);
    size_t len;
    if (!prefix)
        return NULL;
    len = strlen(prefix);
    text = pbti_arena_alloc(arena, len + strlen(value) + 1);
    if (!text)
        return NULL;
    memcpy(text, prefix, len);
    memcpy(text + len, value, strlen(value) + 1);
    return text;
}

char *pbti_text_camel(pbt_arena *arena, const char *name) {
    char *text = pbti_arena_alloc(arena, strlen(name) + 1);
    if (text)
        *put_camel(text, name, strlen(name)) = '\0';
    return text;
}

char *pbti_text_json_name(pbt_arena *arena, const char *name) {
    char *text = pbti_arena_alloc(arena, strlen(name) + 1);
    char *out = text;
    bool capital = false;
    if (!text)
        return NULL;
    for (; *name; name++) {
        if (*name == '_') {
            capital = true;
            continue;
        }
        *out++ = capital ? to_upper(*name) : *name;
        capital = false;
    }
    *out = '\0';
    return text;
}

char *pbti_text_bracket(pbt_arena *arena, const char *full_name) {
    size_t len = strlen(full_name);
    char *text = pbti_arena_alloc(arena, len + 3);
    if (!text)
        return NULL;
    text[0] = '[';
    memcpy(text + 1, full_name, len);
    text[len + 1] = ']';
    text[len + 2] = '\0';
    return text;
}

static int digit_value(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 16;
}

/* Reads up to max_digits digits; false if there is none, or too large a
 * value. */
static bool read_byte(const char **text, int base, int max_digits,
                      uint8_t *byte) {
    int value = 0;
    int n = 0;
    while (n < max_digits && digit_value(**text) < base) {
        value = value * base + digit_value(**text);
        (*text)++;
        n++;
    }
    *byte = (uint8_t) value;
    return n > 0 && value <= 0xff;
}

/* Reads what follows a backslash. */
static bool read_escape(const char **text, uint8_t *byte) {
    static const char letters[] = "abfnrtv\"'\\?";
    static const char meanings[] = "\a\b\f\n\r\t\v\"'\\?";
    const char *letter;
    if (digit_value(**text) < 8)
        return read_byte(text, 8, 3, byte);
    if (**text == 'x' || **text == 'X') {
        (*text)++;
        return read_byte(text, 16, 2, byte);
    }
    letter = **text ? strchr(letters, **text) : NULL;
    if (!letter)
        return false;
    (*text)++;
    *byte = (uint8_t) meanings[letter - letters];
    return true;
}

bool pbti_text_unescape(const char *text, uint8_t *out, size_t *len) {
    *len = 0;
    while (*text) {
        if (*text != '\\') {
            out[(*len)++] = (uint8_t) *text++;
            continue;
        }
        text++;
        if (!read_escape(&text, &out[(*len)++]))
            return false;
    }
    out[*len] = 0;
    return true;
}
