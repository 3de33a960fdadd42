/* pbturbo/check.h - is this message complete, and is it sound? */
#ifndef PBTURBO_CHECK_H
#define PBTURBO_CHECK_H

#include <protobuf-c/protobuf-c.h>

#include <pbturbo/options.h>
#include <pbturbo/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Names the first required field that is missing, in field order.
 *
 *  protobuf-c keeps no presence for required numbers, bools, enums and bytes:
 *  only a required string or message, whose pointer is NULL, can be missing.
 *  Types that contain no such field at any depth are not visited: a message of
 *  another type than its field promises is looked into only where the promised
 *  type could lack something.
 *  @param msg     [in] the message; NULL is PBT_ERR_ARGUMENT
 *  @param options [in] NULL for the defaults; PBT_ALLOW_PARTIAL has no effect
 *  Errors:  PBT_ERR_REQUIRED with path and field number; PBT_ERR_BAD_MESSAGE
 *           for a NULL array, a NULL element or a message without descriptor
 *           met on the way; PBT_ERR_DEPTH; PBT_ERR_BAD_DESCRIPTOR.
 *  Threads: any. Cost: one pass over the parts that could lack a field;
 *           constant when the type cannot lack one.
 */
PBT_API pbt_status pbt_check_required(const ProtobufCMessage *msg,
                                      const pbt_options *options) PBT_MUST_USE;

/** Tells whether marshal could write the message: whether every pointer that
 *  it would follow is usable, and whether the limits hold.
 *  @param msg     [in] the message; NULL is PBT_ERR_ARGUMENT
 *  @param options [in] NULL for the defaults; with PBT_ALLOW_PARTIAL a missing
 *                 required field is no error, with PBT_VALIDATE_UTF8 strings
 *                 are checked
 *  Errors:  those of pbt_marshal that are about the message.
 *  Threads: any. Cost: that of pbt_size.
 *  Source:  at least as strict as protobuf_c_message_check (without
 *           PBT_ALLOW_PARTIAL): what that call refuses is refused here.
 */
PBT_API pbt_status pbt_validate(const ProtobufCMessage *msg,
                                const pbt_options *options) PBT_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
