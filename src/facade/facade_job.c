/* facade_job.c - see facade.h. */
#include "facade.h"

#include <inttypes.h>

#include <pbturbo/reflect.h>

#include "base_error.h"
#include "base_options.h"
#include "wire_trace.h"

void pbti_job_refuse(const pbt_options *options, const char *name) {
    (void) pbti_fail(options ? options->error : NULL, PBT_ERR_ARGUMENT, 0, NULL,
                     "%s is NULL", name);
}

static PBTI_NOINLINE pbt_status refuse_call(const pbt_options *options) {
    pbt_error *error = options ? options->error : NULL;
    const char *wrong = options ? pbti_options_fault(options) : NULL;
    if (wrong)
        return pbti_fail(error, PBT_ERR_ARGUMENT, 0, NULL, "%s", wrong);
    return pbti_fail(error, PBT_ERR_BAD_MESSAGE, 0, NULL,
                     "the message has no descriptor");
}

static PBTI_NOINLINE pbt_status build_table(pbti_job *job,
                                            pbti_variant variant) {
    pbt_status status = pbti_registry_get(job->msg->descriptor, variant,
                                          &job->table, job->call.error);
    if (status != PBT_ERR_NO_MEMORY)
        return status;
    PBTI_COUNT(reflect_calls);
    return PBT_OK;
}

pbt_status pbti_job_start_checked(pbti_job *job, const ProtobufCMessage *msg,
                                  const pbt_options *options) {
    pbti_variant variant = PBTI_PLAIN;
    if (PBTI_UNLIKELY(!msg->descriptor ||
                      (options && !pbti_options_are_sound(options))))
        return refuse_call(options);
    if (options && options->flags & PBT_CONFORMANT)
        variant = PBTI_CONFORMANT;
    job->msg = msg;
    job->options = options;
    job->table = pbti_registry_find(msg->descriptor, variant);
    if (options)
        pbti_call_start_with(&job->call, options);
    else
        pbti_call_start(&job->call);
    return PBTI_LIKELY(job->table != NULL) ? PBT_OK : build_table(job, variant);
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

/* A fixed output has the reflection road left. */
static pbt_status report(const pbti_job *job, pbt_status status) {
    if (status == PBT_ERR_NO_MEMORY && !job->call.writer.fixed)
        return pbti_job_fail(job, status);
    return status;
}

pbt_status pbti_job_finish(pbti_job *job, pbt_status status, uint8_t **cursor) {
    uint64_t total;
    if (status != PBT_OK)
        return report(job, pbti_job_explain(job, status));
    total = pbti_writer_total(&job->call.writer, *cursor);
    if (total > job->call.max_size)
        return pbti_fail(job->call.error, PBT_ERR_TOO_LARGE, 0, NULL,
                         "the message takes %" PRIu64
                         " bytes, more than %" PRIu64,
                         total, job->call.max_size);
    if (job->call.flags & PBT_DELIMITED)
        *cursor = pbti_writer_put_varint(*cursor, total);
    return PBT_OK;
}

pbt_status pbti_job_copy(pbti_job *job, uint8_t **cursor) {
    pbti_writer *writer = &job->call.writer;
    pbt_buffer output = {0};
    uint8_t *p;
    pbt_status status = pbt_reflect_marshal(&pbt_reflection_protobuf_c,
                                            job->msg, job->options, &output);
    if (status != PBT_OK)
        return status;
    /* It has kept to the limit, which holds for the message and not for the
     * length before it. */
    writer->max_size = UINT64_MAX;
    p = pbti_writer_put_bytes(writer, *cursor, output.data, output.len);
    pbt_buffer_free(&output);
    if (!p) {
        (void) pbti_job_fail(job, PBT_ERR_NO_MEMORY);
        return PBT_ERR_NO_MEMORY;
    }
    *cursor = p;
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
    status = pbti_job_explain(job, status);
    if (status == PBT_ERR_NO_MEMORY) {
        PBTI_COUNT(reflect_calls);
        return pbt_reflect_size(&pbt_reflection_protobuf_c, job->msg,
                                job->options, size);
    }
    if (status != PBT_OK)
        return status;
    if (job->call.flags & PBT_DELIMITED)
        total += varint_size(total);
    if (total > SIZE_MAX)
        return pbti_job_fail(job, PBT_ERR_TOO_LARGE);
    *size = (size_t) total;
    return PBT_OK;
}
