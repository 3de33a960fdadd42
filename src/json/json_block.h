/* json_block.h - copies text in blocks up to the first byte of interest.
 *
 * Of interest are what JSON must escape, with `html` also < > and &, and with
 * `high` all bytes that are not ASCII. One block is 64, 32, 16 or 8 bytes,
 * whatever the CPU level has, and less than one block of text is read in pieces
 * that overlap, never beyond its end.
 */
#ifndef PBTI_JSON_BLOCK_H
#define PBTI_JSON_BLOCK_H

#include <stdbool.h>

#include "base_compiler.h"
#include "base_level.h"
#include "base_vector.h"

PBTI_INLINE bool pbti_is_plain(unsigned char c, bool html, bool high) {
    if (html && (c == '&' || c == '<' || c == '>'))
        return false;
    return c >= 0x20 && c != '"' && c != '\\' && (c < 0x80 || !high);
}

/* Up to 15 bytes as two words with zeros behind them. */
PBTI_INLINE void pbti_load_short(const unsigned char *s, size_t n,
                                 uint64_t words[2]) {
    words[1] = 0;
    if (n >= 8) {
        unsigned beyond = 8 * (15 - (unsigned) n);
        words[0] = pbti_load64(s);
        /* two shifts: one by 64 would be undefined */
        words[1] = pbti_load64(s + n - 8) >> 8 >> beyond;
    } else if (n >= 4) {
        uint64_t last = pbti_load32(s + n - 4);
        words[0] = pbti_load32(s) | last << 8 * (n - 4);
    } else if (n > 0) {
        words[0] = s[0] | (uint64_t) s[n / 2] << 8 * (n / 2) |
                   (uint64_t) s[n - 1] << 8 * (n - 1);
    } else
        words[0] = 0;
}

#if PBTI_VECTOR
PBTI_INLINE pbti_u8x16 pbti_load_below_16(const unsigned char *s, size_t n) {
#if PBTI_AVX512
    return (pbti_u8x16) _mm_maskz_loadu_epi8(
        (__mmask16) _bzhi_u32(0xffff, (unsigned) n), s);
#else
    uint64_t words[2];
    pbti_load_short(s, n, words);
    return (pbti_u8x16) (pbti_u64x2){words[0], words[1]};
#endif
}

/* All ones, or the highest bit, where a byte is of interest. */
PBTI_INLINE pbti_u8x16 pbti_mark_16(pbti_u8x16 v, bool html, bool high) {
    pbti_u8x16 marks = (pbti_u8x16) (v <= 0x1f);
    marks |= (pbti_u8x16) (v == '\\');
    marks |= (pbti_u8x16) (v == '"');
    if (html) {
        marks |= (pbti_u8x16) (v == '&');
        /* < and > differ in one bit */
        marks |= (pbti_u8x16) ((v | 2) == '>');
    }
    return high ? marks | v : marks;
}
#endif

#if PBTI_AVX2
PBTI_INLINE __m256i pbti_mark_32(__m256i v, bool html, bool high) {
    __m256i control =
        _mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8(0x1f)), v);
    __m256i marks =
        _mm256_or_si256(control, _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\\')));
    marks = _mm256_or_si256(marks, _mm256_cmpeq_epi8(v, _mm256_set1_epi8('"')));
    if (html) {
        marks =
            _mm256_or_si256(marks, _mm256_cmpeq_epi8(v, _mm256_set1_epi8('&')));
        marks = _mm256_or_si256(
            marks, _mm256_cmpeq_epi8(_mm256_or_si256(v, _mm256_set1_epi8(2)),
                                     _mm256_set1_epi8('>')));
    }
    return high ? _mm256_or_si256(marks, v) : marks;
}
#endif

/* Below this length pbti_copy_plain is a few instructions. */
enum { PBTI_SHORT_TEXT = PBTI_VECTOR ? 32 : 16 };

#if PBTI_AVX2
enum { PBTI_BLOCK = 32, PBTI_TWO_BLOCKS = 64 };
#elif PBTI_VECTOR
enum { PBTI_BLOCK = 16, PBTI_TWO_BLOCKS = 32 };
#endif

#if PBTI_VECTOR
/* A bit for each byte of a block that is of interest, and in *above for each
 * that is not ASCII. */
PBTI_INLINE uint32_t pbti_mark_block(const unsigned char *s, bool html,
                                     uint32_t *above) {
#if PBTI_AVX2
    const __m256i *from = (const __m256i *) (const void *) s;
    __m256i v = _mm256_loadu_si256(from);
    *above = (uint32_t) _mm256_movemask_epi8(v);
    return (uint32_t) _mm256_movemask_epi8(pbti_mark_32(v, html, false));
#else
    pbti_u8x16 v = pbti_load_16(s);
    *above = pbti_bits16(v);
    return pbti_bits16(pbti_mark_16(v, html, false));
#endif
}
#endif

