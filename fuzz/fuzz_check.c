/* fuzz_check.c - what marshal promises for messages that unmarshal made. */
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"

/* Both roads, or the one and the size; equal statuses, then equal bytes. */
static pbt_status marshal_both(const ProtobufCMessage *msg,
                               const pbt_options *options, pbt_buffer *out) {
    pbt_buffer slow = {0};
    pbt_status status = pbt_marshal(msg, options, out);
    FUZZ_REQUIRE(pbt_reflect_marshal(&pbt_reflection_protobuf_c, msg, options,
                                     &slow) == status,
                 "the roads differ in their status");
    if (status == PBT_OK)
        FUZZ_REQUIRE(slow.len == out->len &&
                         (!out->len || !memcmp(slow.data, out->data, out->len)),
                     "the roads differ in their bytes");
    pbt_buffer_free(&slow);
    return status;
}

static void check_size(const ProtobufCMessage *msg, const pbt_options *options,
                       pbt_status want, size_t len) {
    size_t size = 0;
    FUZZ_REQUIRE(pbt_size(msg, options, &size) == want,
                 "size and marshal differ in their status");
    FUZZ_REQUIRE(want != PBT_OK || size == len, "the size is wrong");
}

static void check_fixed_output(const ProtobufCMessage *msg,
                               const pbt_options *options,
                               const pbt_buffer *want) {
    uint8_t *out = malloc(want->len + 1);
    size_t len = 0;
    if (!out)
        return;
    FUZZ_REQUIRE(pbt_marshal_into(msg, options, out, want->len, &len) ==
                         PBT_OK &&
                     len == want->len,
                 "does not fit where it must");
    FUZZ_REQUIRE(!len || !memcmp(out, want->data, len),
                 "fixed output has other bytes");
    if (len)
        FUZZ_REQUIRE(pbt_marshal_into(msg, options, out, want->len - 1, &len) ==
                             PBT_ERR_NO_SPACE &&
                         len == want->len,
                     "fits where it cannot");
    free(out);
}

/* Missing required messages are written empty, and then lack what is required
 * of them: only a complete message comes back as it was. */
static void check_round_trip(const ProtobufCMessage *msg,
                             const pbt_options *options,
                             const pbt_buffer *want) {
    pbt_options reading = {.flags = PBT_ALLOW_PARTIAL,
                           .max_depth = options->max_depth};
    pbt_arena *arena = pbt_arena_new(NULL, 0);
    ProtobufCMessage *again = NULL;
    pbt_buffer bytes = {0};
    if (!arena)
        return;
    if (pbt_check_required(msg, options) == PBT_OK) {
        FUZZ_REQUIRE(pbt_unmarshal(msg->descriptor, want->data, want->len,
                                   &reading, arena, &again) == PBT_OK,
                     "what was marshalled is not understood");
        FUZZ_REQUIRE(
            pbt_marshal(again, options, &bytes) == PBT_OK &&
                bytes.len == want->len &&
                (!bytes.len || !memcmp(bytes.data, want->data, bytes.len)),
            "not the same after a round trip");
        pbt_buffer_free(&bytes);
    }
    pbt_arena_free(arena);
}

void fuzz_check_marshal(const ProtobufCMessage *msg, uint32_t flags) {
    pbt_error error;
    pbt_options options = {.flags = flags, .error = &error};
    pbt_buffer bytes = {0};
    pbt_status status = marshal_both(msg, &options, &bytes);
    check_size(msg, &options, status, bytes.len);
    FUZZ_REQUIRE(status == PBT_OK || status == PBT_ERR_REQUIRED ||
                     status == PBT_ERR_UTF8,
                 "an unmarshalled message cannot be marshalled");
    if (status == PBT_OK) {
        check_fixed_output(msg, &options, &bytes);
        if (!(flags & PBT_DELIMITED))
            check_round_trip(msg, &options, &bytes);
    }
    pbt_buffer_free(&bytes);
}
