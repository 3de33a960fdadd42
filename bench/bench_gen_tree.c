/* bench_gen_tree.c - parse_tree, required, deep and blobs: messages in
 * messages. */
#include "bench_gen.h"

enum {
    TREE_DEPTH = 11, /* nodes on the longest way down, each two messages */
    TREE_NODES = 60, /* at most, in one tree */
    REQUIRED_DEPTH = 12,
    DEEP_LEVELS = 1000,
};

struct tree {
    bench_random *random;
    wire_writer *out;
    unsigned nodes_left;
};

static bool holds_nodes(const ProtobufCFieldDescriptor *field) {
    return field->type == PROTOBUF_C_TYPE_MESSAGE;
}

/* Parsers meet few kinds of nodes often and most kinds hardly ever: half of the
 * choices fall on an eighth of the members. The factor has no divisor in common
 * with 270 and spreads these over the field numbers. */
static unsigned pick_index(bench_random *random, unsigned n) {
    uint64_t r = random_between(random, 0, 999);
    uint64_t skewed = n * r * r * r / 1000000000;
    return (unsigned) (skewed * 97 % n);
}

/* A member that can have a child, unless the way ends here. */
static const ProtobufCFieldDescriptor *
pick_member(const ProtobufCMessageDescriptor *node, struct tree *tree,
            bool wants_child) {
    for (;;) {
        const ProtobufCFieldDescriptor *member =
            &node->fields[pick_index(tree->random, node->n_fields)];
        const ProtobufCMessageDescriptor *type = member->descriptor;
        for (unsigned i = 0; i < type->n_fields; i++)
            if (holds_nodes(&type->fields[i]) || !wants_child)
                return member;
    }
}

static void put_node(const ProtobufCMessageDescriptor *node, struct tree *tree,
                     unsigned depth);

static void put_child(const ProtobufCFieldDescriptor *field, struct tree *tree,
                      unsigned depth) {
    size_t mark = wire_open(tree->out, field->id);
    put_node(field->descriptor, tree, depth);
    wire_close(tree->out, mark);
}

/* The first child always, to get to the full depth; others by chance. */
static bool wants_more(struct tree *tree, unsigned n_children) {
    if (tree->nodes_left == 0)
        return false;
    return n_children == 0 || random_percent(tree->random, 30);
}

static void put_node(const ProtobufCMessageDescriptor *node, struct tree *tree,
                     unsigned depth) {
    const ProtobufCFieldDescriptor *member = pick_member(node, tree, depth > 1);
    const ProtobufCMessageDescriptor *type = member->descriptor;
    size_t mark = wire_open(tree->out, member->id);
    unsigned n_children = 0;
    for (unsigned i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        if (!holds_nodes(field)) {
            generate_field(field, tree->random, tree->out);
            continue;
        }
        while (depth > 1 && wants_more(tree, n_children)) {
            tree->nodes_left--;
            n_children++;
            put_child(field, tree, depth - 1);
            if (field->label != PROTOBUF_C_LABEL_REPEATED)
                break;
        }
    }
    wire_close(tree->out, mark);
}

void generate_parse_tree(const ProtobufCMessageDescriptor *type, size_t i,
                         bench_random *random, wire_writer *out) {
    (void) i;
    struct tree tree = {random, out, TREE_NODES};
    put_node(type, &tree, TREE_DEPTH);
}

static void put_place(wire_writer *out, bench_random *random, uint32_t number) {
    size_t mark = wire_open(out, number);
    wire_sint(out, 1, (int64_t) random_width(random, 20));
    wire_sint(out, 2, -(int64_t) random_width(random, 20));
    wire_random_text(out, 3, random, 2, 12);
    if (random_percent(random, 30))
        put_place(out, random, 4);
    wire_close(out, mark);
}

static void put_required(wire_writer *out, bench_random *random,
                         unsigned depth) {
    wire_random_text(out, 1, random, 3, 16);
    wire_varint(out, 2, random_width(random, 24));
    put_place(out, random, 3);
    if (random_percent(random, 50))
        wire_random_text(out, 4, random, 5, 40);
    uint64_t n = random_percent(random, 25) ? 2 : 1;
    for (uint64_t i = 0; depth > 1 && i < n; i++) {
        size_t mark = wire_open(out, 5);
        put_required(out, random, depth - 1);
        wire_close(out, mark);
    }
    wire_random_bytes(out, 6, random, 8);
}

void generate_required(const ProtobufCMessageDescriptor *type, size_t i,
                       bench_random *random, wire_writer *out) {
    (void) type;
    (void) i;
    put_required(out, random, REQUIRED_DEPTH);
}

void generate_deep(const ProtobufCMessageDescriptor *type, size_t i,
                   bench_random *random, wire_writer *out) {
    (void) type;
    (void) i;
    size_t marks[DEEP_LEVELS];
    for (unsigned level = 0; level < DEEP_LEVELS; level++) {
        wire_varint(out, 1, random_width(random, 14));
        marks[level] = wire_open(out, 2);
    }
    wire_varint(out, 1, random_width(random, 14));
    for (unsigned level = DEEP_LEVELS; level-- > 0;)
        wire_close(out, marks[level]);
}

void generate_blobs(const ProtobufCMessageDescriptor *type, size_t i,
                    bench_random *random, wire_writer *out) {
    (void) type;
    size_t len = (size_t) 65536 << i;
    wire_random_text(out, 1, random, 5, 20);
    size_t shelf = wire_open(out, 2);
    wire_varint(out, 1, random_width(random, 10));
    size_t blob = wire_open(out, 2);
    wire_varint(out, 1, random_width(random, 64));
    wire_random_bytes(out, 2, random, len);
    wire_close(out, blob);
    wire_close(out, shelf);
}
