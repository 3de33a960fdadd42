/* table_build.c - fills the tables of a graph of types.
 *
 * Fields are taken in groups: a field by itself, or the members of one oneof
 * that follow each other in field order. A first walk over the groups counts
 * what the table needs, so that it is one block; a second fills it.
 */
#include <stdlib.h>

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
    uint32_t n_windows; /* pbti_window */
    uint32_t n_numbers; /* uint32_t */
} table_plan;

/* The parts of a table's block that are still free. */
typedef struct table_filler {
    const pbti_graph *graph;
    const pbti_node *node;
    pbti_row *row;
    pbti_row *member_row;
    pbti_oneof *oneof;
    pbti_window *window;
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

/* Adds the BLOCK rows of the windows that the fields are in. */
static void plan_windows(table_plan *plan,
                         const ProtobufCMessageDescriptor *type) {
    unsigned i;
    for (i = type->n_fields; i-- > 0;)
        if (i + 1 == type->n_fields ||
            pbti_window_of(type, &type->fields[i]) !=
                pbti_window_of(type, &type->fields[i + 1]))
            plan->n_windows++;
    plan->n_rows += plan->n_windows;
}

static void plan_oneof(table_plan *plan, const ProtobufCMessageDescriptor *type,
                       unsigned first, unsigned last) {
    uint32_t indexed = indexed_rows(type, first, last);
    uint32_t n = last - first + 1;
    plan->n_oneofs++;
    plan->n_member_rows += indexed ? indexed : n;
    plan->n_numbers += indexed ? 0 : n;
}

static table_plan plan_table(const table_filler *filler) {
    const pbti_node *node = filler->node;
    const ProtobufCMessageDescriptor *type = node->type;
    table_plan plan = {.n_rows = 2, .n_required_rows = 1}; /* UNKNOWN, END */
    uint32_t used = 0;
    unsigned end = type->n_fields;
    if (pbti_has_windows(node))
        plan_windows(&plan, type);
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
        if (pbti_is_oneof_member(&type->fields[last]))
            plan_oneof(&plan, type, first, last);
        end = first;
    }
    return plan;
}

static void fill_plain(table_filler *filler, pbti_op op) {
    pbti_row *row = filler->row++;
    row->op = (uint8_t) op;
    pbti_set_always(row, filler->node->type);
}

static void fill_oneof(table_filler *filler, unsigned first, unsigned last) {
    const ProtobufCMessageDescriptor *type = filler->node->type;
    uint32_t indexed = indexed_rows(type, first, last);
    pbti_oneof *oneof = filler->oneof++;
    pbti_row *row = filler->row++;
    uint32_t first_number = type->fields[first].id;
    unsigned i;
    pbti_fill_oneof(row, type, &type->fields[first]);
    row->u.oneof = oneof;
    oneof->first = first_number;
    oneof->n_indexed = indexed;
    oneof->n_rows = indexed ? indexed : last - first + 1;
    oneof->rows = filler->member_row;
    oneof->numbers = indexed ? NULL : filler->number;
    for (i = 0; i < oneof->n_rows; i++)
        filler->member_row[i].op = PBTI_OP_ABSENT;
    for (i = first; i <= last; i++) {
        uint32_t at = indexed ? type->fields[i].id - first_number : i - first;
        pbti_fill_field(&filler->member_row[at], filler->graph, filler->node,
                        &type->fields[i]);
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
    pbti_fill_field(member, filler->graph, filler->node, field);
    *row = *member;
    row->op = PBTI_OP_OR_ZERO;
    row->u.member = member;
    pbti_set_always(row, filler->node->type);
}

static void fill_group(table_filler *filler, unsigned first, unsigned last) {
    const pbti_node *node = filler->node;
    const ProtobufCFieldDescriptor *field = &node->type->fields[last];
    if (pbti_is_oneof_member(field))
        fill_oneof(filler, first, last);
    else if (node->variant == PBTI_CONFORMANT_ENTRY)
        fill_or_zero(filler, field);
    else
        pbti_fill_field(filler->row++, filler->graph, node, field);
}

/* Fills the rows from the last field to the first, and notes in `required`,
 * from its end backwards, the rows that the required check looks at. */
static void fill_rows(table_filler *filler, pbti_row *required_end) {
    const ProtobufCMessageDescriptor *type = filler->node->type;
    unsigned end = type->n_fields;
    while (end > 0) {
        unsigned last = end - 1;
        unsigned first = group_start(type, last);
        if (needs_room_row(&filler->scalar_room, group_room(type, first, last)))
            fill_plain(filler, PBTI_OP_ROOM);
        fill_group(filler, first, last);
        if (group_needs_check(filler, first, last))
            *--required_end = *pbti_member(&filler->row[-1]);
        end = first;
    }
}

/* The same for a type whose fields lie in windows. Each is a group. */
static void fill_windows(table_filler *filler, pbti_row *required_end) {
    const ProtobufCMessageDescriptor *type = filler->node->type;
    pbti_window *window = NULL;
    const pbti_row *block = NULL;
    uint32_t number = 0;
    unsigned i;
    for (i = type->n_fields; i-- > 0;) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        if (!window || number != pbti_window_of(type, field)) {
            number = pbti_window_of(type, field);
            window = filler->window++;
            block = filler->row;
            pbti_start_window(filler->row++, window, type, number);
        }
        if (needs_room_row(&filler->scalar_room, group_room(type, i, i)))
            fill_plain(filler, PBTI_OP_ROOM);
        pbti_fill_field(filler->row, filler->graph, filler->node, field);
        pbti_add_to_window(window, block, filler->row, type);
        if (group_needs_check(filler, i, i))
            *--required_end = *filler->row;
        filler->row++;
    }
}

