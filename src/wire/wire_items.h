/* wire_items.h - how the quick size loop counts fields: see table_items.h.
 *
 * Whether a number is there, and how long it is, is never branched on.
 */
#ifndef PBTI_WIRE_ITEMS_H
#define PBTI_WIRE_ITEMS_H

#include "wire_sizes.h"
#include "wire_trace.h"

/* Sizes of varints by the leading zeros of eight bytes, of which the number is
 * the upper half or the whole, and the last bit is set; and by pbti_size_class.
 * What is in the lower half counts only where the size is 1 anyway. Zigzag
 * numbers are complemented if negative, and not doubled. */
#define SIZE_OF(bits) ((uint8_t) ((bits) < 1 ? 1 : ((bits) + 6) / 7))
#define CLASSES(zeros)                                                         \
    {                                                                          \
        [PBTI_SIZE_SIGNED32] = (zeros) == 0 ? 10 : SIZE_OF(32 - (zeros)),      \
        [PBTI_SIZE_UNSIGNED32] = SIZE_OF(32 - (zeros)),                        \
        [PBTI_SIZE_ZIGZAG32] = SIZE_OF(33 - (zeros)),                          \
        [PBTI_SIZE_VARINT64] = SIZE_OF(64 - (zeros)),                          \
        [PBTI_SIZE_ZIGZAG64] = SIZE_OF(65 - (zeros))                           \
    }
#define EIGHT(zeros)                                                           \
    CLASSES((zeros)), CLASSES((zeros) + 1), CLASSES((zeros) + 2),              \
        CLASSES((zeros) + 3), CLASSES((zeros) + 4), CLASSES((zeros) + 5),      \
        CLASSES((zeros) + 6), CLASSES((zeros) + 7)
static const uint8_t pbti_sizes_by_class[64][PBTI_N_ITEM_CLASSES] = {
    EIGHT(0),  EIGHT(8),  EIGHT(16), EIGHT(24),
    EIGHT(32), EIGHT(40), EIGHT(48), EIGHT(56)};
#undef EIGHT
#undef CLASSES
#undef SIZE_OF

PBTI_INLINE const char *pbti_at(const char *msg, uint16_t units) {
    return msg + PBTI_ITEM_UNIT * (size_t) units;
}

PBTI_INLINE bool pbti_has_item(const char *msg, const pbti_item *item) {
    return (pbti_load64(pbti_at(msg, item->presence)) & item->u.mask) != 0;
}

/* Bytes of the varint that ends with these eight bytes; 0 if it is not one.
 * `negated` is all ones if it is zigzag. */
PBTI_INLINE uint64_t pbti_class_size(const char *word, unsigned class,
                                     uint64_t negated) {
    uint64_t v;
#if PBTI_WORD_STORES
    v = pbti_load64(word);
#else
    if (class >= PBTI_SIZE_VARINT64)
        v = pbti_load64(word);
    else
        v = (uint64_t) pbti_load32(word + 4) << 32;
#endif
    v ^= (0 - (v >> 63)) & negated;
    return pbti_sizes_by_class[PBTI_LEADING_ZEROS(v | 1)][class];
}

/* A varint and its tag. */
PBTI_INLINE uint64_t pbti_varint_item(const char *msg, const pbti_item *item,
                                      bool zigzag) {
    return item->bytes + pbti_class_size(pbti_at(msg, item->data), item->class,
                                         zigzag ? UINT64_MAX : 0);
}

/* Bytes in front of which their length is. */
PBTI_INLINE uint64_t pbti_item_block(const pbti_item *item, uint64_t len) {
    return item->bytes + (uint64_t) pbti_varint_size(len) + len;
}

/* What a size is where the loop has to give up. */
#define PBTI_GAVE_UP UINT64_MAX

/* Adds without a branch. */
PBTI_INLINE uint64_t pbti_if(bool condition, uint64_t size) {
    uint64_t mask = 0 - (uint64_t) condition;
    PBTI_OPAQUE(mask);
    return size & mask;
}

/* Any string; NULL is nothing. */
PBTI_INLINE uint64_t pbti_any_string(const pbti_item *item, const char *s) {
    size_t len = s ? pbti_string_length(s) : 0;
    return !s || (len == 0 && item->op == PBTI_ITEM_STRINGS_IMPLICIT)
               ? 0
               : pbti_item_block(item, len);
}

