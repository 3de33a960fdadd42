/* shim_unpack_merge.c - a sub-message that occurs twice.
 *
 * compat: the later one stays, and of the earlier one it gets the arrays, which
 * come first, and what it does not have itself. protobuf-c looks at has-flags
 * and pointers for that, so these are lost: numbers without a has-flag,
 * required fields, unknown fields, a bytes field that is empty, and a string in
 * a oneof whose default is not NULL. In the later message, a bytes field that
 * is empty counts as absent. A oneof that is set in neither is a failure.
 *
 * Sub-messages that both have are merged in turn, without recursion: the
 * earlier one goes on a list, linked by its unknown fields, which nobody needs
 * any more, and with the later one in place of its descriptor.
 */
#include "base_ranges.h"
#include "shim_unpack.h"

typedef struct merger {
    const ProtobufCAllocator *allocator;
    ProtobufCMessage *pending; /* the first of the list */
} merger;

static void defer(merger *m, ProtobufCMessage *earlier,
                  const ProtobufCMessage *later) {
    pbti_free_unknown(earlier, m->allocator);
    memcpy(&earlier->descriptor, &later, sizeof later);
    memcpy(&earlier->unknown_fields, &m->pending, sizeof m->pending);
    m->pending = earlier;
}

/* Undoes that for the first of the list. */
static ProtobufCMessage *take_pending(merger *m, ProtobufCMessage **later) {
    ProtobufCMessage *earlier = m->pending;
    memcpy(later, &earlier->descriptor, sizeof *later);
    memcpy(&m->pending, &earlier->unknown_fields, sizeof m->pending);
    earlier->descriptor = (*later)->descriptor;
    earlier->unknown_fields = NULL;
    return earlier;
}

static bool join_arrays(const merger *m, char *earlier, char *later,
                        const ProtobufCFieldDescriptor *field) {
    size_t size = pbti_unpack_size(field->type);
    size_t n1 = pbti_load_size(earlier + field->quantifier_offset);
    size_t n2 = pbti_load_size(later + field->quantifier_offset);
    size_t n = n1 + n2;
    void *first, *second;
    char *both;
    memcpy(&first, earlier + field->offset, sizeof first);
    memcpy(&second, later + field->offset, sizeof second);
    both = n > SIZE_MAX / size ? NULL : pbti_alloc(m->allocator, n * size);
    if (!both)
        return false;
    memcpy(both, first, n1 * size);
    memcpy(both + n1 * size, second, n2 * size);
    pbti_free(m->allocator, first);
    pbti_free(m->allocator, second);
    memcpy(later + field->offset, &both, sizeof both);
    memcpy(later + field->quantifier_offset, &n, sizeof n);
    return true;
}

static bool merge_array(const merger *m, char *earlier, char *later,
                        const ProtobufCFieldDescriptor *field) {
    size_t n = pbti_load_size(earlier + field->quantifier_offset);
    if (n == 0)
        return true;
    if (pbti_load_size(later + field->quantifier_offset) > 0) {
        if (!join_arrays(m, earlier, later, field))
            return false;
    } else {
        memcpy(later + field->quantifier_offset, &n, sizeof n);
        memcpy(later + field->offset, earlier + field->offset, sizeof(void *));
    }
    memset(earlier + field->quantifier_offset, 0, sizeof n);
    memset(earlier + field->offset, 0, sizeof(void *));
    return true;
}

/* Is the later message to get the earlier one's member? */
static bool takes_text(const void *earlier, const void *later,
                       const void *unset) {
    return earlier != unset && later == unset;
}

static bool takes_bytes(const ProtobufCBinaryData *earlier,
                        const ProtobufCBinaryData *later,
                        const ProtobufCBinaryData *unset) {
    const uint8_t *nothing = unset ? unset->data : NULL;
    return earlier->data && earlier->data != nothing &&
           (!later->data || later->data == nothing);
}

