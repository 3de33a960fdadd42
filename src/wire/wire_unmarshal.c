/* wire_unmarshal.c - the loop of unmarshal: tag by tag through the input, with
 * a slot of the table for each.
 *
 * `start` is where the field at work starts, `fast` the place up to which
 * fields may be read without a look at the end of the message or of the input.
 * What a field is read past the end of its message is noticed at the next one.
 */
#include "wire_trace.h"
#include "wire_unpack.h"

/* Fills a new message; image NULL means zeros. Small ones by steps, the last of
 * which spills into free memory, as a call would take longer. */
PBTI_INLINE void fill_message(char *msg, const char *image, size_t size) {
    size_t i;
    if (PBTI_ARENA_POISONS || size > PBTI_SMALL_MESSAGE) {
        if (image)
            memcpy(msg, image, size);
        else
            memset(msg, 0, size);
        return;
    }
    for (i = 0; i < size; i += PBTI_FILL_STEP) {
        if (image)
            memcpy(msg + i, image + i, PBTI_FILL_STEP);
        else
            memset(msg + i, 0, PBTI_FILL_STEP);
    }
}

/* A message of no fields, with the defaults of its type. */
PBTI_INLINE char *new_message(pbti_decoder *d, const pbti_parse *parse) {
    char *msg = pbti_arena_alloc(d->arena, parse->size);
    if (PBTI_UNLIKELY(!msg)) {
        d->status = PBT_ERR_NO_MEMORY;
        return NULL;
    }
    fill_message(msg, parse->image, parse->size);
    memcpy(msg, &parse->type, sizeof(void *));
    return msg;
}

/* Sets the has-flag or the case of a oneof. */
PBTI_INLINE void set_mark(char *msg, const pbti_table *table,
                          const pbti_slot *slot) {
    uint32_t former = pbti_load32(msg + slot->quantifier);
    if (PBTI_UNLIKELY(former != 0 && former != slot->mark))
        pbti_clear_oneof(msg, table, former);
    pbti_store32(msg + slot->quantifier, slot->mark);
}

/* Copies len bytes as the first n of them and the last n, which may overlap.
 * len is from n to 2 * n. */
PBTI_INLINE void copy_ends(char *to, const uint8_t *from, size_t len,
                           size_t n) {
    memcpy(to, from, n);
    memcpy(to + len - n, from + len - n, n);
}

/* A copy of a text, and room for one byte more. */
PBTI_INLINE char *copy_text(pbti_decoder *d, const uint8_t *text, size_t len) {
    char *copy = pbti_arena_alloc(d->arena, len + 1);
    if (PBTI_UNLIKELY(!copy)) {
        d->status = PBT_ERR_NO_MEMORY;
        return NULL;
    }
    if (!PBTI_ASAN && len <= PBTI_SHORT_TEXT)
        memcpy(copy, text, PBTI_SHORT_TEXT);
    else if (len > PBTI_SHORT_TEXT && len <= 2 * (size_t) PBTI_SHORT_TEXT)
        copy_ends(copy, text, len, PBTI_SHORT_TEXT);
    else if (PBTI_SSE2 && len > 2 * (size_t) PBTI_SHORT_TEXT &&
             len <= 4 * (size_t) PBTI_SHORT_TEXT)
        copy_ends(copy, text, len, 2 * (size_t) PBTI_SHORT_TEXT);
    else
        memcpy(copy, text, len);
    return copy;
}

/* The functions named take_... read a value and return its end. They return
 * NULL on failure, with d->status set but for a varint that has no end. */

PBTI_INLINE const uint8_t *take_length(pbti_decoder *d, const uint8_t *p,
                                       const uint8_t *limit, size_t *len) {
    p = pbti_read_length(p, limit, len);
    if (PBTI_UNLIKELY(!p))
        d->status = PBT_ERR_MALFORMED;
    return p;
}

PBTI_INLINE const uint8_t *take_string(pbti_decoder *d, const pbti_slot *slot,
                                       char *member, const uint8_t *p,
                                       const uint8_t *limit) {
    size_t len;
    char *copy;
    p = take_length(d, p, limit, &len);
    if (PBTI_UNLIKELY(!p))
        return NULL;
    if (PBTI_UNLIKELY(d->checks_strings && !pbti_check_text(d, slot, p, len)))
        return NULL;
    copy = copy_text(d, p, len);
    if (PBTI_UNLIKELY(!copy))
        return NULL;
    copy[len] = '\0';
    memcpy(member, &copy, sizeof copy);
    return p + len;
}