#if PBTI_SSE2 && PBTI_VECTOR_STRINGS
PBTI_OUTLINE uint64_t tally_string(const pbti_item *item, const char *s) {
    return pbti_any_string(item, s);
}

/* The zeros among 64 bytes. */
PBTI_INLINE uint64_t pbti_zeros64(const char *s) {
#if PBTI_AVX2
    const __m256i *steps = (const void *) s;
    return pbti_zero_bytes(_mm256_loadu_si256(steps)) |
           (uint64_t) pbti_zero_bytes(_mm256_loadu_si256(steps + 1)) << 32;
#else
    const pbti_u8x16 zeros[4] = {(pbti_u8x16) (pbti_load_16(s) == 0),
                                 (pbti_u8x16) (pbti_load_16(s + 16) == 0),
                                 (pbti_u8x16) (pbti_load_16(s + 32) == 0),
                                 (pbti_u8x16) (pbti_load_16(s + 48) == 0)};
    return pbti_bits64(zeros);
#endif
}

/* The same. Of most strings 64 bytes are looked at, so that nothing has to be
 * guessed about their length. They are in the page of the byte in front of
 * them, which NULL is not, so that the loads cannot fault. */
PBTI_INLINE uint64_t pbti_string_item(const pbti_call *call,
                                      const pbti_item *item, const char *s,
                                      bool implicit) {
    enum { PAGE_SIZE = 4096 };
    if (PBTI_LIKELY((((uintptr_t) s - 1) & (PAGE_SIZE - 1)) <
                    call->string_limit)) {
        uint64_t zeros = pbti_zeros64(s);
        if (PBTI_LIKELY(zeros != 0)) {
            size_t len = PBTI_TRAILING_ZEROS(zeros);
            uint64_t size = item->bytes + (uint64_t) 1 + len;
            return implicit ? pbti_if(len > 0, size) : size;
        }
    }
    return tally_string(item, s);
}
#else
PBTI_INLINE uint64_t pbti_string_item(const pbti_call *call,
                                      const pbti_item *item, const char *s,
                                      bool implicit) {
    (void) call;
    (void) implicit;
    return pbti_any_string(item, s);
}
#endif

/* The words of a few without a presence; of as many as a vector has. */
enum { PBTI_FEW_WORDS = PBTI_AVX2 ? 4 : PBTI_SSE2 ? 2 : 1 };

PBTI_INLINE uint64_t pbti_absent_words(const char *words,
                                       const uint64_t *masks) {
#if PBTI_AVX2
    __m256i v = _mm256_and_si256(
        _mm256_loadu_si256((const __m256i *) (const void *) words),
        _mm256_loadu_si256((const __m256i *) (const void *) masks));
    __m256i absent = _mm256_cmpeq_epi64(v, _mm256_setzero_si256());
    return (unsigned) _mm256_movemask_pd(_mm256_castsi256_pd(absent));
#elif PBTI_SSE2
    __m128i v =
        _mm_and_si128(_mm_loadu_si128((const __m128i *) (const void *) words),
                      _mm_loadu_si128((const __m128i *) (const void *) masks));
    __m128i halves = _mm_cmpeq_epi32(v, _mm_setzero_si128());
    __m128i absent = _mm_and_si128(halves, _mm_shuffle_epi32(halves, 0xb1));
    return (unsigned) _mm_movemask_pd(_mm_castsi128_pd(absent));
#else
    return (pbti_load64(words) & masks[0]) == 0;
#endif
}

/* The words of a part in which a presence is. */
PBTI_INLINE uint64_t pbti_part_words(const char *words, const pbti_part *part) {
    enum { N = PBTI_FEW_WORDS, AT_ONCE = 4 * N };
    uint64_t absent = 0;
    unsigned i;
    for (i = 0; i < PBTI_PART_WORDS; i += AT_ONCE) {
        const char *at = words + 8 * (size_t) i;
        const uint64_t *masks = part->masks + i;
        absent |= (pbti_absent_words(at, masks) |
                   pbti_absent_words(at + 8 * N, masks + N) << N |
                   pbti_absent_words(at + 16 * N, masks + 2 * N) << 2 * N |
                   pbti_absent_words(at + 24 * N, masks + 3 * N) << 3 * N)
                  << i;
    }
    return ~absent;
}

PBTI_INLINE uint64_t pbti_part_number_size(const char *word,
                                           const pbti_part_number *number) {
    const char *end = word + PBTI_ITEM_UNIT * (size_t) number->end;
    return number->bytes + pbti_class_size(end - 8, number->class,
                                           0 - (uint64_t) number->zigzag);
}

