/* reflect_json_write.c - messages, fields and lists as JSON text.
 *
 * What recurses is kept small, and what does not is kept out of it. */
#include "reflect_json.h"

static pbt_status write_message(pbti_printer *to, pbti_link *link);

static PBTI_NOINLINE pbt_status fail_missing(pbti_printer *to) {
    if (to->lacking > 0)
        return PBT_OK;
    return pbti_print_fail(to, PBT_ERR_REQUIRED,
                           pbt_status_message(PBT_ERR_REQUIRED));
}

static pbt_status write_sub(pbti_printer *to, pbti_link *link,
                            pbt_reflect_field *field, size_t index) {
    pbti_link child;
    pbt_status status =
        pbti_reflect_enter(&to->walk, link, field, index, &child);
    if (status != PBT_OK)
        return to->status = status;
    if (child.absent)
        return PBT_OK;
    status = write_message(to, &child);
    if (status == PBT_OK)
        pbti_reflect_leave(&to->walk, link);
    return status;
}

static pbt_status write_one(pbti_printer *to, pbti_link *link,
                            pbt_reflect_field *field, size_t index) {
    if (pbti_reflect_is_message(field))
        return write_sub(to, link, field, index);
    return pbti_print_value(to, link, field, index);
}

/* Goes down to a message that was made on the way. */
static pbt_status descend(pbti_printer *to, pbti_link *link,
                          const pbt_reflect_made *made, pbti_link *child) {
    return to->status = pbti_reflect_descend(&to->walk, link, &made->message,
                                             to->walk.presence, child);
}

static PBTI_APART pbt_status make_blank(pbti_printer *to,
                                        const pbt_reflect_field *field,
                                        pbt_reflect_made *made) {
    const pbt_reflection *reflection = to->walk.reflection;
    *made = (pbt_reflect_made){.allocator = to->walk.allocator};
    if (!reflection->blank)
        return pbti_print_fail(to, PBT_ERR_BAD_MESSAGE,
                               "a map entry has no value");
    to->status = reflection->blank(field, made);
    if (to->status != PBT_OK)
        (void) pbti_reflect_fail(&to->walk, to->status, "%s",
                                 pbt_status_message(to->status));
    return to->status;
}

/* The message that an entry does not have; nothing can be required of it. */
static PBTI_APART pbt_status write_blank(pbti_printer *to, pbti_link *entry,
                                         const pbt_reflect_field *field) {
    pbt_reflect_made made;
    pbti_link child;
    pbt_status status = make_blank(to, field, &made);
    if (status != PBT_OK)
        return status;
    status = descend(to, entry, &made, &child);
    to->lacking++;
    if (status == PBT_OK)
        status = write_message(to, &child);
    to->lacking--;
    if (status == PBT_OK)
        pbti_reflect_leave(&to->walk, entry);
    to->walk.reflection->drop(&made);
    return status;
}

static pbt_status write_entry_value(pbti_printer *to, pbti_link *entry) {
    pbt_reflect_field field;
    pbt_status status = pbti_reflect_field(&to->walk, entry, 1, &field);
    if (status != PBT_OK)
        return to->status = status;
    if (pbti_print_check_enum(to, entry, &field) != PBT_OK)
        return to->status;
    if (field.count > 0)
        return write_one(to, entry, &field, 0);
    if (pbti_reflect_is_message(&field))
        return write_blank(to, entry, &field);
    return pbti_print_default(to, entry, &field);
}

static pbt_status write_entry(pbti_printer *to, pbti_link *link,
                              pbt_reflect_field *field, size_t index) {
    pbti_link entry;
    pbt_status status =
        pbti_reflect_enter(&to->walk, link, field, index, &entry);
    if (status != PBT_OK)
        return to->status = status;
    entry.presence |= PBT_REFLECT_DEFAULT_MESSAGE;
    status = pbti_print_entry_key(to, &entry);
    if (status == PBT_OK)
        status = write_entry_value(to, &entry);
    if (status == PBT_OK)
        pbti_reflect_leave(&to->walk, link);
    return status;
}

