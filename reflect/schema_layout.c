/* schema_layout.c - the third step of the loader: structs as the C compiler
 * lays out those that protoc-c writes, and the descriptors that tell of them.
 *
 * Order of members: the base, the fields outside of oneofs as declared, for
 * each oneof its case and a union of its members. Extensions, which protoc-c
 * does not know, come last, so that they move nothing. */
#include <stdlib.h>

#include "schema_build.h"

typedef struct sorted_name {
    const char *name;
    unsigned index;
} sorted_name;

/* Size of a value, which is its alignment too, but for bytes. */
static size_t value_size(ProtobufCType type) {
    switch (type) {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
        return sizeof(uint32_t);
    case PROTOBUF_C_TYPE_ENUM:
        return sizeof(int);
    case PROTOBUF_C_TYPE_BOOL:
        return sizeof(protobuf_c_boolean);
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
        return sizeof(uint64_t);
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE:
        return sizeof(void *);
    case PROTOBUF_C_TYPE_BYTES:
        return sizeof(ProtobufCBinaryData);
    }
    return 0;
}

static size_t value_alignment(ProtobufCType type) {
    if (type == PROTOBUF_C_TYPE_BYTES)
        return _Alignof(ProtobufCBinaryData);
    return value_size(type) == sizeof(uint64_t) ? _Alignof(uint64_t)
                                                : value_size(type);
}

static size_t align(size_t offset, size_t alignment) {
    return (offset + alignment - 1) / alignment * alignment;
}

/* Places a member behind those that take `size` bytes; returns its offset. */
static unsigned place(size_t *size, size_t member_size, size_t alignment) {
    size_t offset = align(*size, alignment);
    *size = offset + member_size;
    return (unsigned) offset;
}

static void place_field(pbti_field *field, size_t *size) {
    ProtobufCFieldDescriptor *as = &field->as;
    bool is_pointer = as->type == PROTOBUF_C_TYPE_STRING ||
                      as->type == PROTOBUF_C_TYPE_MESSAGE;
    if (as->label == PROTOBUF_C_LABEL_REPEATED) {
        as->quantifier_offset = place(size, sizeof(size_t), sizeof(size_t));
        as->offset = place(size, sizeof(void *), sizeof(void *));
        return;
    }
    if (as->label == PROTOBUF_C_LABEL_OPTIONAL && !is_pointer)
        as->quantifier_offset =
            place(size, sizeof(protobuf_c_boolean), sizeof(protobuf_c_boolean));
    as->offset = place(size, value_size(as->type), value_alignment(as->type));
}

/* What a oneof takes of the struct. */
typedef struct oneof_place {
    size_t size;
    size_t alignment;
    unsigned case_offset;
    unsigned offset;
    bool is_synthetic; /* stands for the presence of one proto3 field */
} oneof_place;

static void measure_oneofs(const pbti_message *message, oneof_place *oneofs) {
    size_t i;
    for (i = 0; i < message->proto->n_field; i++) {
        const pbti_field *field = &message->fields[i];
        oneof_place *oneof;
        if (field->oneof == PBTI_NO_ONEOF) {
            if (field->proto->has_oneof_index)
                oneofs[field->proto->oneof_index].is_synthetic = true;
            continue;
        }
        oneof = &oneofs[field->oneof];
        if (value_size(field->as.type) > oneof->size)
            oneof->size = value_size(field->as.type);
        if (value_alignment(field->as.type) > oneof->alignment)
            oneof->alignment = value_alignment(field->as.type);
    }
}

