// bench_codec_cpp.cc - C++ protobuf: the generated classes, reached through
// the virtual functions that SerializeToArray itself calls.
#include "bench.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/message.h>
#include <google/protobuf/util/json_util.h>

#include <pbturbo/json.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

namespace pb = google::protobuf;

struct Serializer {
    const bench_dataset *dataset;
    const pb::Message *prototype;
    bool is_deep; // beyond the 100 levels that ParseFromArray allows
    std::vector<std::unique_ptr<pb::Message>> messages;
    std::vector<uint8_t> buffer;
    std::string text;  // JSON
    std::string bytes; // of what was read from JSON
    std::string why;
    // The arena's first block, which it keeps when it is reset, has room for
    // the largest message.
    std::vector<char> block;
    std::unique_ptr<pb::Arena> arena;
};

bool parse(const Serializer *serializer, pb::Message *message,
           const bench_bytes &bytes) {
    if (!serializer->is_deep)
        return message->ParseFromArray(bytes.data, static_cast<int>(bytes.len));
    pb::io::CodedInputStream input(bytes.data, static_cast<int>(bytes.len));
    input.SetRecursionLimit(1 << 20);
    return message->ParseFromCodedStream(&input) &&
           input.ConsumedEntireMessage();
}

const pb::Message *find_prototype(const char *type_name) {
    const pb::Descriptor *type =
        pb::DescriptorPool::generated_pool()->FindMessageTypeByName(type_name);
    if (type == nullptr)
        return nullptr;
    return pb::MessageFactory::generated_factory()->GetPrototype(type);
}

bool parse_all(Serializer *serializer) {
    const bench_dataset *dataset = serializer->dataset;
    for (size_t i = 0; i < dataset->n; i++) {
        serializer->messages.emplace_back(serializer->prototype->New());
        pb::Message *message = serializer->messages.back().get();
        if (parse(serializer, message, dataset->messages[i]))
            continue;
        serializer->is_deep = true;
        if (!parse(serializer, message, dataset->messages[i]))
            return false;
    }
    return true;
}

void make_arena(Serializer *serializer, size_t size) {
    serializer->arena.reset();
    serializer->block.resize(size);
    pb::ArenaOptions options;
    options.initial_block = serializer->block.data();
    options.initial_block_size = size;
    serializer->arena.reset(new pb::Arena(options));
}

// Unmarshals message i into the arena, of which all else is gone then.
pb::Message *parse_fresh(Serializer *serializer, size_t i) {
    pb::Arena *arena = serializer->arena.get();
    arena->Reset();
    pb::Message *message = serializer->prototype->New(arena);
    bool parsed = parse(serializer, message, serializer->dataset->messages[i]);
    return parsed ? message : nullptr;
}

bool is_block_enough(Serializer *serializer) {
    for (size_t i = 0; i < serializer->dataset->n; i++) {
        parse_fresh(serializer, i);
        if (serializer->arena->SpaceAllocated() > serializer->block.size())
            return false;
    }
    return true;
}

void *prepare(const bench_dataset *dataset, const char **why) {
    const pb::Message *prototype = find_prototype(dataset->type->name);
    if (prototype == nullptr) {
        *why = "no generated class of that name";
        return nullptr;
    }
    std::unique_ptr<Serializer> serializer(new Serializer);
    serializer->dataset = dataset;
    serializer->prototype = prototype;
    serializer->is_deep = false;
    serializer->buffer.resize(dataset->largest + 1);
    if (!parse_all(serializer.get())) {
        *why = "it cannot parse the messages";
        return nullptr;
    }
    make_arena(serializer.get(), 65536);
    while (!is_block_enough(serializer.get()))
        make_arena(serializer.get(), serializer->block.size() * 2);
    return serializer.release();
}

void release(void *objects) {
    delete static_cast<Serializer *>(objects);
}

bool write(Serializer *serializer, const pb::Message &message,
           bench_bytes *bytes, const char **why) {
    std::vector<uint8_t> &buffer = serializer->buffer;
    bytes->data = buffer.data();
    bytes->len = message.ByteSizeLong();
    if (message.SerializeToArray(buffer.data(),
                                 static_cast<int>(buffer.size())))
        return true;
    *why = "SerializeToArray failed";
    return false;
}

bool output(void *objects, size_t i, bench_bytes *bytes, const char **why) {
    Serializer *serializer = static_cast<Serializer *>(objects);
    return write(serializer, *serializer->messages[i], bytes, why);
}

