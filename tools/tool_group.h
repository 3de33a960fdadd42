/* tool_group.h - tells groups from other messages, which descriptors do not. */
#ifndef PBTURBO_TOOL_GROUP_H
#define PBTURBO_TOOL_GROUP_H

#include <stdbool.h>

#include <protobuf-c/protobuf-c.h>

/* Whether a message field of a type is sent as a group. */
bool tool_is_group(const ProtobufCMessageDescriptor *type,
                   const ProtobufCFieldDescriptor *field);

#endif
