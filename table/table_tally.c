/* table_tally.c - fills what the quick size loop reads of types with many
 * single fields, from the rows of a finished table. */
#include "table_tally.h"

#include <stdlib.h>

#include "table_build.h"

enum {
    WORD = sizeof(uint64_t),
    /* Fields whose presence is in doubt. With fewer of them, row after row is
     * faster (docs/bench.md). */
    MIN_SINGLE_FIELDS = 16,
    MAX_ROWS = 1 << 16, /* `index` has 16 bits */
    MAX_STRUCT = 1 << 18,
    /* Parts overlap by a word, so that a presence and its number are never in
     * two parts. */
    PART_STRIDE = PBTI_TALLY_WORDS - 1
};

static size_t padded_words(uint32_t n_words) {
    return (n_words + PBTI_TALLY_STEP - 1) & ~(size_t) (PBTI_TALLY_STEP - 1);
}

static size_t part_size(uint32_t n_words) {
    size_t size =
        sizeof(pbti_tally) + padded_words(n_words) * (WORD + sizeof(uint16_t));
    return (size + PBTI_CACHE_LINE - 1) & ~(size_t) (PBTI_CACHE_LINE - 1);
}

static uint32_t words_of_part(uint32_t n_words, uint32_t part) {
    uint32_t left = n_words - part * PART_STRIDE;
    return left < PBTI_TALLY_WORDS ? left : PBTI_TALLY_WORDS;
}

static uint32_t count_parts(uint32_t n_words) {
    return (n_words + PART_STRIDE - 1) / PART_STRIDE;
}

static bool is_field(const pbti_row *row) {
    return row->tag_len > 0 || row->op == PBTI_OP_ONEOF;
}

/* Rows that run in any message look at the descriptor, which comes first. */
static bool runs_always(const pbti_row *row) {
    return row->presence == 0 && row->mask == UINT64_MAX;
}

static bool is_single(const pbti_row *row) {
    return pbti_is_scalar_op(row->op) || row->op == PBTI_OP_STRING ||
           row->op == PBTI_OP_BYTES;
}

static uint32_t count_single_fields(const pbti_table *table) {
    uint32_t i, n = 0;
    for (i = 0; i < table->n_rows; i++)
        n += is_single(&table->rows[i]) && !runs_always(&table->rows[i]);
    return n;
}

/* Adds the varint in a word. */
static bool add_varint(pbti_tally *part, const pbti_row *row, uint32_t word) {
    uint64_t bit = UINT64_C(1) << word;
    if ((part->own | part->behind | part->sure) & bit)
        return false;
    if (row->u.shape.drop && row->data % WORD == 0)
        part->low |= bit;
    if (row->op == PBTI_OP_UNSIGNED32)
        part->unsigned32 |= bit;
    else if (row->u.shape.drop)
        part->signed32 |= bit;
    if (row->u.shape.zigzag)
        part->zigzag |= bit;
    return true;
}

/* A scalar whose presence is in the given word, or which is required. False
 * when its number is not where the loop would look for it. */
static bool add_scalar(pbti_tally *part, const pbti_row *row, uint32_t word) {
    pbti_shape shape = row->u.shape;
    uint32_t member_size = shape.drop ? sizeof(uint32_t) : WORD;
    uint32_t at = (row->data - part->offset) / WORD;
    uint8_t fixed = (uint8_t) (row->tag_len + shape.fixed + shape.truth);
    if (runs_always(row))
        part->required += fixed;
    else
        part->fixed[word] = fixed;
    if (shape.fixed || shape.truth)
        return true;
    if (row->data % member_size != 0 || at >= part->n_words ||
        (!runs_always(row) && at - word > 1) || !add_varint(part, row, at))
        return false;
    *(runs_always(row) ? &part->sure
      : at == word     ? &part->own
                       : &part->behind) |= UINT64_C(1) << at;
    return true;
}

/* A field of another kind. */
static bool add_other(pbti_tally *part, const pbti_row *row, uint32_t word) {
    uint64_t bit = UINT64_C(1) << word;
    part->index[word] = (uint16_t) (row - part->rows);
    if (row->op == PBTI_OP_STRING || row->op == PBTI_OP_STRING_REQUIRED)
        part->strings |= bit;
    else if (row->op == PBTI_OP_BYTES)
        part->bytes |= bit;
    else
        part->others |= bit;
    if (!runs_always(row))
        return true;
    if (row->op == PBTI_OP_BYTES) {
        part->always |= bit;
        return true;
    }
    part->masks[word] = UINT64_MAX;
    part->needed |= bit;
    return row->data % WORD == 0;
}

/* Adds a row to its part. False when the loop is not for such a layout: two
 * fields share a word. */
static bool add_row(pbti_tally *const *parts, const pbti_row *row) {
    uint32_t word = (runs_always(row) ? row->data : row->presence) / WORD;
    pbti_tally *part = parts[word / PART_STRIDE];
    bool is_scalar = pbti_is_scalar_op(row->op);
    if (!runs_always(row) && row->presence % WORD != 0)
        return false;
    word %= PART_STRIDE;
    if (!(is_scalar && runs_always(row))) {
        uint64_t bit = UINT64_C(1) << word;
        if (part->masks[word] != 0 || (part->always & bit))
            return false;
        if (!runs_always(row))
            part->masks[word] = row->mask;
    }
    if (row->op == PBTI_OP_STRING_IMPLICIT)
        return false;
    return is_scalar ? add_scalar(part, row, word) : add_other(part, row, word);
}

static void start_parts(const pbti_table *table, char *memory,
                        pbti_tally **parts, uint32_t n_words) {
    uint32_t i;
    for (i = 0; i < count_parts(n_words); i++) {
        uint32_t n = words_of_part(n_words, i);
        pbti_tally *part = (pbti_tally *) (void *) memory;
        memset(part, 0, part_size(n));
        part->rows = table->rows;
        part->masks = (uint64_t *) (void *) (part + 1);
        part->index = (uint16_t *) (void *) (part->masks + padded_words(n));
        part->offset = i * PART_STRIDE * WORD;
        part->n_words = n;
        memory += part_size(n);
        if (i > 0)
            parts[i - 1]->next = part;
        parts[i] = part;
    }
}

static bool fill_parts(const pbti_table *table, pbti_tally *const *parts) {
    uint32_t i;
    for (i = 0; i < table->n_rows; i++)
        if (is_field(&table->rows[i]) && !add_row(parts, &table->rows[i]))
            return false;
    return true;
}

void pbti_fill_tally(pbti_table *table) {
    size_t struct_size = table->type->sizeof_message;
    uint32_t n_words = (uint32_t) (struct_size / WORD);
    pbti_tally *parts[MAX_STRUCT / WORD / PART_STRIDE + 1];
    size_t size = 0;
    uint32_t i;
    if (sizeof(void *) != WORD || struct_size % WORD != 0 ||
        struct_size > MAX_STRUCT || table->n_rows > MAX_ROWS ||
        table->variant != PBTI_PLAIN ||
        count_single_fields(table) < MIN_SINGLE_FIELDS)
        return;
    for (i = 0; i < count_parts(n_words); i++)
        size += part_size(words_of_part(n_words, i));
    table->tally = aligned_alloc(PBTI_CACHE_LINE, size);
    if (!table->tally)
        return;
    start_parts(table, (char *) table->tally, parts, n_words);
    if (!fill_parts(table, parts)) {
        free(table->tally);
        table->tally = NULL;
    }
}
