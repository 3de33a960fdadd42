/* reflect_write.c - a message to bytes, from the last byte to the first.
 *
 * Written backwards, the length of a sub-message is known when its turn comes.
 * When there is no room left the bytes are only counted, so that one pass
 * tells the size in any case.
 */
#include "reflect_walk.h"

#include "base_utf8.h"

enum wire_type {
    WIRE_VARINT = 0,
    WIRE_64_BIT = 1,
    WIRE_LENGTH = 2,
    WIRE_GROUP_START = 3,
    WIRE_GROUP_END = 4,
    WIRE_32_BIT = 5
};

enum { WIRE_TYPE_BITS = 3, MAX_VARINT = 10 };

static void put(pbti_walk *walk, const void *data, size_t len) {
    walk->total += len;
    if (len == 0 || walk->full)
        return;
    if (len > (size_t) (walk->cursor - walk->start)) {
        walk->full = true;
        return;
    }
    walk->cursor -= len;
    memcpy(walk->cursor, data, len);
}

static size_t make_varint(uint64_t value, uint8_t bytes[MAX_VARINT]) {
    size_t n = 0;
    while (value >= 0x80) {
        bytes[n++] = (uint8_t) (value | 0x80);
        value >>= 7;
    }
    bytes[n++] = (uint8_t) value;
    return n;
}

void pbti_reflect_put_varint(pbti_walk *walk, uint64_t value) {
    uint8_t bytes[MAX_VARINT];
    put(walk, bytes, make_varint(value, bytes));
}

/* Also for unknown fields, whose number and wire type may be anything; what
 * comes out then is what protobuf-c makes of them. */
static PBTI_APART void put_tag(pbti_walk *walk, uint32_t number,
                               uint32_t wire_type) {
    uint8_t bytes[MAX_VARINT];
    size_t n = make_varint((uint64_t) number << WIRE_TYPE_BITS, bytes);
    bytes[0] |= (uint8_t) wire_type;
    put(walk, bytes, n);
}

static void put_little_endian(pbti_walk *walk, uint64_t value, size_t len) {
    uint8_t bytes[8];
    size_t i;
    for (i = 0; i < len; i++)
        bytes[i] = (uint8_t) (value >> (8 * i));
    put(walk, bytes, len);
}

static pbt_status check_total(pbti_walk *walk) {
    return walk->total > walk->max_size ? pbti_reflect_fail_size(walk) : PBT_OK;
}

/* Puts a run of bytes, which is not touched if it is too long. */
static pbt_status put_run(pbti_walk *walk, const void *data, size_t len) {
    if (len > walk->max_size || walk->total + len > walk->max_size)
        return pbti_reflect_fail_size(walk);
    if (!data && len > 0)
        return pbti_reflect_fail(walk, PBT_ERR_BAD_MESSAGE,
                                 "the data is NULL but %zu bytes long", len);
    put(walk, data, len);
    return PBT_OK;
}

static uint64_t zigzag(uint64_t bits) {
    return (bits << 1) ^ (0 - (bits >> 63));
}

static enum wire_type wire_type_of(unsigned type) {
    switch (type) {
    case PBT_REFLECT_DOUBLE:
    case PBT_REFLECT_FIXED64:
    case PBT_REFLECT_SFIXED64:
        return WIRE_64_BIT;
    case PBT_REFLECT_FLOAT:
    case PBT_REFLECT_FIXED32:
    case PBT_REFLECT_SFIXED32:
        return WIRE_32_BIT;
    case PBT_REFLECT_STRING:
    case PBT_REFLECT_BYTES:
    case PBT_REFLECT_MESSAGE:
        return WIRE_LENGTH;
    case PBT_REFLECT_GROUP:
        return WIRE_GROUP_START;
    default:
        return WIRE_VARINT;
    }
}

static size_t smallest_size_of(unsigned type) {
    switch ((unsigned) wire_type_of(type)) {
    case WIRE_64_BIT:
        return 8;
    case WIRE_32_BIT:
        return 4;
    default:
        return 1;
    }
}

