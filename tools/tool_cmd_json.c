/* tool_cmd_json.c - pbturbo json: messages in, a line of JSON out for each. */
#include "tool_commands.h"

#include <pbturbo/json.h>
#include <pbturbo/unmarshal.h>

#include "tool_input.h"
#include "tool_output.h"
#include "tool_report.h"
#include "tool_schema.h"

typedef struct printer {
    const ProtobufCMessageDescriptor *type;
    pbt_options options; /* for reading */
    pbt_json_options json;
    pbt_error error;
    pbt_arena *arena;
    pbt_buffer buffer;
    tool_output out;
} printer;

static int print_one(void *self, const tool_message *message) {
    printer *job = (printer *) self;
    ProtobufCMessage *msg = NULL;
    pbt_arena_reset(job->arena);
    if (pbt_unmarshal(job->type, message->data, message->len, &job->options,
                      job->arena, &msg) != PBT_OK ||
        pbt_marshal_json(msg, &job->json, &job->buffer) != PBT_OK)
        return tool_bad_message(message, &job->error);
    return tool_output_write(&job->out, job->buffer.data, job->buffer.len)
               ? TOOL_OK
               : TOOL_TROUBLE;
}

/* What the other commands call by the same names. */
static uint32_t flags_of(const tool_args *args) {
    uint32_t flags = args->json_flags | PBT_JSON_NEWLINE;
    if ((args->flags & PBT_DETERMINISTIC) != 0)
        flags |= PBT_JSON_SORT_MAP_KEYS;
    if ((args->flags & PBT_CONFORMANT) != 0)
        flags |= PBT_JSON_CONFORMANT;
    if ((args->flags & PBT_ALLOW_PARTIAL) != 0)
        flags |= PBT_JSON_ALLOW_PARTIAL;
    return flags;
}

static void set_options(const tool_args *args, const tool_schema *schema,
                        printer *job) {
    job->options.flags =
        (args->flags & PBT_ALLOW_PARTIAL) | PBT_DISCARD_UNKNOWN;
    job->options.error = &job->error;
    job->json.flags = flags_of(args);
    job->json.indent = args->indent;
    job->json.utf8 = args->utf8;
    job->json.nonfinite = args->nonfinite;
    job->json.schema = schema->schema;
    job->json.error = &job->error;
}

int tool_json(const tool_args *args) {
    tool_schema schema;
    int code = tool_schema_open(args, &schema);
    if (code != TOOL_OK)
        return code;
    printer job = {.type = schema.type, .arena = pbt_arena_new(NULL, 0)};
    set_options(args, &schema, &job);
    code = job.arena == NULL ? tool_trouble("out of memory")
                             : tool_output_open(&job.out, args->output);
    if (code == TOOL_OK)
        code = tool_each_message(args, false, print_one, &job);
    code = tool_output_close(&job.out, code, code == TOOL_OK);
    pbt_buffer_free(&job.buffer);
    pbt_arena_free(job.arena);
    tool_schema_close(&schema);
    return code;
}
