/* support_schema.c - random message types; see support_schema.h. */
#include "support_schema.h"

#include <string.h>

#include "base_facts.h"
#include "support_layout.h"

enum { MAX_FIELD_NUMBER = (1 << 29) - 1, MAX_ONEOFS = 3 };

static const ProtobufCEnumValue enum_values[] = {
    {"NEG", "NEG", -1}, {"ZERO", "ZERO", 0}, {"ONE", "ONE", 1}};
static const ProtobufCEnumValueIndex enum_names[] = {
    {"NEG", 0}, {"ONE", 2}, {"ZERO", 1}};
static const ProtobufCIntRange enum_ranges[] = {{-1, 0}, {0, 3}};

const ProtobufCEnumDescriptor schema_enum = {
    .magic = PROTOBUF_C__ENUM_DESCRIPTOR_MAGIC,
    .name = "test.Enum",
    .short_name = "Enum",
    .c_name = "Test__Enum",
    .package_name = "test",
    .n_values = 3,
    .values = enum_values,
    .n_value_names = 3,
    .values_by_name = enum_names,
    .n_value_ranges = 1,
    .value_ranges = enum_ranges};

schema_params schema_random_params(rng *r) {
    static const uint32_t most_fields[] = {1, 3, 8, 8, 20, 20, 70, 300};
    schema_params params = {0};
    params.n_types = 1 + rng_below(r, 6);
    params.max_fields = most_fields[rng_below(r, 8)];
    params.syntax = (schema_syntax) rng_below(r, 3);
    params.nameless = rng_chance(r, 15);
    params.big_structs = rng_chance(r, 10);
    params.no_required = rng_chance(r, 30);
    return params;
}

/* Fills numbers with n ascending field numbers. */
static void draw_numbers(rng *r, uint32_t *numbers, size_t n) {
    static const uint32_t gaps[] = {1, 1, 3, 20, 1000, 100000};
    uint32_t gap = gaps[rng_below(r, 6)], number = 0;
    size_t i;
    if (gap > MAX_FIELD_NUMBER / (n + 1))
        gap = (uint32_t) (MAX_FIELD_NUMBER / (n + 1));
    for (i = 0; i < n; i++) {
        number += 1 + rng_below(r, gap);
        numbers[i] = number;
    }
    if (n > 0 && rng_chance(r, 20))
        numbers[n - 1] = MAX_FIELD_NUMBER - rng_below(r, 2);
}

static ProtobufCLabel draw_label(schema *s) {
    uint32_t draw = rng_below(s->rng, 100);
    if (draw < 35)
        return PROTOBUF_C_LABEL_REPEATED;
    if (s->params.syntax == SYNTAX_PROTO3)
        return PROTOBUF_C_LABEL_NONE;
    if (draw < 50 && !s->params.no_required)
        return PROTOBUF_C_LABEL_REQUIRED;
    if (s->params.syntax == SYNTAX_MIXED && draw < 75)
        return PROTOBUF_C_LABEL_NONE;
    return PROTOBUF_C_LABEL_OPTIONAL;
}

static const void *draw_default(schema *s, const schema_field *field) {
    static const uint64_t number = UINT64_C(0x2a0000002a);
    static uint8_t bytes[] = {'x', 'y', 'z'};
    static const ProtobufCBinaryData data = {3, bytes};
    bool chosen = rng_chance(s->rng, 30);
    if (field->type == PROTOBUF_C_TYPE_STRING &&
        field->label == PROTOBUF_C_LABEL_NONE)
        return protobuf_c_empty_string;
    if (!chosen || field->type == PROTOBUF_C_TYPE_MESSAGE)
        return NULL;
    if (field->type == PROTOBUF_C_TYPE_STRING)
        return arena_format(s->arena, "default %u", (unsigned) field->number);
    if (field->type == PROTOBUF_C_TYPE_BYTES)
        return &data;
    return &number;
}

/* A required field points to a later type, so that messages can be complete. */
static const ProtobufCMessageDescriptor *draw_sub_type(schema *s, size_t self,
                                                       ProtobufCLabel label) {
    size_t n = s->params.n_types;
    if (label != PROTOBUF_C_LABEL_REQUIRED)
        return s->types[rng_below(s->rng, (uint32_t) n)];
    return s->types[self + 1 + rng_below(s->rng, (uint32_t) (n - self - 1))];
}

