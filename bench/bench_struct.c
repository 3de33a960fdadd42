/* bench_struct.c - a dataset once more as a google.protobuf.Struct: its JSON
 * text is read, and each value becomes a Value. The text is that of the library
 * and its own, so nothing here looks for errors. */
#include "bench_data.h"

#include <stdlib.h>
#include <string.h>

#include <pbturbo/pbturbo.h>

/* Fields of google.protobuf.Value. */
enum { VALUE_NUMBER = 2, VALUE_STRING, VALUE_BOOL, VALUE_STRUCT, VALUE_LIST };

static void put_value(wire_writer *out, const char **text);

/* The character that four hexadecimal digits escape: below 0x20 in our text. */
static char control_char(const char *digits) {
    char number[5] = {digits[0], digits[1], digits[2], digits[3], '\0'};
    return (char) strtol(number, NULL, 16);
}

/* A string behind its opening quote, as the field. */
static void put_string(wire_writer *out, uint32_t field, const char **text) {
    static const char letters[] = "bfnrt";
    static const char controls[] = "\b\f\n\r\t";
    const char *at = *text;
    wire_writer content = {NULL, 0, 0};
    for (; *at != '"'; at++) {
        char c = *at;
        if (c == '\\') {
            const char *letter = strchr(letters, *++at);
            c = letter != NULL ? controls[letter - letters] : *at;
            if (*at == 'u') {
                c = control_char(at + 1);
                at += 4;
            }
        }
        wire_put_raw(&content, &c, 1);
    }
    wire_put_raw(&content, "", 1);
    wire_string(out, field, (const char *) content.data);
    free(content.data);
    *text = at + 1;
}

/* The members of an object, behind the brace, as entries of a Struct. */
static void put_members(wire_writer *out, const char **text) {
    while (**text != '}') {
        *text += **text == ',' ? 2 : 1;
        size_t entry = wire_open(out, 1);
        put_string(out, 1, text);
        ++*text;
        size_t value = wire_open(out, 2);
        put_value(out, text);
        wire_close(out, value);
        wire_close(out, entry);
    }
    ++*text;
}

static void put_elements(wire_writer *out, const char **text) {
    while (**text != ']') {
        *text += **text == ',';
        size_t value = wire_open(out, 1);
        put_value(out, text);
        wire_close(out, value);
    }
    ++*text;
}

static void put_number(wire_writer *out, const char **text) {
    char *end;
    wire_double(out, VALUE_NUMBER, strtod(*text, &end));
    *text = end;
}

/* The content of one Value. */
static void put_value(wire_writer *out, const char **text) {
    char first = **text;
    size_t mark;
    switch (first) {
    case '{':
        ++*text;
        mark = wire_open(out, VALUE_STRUCT);
        put_members(out, text);
        wire_close(out, mark);
        break;
    case '[':
        ++*text;
        mark = wire_open(out, VALUE_LIST);
        put_elements(out, text);
        wire_close(out, mark);
        break;
    case '"':
        ++*text;
        put_string(out, VALUE_STRING, text);
        break;
    case 't':
    case 'f':
        wire_varint(out, VALUE_BOOL, first == 't');
        *text += first == 't' ? 4 : 5;
        break;
    default:
        put_number(out, text);
    }
}

void bench_struct_of(const bench_dataset *dataset, size_t i, wire_writer *out) {
    pbt_json_options options = {.flags = dataset->json_flags};
    pbt_buffer text = {0};
    if (pbt_marshal_json_append(dataset->structs[i], &options, &text) ==
        PBT_OK) {
        const char *at = (const char *) text.data + 1;
        put_members(out, &at);
    }
    pbt_buffer_free(&text);
}
