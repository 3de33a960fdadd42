/* json_map.h - the entries of a map: in which order, and under which keys. */
#ifndef PBTI_JSON_MAP_H
#define PBTI_JSON_MAP_H

#include "json_call.h"
#include "table_keys.h"

/** Reads the key of an entry; an unset one is zero. */
pbti_map_key pbti_json_read_key(const ProtobufCMessage *entry,
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
