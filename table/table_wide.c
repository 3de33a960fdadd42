/* table_wide.c - types with hundreds of fields, most of them absent in a given
 * message.
 *
 * Testing row after row takes a few instructions for each absent field and a
 * mispredicted branch for each present one. Where every field has an eight-byte
 * word of the struct to itself that is zero when the field is absent, and the
 * words come in field order, it is enough to look for non-zero words: 64 of
 * them, a window, at once. protoc-c lays out optional fields that way.
 */
#include "table_build.h"

enum {
    /* Types with fewer fields do without (docs/bench.md). */
    WIDE_FIELDS = 128
};

static size_t value_size(ProtobufCType type) {
    switch (type) {
#define PBTI_FIELD_KIND(type_, name, encoding, member)                         \
    case PROTOBUF_C_TYPE_##type_:                                              \
        return sizeof(member) < 8 ? sizeof(member) : 8;
#include "table_kinds.def"
    }
    return 0;
}

/* Bytes of what tells presence, as far as the presence test reads them. */
static size_t presence_size(const ProtobufCFieldDescriptor *field) {
    bool is_pointer = field->type == PROTOBUF_C_TYPE_STRING ||
                      field->type == PROTOBUF_C_TYPE_MESSAGE;
    if (field->label == PROTOBUF_C_LABEL_REPEATED)
        return sizeof(size_t);
    if (field->label == PROTOBUF_C_LABEL_OPTIONAL && !is_pointer)
        return sizeof(protobuf_c_boolean);
    return value_size(field->type);
}

/* Offset of what tells presence, or 0 when nothing does. */
static uint32_t presence_offset(const ProtobufCFieldDescriptor *field) {
    bool is_pointer = field->type == PROTOBUF_C_TYPE_STRING ||
                      field->type == PROTOBUF_C_TYPE_MESSAGE;
    if (pbti_is_oneof_member(field))
        return 0;
    switch (field->label) {
    case PROTOBUF_C_LABEL_REQUIRED:
        break;
    case PROTOBUF_C_LABEL_REPEATED:
        return field->quantifier_offset;
    case PROTOBUF_C_LABEL_OPTIONAL:
        return is_pointer ? field->offset : field->quantifier_offset;
    case PROTOBUF_C_LABEL_NONE:
        return field->offset;
    }
    return 0;
}

/* The word is read as a whole, so what tells presence must not reach into the
 * next one: nothing that protoc-c lays out does. */
static bool is_in_one_word(const ProtobufCFieldDescriptor *field) {
    return presence_offset(field) % sizeof(uint64_t) + presence_size(field) <=
           sizeof(uint64_t);
}

bool pbti_has_windows(const pbti_node *node) {
    const ProtobufCMessageDescriptor *type = node->type;
    uint32_t last_word = 0;
    unsigned i;
    if (type->n_fields < WIDE_FIELDS || sizeof(void *) != sizeof(uint64_t) ||
        type->sizeof_message % sizeof(uint64_t) != 0 ||
        node->variant == PBTI_CONFORMANT_ENTRY)
        return false;
    for (i = 0; i < type->n_fields; i++) {
        uint32_t word = presence_offset(&type->fields[i]) / sizeof(uint64_t);
        if (word <= last_word || !is_in_one_word(&type->fields[i]))
            return false;
        last_word = word;
    }
    return true;
}

/* Windows end at the end of the struct and follow each other downwards. */
uint32_t pbti_window_of(const ProtobufCMessageDescriptor *type,
                        const ProtobufCFieldDescriptor *field) {
    uint64_t word = presence_offset(field) / sizeof(uint64_t);
    uint64_t n_words = type->sizeof_message / sizeof(uint64_t);
    return (uint32_t) ((n_words - 1 - word) / PBTI_WINDOW_WORDS);
}

/* A window that would begin before the struct begins with it; it then shares
 * words with its neighbour, but no rows. */
void pbti_start_window(pbti_row *block, pbti_window *window,
                       const ProtobufCMessageDescriptor *type,
                       uint32_t number) {
    uint64_t end = type->sizeof_message - (uint64_t) number * PBTI_WINDOW_SIZE;
    window->offset =
        end > PBTI_WINDOW_SIZE ? (uint32_t) (end - PBTI_WINDOW_SIZE) : 0;
    block->op = PBTI_OP_BLOCK;
    block->u.window = window;
    pbti_set_always(block, type);
}

void pbti_add_to_window(pbti_window *window, const pbti_row *block,
                        const pbti_row *row,
                        const ProtobufCMessageDescriptor *type) {
    uint32_t word = (row->presence - window->offset) / sizeof(uint64_t);
    uint64_t bit = UINT64_C(1) << word;
    window->words |= bit;
    if (pbti_is_scalar_op(row->op) &&
        (uint64_t) row->data + sizeof(uint64_t) <= type->sizeof_message)
        window->scalars |= bit;
    window->rows[word] = (uint8_t) (row - block);
    window->n_rows = (uint32_t) (row - block);
    window->n_fields++;
}
