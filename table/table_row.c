/* table_row.c - fills the row of one field, and reads rows back. */
#include <string.h>

#include "table_build.h"

static pbti_op singular_op(ProtobufCType type) {
    switch (type) {
#define PBTI_FIELD_KIND(type, name, encoding, member)                          \
    case PROTOBUF_C_TYPE_##type:                                               \
        return PBTI_OP_##encoding;
#include "table_kinds.def"
    }
    return PBTI_OP_ABSENT;
}

static pbti_op repeated_op(ProtobufCType type) {
    switch (type) {
#define PBTI_FIELD_KIND(type, name, encoding, member)                          \
    case PROTOBUF_C_TYPE_##type:                                               \
        return PBTI_OP_##encoding##_REPEATED;
#include "table_kinds.def"
    }
    return PBTI_OP_ABSENT;
}

/* A packed array is an array operation's right neighbour in the list. */
static pbti_op packed_op(ProtobufCType type) {
    return (pbti_op) (repeated_op(type) + 1);
}

static uint32_t wire_type(const ProtobufCMessageDescriptor *type,
                          const ProtobufCFieldDescriptor *field) {
    enum {
        START_GROUP_WIRE = 3, /* which protobuf-c.h does not have */
        STRING_WIRE = 2,
        BYTES_WIRE = 2,
        MESSAGE_WIRE = 2,
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    name##_WIRE = wire_type,
#include "table_kinds.def"
    };
    if (field->label == PROTOBUF_C_LABEL_REPEATED &&
        (field->flags & PROTOBUF_C_FIELD_FLAG_PACKED))
        return PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED;
    if (pbti_is_group_field(type, field))
        return START_GROUP_WIRE;
    switch (field->type) {
#define PBTI_FIELD_KIND(type, name, encoding, member)                          \
    case PROTOBUF_C_TYPE_##type:                                               \
        return encoding##_WIRE;
#include "table_kinds.def"
    }
    return 0;
}

bool pbti_is_scalar_op(uint8_t op) {
    static const bool is_scalar[PBTI_N_OPS] = {
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    [PBTI_OP_##name] = true,
#include "table_kinds.def"
    };
    return is_scalar[op];
}

static void set_shape(pbti_row *row) {
    static const pbti_shape shapes[PBTI_N_OPS] = {
        [PBTI_OP_SIGNED32] = {.drop = 32},
        [PBTI_OP_UNSIGNED32] = {.drop = 32, .clear = 32},
        [PBTI_OP_ZIGZAG32] = {.drop = 32, .zigzag = 1},
        [PBTI_OP_VARINT64] = {.drop = 0},
        [PBTI_OP_ZIGZAG64] = {.zigzag = 1},
        [PBTI_OP_FIXED32] = {.drop = 32, .clear = 32, .fixed = 4},
        [PBTI_OP_FIXED64] = {.fixed = 8},
        [PBTI_OP_BOOL] = {.drop = 32, .truth = 1}};
    if (pbti_is_scalar_op(row->op))
        row->u.shape = shapes[row->op];
}

static void set_tag(pbti_row *row, const ProtobufCMessageDescriptor *type,
                    const ProtobufCFieldDescriptor *field) {
    uint32_t tag = field->id << 3 | wire_type(type, field);
    uint8_t bytes[PBTI_MAX_TAG];
    uint8_t n = 0;
    for (; tag >= 0x80; tag >>= 7)
        bytes[n++] = (uint8_t) (tag | 0x80);
    bytes[n++] = (uint8_t) tag;
    row->tag_len = n;
    memcpy(row->tag + PBTI_MAX_TAG - n, bytes, n);
}

const pbti_table *pbti_row_sub(const pbti_row *row) {
    enum holding {
        HOLDS_NOTHING,
        HOLDS_DEFAULT,
        HOLDS_SUB,
        HOLDS_ONEOF,
        HOLDS_MEMBER
    };
    static const uint8_t holdings[PBTI_N_OPS] = {
#define PBTI_ROW_OP(name, text, holds) [PBTI_OP_##name] = HOLDS_##holds,
#include "table_kinds.def"
    };
    const pbti_row *member = pbti_member(row);
    return holdings[member->op] == HOLDS_SUB ? member->u.sub : NULL;
}

const pbti_row *pbti_oneof_search(const pbti_oneof *oneof, uint32_t number) {
    uint32_t low = 0, high = oneof->numbers ? oneof->n_rows : 0;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (oneof->numbers[middle] < number)
            low = middle + 1;
        else
            high = middle;
    }
    if (oneof->numbers && low < oneof->n_rows && oneof->numbers[low] == number)
        return &oneof->rows[low];
    return NULL;
}

