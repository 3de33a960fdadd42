/* json_call.c - the cold parts of a call: its start and end, the growth of the
 * output and of the stack of frames, indentation, and messages that are not
 * what their field promises. */
#include "json_call.h"

#include "base_alloc.h"
#include "table_registry.h"

enum {
#ifdef PBTI_SHRINK
    FIRST_BLOCK = 1
#else
    FIRST_BLOCK = 1024
#endif
};

_Static_assert(PBT_JSON_UTF8_ERROR == PBTI_JSON_UTF8_ERROR &&
                   PBT_JSON_UTF8_REPLACE == PBTI_JSON_UTF8_REPLACE &&
                   PBT_JSON_UTF8_TRUST == PBTI_JSON_UTF8_TRUST,
               "the policies have the same numbers");

static void start_with(pbti_json_call *call, const pbt_json_options *options) {
    bool tab = options->indent == PBT_JSON_TAB;
    call->flags = options->flags;
    call->allocator = options->allocator;
    call->error = options->error;
    call->nonfinite = options->nonfinite;
    call->schema = options->schema;
    call->escaping = (pbti_json_escaping){
        .utf8 = (pbti_json_utf8) options->utf8,
        .html = (options->flags & PBT_JSON_ESCAPE_HTML) != 0,
        .ascii_only = (options->flags & PBT_JSON_ASCII_ONLY) != 0};
    call->pretty = options->indent != 0;
    call->indent_char = tab ? '\t' : ' ';
    call->indent = tab ? 1 : options->indent;
    if (options->max_depth)
        call->max_depth = options->max_depth;
    if (options->max_size)
        call->max_size = options->max_size;
    if (call->max_depth < PBTI_JSON_INLINE_FRAMES)
        call->frames_end = call->frames + call->max_depth;
}

void pbti_json_start(pbti_json_call *call, const pbt_json_options *options,
                     const pbti_json_services *services) {
    /* One by one: a memset of this size costs more than a short message. */
    call->flags = 0;
    call->max_depth = PBTI_JSON_MAX_DEPTH;
    call->max_size = INT32_MAX;
    call->allocator = NULL;
    call->error = NULL;
    call->escaping = (pbti_json_escaping){.utf8 = PBTI_JSON_UTF8_ERROR};
    call->nonfinite = PBT_JSON_NONFINITE_STRING;
    call->schema = NULL;
    call->source = NULL;
    call->services = services;
    call->pretty = false;
    call->indent_char = ' ';
    call->indent = 0;
    call->level = 0;
    call->base = NULL;
    call->end = NULL;
    call->kept = 0;
    call->is_owned = false;
    call->block_allocator = NULL;
    call->frames = call->inline_frames;
    call->frames_end = call->frames + PBTI_JSON_INLINE_FRAMES;
    call->scratch = NULL;
    call->payloads = NULL;
    call->status = PBT_OK;
    call->element = PBTI_JSON_NO_ELEMENT;
    call->is_careful = false;
    call->sentence = NULL;
    if (options)
        start_with(call, options);
}

void pbti_json_free(pbti_json_call *call) {
    if (call->frames != call->inline_frames)
        pbti_free(call->allocator, call->frames);
    while (call->scratch) {
        pbti_json_scratch *next = call->scratch->next;
        pbti_free(call->allocator, call->scratch);
        call->scratch = next;
    }
    pbt_arena_free(call->payloads);
}

void *pbti_json_fail(pbti_json_call *call, pbt_status status, size_t element,
                     const char *sentence) {
    call->status = status;
    call->element = element;
    call->sentence = sentence;
    return NULL;
}

char *pbti_json_grow(pbti_json_call *call, const char *p, size_t need) {
    size_t used = (size_t) (p - call->base);
    size_t capacity = 2 * (size_t) (call->end - call->base);
    char *block;
    if (used - call->kept > call->max_size)
        return pbti_json_fail(call, PBT_ERR_TOO_LARGE, PBTI_JSON_NO_ELEMENT,
                              NULL);
    if (capacity < FIRST_BLOCK)
        capacity = FIRST_BLOCK;
    if (need > SIZE_MAX / 2 - used)
        capacity = 0;
    else if (capacity < used + need)
        capacity = used + need;
    block = capacity ? pbti_alloc(call->block_allocator, capacity) : NULL;
    if (!block)
        return pbti_json_fail(call, PBT_ERR_NO_MEMORY, PBTI_JSON_NO_ELEMENT,
                              NULL);
    if (used > 0)
        memcpy(block, call->base, used);
    if (call->is_owned)
        pbti_free(call->block_allocator, call->base);
    call->is_owned = true;
    call->base = block;
    call->end = block + capacity;
    return block + used;
}

