/* table_items.h - the fields of a type as the quick size loop takes them.
 *
 * The size of a message does not depend on the order of its fields. So those
 * that are counted in the same way are next to each other, in runs: the loop
 * finds its way once for each kind of field, not once for each field.
 */
#ifndef PBTI_TABLE_ITEMS_H
#define PBTI_TABLE_ITEMS_H

#include <stdint.h>

struct pbti_row;
struct pbti_table;
struct pbti_item;

/* How the fields of a run are counted. "By a row" is for what is rare: the item
 * tells which row it is, and that tells the rest. Runs stand in this order. */
typedef enum pbti_item_op {
    PBTI_ITEM_STEPS,            /* numbers of 32 bits, eight at a time */
    PBTI_ITEM_FLAGS,            /* numbers of a size that is known */
    PBTI_ITEM_VARINTS,          /* other numbers, but for zigzag */
    PBTI_ITEM_STRINGS,          /* NULL or the default: unset */
    PBTI_ITEM_STRINGS_IMPLICIT, /* NULL or empty: unset */
    PBTI_ITEM_BYTES,            /* single ones */
    PBTI_ITEM_PARTS,            /* single fields of a wide type */
    PBTI_ITEM_ZIGZAGS,
    PBTI_ITEM_STRING_ARRAYS,
    PBTI_ITEM_FIXED_ARRAYS,       /* repeated numbers of one size */
    PBTI_ITEM_FIXED_BLOCKS,       /* the same, packed */
    PBTI_ITEM_OTHER_ARRAYS,       /* of varints or bytes: by a row */
    PBTI_ITEM_MESSAGES_DEFAULTED, /* single ones that may be unset: by a row */
    PBTI_ITEM_MESSAGES,           /* single ones */
    PBTI_ITEM_MESSAGE_ARRAYS,
    PBTI_ITEM_ONEOF,          /* picks the item of the case: two items */
    PBTI_ITEM_SEARCHED_ONEOF, /* the same, by a row */
    PBTI_ITEM_RETURN,         /* behind a member: goes on behind the oneof */
    PBTI_ITEM_NOTHING,        /* no member of the oneof */
    PBTI_ITEM_END,
    PBTI_N_ITEM_OPS
} pbti_item_op;

/* How a varint's size follows from its leading zeros: see wire_items.h. */
typedef enum pbti_size_class {
    PBTI_SIZE_SIGNED32,
    PBTI_SIZE_UNSIGNED32,
    PBTI_SIZE_ZIGZAG32,
    PBTI_SIZE_VARINT64,
    PBTI_SIZE_ZIGZAG64
} pbti_size_class;

enum {
    PBTI_ITEM_UNIT = 4,   /* bytes: what offsets in items count */
    PBTI_STEP_LANES = 8,  /* of four bytes */
    PBTI_PART_WORDS = 64, /* of eight bytes */
    PBTI_CLASS_FIXED = 7, /* next to pbti_size_class: nothing to add */
    PBTI_ITEM_IS_GROUP = 1,
    PBTI_ITEM_IS_REQUIRED = 2,
    PBTI_N_ITEM_CLASSES = 8
};

/* Eight lanes of a struct. The presence of the number in a lane is told by the
 * same lane or by the one before it; of a number of another width or place it
 * may be only the presence that is in a lane. */
typedef struct pbti_step {
    uint32_t own[PBTI_STEP_LANES];      /* the bits that tell presence */
    uint32_t before[PBTI_STEP_LANES];   /* the same, in the lane before */
    uint32_t number[PBTI_STEP_LANES];   /* all ones where a varint is */
    uint32_t fixed[PBTI_STEP_LANES];    /* bytes whatever the value */
    uint32_t negative[PBTI_STEP_LANES]; /* and if it is negative */
    uint32_t offset;                    /* of the first lane */
} pbti_step;

/* A number in a part. */
typedef struct pbti_part_number {
    uint8_t bytes;  /* tag, and what else does not depend on the value */
    uint8_t class;  /* as in items */
    uint8_t end;    /* lanes from the word that tells presence to its end */
    uint8_t zigzag; /* 1: zigzag */
} pbti_part_number;

/* Words of a wide struct. The sets have a bit for each word that tells the
 * presence of a field. */
typedef struct pbti_part {
    uint64_t masks[PBTI_PART_WORDS]; /* the bits that tell it */
    pbti_part_number numbers[PBTI_PART_WORDS];
    uint16_t index[PBTI_PART_WORDS]; /* strings and bytes: in `items` */
    uint64_t scalars;
    uint64_t strings;
    uint64_t bytes;
    const struct pbti_item *items;
    const struct pbti_part *next;
    uint32_t offset; /* of the first word */
} pbti_part;

/* A field; or one of STEPS, PARTS, RETURN, NOTHING, END.
 *
 *   byte 0                  8         10      12   13      14  15    16
 *        +------------------+---------+-------+----+-------+---+-----+
 *        | mask, type, ...  |presence | data  | op | bytes | n |class|
 *        +------------------+---------+-------+----+-------+---+-----+
 */
typedef struct pbti_item {
    union {
        uint64_t mask;                /* numbers, BYTES: as in rows */
        const void *default_value;    /* STRINGS */
        const struct pbti_table *sub; /* messages */
        const struct pbti_row *row;   /* by a row */
        const pbti_step *steps;       /* STEPS */
        const pbti_part *parts;       /* PARTS */
        /* ONEOF, and the second item of SEARCHED_ONEOF: those of the members,
         * by number or as the rows are, each with what follows it */
        const struct pbti_item *members;
        const struct pbti_item *next; /* RETURN */
        struct {
            uint32_t first; /* number of the first member */
            uint32_t n;     /* rows, by number */
        } span;             /* the second item of ONEOF */
    } u;
    /* of eight bytes, as in rows; of an array's count; of a oneof's case */
    uint16_t presence;
    uint16_t data; /* of the member; of varints: of eight bytes up to its end */
    uint8_t op;    /* pbti_item_op */
    uint8_t bytes; /* tag, and what else does not depend on the value */
    uint8_t n;     /* in a run's first item: how many it has; STEPS: steps */
    uint8_t class; /* varints: pbti_size_class; FIXED_...: bytes of an element;
                      STRINGS, messages: PBTI_ITEM_IS_... */
} pbti_item;

#if UINTPTR_MAX == UINT64_MAX
_Static_assert(sizeof(pbti_item) == 16, "four items to a cache line");
#endif

#endif