/* The value of a number, without its tag. */
static void put_number(pbti_walk *walk, unsigned type, uint64_t bits) {
    switch (type) {
    case PBT_REFLECT_DOUBLE:
    case PBT_REFLECT_FIXED64:
    case PBT_REFLECT_SFIXED64:
        put_little_endian(walk, bits, 8);
        break;
    case PBT_REFLECT_FLOAT:
    case PBT_REFLECT_FIXED32:
    case PBT_REFLECT_SFIXED32:
        put_little_endian(walk, bits, 4);
        break;
    case PBT_REFLECT_SINT32:
    case PBT_REFLECT_SINT64:
        pbti_reflect_put_varint(walk, zigzag(bits));
        break;
    default:
        pbti_reflect_put_varint(walk, bits);
        break;
    }
}

static PBTI_NOINLINE pbt_status fail_missing(pbti_walk *walk) {
    return pbti_reflect_fail(walk, PBT_ERR_REQUIRED,
                             "a required field is missing");
}

static bool is_missing(const pbti_walk *walk, const pbt_reflect_field *field,
                       bool absent) {
    return absent && (field->traits & PBT_REFLECT_REQUIRED) &&
           !(walk->flags & PBT_ALLOW_PARTIAL);
}

static pbt_status write_run(pbti_walk *walk, unsigned type,
                            const pbt_reflect_value *value) {
    const void *data = value->as.run.data;
    size_t len = value->as.run.len;
    pbt_status status = put_run(walk, data, len);
    if (status != PBT_OK)
        return status;
    if (type == PBT_REFLECT_STRING && (walk->flags & PBT_VALIDATE_UTF8)) {
        size_t valid = pbti_utf8_valid_prefix(data, len);
        if (valid < len)
            return pbti_reflect_fail(walk, PBT_ERR_UTF8,
                                     "the string is not valid UTF-8 at byte "
                                     "%zu",
                                     valid);
    }
    pbti_reflect_put_varint(walk, len);
    return PBT_OK;
}

/* One value that is no message, with its tag. */
static PBTI_APART pbt_status write_plain(pbti_walk *walk, pbti_link *link,
                                         pbt_reflect_field *field,
                                         size_t index) {
    pbt_reflect_value value;
    pbt_status status = pbti_reflect_value(walk, link, field, index, &value);
    if (status != PBT_OK)
        return status;
    if (is_missing(walk, field, value.absent))
        return fail_missing(walk);
    if (wire_type_of(field->type) == WIRE_LENGTH)
        status = write_run(walk, field->type, &value);
    else
        put_number(walk, field->type, value.as.bits);
    if (status != PBT_OK)
        return status;
    put_tag(walk, field->number, wire_type_of(field->type));
    return check_total(walk);
}

static pbt_status write_message(pbti_walk *walk, pbti_link *link);

/* What goes before a message that has just been written: the tag, and the
 * length unless it is a group. */
static PBTI_APART pbt_status write_head(pbti_walk *walk,
                                        const pbt_reflect_field *field,
                                        uint64_t len) {
    if (field->type == PBT_REFLECT_MESSAGE)
        pbti_reflect_put_varint(walk, len);
    put_tag(walk, field->number, wire_type_of(field->type));
    return check_total(walk);
}

/* One message, with its tag. It is all that stays on the stack, besides
 * write_message, for each level: keep large locals out. */
static pbt_status write_sub(pbti_walk *walk, pbti_link *link,
                            pbt_reflect_field *field, size_t index) {
    uint64_t before;
    pbti_link child;
    pbt_status status = pbti_reflect_enter(walk, link, field, index, &child);
    if (status != PBT_OK)
        return status;
    if (is_missing(walk, field, child.absent))
        return fail_missing(walk);
    if (field->type == PBT_REFLECT_GROUP)
        put_tag(walk, field->number, WIRE_GROUP_END);
    before = walk->total;
    if (!child.absent) {
        status = write_message(walk, &child);
        if (status != PBT_OK)
            return status;
        pbti_reflect_leave(walk, link);
    }
    return write_head(walk, field, walk->total - before);
}

