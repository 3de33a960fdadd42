/* json_document.h - what has no frame for its parts: google.protobuf.Value with
 * the Structs and ListValues in it, and maps of which the values are no
 * messages.
 *
 * These are written by functions that call each other, to a depth that the
 * stack bears, and look at nothing but the message. Whatever is out of the
 * ordinary - an error, a message of another type, a deep document - makes them
 * return NULL, and the loop writes the same once more in its own way, which
 * knows the place of an error. It does not try them a second time then: the
 * work would be done again at each level.
 */
#ifndef PBTI_JSON_DOCUMENT_H
#define PBTI_JSON_DOCUMENT_H

#include "json_fields.h"

enum {
    PBTI_JSON_LEVELS = 64, /* of messages in a document */
    /* Frames that the loop would take for one of them, at most. */
    PBTI_JSON_LEVEL_FRAMES = 3,
    PBTI_JSON_MAX_KEYS = 64,
    PBTI_JSON_KEY_SLOTS = 128,
    PBTI_JSON_FEW_KEYS = 8
};

/* The keys of a map as it is written, to notice when one comes twice: a word
 * for each, which is the same for keys that are the same. */
typedef struct pbti_json_keys {
    uint64_t words[PBTI_JSON_MAX_KEYS];
    uint8_t slots[PBTI_JSON_KEY_SLOTS]; /* number of a word + 1 */
    unsigned n;
} pbti_json_keys;

PBTI_INLINE void pbti_json_start_keys(pbti_json_keys *keys, size_t n) {
    keys->n = 0;
    if (n > PBTI_JSON_FEW_KEYS)
        memset(keys->slots, 0, sizeof keys->slots);
}

/* A word of the text p[0..n), which lies in the output with eight bytes that
 * may be read behind it. */
PBTI_INLINE uint64_t pbti_json_key_word(const char *p, size_t n) {
    uint64_t first = pbti_load64(p);
    uint64_t last = n < 8 ? 0 : pbti_load64(p + n - 8);
    if (n < 8)
        first &= (UINT64_C(1) << 8 * n) - 1;
    first = (first ^ n) * UINT64_C(0x9e3779b97f4a7c15);
    last *= UINT64_C(0xc2b2ae3d27d4eb4f);
    return first ^ last ^ first >> 32;
}

/* Adds a word; false when it is there already. */
PBTI_INLINE bool pbti_json_add_key(pbti_json_keys *keys, size_t n_entries,
                                   uint64_t word) {
    unsigned n = keys->n, i;
    size_t at = (word >> 40) % PBTI_JSON_KEY_SLOTS;
    keys->words[n] = word;
    keys->n = n + 1;
    if (n_entries <= PBTI_JSON_FEW_KEYS) {
        for (i = 0; i < n; i++)
            if (keys->words[i] == word)
                return false;
        return true;
    }
    for (; keys->slots[at]; at = (at + 1) % PBTI_JSON_KEY_SLOTS)
        if (keys->words[keys->slots[at] - 1] == word)
            return false;
    keys->slots[at] = (uint8_t) (n + 1);
    return true;
}

/* The entries of a map, and whether they are still to be looked at for keys
 * that come twice. */
typedef struct pbti_json_members {
    const ProtobufCMessage *const *entries;
    size_t n;
    bool is_watched;
} pbti_json_members;

/* False when they cannot be had. */
PBTI_INLINE bool pbti_json_take_members(pbti_json_call *call, const char *msg,
                                        const pbti_json_row *row,
                                        pbti_json_members *members) {
    const ProtobufCMessage *const *all =
        pbti_json_array(call, msg, row, &members->n);
    bool sorted = (call->flags & PBT_JSON_SORT_MAP_KEYS) != 0;
    bool unique = (call->flags & PBT_JSON_UNIQUE_MAP_KEYS) != 0;
    members->is_watched =
        !sorted && !unique && members->n <= PBTI_JSON_MAX_KEYS;
    if (!all)
        return false;
    if (sorted || (!unique && !members->is_watched))
        all = pbti_json_entries(call, row, all, &members->n);
    members->entries = all;
    return all != NULL;
}

/* Has the entries looked at, after a suspicion. */
PBTI_INLINE bool pbti_json_sift_members(pbti_json_call *call,
                                        const pbti_json_row *row,
                                        pbti_json_members *members) {
    members->is_watched = false;
    members->entries =
        pbti_json_entries(call, row, members->entries, &members->n);
    return members->entries != NULL;
}

static char *put_document(pbti_json_call *call, char *p, const char *msg,
                          const pbti_json_type *type, unsigned levels);

