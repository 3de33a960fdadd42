/* reflect_walk.c - the steps through a message, and its errors' places. See
 * reflect_walk.h. */
#include "reflect_walk.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base_error.h"

enum { KEY_PART = 128, KEY_KEPT = 2 * KEY_PART };

/* A path keeps its first and its last PBTI_PATH_HALF bytes, so the middle of
 * a long key can be left out before. */
_Static_assert(KEY_PART >= (int) PBTI_PATH_HALF,
               "no byte that is kept is lost");
_Static_assert(KEY_KEPT >= (int) PBTI_PATH_SIZE, "what is cut stays too long");

static void append_string_key(pbti_path *path, const pbti_key *key) {
    char text[KEY_KEPT + 1];
    const char *data = key->data;
    size_t len = key->len;
    if (len > KEY_KEPT) {
        memcpy(text, data, KEY_PART);
        memcpy(text + KEY_PART, data + len - KEY_PART, KEY_PART);
        len = KEY_KEPT;
    } else if (len > 0) {
        memcpy(text, data, len);
    }
    text[len] = '\0';
    pbti_path_string_key(path, text);
}

static void append_key(pbti_path *path, const pbti_key *key) {
    switch (key->type) {
    case PBT_REFLECT_STRING:
        append_string_key(path, key);
        break;
    case PBT_REFLECT_BOOL:
        pbti_path_bool_key(path, key->bits != 0);
        break;
    case PBT_REFLECT_UINT32:
    case PBT_REFLECT_UINT64:
    case PBT_REFLECT_FIXED32:
    case PBT_REFLECT_FIXED64:
        pbti_path_unsigned_key(path, key->bits);
        break;
    default:
        pbti_path_signed_key(path, (int64_t) key->bits);
        break;
    }
}

static void append_element(const pbti_walk *walk, const pbti_link *link,
                           pbt_reflect_field *field, pbti_path *path) {
    pbti_key key;
    const char *why = NULL;
    if ((field->traits & PBT_REFLECT_MAP) &&
        pbti_reflect_key(walk, &link->message, field, link->element, &key,
                         &why) == PBT_OK &&
        !key.foreign)
        append_key(path, &key);
    else
        pbti_path_index(path, link->element);
}

/* Returns the number of the last field in the path. */
static uint32_t tell_path(const pbti_walk *walk, pbti_path *path) {
    const pbti_link *link;
    uint32_t number = 0;
    for (link = &walk->root; link; link = link->next) {
        pbt_reflect_field field = {0};
        const char *why = NULL;
        if (link->field == PBTI_NOTHING)
            continue; /* as above the content of an Any */
        /* A field that is in error has a name all the same. */
        (void) walk->reflection->field(&link->message, link->field,
                                       link->presence, &field, &why);
        number = field.number;
        pbti_path_field(path, field.name, field.number);
        if (link->element != PBTI_NOTHING)
            append_element(walk, link, &field, path);
    }
    return number;
}

PBTI_NOINLINE pbt_status pbti_reflect_fail(pbti_walk *walk, pbt_status status,
                                           const char *format, ...) {
    char sentence[sizeof walk->error->message];
    pbti_path path = {0};
    uint32_t number;
    va_list arguments;
    if (!walk->error)
        return status;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    number = tell_path(walk, &path);
    return pbti_fail(walk->error, status, number, &path, "%s", sentence);
}

PBTI_NOINLINE pbt_status pbti_reflect_fail_why(pbti_walk *walk,
                                               const pbti_link *link,
                                               const pbt_reflect_field *field,
                                               pbt_status status,
                                               const char *why) {
    pbt_reflect_shape shape = {0};
    const char *ignored = NULL;
    if (status != PBT_ERR_BAD_DESCRIPTOR)
        return pbti_reflect_fail(walk, status, "%s", why);
    (void) walk->reflection->shape(&link->message, &shape, &ignored);
    if (!shape.type_name)
        shape.type_name = "(unnamed)";
    if (!field)
        return pbti_reflect_fail(walk, status, "type %s: %s", shape.type_name,
                                 why);
    return pbti_reflect_fail(
        walk, status, "type %s, field %s (%" PRIu32 "): %s", shape.type_name,
        field->name ? field->name : "(unnamed)", field->number, why);
}

