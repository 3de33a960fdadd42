/* facade_check.c - pbt_check_required and pbt_validate. */
#include <pbturbo/check.h>
#include <pbturbo/reflect.h>

#include "facade.h"

pbt_status pbt_check_required(const ProtobufCMessage *msg,
                              const pbt_options *options) {
    pbti_job job;
    pbt_status status;
    status = pbti_job_start(&job, msg, options, msg, "the message");
    if (status != PBT_OK)
        return status;
    status = PBT_ERR_NO_MEMORY;
    if (job.table)
        status = pbti_wire()->required(&job.call, msg, job.table);
    pbti_call_end(&job.call);
    if (status != PBT_ERR_NO_MEMORY)
        return status;
    return pbt_reflect_check_required(&pbt_reflection_protobuf_c, msg, options);
}

pbt_status pbt_validate(const ProtobufCMessage *msg,
                        const pbt_options *options) {
    pbti_job job;
    uint64_t size;
    pbt_status status;
    status = pbti_job_start(&job, msg, options, msg, "the message");
    if (status != PBT_OK)
        return status;
    /* every entry of a map counts here, so there is nothing to sort */
    job.call.flags &= ~PBT_DETERMINISTIC;
    job.call.follow_defaults = true;
    status = PBT_ERR_NO_MEMORY;
    if (job.table)
        status = pbti_job_explain(
            &job, pbti_wire()->size(&job.call, msg, job.table, &size));
    pbti_call_end(&job.call);
    if (status != PBT_ERR_NO_MEMORY)
        return status;
    return pbt_reflect_validate(&pbt_reflection_protobuf_c, msg, options);
}
