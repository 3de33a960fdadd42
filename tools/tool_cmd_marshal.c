/* tool_cmd_marshal.c - pbturbo marshal: messages in, canonical messages out. */
#include "tool_commands.h"

#include <pbturbo/marshal.h>
#include <pbturbo/unmarshal.h>

#include "tool_input.h"
#include "tool_output.h"
#include "tool_report.h"
#include "tool_schema.h"

typedef struct marshaller {
    const tool_args *args;
    const ProtobufCMessageDescriptor *type;
    pbt_options options;
    pbt_error error;
    pbt_arena *arena;
    pbt_buffer buffer;
    bool is_waiting; /* what is in the buffer, to be written */
    tool_output out;
} marshaller;

static int write_message(marshaller *job) {
    return tool_output_message(&job->out, job->args->out_framing,
                               job->buffer.data, job->buffer.len);
}

/* A message without a framing waits in the buffer until the end of the input
 * shows that it is the only one. */
static int marshal_one(void *self, const tool_message *message) {
    marshaller *job = (marshaller *) self;
    bool is_single = job->args->out_framing == TOOL_SINGLE;
    ProtobufCMessage *msg = NULL;
    if (is_single && job->is_waiting)
        return tool_trouble("%s: several messages and nothing between them: "
                            "use --out-framing delimited or u32le",
                            job->out.name);
    pbt_arena_reset(job->arena);
    if (pbt_unmarshal(job->type, message->data, message->len, &job->options,
                      job->arena, &msg) != PBT_OK ||
        pbt_marshal(msg, &job->options, &job->buffer) != PBT_OK)
        return tool_bad_message(message, &job->error);
    if (is_single) {
        job->is_waiting = true;
        return TOOL_OK;
    }
    return write_message(job);
}

static int marshal_all(marshaller *job) {
    job->options.flags = job->args->flags;
    job->options.error = &job->error;
    job->arena = pbt_arena_new(NULL, 0);
    if (job->arena == NULL)
        return tool_trouble("out of memory");
    int code = tool_output_open(&job->out, job->args->output);
    if (code == TOOL_OK)
        code = tool_each_message(job->args, false, marshal_one, job);
    if (code == TOOL_OK && job->is_waiting)
        code = write_message(job);
    code = tool_output_close(&job->out, code, code == TOOL_OK);
    pbt_buffer_free(&job->buffer);
    pbt_arena_free(job->arena);
    return code;
}

int tool_marshal(const tool_args *args) {
    tool_schema schema;
    int code = tool_schema_open(args, &schema);
    if (code != TOOL_OK)
        return code;
    marshaller job = {.args = args, .type = schema.type};
    code = marshal_all(&job);
    tool_schema_close(&schema);
    return code;
}
