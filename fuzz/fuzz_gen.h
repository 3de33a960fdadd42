/* fuzz_gen.h - seeded messages as bytes: what a parser is to be fed with.
 *
 * The bytes are made from the type's descriptor, field by field in random
 * order, and not from a message: so fields come twice, arrays in pieces, packed
 * and unpacked, oneofs change their mind, and unknown fields stand anywhere. */
#ifndef FUZZ_GEN_H
#define FUZZ_GEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

#include "fuzz_write.h"
#include "support_rng.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fuzz_shape {
    /* Only what every parser reads alike: varints as short as can be, valid
     * UTF-8 without NUL, values in range, no unknown fields in map entries. */
    bool plain;
    uint32_t fields; /* of all messages together, at the most */
    uint32_t depth;  /* levels of sub-messages, at the most */
} fuzz_shape;

/** Appends a random message of a type. */
void fuzz_message(fuzz_bytes *out, rng *r,
                  const ProtobufCMessageDescriptor *type,
                  const fuzz_shape *shape);

/** Damages bytes in one to four places; they may even stay the same. */
void fuzz_mutate(fuzz_bytes *bytes, rng *r);

#ifdef __cplusplus
}
#endif

#endif
