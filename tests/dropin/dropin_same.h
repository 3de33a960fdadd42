/* dropin_same.h - the drop-in library's calls, held to the original's. */
#ifndef DROPIN_SAME_H
#define DROPIN_SAME_H

#include <protobuf-c/protobuf-c.h>

#include "support_arena.h"

size_t dropin_size(const ProtobufCMessage *message);
size_t dropin_pack(const ProtobufCMessage *message, uint8_t *out);
size_t dropin_pack_to_buffer(const ProtobufCMessage *message,
                             ProtobufCBuffer *buffer);
protobuf_c_boolean dropin_check(const ProtobufCMessage *message);

/* How the library is to work. */
typedef enum dropin_mode {
    DROPIN_TABLES, /* with tables, also for types that a test makes */
    DROPIN_USUAL,  /* as it works for others: types in memory have none */
    DROPIN_OFF,    /* as with PBTURBO_DISABLE */
    DROPIN_N_MODES
} dropin_mode;

void dropin_use(dropin_mode mode);

/* A virtual buffer that collects. */
typedef struct dropin_buffer {
    ProtobufCBuffer base;
    uint8_t *bytes;
    size_t len, capacity;
    size_t n_calls;
} dropin_buffer;

void dropin_buffer_init(dropin_buffer *b, arena *a, size_t capacity);

/** Fails the test unless size, pack, pack_to_buffer and check give what the
 *  original gives, in this mode, and pack writes nothing else. */
void dropin_expect_same(const ProtobufCMessage *message, dropin_mode mode);

/** The same in all modes. */
void dropin_expect_all(const ProtobufCMessage *message);

#endif
