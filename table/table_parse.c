/* table_parse.c - fills the part of a table that unmarshal reads. */
#include <stdlib.h>
#include <string.h>

#include "base_facts.h"
#include "table_build.h"

enum {
    /* Numbers below this and twice the fields have a slot each, used or not:
     * one in two is used at least, but for the first few. */
    FIRST_NUMBERS = 16,
    NO_WIRE_TYPE = 7,
    FIRST_BITS = PBTI_FIRST_REQUIRED, /* in the first word */
    WORD_BITS = 64
};

/* What a type needs. */
typedef struct parse_plan {
    uint32_t n_dense;  /* slots by number */
    uint32_t n_hashed; /* slots by the index */
    uint32_t index_bits;
    uint32_t n_required;
    uint32_t n_owners;
    bool has_image;
    uint64_t size; /* of a message */
} parse_plan;

static bool is_repeated(const ProtobufCFieldDescriptor *field) {
    return field->label == PROTOBUF_C_LABEL_REPEATED;
}

static bool is_packable(ProtobufCType type) {
    return type != PROTOBUF_C_TYPE_STRING && type != PROTOBUF_C_TYPE_BYTES &&
           type != PROTOBUF_C_TYPE_MESSAGE;
}

static bool owns_memory(const ProtobufCFieldDescriptor *field) {
    return is_repeated(field) || !is_packable(field->type);
}

/* compat: an enum in proto2 starts with the value declared first. Its
 * descriptor does not say which that is; message_init knows. */
static bool may_start_non_zero(const ProtobufCFieldDescriptor *field) {
    return pbti_has_own_default(field) ||
           (field->type == PROTOBUF_C_TYPE_ENUM &&
            field->label != PROTOBUF_C_LABEL_NONE && !is_repeated(field) &&
            !pbti_is_oneof_member(field));
}

/* The largest numbers first: how many fields lie below one is their index. */
static uint32_t dense_numbers(const ProtobufCMessageDescriptor *type) {
    unsigned i;
    for (i = type->n_fields; i > 0; i--)
        if (type->fields[i - 1].id < FIRST_NUMBERS + 2 * (uint64_t) i)
            break;
    if (i == 0 || type->fields[i - 1].id < PBTI_SHORT_NUMBERS)
        return PBTI_SHORT_NUMBERS;
    return type->fields[i - 1].id + 1;
}

static uint32_t index_bits(uint32_t n_hashed) {
    uint32_t bits = 1;
    if (n_hashed == 0)
        return 0;
    while ((uint64_t) 1 << bits < 2 * (uint64_t) n_hashed)
        bits++;
    return bits;
}

static uint64_t round_up(uint64_t size) {
    return (size + sizeof(uint64_t) - 1) & ~(uint64_t) (sizeof(uint64_t) - 1);
}

static uint32_t seen_words(uint32_t n_required) {
    if (n_required <= FIRST_BITS)
        return n_required > 0;
    return 1 + (n_required - FIRST_BITS + WORD_BITS - 1) / WORD_BITS;
}

static parse_plan plan_parse(const ProtobufCMessageDescriptor *type) {
    parse_plan plan = {.n_dense = dense_numbers(type)};
    unsigned i;
    for (i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        if (field->id >= plan.n_dense)
            plan.n_hashed++;
        if (field->label == PROTOBUF_C_LABEL_REQUIRED)
            plan.n_required++;
        if (owns_memory(field))
            plan.n_owners++;
        if (may_start_non_zero(field))
            plan.has_image = true;
    }
    plan.index_bits = index_bits(plan.n_hashed);
    plan.size = round_up(type->sizeof_message) +
                sizeof(uint64_t) * (uint64_t) seen_words(plan.n_required);
    return plan;
}

static size_t slots_size(const parse_plan *plan) {
    return sizeof(pbti_slot) * ((size_t) plan->n_dense + plan->n_hashed);
}

static size_t image_size(const parse_plan *plan) {
    size_t steps =
        (size_t) (plan->size + PBTI_IMAGE_STEP - 1) / PBTI_IMAGE_STEP;
    return plan->has_image ? steps * PBTI_IMAGE_STEP : 0;
}

