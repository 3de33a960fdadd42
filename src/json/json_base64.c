/* json_base64.c - three bytes to four characters; with vectors 24 or 48 bytes a
 * step (W. Mula, D. Lemire, "Faster Base64 Encoding and Decoding Using AVX2
 * Instructions", 2018, and "Base64 encoding and decoding at almost the speed of
 * a memory copy", 2020). */
#include "json_base64.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                               "abcdefghijklmnopqrstuvwxyz0123456789+/";

#if PBTI_AVX512
enum { STEP = 48, STEP_TEXT = 64 };

/* Up to 48 bytes; those that the mask leaves out count as zeros. */
PBTI_INLINE __m512i encode_step(const uint8_t *data, __mmask64 mask) {
    /* of three bytes abc, the order that puts b a c b in a word */
    const __m512i spread = _mm512_set_epi32(
        0x2e2f2d2e, 0x2b2c2a2b, 0x28292728, 0x25262425, 0x22232122, 0x1f201e1f,
        0x1c1d1b1c, 0x191a1819, 0x16171516, 0x13141213, 0x10110f10, 0x0d0e0c0d,
        0x0a0b090a, 0x07080607, 0x04050304, 0x01020001);
    /* where in 64 bits the eight groups of six start */
    const __m512i starts = _mm512_set1_epi64(0x3036242a1016040a);
    __m512i letters = _mm512_loadu_si512(alphabet);
    __m512i v = _mm512_maskz_loadu_epi8(mask, data);
    v = _mm512_permutexvar_epi8(spread, v);
    v = _mm512_multishift_epi64_epi8(starts, v);
    return _mm512_permutexvar_epi8(v, letters);
}

PBTI_INLINE char *put_text(char *p, const uint8_t *data, size_t n) {
    size_t length;
    for (; n >= STEP; n -= STEP, data += STEP, p += STEP_TEXT)
        _mm512_storeu_si512(p, encode_step(data, (UINT64_C(1) << STEP) - 1));
    if (n == 0)
        return p;
    length = (n + 2) / 3 * 4;
    _mm512_mask_storeu_epi8(
        p, _bzhi_u64(UINT64_MAX, (unsigned) length),
        encode_step(data, _bzhi_u64(UINT64_MAX, (unsigned) n)));
    p += length;
    if (n % 3)
        p[-1] = '=';
    if (n % 3 == 1)
        p[-2] = '=';
    return p;
}

#else
PBTI_INLINE char *put_three(char *p, const uint8_t *data) {
    uint32_t v = (uint32_t) data[0] << 16 | (uint32_t) data[1] << 8 | data[2];
    p[0] = alphabet[v >> 18];
    p[1] = alphabet[v >> 12 & 63];
    p[2] = alphabet[v >> 6 & 63];
    p[3] = alphabet[v & 63];
    return p + 4;
}

PBTI_INLINE char *put_rest(char *p, const uint8_t *data, size_t n) {
    for (; n >= 3; n -= 3, data += 3)
        p = put_three(p, data);
    if (n > 0) {
        uint8_t last[3] = {data[0], n > 1 ? data[1] : 0, 0};
        p = put_three(p, last);
        p[-1] = '=';
        if (n == 1)
            p[-2] = '=';
    }
    return p;
}

#if PBTI_AVX2
enum { STEP = 24, STEP_TEXT = 32, HALF_STEP = 12, HALF_LOAD = 16 };

/* Twelve bytes in the lower part of each half to sixteen groups of six bits:
 * two products shift all groups to the low end of their byte. */
PBTI_INLINE __m256i split_groups(__m256i v) {
    const __m256i spread =
        _mm256_setr_epi8(1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10, 1,
                         0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10);
    __m256i even, odd;
    v = _mm256_shuffle_epi8(v, spread);
    even = _mm256_and_si256(v, _mm256_set1_epi32(0x0fc0fc00));
    even = _mm256_mulhi_epu16(even, _mm256_set1_epi32(0x04000040));
    odd = _mm256_and_si256(v, _mm256_set1_epi32(0x003f03f0));
    odd = _mm256_mullo_epi16(odd, _mm256_set1_epi32(0x01000010));
    return _mm256_or_si256(even, odd);
}

