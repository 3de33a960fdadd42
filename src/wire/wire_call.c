/* wire_call.c - the cold parts of a call on the fast road: its start and end,
 * the growth of the stack of frames, and messages that are not what their
 * field promises. */
#include "base_alloc.h"
#include "base_options.h"
#include "table_registry.h"
#include "wire.h"

void pbti_call_start_with(pbti_call *call, const pbt_options *options) {
    pbti_call_start(call);
    call->flags = options->flags;
    call->allocator = options->allocator;
    call->error = options->error;
    if (options->max_depth)
        call->max_depth = options->max_depth;
    call->max_size = pbti_options_max_size(options);
    if (call->max_depth < PBTI_INLINE_FRAMES)
        call->frames_end = call->frames + call->max_depth;
    pbti_writer_init(&call->writer, call->max_size, call->allocator);
}

void pbti_call_free(pbti_call *call) {
    if (call->frames != call->inline_frames)
        pbti_free(call->allocator, call->frames);
    while (call->scratch) {
        pbti_scratch *next = call->scratch->next;
        pbti_free(call->allocator, call->scratch);
        call->scratch = next;
    }
}

pbti_frame *pbti_grow_frames(pbti_call *call, pbti_frame *top,
                             pbt_status *status) {
    size_t n = (size_t) (top - call->frames);
    size_t capacity = 2 * n;
    pbti_frame *frames;
    if (n >= call->max_depth) {
        *status = PBT_ERR_DEPTH;
        return NULL;
    }
    if (capacity > call->max_depth)
        capacity = call->max_depth;
    frames = pbti_alloc(call->allocator, capacity * sizeof *frames);
    if (!frames) {
        *status = PBT_ERR_NO_MEMORY;
        return NULL;
    }
    memcpy(frames, call->frames, n * sizeof *frames);
    if (call->frames != call->inline_frames)
        pbti_free(call->allocator, call->frames);
    call->frames = frames;
    call->frames_end = frames + capacity;
    return frames + n;
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
