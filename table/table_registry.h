/* table_registry.h - from a descriptor to its table. The only global state of
 * the library is behind this header. */
#ifndef PBTI_TABLE_REGISTRY_H
#define PBTI_TABLE_REGISTRY_H

#include <pbturbo/status.h>

#include "table.h"

/** Finds the table of a type, building it first if need be.
 *  @param type  [in] not NULL
 *  @param table [out] immutable; valid until pbti_registry_forget
 *  @param error [out] filled on PBT_ERR_BAD_DESCRIPTOR; may be NULL
 *  Errors:  PBT_ERR_BAD_DESCRIPTOR; PBT_ERR_NO_MEMORY, which is not reported
 *           because most callers have another road to take.
 *  Threads: any. Cost: a hash look-up without a lock; a build under a lock.
 */
pbt_status pbti_registry_get(const ProtobufCMessageDescriptor *type,
                             pbti_variant variant, const pbti_table **table,
                             pbt_error *error);

/** Finds the table of a type; NULL when it has to be built, or built again. A
 *  function of its own so that the common case saves no registers. */
const pbti_table *pbti_registry_find(const ProtobufCMessageDescriptor *type,
                                     pbti_variant variant);

/** Frees the tables of a type and of all types that contain it. */
void pbti_registry_forget(const ProtobufCMessageDescriptor *type);

/** Frees the tables of n types that only each other's tables refer to, in one
 *  pass.
 *  @param types [in,out] sorted by address
 */
void pbti_registry_forget_set(const ProtobufCMessageDescriptor **types,
                              size_t n);

#endif
