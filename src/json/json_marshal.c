/* json_marshal.c - the JSON loop: a message and the JSON part of its table to
 * text, front to back, in one pass.
 *
 * Every member of an object begins with a comma, and the brace that opens the
 * object takes the place of the first one; every element of an array ends with
 * a comma, and the bracket takes the place of the last. So nothing is asked of
 * what came before. The loop holds the message, the next row, the cursor, the
 * place where the object begins, and the top of the stack of frames.
 */
#include "json_document.h"

#define PBTI_DECLARE_LEVEL(level)                                              \
    pbt_status pbti_json_write_##level(pbti_json_call *,                       \
                                       const ProtobufCMessage *,               \
                                       const pbti_json_type *, char **);
PBTI_FOR_EACH_LEVEL(PBTI_DECLARE_LEVEL)
#undef PBTI_DECLARE_LEVEL

/* `,"@type":"url"` and, if the payload has a text of its own, `,"value":`. */
PBTI_OUTLINE char *put_type_url(pbti_json_call *call, char *p, const char *msg,
                                const pbti_json_row *row, bool has_value) {
    static const char type_key[PBTI_JSON_PAD + 16] = ",\"@type\":\"";
    static const char value_key[PBTI_JSON_PAD + 16] = ",\"value\":";
    pbti_json_row key = {.key = type_key, .key_len = 10};
    const ProtobufCFieldDescriptor *url = &row->u.sub->members[0];
    p = pbti_json_key_room(call, p, &key);
    if (!p)
        return NULL;
    p = pbti_json_put_key(call, p, &key);
    p = pbti_json_put_string(call, p, pbti_load_pointer(msg + url->offset),
                             PBTI_JSON_NO_ELEMENT);
    if (!p || !has_value)
        return p;
    key = (pbti_json_row){.key = value_key, .key_len = 9};
    p = pbti_json_key_room(call, p, &key);
    return p ? pbti_json_put_key(call, p, &key) : NULL;
}

/* Closes an object: p behind its last member, or at its start. */
PBTI_INLINE char *close_object(pbti_json_call *call, char *p, size_t start) {
    char *open = call->base + start;
    if (PBTI_UNLIKELY(p == open)) {
        if (call->pretty)
            call->level--;
        p[0] = '{';
        p[1] = '}';
        return p + 2;
    }
    *open = '{';
    if (PBTI_UNLIKELY(call->pretty)) {
        call->level--;
        p = pbti_json_new_line(call, p);
        if (!p)
            return NULL;
    }
    *p = '}';
    return p + 1;
}

/* The elements of a repeated message field; NULL on failure. */
PBTI_OUTLINE const ProtobufCMessage *const *
take_elements(pbti_json_call *call, const char *msg, const pbti_json_row *field,
              size_t *n) {
    const ProtobufCMessage *const *elements =
        pbti_json_array(call, msg, field, n);
    if (!elements || field->op != PBTI_JSON_MAP)
        return elements;
    return pbti_json_entries(call, field, elements, n);
}

PBTI_OUTLINE void *missing(pbti_json_call *call) {
    return pbti_json_fail(call, PBT_ERR_REQUIRED, PBTI_JSON_NO_ELEMENT, NULL);
}

static size_t element_index(const pbti_json_frame *frame, const char *msg) {
    const ProtobufCMessage *const *array =
        pbti_load_pointer(msg + frame->field->data);
    return (size_t) (frame->elements - array);
}

/* The type of an element; NULL on failure. */
PBTI_INLINE const pbti_json_type *element_type(pbti_json_call *call,
                                               const pbti_json_row *field,
                                               const ProtobufCMessage *sub) {
    if (PBTI_LIKELY(sub != NULL))
        return pbti_json_sub_type(call, field, sub);
    return pbti_json_fail(call, PBT_ERR_BAD_MESSAGE, PBTI_JSON_NO_ELEMENT,
                          "the element is NULL");
}

/* put_leaf, at a level of nesting that is allowed: moves the cursor when the
 * value is done. */
PBTI_INLINE bool is_leaf_done(pbti_json_call *call, char **p,
                              const ProtobufCMessage *sub,
                              const pbti_json_type *type,
                              const pbti_json_frame *top) {
    size_t at = (size_t) (*p - call->base);
    char *end;
    if (PBTI_LIKELY(type->known == PBTI_KNOWN_NONE) || top == call->frames_end)
        return false;
    if (pbti_json_is_document(call, type))
        end = put_whole(call, *p, sub, type, top);
    else
        end = put_leaf(call, *p, sub, type);
    *p = end && end != call->base + at ? end : call->base + at;
    return *p != call->base + at;
}

static bool is_object(const pbti_json_type *type) {
    return type->known == PBTI_KNOWN_NONE || type->known == PBTI_KNOWN_ANY;
}

