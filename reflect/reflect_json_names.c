/* reflect_json_names.c - the keys of fields, and types whose keys are no good.
 *
 * A key is read as a row of characters, so that none is ever stored. */
#include "reflect_json.h"

#include "base_alloc.h"
#include "base_error.h"

/* A key on its way: what is left of it. */
typedef struct key_reader {
    const char *left;
    bool is_camel;   /* underscores are to be left out */
    bool has_opened; /* of brackets, which an extension has */
    bool has_closed;
} key_reader;

/* False when the field has no name. */
static bool start_key(const pbti_printer *to, const pbt_reflect_field *field,
                      const pbt_reflect_detail *detail, key_reader *reader) {
    bool by_proto = (to->options->flags & PBT_JSON_PROTO_NAMES) != 0;
    bool has_own = detail->json_name && !by_proto;
    const char *name = detail->name ? detail->name : field->name;
    reader->left = has_own ? detail->json_name : name;
    reader->is_camel = !has_own && !by_proto && !detail->is_extension;
    reader->has_opened = reader->has_closed = !detail->is_extension;
    if (detail->is_extension)
        reader->left = name;
    return reader->left != NULL;
}

/* The next character, or NUL. */
static char next_char(key_reader *reader) {
    bool after_score = false;
    if (!reader->has_opened) {
        reader->has_opened = true;
        return '[';
    }
    while (reader->is_camel && *reader->left == '_') {
        reader->left++;
        after_score = true;
    }
    if (*reader->left) {
        char c = *reader->left++;
        return after_score && c >= 'a' && c <= 'z' ? (char) (c - 'a' + 'A') : c;
    }
    if (reader->has_closed)
        return '\0';
    reader->has_closed = true;
    return ']';
}

pbt_reflect_detail pbti_print_detail(const pbti_printer *to,
                                     const pbti_link *link,
                                     const pbt_reflect_field *field) {
    pbt_reflect_detail detail;
    memset(&detail, 0, sizeof detail);
    to->walk.reflection->detail(&link->message, field, to->options->schema,
                                &detail);
    return detail;
}

void pbti_print_key(pbti_printer *to, const pbti_link *link,
                    const pbt_reflect_field *field) {
    pbt_reflect_detail detail = pbti_print_detail(to, link, field);
    key_reader reader;
    char piece[64];
    size_t n = 0;
    char c;
    pbti_print_char(to, '"');
    (void) start_key(to, field, &detail, &reader);
    while ((c = next_char(&reader)) != '\0') {
        /* not within a sequence of UTF-8 */
        if (n > sizeof piece - 8 && (c & 0xc0) != 0x80) {
            pbti_print_escaped(to, piece, n, PBT_JSON_UTF8_REPLACE);
            n = 0;
        }
        if (n < sizeof piece)
            piece[n++] = c;
    }
    pbti_print_escaped(to, piece, n, PBT_JSON_UTF8_REPLACE);
    pbti_print_char(to, '"');
    pbti_print_colon(to);
}

/* The field at an index. What is wrong with it is found out later. */
static bool start_key_at(const pbti_printer *to, const pbti_link *link,
                         size_t index, pbt_reflect_field *field,
                         key_reader *reader) {
    pbt_reflect_detail detail;
    const char *why = NULL;
    memset(field, 0, sizeof *field);
    if (to->walk.reflection->field(&link->message, index, 0, field, &why) !=
        PBT_OK)
        return false;
    detail = pbti_print_detail(to, link, field);
    return start_key(to, field, &detail, reader);
}

static bool have_one_key(const pbti_printer *to, const pbti_link *link,
                         size_t a, size_t b) {
    pbt_reflect_field field;
    key_reader left, right;
    char c;
    if (!start_key_at(to, link, a, &field, &left) ||
        !start_key_at(to, link, b, &field, &right))
        return false;
    while ((c = next_char(&left)) == next_char(&right))
        if (c == '\0')
            return true;
    return false;
}

static pbt_status fail_type(pbti_printer *to, const pbti_link *link, size_t a,
                            size_t b) {
    pbt_reflect_shape shape = {0};
    pbt_reflect_field left = {0}, right = {0};
    const char *why = NULL;
    const pbt_reflection *reflection = to->walk.reflection;
    (void) reflection->shape(&link->message, &shape, &why);
    (void) reflection->field(&link->message, a, 0, &left, &why);
    (void) reflection->field(&link->message, b, 0, &right, &why);
    if (!shape.type_name)
        shape.type_name = "(unnamed)";
    if (a == b)
        to->status = pbti_reflect_fail(
            &to->walk, PBT_ERR_UNSUPPORTED,
            "type %s: field number %u has no name (optimize_for = CODE_SIZE)",
            shape.type_name, (unsigned) left.number);
    else
        to->status =
            pbti_reflect_fail(&to->walk, PBT_ERR_UNSUPPORTED,
                              "type %s: fields %s and %s have the same JSON "
                              "name",
                              shape.type_name, left.name ? left.name : "?",
                              right.name ? right.name : "?");
    return to->status;
}

static size_t hash_of(key_reader reader) {
    uint32_t hash = UINT32_C(2166136261);
    char c;
    while ((c = next_char(&reader)) != '\0')
        hash = (hash ^ (unsigned char) c) * UINT32_C(16777619);
    return hash;
}

/* Enters all fields into a hash of their indices + 1, half full at most. */
static pbt_status enter_keys(pbti_printer *to, const pbti_link *link,
                             uint32_t *slots, size_t n_slots) {
    size_t i;
    for (i = 0; i < link->n_fields; i++) {
        pbt_reflect_field field;
        key_reader reader;
        size_t at;
        if (!start_key_at(to, link, i, &field, &reader)) {
            if (!field.name)
                return fail_type(to, link, i, i);
            continue;
        }
        at = hash_of(reader) & (n_slots - 1);
        for (; slots[at]; at = (at + 1) & (n_slots - 1))
            if (have_one_key(to, link, slots[at] - 1, i))
                return fail_type(to, link, slots[at] - 1, i);
        slots[at] = (uint32_t) i + 1;
    }
    return PBT_OK;
}

static pbt_status check_keys(pbti_printer *to, const pbti_link *link) {
    const ProtobufCAllocator *allocator = to->walk.allocator;
    size_t n_slots = 1;
    uint32_t *slots;
    pbt_status status;
    while (n_slots < 2 * link->n_fields)
        n_slots *= 2;
    slots = pbti_alloc(allocator, n_slots * sizeof *slots);
    if (!slots)
        return to->status =
                   pbti_fail(to->walk.error, PBT_ERR_NO_MEMORY, 0, NULL, NULL);
    memset(slots, 0, n_slots * sizeof *slots);
    status = enter_keys(to, link, slots, n_slots);
    pbti_free(allocator, slots);
    return status;
}

PBTI_APART pbt_status pbti_print_check_keys(pbti_printer *to, pbti_link *link) {
    pbt_reflect_shape shape = {0};
    const char *why = NULL;
    const void **known;
    pbt_status status;
    if (link->n_fields == 0)
        return PBT_OK;
    (void) to->walk.reflection->shape(&link->message, &shape, &why);
    known = &to->good_types[((uintptr_t) shape.type >> 4) %
                            (size_t) PBTI_KNOWN_TYPES];
    if (shape.type && *known == shape.type)
        return PBT_OK;
    status = check_keys(to, link);
    if (status == PBT_OK)
        *known = shape.type;
    return status;
}
