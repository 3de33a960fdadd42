/* wire_decode.c - the cold parts of unmarshal: the start and end of a call, the
 * growth of its frames and of arrays, and what is checked about strings. */
#include "wire_decode.h"

#include <inttypes.h>

#include "base_alloc.h"
#include "base_options.h"
#include "base_utf8.h"

/* Below this number there are eight times as many frames the next time, so that
 * hardly any are copied. */
enum { FEW_FRAMES = 1024 };

/* The length of an array, kept before it. */
typedef struct array_head {
    uint64_t capacity;
} array_head;

void pbti_decoder_free(pbti_decoder *d) {
    if (d->frames != d->inline_frames)
        pbti_free(d->allocator, d->frames);
}

bool pbti_blame(pbti_decoder *d, pbt_status status, const uint8_t *at,
                const char *sentence) {
    d->status = status;
    d->offset = d->skipped + d->len - (size_t) (d->end - at);
    d->sentence = sentence;
    return false;
}

pbti_decode_frame *pbti_grow_decode_frames(pbti_decoder *d,
                                           pbti_decode_frame *top) {
    size_t n = (size_t) (top - d->frames);
    size_t capacity = n < FEW_FRAMES ? 8 * n : 2 * n;
    pbti_decode_frame *frames;
    if (n >= d->max_depth) {
        d->status = PBT_ERR_DEPTH;
        return NULL;
    }
    if (capacity > d->max_depth)
        capacity = d->max_depth;
    frames = pbti_alloc(d->allocator, capacity * sizeof *frames);
    if (!frames) {
        d->status = PBT_ERR_NO_MEMORY;
        return NULL;
    }
    memcpy(frames, d->frames, n * sizeof *frames);
    pbti_decoder_free(d);
    d->frames = frames;
    d->frames_end = frames + capacity;
    return frames + n;
}

/* The last piece of an arena is made longer where it is. */
static bool extend_in_place(pbt_arena *arena, const char *array, size_t size,
                            size_t new_size) {
    size_t more;
    if (array + size != arena->cursor || new_size <= size)
        return false;
    more = pbti_arena_piece(new_size - size);
    if (more > (size_t) (arena->end - arena->cursor))
        return false;
    arena->cursor += more;
    PBTI_ARENA_UNPOISON(array, new_size);
    return true;
}

static char *move_array(pbti_decoder *d, const char *array, size_t size,
                        size_t capacity, size_t element_size) {
    array_head *head;
    if (capacity > (SIZE_MAX / 4 - sizeof *head) / element_size)
        return NULL;
    head = pbti_arena_alloc(d->arena, sizeof *head + capacity * element_size);
    if (!head)
        return NULL;
    head->capacity = capacity;
    if (size > 0)
        memcpy(head + 1, array, size);
    return (char *) (head + 1);
}

/* Twice as many, or as many as are wanted; a first array of the packed form
 * is exact. */
static size_t new_capacity(size_t capacity, size_t wanted,
                           size_t element_size) {
    if (capacity == 0 && wanted == 1)
        return pbti_first_capacity(element_size);
    return wanted > 2 * capacity ? wanted : 2 * capacity;
}

void *pbti_grow_array(pbti_decoder *d, char *msg, uint32_t data,
                      size_t n_elements, size_t n, size_t element_size) {
    char *array;
    array_head *head;
    size_t capacity = 0, wanted = n_elements + n;
    memcpy(&array, msg + data, sizeof array);
    head = (array_head *) (void *) array;
    if (n_elements > 0)
        capacity = (size_t) head[-1].capacity;
    if (n >= PBTI_MAX_ELEMENTS || wanted >= PBTI_MAX_ELEMENTS) {
        d->status = PBT_ERR_TOO_LARGE;
        return NULL;
    }
    if (wanted <= capacity)
        return array;
    wanted = new_capacity(capacity, wanted, element_size);
    if (capacity > 0 &&
        extend_in_place(d->arena, array, capacity * element_size,
                        wanted * element_size)) {
        head[-1].capacity = wanted;
        return array;
    }
    array =
        move_array(d, array, n_elements * element_size, wanted, element_size);
    if (!array) {
        d->status = PBT_ERR_NO_MEMORY;
        return NULL;
    }
    memcpy(msg + data, &array, sizeof array);
    return array;
}

static size_t singular_size(ProtobufCType type) {
    switch (type) {
#define PBTI_FIELD_KIND(type, name, encoding, member)                          \
    case PROTOBUF_C_TYPE_##type:                                               \
        return sizeof(member);
#include "table_kinds.def"
    }
    return 0;
}

void pbti_clear_oneof(char *msg, const pbti_table *table, uint32_t former) {
    const ProtobufCFieldDescriptor *field =
        pbti_field_of_number(table->type, former);
    if (field)
        memset(msg + field->offset, 0, singular_size(field->type));
}

bool pbti_check_text(pbti_decoder *d, const pbti_slot *slot,
                     const uint8_t *text, size_t len) {
    bool utf8 = (d->flags & PBT_VALIDATE_UTF8) ||
                ((d->flags & PBT_CONFORMANT) && (slot->flags & PBTI_SLOT_UTF8));
    const uint8_t *nul = NULL;
    if (d->flags & PBT_REJECT_NUL)
        nul = len > 0 ? memchr(text, 0, len) : NULL;
    if (nul) {
        d->detail = (size_t) (nul - text);
        return pbti_blame(d, PBT_ERR_VALUE, nul, NULL);
    }
    if (!utf8)
        return true;
    d->detail = pbti_utf8_valid_prefix(text, len);
    if (d->detail == len)
        return true;
    return pbti_blame(d, PBT_ERR_UTF8, text, NULL);
}

bool pbti_is_own_message(const pbti_table *table, const pbti_slot *slot,
                         const void *sub) {
    return sub !=
           pbti_field_of_number(table->type, slot->tag >> 3)->default_value;
}

void pbti_note_more(char *msg, const pbti_parse *parse, uint32_t bit) {
    char *word = msg + parse->seen + sizeof(uint64_t) * (1 + bit / 64);
    pbti_store64(word, pbti_load64(word) | UINT64_C(1) << bit % 64);
}

static bool lacks_more(const char *msg, const pbti_parse *parse) {
    uint32_t bit;
    for (bit = 0; bit + PBTI_FIRST_REQUIRED < parse->n_required; bit++) {
        const char *word =
            msg + parse->seen + sizeof(uint64_t) * (1 + bit / 64);
        if (!(pbti_load64(word) >> bit % 64 & 1))
            return true;
    }
    return false;
}

void pbti_note_missing(pbti_decoder *d, const char *msg,
                       const pbti_parse *parse, uint64_t seen) {
    if ((parse->required & ~seen) != 0 || lacks_more(msg, parse))
        d->incomplete = true;
}
