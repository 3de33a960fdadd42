// bench_codec_cpp.cc - C++ protobuf: the generated classes, reached through
// the virtual functions that SerializeToArray itself calls.
#include "bench.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/message.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

namespace {

namespace pb = google::protobuf;

struct Serializer {
    std::vector<std::unique_ptr<pb::Message>> messages;
    std::vector<uint8_t> buffer;
};

// The default limit of 100 levels would refuse the deep dataset.
bool parse(pb::Message *message, const bench_bytes &bytes) {
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

void *prepare(const bench_dataset *dataset, const char **why) {
    const pb::Message *prototype = find_prototype(dataset->type->name);
    if (prototype == nullptr) {
        *why = "no generated class of that name";
        return nullptr;
    }
    std::unique_ptr<Serializer> serializer(new Serializer);
    serializer->buffer.resize(dataset->largest + 1);
    for (size_t i = 0; i < dataset->n; i++) {
        serializer->messages.emplace_back(prototype->New());
        if (!parse(serializer->messages.back().get(), dataset->messages[i])) {
            *why = "it cannot parse the messages";
            return nullptr;
        }
    }
    return serializer.release();
}

void release(void *objects) {
    delete static_cast<Serializer *>(objects);
}

bool output(void *objects, size_t i, bench_bytes *bytes, const char **why) {
    Serializer *serializer = static_cast<Serializer *>(objects);
    std::vector<uint8_t> &buffer = serializer->buffer;
    const pb::Message &message = *serializer->messages[i];
    bytes->data = buffer.data();
    bytes->len = message.ByteSizeLong();
    if (message.SerializeToArray(buffer.data(),
                                 static_cast<int>(buffer.size())))
        return true;
    *why = "SerializeToArray failed";
    return false;
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

const char *version() {
    static const std::string text =
        pb::internal::VersionString(GOOGLE_PROTOBUF_VERSION);
    return text.c_str();
}

} // namespace

extern "C" const bench_codec bench_codec_cpp = {
    "cpp",   version, prepare,
    release, output,  {marshal_all, size_all, check_all}};
