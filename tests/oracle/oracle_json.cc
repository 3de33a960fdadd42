// oracle_json.cc - messages as JSON by pbturbo, read back by the C++ library.
#include <memory>

#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>
#include <pbturbo/pbturbo.h>
#include <pbturbo/unmarshal.h>

#include "oracle.h"
#include "oracle_tame.h"

using google::protobuf::Message;

namespace oracle {

// Of options that change the text, those that do not change what it says.
static const uint32_t readable =
    PBT_JSON_EMIT_DEFAULTS | PBT_JSON_EMIT_NULL_MESSAGES |
    PBT_JSON_PROTO_NAMES | PBT_JSON_ENUM_NUMBERS | PBT_JSON_SORT_MAP_KEYS |
    PBT_JSON_INT64_AS_NUMBER | PBT_JSON_INT64_UNQUOTED_IF_SAFE |
    PBT_JSON_ESCAPE_HTML | PBT_JSON_ASCII_ONLY | PBT_JSON_NEWLINE |
    PBT_JSON_ANY_RAW | PBT_JSON_CONFORMANT;

static pbt_json_options random_options(rng *r, const pbt_schema *schema) {
    pbt_json_options options = {};
    options.flags = PBT_JSON_ALLOW_PARTIAL;
    options.schema = schema;
    if (rng_chance(r, 70))
        options.flags |= (uint32_t) (rng_next(r) & rng_next(r)) & readable;
    if (rng_chance(r, 30))
        options.indent = (uint8_t) (1 + rng_below(r, 8));
    else if (rng_chance(r, 10))
        options.indent = PBT_JSON_TAB;
    options.utf8 = (uint8_t) rng_below(r, 3);
    return options;
}

struct JsonCase {
    const Message &prototype;
    const Types &types;
    google::protobuf::util::TypeResolver *resolver;
    pbt_json_options options;
    uint64_t seed;
    Counts *counts;
};

static void fail_case(const JsonCase &c, const std::string &what,
                      const std::string &text) {
    fail(c.prototype.GetDescriptor()->full_name() + " as JSON, seed " +
             std::to_string(c.seed) + " flags " +
             std::to_string(c.options.flags),
         what + "\n  " + text);
}

// Writes by both roads.
static bool marshal(const JsonCase &c, const std::string &bytes,
                    std::string *text) {
    const std::string &name = c.prototype.GetDescriptor()->full_name();
    pbt_error error = {};
    pbt_options reading = {};
    pbt_json_options options = c.options;
    pbt_buffer fast = {}, slow = {};
    pbt_arena *arena = pbt_arena_new(nullptr, 0);
    ProtobufCMessage *msg;
    reading.flags = PBT_ALLOW_PARTIAL;
    reading.error = options.error = &error;
    pbt_status status =
        pbt_unmarshal(pbt_schema_message(c.types.schema, name.c_str()),
                      bytes.data(), bytes.size(), &reading, arena, &msg);
    if (status == PBT_OK)
        status = pbt_marshal_json(msg, &options, &fast);
    if (status != PBT_OK && !(status == PBT_ERR_UNSUPPORTED &&
                              has_clash(c.prototype.GetDescriptor())))
        fail_case(c, "refused", std::string(error.path) + error.message);
    text->assign((const char *) fast.data, fast.len);
    if (status == PBT_OK &&
        (pbt_reflect_marshal_json(&pbt_reflection_protobuf_c, msg, &options,
                                  &slow) != PBT_OK ||
         *text != std::string((const char *) slow.data, slow.len)))
        fail_case(c, "the roads differ", *text);
    pbt_buffer_free(&fast);
    pbt_buffer_free(&slow);
    pbt_arena_free(arena);
    return status == PBT_OK;
}

static void compare_text(const JsonCase &c, const std::string &text,
                         Message *want) {
    const std::string &name = c.prototype.GetDescriptor()->full_name();
    std::unique_ptr<Message> got(c.prototype.New());
    std::string bytes;
    // PBT_JSON_EMIT_DEFAULTS writes those of extensions, too, and C++ does not
    // know their names.
    google::protobuf::util::JsonParseOptions reading;
    reading.ignore_unknown_fields = text.find("\"[") != std::string::npos;
    auto status = google::protobuf::util::JsonToBinaryString(
        c.resolver, "type.googleapis.com/" + name, text, &bytes, reading);
    if (!status.ok() || !got->ParsePartialFromString(bytes)) {
        fail_case(c, status.ToString(), text);
        return;
    }
    flatten(want, c.types, c.options.flags);
    flatten(got.get(), c.types, c.options.flags);
    if (canonical_bytes(want) != canonical_bytes(got.get()))
        fail_case(c, "means something else",
                  text + "\n  want " + want->ShortDebugString() + "\n  got  " +
                      got->ShortDebugString());
    c.counts->json_equal++;
}

void compare_json(const Message &prototype, const Types &types, uint64_t seed,
                  unsigned count, Counts *counts) {
    std::unique_ptr<google::protobuf::util::TypeResolver> resolver(
        google::protobuf::util::NewTypeResolverForDescriptorPool(
            "type.googleapis.com", types.pool));
    for (unsigned i = 0; i < count; i++) {
        rng r = {seed + i};
        JsonCase c = {prototype,      types,
                      resolver.get(), random_options(&r, types.schema),
                      seed + i,       counts};
        std::unique_ptr<Message> message(prototype.New());
        std::string bytes, text;
        random_message(message.get(), &bytes, &r, types, 2);
        // C++ writes fields of one name, and reads one of them.
        bool written = marshal(c, bytes, &text);
        if (written && !has_clash(prototype.GetDescriptor()))
            compare_text(c, text, message.get());
        else
            counts->json_left_out++;
    }
}

} // namespace oracle
