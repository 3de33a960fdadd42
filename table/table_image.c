/* table_image.c - what a message of no fields looks like, and whether a type is
 * one that protobuf_c_message_unpack can read by slots. */
#include <stdlib.h>
#include <string.h>

#include "base_facts.h"
#include "base_ranges.h"
#include "table_build.h"

bool pbti_has_own_default(const ProtobufCFieldDescriptor *field) {
    return field->default_value && field->label != PROTOBUF_C_LABEL_REPEATED &&
           !pbti_is_oneof_member(field);
}

/* What message_init makes of a message, in memory with room to spare, because
 * the function knows another size than a descriptor that lies. NULL when it did
 * not stay within the message, or there is no memory. */
static char *run_init(const ProtobufCMessageDescriptor *type) {
    enum { SPARE = 4096 };
    size_t size = type->sizeof_message;
    char *message = calloc(1, size + SPARE);
    size_t i = 0;
    if (!message)
        return NULL;
    type->message_init((ProtobufCMessage *) (void *) message);
    while (i < SPARE && message[size + i] == 0)
        i++;
    if (i == SPARE)
        return message;
    free(message);
    return NULL;
}

static void fill_by_fields(char *image,
                           const ProtobufCMessageDescriptor *type) {
    unsigned i;
    for (i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        if (!pbti_has_own_default(field))
            continue;
        if (field->type == PROTOBUF_C_TYPE_STRING ||
            field->type == PROTOBUF_C_TYPE_MESSAGE)
            memcpy(image + field->offset, &field->default_value,
                   sizeof(void *));
        else
            memcpy(image + field->offset, field->default_value,
                   pbti_member_bytes(field));
    }
}

void pbti_fill_image(char *image, const ProtobufCMessageDescriptor *type) {
    char *message = type->message_init ? run_init(type) : NULL;
    if (message)
        memcpy(image, message, type->sizeof_message);
    else
        fill_by_fields(image, type);
    free(message);
}

static bool all_zero(const char *bytes, size_t n) {
    size_t i;
    for (i = 0; i < n; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

/* Does message_init leave what is in the image, or zeros if there is none? */
static bool starts_as_image(const ProtobufCMessageDescriptor *type,
                            const char *image) {
    const size_t head = sizeof type;
    char *message = run_init(type);
    size_t rest = type->sizeof_message - head;
    bool same = false;
    if (message && memcmp(message, &type, head) == 0)
        same = image ? memcmp(message + head, image + head, rest) == 0
                     : all_zero(message + head, rest);
    free(message);
    return same;
}

/* The bytes of a member in the image. */
static const char *initial_value(const char *image,
                                 const ProtobufCFieldDescriptor *field) {
    static const char zeros[sizeof(ProtobufCBinaryData)];
    return image ? image + field->offset : zeros;
}

/* A member that has memory of its own starts as the field's default, which is
 * how that is told from what was read. */
static bool starts_as_default(const ProtobufCFieldDescriptor *field,
                              const char *image) {
    const char *start = initial_value(image, field);
    const ProtobufCBinaryData *bytes;
    const void *data;
    if (field->type == PROTOBUF_C_TYPE_STRING)
        return pbti_load_pointer(start) == field->default_value;
    if (field->type == PROTOBUF_C_TYPE_BYTES) {
        bytes = field->default_value;
        data = pbti_load_pointer(start + offsetof(ProtobufCBinaryData, data));
        return data == (bytes ? bytes->data : NULL);
    }
    if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        return !field->default_value && !pbti_load_pointer(start);
    return true;
}

/* Members of oneofs and repeated fields start as zeros. */
static bool starts_empty(const ProtobufCFieldDescriptor *field,
                         const char *image) {
    size_t quantifier = field->label == PROTOBUF_C_LABEL_REPEATED
                            ? sizeof(size_t)
                            : sizeof(uint32_t);
    return !image ||
           (all_zero(image + field->offset, pbti_member_bytes(field)) &&
            all_zero(image + field->quantifier_offset, quantifier));
}

/* A field of a oneof, or an array. */
static bool shares_or_repeats(const ProtobufCFieldDescriptor *field) {
    return field->label == PROTOBUF_C_LABEL_REPEATED ||
           pbti_is_oneof_member(field);
}

/* protobuf-c sets a has-flag wherever a field without label or an optional one
 * has an offset for it; slots do so for optional values. */
static bool has_usual_flag(const ProtobufCFieldDescriptor *field) {
    bool wants = field->label == PROTOBUF_C_LABEL_OPTIONAL &&
                 field->type != PROTOBUF_C_TYPE_STRING &&
                 field->type != PROTOBUF_C_TYPE_MESSAGE;
    return field->label == PROTOBUF_C_LABEL_REQUIRED ||
           wants == (field->quantifier_offset != 0);
}

static bool is_usual_field(const ProtobufCMessageDescriptor *type,
                           const ProtobufCFieldDescriptor *field,
                           const char *image) {
    const pbti_field_facts *facts = pbti_field_fact(type, field);
    bool in_oneof = pbti_is_oneof_member(field);
    if (facts && (facts->is_group || facts->is_closed_enum))
        return false;
    if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) && !in_oneof)
        return false;
    if (in_oneof && field->default_value &&
        (!type->message_init || field->type == PROTOBUF_C_TYPE_MESSAGE))
        return false;
    if (shares_or_repeats(field))
        return starts_empty(field, image);
    return has_usual_flag(field) && starts_as_default(field, image);
}

/* The look-up that protobuf-c uses finds each field, and no others. */
static bool has_usual_ranges(const ProtobufCMessageDescriptor *type) {
    unsigned i;
    if (type->n_fields > 0 &&
        (!type->field_ranges || type->n_field_ranges == 0 ||
         type->field_ranges[type->n_field_ranges].orig_index != type->n_fields))
        return false;
    for (i = 0; i < type->n_fields; i++)
        if (pbti_range_index(type->n_field_ranges, type->field_ranges,
                             (int) type->fields[i].id) != (int) i)
            return false;
    return true;
}

bool pbti_is_usual(const ProtobufCMessageDescriptor *type, const char *image) {
    unsigned i;
    if (!has_usual_ranges(type))
        return false;
    for (i = 0; i < type->n_fields; i++)
        if (!is_usual_field(type, &type->fields[i], image))
            return false;
    return !type->message_init || starts_as_image(type, image);
}