static pbt_status place_oneofs(pbti_builder *b, pbti_message *message,
                               oneof_place *oneofs, size_t *size) {
    const Pbti__DescriptorProto *proto = message->proto;
    size_t i;
    measure_oneofs(message, oneofs);
    for (i = 0; i < proto->n_oneof_decl; i++) {
        oneof_place *oneof = &oneofs[i];
        if (oneof->is_synthetic && !oneof->size)
            continue;
        if (!oneof->size)
            return pbti_bad_element(b, PBT_ERR_BAD_DESCRIPTOR, message->file,
                                    "oneof", message->symbol,
                                    proto->oneof_decl[i]->name,
                                    "it has no fields");
        oneof->case_offset = place(size, sizeof(uint32_t), sizeof(uint32_t));
        /* A union's size is a multiple of its alignment. */
        oneof->offset =
            place(size, align(oneof->size, oneof->alignment), oneof->alignment);
    }
    for (i = 0; i < proto->n_field; i++) {
        pbti_field *field = &message->fields[i];
        if (field->oneof == PBTI_NO_ONEOF)
            continue;
        field->as.quantifier_offset = oneofs[field->oneof].case_offset;
        field->as.offset = oneofs[field->oneof].offset;
    }
    return PBT_OK;
}

static pbt_status place_members(pbti_builder *b, pbti_message *message) {
    size_t size = sizeof(ProtobufCMessage);
    oneof_place *oneofs;
    pbti_field *field;
    pbt_status status;
    size_t i;
    oneofs = pbti_arena_zeroed(b->scratch,
                               message->proto->n_oneof_decl * sizeof *oneofs);
    if (!oneofs)
        return pbti_no_memory(b);
    for (i = 0; i < message->proto->n_field; i++)
        if (message->fields[i].oneof == PBTI_NO_ONEOF)
            place_field(&message->fields[i], &size);
    status = place_oneofs(b, message, oneofs, &size);
    for (field = message->extensions; field; field = field->next)
        place_field(field, &size);
    message->type->sizeof_message =
        align(size, _Alignof(uint64_t) > _Alignof(ProtobufCMessage)
                        ? _Alignof(uint64_t)
                        : _Alignof(ProtobufCMessage));
    return status;
}

static int by_number(const void *left, const void *right) {
    const pbti_field *a = *(pbti_field *const *) left;
    const pbti_field *b = *(pbti_field *const *) right;
    return a->as.id < b->as.id ? -1 : a->as.id > b->as.id;
}

static int by_name(const void *left, const void *right) {
    const sorted_name *a = left;
    const sorted_name *b = right;
    return strcmp(a->name, b->name);
}

/* Returns all fields and extensions in the order of their numbers. */
static pbti_field **sort_fields(pbti_builder *b, pbti_message *message) {
    unsigned n = message->type->n_fields;
    pbti_field **sorted =
        pbti_arena_alloc(b->scratch, n * sizeof(pbti_field *));
    pbti_field *extension;
    size_t i;
    if (!sorted)
        return NULL;
    for (i = 0; i < message->proto->n_field; i++)
        sorted[i] = &message->fields[i];
    for (extension = message->extensions; extension;
         extension = extension->next)
        sorted[i++] = extension;
    if (n > 0)
        qsort(sorted, n, sizeof(pbti_field *), by_number);
    return sorted;
}

static pbt_status check_numbers(pbti_builder *b, pbti_field *const *sorted,
                                unsigned n) {
    unsigned i;
    for (i = 1; i < n; i++)
        if (sorted[i]->as.id == sorted[i - 1]->as.id)
            return pbti_bad_field(
                b, sorted[i], "number %u is used by %s as well",
                (unsigned) sorted[i]->as.id, sorted[i - 1]->as.name);
    return PBT_OK;
}

static pbt_status put_fields(pbti_builder *b, pbti_message *message,
                             pbti_field *const *sorted) {
    unsigned n = message->type->n_fields;
    ProtobufCFieldDescriptor *fields =
        pbti_arena_alloc(b->keep, n * sizeof *fields);
    pbti_field_facts *facts = pbti_arena_alloc(b->keep, n * sizeof *facts);
    unsigned i;
    if (!fields || !facts)
        return pbti_no_memory(b);
    for (i = 0; i < n; i++) {
        fields[i] = sorted[i]->as;
        facts[i] = sorted[i]->facts;
    }
    message->type->fields = fields;
    message->facts->fields = facts;
    return PBT_OK;
}

