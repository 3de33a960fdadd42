/* fuzz_target.h - what a fuzz target is made of, and what targets share.
 *
 * A target is one file with these three functions. Linked with libFuzzer it is
 * a fuzzer; linked with fuzz_replay.c it is a program that feeds it seeded
 * inputs and the lines of a file of hard cases. */
#ifndef FUZZ_TARGET_H
#define FUZZ_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pbturbo/pbturbo.h>
#include <pbturbo/schema.h>
#include <pbturbo/unmarshal.h>

#include "fuzz_write.h"
#include "support_rng.h"

/** Runs the target once; it ends the program when it finds a fault. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/** Appends an input made from random numbers. */
void fuzz_seed(fuzz_bytes *out, rng *r);

/** Appends the input that a line of hard cases stands for.
 *  @return false if the line cannot be read */
bool fuzz_read_case(fuzz_bytes *out, const char *line);

/** Ends the program with a message unless the condition holds. */
#define FUZZ_REQUIRE(condition, what)                                          \
    do {                                                                       \
        if (!(condition))                                                      \
            fuzz_fail(__FILE__, __LINE__, what);                               \
    } while (0)

_Noreturn void fuzz_fail(const char *file, int line, const char *what);

/** The types that messages are of: those of oracle2.proto, oracle3.proto,
 *  json2.proto, json3.proto and what they import, loaded at run time, and some
 *  that protoc-c compiled. */
size_t fuzz_n_types(void);
const ProtobufCMessageDescriptor *fuzz_type(size_t index);

/** The schema of the first. */
const pbt_schema *fuzz_schema(void);

/** The FileDescriptorSet that the first types were loaded from. */
const uint8_t *fuzz_schema_set(size_t *len);

/** An input of the targets that are fed with messages:
 *    byte 0   index of the type
 *    byte 1   flags for the call
 *    byte 2   what else the target varies
 *    byte 3.. the message */
typedef struct fuzz_input {
    const ProtobufCMessageDescriptor *type;
    uint32_t flags;
    uint8_t variant;
    const uint8_t *data; /* the message */
    size_t len;
} fuzz_input;

/** @return false if there are too few bytes */
bool fuzz_parse_input(fuzz_input *input, const uint8_t *data, size_t len);

/** fuzz_seed and fuzz_read_case of these targets. A line is the full name of a
 *  type and the message in hexadecimal. */
void fuzz_message_seed(fuzz_bytes *out, rng *r);
bool fuzz_message_case(fuzz_bytes *out, const char *line);

/** Holds marshal to what it promises for a message that unmarshal made: both
 *  roads and all forms of output give the same bytes or the same error, and a
 *  complete message comes back from its bytes. */
void fuzz_check_marshal(const ProtobufCMessage *msg, uint32_t flags);

#endif