bool reparse(void *objects, size_t i, bench_bytes *bytes, const char **why) {
    Serializer *serializer = static_cast<Serializer *>(objects);
    pb::Message *message = parse_fresh(serializer, i);
    *why = "it cannot parse the message";
    return message != nullptr && write(serializer, *message, bytes, why);
}

// SerializeToArray includes ByteSizeLong; the size it found is cached.
uint64_t marshal_all(void *objects) {
    Serializer *serializer = static_cast<Serializer *>(objects);
    uint8_t *buffer = serializer->buffer.data();
    int capacity = static_cast<int>(serializer->buffer.size());
    uint64_t sum = 0;
    for (const auto &message : serializer->messages) {
        if (!message->SerializeToArray(buffer, capacity))
            return 0;
        sum = bench_fold_bytes(sum, buffer,
                               static_cast<size_t>(message->GetCachedSize()));
    }
    return sum;
}

uint64_t size_all(void *objects) {
    uint64_t sum = 0;
    for (const auto &message : static_cast<Serializer *>(objects)->messages)
        sum = bench_fold(sum, message->ByteSizeLong());
    return sum;
}

uint64_t check_all(void *objects) {
    uint64_t sum = 0;
    for (const auto &message : static_cast<Serializer *>(objects)->messages)
        sum = bench_fold(sum, message->IsInitialized());
    return sum;
}

uint64_t unmarshal_all(void *objects) {
    Serializer *serializer = static_cast<Serializer *>(objects);
    uint64_t sum = 0;
    for (size_t i = 0; i < serializer->dataset->n; i++)
        sum = bench_fold(sum, parse_fresh(serializer, i) != nullptr);
    return sum;
}

// MessageToJsonString appends, and the string keeps its memory.
bool to_json(Serializer *serializer, size_t i, const char **why) {
    uint32_t flags = serializer->dataset->json_flags;
    pb::util::JsonPrintOptions options;
    options.preserve_proto_field_names = (flags & PBT_JSON_PROTO_NAMES) != 0;
    options.always_print_primitive_fields =
        (flags & PBT_JSON_EMIT_DEFAULTS) != 0;
    serializer->text.clear();
    auto status = pb::util::MessageToJsonString(*serializer->messages[i],
                                                &serializer->text, options);
    if (status.ok())
        return true;
    serializer->why = status.ToString();
    *why = serializer->why.c_str();
    return false;
}

bench_bytes bytes_of(std::string *text) {
    return {reinterpret_cast<uint8_t *>(&(*text)[0]), text->size()};
}

bool print(void *objects, size_t i, bench_bytes *text, const char **why) {
    Serializer *serializer = static_cast<Serializer *>(objects);
    bool printed = to_json(serializer, i, why);
    *text = bytes_of(&serializer->text);
    return printed;
}

bool read(void *objects, const bench_bytes *text, bench_bytes *bytes,
          const char **why) {
    Serializer *serializer = static_cast<Serializer *>(objects);
    std::unique_ptr<pb::Message> message(serializer->prototype->New());
    pb::StringPiece json(reinterpret_cast<const char *>(text->data), text->len);
    auto status = pb::util::JsonStringToMessage(json, message.get());
    if (!status.ok()) {
        serializer->why = status.ToString();
        *why = serializer->why.c_str();
        return false;
    }
    serializer->bytes = message->SerializePartialAsString();
    *bytes = bytes_of(&serializer->bytes);
    return true;
}

uint64_t print_all(void *objects) {
    Serializer *serializer = static_cast<Serializer *>(objects);
    const char *why;
    uint64_t sum = 0;
    for (size_t i = 0; i < serializer->messages.size(); i++) {
        if (!to_json(serializer, i, &why))
            return 0;
        bench_bytes text = bytes_of(&serializer->text);
        sum = bench_fold_bytes(sum, text.data, text.len);
    }
    return sum;
}

const char *version() {
    static const std::string text =
        pb::internal::VersionString(GOOGLE_PROTOBUF_VERSION);
    return text.c_str();
}

} // namespace

extern "C" const bench_codec bench_codec_cpp = {
    "cpp",
    false,
    false,
    version,
    prepare,
    release,
    output,
    reparse,
    nullptr,
    nullptr,
    {marshal_all, size_all, check_all, unmarshal_all, nullptr},
    nullptr};

extern "C" const bench_codec bench_codec_cpp_json = {
    "cpp-json",
    false,
    false,
    version,
    prepare,
    release,
    nullptr,
    nullptr,
    print,
    read,
    {nullptr, nullptr, nullptr, nullptr, print_all},
    nullptr};