/* The functions that follow return PBTI_GAVE_UP where there may be an error. */

/* The fields of the parts of a wide type. */
PBTI_OUTLINE uint64_t tally_parts(const pbti_call *call, const char *msg,
                                  const pbti_part *part) {
    uint64_t sum = 0;
    for (; part; part = part->next) {
        const char *words = msg + part->offset;
        uint64_t present = pbti_part_words(words, part);
        uint64_t set;
        PBTI_COUNT(size_parts);
        for (set = present & part->scalars; set; set &= set - 1) {
            unsigned word = PBTI_TRAILING_ZEROS(set);
            sum += pbti_part_number_size(words + 8 * (size_t) word,
                                         &part->numbers[word]);
        }
        for (set = present & part->strings; set; set &= set - 1) {
            const pbti_item *item =
                part->items + part->index[PBTI_TRAILING_ZEROS(set)];
            const char *s = pbti_load_pointer(pbti_at(msg, item->data));
            if (PBTI_LIKELY(s != item->u.default_value))
                sum += pbti_string_item(call, item, s, false);
        }
        for (set = present & part->bytes; set; set &= set - 1) {
            const pbti_item *item =
                part->items + part->index[PBTI_TRAILING_ZEROS(set)];
            ProtobufCBinaryData bytes;
            memcpy(&bytes, pbti_at(msg, item->data), sizeof bytes);
            if (PBTI_UNLIKELY(!pbti_is_sound(call, &bytes)))
                return PBTI_GAVE_UP;
            sum += pbti_item_block(item, bytes.len);
        }
    }
    return sum;
}

PBTI_OUTLINE uint64_t tally_strings(const pbti_call *call, const char *msg,
                                    const pbti_item *item) {
    const pbti_row *row = item->u.row;
    const char *const *strings = pbti_pointer(msg, row);
    size_t n = pbti_count(msg, row);
    uint64_t sum = 0;
    size_t i;
    if (PBTI_UNLIKELY(pbti_check_array(call->max_size, strings, n,
                                       row->tag_len + (size_t) 1) != PBT_OK))
        return PBTI_GAVE_UP;
    for (i = 0; i < n; i++) {
        if (PBTI_UNLIKELY(!strings[i]))
            return PBTI_GAVE_UP;
        sum += pbti_string_item(call, item, strings[i], false);
    }
    return sum;
}

PBTI_OUTLINE uint64_t tally_array(const pbti_call *call, const char *msg,
                                  const pbti_item *item) {
    const pbti_row *row = item->u.row;
    pbt_status status = PBT_OK;
    uint64_t size = 0;
    size_t element;
    switch (row->op) {
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    case PBTI_OP_##name##_REPEATED:                                            \
        status = size_repeated_##name(call, row, msg, &size);                  \
        break;                                                                 \
    case PBTI_OP_##name##_PACKED:                                              \
        status = size_packed_##name(call, row, msg, &size);                    \
        break;
#include "table_kinds.def"
    default:
        status = size_binaries(call, row, msg, &size, &element);
        break;
    }
    return status == PBT_OK ? size : PBTI_GAVE_UP;
}

PBTI_OUTLINE uint64_t tally_unknown(const pbti_call *call, const char *msg) {
    uint64_t size = 0;
    size_t element;
    pbt_status status = size_unknown(call, msg, &size, &element);
    return status == PBT_OK ? size : PBTI_GAVE_UP;
}

/* The item of a oneof's member, or what follows the oneof. */
PBTI_INLINE const pbti_item *pbti_oneof_item(const char *msg,
                                             const pbti_item *item) {
    uint32_t number = pbti_load32(pbti_at(msg, item->presence));
    uint32_t slot = number - item[1].u.span.first;
    return PBTI_LIKELY(slot < item[1].u.span.n)
               ? item->u.members + 2 * (size_t) slot
               : item + 2;
}

PBTI_OUTLINE const pbti_item *searched_item(const char *msg,
                                            const pbti_item *item) {
    const pbti_oneof *oneof = item->u.row->u.oneof;
    uint32_t number = pbti_load32(msg + item->u.row->data);
    const pbti_row *row = pbti_oneof_search(oneof, number);
    return row ? item[1].u.members + 2 * (row - oneof->rows) : item + 2;
}

