/* shim_message.c - protobuf_c_message_init and _free_unpacked, the version, and
 * the empty string.
 *
 * Messages are freed by recursion down to a certain depth; those that lie
 * deeper go on a list, linked by their unknown fields, which are freed first.
 * So it takes neither memory nor more stack, however deep they are.
 *
 * With a table, only the fields are looked at that have memory of their own.
 */
#include "shim.h"
#include "shim_unpack.h"

PBTI_SHIM_API extern const char protobuf_c_empty_string[];
const char protobuf_c_empty_string[] = "";

PBTI_SHIM_API const char *protobuf_c_version(void) {
    return PROTOBUF_C_VERSION;
}

PBTI_SHIM_API uint32_t protobuf_c_version_number(void) {
    return PROTOBUF_C_VERSION_NUMBER;
}

PBTI_SHIM_API void
protobuf_c_message_init(const ProtobufCMessageDescriptor *descriptor,
                        void *message) {
    descriptor->message_init(message);
}

enum {
#ifdef PBTI_SHRINK
    MAX_LEVELS = 2
#else
    MAX_LEVELS = 64
#endif
};

typedef struct liberator {
    const ProtobufCAllocator *allocator;
    ProtobufCMessage *pending; /* the first of the list */
} liberator;

static void free_message(liberator *l, ProtobufCMessage *message,
                         const pbti_table *table, unsigned level);

static void defer(liberator *l, ProtobufCMessage *message) {
    pbti_free_unknown(message, l->allocator);
    memcpy(&message->unknown_fields, &l->pending, sizeof l->pending);
    l->pending = message;
}

static ProtobufCMessage *take_pending(liberator *l) {
    ProtobufCMessage *message = l->pending;
    memcpy(&l->pending, &message->unknown_fields, sizeof l->pending);
    message->unknown_fields = NULL;
    return message;
}

/* A sub-message, with the table of its field's type; NULL: without one. */
static void free_sub(liberator *l, ProtobufCMessage *message,
                     const pbti_table *table, unsigned level) {
    if (!message)
        return;
    if (level == MAX_LEVELS)
        defer(l, message);
    else
        free_message(l, message, table, level + 1);
}

static void free_texts(const liberator *l, char **texts, size_t n) {
    size_t i;
    for (i = 0; i < n; i++)
        pbti_free(l->allocator, texts[i]);
}

static void free_all_bytes(const liberator *l, const ProtobufCBinaryData *bytes,
                           size_t n) {
    size_t i;
    for (i = 0; i < n; i++)
        pbti_free(l->allocator, bytes[i].data);
}

static void free_messages(liberator *l, ProtobufCMessage **messages, size_t n,
                          const pbti_table *table, unsigned level) {
    size_t i;
    for (i = 0; i < n; i++)
        free_sub(l, messages[i], table, level);
}

void pbti_free_unknown(ProtobufCMessage *message,
                       const ProtobufCAllocator *allocator) {
    unsigned i;
    if (!message->unknown_fields)
        return;
    for (i = 0; i < message->n_unknown_fields; i++)
        pbti_free(allocator, message->unknown_fields[i].data);
    pbti_free(allocator, message->unknown_fields);
    message->n_unknown_fields = 0;
    message->unknown_fields = NULL;
}

/* By descriptors. */

static void free_array(liberator *l, char *msg,
                       const ProtobufCFieldDescriptor *field, unsigned level) {
    size_t n = pbti_load_size(msg + field->quantifier_offset);
    void *array;
    memcpy(&array, msg + field->offset, sizeof array);
    if (!array)
        return;
    if (field->type == PROTOBUF_C_TYPE_STRING)
        free_texts(l, array, n);
    else if (field->type == PROTOBUF_C_TYPE_BYTES)
        free_all_bytes(l, array, n);
    else if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        free_messages(l, array, n, NULL, level);
    pbti_free(l->allocator, array);
}

static void free_singular(liberator *l, char *member,
                          const ProtobufCFieldDescriptor *field,
                          unsigned level) {
    const ProtobufCBinaryData *unset = field->default_value;
    ProtobufCBinaryData bytes;
    void *pointer;
    if (field->type == PROTOBUF_C_TYPE_BYTES) {
        memcpy(&bytes, member, sizeof bytes);
        if (!unset || bytes.data != unset->data)
            pbti_free(l->allocator, bytes.data);
        return;
    }
    if (field->type != PROTOBUF_C_TYPE_STRING &&
        field->type != PROTOBUF_C_TYPE_MESSAGE)
        return;
    memcpy(&pointer, member, sizeof pointer);
    if (pointer == field->default_value)
        return;
    if (field->type == PROTOBUF_C_TYPE_STRING)
        pbti_free(l->allocator, pointer);
    else
        free_sub(l, pointer, NULL, level);
}

static void free_by_fields(liberator *l, char *msg,
                           const ProtobufCMessageDescriptor *type,
                           unsigned level) {
    unsigned i;
    for (i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) &&
            pbti_load32(msg + field->quantifier_offset) != field->id)
            continue;
        if (field->label == PROTOBUF_C_LABEL_REPEATED)
            free_array(l, msg, field, level);
        else
            free_singular(l, msg + field->offset, field, level);
    }
}

