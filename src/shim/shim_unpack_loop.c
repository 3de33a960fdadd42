/* shim_unpack_loop.c - unpack by slots: the loop of wire_unmarshal.c, with
 * protobuf-c's semantics and memory.
 *
 * A repeated field mostly has all its elements in a row. So when the first of
 * them is met, the row is counted, and the array is allocated as large as that:
 * `run` is the slot at work and `n_spare` what is left of its room.
 *
 * compat: protobuf-c fails where a field is of a wire type that is not its
 * own, but takes a bool from any; the required fields of a sub-message must be
 * in each of its occurrences; a oneof's former member is gone even when the
 * same one comes again.
 */
#include "shim_unpack.h"
#include "wire_trace.h"
#include "wire_varints.h"

/* Fills a new message, the size of which is a multiple of 8 and at least that
 * of its base struct; image NULL means zeros. */
PBTI_INLINE void fill_message(char *msg, const char *image, size_t size) {
    enum { STEP = 16 };
    size_t i;
    if (size > PBTI_SMALL_MESSAGE) {
        if (image)
            memcpy(msg, image, size);
        else
            memset(msg, 0, size);
        return;
    }
    for (i = 0;; i += STEP) {
        if (i > size - STEP)
            i = size - STEP;
        if (image)
            memcpy(msg + i, image + i, STEP);
        else
            memset(msg + i, 0, STEP);
        if (i == size - STEP)
            return;
    }
}

/* The bits of the required fields beyond the first 32 lie behind the struct;
 * those of the others are in a register. */
PBTI_INLINE size_t message_size(const pbti_parse *parse) {
    if (PBTI_LIKELY(parse->n_required <= PBTI_FIRST_REQUIRED))
        return parse->seen ? parse->seen : parse->size;
    return parse->size;
}

PBTI_INLINE char *new_message(const pbti_unpacker *u, const pbti_parse *parse) {
    size_t size = message_size(parse);
    char *msg = pbti_alloc(u->d.allocator, size);
    if (PBTI_UNLIKELY(!msg))
        return NULL;
    fill_message(msg, parse->image, size);
    memcpy(msg, &parse->type, sizeof(void *));
    return msg;
}

/* Copies a text to memory that has no room behind its end. */
PBTI_INLINE void copy_text(char *copy, const uint8_t *text, size_t len) {
    enum { STEP = 16 };
    if (PBTI_ASAN || len > 2 * (size_t) STEP) {
        memcpy(copy, text, len);
    } else if (len >= STEP) {
        memcpy(copy, text, STEP);
        memcpy(copy + len - STEP, text + len - STEP, STEP);
    } else if (len >= 8) {
        memcpy(copy, text, 8);
        memcpy(copy + len - 8, text + len - 8, 8);
    } else if (len >= 4) {
        memcpy(copy, text, 4);
        memcpy(copy + len - 4, text + len - 4, 4);
    } else {
        size_t i;
        for (i = 0; i < len; i++)
            copy[i] = (char) text[i];
    }
}

/* The functions named take_... read a value and return its end, or NULL on
 * failure. */

PBTI_INLINE const uint8_t *take_length(const uint8_t *p, const uint8_t *limit,
                                       size_t *len) {
    if (PBTI_UNLIKELY(*p >= 0x80))
        return pbti_unpack_length(p, limit, len);
    *len = *p++;
    return PBTI_LIKELY(p <= limit && *len <= (size_t) (limit - p)) ? p : NULL;
}

PBTI_INLINE const uint8_t *take_scalar(const uint8_t *p, char *member,
                                       pbti_op encoding) {
    const uint8_t *end;
    if (encoding != PBTI_OP_BOOL || PBTI_LIKELY(*p < 0x80))
        return pbti_read_scalar(p, member, encoding);
    end = pbti_read_carefully(p, p + PBTI_MAX_VARINT, &(uint64_t){0});
    if (PBTI_LIKELY(end != NULL))
        pbti_store32(member, pbti_unpack_truth(p, end));
    return end;
}

