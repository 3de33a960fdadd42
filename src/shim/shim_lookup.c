/* shim_lookup.c - looking up fields, values and methods in descriptors. The
 * arrays of names are sorted, so all of them are searched by bisection. */
#include <string.h>

#include "base_ranges.h"
#include "shim.h"

/* Returns the i-th name of a descriptor in the order of names. */
typedef const char *name_at(const void *descriptor, unsigned i);

/* Returns the place of a name among n of them, or n. */
static unsigned find_name(const void *descriptor, name_at *get, unsigned n,
                          const char *name) {
    unsigned start = 0, end = n;
    while (start < end) {
        unsigned middle = start + (end - start) / 2;
        int order = strcmp(get(descriptor, middle), name);
        if (order == 0)
            return middle;
        if (order < 0)
            start = middle + 1;
        else
            end = middle;
    }
    return n;
}

static const char *value_name(const void *descriptor, unsigned i) {
    return ((const ProtobufCEnumDescriptor *) descriptor)
        ->values_by_name[i]
        .name;
}

static const char *field_name(const void *descriptor, unsigned i) {
    const ProtobufCMessageDescriptor *type = descriptor;
    return type->fields[type->fields_sorted_by_name[i]].name;
}

static const char *method_name(const void *descriptor, unsigned i) {
    const ProtobufCServiceDescriptor *service = descriptor;
    return service->methods[service->method_indices_by_name[i]].name;
}

PBTI_SHIM_API const ProtobufCEnumValue *
protobuf_c_enum_descriptor_get_value_by_name(
    const ProtobufCEnumDescriptor *desc, const char *name) {
    unsigned i;
    if (!desc || !desc->values_by_name)
        return NULL;
    i = find_name(desc, value_name, desc->n_value_names, name);
    if (i == desc->n_value_names)
        return NULL;
    return &desc->values[desc->values_by_name[i].index];
}

PBTI_SHIM_API const ProtobufCEnumValue *
protobuf_c_enum_descriptor_get_value(const ProtobufCEnumDescriptor *desc,
                                     int value) {
    int i = pbti_range_index(desc->n_value_ranges, desc->value_ranges, value);
    return i < 0 ? NULL : &desc->values[i];
}

PBTI_SHIM_API const ProtobufCFieldDescriptor *
protobuf_c_message_descriptor_get_field_by_name(
    const ProtobufCMessageDescriptor *desc, const char *name) {
    unsigned i;
    if (!desc || !desc->fields_sorted_by_name)
        return NULL;
    i = find_name(desc, field_name, desc->n_fields, name);
    if (i == desc->n_fields)
        return NULL;
    return &desc->fields[desc->fields_sorted_by_name[i]];
}

PBTI_SHIM_API const ProtobufCFieldDescriptor *
protobuf_c_message_descriptor_get_field(const ProtobufCMessageDescriptor *desc,
                                        unsigned value) {
    int i =
        pbti_range_index(desc->n_field_ranges, desc->field_ranges, (int) value);
    return i < 0 ? NULL : &desc->fields[i];
}

PBTI_SHIM_API const ProtobufCMethodDescriptor *
protobuf_c_service_descriptor_get_method_by_name(
    const ProtobufCServiceDescriptor *desc, const char *name) {
    unsigned i;
    if (!desc || !desc->method_indices_by_name)
        return NULL;
    i = find_name(desc, method_name, desc->n_methods, name);
    if (i == desc->n_methods)
        return NULL;
    return &desc->methods[desc->method_indices_by_name[i]];
}
