// oracle_cpp.cc - pbturbo against the C++ library, from schema to bytes.
//
// Usage: oracle-cpp [--seed N] [--messages N] SET...
//
// Every type of every FileDescriptorSet is loaded by both libraries, and
// compared; then seeded messages of the types in the last file are, in binary
// form and as JSON: those before it are its imports. A set with a MessageSet
// may be refused, as a whole, or lack the type.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

#include <google/protobuf/descriptor.pb.h>
#include <pbturbo/pbturbo.h>
#include <pbturbo/schema.h>

#include "oracle.h"
#include "oracle_tame.h"

using google::protobuf::Descriptor;
using google::protobuf::DescriptorPool;
using google::protobuf::DescriptorProto;
using google::protobuf::DynamicMessageFactory;
using google::protobuf::FieldDescriptorProto;
using google::protobuf::FileDescriptor;
using google::protobuf::FileDescriptorProto;
using google::protobuf::FileDescriptorSet;
using google::protobuf::Message;

namespace oracle {

static int n_failures;

void fail(const std::string &where, const std::string &what) {
    if (n_failures++ < 20)
        fprintf(stderr, "%s: %s\n", where.c_str(), what.c_str());
}

int failures() {
    return n_failures;
}

struct Run {
    uint64_t seed = 1;
    unsigned messages = 40;
    unsigned long n_types = 0;
    unsigned long n_refused = 0;
    Counts counts;
};

static bool is_message_set(const DescriptorProto &type) {
    return type.options().message_set_wire_format();
}

// The C++ library makes no messages of such types.
static bool has_weak_field(const DescriptorProto &type) {
    for (const FieldDescriptorProto &field : type.field())
        if (field.options().weak())
            return true;
    return false;
}

// Is there a message, at any level, of which it is true?
template <typename Test>
static bool any_message(const DescriptorProto &type, Test test) {
    if (test(type))
        return true;
    for (const DescriptorProto &nested : type.nested_type())
        if (any_message(nested, test))
            return true;
    return false;
}

template <typename Test>
static bool any_message(const FileDescriptorSet &set, Test test) {
    for (const FileDescriptorProto &file : set.file())
        for (const DescriptorProto &type : file.message_type())
            if (any_message(type, test))
                return true;
    return false;
}

// Compares a type and those inside it; messages of them, given a factory.
static void compare_tree(const Descriptor *want, const Types &types, Run *run) {
    const ProtobufCMessageDescriptor *got =
        pbt_schema_message(types.schema, want->full_name().c_str());
    run->n_types++;
    if (!got) {
        if (!want->options().message_set_wire_format())
            fail(want->full_name(), "is not in the schema");
        return;
    }
    compare_type(want, got);
    if (types.factory && !want->options().map_entry()) {
        const Message &prototype = *types.factory->GetPrototype(want);
        compare_messages(prototype, got, run->seed, run->messages,
                         &run->counts);
        compare_json(prototype, types, run->seed, run->messages, &run->counts);
    }
    for (int i = 0; i < want->nested_type_count(); i++)
        compare_tree(want->nested_type(i), types, run);
}

// What can stand in an Any of this set. C++ 3.21 does not read lists in it.
static std::vector<const Descriptor *> any_types(const DescriptorPool &pool,
                                                 const FileDescriptorSet &set) {
    std::vector<const Descriptor *> types;
    for (const FileDescriptorProto &proto : set.file()) {
        const FileDescriptor *file = pool.FindFileByName(proto.name());
        for (int i = 0; file && i < file->message_type_count(); i++) {
            const Descriptor *type = file->message_type(i);
            if (!has_clash(type) &&
                !type->options().message_set_wire_format() &&
                type->full_name() != "google.protobuf.ListValue")
                types.push_back(type);
        }
    }
    return types;
}

static void compare_set(const char *name, const FileDescriptorSet &set,
                        const pbt_schema *schema, Run *run) {
    DescriptorPool pool;
    DynamicMessageFactory factory(&pool);
    for (const FileDescriptorProto &proto : set.file())
        if (!pool.BuildFile(proto))
            fail(name, "C++ cannot build " + proto.name());
    for (int n = 0; n < set.file_size(); n++) {
        const FileDescriptor *file = pool.FindFileByName(set.file(n).name());
        bool is_last = n + 1 == set.file_size();
        bool with_messages = is_last && !any_message(set, has_weak_field);
        Types types = {&pool, with_messages ? &factory : nullptr, schema, {}};
        if (with_messages)
            types.for_any = any_types(pool, set);
        for (int i = 0; file && i < file->message_type_count(); i++)
            compare_tree(file->message_type(i), types, run);
    }
}

// protoc writes imports first; the loader takes them in any order.
static std::string in_reverse(const FileDescriptorSet &set) {
    FileDescriptorSet reversed;
    for (int i = set.file_size(); i > 0; i--)
        *reversed.add_file() = set.file(i - 1);
    return reversed.SerializeAsString();
}

static void run_set(const char *name, Run *run) {
    std::ifstream stream(name, std::ios::binary);
    std::string bytes((std::istreambuf_iterator<char>(stream)),
                      std::istreambuf_iterator<char>());
    FileDescriptorSet set;
    if (!stream || !set.ParseFromString(bytes)) {
        fail(name, "is not a FileDescriptorSet");
        return;
    }
    bool may_refuse = any_message(set, is_message_set);
    for (const std::string &order : {in_reverse(set), bytes}) {
        pbt_schema *schema = nullptr;
        pbt_error error = {};
        pbt_status status =
            pbt_schema_load(order.data(), order.size(), &schema, &error);
        if (status == PBT_ERR_UNSUPPORTED && may_refuse)
            run->n_refused++;
        else if (status != PBT_OK)
            fail(name, std::string(pbt_status_name(status)) + ": " +
                           error.path + ": " + error.message);
        if (status == PBT_OK && order == bytes)
            compare_set(name, set, schema, run);
        pbt_schema_free(schema);
    }
}

} // namespace oracle

int main(int argc, char **argv) {
    oracle::Run run;
    google::protobuf::SetLogHandler(nullptr);
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--seed") && i + 1 < argc)
            run.seed = strtoull(argv[++i], nullptr, 10);
        else if (!strcmp(argv[i], "--messages") && i + 1 < argc)
            run.messages = (unsigned) atoi(argv[++i]);
        else
            oracle::run_set(argv[i], &run);
    }
    printf(
        "%lu types, %lu loads refused; messages: %lu accepted, %lu rejected, "
        "%lu with the same bytes, %lu with NUL in text; as JSON: %lu the same, "
        "%lu with two fields of one name; %d failures\n",
        run.n_types, run.n_refused, run.counts.accepted, run.counts.rejected,
        run.counts.equal_bytes, run.counts.left_out, run.counts.json_equal,
        run.counts.json_left_out, oracle::failures());
    return oracle::failures() || !run.counts.equal_bytes ||
           !run.counts.json_equal;
}
