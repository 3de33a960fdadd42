/* shim_next.c - who does a call that is done without tables: see
 * shim_plain.h. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* RTLD_NEXT */
#endif
#include "shim.h"
#include "shim_plain.h"

#include <dlfcn.h>

static const pbti_plain_calls own = {pbti_plain_size, pbti_plain_pack,
                                     pbti_plain_pack_to_buffer,
                                     pbti_plain_check};

#ifdef PBTI_PRELOAD
/* A function's address, which C does not take from a pointer to data. */
#define FIND(call, name)                                                       \
    do {                                                                       \
        void *found = dlsym(RTLD_NEXT, name);                                  \
        memcpy(&(call), &found, sizeof(call));                                 \
    } while (0)

/* The original may have been loaded where it is not seen from here, for a
 * plugin alone. */
static bool find_next(pbti_plain_calls *next) {
    FIND(next->size, "protobuf_c_message_get_packed_size");
    FIND(next->pack, "protobuf_c_message_pack");
    FIND(next->pack_to_buffer, "protobuf_c_message_pack_to_buffer");
    FIND(next->check, "protobuf_c_message_check");
    return next->size && next->pack && next->pack_to_buffer && next->check;
}
#undef FIND

const pbti_plain_calls *pbti_shim_plain(void) {
    static pbti_plain_calls next;
    static _Atomic(const pbti_plain_calls *) chosen;
    static atomic_flag searched = ATOMIC_FLAG_INIT;
    if (!(pbti_shim_mode() & PBTI_SHIM_OFF))
        return &own;
    if (!atomic_flag_test_and_set(&searched) && find_next(&next))
        atomic_store_explicit(&chosen, &next, memory_order_release);
    return atomic_load_explicit(&chosen, memory_order_acquire)
               ? atomic_load_explicit(&chosen, memory_order_acquire)
               : &own;
}
#else
const pbti_plain_calls *pbti_shim_plain(void) {
    return &own;
}
#endif
