/* reflect_check.c - the first missing required field, in field order. */
#include "reflect_walk.h"

static pbt_status check_message(pbti_walk *walk, pbti_link *link);

static PBTI_NOINLINE pbt_status fail_missing(pbti_walk *walk) {
    return pbti_reflect_fail(walk, PBT_ERR_REQUIRED,
                             "a required field is missing");
}

static PBTI_APART pbt_status check_plain(pbti_walk *walk, pbti_link *link,
                                         pbt_reflect_field *field) {
    pbt_reflect_value value;
    pbt_status status = pbti_reflect_value(walk, link, field, 0, &value);
    return status == PBT_OK && value.absent ? fail_missing(walk) : status;
}

static pbt_status check_sub(pbti_walk *walk, pbti_link *link,
                            pbt_reflect_field *field, size_t index) {
    pbti_link child;
    pbt_status status = pbti_reflect_enter(walk, link, field, index, &child);
    if (status != PBT_OK)
        return status;
    if (child.absent)
        return field->traits & PBT_REFLECT_REQUIRED ? fail_missing(walk)
                                                    : PBT_OK;
    status = check_message(walk, &child);
    if (status == PBT_OK)
        pbti_reflect_leave(walk, link);
    return status;
}

static pbt_status check_field(pbti_walk *walk, pbti_link *link, size_t index) {
    pbt_reflect_field field;
    size_t i;
    pbt_status status = pbti_reflect_field(walk, link, index, &field);
    if (status != PBT_OK)
        return status;
    if (field.count == 0)
        return field.traits & PBT_REFLECT_REQUIRED ? fail_missing(walk)
                                                   : PBT_OK;
    if (!pbti_reflect_is_message(&field))
        return field.traits & PBT_REFLECT_REQUIRED
                   ? check_plain(walk, link, &field)
                   : PBT_OK;
    status = pbti_reflect_check_count(walk, link, &field);
    for (i = 0; status == PBT_OK && i < field.count; i++)
        status = check_sub(walk, link, &field, i);
    return status;
}

/* Of a message that is open. */
static pbt_status check_message(pbti_walk *walk, pbti_link *link) {
    pbt_status status = PBT_OK;
    size_t i;
    for (i = 0; status == PBT_OK && i < link->n_fields; i++)
        status = check_field(walk, link, i);
    return status;
}

pbt_status pbti_reflect_find_missing(pbti_walk *walk) {
    pbt_status status = pbti_reflect_open(walk, &walk->root);
    return status == PBT_OK ? check_message(walk, &walk->root) : status;
}
