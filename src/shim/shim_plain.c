/* shim_plain.c - see shim_plain.h.
 *
 * One walk serves size, pack and pack_to_buffer: it emits bytes to an output
 * that counts them, stores them, or hands them on. Whatever the output, the
 * same bytes come, so pack never writes more than the size was.
 *
 * compat: as protobuf-c, lengths are written modulo 2^32, the depth is that of
 * the stack, and a message that is none ends the program. Where protobuf-c's
 * pack takes a NULL element for an empty one its size crashes; here both take
 * it.
 */
#include "shim_plain.h"

#include <stdbool.h>
#include <stdlib.h>

#include <unistd.h>

#include "base_compiler.h"

enum { WIRE_TYPE_BITS = 3, MAX_VARINT = 10, STAGE_SIZE = 512 };

/* Where bytes go: nowhere but into the count, to memory, or to a buffer by way
 * of a stage that makes few large pieces of many small ones. */
typedef struct output {
    size_t total;
    uint8_t *memory; /* the next byte; NULL: not to memory */
    ProtobufCBuffer *buffer;
    uint8_t *stage;
    size_t staged;
} output;

static PBTI_NOINLINE void refuse_message(void) {
    static const char text[] =
        "libprotobuf-c (pbturbo): not a message: NULL, or without a message "
        "descriptor\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void) written;
    abort();
}

static bool is_message(const ProtobufCMessage *message) {
    return message && message->descriptor &&
           message->descriptor->magic == PROTOBUF_C__MESSAGE_DESCRIPTOR_MAGIC;
}

static const void *member_at(const void *message, size_t offset) {
    return (const char *) message + offset;
}

static void flush_stage(output *o) {
    size_t staged = o->staged;
    o->staged = 0;
    if (staged > 0)
        o->buffer->append(o->buffer, staged, o->stage);
}

static void put_to_buffer(output *o, const void *data, size_t len) {
    if (len > STAGE_SIZE - o->staged)
        flush_stage(o);
    if (len > STAGE_SIZE) {
        o->buffer->append(o->buffer, len, data);
        return;
    }
    memcpy(o->stage + o->staged, data, len);
    o->staged += len;
}

static void put(output *o, const void *data, size_t len) {
    o->total += len;
    if (len == 0)
        return;
    if (o->memory) {
        memcpy(o->memory, data, len);
        o->memory += len;
    } else if (o->buffer) {
        put_to_buffer(o, data, len);
    }
}

PBTI_INLINE bool only_counts(const output *o) {
    return !o->memory && !o->buffer;
}

PBTI_INLINE size_t varint_size(uint64_t value) {
#ifdef PBTI_LEADING_ZEROS
    return ((64 - PBTI_LEADING_ZEROS(value | 1)) * 9 + 64) / 64;
#else
    size_t n = 1;
    for (; value >= 0x80; value >>= 7)
        n++;
    return n;
#endif
}

/* Returns the end. */
static uint8_t *make_varint(uint64_t value, uint8_t *p) {
    for (; value >= 0x80; value >>= 7)
        *p++ = (uint8_t) (value | 0x80);
    *p++ = (uint8_t) value;
    return p;
}

PBTI_INLINE void put_varint(output *o, uint64_t value) {
    uint8_t bytes[MAX_VARINT];
    uint8_t *end;
    if (only_counts(o)) {
        o->total += varint_size(value);
    } else if (o->memory) {
        end = make_varint(value, o->memory);
        o->total += (size_t) (end - o->memory);
        o->memory = end;
    } else {
        put(o, bytes, (size_t) (make_varint(value, bytes) - bytes));
    }
}

/* compat: the wire type is or-ed in, be it what it may. */
static void put_tag(output *o, uint32_t number, uint32_t wire_type) {
    uint64_t tag = (uint64_t) number << WIRE_TYPE_BITS;
    uint8_t bytes[MAX_VARINT];
    uint8_t *end;
    if (only_counts(o)) {
        o->total += varint_size(tag);
        return;
    }
    end = make_varint(tag, bytes);
    bytes[0] |= (uint8_t) wire_type;
    put(o, bytes, (size_t) (end - bytes));
}

PBTI_INLINE void put_little_endian(output *o, uint64_t value, size_t len) {
    uint8_t bytes[8];
    size_t i;
    for (i = 0; i < len; i++)
        bytes[i] = (uint8_t) (value >> (8 * i));
    put(o, bytes, len);
}