static ProtobufCMessageDescriptor *add_type(schema *s) {
    if (s->n_types == s->capacity) {
        size_t capacity = s->capacity * 2 + 8;
        ProtobufCMessageDescriptor **types =
            arena_alloc(s->arena, capacity * sizeof *types);
        if (s->n_types > 0)
            memcpy(types, s->types, s->n_types * sizeof *types);
        s->types = types;
        s->capacity = capacity;
    }
    s->types[s->n_types] = arena_alloc(s->arena, sizeof **s->types);
    return s->types[s->n_types++];
}

static layout_options draw_layout(schema *s) {
    layout_options options = {0};
    options.nameless = s->params.nameless;
    options.with_facts = s->params.groups > 0;
    if (rng_chance(s->rng, 60))
        options.rng = s->rng;
    if (options.rng && rng_chance(s->rng, 50))
        options.padding = 16;
    if (options.rng && s->params.big_structs)
        options.padding = 70000;
    return options;
}

static ProtobufCType draw_key_type(rng *r) {
    static const ProtobufCType types[] = {
        PROTOBUF_C_TYPE_INT32,   PROTOBUF_C_TYPE_SINT32,
        PROTOBUF_C_TYPE_UINT32,  PROTOBUF_C_TYPE_FIXED32,
        PROTOBUF_C_TYPE_INT64,   PROTOBUF_C_TYPE_SINT64,
        PROTOBUF_C_TYPE_UINT64,  PROTOBUF_C_TYPE_FIXED64,
        PROTOBUF_C_TYPE_BOOL,    PROTOBUF_C_TYPE_SFIXED32,
        PROTOBUF_C_TYPE_STRING,  PROTOBUF_C_TYPE_STRING,
        PROTOBUF_C_TYPE_SFIXED64};
    return types[rng_below(r, sizeof types / sizeof *types)];
}

/* Adds the entry type that protoc makes of a map field. */
static const ProtobufCMessageDescriptor *
add_entry_type(schema *s, const char *parent, uint32_t number, bool proto3) {
    ProtobufCLabel label =
        proto3 ? PROTOBUF_C_LABEL_NONE : PROTOBUF_C_LABEL_OPTIONAL;
    schema_field fields[2] = {{.number = 1, .label = label, .name = "key"},
                              {.number = 2, .label = label, .name = "value"}};
    ProtobufCMessageDescriptor *entry = add_type(s);
    layout_options plain = {0};
    plain.nameless = s->params.nameless;
    plain.with_facts = s->params.groups > 0;
    fields[0].type = draw_key_type(s->rng);
    fields[1].type = (ProtobufCType) rng_below(s->rng, 17);
    if (fields[1].type == PROTOBUF_C_TYPE_MESSAGE)
        fields[1].type_of = s->types[rng_below(s->rng, s->params.n_types)];
    if (proto3 && fields[0].type == PROTOBUF_C_TYPE_STRING)
        fields[0].default_value = protobuf_c_empty_string;
    if (proto3 && fields[1].type == PROTOBUF_C_TYPE_STRING)
        fields[1].default_value = protobuf_c_empty_string;
    layout_type(
        s->arena, entry,
        arena_format(s->arena, "%s.MapField%uEntry", parent, (unsigned) number),
        fields, 2, &plain);
    return entry;
}

static void draw_map(schema *s, const char *parent, schema_field *field) {
    bool proto3 = s->params.syntax == SYNTAX_PROTO3 ||
                  (s->params.syntax == SYNTAX_MIXED && rng_chance(s->rng, 50));
    field->label = PROTOBUF_C_LABEL_REPEATED;
    field->type = PROTOBUF_C_TYPE_MESSAGE;
    field->name =
        arena_format(s->arena, "map_field%u", (unsigned) field->number);
    field->type_of = add_entry_type(s, parent, field->number, proto3);
    field->is_map = s->params.groups > 0;
}

