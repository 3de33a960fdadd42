/* facade_job.c - see facade.h. */
#include "facade.h"

#include <pbturbo/reflect.h>

#include "base_error.h"
#include "wire_trace.h"

enum {
    KNOWN_FLAGS = PBT_ALLOW_PARTIAL | PBT_DETERMINISTIC | PBT_VALIDATE_UTF8 |
                  PBT_DISCARD_UNKNOWN | PBT_CONFORMANT | PBT_DELIMITED
};

static const char *wrong_option(const pbt_options *options) {
    size_t i;
    if (options->flags & ~(uint32_t) KNOWN_FLAGS)
        return "options.flags has an unknown bit";
    for (i = 0; i < sizeof options->reserved / sizeof *options->reserved; i++)
        if (options->reserved[i])
            return "options.reserved is not NULL";
    return NULL;
}

static pbt_status find_table(pbti_job *job) {
    pbti_variant variant =
        job->call.flags & PBT_CONFORMANT ? PBTI_CONFORMANT : PBTI_PLAIN;
    pbt_status status = pbti_registry_get(job->msg->descriptor, variant,
                                          &job->table, job->call.error);
    if (status != PBT_ERR_NO_MEMORY)
        return status;
    PBTI_COUNT(reflect_calls);
    return PBT_OK;
}

pbt_status pbti_job_start_checked(pbti_job *job, const ProtobufCMessage *msg,
                                  const pbt_options *options, const void *out,
                                  const char *out_name) {
    pbt_error *error = options ? options->error : NULL;
    const char *wrong = options ? wrong_option(options) : NULL;
    if (wrong)
        return pbti_fail(error, PBT_ERR_ARGUMENT, 0, NULL, "%s", wrong);
    if (!msg || !out)
        return pbti_fail(error, PBT_ERR_ARGUMENT, 0, NULL, "%s is NULL",
                         msg ? out_name : "the message");
    if (!msg->descriptor)
        return pbti_fail(error, PBT_ERR_BAD_MESSAGE, 0, NULL,
                         "the message has no descriptor");
    job->msg = msg;
    job->options = options;
    job->table = NULL;
    if (options)
        pbti_call_start_with(&job->call, options);
    else
        pbti_call_start(&job->call);
    return find_table(job);
}

pbt_status pbti_job_fail(const pbti_job *job, pbt_status status) {
    return pbti_fail(job->call.error, status, 0, NULL, NULL);
}

pbt_status pbti_job_explain(pbti_job *job, pbt_status status) {
    pbt_status found;
    if (status != PBT_ERR_REQUIRED)
        return status;
    found = pbti_wire()->required(&job->call, job->msg, job->table);
    /* It does not see a field that is missing in a message of another type
     * than its field promises; the report on that one stands. */
    return found != PBT_OK ? found : status;
}

pbt_status pbti_job_finish(pbti_job *job, pbt_status status, uint8_t **cursor) {
    uint64_t total;
    if (status != PBT_OK)
        return pbti_job_explain(job, status);
    total = pbti_writer_total(&job->call.writer, *cursor);
    if (total > job->call.max_size)
        return pbti_job_fail(job, PBT_ERR_TOO_LARGE);
    if (job->call.flags & PBT_DELIMITED)
        *cursor = pbti_writer_put_varint(*cursor, total);
    return PBT_OK;
}

static size_t varint_size(uint64_t v) {
    size_t n = 1;
    for (; v >= 0x80; v >>= 7)
        n++;
    return n;
}

pbt_status pbti_job_size(pbti_job *job, size_t *size) {
    uint64_t total = 0;
    pbt_status status =
        pbti_wire()->size(&job->call, job->msg, job->table, &total);
    if (status == PBT_ERR_NO_MEMORY) {
        PBTI_COUNT(reflect_calls);
        return pbt_reflect_size(&pbt_reflection_protobuf_c, job->msg,
                                job->options, size);
    }
    if (status != PBT_OK)
        return pbti_job_explain(job, status);
    if (job->call.flags & PBT_DELIMITED)
        total += varint_size(total);
    if (total > SIZE_MAX)
        return pbti_job_fail(job, PBT_ERR_TOO_LARGE);
    *size = (size_t) total;
    return PBT_OK;
}
