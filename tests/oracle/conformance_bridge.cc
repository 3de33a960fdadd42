// conformance_bridge.cc - see conformance_bridge.h.
#include "conformance_bridge.h"

#include <memory>
#include <string>

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver_util.h>

struct bridge {
    google::protobuf::DescriptorPool pool;
    std::unique_ptr<google::protobuf::util::TypeResolver> resolver;
    std::string out;
};

static const char prefix[] = "type.googleapis.com";

bridge *bridge_new(const void *set, size_t len) {
    google::protobuf::FileDescriptorSet files;
    std::unique_ptr<bridge> b(new bridge);
    google::protobuf::SetLogHandler(nullptr);
    if (!files.ParseFromArray(set, (int) len))
        return nullptr;
    for (const auto &file : files.file())
        if (!b->pool.BuildFile(file))
            return nullptr;
    b->resolver.reset(google::protobuf::util::NewTypeResolverForDescriptorPool(
        prefix, &b->pool));
    return b.release();
}

bool bridge_read(bridge *b, const char *type, const char *json,
                 bool ignore_unknown, char **out, size_t *len) {
    google::protobuf::util::JsonParseOptions options;
    options.ignore_unknown_fields = ignore_unknown;
    b->out.clear();
    auto status = google::protobuf::util::JsonToBinaryString(
        b->resolver.get(), std::string(prefix) + "/" + type, json, &b->out,
        options);
    if (!status.ok())
        b->out = status.ToString();
    *out = &b->out[0];
    *len = b->out.size();
    return status.ok();
}

void bridge_free(bridge *b) {
    delete b;
}
