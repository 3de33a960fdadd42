/* table_items.c - fills what the quick size loop runs, from the rows of a
 * finished table.
 *
 * Each row goes to a part, to a step, or to an item of its own. That is decided
 * first, so that all of it is one block.
 */
#include "table_items.h"

#include <stdlib.h>

#include "base_level.h"
#include "table_build.h"

enum {
    LANE = sizeof(uint32_t),
    WORD = sizeof(uint64_t),
    MAX_RUN = UINT8_MAX,
    /* With fewer fields all that may be present are looked at
     * (docs/bench.md). */
    MIN_FIELDS_OF_PARTS = 128,
    /* What a step has to replace: varints count double. */
    MIN_STEP_WORTH = 4
};

/* Where the field of a row is counted. */
enum { BY_ITEM, BY_PART, BY_STEP /* and those that follow */ };

typedef struct item_filler {
    const pbti_table *table;
    uint8_t *places; /* of each row */
    uint32_t n_parts;
    uint32_t n_steps;
    pbti_item *item;    /* the next one */
    pbti_item *members; /* the next one of a member of a oneof or part */
    pbti_part *parts;
    pbti_step *steps;
    bool failed; /* an offset that an item cannot hold */
} item_filler;

static pbti_item_op item_op(const pbti_row *row) {
    static const uint8_t ops[PBTI_N_OPS] = {
        [PBTI_OP_BOOL] = PBTI_ITEM_FLAGS,
        [PBTI_OP_FIXED32] = PBTI_ITEM_FLAGS,
        [PBTI_OP_FIXED64] = PBTI_ITEM_FLAGS,
        [PBTI_OP_SIGNED32] = PBTI_ITEM_VARINTS,
        [PBTI_OP_UNSIGNED32] = PBTI_ITEM_VARINTS,
        [PBTI_OP_VARINT64] = PBTI_ITEM_VARINTS,
        [PBTI_OP_ZIGZAG32] = PBTI_ITEM_ZIGZAGS,
        [PBTI_OP_ZIGZAG64] = PBTI_ITEM_ZIGZAGS,
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    [PBTI_OP_##name##_REPEATED] =                                              \
        min == max ? PBTI_ITEM_FIXED_ARRAYS : PBTI_ITEM_OTHER_ARRAYS,          \
    [PBTI_OP_##name##_PACKED] =                                                \
        min == max ? PBTI_ITEM_FIXED_BLOCKS : PBTI_ITEM_OTHER_ARRAYS,
#include "table_kinds.def"
        [PBTI_OP_STRING] = PBTI_ITEM_STRINGS,
        [PBTI_OP_STRING_IMPLICIT] = PBTI_ITEM_STRINGS_IMPLICIT,
        [PBTI_OP_STRING_REQUIRED] = PBTI_ITEM_STRINGS,
        [PBTI_OP_STRING_REPEATED] = PBTI_ITEM_STRING_ARRAYS,
        [PBTI_OP_BYTES] = PBTI_ITEM_BYTES,
        [PBTI_OP_BYTES_REPEATED] = PBTI_ITEM_OTHER_ARRAYS,
        [PBTI_OP_MESSAGE] = PBTI_ITEM_MESSAGES,
        [PBTI_OP_GROUP] = PBTI_ITEM_MESSAGES,
        [PBTI_OP_MESSAGE_DEFAULTED] = PBTI_ITEM_MESSAGES_DEFAULTED,
        [PBTI_OP_MESSAGE_REQUIRED] = PBTI_ITEM_MESSAGES,
        [PBTI_OP_GROUP_REQUIRED] = PBTI_ITEM_MESSAGES,
        [PBTI_OP_MESSAGE_REPEATED] = PBTI_ITEM_MESSAGE_ARRAYS,
        [PBTI_OP_MAP] = PBTI_ITEM_MESSAGE_ARRAYS,
        [PBTI_OP_GROUP_REPEATED] = PBTI_ITEM_MESSAGE_ARRAYS,
        [PBTI_OP_ONEOF] = PBTI_ITEM_ONEOF,
        [PBTI_OP_ABSENT] = PBTI_ITEM_NOTHING,
        [PBTI_OP_UNKNOWN] = PBTI_ITEM_NOTHING,
        [PBTI_OP_ROOM] = PBTI_ITEM_NOTHING,
        [PBTI_OP_BLOCK] = PBTI_ITEM_NOTHING,
        [PBTI_OP_END] = PBTI_ITEM_NOTHING};
    if (row->op == PBTI_OP_ONEOF && row->u.oneof->n_indexed == 0)
        return PBTI_ITEM_SEARCHED_ONEOF;
    return (pbti_item_op) ops[row->op];
}

static size_t n_items_of(pbti_item_op op) {
    if (op == PBTI_ITEM_NOTHING)
        return 0;
    return op == PBTI_ITEM_ONEOF || op == PBTI_ITEM_SEARCHED_ONEOF ? 2 : 1;
}

static uint16_t unit_offset(item_filler *filler, uint32_t offset) {
    if (offset % PBTI_ITEM_UNIT != 0 || offset / PBTI_ITEM_UNIT > UINT16_MAX)
        filler->failed = true;
    return (uint16_t) (offset / PBTI_ITEM_UNIT);
}

static uint8_t size_class(const pbti_row *row) {
    static const uint8_t classes[PBTI_N_OPS] = {
        [PBTI_OP_SIGNED32] = PBTI_SIZE_SIGNED32,
        [PBTI_OP_UNSIGNED32] = PBTI_SIZE_UNSIGNED32,
        [PBTI_OP_ZIGZAG32] = PBTI_SIZE_ZIGZAG32,
        [PBTI_OP_VARINT64] = PBTI_SIZE_VARINT64,
        [PBTI_OP_ZIGZAG64] = PBTI_SIZE_ZIGZAG64,
        [PBTI_OP_FIXED32] = PBTI_CLASS_FIXED,
        [PBTI_OP_FIXED64] = PBTI_CLASS_FIXED,
        [PBTI_OP_BOOL] = PBTI_CLASS_FIXED};
    return classes[row->op];
}

static bool is_fixed(const pbti_row *row) {
    return row->u.shape.fixed || row->u.shape.truth;
}

/* Bytes of a number that do not depend on its value. */
static uint8_t fixed_bytes(const pbti_row *row) {
    pbti_shape shape = row->u.shape;
    return (uint8_t) (row->tag_len + shape.fixed + shape.truth);
}

/* The offset of the eight bytes that end with a number. */
static uint32_t number_offset(const pbti_row *row) {
    return row->data - row->u.shape.drop / 8u;
}

/* Steps. */

/* The lane of a presence of four bytes; 0 if that is not what the row has. */
static uint32_t presence_lane(const pbti_row *row, uint32_t *mask) {
    bool high = (uint32_t) row->mask == 0;
    *mask = (uint32_t) (high ? row->mask >> 32 : row->mask);
    if (!PBTI_WORD_STORES || row->presence % LANE != 0 ||
        (!high && row->mask >> 32 != 0) || *mask == 0)
        return 0;
    return row->presence / LANE + high;
}

/* The lane in which a step counts a number; 0 if none can. */
static uint32_t step_lane(const pbti_row *row) {
    uint32_t mask;
    uint32_t lane;
    if (!pbti_is_scalar_op(row->op) || row->u.shape.zigzag)
        return 0;
    lane = presence_lane(row, &mask);
    if (lane == 0 || is_fixed(row))
        return lane;
    if (row->u.shape.drop == 0 || row->data % LANE != 0 ||
        row->data / LANE - lane > 1)
        return 0;
    return row->data / LANE;
}

static bool is_step_from(const item_filler *filler, uint32_t row,
                         uint32_t lane) {
    uint32_t own = step_lane(&filler->table->rows[row]);
    return filler->places[row] == BY_ITEM && own != 0 &&
           own - lane < PBTI_STEP_LANES;
}

/* Takes what is in the eight lanes from this one on, if it is worth that. */
static void choose_step(item_filler *filler, uint32_t lane) {
    const pbti_table *table = filler->table;
    unsigned worth = 0;
    unsigned taken =
        0; /* fields that share a lane: only one is counted there */
    uint32_t i;
    for (i = 0; i < table->n_rows; i++)
        if (is_step_from(filler, i, lane))
            worth += is_fixed(&table->rows[i]) ? 1 : 2;
    if (worth < MIN_STEP_WORTH)
        return;
    for (i = 0; i < table->n_rows; i++) {
        unsigned bit;
        if (!is_step_from(filler, i, lane))
            continue;
        bit = 1U << (step_lane(&table->rows[i]) - lane);
        if (!(taken & bit))
            filler->places[i] = (uint8_t) (BY_STEP + filler->n_steps);
        taken |= bit;
    }
    filler->n_steps++;
}

/* The next lane that a step would count, from this one on. */
static uint32_t next_lane(const item_filler *filler, uint32_t lane) {
    uint32_t next = UINT32_MAX;
    uint32_t i;
    for (i = 0; i < filler->table->n_rows; i++) {
        uint32_t own = step_lane(&filler->table->rows[i]);
        if (filler->places[i] == BY_ITEM && own >= lane && own < next)
            next = own;
    }
    return next;
}

/* The last lane that a step may start with. */
static uint32_t last_start(const pbti_table *table) {
    return (uint32_t) (table->type->sizeof_message / LANE) - PBTI_STEP_LANES;
}

/* There are fewer rows than in types with parts, and a step has two or more. */
static void choose_steps(item_filler *filler) {
    uint32_t last = last_start(filler->table);
    uint32_t lane = 0;
    while ((lane = next_lane(filler, lane + 1)) != UINT32_MAX)
        choose_step(filler, lane < last ? lane : last);
}

static void add_to_step(pbti_step *step, const pbti_row *row) {
    uint32_t mask;
    uint32_t lane = step_lane(row);
    uint32_t at = lane - step->offset / LANE;
    uint32_t *masks =
        presence_lane(row, &mask) == lane ? step->own : step->before;
    masks[at] = mask;
    step->fixed[at] = fixed_bytes(row);
    if (is_fixed(row))
        return;
    step->number[at] = UINT32_MAX;
    step->fixed[at]++;
    step->negative[at] = row->op == PBTI_OP_SIGNED32 ? 9 : 4;
}

static void fill_steps(item_filler *filler) {
    const pbti_table *table = filler->table;
    uint32_t last = last_start(table);
    uint32_t i, lane;
    for (i = 0; i < filler->n_steps; i++)
        filler->steps[i].offset = last * LANE;
    for (i = 0; i < table->n_rows; i++) {
        if (filler->places[i] < BY_STEP)
            continue;
        lane = step_lane(&table->rows[i]) * LANE;
        if (lane < filler->steps[filler->places[i] - BY_STEP].offset)
            filler->steps[filler->places[i] - BY_STEP].offset = lane;
    }
    for (i = 0; i < table->n_rows; i++)
        if (filler->places[i] >= BY_STEP)
            add_to_step(&filler->steps[filler->places[i] - BY_STEP],
                        &table->rows[i]);
}

/* Parts. */

static uint32_t count_words(const pbti_table *table) {
    return (uint32_t) (table->type->sizeof_message / WORD);
}

/* All have as many words, so that the last two may overlap. */
static uint32_t part_offset(const item_filler *filler, uint32_t part) {
    uint32_t n_words = count_words(filler->table);
    uint32_t word = part * PBTI_PART_WORDS;
    return WORD * (word + PBTI_PART_WORDS > n_words ? n_words - PBTI_PART_WORDS
                                                    : word);
}

static bool may_be_in_part(const item_filler *filler, const pbti_row *row) {
    if (row->presence == 0 || row->presence % WORD != 0 ||
        row->presence / WORD >= count_words(filler->table))
        return false;
    if (pbti_is_scalar_op(row->op))
        return is_fixed(row) ||
               (row->data % LANE == 0 && row->data >= row->presence &&
                row->data - row->presence < WORD * WORD);
    return row->op == PBTI_OP_STRING || row->op == PBTI_OP_BYTES;
}

/* Two fields in one word do not go to the same place. */
static void choose_parts(item_filler *filler, uint64_t *taken) {
    const pbti_table *table = filler->table;
    uint32_t i;
    for (i = 0; i < table->n_rows; i++) {
        const pbti_row *row = &table->rows[i];
        uint32_t word = row->presence / WORD;
        uint64_t bit = UINT64_C(1) << word % 64;
        if (!may_be_in_part(filler, row) || (taken[word / 64] & bit))
            continue;
        taken[word / 64] |= bit;
        filler->places[i] = BY_PART;
    }
    filler->n_parts =
        (count_words(table) + PBTI_PART_WORDS - 1) / PBTI_PART_WORDS;
}

static void fill_item(item_filler *filler, pbti_item *item,
                      const pbti_row *row);

static void add_to_part(item_filler *filler, const pbti_row *row) {
    pbti_part *part = &filler->parts[row->presence / (WORD * PBTI_PART_WORDS)];
    uint32_t word = (row->presence - part->offset) / WORD;
    uint64_t bit = UINT64_C(1) << word;
    part->masks[word] = row->mask;
    if (!pbti_is_scalar_op(row->op)) {
        *(row->op == PBTI_OP_STRING ? &part->strings : &part->bytes) |= bit;
        /* the struct has no room for more of them */
        part->index[word] = (uint16_t) (filler->members - part->items);
        fill_item(filler, filler->members++, row);
        return;
    }
    part->scalars |= bit;
    part->numbers[word] = (pbti_part_number){.bytes = fixed_bytes(row),
                                             .class = size_class(row),
                                             .zigzag = row->u.shape.zigzag,
                                             .end = WORD / LANE};
    if (!is_fixed(row))
        part->numbers[word].end =
            (uint8_t) ((number_offset(row) + WORD - row->presence) / LANE);
}

static void fill_parts(item_filler *filler) {
    const pbti_table *table = filler->table;
    uint32_t i;
    for (i = 0; i < filler->n_parts; i++) {
        pbti_part *part = &filler->parts[i];
        part->offset = part_offset(filler, i);
        part->items = filler->members;
        part->next = i + 1 < filler->n_parts ? part + 1 : NULL;
    }
    for (i = 0; i < table->n_rows; i++)
        if (filler->places[i] == BY_PART)
            add_to_part(filler, &table->rows[i]);
}

/* Items. */

/* Members of a oneof have no mask: they are present when they are looked at. */
static uint64_t mask_of(const pbti_row *row) {
    return row->mask ? row->mask : UINT64_MAX;
}

static void fill_array(item_filler *filler, pbti_item *item,
                       const pbti_row *row) {
    static const uint8_t widths[PBTI_N_OPS] = {
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    [PBTI_OP_##name##_REPEATED] = min, [PBTI_OP_##name##_PACKED] = min,
#include "table_kinds.def"
    };
    item->u.row = row;
    item->presence = unit_offset(filler, row->presence);
    item->class = widths[row->op];
}

static void fill_oneof(item_filler *filler, pbti_item *item,
                       const pbti_row *row) {
    const pbti_oneof *oneof = row->u.oneof;
    bool is_indexed = oneof->n_indexed > 0;
    uint32_t i;
    item->presence = unit_offset(filler, row->data);
    if (!is_indexed)
        item->u.row = row;
    else
        item[1].u.span.first = oneof->first;
    if (is_indexed)
        item[1].u.span.n = oneof->n_indexed;
    item[!is_indexed].u.members = filler->members;
    for (i = 0; i < oneof->n_rows; i++) {
        fill_item(filler, filler->members++, &oneof->rows[i]);
        filler->members->op = PBTI_ITEM_RETURN;
        filler->members++->u.next = item + 2;
    }
}

static void fill_item(item_filler *filler, pbti_item *item,
                      const pbti_row *row) {
    item->op = (uint8_t) item_op(row);
    item->n = 1;
    item->bytes = row->tag_len;
    item->data = unit_offset(filler, row->data);
    switch ((pbti_item_op) item->op) {
    case PBTI_ITEM_FLAGS:
    case PBTI_ITEM_VARINTS:
    case PBTI_ITEM_ZIGZAGS:
        item->bytes = fixed_bytes(row);
        item->class = size_class(row);
        item->data = unit_offset(filler, number_offset(row));
        /* fall through */
    case PBTI_ITEM_BYTES:
        item->u.mask = mask_of(row);
        item->presence = unit_offset(filler, row->presence);
        break;
    case PBTI_ITEM_STRINGS:
        item->u.default_value = row->u.default_value;
        if (row->op == PBTI_OP_STRING_REQUIRED)
            item->class = PBTI_ITEM_IS_REQUIRED;
        break;
    case PBTI_ITEM_MESSAGES_DEFAULTED:
        item->u.row = row;
        break;
    case PBTI_ITEM_MESSAGE_ARRAYS:
        item->presence = unit_offset(filler, row->presence);
        /* fall through */
    case PBTI_ITEM_MESSAGES:
        item->u.sub = row->u.sub;
        item->class = pbti_is_group(row) ? PBTI_ITEM_IS_GROUP : 0;
        if (row->op == PBTI_OP_MESSAGE_REQUIRED ||
            row->op == PBTI_OP_GROUP_REQUIRED)
            item->class |= PBTI_ITEM_IS_REQUIRED;
        break;
    case PBTI_ITEM_ONEOF:
    case PBTI_ITEM_SEARCHED_ONEOF:
        fill_oneof(filler, item, row);
        break;
    case PBTI_ITEM_STRING_ARRAYS:
    case PBTI_ITEM_FIXED_ARRAYS:
    case PBTI_ITEM_FIXED_BLOCKS:
    case PBTI_ITEM_OTHER_ARRAYS:
        fill_array(filler, item, row);
        break;
    case PBTI_ITEM_STRINGS_IMPLICIT:
    case PBTI_ITEM_STEPS:
    case PBTI_ITEM_PARTS:
    case PBTI_ITEM_RETURN:
    case PBTI_ITEM_NOTHING:
    case PBTI_ITEM_END:
    case PBTI_N_ITEM_OPS:
    default:
        break;
    }
}

/* The fields of a kind: one run, or more if there are very many. */
static void fill_runs(item_filler *filler, pbti_item_op op) {
    const pbti_table *table = filler->table;
    size_t n_items = n_items_of(op);
    pbti_item *first = NULL;
    uint32_t i;
    for (i = 0; i < table->n_rows; i++) {
        const pbti_row *row = &table->rows[i];
        if (item_op(row) != op || filler->places[i] != BY_ITEM)
            continue;
        fill_item(filler, filler->item, row);
        if (first && n_items == 1 && first->n < MAX_RUN)
            first->n++;
        else
            first = filler->item;
        filler->item += n_items;
    }
}

/* What follows a oneof is most often the end. */
static void end_after_members(const item_filler *filler, pbti_item *item) {
    for (; item < filler->members; item++)
        if (item->op == PBTI_ITEM_RETURN && item->u.next == filler->item)
            item->op = PBTI_ITEM_END;
}

static void fill_items(item_filler *filler) {
    pbti_item *members = filler->members;
    int op;
    if (filler->n_steps > 0)
        *filler->item++ = (pbti_item){.u.steps = filler->steps,
                                      .op = PBTI_ITEM_STEPS,
                                      .n = (uint8_t) filler->n_steps};
    for (op = PBTI_ITEM_FLAGS; op < PBTI_ITEM_RETURN; op++) {
        if (op == PBTI_ITEM_PARTS && filler->n_parts > 0)
            *filler->item++ =
                (pbti_item){.u.parts = filler->parts, .op = PBTI_ITEM_PARTS};
        fill_runs(filler, (pbti_item_op) op);
    }
    filler->item->op = PBTI_ITEM_END;
    end_after_members(filler, members);
}

/* Items up to END, and behind it those of members of oneofs and parts. */
static size_t count_items(const item_filler *filler, size_t *n_members) {
    const pbti_table *table = filler->table;
    size_t n = 1 + (size_t) (filler->n_steps > 0) + (filler->n_parts > 0);
    uint32_t i;
    *n_members = 0;
    for (i = 0; i < table->n_rows; i++) {
        const pbti_row *row = &table->rows[i];
        if (filler->places[i] == BY_ITEM)
            n += n_items_of(item_op(row));
        if (row->op == PBTI_OP_ONEOF)
            *n_members += 2 * (size_t) row->u.oneof->n_rows;
        if (filler->places[i] == BY_PART && !pbti_is_scalar_op(row->op))
            ++*n_members;
    }
    return n;
}

/* One block: items, then parts, then steps. */
static bool lay_out_items(item_filler *filler, pbti_table *table) {
    size_t n_members;
    size_t n = count_items(filler, &n_members);
    table->items = calloc(1, (n + n_members) * sizeof(pbti_item) +
                                 filler->n_parts * sizeof(pbti_part) +
                                 filler->n_steps * sizeof(pbti_step));
    if (!table->items)
        return false;
    filler->item = table->items;
    filler->members = filler->item + n;
    filler->parts = (pbti_part *) (void *) (filler->members + n_members);
    filler->steps = (pbti_step *) (void *) (filler->parts + filler->n_parts);
    return true;
}

static bool choose_places(item_filler *filler) {
    const pbti_table *table = filler->table;
    uint32_t n_words = count_words(table);
    uint64_t *taken;
    if (table->n_fields < MIN_FIELDS_OF_PARTS) {
        /* a step looks at the lane before it, too */
        if (table->type->sizeof_message / LANE > PBTI_STEP_LANES)
            choose_steps(filler);
        return true;
    }
    if (n_words < PBTI_PART_WORDS)
        return true;
    taken = calloc(n_words / 64 + 1, sizeof *taken);
    if (taken)
        choose_parts(filler, taken);
    free(taken);
    return taken != NULL;
}

void pbti_fill_items(pbti_table *table) {
    item_filler filler = {.table = table};
    size_t size = table->type->sizeof_message;
    if (table->variant != PBTI_PLAIN ||
        size > (size_t) PBTI_ITEM_UNIT * UINT16_MAX)
        return;
    filler.places = calloc(table->n_rows, sizeof *filler.places);
    if (filler.places && choose_places(&filler) &&
        lay_out_items(&filler, table)) {
        fill_parts(&filler);
        fill_steps(&filler);
        fill_items(&filler);
    }
    free(filler.places);
    if (filler.failed) {
        free(table->items);
        table->items = NULL;
    }
}
