/* shim.h - the drop-in library: protobuf-c's own calls, by coder tables. */
#ifndef PBTI_SHIM_H
#define PBTI_SHIM_H

/* Makes a call of protobuf-c's interface visible; the version script gives it
 * its version. */
#define PBTI_SHIM_API __attribute__((visibility("default")))

#endif
