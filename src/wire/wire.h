/* wire.h - the fast road: loops over coder tables.
 *
 * Each loop exists once per CPU level and is reached through pbti_wire_ops.
 * All of them walk the message with an explicit stack of frames, so that depth
 * costs heap memory and no stack.
 */
#ifndef PBTI_WIRE_H
#define PBTI_WIRE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pbturbo/options.h>

#include "base_options.h"
#include "table.h"
#include "wire_writer.h"

/* The words of a window whose rows have not been run yet. */
typedef struct pbti_block {
    const pbti_row *row; /* the BLOCK row */
    uint64_t bits;       /* as pbti_window.words */
} pbti_block;

/* A message that is waiting for one of its sub-messages. */
typedef struct pbti_frame {
    const char *msg;     /* the waiting message */
    const pbti_row *row; /* where it goes on */
    union {
        const pbti_row *field; /* the field being descended into */
        const pbti_item *item; /* the same, in the quick size loop */
    };
    /* Of a repeated field: the messages in it, and how many are left before
     * the current one (required: after it). */
    const ProtobufCMessage *const *elements;
    size_t left;
    uint64_t base; /* marshal: bytes written, size: bytes counted before it */
    pbti_block block; /* when row is a RETURN row */
} pbti_frame;

enum {
#ifdef PBTI_SHRINK
    PBTI_INLINE_FRAMES = 1,
#else
    PBTI_INLINE_FRAMES = 32,
#endif
    PBTI_DEFAULT_MAX_DEPTH = 10000
};

/* A part of the stack of frames that is on the heap. Parts are linked, so that
 * nothing moves when the stack grows. */
typedef struct pbti_frames {
    struct pbti_frames *below; /* NULL: the frames in the call */
    struct pbti_frames *above; /* kept when the stack shrinks; may be NULL */
    size_t depth;              /* frames below this part */
    size_t n;
    pbti_frame frames[];
} pbti_frames;

/* Scratch memory that lives as long as the call. */
typedef struct pbti_scratch {
    struct pbti_scratch *next;
} pbti_scratch;

/* What the loops share: the options, the frames, and how a call failed. */
typedef struct pbti_call {
    uint32_t flags;
    uint32_t max_depth;
    uint64_t max_size;
    uint64_t string_limit; /* pbti_string_limit */
    const ProtobufCAllocator *allocator;
    pbt_error *error; /* may be NULL */

    /* The part of the stack of frames that holds its top. */
    pbti_frame *frames;
    pbti_frame *frames_end;
    pbti_frames *part;       /* NULL: it is inline_frames */
    pbti_frames *first_part; /* above inline_frames */
    pbti_scratch *scratch;
    pbti_block block; /* of the message at work, from its BLOCK row on */
    /* validate: a message that is a field's default is looked at, too */
    bool follow_defaults;
    bool gave_up; /* the quick size loop */
    pbti_writer writer;
    pbti_frame inline_frames[PBTI_INLINE_FRAMES];
} pbti_call;

/* How far from the start of a page, less one, the first of 64 bytes of a string
 * may be that are read at once, whatever is behind its end. Zero under
 * memcheck, which does not take such reads for what they are, and before the
 * loops for this CPU are chosen. */
extern _Atomic(uint64_t) pbti_string_limit;

/* Fills in a call with the default options, but for its writer. */
PBTI_INLINE void pbti_call_start_reading(pbti_call *call) {
    call->flags = 0;
    call->max_depth = PBTI_DEFAULT_MAX_DEPTH;
    call->max_size = INT32_MAX;
    call->string_limit =
        atomic_load_explicit(&pbti_string_limit, memory_order_relaxed);
    call->allocator = NULL;
    call->error = NULL;
    call->frames = call->inline_frames;
    call->frames_end = call->inline_frames + PBTI_INLINE_FRAMES;
    call->part = NULL;
    call->first_part = NULL;
    call->scratch = NULL;
    call->follow_defaults = false;
}

/* Fills in a call with the default options. */
PBTI_INLINE void pbti_call_start(pbti_call *call) {
    pbti_call_start_reading(call);
    pbti_writer_init(&call->writer, INT32_MAX, NULL);
}

/* Fills in a call; where the options are zero they mean the defaults. */
PBTI_INLINE void pbti_call_start_with(pbti_call *call,
                                      const pbt_options *options) {
    pbti_call_start_reading(call);
    call->flags = options->flags;
    call->allocator = options->allocator;
    call->error = options->error;
    if (options->max_depth)
        call->max_depth = options->max_depth;
    call->max_size = pbti_options_max_size(options);
    if (PBTI_UNLIKELY(call->max_depth < PBTI_INLINE_FRAMES))
        call->frames_end = call->inline_frames + call->max_depth;
    pbti_writer_init(&call->writer, call->max_size, call->allocator);
    call->writer.looks_at_texts = (call->flags & PBT_VALIDATE_UTF8) != 0;
}

/* Frees the frames and the scratch memory. */
void pbti_call_free(pbti_call *call);

PBTI_INLINE void pbti_call_end(pbti_call *call) {
    if (PBTI_UNLIKELY(call->first_part || call->scratch))
        pbti_call_free(call);
}

/** Makes room for one frame more.
 *  @param top [in] one past the top frame, and at the end of its part
 *  @return where the top frame's successor goes, or NULL when the limit on
 *          depth is reached or memory is short; *status says which
 */
pbti_frame *pbti_grow_frames(pbti_call *call, pbti_frame *top,
                             pbt_status *status);

