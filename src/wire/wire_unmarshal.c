/* wire_unmarshal.c - the loop of unmarshal: tag by tag through the input, with
 * a slot of the table for each.
 *
 * `start` is where the field at work starts, `fast` the place up to which
 * fields may be read without a look at the end of the message or of the input.
 * What a field is read past the end of its message is noticed at the next one.
 */
#include "wire_trace.h"
#include "wire_unpack.h"

PBTI_OUTLINE void fill_large_message(char *msg, const char *image,
                                     size_t size) {
    if (image)
        memcpy(msg, image, size);
    else
        memset(msg, 0, size);
}

/* Fills a new message; image NULL means zeros. Small ones by steps, the last of
 * which spills into free memory, as a call would take longer. */
PBTI_INLINE void fill_message(char *msg, const char *image, size_t size) {
    char *end = msg + size;
    if (PBTI_ARENA_POISONS || PBTI_UNLIKELY(size > PBTI_SMALL_MESSAGE)) {
        fill_large_message(msg, image, size);
    } else if (image) {
        for (; msg < end; msg += PBTI_FILL_STEP, image += PBTI_FILL_STEP)
            memcpy(msg, image, PBTI_FILL_STEP);
    } else {
        for (; msg < end; msg += PBTI_FILL_STEP)
            memset(msg, 0, PBTI_FILL_STEP);
    }
}

/* A message of no fields, with the defaults of its type. */
PBTI_INLINE char *new_message(pbti_decoder *d, const pbti_parse *parse) {
    size_t size = parse->size;
    char *msg;
    if (PBTI_UNLIKELY(!pbti_arena_take(d->arena, size, &msg))) {
        msg = pbti_arena_alloc_slowly(d->arena, size);
        if (PBTI_UNLIKELY(!msg)) {
            d->status = PBT_ERR_NO_MEMORY;
            return NULL;
        }
    }
    fill_message(msg, parse->image, size);
    memcpy(msg, &parse->type, sizeof(void *));
    return msg;
}

/* Notes that a number or bytes are there. */
PBTI_INLINE void note_singular(char *msg, const pbti_slot *slot,
                               uint64_t *seen) {
    *seen |= slot->required;
    pbti_store32(msg + slot->u.flag.at, slot->u.flag.value);
}

/* Sets the has-flag or the case of a oneof. */
PBTI_INLINE void set_mark(char *msg, const pbti_table *table,
                          const pbti_slot *slot) {
    uint32_t former = pbti_load32(msg + slot->quantifier);
    if (PBTI_UNLIKELY(former != 0 && former != slot->mark))
        pbti_clear_oneof(msg, table, former);
    pbti_store32(msg + slot->quantifier, slot->mark);
}

/* Copies a text of less than 128 bytes, and leaves room for one byte more. The
 * first step is read as a whole, and what is too much of it is written to free
 * memory; the others stay within the text. False when the arena has to be asked
 * for more. */
PBTI_INLINE bool copy_short_text(pbti_decoder *d, const uint8_t *text,
                                 size_t len, char **copy) {
    enum { STEP = PBTI_SHORT_TEXT };
    size_t last = len > STEP ? len - STEP : 0;
    char *to;
    if (PBTI_UNLIKELY(!pbti_arena_take(d->arena, len + 1, &to)))
        return false;
    *copy = to;
    if (PBTI_ASAN) {
        memcpy(to, text, len);
        return true;
    }
    memcpy(to, text, STEP);
    memcpy(to + last, text + last, STEP);
    if (len > 2 * (size_t) STEP) {
        memcpy(to + STEP, text + STEP, STEP);
        memcpy(to + last - STEP, text + last - STEP, STEP);
    }
    return true;
}

/* Any text, to memory from anywhere. */
PBTI_INLINE char *copy_long_text(pbti_decoder *d, const uint8_t *text,
                                 size_t len) {
    char *copy = pbti_arena_alloc(d->arena, len + 1);
    if (PBTI_LIKELY(copy != NULL))
        pbti_copy_many(copy, text, len);
    else
        d->status = PBT_ERR_NO_MEMORY;
    return copy;
}

/* A text or a message: where it starts, and its end. */
typedef struct span {
    const uint8_t *start; /* NULL: it is not whole */
    const uint8_t *end;
} span;

