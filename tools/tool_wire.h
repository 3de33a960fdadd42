/* tool_wire.h - walks over the bytes of a message with its type at hand, to
 * count what is in them. */
#ifndef PBTURBO_TOOL_WIRE_H
#define PBTURBO_TOOL_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

/* What is told on the way. `bytes` are those of the whole field, with tag and
 * length. Fields that the type does not have, or not in this form, have no
 * descriptor. */
typedef struct tool_wire_visitor {
    /* A field that holds no message. */
    void (*value)(struct tool_wire_visitor *self,
                  const ProtobufCFieldDescriptor *field, size_t n_values,
                  size_t bytes);
    /* A message field, before and after what is in it. */
    void (*enter)(struct tool_wire_visitor *self,
                  const ProtobufCFieldDescriptor *field, bool is_group);
    void (*leave)(struct tool_wire_visitor *self, size_t bytes);
} tool_wire_visitor;

/* False when the bytes are not a message: pbt_unmarshal says why. */
bool tool_wire_walk(const ProtobufCMessageDescriptor *type, const uint8_t *data,
                    size_t len, tool_wire_visitor *visitor);

#endif
