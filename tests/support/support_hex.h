/* support_hex.h - expected bytes, written as people write them. */
#ifndef SUPPORT_HEX_H
#define SUPPORT_HEX_H

#include <stdint.h>

#include "support_road.h"

/** Fails the test unless both roads give these bytes, in every form.
 *  @param message a generated struct
 *  @param hex     two digits a byte; "ff*9" stands for nine of them, and spaces
 *                between bytes for nothing */
void hex_expect(const void *message, uint32_t flags, const char *hex);

/** As hex_expect with PBT_ALLOW_PARTIAL, and protobuf-c gives them, too. */
void hex_expect_same(const void *message, const char *hex);

#endif