/* What follows its length at p. */
PBTI_OUTLINE span find_long_span(const uint8_t *p, const uint8_t *limit) {
    size_t len = 0;
    p = pbti_read_length(p, limit, &len);
    return (span){.start = p, .end = p ? p + len : NULL};
}

/* The same, where lengths of one byte and of two are in line. */
PBTI_INLINE span find_span(const uint8_t *p, const uint8_t *limit) {
    span s = {.start = p + 1, .end = p + 1 + p[0]};
    if (PBTI_UNLIKELY(p[0] >= 0x80)) {
        /* where addresses have 32 bits, the end might be beyond the last */
        if (PBTI_UNLIKELY(p[1] >= 0x80 || UINTPTR_MAX == UINT32_MAX))
            return find_long_span(p, limit);
        s.start = p + 2;
        s.end = p + 2 + ((size_t) p[0] - 0x80 + ((size_t) p[1] << 7));
    }
    if (PBTI_UNLIKELY(s.end > limit))
        s.start = NULL;
    return s;
}

/* The functions named take_... read a value and move p behind it. They return
 * false on failure, with d->status set but for values that are not whole. */

/* The rarer strings: long ones, those that are looked at, and those for which
 * the arena has to grow. */
PBTI_OUTLINE bool take_long_string(pbti_decoder *d, const pbti_slot *slot,
                                   char *member, const uint8_t *text,
                                   size_t len) {
    char *copy;
    if (d->checks_strings && !pbti_check_text(d, slot, text, len))
        return false;
    copy = copy_long_text(d, text, len);
    if (PBTI_UNLIKELY(!copy))
        return false;
    copy[len] = '\0';
    memcpy(member, &copy, sizeof copy);
    return true;
}

PBTI_INLINE bool take_string(pbti_decoder *d, const pbti_slot *slot,
                             char *member, span text) {
    size_t len = (size_t) (text.end - text.start);
    char *copy;
    if (PBTI_UNLIKELY(len >= d->long_string ||
                      !copy_short_text(d, text.start, len, &copy)))
        return take_long_string(d, slot, member, text.start, len);
    copy[len] = '\0';
    memcpy(member, &copy, sizeof copy);
    return true;
}

/* The rarer bytes: none at all, long ones, those that stay where they are, and
 * those for which the arena has to grow. What is in the patch is copied, as it
 * ends with the call. */
PBTI_OUTLINE bool take_long_bytes(pbti_decoder *d, char *member,
                                  const uint8_t *data, size_t len) {
    ProtobufCBinaryData bytes = {len, NULL};
    bool in_patch = (uintptr_t) data - (uintptr_t) d->patch < sizeof d->patch;
    if (len > 0) {
        if ((d->flags & PBT_BORROW_BYTES) && !in_patch)
            bytes.data = (uint8_t *) (uintptr_t) data;
        else
            bytes.data = (uint8_t *) copy_long_text(d, data, len);
        if (PBTI_UNLIKELY(!bytes.data))
            return false;
    }
    memcpy(member, &bytes, sizeof bytes);
    return true;
}

PBTI_INLINE bool take_bytes(pbti_decoder *d, char *member, span data) {
    size_t len = (size_t) (data.end - data.start);
    char *copy;
    if (PBTI_UNLIKELY(len - 1 >= d->long_bytes ||
                      !copy_short_text(d, data.start, len, &copy)))
        return take_long_bytes(d, member, data.start, len);
    memcpy(member + offsetof(ProtobufCBinaryData, len), &len, sizeof len);
    memcpy(member + offsetof(ProtobufCBinaryData, data), &copy, sizeof copy);
    return true;
}

PBTI_INLINE bool append_string(pbti_decoder *d, char *msg,
                               const pbti_slot *slot, span text) {
    size_t n = pbti_n_elements(msg, slot);
    char *element = pbti_next_element(d, msg, slot, n, sizeof(char *));
    if (PBTI_UNLIKELY(!element || !take_string(d, slot, element, text)))
        return false;
    pbti_set_elements(msg, slot, n + 1);
    return true;
}

PBTI_INLINE bool append_bytes(pbti_decoder *d, char *msg, const pbti_slot *slot,
                              span data) {
    size_t n = pbti_n_elements(msg, slot);
    char *element =
        pbti_next_element(d, msg, slot, n, sizeof(ProtobufCBinaryData));
    if (PBTI_UNLIKELY(!element || !take_bytes(d, element, data)))
        return false;
    pbti_set_elements(msg, slot, n + 1);
    return true;
}

