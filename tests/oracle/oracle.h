// oracle.h - the parts of oracle-cpp, which holds pbturbo's schemas and
// messages to what the C++ library makes of the same bytes.
#ifndef ORACLE_H
#define ORACLE_H

#include <cstdint>
#include <string>

#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/message.h>
#include <protobuf-c/protobuf-c.h>

namespace oracle {

// Prints where, what and why, and counts a failure.
void fail(const std::string &where, const std::string &what);
int failures();

// Is a loaded type what the C++ descriptor says, field by field?
void compare_type(const google::protobuf::Descriptor *want,
                  const ProtobufCMessageDescriptor *got);

// Sets required fields that are missing as protobuf-c writes them: numbers to
// their defaults, strings and messages empty.
void complete(google::protobuf::Message *message);

// Sets a field to its default.
void set_default(google::protobuf::Message *message,
                 const google::protobuf::FieldDescriptor *field);

// The canonical bytes: fields by number, maps sorted and without doubles.
std::string canonical_bytes(google::protobuf::Message *message);

// Does a string hold what a C string cannot?
bool holds_nul(const google::protobuf::Message &message);

// Messages of one type: seeded bytes, parsed and written by both libraries.
struct Counts {
    unsigned long accepted = 0;
    unsigned long rejected = 0;
    unsigned long equal_bytes = 0;
    unsigned long left_out = 0; // holds NUL
    unsigned long json_equal = 0;
    unsigned long json_left_out = 0; // two fields with one name
};

void compare_messages(const google::protobuf::Message &prototype,
                      const ProtobufCMessageDescriptor *type, uint64_t seed,
                      unsigned count, Counts *counts);

// Messages of one type: seeded bytes, written as JSON and read back by C++.
struct Types;
void compare_json(const google::protobuf::Message &prototype,
                  const Types &types, uint64_t seed, unsigned count,
                  Counts *counts);

} // namespace oracle

#endif
