/* fuzz_unmarshal.c - target: any bytes, any flags, little memory. */
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"

void fuzz_seed(fuzz_bytes *out, rng *r) {
    fuzz_message_seed(out, r);
}

bool fuzz_read_case(fuzz_bytes *out, const char *line) {
    return fuzz_message_case(out, line);
}

/* Gives memory a number of times, and then no more. */
typedef struct meter {
    unsigned long left;
    long live;
} meter;

static void *meter_alloc(void *data, size_t size) {
    meter *m = data;
    void *p = m->left ? malloc(size) : NULL;
    if (p) {
        m->left--;
        m->live++;
    }
    return p;
}

static void meter_free(void *data, void *p) {
    meter *m = data;
    if (p)
        m->live--;
    free(p);
}

static pbt_status unmarshal(const fuzz_input *input, pbt_error *error,
                            const ProtobufCAllocator *allocator,
                            pbt_arena *arena, ProtobufCMessage **msg) {
    pbt_options options = {
        .flags = input->flags,
        .error = error,
        .allocator = allocator,
        .max_depth = input->variant & 0x80 ? 1u + (input->variant & 7u) : 0};
    return pbt_unmarshal(input->type, input->data, input->len, &options, arena,
                         msg);
}

static void check_error(const fuzz_input *input, pbt_status status,
                        const pbt_error *error) {
    bool is_partial = input->flags & PBT_ALLOW_PARTIAL;
    FUZZ_REQUIRE(error->status == status, "the error has another status");
    FUZZ_REQUIRE(error->message[0] != '\0', "the error has no message");
    FUZZ_REQUIRE(memchr(error->path, 0, sizeof error->path) &&
                     memchr(error->message, 0, sizeof error->message),
                 "the error's texts do not end");
    FUZZ_REQUIRE(status == PBT_ERR_MALFORMED || status == PBT_ERR_DEPTH ||
                     status == PBT_ERR_TOO_LARGE ||
                     (status == PBT_ERR_VALUE && (input->variant & 0x40)) ||
                     (status == PBT_ERR_REQUIRED && !is_partial) ||
                     (status == PBT_ERR_UTF8 &&
                      (input->flags & (PBT_VALIDATE_UTF8 | PBT_CONFORMANT))),
                 "not an error that bytes can cause");
}

/* Memory that fails at any point leaves an error, and leaks nothing. */
static void check_little_memory(const fuzz_input *input, pbt_status want) {
    meter m = {.left = input->variant & 0x3f};
    ProtobufCAllocator allocator = {meter_alloc, meter_free, &m};
    pbt_arena *arena = pbt_arena_new(&allocator, 0);
    ProtobufCMessage *msg;
    if (arena) {
        pbt_status status = unmarshal(input, NULL, &allocator, arena, &msg);
        FUZZ_REQUIRE(status == want || status == PBT_ERR_NO_MEMORY,
                     "without memory there is another error");
    }
    pbt_arena_free(arena);
    FUZZ_REQUIRE(m.live == 0, "memory is left over");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    pbt_error error = {0};
    pbt_arena *arena;
    ProtobufCMessage *msg = NULL;
    fuzz_input input;
    pbt_status status;
    if (!fuzz_parse_input(&input, data, len))
        return 0;
    arena = pbt_arena_new(NULL, input.variant & 1 ? 1 << 14 : 0);
    if (!arena)
        return 0;
    status = unmarshal(&input, &error, NULL, arena, &msg);
    if (status == PBT_OK) {
        FUZZ_REQUIRE(pbt_validate(msg, NULL) == PBT_OK ||
                         pbt_check_required(msg, NULL) == PBT_ERR_REQUIRED,
                     "the message is not valid");
        FUZZ_REQUIRE((input.flags & PBT_ALLOW_PARTIAL) ||
                         pbt_check_required(msg, NULL) == PBT_OK,
                     "the message is not complete");
    } else {
        check_error(&input, status, &error);
    }
    check_little_memory(&input, status);
    pbt_arena_reset(arena);
    FUZZ_REQUIRE(unmarshal(&input, NULL, NULL, arena, &msg) == status,
                 "another status the second time");
    pbt_arena_free(arena);
    return 0;
}
