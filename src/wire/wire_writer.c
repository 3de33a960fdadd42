/* wire_writer.c - see wire_writer.h. */
#include "wire_writer.h"

#include "base_alloc.h"

enum {
#ifdef PBTI_SHRINK
    FIRST_BLOCK = PBTI_ROOM + 1
#else
    FIRST_BLOCK = 4096
#endif
};

static void *fail(pbti_writer *writer, pbt_status status) {
    writer->status = status;
    return NULL;
}

static bool grow_pieces(pbti_writer *writer) {
    size_t capacity = 2 * writer->pieces_capacity;
    pbti_piece *pieces =
        pbti_alloc(writer->allocator, capacity * sizeof *pieces);
    if (!pieces)
        return false;
    memcpy(pieces, writer->pieces, writer->n_pieces * sizeof *pieces);
    if (writer->pieces != writer->inline_pieces)
        pbti_free(writer->allocator, writer->pieces);
    writer->pieces = pieces;
    writer->pieces_capacity = capacity;
    return true;
}

static bool add_piece(pbti_writer *writer, const pbti_piece *piece) {
    if (writer->n_pieces == writer->pieces_capacity && !grow_pieces(writer))
        return false;
    writer->pieces[writer->n_pieces++] = *piece;
    return true;
}

/* What has been written to the current block since its last piece. */
static pbti_piece current_piece(const pbti_writer *writer, const uint8_t *p) {
    return (pbti_piece){.data = p, .len = (size_t) (writer->end - p)};
}

/* Of what has been written, the bytes that lie in blocks. */
static uint64_t copied_bytes(const pbti_writer *writer, uint64_t total) {
    size_t i;
    for (i = 0; writer->by_reference && i < writer->n_pieces; i++)
        if (writer->pieces[i].is_reference)
            total -= writer->pieces[i].len;
    return total;
}

