/* tool_field.h - tells groups and maps from other fields that hold messages,
 * which descriptors do not. */
#ifndef PBTURBO_TOOL_FIELD_H
#define PBTURBO_TOOL_FIELD_H

#include <stdbool.h>

#include <protobuf-c/protobuf-c.h>

/* Whether a message field of a type is sent as a group. */
bool tool_is_group(const ProtobufCMessageDescriptor *type,
                   const ProtobufCFieldDescriptor *field);

/* Whether it holds the entries of a map. */
bool tool_is_map(const ProtobufCMessageDescriptor *type,
                 const ProtobufCFieldDescriptor *field);

#endif
