/* table_registry.h - from a descriptor to its table. The only global state of
 * the library is behind this header. */
#ifndef PBTI_TABLE_REGISTRY_H
#define PBTI_TABLE_REGISTRY_H

#include <stdbool.h>

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

/* For the drop-in library, whose callers know nothing of tables. */

typedef struct pbti_guard {
    /* Asked by pbti_registry_get before anything else; where it says no, the
     * answer is PBT_ERR_UNSUPPORTED. */
    bool (*admits)(const ProtobufCMessageDescriptor *type);
    /* Asked of each new type below, under the lock, with the same answer. */
    bool (*keeps)(const ProtobufCMessageDescriptor *type);
    /* What the descriptor is a part of, or NULL if that is not known; `lasting`
     * if it is a part of what does not go. A table gets the origin of its type
     * if all types below are of the same, or last. Called under the lock. */
    const void *(*origin)(const ProtobufCMessageDescriptor *type);
    const void *lasting;
} pbti_guard;

/** Sets the guard, which may be exchanged for another one, but not taken away.
 *  From then on pbti_registry_get never waits, but answers PBT_ERR_NO_MEMORY
 *  while another thread builds; and fork leaves the registry usable in the
 *  child.
 *  @return the guard before it; NULL the first time
 */
const pbti_guard *pbti_registry_guard(const pbti_guard *guard);

/** Takes out the tables of all types that are not as they were when the table
 *  was built, with all that refer to them; frees what the last call took out.
 *  @param is_there [in] tells whether a type and its fields, of which address
 *                  and number are given, may be read
 *  @return false if another thread builds tables at the moment
 */
bool pbti_registry_sweep(bool (*is_there)(const ProtobufCMessageDescriptor *,
                                          const ProtobufCFieldDescriptor *,
                                          unsigned n_fields));

/** Returns how many tables were built so far. */
size_t pbti_registry_built(void);

#endif