PBTI_INLINE const uint8_t *take_varint(const uint8_t *p, char *member,
                                       pbti_op encoding) {
    uint64_t v;
    p = pbti_read_large_varint(p, &v);
    if (PBTI_LIKELY(p != NULL))
        pbti_store_varint(member, encoding, v);
    return p;
}

/* Reads a singular number of a form that is below PBTI_FORM_STRING. */
PBTI_INLINE const uint8_t *take_number(const uint8_t *p, char *member,
                                       unsigned form) {
    switch (form) {
    case PBTI_FORM_VARINT32:
        return take_varint(p, member, PBTI_OP_UNSIGNED32);
    case PBTI_FORM_BOOL:
        return pbti_read_scalar(p, member, PBTI_OP_BOOL);
    case PBTI_FORM_VARINT64:
        return take_varint(p, member, PBTI_OP_VARINT64);
    case PBTI_FORM_ZIGZAG32:
        return take_varint(p, member, PBTI_OP_ZIGZAG32);
    case PBTI_FORM_ZIGZAG64:
        return take_varint(p, member, PBTI_OP_ZIGZAG64);
    case PBTI_FORM_FIXED32:
        return pbti_read_scalar(p, member, PBTI_OP_FIXED32);
    default:
        return pbti_read_scalar(p, member, PBTI_OP_FIXED64);
    }
}

PBTI_INLINE bool append_scalar(pbti_decoder *d, char *msg,
                               const pbti_slot *slot, const uint8_t **p,
                               pbti_op encoding, size_t size) {
    size_t n = pbti_n_elements(msg, slot);
    char *element = pbti_next_element(d, msg, slot, n, size);
    if (PBTI_UNLIKELY(!element))
        return false;
    *p = pbti_read_scalar(*p, element, encoding);
    if (PBTI_UNLIKELY(!*p))
        return false;
    pbti_set_elements(msg, slot, n + 1);
    return true;
}

typedef bool unpack_all(pbti_decoder *d, char *msg, const pbti_slot *slot,
                        const uint8_t *p, size_t len);

PBTI_INLINE bool take_packed(pbti_decoder *d, char *msg, const pbti_slot *slot,
                             const uint8_t **p, const uint8_t *limit,
                             unpack_all *unpack) {
    span s = find_span(*p, limit);
    if (PBTI_UNLIKELY(!s.start))
        return false;
    *p = s.end;
    return s.start == s.end ||
           unpack(d, msg, slot, s.start, (size_t) (s.end - s.start));
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
    size_t n = pbti_n_elements(msg, slot);
    char *element = pbti_next_element(d, msg, slot, n, sizeof(void *));
    char *sub;
    if (PBTI_UNLIKELY(!element))
        return NULL;
    sub = new_message(d, &slot->u.sub->parse);
    if (PBTI_UNLIKELY(!sub))
        return NULL;
    memcpy(element, &sub, sizeof sub);
    pbti_set_elements(msg, slot, n + 1);
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
    size_t n = pbti_n_elements(msg, slot);
    char *element;
    if (!knows_number(slot->u.closed, number))
        return pbti_keep_number(d, msg, slot, number);
    element = pbti_next_element(d, msg, slot, n, sizeof number);
    if (!element)
        return false;
    pbti_store32(element, (uint32_t) number);
    pbti_set_elements(msg, slot, n + 1);
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
        return take_packed(d, msg, slot, &p, limit, unpack_enums) ? p : NULL;
    p = pbti_read_varint(p, &v);
    if (!p)
        return NULL;
    stored = op == PBTI_PARSE_ENUM
                 ? store_enum(d, msg, table, slot, (int32_t) (uint32_t) v)
                 : append_enum(d, msg, slot, (int32_t) (uint32_t) v);
    return stored ? p : NULL;
}

/* The slot of a tag of one byte; of other tags that of their first byte. */
PBTI_INLINE const pbti_slot *short_slot(const pbti_slot *slots, uint32_t tag) {
    const void *slot =
        (const char *) slots + (size_t) (tag & 0x78) * (sizeof *slots / 8);
    return slot;
}

/* Fields that end at or before it may be read without care. */
PBTI_INLINE const uint8_t *fast_end(const pbti_decoder *d,
                                    const uint8_t *limit) {
    return limit < d->safe ? limit : d->safe;
}

