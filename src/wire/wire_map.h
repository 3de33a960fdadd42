/* wire_map.h - the keys of map entries. */
#ifndef PBTI_WIRE_MAP_H
#define PBTI_WIRE_MAP_H

#include "base_error.h"
#include "wire.h"

typedef enum pbti_key_kind {
    PBTI_KEY_STRING,
    PBTI_KEY_SIGNED,
    PBTI_KEY_UNSIGNED,
    PBTI_KEY_BOOL
} pbti_key_kind;

typedef struct pbti_map_key {
    pbti_key_kind kind;
    const char *text; /* of a string; never NULL there */
    uint64_t number;  /* of the others; signed ones sign-extended */
} pbti_map_key;

/** Reads the key of an entry of the given type. A key that is unset is the
 *  zero of its type, as a parser would read it. */
pbti_map_key pbti_read_key(const ProtobufCMessage *entry,
                           const pbti_table *table);

/** Adds a key to a path. */
void pbti_tell_key(pbti_path *path, const pbti_map_key *key);

#endif
