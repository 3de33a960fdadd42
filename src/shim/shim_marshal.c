/* shim_marshal.c - protobuf_c_message_get_packed_size, _pack and
 * _pack_to_buffer.
 *
 * Whatever the loops refuse (a bad pointer, a depth, a size, no memory) is no
 * error to protobuf-c: the call is done again without tables.
 */
#include "shim.h"
#include "shim_plain.h"

enum {
    /* A level takes a frame on the heap. What is deeper is left to the stack,
     * as protobuf-c leaves it. */
    MAX_DEPTH = 1 << 20,
    STACK_BLOCK = 4096,
    /* pack does not know how much room there is, nor where the first byte of
     * what it writes from the end will lie: it writes to a block of its own
     * and copies. A message of more than this is measured first instead. */
    MAX_BY_WAY = 1 << 24,
    /* pack_to_buffer keeps what it has written until all is well; of a message
     * larger than this, the plain walk hands on piece by piece. */
    MAX_KEPT = 1 << 28
};

PBTI_INLINE void set_limits(pbti_call *call) {
    call->flags = PBT_ALLOW_PARTIAL;
    call->max_depth = MAX_DEPTH;
    call->max_size = UINT32_MAX;
}

PBTI_INLINE void start_call(pbti_call *call) {
    pbti_call_start_reading(call);
    set_limits(call);
    pbti_writer_init(&call->writer, UINT32_MAX, NULL);
}

/* What is larger than the lengths of protobuf-c can say is for the plain
 * walk. */
PBTI_INLINE pbt_status marshal(pbti_call *call, const ProtobufCMessage *message,
                               const pbti_table *table, uint8_t **cursor) {
    pbt_status status = pbti_wire()->marshal(call, message, table, cursor);
    if (PBTI_UNLIKELY(status == PBT_OK &&
                      pbti_writer_total(&call->writer, *cursor) > UINT32_MAX))
        return PBT_ERR_UNSUPPORTED;
    return status;
}

PBTI_INLINE void end_call(pbti_call *call) {
    pbti_writer_release(&call->writer);
    pbti_call_end(call);
}

PBTI_INLINE const pbti_table *table_of(const ProtobufCMessage *message) {
    if (PBTI_UNLIKELY(!message || !message->descriptor))
        return NULL;
    return pbti_shim_table(message->descriptor);
}

PBTI_INLINE bool size_by_table(const ProtobufCMessage *message,
                               const pbti_table *table, uint64_t *size) {
    pbti_call call;
    pbt_status status;
    pbti_call_start_reading(&call);
    set_limits(&call);
    status = pbti_wire()->size(&call, message, table, size);
    pbti_call_end(&call);
    return status == PBT_OK;
}

PBTI_SHIM_API size_t
protobuf_c_message_get_packed_size(const ProtobufCMessage *message) {
    const pbti_table *table = table_of(message);
    uint64_t size;
    if (PBTI_UNLIKELY(!table || !size_by_table(message, table, &size))) {
        pbti_shim_tally_plain();
        size = pbti_shim_plain()->size(message);
    }
    pbti_shim_counted(PBTI_SHIM_SIZE, (size_t) size);
    return (size_t) size;
}

/* Marshals to a block of the caller's and to others, and links large fields. */
PBTI_INLINE pbt_status marshal_to_blocks(pbti_call *call,
                                         const ProtobufCMessage *message,
                                         const pbti_table *table,
                                         uint8_t block[STACK_BLOCK],
                                         uint64_t max_size, uint8_t **p) {
    start_call(call);
    call->writer.max_size = max_size;
    *p = pbti_writer_start(&call->writer, block, STACK_BLOCK);
    call->writer.by_reference = true;
    return marshal(call, message, table, p);
}