static size_t index_size(const parse_plan *plan) {
    return plan->index_bits ? sizeof(uint32_t) << plan->index_bits : 0;
}

size_t pbti_parse_size(const pbti_node *node) {
    parse_plan plan;
    if (node->variant != PBTI_PLAIN)
        return 0;
    plan = plan_parse(node->type);
    return slots_size(&plan) + image_size(&plan) + index_size(&plan) +
           sizeof(uint32_t) * (size_t) plan.n_owners;
}

static uint32_t native_wire_type(ProtobufCType type) {
    enum {
        STRING_WIRE = 2,
        BYTES_WIRE = 2,
        MESSAGE_WIRE = 2,
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
    return 0;
}

/* The operations of a type that store and append. The list has FLAGGED, where
 * there can be a has-flag, then that without a suffix, MEMBER, REPEATED and, of
 * scalars, PACKED next to each other. */
static pbti_parse_op store_op(const ProtobufCFieldDescriptor *field,
                              bool is_group) {
    if (is_group)
        return PBTI_PARSE_GROUP;
    switch (field->type) {
#define PBTI_FIELD_KIND(type, name, encoding, member)                          \
    case PROTOBUF_C_TYPE_##type:                                               \
        return PBTI_PARSE_##encoding;
#include "table_kinds.def"
    }
    return PBTI_PARSE_NONE;
}

enum { FLAGGED = -1, MEMBER = 1, REPEATED = 2, PACKED = 3 };

_Static_assert(PBTI_PARSE_BOOL_PACKED == PBTI_PARSE_BOOL + PACKED &&
                   PBTI_PARSE_GROUP_REPEATED == PBTI_PARSE_GROUP + REPEATED &&
                   PBTI_PARSE_STRING_MEMBER == PBTI_PARSE_STRING + MEMBER &&
                   PBTI_PARSE_BYTES_FLAGGED == PBTI_PARSE_BYTES + FLAGGED &&
                   PBTI_PARSE_BOOL_FLAGGED == PBTI_PARSE_BOOL + FLAGGED,
               "operations of one type follow each other");

static void fill_repeated(pbti_slot *slot,
                          const ProtobufCFieldDescriptor *field, bool closed) {
    uint8_t single = (uint8_t) (slot->op + REPEATED);
    uint8_t packed = (uint8_t) (slot->op + PACKED);
    uint32_t native = native_wire_type(field->type);
    slot->quantifier = field->quantifier_offset;
    if (closed) {
        single = PBTI_PARSE_ENUM_REPEATED;
        packed = PBTI_PARSE_ENUM_PACKED;
    }
    slot->op = single;
    if (!is_packable(field->type))
        return;
    slot->flags = PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED;
    slot->other = packed;
    if (!(field->flags & PROTOBUF_C_FIELD_FLAG_PACKED))
        return;
    slot->op = packed;
    slot->other = single;
    slot->flags = (uint8_t) native;
    slot->tag = field->id << 3 | PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED;
}

/* A singular field: FLAGGED operations set has-flags, those of MEMBER cases. */
static void fill_singular(pbti_slot *slot,
                          const ProtobufCFieldDescriptor *field, bool closed) {
    bool has_flag = field->label == PROTOBUF_C_LABEL_OPTIONAL &&
                    field->type != PROTOBUF_C_TYPE_STRING &&
                    field->type != PROTOBUF_C_TYPE_MESSAGE;
    bool in_oneof = pbti_is_oneof_member(field);
    if (in_oneof)
        slot->flags |= PBTI_SLOT_ONEOF;
    if (in_oneof || has_flag) {
        slot->quantifier = field->quantifier_offset;
        slot->mark = in_oneof ? field->id : 1;
        slot->op = (uint8_t) (slot->op + (in_oneof ? MEMBER : FLAGGED));
    }
    if (has_flag && !in_oneof && !closed) {
        slot->u.flag.at = slot->quantifier;
        slot->u.flag.value = 1;
    }
    if (closed)
        slot->op = PBTI_PARSE_ENUM;
}

uint8_t pbti_form_of(pbti_parse_op op) {
    enum {
        FORM_SIGNED32 = PBTI_FORM_VARINT32,
        FORM_UNSIGNED32 = PBTI_FORM_VARINT32,
        FORM_ZIGZAG32 = PBTI_FORM_ZIGZAG32,
        FORM_VARINT64 = PBTI_FORM_VARINT64,
        FORM_ZIGZAG64 = PBTI_FORM_ZIGZAG64,
        FORM_FIXED32 = PBTI_FORM_FIXED32,
        FORM_FIXED64 = PBTI_FORM_FIXED64,
        FORM_BOOL = PBTI_FORM_BOOL
    };
    /* one more, so that 0 is none */
    static const uint8_t forms[PBTI_N_PARSE_OPS] = {
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    [PBTI_PARSE_##name##_FLAGGED] = 1 + FORM_##name,                           \
    [PBTI_PARSE_##name] = 1 + FORM_##name,                                     \
    [PBTI_PARSE_##name##_MEMBER] = 1 + FORM_##name + PBTI_FORM_MEMBER,
#include "table_kinds.def"
        [PBTI_PARSE_STRING] = 1 + PBTI_FORM_STRING,
        [PBTI_PARSE_STRING_MEMBER] = 1 + PBTI_FORM_STRING + PBTI_FORM_MEMBER,
        [PBTI_PARSE_STRING_REPEATED] = 1 + PBTI_FORM_STRING_REPEATED,
        [PBTI_PARSE_BYTES_FLAGGED] = 1 + PBTI_FORM_BYTES,
        [PBTI_PARSE_BYTES] = 1 + PBTI_FORM_BYTES,
        [PBTI_PARSE_BYTES_MEMBER] = 1 + PBTI_FORM_BYTES + PBTI_FORM_MEMBER,
        [PBTI_PARSE_MESSAGE] = 1 + PBTI_FORM_MESSAGE,
        [PBTI_PARSE_MESSAGE_MEMBER] = 1 + PBTI_FORM_MESSAGE + PBTI_FORM_MEMBER,
        [PBTI_PARSE_MESSAGE_REPEATED] = 1 + PBTI_FORM_MESSAGE_REPEATED,
    };
    return forms[op] ? forms[op] - 1 : PBTI_FORM_NONE;
}

/* The flag of a field that has none. */
static pbti_flag no_flag(const ProtobufCMessageDescriptor *type) {
    const union {
        uintptr_t address;
        uint32_t halves[sizeof(uintptr_t) / sizeof(uint32_t)];
    } word = {.address = (uintptr_t) type};
    return (pbti_flag){.at = 0, .value = word.halves[0]};
}

/* The first required fields have a bit that the loop sets on its way; the
 * others do more. */
static void fill_required(pbti_slot *slot, uint32_t n_before) {
    if (slot->op == PBTI_PARSE_ENUM) {
        slot->op = PBTI_PARSE_ENUM_REQUIRED;
        slot->more = n_before;
        return;
    }
    if (n_before < FIRST_BITS) {
        slot->required = UINT32_C(1) << n_before;
        return;
    }
    slot->more = n_before - FIRST_BITS;
    slot->other = slot->op;
    slot->op = PBTI_PARSE_REQUIRED;
}

static void fill_slot(pbti_slot *slot, const pbti_graph *graph,
                      const ProtobufCMessageDescriptor *type,
                      const ProtobufCFieldDescriptor *field) {
    const pbti_field_facts *facts = pbti_field_fact(type, field);
    bool is_message = field->type == PROTOBUF_C_TYPE_MESSAGE;
    bool is_group = is_message && facts && facts->is_group;
    bool closed = field->type == PROTOBUF_C_TYPE_ENUM && field->descriptor &&
                  facts && facts->is_closed_enum;
    slot->tag = field->id << 3 |
                (is_group ? PBTI_START_GROUP : native_wire_type(field->type));
    slot->op = (uint8_t) store_op(field, is_group);
    slot->flags = NO_WIRE_TYPE;
    slot->data = field->offset;
    if (is_message)
        slot->u.sub =
            pbti_graph_find(graph, field->descriptor, PBTI_PLAIN)->table;
    else if (closed)
        slot->u.closed = field->descriptor;
    else
        slot->u.flag = no_flag(type);
    if (is_repeated(field))
        fill_repeated(slot, field, closed);
    else
        fill_singular(slot, field, closed);
    if (field->type == PROTOBUF_C_TYPE_STRING && facts && facts->validates_utf8)
        slot->flags |= PBTI_SLOT_UTF8;
}

static void add_to_index(uint32_t *index, uint32_t bits, uint32_t number,
                         uint32_t at) {
    uint32_t entry = pbti_first_entry(number, bits);
    uint32_t mask = (UINT32_C(1) << bits) - 1;
    while (index[entry] != 0)
        entry = (entry + 1) & mask;
    index[entry] = at;
}

const pbti_slot *pbti_slot_search(const pbti_parse *parse, uint32_t number) {
    uint32_t entry, mask;
    if (parse->index_bits == 0)
        return parse->slots;
    mask = (UINT32_C(1) << parse->index_bits) - 1;
    entry = pbti_first_entry(number, parse->index_bits);
    for (;; entry = (entry + 1) & mask) {
        const pbti_slot *slot = &parse->slots[parse->index[entry]];
        if (slot == parse->slots || slot->tag >> 3 == number)
            return slot;
    }
}

/* Adds a field to the owners. */
static void add_owner(pbti_parse *parse, uint32_t *owners, uint32_t at) {
    const pbti_slot *slot = &parse->slots[at];
    const pbti_slot *last =
        parse->n_owners > 0 ? &parse->slots[owners[parse->n_owners - 1]] : NULL;
    if ((slot->flags & PBTI_SLOT_ONEOF) && last &&
        (last->flags & PBTI_SLOT_ONEOF) && last->quantifier == slot->quantifier)
        return;
    owners[parse->n_owners++] = at;
}

/* Fills what parse points to. */
static void fill_slots(pbti_parse *parse, pbti_slot *slots, uint32_t *index,
                       uint32_t *owners, const pbti_graph *graph) {
    const ProtobufCMessageDescriptor *type = parse->type;
    uint32_t hashed = parse->n_dense;
    uint32_t n_required = 0;
    unsigned i;
    for (i = 0; i < parse->n_dense; i++)
        slots[i].form = PBTI_FORM_NONE;
    for (i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        uint32_t at = field->id < parse->n_dense ? field->id : hashed++;
        if (at >= parse->n_dense)
            add_to_index(index, parse->index_bits, field->id, at);
        fill_slot(&slots[at], graph, type, field);
        if (field->label == PROTOBUF_C_LABEL_REQUIRED)
            fill_required(&slots[at], n_required++);
        slots[at].form = pbti_form_of((pbti_parse_op) slots[at].op);
        if (owns_memory(field))
            add_owner(parse, owners, at);
    }
}

void pbti_fill_parse(pbti_parse *parse, const pbti_graph *graph,
                     const pbti_node *node, void *memory) {
    const ProtobufCMessageDescriptor *type = node->type;
    pbti_slot *slots = memory;
    parse_plan plan;
    char *image;
    uint32_t *index, *owners;
    if (node->variant != PBTI_PLAIN)
        return;
    plan = plan_parse(type);
    image = (char *) memory + slots_size(&plan);
    index = (uint32_t *) (void *) (image + image_size(&plan));
    owners = (uint32_t *) (void *) ((char *) index + index_size(&plan));
    *parse = (pbti_parse){.slots = slots,
                          .index = index,
                          .type = type,
                          .n_dense = plan.n_dense,
                          .index_bits = plan.index_bits,
                          .size = (uint32_t) plan.size,
                          .n_required = plan.n_required,
                          .owners = owners,
                          .required = plan.n_required < FIRST_BITS
                                          ? (UINT64_C(1) << plan.n_required) - 1
                                          : (UINT64_C(1) << FIRST_BITS) - 1};
    fill_slots(parse, slots, index, owners, graph);
    if (plan.n_required > 0)
        parse->seen = (uint32_t) round_up(type->sizeof_message);
    if (plan.has_image) {
        pbti_fill_image(image, type);
        parse->image = image;
    }
    parse->is_usual = pbti_is_usual(type, parse->image);
}
