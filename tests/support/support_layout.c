/* support_layout.c - see support_layout.h. */
#include "support_layout.h"

#include <stdlib.h>
#include <string.h>

#include "base_facts.h"

enum { NO_SLOT = -1 };

/* A member of the struct: a value, a quantifier, or a oneof's union or case. */
typedef struct slot {
    uint32_t size, align, offset;
} slot;

typedef struct layout {
    slot *slots;
    uint32_t n;
    int32_t *value_slot, *quantifier_slot; /* of each field */
    int32_t *union_slot, *case_slot;       /* of each oneof, by its number */
} layout;

size_t schema_member_size(ProtobufCType type) {
    switch (type) {
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
        return 8;
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE:
        return sizeof(void *);
    case PROTOBUF_C_TYPE_BYTES:
        return sizeof(ProtobufCBinaryData);
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_BOOL:
    case PROTOBUF_C_TYPE_ENUM:
        break;
    }
    return 4;
}

bool schema_type_is_packable(ProtobufCType type) {
    return type != PROTOBUF_C_TYPE_STRING && type != PROTOBUF_C_TYPE_BYTES &&
           type != PROTOBUF_C_TYPE_MESSAGE;
}

static int32_t add_slot(layout *l, size_t size) {
    slot *s = &l->slots[l->n];
    s->size = (uint32_t) size;
    s->align = size >= 8 ? 8 : 4;
    return (int32_t) l->n++;
}

static void add_oneof_member(layout *l, const schema_field *field, size_t i) {
    uint32_t size = (uint32_t) schema_member_size(field->type);
    slot *shared;
    if (l->case_slot[field->oneof] == NO_SLOT) {
        l->case_slot[field->oneof] = add_slot(l, 4);
        l->union_slot[field->oneof] = add_slot(l, size);
    }
    shared = &l->slots[l->union_slot[field->oneof]];
    if (shared->size < size) {
        shared->size = size;
        shared->align = size >= 8 ? 8 : 4;
    }
    l->value_slot[i] = l->union_slot[field->oneof];
    l->quantifier_slot[i] = l->case_slot[field->oneof];
}

static bool has_flag_member(const schema_field *field) {
    return field->label == PROTOBUF_C_LABEL_OPTIONAL &&
           field->type != PROTOBUF_C_TYPE_STRING &&
           field->type != PROTOBUF_C_TYPE_MESSAGE;
}

static void add_members(layout *l, const schema_field *field, size_t i) {
    l->quantifier_slot[i] = NO_SLOT;
    if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
        add_oneof_member(l, field, i);
    } else if (field->label == PROTOBUF_C_LABEL_REPEATED) {
        l->quantifier_slot[i] = add_slot(l, sizeof(size_t));
        l->value_slot[i] = add_slot(l, sizeof(void *));
    } else {
        if (has_flag_member(field))
            l->quantifier_slot[i] = add_slot(l, sizeof(protobuf_c_boolean));
        l->value_slot[i] = add_slot(l, schema_member_size(field->type));
    }
}

/* Gives each slot its offset; returns the size of the struct. */
static size_t place_slots(arena *a, layout *l, const layout_options *options) {
    uint32_t *order = arena_alloc(a, (l->n + 1) * sizeof *order);
    size_t at = sizeof(ProtobufCMessage);
    uint32_t i;
    for (i = 0; i < l->n; i++)
        order[i] = i;
    for (i = l->n; options->rng && i > 1; i--) {
        uint32_t k = rng_below(options->rng, i), swap = order[k];
        order[k] = order[i - 1];
        order[i - 1] = swap;
    }
    for (i = 0; i < l->n; i++) {
        slot *s = &l->slots[order[i]];
        if (options->padding > 0 && rng_chance(options->rng, 20))
            at += rng_below(options->rng, options->padding + 1);
        at = (at + s->align - 1) / s->align * s->align;
        s->offset = (uint32_t) at;
        at += s->size;
    }
    return (at + 7) / 8 * 8;
}

static void fill_field(arena *a, const layout *l, const schema_field *from,
                       size_t i, bool nameless, ProtobufCFieldDescriptor *to) {
    if (!nameless)
        to->name = from->name ? from->name
                              : arena_format(a, "f%u", (unsigned) from->number);
    to->id = from->number;
    to->label = from->label;
    to->type = from->type;
    to->flags = from->flags;
    to->descriptor = from->type_of;
    if (from->type == PROTOBUF_C_TYPE_ENUM && !from->type_of)
        to->descriptor = &schema_enum;
    to->default_value = from->default_value;
    to->offset = l->slots[l->value_slot[i]].offset;
    if (l->quantifier_slot[i] != NO_SLOT)
        to->quantifier_offset = l->slots[l->quantifier_slot[i]].offset;
}

