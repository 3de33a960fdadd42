/* wire_unknown.c - fields that the type does not know, as protobuf-c keeps
 * them: number, wire type and the bytes behind the tag; of a group its content
 * and its end tag. */
#include "wire_decode.h"

const char pbti_wrong_end[] = "the end of a group that is not open";

const uint8_t *pbti_read_carefully(const uint8_t *p, const uint8_t *limit,
                                   uint64_t *value) {
    uint64_t v = 0;
    unsigned i;
    for (i = 0; i < PBTI_MAX_VARINT && p < limit; i++) {
        uint8_t byte = *p++;
        v |= (uint64_t) (byte & 0x7f) << 7 * i;
        if (byte < 0x80) {
            *value = v;
            return p;
        }
    }
    return NULL;
}

bool pbti_blame_packed(pbti_decoder *d, const uint8_t *p, const uint8_t *end) {
    uint64_t value;
    const uint8_t *next;
    while ((next = pbti_read_carefully(p, end, &value)) != NULL)
        p = next;
    return pbti_blame(d, PBT_ERR_MALFORMED, p, pbti_varint_fault(p, end));
}

const char *pbti_varint_fault(const uint8_t *p, const uint8_t *limit) {
    if (limit - p >= PBTI_MAX_VARINT)
        return "a varint has more than ten bytes";
    return "a varint is cut off";
}

const uint8_t *pbti_read_tag_carefully(const uint8_t *p, const uint8_t *limit,
                                       uint32_t *tag) {
    uint64_t value;
    const uint8_t *end = pbti_read_carefully(p, limit, &value);
    if (!end || end - p > PBTI_MAX_TAG || value > UINT32_MAX || value >> 3 == 0)
        return NULL;
    *tag = (uint32_t) value;
    return end;
}

const char *pbti_tag_fault(const uint8_t *p, const uint8_t *limit) {
    uint64_t value;
    if (!pbti_read_carefully(p, limit, &value))
        return pbti_varint_fault(p, limit);
    if (value >> 3 > 0 && value <= UINT32_MAX)
        return "a tag has more than five bytes";
    return "no field has such a number";
}

/* The end of a value of any wire type but the group's two. */
static const uint8_t *skip_value(const uint8_t *p, const uint8_t *limit,
                                 uint32_t wire_type) {
    uint64_t len;
    switch (wire_type) {
    case PROTOBUF_C_WIRE_TYPE_VARINT:
        return pbti_read_carefully(p, limit, &len);
    case PROTOBUF_C_WIRE_TYPE_64BIT:
        len = 8;
        break;
    case PROTOBUF_C_WIRE_TYPE_32BIT:
        len = 4;
        break;
    case PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED:
        p = pbti_read_carefully(p, limit, &len);
        if (!p)
            return NULL;
        break;
    default:
        return NULL;
    }
    return p <= limit && len <= (uint64_t) (limit - p) ? p + len : NULL;
}

const char *pbti_value_fault(const uint8_t *p, const uint8_t *limit,
                             uint32_t wire_type) {
    uint64_t value;
    if (wire_type > PROTOBUF_C_WIRE_TYPE_32BIT)
        return "the tag has a wire type that does not exist";
    if ((wire_type == PROTOBUF_C_WIRE_TYPE_VARINT ||
         wire_type == PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED) &&
        !pbti_read_carefully(p, limit, &value))
        return pbti_varint_fault(p, limit);
    return "the field exceeds the message that it is in";
}

/* at is where the tag is. */
static const uint8_t *skip_value_or_blame(pbti_decoder *d, const uint8_t *at,
                                          const uint8_t *p,
                                          const uint8_t *limit,
                                          uint32_t wire_type) {
    const uint8_t *end = skip_value(p, limit, wire_type);
    if (!end)
        pbti_blame(d, PBT_ERR_MALFORMED, at,
                   pbti_value_fault(p, limit, wire_type));
    return end;
}

static pbti_decode_frame *open_group(pbti_decoder *d, pbti_decode_frame *top,
                                     uint32_t number) {
    if (top == d->frames_end)
        top = pbti_grow_decode_frames(d, top);
    if (!top)
        return NULL;
    top->group = number;
    return top + 1;
}

