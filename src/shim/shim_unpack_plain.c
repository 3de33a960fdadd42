/* shim_unpack_plain.c - unpack by descriptors alone: for the times when there
 * is no memory for a table, for types that slots do not do justice to, and with
 * PBTURBO_DISABLE. It takes one field after the other, and needs nothing but
 * the frames of the messages that are not complete yet. */
#include "base_ranges.h"
#include "shim_unpack.h"

/* A message at work. */
typedef struct reader_frame {
    char *msg;
    const ProtobufCMessageDescriptor *type;
    const ProtobufCFieldDescriptor *field; /* of its parent that it is for */
    const ProtobufCFieldDescriptor *last;  /* that was met */
    const uint8_t *limit;
} reader_frame;

enum {
#ifdef PBTI_SHRINK
    INLINE_FRAMES = 1,
#else
    INLINE_FRAMES = 16,
#endif
    BYTE_BITS = 8
};

typedef struct reader {
    pbti_unpacker u;
    const uint8_t *p;
    reader_frame *frames;
    size_t n_frames, capacity;
    reader_frame inline_frames[INLINE_FRAMES];
} reader;

/* One field as it lies in the input. */
typedef struct value {
    const ProtobufCFieldDescriptor *field;
    uint32_t wire_type;
    const uint8_t *start, *end;
    const uint8_t *content; /* behind the length, if there is one */
} value;

static reader_frame *top_frame(reader *r) {
    return &r->frames[r->n_frames - 1];
}

static bool widen_frames(reader *r) {
    const ProtobufCAllocator *allocator = r->u.d.allocator;
    reader_frame *frames =
        pbti_alloc(allocator, 2 * r->capacity * sizeof *frames);
    if (!frames)
        return false;
    memcpy(frames, r->frames, r->n_frames * sizeof *frames);
    if (r->frames != r->inline_frames)
        pbti_free(allocator, r->frames);
    r->frames = frames;
    r->capacity *= 2;
    return true;
}

/* A message without fields. compat: without message_init, members of oneofs get
 * their defaults too. */
static void init_message(const ProtobufCMessageDescriptor *type, char *msg) {
    unsigned i;
    if (type->message_init) {
        type->message_init((ProtobufCMessage *) (void *) msg);
        return;
    }
    memset(msg, 0, type->sizeof_message);
    memcpy(msg, &type, sizeof(void *));
    for (i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        const void *unset = field->default_value;
        if (!unset || field->label == PROTOBUF_C_LABEL_REPEATED)
            continue;
        if (field->type == PROTOBUF_C_TYPE_STRING ||
            field->type == PROTOBUF_C_TYPE_MESSAGE)
            memcpy(msg + field->offset, &unset, sizeof unset);
        else
            memcpy(msg + field->offset, unset, pbti_unpack_size(field->type));
    }
}

/* The bits behind the struct that tell which fields were there. */
static uint8_t *seen_bits(const reader_frame *frame) {
    return (uint8_t *) frame->msg + frame->type->sizeof_message;
}

/* Starts a message for a field of the one at work. */
static bool push(reader *r, const ProtobufCMessageDescriptor *type,
                 const ProtobufCFieldDescriptor *field, const uint8_t *limit) {
    size_t bits;
    char *msg;
    if (!type || type->magic != PROTOBUF_C__MESSAGE_DESCRIPTOR_MAGIC ||
        (r->n_frames == r->capacity && !widen_frames(r)))
        return false;
    bits = (type->n_fields + BYTE_BITS - 1) / BYTE_BITS;
    msg = pbti_alloc(r->u.d.allocator, type->sizeof_message + bits);
    if (!msg)
        return false;
    init_message(type, msg);
    memset(msg + type->sizeof_message, 0, bits);
    r->frames[r->n_frames++] = (reader_frame){
        .msg = msg, .type = type, .field = field, .limit = limit};
    if (type->n_fields > 0)
        top_frame(r)->last = type->fields;
    return true;
}

