/* conformance_bridge.h - JSON input for the testee, read by the C++ library.
 *
 * pbturbo writes JSON and does not read it. With what C++ makes of a case's
 * JSON, the cases from JSON to JSON judge pbturbo's writer. */
#ifndef CONFORMANCE_BRIDGE_H
#define CONFORMANCE_BRIDGE_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct bridge bridge;

/** Takes the types of a FileDescriptorSet.
 *  @return NULL if C++ cannot build them */
bridge *bridge_new(const void *set, size_t len);

/** Reads JSON as a message of a type.
 *  @param ignore_unknown [in] whether unknown names are no error
 *  @param out     [out] the message in binary form, or why there is none; holds
 *                 until the next call
 *  @return whether it could be read */
bool bridge_read(bridge *b, const char *type, const char *json,
                 bool ignore_unknown, char **out, size_t *len);

void bridge_free(bridge *b);

#ifdef __cplusplus
}
#endif

#endif
