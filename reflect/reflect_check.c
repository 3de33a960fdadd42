/* reflect_check.c - the first missing required field, in field order. */
#include "reflect_walk.h"

static pbt_status check_message(pbti_walk *walk, pbti_link *link);

static pbt_status check_value(pbti_walk *walk, pbti_link *link,
                              const pbt_reflect_field *field, size_t index) {
    pbt_reflect_value value;
    pbti_link child;
    pbt_status status = pbti_reflect_value(walk, link, field, index, &value);
    if (status != PBT_OK)
        return status;
    if (value.absent && (field->traits & PBT_REFLECT_REQUIRED))
        return pbti_reflect_fail(walk, PBT_ERR_REQUIRED,
                                 "a required field is missing");
    if (value.absent || !pbti_reflect_is_message(field))
        return PBT_OK;
    status = pbti_reflect_enter(walk, link, &value, &child);
    if (status != PBT_OK)
        return status;
    status = check_message(walk, &child);
    if (status == PBT_OK)
        pbti_reflect_leave(walk, link);
    return status;
}

static pbt_status check_field(pbti_walk *walk, pbti_link *link, size_t index) {
    pbt_reflect_field field;
    size_t i;
    pbt_status status = pbti_reflect_field(walk, link, index, &field);
    if (status != PBT_OK || field.count == 0)
        return status;
    if (!(field.traits & PBT_REFLECT_REQUIRED) &&
        !pbti_reflect_is_message(&field))
        return PBT_OK;
    status = pbti_reflect_check_count(walk, link, &field);
    for (i = 0; status == PBT_OK && i < field.count; i++)
        status = check_value(walk, link, &field, i);
    return status;
}

static pbt_status check_message(pbti_walk *walk, pbti_link *link) {
    pbt_reflect_shape shape;
    size_t i;
    pbt_status status = pbti_reflect_open(walk, link, &shape);
    for (i = 0; status == PBT_OK && i < shape.n_fields; i++)
        status = check_field(walk, link, i);
    return status;
}

pbt_status pbti_reflect_find_missing(pbti_walk *walk) {
    return check_message(walk, &walk->root);
}
