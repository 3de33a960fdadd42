/* table_keys.c - see table_keys.h. */
#include "table_keys.h"

static pbti_map_key read_number(const char *member, bool present,
                                ProtobufCType type) {
    uint64_t word = 0;
    switch (type) {
    case PROTOBUF_C_TYPE_BOOL:
        word = present && pbti_load32(member) != 0;
        return (pbti_map_key){PBTI_KEY_BOOL, NULL, word};
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
        word = present ? pbti_load32(member) : 0;
        return (pbti_map_key){PBTI_KEY_UNSIGNED, NULL, word};
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        word = present ? pbti_load64(member) : 0;
        return (pbti_map_key){PBTI_KEY_UNSIGNED, NULL, word};
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
        word = present ? pbti_load64(member) : 0;
        return (pbti_map_key){PBTI_KEY_SIGNED, NULL, word};
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_ENUM:
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
        break;
    }
    word = present ? (uint64_t) (int64_t) (int32_t) pbti_load32(member) : 0;
    return (pbti_map_key){PBTI_KEY_SIGNED, NULL, word};
}

pbti_map_key pbti_member_key(const char *member, bool present,
                             ProtobufCType type) {
    const char *text;
    if (type != PROTOBUF_C_TYPE_STRING)
        return read_number(member, present, type);
    text = pbti_load_pointer(member);
    return (pbti_map_key){PBTI_KEY_STRING, text ? text : "", 0};
}

static const pbti_row *key_row(const pbti_table *table) {
    const pbti_row *row = table->rows;
    while (pbti_row_number(row) != 1)
        row++;
    return pbti_member(row);
}

pbti_map_key pbti_read_key(const ProtobufCMessage *entry,
                           const pbti_table *table) {
    const char *msg = (const char *) entry;
    const pbti_row *row = key_row(table);
    return pbti_member_key(msg + row->data,
                           pbti_has_bits(msg, row->presence, row->mask),
                           table->fields[0].type);
}

int pbti_compare_keys(const pbti_map_key *a, const pbti_map_key *b) {
    if (a->kind == PBTI_KEY_STRING)
        return strcmp(a->text, b->text); /* of unsigned bytes */
    if (a->kind == PBTI_KEY_SIGNED)
        return ((int64_t) a->number > (int64_t) b->number) -
               ((int64_t) a->number < (int64_t) b->number);
    return (a->number > b->number) - (a->number < b->number);
}

/* Merges the sorted runs [0, middle) and [middle, end) of `from` into `to`. */
static void merge_runs(const pbti_map_item *from, size_t middle, size_t end,
                       pbti_map_item *to) {
    size_t left = 0, right = middle, i;
    for (i = 0; i < end; i++) {
        bool take_left =
            right == end ||
            (left < middle &&
             pbti_compare_keys(&from[left].key, &from[right].key) <= 0);
        to[i] = from[take_left ? left++ : right++];
    }
}

pbti_map_item *pbti_sort_items(pbti_map_item *items, pbti_map_item *other,
                               size_t n) {
    size_t width, at;
    for (width = 1; width < n; width *= 2) {
        pbti_map_item *sorted = other;
        for (at = 0; at < n; at += 2 * width) {
            size_t end = n - at < 2 * width ? n - at : 2 * width;
            size_t middle = width < end ? width : end;
            merge_runs(items + at, middle, end, other + at);
        }
        other = items;
        items = sorted;
    }
    return items;
}

bool pbti_is_last_of_key(const pbti_map_item *items, size_t n, size_t i) {
    return i + 1 == n ||
           pbti_compare_keys(&items[i].key, &items[i + 1].key) != 0;
}

size_t pbti_last_of_keys(const pbti_map_item *items, size_t n,
                         const ProtobufCMessage **entries) {
    size_t kept = 0, i;
    for (i = 0; i < n; i++)
        if (pbti_is_last_of_key(items, n, i))
            entries[kept++] = items[i].entry;
    return kept;
}

void pbti_tell_key(pbti_path *path, const pbti_map_key *key) {
    switch (key->kind) {
    case PBTI_KEY_STRING:
        pbti_path_string_key(path, key->text);
        break;
    case PBTI_KEY_SIGNED:
        pbti_path_signed_key(path, (int64_t) key->number);
        break;
    case PBTI_KEY_UNSIGNED:
        pbti_path_unsigned_key(path, key->number);
        break;
    case PBTI_KEY_BOOL:
        pbti_path_bool_key(path, key->number != 0);
        break;
    }
}
