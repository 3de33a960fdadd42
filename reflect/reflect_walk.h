/* reflect_walk.h - what the files of the reflection road share: the state of
 * one call, the chain of messages it is in, and the steps that read a message
 * and report its errors with their place.
 *
 * The road recurses: each level of messages keeps one pbti_link on the C
 * stack. A link points to the one below it, so that a path can be told from
 * the root downwards when something is wrong, and costs nothing before.
 */
#ifndef PBTI_REFLECT_WALK_H
#define PBTI_REFLECT_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pbturbo/reflect.h>

#include "base_compiler.h"

/* Keeps the locals of a function out of the frames of the recursion, which
 * would have them once a level if it were inlined there. */
#if defined(__GNUC__)
#define PBTI_APART __attribute__((noinline))
#else
#define PBTI_APART
#endif

/* No field, or no element, is at work. */
#define PBTI_NOTHING UINT32_MAX

/* One level of messages, and the place in it that is at work. */
typedef struct pbti_link {
    struct pbti_link *next; /* the level below, NULL at the deepest */
    pbt_reflect_message message;
    uint32_t field;
    uint32_t element;  /* only of a repeated field */
    unsigned presence; /* PBT_REFLECT_NEGATIVE_ZERO and its neighbours */
    bool absent;       /* there is no message, and so nothing in it */
    size_t n_fields;
    size_t n_unknown;
} pbti_link;

/* One call. */
typedef struct pbti_walk {
    const pbt_reflection *reflection;
    const ProtobufCAllocator *allocator;
    pbt_error *error;
    uint32_t flags;     /* of the options */
    uint32_t max_depth; /* PBT_REFLECT_MAX_DEPTH at the most */
    uint32_t depth;
    unsigned presence; /* that holds for all messages of the call */
    uint64_t max_size;
    uint64_t total; /* bytes of output so far, written or not */
    uint8_t *start; /* of the output area */
    uint8_t *cursor;
    bool full; /* no more is written, only counted */
    pbti_link root;
} pbti_walk;

/* A map key. */
typedef struct pbti_key {
    uint8_t type;  /* pbt_reflect_type */
    bool foreign;  /* the message is no entry of the map: there is no key */
    uint64_t bits; /* as in pbt_reflect_value */
    const void *data;
    size_t len;
} pbti_key;

/* The order in which the entries of a map field are written, last first. */
typedef struct pbti_order {
    pbt_reflect_field *field;
    const pbt_reflect_message *message;
    uint32_t *index; /* sorted, or NULL */
    size_t left;     /* entries still to come; with index, of it */
    uint32_t last;   /* the entry given last, or PBTI_NOTHING */
    bool stored;     /* as they are stored */
} pbti_order;

/** Reports an error at the place the walk is in; returns status. */
pbt_status pbti_reflect_fail(pbti_walk *walk, pbt_status status,
                             const char *format, ...) PBTI_PRINTF(3, 4);

/** As pbti_reflect_fail, for a reason the reflection gave: the type is named
 *  if it is to blame. */
pbt_status pbti_reflect_fail_why(pbti_walk *walk, const pbti_link *link,
                                 const pbt_reflect_field *field,
                                 pbt_status status, const char *why);

/** Reports that the output, or one field, exceeds max_size. */
pbt_status pbti_reflect_fail_size(pbti_walk *walk);

/** Starts on the message of a link: fills n_fields and n_unknown. */
pbt_status pbti_reflect_open(pbti_walk *walk, pbti_link *link);

/** Describes the field at `index` and makes it the place of the walk. */
pbt_status pbti_reflect_field(pbti_walk *walk, pbti_link *link, size_t index,
                              pbt_reflect_field *field);

/** Refuses a field whose values are too many or out of reach. */
pbt_status pbti_reflect_check_count(pbti_walk *walk, const pbti_link *link,
                                    const pbt_reflect_field *field);

/** Fetches the value at `index` and makes it the place of the walk. */
pbt_status pbti_reflect_value(pbti_walk *walk, pbti_link *link,
                              pbt_reflect_field *field, size_t index,
                              pbt_reflect_value *value);

/** Refuses to go one level deeper than max_depth. */
pbt_status pbti_reflect_check_depth(pbti_walk *walk);

/** Goes down to a message: fills child, which becomes the link below link, and
 *  starts on it. The caller ends with pbti_reflect_leave, unless the call has
 *  failed. */
pbt_status pbti_reflect_descend(pbti_walk *walk, pbti_link *link,
                                const pbt_reflect_message *message,
                                unsigned presence, pbti_link *child);

/** Goes down to the message that is the value at `index`: fills child, which
 *  becomes the link below link, and starts on it. Nothing is left to be done
 *  if it is absent; else the caller ends with pbti_reflect_leave, unless the
 *  call has failed. No local of this call stays on the stack. */
pbt_status pbti_reflect_enter(pbti_walk *walk, pbti_link *link,
                              pbt_reflect_field *field, size_t index,
                              pbti_link *child);
void pbti_reflect_leave(pbti_walk *walk, pbti_link *link);

/** Tells whether values of the field are messages. */
bool pbti_reflect_is_message(const pbt_reflect_field *field);

/** Reads the key of the entry at `index` of a map field. An absent key is the
 *  zero of its type. Leaves the place of the walk alone. */
pbt_status pbti_reflect_key(const pbti_walk *walk,
                            const pbt_reflect_message *message,
                            pbt_reflect_field *field, size_t index,
                            pbti_key *key, const char **why);

/** Decides on the order of a map field under PBT_DETERMINISTIC. Allocates
 *  where that helps; pbti_reflect_order_end frees. */
pbt_status pbti_reflect_order(pbti_walk *walk, pbti_link *link,
                              pbt_reflect_field *field, pbti_order *order);

/** Compares two entries by key alone, as strcmp does. */
int pbti_reflect_compare(const pbti_walk *walk, const pbti_order *order,
                         size_t a, size_t b);

/** Gives the next entry, from the last to the first.
 *  @return false when there is none left
 */
bool pbti_reflect_order_next(const pbti_walk *walk, pbti_order *order,
                             size_t *index);
void pbti_reflect_order_end(const pbti_walk *walk, pbti_order *order);

/** Writes the root message from the end of the output area to its start, and
 *  goes on counting when there is no room left. */
pbt_status pbti_reflect_write(pbti_walk *walk);

/** Finds the first missing required field below the root. */
pbt_status pbti_reflect_find_missing(pbti_walk *walk);

/** Puts a varint before the cursor, without a look at max_size. */
void pbti_reflect_put_varint(pbti_walk *walk, uint64_t value);

#endif