/* By slots. */

static void free_array_of(liberator *l, const char *msg, const pbti_slot *slot,
                          unsigned op, void *array, unsigned level) {
    size_t n = pbti_load_size(msg + slot->quantifier);
    if (op == PBTI_PARSE_STRING_REPEATED)
        free_texts(l, array, n);
    else if (op == PBTI_PARSE_BYTES_REPEATED)
        free_all_bytes(l, array, n);
    else if (op == PBTI_PARSE_MESSAGE_REPEATED)
        free_messages(l, array, n, slot->u.sub, level);
    pbti_free(l->allocator, array);
}

/* What a usual type starts with is what it has by default. */
static bool is_default(const pbti_parse *parse, size_t offset,
                       const void *pointer) {
    return parse->image &&
           pbti_load_pointer((const char *) parse->image + offset) == pointer;
}

static void free_owner(liberator *l, char *msg, const pbti_parse *parse,
                       const pbti_slot *slot, unsigned level) {
    unsigned op = slot->op == PBTI_PARSE_REQUIRED ? slot->other : slot->op;
    size_t at = slot->data;
    void *pointer;
    if (op == PBTI_PARSE_BYTES || op == PBTI_PARSE_BYTES_FLAGGED ||
        op == PBTI_PARSE_BYTES_MEMBER)
        at += offsetof(ProtobufCBinaryData, data);
    memcpy(&pointer, msg + at, sizeof pointer);
    if (!pointer)
        return;
    switch (op) {
    case PBTI_PARSE_STRING:
    case PBTI_PARSE_BYTES:
    case PBTI_PARSE_STRING_MEMBER:
    case PBTI_PARSE_BYTES_FLAGGED:
    case PBTI_PARSE_BYTES_MEMBER:
        if (!is_default(parse, at, pointer))
            pbti_free(l->allocator, pointer);
        break;
    case PBTI_PARSE_MESSAGE:
    case PBTI_PARSE_MESSAGE_MEMBER:
        free_sub(l, pointer, slot->u.sub, level);
        break;
    default:
        free_array_of(l, msg, slot, op, pointer, level);
    }
}

/* The member that a oneof has. Its other owners find the oneof empty. */
static void free_oneof(liberator *l, char *msg, const pbti_parse *parse,
                       const pbti_slot *owner, unsigned level) {
    uint32_t number = pbti_load32(msg + owner->quantifier);
    const pbti_slot *slot = pbti_find_slot(parse, number);
    if (number == 0 || !(slot->flags & PBTI_SLOT_ONEOF) ||
        slot->quantifier != owner->quantifier)
        return;
    pbti_store32(msg + owner->quantifier, 0);
    if (slot->op == PBTI_PARSE_STRING_MEMBER ||
        slot->op == PBTI_PARSE_BYTES_MEMBER ||
        slot->op == PBTI_PARSE_MESSAGE_MEMBER)
        free_owner(l, msg, parse, slot, level);
}

static void free_by_slots(liberator *l, char *msg, const pbti_parse *parse,
                          unsigned level) {
    uint32_t i;
    for (i = 0; i < parse->n_owners; i++) {
        const pbti_slot *slot = &parse->slots[parse->owners[i]];
        if (slot->flags & PBTI_SLOT_ONEOF)
            free_oneof(l, msg, parse, slot, level);
        else
            free_owner(l, msg, parse, slot, level);
    }
}

static void free_message(liberator *l, ProtobufCMessage *message,
                         const pbti_table *table, unsigned level) {
    const ProtobufCMessageDescriptor *type = message->descriptor;
    if (!type)
        return;
    if (table && table->type != type)
        table = pbti_shim_table(type);
    message->descriptor = NULL;
    if (table && table->parse.is_usual)
        free_by_slots(l, (char *) message, &table->parse, level);
    else
        free_by_fields(l, (char *) message, type, level);
    pbti_free_unknown(message, l->allocator);
    pbti_free(l->allocator, message);
}

static const pbti_table *find_table(const ProtobufCMessage *message) {
    return message->descriptor ? pbti_shim_table(message->descriptor) : NULL;
}

static void free_pending(liberator *l) {
    while (l->pending) {
        ProtobufCMessage *message = take_pending(l);
        free_message(l, message, find_table(message), 0);
    }
}

void pbti_free_unpacked(ProtobufCMessage *message,
                        const ProtobufCAllocator *allocator) {
    liberator l = {.allocator = allocator};
    if (message)
        free_message(&l, message, find_table(message), 0);
    free_pending(&l);
}

void pbti_free_member(const ProtobufCFieldDescriptor *field, char *member,
                      const ProtobufCAllocator *allocator) {
    liberator l = {.allocator = allocator};
    free_singular(&l, member, field, 0);
    free_pending(&l);
}

PBTI_SHIM_API void
protobuf_c_message_free_unpacked(ProtobufCMessage *message,
                                 ProtobufCAllocator *allocator) {
    pbti_shim_counted(PBTI_SHIM_FREE, 0);
    pbti_free_unpacked(message, allocator);
}
