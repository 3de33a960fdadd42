/* facade_json.c - the public calls that print messages as JSON. */
#include <inttypes.h>

#include <pbturbo/json.h>
#include <pbturbo/unmarshal.h>

#include "base_alloc.h"
#include "base_error.h"
#include "base_options.h"
#include "json_call.h"
#include "reflect_json.h"
#include "schema_store.h"
#include "table_registry.h"

static const pbti_json_services services = {pbt_schema_message, pbt_unmarshal};

static pbt_status refuse(const pbt_json_options *options, const char *what) {
    return pbti_fail(options ? options->error : NULL, PBT_ERR_ARGUMENT, 0, NULL,
                     "%s", what);
}

/* Checks the arguments.
 * @param out a pointer that must not be NULL, with what is wrong if it is */
static pbt_status check_arguments(const ProtobufCMessage *msg,
                                  const pbt_json_options *options,
                                  const void *out, const char *sentence) {
    const char *fault = options ? pbti_json_options_fault(options) : NULL;
    if (!msg)
        fault = "the message is NULL";
    else if (!out)
        fault = sentence;
    if (fault)
        return refuse(options, fault);
    if (!msg->descriptor)
        return pbti_fail(options ? options->error : NULL, PBT_ERR_BAD_MESSAGE,
                         0, NULL, "the message has no descriptor");
    return PBT_OK;
}

static void start(pbti_json_call *call, const pbt_json_options *options) {
    pbti_json_start(call, options, &services);
    call->block_allocator = call->allocator;
    if (call->schema)
        call->source = call->schema->json_source;
}

/* The text is complete but for its end. */
static pbt_status end_text(pbti_json_call *call, char **cursor) {
    char *p = *cursor;
    if (call->flags & PBT_JSON_NEWLINE) {
        p = pbti_json_reserve(call, p, 1);
        if (!p)
            return call->status;
        *p++ = '\n';
        *cursor = p;
    }
    if ((uint64_t) (p - call->base) - call->kept > call->max_size)
        return pbti_fail(call->error, PBT_ERR_TOO_LARGE, 0, NULL,
                         "the text takes more than %" PRIu64 " bytes",
                         call->max_size);
    return PBT_OK;
}

/* Prints behind the first call->kept bytes of the block.
 * @param type   [in]  NULL if finding it has failed
 * @param cursor [out] the end of the text */
static pbt_status print(pbti_json_call *call, const ProtobufCMessage *msg,
                        const pbti_json_type *type, char **cursor) {
    pbt_status status;
    if (type)
        *cursor = call->base ? call->base + call->kept
                             : pbti_json_grow(call, NULL, PBTI_JSON_ROOM);
    status = call->status;
    if (status == PBT_OK)
        status = pbti_json_loops()->write(call, msg, type, cursor);
    if (status == PBT_OK)
        status = end_text(call, cursor);
    pbti_json_finish(call);
    if (status == PBT_ERR_NO_MEMORY)
        return pbti_fail(call->error, status, 0, NULL, NULL);
    return status;
}

/* There is no memory for tables, but perhaps for the text. */
static bool lacks_table(const pbti_json_call *call,
                        const pbti_json_type *type) {
    return !type && call->status == PBT_ERR_NO_MEMORY;
}

/* Prints behind the first `kept` bytes of a buffer's block. */
static pbt_status print_in_buffer(const ProtobufCMessage *msg,
                                  const pbt_json_options *options,
                                  pbt_buffer *buffer, size_t kept) {
    pbti_json_call call;
    const pbti_json_type *type;
    char *p;
    pbt_status status;
    start(&call, options);
    type = pbti_json_type_of(&call, msg->descriptor);
    if (lacks_table(&call, type))
        return pbti_reflect_json(&pbt_reflection_protobuf_c, msg, options,
                                 buffer, kept);
    if (buffer->block) {
        call.base = (char *) buffer->block;
        call.end = call.base + buffer->capacity;
        call.block_allocator = buffer->allocator;
        call.is_owned = true;
    }
    call.kept = kept;
    status = print(&call, msg, type, &p);
    if (call.base) {
        buffer->block = (uint8_t *) call.base;
        buffer->capacity = (size_t) (call.end - call.base);
        buffer->allocator = call.block_allocator;
    }
    buffer->data = buffer->block;
    buffer->len = status == PBT_OK ? (size_t) (p - call.base) : kept;
    return status;
}

