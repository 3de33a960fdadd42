/* table_build.c - fills the tables of a graph of types.
 *
 * Fields are taken in groups: a field by itself, or the members of one oneof
 * that follow each other in field order. A first walk over the groups counts
 * what the table needs, so that it is one block; a second fills it.
 */
#include <stdlib.h>

#include "base_error.h"
#include "table_build.h"

/* A oneof run is indexed by number when that takes at most this many rows for
 * each member; tags in the wild are dense. */
enum { MAX_ROWS_PER_MEMBER = 4 };

/* What a table needs, counted in rows unless said otherwise. */
typedef struct table_plan {
    uint32_t n_rows;
    uint32_t n_required_rows;
    uint32_t n_oneofs; /* pbti_oneof */
    uint32_t n_member_rows;
    uint32_t n_numbers; /* uint32_t */
} table_plan;

/* The parts of a table's block that are still free. */
typedef struct table_filler {
    const pbti_graph *graph;
    const pbti_node *node;
    pbti_row *row;
    pbti_row *member_row;
    pbti_oneof *oneof;
    uint32_t *number;
    uint32_t scalar_room; /* used since the last ROOM row */
} table_filler;

/* Bytes that a singular scalar takes at most; 0 for other fields, which make
 * room for themselves. */
static uint32_t scalar_room(const ProtobufCFieldDescriptor *field) {
    enum {
        STRING_SIZE = 0,
        BYTES_SIZE = 0,
        MESSAGE_SIZE = 0,
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    name##_SIZE = PBTI_MAX_TAG + max,
#include "table_kinds.def"
    };
    if (field->label == PROTOBUF_C_LABEL_REPEATED)
        return 0;
    switch (field->type) {
#define PBTI_FIELD_KIND(type, name, encoding, member)                          \
    case PROTOBUF_C_TYPE_##type:                                               \
        return encoding##_SIZE;
#include "table_kinds.def"
    }
    return 0;
}

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