static void fill_ranges(arena *a, ProtobufCMessageDescriptor *type) {
    unsigned n = type->n_fields, i;
    ProtobufCIntRange *ranges;
    if (n == 0)
        return;
    ranges = arena_alloc(a, (n + 1) * sizeof *ranges);
    for (i = 0; i < n; i++) {
        if (i > 0 && type->fields[i].id == type->fields[i - 1].id + 1)
            continue;
        ranges[type->n_field_ranges].start_value = (int) type->fields[i].id;
        ranges[type->n_field_ranges++].orig_index = i;
    }
    ranges[type->n_field_ranges].orig_index = n;
    type->field_ranges = ranges;
}

typedef struct named_index {
    const char *name;
    unsigned index;
} named_index;

static int compare_names(const void *a, const void *b) {
    return strcmp(((const named_index *) a)->name,
                  ((const named_index *) b)->name);
}

static void fill_name_order(arena *a, ProtobufCMessageDescriptor *type) {
    unsigned *order = arena_alloc(a, type->n_fields * sizeof *order);
    named_index *names = arena_alloc(a, type->n_fields * sizeof *names);
    unsigned i;
    for (i = 0; i < type->n_fields; i++)
        names[i] = (named_index){type->fields[i].name, i};
    qsort(names, type->n_fields, sizeof *names, compare_names);
    for (i = 0; i < type->n_fields; i++)
        order[i] = names[i].index;
    type->fields_sorted_by_name = order;
}

static void init_layout(arena *a, layout *l, const schema_field *fields,
                        size_t n) {
    size_t n_oneofs = 1, i;
    for (i = 0; i < n; i++)
        if (fields[i].oneof >= n_oneofs)
            n_oneofs = fields[i].oneof + 1;
    l->slots = arena_alloc(a, (2 * n + 1) * sizeof *l->slots);
    l->value_slot = arena_alloc(a, n * sizeof *l->value_slot);
    l->quantifier_slot = arena_alloc(a, n * sizeof *l->quantifier_slot);
    l->union_slot = arena_alloc(a, n_oneofs * sizeof *l->union_slot);
    l->case_slot = arena_alloc(a, n_oneofs * sizeof *l->case_slot);
    for (i = 0; i < n_oneofs; i++)
        l->case_slot[i] = NO_SLOT;
}

/* One that differs from the field's own name. */
static const char *json_name(arena *a, const char *name) {
    char *json = name ? arena_alloc(a, strlen(name) + 3) : NULL;
    if (!json)
        return NULL;
    memcpy(json, "j-", 2);
    memcpy(json + 2, name, strlen(name) + 1);
    return json;
}

static void add_facts(arena *a, ProtobufCMessageDescriptor *type,
                      const schema_field *fields, size_t n, bool always) {
    pbti_type_facts *facts = arena_alloc(a, sizeof *facts);
    pbti_field_facts *to = arena_alloc(a, n * sizeof *to);
    bool any = always;
    size_t i;
    for (i = 0; i < n; i++) {
        to[i].is_group = fields[i].is_group;
        to[i].is_map = fields[i].is_map;
        to[i].json_name = json_name(a, type->fields[i].name);
        any = any || fields[i].is_group || fields[i].is_map;
    }
    facts->magic = PBTI_FACTS_MAGIC;
    facts->fields = to;
    if (any)
        type->reserved1 = (void *) facts;
}

void layout_type(arena *a, ProtobufCMessageDescriptor *type, const char *name,
                 const schema_field *fields, size_t n,
                 const layout_options *options) {
    layout l = {0};
    ProtobufCFieldDescriptor *out = NULL;
    size_t i;
    init_layout(a, &l, fields, n);
    if (n > 0)
        out = arena_alloc(a, n * sizeof *out);
    for (i = 0; i < n; i++)
        add_members(&l, &fields[i], i);
    memset(type, 0, sizeof *type);
    type->magic = PROTOBUF_C__MESSAGE_DESCRIPTOR_MAGIC;
    type->sizeof_message = place_slots(a, &l, options);
    for (i = 0; i < n; i++)
        fill_field(a, &l, &fields[i], i, options->nameless, &out[i]);
    type->n_fields = (unsigned) n;
    type->fields = out;
    fill_ranges(a, type);
    add_facts(a, type, fields, n, options->with_facts);
    if (options->nameless)
        return;
    type->name = name;
    type->short_name = type->c_name = strrchr(name, '.') + 1;
    type->package_name = "test";
    if (n > 0)
        fill_name_order(a, type);
}

ProtobufCMessageDescriptor *schema_make(arena *a, const char *name,
                                        const schema_field *fields, size_t n) {
    const layout_options plain = {0};
    ProtobufCMessageDescriptor *type = arena_alloc(a, sizeof *type);
    layout_type(a, type, name, fields, n, &plain);
    return type;
}