/* Lays the parts of a table out behind its head; none needs more alignment
 * than the one before it. */
static void lay_out(const table_plan *plan, pbti_table *table,
                    table_filler *filler) {
    filler->row = (pbti_row *) (void *) (table + 1);
    filler->member_row = filler->row + plan->n_rows + plan->n_required_rows;
    filler->oneof =
        (pbti_oneof *) (void *) (filler->member_row + plan->n_member_rows);
    filler->window = (pbti_window *) (void *) (filler->oneof + plan->n_oneofs);
    filler->number = (uint32_t *) (void *) (filler->window + plan->n_windows);
}

static size_t whole_lines(size_t size) {
    return (size + PBTI_CACHE_LINE - 1) & ~(size_t) (PBTI_CACHE_LINE - 1);
}

/* Without the parse part. */
static size_t table_size(const table_plan *plan) {
    size_t n_rows =
        (size_t) plan->n_rows + plan->n_required_rows + plan->n_member_rows;
    size_t size = sizeof(pbti_table) + sizeof(pbti_row) * n_rows +
                  sizeof(pbti_oneof) * (size_t) plan->n_oneofs +
                  sizeof(pbti_window) * (size_t) plan->n_windows +
                  sizeof(uint32_t) * (size_t) plan->n_numbers;
    return whole_lines(size);
}

/* Rows that the quick size loop runs without a call. */
static bool is_leaf_row(const pbti_row *row) {
    uint32_t i;
    switch (row->op) {
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    case PBTI_OP_##name:                                                       \
        return true;                                                           \
    case PBTI_OP_##name##_REPEATED:                                            \
    case PBTI_OP_##name##_PACKED:                                              \
        return max == min;
#include "table_kinds.def"
    case PBTI_OP_ONEOF:
        for (i = 0; i < row->u.oneof->n_rows; i++)
            if (!is_leaf_row(&row->u.oneof->rows[i]))
                return false;
        return row->u.oneof->n_indexed > 0;
    case PBTI_OP_MESSAGE:
        return false;
    default:
        return !pbti_row_sub(row) && row->op != PBTI_OP_STRING_REPEATED &&
               row->op != PBTI_OP_BYTES_REPEATED;
    }
}

static bool find_leaf(const pbti_table *table) {
    uint32_t i;
    for (i = 0; i < table->n_rows; i++)
        if (!is_leaf_row(&table->rows[i]))
            return false;
    return true;
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
    pbti_fill_parse(&table->parse, graph, node,
                    (char *) table + table_size(&plan));
    pbti_fill_unknown(filler.row++, type);
    if (plan.n_windows > 0)
        fill_windows(&filler, required + plan.n_required_rows - 1);
    else
        fill_rows(&filler, required + plan.n_required_rows - 1);
    fill_plain(&filler, PBTI_OP_END);
    required[plan.n_required_rows - 1] = table->rows[plan.n_rows - 1];
    pbti_fill_tally(table);
    pbti_fill_items(table);
    table->is_leaf = !table->tally && find_leaf(table);
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
        size_t size;
        if (!node->is_new)
            continue;
        plan = plan_table(&filler);
        /* whole lines, as aligned_alloc wants it */
        size = table_size(&plan) + whole_lines(pbti_parse_size(node));
        node->table = aligned_alloc(PBTI_CACHE_LINE, size);
        if (!node->table)
            return PBT_ERR_NO_MEMORY;
        memset(node->table, 0, size);
    }
    return PBT_OK;
}

pbt_status pbti_graph_build(pbti_graph *graph) {
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
    return status;
}
