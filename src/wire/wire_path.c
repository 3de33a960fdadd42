/* wire_path.c - the report of a failure on the fast road. Nothing is kept for
 * it while things go well: the frames tell the way, and the names come from
 * the descriptors. */
#include <inttypes.h>

#include "base_error.h"
#include "base_utf8.h"
#include "table_keys.h"
#include "wire.h"

static const ProtobufCMessageDescriptor *type_of(const char *msg) {
    return ((const ProtobufCMessage *) (const void *) msg)->descriptor;
}

static const ProtobufCFieldDescriptor *field_of(const char *msg,
                                                const pbti_row *row) {
    return pbti_field_of_number(type_of(msg), pbti_row_number(row));
}

/* A path that is being told, and the number of the last field in it. */
typedef struct told_path {
    pbti_path path;
    uint32_t number;
} told_path;

/* Returns false for rows that are no field. */
static bool add_field(told_path *told, const char *msg, const pbti_row *row) {
    const ProtobufCFieldDescriptor *field = field_of(msg, row);
    if (!field)
        return false;
    pbti_path_field(&told->path, field->name, field->id);
    told->number = field->id;
    return true;
}

static void add_frame(told_path *told, const pbti_frame *frame) {
    const pbti_row *row = frame->field;
    const ProtobufCMessage *entry;
    const ProtobufCMessage *const *array;
    add_field(told, frame->msg, row);
    if (!pbti_is_message_array(row))
        return;
    entry = *frame->elements;
    if (row->op == PBTI_OP_MAP && entry->descriptor == row->u.sub->type) {
        pbti_map_key key = pbti_read_key(entry, row->u.sub);
        pbti_tell_key(&told->path, &key);
        return;
    }
    array = pbti_load_pointer(frame->msg + row->data);
    pbti_path_index(&told->path, (size_t) (frame->elements - array));
}

static void tell_place(told_path *told, const pbti_call *call,
                       const pbti_place *place) {
    const pbti_frame *frame = call->inline_frames;
    const pbti_frames *part = call->first_part;
    const pbti_frame *end = call->part ? frame + part->depth : place->top;
    for (;;) {
        for (; frame < end; frame++)
            add_frame(told, frame);
        if (end == place->top)
            break;
        frame = part->frames;
        end = part == call->part ? place->top : frame + part->n;
        part = part->above;
    }
    if (add_field(told, place->msg, place->field) &&
        place->element != PBTI_NO_ELEMENT)
        pbti_path_index(&told->path, place->element);
}

static size_t bad_byte(const pbti_place *place) {
    const char *text = pbti_load_pointer(place->msg + place->field->data);
    if (place->element != PBTI_NO_ELEMENT)
        text = ((const char *const *) (const void *) text)[place->element];
    return pbti_utf8_valid_prefix(text, strlen(text));
}

static bool is_repeated(const pbti_row *row) {
    return pbti_is_message_array(row) || row->op == PBTI_OP_STRING_REPEATED;
}

/* What is wrong with the pointer at a place. */
static const char *bad_pointer(const pbti_place *place) {
    const pbti_row *row = place->field;
    const void *pointer = pbti_load_pointer(place->msg + row->data);
    if (row->op == PBTI_OP_UNKNOWN)
        return "an unknown field has no data";
    if (is_repeated(row)) {
        if (place->element == PBTI_NO_ELEMENT)
            return "the array is NULL but not empty";
        pointer = ((const void *const *) pointer)[place->element];
        if (!pointer)
            return "the element is NULL";
    }
    if (pbti_row_sub(row))
        return "the message has no descriptor";
    return "the data is NULL but not empty";
}

/* What call->error says already: the registry's sentence on a bad type. */
static pbt_status keep_sentence(const pbti_call *call, pbt_status status,
                                const told_path *told) {
    char sentence[sizeof call->error->message];
    memcpy(sentence, call->error->message, sizeof sentence);
    return pbti_fail(call->error, status, told->number, &told->path, "%s",
                     sentence);
}

static pbt_status tell(const pbti_call *call, pbt_status status,
                       const pbti_place *place) {
    pbt_error *error = call->error;
    told_path told = {0};
    const pbti_path *path = &told.path;
    /* Whoever has no other road to take reports these. */
    if (!error || status == PBT_ERR_NO_SPACE || status == PBT_ERR_NO_MEMORY)
        return status;
    tell_place(&told, call, place);
    if (status == PBT_ERR_BAD_DESCRIPTOR)
        return keep_sentence(call, status, &told);
    if (status == PBT_ERR_UTF8)
        return pbti_fail(error, status, told.number, path,
                         "the string is not valid UTF-8 at byte %zu",
                         bad_byte(place));
    if (status == PBT_ERR_DEPTH)
        return pbti_fail(error, status, told.number, path,
                         "messages are nested more than %" PRIu32
                         " levels deep",
                         call->max_depth);
    if (status == PBT_ERR_TOO_LARGE)
        return pbti_fail(error, status, told.number, path,
                         "more than %" PRIu64
                         " bytes, or more than %d elements",
                         call->max_size, PBTI_MAX_ELEMENTS - 1);
    if (status == PBT_ERR_BAD_MESSAGE)
        return pbti_fail(error, status, told.number, path, "%s",
                         bad_pointer(place));
    return pbti_fail(error, status, told.number, path, NULL);
}

pbt_status pbti_fail_at(pbti_call *call, pbt_status status,
                        const pbti_place *place) {
    status = tell(call, status, place);
    while (call->part)
        (void) pbti_leave_frames(call);
    return status;
}