static pbt_status write_value(pbti_walk *walk, pbti_link *link,
                              pbt_reflect_field *field, size_t index) {
    return pbti_reflect_is_message(field)
               ? write_sub(walk, link, field, index)
               : write_plain(walk, link, field, index);
}

static PBTI_APART pbt_status write_packed(pbti_walk *walk, pbti_link *link,
                                          pbt_reflect_field *field) {
    uint64_t before = walk->total;
    size_t i;
    pbt_status status;
    if ((uint64_t) field->count * smallest_size_of(field->type) >
        walk->max_size)
        return pbti_reflect_fail_size(walk);
    for (i = field->count; i-- > 0;) {
        pbt_reflect_value value;
        status = pbti_reflect_value(walk, link, field, i, &value);
        if (status != PBT_OK)
            return status;
        put_number(walk, field->type, value.as.bits);
        if (walk->total > walk->max_size)
            return pbti_reflect_fail_size(walk);
    }
    link->element = PBTI_NOTHING;
    pbti_reflect_put_varint(walk, walk->total - before);
    put_tag(walk, field->number, WIRE_LENGTH);
    return check_total(walk);
}

static PBTI_APART pbt_status write_ordered(pbti_walk *walk, pbti_link *link,
                                           pbt_reflect_field *field) {
    pbti_order order;
    size_t i;
    pbt_status status = pbti_reflect_order(walk, link, field, &order);
    while (status == PBT_OK && pbti_reflect_order_next(walk, &order, &i))
        status = write_value(walk, link, field, i);
    pbti_reflect_order_end(walk, &order);
    return status;
}

static pbt_status write_field(pbti_walk *walk, pbti_link *link, size_t index) {
    pbt_reflect_field field;
    size_t i;
    pbt_status status = pbti_reflect_field(walk, link, index, &field);
    if (status != PBT_OK)
        return status;
    if (field.count == 0)
        return is_missing(walk, &field, true) ? fail_missing(walk) : PBT_OK;
    status = pbti_reflect_check_count(walk, link, &field);
    if (status != PBT_OK)
        return status;
    if (field.traits & PBT_REFLECT_PACKED)
        return write_packed(walk, link, &field);
    if ((field.traits & PBT_REFLECT_MAP) && (walk->flags & PBT_DETERMINISTIC))
        return write_ordered(walk, link, &field);
    for (i = field.count; status == PBT_OK && i-- > 0;)
        status = write_value(walk, link, &field, i);
    return status;
}

static PBTI_APART pbt_status write_unknown(pbti_walk *walk, pbti_link *link,
                                           size_t index) {
    pbt_reflect_unknown unknown = {0};
    const char *why = NULL;
    pbt_status status =
        walk->reflection->unknown(&link->message, index, &unknown, &why);
    if (status != PBT_OK)
        return pbti_reflect_fail_why(walk, link, NULL, status, why);
    status = put_run(walk, unknown.data, unknown.len);
    if (status != PBT_OK)
        return status;
    if (unknown.tagged)
        put_tag(walk, unknown.number, unknown.wire_type);
    return check_total(walk);
}

/* Of a message that is open. */
static pbt_status write_message(pbti_walk *walk, pbti_link *link) {
    pbt_status status = PBT_OK;
    size_t i;
    if (!(walk->flags & PBT_DISCARD_UNKNOWN))
        for (i = link->n_unknown; status == PBT_OK && i-- > 0;)
            status = write_unknown(walk, link, i);
    for (i = link->n_fields; status == PBT_OK && i-- > 0;)
        status = write_field(walk, link, i);
    return status;
}

pbt_status pbti_reflect_write(pbti_walk *walk) {
    pbt_status status = pbti_reflect_open(walk, &walk->root);
    return status == PBT_OK ? write_message(walk, &walk->root) : status;
}
