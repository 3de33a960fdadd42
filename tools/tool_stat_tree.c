/* tool_stat_tree.c - see tool_stat_tree.h. */
#include "tool_stat_tree.h"

#include <stdlib.h>

#include "tool_report.h"

/* A message that is being walked over. */
typedef struct open_message {
    tool_stat_node *field; /* the node of the field that it stands in */
    tool_stat_node *home;  /* the node whose children count its fields */
    uint64_t id;
} open_message;

typedef struct counter {
    tool_wire_visitor visitor; /* first: the callbacks get its address */
    open_message *open;
    size_t n;
    size_t capacity;
    uint64_t *last_id;
} counter;

tool_stat_node *tool_stat_new(const ProtobufCMessageDescriptor *type) {
    tool_stat_node *root = (tool_stat_node *) tool_alloc(1, sizeof *root);
    root->type = type;
    return root;
}

static tool_stat_node *find_outer(tool_stat_node *node,
                                  const ProtobufCMessageDescriptor *type) {
    while (node != NULL && node->type != type)
        node = node->parent;
    return node;
}

static tool_stat_node *make_child(tool_stat_node *parent,
                                  const ProtobufCFieldDescriptor *field) {
    tool_stat_node *node = (tool_stat_node *) tool_alloc(1, sizeof *node);
    node->field = field;
    node->parent = parent;
    if (field != NULL && field->type == PROTOBUF_C_TYPE_MESSAGE) {
        const ProtobufCMessageDescriptor *type =
            (const ProtobufCMessageDescriptor *) field->descriptor;
        node->folded = find_outer(parent, type);
        node->type = node->folded != NULL ? NULL : type;
    }
    return node;
}

static tool_stat_node *child_of(tool_stat_node *home,
                                const ProtobufCFieldDescriptor *field) {
    size_t n = home->type->n_fields;
    size_t index = field != NULL ? (size_t) (field - home->type->fields) : n;
    if (home->n_children == 0) {
        home->n_children = n + 1;
        home->children =
            (tool_stat_node **) tool_alloc(n + 1, sizeof(tool_stat_node *));
    }
    if (home->children[index] == NULL)
        home->children[index] = make_child(home, field);
    return home->children[index];
}

static void note_owner(tool_stat_node *node, const open_message *owner) {
    if (node->last_owner == owner->id)
        return;
    node->last_owner = owner->id;
    node->set++;
}

/* Ids start at 1. */
static void open(counter *in, tool_stat_node *field) {
    if (in->n == in->capacity) {
        in->capacity = in->capacity > 0 ? 2 * in->capacity : 16;
        in->open = (open_message *) tool_grow(in->open, in->capacity,
                                              sizeof *in->open);
    }
    tool_stat_node *home = field->folded != NULL ? field->folded : field;
    in->open[in->n++] = (open_message){field, home, ++*in->last_id};
    home->messages++;
    field->n_open++;
}

static void count_value(tool_wire_visitor *self,
                        const ProtobufCFieldDescriptor *field, size_t n_values,
                        size_t bytes) {
    const counter *in = (const counter *) self;
    const open_message *owner = &in->open[in->n - 1];
    tool_stat_node *node = child_of(owner->home, field);
    if (n_values > 0)
        note_owner(node, owner);
    node->values += n_values;
    node->bytes += bytes;
}

static void enter_message(tool_wire_visitor *self,
                          const ProtobufCFieldDescriptor *field,
                          bool is_group) {
    counter *in = (counter *) self;
    const open_message *owner = &in->open[in->n - 1];
    tool_stat_node *node = child_of(owner->home, field);
    note_owner(node, owner);
    node->values++;
    node->is_group = node->is_group || is_group;
    open(in, node);
}

static void leave_message(tool_wire_visitor *self, size_t bytes) {
    counter *in = (counter *) self;
    tool_stat_node *node = in->open[--in->n].field;
    node->n_open--;
    if (node->n_open == 0)
        node->bytes += bytes;
}

bool tool_stat_add(tool_stat_node *root, const uint8_t *data, size_t len) {
    counter in = {.visitor = {count_value, enter_message, leave_message},
                  .last_id = &root->last_id};
    open(&in, root);
    root->values++;
    root->bytes += len;
    bool is_good = tool_wire_walk(root->type, data, len, &in.visitor);
    root->n_open = 0;
    free(in.open);
    return is_good;
}

static int compare_nodes(const void *a, const void *b) {
    const tool_stat_node *x = *(tool_stat_node *const *) a;
    const tool_stat_node *y = *(tool_stat_node *const *) b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    if (x->field == NULL || y->field == NULL)
        return (x->field == NULL) - (y->field == NULL);
    return (x->field->id > y->field->id) - (x->field->id < y->field->id);
}

void tool_stat_sort(tool_stat_node *node) {
    size_t n = 0;
    for (size_t i = 0; i < node->n_children; i++)
        if (node->children[i] != NULL)
            node->children[n++] = node->children[i];
    node->n_children = n;
    if (n > 0)
        qsort(node->children, n, sizeof(tool_stat_node *), compare_nodes);
    for (size_t i = 0; i < n; i++)
        tool_stat_sort(node->children[i]);
}

void tool_stat_free(tool_stat_node *node) {
    if (node == NULL)
        return;
    for (size_t i = 0; i < node->n_children; i++)
        tool_stat_free(node->children[i]);
    free(node->children);
    free(node);
}
