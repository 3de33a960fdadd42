/* wire_missing.c - how unmarshal reports a failure: the path from the frames,
 * and the search for the first missing required field.
 *
 * A message that ends without a required field may still get it: it may be
 * merged with another occurrence, or be replaced. So the loop only notes that
 * there was one, and the finished message is searched. */
#include <inttypes.h>

#include "base_error.h"
#include "table_keys.h"
#include "wire_decode.h"

static const ProtobufCFieldDescriptor *field_of(const pbti_table *table,
                                                const pbti_slot *slot) {
    return pbti_field_of_number(table->type, slot->tag >> 3);
}

static bool is_repeated(const ProtobufCFieldDescriptor *field) {
    return field->label == PROTOBUF_C_LABEL_REPEATED;
}

/* The row of a map, or NULL. */
static const pbti_row *map_row(const pbti_table *table, uint32_t number) {
    uint32_t i;
    for (i = 0; i < table->n_rows; i++)
        if (table->rows[i].op == PBTI_OP_MAP &&
            pbti_row_number(&table->rows[i]) == number)
            return &table->rows[i];
    return NULL;
}

static void tell_element(pbti_path *path, const pbti_decode_frame *frame,
                         const ProtobufCFieldDescriptor *field,
                         bool with_keys) {
    const pbti_row *row = with_keys ? map_row(frame->table, field->id) : NULL;
    const ProtobufCMessage *const *entries;
    pbti_map_key key;
    if (!row) {
        pbti_path_index(path, frame->after);
        return;
    }
    entries = pbti_load_pointer(frame->msg + field->offset);
    key = pbti_read_key(entries[frame->after], row->u.sub);
    pbti_tell_key(path, &key);
}

/* The path to a message; each frame's `after` is the element descended into.
 * Entries of maps are told by their keys only when they are complete. */
static void tell_frames(pbti_path *path, const pbti_decode_frame *frame,
                        const pbti_decode_frame *top, bool with_keys) {
    for (; frame < top; frame++) {
        const ProtobufCFieldDescriptor *field =
            field_of(frame->table, frame->field);
        pbti_path_field(path, field->name, field->id);
        if (is_repeated(field))
            tell_element(path, frame, field, with_keys);
    }
}

/* Of a frame that is left behind only the path is still wanted. */
static void set_elements(pbti_decode_frame *frame,
                         const pbti_decode_frame *top) {
    for (; frame < top; frame++)
        if (frame->field->quantifier &&
            is_repeated(field_of(frame->table, frame->field)))
            frame->after =
                pbti_load_size(frame->msg + frame->field->quantifier) - 1;
}

static pbt_status fail_with(const pbti_decoder *d, const pbti_path *path,
                            uint32_t number) {
    if (d->status == PBT_ERR_MALFORMED)
        return pbti_fail(d->error, d->status, number, path, "byte %zu: %s",
                         d->offset, d->sentence);
    if (d->status == PBT_ERR_UTF8)
        return pbti_fail(d->error, d->status, number, path,
                         "the string is not valid UTF-8 at byte %zu",
                         d->detail);
    if (d->status == PBT_ERR_VALUE)
        return pbti_fail(d->error, d->status, number, path,
                         "the string has a NUL character at byte %zu",
                         d->detail);
    if (d->status == PBT_ERR_DEPTH)
        return pbti_fail(d->error, d->status, number, path,
                         "messages are nested more than %" PRIu32
                         " levels deep",
                         d->max_depth);
    if (d->status == PBT_ERR_TOO_LARGE)
        return pbti_fail(d->error, d->status, number, path,
                         "more than %d elements", PBTI_MAX_ELEMENTS - 1);
    return pbti_fail(d->error, d->status, number, path, NULL);
}

pbt_status pbti_decode_fail(const pbti_decoder *d, pbti_decode_frame *top,
                            char *msg, const pbti_table *table,
                            const pbti_slot *slot) {
    pbti_path path = {0};
    const ProtobufCFieldDescriptor *field = NULL;
    bool in_string = d->status == PBT_ERR_UTF8 || d->status == PBT_ERR_VALUE;
    if (!d->error)
        return d->status;
    if (d->status == PBT_ERR_NO_MEMORY)
        return pbti_fail(d->error, d->status, 0, NULL, NULL);
    set_elements(d->frames, top);
    tell_frames(&path, d->frames, top, false);
    if (slot && slot->op != PBTI_PARSE_NONE)
        field = field_of(table, slot);
    if (field) {
        pbti_path_field(&path, field->name, field->id);
        if (in_string && is_repeated(field))
            pbti_path_index(&path, pbti_load_size(msg + slot->quantifier));
    } else if (top > d->frames) {
        field = field_of(top[-1].table, top[-1].field);
    }
    return fail_with(d, &path, field ? field->id : 0);
}