PBTI_INLINE const uint8_t *new_string(const pbti_unpacker *u, char *member,
                                      const uint8_t *p, const uint8_t *limit) {
    size_t len;
    char *copy;
    p = take_length(p, limit, &len);
    if (PBTI_UNLIKELY(!p))
        return NULL;
    copy = pbti_alloc(u->d.allocator, len + 1);
    if (PBTI_UNLIKELY(!copy))
        return NULL;
    copy_text(copy, p, len);
    copy[len] = '\0';
    memcpy(member, &copy, sizeof copy);
    return p + len;
}

PBTI_INLINE const uint8_t *new_bytes(const pbti_unpacker *u, char *member,
                                     const uint8_t *p, const uint8_t *limit) {
    ProtobufCBinaryData bytes = {0, NULL};
    p = take_length(p, limit, &bytes.len);
    if (PBTI_UNLIKELY(!p))
        return NULL;
    if (bytes.len > 0) {
        bytes.data = pbti_alloc(u->d.allocator, bytes.len);
        if (PBTI_UNLIKELY(!bytes.data))
            return NULL;
        copy_text((char *) bytes.data, p, bytes.len);
    }
    memcpy(member, &bytes, sizeof bytes);
    return p + bytes.len;
}

/* Frees the text that a field has already, unless it is the default, which is
 * what the image has. */
PBTI_INLINE void drop_text(const pbti_unpacker *u, const pbti_table *table,
                           size_t offset, void *text) {
    const char *image = table->parse.image;
    if (PBTI_LIKELY(!text) ||
        (image && pbti_load_pointer(image + offset) == text))
        return;
    pbti_free(u->d.allocator, text);
}

PBTI_INLINE const uint8_t *take_string(const pbti_unpacker *u, char *msg,
                                       const pbti_table *table,
                                       const pbti_slot *slot, const uint8_t *p,
                                       const uint8_t *limit) {
    void *former;
    memcpy(&former, msg + slot->data, sizeof former);
    p = new_string(u, msg + slot->data, p, limit);
    if (PBTI_LIKELY(p != NULL))
        drop_text(u, table, slot->data, former);
    return p;
}

PBTI_INLINE const uint8_t *take_bytes(const pbti_unpacker *u, char *msg,
                                      const pbti_table *table,
                                      const pbti_slot *slot, const uint8_t *p,
                                      const uint8_t *limit) {
    size_t offset = slot->data + offsetof(ProtobufCBinaryData, data);
    void *former;
    memcpy(&former, msg + offset, sizeof former);
    p = new_bytes(u, msg + slot->data, p, limit);
    if (PBTI_LIKELY(p != NULL))
        drop_text(u, table, offset, former);
    return p;
}

/* Makes way for another member of a oneof; other fields stay as they are. */
PBTI_INLINE bool leave_former(pbti_unpacker *u, char *msg,
                              const pbti_table *table, const pbti_slot *slot) {
    if (!(slot->flags & PBTI_SLOT_ONEOF) ||
        PBTI_LIKELY(pbti_load32(msg + slot->quantifier) == 0))
        return true;
    return pbti_unpack_clear_oneof(u, msg, table->type, slot->quantifier);
}

PBTI_INLINE void set_mark(char *msg, const pbti_slot *slot) {
    pbti_store32(msg + slot->quantifier, slot->mark);
}

PBTI_INLINE pbti_array slot_array(const pbti_slot *slot, size_t size) {
    return (pbti_array){slot->data, slot->quantifier, size};
}

/* Counts the fields with the tag that is at start that follow each other. What
 * is no proper field ends the row, and is found out about later. */
PBTI_OUTLINE size_t count_run(const uint8_t *start, const uint8_t *value,
                              const uint8_t *limit) {
    size_t tag_len = (size_t) (value - start);
    uint32_t wire_type = *start & 7;
    size_t n = 0;
    const uint8_t *p = start;
    while (p && (size_t) (limit - p) > tag_len &&
           memcmp(p, start, tag_len) == 0) {
        n++;
        p = pbti_unpack_skip(p + tag_len, limit, wire_type);
    }
    return n;
}

/* Makes room for a row of elements. */
PBTI_OUTLINE size_t start_run(pbti_unpacker *u, char *msg,
                              const pbti_slot *slot, size_t size,
                              const uint8_t *start, const uint8_t *value,
                              const uint8_t *limit) {
    size_t n = count_run(start, value, limit);
    if (n == 0 || !pbti_unpack_room(u, msg, slot_array(slot, size), n))
        return 0;
    return n;
}

