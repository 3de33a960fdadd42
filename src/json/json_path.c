/* json_path.c - the report of a failure. Nothing is kept for it while things go
 * well: the frames tell the way. */
#include <inttypes.h>

#include "base_error.h"
#include "json_map.h"

/* A path that is being told, and the number of the last field in it. */
typedef struct told_path {
    pbti_path path;
    uint32_t number;
} told_path;

static bool add_field(told_path *told, const pbti_json_row *row) {
    if (!row->field)
        return false;
    pbti_path_field(&told->path, row->field->name, row->field->id);
    told->number = row->field->id;
    return true;
}

static void add_frame(told_path *told, const pbti_json_frame *frame) {
    const pbti_json_row *row = frame->field;
    const ProtobufCMessage *const *array;
    if (!add_field(told, row) || !frame->elements)
        return;
    if (row->op == PBTI_JSON_MAP) {
        pbti_map_key key =
            pbti_json_read_key(*frame->elements, row->u.sub->key);
        pbti_tell_key(&told->path, &key);
        return;
    }
    array = pbti_load_pointer(frame->msg + row->data);
    pbti_path_index(&told->path, (size_t) (frame->elements - array));
}

static void tell_place(told_path *told, const pbti_json_call *call,
                       const pbti_json_place *place) {
    const pbti_json_frame *frame;
    for (frame = call->frames; frame < place->top; frame++)
        add_frame(told, frame);
    if (add_field(told, place->field) && call->element != PBTI_JSON_NO_ELEMENT)
        pbti_path_index(&told->path, call->element);
}

/* The registry has said what is wrong with a type. */
static pbt_status keep_sentence(const pbti_json_call *call,
                                const told_path *told) {
    char sentence[sizeof call->error->message];
    memcpy(sentence, call->error->message, sizeof sentence);
    return pbti_fail(call->error, call->status, told->number, &told->path, "%s",
                     sentence);
}

pbt_status pbti_json_report(const pbti_json_call *call,
                            const pbti_json_place *place) {
    told_path told = {0};
    const pbti_path *path = &told.path;
    if (!call->error || call->status == PBT_ERR_NO_MEMORY)
        return call->status;
    tell_place(&told, call, place);
    if (call->sentence)
        return pbti_fail(call->error, call->status, told.number, path, "%s",
                         call->sentence);
    if (call->status == PBT_ERR_BAD_DESCRIPTOR)
        return keep_sentence(call, &told);
    if (call->status == PBT_ERR_DEPTH)
        return pbti_fail(call->error, call->status, told.number, path,
                         "messages are nested more than %" PRIu32
                         " levels deep",
                         call->max_depth);
    if (call->status == PBT_ERR_TOO_LARGE)
        return pbti_fail(call->error, call->status, told.number, path,
                         "more than %" PRIu64
                         " bytes of text, or more than %d elements",
                         call->max_size, PBTI_MAX_ELEMENTS - 1);
    return pbti_fail(call->error, call->status, told.number, path, NULL);
}
