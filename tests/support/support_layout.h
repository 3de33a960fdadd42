/* support_layout.h - from schema_field to descriptor: places the members of a
 * struct and fills the descriptor's arrays. */
#ifndef SUPPORT_LAYOUT_H
#define SUPPORT_LAYOUT_H

#include "support_schema.h"

typedef struct layout_options {
    rng *rng;         /* NULL: members in field order, no extra padding */
    uint32_t padding; /* the most bytes between two members */
    bool nameless;
    bool with_facts; /* even if no field has one */
} layout_options;

/** Fills an allocated descriptor. Fields must be in number order. */
void layout_type(arena *a, ProtobufCMessageDescriptor *type, const char *name,
                 const schema_field *fields, size_t n,
                 const layout_options *options);

#endif
