/* reflect_json.c - JSON by reflection: the public call, and where the text
 * goes. */
#include "reflect_json.h"

#include "base_error.h"
#include "base_options.h"

static const pbt_json_options default_options;

static pbt_status fail_argument(const pbt_json_options *options,
                                const char *why) {
    return pbti_fail(options ? options->error : NULL, PBT_ERR_ARGUMENT, 0, NULL,
                     "%s", why);
}

static pbt_status check_arguments(const pbt_reflection *reflection,
                                  const void *msg,
                                  const pbt_json_options *options) {
    const char *fault = options ? pbti_json_options_fault(options) : NULL;
    if (!reflection)
        fault = "the reflection is NULL";
    else if (!msg)
        fault = "the message is NULL";
    if (fault)
        return fail_argument(options, fault);
    if (!reflection->detail || !reflection->enum_name)
        return pbti_fail(options ? options->error : NULL, PBT_ERR_UNSUPPORTED,
                         0, NULL, "the reflection is not made for JSON");
    return PBT_OK;
}

static void start(pbti_printer *to, const pbt_reflection *reflection,
                  const void *msg, const pbt_json_options *options) {
    pbti_walk *walk = &to->walk;
    memset(to, 0, sizeof *to);
    to->options = options;
    to->max_size = options->max_size ? options->max_size : INT32_MAX;
    walk->reflection = reflection;
    walk->allocator = options->allocator;
    walk->error = options->error;
    walk->max_depth = options->max_depth;
    if (walk->max_depth == 0 || walk->max_depth > PBT_REFLECT_MAX_DEPTH)
        walk->max_depth = PBT_REFLECT_MAX_DEPTH;
    if (options->flags & PBT_JSON_CONFORMANT)
        walk->presence |= PBT_REFLECT_NEGATIVE_ZERO;
    if (options->flags & PBT_JSON_ALLOW_PARTIAL)
        to->lacking = 1;
    walk->root.message = reflection->root(msg);
    walk->root.presence = walk->presence;
    pbti_print_step_back(&walk->root);
}

pbt_status pbti_reflect_json(const pbt_reflection *reflection, const void *msg,
                             const pbt_json_options *options,
                             pbt_buffer *buffer, size_t kept) {
    pbti_printer to;
    pbt_status status = check_arguments(reflection, msg, options);
    if (status != PBT_OK)
        return status;
    start(&to, reflection, msg, options ? options : &default_options);
    if (!buffer->block) {
        buffer->allocator = to.walk.allocator;
        buffer->capacity = 0;
    }
    to.buffer = buffer;
    to.kept = kept;
    buffer->len = kept;
    status = pbti_print_root(&to);
    pbti_print_step_back(&to.walk.root);
    to.walk.root.next = NULL;
    if (status == PBT_OK && (to.options->flags & PBT_JSON_NEWLINE))
        pbti_print_char(&to, '\n');
    buffer->data = buffer->block;
    if (to.status != PBT_OK)
        buffer->len = kept;
    return to.status;
}

pbt_status pbt_reflect_marshal_json(const pbt_reflection *reflection,
                                    const void *msg,
                                    const pbt_json_options *options,
                                    pbt_buffer *buffer) {
    pbt_status status;
    if (!buffer)
        return fail_argument(options, "the buffer is NULL");
    buffer->data = NULL;
    buffer->len = 0;
    status = pbti_reflect_json(reflection, msg, options, buffer, 0);
    if (status != PBT_OK)
        buffer->data = NULL;
    return status;
}
