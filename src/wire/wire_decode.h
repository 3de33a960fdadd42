/* wire_decode.h - what the unmarshal loop works with: the input, the stack of
 * frames, and the cold parts of a call.
 *
 * The loop reads up to PBTI_SLOP bytes from where a field starts without a
 * look at the end of the input. It may do so while more than that is left; the
 * rest is then copied to a patch with zeros behind it, and the loop goes on
 * there. Places that outlive the change are kept as distances from the end.
 */
#ifndef PBTI_WIRE_DECODE_H
#define PBTI_WIRE_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pbturbo/options.h>
#include <pbturbo/unmarshal.h>

#include "base_arena.h"
#include "base_options.h"
#include "table.h"
#include "wire.h"

enum {
    /* A tag, and a varint behind it, or a length and a short string:
     * 5 + 10, 5 + 10 + PBTI_SHORT_TEXT. */
    PBTI_SLOP = 48,
    PBTI_MAX_VARINT = 10,
    PBTI_SHORT_TEXT = 32,                 /* bytes copied as one step */
    PBTI_LONG_TEXT = 4 * PBTI_SHORT_TEXT, /* copied by the C library */
    PBTI_FILL_STEP = PBTI_IMAGE_STEP,     /* of a new message, filled at once */
    PBTI_SMALL_MESSAGE = 512,             /* filled by steps */
    PBTI_FIRST_ARRAY = 24 /* bytes of the first array of a repeated field */
};

_Static_assert((int) PBTI_FILL_STEP <=
                       PBTI_ARENA_SLACK + PBTI_ARENA_ALIGNMENT &&
                   (int) PBTI_SHORT_TEXT <= PBTI_ARENA_SLACK,
               "what spills over the end of a piece stays in its block");

extern const char pbti_wrong_end[]; /* says that a group's end is wrong */

/* A message that is waiting for one of its sub-messages, or the number of an
 * unknown group that is being skipped. */
typedef struct pbti_decode_frame {
    char *msg;
    const pbti_table *table;
    const pbti_slot *field; /* being descended into */
    size_t after;           /* bytes between its end and that of the input */
    uint64_t seen;          /* its required fields that were there */
    union {
        uint32_t group; /* its field number when it is a group, or 0 */
        size_t n_spare; /* the drop-in library: see shim_unpack_loop.c */
    };
} pbti_decode_frame;

typedef struct pbti_decoder pbti_decoder;
struct pbti_decoder {
    const uint8_t *end;  /* of the input, or of the patch */
    const uint8_t *safe; /* a field that starts before it may be read */
    pbt_arena *arena;
    /* Strings are looked at: all of them, or those with PBTI_SLOT_UTF8. */
    bool checks_strings;
    bool incomplete; /* a message lacked something when it ended */
    uint32_t flags;
    uint32_t max_depth;
    /* Lengths from which on strings are not copied on the way, and bytes, one
     * byte less: 0 when none are. */
    size_t long_string;
    size_t long_bytes;
    const ProtobufCAllocator *allocator;
    pbt_error *error; /* may be NULL */
    size_t len;       /* of the message */
    size_t skipped;   /* bytes of its prefix, for the offsets in reports */

    pbti_decode_frame *frames;
    pbti_decode_frame *frames_end;

    /* Why the loop stops: set by pbti_blame. */
    pbt_status status;
    size_t offset; /* of the byte to blame */
    size_t detail; /* UTF8, VALUE: the byte in the string */
    const char *sentence;

    pbti_decode_frame inline_frames[PBTI_INLINE_FRAMES];
    /* The last PBTI_SLOP bytes of the input, and as many zeros. */
    uint8_t patch[2 * PBTI_SLOP];
};

/** Starts a call. len bytes at data; data is not NULL. End it with
 *  pbti_decoder_end. In line, as most of it is constant. */
PBTI_INLINE void pbti_decoder_start(pbti_decoder *d, const uint8_t *data,
                                    size_t len, pbt_arena *arena,
                                    const pbt_options *options) {
    static const pbt_options defaults;
    const uint32_t checks = PBT_VALIDATE_UTF8 | PBT_CONFORMANT | PBT_REJECT_NUL;
    if (!options)
        options = &defaults;
    d->end = data + len;
    d->safe = len > PBTI_SLOP ? d->end - PBTI_SLOP : data;
    d->arena = arena;
    d->flags = options->flags;
    d->checks_strings = (options->flags & checks) != 0;
    d->long_string = d->checks_strings ? 0 : PBTI_LONG_TEXT;
    d->long_bytes = options->flags & PBT_BORROW_BYTES ? 0 : PBTI_LONG_TEXT - 1;
    d->incomplete = false;
    d->max_depth =
        options->max_depth ? options->max_depth : PBTI_DEFAULT_MAX_DEPTH;
    d->allocator = options->allocator;
    d->error = options->error;
    d->len = len;
    d->skipped = 0;
    d->frames = d->inline_frames;
    d->frames_end = d->inline_frames + PBTI_INLINE_FRAMES;
    if (d->max_depth < PBTI_INLINE_FRAMES)
        d->frames_end = d->frames + d->max_depth;
    d->status = PBT_OK;
    d->offset = 0;
    d->detail = 0;
    d->sentence = NULL;
}

