/* table_build.h - from descriptors to tables. Used by the registry only. */
#ifndef PBTI_TABLE_BUILD_H
#define PBTI_TABLE_BUILD_H

#include <pbturbo/status.h>

#include "table.h"

/* A type that is being built, or whose table exists already. */
typedef struct pbti_node {
    const ProtobufCMessageDescriptor *type;
    pbti_variant variant;
    pbti_table *table; /* the existing one, or the new one once allocated */
    bool is_new;
    bool can_lack;
} pbti_node;

/* The types reachable from one type, that type first. */
typedef struct pbti_graph {
    pbti_node *nodes;
    uint32_t n_nodes;
    uint32_t capacity;
    uint32_t *index; /* hash table of node numbers + 1, 2 * capacity slots */
} pbti_graph;

/* Looks up an existing table; NULL when there is none. */
typedef pbti_table *pbti_find_table(const ProtobufCMessageDescriptor *type,
                                    pbti_variant variant);

/** Refuses a descriptor that contradicts itself.
 *  @return PBT_OK or PBT_ERR_BAD_DESCRIPTOR; error names type and field
 */
pbt_status pbti_descriptor_check(const ProtobufCMessageDescriptor *type,
                                 pbt_error *error);

/** Bytes of a field's member in the struct; of a repeated field its pointer's.
 */
size_t pbti_member_bytes(const ProtobufCFieldDescriptor *field);

/** Hashes all that a table takes from its descriptor. */
uint64_t pbti_descriptor_fingerprint(const ProtobufCMessageDescriptor *type);

/** Tells whether a type has the shape of a map's entry. */
bool pbti_is_entry(const ProtobufCMessageDescriptor *type);

/** Tells whether a repeated message field is a map: its type has the shape of
 *  an entry, and there are facts that say so or, without facts, the type has
 *  the name protoc gives to the entry type of that field. Types without facts
 *  and names are never maps. */
bool pbti_is_map(const ProtobufCMessageDescriptor *type,
                 const ProtobufCFieldDescriptor *field);

/** Tells whether a message field is a group; only facts can make it one. */
bool pbti_is_group_field(const ProtobufCMessageDescriptor *type,
                         const ProtobufCFieldDescriptor *field);

/** Returns the variant of the table for the messages in a field. */
pbti_variant pbti_sub_variant(const ProtobufCMessageDescriptor *type,
                              pbti_variant variant,
                              const ProtobufCFieldDescriptor *field);

/** Tells whether a field is a oneof member to protobuf-c's pack, which heeds
 *  the flag with two of the labels only. */
bool pbti_is_oneof_member(const ProtobufCFieldDescriptor *field);

/** Collects the types reachable from root, checks their descriptors and finds
 *  out which can lack a required field.
 *  @param graph [in] all zero; free it with pbti_graph_free in every case
 */
pbt_status pbti_graph_collect(pbti_graph *graph,
                              const ProtobufCMessageDescriptor *root,
                              pbti_variant variant, pbti_find_table *find,
                              pbt_error *error);
pbti_node *pbti_graph_find(const pbti_graph *graph,
                           const ProtobufCMessageDescriptor *type,
                           pbti_variant variant);
void pbti_graph_free(pbti_graph *graph);

/** Allocates and fills the tables of all new nodes. Either all of them have
 *  one afterwards, each in a block from malloc, or none and the call returns
 *  PBT_ERR_NO_MEMORY. */
pbt_status pbti_graph_build(pbti_graph *graph);

/* Rows, each given all zero. */

/** Fills the row of one field. */
void pbti_fill_field(pbti_row *row, const pbti_graph *graph,
                     const pbti_node *node,
                     const ProtobufCFieldDescriptor *field);

/** Fills the row of a oneof run but for u.oneof. */
void pbti_fill_oneof(pbti_row *row, const ProtobufCMessageDescriptor *type,
                     const ProtobufCFieldDescriptor *member);

/** Fills the row of the unknown fields. */
void pbti_fill_unknown(pbti_row *row, const ProtobufCMessageDescriptor *type);

/** Makes every message of the type pass: its descriptor is not NULL. */
void pbti_set_always(pbti_row *row, const ProtobufCMessageDescriptor *type);

/** Tells whether an operation writes a singular scalar. */
bool pbti_is_scalar_op(uint8_t op);

/* What unmarshal reads: see table_parse.c. */

/** Bytes of memory that the parse part of a type's table takes. */
size_t pbti_parse_size(const pbti_node *node);

/** Fills the parse part.
 *  @param memory [out] pbti_parse_size bytes, all zero, aligned as a table
 */
void pbti_fill_parse(pbti_parse *parse, const pbti_graph *graph,
                     const pbti_node *node, void *memory);

/* Messages of no fields: see table_image.c. */

/** Tells whether a field's default is in messages of no fields. */
bool pbti_has_own_default(const ProtobufCFieldDescriptor *field);

/** Makes an image as protobuf_c_message_init leaves a message, but that no
 *  member of a oneof is given a value. The type itself comes later.
 *  @param image [in,out] of the message's size, all zero
 */
void pbti_fill_image(char *image, const ProtobufCMessageDescriptor *type);

/** Tells whether a type is as protoc-c makes them, so that what
 *  protobuf_c_message_unpack does with it can be read from its slots. Not
 *  told by a type that there was no memory to find out about.
 *  @param image [in] NULL for zeros
 */
bool pbti_is_usual(const ProtobufCMessageDescriptor *type, const char *image);

/** Gives a table with filled rows the part that the quick size loop reads,
 * where that gains, the layout of the type allows it, and there is memory. */
void pbti_fill_tally(pbti_table *table);

/** Gives a table with filled rows, and the part above if it gets one, the items
 *  of the quick size loop, where the layout of the type allows it and there is
 *  memory. */
void pbti_fill_items(pbti_table *table);

/* Windows: see table_wide.c. */

/** Tells whether the fields of a type are looked for by windows. */
bool pbti_has_windows(const pbti_node *node);

/** Returns the number of the window that a field's presence lies in. They
 *  count from 0 in the order of the rows. */
uint32_t pbti_window_of(const ProtobufCMessageDescriptor *type,
                        const ProtobufCFieldDescriptor *field);

/** Starts a window and its BLOCK row. */
void pbti_start_window(pbti_row *block, pbti_window *window,
                       const ProtobufCMessageDescriptor *type, uint32_t number);

/** Adds the row of a field to its window. */
void pbti_add_to_window(pbti_window *window, const pbti_row *block,
                        const pbti_row *row,
                        const ProtobufCMessageDescriptor *type);

#endif