/* The place of an element for which there is room. */
PBTI_INLINE char *next_element(const char *msg, const pbti_slot *slot,
                               size_t size) {
    char *array;
    memcpy(&array, msg + slot->data, sizeof array);
    return array + pbti_n_elements(msg, slot) * size;
}

PBTI_INLINE void count_elements(char *msg, const pbti_slot *slot, size_t n) {
    pbti_set_elements(msg, slot, pbti_n_elements(msg, slot) + n);
}

PBTI_INLINE const uint8_t *unpack_fixed(pbti_unpacker *u, char *msg,
                                        const pbti_slot *slot, const uint8_t *p,
                                        size_t len, pbti_op encoding,
                                        size_t size) {
    char *element;
    if (PBTI_UNLIKELY(len % size != 0))
        return NULL;
    element = pbti_unpack_room(u, msg, slot_array(slot, size), len / size);
    if (PBTI_UNLIKELY(!element))
        return NULL;
    pbti_copy_fixed(element, p, len / size, encoding, size);
    count_elements(msg, slot, len / size);
    return p + len;
}

/* compat: a bool is true when any of its ten bytes is. */
PBTI_INLINE bool read_bools(const uint8_t *p, const uint8_t *end,
                            char *element) {
    for (; p < end; element += sizeof(protobuf_c_boolean)) {
        const uint8_t *start = p;
        p = pbti_read_carefully(p, end, &(uint64_t){0});
        if (!p)
            return false;
        pbti_store32(element, pbti_unpack_truth(start, p));
    }
    return true;
}

PBTI_INLINE const uint8_t *unpack_varints(pbti_unpacker *u, char *msg,
                                          const pbti_slot *slot,
                                          const uint8_t *p, size_t len,
                                          pbti_op encoding, size_t size) {
    const uint8_t *end = p + len;
    size_t n = pbti_count_varints(&u->d, p, len);
    char *element;
    bool good;
    if (PBTI_UNLIKELY(end[-1] >= 0x80))
        return NULL;
    element = pbti_unpack_room(u, msg, slot_array(slot, size), n);
    if (PBTI_UNLIKELY(!element))
        return NULL;
    good = encoding == PBTI_OP_BOOL ? read_bools(p, end, element)
                                    : !pbti_read_varints(&u->d, p, end, element,
                                                         false, encoding, size);
    if (PBTI_UNLIKELY(!good))
        return NULL;
    count_elements(msg, slot, n);
    return end;
}

/* A function for each encoding: appends packed numbers. */
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    PBTI_OUTLINE const uint8_t *unpack_##name(                                 \
        pbti_unpacker *u, char *msg, const pbti_slot *slot, const uint8_t *p,  \
        const uint8_t *limit) {                                                \
        size_t len;                                                            \
        p = take_length(p, limit, &len);                                       \
        if (PBTI_UNLIKELY(!p || len == 0))                                     \
            return p;                                                          \
        if (wire_type == PROTOBUF_C_WIRE_TYPE_VARINT)                          \
            return unpack_varints(u, msg, slot, p, len, PBTI_OP_##name,        \
                                  member_size);                                \
        return unpack_fixed(u, msg, slot, p, len, PBTI_OP_##name,              \
                            member_size);                                      \
    }
#include "table_kinds.def"

/* A bool of a wire type that is not its own. */
PBTI_NOINLINE static const uint8_t *
take_odd_bool(pbti_unpacker *u, char *msg, const pbti_table *table,
              const pbti_slot *slot, pbti_parse_op op, uint32_t wire_type,
              const uint8_t *p, const uint8_t *limit) {
    const size_t size = sizeof(protobuf_c_boolean);
    const uint8_t *end = pbti_unpack_skip(p, limit, wire_type);
    char *member = msg + slot->data;
    bool is_repeated =
        op == PBTI_PARSE_BOOL_REPEATED || op == PBTI_PARSE_BOOL_PACKED;
    if (!end || !leave_former(u, msg, table, slot))
        return NULL;
    if (is_repeated)
        member = pbti_unpack_room(u, msg, slot_array(slot, size), 1);
    if (!member)
        return NULL;
    pbti_store32(member, pbti_unpack_truth(p, end));
    if (is_repeated)
        count_elements(msg, slot, 1);
    else if (slot->mark)
        set_mark(msg, slot);
    return end;
}