/* NOLINTNEXTLINE(readability-function-size): a dispatch body, see STYLE */
pbt_status PBTI_LEVEL_NAME(pbti_json_write)(pbti_json_call *call,
                                            const ProtobufCMessage *message,
                                            const pbti_json_type *type,
                                            char **cursor) {
    const char *msg = (const char *) message;
    const pbti_json_row *row = type->rows;
    const pbti_json_row *field = row;
    pbti_json_frame *top = call->frames;
    pbti_json_frame *frame;
    const ProtobufCMessage *sub = message;
    const ProtobufCMessage *const *elements;
    const char *pointer;
    char *p = *cursor;
    char *before;
    size_t start = (size_t) (p - call->base);
    size_t left = 0;

    PBTI_JSON_COUNT(fast_calls);
    if (type->known != PBTI_KNOWN_NONE) {
        p = pbti_json_reserve(call, p, PBTI_JSON_ROOM);
        if (p && is_leaf_done(call, &p, message, type, top)) {
            *cursor = p;
            return PBT_OK;
        }
    }
    if (call->pretty && is_object(type))
        call->level++;
    while (PBTI_LIKELY(p != NULL)) {
        while (!pbti_json_may_be_present(msg, row))
            row++;
        field = row++;
    dispatch:
        PBTI_JSON_COUNT(ops[field->op]);
        p = pbti_json_key_room(call, p, field);
        if (PBTI_UNLIKELY(!p))
            break;
        before = p;
        p = pbti_json_put_key(call, p, field);
        switch ((pbti_json_op) field->op) {
#define PBTI_JSON_SCALAR(name, size, quoted)                                   \
    case PBTI_JSON_##name:                                                     \
        p = pbti_json_put_##name(call, p, field, msg + field->data);           \
        continue;                                                              \
    case PBTI_JSON_##name##_REPEATED:                                          \
        p = put_list_##name(call, p, field, msg);                              \
        continue;
#include "table_json.def"
        case PBTI_JSON_STRING:
        case PBTI_JSON_STRING_IMPLICIT:
            if (PBTI_LIKELY(pbti_json_points(msg, field)))
                p = pbti_json_put_string(call, p,
                                         pbti_load_pointer(msg + field->data),
                                         PBTI_JSON_NO_ELEMENT);
            else
                p = before;
            continue;
        case PBTI_JSON_STRING_REQUIRED:
            pointer = pbti_load_pointer(msg + field->data);
            if (PBTI_LIKELY(pointer != NULL))
                p = pbti_json_put_string(call, p, pointer,
                                         PBTI_JSON_NO_ELEMENT);
            else
                p = pbti_json_may_lack(call, top) ? before : missing(call);
            continue;
        case PBTI_JSON_STRING_ALWAYS:
            pointer = pbti_load_pointer(msg + field->data);
            p = pbti_json_put_string(call, p, pointer ? pointer : "",
                                     PBTI_JSON_NO_ELEMENT);
            continue;
        case PBTI_JSON_STRING_REPEATED:
            p = put_list_of_strings(call, p, field, msg);
            continue;
        case PBTI_JSON_BYTES:
        case PBTI_JSON_TEXT:
            p = pbti_json_put_binary(call, p, msg + field->data,
                                     field->op == PBTI_JSON_TEXT,
                                     PBTI_JSON_NO_ELEMENT);
            continue;
        case PBTI_JSON_BYTES_REPEATED:
        case PBTI_JSON_TEXT_REPEATED:
            p = put_list_of_binaries(call, p, field, msg,
                                     field->op == PBTI_JSON_TEXT_REPEATED);
            continue;
        case PBTI_JSON_ONEOF:
            field = pbti_json_member(msg, field);
            if (field)
                goto dispatch;
            continue;
        case PBTI_JSON_VALUE:
            field = pbti_json_member(msg, field);
            if (PBTI_LIKELY(field && is_set(msg, field)))
                goto dispatch;
            field = row - 1;
            p = pbti_json_fail(call, PBT_ERR_VALUE, PBTI_JSON_NO_ELEMENT,
                               "the Value has no kind");
            continue;
        case PBTI_JSON_OR_ELSE:
            if (is_set(msg, field->u.or_else->member)) {
                field = field->u.or_else->member;
                p = before;
                goto dispatch;
            }
            p = put_else(call, p, field->u.or_else);
            continue;
        case PBTI_JSON_ABSENT:
            continue;
        case PBTI_JSON_TIMESTAMP:
            p = pbti_json_put_timestamp(call, p, msg, field->u.sub->members);
            continue;
        case PBTI_JSON_DURATION:
            p = pbti_json_put_duration(call, p, msg, field->u.sub->members);
            continue;
        case PBTI_JSON_FIELD_MASK:
            p = pbti_json_put_field_mask(call, p, msg, field->u.sub->members);
            continue;
        case PBTI_JSON_FAULT:
            p = pbti_json_fail(call, field->u.fault->status,
                               PBTI_JSON_NO_ELEMENT, field->u.fault->sentence);
            continue;
        case PBTI_JSON_ANY:
            switch (pbti_json_open_any(call, msg, field->u.sub->members, &sub,
                                       &type)) {
            case PBTI_JSON_ANY_FAILED:
                p = NULL;
                continue;
            case PBTI_JSON_ANY_EMPTY:
                row = field->u.sub->end;
                continue;
            case PBTI_JSON_ANY_AS_IT_IS:
                continue;
            case PBTI_JSON_ANY_OPENED:
                break;
            }
            /* An ordinary payload goes on in the object of the Any, and closes
             * it. */
            row = field->u.sub->end + (type->known == PBTI_KNOWN_NONE);
            p = put_type_url(call, p, msg, field,
                             type->known != PBTI_KNOWN_NONE);
            frame = p ? pbti_json_push(call, top) : NULL;
            if (PBTI_UNLIKELY(!frame))
                goto failed;
            *frame = (pbti_json_frame){
                .msg = msg, .row = row, .field = field, .start = start};
            top = frame + 1;
            if (type->known != PBTI_KNOWN_NONE)
                goto enter;
            msg = (const char *) sub;
            row = type->rows;
            continue;
        case PBTI_JSON_MAP:
            if (field->u.sub->is_flat) {
                left = (size_t) (p - call->base);
                p = put_flat_map(call, p, msg, field, top);
                if (PBTI_LIKELY(p != NULL))
                    continue;
                p = call->base + left;
            }
            /* fall through */
        case PBTI_JSON_MESSAGE_REPEATED:
            elements = take_elements(call, msg, field, &left);
            frame = elements ? pbti_json_push(call, top) : NULL;
            if (PBTI_UNLIKELY(!frame))
                goto failed;
            top = frame; /* the frames may have moved */
            p = pbti_json_open(call, p, field->op == PBTI_JSON_MAP ? '{' : '[');
            *frame = (pbti_json_frame){.msg = msg,
                                       .row = row,
                                       .field = field,
                                       .elements = elements,
                                       .left = left,
                                       .start = start};
            goto next_element;
        case PBTI_JSON_END:
            p = close_object(call, p, start);
            if (PBTI_UNLIKELY(!p))
                continue;
            /* fall through */
        case PBTI_JSON_END_BARE:
            if (top == call->frames) {
                *cursor = p;
                return PBT_OK;
            }
            frame = --top;
            msg = frame->msg;
            row = frame->row;
            field = frame->field;
            start = frame->start;
            if (!frame->elements)
                continue;
        element_done:
            *p++ = ',';
            if (frame->left > 0) {
                frame->elements++;
                goto next_element;
            }
            p = pbti_json_close(call, p,
                                field->op == PBTI_JSON_MAP ? '}' : ']');
            continue;
        case PBTI_N_JSON_OPS:
        default:
            PBTI_UNREACHABLE();
            continue;
        case PBTI_JSON_MESSAGE:
        case PBTI_JSON_MESSAGE_DEFAULTED:
            sub = pbti_load_pointer(msg + field->data);
            if (PBTI_LIKELY(pbti_json_points(msg, field)))
                break;
            p = before;
            continue;
        case PBTI_JSON_MESSAGE_REQUIRED:
            sub = pbti_load_pointer(msg + field->data);
            if (PBTI_LIKELY(sub != NULL))
                break;
            p = pbti_json_may_lack(call, top) ? before : missing(call);
            continue;
        case PBTI_JSON_MESSAGE_ALWAYS:
            sub = pbti_load_pointer(msg + field->data);
            if (PBTI_UNLIKELY(!sub))
                sub = pbti_json_empty(call, field->u.sub);
            if (PBTI_LIKELY(sub != NULL))
                break;
            goto failed;
        }
        /* into sub, the value of field in msg */
        type = pbti_json_sub_type(call, field, sub);
        if (PBTI_UNLIKELY(!type))
            break;
        if (is_leaf_done(call, &p, sub, type, top))
            continue;
        frame = pbti_json_push(call, top);
        if (PBTI_UNLIKELY(!frame))
            break;
        frame->msg = msg;
        frame->row = row;
        frame->field = field;
        frame->elements = NULL;
        frame->start = start;
        top = frame + 1;
        goto enter;
    next_element: /* of frame, the values of field in msg */
        frame->left--;
        sub = *frame->elements;
        p = pbti_json_next(call, p);
        if (PBTI_UNLIKELY(!p))
            break;
        if (field->op == PBTI_JSON_MAP) {
            top = frame + 1;
            type = field->u.sub;
            field = type->key; /* in case that it cannot be written */
            p = pbti_json_put_map_key(call, p, sub, field);
            if (PBTI_UNLIKELY(!p))
                break;
            msg = (const char *) sub;
            row = type->rows + 1;
            field = type->value;
            if (PBTI_UNLIKELY(!pbti_json_may_be_present(msg, field)))
                field = type->rows;
            goto dispatch;
        }
        type = element_type(call, field, sub);
        if (PBTI_UNLIKELY(!type)) {
            call->element = element_index(frame, msg);
            break;
        }
        if (is_leaf_done(call, &p, sub, type, frame))
            goto element_done;
        top = frame + 1;
    enter:
        start = (size_t) (p - call->base);
        msg = (const char *) sub;
        row = type->rows;
        if (PBTI_UNLIKELY(call->pretty) && is_object(type))
            call->level++;
    }
failed:
    return pbti_json_report(call, &(pbti_json_place){top, msg, field});
}
