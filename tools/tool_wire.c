/* tool_wire.c - see tool_wire.h. Nesting takes a stack on the heap, so that
 * bytes made to nest deeply do no harm. */
#include "tool_wire.h"

#include <stdlib.h>

#include "tool_field.h"
#include "tool_report.h"

/* As max_depth of the library, unless told otherwise. */
enum { MAX_DEPTH = 10000 };

enum wire_type {
    WIRE_VARINT = 0,
    WIRE_FIXED64 = 1,
    WIRE_LENGTH = 2,
    WIRE_START = 3,
    WIRE_END = 4,
    WIRE_FIXED32 = 5
};

/* A message that is being walked over. One in an unknown group has no type. */
typedef struct frame {
    const ProtobufCMessageDescriptor *type;
    const uint8_t *start; /* of the field's tag */
    const uint8_t *end;
    uint32_t group; /* its field number; 0: ends at `end` */
    bool is_silent; /* inside of an unknown group */
} frame;

typedef struct walk {
    const uint8_t *at;
    frame *frames;
    size_t n;
    size_t capacity;
    tool_wire_visitor *visitor;
} walk;

typedef struct tag {
    const uint8_t *start;
    uint32_t number;
    enum wire_type wire;
} tag;

static frame *top_of(const walk *in) {
    return &in->frames[in->n - 1];
}

static bool push(walk *in, frame next) {
    if (in->n > MAX_DEPTH)
        return false;
    if (in->n == in->capacity) {
        in->capacity = in->capacity > 0 ? 2 * in->capacity : 16;
        in->frames =
            (frame *) tool_grow(in->frames, in->capacity, sizeof *in->frames);
    }
    in->frames[in->n++] = next;
    return true;
}

