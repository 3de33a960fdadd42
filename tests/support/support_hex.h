/* support_hex.h - expected bytes, written as people write them. */
#ifndef SUPPORT_HEX_H
#define SUPPORT_HEX_H

#include <stddef.h>
#include <stdint.h>

#include "support_road.h"

enum { HEX_MAX = 4096 };

/** Reads two digits a byte; "ff*9" stands for nine of them, and spaces between
 *  bytes for nothing.
 *  @return how many bytes there are */
size_t hex_parse(const char *hex, uint8_t bytes[HEX_MAX]);

/** Fails the test unless both roads give these bytes, in every form.
 *  @param message a generated struct
 *  @param hex     as hex_parse takes it */
void hex_expect(const void *message, uint32_t flags, const char *hex);

/** As hex_expect with PBT_ALLOW_PARTIAL, and protobuf-c gives them, too. */
void hex_expect_same(const void *message, const char *hex);

#endif
