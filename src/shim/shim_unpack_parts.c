/* shim_unpack_parts.c - the cold parts of unpack: arrays that grow, unknown
 * fields, oneofs, and what is freed when a call fails. */
#include "base_ranges.h"
#include "shim_unpack.h"

void pbti_unpacker_start(pbti_unpacker *u, const ProtobufCAllocator *allocator,
                         const uint8_t *data, size_t len) {
    const pbt_options options = {.max_depth = UINT32_MAX,
                                 .allocator = allocator};
    pbti_decoder_start(&u->d, data, len, NULL, &options);
    u->is_unusual = false;
    u->n_growths = 0;
    u->growth_hint = 0;
    u->growth_capacity = PBTI_INLINE_GROWTHS;
    u->growths = u->inline_growths;
}

void pbti_unpacker_free(pbti_unpacker *u) {
    if (u->growths != u->inline_growths)
        pbti_free(u->d.allocator, u->growths);
    pbti_decoder_end(&u->d);
}

static bool is_growth_of(const pbti_growth *growth, const char *msg,
                         uint32_t data) {
    return growth->msg == msg && growth->array.data == data;
}

/* Fields that take turns are found by the hint. */
static pbti_growth *find_growth(pbti_unpacker *u, const char *msg,
                                uint32_t data) {
    size_t i = u->growth_hint;
    if (i < u->n_growths && is_growth_of(&u->growths[i], msg, data)) {
        u->growth_hint = i + 1;
        return &u->growths[i];
    }
    for (i = u->n_growths; i > 0 && u->growths[i - 1].msg == msg; i--)
        if (is_growth_of(&u->growths[i - 1], msg, data)) {
            u->growth_hint = i;
            return &u->growths[i - 1];
        }
    return NULL;
}

static void *resize(const ProtobufCAllocator *allocator, void *block,
                    size_t used, size_t size) {
    void *larger;
    if (!allocator)
        return realloc(block, size);
    larger = pbti_alloc(allocator, size);
    if (!larger)
        return NULL;
    memcpy(larger, block, used);
    pbti_free(allocator, block);
    return larger;
}

static bool widen_growths(pbti_unpacker *u) {
    size_t capacity = 2 * u->growth_capacity;
    size_t used = u->n_growths * sizeof *u->growths;
    pbti_growth *growths = pbti_alloc(u->d.allocator, 2 * used);
    if (!growths)
        return false;
    memcpy(growths, u->growths, used);
    if (u->growths != u->inline_growths)
        pbti_free(u->d.allocator, u->growths);
    u->growths = growths;
    u->growth_capacity = capacity;
    return true;
}

static pbti_growth *add_growth(pbti_unpacker *u, char *msg, pbti_array array,
                               size_t capacity) {
    if (u->n_growths == u->growth_capacity && !widen_growths(u))
        return NULL;
    u->growths[u->n_growths] = (pbti_growth){msg, array, capacity};
    return &u->growths[u->n_growths++];
}

static void *first_array(const pbti_unpacker *u, char *msg, pbti_array array,
                         size_t n) {
    void *elements;
    if (n > SIZE_MAX / array.size)
        return NULL;
    elements = pbti_alloc(u->d.allocator, n * array.size);
    if (elements)
        memcpy(msg + array.data, &elements, sizeof elements);
    return elements;
}

static bool enlarge(const pbti_unpacker *u, char *msg, pbti_growth *growth,
                    size_t used, size_t wanted) {
    enum { LEAST = 8 };
    size_t size = growth->array.size;
    void *elements;
    if (wanted < 2 * growth->capacity)
        wanted = 2 * growth->capacity;
    if (wanted < LEAST)
        wanted = LEAST;
    if (wanted > SIZE_MAX / size)
        return false;
    memcpy(&elements, msg + growth->array.data, sizeof elements);
    elements = resize(u->d.allocator, elements, used * size, wanted * size);
    if (!elements)
        return false;
    memcpy(msg + growth->array.data, &elements, sizeof elements);
    growth->capacity = wanted;
    return true;
}

char *pbti_unpack_room(pbti_unpacker *u, char *msg, pbti_array array,
                       size_t n) {
    size_t before = pbti_array_count(msg, array);
    pbti_growth *growth;
    char *elements;
    if (before == 0)
        return first_array(u, msg, array, n);
    growth = find_growth(u, msg, array.data);
    if (!growth)
        growth = add_growth(u, msg, array, before);
    if (!growth || (before + n > growth->capacity &&
                    !enlarge(u, msg, growth, before, before + n)))
        return NULL;
    memcpy(&elements, msg + array.data, sizeof elements);
    return elements + before * array.size;
}