/* compat: the length of what follows is 32 bits wide. */
static void put_length(output *o, size_t len) {
    put_varint(o, (uint32_t) len);
}

static size_t length_size(size_t len) {
    return varint_size((uint32_t) len);
}

PBTI_INLINE unsigned fixed_size(ProtobufCType type) {
    switch ((unsigned) type) {
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
        return 4;
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
        return 8;
    default:
        return 0;
    }
}

static bool is_number(ProtobufCType type) {
    return type != PROTOBUF_C_TYPE_STRING && type != PROTOBUF_C_TYPE_BYTES &&
           type != PROTOBUF_C_TYPE_MESSAGE;
}

static ProtobufCWireType wire_type_of(ProtobufCType type) {
    if (!is_number(type))
        return PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED;
    switch (fixed_size(type)) {
    case 4:
        return PROTOBUF_C_WIRE_TYPE_32BIT;
    case 8:
        return PROTOBUF_C_WIRE_TYPE_64BIT;
    default:
        return PROTOBUF_C_WIRE_TYPE_VARINT;
    }
}

PBTI_INLINE size_t element_size(ProtobufCType type) {
    switch ((unsigned) type) {
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
        return 8;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE:
        return sizeof(void *);
    case PROTOBUF_C_TYPE_BYTES:
        return sizeof(ProtobufCBinaryData);
    default:
        return 4;
    }
}

/* A varint's value, before it is cut into sevens. */
PBTI_INLINE uint64_t varint_value(ProtobufCType type, const void *value) {
    bool is_wide = element_size(type) == 8;
    uint64_t bits = is_wide ? pbti_load64(value) : pbti_load32(value);
    switch ((unsigned) type) {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_ENUM:
        return (uint64_t) (int64_t) (int32_t) (uint32_t) bits;
    case PROTOBUF_C_TYPE_SINT32:
        return (uint32_t) (bits << 1) ^ (uint32_t) (0 - (bits >> 31));
    case PROTOBUF_C_TYPE_SINT64:
        return (bits << 1) ^ (0 - (bits >> 63));
    case PROTOBUF_C_TYPE_BOOL:
        return bits != 0;
    default:
        return bits;
    }
}

PBTI_INLINE void put_number(output *o, ProtobufCType type, const void *value) {
    unsigned size = fixed_size(type);
    if (size == 4)
        put_little_endian(o, pbti_load32(value), 4);
    else if (size == 8)
        put_little_endian(o, pbti_load64(value), 8);
    else
        put_varint(o, varint_value(type, value));
}

static void put_run(output *o, const void *data, size_t len) {
    put_length(o, len);
    put(o, data, len);
}

static void emit_message(output *o, const ProtobufCMessage *message);

/* Leaves a byte for the length, and moves what was written if that was too
 * few: the size of each message is known after one walk. */
static void emit_to_memory(output *o, const ProtobufCMessage *message) {
    uint8_t *start = o->memory;
    size_t before = o->total;
    size_t len, n;
    o->memory = start + 1;
    emit_message(o, message);
    len = o->total - before;
    n = length_size(len);
    if (n != 1)
        memmove(start + n, start + 1, len);
    o->memory = start;
    put_length(o, len);
    o->memory += len;
}

static void put_sub(output *o, const ProtobufCMessage *message) {
    size_t len = 0;
    if (message && o->memory) {
        emit_to_memory(o, message);
        return;
    }
    if (message)
        len = pbti_plain_size(message);
    put_length(o, len);
    if (message && o->buffer)
        emit_message(o, message);
    else
        o->total += len;
}

static void put_value(output *o, ProtobufCType type, const void *value) {
    const char *text;
    ProtobufCBinaryData bytes;
    switch ((unsigned) type) {
    case PROTOBUF_C_TYPE_STRING:
        text = pbti_load_pointer(value);
        put_run(o, text, text ? strlen(text) : 0);
        break;
    case PROTOBUF_C_TYPE_BYTES:
        memcpy(&bytes, value, sizeof bytes);
        put_run(o, bytes.data, bytes.len);
        break;
    case PROTOBUF_C_TYPE_MESSAGE:
        put_sub(o, pbti_load_pointer(value));
        break;
    default:
        put_number(o, type, value);
        break;
    }
}