static pbt_status write_map(pbti_printer *to, pbti_link *link,
                            pbt_reflect_field *field) {
    pbti_order order;
    size_t i;
    pbt_status status = pbti_print_order(to, link, field, &order);
    if (status == PBT_OK)
        status = to->status = pbti_reflect_check_depth(&to->walk);
    pbti_print_open(to, '{');
    for (i = 0; status == PBT_OK && i < order.left; i++) {
        pbti_print_next(to, i == 0);
        status = write_entry(to, link, field, order.index ? order.index[i] : i);
    }
    pbti_reflect_order_end(&to->walk, &order);
    pbti_print_close(to, '}', false);
    return to->status;
}

static pbt_status write_list(pbti_printer *to, pbti_link *link,
                             pbt_reflect_field *field) {
    pbt_status status = PBT_OK;
    size_t i;
    if (pbti_reflect_is_message(field))
        status = to->status = pbti_reflect_check_depth(&to->walk);
    pbti_print_open(to, '[');
    for (i = 0; status == PBT_OK && i < field->count; i++) {
        pbti_print_next(to, i == 0);
        status = write_one(to, link, field, i);
    }
    pbti_print_close(to, ']', false);
    return to->status;
}

static PBTI_APART bool is_map(const pbti_printer *to, const pbti_link *link,
                              const pbt_reflect_field *field) {
    return (field->traits & PBT_REFLECT_MAP) &&
           !pbti_print_detail(to, link, field).is_list;
}

static PBTI_APART pbt_status check_array(pbti_printer *to,
                                         const pbti_link *link,
                                         const pbt_reflect_field *field) {
    pbt_status status = PBT_OK;
    /* Each takes two bytes at least, with its comma. */
    if (field->count > to->max_size / 2)
        return pbti_print_fail(to, PBT_ERR_TOO_LARGE,
                               "there are more elements than max_size allows");
    status = pbti_reflect_check_count(&to->walk, link, field);
    return to->status = status;
}

/* The text of a field that is set. */
static pbt_status write_field(pbti_printer *to, pbti_link *link,
                              pbt_reflect_field *field) {
    if (pbti_print_check_enum(to, link, field) != PBT_OK)
        return to->status;
    if (!(field->traits & PBT_REFLECT_REPEATED))
        return write_one(to, link, field, 0);
    if (check_array(to, link, field) != PBT_OK)
        return to->status;
    if (is_map(to, link, field))
        return write_map(to, link, field);
    return write_list(to, link, field);
}

/* A reader takes null for the value of such a field. */
static bool holds_null(const pbt_reflect_detail *detail) {
    return detail->type_name &&
           strcmp(detail->type_name, "google.protobuf.Value") == 0;
}

/* What the options want for a field that is unset: a word, or NULL. */
static const char *word_for_unset(const pbti_printer *to,
                                  const pbt_reflect_field *field,
                                  const pbt_reflect_detail *detail) {
    uint32_t flags = to->options->flags;
    if ((field->traits & PBT_REFLECT_MAP) && !detail->is_list)
        return flags & PBT_JSON_EMIT_EMPTY_MAPS ? "{}" : NULL;
    if (field->traits & PBT_REFLECT_REPEATED)
        return flags & PBT_JSON_EMIT_EMPTY_LISTS ? "[]" : NULL;
    if (!pbti_reflect_is_message(field) || holds_null(detail))
        return NULL;
    return flags & PBT_JSON_EMIT_NULL_MESSAGES ? "null" : NULL;
}

static bool wants_default(const pbti_printer *to,
                          const pbt_reflect_field *field,
                          const pbt_reflect_detail *detail) {
    return (to->options->flags & PBT_JSON_EMIT_DEFAULT_SCALARS) &&
           !(field->traits & PBT_REFLECT_REPEATED) &&
           !pbti_reflect_is_message(field) &&
           (detail->is_implicit || detail->has_default);
}