/* Bytes where they are, or a copy: the patch ends with the call. */
PBTI_INLINE uint8_t *keep_bytes(pbti_decoder *d, const uint8_t *bytes,
                                size_t len) {
    uintptr_t in_patch = (uintptr_t) bytes - (uintptr_t) d->patch;
    if (PBTI_UNLIKELY(d->flags & PBT_BORROW_BYTES) &&
        in_patch >= sizeof d->patch)
        return (uint8_t *) (uintptr_t) bytes;
    return (uint8_t *) copy_text(d, bytes, len);
}

PBTI_INLINE const uint8_t *take_bytes(pbti_decoder *d, char *member,
                                      const uint8_t *p, const uint8_t *limit) {
    ProtobufCBinaryData bytes = {0, NULL};
    p = take_length(d, p, limit, &bytes.len);
    if (PBTI_UNLIKELY(!p))
        return NULL;
    if (bytes.len > 0) {
        bytes.data = keep_bytes(d, p, bytes.len);
        if (PBTI_UNLIKELY(!bytes.data))
            return NULL;
    }
    memcpy(member, &bytes, sizeof bytes);
    return p + bytes.len;
}

PBTI_INLINE const uint8_t *append_string(pbti_decoder *d, char *msg,
                                         const pbti_slot *slot,
                                         const uint8_t *p,
                                         const uint8_t *limit) {
    char *element = pbti_next_element(d, msg, slot, sizeof(char *));
    if (PBTI_UNLIKELY(!element))
        return NULL;
    p = take_string(d, slot, element, p, limit);
    if (PBTI_LIKELY(p != NULL))
        pbti_count_element(msg, slot);
    return p;
}

PBTI_INLINE const uint8_t *append_bytes(pbti_decoder *d, char *msg,
                                        const pbti_slot *slot, const uint8_t *p,
                                        const uint8_t *limit) {
    char *element =
        pbti_next_element(d, msg, slot, sizeof(ProtobufCBinaryData));
    if (PBTI_UNLIKELY(!element))
        return NULL;
    p = take_bytes(d, element, p, limit);
    if (PBTI_LIKELY(p != NULL))
        pbti_count_element(msg, slot);
    return p;
}

PBTI_INLINE const uint8_t *append_scalar(pbti_decoder *d, char *msg,
                                         const pbti_slot *slot,
                                         const uint8_t *p, pbti_op encoding,
                                         size_t size) {
    char *element = pbti_next_element(d, msg, slot, size);
    if (PBTI_UNLIKELY(!element))
        return NULL;
    p = pbti_read_scalar(p, element, encoding);
    if (PBTI_LIKELY(p != NULL))
        pbti_count_element(msg, slot);
    return p;
}

typedef bool unpack_all(pbti_decoder *d, char *msg, const pbti_slot *slot,
                        const uint8_t *p, size_t len);

PBTI_INLINE const uint8_t *take_packed(pbti_decoder *d, char *msg,
                                       const pbti_slot *slot, const uint8_t *p,
                                       const uint8_t *limit,
                                       unpack_all *unpack) {
    size_t len;
    p = take_length(d, p, limit, &len);
    if (PBTI_UNLIKELY(!p))
        return NULL;
    if (PBTI_UNLIKELY(len > 0 && !unpack(d, msg, slot, p, len)))
        return NULL;
    return p + len;
}

/* The sub-message that a singular field's value goes to: a new one, or the one
 * that is there, with what was seen of it. */
PBTI_INLINE char *singular_message(pbti_decoder *d, char *msg,
                                   const pbti_table *table,
                                   const pbti_slot *slot, uint64_t *seen) {
    const pbti_parse *parse = &slot->u.sub->parse;
    char *sub;
    memcpy(&sub, msg + slot->data, sizeof sub);
    if (PBTI_UNLIKELY(sub && pbti_is_own_message(table, slot, sub))) {
        if (parse->seen)
            *seen = pbti_load64(sub + parse->seen);
        return sub;
    }
    sub = new_message(d, parse);
    if (PBTI_LIKELY(sub != NULL))
        memcpy(msg + slot->data, &sub, sizeof sub);
    return sub;
}

