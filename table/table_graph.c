/* table_graph.c - the types reachable from a type, and which of them can lack
 * a required field.
 *
 * "Can lack" is the least fixed point over the graph of types: a type can lack
 * when it has a required string or message, or a message field whose type can.
 * All types of a strongly connected component get the same answer, whatever
 * type the walk starts from; a memoised depth-first walk would not give it.
 *
 * A type that has a table is complete with all below it, and the walk ends
 * there: otherwise it would be quadratic for types that are met one by one.
 */
#include <stdlib.h>

#include "table_build.h"

enum {
#ifdef PBTI_SHRINK
    FIRST_CAPACITY = 1
#else
    FIRST_CAPACITY = 32
#endif
};

bool pbti_is_oneof_member(const ProtobufCFieldDescriptor *field) {
    return (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) &&
           (field->label == PROTOBUF_C_LABEL_OPTIONAL ||
            field->label == PROTOBUF_C_LABEL_NONE);
}

static uint32_t first_slot(const pbti_graph *graph,
                           const ProtobufCMessageDescriptor *type,
                           pbti_variant variant) {
    uint64_t hash = ((uintptr_t) type >> 3) + (uint64_t) variant;
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t) (hash >> 40) & (2 * graph->capacity - 1);
}

/* The slot that holds the node of a type, or the free one it would take. */
static uint32_t find_slot(const pbti_graph *graph,
                          const ProtobufCMessageDescriptor *type,
                          pbti_variant variant) {
    uint32_t slot = first_slot(graph, type, variant);
    for (;;) {
        const pbti_node *node;
        if (graph->index[slot] == 0)
            return slot;
        node = &graph->nodes[graph->index[slot] - 1];
        if (node->type == type && node->variant == variant)
            return slot;
        slot = (slot + 1) & (2 * graph->capacity - 1);
    }
}

pbti_node *pbti_graph_find(const pbti_graph *graph,
                           const ProtobufCMessageDescriptor *type,
                           pbti_variant variant) {
    uint32_t number = graph->index[find_slot(graph, type, variant)];
    return number == 0 ? NULL : &graph->nodes[number - 1];
}

/* Doubles the arrays. Capacities are powers of two. */
static bool grow_graph(pbti_graph *graph) {
    uint32_t capacity = graph->capacity ? 2 * graph->capacity : FIRST_CAPACITY;
    pbti_node *nodes = realloc(graph->nodes, capacity * sizeof *nodes);
    uint32_t *index = NULL;
    uint32_t i;
    if (!nodes)
        return false;
    graph->nodes = nodes;
    index = calloc(2 * (size_t) capacity, sizeof *index);
    if (!index)
        return false;
    free(graph->index);
    graph->index = index;
    graph->capacity = capacity;
    for (i = 0; i < graph->n_nodes; i++)
        index[find_slot(graph, nodes[i].type, nodes[i].variant)] = i + 1;
    return true;
}

static void set_node(pbti_node *node, const ProtobufCMessageDescriptor *type,
                     pbti_variant variant, pbti_table *table) {
    *node = (pbti_node){.type = type,
                        .variant = variant,
                        .table = table,
                        .is_new = !table,
                        .can_lack = table && table->can_lack};
}

static pbt_status add_node(pbti_graph *graph,
                           const ProtobufCMessageDescriptor *type,
                           pbti_variant variant, pbti_find_table *find,
                           pbt_error *error) {
    uint32_t slot;
    pbt_status status;
    if (graph->n_nodes == graph->capacity && !grow_graph(graph))
        return PBT_ERR_NO_MEMORY;
    slot = find_slot(graph, type, variant);
    if (graph->index[slot] != 0)
        return PBT_OK;
    status = pbti_descriptor_check(type, error);
    if (status != PBT_OK)
        return status;
    set_node(&graph->nodes[graph->n_nodes], type, variant, find(type, variant));
    graph->index[slot] = ++graph->n_nodes;
    return PBT_OK;
}

/* True when the descriptor has been checked for one of its variants. */
static bool is_checked(const pbti_graph *graph,
                       const ProtobufCMessageDescriptor *type) {
    return pbti_graph_find(graph, type, PBTI_PLAIN) ||
           pbti_graph_find(graph, type, PBTI_CONFORMANT) ||
           pbti_graph_find(graph, type, PBTI_CONFORMANT_ENTRY);
}

/* Checks the types of a type's message fields as far as pbti_is_map needs
 * before it looks into them, and adds them. */
static pbt_status add_sub_types(pbti_graph *graph, uint32_t at,
                                pbti_find_table *find, pbt_error *error) {
    const ProtobufCMessageDescriptor *type = graph->nodes[at].type;
    pbti_variant variant = graph->nodes[at].variant;
    unsigned i;
    for (i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        pbt_status status = PBT_OK;
        if (field->type != PROTOBUF_C_TYPE_MESSAGE)
            continue;
        if (!is_checked(graph, field->descriptor))
            status = pbti_descriptor_check(field->descriptor, error);
        if (status == PBT_OK)
            status =
                add_node(graph, field->descriptor,
                         pbti_sub_variant(type, variant, field), find, error);
        if (status != PBT_OK)
            return status;
    }
    return PBT_OK;
}

/* True when a field makes its type able to lack something, by what is known
 * of the other types so far. */
static bool field_can_lack(const pbti_graph *graph, const pbti_node *node,
                           const ProtobufCFieldDescriptor *field) {
    bool is_message = field->type == PROTOBUF_C_TYPE_MESSAGE;
    if (field->label == PROTOBUF_C_LABEL_REQUIRED &&
        (is_message || field->type == PROTOBUF_C_TYPE_STRING))
        return true;
    return is_message &&
           pbti_graph_find(graph, field->descriptor,
                           pbti_sub_variant(node->type, node->variant, field))
               ->can_lack;
}

static bool node_can_lack(const pbti_graph *graph, const pbti_node *node) {
    unsigned i;
    for (i = 0; i < node->type->n_fields; i++)
        if (field_can_lack(graph, node, &node->type->fields[i]))
            return true;
    return false;
}

/* Repeats until nothing changes. Types stand before the types found through
 * them, so going backwards settles all but cycles in the first round. */
static void find_lacking(pbti_graph *graph) {
    bool changed = true;
    while (changed) {
        uint32_t i;
        changed = false;
        for (i = graph->n_nodes; i-- > 0;) {
            pbti_node *node = &graph->nodes[i];
            if (node->is_new && !node->can_lack && node_can_lack(graph, node))
                node->can_lack = changed = true;
        }
    }
}

pbt_status pbti_graph_collect(pbti_graph *graph,
                              const ProtobufCMessageDescriptor *root,
                              pbti_variant variant, pbti_find_table *find,
                              pbt_error *error) {
    uint32_t i;
    pbt_status status = add_node(graph, root, variant, find, error);
    for (i = 0; status == PBT_OK && i < graph->n_nodes; i++)
        if (graph->nodes[i].is_new)
            status = add_sub_types(graph, i, find, error);
    if (status == PBT_OK)
        find_lacking(graph);
    return status;
}

void pbti_graph_free(pbti_graph *graph) {
    free(graph->nodes);
    free(graph->index);
    *graph = (pbti_graph){0};
}