static bool was_seen(const char *msg, const pbti_parse *parse,
                     const pbti_slot *slot) {
    const char *word = msg + parse->seen;
    uint32_t more = slot->more;
    if (slot->op == PBTI_PARSE_ENUM_REQUIRED) {
        if (more < PBTI_FIRST_REQUIRED)
            return pbti_load64(word) >> more & 1;
        more -= PBTI_FIRST_REQUIRED;
    } else if (slot->op != PBTI_PARSE_REQUIRED) {
        return (pbti_load64(word) & slot->required) != 0;
    }
    return pbti_load64(word + sizeof(uint64_t) * (1 + more / 64)) >> more % 64 &
           1;
}

/* A message in which the search has come to a field and an element of it. */
typedef struct search {
    char *msg;
    const pbti_table *table;
    unsigned at; /* index of the field */
    size_t element;
} search;

/* The next sub-message of the field, or NULL. */
static char *next_message(const search *s, const pbti_slot *slot,
                          const ProtobufCFieldDescriptor *field) {
    char *sub;
    if (field->type != PROTOBUF_C_TYPE_MESSAGE)
        return NULL;
    if (is_repeated(field)) {
        const char *array = pbti_load_pointer(s->msg + field->offset);
        if (s->element == pbti_load_size(s->msg + field->quantifier_offset))
            return NULL;
        memcpy(&sub, array + s->element * sizeof sub, sizeof sub);
        return sub;
    }
    if (s->element > 0 ||
        (slot->mark && pbti_load32(s->msg + slot->quantifier) != slot->mark))
        return NULL;
    memcpy(&sub, s->msg + field->offset, sizeof sub);
    return sub == field->default_value ? NULL : sub;
}

static bool descend(pbti_decoder *d, pbti_decode_frame **top, search *s,
                    const pbti_slot *slot, char *sub) {
    pbti_decode_frame *frame = *top;
    if (frame == d->frames_end)
        frame = pbti_grow_decode_frames(d, frame);
    if (!frame)
        return false;
    *frame = (pbti_decode_frame){
        .msg = s->msg, .table = s->table, .field = slot, .after = s->element};
    *top = frame + 1;
    *s = (search){.table = slot->u.sub};
    s->msg = sub;
    return true;
}

static void ascend(pbti_decode_frame **top, search *s) {
    const pbti_decode_frame *frame = --*top;
    const ProtobufCFieldDescriptor *field =
        field_of(frame->table, frame->field);
    *s = (search){.msg = frame->msg,
                  .table = frame->table,
                  .at = (unsigned) (field - frame->table->type->fields),
                  .element = frame->after + 1};
}

static pbt_status fail_missing(pbti_decoder *d, const pbti_decode_frame *top,
                               const ProtobufCFieldDescriptor *field) {
    pbti_path path = {0};
    if (!d->error)
        return PBT_ERR_REQUIRED;
    tell_frames(&path, d->frames, top, true);
    pbti_path_field(&path, field->name, field->id);
    return pbti_fail(d->error, PBT_ERR_REQUIRED, field->id, &path, NULL);
}

pbt_status pbti_find_missing(pbti_decoder *d, ProtobufCMessage *message,
                             const pbti_table *table) {
    pbti_decode_frame *top = d->frames;
    search s = {.msg = (char *) message, .table = table};
    for (;;) {
        const ProtobufCFieldDescriptor *field = &s.table->type->fields[s.at];
        const pbti_slot *slot;
        char *sub;
        if (s.at == s.table->type->n_fields) {
            if (top == d->frames)
                return PBT_OK;
            ascend(&top, &s);
            continue;
        }
        slot = pbti_find_slot(&s.table->parse, field->id);
        if (s.element == 0 && field->label == PROTOBUF_C_LABEL_REQUIRED &&
            !was_seen(s.msg, &s.table->parse, slot))
            return fail_missing(d, top, field);
        sub = next_message(&s, slot, field);
        if (!sub) {
            s.at++;
            s.element = 0;
        } else if (!descend(d, &top, &s, slot, sub)) {
            return pbti_fail(d->error, d->status, 0, NULL, NULL);
        }
    }
}