static uint32_t wire_type(const ProtobufCFieldDescriptor *field) {
    enum {
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
    switch (field->type) {
#define PBTI_FIELD_KIND(type, name, encoding, member)                          \
    case PROTOBUF_C_TYPE_##type:                                               \
        return encoding##_WIRE;
#include "table_kinds.def"
    }
    return 0;
}

static void set_tag(pbti_row *row, const ProtobufCFieldDescriptor *field) {
    uint32_t tag = field->id << 3 | wire_type(field);
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
    return holdings[row->op] == HOLDS_SUB ? row->u.sub : NULL;
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
static void set_always(pbti_row *row, const ProtobufCMessageDescriptor *type) {
    set_presence(row, type, 0, all_bits, sizeof(void *));
}

/* compat: zero is unset, and -0.0 with it unless conformant. */
static void set_value_presence(pbti_row *row, const table_filler *filler,
                               const ProtobufCFieldDescriptor *field) {
    const ProtobufCMessageDescriptor *type = filler->node->type;
    bool ignore_sign = filler->node->variant == PBTI_PLAIN;
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

static void set_sub_type(pbti_row *row, const table_filler *filler,
                         const ProtobufCFieldDescriptor *field) {
    pbti_variant variant =
        pbti_sub_variant(filler->node->type, filler->node->variant, field);
    row->u.sub =
        pbti_graph_find(filler->graph, field->descriptor, variant)->table;
}

static void fill_repeated(pbti_row *row, const table_filler *filler,
                          const ProtobufCFieldDescriptor *field) {
    row->op = (uint8_t) repeated_op(field->type);
    if (field->flags & PROTOBUF_C_FIELD_FLAG_PACKED)
        row->op = (uint8_t) packed_op(field->type);
    if (pbti_is_map(filler->node->type, field))
        row->op = PBTI_OP_MAP;
    set_presence(row, filler->node->type, field->quantifier_offset, all_bits,
                 sizeof(size_t));
}

static void fill_required(pbti_row *row, const table_filler *filler,
                          const ProtobufCFieldDescriptor *field) {
    set_always(row, filler->node->type);
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

static void fill_optional(pbti_row *row, const table_filler *filler,
                          const ProtobufCFieldDescriptor *field) {
    if (field->type == PROTOBUF_C_TYPE_STRING ||
        field->type == PROTOBUF_C_TYPE_MESSAGE) {
        set_presence(row, filler->node->type, field->offset, all_bits,
                     sizeof(void *));
        set_pointer_default(row, field);
        return;
    }
    set_presence(row, filler->node->type, field->quantifier_offset, all_bits,
                 sizeof(protobuf_c_boolean));
}

static void fill_implicit(pbti_row *row, const table_filler *filler,
                          const ProtobufCFieldDescriptor *field) {
    set_value_presence(row, filler, field);
    if (field->type == PROTOBUF_C_TYPE_STRING)
        row->op = PBTI_OP_STRING_IMPLICIT;
}

static void fill_field(pbti_row *row, const table_filler *filler,
                       const ProtobufCFieldDescriptor *field) {
    row->op = (uint8_t) singular_op(field->type);
    row->data = field->offset;
    set_tag(row, field);
    if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        set_sub_type(row, filler, field);
    if (pbti_is_oneof_member(field))
        set_pointer_default(row, field);
    else if (field->label == PROTOBUF_C_LABEL_REPEATED)
        fill_repeated(row, filler, field);
    else if (field->label == PROTOBUF_C_LABEL_REQUIRED)
        fill_required(row, filler, field);
    else if (field->label == PROTOBUF_C_LABEL_OPTIONAL)
        fill_optional(row, filler, field);
    else
        fill_implicit(row, filler, field);
}

/* Returns the index of the first field of the group that ends at `last`. */
static unsigned group_start(const ProtobufCMessageDescriptor *type,
                            unsigned last) {
    const ProtobufCFieldDescriptor *fields = type->fields;
    unsigned first = last;
    if (!pbti_is_oneof_member(&fields[last]))
        return last;
    while (first > 0 && pbti_is_oneof_member(&fields[first - 1]) &&
           fields[first - 1].quantifier_offset ==
               fields[last].quantifier_offset)
        first--;
    return first;
}

static uint32_t group_room(const ProtobufCMessageDescriptor *type,
                           unsigned first, unsigned last) {
    uint32_t room = 0;
    for (; first <= last; first++)
        if (scalar_room(&type->fields[first]) > room)
            room = scalar_room(&type->fields[first]);
    return room;
}

/* Accounts for a group; true when a ROOM row must stand before it. */
static bool needs_room_row(uint32_t *used, uint32_t room) {
    *used += room;
    if (*used <= PBTI_SCALAR_ROOM)
        return false;
    *used = room;
    return true;
}

/* Rows that index the members of a run, or 0 when it is too sparse. */
static uint32_t indexed_rows(const ProtobufCMessageDescriptor *type,
                             unsigned first, unsigned last) {
    uint32_t span = type->fields[last].id - type->fields[first].id + 1;
    uint32_t n = last - first + 1;
    return span <= (uint64_t) n * MAX_ROWS_PER_MEMBER ? span : 0;
}

static bool member_needs_check(const table_filler *filler,
                               const ProtobufCFieldDescriptor *field) {
    const pbti_node *node = filler->node;
    if (field->label == PROTOBUF_C_LABEL_REQUIRED &&
        (field->type == PROTOBUF_C_TYPE_STRING ||
         field->type == PROTOBUF_C_TYPE_MESSAGE))
        return true;
    return field->type == PROTOBUF_C_TYPE_MESSAGE &&
           pbti_graph_find(filler->graph, field->descriptor,
                           pbti_sub_variant(node->type, node->variant, field))
               ->can_lack;
}

/* True when the required check has to look at a group. */
static bool group_needs_check(const table_filler *filler, unsigned first,
                              unsigned last) {
    for (; first <= last; first++)
        if (member_needs_check(filler, &filler->node->type->fields[first]))
            return true;
    return false;
}

static table_plan plan_table(const table_filler *filler) {
    const pbti_node *node = filler->node;
    const ProtobufCMessageDescriptor *type = node->type;
    table_plan plan = {.n_rows = 2, .n_required_rows = 1}; /* UNKNOWN, END */
    uint32_t used = 0;
    unsigned end = type->n_fields;
    while (end > 0) {
        unsigned last = end - 1;
        unsigned first = group_start(type, last);
        if (needs_room_row(&used, group_room(type, first, last)))
            plan.n_rows++;
        plan.n_rows++;
        if (group_needs_check(filler, first, last))
            plan.n_required_rows++;
        if (node->variant == PBTI_CONFORMANT_ENTRY)
            plan.n_member_rows++;
        if (pbti_is_oneof_member(&type->fields[last])) {
            uint32_t indexed = indexed_rows(type, first, last);
            uint32_t n = last - first + 1;
            plan.n_oneofs++;
            plan.n_member_rows += indexed ? indexed : n;
            plan.n_numbers += indexed ? 0 : n;
        }
        end = first;
    }
    return plan;
}

static void fill_unknown(table_filler *filler) {
    pbti_row *row = filler->row++;
    row->op = PBTI_OP_UNKNOWN;
    set_presence(row, filler->node->type,
                 offsetof(ProtobufCMessage, n_unknown_fields), all_bits,
                 sizeof(unsigned));
}

static void fill_plain(table_filler *filler, pbti_op op) {
    pbti_row *row = filler->row++;
    row->op = (uint8_t) op;
    set_always(row, filler->node->type);
}

static void fill_oneof(table_filler *filler, unsigned first, unsigned last) {
    const ProtobufCMessageDescriptor *type = filler->node->type;
    uint32_t indexed = indexed_rows(type, first, last);
    pbti_oneof *oneof = filler->oneof++;
    pbti_row *row = filler->row++;
    uint32_t first_number = type->fields[first].id;
    unsigned i;
    row->op = PBTI_OP_ONEOF;
    row->data = type->fields[first].quantifier_offset;
    row->u.oneof = oneof;
    set_presence(row, type, row->data, all_bits, sizeof(uint32_t));
    oneof->first = first_number;
    oneof->n_rows = indexed ? indexed : last - first + 1;
    oneof->rows = filler->member_row;
    oneof->numbers = indexed ? NULL : filler->number;
    for (i = 0; i < oneof->n_rows; i++)
        filler->member_row[i].op = PBTI_OP_ABSENT;
    for (i = first; i <= last; i++) {
        uint32_t at = indexed ? type->fields[i].id - first_number : i - first;
        fill_field(&filler->member_row[at], filler, &type->fields[i]);
        if (!indexed)
            *filler->number++ = type->fields[i].id;
    }
    filler->member_row += oneof->n_rows;
}

/* The key or value of a map entry that is always written. Its row has the
 * field's tag and member, for whoever looks for them. */
static void fill_or_zero(table_filler *filler,
                         const ProtobufCFieldDescriptor *field) {
    pbti_row *member = filler->member_row++;
    pbti_row *row = filler->row++;
    fill_field(member, filler, field);
    *row = *member;
    row->op = PBTI_OP_OR_ZERO;
    row->u.member = member;
    set_always(row, filler->node->type);
}

/* Fills the rows from the last field to the first, and notes in `required`,
 * from its end backwards, the rows that the required check looks at. */
static void fill_rows(table_filler *filler, pbti_row *required_end) {
    const ProtobufCMessageDescriptor *type = filler->node->type;
    unsigned end = type->n_fields;
    fill_unknown(filler);
    while (end > 0) {
        unsigned last = end - 1;
        unsigned first = group_start(type, last);
        if (needs_room_row(&filler->scalar_room, group_room(type, first, last)))
            fill_plain(filler, PBTI_OP_ROOM);
        if (pbti_is_oneof_member(&type->fields[last]))
            fill_oneof(filler, first, last);
        else if (filler->node->variant == PBTI_CONFORMANT_ENTRY)
            fill_or_zero(filler, &type->fields[last]);
        else
            fill_field(filler->row++, filler, &type->fields[last]);
        if (group_needs_check(filler, first, last))
            *--required_end = *pbti_member(&filler->row[-1]);
        end = first;
    }
    fill_plain(filler, PBTI_OP_END);
}

/* Lays the parts of a table out behind its head; none needs more alignment
 * than the one before it. */
static void lay_out(const table_plan *plan, pbti_table *table,
                    table_filler *filler) {
    filler->row = (pbti_row *) (void *) (table + 1);
    filler->member_row = filler->row + plan->n_rows + plan->n_required_rows;
    filler->oneof =
        (pbti_oneof *) (void *) (filler->member_row + plan->n_member_rows);
    filler->number = (uint32_t *) (void *) (filler->oneof + plan->n_oneofs);
}

/* A whole number of cache lines, as aligned_alloc wants it. */
static size_t table_size(const table_plan *plan) {
    size_t size =
        sizeof(pbti_table) +
        sizeof(pbti_row) * ((size_t) plan->n_rows + plan->n_required_rows +
                            plan->n_member_rows) +
        sizeof(pbti_oneof) * (size_t) plan->n_oneofs +
        sizeof(uint32_t) * (size_t) plan->n_numbers;
    return (size + PBTI_CACHE_LINE - 1) & ~(size_t) (PBTI_CACHE_LINE - 1);
}

static void fill_table(const pbti_graph *graph, const pbti_node *node) {
    pbti_table *table = node->table;
    const ProtobufCMessageDescriptor *type = node->type;
    table_filler filler = {.graph = graph, .node = node};
    table_plan plan = plan_table(&filler);
    pbti_row *required;
    lay_out(&plan, table, &filler);
    required = filler.row + plan.n_rows;
    *table = (pbti_table){.type = type,
                          .rows = filler.row,
                          .required_rows = required,
                          .n_rows = plan.n_rows,
                          .n_required_rows = plan.n_required_rows,
                          .variant = node->variant,
                          .can_lack = node->can_lack,
                          .name = type->name,
                          .fields = type->fields,
                          .n_fields = type->n_fields,
                          .fingerprint = pbti_descriptor_fingerprint(type)};
    fill_rows(&filler, required + plan.n_required_rows - 1);
    required[plan.n_required_rows - 1] = table->rows[plan.n_rows - 1];
}

_Static_assert(sizeof(pbti_table) % PBTI_CACHE_LINE == 0,
               "rows that follow the head of a table start a cache line");
_Static_assert(sizeof(pbti_row) % sizeof(void *) == 0,
               "oneofs may follow rows");

static pbt_status allocate_tables(pbti_graph *graph) {
    uint32_t i;
    for (i = 0; i < graph->n_nodes; i++) {
        pbti_node *node = &graph->nodes[i];
        table_filler filler = {.graph = graph, .node = node};
        table_plan plan;
        if (!node->is_new)
            continue;
        plan = plan_table(&filler);
        node->table = aligned_alloc(PBTI_CACHE_LINE, table_size(&plan));
        if (!node->table)
            return PBT_ERR_NO_MEMORY;
        memset(node->table, 0, table_size(&plan));
    }
    return PBT_OK;
}

pbt_status pbti_graph_build(pbti_graph *graph, pbt_error *error) {
    uint32_t i;
    pbt_status status = allocate_tables(graph);
    for (i = 0; i < graph->n_nodes; i++) {
        pbti_node *node = &graph->nodes[i];
        if (!node->is_new)
            continue;
        if (status == PBT_OK) {
            fill_table(graph, node);
        } else {
            free(node->table);
            node->table = NULL;
        }
    }
    if (status != PBT_OK)
        return pbti_fail(error, status, 0, NULL, NULL);
    return PBT_OK;
}
