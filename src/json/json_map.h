/* json_map.h - the entries of a map: in which order, and under which keys. */
#ifndef PBTI_JSON_MAP_H
#define PBTI_JSON_MAP_H

#include "json_call.h"

typedef enum pbti_json_key_kind {
    PBTI_JSON_KEY_STRING,
    PBTI_JSON_KEY_SIGNED,
    PBTI_JSON_KEY_UNSIGNED,
    PBTI_JSON_KEY_BOOL
} pbti_json_key_kind;

typedef struct pbti_json_key {
    pbti_json_key_kind kind;
    const char *text;
    uint64_t number;
} pbti_json_key;

/** Reads the key of an entry; an unset one is zero. */
pbti_json_key pbti_json_read_key(const ProtobufCMessage *entry,
                                 const pbti_json_row *row);

/** The entries of a map that are to be written: the last of each key, sorted
 *  if the options say so.
 *  @param n [out] their number; at least 1
 *  @return NULL on failure
 */
const ProtobufCMessage *const *
pbti_json_entries(pbti_json_call *call, const pbti_json_row *field,
                  const ProtobufCMessage *const *entries, size_t *n);

#endif
