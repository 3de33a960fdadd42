/* pbturbo/pbturbo.h - the whole public interface.
 *
 * pbturbo marshals protobuf-c messages several times faster than protobuf-c,
 * with the same bytes.
 */
#ifndef PBTURBO_PBTURBO_H
#define PBTURBO_PBTURBO_H

#include <pbturbo/buffer.h>
#include <pbturbo/check.h>
#include <pbturbo/json.h>
#include <pbturbo/marshal.h>
#include <pbturbo/options.h>
#include <pbturbo/reflect.h>
#include <pbturbo/schema.h>
#include <pbturbo/status.h>
#include <pbturbo/table.h>
#include <pbturbo/unmarshal.h>
#include <pbturbo/version.h>

#endif
