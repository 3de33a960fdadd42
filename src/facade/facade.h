/* facade.h - the common start of the public calls: arguments, options, the
 * table, and the choice between the two roads. */
#ifndef PBTI_FACADE_H
#define PBTI_FACADE_H

#include <pbturbo/options.h>

#include "table_registry.h"
#include "wire.h"

/* A call on one message, and the way it takes. */
typedef struct pbti_job {
    const ProtobufCMessage *msg;
    const pbt_options *options;
    /* NULL when there was no memory for it: the reflection road is taken. */
    const pbti_table *table;
    pbti_call call;
} pbti_job;

/** As pbti_job_start, when neither the message nor `out` is NULL. */
pbt_status pbti_job_start_checked(pbti_job *job, const ProtobufCMessage *msg,
                                  const pbt_options *options);

/** Reports PBT_ERR_ARGUMENT: the argument of that name is NULL. */
void pbti_job_refuse(const pbt_options *options, const char *name);

/** Checks the arguments and finds the table.
 *  @param out [in] a pointer that must not be NULL, with its name
 *  End with pbti_call_end in case of success.
 */
PBTI_INLINE pbt_status pbti_job_start(pbti_job *job,
                                      const ProtobufCMessage *msg,
                                      const pbt_options *options,
                                      const void *out, const char *out_name) {
    if (PBTI_LIKELY(!options && msg && out && msg->descriptor)) {
        job->table = pbti_registry_find(msg->descriptor, PBTI_PLAIN);
        if (PBTI_LIKELY(job->table != NULL)) {
            job->msg = msg;
            job->options = NULL;
            pbti_call_start(&job->call);
            return PBT_OK;
        }
    }
    if (!msg || !out) {
        pbti_job_refuse(options, msg ? out_name : "the message");
        return PBT_ERR_ARGUMENT;
    }
    return pbti_job_start_checked(job, msg, options);
}

/* What is left to do when marshal failed, or with the rarer options. */
pbt_status pbti_job_finish(pbti_job *job, pbt_status status, uint8_t **cursor);

/** Runs marshal; writes the length prefix if the options ask for it.
 *  @param cursor [in,out] from pbti_writer_start
 */
PBTI_INLINE pbt_status pbti_job_marshal(pbti_job *job, uint8_t **cursor) {
    pbti_call *call = &job->call;
    pbt_status status =
        pbti_wire()->marshal(call, job->msg, job->table, cursor);
    if (PBTI_LIKELY(status == PBT_OK && !(call->flags & PBT_DELIMITED) &&
                    pbti_writer_total(&call->writer, *cursor) <=
                        call->max_size))
        return PBT_OK;
    return pbti_job_finish(job, status, cursor);
}

/** Without a table: marshals by reflection, and copies the result.
 *  @param cursor [in,out] from pbti_writer_start
 */
pbt_status pbti_job_copy(pbti_job *job, uint8_t **cursor);

/** Runs size, with the length prefix. */
pbt_status pbti_job_size(pbti_job *job, size_t *size);

/** Reports an error that is not about a field. */
pbt_status pbti_job_fail(const pbti_job *job, pbt_status status);

/** After a loop returned status: names the first missing field, not the one
 *  that the loop met first. */
pbt_status pbti_job_explain(pbti_job *job, pbt_status status);

#endif