static bool lacks_any(const reader_frame *frame) {
    const uint8_t *bits = seen_bits(frame);
    unsigned i;
    for (i = 0; i < frame->type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &frame->type->fields[i];
        if (field->label == PROTOBUF_C_LABEL_REQUIRED &&
            !field->default_value &&
            !(bits[i / BYTE_BITS] >> i % BYTE_BITS & 1))
            return true;
    }
    return false;
}

/* Reads a number of at most 35 bits and the wire type below it. compat: a tag
 * of one byte with number 0 is none, a longer one is. */
static bool read_tag(reader *r, uint32_t *number, uint32_t *wire_type) {
    uint64_t tag;
    const uint8_t *end = pbti_read_carefully(r->p, top_frame(r)->limit, &tag);
    if (!end || end - r->p > PBTI_MAX_TAG || (end - r->p == 1 && tag < 8))
        return false;
    *number = (uint32_t) (tag >> 3);
    *wire_type = tag & 7;
    r->p = end;
    return true;
}

/* compat: the field before is asked first, and the first of all at the start,
 * even if the ranges do not have it. */
static const ProtobufCFieldDescriptor *find_field(reader_frame *frame,
                                                  uint32_t number) {
    const ProtobufCMessageDescriptor *type = frame->type;
    int i;
    if (frame->last && frame->last->id == number)
        return frame->last;
    i = pbti_range_index(type->n_field_ranges, type->field_ranges,
                         (int) number);
    if (i < 0)
        return NULL;
    frame->last = &type->fields[i];
    return frame->last;
}

static void note_seen(const reader_frame *frame,
                      const ProtobufCFieldDescriptor *field) {
    size_t i = (size_t) (field - frame->type->fields);
    seen_bits(frame)[i / BYTE_BITS] |= (uint8_t) (1 << i % BYTE_BITS);
}

static uint32_t own_wire_type(ProtobufCType type) {
    enum {
        STRING_WIRE = PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED,
        BYTES_WIRE = PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED,
        MESSAGE_WIRE = PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED,
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    name##_WIRE = wire_type,
#include "table_kinds.def"
    };
    switch (type) {
#define PBTI_FIELD_KIND(type, name, encoding, member)                          \
    case PROTOBUF_C_TYPE_##type:                                               \
        return encoding##_WIRE;
#include "table_kinds.def"
    }
    return UINT32_MAX;
}

static uint64_t load_little(const uint8_t *p, size_t n) {
    uint64_t v = 0;
    while (n-- > 0)
        v = v << 8 | p[n];
    return v;
}

/* Stores a number that lies from start to end. */
static bool store_number(char *member, ProtobufCType type, const uint8_t *start,
                         const uint8_t *end) {
    uint64_t v = 0;
    uint32_t wire_type = own_wire_type(type);
    if (type == PROTOBUF_C_TYPE_BOOL)
        v = pbti_unpack_truth(start, end);
    else if (wire_type == PROTOBUF_C_WIRE_TYPE_VARINT)
        (void) pbti_read_carefully(start, end, &v);
    else
        v = load_little(start, (size_t) (end - start));
    if (type == PROTOBUF_C_TYPE_SINT32)
        v = (uint32_t) v >> 1 ^ (0 - (v & 1));
    else if (type == PROTOBUF_C_TYPE_SINT64)
        v = v >> 1 ^ (0 - (v & 1));
    if (pbti_unpack_size(type) == sizeof(uint32_t))
        pbti_store32(member, (uint32_t) v);
    else if (pbti_unpack_size(type) == sizeof(uint64_t))
        pbti_store64(member, v);
    else
        return false;
    return true;
}

static void *copy_content(const reader *r, const value *v, size_t more) {
    size_t len = (size_t) (v->end - v->content);
    char *copy = pbti_alloc(r->u.d.allocator, len + more);
    if (!copy)
        return NULL;
    if (len > 0)
        memcpy(copy, v->content, len);
    if (more > 0)
        copy[len] = '\0';
    return copy;
}

