/* table_keys.h - the keys of map entries, for all that write maps: reading,
 * order, and their part of a path. */
#ifndef PBTI_TABLE_KEYS_H
#define PBTI_TABLE_KEYS_H

#include "base_error.h"
#include "table.h"

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

/* An entry with its key, and where it stands in the array. */
typedef struct pbti_map_item {
    pbti_map_key key;
    const ProtobufCMessage *entry;
    size_t place;
} pbti_map_item;

/** Reads the key that is a member of an entry. One that is not present is the
 *  zero of its type, as a parser would read it; strings are looked at for
 *  NULL instead. */
pbti_map_key pbti_member_key(const char *member, bool present,
                             ProtobufCType type);

/** Reads the key of an entry of the given type. */
pbti_map_key pbti_read_key(const ProtobufCMessage *entry,
                           const pbti_table *table);

/** Strings by unsigned bytes, numbers by value, false first: below, at or
 *  above 0 as memcmp. */
int pbti_compare_keys(const pbti_map_key *a, const pbti_map_key *b);

/** Sorts n items by key, stably.
 *  @param other room for as many
 *  @return whichever of the two arrays holds the result
 */
pbti_map_item *pbti_sort_items(pbti_map_item *items, pbti_map_item *other,
                               size_t n);

/** Tells whether no sorted item behind the one at i has its key: it is the one
 *  of them that a parser would keep. */
bool pbti_is_last_of_key(const pbti_map_item *items, size_t n, size_t i);

/** Writes the last entry of each key, by key. Returns how many. */
size_t pbti_last_of_keys(const pbti_map_item *items, size_t n,
                         const ProtobufCMessage **entries);

/** Adds a key to a path. */
void pbti_tell_key(pbti_path *path, const pbti_map_key *key);

#endif
