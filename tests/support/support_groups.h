/* support_groups.h - what a message with groups must look like on the wire,
 * made from what it looks like without: an independent yardstick, as
 * protobuf-c knows no groups. */
#ifndef SUPPORT_GROUPS_H
#define SUPPORT_GROUPS_H

#include "support_output.h"

/** Turns the groups of a type and of all types below it into messages. They
 *  keep their other facts. */
void groups_hide(arena *a, ProtobufCMessageDescriptor *const *types, size_t n);

/** Gives a type the marks back that groups_hide has taken. */
void groups_show(ProtobufCMessageDescriptor *const *types, size_t n);

/** Writes a message of the type, marshalled without unknown fields and while
 *  its groups were hidden, with its groups. */
packed groups_rewrite(arena *a, const ProtobufCMessageDescriptor *type,
                      const void *bytes, size_t len);

#endif
