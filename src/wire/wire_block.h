/* wire_block.h - the rows of a window (see table_wide.c).
 *
 * The non-zero words of the window are found without a branch, and the singular
 * scalars among the fields they belong to are written, or counted, by one
 * sequence that serves them all: in a message of hundreds of mixed fields,
 * nothing else could be predicted. Strings and bytes are run on the way. The
 * marshal or size loop runs the other rows, and comes back to the window by way
 * of a RESUME row.
 */
#ifndef PBTI_WIRE_BLOCK_H
#define PBTI_WIRE_BLOCK_H

#include "base_vector.h"
#include "wire_scalar.h"

/* What a loop runs after a BLOCK row, and after each row of the window that
 * the loop itself runs; always present. The latter first gets the place in the
 * window back from the frame where it was kept. */
static const pbti_row pbti_resume_row = {.mask = UINT64_MAX,
                                         .op = PBTI_OP_RESUME};
static const pbti_row pbti_return_row = {.mask = UINT64_MAX,
                                         .op = PBTI_OP_RETURN};

#if PBTI_NEON
/* Of two words each, all ones where one is not zero, in four lanes. */
PBTI_INLINE pbti_s32x4 pbti_mark_four(const char *words) {
    uint64x2_t low = (uint64x2_t) pbti_load_16(words);
    uint64x2_t high = (uint64x2_t) pbti_load_16(words + 16);
    return (pbti_s32x4) vuzp1q_u32((uint32x4_t) vtstq_u64(low, low),
                                   (uint32x4_t) vtstq_u64(high, high));
}

/* All ones for each of 16 words that is not zero. */
PBTI_INLINE pbti_u8x16 pbti_mark_words(const char *words) {
    pbti_s16x8 low =
        pbti_narrow32(pbti_mark_four(words), pbti_mark_four(words + 32));
    pbti_s16x8 high =
        pbti_narrow32(pbti_mark_four(words + 64), pbti_mark_four(words + 96));
    return (pbti_u8x16) pbti_narrow16(low, high);
}
#endif

/* A bit for each of 64 words, set when the word is not zero. */
PBTI_INLINE uint64_t pbti_nonzero_words(const char *words) {
    uint64_t bits = 0;
    unsigned i;
#if PBTI_AVX512
    for (i = 0; i < PBTI_WINDOW_WORDS; i += 8) {
        __m512i v = _mm512_loadu_si512(words + 8 * (size_t) i);
        bits |= (uint64_t) _mm512_test_epi64_mask(v, v) << i;
    }
#elif PBTI_AVX2
    for (i = 0; i < PBTI_WINDOW_WORDS; i += 4) {
        __m256i v = _mm256_loadu_si256(
            (const __m256i *) (const void *) (words + 8 * (size_t) i));
        __m256i zero = _mm256_cmpeq_epi64(v, _mm256_setzero_si256());
        unsigned mask =
            (unsigned) _mm256_movemask_pd(_mm256_castsi256_pd(zero));
        bits |= (uint64_t) (mask ^ 15) << i;
    }
#elif PBTI_SSE2
    for (i = 0; i < PBTI_WINDOW_WORDS; i += 2) {
        __m128i v = _mm_loadu_si128(
            (const __m128i *) (const void *) (words + 8 * (size_t) i));
        __m128i half = _mm_cmpeq_epi32(v, _mm_setzero_si128());
        __m128i zero = _mm_and_si128(half, _mm_shuffle_epi32(half, 0xb1));
        unsigned mask = (unsigned) _mm_movemask_pd(_mm_castsi128_pd(zero));
        bits |= (uint64_t) (mask ^ 3) << i;
    }
#elif PBTI_NEON
    pbti_u8x16 marks[4];
    for (i = 0; i < PBTI_WINDOW_WORDS; i += 16)
        marks[i / 16] = pbti_mark_words(words + 8 * (size_t) i);
    bits = pbti_bits64(marks);
#else
    for (i = 0; i < PBTI_WINDOW_WORDS; i++)
        bits |= (uint64_t) (pbti_load64(words + 8 * (size_t) i) != 0) << i;
#endif
    return bits;
}

