/* support_message.h - random messages of any type, drawn from boundaries.
 *
 * Unless a parameter says otherwise protobuf-c packs them without undefined
 * behaviour. */
#ifndef SUPPORT_MESSAGE_H
#define SUPPORT_MESSAGE_H

#include "support_schema.h"

typedef struct message_params {
    uint32_t depth;   /* levels of sub-messages at most */
    uint32_t budget;  /* elements and sub-messages in all, about */
    bool complete;    /* required strings and messages are never NULL */
    bool valid_utf8;  /* in all strings */
    bool long_arrays; /* packed fields of 20000 elements now and then */
    /* Types of which a sub-message may be instead of the field's own. */
    ProtobufCMessageDescriptor **foreign;
    size_t n_foreign;
} message_params;

ProtobufCMessage *message_random(arena *a, rng *r, const message_params *params,
                                 const ProtobufCMessageDescriptor *type);

/** A message of the type with every byte after the base zero. */
ProtobufCMessage *message_empty(arena *a,
                                const ProtobufCMessageDescriptor *type);

/** Writes the n-th boundary value of a packable type to member; returns false
 *  when there are fewer than n + 1. */
bool value_boundary(ProtobufCType type, size_t n, void *member);

/** Writes a boundary value, or sometimes any value, of a packable type. */
void value_random(rng *r, ProtobufCType type, void *member);

/** A NUL-terminated string of len bytes, valid UTF-8 or any bytes. */
char *string_random(arena *a, rng *r, size_t len, bool valid_utf8);

/** Address of a member. */
static inline void *message_member(ProtobufCMessage *message, size_t offset) {
    return (char *) message + offset;
}

#endif