/** Goes back to the part below the one at hand, which is empty. Cold, so that
 *  the loops keep their registers.
 *  @return one past the top frame there */
PBTI_NOINLINE pbti_frame *pbti_leave_frames(pbti_call *call);

/** Pushes a frame. */
PBTI_INLINE pbti_frame *pbti_push(pbti_call *call, pbti_frame *top,
                                  pbt_status *status) {
    if (PBTI_UNLIKELY(top == call->frames_end))
        return pbti_grow_frames(call, top, status);
    PBTI_ASSUME(top != NULL);
    return top;
}

/* Pushes the message at work to wait for the value of a field; the caller
 * fills in the rest of the frame. */
PBTI_INLINE pbti_frame *pbti_wait(pbti_call *call, pbti_frame *top,
                                  const char *msg, const pbti_row *row,
                                  const pbti_row *field, pbt_status *status) {
    pbti_frame *frame = pbti_push(call, top, status);
    if (PBTI_UNLIKELY(!frame))
        return NULL;
    frame->msg = msg;
    frame->row = row;
    frame->field = field;
    return frame;
}

/* Keeps the place in a window in the frame that a sub-message would push. At
 * the limit of depth there is no such frame, and none is needed. Returns where
 * the top is now, or NULL when memory is short. */
PBTI_INLINE pbti_frame *pbti_keep_block(pbti_call *call, pbti_frame *top,
                                        pbt_status *status) {
    pbt_status answer = PBT_OK;
    pbti_frame *frame = pbti_push(call, top, &answer);
    if (PBTI_LIKELY(frame != NULL)) {
        frame->block = call->block;
        return frame;
    }
    if (answer == PBT_ERR_DEPTH)
        return top;
    *status = answer;
    return NULL;
}

/* Gets the place in a window back when the field it was kept for is done. */
PBTI_INLINE void pbti_return_to_block(pbti_call *call, const pbti_frame *top) {
    if (PBTI_LIKELY(top != call->frames_end))
        call->block = top->block;
}

/* Where a loop stood when it failed: the frames up to top, the message, the
 * field in it, and the element of that field. */
typedef struct pbti_place {
    const pbti_frame *top;
    const char *msg;
    const pbti_row *field;
    size_t element; /* PBTI_NO_ELEMENT for a singular field */
} pbti_place;

#define PBTI_NO_ELEMENT SIZE_MAX

/** Fills call->error for a failure at a place. Must be called before the
 *  frames are freed and while the message is unchanged. For
 *  PBT_ERR_UTF8 the offset of the bad byte is found again. The stack of frames
 *  is empty then, for another loop.
 *  @return status
 */
pbt_status pbti_fail_at(pbti_call *call, pbt_status status,
                        const pbti_place *place);

/** Finds the table of a sub-message whose descriptor is not the one that the
 *  field promises.
 *  @param like [in] the promised type
 *  @return NULL on failure; *status says why
 */
const pbti_table *pbti_foreign_table(const pbti_call *call,
                                     const ProtobufCMessage *message,
                                     const pbti_table *like,
                                     pbt_status *status);

/** Orders the entries of a map by key and drops all but the last of each key.
 *  @param elements [in,out] the entries; replaced by an ordered array that
 *                  lives as long as the call, unless they are in order
 *  @param n        [in,out] their number
 *  @param bad      [out] index of a NULL entry, on PBT_ERR_BAD_MESSAGE
 *  A map that holds a foreign type is left as it is.
 */
pbt_status pbti_sort_map(pbti_call *call, const pbti_table *entry,
                         const ProtobufCMessage *const **elements, size_t *n,
                         size_t *bad);

/** Tells whether a pointer is the default value of the message field, which
 *  means that it is unset. Only for MESSAGE_DEFAULTED rows. */
bool pbti_is_default_message(const char *msg, const pbti_row *field,
                             const void *pointer);

/* The loops. Each starts with an empty stack of frames, and has filled
 * call->error when it fails, but for PBT_ERR_NO_SPACE and PBT_ERR_NO_MEMORY.
 *
 * marshal      writes the message below *cursor
 * size         counts the bytes of the message, and validates it by that
 * required     finds the first missing required field
 * unmarshal    see wire_decode.h
 */
struct pbti_decoder;

typedef struct pbti_wire_ops {
    const char *name;
    pbt_status (*marshal)(pbti_call *call, const ProtobufCMessage *message,
                          const pbti_table *table, uint8_t **cursor);
    pbt_status (*size)(pbti_call *call, const ProtobufCMessage *message,
                       const pbti_table *table, uint64_t *size);
    pbt_status (*required)(pbti_call *call, const ProtobufCMessage *message,
                           const pbti_table *table);
    pbt_status (*unmarshal)(struct pbti_decoder *decoder,
                            const pbti_table *table,
                            ProtobufCMessage **message);
} pbti_wire_ops;

/* The loops for this CPU, once pbti_choose_wire has chosen them. */
extern _Atomic(const pbti_wire_ops *) pbti_chosen_wire;

const pbti_wire_ops *pbti_choose_wire(void);

/** The loops for this CPU, chosen on first use. */
PBTI_INLINE const pbti_wire_ops *pbti_wire(void) {
    const pbti_wire_ops *ops =
        atomic_load_explicit(&pbti_chosen_wire, memory_order_relaxed);
    return PBTI_LIKELY(ops != NULL) ? ops : pbti_choose_wire();
}

#endif