static void put_field(output *o, const ProtobufCFieldDescriptor *field,
                      const void *value) {
    put_tag(o, field->id, wire_type_of(field->type));
    put_value(o, field->type, value);
}

/* Of elements that all have one size; they need not be read to be counted. */
static unsigned even_size(ProtobufCType type) {
    return type == PROTOBUF_C_TYPE_BOOL ? 1 : fixed_size(type);
}

PBTI_INLINE void put_numbers(output *o, ProtobufCType type, const void *array,
                             size_t count) {
    size_t i;
    for (i = 0; i < count; i++)
        put_number(o, type, member_at(array, i * element_size(type)));
}

/* One loop for each type, which has the type built in. */
static void put_elements(output *o, ProtobufCType type, const void *array,
                         size_t count) {
    if (only_counts(o) && even_size(type) > 0) {
        o->total += count * even_size(type);
        return;
    }
    switch ((unsigned) type) {
#define LOOP(name)                                                             \
    case PROTOBUF_C_TYPE_##name:                                               \
        put_numbers(o, PROTOBUF_C_TYPE_##name, array, count);                  \
        break;
        LOOP(INT32)
        LOOP(SINT32)
        LOOP(UINT32)
        LOOP(INT64)
        LOOP(SINT64)
        LOOP(UINT64)
        LOOP(FIXED32)
        LOOP(FIXED64)
#undef LOOP
    default:
        put_numbers(o, type, array, count);
        break;
    }
}

static void put_packed(output *o, const ProtobufCFieldDescriptor *field,
                       const void *array, size_t count) {
    output counted = {0};
    put_elements(&counted, field->type, array, count);
    put_tag(o, field->id, PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED);
    put_length(o, counted.total);
    put_elements(o, field->type, array, count);
}

static void count_even(output *o, const ProtobufCFieldDescriptor *field,
                       size_t count) {
    output tag = {0};
    put_tag(&tag, field->id, wire_type_of(field->type));
    o->total += count * (tag.total + even_size(field->type));
}

/* compat: pack_to_buffer counts elements, and the bytes of those that are not
 * packed, in 32 bits. */
static void put_repeated(output *o, const ProtobufCFieldDescriptor *field,
                         const void *array, size_t count) {
    size_t before = o->total;
    size_t i;
    if (o->buffer)
        count = (uint32_t) count;
    if (count == 0)
        return;
    if ((field->flags & PROTOBUF_C_FIELD_FLAG_PACKED) &&
        is_number(field->type)) {
        put_packed(o, field, array, count);
        return;
    }
    if (only_counts(o) && even_size(field->type) > 0) {
        count_even(o, field, count);
        return;
    }
    for (i = 0; i < count; i++)
        put_field(o, field, member_at(array, i * element_size(field->type)));
    if (o->buffer)
        o->total = before + (uint32_t) (o->total - before);
}

static bool is_pointer(ProtobufCType type) {
    return type == PROTOBUF_C_TYPE_STRING || type == PROTOBUF_C_TYPE_MESSAGE;
}

static bool is_set_pointer(const ProtobufCFieldDescriptor *field,
                           const void *member) {
    const void *pointer = pbti_load_pointer(member);
    return pointer && pointer != field->default_value;
}

/* Whether a field of a type without labels differs from zero; -0.0 does not. */
static bool is_nonzero(ProtobufCType type, const void *member) {
    const char *text;
    switch ((unsigned) type) {
    case PROTOBUF_C_TYPE_FLOAT:
        return (pbti_load32(member) << 1) != 0;
    case PROTOBUF_C_TYPE_DOUBLE:
        return (pbti_load64(member) << 1) != 0;
    case PROTOBUF_C_TYPE_STRING:
        text = pbti_load_pointer(member);
        return text && *text != '\0';
    case PROTOBUF_C_TYPE_MESSAGE:
        return pbti_load_pointer(member) != NULL;
    case PROTOBUF_C_TYPE_BYTES:
        return pbti_load_size(member) != 0;
    default:
        return element_size(type) == 8 ? pbti_load64(member) != 0
                                       : pbti_load32(member) != 0;
    }
}

/* Of a field with one value: whether it is written. */
static bool is_present(const ProtobufCFieldDescriptor *field,
                       const void *member, const void *quantifier) {
    if (field->label == PROTOBUF_C_LABEL_REQUIRED)
        return true;
    if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
        return pbti_load32(quantifier) == field->id &&
               (!is_pointer(field->type) || is_set_pointer(field, member));
    if (field->label == PROTOBUF_C_LABEL_NONE)
        return is_nonzero(field->type, member);
    return is_pointer(field->type) ? is_set_pointer(field, member)
                                   : pbti_load32(quantifier) != 0;
}

static void put_unknown(output *o, const ProtobufCMessage *message) {
    unsigned i;
    for (i = 0; i < message->n_unknown_fields; i++) {
        const ProtobufCMessageUnknownField *f = &message->unknown_fields[i];
        put_tag(o, f->tag, f->wire_type);
        put(o, f->data, f->len);
    }
}

static void emit_message(output *o, const ProtobufCMessage *message) {
    const ProtobufCMessageDescriptor *type;
    unsigned i;
    if (!is_message(message))
        refuse_message();
    type = message->descriptor;
    for (i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        const void *member = member_at(message, field->offset);
        const void *quantifier = member_at(message, field->quantifier_offset);
        if (field->label == PROTOBUF_C_LABEL_REPEATED)
            put_repeated(o, field, pbti_load_pointer(member),
                         pbti_load_size(quantifier));
        else if (is_present(field, member, quantifier))
            put_field(o, field, member);
    }
    put_unknown(o, message);
}

size_t pbti_plain_size(const ProtobufCMessage *message) {
    output o = {0};
    emit_message(&o, message);
    return o.total;
}

size_t pbti_plain_pack(const ProtobufCMessage *message, uint8_t *out) {
    output o = {0};
    o.memory = out;
    emit_message(&o, message);
    return o.total;
}

size_t pbti_plain_pack_to_buffer(const ProtobufCMessage *message,
                                 ProtobufCBuffer *buffer) {
    uint8_t stage[STAGE_SIZE];
    output o = {.buffer = buffer, .stage = stage};
    emit_message(&o, message);
    flush_stage(&o);
    return o.total;
}

static bool check_bytes(const void *member) {
    ProtobufCBinaryData bytes;
    memcpy(&bytes, member, sizeof bytes);
    return bytes.len == 0 || bytes.data;
}

static bool check_elements(ProtobufCType type, const void *array,
                           size_t count) {
    size_t i;
    if (count > 0 && !array)
        return false;
    if (is_number(type))
        return true;
    for (i = 0; i < count; i++) {
        const void *element = member_at(array, i * element_size(type));
        if (type == PROTOBUF_C_TYPE_BYTES ? !check_bytes(element)
            : type == PROTOBUF_C_TYPE_MESSAGE
                ? !pbti_plain_check(pbti_load_pointer(element))
                : !pbti_load_pointer(element))
            return false;
    }
    return true;
}

/* compat: bytes are looked at where the has-flag is exactly 1, and no field
 * without a label has one: what is tested then is a part of the descriptor's
 * address, or the oneof's case. */
static bool check_value(const ProtobufCFieldDescriptor *field,
                        const void *member, const void *quantifier) {
    bool required = field->label == PROTOBUF_C_LABEL_REQUIRED;
    switch ((unsigned) field->type) {
    case PROTOBUF_C_TYPE_MESSAGE:
        return (!required && !pbti_load_pointer(member)) ||
               pbti_plain_check(pbti_load_pointer(member));
    case PROTOBUF_C_TYPE_STRING:
        return !required || pbti_load_pointer(member);
    case PROTOBUF_C_TYPE_BYTES:
        return (!required && pbti_load32(quantifier) != 1) ||
               check_bytes(member);
    default:
        return true;
    }
}

protobuf_c_boolean pbti_plain_check(const ProtobufCMessage *message) {
    const ProtobufCMessageDescriptor *type;
    unsigned i;
    if (!is_message(message))
        return 0;
    type = message->descriptor;
    for (i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        const void *member = member_at(message, field->offset);
        const void *quantifier = member_at(message, field->quantifier_offset);
        if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) &&
            pbti_load32(quantifier) != field->id)
            continue;
        if (field->label == PROTOBUF_C_LABEL_REPEATED
                ? !check_elements(field->type, pbti_load_pointer(member),
                                  pbti_load_size(quantifier))
                : !check_value(field, member, quantifier))
            return 0;
    }
    return 1;
}
