// oracle_types.cc - loaded types against C++ descriptors.
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#include <google/protobuf/descriptor.pb.h>

#include "oracle.h"

using google::protobuf::Descriptor;
using google::protobuf::EnumDescriptor;
using google::protobuf::FieldDescriptor;

namespace oracle {

static ProtobufCType type_of(const FieldDescriptor *field) {
    switch (field->type()) {
    case FieldDescriptor::TYPE_DOUBLE:
        return PROTOBUF_C_TYPE_DOUBLE;
    case FieldDescriptor::TYPE_FLOAT:
        return PROTOBUF_C_TYPE_FLOAT;
    case FieldDescriptor::TYPE_INT64:
        return PROTOBUF_C_TYPE_INT64;
    case FieldDescriptor::TYPE_UINT64:
        return PROTOBUF_C_TYPE_UINT64;
    case FieldDescriptor::TYPE_INT32:
        return PROTOBUF_C_TYPE_INT32;
    case FieldDescriptor::TYPE_FIXED64:
        return PROTOBUF_C_TYPE_FIXED64;
    case FieldDescriptor::TYPE_FIXED32:
        return PROTOBUF_C_TYPE_FIXED32;
    case FieldDescriptor::TYPE_BOOL:
        return PROTOBUF_C_TYPE_BOOL;
    case FieldDescriptor::TYPE_STRING:
        return PROTOBUF_C_TYPE_STRING;
    case FieldDescriptor::TYPE_BYTES:
        return PROTOBUF_C_TYPE_BYTES;
    case FieldDescriptor::TYPE_UINT32:
        return PROTOBUF_C_TYPE_UINT32;
    case FieldDescriptor::TYPE_ENUM:
        return PROTOBUF_C_TYPE_ENUM;
    case FieldDescriptor::TYPE_SFIXED32:
        return PROTOBUF_C_TYPE_SFIXED32;
    case FieldDescriptor::TYPE_SFIXED64:
        return PROTOBUF_C_TYPE_SFIXED64;
    case FieldDescriptor::TYPE_SINT32:
        return PROTOBUF_C_TYPE_SINT32;
    case FieldDescriptor::TYPE_SINT64:
        return PROTOBUF_C_TYPE_SINT64;
    default:
        return PROTOBUF_C_TYPE_MESSAGE;
    }
}

static ProtobufCLabel label_of(const FieldDescriptor *field) {
    if (field->is_required())
        return PROTOBUF_C_LABEL_REQUIRED;
    if (field->is_repeated())
        return PROTOBUF_C_LABEL_REPEATED;
    bool is_plain_proto3 =
        field->file()->syntax() ==
            google::protobuf::FileDescriptor::SYNTAX_PROTO3 &&
        !field->has_optional_keyword() && !field->is_extension();
    return is_plain_proto3 ? PROTOBUF_C_LABEL_NONE : PROTOBUF_C_LABEL_OPTIONAL;
}

static bool same_double(double a, double b) {
    return std::memcmp(&a, &b, sizeof a) == 0 ||
           (std::isnan(a) && std::isnan(b));
}

// Does a freshly initialized struct hold the field's default?
static bool holds_default(const FieldDescriptor *field, const void *member,
                          bool is_text) {
    switch (field->cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
        return *(const int32_t *) member == field->default_value_int32();
    case FieldDescriptor::CPPTYPE_INT64:
        return *(const int64_t *) member == field->default_value_int64();
    case FieldDescriptor::CPPTYPE_UINT32:
        return *(const uint32_t *) member == field->default_value_uint32();
    case FieldDescriptor::CPPTYPE_UINT64:
        return *(const uint64_t *) member == field->default_value_uint64();
    case FieldDescriptor::CPPTYPE_DOUBLE:
        return same_double(*(const double *) member,
                           field->default_value_double());
    case FieldDescriptor::CPPTYPE_FLOAT:
        return same_double(*(const float *) member,
                           field->default_value_float());
    case FieldDescriptor::CPPTYPE_BOOL:
        return *(const protobuf_c_boolean *) member ==
               (protobuf_c_boolean) field->default_value_bool();
    case FieldDescriptor::CPPTYPE_ENUM:
        return *(const int *) member == field->default_value_enum()->number();
    case FieldDescriptor::CPPTYPE_MESSAGE:
        return *(void *const *) member == nullptr;
    case FieldDescriptor::CPPTYPE_STRING:
        break;
    }
    const std::string &text = field->default_value_string();
    if (is_text) {
        const char *held = *(const char *const *) member;
        return held ? text.c_str() == std::string(held) : text.empty();
    }
    auto held = (const ProtobufCBinaryData *) member;
    return std::string((const char *) held->data, held->len) == text;
}

// protobuf_c_enum_descriptor_get_value does not find INT32_MAX.
static bool has_number(const ProtobufCEnumDescriptor *type, int number) {
    for (unsigned i = 0; i < type->n_values; i++)
        if (type->values[i].value == number)
            return number == INT32_MAX || protobuf_c_enum_descriptor_get_value(
                                              type, number) == &type->values[i];
    return false;
}

static void compare_enum(const std::string &where, const EnumDescriptor *want,
                         const ProtobufCEnumDescriptor *got) {
    if (!got || want->full_name() != got->name) {
        fail(where, "has another enum");
        return;
    }
    for (int i = 0; i < want->value_count(); i++) {
        auto name = want->value(i)->name().c_str();
        auto value = protobuf_c_enum_descriptor_get_value_by_name(got, name);
        if (!value || value->value != want->value(i)->number())
            fail(where, std::string("lacks the enum value ") + name);
        if (!has_number(got, want->value(i)->number()))
            fail(where, std::string("lacks the number of ") + name);
    }
}

// protobuf-c has an option that makes bytes of strings.
static bool may_be_bytes(const FieldDescriptor *want,
                         const ProtobufCFieldDescriptor *got) {
    return want->type() == FieldDescriptor::TYPE_STRING &&
           got->type == PROTOBUF_C_TYPE_BYTES &&
           (want->options().unknown_fields().field_count() > 0 ||
            want->file()->options().unknown_fields().field_count() > 0);
}

static void compare_field(const FieldDescriptor *want,
                          const ProtobufCFieldDescriptor *got,
                          const char *initialized) {
    std::string where = want->full_name();
    std::string name =
        want->is_extension() ? "[" + want->full_name() + "]" : want->name();
    uint32_t flags = 0;
    if (want->is_packed())
        flags |= PROTOBUF_C_FIELD_FLAG_PACKED;
    if (want->options().deprecated())
        flags |= PROTOBUF_C_FIELD_FLAG_DEPRECATED;
    if (want->real_containing_oneof())
        flags |= PROTOBUF_C_FIELD_FLAG_ONEOF;
    if (name != got->name)
        fail(where, std::string("is called ") + got->name);
    if (got->type != type_of(want) && !may_be_bytes(want, got))
        fail(where, "has another type");
    if (got->label != label_of(want) && !want->real_containing_oneof())
        fail(where, "has another label");
    if (got->flags != flags)
        fail(where, "has other flags");
    if (want->message_type() &&
        want->message_type()->full_name() !=
            ((const ProtobufCMessageDescriptor *) got->descriptor)->name)
        fail(where, "is of another message type");
    if (want->enum_type())
        compare_enum(where, want->enum_type(),
                     (const ProtobufCEnumDescriptor *) got->descriptor);
    if (!want->is_repeated() && !want->real_containing_oneof() &&
        !holds_default(want, initialized + got->offset,
                       got->type == PROTOBUF_C_TYPE_STRING))
        fail(where, "has another default");
}

void compare_type(const Descriptor *want,
                  const ProtobufCMessageDescriptor *got) {
    std::vector<const FieldDescriptor *> fields;
    want->file()->pool()->FindAllExtensions(want, &fields);
    for (int i = 0; i < want->field_count(); i++)
        fields.push_back(want->field(i));
    if (want->full_name() != got->name)
        fail(want->full_name(), std::string("is called ") + got->name);
    if (fields.size() != got->n_fields)
        fail(want->full_name(), "has another number of fields");
    auto initialized = (ProtobufCMessage *) std::malloc(got->sizeof_message);
    protobuf_c_message_init(got, initialized);
    for (const FieldDescriptor *field : fields) {
        auto found = protobuf_c_message_descriptor_get_field(
            got, (unsigned) field->number());
        if (found)
            compare_field(field, found, (const char *) initialized);
        else
            fail(field->full_name(), "is not there");
    }
    std::free(initialized);
}

} // namespace oracle