pbti_json_frame *pbti_json_grow_frames(pbti_json_call *call,
                                       pbti_json_frame *top) {
    size_t n = (size_t) (top - call->frames);
    size_t capacity = 2 * n;
    pbti_json_frame *frames;
    if (n >= call->max_depth)
        return pbti_json_fail(call, PBT_ERR_DEPTH, PBTI_JSON_NO_ELEMENT, NULL);
    if (capacity > call->max_depth)
        capacity = call->max_depth;
    frames = pbti_alloc(call->allocator, capacity * sizeof *frames);
    if (!frames)
        return pbti_json_fail(call, PBT_ERR_NO_MEMORY, PBTI_JSON_NO_ELEMENT,
                              NULL);
    memcpy(frames, call->frames, n * sizeof *frames);
    if (call->frames != call->inline_frames)
        pbti_free(call->allocator, call->frames);
    call->frames = frames;
    call->frames_end = frames + capacity;
    return frames + n;
}

void *pbti_json_scratch_take(pbti_json_call *call, size_t size) {
    pbti_json_scratch *scratch =
        pbti_alloc(call->allocator, sizeof *scratch + size);
    if (!scratch)
        return pbti_json_fail(call, PBT_ERR_NO_MEMORY, PBTI_JSON_NO_ELEMENT,
                              NULL);
    scratch->next = call->scratch;
    call->scratch = scratch;
    return scratch + 1;
}

static char *put_line_break(const pbti_json_call *call, char *p) {
    size_t n = pbti_json_indent(call);
    *p++ = '\n';
    memset(p, call->indent_char, n);
    return p + n;
}

char *pbti_json_new_line(pbti_json_call *call, char *p) {
    p = pbti_json_reserve(call, p, pbti_json_indent(call) + PBTI_JSON_ROOM + 1);
    return p ? put_line_break(call, p) : NULL;
}

/* `,"name":` and perhaps a quote become a comma, a new line, `"name": ` and the
 * quote. */
char *pbti_json_pretty_key(const pbti_json_call *call, char *p,
                           const pbti_json_row *row) {
    size_t len = row->key_len;
    bool quoted;
    if (len == 0 || row->key[0] != ',') {
        memcpy(p, row->key, len);
        return p + len;
    }
    *p++ = ',';
    p = put_line_break(call, p);
    quoted = row->key[len - 1] == '"';
    len -= 1 + (size_t) quoted;
    memcpy(p, row->key + 1, len);
    p += len;
    *p++ = ' ';
    if (quoted)
        *p++ = '"';
    return p;
}

const pbti_json_type *
pbti_json_type_of(pbti_json_call *call,
                  const ProtobufCMessageDescriptor *type) {
    pbti_variant variant =
        call->flags & PBT_JSON_CONFORMANT ? PBTI_CONFORMANT : PBTI_PLAIN;
    const pbti_table *table;
    const pbti_json_type *found;
    if (!type)
        return pbti_json_fail(call, PBT_ERR_BAD_MESSAGE, PBTI_JSON_NO_ELEMENT,
                              "the message has no descriptor");
    table = pbti_registry_find(type, variant);
    if (PBTI_UNLIKELY(!table)) {
        pbt_status status =
            pbti_registry_get(type, variant, &table, call->error);
        if (status != PBT_OK)
            return pbti_json_fail(call, status, PBTI_JSON_NO_ELEMENT, NULL);
    }
    found = pbti_json_type_get(table, call->flags, call->source);
    if (!found)
        pbti_json_fail(call, PBT_ERR_NO_MEMORY, PBTI_JSON_NO_ELEMENT, NULL);
    return found;
}

const ProtobufCMessage *pbti_json_empty(pbti_json_call *call,
                                        const pbti_json_type *type) {
    const ProtobufCMessageDescriptor *descriptor = type->table->type;
    ProtobufCMessage *message =
        pbti_json_scratch_take(call, descriptor->sizeof_message);
    if (!message)
        return NULL;
    memset(message, 0, descriptor->sizeof_message);
    message->descriptor = descriptor;
    if (descriptor->message_init)
        descriptor->message_init(message);
    return message;
}

static bool is_not_there(const pbti_json_frame *frame) {
    return frame->field->op == PBTI_JSON_MESSAGE_ALWAYS &&
           !pbti_load_pointer(frame->msg + frame->field->data);
}

bool pbti_json_may_lack(const pbti_json_call *call,
                        const pbti_json_frame *top) {
    const pbti_json_frame *frame;
    if (call->flags & PBT_JSON_ALLOW_PARTIAL)
        return true;
    for (frame = call->frames; frame < top; frame++)
        if (frame->field->op == PBTI_JSON_ANY || is_not_there(frame))
            return true;
    return false;
}

bool pbti_json_is_default(const pbti_json_row *field, const void *pointer) {
    return pointer == field->field->default_value;
}