/* *is_first tells whether a comma is wanted for the member. */
static PBTI_APART pbt_status write_unset(pbti_printer *to, pbti_link *link,
                                         const pbt_reflect_field *field,
                                         bool *is_first) {
    pbt_reflect_detail detail = pbti_print_detail(to, link, field);
    const char *word = word_for_unset(to, field, &detail);
    if (field->traits & PBT_REFLECT_REQUIRED)
        return fail_missing(to);
    if (detail.oneof || detail.is_extension || detail.is_foreign ||
        pbti_print_lacks_names(to, field, &detail) ||
        (!word && !wants_default(to, field, &detail)))
        return PBT_OK;
    pbti_print_next(to, *is_first);
    *is_first = false;
    pbti_print_key(to, link, field);
    if (!word)
        return pbti_print_default(to, link, field);
    pbti_print_word(to, word);
    return to->status;
}

/* Whether a required string or message is NULL. */
static PBTI_APART bool is_absent(pbti_printer *to, pbti_link *link,
                                 pbt_reflect_field *field) {
    pbt_reflect_value value;
    if (!(field->traits & PBT_REFLECT_REQUIRED))
        return false;
    to->status = pbti_reflect_value(&to->walk, link, field, 0, &value);
    return to->status == PBT_OK && value.absent;
}

static pbt_status write_member(pbti_printer *to, pbti_link *link, size_t index,
                               bool *is_first) {
    pbt_reflect_field field;
    pbt_status status = pbti_reflect_field(&to->walk, link, index, &field);
    if (status != PBT_OK)
        return to->status = status;
    if ((field.traits & PBT_REFLECT_REPEATED) &&
        pbti_print_detail(to, link, &field).is_map)
        field.traits |= PBT_REFLECT_MAP;
    if (field.count == 0)
        return write_unset(to, link, &field, is_first);
    if (is_absent(to, link, &field))
        return fail_missing(to);
    pbti_print_next(to, *is_first);
    *is_first = false;
    pbti_print_key(to, link, &field);
    return to->status == PBT_OK ? write_field(to, link, &field) : to->status;
}

static pbt_status write_members(pbti_printer *to, pbti_link *link,
                                bool *is_first) {
    pbt_status status = pbti_print_check_keys(to, link);
    size_t i;
    for (i = 0; status == PBT_OK && i < link->n_fields; i++)
        status = write_member(to, link, i, is_first);
    pbti_print_step_back(link);
    return status;
}

static pbt_status write_object(pbti_printer *to, pbti_link *link) {
    bool is_first = true;
    pbt_status status;
    pbti_print_open(to, '{');
    status = write_members(to, link, &is_first);
    pbti_print_close(to, '}', is_first);
    return status == PBT_OK ? to->status : status;
}

/* The content of an Any, behind "@type": in the same object, or in a member of
 * its own if it has a text of its own. */
static pbt_status write_content(pbti_printer *to, pbti_link *content) {
    bool is_first = false;
    if (pbti_print_kind_of(to, content) == PBTI_PRINT_ORDINARY)
        return write_members(to, content, &is_first);
    pbti_print_next(to, false);
    pbti_print_word(to, "\"value\"");
    pbti_print_colon(to);
    return write_message(to, content);
}

static pbt_status write_made(pbti_printer *to, pbti_link *link,
                             const pbt_reflect_made *made) {
    pbti_link content;
    pbt_status status;
    pbti_print_open(to, '{');
    pbti_print_next(to, true);
    pbti_print_type_url(to, link);
    if (to->status != PBT_OK || descend(to, link, made, &content) != PBT_OK)
        return to->status;
    to->lacking++;
    status = write_content(to, &content);
    to->lacking--;
    if (status == PBT_OK)
        pbti_reflect_leave(&to->walk, link);
    pbti_print_close(to, '}', false);
    return to->status;
}

