// oracle_tame.cc - see oracle_tame.h.
#include "oracle_tame.h"

#include <cmath>
#include <limits>
#include <memory>
#include <set>

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/unknown_field_set.h>

#include <pbturbo/json.h>

#include "fuzz_gen.h"
#include "oracle.h"

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

namespace oracle {

static const char any_prefix[] = "type.googleapis.com/";

static std::vector<const FieldDescriptor *> fields_of(const Message &message) {
    std::vector<const FieldDescriptor *> fields;
    message.GetReflection()->ListFields(message, &fields);
    return fields;
}

// Calls visit(sub-message) for each sub-message of a field.
template <typename Visit>
static void each_in(Message *message, const FieldDescriptor *field,
                    Visit visit) {
    const Reflection *reflection = message->GetReflection();
    if (!field->is_repeated()) {
        visit(reflection->MutableMessage(message, field));
        return;
    }
    int size = reflection->FieldSize(*message, field);
    for (int i = 0; i < size; i++)
        visit(reflection->MutableRepeatedMessage(message, field, i));
}

static bool is_called(const Message &message, const char *name) {
    return message.GetDescriptor()->full_name() ==
           std::string("google.protobuf.") + name;
}

// Timestamp, or Duration.
static void tame_time(Message *message, rng *r, bool is_duration) {
    const Reflection *reflection = message->GetReflection();
    const Descriptor *type = message->GetDescriptor();
    const int64_t low = is_duration ? 0 : INT64_C(-62135596800);
    const int64_t high =
        is_duration ? INT64_C(315576000000) : INT64_C(253402300799);
    static const uint32_t units[] = {1, 1000, 1000000, 999999999};
    uint64_t span = (uint64_t) (high - low) + 1;
    int64_t seconds = low + (int64_t) (rng_next(r) % span);
    uint32_t unit = units[rng_below(r, 4)];
    int32_t nanos = (int32_t) (rng_below(r, 1000000000) / unit * unit);
    if (is_duration && seconds == high)
        nanos = 0;
    if (is_duration && rng_chance(r, 20))
        seconds = 0;
    if (is_duration && rng_chance(r, 50)) {
        seconds = -seconds;
        nanos = -nanos;
    }
    reflection->SetInt64(message, type->FindFieldByNumber(1), seconds);
    reflection->SetInt32(message, type->FindFieldByNumber(2), nanos);
}

static void tame_mask(Message *message, rng *r) {
    static const char *const paths[] = {"a", "foo_bar.baz", "x.y.z_z",
                                        "user.display_name", "a1.b2_c"};
    const FieldDescriptor *field = message->GetDescriptor()->field(0);
    const Reflection *reflection = message->GetReflection();
    int size = reflection->FieldSize(*message, field);
    for (int i = 0; i < size; i++)
        reflection->SetRepeatedString(message, field, i,
                                      paths[rng_below(r, 5)]);
}

static void tame_value(Message *message) {
    const Reflection *reflection = message->GetReflection();
    const Descriptor *type = message->GetDescriptor();
    auto kind =
        reflection->GetOneofFieldDescriptor(*message, type->oneof_decl(0));
    if (!kind)
        reflection->SetEnumValue(message, type->FindFieldByNumber(1), 0);
    else if (kind->number() == 2 &&
             !std::isfinite(reflection->GetDouble(*message, kind)))
        reflection->SetDouble(message, kind, 1.5);
}

static void tame_any(Message *message, rng *r, const Types &types, int depth) {
    const Reflection *reflection = message->GetReflection();
    const Descriptor *type = message->GetDescriptor();
    message->Clear();
    if (!depth || types.for_any.empty() || rng_chance(r, 10))
        return;
    const Descriptor *chosen =
        types.for_any[rng_below(r, (uint32_t) types.for_any.size())];
    std::unique_ptr<Message> payload(
        types.factory->GetPrototype(chosen)->New());
    std::string bytes;
    random_message(payload.get(), &bytes, r, types, depth - 1);
    reflection->SetString(message, type->FindFieldByNumber(1),
                          any_prefix + chosen->full_name());
    reflection->SetString(message, type->FindFieldByNumber(2),
                          payload->SerializePartialAsString());
}

// Is it a well-known type that random numbers would make invalid?
static bool tame_known(Message *message, rng *r, const Types &types,
                       int depth) {
    if (is_called(*message, "Timestamp"))
        tame_time(message, r, false);
    else if (is_called(*message, "Duration"))
        tame_time(message, r, true);
    else if (is_called(*message, "FieldMask"))
        tame_mask(message, r);
    else if (is_called(*message, "Value"))
        tame_value(message);
    else if (is_called(*message, "Any"))
        tame_any(message, r, types, depth);
    else
        return false;
    return true;
}

// All values of NullValue are null in JSON, and are read as its only one.
static void tame_null(Message *message, const FieldDescriptor *field) {
    const Reflection *reflection = message->GetReflection();
    if (!field->is_repeated()) {
        reflection->SetEnumValue(message, field, 0);
        return;
    }
    int size = reflection->FieldSize(*message, field);
    for (int i = 0; i < size; i++)
        reflection->SetRepeatedEnumValue(message, field, i, 0);
}

// Strings that protobuf-c keeps as bytes are not text.
static bool tame_text(Message *message, const FieldDescriptor *field) {
    const Reflection *reflection = message->GetReflection();
    bool changed = false;
    int size =
        field->is_repeated() ? reflection->FieldSize(*message, field) : 1;
    for (int i = 0; i < size; i++) {
        std::string text =
            field->is_repeated()
                ? reflection->GetRepeatedString(*message, field, i)
                : reflection->GetString(*message, field);
        if (google::protobuf::internal::IsStructurallyValidUTF8(text))
            continue;
        for (char &c : text)
            c &= 0x7f;
        if (field->is_repeated())
            reflection->SetRepeatedString(message, field, i, text);
        else
            reflection->SetString(message, field, text);
        changed = true;
    }
    return changed;
}

// The value of a map entry need not be there, and is an empty message then.
// That is not enough if something is required of it, or if it is a Value.
static bool tame_entry(Message *entry) {
    const Reflection *reflection = entry->GetReflection();
    const FieldDescriptor *value = entry->GetDescriptor()->FindFieldByNumber(2);
    if (!value->message_type() || reflection->HasField(*entry, value) ||
        (reflection->GetMessage(*entry, value).IsInitialized() &&
         !is_called(reflection->GetMessage(*entry, value), "Value")))
        return false;
    complete(reflection->MutableMessage(entry, value));
    return true;
}

// Returns whether there was anything to do.
static bool tame(Message *message, rng *r, const Types &types, int depth) {
    bool changed = tame_known(message, r, types, depth);
    if (is_called(*message, "Any"))
        return changed;
    if (message->GetDescriptor()->options().map_entry())
        changed |= tame_entry(message);
    for (const FieldDescriptor *field : fields_of(*message)) {
        if (field->is_extension() ||
            field->type() == FieldDescriptor::TYPE_GROUP) {
            message->GetReflection()->ClearField(message, field);
            changed = true;
        } else if (field->enum_type() && field->enum_type()->full_name() ==
                                             "google.protobuf.NullValue") {
            tame_null(message, field);
            changed = true;
        } else if (field->type() == FieldDescriptor::TYPE_STRING) {
            changed |= tame_text(message, field);
        } else if (field->message_type()) {
            each_in(message, field, [&](Message *sub) {
                changed |= tame(sub, r, types, depth);
            });
        }
    }
    return changed;
}

void random_message(Message *message, std::string *bytes, rng *r,
                    const Types &types, int depth) {
    const std::string &name = message->GetDescriptor()->full_name();
    fuzz_bytes raw = {};
    fuzz_shape shape = {};
    shape.plain = true;
    shape.fields = 1 + rng_below(r, 50);
    shape.depth = rng_below(r, 6);
    fuzz_message(&raw, r, pbt_schema_message(types.schema, name.c_str()),
                 &shape);
    bytes->assign((const char *) raw.data, raw.len);
    fuzz_free(&raw);
    if (!message->ParsePartialFromString(*bytes))
        fail(name, "C++ does not understand a plain message");
    bool changed = tame(message, r, types, depth);
    for (; !message->IsInitialized(); changed = true)
        complete(message);
    if (changed)
        *bytes = message->SerializePartialAsString();
}

template <typename Float> static Float plain(Float value) {
    if (std::isnan(value))
        return std::numeric_limits<Float>::quiet_NaN();
    return value == 0 ? 0 : value;
}

static void flatten_number(Message *message, const FieldDescriptor *field) {
    const Reflection *reflection = message->GetReflection();
    bool is_float = field->cpp_type() == FieldDescriptor::CPPTYPE_FLOAT;
    int size =
        field->is_repeated() ? reflection->FieldSize(*message, field) : 0;
    for (int i = 0; i < size; i++) {
        if (is_float)
            reflection->SetRepeatedFloat(
                message, field, i,
                plain(reflection->GetRepeatedFloat(*message, field, i)));
        else
            reflection->SetRepeatedDouble(
                message, field, i,
                plain(reflection->GetRepeatedDouble(*message, field, i)));
    }
    if (!field->is_repeated() && is_float)
        reflection->SetFloat(message, field,
                             plain(reflection->GetFloat(*message, field)));
    else if (!field->is_repeated())
        reflection->SetDouble(message, field,
                              plain(reflection->GetDouble(*message, field)));
}

static void flatten_any(Message *message, const Types &types, uint32_t flags) {
    const Reflection *reflection = message->GetReflection();
    const Descriptor *type = message->GetDescriptor();
    const FieldDescriptor *value = type->FindFieldByNumber(2);
    std::string url =
        reflection->GetString(*message, type->FindFieldByNumber(1));
    const Descriptor *inner =
        types.pool->FindMessageTypeByName(url.substr(url.rfind('/') + 1));
    if (!inner)
        return;
    std::unique_ptr<Message> payload(types.factory->GetPrototype(inner)->New());
    if (!payload->ParsePartialFromString(
            reflection->GetString(*message, value)))
        fail(inner->full_name(), "C++ does not understand a payload");
    flatten(payload.get(), types, flags);
    reflection->SetString(message, value, canonical_bytes(payload.get()));
}

// An unset field is written as a value that is not that of an unset field.
static void flatten_unset(Message *message, const FieldDescriptor *field,
                          uint32_t flags) {
    const Reflection *reflection = message->GetReflection();
    if (field->is_repeated() || field->containing_oneof() ||
        reflection->HasField(*message, field))
        return;
    if ((flags & PBT_JSON_EMIT_DEFAULT_SCALARS) && field->has_default_value()) {
        set_default(message, field);
        // To protobuf-c a default ends at a NUL, too.
        if (field->type() == FieldDescriptor::TYPE_STRING)
            reflection->SetString(message, field,
                                  field->default_value_string().c_str());
    }
}

static void flatten_fields(Message *message, const Types &types,
                           uint32_t flags) {
    const Reflection *reflection = message->GetReflection();
    const Descriptor *type = message->GetDescriptor();
    reflection->MutableUnknownFields(message)->Clear();
    // Where the value of an entry is missing, an empty message is meant.
    if (type->options().map_entry() &&
        type->FindFieldByNumber(2)->message_type())
        reflection->MutableMessage(message, type->FindFieldByNumber(2));
    for (int i = 0; i < type->field_count(); i++)
        flatten_unset(message, type->field(i), flags);
    for (const FieldDescriptor *field : fields_of(*message)) {
        if (field->message_type())
            each_in(message, field,
                    [&](Message *sub) { flatten_fields(sub, types, flags); });
        else if (field->cpp_type() == FieldDescriptor::CPPTYPE_FLOAT ||
                 field->cpp_type() == FieldDescriptor::CPPTYPE_DOUBLE)
            flatten_number(message, field);
    }
    if (is_called(*message, "Any"))
        flatten_any(message, types, flags);
}

void flatten(Message *message, const Types &types, uint32_t flags) {
    complete(message);
    flatten_fields(message, types, flags);
}

static bool has_clash(const Descriptor *type,
                      std::set<const Descriptor *> *seen) {
    std::set<std::string> names;
    if (!seen->insert(type).second)
        return false;
    for (int i = 0; i < type->field_count(); i++) {
        const FieldDescriptor *field = type->field(i);
        if (!names.insert(field->json_name()).second ||
            (field->message_type() && has_clash(field->message_type(), seen)))
            return true;
    }
    return false;
}

bool has_clash(const Descriptor *type) {
    std::set<const Descriptor *> seen;
    return has_clash(type, &seen);
}

} // namespace oracle
