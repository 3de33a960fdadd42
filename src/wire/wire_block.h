/* wire_block.h - runs the rows of a window (see table_wide.c).
 *
 * The non-zero words of the window are found without a branch, and the singular
 * scalars among the fields they belong to are written by one sequence that
 * serves them all: in a message of hundreds of mixed fields, nothing else could
 * be predicted. The marshal loop runs the other rows, and comes back to the
 * window by way of a RESUME row.
 */
#ifndef PBTI_WIRE_BLOCK_H
#define PBTI_WIRE_BLOCK_H

#include "wire_scalar.h"

/* Behind each row of a window that the marshal loop runs; always present. */
static const pbti_row pbti_resume_row = {.mask = UINT64_MAX,
                                         .op = PBTI_OP_RESUME};

/* A bit for each of 64 words, set when the word is not zero. */
PBTI_INLINE uint64_t pbti_nonzero_words(const char *words) {
    uint64_t bits = 0;
    unsigned i;
#if PBTI_AVX2
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

#if PBTI_WORD_STORES
/* Any scalar by its shape. Room: 10 bytes and the spill. */
PBTI_INLINE uint8_t *pbti_put_shape(uint8_t *p, const char *msg,
                                    const pbti_row *row) {
    pbti_shape shape = row->u.shape;
    uint64_t raw = pbti_load64(msg + row->data) << shape.drop;
    int64_t value = (int64_t) raw >> shape.drop;
    uint64_t sign = 0 - (uint64_t) (value < 0);
    uint64_t is_zigzag = 0 - (uint64_t) shape.zigzag;
    uint64_t v = (uint64_t) value << shape.clear >> shape.clear;
    unsigned n;
    v = v << shape.zigzag ^ (sign & is_zigzag);
    v = shape.truth ? v != 0 : v;
    if (PBTI_UNLIKELY(!shape.fixed && v >> 56 != 0))
        return pbti_put_varint_bytes(p, v);
    n = shape.fixed ? shape.fixed : pbti_varint_size(v);
    v = shape.fixed ? v : pbti_spread_varint(v, n);
    pbti_store64(p - 8, v << (64 - 8 * n));
    return p - n;
}
#else
/* Any scalar by its shape, byte by byte, for any byte order. */
PBTI_INLINE uint8_t *pbti_put_shape(uint8_t *p, const char *msg,
                                    const pbti_row *row) {
    pbti_shape shape = row->u.shape;
    const char *member = msg + row->data;
    uint64_t v;
    if (shape.drop == 0)
        v = pbti_load64(member);
    else if (shape.clear || shape.truth)
        v = pbti_load32(member);
    else
        v = (uint64_t) (int64_t) (int32_t) pbti_load32(member);
    if (shape.zigzag)
        v = v << 1 ^ (0 - (v >> 63));
    if (shape.truth)
        v = v != 0;
    if (shape.fixed)
        return pbti_put_fixed(p, v, shape.fixed);
    return pbti_put_varint_bytes(p, v);
}
#endif

/* The row of the last word that is left; takes the word out. */
PBTI_INLINE const pbti_row *pbti_take_row(const pbti_row *block_row,
                                          uint64_t *bits) {
    unsigned word = 63u - PBTI_LEADING_ZEROS(*bits);
    *bits &= ~(UINT64_C(1) << word);
    return block_row + block_row->u.window->rows[word];
}

/* Writes scalars up to the next row that is none, or to the end of the window.
 * A word may also be non-zero because of a value without its has-flag. Returns
 * NULL when room cannot be made. */
PBTI_OUTLINE uint8_t *pbti_put_block_scalars(pbti_writer *writer,
                                             pbti_block *block, uint8_t *p,
                                             const char *msg) {
    const pbti_row *block_row = block->row;
    uint64_t others = block->bits & ~block_row->u.window->scalars;
    uint64_t later = others ? UINT64_MAX >> PBTI_LEADING_ZEROS(others) : 0;
    uint64_t scalars = block->bits & ~later;
    block->bits &= later;
    while (scalars) {
        const pbti_row *row = pbti_take_row(block_row, &scalars);
        if (PBTI_UNLIKELY(!pbti_may_be_present(msg, row)))
            continue;
        p = pbti_put_shape(p, msg, row);
        p = pbti_put_tag(p, row);
        p = pbti_writer_room(writer, p);
        if (PBTI_UNLIKELY(!p))
            return NULL;
    }
    /* The loop may have written a scalar whose shape could not be used. */
    return pbti_writer_room(writer, p);
}

/* The next row for the marshal loop to run; NULL at the end of the window. */
PBTI_INLINE const pbti_row *pbti_next_in_block(pbti_block *block,
                                               const char *msg) {
    while (block->bits) {
        const pbti_row *row = pbti_take_row(block->row, &block->bits);
        if (PBTI_LIKELY(pbti_may_be_present(msg, row)))
            return row;
    }
    return NULL;
}

#endif
