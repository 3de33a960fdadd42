/* shim_unpack.c - protobuf_c_message_unpack: by the table of the type, or
 * without it. */
#include "shim_unpack.h"
#include "shim.h"

typedef struct level_loop {
    const char *name; /* as in wire_levels.c */
    pbti_unpack_loop *loop;
} level_loop;

static const level_loop levels[] = {
    {"portable", pbti_unpack_portable},
#ifdef PBTI_HAVE_X86_LEVELS
    {"x86-64", pbti_unpack_x86_64},
    {"x86-64-v3", pbti_unpack_x86_64_v3},
    {"x86-64-v3-pdep", pbti_unpack_x86_64_v3_pdep},
    {"x86-64-v4", pbti_unpack_x86_64_v4},
#endif
#ifdef PBTI_HAVE_NEON_LEVEL
    {"neon", pbti_unpack_neon},
#endif
};

static _Atomic(pbti_unpack_loop *) chosen;

/* Threads that choose at the same time choose the same. */
PBTI_NOINLINE static pbti_unpack_loop *choose(void) {
    const char *name = pbti_wire()->name;
    pbti_unpack_loop *loop = levels[0].loop;
    size_t i;
    for (i = 0; i < sizeof levels / sizeof *levels; i++)
        if (strcmp(levels[i].name, name) == 0)
            loop = levels[i].loop;
    atomic_store_explicit(&chosen, loop, memory_order_relaxed);
    return loop;
}

PBTI_INLINE pbti_unpack_loop *loop_here(void) {
    pbti_unpack_loop *loop =
        atomic_load_explicit(&chosen, memory_order_relaxed);
    return PBTI_LIKELY(loop != NULL) ? loop : choose();
}

static ProtobufCMessage *unpack_plain(const ProtobufCMessageDescriptor *type,
                                      const ProtobufCAllocator *allocator,
                                      size_t len, const uint8_t *data) {
    pbti_shim_tally_plain();
    return pbti_unpack_plain(type, allocator, len, data);
}

/* Anything but a type is no type: protobuf-c ends the program. */
PBTI_SHIM_API ProtobufCMessage *
protobuf_c_message_unpack(const ProtobufCMessageDescriptor *descriptor,
                          ProtobufCAllocator *allocator, size_t len,
                          const uint8_t *data) {
    static const uint8_t nothing[1];
    const pbti_table *table;
    ProtobufCMessage *message;
    pbti_unpacker u;
    if (!descriptor || (!data && len > 0))
        return NULL;
    if (!data)
        data = nothing;
    pbti_shim_counted(PBTI_SHIM_UNPACK, len);
    table = pbti_shim_table(descriptor);
    if (PBTI_UNLIKELY(!table || !table->parse.is_usual))
        return unpack_plain(descriptor, allocator, len, data);
    pbti_unpacker_start(&u, allocator, data, len);
    message = loop_here()(&u, table);
    pbti_unpacker_free(&u);
    if (PBTI_UNLIKELY(u.is_unusual))
        return unpack_plain(descriptor, allocator, len, data);
    return message;
}
