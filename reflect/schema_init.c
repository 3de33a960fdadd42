/* schema_init.c - functions that start messages of loaded types.
 *
 * protobuf-c starts a message by calling message_init of its type with nothing
 * but the message, so each type needs a function of its own. They cannot be
 * made at run time in portable C: there is a pool of them, compiled ahead,
 * each with a slot for the image that it copies. */
#include <stdatomic.h>

#include "schema_build.h"

enum { N_SLOTS = 4096 };

/* X(number) for each slot; the numbers are octal, digit by digit. */
#define SLOTS_8(X, n)                                                          \
    X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define SLOTS_64(X, n)                                                         \
    SLOTS_8(X, n##0)                                                           \
    SLOTS_8(X, n##1)                                                           \
    SLOTS_8(X, n##2)                                                           \
    SLOTS_8(X, n##3)                                                           \
    SLOTS_8(X, n##4)                                                           \
    SLOTS_8(X, n##5)                                                           \
    SLOTS_8(X, n##6)                                                           \
    SLOTS_8(X, n##7)
#define SLOTS_512(X, n)                                                        \
    SLOTS_64(X, n##0)                                                          \
    SLOTS_64(X, n##1)                                                          \
    SLOTS_64(X, n##2)                                                          \
    SLOTS_64(X, n##3)                                                          \
    SLOTS_64(X, n##4)                                                          \
    SLOTS_64(X, n##5)                                                          \
    SLOTS_64(X, n##6)                                                          \
    SLOTS_64(X, n##7)
#define SLOTS_4096(X)                                                          \
    SLOTS_512(X, 00)                                                           \
    SLOTS_512(X, 01)                                                           \
    SLOTS_512(X, 02)                                                           \
    SLOTS_512(X, 03)                                                           \
    SLOTS_512(X, 04)                                                           \
    SLOTS_512(X, 05)                                                           \
    SLOTS_512(X, 06)                                                           \
    SLOTS_512(X, 07)

/* NULL: the slot is free. */
static _Atomic(const pbti_init_image *) images[N_SLOTS];

PBTI_OUTLINE void start(unsigned slot, ProtobufCMessage *message) {
    const pbti_init_image *image =
        atomic_load_explicit(&images[slot], memory_order_acquire);
    memcpy(message, image->bytes, image->size);
}

#define SLOT_FUNCTION(n)                                                       \
    static void start_##n(ProtobufCMessage *message) {                         \
        start(n, message);                                                     \
    }
SLOTS_4096(SLOT_FUNCTION)
#undef SLOT_FUNCTION

static const ProtobufCMessageInit functions[N_SLOTS] = {
#define SLOT_POINTER(n) start_##n,
    SLOTS_4096(SLOT_POINTER)
#undef SLOT_POINTER
};

/* Where the next search begins: behind the slot taken last. */
static atomic_uint next_slot;

ProtobufCMessageInit pbti_init_take(const pbti_init_image *image,
                                    unsigned *slot) {
    unsigned from = atomic_load_explicit(&next_slot, memory_order_relaxed);
    unsigned i;
    for (i = 0; i < N_SLOTS; i++) {
        unsigned at = (from + i) % N_SLOTS;
        const pbti_init_image *expected = NULL;
        if (atomic_load_explicit(&images[at], memory_order_relaxed) ||
            !atomic_compare_exchange_strong_explicit(
                &images[at], &expected, image, memory_order_acq_rel,
                memory_order_relaxed))
            continue;
        atomic_store_explicit(&next_slot, at + 1, memory_order_relaxed);
        *slot = at;
        return functions[at];
    }
    return NULL;
}

void pbti_init_give_back(unsigned slot) {
    atomic_store_explicit(&images[slot], NULL, memory_order_release);
}