#if PBTI_AVX512
PBTI_INLINE uint64_t pbti_mark_64(__m512i v, bool html, bool high) {
    uint64_t marks = _mm512_cmplt_epu8_mask(v, _mm512_set1_epi8(0x20));
    marks |= _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('\\'));
    marks |= _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('"'));
    if (html) {
        marks |= _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8('&'));
        marks |= _mm512_cmpeq_epi8_mask(_mm512_or_si512(v, _mm512_set1_epi8(2)),
                                        _mm512_set1_epi8('>'));
    }
    return high ? marks | _mm512_movepi8_mask(v) : marks;
}

/* Copies up to the first byte of interest, whose place it returns, or n. May
 * write 64 bytes more. */
PBTI_INLINE size_t pbti_copy_plain(char *p, const unsigned char *s, size_t n,
                                   bool html, bool high) {
    size_t at = 0;
    __m512i v;
    if (n < 32) {
        __m256i few =
            _mm256_maskz_loadu_epi8(_bzhi_u32(UINT32_MAX, (unsigned) n), s);
        _mm256_storeu_si256((__m256i *) (void *) p, few);
        /* the zeros behind the end are controls */
        return (unsigned) __builtin_ctz(
            (unsigned) _mm256_movemask_epi8(pbti_mark_32(few, html, high)));
    }
    for (; n - at >= 64; at += 64) {
        uint64_t marks;
        v = _mm512_loadu_si512(s + at);
        marks = pbti_mark_64(v, html, high);
        _mm512_storeu_si512(p + at, v);
        if (marks)
            return at + (unsigned) __builtin_ctzll(marks);
    }
    /* the zeros behind the end are controls */
    v = _mm512_maskz_loadu_epi8(_bzhi_u64(UINT64_MAX, (unsigned) (n - at)),
                                s + at);
    _mm512_storeu_si512(p + at, v);
    return at + (unsigned) __builtin_ctzll(pbti_mark_64(v, html, high));
}

#elif PBTI_VECTOR
PBTI_INLINE size_t pbti_copy_plain(char *p, const unsigned char *s, size_t n,
                                   bool html, bool high) {
    size_t at = 0;
    pbti_u8x16 v;
    pbti_mask marks;
    if (n < 16) {
        v = pbti_load_below_16(s, n);
        pbti_store_16(p, v);
        /* the zeros behind the end are controls */
        return pbti_first_byte(pbti_mask_bytes(pbti_mark_16(v, html, high)));
    }
#if PBTI_AVX2
    for (; n - at >= 32; at += 32) {
        const __m256i *from = (const __m256i *) (const void *) (s + at);
        __m256i block = _mm256_loadu_si256(from), all;
        all = pbti_mark_32(block, html, high);
        _mm256_storeu_si256((__m256i *) (void *) (p + at), block);
        marks = (pbti_mask) _mm256_movemask_epi8(all);
        if (marks)
            return at + pbti_first_byte(marks);
    }
#endif
    for (; n - at >= 16; at += 16) {
        v = pbti_load_16(s + at);
        pbti_store_16(p + at, v);
        marks = pbti_mask_bytes(pbti_mark_16(v, html, high));
        if (marks)
            return at + pbti_first_byte(marks);
    }
    if (at == n)
        return n;
    /* the last 16 bytes, of which the first have been found plain already */
    at = n - 16;
    v = pbti_load_16(s + at);
    pbti_store_16(p + at, v);
    marks = pbti_mask_bytes(pbti_mark_16(v, html, high));
    return marks ? at + pbti_first_byte(marks) : n;
}

#else
/* Not 0 when one of eight bytes is of interest: the tests for a zero byte and
 * for a byte below a bound may also mark bytes next to a true hit, not others.
 */
PBTI_INLINE uint64_t pbti_mark_8(uint64_t v, bool html, bool high) {
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
#define ZERO_BYTE(x) (((x) -ones) & ~(x))
    uint64_t marks = (v - ones * 0x20) & ~v;
    uint64_t quote = v ^ ones * '"', backslash = v ^ ones * '\\';
    marks |= ZERO_BYTE(quote) | ZERO_BYTE(backslash);
    if (html) {
        uint64_t ampersand = v ^ ones * '&',
                 angle = (v | ones * 2) ^ ones * '>';
        marks |= ZERO_BYTE(ampersand) | ZERO_BYTE(angle);
    }
#undef ZERO_BYTE
    return (high ? marks | v : marks) & tops;
}

PBTI_INLINE size_t pbti_copy_plain(char *p, const unsigned char *s, size_t n,
                                   bool html, bool high) {
    size_t at = 0;
    for (; n - at >= 8; at += 8) {
        uint64_t v = pbti_load64(s + at);
        pbti_store64(p + at, v);
        if (pbti_mark_8(v, html, high))
            break;
    }
    if (n >= 8 && n - at < 8) {
        /* the last 8 bytes, of which the first have been found plain already */
        uint64_t v = pbti_load64(s + n - 8);
        pbti_store64(p + n - 8, v);
        if (!pbti_mark_8(v, html, high))
            return n;
    }
    for (; at < n && pbti_is_plain(s[at], html, high); at++)
        p[at] = (char) s[at];
    return at;
}
#endif

#endif
