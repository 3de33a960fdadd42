// oracle_messages.cc - the same bytes, parsed and written by both libraries.
//
// Messages with strings that hold NUL are left out: a C string ends there. And
// pbturbo refuses tags of more than 32 bits, of which C++ drops the rest.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include <pbturbo/pbturbo.h>
#include <pbturbo/unmarshal.h>

#include "fuzz_gen.h"
#include "oracle.h"

using google::protobuf::Message;

namespace oracle {

static const uint32_t writing =
    PBT_ALLOW_PARTIAL | PBT_CONFORMANT | PBT_DETERMINISTIC;

struct Case {
    const Message &prototype;
    const ProtobufCMessageDescriptor *type;
    std::string bytes;
    bool plain; // the canonical bytes must be the same, too
    uint64_t seed;
    Counts *counts;
};

static std::string hex(const std::string &bytes) {
    static const char digits[] = "0123456789abcdef";
    std::string text;
    for (unsigned char byte : bytes) {
        text += digits[byte >> 4];
        text += digits[byte & 15];
        text += ' ';
    }
    return text;
}

static void fail_case(const Case &c, const std::string &what) {
    fail(std::string(c.type->name) + " seed " + std::to_string(c.seed),
         what + "\n  bytes " + hex(c.bytes));
}

static pbt_status unmarshal(const Case &c, uint32_t flags, pbt_arena *arena,
                            pbt_error *error, ProtobufCMessage **msg) {
    pbt_options options = {};
    options.flags = flags;
    options.error = error;
    // A copy of the exact size shows reads beyond it to AddressSanitizer.
    size_t len = c.bytes.size();
    std::unique_ptr<char[]> copy(new char[len + 1]);
    std::memcpy(copy.get(), c.bytes.data(), len);
    return pbt_unmarshal(c.type, len ? copy.get() : nullptr, len, &options,
                         arena, msg);
}

static std::string marshal(const Case &c, const ProtobufCMessage *msg) {
    pbt_error error = {};
    pbt_options options = {};
    options.flags = writing;
    options.error = &error;
    pbt_buffer fast = {}, slow = {};
    if (pbt_marshal(msg, &options, &fast) != PBT_OK)
        fail_case(c, std::string("cannot be marshalled: ") + error.message);
    if (pbt_reflect_marshal(&pbt_reflection_protobuf_c, msg, &options, &slow) !=
        PBT_OK)
        fail_case(c, std::string("reflection fails: ") + error.message);
    std::string bytes((const char *) fast.data, fast.len);
    if (bytes != std::string((const char *) slow.data, slow.len))
        fail_case(c, "the roads differ");
    pbt_buffer_free(&fast);
    pbt_buffer_free(&slow);
    return bytes;
}

static void compare_accepted(const Case &c, Message *parsed,
                             const ProtobufCMessage *msg) {
    if (holds_nul(*parsed)) {
        c.counts->left_out++;
        return;
    }
    complete(parsed);
    std::string want = canonical_bytes(parsed);
    std::string got = marshal(c, msg);
    std::unique_ptr<Message> again(c.prototype.New());
    if (!again->ParsePartialFromString(got)) {
        fail_case(c, "C++ does not understand " + hex(got));
        return;
    }
    std::string same = canonical_bytes(again.get());
    if (same != want)
        fail_case(c, "means something else\n  want  " + hex(want) +
                         "\n  got   " + hex(got));
    if (c.plain && got != want)
        fail_case(c, "has other bytes\n  want  " + hex(want) + "\n  got   " +
                         hex(got));
    c.counts->equal_bytes += got == want;
}

static void compare_required(const Case &c, const Message &parsed,
                             pbt_arena *arena) {
    pbt_error error = {};
    ProtobufCMessage *msg;
    pbt_status status = unmarshal(c, PBT_CONFORMANT, arena, &error, &msg);
    pbt_status want = parsed.IsInitialized() ? PBT_OK : PBT_ERR_REQUIRED;
    if (status != want)
        fail_case(c, std::string("required: ") + pbt_status_name(status) +
                         " at " + error.path + ", C++ lacks " +
                         parsed.InitializationErrorString());
}

// Does the report blame a tag of five bytes with bits beyond the 32nd?
static bool blames_long_tag(const Case &c, const pbt_error &error) {
    size_t at = 0;
    if (error.status != PBT_ERR_MALFORMED ||
        sscanf(error.message, "byte %zu:", &at) != 1 || at + 5 > c.bytes.size())
        return false;
    for (int i = 0; i < 4; i++)
        if (!(c.bytes[at + i] & 0x80))
            return false;
    return (c.bytes[at + 4] & 0xf0) != 0;
}

static void compare_bytes(const Case &c) {
    pbt_error error = {};
    ProtobufCMessage *msg;
    std::unique_ptr<Message> parsed(c.prototype.New());
    bool accepted = parsed->ParsePartialFromString(c.bytes);
    pbt_arena *arena = pbt_arena_new(nullptr, 0);
    pbt_status status =
        unmarshal(c, PBT_ALLOW_PARTIAL | PBT_CONFORMANT, arena, &error, &msg);
    if (accepted != (status == PBT_OK)) {
        if (!accepted || !blames_long_tag(c, error))
            fail_case(c, accepted ? std::string("refused: ") + error.message
                                  : "accepted, and C++ refuses it");
    } else if (accepted) {
        c.counts->accepted++;
        compare_required(c, *parsed, arena);
        compare_accepted(c, parsed.get(), msg);
    } else {
        c.counts->rejected++;
    }
    pbt_arena_free(arena);
}

void compare_messages(const Message &prototype,
                      const ProtobufCMessageDescriptor *type, uint64_t seed,
                      unsigned count, Counts *counts) {
    for (unsigned i = 0; i < count; i++) {
        rng r = {seed + i};
        fuzz_bytes bytes = {};
        fuzz_shape shape = {};
        shape.plain = rng_chance(&r, 60);
        shape.fields = 1 + rng_below(&r, 50);
        shape.depth = rng_below(&r, 6);
        bool mutated = rng_chance(&r, 40);
        fuzz_message(&bytes, &r, type, &shape);
        if (mutated)
            fuzz_mutate(&bytes, &r);
        Case c = {prototype,
                  type,
                  std::string((const char *) bytes.data, bytes.len),
                  shape.plain && !mutated,
                  seed + i,
                  counts};
        compare_bytes(c);
        fuzz_free(&bytes);
    }
}

} // namespace oracle