/* Groups to characters: what to add is looked up by the range that a group is
 * in, 13 for A-Z, 0 for a-z, 1 to 10 for the digits, 11 and 12 for + and /. */
PBTI_INLINE __m256i translate(__m256i v) {
    const __m256i add = _mm256_broadcastsi128_si256(_mm_setr_epi8(
        'a' - 26, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52, '0' - 52,
        '0' - 52, '0' - 52, '0' - 52, '0' - 52, '+' - 62, '/' - 63, 'A', 0, 0));
    __m256i range = _mm256_subs_epu8(v, _mm256_set1_epi8(51));
    __m256i capital = _mm256_cmpgt_epi8(_mm256_set1_epi8(26), v);
    range =
        _mm256_or_si256(range, _mm256_and_si256(capital, _mm256_set1_epi8(13)));
    return _mm256_add_epi8(v, _mm256_shuffle_epi8(add, range));
}

PBTI_INLINE __m128i load_half(const uint8_t *data) {
    return _mm_loadu_si128((const __m128i *) (const void *) data);
}

PBTI_INLINE char *put_text(char *p, const uint8_t *data, size_t n) {
    for (; n >= HALF_STEP + HALF_LOAD; n -= STEP, data += STEP) {
        __m256i v =
            _mm256_set_m128i(load_half(data + HALF_STEP), load_half(data));
        v = translate(split_groups(v));
        _mm256_storeu_si256((__m256i *) (void *) p, v);
        p += STEP_TEXT;
    }
    if (n >= HALF_LOAD) {
        __m256i v = _mm256_castsi128_si256(load_half(data));
        v = translate(split_groups(v));
        _mm_storeu_si128((__m128i *) (void *) p, _mm256_castsi256_si128(v));
        n -= HALF_STEP;
        data += HALF_STEP;
        p += STEP_TEXT / 2;
    }
    return put_rest(p, data, n);
}
#elif PBTI_NEON
enum { STEP = 48, STEP_TEXT = 64 };

/* Loads and stores that take every third byte, or give every fourth, do the
 * splitting. */
PBTI_INLINE char *put_text(char *p, const uint8_t *data, size_t n) {
    const uint8_t *letters = (const uint8_t *) alphabet;
    const uint8x16x4_t table = vld1q_u8_x4(letters);
    for (; n >= STEP; n -= STEP, data += STEP, p += STEP_TEXT) {
        const uint8x16_t six_bits = vdupq_n_u8(63);
        uint8x16x3_t v = vld3q_u8(data);
        uint8x16_t second = vsliq_n_u8(vshrq_n_u8(v.val[1], 4), v.val[0], 4);
        uint8x16_t third = vsliq_n_u8(vshrq_n_u8(v.val[2], 6), v.val[1], 2);
        uint8x16x4_t text = {{vqtbl4q_u8(table, vshrq_n_u8(v.val[0], 2)),
                              vqtbl4q_u8(table, vandq_u8(second, six_bits)),
                              vqtbl4q_u8(table, vandq_u8(third, six_bits)),
                              vqtbl4q_u8(table, vandq_u8(v.val[2], six_bits))}};
        vst4q_u8((uint8_t *) p, text);
    }
    return put_rest(p, data, n);
}
#else
PBTI_INLINE char *put_text(char *p, const uint8_t *data, size_t n) {
    return put_rest(p, data, n);
}
#endif
#endif

char *PBTI_LEVEL_NAME(pbti_json_put_base64)(char *p, const uint8_t *data,
                                            size_t n) {
    return put_text(p, data, n);
}