PBTI_OUTLINE void pbti_open_block(pbti_block *block, const char *msg,
                                  const pbti_row *block_row) {
    const pbti_window *window = block_row->u.window;
    uintptr_t next = (uintptr_t) msg + window->offset - PBTI_WINDOW_SIZE;
    unsigned i;
    for (i = 0; i < PBTI_WINDOW_SIZE; i += PBTI_CACHE_LINE)
        PBTI_PREFETCH((const void *) (next + i));
    block->row = block_row;
    block->bits = pbti_nonzero_words(msg + window->offset) & window->words;
}

/* Tells whether so many fields of a window are there that most branches on it
 * can be predicted: its rows are run one by one then. */
PBTI_INLINE bool pbti_is_crowded(const pbti_block *block) {
    return 4 * PBTI_COUNT_BITS(block->bits) >=
           3 * block->row->u.window->n_fields;
}

/* The number that goes on the wire for a scalar of the given shape. */
PBTI_INLINE uint64_t pbti_shape_value(const char *member, pbti_shape shape) {
#if PBTI_WORD_STORES
    uint64_t raw = pbti_load64(member) << shape.drop;
    int64_t value = (int64_t) raw >> shape.drop;
#else
    int64_t value = shape.drop ? (int64_t) (int32_t) pbti_load32(member)
                               : (int64_t) pbti_load64(member);
#endif
    uint64_t sign = 0 - (uint64_t) (value < 0);
    uint64_t is_zigzag = 0 - (uint64_t) shape.zigzag;
    uint64_t v = (uint64_t) value << shape.clear >> shape.clear;
    v = v << shape.zigzag ^ (sign & is_zigzag);
    return shape.truth ? v != 0 : v;
}

PBTI_INLINE unsigned pbti_shape_size(const char *msg, const pbti_row *row) {
    pbti_shape shape = row->u.shape;
    uint64_t v = pbti_shape_value(msg + row->data, shape);
    return shape.fixed ? shape.fixed : pbti_varint_size(v);
}

/* Any scalar by its shape. Room: 10 bytes and the spill. */
PBTI_INLINE uint8_t *pbti_put_shape(uint8_t *p, const char *msg,
                                    const pbti_row *row) {
    pbti_shape shape = row->u.shape;
    uint64_t v = pbti_shape_value(msg + row->data, shape);
#if PBTI_WORD_STORES
    uint64_t sevens = pbti_spread_sevens(v);
    unsigned unused = PBTI_LEADING_ZEROS(sevens | 1) & 56;
    uint64_t more = UINT64_C(0x0080808080808080) >> unused;
    if (PBTI_UNLIKELY(!shape.fixed && v >> 56 != 0))
        return pbti_put_varint_bytes(p, v);
    v = shape.fixed ? v : sevens | more;
    unused = shape.fixed ? 64u - 8u * shape.fixed : unused;
    pbti_store64(p - 8, v << unused);
    return p - 8 + unused / 8;
#else
    if (shape.fixed)
        return pbti_put_fixed(p, v, shape.fixed);
    return pbti_put_varint_bytes(p, v);
#endif
}

/* The row of the last word that is left; takes the word out. */
PBTI_INLINE const pbti_row *pbti_take_row(const pbti_row *block_row,
                                          uint64_t *bits) {
    unsigned word = 63u - PBTI_LEADING_ZEROS(*bits);
    *bits &= ~(UINT64_C(1) << word);
    return block_row + block_row->u.window->rows[word];
}

/* Tells whether that row has a shape. */
PBTI_INLINE bool pbti_next_is_scalar(const pbti_block *block) {
    unsigned word = 63u - PBTI_LEADING_ZEROS(block->bits);
    return block->row->u.window->scalars >> word & 1;
}

/* The row behind the window. */
PBTI_INLINE const pbti_row *pbti_after_block(const pbti_block *block) {
    return block->row + 1 + block->row->u.window->n_rows;
}

#endif
