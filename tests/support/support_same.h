/* support_same.h - are two messages the same, field by field? */
#ifndef SUPPORT_SAME_H
#define SUPPORT_SAME_H

#include <protobuf-c/protobuf-c.h>

/** Fails the test with the first field that differs. Reads as a user of the
 *  structs would: what lies in a oneof whose case is not set is not compared,
 *  nor is the rest of a struct. */
void expect_same_message(const char *what, const ProtobufCMessage *got,
                         const ProtobufCMessage *want);

#endif