PBTI_INLINE bool is_bool(pbti_parse_op op) {
    return op == PBTI_PARSE_BOOL || op == PBTI_PARSE_BOOL_FLAGGED ||
           op == PBTI_PARSE_BOOL_MEMBER || op == PBTI_PARSE_BOOL_REPEATED ||
           op == PBTI_PARSE_BOOL_PACKED;
}

/* Looks for a required field that is missing. compat: one that has a default
 * may be. */
PBTI_NOINLINE static bool lacks_any(const char *msg, const pbti_parse *parse,
                                    uint64_t seen) {
    const ProtobufCMessageDescriptor *type = parse->type;
    uint32_t n = 0;
    unsigned i;
    for (i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        uint32_t bit = n, more;
        if (field->label != PROTOBUF_C_LABEL_REQUIRED)
            continue;
        n++;
        if (field->default_value)
            continue;
        if (bit < PBTI_FIRST_REQUIRED) {
            if (!(seen >> bit & 1))
                return true;
            continue;
        }
        more = bit - PBTI_FIRST_REQUIRED;
        if (!(pbti_load64(msg + parse->seen +
                          sizeof(uint64_t) * (1 + more / 64)) >>
                  more % 64 &
              1))
            return true;
    }
    return false;
}

PBTI_INLINE bool is_complete(const char *msg, const pbti_parse *parse,
                             uint64_t seen) {
    if (PBTI_LIKELY((parse->required & ~seen) == 0 &&
                    parse->n_required <= PBTI_FIRST_REQUIRED))
        return true;
    return !lacks_any(msg, parse, seen);
}

/* Hangs a message that is complete on its parent. */
PBTI_INLINE bool attach(pbti_unpacker *u, char *msg, const pbti_slot *slot,
                        char *sub) {
    char *member = msg + slot->data;
    if (slot->op == PBTI_PARSE_MESSAGE_REPEATED) {
        memcpy(next_element(msg, slot, sizeof sub), &sub, sizeof sub);
        count_elements(msg, slot, 1);
        return true;
    }
    if (PBTI_UNLIKELY(pbti_load_pointer(member) != NULL))
        return pbti_unpack_replace(u, member,
                                   (ProtobufCMessage *) (void *) sub);
    memcpy(member, &sub, sizeof sub);
    if (slot->mark)
        set_mark(msg, slot);
    return true;
}

/* A tag of more than two bytes. compat: what exceeds 35 bits is a failure, and
 * a number may be 0 or have 32 bits then. */
PBTI_OUTLINE const uint8_t *read_long_tag(const uint8_t *p,
                                          const uint8_t *limit, uint64_t *tag) {
    const uint8_t *end = pbti_read_carefully(p, limit, tag);
    return end && end - p <= PBTI_MAX_TAG ? end : NULL;
}

/* Fields that end at or before it may be read without care. */
PBTI_INLINE const uint8_t *fast_end(const pbti_decoder *d,
                                    const uint8_t *limit) {
    return limit < d->safe ? limit : d->safe;
}

