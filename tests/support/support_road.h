/* support_road.h - the two roads behind one interface, and what must be the
 * same on both. */
#ifndef SUPPORT_ROAD_H
#define SUPPORT_ROAD_H

#include <pbturbo/pbturbo.h>

typedef struct road {
    const char *name;
    pbt_status (*size)(const ProtobufCMessage *message,
                       const pbt_options *options, size_t *size);
    pbt_status (*marshal)(const ProtobufCMessage *message,
                          const pbt_options *options, pbt_buffer *buffer);
    pbt_status (*check_required)(const ProtobufCMessage *message,
                                 const pbt_options *options);
    pbt_status (*validate)(const ProtobufCMessage *message,
                           const pbt_options *options);
} road;

enum { N_ROADS = 2 };

/** The public calls, then the reflection road by name. */
extern const road roads[N_ROADS];

/** Fails the test unless both roads agree on marshal, size, validate and the
 *  required check with these flags: status, path, field number and bytes; and
 *  every form of output agrees with them.
 *  @return the status of marshal */
pbt_status roads_compare(const ProtobufCMessage *message, uint32_t flags);

/** As roads_compare, with all options; options->error is not used. */
pbt_status roads_compare_options(const ProtobufCMessage *message,
                                 const pbt_options *options);

/** Tells whether a message holds one whose type is not its field's. The pruned
 *  check relies on the types of fields, so it may not visit such a message. */
bool message_holds_foreign(const ProtobufCMessage *message);

/** Fails the test unless both roads give these bytes in every form. */
void roads_expect(const ProtobufCMessage *message, uint32_t flags,
                  const void *bytes, size_t len);

/** Fails the test unless both roads fail like this in every form. */
void roads_expect_error(const ProtobufCMessage *message, uint32_t flags,
                        pbt_status status, const char *path, uint32_t number);

#endif