/** Frees the frames that are on the heap. */
void pbti_decoder_free(pbti_decoder *d);

PBTI_INLINE void pbti_decoder_end(pbti_decoder *d) {
    if (PBTI_UNLIKELY(d->frames != d->inline_frames))
        pbti_decoder_free(d);
}

/** Goes on in the patch. Messages are small, so what it takes counts.
 *  @param p     [in] at most PBTI_SLOP bytes before the end of the input
 *  @param limit [in,out] end of the message at work
 *  @return where p is now
 */
PBTI_INLINE const uint8_t *pbti_enter_patch(pbti_decoder *d, const uint8_t *p,
                                            const uint8_t **limit) {
    size_t left = (size_t) (d->end - p);
    size_t after = (size_t) (d->end - *limit);
    uint8_t *end = d->patch + PBTI_SLOP;
    if (PBTI_LIKELY(d->len >= PBTI_SLOP))
        memcpy(d->patch, d->end - PBTI_SLOP, PBTI_SLOP);
    else
        memcpy(end - left, p, left);
    memset(end, 0, PBTI_SLOP);
    d->end = end;
    d->safe = end;
    *limit = end - after;
    return end - left;
}

/** Notes why the call fails. at is where the field at fault starts.
 *  @return false
 */
bool pbti_blame(pbti_decoder *d, pbt_status status, const uint8_t *at,
                const char *sentence);

/** Blames the first number of a packed field, from p on, that has no end.
 *  @return false
 */
bool pbti_blame_packed(pbti_decoder *d, const uint8_t *p, const uint8_t *end);

/** Reports what pbti_blame noted.
 *  @param top   the frames up to it lead to the message at work
 *  @param slot  of a field in it; NULL or that of no field when none is to
 *               blame
 */
pbt_status pbti_decode_fail(const pbti_decoder *d, pbti_decode_frame *top,
                            char *msg, const pbti_table *table,
                            const pbti_slot *slot);

/** Makes room for one frame more; NULL when that fails. */
pbti_decode_frame *pbti_grow_decode_frames(pbti_decoder *d,
                                           pbti_decode_frame *top);

/** Reads a varint or a tag that ends before limit; NULL if there is none. */
const uint8_t *pbti_read_carefully(const uint8_t *p, const uint8_t *limit,
                                   uint64_t *value);
const uint8_t *pbti_read_tag_carefully(const uint8_t *p, const uint8_t *limit,
                                       uint32_t *tag);

/** Say why there is no varint at p, no tag, or after a tag no value of its wire
 *  type. The last holds only where there is none. */
const char *pbti_varint_fault(const uint8_t *p, const uint8_t *limit);
const char *pbti_tag_fault(const uint8_t *p, const uint8_t *limit);
const char *pbti_value_fault(const uint8_t *p, const uint8_t *limit,
                             uint32_t wire_type);

/** Skips the value of a field that the type does not know, or not so, and
 *  keeps it unless unknown fields are to be discarded.
 *  @param p   behind the tag
 *  @param at  the tag
 *  @param top [in,out] moves when frames are added
 *  @return the end of the value; NULL on failure
 */
const uint8_t *pbti_keep_unknown(pbti_decoder *d, char *msg, uint32_t tag,
                                 const uint8_t *p, const uint8_t *at,
                                 const uint8_t *limit, pbti_decode_frame **top);

/** Keeps a number that a closed enum does not know as an unknown field. */
bool pbti_keep_number(pbti_decoder *d, char *msg, const pbti_slot *slot,
                      int32_t number);

/** Makes room for n more elements in a repeated field.
 *  @param data       [in] offset of the pointer to the array
 *  @param n_elements [in] what it holds
 *  @return the array; NULL on failure
 *  An array has its capacity in the eight bytes before it.
 */
void *pbti_grow_array(pbti_decoder *d, char *msg, uint32_t data,
                      size_t n_elements, size_t n, size_t element_size);

/** Elements in the first array of a repeated field that is not packed. */
PBTI_INLINE size_t pbti_first_capacity(size_t element_size) {
    return element_size < PBTI_FIRST_ARRAY ? PBTI_FIRST_ARRAY / element_size
                                           : 1;
}

/** Sets the bytes of the oneof's former member to zero. */
void pbti_clear_oneof(char *msg, const pbti_table *table, uint32_t former);

/** Tells what a string is checked for. Blames and returns false. */
bool pbti_check_text(pbti_decoder *d, const pbti_slot *slot,
                     const uint8_t *text, size_t len);

/** Tells whether the sub-message that is there already is to be merged with:
 *  it is not the field's default. */
bool pbti_is_own_message(const pbti_table *table, const pbti_slot *slot,
                         const void *sub);

/** Notes that a message lacks a required field, if it does. */
void pbti_note_missing(pbti_decoder *d, const char *msg,
                       const pbti_parse *parse, uint64_t seen);

/** Sets the bit of a required field that is none of the first 32. */
void pbti_note_more(char *msg, const pbti_parse *parse, uint32_t bit);

/** Finds the first missing required field of a message that was unmarshalled.
 *  @return PBT_OK when none is missing after all
 */
pbt_status pbti_find_missing(pbti_decoder *d, ProtobufCMessage *message,
                             const pbti_table *table);

#endif
