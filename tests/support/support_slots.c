/* support_slots.c - see support_slots.h. */
#include "support_slots.h"

typedef struct search {
    slot_list *list;
    arena *arena;
    slot_kind kind;
} search;

static void add_slot(search *s, slot_kind kind, void *slot) {
    slot_list *list = s->list;
    if (kind != s->kind)
        return;
    if (list->n == list->capacity) {
        size_t capacity = 2 * list->capacity + 64;
        void **slots = arena_alloc(s->arena, capacity * sizeof *slots);
        if (list->n > 0)
            memcpy(slots, list->slots, list->n * sizeof *slots);
        list->slots = slots;
        list->capacity = capacity;
    }
    list->slots[list->n++] = slot;
}

static void search_message(search *s, ProtobufCMessage *message);

static void search_value(search *s, const ProtobufCFieldDescriptor *f,
                         void *member) {
    ProtobufCBinaryData *bytes = member;
    if (f->type == PROTOBUF_C_TYPE_STRING)
        add_slot(s, SLOT_STRING, member);
    if (f->type == PROTOBUF_C_TYPE_BYTES && bytes->len > 0)
        add_slot(s, SLOT_DATA, &bytes->data);
    if (f->type == PROTOBUF_C_TYPE_MESSAGE && slot_get(member) &&
        slot_get(member) != f->default_value)
        search_message(s, slot_get(member));
}

static void search_repeated(search *s, ProtobufCMessage *message,
                            const ProtobufCFieldDescriptor *f) {
    void *member = message_member(message, f->offset);
    size_t n = *(size_t *) message_member(message, f->quantifier_offset), i;
    char *array = slot_get(member);
    if (n == 0)
        return;
    add_slot(s, SLOT_ARRAY, member);
    for (i = 0; i < n && !schema_type_is_packable(f->type); i++) {
        void *element = array + i * schema_member_size(f->type);
        if (f->type != PROTOBUF_C_TYPE_BYTES)
            add_slot(s, SLOT_ELEMENT, element);
        search_value(s, f, element);
    }
}

static bool is_selected(ProtobufCMessage *message,
                        const ProtobufCFieldDescriptor *f) {
    void *quantifier = message_member(message, f->quantifier_offset);
    if (f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
        return *(uint32_t *) quantifier == f->id;
    if (f->type == PROTOBUF_C_TYPE_BYTES &&
        f->label == PROTOBUF_C_LABEL_OPTIONAL)
        return *(protobuf_c_boolean *) quantifier != 0;
    return true;
}

static void search_field(search *s, ProtobufCMessage *message,
                         const ProtobufCFieldDescriptor *f) {
    void *member = message_member(message, f->offset);
    if (f->label == PROTOBUF_C_LABEL_REPEATED) {
        search_repeated(s, message, f);
        return;
    }
    if (!is_selected(message, f))
        return;
    if (f->label == PROTOBUF_C_LABEL_REQUIRED &&
        (f->type == PROTOBUF_C_TYPE_STRING ||
         f->type == PROTOBUF_C_TYPE_MESSAGE))
        add_slot(s, SLOT_REQUIRED, member);
    search_value(s, f, member);
}

static void search_message(search *s, ProtobufCMessage *message) {
    const ProtobufCMessageDescriptor *type = message->descriptor;
    unsigned i;
    add_slot(s, SLOT_DESCRIPTOR, &message->descriptor);
    for (i = 0; i < type->n_fields; i++)
        search_field(s, message, &type->fields[i]);
    if (message->n_unknown_fields > 0)
        add_slot(s, SLOT_UNKNOWN_ARRAY, &message->unknown_fields);
    for (i = 0; i < message->n_unknown_fields; i++)
        if (message->unknown_fields[i].len > 0)
            add_slot(s, SLOT_UNKNOWN_DATA, &message->unknown_fields[i].data);
}

void slots_collect(slot_list *list, arena *a, ProtobufCMessage *message,
                   slot_kind kind) {
    search s = {list, a, kind};
    list->n = 0;
    search_message(&s, message);
}
