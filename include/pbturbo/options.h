/* pbturbo/options.h - the options common to most calls. */
#ifndef PBTURBO_OPTIONS_H
#define PBTURBO_OPTIONS_H

#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

#include <pbturbo/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Flags of pbt_options. A bit that is not listed is PBT_ERR_ARGUMENT. */

/** Do not fail on a missing required field; a required string or message that
 *  is NULL is written empty, as protobuf-c does. */
#define PBT_ALLOW_PARTIAL 0x01u
/** Write map entries sorted by key (strings by unsigned bytes, numbers by
 *  value, false first); of entries with one key only the last is written. */
#define PBT_DETERMINISTIC 0x02u
/** Fail with PBT_ERR_UTF8 on a string field that is not valid UTF-8. */
#define PBT_VALIDATE_UTF8 0x04u
/** Leave unknown fields out. */
#define PBT_DISCARD_UNKNOWN 0x08u
/** Follow the protobuf specification where protobuf-c departs from it: -0.0
 *  in a field with implicit presence is written, and map entries always carry
 *  key and value. */
#define PBT_CONFORMANT 0x10u
/** Put the length of the message before it, as a varint. */
#define PBT_DELIMITED 0x20u
/** pbt_unmarshal only, PBT_ERR_ARGUMENT elsewhere: fail with PBT_ERR_VALUE on a
 *  string field with a NUL character in it, which C would take for its end. */
#define PBT_REJECT_NUL 0x40u
/** pbt_unmarshal only, PBT_ERR_ARGUMENT elsewhere: the data of bytes fields may
 *  point into the input instead of to copies. The input must then live, and
 *  not change, as long as the message; nobody may write through it. */
#define PBT_BORROW_BYTES 0x80u

/** How a call is to behave. NULL, or all zero, means the defaults. */
typedef struct pbt_options {
    uint32_t flags; /* PBT_ALLOW_PARTIAL and its neighbours */
    /* Levels of sub-messages allowed below the message; 0 means 10000. It is
     * a guard against cycles: the depth takes heap memory, not stack. */
    uint32_t max_depth;
    /* Largest message in bytes, not counting the prefix of PBT_DELIMITED; 0
     * means 2 GiB - 1. A larger value than 4 GiB - 1 is taken as 4 GiB - 1,
     * where lengths end in other parsers. */
    size_t max_size;
    /* For all memory of the call; NULL means malloc and free. */
    const ProtobufCAllocator *allocator;
    pbt_error *error;  /* filled when the call fails; may be NULL */
    void *reserved[4]; /* must be NULL */
} pbt_options;

#ifdef __cplusplus
}
#endif

#endif
