/* fuzz_marshal.c - target: what was unmarshalled is marshalled, in every form
 * and by both roads, and read back. */
#include "fuzz_target.h"

void fuzz_seed(fuzz_bytes *out, rng *r) {
    fuzz_message_seed(out, r);
}

bool fuzz_read_case(fuzz_bytes *out, const char *line) {
    return fuzz_message_case(out, line);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    static const pbt_options partial = {.flags = PBT_ALLOW_PARTIAL};
    pbt_arena *arena;
    ProtobufCMessage *msg;
    fuzz_input input;
    if (!fuzz_parse_input(&input, data, len))
        return 0;
    arena = pbt_arena_new(NULL, 0);
    if (arena && pbt_unmarshal(input.type, input.data, input.len, &partial,
                               arena, &msg) == PBT_OK) {
        fuzz_check_marshal(msg, input.flags | PBT_ALLOW_PARTIAL);
        fuzz_check_marshal(msg, input.flags & ~PBT_ALLOW_PARTIAL);
    }
    pbt_arena_free(arena);
    return 0;
}