/* Two messages are put on the list. */
static bool takes_message(merger *m, ProtobufCMessage *earlier,
                          ProtobufCMessage *later, const void *unset) {
    if (!earlier || earlier == unset)
        return false;
    if (!later || later == unset)
        return true;
    defer(m, earlier, later);
    return false;
}

static bool takes_number(const char *earlier, const char *later,
                         uint32_t quantifier) {
    return quantifier != 0 && pbti_load32(earlier + quantifier) != 0 &&
           pbti_load32(later + quantifier) == 0;
}

static bool takes_member(merger *m, const char *earlier, const char *later,
                         const ProtobufCFieldDescriptor *field) {
    const char *from = earlier + field->offset, *to = later + field->offset;
    ProtobufCBinaryData bytes1, bytes2;
    ProtobufCMessage *message1, *message2;
    if (field->type == PROTOBUF_C_TYPE_STRING)
        return takes_text(pbti_load_pointer(from), pbti_load_pointer(to),
                          field->default_value);
    if (field->type == PROTOBUF_C_TYPE_BYTES) {
        memcpy(&bytes1, from, sizeof bytes1);
        memcpy(&bytes2, to, sizeof bytes2);
        return takes_bytes(&bytes1, &bytes2, field->default_value);
    }
    if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
        memcpy(&message1, from, sizeof message1);
        memcpy(&message2, to, sizeof message2);
        return takes_message(m, message1, message2, field->default_value);
    }
    return takes_number(earlier, later, field->quantifier_offset);
}

static void move_member(char *earlier, char *later,
                        const ProtobufCFieldDescriptor *field) {
    size_t size = pbti_unpack_size(field->type);
    memcpy(later + field->offset, earlier + field->offset, size);
    memset(earlier + field->offset, 0, size);
    if (field->quantifier_offset == 0)
        return;
    memcpy(later + field->quantifier_offset, earlier + field->quantifier_offset,
           sizeof(uint32_t));
    memset(earlier + field->quantifier_offset, 0, sizeof(uint32_t));
}

/* The member of a oneof that the earlier message has; NULL for none. */
static const ProtobufCFieldDescriptor *
earlier_member(const ProtobufCMessageDescriptor *type, const char *earlier,
               const ProtobufCFieldDescriptor *field) {
    int i =
        pbti_range_index(type->n_field_ranges, type->field_ranges,
                         (int) pbti_load32(earlier + field->quantifier_offset));
    return i < 0 ? NULL : &type->fields[i];
}

static bool merge_field(merger *m, char *earlier, char *later,
                        const ProtobufCMessageDescriptor *type,
                        const ProtobufCFieldDescriptor *field) {
    if (field->label == PROTOBUF_C_LABEL_REPEATED)
        return merge_array(m, earlier, later, field);
    if (field->label == PROTOBUF_C_LABEL_REQUIRED)
        return true;
    if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) {
        if (pbti_load32(later + field->quantifier_offset) != 0)
            return true;
        field = earlier_member(type, earlier, field);
        if (!field)
            return false;
    }
    if (takes_member(m, earlier, later, field))
        move_member(earlier, later, field);
    return true;
}

static bool merge_one(merger *m, ProtobufCMessage *earlier,
                      ProtobufCMessage *later) {
    const ProtobufCMessageDescriptor *type = later->descriptor;
    unsigned i;
    for (i = 0; i < type->n_fields; i++)
        if (!merge_field(m, (char *) earlier, (char *) later, type,
                         &type->fields[i]))
            return false;
    return true;
}

bool pbti_merge_messages(ProtobufCMessage *earlier, ProtobufCMessage *later,
                         const ProtobufCAllocator *allocator) {
    merger m = {.allocator = allocator};
    bool good = merge_one(&m, earlier, later);
    while (m.pending) {
        earlier = take_pending(&m, &later);
        good = good && merge_one(&m, earlier, later);
    }
    return good;
}