pbt_status pbt_marshal_json(const ProtobufCMessage *msg,
                            const pbt_json_options *options,
                            pbt_buffer *buffer) {
    pbt_status status =
        check_arguments(msg, options, buffer, "the buffer is NULL");
    if (buffer) {
        buffer->data = NULL;
        buffer->len = 0;
    }
    if (status == PBT_OK)
        status = print_in_buffer(msg, options, buffer, 0);
    if (status != PBT_OK && buffer)
        buffer->data = NULL;
    return status;
}

pbt_status pbt_marshal_json_append(const ProtobufCMessage *msg,
                                   const pbt_json_options *options,
                                   pbt_buffer *buffer) {
    pbt_status status =
        check_arguments(msg, options, buffer, "the buffer is NULL");
    if (status != PBT_OK)
        return status;
    if (!buffer->block)
        buffer->len = 0;
    if (buffer->len > 0 && buffer->data != buffer->block)
        memmove(buffer->block, buffer->data, buffer->len);
    return print_in_buffer(msg, options, buffer, buffer->len);
}

/* The text goes to memory of the caller; when that is full, to a block, from
 * which it is copied back if it fits after all. */
static pbt_status keep_fixed(pbti_json_call *call, const char *p, char *out,
                             size_t cap, size_t *len) {
    *len = (size_t) (p - call->base);
    if (*len > cap)
        return pbti_fail(call->error, PBT_ERR_NO_SPACE, 0, NULL,
                         "the text takes %zu bytes; there are %zu", *len, cap);
    if (call->base != out && *len > 0)
        memcpy(out, call->base, *len);
    if (*len < cap)
        out[*len] = '\0';
    return PBT_OK;
}

/* By reflection into memory of the caller, which may be too short. */
static pbt_status print_slowly_into(pbti_json_call *call,
                                    const ProtobufCMessage *msg,
                                    const pbt_json_options *options, char *out,
                                    size_t cap, size_t *len) {
    pbt_buffer text = {0};
    pbt_status status =
        pbti_reflect_json(&pbt_reflection_protobuf_c, msg, options, &text, 0);
    call->base = (char *) text.block;
    if (status == PBT_OK)
        status = keep_fixed(call, call->base + text.len, out, cap, len);
    pbt_buffer_free(&text);
    return status;
}

pbt_status pbt_marshal_json_into(const ProtobufCMessage *msg,
                                 const pbt_json_options *options, void *out,
                                 size_t cap, size_t *len) {
    pbti_json_call call;
    const pbti_json_type *type;
    char *p;
    pbt_status status = check_arguments(msg, options, len, "len is NULL");
    if (len)
        *len = 0;
    if (status != PBT_OK)
        return status;
    if (!out && cap > 0)
        return refuse(options, "out is NULL and cap is not 0");
    start(&call, options);
    type = pbti_json_type_of(&call, msg->descriptor);
    if (lacks_table(&call, type))
        return print_slowly_into(&call, msg, options, out, cap, len);
    call.base = out;
    call.end = out ? call.base + cap : NULL;
    status = print(&call, msg, type, &p);
    if (status == PBT_OK)
        status = keep_fixed(&call, p, out, cap, len);
    if (call.is_owned)
        pbti_free(call.block_allocator, call.base);
    return status;
}

pbt_status pbt_marshal_json_to_sink(const ProtobufCMessage *msg,
                                    const pbt_json_options *options,
                                    pbt_sink *sink) {
    pbt_buffer text = {0};
    pbt_status answer = PBT_OK;
    pbt_status status = check_arguments(msg, options, sink, "the sink is NULL");
    if (status != PBT_OK)
        return status;
    if (!sink->write)
        return refuse(options, "the sink has no write function");
    status = print_in_buffer(msg, options, &text, 0);
    if (status == PBT_OK)
        answer = sink->write(sink, text.data, text.len);
    if (answer != PBT_OK)
        status = pbti_fail(options ? options->error : NULL, PBT_ERR_SINK, 0,
                           NULL, "the sink refused %zu bytes with %s", text.len,
                           pbt_status_name(answer));
    pbt_buffer_free(&text);
    return status;
}