static pbt_status put_names(pbti_builder *b, ProtobufCMessageDescriptor *type) {
    unsigned n = type->n_fields;
    sorted_name *sorted = pbti_arena_alloc(b->scratch, n * sizeof *sorted);
    unsigned *indices = pbti_arena_alloc(b->keep, n * sizeof *indices);
    unsigned i;
    if (!sorted || !indices)
        return pbti_no_memory(b);
    for (i = 0; i < n; i++)
        sorted[i] = (sorted_name){type->fields[i].name, i};
    qsort(sorted, n, sizeof *sorted, by_name);
    for (i = 0; i < n; i++)
        indices[i] = sorted[i].index;
    type->fields_sorted_by_name = indices;
    return PBT_OK;
}

/* Runs of consecutive numbers, and one that says where the last ends. */
static pbt_status put_ranges(pbti_builder *b,
                             ProtobufCMessageDescriptor *type) {
    const ProtobufCFieldDescriptor *fields = type->fields;
    ProtobufCIntRange *ranges;
    unsigned n = 0;
    unsigned i;
    for (i = 0; i < type->n_fields; i++)
        n += i == 0 || fields[i].id != fields[i - 1].id + 1;
    ranges = pbti_arena_alloc(b->keep, (n + 1) * sizeof *ranges);
    if (!ranges)
        return pbti_no_memory(b);
    type->n_field_ranges = n;
    type->field_ranges = ranges;
    for (i = 0; i < type->n_fields; i++)
        if (i == 0 || fields[i].id != fields[i - 1].id + 1)
            *ranges++ = (ProtobufCIntRange){(int) fields[i].id, i};
    *ranges = (ProtobufCIntRange){0, type->n_fields};
    return PBT_OK;
}

/* compat: an enum without a default starts as the value declared first. */
static void put_initial_value(const pbti_field *field, char *image) {
    const ProtobufCFieldDescriptor *as = &field->as;
    if (as->label == PROTOBUF_C_LABEL_REPEATED || field->oneof != PBTI_NO_ONEOF)
        return;
    if (as->type == PROTOBUF_C_TYPE_STRING)
        memcpy(image + as->offset, &as->default_value, sizeof(void *));
    else if (as->default_value)
        memcpy(image + as->offset, as->default_value, value_size(as->type));
    else if (as->type == PROTOBUF_C_TYPE_ENUM)
        memcpy(image + as->offset, &field->values->first_value, sizeof(int));
}

/* Makes message_init; without one where the pool is exhausted, as protobuf-c
 * then starts messages from the descriptor. */
static pbt_status put_init(pbti_builder *b, pbti_message *message,
                           pbti_field *const *sorted) {
    ProtobufCMessageDescriptor *type = message->type;
    pbt_schema *schema = b->schema;
    pbti_init_image *image = pbti_arena_alloc(b->keep, sizeof *image);
    ProtobufCMessage *base;
    unsigned i;
    if (!image)
        return pbti_no_memory(b);
    image->size = type->sizeof_message;
    image->bytes = pbti_arena_zeroed(b->keep, image->size);
    if (!image->bytes)
        return pbti_no_memory(b);
    base = image->bytes;
    base->descriptor = type;
    for (i = 0; i < type->n_fields; i++)
        put_initial_value(sorted[i], image->bytes);
    if (b->is_pool_empty)
        return PBT_OK;
    type->message_init =
        pbti_init_take(image, &schema->init_slots[schema->n_init_slots]);
    if (type->message_init)
        schema->n_init_slots++;
    else
        b->is_pool_empty = true;
    return PBT_OK;
}

pbt_status pbti_lay_out(pbti_builder *b, pbti_message *message) {
    ProtobufCMessageDescriptor *type = message->type;
    pbti_field **sorted;
    pbt_status status;
    type->n_fields =
        (unsigned) (message->proto->n_field + message->n_extensions);
    sorted = sort_fields(b, message);
    if (!sorted)
        return pbti_no_memory(b);
    status = check_numbers(b, sorted, type->n_fields);
    if (status == PBT_OK)
        status = place_members(b, message);
    if (status == PBT_OK && type->n_fields > 0)
        status = put_fields(b, message, sorted);
    if (status == PBT_OK && type->n_fields > 0)
        status = put_names(b, type);
    if (status == PBT_OK && type->n_fields > 0)
        status = put_ranges(b, type);
    return status == PBT_OK ? put_init(b, message, sorted) : status;
}
