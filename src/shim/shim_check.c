/* shim_check.c - protobuf_c_message_check over a table.
 *
 * The walk says yes, or that it is in doubt: then the plain check decides,
 * whose verdict is protobuf-c's in every odd case. It asks for more than
 * protobuf-c does, so a yes is right.
 */
#include "shim.h"
#include "shim_plain.h"

static bool is_sound(const ProtobufCMessage *message, const pbti_table *table);

static bool is_sound_sub(const pbti_row *row, const void *message) {
    const ProtobufCMessage *sub = message;
    if (!sub)
        return false;
    if (PBTI_LIKELY(sub->descriptor == row->u.sub->type))
        return is_sound(sub, row->u.sub);
    return pbti_plain_check(sub);
}

static bool is_sound_bytes(const void *member) {
    ProtobufCBinaryData bytes;
    memcpy(&bytes, member, sizeof bytes);
    return bytes.len == 0 || bytes.data;
}

/* Of an array with elements. */
static bool is_sound_array(const char *msg, const pbti_row *row) {
    const char *array = pbti_load_pointer(msg + row->data);
    size_t n = pbti_count_at(msg, row->presence, row->mask);
    size_t i;
    if (!array)
        return false;
    for (i = 0; i < n; i++) {
        const void *pointer;
        if (row->op == PBTI_OP_BYTES_REPEATED) {
            if (!is_sound_bytes(array + i * sizeof(ProtobufCBinaryData)))
                return false;
            continue;
        }
        pointer = pbti_load_pointer(array + i * sizeof(void *));
        if (row->op == PBTI_OP_STRING_REPEATED ? !pointer
                                               : !is_sound_sub(row, pointer))
            return false;
    }
    return true;
}

/* A field that may be present. */
static bool is_sound_field(const char *msg, const pbti_row *row) {
    const void *pointer;
    switch ((pbti_op) row->op) {
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    case PBTI_OP_##name:                                                       \
        return true;                                                           \
    case PBTI_OP_##name##_REPEATED:                                            \
    case PBTI_OP_##name##_PACKED:                                              \
        return pbti_load_pointer(msg + row->data) != NULL;
#include "table_kinds.def"
    case PBTI_OP_STRING:
    case PBTI_OP_STRING_IMPLICIT:
    case PBTI_OP_UNKNOWN:
    case PBTI_OP_ROOM:
    case PBTI_OP_BLOCK:
    case PBTI_OP_ABSENT:
        return true;
    case PBTI_OP_STRING_REQUIRED:
        return pbti_load_pointer(msg + row->data) != NULL;
    case PBTI_OP_BYTES:
        return is_sound_bytes(msg + row->data);
    case PBTI_OP_STRING_REPEATED:
    case PBTI_OP_BYTES_REPEATED:
    case PBTI_OP_MESSAGE_REPEATED:
    case PBTI_OP_MAP:
        return is_sound_array(msg, row);
    case PBTI_OP_MESSAGE:
    case PBTI_OP_MESSAGE_DEFAULTED:
        pointer = pbti_load_pointer(msg + row->data);
        return !pointer || is_sound_sub(row, pointer);
    case PBTI_OP_MESSAGE_REQUIRED:
        return is_sound_sub(row, pbti_load_pointer(msg + row->data));
    case PBTI_OP_ONEOF:
        row = pbti_oneof_row(row->u.oneof, pbti_load32(msg + row->data));
        return !row || is_sound_field(msg, row);
    /* not in a table of a compiled type, or not in its rows */
    case PBTI_OP_GROUP:
    case PBTI_OP_GROUP_REQUIRED:
    case PBTI_OP_GROUP_REPEATED:
    case PBTI_OP_OR_ZERO:
    case PBTI_OP_RESUME:
    case PBTI_OP_RETURN:
    case PBTI_OP_END:
    case PBTI_N_OPS:
        return false;
    }
    return false;
}

#define OP_BIT(name) (UINT64_C(1) << PBTI_OP_##name)
_Static_assert(PBTI_N_OPS <= 64, "a bit for each operation");

/* Rows in which nothing can be wrong; most rows are of them. */
static const uint64_t harmless =
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    OP_BIT(name) |
#include "table_kinds.def"
    OP_BIT(STRING) | OP_BIT(STRING_IMPLICIT) | OP_BIT(UNKNOWN) | OP_BIT(ROOM) |
    OP_BIT(BLOCK) | OP_BIT(ABSENT);

static bool is_sound(const ProtobufCMessage *message, const pbti_table *table) {
    const char *msg = (const char *) message;
    const pbti_row *row;
    for (row = table->rows;; row++) {
        if ((harmless >> row->op) & 1)
            continue;
        if (row->op == PBTI_OP_END)
            return true;
        if (pbti_has_bits(msg, row->presence, row->mask) &&
            !is_sound_field(msg, row))
            return false;
    }
}
#undef OP_BIT

PBTI_SHIM_API protobuf_c_boolean
protobuf_c_message_check(const ProtobufCMessage *message) {
    const pbti_table *table = NULL;
    pbti_shim_counted(PBTI_SHIM_CHECK, 0);
    if (message && message->descriptor)
        table = pbti_shim_table(message->descriptor);
    if (PBTI_LIKELY(table && is_sound(message, table)))
        return 1;
    pbti_shim_tally_plain();
    return pbti_shim_plain()->check(message);
}