static uint8_t *alloc_block(const pbti_writer *writer, uint64_t size) {
    if (size > SIZE_MAX)
        return NULL;
    return pbti_alloc(writer->allocator, (size_t) size);
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

/* Twice what was copied so far, so that the number of blocks stays small; the
 * gap for it is the upper half. Where memory is short there is no gap, and what
 * room there is. */
static uint8_t *new_block(const pbti_writer *writer, uint64_t total,
                          size_t need, uint64_t *size, uint64_t *gap) {
    const uint64_t least = (uint64_t) need + PBTI_ROOM;
    uint8_t *block;
    *gap = writer->by_reference ? 0 : total;
    *size = larger(2 * copied_bytes(writer, total), FIRST_BLOCK);
    *size = larger(*size, *gap + least);
    block = alloc_block(writer, *size);
    if (PBTI_LIKELY(block != NULL))
        return block;
    *gap = 0;
    while (!block && *size > least) {
        *size = larger(*size / 2, least);
        block = alloc_block(writer, *size);
    }
    return block;
}

static uint8_t *enter_spare(pbti_writer *writer, uint8_t *p) {
    uint64_t total = pbti_writer_total(writer, p);
    pbti_piece piece = current_piece(writer, p);
    if (!writer->spare || !add_piece(writer, &piece))
        return fail(writer, PBT_ERR_NO_SPACE);
    p = pbti_writer_enter(writer, writer->spare, PBTI_SPARE_SIZE);
    writer->spare = NULL;
    writer->total_base = total + (uintptr_t) p;
    return p;
}

uint8_t *pbti_writer_grow(pbti_writer *writer, uint8_t *p, size_t need) {
    uint64_t total = pbti_writer_total(writer, p);
    uint64_t size, gap;
    uint8_t *block;
    pbti_piece piece = current_piece(writer, p);
    piece.block = writer->block;
    if (total > writer->max_size)
        return fail(writer, PBT_ERR_TOO_LARGE);
    if (writer->fixed)
        return enter_spare(writer, p);
    block = new_block(writer, total, need, &size, &gap);
    if (!block)
        return fail(writer, PBT_ERR_NO_MEMORY);
    if (!add_piece(writer, &piece)) {
        pbti_free(writer->allocator, block);
        return fail(writer, PBT_ERR_NO_MEMORY);
    }
    writer->block = block;
    writer->block_size = (size_t) size;
    p = pbti_writer_enter(writer, block, (size_t) (size - gap));
    writer->total_base = total + (uintptr_t) p;
    return p;
}

/* Links len bytes of the message below what has been written. */
static uint8_t *put_reference(pbti_writer *writer, uint8_t *p, const void *data,
                              size_t len) {
    pbti_piece copied = current_piece(writer, p);
    pbti_piece linked = {.data = data, .len = len, .is_reference = true};
    if (copied.len > 0 && !add_piece(writer, &copied))
        return fail(writer, PBT_ERR_NO_MEMORY);
    writer->end = p;
    if (!add_piece(writer, &linked))
        return fail(writer, PBT_ERR_NO_MEMORY);
    writer->total_base += len;
    return pbti_writer_room(writer, p);
}

/* Fills the block to its last byte before going on in the next, so that an
 * output of exactly the right size is enough. */
static uint8_t *put_split(pbti_writer *writer, uint8_t *p, const uint8_t *data,
                          size_t len) {
    size_t fits = (size_t) (p - writer->begin);
    size_t rest = len > fits ? len - fits : 0;
    if (len > rest) {
        p -= len - rest;
        memcpy(p, data + rest, len - rest);
    }
    if (rest > 0) {
        p = pbti_writer_grow(writer, p, rest);
        if (!p)
            return NULL;
        if ((size_t) (p - writer->begin) < rest)
            return fail(writer, PBT_ERR_NO_SPACE);
        p -= rest;
        memcpy(p, data, rest);
    }
    return pbti_writer_room(writer, p);
}

uint8_t *pbti_writer_put_bytes(pbti_writer *writer, uint8_t *p,
                               const void *data, size_t len) {
    if (len > writer->max_size)
        return fail(writer, PBT_ERR_TOO_LARGE);
    if (len == 0)
        return pbti_writer_room(writer, p);
    if (writer->by_reference && len >= PBTI_REFERENCE_SIZE)
        return put_reference(writer, p, data, len);
    return put_split(writer, p, data, len);
}

uint8_t *pbti_writer_put_varint(uint8_t *p, uint64_t v) {
    uint8_t bytes[10];
    size_t n = 0;
    for (; v >= 0x80; v >>= 7)
        bytes[n++] = (uint8_t) (v | 0x80);
    bytes[n++] = (uint8_t) v;
    p -= n;
    memcpy(p, bytes, n);
    return p;
}

bool pbti_writer_fits(const pbti_writer *writer, const uint8_t *p) {
    size_t here = (size_t) (writer->end - p);
    size_t gap = (size_t) (writer->block + writer->block_size - writer->end);
    return pbti_writer_total(writer, p) - here <= gap;
}

void pbti_writer_gather(const pbti_writer *writer, const uint8_t *p,
                        uint8_t *out) {
    size_t i;
    size_t first = (size_t) (writer->end - p);
    uint8_t *to = out + pbti_writer_total(writer, p);
    /* From the last piece on: of a fixed output, that is the one which lies in
     * out itself. */
    for (i = 0; i < writer->n_pieces; i++) {
        to -= writer->pieces[i].len;
        if (writer->pieces[i].len > 0)
            memmove(to, writer->pieces[i].data, writer->pieces[i].len);
    }
    if (first > 0 && to - first != p)
        memmove(to - first, p, first);
}

void pbti_writer_free(pbti_writer *writer) {
    size_t i;
    for (i = 0; i < writer->n_pieces; i++)
        pbti_free(writer->allocator, writer->pieces[i].block);
    if (writer->pieces != writer->inline_pieces)
        pbti_free(writer->allocator, writer->pieces);
    pbti_free(writer->allocator, writer->block);
    writer->n_pieces = 0;
    writer->block = NULL;
}