PBTI_NOINLINE pbt_status pbti_reflect_fail_size(pbti_walk *walk) {
    return pbti_reflect_fail(walk, PBT_ERR_TOO_LARGE,
                             "the message takes more than %" PRIu64 " bytes",
                             walk->max_size);
}

pbt_status pbti_reflect_open(pbti_walk *walk, pbti_link *link) {
    pbt_reflect_shape shape = {0};
    const char *why = NULL;
    pbt_status status = walk->reflection->shape(&link->message, &shape, &why);
    if (status != PBT_OK)
        return pbti_reflect_fail_why(walk, link, NULL, status, why);
    link->n_fields = shape.n_fields;
    link->n_unknown = shape.n_unknown;
    return PBT_OK;
}

pbt_status pbti_reflect_field(pbti_walk *walk, pbti_link *link, size_t index,
                              pbt_reflect_field *field) {
    const char *why = NULL;
    pbt_status status;
    memset(field, 0, sizeof *field);
    link->field = (uint32_t) index;
    link->element = PBTI_NOTHING;
    status = walk->reflection->field(&link->message, index, link->presence,
                                     field, &why);
    if (status != PBT_OK)
        return pbti_reflect_fail_why(walk, link, field, status, why);
    return PBT_OK;
}

pbt_status pbti_reflect_check_count(pbti_walk *walk, const pbti_link *link,
                                    const pbt_reflect_field *field) {
    if (field->count >= PBT_REFLECT_MAX_ELEMENTS)
        return pbti_reflect_fail(walk, PBT_ERR_TOO_LARGE,
                                 "the field has %zu elements", field->count);
    if (field->traits & PBT_REFLECT_UNREACHABLE)
        return pbti_reflect_fail_why(walk, link, field, PBT_ERR_BAD_MESSAGE,
                                     "the array is NULL but not empty");
    return PBT_OK;
}

pbt_status pbti_reflect_value(pbti_walk *walk, pbti_link *link,
                              pbt_reflect_field *field, size_t index,
                              pbt_reflect_value *value) {
    const char *why = NULL;
    pbt_status status;
    memset(value, 0, sizeof *value);
    if (field->traits & PBT_REFLECT_REPEATED)
        link->element = (uint32_t) index;
    status = walk->reflection->value(&link->message, field, index, value, &why);
    if (status != PBT_OK)
        return pbti_reflect_fail_why(walk, link, field, status, why);
    return PBT_OK;
}

pbt_status pbti_reflect_check_depth(pbti_walk *walk) {
    if (walk->depth < walk->max_depth)
        return PBT_OK;
    return pbti_reflect_fail(walk, PBT_ERR_DEPTH,
                             "messages are nested more than %" PRIu32
                             " levels deep",
                             walk->max_depth);
}

pbt_status pbti_reflect_descend(pbti_walk *walk, pbti_link *link,
                                const pbt_reflect_message *message,
                                unsigned presence, pbti_link *child) {
    pbt_status status = pbti_reflect_check_depth(walk);
    if (status != PBT_OK)
        return status;
    memset(child, 0, sizeof *child);
    walk->depth++;
    child->message = *message;
    child->field = PBTI_NOTHING;
    child->element = PBTI_NOTHING;
    child->presence = presence;
    link->next = child;
    return pbti_reflect_open(walk, child);
}

pbt_status pbti_reflect_enter(pbti_walk *walk, pbti_link *link,
                              pbt_reflect_field *field, size_t index,
                              pbti_link *child) {
    pbt_reflect_value value;
    unsigned presence = walk->presence;
    pbt_status status = pbti_reflect_value(walk, link, field, index, &value);
    memset(child, 0, sizeof *child);
    child->absent = value.absent;
    if (status != PBT_OK || value.absent)
        return status;
    if (value.entry && (walk->flags & PBT_CONFORMANT))
        presence |= PBT_REFLECT_WHOLE_ENTRY;
    return pbti_reflect_descend(walk, link, &value.as.message, presence, child);
}

void pbti_reflect_leave(pbti_walk *walk, pbti_link *link) {
    walk->depth--;
    link->next = NULL;
}

bool pbti_reflect_is_message(const pbt_reflect_field *field) {
    return field->type == PBT_REFLECT_MESSAGE ||
           field->type == PBT_REFLECT_GROUP;
}