/* The largest numbers of one to four bytes, in each lane. */
static const int32_t pbti_lane_borders[4][PBTI_STEP_LANES] = {
#define EIGHT(n)                                                               \
    { (n), (n), (n), (n), (n), (n), (n), (n) }
    EIGHT((1 << 7) - 1), EIGHT((1 << 14) - 1), EIGHT((1 << 21) - 1),
    EIGHT((1 << 28) - 1)
#undef EIGHT
};

#if PBTI_VECTOR
#if PBTI_AVX2
typedef int32_t pbti_counts __attribute__((vector_size(32)));
#else
typedef pbti_s32x4 pbti_counts;
#endif

PBTI_INLINE pbti_counts pbti_load_counts(const void *p) {
    pbti_counts v;
    memcpy(&v, p, sizeof v);
    return v;
}

PBTI_INLINE uint64_t pbti_add_counts(pbti_counts v) {
#if PBTI_AVX2
    pbti_u64x2 pairs =
        (pbti_u64x2) _mm_add_epi32(_mm256_castsi256_si128((__m256i) v),
                                   _mm256_extracti128_si256((__m256i) v, 1));
#else
    pbti_u64x2 pairs = (pbti_u64x2) v;
#endif
    uint64_t pair = pairs[0] + pairs[1];
    return (pair & UINT32_MAX) + (pair >> 32);
}
#else
typedef int32_t pbti_counts;

PBTI_INLINE pbti_counts pbti_load_counts(const void *p) {
    return (int32_t) pbti_load32(p);
}

PBTI_INLINE uint64_t pbti_add_counts(pbti_counts v) {
    return (uint64_t) v;
}
#endif

#if PBTI_VECTOR
/* What the lanes of a step from `first` on count. Comparisons give -1 for
 * true. */
PBTI_INLINE pbti_counts pbti_count_lanes(const char *msg, const pbti_step *step,
                                         unsigned first,
                                         const int32_t (*borders)[8]) {
    const char *lanes = msg + step->offset + 4 * (size_t) first;
    pbti_counts v = pbti_load_counts(lanes);
    pbti_counts told =
        (v & pbti_load_counts(step->own + first)) |
        (pbti_load_counts(lanes - 4) & pbti_load_counts(step->before + first));
    pbti_counts size = pbti_load_counts(step->fixed + first);
    unsigned i;
#if PBTI_SSE2 && !PBTI_AVX2
    /* twice as much work; of little use where a step has all lanes */
    if (_mm_movemask_epi8((__m128i) (told == 0)) == 0xffff)
        return told;
#endif
    v &= pbti_load_counts(step->number + first);
    for (i = 0; i < 4; i++)
        size -= v > pbti_load_counts(borders[i]);
    size += (v >> 31) & pbti_load_counts(step->negative + first);
    return size & ~(told == 0);
}
#else
/* The same for one lane. */
PBTI_INLINE pbti_counts pbti_count_lanes(const char *msg, const pbti_step *step,
                                         unsigned first,
                                         const int32_t (*borders)[8]) {
    const char *lane = msg + step->offset + 4 * (size_t) first;
    int32_t v = (int32_t) (pbti_load32(lane) & step->number[first]);
    int32_t size = (int32_t) step->fixed[first];
    unsigned i;
    if (!(pbti_load32(lane) & step->own[first]) &&
        !(pbti_load32(lane - 4) & step->before[first]))
        return 0;
    for (i = 0; i < 4; i++)
        size += v > borders[i][0];
    return size + (v < 0 ? (int32_t) step->negative[first] : 0);
}
#endif

/* The numbers of n steps, which are no more than a byte can count. */
PBTI_INLINE uint64_t pbti_steps(const char *msg, const pbti_step *step,
                                unsigned n) {
    enum { N = sizeof(pbti_counts) / sizeof(int32_t) };
    static const int32_t no_lanes[PBTI_STEP_LANES] = {0};
    const int32_t(*borders)[PBTI_STEP_LANES] = pbti_lane_borders;
    pbti_counts sum = pbti_load_counts(no_lanes);
    unsigned i;
    PBTI_OPAQUE(borders); /* or they would be put together in each call */
    do {
        for (i = 0; i < PBTI_STEP_LANES; i += N)
            if (PBTI_VECTOR || step->fixed[i] > 0)
                sum += pbti_count_lanes(msg, step, i, borders);
        step++;
    } while (--n);
    return pbti_add_counts(sum);
}

#endif
