/* pbturbo/table.h - a look at the coder table of a type. */
#ifndef PBTURBO_TABLE_H
#define PBTURBO_TABLE_H

#include <protobuf-c/protobuf-c.h>

#include <pbturbo/buffer.h>
#include <pbturbo/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Prints the coder table of a type as text, one line a row.
 *
 *  The text is for people and for golden tests; its form may change between
 *  versions.
 *  @param type  [in] a descriptor; NULL is PBT_ERR_ARGUMENT
 *  @param text  [in,out] its content is replaced; not NUL-terminated
 *  @param error [out] filled on failure; may be NULL
 *  Errors:  those of pbt_prepare.
 *  Threads: any, each with its own buffer.
 */
PBT_API pbt_status pbt_table_text(const ProtobufCMessageDescriptor *type,
                                  pbt_buffer *text,
                                  pbt_error *error) PBT_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
