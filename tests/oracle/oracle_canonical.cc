// oracle_canonical.cc - what protobuf-c's structs can say, in C++ messages.
#include <vector>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <google/protobuf/unknown_field_set.h>

#include "oracle.h"

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// The library lets this name of its Python binding reach the map in a map
// field. Until the map has been asked for, a parsed field is a list of entries.
namespace google {
namespace protobuf {
namespace python {
class MapReflectionFriend {
  public:
    static void make_map(Message *message, const FieldDescriptor *field) {
        message->GetReflection()->MapSize(*message, field);
    }
};
} // namespace python
} // namespace protobuf
} // namespace google

namespace oracle {

// Calls visit(sub-message) for each sub-message that is present.
template <typename Visit> static void for_each(Message *message, Visit visit) {
    const Reflection *reflection = message->GetReflection();
    std::vector<const FieldDescriptor *> fields;
    reflection->ListFields(*message, &fields);
    for (const FieldDescriptor *field : fields) {
        if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE)
            continue;
        if (!field->is_repeated()) {
            visit(reflection->MutableMessage(message, field));
            continue;
        }
        int size = reflection->FieldSize(*message, field);
        for (int i = 0; i < size; i++)
            visit(reflection->MutableRepeatedMessage(message, field, i));
    }
}

void set_default(Message *message, const FieldDescriptor *field) {
    const Reflection *reflection = message->GetReflection();
    switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
        reflection->SetInt32(message, field, field->default_value_int32());
        break;
    case FieldDescriptor::CPPTYPE_INT64:
        reflection->SetInt64(message, field, field->default_value_int64());
        break;
    case FieldDescriptor::CPPTYPE_UINT32:
        reflection->SetUInt32(message, field, field->default_value_uint32());
        break;
    case FieldDescriptor::CPPTYPE_UINT64:
        reflection->SetUInt64(message, field, field->default_value_uint64());
        break;
    case FieldDescriptor::CPPTYPE_DOUBLE:
        reflection->SetDouble(message, field, field->default_value_double());
        break;
    case FieldDescriptor::CPPTYPE_FLOAT:
        reflection->SetFloat(message, field, field->default_value_float());
        break;
    case FieldDescriptor::CPPTYPE_BOOL:
        reflection->SetBool(message, field, field->default_value_bool());
        break;
    case FieldDescriptor::CPPTYPE_ENUM:
        reflection->SetEnum(message, field, field->default_value_enum());
        break;
    case FieldDescriptor::CPPTYPE_STRING:
        reflection->SetString(message, field, field->default_value_string());
        break;
    case FieldDescriptor::CPPTYPE_MESSAGE:
        reflection->MutableMessage(message, field);
        break;
    }
}

// Unknown numbers of closed enums: pbturbo keeps them as the 32 bits that an
// enum has, C++ those of packed fields as they were sent.
static void trim_enums(Message *message) {
    const Reflection *reflection = message->GetReflection();
    auto unknown = reflection->MutableUnknownFields(message);
    for (int i = 0; i < unknown->field_count(); i++) {
        auto item = unknown->mutable_field(i);
        auto field =
            message->GetDescriptor()->FindFieldByNumber(item->number());
        if (!field)
            field = reflection->FindKnownExtensionByNumber(item->number());
        if (field && field->enum_type() &&
            item->type() == google::protobuf::UnknownField::TYPE_VARINT)
            item->set_varint((uint64_t) (int32_t) item->varint());
    }
}

void complete(Message *message) {
    const google::protobuf::Descriptor *type = message->GetDescriptor();
    for_each(message, complete);
    trim_enums(message);
    for (int i = 0; i < type->field_count(); i++) {
        const FieldDescriptor *field = type->field(i);
        if (field->is_required() &&
            !message->GetReflection()->HasField(*message, field))
            set_default(message, field);
    }
}

static void make_maps(Message *message) {
    const Reflection *reflection = message->GetReflection();
    std::vector<const FieldDescriptor *> fields;
    for_each(message, make_maps);
    reflection->ListFields(*message, &fields);
    for (const FieldDescriptor *field : fields)
        if (field->is_map())
            google::protobuf::python::MapReflectionFriend::make_map(message,
                                                                    field);
}

std::string canonical_bytes(Message *message) {
    std::string bytes;
    make_maps(message);
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream out(&stream);
    out.SetSerializationDeterministic(true);
    message->SerializePartialToCodedStream(&out);
    out.Trim();
    return bytes;
}

static bool has_nul(const std::string &text) {
    return text.find('\0') != std::string::npos;
}

bool holds_nul(const Message &message) {
    const Reflection *reflection = message.GetReflection();
    std::vector<const FieldDescriptor *> fields;
    reflection->ListFields(message, &fields);
    for (const FieldDescriptor *field : fields) {
        int size =
            field->is_repeated() ? reflection->FieldSize(message, field) : 1;
        for (int i = 0; i < size; i++) {
            bool repeated = field->is_repeated();
            if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE &&
                holds_nul(
                    repeated ? reflection->GetRepeatedMessage(message, field, i)
                             : reflection->GetMessage(message, field)))
                return true;
            if (field->type() == FieldDescriptor::TYPE_STRING &&
                has_nul(repeated
                            ? reflection->GetRepeatedString(message, field, i)
                            : reflection->GetString(message, field)))
                return true;
        }
    }
    return false;
}

} // namespace oracle
