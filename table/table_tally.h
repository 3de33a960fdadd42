/* table_tally.h - the part of a coder table that the quick size loop of the
 * level with AVX-512 reads: for a type with many single fields, which words of
 * the struct tell that a field is present, and what has to be done about it.
 *
 * The size of a message does not depend on the order of its fields. So the loop
 * finds out at once which are present, and then takes those of one kind after
 * the other, without a jump for each of them.
 */
#ifndef PBTI_TABLE_TALLY_H
#define PBTI_TABLE_TALLY_H

#include <stdint.h>

enum {
    PBTI_TALLY_WORDS = 64, /* words of eight bytes in a part, at most */
    PBTI_TALLY_STEP = 8    /* `masks` is padded with zeros to this */
};

struct pbti_row;

/* A part of a struct. The sets have a bit for each of its words: the one in
 * which a field's presence is or, for numbers, that in which the number is. */
typedef struct pbti_tally {
    /* Of a present scalar, the bytes that do not depend on its value. */
    _Alignas(64) uint8_t fixed[PBTI_TALLY_WORDS];
    const struct pbti_row *rows;   /* what `index` counts from */
    const struct pbti_tally *next; /* the next part */
    uint64_t *masks;               /* the bits of a word that tell presence */
    uint16_t *index;               /* the rows of `strings` and so on */
    uint32_t offset;               /* of the first word in the struct */
    uint32_t n_words;
    uint64_t required; /* the bytes of required scalars that are sure */
    uint64_t always;   /* fields that are present in any message */
    uint64_t needed;   /* pointers that must not be NULL */
    uint64_t strings;  /* single ones */
    uint64_t bytes;    /* single ones */
    uint64_t others;   /* arrays, messages and oneofs */
    /* Varints: in the word of their presence, or in the one behind it, or
     * required. */
    uint64_t own;
    uint64_t behind;
    uint64_t sure;
    /* Of these: the number is the lower half of its word; 32 bits with a sign;
     * without one; zigzag. */
    uint64_t low;
    uint64_t signed32;
    uint64_t unsigned32;
    uint64_t zigzag;
} pbti_tally;

#endif