/* Reads a value that is no message. A former one is gone even on failure. */
static bool store(const reader *r, char *member, const value *v) {
    ProtobufCBinaryData bytes = {(size_t) (v->end - v->content), NULL};
    char *text;
    if (v->field->type == PROTOBUF_C_TYPE_STRING) {
        text = copy_content(r, v, 1);
        memcpy(member, &text, sizeof text);
        return text != NULL;
    }
    if (v->field->type == PROTOBUF_C_TYPE_BYTES) {
        if (bytes.len > 0)
            bytes.data = copy_content(r, v, 0);
        memcpy(member, &bytes, sizeof bytes);
        return bytes.len == 0 || bytes.data != NULL;
    }
    return store_number(member, v->field->type, v->start, v->end);
}

static bool has_wire_type(const value *v) {
    return v->field->type == PROTOBUF_C_TYPE_BOOL ||
           v->wire_type == own_wire_type(v->field->type);
}

static pbti_array array_of(const ProtobufCFieldDescriptor *field) {
    return (pbti_array){field->offset, field->quantifier_offset,
                        pbti_unpack_size(field->type)};
}

/* The place behind the elements of an array. */
static char *next_place(const char *msg,
                        const ProtobufCFieldDescriptor *field) {
    char *elements;
    memcpy(&elements, msg + field->offset, sizeof elements);
    return elements + pbti_array_count(msg, array_of(field)) *
                          pbti_unpack_size(field->type);
}

static void count_one(char *msg, const ProtobufCFieldDescriptor *field) {
    size_t n = pbti_array_count(msg, array_of(field)) + 1;
    memcpy(msg + field->quantifier_offset, &n, sizeof n);
}

/* Appends a value, or enters a message that is appended when it is complete;
 * in that case there is room for it already. */
static bool append(reader *r, char *msg, const value *v) {
    char *element = pbti_unpack_room(&r->u, msg, array_of(v->field), 1);
    if (!element || !has_wire_type(v))
        return false;
    if (v->field->type == PROTOBUF_C_TYPE_MESSAGE)
        return push(r, v->field->descriptor, v->field, v->end);
    if (!store(r, element, v))
        return false;
    count_one(msg, v->field);
    return true;
}

static bool is_number(ProtobufCType type) {
    return type != PROTOBUF_C_TYPE_STRING && type != PROTOBUF_C_TYPE_BYTES &&
           type != PROTOBUF_C_TYPE_MESSAGE;
}

static bool append_packed(reader *r, char *msg, const value *v) {
    size_t size = own_wire_type(v->field->type) == PROTOBUF_C_WIRE_TYPE_VARINT
                      ? 0
                      : pbti_unpack_size(v->field->type);
    const uint8_t *p = v->content;
    if (!is_number(v->field->type) ||
        (size > 0 && (size_t) (v->end - p) % size != 0))
        return false;
    while (p < v->end) {
        const uint8_t *start = p;
        uint64_t number;
        char *element = pbti_unpack_room(&r->u, msg, array_of(v->field), 1);
        p = size > 0 ? p + size : pbti_read_carefully(p, v->end, &number);
        if (!element || !p || !store_number(element, v->field->type, start, p))
            return false;
        count_one(msg, v->field);
    }
    return true;
}

static bool in_oneof(const ProtobufCFieldDescriptor *field) {
    return (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) &&
           field->label != PROTOBUF_C_LABEL_REQUIRED;
}

static void mark(char *msg, const ProtobufCFieldDescriptor *field) {
    if (in_oneof(field))
        pbti_store32(msg + field->quantifier_offset, field->id);
    else if (field->label != PROTOBUF_C_LABEL_REQUIRED &&
             field->quantifier_offset != 0)
        pbti_store32(msg + field->quantifier_offset, 1);
}

/* Makes way in a oneof. compat: of one that has no member protobuf-c frees what
 * lies there, which may be the default of another. */
static bool leave_former(reader *r, const reader_frame *frame,
                         const ProtobufCFieldDescriptor *field) {
    if (pbti_load32(frame->msg + field->quantifier_offset) != 0)
        return pbti_unpack_clear_oneof(&r->u, frame->msg, frame->type,
                                       field->quantifier_offset);
    memset(frame->msg + field->offset, 0, pbti_unpack_size(field->type));
    return true;
}

