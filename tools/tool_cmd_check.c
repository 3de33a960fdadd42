/* tool_cmd_check.c - pbturbo check: which messages lack a required field. */
#include "tool_commands.h"

#include <inttypes.h>

#include <pbturbo/unmarshal.h>

#include "tool_input.h"
#include "tool_output.h"
#include "tool_report.h"
#include "tool_schema.h"

typedef struct checker {
    const ProtobufCMessageDescriptor *type;
    pbt_arena *arena;
    tool_output out;
} checker;

/* Unmarshalling knows which required numbers were in the bytes; the struct has
 * no place for that. */
static int check_one(void *self, const tool_message *message) {
    checker *job = (checker *) self;
    pbt_error error = {0};
    pbt_options options = {.error = &error};
    ProtobufCMessage *msg = NULL;
    pbt_arena_reset(job->arena);
    pbt_status status = pbt_unmarshal(job->type, message->data, message->len,
                                      &options, job->arena, &msg);
    if (status == PBT_OK)
        return TOOL_OK;
    if (status != PBT_ERR_REQUIRED)
        return tool_bad_message(message, &error);
    if (!tool_output_print(&job->out, "%s: message %" PRIu64 ": %s\n",
                           message->file, message->number, error.path))
        return TOOL_TROUBLE;
    return TOOL_FOUND;
}

int tool_check(const tool_args *args) {
    tool_schema schema;
    int code = tool_schema_open(args, &schema);
    if (code != TOOL_OK)
        return code;
    checker job = {.type = schema.type, .arena = pbt_arena_new(NULL, 0)};
    code = job.arena == NULL ? tool_trouble("out of memory")
                             : tool_output_open(&job.out, args->output);
    if (code == TOOL_OK)
        code = tool_each_message(args, true, check_one, &job);
    code = tool_output_close(&job.out, code, code != TOOL_TROUBLE);
    pbt_arena_free(job.arena);
    tool_schema_close(&schema);
    return code;
}