uint32_t pbti_row_number(const pbti_row *row) {
    uint32_t tag = 0;
    unsigned i;
    for (i = 0; i < row->tag_len; i++) {
        uint8_t byte = row->tag[PBTI_MAX_TAG - row->tag_len + i];
        tag |= (uint32_t) (byte & 0x7f) << 7 * i;
    }
    return tag >> 3;
}

const ProtobufCFieldDescriptor *
pbti_field_of_number(const ProtobufCMessageDescriptor *type, uint32_t number) {
    unsigned low = 0, high = type->n_fields;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (type->fields[middle].id < number)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < type->n_fields && type->fields[low].id == number)
        return &type->fields[low];
    return NULL;
}

/* Makes the row's presence test read `size` bytes at `offset` of the struct
 * under the given mask, through a window of eight bytes: the aligned one where
 * it covers them, and always one inside the struct. */
static void set_presence(pbti_row *row, const ProtobufCMessageDescriptor *type,
                         uint32_t offset, const void *mask, size_t size) {
    uint8_t bytes[sizeof row->mask] = {0};
    uint32_t window = offset & ~7u;
    if (offset + size > (uint64_t) window + sizeof bytes)
        window = offset;
    if ((uint64_t) window + sizeof bytes > type->sizeof_message)
        window = (uint32_t) (type->sizeof_message - sizeof bytes);
    memcpy(bytes + (offset - window), mask, size);
    memcpy(&row->mask, bytes, sizeof bytes);
    row->presence = window;
}

static const uint8_t all_bits[8] = {0xff, 0xff, 0xff, 0xff,
                                    0xff, 0xff, 0xff, 0xff};

/* Every message of the type passes: its descriptor pointer is not NULL. */
void pbti_set_always(pbti_row *row, const ProtobufCMessageDescriptor *type) {
    set_presence(row, type, 0, all_bits, sizeof(void *));
}

/* compat: zero is unset, and -0.0 with it unless conformant. */
static void set_value_presence(pbti_row *row, const pbti_node *node,
                               const ProtobufCFieldDescriptor *field) {
    const ProtobufCMessageDescriptor *type = node->type;
    bool ignore_sign = node->variant == PBTI_PLAIN;
    const uint32_t float_mask = ignore_sign ? UINT32_MAX >> 1 : UINT32_MAX;
    const uint64_t double_mask = ignore_sign ? UINT64_MAX >> 1 : UINT64_MAX;
    if (field->type == PROTOBUF_C_TYPE_FLOAT) {
        set_presence(row, type, field->offset, &float_mask, sizeof float_mask);
        return;
    }
    if (field->type == PROTOBUF_C_TYPE_DOUBLE) {
        set_presence(row, type, field->offset, &double_mask,
                     sizeof double_mask);
        return;
    }
    switch (field->type) {
#define PBTI_FIELD_KIND(type_, name, encoding, member)                         \
    case PROTOBUF_C_TYPE_##type_:                                              \
        set_presence(row, type, field->offset, all_bits,                       \
                     sizeof(member) < 8 ? sizeof(member) : 8);                 \
        return;
#include "table_kinds.def"
    }
}

static void set_sub_type(pbti_row *row, const pbti_graph *graph,
                         const pbti_node *node,
                         const ProtobufCFieldDescriptor *field) {
    pbti_variant variant = pbti_sub_variant(node->type, node->variant, field);
    row->u.sub = pbti_graph_find(graph, field->descriptor, variant)->table;
}

static void fill_repeated(pbti_row *row, const pbti_node *node,
                          const ProtobufCFieldDescriptor *field) {
    row->op = (uint8_t) repeated_op(field->type);
    if (field->flags & PROTOBUF_C_FIELD_FLAG_PACKED)
        row->op = (uint8_t) packed_op(field->type);
    if (pbti_is_map(node->type, field))
        row->op = PBTI_OP_MAP;
    set_presence(row, node->type, field->quantifier_offset, all_bits,
                 sizeof(size_t));
}