static bool set(reader *r, const reader_frame *frame, const value *v) {
    const ProtobufCFieldDescriptor *field = v->field;
    char *msg = frame->msg, *member = msg + field->offset;
    if ((in_oneof(field) && !leave_former(r, frame, field)) ||
        !has_wire_type(v))
        return false;
    if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        return push(r, field->descriptor, field, v->end);
    pbti_free_member(field, member, r->u.d.allocator);
    if (!store(r, member, v))
        return false;
    mark(msg, field);
    return true;
}

static bool read_value(reader *r, const reader_frame *frame, const value *v) {
    if (v->field->label != PROTOBUF_C_LABEL_REPEATED)
        return set(r, frame, v);
    if (v->wire_type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED &&
        ((v->field->flags & PROTOBUF_C_FIELD_FLAG_PACKED) ||
         is_number(v->field->type)))
        return append_packed(r, frame->msg, v);
    return append(r, frame->msg, v);
}

static bool read_field(reader *r) {
    reader_frame *frame = top_frame(r);
    value v = {0};
    uint32_t number;
    size_t len;
    if (!read_tag(r, &number, &v.wire_type))
        return false;
    v.field = find_field(frame, number);
    v.start = r->p;
    if (!v.field) {
        r->p = pbti_unpack_unknown(&r->u, frame->msg, number, v.wire_type,
                                   v.start, frame->limit);
        return r->p != NULL;
    }
    note_seen(frame, v.field);
    v.end = pbti_unpack_skip(v.start, frame->limit, v.wire_type);
    if (!v.end)
        return false;
    v.content = v.start;
    if (v.wire_type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED)
        v.content = pbti_unpack_length(v.start, frame->limit, &len);
    r->p = v.field->type == PROTOBUF_C_TYPE_MESSAGE ? v.content : v.end;
    return read_value(r, frame, &v);
}

static bool hang(reader *r, reader_frame *parent,
                 const ProtobufCFieldDescriptor *field, char *sub) {
    char *msg = parent->msg, *member = msg + field->offset;
    const void *former = pbti_load_pointer(member);
    if (field->label == PROTOBUF_C_LABEL_REPEATED) {
        memcpy(next_place(msg, field), &sub, sizeof sub);
        count_one(msg, field);
        return true;
    }
    mark(msg, field);
    if (former && former != field->default_value)
        return pbti_unpack_replace(&r->u, member, (void *) sub);
    memcpy(member, &sub, sizeof sub);
    return true;
}

/* The message at work is complete. */
static bool finish(reader *r) {
    reader_frame *frame = top_frame(r);
    if (lacks_any(frame) || !pbti_unpack_trim(&r->u, frame->msg))
        return false;
    if (r->n_frames == 1)
        return true;
    r->n_frames--;
    return hang(r, frame - 1, frame->field, frame->msg);
}

static bool run(reader *r) {
    for (;;) {
        if (r->p < top_frame(r)->limit) {
            if (!read_field(r))
                return false;
        } else if (r->n_frames == 1) {
            return finish(r);
        } else if (!finish(r)) {
            return false;
        }
    }
}

static ProtobufCMessage *result(reader *r, bool good) {
    if (good)
        return (ProtobufCMessage *) (void *) r->frames[0].msg;
    while (r->n_frames > 0)
        pbti_free_unpacked((void *) r->frames[--r->n_frames].msg,
                           r->u.d.allocator);
    return NULL;
}

ProtobufCMessage *pbti_unpack_plain(const ProtobufCMessageDescriptor *type,
                                    const ProtobufCAllocator *allocator,
                                    size_t len, const uint8_t *data) {
    reader r = {.p = data, .capacity = INLINE_FRAMES};
    ProtobufCMessage *message = NULL;
    r.frames = r.inline_frames;
    pbti_unpacker_start(&r.u, allocator, data, len);
    if (push(&r, type, NULL, data + len))
        message = result(&r, run(&r));
    if (r.frames != r.inline_frames)
        pbti_free(allocator, r.frames);
    pbti_unpacker_free(&r.u);
    return message;
}