static PBTI_APART pbt_status write_any(pbti_printer *to, pbti_link *link) {
    pbti_print_any how;
    pbt_reflect_made made;
    pbt_status status = pbti_print_open_any(to, link, &how, &made);
    if (status != PBT_OK)
        return status;
    switch (how) {
    case PBTI_PRINT_ANY_EMPTY:
        pbti_print_word(to, "{}");
        return to->status;
    case PBTI_PRINT_ANY_RAW:
        return write_object(to, link);
    case PBTI_PRINT_ANY_MADE:
        break;
    }
    status = write_made(to, link, &made);
    to->walk.reflection->drop(&made);
    return status;
}

/* The only field of a message that has no object: a text for it that is empty,
 * or NULL for its zero. */
static pbt_status write_only_field(pbti_printer *to, pbti_link *link,
                                   const char *empty) {
    pbt_reflect_field field;
    pbt_status status;
    link->presence |= PBT_REFLECT_NEGATIVE_ZERO;
    status = pbti_reflect_field(&to->walk, link, 0, &field);
    if (status != PBT_OK)
        return to->status = status;
    if (field.count > 0)
        return write_field(to, link, &field);
    if (!empty)
        return pbti_print_default(to, link, &field);
    pbti_print_word(to, empty);
    return to->status;
}

/* The text "NaN" would come back as a string. */
static PBTI_APART pbt_status check_finite(pbti_printer *to, pbti_link *link,
                                          pbt_reflect_field *field) {
    const uint64_t infinity = UINT64_C(0x7ff0000000000000);
    pbt_reflect_value value;
    pbt_status status;
    if (field->type != PBT_REFLECT_DOUBLE)
        return PBT_OK;
    status = pbti_reflect_value(&to->walk, link, field, 0, &value);
    if (status == PBT_OK && (value.as.bits & infinity) == infinity)
        return pbti_print_fail(to, PBT_ERR_VALUE,
                               "a Value cannot hold NaN or an infinity");
    return to->status = status;
}

/* The one field of a google.protobuf.Value that is set. */
static pbt_status write_kind(pbti_printer *to, pbti_link *link) {
    pbt_reflect_field field;
    size_t i;
    for (i = 0; i < link->n_fields; i++) {
        pbt_status status = pbti_reflect_field(&to->walk, link, i, &field);
        if (status != PBT_OK)
            return to->status = status;
        if (field.count == 0)
            continue;
        if (check_finite(to, link, &field) != PBT_OK)
            return to->status;
        return write_field(to, link, &field);
    }
    pbti_print_step_back(link);
    return pbti_print_fail(to, PBT_ERR_VALUE, "the Value has no kind");
}

/* Of a message that is open. */
static pbt_status write_message(pbti_printer *to, pbti_link *link) {
    switch (pbti_print_kind_of(to, link)) {
    case PBTI_PRINT_ORDINARY:
        return write_object(to, link);
    case PBTI_PRINT_ANY:
        return write_any(to, link);
    case PBTI_PRINT_DURATION:
        return pbti_print_duration(to, link);
    case PBTI_PRINT_FIELD_MASK:
        return pbti_print_field_mask(to, link);
    case PBTI_PRINT_LIST_VALUE:
        return write_only_field(to, link, "[]");
    case PBTI_PRINT_STRUCT:
        return write_only_field(to, link, "{}");
    case PBTI_PRINT_TIMESTAMP:
        return pbti_print_timestamp(to, link);
    case PBTI_PRINT_VALUE:
        return write_kind(to, link);
    case PBTI_PRINT_WRAPPER:
        break;
    }
    return write_only_field(to, link, NULL);
}

pbt_status pbti_print_root(pbti_printer *to) {
    pbt_status status = pbti_reflect_open(&to->walk, &to->walk.root);
    if (status != PBT_OK)
        return to->status = status;
    return write_message(to, &to->walk.root);
}