/* The elements of a ListValue. */
static char *put_list_value(pbti_json_call *call, char *p, const char *msg,
                            const pbti_json_type *type, unsigned levels) {
    const pbti_json_row *row = type->only;
    const ProtobufCMessage *const *elements;
    const pbti_json_type *value;
    size_t n = 0, i;
    if (PBTI_UNLIKELY(type->known != PBTI_KNOWN_LIST_VALUE))
        return NULL;
    value = row->u.sub;
    if (!pbti_json_may_be_present(msg, row)) {
        memcpy(p, "[]", 2);
        return p + 2;
    }
    elements = pbti_json_array(call, msg, row, &n);
    if (PBTI_UNLIKELY(!elements || levels == 0))
        return NULL;
    *p++ = '[';
    for (i = 0; i < n; i++) {
        const ProtobufCMessage *element = elements[i];
        p = pbti_json_reserve(call, p, PBTI_JSON_ROOM);
        if (PBTI_UNLIKELY(!p || !element ||
                          element->descriptor != value->table->type))
            return NULL;
        p = put_document(call, p, (const char *) element, value, levels - 1);
        if (PBTI_UNLIKELY(!p))
            return NULL;
        *p++ = ',';
    }
    p[-1] = ']';
    return p;
}

/* The value of an entry, which is no message. */
PBTI_INLINE char *put_entry_value(pbti_json_call *call, char *p,
                                  const char *msg, const pbti_json_type *type) {
    const pbti_json_row *value = type->value;
    const char *member = msg + value->data;
    if (type->rows->op == PBTI_JSON_STRING_ALWAYS) {
        const char *text = pbti_load_pointer(member);
        *p++ = '"';
        return pbti_json_put_string(call, p, text ? text : "",
                                    PBTI_JSON_NO_ELEMENT);
    }
    p = pbti_json_copy(p, value->key, value->key_len);
    if (!pbti_json_may_be_present(msg, value))
        member = type->rows->u.or_else->value;
    return put_value_at(call, p, value, member);
}

/* One entry with its comma; *is_new tells that its key has not come before. */
PBTI_INLINE char *put_member(pbti_json_call *call, char *p,
                             const ProtobufCMessage *entry,
                             const pbti_json_type *type, pbti_json_keys *keys,
                             const pbti_json_members *members, unsigned levels,
                             bool *is_new) {
    const char *msg = (const char *) entry;
    const pbti_json_row *value = type->value;
    const ProtobufCMessage *sub;
    size_t at;
    p = pbti_json_reserve(call, p, PBTI_JSON_ROOM);
    if (PBTI_UNLIKELY(!p || !entry || entry->descriptor != type->table->type))
        return NULL;
    at = (size_t) (p - call->base) + 1;
    p = pbti_json_put_map_key(call, p, entry, type->key);
    if (PBTI_UNLIKELY(!p))
        return NULL;
    if (members->is_watched) {
        const char *key = call->base + at;
        *is_new = pbti_json_add_key(
            keys, members->n, pbti_json_key_word(key, (size_t) (p - 2 - key)));
        if (PBTI_UNLIKELY(!*is_new))
            return p;
    }
    if (!type->is_flat) {
        sub = pbti_load_pointer(msg + value->data);
        if (PBTI_UNLIKELY(!sub || levels == 0 ||
                          sub->descriptor != value->u.sub->table->type))
            return NULL;
        p = put_document(call, p, (const char *) sub, value->u.sub, levels - 1);
    } else {
        p = put_entry_value(call, p, msg, type);
    }
    if (PBTI_UNLIKELY(!p))
        return NULL;
    *p = ',';
    return p + 1;
}

/* A map that is not empty: of a Struct, or with values that are no messages.
 * NULL in all cases that are for the loop. */
static char *put_members(pbti_json_call *call, char *p, const char *msg,
                         const pbti_json_row *row, unsigned levels) {
    pbti_json_keys keys;
    pbti_json_members members = {0};
    size_t start = (size_t) (p - call->base);
    size_t i = 0;
    if (!pbti_json_take_members(call, msg, row, &members))
        return NULL;
    pbti_json_start_keys(&keys, members.n);
    *p++ = '{';
    while (i < members.n) {
        bool is_new = true;
        p = put_member(call, p, members.entries[i++], row->u.sub, &keys,
                       &members, levels, &is_new);
        if (PBTI_UNLIKELY(!p))
            return NULL;
        if (PBTI_LIKELY(is_new))
            continue;
        if (!pbti_json_sift_members(call, row, &members))
            return NULL;
        p = call->base + start + 1;
        i = 0;
    }
    p[-1] = '}';
    return p;
}

