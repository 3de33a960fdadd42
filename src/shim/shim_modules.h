/* shim_modules.h - the program and the libraries that are loaded now, where
 * descriptors lie and from where they may vanish. */
#ifndef PBTI_SHIM_MODULES_H
#define PBTI_SHIM_MODULES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

/** Finds the addresses of the main program; a size of 0 if it cannot. */
void pbti_modules_main(uintptr_t *start, size_t *size);

/** Call it once, at the start. */
void pbti_modules_watch_forks(void);

/** Makes sure that no table is left of a module that was unloaded.
 *  @return false if it cannot tell at the moment
 */
bool pbti_modules_settle(void);

/** Tells whether a type and its fields lie in a module, and where nobody
 * writes: what a program may change has no table. Where there is
 * _dl_find_object, it takes no lock. */
bool pbti_modules_keep(const ProtobufCMessageDescriptor *type);

/** What a type is a part of, if that can be told again later; else NULL. One
 *  call at a time. */
const void *pbti_modules_origin(const ProtobufCMessageDescriptor *type);

/** Tells whether a type is a part of the same as when it had this origin: of
 *  the very module, or of one with the same content. Takes no lock. */
bool pbti_modules_is_from(const ProtobufCMessageDescriptor *type,
                          const void *origin);

#endif
