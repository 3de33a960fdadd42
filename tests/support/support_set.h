/* support_set.h - descriptor sets: those that protoc made of the schemas in
 * testdata when the tests were built, and those written down in a test. */
#ifndef SUPPORT_SET_H
#define SUPPORT_SET_H

#include <pbturbo/pbturbo.h>

#include "support_arena.h"
#include "support_output.h"

/** Reads the set of a schema: "cases2", "google/protobuf/any". */
packed set_read(arena *a, const char *name);

/** Returns a set and itself once more. */
packed set_twice(arena *a, packed set);

/** Loads a set that must be good. */
pbt_schema *set_load(packed set);

/** set_read and set_load. */
pbt_schema *set_schema(const char *name);

/** Writes a set, or any message, down from text: fields separated by blanks,
 *  each a number and a value, `1:150` a varint, `1'text'` a string, and
 *  `1{...}` a sub-message. Knows nothing of the loader's own types. */
packed set_write(arena *a, const char *text);

/* The types of the schemas of which protoc-c made code, too. */
typedef struct set_compiled {
    const char *name; /* of the schema */
    /* Types that together contain all others of it; NULL-terminated. */
    const ProtobufCMessageDescriptor *const *roots;
} set_compiled;

extern const set_compiled set_compiled_all[];
extern const size_t n_set_compiled;

#endif
