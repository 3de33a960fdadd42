/* json_call.h - what the JSON writer works with: the options, the output, the
 * stack of frames, and how a call failed.
 *
 * Text is written front to back. The cursor p is passed by value and returned;
 * a step that fails returns NULL and leaves the reason in the call.
 *
 * Room contract. When a row runs, its key has been written and PBTI_JSON_ROOM
 * bytes are free at p: enough for a number with its quotes, for what kernels
 * store beyond their result, and for the closing of an object or array. Longer
 * values make room for themselves, and for PBTI_JSON_ROOM bytes more.
 */
#ifndef PBTI_JSON_CALL_H
#define PBTI_JSON_CALL_H

#include <stdatomic.h>

#include <pbturbo/json.h>

#include "json_string.h"
#include "table_names.h"

enum {
    PBTI_JSON_ROOM = 96,
#ifdef PBTI_SHRINK
    PBTI_JSON_INLINE_FRAMES = 1,
#else
    PBTI_JSON_INLINE_FRAMES = 16,
#endif
    PBTI_JSON_MAX_DEPTH = 10000 /* where the options do not say */
};

#define PBTI_JSON_NO_ELEMENT SIZE_MAX

/* A message that is waiting for the value of one of its fields. */
typedef struct pbti_json_frame {
    const char *msg;
    const pbti_json_row *row;   /* where it goes on */
    const pbti_json_row *field; /* the field being descended into */
    /* Of a repeated field: the message at work, and how many come after it;
     * NULL for a singular one. */
    const ProtobufCMessage *const *elements;
    size_t left;
    size_t start; /* offset in the output of the object of msg */
} pbti_json_frame;

typedef struct pbti_json_scratch {
    struct pbti_json_scratch *next;
} pbti_json_scratch;

/* What the layers above do for the writer: Any needs a registry of types, and
 * unmarshal. */
typedef struct pbti_json_services {
    const ProtobufCMessageDescriptor *(*find_type)(const pbt_schema *schema,
                                                   const char *full_name);
    pbt_status (*unmarshal)(const ProtobufCMessageDescriptor *type,
                            const void *data, size_t len,
                            const pbt_options *options, pbt_arena *arena,
                            ProtobufCMessage **msg);
} pbti_json_services;

typedef struct pbti_json_call {
    uint32_t flags;
    uint32_t max_depth;
    uint64_t max_size;
    const ProtobufCAllocator *allocator;
    pbt_error *error; /* may be NULL */
    pbti_json_escaping escaping;
    uint8_t nonfinite;
    const pbt_schema *schema;
    const pbti_json_source *source;
    const pbti_json_services *services;

    /* Of indented text: the character, how many a level, and the level. */
    bool pretty;
    char indent_char;
    unsigned indent;
    unsigned level;

    char *base; /* the block that is written to */
    char *end;
    size_t kept;   /* bytes in it that were there before */
    bool is_owned; /* the block is freed when a larger one replaces it */
    const ProtobufCAllocator *block_allocator;

    pbti_json_frame *frames; /* bottom of the stack */
    pbti_json_frame *frames_end;
    pbti_json_scratch *scratch;
    pbt_arena *payloads; /* of Any; NULL until there is one */

    pbt_status status;    /* why a step failed */
    size_t element;       /* of the field at work, or NO_ELEMENT */
    bool is_careful;      /* see json_document.h */
    const char *sentence; /* NULL: the status's own */
    pbti_json_frame inline_frames[PBTI_JSON_INLINE_FRAMES];
} pbti_json_call;

/* Where the loop stood when it failed. */
typedef struct pbti_json_place {
    const pbti_json_frame *top;
    const char *msg;
    const pbti_json_row *field;
} pbti_json_place;

/** Fills in a call.
 *  @param options NULL for the defaults
 */
void pbti_json_start(pbti_json_call *call, const pbt_json_options *options,
                     const pbti_json_services *services);

/* As pbti_json_finish, when there is something to free. */
void pbti_json_free(pbti_json_call *call);

/** Frees the frames, the scratch memory and the payloads; not the block. */
PBTI_INLINE void pbti_json_finish(pbti_json_call *call) {
    if (PBTI_UNLIKELY(call->frames != call->inline_frames || call->scratch ||
                      call->payloads))
        pbti_json_free(call);
}

/** Replaces the block by one with `need` bytes free behind p.
 *  @return the new cursor, or NULL
 */
char *pbti_json_grow(pbti_json_call *call, const char *p, size_t need);

/** Makes room for one frame more, as pbti_json_push; NULL on failure. */
pbti_json_frame *pbti_json_grow_frames(pbti_json_call *call,
                                       pbti_json_frame *top);