/* The groups that are open have a frame each. */
static const uint8_t *skip_group(pbti_decoder *d, uint32_t number,
                                 const uint8_t *p, const uint8_t *limit,
                                 pbti_decode_frame **bottom) {
    size_t depth = (size_t) (*bottom - d->frames);
    pbti_decode_frame *top = open_group(d, *bottom, number);
    if (!top)
        return NULL;
    *bottom = d->frames + depth;
    while (top > *bottom) {
        const uint8_t *at = p;
        uint32_t tag;
        p = pbti_read_tag_carefully(p, limit, &tag);
        if (!p) {
            pbti_blame(d, PBT_ERR_MALFORMED, at,
                       at == limit ? "a group has no end"
                                   : pbti_tag_fault(at, limit));
            return NULL;
        }
        if ((tag & 7) == PBTI_START_GROUP) {
            top = open_group(d, top, tag >> 3);
            if (!top)
                return NULL;
            *bottom = d->frames + depth;
        } else if ((tag & 7) == PBTI_END_GROUP) {
            if ((--top)->group != tag >> 3) {
                pbti_blame(d, PBT_ERR_MALFORMED, at, pbti_wrong_end);
                return NULL;
            }
        } else {
            p = skip_value_or_blame(d, at, p, limit, tag & 7);
            if (!p)
                return NULL;
        }
    }
    return p;
}

/* Appends an unknown field whose bytes the caller fills in. */
static uint8_t *add_unknown(pbti_decoder *d, char *msg, uint32_t tag,
                            size_t len) {
    ProtobufCMessage *message = (ProtobufCMessage *) (void *) msg;
    ProtobufCMessageUnknownField *fields =
        pbti_grow_array(d, msg, offsetof(ProtobufCMessage, unknown_fields),
                        message->n_unknown_fields, 1, sizeof *fields);
    uint8_t *data;
    if (!fields)
        return NULL;
    data = pbti_arena_alloc(d->arena, len);
    if (!data) {
        d->status = PBT_ERR_NO_MEMORY;
        return NULL;
    }
    fields[message->n_unknown_fields++] = (ProtobufCMessageUnknownField){
        .tag = tag >> 3,
        .wire_type = (ProtobufCWireType) (tag & 7),
        .len = len,
        .data = data};
    return data;
}

const uint8_t *pbti_keep_unknown(pbti_decoder *d, char *msg, uint32_t tag,
                                 const uint8_t *p, const uint8_t *at,
                                 const uint8_t *limit,
                                 pbti_decode_frame **top) {
    const uint8_t *value = p;
    uint8_t *data;
    if (tag >> 3 == 0) {
        pbti_blame(d, PBT_ERR_MALFORMED, at, "no field has such a number");
        return NULL;
    }
    if ((tag & 7) == PBTI_START_GROUP) {
        p = skip_group(d, tag >> 3, p, limit, top);
        if (!p)
            return NULL;
    } else {
        p = skip_value_or_blame(d, at, p, limit, tag & 7);
        if (!p)
            return NULL;
    }
    if (d->flags & PBT_DISCARD_UNKNOWN)
        return p;
    data = add_unknown(d, msg, tag, (size_t) (p - value));
    if (!data)
        return NULL;
    memcpy(data, value, (size_t) (p - value));
    return p;
}

bool pbti_keep_number(pbti_decoder *d, char *msg, const pbti_slot *slot,
                      int32_t number) {
    uint8_t bytes[PBTI_MAX_VARINT];
    uint64_t v = (uint64_t) (int64_t) number;
    size_t n = 0;
    uint8_t *data;
    if (d->flags & PBT_DISCARD_UNKNOWN)
        return true;
    for (; v >= 0x80; v >>= 7)
        bytes[n++] = (uint8_t) (v | 0x80);
    bytes[n++] = (uint8_t) v;
    data = add_unknown(d, msg, slot->tag & ~7u, n);
    if (!data)
        return false;
    memcpy(data, bytes, n);
    return true;
}
