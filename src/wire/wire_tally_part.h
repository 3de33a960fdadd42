/* wire_tally_part.h - what the quick size loop does with a part of a struct at
 * the level with AVX-512: finds the fields that are present, and adds up the
 * scalars among them, without a branch on any of them.
 */
#ifndef PBTI_WIRE_TALLY_PART_H
#define PBTI_WIRE_TALLY_PART_H

#include "wire_scalar.h"
#include "wire_string.h"

/* Bytes of a varint by the leading zeros of 64 bits, of which the last is set.
 */
#define SIZE(zeros) (70 - (zeros)) / 7
#define EIGHT_SIZES(zeros)                                                     \
    SIZE(zeros), SIZE((zeros) + 1), SIZE((zeros) + 2), SIZE((zeros) + 3),      \
        SIZE((zeros) + 4), SIZE((zeros) + 5), SIZE((zeros) + 6),               \
        SIZE((zeros) + 7)
static const uint8_t pbti_sizes_by_zeros[64] = {
    EIGHT_SIZES(0),  EIGHT_SIZES(8),  EIGHT_SIZES(16), EIGHT_SIZES(24),
    EIGHT_SIZES(32), EIGHT_SIZES(40), EIGHT_SIZES(48), EIGHT_SIZES(56)};
#undef EIGHT_SIZES
#undef SIZE

/* As pbti_string_length, without a call. Valgrind, which does not take reads
 * beyond an object for what they are, has no AVX-512. */
PBTI_INLINE size_t pbti_tally_length(const char *s) {
#if PBTI_VECTOR_STRINGS
    unsigned skip = (unsigned) ((uintptr_t) s & (PBTI_SCAN_STEP - 1));
    const char *aligned = s - skip;
    pbti_mask mask;
    if (PBTI_LIKELY(pbti_in_one_page((uintptr_t) s, sizeof(__m512i)))) {
        __m512i v = _mm512_loadu_si512(s);
        uint64_t zeros = _mm512_testn_epi8_mask(v, v);
        if (PBTI_LIKELY(zeros != 0))
            return (size_t) __builtin_ctzll(zeros);
    }
    mask = pbti_zero_mask(aligned) >> (skip << PBTI_MASK_SHIFT);
    if (PBTI_LIKELY(mask != 0))
        return pbti_first_byte(mask);
    do {
        aligned += PBTI_SCAN_STEP;
        mask = pbti_zero_mask(aligned);
    } while (mask == 0);
    return (size_t) (aligned - s) + pbti_first_byte(mask);
#else
    return strlen(s);
#endif
}

/* The row of the lowest bit of a set; takes the bit out. */
PBTI_INLINE const pbti_row *pbti_tally_row(const pbti_tally *part,
                                           uint64_t *set) {
    unsigned bit = PBTI_TRAILING_ZEROS(*set);
    *set &= *set - 1;
    return part->rows + part->index[bit];
}

PBTI_INLINE void pbti_prefetch_part(const char *msg, const pbti_tally *part) {
    uint32_t i;
    for (i = 0; i < part->n_words; i += PBTI_CACHE_LINE / sizeof(uint64_t))
        PBTI_PREFETCH(msg + part->offset + i * sizeof(uint64_t));
}

/* The words in which a presence is, and the bytes of the scalars among them. */
PBTI_INLINE uint64_t pbti_tally_scalars(const char *msg, const pbti_tally *part,
                                        uint64_t *size) {
    const __m512i zero = _mm512_setzero_si512();
    const __m512i one = _mm512_set1_epi64(1);
    const __m512i sizes = _mm512_loadu_si512(pbti_sizes_by_zeros);
    const __mmask64 low_bytes = UINT64_C(0x0101010101010101);
    const char *words = msg + part->offset;
    __m512i sum = zero;
    uint64_t present = 0;
    unsigned carry = 0;
    unsigned i;
    for (i = 0; i < part->n_words; i += 8) {
        __mmask8 used = (__mmask8) _bzhi_u32(0xff, part->n_words - i);
        __m512i v = _mm512_maskz_loadu_epi64(used, words + 8 * (size_t) i);
        unsigned found =
            _mm512_test_epi64_mask(v, _mm512_load_si512(part->masks + i));
        unsigned own = (uint8_t) (part->own >> i);
        unsigned behind = (uint8_t) (part->behind >> i);
        unsigned sure = (uint8_t) (part->sure >> i);
        present |= (uint64_t) found << i;
        if (own | behind | sure) {
            __mmask8 lanes =
                (__mmask8) ((found & own) | ((found << 1 | carry) & behind) |
                            sure);
            v = _mm512_mask_slli_epi64(v, (__mmask8) (part->low >> i), v, 32);
            v = _mm512_mask_srai_epi64(v, (__mmask8) (part->signed32 >> i), v,
                                       32);
            v = _mm512_mask_srli_epi64(v, (__mmask8) (part->unsigned32 >> i), v,
                                       32);
            v = _mm512_mask_xor_epi64(v, (__mmask8) (part->zigzag >> i),
                                      _mm512_add_epi64(v, v),
                                      _mm512_srai_epi64(v, 63));
            v = _mm512_lzcnt_epi64(_mm512_or_si512(v, one));
            v = _mm512_maskz_permutexvar_epi8(low_bytes, v, sizes);
            sum = _mm512_mask_add_epi64(sum, lanes, sum, v);
        }
        carry = found >> 7;
    }
    sum = _mm512_add_epi64(
        sum,
        _mm512_sad_epu8(_mm512_maskz_loadu_epi8(present, part->fixed), zero));
    *size = part->required + (uint64_t) _mm512_reduce_add_epi64(sum);
    return present;
}

#endif