static void draw_field(schema *s, size_t self, const char *parent,
                       schema_field *field) {
    if (rng_chance(s->rng, 6)) {
        draw_map(s, parent, field);
        return;
    }
    field->label = draw_label(s);
    field->type = (ProtobufCType) rng_below(s->rng, 17);
    if (field->type == PROTOBUF_C_TYPE_MESSAGE &&
        field->label == PROTOBUF_C_LABEL_REQUIRED &&
        self + 1 >= s->params.n_types)
        field->type = PROTOBUF_C_TYPE_STRING;
    if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        field->type_of = draw_sub_type(s, self, field->label);
    if (field->type == PROTOBUF_C_TYPE_MESSAGE && s->params.groups > 0)
        field->is_group = rng_chance(s->rng, s->params.groups);
    if (field->label == PROTOBUF_C_LABEL_REPEATED &&
        schema_type_is_packable(field->type) && rng_chance(s->rng, 60))
        field->flags |= PROTOBUF_C_FIELD_FLAG_PACKED;
}

/* Turns singular fields into members of oneofs: each alone, or runs of them. */
static void draw_oneofs(schema *s, schema_field *fields, size_t n) {
    uint32_t n_oneofs = rng_below(s->rng, MAX_ONEOFS + 1), oneof = 0;
    bool contiguous = rng_chance(s->rng, 50);
    size_t i;
    for (i = 0; i < n && n_oneofs > 0; i++) {
        if (rng_chance(s->rng, contiguous ? 20 : 60))
            oneof = rng_below(s->rng, n_oneofs + 1);
        if (fields[i].label != PROTOBUF_C_LABEL_OPTIONAL &&
            fields[i].label != PROTOBUF_C_LABEL_NONE)
            continue;
        if (oneof == n_oneofs)
            continue;
        fields[i].flags |= PROTOBUF_C_FIELD_FLAG_ONEOF;
        fields[i].oneof = oneof;
    }
}

static void fill_type(schema *s, size_t self) {
    rng *r = s->rng;
    char *name = arena_format(s->arena, "test.Type%u", (unsigned) self);
    size_t n = rng_below(r, s->params.max_fields + 1), i;
    schema_field *fields = arena_alloc(s->arena, (n + 1) * sizeof *fields);
    uint32_t *numbers = arena_alloc(s->arena, (n + 1) * sizeof *numbers);
    layout_options options = draw_layout(s);
    draw_numbers(r, numbers, n);
    for (i = 0; i < n; i++) {
        fields[i].number = numbers[i];
        draw_field(s, self, name, &fields[i]);
    }
    draw_oneofs(s, fields, n);
    for (i = 0; i < n; i++)
        fields[i].default_value = draw_default(s, &fields[i]);
    layout_type(s->arena, s->types[self], name, fields, n, &options);
}

static bool is_group(const ProtobufCMessageDescriptor *type,
                     const ProtobufCFieldDescriptor *field) {
    const pbti_field_facts *facts = pbti_field_fact(type, field);
    return facts && facts->is_group;
}

/* A few message fields get a default message, which counts as unset. protoc-c
 * makes none, but protobuf-c asks for it. */
static void add_default_messages(schema *s, ProtobufCMessageDescriptor *type) {
    ProtobufCFieldDescriptor *fields;
    ProtobufCMessage *message;
    unsigned i;
    if (type->n_fields == 0 || !rng_chance(s->rng, 20))
        return;
    fields =
        arena_copy(s->arena, type->fields, type->n_fields * sizeof *fields);
    type->fields = fields;
    for (i = 0; i < type->n_fields; i++) {
        const ProtobufCMessageDescriptor *sub = fields[i].descriptor;
        if (fields[i].type != PROTOBUF_C_TYPE_MESSAGE ||
            is_group(type, &type->fields[i]))
            continue;
        message = arena_alloc(s->arena, sub->sizeof_message);
        message->descriptor = sub;
        if (protobuf_c_message_check(message))
            fields[i].default_value = message;
    }
}

void schema_random(schema *s, arena *a, rng *r, const schema_params *params) {
    size_t i;
    memset(s, 0, sizeof *s);
    s->arena = a;
    s->rng = r;
    s->params = *params;
    for (i = 0; i < params->n_types; i++)
        add_type(s);
    for (i = 0; i < params->n_types; i++)
        fill_type(s, i);
    for (i = 0; i < params->n_types; i++)
        add_default_messages(s, s->types[i]);
}