PBTI_INLINE char *repeated_message(pbti_decoder *d, char *msg,
                                   const pbti_slot *slot) {
    char *element = pbti_next_element(d, msg, slot, sizeof(void *));
    char *sub;
    if (PBTI_UNLIKELY(!element))
        return NULL;
    sub = new_message(d, &slot->u.sub->parse);
    if (PBTI_UNLIKELY(!sub))
        return NULL;
    memcpy(element, &sub, sizeof sub);
    pbti_count_element(msg, slot);
    return sub;
}

/* compat: the look-up of protobuf-c finds no number of a range that ends with
 * INT32_MAX, as its end overflows. */
static bool knows_number(const ProtobufCEnumDescriptor *type, int32_t number) {
    const ProtobufCIntRange *range = type->value_ranges;
    unsigned n = type->n_value_ranges;
    int64_t place;
    while (n > 1) {
        unsigned half = n / 2;
        if (range[half].start_value <= number) {
            range += half;
            n -= half;
        } else {
            n = half;
        }
    }
    if (n == 0)
        return false;
    place = (int64_t) number - range->start_value;
    return place >= 0 &&
           place < (int64_t) range[1].orig_index - (int64_t) range->orig_index;
}

/* A closed enum: stores a number that it knows, else keeps it aside. */
static bool store_enum(pbti_decoder *d, char *msg, const pbti_table *table,
                       const pbti_slot *slot, int32_t number) {
    if (!knows_number(slot->u.closed, number))
        return pbti_keep_number(d, msg, slot, number);
    if (slot->mark)
        set_mark(msg, table, slot);
    pbti_store32(msg + slot->data, (uint32_t) number);
    return true;
}

static bool append_enum(pbti_decoder *d, char *msg, const pbti_slot *slot,
                        int32_t number) {
    char *element;
    if (!knows_number(slot->u.closed, number))
        return pbti_keep_number(d, msg, slot, number);
    element = pbti_next_element(d, msg, slot, sizeof number);
    if (!element)
        return false;
    pbti_store32(element, (uint32_t) number);
    pbti_count_element(msg, slot);
    return true;
}

static bool unpack_enums(pbti_decoder *d, char *msg, const pbti_slot *slot,
                         const uint8_t *p, size_t len) {
    const uint8_t *end = p + len;
    while (p < end) {
        uint64_t v;
        const uint8_t *next = pbti_read_carefully(p, end, &v);
        if (!next)
            return pbti_blame(d, PBT_ERR_MALFORMED, p,
                              pbti_varint_fault(p, end));
        if (!append_enum(d, msg, slot, (int32_t) (uint32_t) v))
            return false;
        p = next;
    }
    return true;
}

/* Is the number at p one that the closed enum knows? If it is not, a required
 * field is still missing. */
PBTI_OUTLINE bool will_know(const pbti_slot *slot, const uint8_t *p) {
    uint64_t v;
    return pbti_read_varint(p, &v) &&
           knows_number(slot->u.closed, (int32_t) (uint32_t) v);
}

/* The rarer fields: closed enums in their three forms. */
static const uint8_t *take_enum(pbti_decoder *d, char *msg,
                                const pbti_table *table, const pbti_slot *slot,
                                pbti_parse_op op, const uint8_t *p,
                                const uint8_t *limit) {
    uint64_t v;
    bool stored;
    if (op == PBTI_PARSE_ENUM_PACKED)
        return take_packed(d, msg, slot, p, limit, unpack_enums);
    p = pbti_read_varint(p, &v);
    if (!p)
        return NULL;
    stored = op == PBTI_PARSE_ENUM
                 ? store_enum(d, msg, table, slot, (int32_t) (uint32_t) v)
                 : append_enum(d, msg, slot, (int32_t) (uint32_t) v);
    return stored ? p : NULL;
}

/* Fields that end at or before it may be read without care. */
PBTI_INLINE const uint8_t *fast_end(const pbti_decoder *d,
                                    const uint8_t *limit) {
    return limit < d->safe ? limit : d->safe;
}

/* A tag of two bytes or more. */
PBTI_INLINE const uint8_t *read_long_tag(pbti_decoder *d, const uint8_t *p,
                                         const uint8_t *limit, uint32_t *tag) {
    if (PBTI_LIKELY(p[1] < 0x80)) {
        *tag = (p[0] & 0x7fu) | (uint32_t) p[1] << 7;
        return p + 2;
    }
    p = pbti_read_tag_carefully(p, limit, tag);
    if (PBTI_UNLIKELY(!p))
        d->status = PBT_ERR_MALFORMED;
    return p;
}

