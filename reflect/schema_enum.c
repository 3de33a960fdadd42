/* schema_enum.c - enum descriptors, as protoc-c makes them: values by number
 * without aliases, names with them. */
#include <stdlib.h>

#include "schema_build.h"

typedef struct sorted_value {
    const char *name;
    int32_t number;
    unsigned order; /* in the declaration */
    unsigned index; /* among the distinct values */
} sorted_value;

static int by_number(const void *left, const void *right) {
    const sorted_value *a = left;
    const sorted_value *b = right;
    if (a->number != b->number)
        return a->number < b->number ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static int by_name(const void *left, const void *right) {
    const sorted_value *a = left;
    const sorted_value *b = right;
    return strcmp(a->name, b->name);
}

/* Numbers the distinct values; returns how many there are. */
static unsigned number_values(sorted_value *values, size_t n) {
    unsigned index = 0;
    size_t i;
    for (i = 0; i < n; i++) {
        if (i > 0 && values[i].number != values[i - 1].number)
            index++;
        values[i].index = index;
    }
    return index + 1;
}

static pbt_status put_values(pbti_builder *b, pbti_enum *e,
                             const sorted_value *sorted, size_t n) {
    ProtobufCEnumDescriptor *type = e->type;
    ProtobufCEnumValue *values =
        pbti_arena_alloc(b->keep, (size_t) type->n_values * sizeof *values);
    size_t i;
    if (!values)
        return pbti_no_memory(b);
    for (i = 0; i < n; i++) {
        if (i > 0 && sorted[i].index == sorted[i - 1].index)
            continue;
        values[sorted[i].index] = (ProtobufCEnumValue){
            sorted[i].name,
            pbti_text_c_value(b->keep, e->file, type->name, sorted[i].name),
            sorted[i].number};
        if (!values[sorted[i].index].c_name)
            return pbti_no_memory(b);
    }
    type->values = values;
    return PBT_OK;
}

/* Runs of consecutive numbers, and one that says where the last ends. */
static pbt_status put_ranges(pbti_builder *b, ProtobufCEnumDescriptor *type) {
    const ProtobufCEnumValue *values = type->values;
    ProtobufCIntRange *ranges;
    unsigned n = 0;
    unsigned i;
    ranges = pbti_arena_alloc(b->keep,
                              ((size_t) type->n_values + 1) * sizeof *ranges);
    if (!ranges)
        return pbti_no_memory(b);
    for (i = 0; i < type->n_values; i++)
        if (i == 0 || (int64_t) values[i - 1].value + 1 != values[i].value)
            ranges[n++] = (ProtobufCIntRange){values[i].value, i};
    ranges[n] = (ProtobufCIntRange){0, type->n_values};
    type->n_value_ranges = n;
    type->value_ranges = ranges;
    return PBT_OK;
}

static pbt_status put_names(pbti_builder *b, ProtobufCEnumDescriptor *type,
                            sorted_value *sorted, size_t n) {
    ProtobufCEnumValueIndex *names =
        pbti_arena_alloc(b->keep, n * sizeof *names);
    size_t i;
    if (!names)
        return pbti_no_memory(b);
    qsort(sorted, n, sizeof *sorted, by_name);
    for (i = 0; i < n; i++)
        names[i] = (ProtobufCEnumValueIndex){sorted[i].name, sorted[i].index};
    type->n_value_names = (unsigned) n;
    type->values_by_name = names;
    return PBT_OK;
}

static pbt_status read_values(pbti_builder *b, const pbti_enum *e,
                              sorted_value *values) {
    const Pbti__EnumDescriptorProto *proto = e->proto;
    size_t i;
    for (i = 0; i < proto->n_value; i++) {
        values[i].name = pbti_text_copy(b->keep, proto->value[i]->name);
        values[i].number = proto->value[i]->number;
        values[i].order = (unsigned) i;
        if (!values[i].name)
            return pbti_no_memory(b);
        if (!proto->value[i]->has_number)
            return pbti_bad_element(b, PBT_ERR_BAD_DESCRIPTOR, e->file, "enum",
                                    e->symbol, NULL, "value %s has no number",
                                    values[i].name);
    }
    return PBT_OK;
}

static pbt_status check_values(pbti_builder *b, const pbti_enum *e,
                               const sorted_value *values, size_t n) {
    bool allows_alias = e->proto->options && e->proto->options->allow_alias;
    size_t i;
    for (i = 1; i < n && !allows_alias; i++)
        if (values[i].number == values[i - 1].number)
            return pbti_bad_element(
                b, PBT_ERR_BAD_DESCRIPTOR, e->file, "enum", e->symbol, NULL,
                "%s and %s have the same number, and it has no allow_alias",
                values[i - 1].name, values[i].name);
    return PBT_OK;
}

static pbt_status name_enum(pbti_builder *b, const pbti_enum *e) {
    ProtobufCEnumDescriptor *type = e->type;
    type->magic = PROTOBUF_C__ENUM_DESCRIPTOR_MAGIC;
    type->short_name = type->name + strlen(type->name) - e->symbol->len;
    type->c_name = pbti_text_c_name(b->keep, e->file, type->name);
    type->package_name = e->file->package;
    return type->c_name ? PBT_OK : pbti_no_memory(b);
}

pbt_status pbti_build_enum(pbti_builder *b, pbti_enum *e) {
    size_t n = e->proto->n_value;
    sorted_value *sorted;
    pbt_status status;
    if (n == 0)
        return pbti_bad_element(b, PBT_ERR_BAD_DESCRIPTOR, e->file, "enum",
                                e->symbol, NULL, "it has no values");
    e->first_value = e->proto->value[0]->number;
    if (!e->is_closed && e->first_value != 0)
        return pbti_bad_element(b, PBT_ERR_BAD_DESCRIPTOR, e->file, "enum",
                                e->symbol, NULL,
                                "the first value of an open enum must be 0");
    sorted = pbti_arena_alloc(b->scratch, n * sizeof *sorted);
    if (!sorted)
        return pbti_no_memory(b);
    status = name_enum(b, e);
    if (status == PBT_OK)
        status = read_values(b, e, sorted);
    if (status != PBT_OK)
        return status;
    qsort(sorted, n, sizeof *sorted, by_number);
    e->type->n_values = number_values(sorted, n);
    status = check_values(b, e, sorted, n);
    if (status == PBT_OK)
        status = put_values(b, e, sorted, n);
    if (status == PBT_OK)
        status = put_ranges(b, e->type);
    return status == PBT_OK ? put_names(b, e->type, sorted, n) : status;
}