typedef struct long_tag {
    const uint8_t *end; /* NULL: it is not whole, or no tag */
    uint32_t tag;
} long_tag;

/* A tag of three bytes or more. */
PBTI_OUTLINE long_tag read_long_tag(const uint8_t *p, const uint8_t *limit) {
    long_tag found = {NULL, 0};
    found.end = pbti_read_tag_carefully(p, limit, &found.tag);
    return found;
}

/* Notes which required fields a message had. */
PBTI_INLINE void note_required(pbti_decoder *d, char *msg,
                               const pbti_parse *parse, uint64_t seen) {
    pbti_store64(msg + parse->seen, seen);
    if (PBTI_UNLIKELY((parse->required & ~seen) != 0 ||
                      parse->n_required > PBTI_FIRST_REQUIRED))
        pbti_note_missing(d, msg, parse, seen);
}

/* The same as pbti_keep_unknown, but the loop keeps `top` in a register. */
PBTI_INLINE const uint8_t *keep_unknown(pbti_decoder *d, char *msg,
                                        uint32_t tag, const uint8_t *p,
                                        const uint8_t *at, const uint8_t *limit,
                                        pbti_decode_frame **top) {
    pbti_decode_frame *moved = *top;
    p = pbti_keep_unknown(d, msg, tag, p, at, limit, &moved);
    *top = moved;
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
    const pbti_slot *slots = table->parse.slots;
    pbti_decode_frame *top = d->frames;
    const pbti_slot *slot = NULL;
    uint32_t group = 0; /* number of the group at work; 0 when it is none */
    uint64_t seen = 0;
    uint32_t sub_group;
    uint64_t sub_seen;
    uint32_t tag;
    unsigned op, form;
    span inside;
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
        slot = short_slot(slots, tag);
        if (PBTI_UNLIKELY(tag >= 0x80)) {
            if (PBTI_LIKELY(*p < 0x80)) {
                tag += ((uint32_t) *p++ << 7) - 0x80;
            } else {
                long_tag longer = read_long_tag(start, limit);
                p = longer.end;
                tag = longer.tag;
                if (PBTI_UNLIKELY(!p))
                    goto fail;
            }
            slot = &slots[tag >> 3];
            if (PBTI_UNLIKELY(tag >> 3 >= table->parse.n_dense))
                slot = pbti_find_sparse_slot(&table->parse, tag >> 3);
        }
        if (PBTI_UNLIKELY(tag != slot->tag))
            goto other_tag;
        form = slot->form;
        PBTI_COUNT(unmarshal_ops[slot->op]);
    usual:
        if (form < PBTI_FORM_STRING) {
            note_singular(msg, slot, &seen);
            p = take_number(p, msg + slot->data, form);
            if (PBTI_LIKELY(p != NULL))
                continue;
            goto fail;
        }
        if (form < PBTI_FORM_NONE) {
            inside = find_span(p, limit);
            if (PBTI_UNLIKELY(!inside.start))
                goto fail;
            sub_group = 0;
            switch (form) {
            case PBTI_FORM_STRING:
                seen |= slot->required;
                p = inside.end;
                if (take_string(d, slot, msg + slot->data, inside))
                    continue;
                goto fail;
            case PBTI_FORM_STRING_REPEATED:
                p = inside.end;
                if (append_string(d, msg, slot, inside))
                    continue;
                goto fail;
            case PBTI_FORM_BYTES:
                note_singular(msg, slot, &seen);
                p = inside.end;
                if (take_bytes(d, msg + slot->data, inside))
                    continue;
                goto fail;
            case PBTI_FORM_MESSAGE:
                goto enter_singular;
            default:
                goto enter_repeated;
            }
        }
        if (form >= PBTI_FORM_MEMBER) {
            set_mark(msg, table, slot);
            form -= PBTI_FORM_MEMBER;
            goto usual;
        }
        op = slot->op;
    dispatch:
        switch ((pbti_parse_op) op) {
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    case PBTI_PARSE_##name##_FLAGGED:                                          \
    case PBTI_PARSE_##name:                                                    \
    case PBTI_PARSE_##name##_MEMBER:                                           \
        PBTI_UNREACHABLE();                                                    \
    case PBTI_PARSE_##name##_REPEATED:                                         \
        if (append_scalar(d, msg, slot, &p, PBTI_OP_##name, member_size))      \
            continue;                                                          \
        break;                                                                 \
    case PBTI_PARSE_##name##_PACKED:                                           \
        if (take_packed(d, msg, slot, &p, limit, unpack_##name))               \
            continue;                                                          \
        break;
#include "table_kinds.def"
        case PBTI_PARSE_BYTES_REPEATED:
            inside = find_span(p, limit);
            if (PBTI_UNLIKELY(!inside.start))
                goto fail;
            p = inside.end;
            if (append_bytes(d, msg, slot, inside))
                continue;
            break;
        case PBTI_PARSE_GROUP_MEMBER:
            set_mark(msg, table, slot);
            inside = (span){p, limit};
            sub_group = slot->tag >> 3;
            goto enter_singular;
        case PBTI_PARSE_GROUP:
            inside = (span){p, limit};
            sub_group = slot->tag >> 3;
            goto enter_singular;
        case PBTI_PARSE_GROUP_REPEATED:
            inside = (span){p, limit};
            sub_group = slot->tag >> 3;
            goto enter_repeated;
        case PBTI_PARSE_ENUM:
            p = take_enum(d, msg, table, slot, PBTI_PARSE_ENUM, p, limit);
            if (p)
                continue;
            break;
        case PBTI_PARSE_ENUM_REPEATED:
            p = take_enum(d, msg, table, slot, PBTI_PARSE_ENUM_REPEATED, p,
                          limit);
            if (p)
                continue;
            break;
        case PBTI_PARSE_ENUM_PACKED:
            p = take_enum(d, msg, table, slot, PBTI_PARSE_ENUM_PACKED, p,
                          limit);
            if (p)
                continue;
            break;
        case PBTI_PARSE_ENUM_REQUIRED:
            if (will_know(slot, p)) {
                if (slot->more < PBTI_FIRST_REQUIRED)
                    seen |= UINT64_C(1) << slot->more;
                else
                    pbti_note_more(msg, &table->parse,
                                   slot->more - PBTI_FIRST_REQUIRED);
            }
            op = PBTI_PARSE_ENUM;
            goto dispatch;
        case PBTI_PARSE_REQUIRED:
            pbti_note_more(msg, &table->parse, slot->more);
            op = slot->other;
            form = pbti_form_of((pbti_parse_op) op);
            if (form != PBTI_FORM_NONE)
                goto usual;
            goto dispatch;
        case PBTI_PARSE_NONE:
            goto unknown;
        case PBTI_PARSE_STRING:
        case PBTI_PARSE_STRING_MEMBER:
        case PBTI_PARSE_STRING_REPEATED:
        case PBTI_PARSE_BYTES_FLAGGED:
        case PBTI_PARSE_BYTES:
        case PBTI_PARSE_BYTES_MEMBER:
        case PBTI_PARSE_MESSAGE:
        case PBTI_PARSE_MESSAGE_MEMBER:
        case PBTI_PARSE_MESSAGE_REPEATED:
        case PBTI_N_PARSE_OPS:
        default:
            PBTI_UNREACHABLE();
        }
        goto fail;

    enter_singular:
        seen |= slot->required;
        sub_seen = 0;
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
        top->msg = msg;
        top->table = table;
        top->field = slot;
        top->after = (size_t) (d->end - limit);
        top->seen = seen;
        top->group = group;
        top++;
        msg = sub;
        table = slot->u.sub;
        slots = table->parse.slots;
        seen = sub_seen;
        group = sub_group;
        p = inside.start;
        limit = inside.end;
        fast = fast_end(d, limit);
        continue;

    message_end:
        if (table->parse.seen)
            note_required(d, msg, &table->parse, seen);
        if (top == d->frames)
            return PBT_OK;
        top--;
        msg = top->msg;
        table = top->table;
        slots = table->parse.slots;
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
            (tag & 7) != PBTI_SLOT_WIRE_TYPE) {
            PBTI_COUNT(unmarshal_ops[op]);
            goto dispatch;
        }
    unknown:
        p = keep_unknown(d, msg, tag, p, start, limit, &top);
        if (PBTI_UNLIKELY(!p))
            goto fail;
    }
fail:
    slot = explain(d, slot, start, limit);
    return pbti_decode_fail(d, top, msg, table, slot);
}