static char *put_structure(pbti_json_call *call, char *p, const char *msg,
                           const pbti_json_type *type, unsigned levels) {
    const pbti_json_row *row = type->only;
    if (PBTI_UNLIKELY(type->known != PBTI_KNOWN_STRUCT ||
                      row->op != PBTI_JSON_MAP))
        return NULL;
    if (pbti_json_may_be_present(msg, row))
        return put_members(call, p, msg, row, levels);
    memcpy(p, "{}", 2);
    return p + 2;
}

/* The number of a Value. */
PBTI_INLINE char *put_value_number(pbti_json_call *call, char *p,
                                   const char *member) {
    const uint64_t infinity = UINT64_C(0x7ff0000000000000);
    if (PBTI_UNLIKELY((pbti_load64(member) & infinity) == infinity))
        return NULL;
    return pbti_json_put_DOUBLE(call, p, NULL, member);
}

/* A Value. */
static char *put_document(pbti_json_call *call, char *p, const char *msg,
                          const pbti_json_type *type, unsigned levels) {
    const char *member = msg + type->data;
    const pbti_json_type *inner;
    const char *pointer;
    uint32_t kind = pbti_load32(msg + type->kind);
    if (PBTI_UNLIKELY(!type->structure))
        return NULL;
    switch (kind) {
    case 1:
        memcpy(p, "null", 4);
        return p + 4;
    case 2:
        return put_value_number(call, p, member);
    case 3:
        pointer = pbti_load_pointer(member);
        if (PBTI_UNLIKELY(!pointer ||
                          pointer == type->members[2].default_value))
            return NULL;
        *p++ = '"';
        return pbti_json_put_string(call, p, pointer, PBTI_JSON_NO_ELEMENT);
    case 4:
        return pbti_json_put_BOOL(call, p, NULL, member);
    case 5:
    case 6:
        pointer = pbti_load_pointer(member);
        inner = kind == 5 ? type->structure : type->list;
        if (PBTI_UNLIKELY(!pointer || levels == 0 ||
                          ((const ProtobufCMessage *) (const void *) pointer)
                                  ->descriptor != inner->table->type))
            return NULL;
        return kind == 5 ? put_structure(call, p, pointer, inner, levels)
                         : put_list_value(call, p, pointer, inner, levels);
    default:
        return NULL;
    }
}

/* Levels that a document may have where the loop is, so that none is written
 * here that the loop would refuse: the message itself takes one frame. */
PBTI_INLINE unsigned pbti_json_levels(const pbti_json_call *call,
                                      const pbti_json_frame *top) {
    size_t left = call->max_depth - (size_t) (top - call->frames);
    size_t levels = left > 0 ? (left - 1) / PBTI_JSON_LEVEL_FRAMES : 0;
    return levels < PBTI_JSON_LEVELS ? (unsigned) levels : PBTI_JSON_LEVELS;
}

PBTI_INLINE bool pbti_json_is_document(const pbti_json_call *call,
                                       const pbti_json_type *type) {
    return !call->is_careful && !call->pretty &&
           (type->known == PBTI_KNOWN_VALUE ||
            type->known == PBTI_KNOWN_STRUCT ||
            type->known == PBTI_KNOWN_LIST_VALUE);
}

/* Writes a Value, Struct or ListValue; NULL if that is for the loop. */
PBTI_OUTLINE char *put_whole(pbti_json_call *call, char *p,
                             const ProtobufCMessage *message,
                             const pbti_json_type *type,
                             const pbti_json_frame *top) {
    const char *msg = (const char *) message;
    unsigned levels = pbti_json_levels(call, top);
    char *end;
    if (type->known == PBTI_KNOWN_VALUE)
        end = put_document(call, p, msg, type, levels);
    else if (type->known == PBTI_KNOWN_STRUCT)
        end = put_structure(call, p, msg, type, levels);
    else
        end = put_list_value(call, p, msg, type, levels);
    call->is_careful |= !end;
    return end;
}

/* Writes a map that is not empty; NULL if that is for the loop. */
PBTI_OUTLINE char *put_flat_map(pbti_json_call *call, char *p, const char *msg,
                                const pbti_json_row *row,
                                const pbti_json_frame *top) {
    char *end = NULL;
    if (!call->is_careful && !call->pretty && top != call->frames_end)
        end = put_members(call, p, msg, row, 0);
    call->is_careful |= !end;
    return end;
}

#endif
