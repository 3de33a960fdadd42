/* support_slots.h - the pointers of a message that marshal follows, by what
 * it means when one of them is bad. */
#ifndef SUPPORT_SLOTS_H
#define SUPPORT_SLOTS_H

#include <string.h>

#include "support_message.h"

typedef enum slot_kind {
    SLOT_REQUIRED,      /* a required string or message */
    SLOT_ARRAY,         /* a repeated field with elements */
    SLOT_ELEMENT,       /* a string or message in an array */
    SLOT_DATA,          /* of bytes that are not empty */
    SLOT_DESCRIPTOR,    /* of a message */
    SLOT_UNKNOWN_ARRAY, /* the unknown fields of a message */
    SLOT_UNKNOWN_DATA,  /* of an unknown field that is not empty */
    SLOT_STRING,        /* any string; it may be absent */
    N_SLOT_KINDS
} slot_kind;

typedef struct slot_list {
    void **slots; /* addresses of the pointers */
    size_t n, capacity;
} slot_list;

/** Collects the slots of one kind of a message and all messages in it. */
void slots_collect(slot_list *list, arena *a, ProtobufCMessage *message,
                   slot_kind kind);

static inline void *slot_get(void *slot) {
    void *pointer;
    memcpy(&pointer, slot, sizeof pointer);
    return pointer;
}

static inline void slot_set(void *slot, const void *pointer) {
    memcpy(slot, &pointer, sizeof pointer);
}

#endif