/* Blames the message at work. */
PBTI_NOINLINE static const pbti_slot *
no_field(pbti_decoder *d, const uint8_t *at, const char *sentence) {
    pbti_blame(d, PBT_ERR_MALFORMED, at, sentence);
    return NULL;
}

/* Completes the report of a failure that has a status only. Returns the field
 * to blame: none when its tag is not whole. */
PBTI_NOINLINE static const pbti_slot *explain(pbti_decoder *d,
                                              const pbti_slot *slot,
                                              const uint8_t *start,
                                              const uint8_t *limit) {
    const uint8_t *value;
    uint32_t tag;
    if (d->sentence || (d->status != PBT_OK && d->status != PBT_ERR_MALFORMED))
        return slot;
    value = pbti_read_tag_carefully(start, limit, &tag);
    if (!value) {
        pbti_blame(d, PBT_ERR_MALFORMED, start, pbti_tag_fault(start, limit));
        return NULL;
    }
    pbti_blame(d, PBT_ERR_MALFORMED, start,
               pbti_value_fault(value, limit, tag & 7));
    return slot;
}

/* NOLINTNEXTLINE(readability-function-size): a dispatch body, see STYLE */
pbt_status PBTI_LEVEL_NAME(pbti_unmarshal)(pbti_decoder *d,
                                           const pbti_table *table,
                                           ProtobufCMessage **message) {
    const uint8_t *p = d->end - d->len;
    const uint8_t *start = p;
    const uint8_t *limit = d->end;
    const uint8_t *fast = d->safe;
    pbti_decode_frame *top = d->frames;
    const pbti_slot *slot = NULL;
    uint32_t group = 0; /* number of the group at work; 0 when it is none */
    uint64_t seen = 0;
    const uint8_t *sub_limit;
    uint32_t sub_group;
    uint64_t sub_seen;
    size_t len;
    uint32_t tag;
    unsigned op;
    char *sub;
    char *msg = new_message(d, &table->parse);

    PBTI_COUNT(fast_calls);
    *message = (ProtobufCMessage *) (void *) msg;
    if (!msg)
        goto fail;
    for (;;) {
        if (p >= fast) {
            if (p == limit && group == 0)
                goto message_end;
            if (PBTI_UNLIKELY(p >= limit)) {
                d->status = PBT_ERR_MALFORMED;
                if (p == limit)
                    slot = no_field(d, p, "a group has no end");
                goto fail;
            }
            p = pbti_enter_patch(d, p, &limit);
            fast = limit;
        }
        start = p;
        tag = *p++;
        if (PBTI_UNLIKELY(tag >= 0x80)) {
            p = read_long_tag(d, start, limit, &tag);
            if (PBTI_UNLIKELY(!p))
                goto fail;
        }
        slot = pbti_find_slot(&table->parse, tag >> 3);
        if (PBTI_UNLIKELY(tag != slot->tag))
            goto other_tag;
        op = slot->op;
        seen |= UINT64_C(1) << slot->bit;
    dispatch:
        PBTI_COUNT(unmarshal_ops[op]);
        switch ((pbti_parse_op) op) {
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    case PBTI_PARSE_##name##_MARKED:                                           \
        set_mark(msg, table, slot);                                            \
        p = pbti_read_scalar(p, msg + slot->data, PBTI_OP_##name);             \
        break;                                                                 \
    case PBTI_PARSE_##name:                                                    \
        p = pbti_read_scalar(p, msg + slot->data, PBTI_OP_##name);             \
        break;                                                                 \
    case PBTI_PARSE_##name##_REPEATED:                                         \
        p = append_scalar(d, msg, slot, p, PBTI_OP_##name, member_size);       \
        break;                                                                 \
    case PBTI_PARSE_##name##_PACKED:                                           \
        p = take_packed(d, msg, slot, p, limit, unpack_##name);                \
        break;
#include "table_kinds.def"
        case PBTI_PARSE_STRING_MARKED:
            set_mark(msg, table, slot);
            p = take_string(d, slot, msg + slot->data, p, limit);
            break;
        case PBTI_PARSE_STRING:
            p = take_string(d, slot, msg + slot->data, p, limit);
            break;
        case PBTI_PARSE_STRING_REPEATED:
            p = append_string(d, msg, slot, p, limit);
            break;
        case PBTI_PARSE_BYTES_MARKED:
            set_mark(msg, table, slot);
            p = take_bytes(d, msg + slot->data, p, limit);
            break;
        case PBTI_PARSE_BYTES:
            p = take_bytes(d, msg + slot->data, p, limit);
            break;
        case PBTI_PARSE_BYTES_REPEATED:
            p = append_bytes(d, msg, slot, p, limit);
            break;
        case PBTI_PARSE_MESSAGE_MARKED:
        case PBTI_PARSE_MESSAGE:
            p = take_length(d, p, limit, &len);
            if (PBTI_UNLIKELY(!p))
                goto fail;
            sub_limit = p + len;
            sub_group = 0;
            goto enter_singular;
        case PBTI_PARSE_MESSAGE_REPEATED:
            p = take_length(d, p, limit, &len);
            if (PBTI_UNLIKELY(!p))
                goto fail;
            sub_limit = p + len;
            sub_group = 0;
            goto enter_repeated;
        case PBTI_PARSE_GROUP_MARKED:
        case PBTI_PARSE_GROUP:
            sub_limit = limit;
            sub_group = tag >> 3;
            goto enter_singular;
        case PBTI_PARSE_GROUP_REPEATED:
            sub_limit = limit;
            sub_group = tag >> 3;
            goto enter_repeated;
        case PBTI_PARSE_ENUM:
        case PBTI_PARSE_ENUM_REPEATED:
        case PBTI_PARSE_ENUM_PACKED:
            p = take_enum(d, msg, table, slot, (pbti_parse_op) op, p, limit);
            break;
        case PBTI_PARSE_ENUM_REQUIRED:
            if (will_know(slot, p)) {
                if (slot->more < PBTI_SLOT_NO_BIT)
                    seen |= UINT64_C(1) << slot->more;
                else
                    pbti_note_more(msg, &table->parse,
                                   slot->more - PBTI_SLOT_NO_BIT);
            }
            op = PBTI_PARSE_ENUM;
            goto dispatch;
        case PBTI_PARSE_REQUIRED:
            pbti_note_more(msg, &table->parse, slot->more);
            op = slot->other;
            goto dispatch;
        case PBTI_PARSE_NONE:
            goto unknown;
        case PBTI_N_PARSE_OPS:
        default:
            PBTI_UNREACHABLE();
        }
        if (PBTI_UNLIKELY(!p))
            goto fail;
        continue;

    enter_singular:
        sub_seen = 0;
        if (slot->mark)
            set_mark(msg, table, slot);
        sub = singular_message(d, msg, table, slot, &sub_seen);
        goto enter;
    enter_repeated:
        sub_seen = 0;
        sub = repeated_message(d, msg, slot);
    enter:
        if (PBTI_UNLIKELY(!sub))
            goto fail;
        if (PBTI_UNLIKELY(top == d->frames_end)) {
            pbti_decode_frame *grown = pbti_grow_decode_frames(d, top);
            if (!grown)
                goto fail;
            top = grown;
        }
        *top++ = (pbti_decode_frame){.msg = msg,
                                     .table = table,
                                     .field = slot,
                                     .after = (size_t) (d->end - limit),
                                     .seen = seen,
                                     .group = group};
        msg = sub;
        table = slot->u.sub;
        seen = sub_seen;
        group = sub_group;
        limit = sub_limit;
        fast = fast_end(d, limit);
        continue;

    message_end:
        if (table->parse.seen)
            pbti_note_required(d, msg, &table->parse, seen);
        if (top == d->frames)
            return PBT_OK;
        top--;
        msg = top->msg;
        table = top->table;
        seen = top->seen;
        group = top->group;
        limit = d->end - top->after;
        fast = fast_end(d, limit);
        continue;

    other_tag:
        if ((tag & 7) == PBTI_END_GROUP) {
            if (group != 0 && tag >> 3 == group && p <= limit)
                goto message_end;
            slot = no_field(d, start, pbti_wrong_end);
            goto fail;
        }
        op = slot->other;
        if ((tag & 7) == (slot->flags & PBTI_SLOT_WIRE_TYPE) &&
            (tag & 7) != PBTI_SLOT_WIRE_TYPE)
            goto dispatch;
    unknown:
        p = pbti_keep_unknown(d, msg, tag, p, start, limit, &top);
        if (PBTI_UNLIKELY(!p))
            goto fail;
    }
fail:
    slot = explain(d, slot, start, limit);
    return pbti_decode_fail(d, top, msg, table, slot);
}
