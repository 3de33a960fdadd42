/* wire_writer.h - the memory that the back-to-front writer fills.
 *
 * The writer puts bytes below a cursor p that moves down through a block. When
 * a block is full the next one continues below it: blocks are linked, nothing
 * written is copied until the message is complete. Where memory allows the new
 * block has a gap at its end for all that was written before, so that it can
 * hold the whole message in the end. Large fields may also be linked in by
 * reference.
 *
 * Room contract. At the start of each message, and after each field that is
 * not a singular scalar, p >= floor - PBTI_FIELD_SLACK. Below floor lie
 * PBTI_ROOM bytes, enough for PBTI_SCALAR_ROOM bytes of scalars, one more
 * tag and length, and the 16 bytes that stores spill below the cursor.
 */
#ifndef PBTI_WIRE_WRITER_H
#define PBTI_WIRE_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

#include <pbturbo/status.h>

#include "base_compiler.h"
#include "table.h"

enum {
    PBTI_FIELD_SLACK = 16, /* a tag and a length, rounded up */
    PBTI_TEXT_STEP = 32,   /* bytes of a text that are stored at once */
    PBTI_ROOM = PBTI_SCALAR_ROOM + 3 * PBTI_FIELD_SLACK,
    /* Holds what is left of a message when p has fallen below floor in a
     * block of exactly its size. */
    PBTI_SPARE_SIZE = 2 * PBTI_ROOM,
    /* Fields of this size are worth a reference rather than a copy. */
    PBTI_REFERENCE_SIZE = 4096
};

/* A run of finished bytes. */
typedef struct pbti_piece {
    const uint8_t *data;
    size_t len;
    void *block;       /* to free with the piece; may be NULL */
    bool is_reference; /* bytes of the message itself */
} pbti_piece;

enum { PBTI_INLINE_PIECES = 4 };

typedef struct pbti_writer {
    uint8_t *begin;  /* lowest byte of the current block */
    uintptr_t floor; /* begin + PBTI_ROOM, be it inside the block or not */
    /* From here up PBTI_TEXT_STEP bytes are free above floor, and a text may be
     * written without a look at it; out of reach where texts are looked at. */
    uintptr_t text_floor;
    bool looks_at_texts;
    uint8_t *end; /* above the bytes of the current piece */
    /* Bytes written so far are total_base - p. */
    uint64_t total_base;
    uint64_t max_size;
    bool fixed;        /* the output must fit in the first block */
    bool by_reference; /* large fields are linked, not copied */
    pbt_status status; /* why a call returned NULL */
    /* Of a fixed output, else not set: PBTI_SPARE_SIZE bytes, until they are
     * used. */
    uint8_t *spare;
    const ProtobufCAllocator *allocator;
    uint8_t *block; /* the current block, when it is the writer's to free */
    size_t block_size;
    /* Finished pieces, the last bytes of the message first. */
    pbti_piece *pieces;
    size_t n_pieces;
    size_t pieces_capacity;
    pbti_piece inline_pieces[PBTI_INLINE_PIECES];
} pbti_writer;

/** Makes a writer that owns nothing. Not by assignment of a zero struct: that
 *  would cost small messages more than their bytes do. */
PBTI_INLINE void pbti_writer_init(pbti_writer *writer, uint64_t max_size,
                                  const ProtobufCAllocator *allocator) {
    writer->max_size = max_size;
    writer->fixed = false;
    writer->looks_at_texts = false;
    writer->by_reference = false;
    writer->status = PBT_OK;
    writer->allocator = allocator;
    writer->block = NULL;
    writer->pieces = writer->inline_pieces;
    writer->n_pieces = 0;
    writer->pieces_capacity = PBTI_INLINE_PIECES;
}

/** Makes a block the current one. Returns the cursor, at its end. */
PBTI_INLINE uint8_t *pbti_writer_enter(pbti_writer *writer, uint8_t *block,
                                       size_t size) {
    writer->begin = block;
    /* Nothing may be added to NULL in C, not even 0. */
    writer->end = size > 0 ? block + size : block;
    writer->floor = (uintptr_t) block + PBTI_ROOM;
    writer->text_floor =
        writer->looks_at_texts ? UINTPTR_MAX : writer->floor + PBTI_TEXT_STEP;
    return writer->end;
}

/** Starts writing downwards from the end of a block of the caller's.
 *  @param size  bytes of the block; may be 0
 *  @return the cursor
 */
PBTI_INLINE uint8_t *pbti_writer_start(pbti_writer *writer, uint8_t *block,
                                       size_t size) {
    uint8_t *p = pbti_writer_enter(writer, block, size);
    writer->total_base = (uintptr_t) p;
    return p;
}

/** Makes a block of at least `need` bytes of room above floor the current one.
 *  @return the new cursor, or NULL with status PBT_ERR_NO_MEMORY,
 *          PBT_ERR_NO_SPACE or PBT_ERR_TOO_LARGE
 */
uint8_t *pbti_writer_grow(pbti_writer *writer, uint8_t *p, size_t need);

/** Writes bytes that may not fit in the block, or that are worth a reference.
 *  @return the new cursor, at least floor - PBTI_FIELD_SLACK, or NULL
 */
uint8_t *pbti_writer_put_bytes(pbti_writer *writer, uint8_t *p,
                               const void *data, size_t len);

/** Writes a varint of any size; needs PBTI_FIELD_SLACK bytes below p. */
uint8_t *pbti_writer_put_varint(uint8_t *p, uint64_t v);

/** Bytes written so far. */
PBTI_INLINE uint64_t pbti_writer_total(const pbti_writer *writer,
                                       const uint8_t *p) {
    return writer->total_base - (uintptr_t) p;
}

/** Restores the room contract; returns NULL on failure. */
PBTI_INLINE uint8_t *pbti_writer_room(pbti_writer *writer, uint8_t *p) {
    if (PBTI_UNLIKELY((uintptr_t) p < writer->floor))
        return pbti_writer_grow(writer, p, 0);
    return p;
}

/** Tells whether what was written before the current block fits in the gap at
 *  its end, so that pbti_writer_gather can put the whole output at p. */
bool pbti_writer_fits(const pbti_writer *writer, const uint8_t *p);

/** Copies all that was written to its place, in order.
 *  @param out pbti_writer_total bytes; may overlap the current block only
 */
void pbti_writer_gather(const pbti_writer *writer, const uint8_t *p,
                        uint8_t *out);

/** Frees the blocks that are the writer's. */
void pbti_writer_free(pbti_writer *writer);

PBTI_INLINE void pbti_writer_release(pbti_writer *writer) {
    if (PBTI_UNLIKELY(writer->n_pieces > 0 || writer->block))
        pbti_writer_free(writer);
}

#endif