static bool read_varint(walk *in, uint64_t *value) {
    const uint8_t *end = top_of(in)->end;
    *value = 0;
    for (unsigned shift = 0; shift < 70; shift += 7) {
        if (in->at == end)
            return false;
        uint8_t byte = *in->at++;
        *value |= (uint64_t) (byte & 0x7f) << (shift < 64 ? shift : 63);
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool read_tag(walk *in, tag *found) {
    uint64_t value;
    found->start = in->at;
    if (!read_varint(in, &value))
        return false;
    if (value > UINT32_MAX || value >> 3 == 0)
        return false;
    if ((value & 7) > WIRE_FIXED32)
        return false;
    found->number = (uint32_t) (value >> 3);
    found->wire = (enum wire_type)(value & 7);
    return true;
}

static bool step_over(walk *in, size_t n) {
    if ((size_t) (top_of(in)->end - in->at) < n)
        return false;
    in->at += n;
    return true;
}

/* The wire type of a value of its own, not packed. */
static enum wire_type wire_type_of(ProtobufCType type) {
    switch (type) {
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
        return WIRE_FIXED32;
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
        return WIRE_FIXED64;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
        return WIRE_LENGTH;
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_BOOL:
    case PROTOBUF_C_TYPE_ENUM:
        break;
    }
    return WIRE_VARINT;
}

/* The field of the number, if what stands there can be its value. */
static const ProtobufCFieldDescriptor *find_field(const walk *in,
                                                  const tag *found) {
    const ProtobufCMessageDescriptor *type = top_of(in)->type;
    const ProtobufCFieldDescriptor *field =
        type == NULL
            ? NULL
            : protobuf_c_message_descriptor_get_field(type, found->number);
    if (field == NULL)
        return NULL;
    enum wire_type own = wire_type_of(field->type);
    if (field->type == PROTOBUF_C_TYPE_MESSAGE && tool_is_group(type, field))
        own = WIRE_START;
    if (found->wire == own)
        return field;
    /* Numbers may come packed whatever the type says. */
    bool can_be_packed = field->label == PROTOBUF_C_LABEL_REPEATED &&
                         own != WIRE_LENGTH && own != WIRE_START;
    return found->wire == WIRE_LENGTH && can_be_packed ? field : NULL;
}

static void tell_value(walk *in, const tag *found,
                       const ProtobufCFieldDescriptor *field, size_t n) {
    if (!top_of(in)->is_silent)
        in->visitor->value(in->visitor, field, n,
                           (size_t) (in->at - found->start));
}

/* The elements of a packed field lie from the cursor to end. */
static bool count_packed(walk *in, enum wire_type wire, const uint8_t *end,
                         size_t *n) {
    size_t len = (size_t) (end - in->at);
    size_t width = wire == WIRE_FIXED32 ? 4 : 8;
    *n = 0;
    if (wire != WIRE_VARINT) {
        *n = len / width;
        return len % width == 0;
    }
    for (const uint8_t *at = in->at; at < end; at++)
        *n += *at < 0x80;
    return len == 0 || end[-1] < 0x80;
}

static bool walk_length(walk *in, const tag *found,
                        const ProtobufCFieldDescriptor *field) {
    uint64_t len;
    size_t n = 1;
    if (!read_varint(in, &len))
        return false;
    if (len > (size_t) (top_of(in)->end - in->at))
        return false;
    const uint8_t *end = in->at + len;
    if (field != NULL && field->type == PROTOBUF_C_TYPE_MESSAGE) {
        frame next = {(const ProtobufCMessageDescriptor *) field->descriptor,
                      found->start, end, 0, false};
        in->visitor->enter(in->visitor, field, false);
        return push(in, next);
    }
    enum wire_type own =
        field != NULL ? wire_type_of(field->type) : WIRE_LENGTH;
    if (own != WIRE_LENGTH && !count_packed(in, own, end, &n))
        return false;
    in->at = end;
    tell_value(in, found, field, n);
    return true;
}

static bool start_group(walk *in, const tag *found,
                        const ProtobufCFieldDescriptor *field) {
    const frame *top = top_of(in);
    frame next = {NULL, found->start, top->end, found->number, true};
    if (field != NULL) {
        next.type = (const ProtobufCMessageDescriptor *) field->descriptor;
        next.is_silent = false;
        in->visitor->enter(in->visitor, field, true);
    }
    return push(in, next);
}

/* Ends the message on top; the last one is nobody's field. */
static void pop(walk *in) {
    frame ended = *top_of(in);
    in->n--;
    if (in->n == 0)
        return;
    if (!ended.is_silent) {
        in->visitor->leave(in->visitor, (size_t) (in->at - ended.start));
    } else {
        tag found = {ended.start, ended.group, WIRE_START};
        tell_value(in, &found, NULL, 1);
    }
}

static bool walk_field(walk *in) {
    tag found;
    uint64_t ignored;
    if (!read_tag(in, &found))
        return false;
    const ProtobufCFieldDescriptor *field = find_field(in, &found);
    switch (found.wire) {
    case WIRE_VARINT:
        if (!read_varint(in, &ignored))
            return false;
        break;
    case WIRE_FIXED64:
        if (!step_over(in, 8))
            return false;
        break;
    case WIRE_FIXED32:
        if (!step_over(in, 4))
            return false;
        break;
    case WIRE_LENGTH:
        return walk_length(in, &found, field);
    case WIRE_START:
        return start_group(in, &found, field);
    case WIRE_END:
        if (top_of(in)->group != found.number)
            return false;
        pop(in);
        return true;
    }
    tell_value(in, &found, field, 1);
    return true;
}

static bool walk_all(walk *in) {
    while (in->n > 0) {
        const frame *top = top_of(in);
        if (in->at < top->end) {
            if (!walk_field(in))
                return false;
        } else if (top->group != 0) {
            return false;
        } else {
            pop(in);
        }
    }
    return true;
}

bool tool_wire_walk(const ProtobufCMessageDescriptor *type, const uint8_t *data,
                    size_t len, tool_wire_visitor *visitor) {
    walk in = {.at = data, .visitor = visitor};
    frame outermost = {type, data, data + len, 0, false};
    bool is_good = push(&in, outermost) && walk_all(&in);
    free(in.frames);
    return is_good;
}