static void fill_required(pbti_row *row, const pbti_node *node,
                          const ProtobufCFieldDescriptor *field) {
    pbti_set_always(row, node->type);
    if (field->type == PROTOBUF_C_TYPE_STRING)
        row->op = PBTI_OP_STRING_REQUIRED;
    else if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        row->op = PBTI_OP_MESSAGE_REQUIRED;
}

/* A pointer is unset when NULL, or when it is the default's own. */
static void set_pointer_default(pbti_row *row,
                                const ProtobufCFieldDescriptor *field) {
    if (field->type == PROTOBUF_C_TYPE_STRING)
        row->u.default_value = field->default_value;
    else if (field->type == PROTOBUF_C_TYPE_MESSAGE && field->default_value)
        row->op = PBTI_OP_MESSAGE_DEFAULTED;
}

/* The case tells whether a member of a oneof is present. */
static void fill_member(pbti_row *row, const ProtobufCFieldDescriptor *field) {
    bool is_pointer = field->type == PROTOBUF_C_TYPE_STRING ||
                      field->type == PROTOBUF_C_TYPE_MESSAGE;
    /* a shorter one may end the struct: eight bytes would go beyond it */
    if (is_pointer && sizeof(void *) == sizeof(uint64_t))
        row->presence = field->offset;
    set_pointer_default(row, field);
}

static void fill_optional(pbti_row *row, const pbti_node *node,
                          const ProtobufCFieldDescriptor *field) {
    if (field->type == PROTOBUF_C_TYPE_STRING ||
        field->type == PROTOBUF_C_TYPE_MESSAGE) {
        set_presence(row, node->type, field->offset, all_bits, sizeof(void *));
        set_pointer_default(row, field);
        return;
    }
    set_presence(row, node->type, field->quantifier_offset, all_bits,
                 sizeof(protobuf_c_boolean));
}

static void fill_implicit(pbti_row *row, const pbti_node *node,
                          const ProtobufCFieldDescriptor *field) {
    set_value_presence(row, node, field);
    if (field->type == PROTOBUF_C_TYPE_STRING)
        row->op = PBTI_OP_STRING_IMPLICIT;
}

/* The operation of a message field that is a group. */
static pbti_op group_op(pbti_op op) {
    if (op == PBTI_OP_MESSAGE_REPEATED)
        return PBTI_OP_GROUP_REPEATED;
    return op == PBTI_OP_MESSAGE_REQUIRED ? PBTI_OP_GROUP_REQUIRED
                                          : PBTI_OP_GROUP;
}

void pbti_fill_field(pbti_row *row, const pbti_graph *graph,
                     const pbti_node *node,
                     const ProtobufCFieldDescriptor *field) {
    row->op = (uint8_t) singular_op(field->type);
    row->data = field->offset;
    set_shape(row);
    set_tag(row, node->type, field);
    if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        set_sub_type(row, graph, node, field);
    if (pbti_is_oneof_member(field))
        fill_member(row, field);
    else if (field->label == PROTOBUF_C_LABEL_REPEATED)
        fill_repeated(row, node, field);
    else if (field->label == PROTOBUF_C_LABEL_REQUIRED)
        fill_required(row, node, field);
    else if (field->label == PROTOBUF_C_LABEL_OPTIONAL)
        fill_optional(row, node, field);
    else
        fill_implicit(row, node, field);
    if (pbti_is_group_field(node->type, field))
        row->op = (uint8_t) group_op((pbti_op) row->op);
}

void pbti_fill_oneof(pbti_row *row, const ProtobufCMessageDescriptor *type,
                     const ProtobufCFieldDescriptor *member) {
    row->op = PBTI_OP_ONEOF;
    row->data = member->quantifier_offset;
    set_presence(row, type, row->data, all_bits, sizeof(uint32_t));
}

void pbti_fill_unknown(pbti_row *row, const ProtobufCMessageDescriptor *type) {
    row->op = PBTI_OP_UNKNOWN;
    set_presence(row, type, offsetof(ProtobufCMessage, n_unknown_fields),
                 all_bits, sizeof(unsigned));
}
