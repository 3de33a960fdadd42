/* wire_call.c - the cold parts of a call on the fast road: its end, the
 * growth of the stack of frames, and messages that are not what their
 * field promises. */
#include "base_alloc.h"
#include "table_registry.h"
#include "wire.h"

enum {
    PART_BYTES = 31 << 20,
    MAX_PART = PART_BYTES / (int) sizeof(pbti_frame)
};

void pbti_call_free(pbti_call *call) {
    while (call->first_part) {
        pbti_frames *above = call->first_part->above;
        pbti_free(call->allocator, call->first_part);
        call->first_part = above;
    }
    while (call->scratch) {
        pbti_scratch *next = call->scratch->next;
        pbti_free(call->allocator, call->scratch);
        call->scratch = next;
    }
}

static pbti_frames *alloc_part(const pbti_call *call, size_t n) {
    return pbti_alloc(call->allocator,
                      sizeof(pbti_frames) + n * sizeof(pbti_frame));
}

/* Twice as many frames as there are below it, or as memory allows. A C library
 * that gets large blocks from the system gives them back when they are freed,
 * and the pages are new in each call; glibc keeps up to twice the largest block
 * that it has seen freed, if that was below 32 MB. So the last part is larger
 * than all others together, and none is larger than that. */
static pbti_frames *new_part(const pbti_call *call, size_t depth) {
    size_t n = 2 * depth < MAX_PART ? 2 * depth : MAX_PART;
    pbti_frames *part;
    if (n > call->max_depth - depth)
        n = call->max_depth - depth;
    part = alloc_part(call, n);
    while (!part && n > 1) {
        n /= 2;
        part = alloc_part(call, n);
    }
    if (!part)
        return NULL;
    part->below = call->part;
    part->above = NULL;
    part->depth = depth;
    part->n = n;
    return part;
}

pbti_frame *pbti_grow_frames(pbti_call *call, pbti_frame *top,
                             pbt_status *status) {
    pbti_frames **link = call->part ? &call->part->above : &call->first_part;
    size_t depth = (size_t) (top - call->frames);
    size_t left;
    if (call->part)
        depth += call->part->depth;
    if (depth >= call->max_depth) {
        *status = PBT_ERR_DEPTH;
        return NULL;
    }
    if (!*link)
        *link = new_part(call, depth);
    if (!*link) {
        *status = PBT_ERR_NO_MEMORY;
        return NULL;
    }
    call->part = *link;
    call->frames = call->part->frames;
    /* the part may be of a walk with a larger limit: see tally_deep */
    left = call->max_depth - depth;
    call->frames_end =
        call->frames + (left < call->part->n ? left : call->part->n);
    return call->frames;
}

pbti_frame *pbti_leave_frames(pbti_call *call) {
    const pbti_frames *left = call->part;
    call->part = left->below;
    call->frames = left->below ? left->below->frames : call->inline_frames;
    call->frames_end = call->frames + left->depth;
    if (left->below)
        call->frames_end -= left->below->depth;
    return call->frames_end;
}

const pbti_table *pbti_foreign_table(const pbti_call *call,
                                     const ProtobufCMessage *message,
                                     const pbti_table *like,
                                     pbt_status *status) {
    const pbti_table *table = NULL;
    pbti_variant variant =
        like->variant == PBTI_PLAIN ? PBTI_PLAIN : PBTI_CONFORMANT;
    if (!message->descriptor) {
        *status = PBT_ERR_BAD_MESSAGE;
        return NULL;
    }
    *status =
        pbti_registry_get(message->descriptor, variant, &table, call->error);
    return table;
}

bool pbti_is_default_message(const char *msg, const pbti_row *field,
                             const void *pointer) {
    const ProtobufCMessage *message = (const void *) msg;
    return pointer ==
           pbti_field_of_number(message->descriptor, pbti_row_number(field))
               ->default_value;
}