/* NOLINTNEXTLINE(readability-function-size): a dispatch body, see STYLE */
ProtobufCMessage *PBTI_LEVEL_NAME(pbti_unpack)(pbti_unpacker *u,
                                               const pbti_table *table) {
    pbti_decoder *d = &u->d;
    const uint8_t *p = d->end - d->len;
    const uint8_t *start = p;
    const uint8_t *limit = d->end;
    const uint8_t *fast = d->safe;
    pbti_decode_frame *top = d->frames;
    const pbti_slot *slot = NULL;
    const pbti_slot *run = NULL; /* the field at work has room */
    size_t n_spare = 0;          /* for so many elements more */
    uint64_t seen = 0;
    uint64_t long_tag;
    size_t len;
    uint32_t tag;
    unsigned op;
    char *sub;
    char *msg = new_message(u, &table->parse);

    PBTI_COUNT(fast_calls);
    if (!msg)
        return NULL;
    for (;;) {
        if (p >= fast) {
            if (p == limit)
                goto message_end;
            if (PBTI_UNLIKELY(p > limit))
                goto fail;
            p = pbti_enter_patch(d, p, &limit);
            fast = limit;
        }
        start = p;
        tag = *p++;
        if (PBTI_UNLIKELY(tag >= 0x80)) {
            if (PBTI_LIKELY(*p < 0x80)) {
                tag = (tag & 0x7f) | (uint32_t) *p++ << 7;
            } else {
                p = read_long_tag(start, limit, &long_tag);
                if (PBTI_UNLIKELY(!p))
                    goto fail;
                if (PBTI_UNLIKELY(long_tag > UINT32_MAX)) {
                    p = pbti_unpack_unknown(u, msg, (uint32_t) (long_tag >> 3),
                                            long_tag & 7, p, limit);
                    if (PBTI_UNLIKELY(!p))
                        goto fail;
                    continue;
                }
                tag = (uint32_t) long_tag;
            }
        }
        slot = pbti_find_slot(&table->parse, tag >> 3);
        if (PBTI_UNLIKELY(tag != slot->tag))
            goto other_tag;
        op = slot->op;
        seen |= slot->required;
    dispatch:
        switch ((pbti_parse_op) op) {
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    case PBTI_PARSE_##name##_FLAGGED:                                          \
    case PBTI_PARSE_##name##_MEMBER:                                           \
        if (PBTI_UNLIKELY(!leave_former(u, msg, table, slot)))                 \
            goto fail;                                                         \
        p = take_scalar(p, msg + slot->data, PBTI_OP_##name);                  \
        set_mark(msg, slot);                                                   \
        break;                                                                 \
    case PBTI_PARSE_##name:                                                    \
        p = take_scalar(p, msg + slot->data, PBTI_OP_##name);                  \
        break;                                                                 \
    case PBTI_PARSE_##name##_REPEATED:                                         \
        if (slot != run || n_spare == 0) {                                     \
            run = slot;                                                        \
            n_spare = start_run(u, msg, slot, member_size, start, p, limit);   \
            if (PBTI_UNLIKELY(n_spare == 0))                                   \
                goto fail;                                                     \
        }                                                                      \
        n_spare--;                                                             \
        p = take_scalar(p, next_element(msg, slot, member_size),               \
                        PBTI_OP_##name);                                       \
        if (PBTI_LIKELY(p != NULL))                                            \
            count_elements(msg, slot, 1);                                      \
        break;                                                                 \
    case PBTI_PARSE_##name##_PACKED:                                           \
        run = NULL;                                                            \
        p = unpack_##name(u, msg, slot, p, limit);                             \
        break;
#include "table_kinds.def"
        case PBTI_PARSE_STRING_MEMBER:
        case PBTI_PARSE_STRING:
            if (PBTI_UNLIKELY(!leave_former(u, msg, table, slot)))
                goto fail;
            p = take_string(u, msg, table, slot, p, limit);
            if (slot->mark && PBTI_LIKELY(p != NULL))
                set_mark(msg, slot);
            break;
        case PBTI_PARSE_BYTES_FLAGGED:
        case PBTI_PARSE_BYTES_MEMBER:
        case PBTI_PARSE_BYTES:
            if (PBTI_UNLIKELY(!leave_former(u, msg, table, slot)))
                goto fail;
            p = take_bytes(u, msg, table, slot, p, limit);
            if (slot->mark && PBTI_LIKELY(p != NULL))
                set_mark(msg, slot);
            break;
        case PBTI_PARSE_STRING_REPEATED:
            if (slot != run || n_spare == 0) {
                run = slot;
                n_spare =
                    start_run(u, msg, slot, sizeof(char *), start, p, limit);
                if (PBTI_UNLIKELY(n_spare == 0))
                    goto fail;
            }
            n_spare--;
            p = new_string(u, next_element(msg, slot, sizeof(char *)), p,
                           limit);
            if (PBTI_LIKELY(p != NULL))
                count_elements(msg, slot, 1);
            break;
        case PBTI_PARSE_BYTES_REPEATED:
            len = sizeof(ProtobufCBinaryData);
            if (slot != run || n_spare == 0) {
                run = slot;
                n_spare = start_run(u, msg, slot, len, start, p, limit);
                if (PBTI_UNLIKELY(n_spare == 0))
                    goto fail;
            }
            n_spare--;
            p = new_bytes(u, next_element(msg, slot, len), p, limit);
            if (PBTI_LIKELY(p != NULL))
                count_elements(msg, slot, 1);
            break;
        case PBTI_PARSE_MESSAGE_MEMBER:
        case PBTI_PARSE_MESSAGE:
            if (PBTI_UNLIKELY(!leave_former(u, msg, table, slot)))
                goto fail;
            run = NULL;
            goto enter;
        case PBTI_PARSE_MESSAGE_REPEATED:
            if (slot != run || n_spare == 0) {
                run = slot;
                n_spare =
                    start_run(u, msg, slot, sizeof(void *), start, p, limit);
                if (PBTI_UNLIKELY(n_spare == 0))
                    goto fail;
            }
            n_spare--;
            goto enter;
        case PBTI_PARSE_REQUIRED:
            pbti_note_more(msg, &table->parse, slot->more);
            op = slot->other;
            goto dispatch;
        case PBTI_PARSE_NONE:
            goto unknown;
        case PBTI_PARSE_GROUP:
        case PBTI_PARSE_GROUP_MEMBER:
        case PBTI_PARSE_GROUP_REPEATED:
        case PBTI_PARSE_ENUM:
        case PBTI_PARSE_ENUM_REPEATED:
        case PBTI_PARSE_ENUM_PACKED:
        case PBTI_PARSE_ENUM_REQUIRED:
        case PBTI_N_PARSE_OPS:
        default:
            PBTI_UNREACHABLE();
        }
        if (PBTI_UNLIKELY(!p))
            goto fail;
        continue;

    enter:
        p = take_length(p, limit, &len);
        if (PBTI_UNLIKELY(!p))
            goto fail;
        if (PBTI_UNLIKELY(!slot->u.sub->parse.is_usual)) {
            u->is_unusual = true;
            goto fail;
        }
        if (PBTI_UNLIKELY(top == d->frames_end)) {
            pbti_decode_frame *grown = pbti_grow_decode_frames(d, top);
            if (!grown)
                goto fail;
            top = grown;
        }
        sub = new_message(u, &slot->u.sub->parse);
        if (PBTI_UNLIKELY(!sub))
            goto fail;
        *top++ = (pbti_decode_frame){.msg = msg,
                                     .table = table,
                                     .field = slot,
                                     .after = (size_t) (d->end - limit),
                                     .seen = seen,
                                     .n_spare = n_spare};
        msg = sub;
        table = slot->u.sub;
        seen = 0;
        run = NULL;
        limit = p + len;
        fast = fast_end(d, limit);
        continue;

    message_end:
        if (table->parse.seen && !is_complete(msg, &table->parse, seen))
            goto fail;
        if (PBTI_UNLIKELY(u->n_growths > 0 && !pbti_unpack_trim(u, msg)))
            goto fail;
        if (top == d->frames)
            return (ProtobufCMessage *) (void *) msg;
        top--;
        sub = msg;
        msg = top->msg;
        table = top->table;
        seen = top->seen;
        limit = d->end - top->after;
        fast = fast_end(d, limit);
        run = top->field;
        n_spare = top->n_spare;
        if (PBTI_UNLIKELY(!attach(u, msg, run, sub)))
            goto fail;
        continue;

    other_tag:
        op = slot->op == PBTI_PARSE_REQUIRED ? slot->other : slot->op;
        if (op == PBTI_PARSE_NONE)
            goto unknown;
        if ((tag & 7) == (slot->flags & PBTI_SLOT_WIRE_TYPE) &&
            (tag & 7) != PBTI_SLOT_WIRE_TYPE) {
            op = slot->other;
            goto dispatch;
        }
        if (!is_bool((pbti_parse_op) op))
            goto fail;
        seen |= slot->required;
        if (slot->op == PBTI_PARSE_REQUIRED)
            pbti_note_more(msg, &table->parse, slot->more);
        run = NULL;
        p = take_odd_bool(u, msg, table, slot, (pbti_parse_op) op, tag & 7, p,
                          limit);
        if (PBTI_UNLIKELY(!p))
            goto fail;
        continue;
    unknown:
        if (PBTI_UNLIKELY(tag < 8 && p == start + 1))
            goto fail;
        p = pbti_unpack_unknown(u, msg, tag >> 3, tag & 7, p, limit);
        if (PBTI_UNLIKELY(!p))
            goto fail;
    }
fail:
    pbti_unpack_abandon(u, top, msg);
    return NULL;
}
