/* tool_stat_tree.h - counts for each place in a message type: a tree whose
 * nodes are fields, by the path that leads to them.
 *
 * A type that contains itself does not make the tree deeper: the fields of an
 * inner message count at the node of the outer one of that type. The bytes of
 * a field within itself are those of the outer one and count once, so no field
 * has more bytes than there are.
 */
#ifndef PBTURBO_TOOL_STAT_TREE_H
#define PBTURBO_TOOL_STAT_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

#include "tool_wire.h"

typedef struct tool_stat_node {
    const ProtobufCFieldDescriptor *field;  /* NULL: root, or unknown fields */
    const ProtobufCMessageDescriptor *type; /* of what is in it, or NULL */
    struct tool_stat_node *parent;
    struct tool_stat_node *folded;    /* the outer node of the same type */
    struct tool_stat_node **children; /* by field, unknown last; then sorted */
    size_t n_children;                /* 0 until there is one */
    bool is_group;
    uint64_t messages; /* in the field: those that its children are set in */
    uint64_t set;      /* messages that have the field */
    uint64_t values;
    uint64_t bytes;
    uint64_t last_owner; /* id of the message that it was last seen in */
    uint64_t last_id;    /* of the root: the last id that was given out */
    size_t n_open;
} tool_stat_node;

/* Makes the root for a type. */
tool_stat_node *tool_stat_new(const ProtobufCMessageDescriptor *type);

/* Adds a message; false if it is none, and part of it has been counted. */
bool tool_stat_add(tool_stat_node *root, const uint8_t *data, size_t len);

/* Puts those with most bytes first and drops those that were never set; nothing
 * can be added afterwards. */
void tool_stat_sort(tool_stat_node *node);

void tool_stat_free(tool_stat_node *node);

#endif