PBTI_INLINE pbt_status pack_by_way(const ProtobufCMessage *message,
                                   const pbti_table *table, uint8_t *out,
                                   size_t *len) {
    uint8_t block[STACK_BLOCK];
    pbti_call call;
    uint8_t *p;
    pbt_status status =
        marshal_to_blocks(&call, message, table, block, MAX_BY_WAY, &p);
    if (PBTI_LIKELY(status == PBT_OK)) {
        *len = (size_t) pbti_writer_total(&call.writer, p);
        if (PBTI_LIKELY(call.writer.n_pieces == 0 && *len > 0))
            memcpy(out, p, *len);
        else
            pbti_writer_gather(&call.writer, p, out);
    }
    end_call(&call);
    return status;
}

/* With the size known, the message can be written where it belongs: a walk
 * more, and no memory but for the frames of a deep message. */
static PBTI_NOINLINE bool pack_in_place(const ProtobufCMessage *message,
                                        const pbti_table *table, uint8_t *out,
                                        size_t *len) {
    uint8_t spare[PBTI_SPARE_SIZE];
    pbti_call call;
    uint8_t *p;
    uint64_t size;
    pbt_status status;
    if (!size_by_table(message, table, &size) || size > SIZE_MAX)
        return false;
    start_call(&call);
    p = pbti_writer_start(&call.writer, out, (size_t) size);
    call.writer.fixed = true;
    call.writer.spare = spare;
    status = marshal(&call, message, table, &p);
    if (PBTI_LIKELY(status == PBT_OK)) {
        *len = (size_t) pbti_writer_total(&call.writer, p);
        pbti_writer_gather(&call.writer, p, out);
    }
    end_call(&call);
    return status == PBT_OK;
}

/* Without a table, or when packing by way has failed. */
static PBTI_NOINLINE size_t pack_otherwise(const ProtobufCMessage *message,
                                           const pbti_table *table,
                                           pbt_status status, uint8_t *out) {
    size_t len;
    if (table && (status == PBT_ERR_TOO_LARGE || status == PBT_ERR_NO_MEMORY) &&
        pack_in_place(message, table, out, &len))
        return len;
    pbti_shim_tally_plain();
    return pbti_shim_plain()->pack(message, out);
}

PBTI_SHIM_API size_t protobuf_c_message_pack(const ProtobufCMessage *message,
                                             uint8_t *out) {
    const pbti_table *table = table_of(message);
    pbt_status status = PBT_OK;
    size_t len = 0;
    if (PBTI_LIKELY(table != NULL))
        status = pack_by_way(message, table, out, &len);
    if (PBTI_UNLIKELY(!table || status != PBT_OK))
        len = pack_otherwise(message, table, status, out);
    pbti_shim_counted(PBTI_SHIM_PACK, len);
    return len;
}

/* The pieces of an output, the first first; none of them before all is well. */
static void append_pieces(const pbti_writer *writer, const uint8_t *p,
                          ProtobufCBuffer *buffer) {
    size_t i;
    if (writer->end > p)
        buffer->append(buffer, (size_t) (writer->end - p), p);
    for (i = writer->n_pieces; i-- > 0;)
        if (writer->pieces[i].len > 0)
            buffer->append(buffer, writer->pieces[i].len,
                           writer->pieces[i].data);
}

PBTI_INLINE bool append_by_table(const ProtobufCMessage *message,
                                 const pbti_table *table,
                                 ProtobufCBuffer *buffer, size_t *len) {
    uint8_t block[STACK_BLOCK];
    pbti_call call;
    uint8_t *p;
    pbt_status status =
        marshal_to_blocks(&call, message, table, block, MAX_KEPT, &p);
    if (PBTI_LIKELY(status == PBT_OK)) {
        *len = (size_t) pbti_writer_total(&call.writer, p);
        append_pieces(&call.writer, p, buffer);
    }
    end_call(&call);
    return status == PBT_OK;
}

PBTI_SHIM_API size_t protobuf_c_message_pack_to_buffer(
    const ProtobufCMessage *message, ProtobufCBuffer *buffer) {
    const pbti_table *table = table_of(message);
    size_t len = 0;
    if (PBTI_UNLIKELY(!table ||
                      !append_by_table(message, table, buffer, &len))) {
        pbti_shim_tally_plain();
        len = pbti_shim_plain()->pack_to_buffer(message, buffer);
    }
    pbti_shim_counted(PBTI_SHIM_BUFFER, len);
    return len;
}
