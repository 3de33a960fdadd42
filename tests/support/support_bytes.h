/* support_bytes.h - input for unmarshal, written as people write it, and the
 * check of what becomes of it. */
#ifndef SUPPORT_BYTES_H
#define SUPPORT_BYTES_H

#include <pbturbo/pbturbo.h>

#include "support_arena.h"
#include "support_output.h"

/** Reads two digits a byte; "ff*9" stands for nine of them; spaces are for the
 *  reader. */
packed bytes_of(arena *a, const char *hex);

/** Fails the test unless the input gives a message that protobuf-c packs to the
 *  wanted bytes. PBT_ALLOW_PARTIAL is added to the flags. */
void bytes_expect(const ProtobufCMessageDescriptor *type, uint32_t flags,
                  const char *input, const char *want);

/** Fails the test unless the input is refused, by itself and inside of another
 *  message that goes on behind it.
 *  @param path   of the field at fault
 *  @param offset of the byte that the sentence begins with; -1: none
 */
void bytes_expect_error(const ProtobufCMessageDescriptor *type, uint32_t flags,
                        const char *input, pbt_status status, const char *path,
                        int offset);

#endif