/** Memory that lives as long as the call; NULL on failure. */
void *pbti_json_scratch_take(pbti_json_call *call, size_t size);

/** Fails a step. Returns NULL. */
PBTI_NOINLINE void *pbti_json_fail(pbti_json_call *call, pbt_status status,
                                   size_t element, const char *sentence);

/** Fills call->error for a failure at a place, while the frames are there.
 *  @return call->status
 */
pbt_status pbti_json_report(const pbti_json_call *call,
                            const pbti_json_place *place);

/** The JSON part for a message: that of its own descriptor.
 *  @return NULL on failure
 */
const pbti_json_type *pbti_json_type_of(pbti_json_call *call,
                                        const ProtobufCMessageDescriptor *type);

/** A message of the type in which no field is set; NULL on failure. */
const ProtobufCMessage *pbti_json_empty(pbti_json_call *call,
                                        const pbti_json_type *type);

/** Tells whether required fields may be missing where the loop is: the options
 *  say so, or it is inside of an Any or of a message that is not there. */
bool pbti_json_may_lack(const pbti_json_call *call, const pbti_json_frame *top);

/** Tells whether a pointer is the default value of its message field. */
bool pbti_json_is_default(const pbti_json_row *field, const void *pointer);

/* Well-known types. Each writes the whole value. */
char *pbti_json_put_timestamp(pbti_json_call *call, char *p, const char *msg,
                              const ProtobufCFieldDescriptor *members);
char *pbti_json_put_duration(pbti_json_call *call, char *p, const char *msg,
                             const ProtobufCFieldDescriptor *members);
char *pbti_json_put_field_mask(pbti_json_call *call, char *p, const char *msg,
                               const ProtobufCFieldDescriptor *members);

/* What becomes of an Any. */
typedef enum pbti_json_any {
    PBTI_JSON_ANY_FAILED,
    PBTI_JSON_ANY_EMPTY,
    PBTI_JSON_ANY_AS_IT_IS, /* an ordinary message */
    PBTI_JSON_ANY_OPENED    /* the payload is there */
} pbti_json_any;

/** Reads the payload of an Any.
 *  @param payload [out] lives as long as the call; with its type
 */
pbti_json_any pbti_json_open_any(pbti_json_call *call, const char *msg,
                                 const ProtobufCFieldDescriptor *members,
                                 const ProtobufCMessage **payload,
                                 const pbti_json_type **type);

/* The loops. Each is given a cursor at which the block has any room, and
 * returns the end of the text in it. call->error is filled on failure, but for
 * PBT_ERR_NO_MEMORY. */
typedef struct pbti_json_ops {
    const char *name;
    pbt_status (*write)(pbti_json_call *call, const ProtobufCMessage *message,
                        const pbti_json_type *type, char **cursor);
} pbti_json_ops;

/* The loops for this CPU, once pbti_choose_json has chosen them. */
extern _Atomic(const pbti_json_ops *) pbti_chosen_json;

const pbti_json_ops *pbti_choose_json(void);

/** The loops for this CPU, chosen on first use. */
PBTI_INLINE const pbti_json_ops *pbti_json_loops(void) {
    const pbti_json_ops *ops =
        atomic_load_explicit(&pbti_chosen_json, memory_order_relaxed);
    return PBTI_LIKELY(ops != NULL) ? ops : pbti_choose_json();
}

/** Makes room for n bytes; NULL on failure. */
PBTI_INLINE char *pbti_json_reserve(pbti_json_call *call, char *p, size_t n) {
    if (PBTI_UNLIKELY((size_t) (call->end - p) < n))
        return pbti_json_grow(call, p, n);
    return p;
}

/** Pushes a frame; NULL on failure. */
PBTI_INLINE pbti_json_frame *pbti_json_push(pbti_json_call *call,
                                            pbti_json_frame *top) {
    if (PBTI_UNLIKELY(top == call->frames_end))
        return pbti_json_grow_frames(call, top);
    PBTI_ASSUME(top != NULL);
    return top;
}

/** Bytes of indentation at the level at hand. */
PBTI_INLINE size_t pbti_json_indent(const pbti_json_call *call) {
    return (size_t) call->level * call->indent;
}

/** Starts a line of indented text, with the room of the contract behind it;
 *  NULL on failure. */
char *pbti_json_new_line(pbti_json_call *call, char *p);

/** Writes the key of a row in indented text. Needs the key, the indentation and
 *  3 bytes more. */
char *pbti_json_pretty_key(const pbti_json_call *call, char *p,
                           const pbti_json_row *row);

#endif
