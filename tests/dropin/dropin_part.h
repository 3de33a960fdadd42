/* dropin_part.h - the message type of dropin_part.c. */
#ifndef DROPIN_PART_H
#define DROPIN_PART_H

#include <stddef.h>

#include <protobuf-c/protobuf-c.h>

typedef struct part {
    ProtobufCMessage base;
    int32_t value;
} part;

extern const ProtobufCMessageDescriptor part_type;

#endif