static bool cut(const pbti_unpacker *u, const pbti_growth *growth) {
    pbti_array array = growth->array;
    size_t size = pbti_array_count(growth->msg, array) * array.size;
    void *elements;
    if (size == growth->capacity * array.size)
        return true;
    memcpy(&elements, growth->msg + array.data, sizeof elements);
    elements = resize(u->d.allocator, elements, size, size);
    if (!elements)
        return false;
    memcpy(growth->msg + array.data, &elements, sizeof elements);
    return true;
}

bool pbti_unpack_trim(pbti_unpacker *u, const char *msg) {
    while (u->n_growths > 0 && u->growths[u->n_growths - 1].msg == msg)
        if (!cut(u, &u->growths[--u->n_growths]))
            return false;
    return true;
}

const uint8_t *pbti_unpack_length(const uint8_t *p, const uint8_t *limit,
                                  size_t *len) {
    uint64_t v;
    const uint8_t *end = pbti_read_carefully(p, limit, &v);
    if (!end || end - p > PBTI_MAX_PREFIX || v > INT32_MAX ||
        v > (uint64_t) (limit - end))
        return NULL;
    *len = (size_t) v;
    return end;
}

const uint8_t *pbti_unpack_skip(const uint8_t *p, const uint8_t *limit,
                                uint32_t wire_type) {
    uint64_t value;
    size_t len;
    switch (wire_type) {
    case PROTOBUF_C_WIRE_TYPE_VARINT:
        return pbti_read_carefully(p, limit, &value);
    case PROTOBUF_C_WIRE_TYPE_64BIT:
        return limit - p < 8 ? NULL : p + 8;
    case PROTOBUF_C_WIRE_TYPE_32BIT:
        return limit - p < 4 ? NULL : p + 4;
    case PROTOBUF_C_WIRE_TYPE_LENGTH_PREFIXED:
        p = pbti_unpack_length(p, limit, &len);
        return p ? p + len : NULL;
    default:
        return NULL;
    }
}

const uint8_t *pbti_unpack_unknown(pbti_unpacker *u, char *msg, uint32_t number,
                                   uint32_t wire_type, const uint8_t *p,
                                   const uint8_t *limit) {
    const pbti_array array = {offsetof(ProtobufCMessage, unknown_fields),
                              offsetof(ProtobufCMessage, n_unknown_fields),
                              sizeof(ProtobufCMessageUnknownField)};
    ProtobufCMessage *message = (ProtobufCMessage *) (void *) msg;
    const uint8_t *end = pbti_unpack_skip(p, limit, wire_type);
    ProtobufCMessageUnknownField field = {
        .tag = number, .wire_type = (ProtobufCWireType) wire_type};
    char *place;
    if (!end || message->n_unknown_fields == UINT_MAX)
        return NULL;
    place = pbti_unpack_room(u, msg, array, 1);
    if (!place)
        return NULL;
    field.len = (size_t) (end - p);
    field.data = pbti_alloc(u->d.allocator, field.len);
    if (!field.data)
        return NULL;
    memcpy(field.data, p, field.len);
    memcpy(place, &field, sizeof field);
    message->n_unknown_fields++;
    return end;
}

bool pbti_unpack_truth(const uint8_t *p, const uint8_t *end) {
    while (p < end)
        if (*p++ & 0x7f)
            return true;
    return false;
}

size_t pbti_unpack_size(ProtobufCType type) {
    switch (type) {
#define PBTI_FIELD_KIND(type, name, encoding, member)                          \
    case PROTOBUF_C_TYPE_##type:                                               \
        return sizeof(member);
#include "table_kinds.def"
    }
    return 0;
}

bool pbti_unpack_clear_oneof(pbti_unpacker *u, char *msg,
                             const ProtobufCMessageDescriptor *type,
                             uint32_t quantifier) {
    uint32_t number = pbti_load32(msg + quantifier);
    int i = pbti_range_index(type->n_field_ranges, type->field_ranges,
                             (int) number);
    const ProtobufCFieldDescriptor *former;
    if (i < 0)
        return false;
    former = &type->fields[i];
    pbti_free_member(former, msg + former->offset, u->d.allocator);
    memset(msg + former->offset, 0, pbti_unpack_size(former->type));
    pbti_store32(msg + quantifier, 0);
    return true;
}

bool pbti_unpack_replace(pbti_unpacker *u, char *member,
                         ProtobufCMessage *later) {
    ProtobufCMessage *earlier;
    bool good;
    memcpy(&earlier, member, sizeof earlier);
    good = pbti_merge_messages(earlier, later, u->d.allocator);
    pbti_free_unpacked(earlier, u->d.allocator);
    memcpy(member, &later, sizeof later);
    return good;
}

void pbti_unpack_abandon(pbti_unpacker *u, const pbti_decode_frame *top,
                         char *msg) {
    pbti_free_unpacked((ProtobufCMessage *) (void *) msg, u->d.allocator);
    while (top-- > u->d.frames)
        pbti_free_unpacked((ProtobufCMessage *) (void *) top->msg,
                           u->d.allocator);
}
