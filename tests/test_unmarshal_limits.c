/* test_unmarshal_limits.c - unmarshal at its limits: input cut off at every
 * byte before a page that cannot be read, nesting, memory that runs out. */
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cases2.pb-c.h"
#include "suites.h"
#include "support_bytes.h"
#include "support_expect.h"
#include "support_memory.h"
#include "support_message.h"
#include "support_same.h"

enum {
    N_SEEDS = 40,
    LARGEST = 3000,
    VERY_DEEP = 100000,
    SMALL_STACK = 128 * 1024
};

/* Memory that ends at a page that cannot be read. */
typedef struct guarded {
    uint8_t *start;
    size_t page, size;
} guarded;

static guarded guarded_new(size_t size) {
    guarded g = {.page = (size_t) sysconf(_SC_PAGESIZE)};
    g.size = (size + g.page - 1) / g.page * g.page;
    g.start = mmap(NULL, g.size + g.page, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(g.start, MAP_FAILED);
    ck_assert_int_eq(mprotect(g.start + g.size, g.page, PROT_NONE), 0);
    return g;
}

static const uint8_t *guarded_copy(guarded *g, const uint8_t *bytes,
                                   size_t len) {
    uint8_t *copy = g->start + g->size - len;
    memcpy(copy, bytes, len);
    return copy;
}

static void guarded_free(guarded *g) {
    munmap(g->start, g->size + g->page);
}

/* A cut message is refused, unless the cut falls between two fields; then it
 * is what protobuf-c makes of it. */
static void cut_everywhere(guarded *g, const ProtobufCMessageDescriptor *type,
                           const pbt_buffer *bytes, pbt_arena *pieces) {
    size_t len;
    pbt_options options = {.flags = PBT_ALLOW_PARTIAL};
    for (len = 0; len <= bytes->len; len++) {
        const uint8_t *in = guarded_copy(g, bytes->data, len);
        ProtobufCMessage *want, *got;
        pbt_status status =
            pbt_unmarshal(type, in, len, &options, pieces, &got);
        if (status != PBT_OK)
            expect_status("cut", status, PBT_ERR_MALFORMED);
        want = protobuf_c_message_unpack(type, NULL, len, in);
        if (want) {
            expect_status("not cut", status, PBT_OK);
            expect_same_message("cut", got, want);
            protobuf_c_message_free_unpacked(want, NULL);
        }
        pbt_arena_reset(pieces);
    }
}

START_TEST(cut_at_every_byte) {
    arena a = {0};
    rng r = {30000 + (uint64_t) _i};
    const schema_params params = {.n_types = 3,
                                  .max_fields = 12,
                                  .syntax = (schema_syntax) (_i % 2),
                                  .no_required = true};
    const message_params m = {.depth = 3, .budget = 30};
    const pbt_options options = {.flags = PBT_DISCARD_UNKNOWN};
    guarded g = guarded_new(LARGEST);
    pbt_arena *pieces = pbt_arena_new(NULL, 0);
    pbt_buffer bytes = {0};
    schema s;
    size_t i;
    schema_random(&s, &a, &r, &params);
    for (i = 0; i < params.n_types; i++) {
        ProtobufCMessage *message = message_random(&a, &r, &m, s.types[i]);
        expect_context("seed %d, type %zu", _i, i);
        expect_status("marshal", pbt_marshal(message, &options, &bytes),
                      PBT_OK);
        if (bytes.len <= LARGEST)
            cut_everywhere(&g, s.types[i], &bytes, pieces);
    }
    for (i = 0; i < s.n_types; i++)
        pbt_forget(s.types[i]);
    pbt_buffer_free(&bytes);
    pbt_arena_free(pieces);
    guarded_free(&g);
    arena_free(&a);
}
END_TEST

/* Every malformed-looking end, right before the page. */
START_TEST(nothing_is_read_past_the_end) {
    static const char *const ends[] = {
        "0a",      "0a 80",    "32 80",    "32 01 80", "28 80",
        "28 ff*9", "3d 00",    "0a 02 61", "1a 02 0a", "8a 80",
        "fb",      "3a 04 00", "12 7f 00", "1a 80"};
    guarded g = guarded_new(LARGEST);
    pbt_arena *pieces = pbt_arena_new(NULL, 0);
    size_t i, before;
    for (i = 0; i < sizeof ends / sizeof *ends; i++)
        for (before = 0; before < 100; before += 2) {
            arena a = {0};
            packed end = bytes_of(&a, ends[i]);
            uint8_t *in = arena_alloc(&a, before + end.len);
            size_t k;
            ProtobufCMessage *message;
            expect_context("%s behind %zu bytes", ends[i], before);
            for (k = 0; k < before; k += 2) {
                in[k] = 0x28;
                in[k + 1] = 1;
            }
            memcpy(in + before, end.bytes, end.len);
            expect_status("cut",
                          pbt_unmarshal(&c2__rep__descriptor,
                                        guarded_copy(&g, in, before + end.len),
                                        before + end.len, NULL, pieces,
                                        &message),
                          PBT_ERR_MALFORMED);
            arena_free(&a);
            pbt_arena_reset(pieces);
        }
    pbt_arena_free(pieces);
    guarded_free(&g);
}
END_TEST

/* Node in node, depth levels below the first; written from the end. */
static packed chain(arena *a, uint32_t depth) {
    size_t capacity = ((size_t) depth + 1) * 8, n = 0;
    uint8_t *end = (uint8_t *) arena_alloc(a, capacity) + capacity;
    uint32_t i;
    for (i = 0; i < depth; i++) {
        uint8_t bytes[10];
        size_t k = 0, len = n;
        for (; len >= 0x80; len >>= 7)
            bytes[k++] = (uint8_t) (len | 0x80);
        bytes[k++] = (uint8_t) len;
        n += k;
        memcpy(end - n, bytes, k);
        n++;
        end[-(ptrdiff_t) n] = 0x0a;
    }
    return (packed){end - n, n};
}

/* Groups in groups, which are unknown to Node. */
static packed groups(arena *a, uint32_t depth) {
    uint8_t *bytes = arena_alloc(a, 2 * (size_t) depth);
    memset(bytes, 0x3b, depth);
    memset(bytes + depth, 0x3c, depth);
    return (packed){bytes, 2 * (size_t) depth};
}

static void expect_depth(packed in, uint32_t depth, const char *path) {
    static const uint32_t allowances[] = {0, 1};
    pbt_arena *pieces = pbt_arena_new(NULL, 0);
    size_t i;
    for (i = 0; i < 2; i++) {
        pbt_error error = {0};
        pbt_options options = {.max_depth = depth - 1 + allowances[i],
                               .error = &error};
        ProtobufCMessage *message;
        if (options.max_depth == 0)
            continue;
        expect_context("depth %u, limit %u", (unsigned) depth,
                       (unsigned) options.max_depth);
        expect_status("chain",
                      pbt_unmarshal(&c2__node__descriptor, in.bytes, in.len,
                                    &options, pieces, &message),
                      allowances[i] ? PBT_OK : PBT_ERR_DEPTH);
        if (!allowances[i])
            expect_true("path", strncmp(error.path, path, strlen(path)) == 0);
    }
    pbt_arena_free(pieces);
}

START_TEST(the_limit_on_depth_is_exact) {
    static const uint32_t depths[] = {1, 2, 3, 15, 16, 17, 33, 1000, 10001};
    size_t i;
    for (i = 0; i < sizeof depths / sizeof *depths; i++) {
        arena a = {0};
        expect_depth(chain(&a, depths[i]), depths[i], "n");
        expect_depth(groups(&a, depths[i]), depths[i], "");
        arena_free(&a);
    }
}
END_TEST

static void *unmarshal_deep(void *argument) {
    const packed *in = argument;
    pbt_arena *pieces = pbt_arena_new(NULL, 0);
    pbt_options options = {.max_depth = VERY_DEEP};
    ProtobufCMessage *message;
    pbt_status status = pbt_unmarshal(&c2__node__descriptor, in->bytes, in->len,
                                      &options, pieces, &message);
    pbt_arena_free(pieces);
    return status == PBT_OK ? NULL : argument;
}

START_TEST(depth_takes_no_stack) {
    arena a = {0};
    packed inputs[2];
    pthread_attr_t attributes;
    int i;
    inputs[0] = chain(&a, VERY_DEEP);
    inputs[1] = groups(&a, VERY_DEEP);
    ck_assert_int_eq(pthread_attr_init(&attributes), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, SMALL_STACK), 0);
    for (i = 0; i < 2; i++) {
        pthread_t thread;
        void *failed;
        ck_assert_int_eq(
            pthread_create(&thread, &attributes, unmarshal_deep, &inputs[i]),
            0);
        ck_assert_int_eq(pthread_join(thread, &failed), 0);
        ck_assert_ptr_eq(failed, NULL);
    }
    pthread_attr_destroy(&attributes);
    arena_free(&a);
}
END_TEST

/* A missing field at the bottom of a deep message is found and told. */
START_TEST(missing_far_below) {
    arena a = {0};
    pbt_arena *pieces = pbt_arena_new(NULL, 0);
    pbt_error error = {0};
    pbt_options options = {.error = &error};
    ProtobufCMessage *message;
    packed in = bytes_of(&a, "0a 0e 0a 0c 0a 0a 0a 08 0a 06 0a 04 0a 02 12 00");
    expect_context("missing far below");
    expect_status("missing",
                  pbt_unmarshal(&c2__tree__descriptor, in.bytes, in.len,
                                &options, pieces, &message),
                  PBT_ERR_REQUIRED);
    expect_text("path", error.path,
                "children[0].children[0].children[0].children[0].children[0]."
                "children[0].children[0].leaf.label");
    expect_number("field", error.field_number, 2);
    pbt_arena_free(pieces);
    arena_free(&a);
}
END_TEST

/* All of the arena's allocations fail from the n-th on. */
static bool succeeds_without(long n, packed in) {
    meter blocks;
    pbt_arena *pieces;
    pbt_error error = {0};
    pbt_options options = {.error = &error};
    ProtobufCMessage *message = (ProtobufCMessage *) (void *) &error;
    pbt_status status;
    meter_init(&blocks);
    pieces = pbt_arena_new(&blocks.allocator, 40);
    blocks.fail_at = blocks.n_calls + n;
    blocks.fail_after = 1;
    status = pbt_unmarshal(&c2__rep__descriptor, in.bytes, in.len, &options,
                           pieces, &message);
    if (status != PBT_OK) {
        expect_status("no memory", status, PBT_ERR_NO_MEMORY);
        expect_status("report", error.status, PBT_ERR_NO_MEMORY);
        expect_true("no message", message == NULL);
    }
    pbt_arena_free(pieces);
    expect_number("live blocks", (uint64_t) blocks.n_live, 0);
    return status == PBT_OK;
}

static packed input_of_many_pieces(arena *a) {
    packed in;
    size_t i, n = 0, capacity = 100000;
    uint8_t *bytes = arena_alloc(a, capacity);
    for (i = 0; i < 2500; i++) {
        /* strings, bytes, messages, numbers, unknown fields */
        const uint8_t fields[] = {0x0a, 3,    'a',  'b',  'c',  0x12, 2,
                                  'x',  'y',  0x1a, 3,    0x0a, 1,    'n',
                                  0x28, 5,    0x32, 3,    1,    2,    3,
                                  0x98, 0x06, 1,    0x7b, 0x7b, 0x7c, 0x7c};
        memcpy(bytes + n, fields, sizeof fields);
        n += sizeof fields;
    }
    in.bytes = bytes;
    in.len = n;
    return in;
}

START_TEST(memory_that_runs_out) {
    arena a = {0};
    packed in = input_of_many_pieces(&a);
    long n;
    expect_context("arena");
    for (n = 0; !succeeds_without(n, in); n++)
        ;
    expect_true("several allocations failed", n > 5);
    arena_free(&a);
}
END_TEST

START_TEST(frames_that_cannot_be_had) {
    arena a = {0};
    packed in = chain(&a, 4000);
    pbt_arena *pieces = pbt_arena_new(NULL, 0);
    long n;
    for (n = 0;; n++) {
        meter scratch;
        pbt_options options = {0};
        ProtobufCMessage *message;
        pbt_status status;
        meter_init(&scratch);
        scratch.fail_at = n;
        options.allocator = &scratch.allocator;
        expect_context("allocation %ld", n);
        status = pbt_unmarshal(&c2__node__descriptor, in.bytes, in.len,
                               &options, pieces, &message);
        expect_number("live scratch", (uint64_t) scratch.n_live, 0);
        if (status == PBT_OK)
            break;
        expect_status("no memory", status, PBT_ERR_NO_MEMORY);
    }
    expect_true("several allocations failed", n > 2);
    pbt_arena_free(pieces);
    arena_free(&a);
}
END_TEST

START_TEST(tables_that_cannot_be_had) {
    const uint8_t in[] = {0x10, 5};
    pbt_arena *pieces = pbt_arena_new(NULL, 1000);
    long n;
    pbt_status status = PBT_ERR_NO_MEMORY;
    for (n = 0; status != PBT_OK; n++) {
        pbt_error error = {0};
        pbt_options options = {.error = &error};
        ProtobufCMessage *message;
        pbt_forget(&c2__node__descriptor);
        malloc_fail_at(n);
        status = pbt_unmarshal(&c2__node__descriptor, in, sizeof in, &options,
                               pieces, &message);
        malloc_fail_at(-1);
        expect_context("allocation %ld", n);
        if (status != PBT_OK) {
            expect_status("no table", status, PBT_ERR_NO_MEMORY);
            expect_status("report", error.status, PBT_ERR_NO_MEMORY);
        }
    }
    expect_true("some failed", n > 1);
    pbt_arena_free(pieces);
}
END_TEST

Suite *unmarshal_limits_suite(void) {
    Suite *suite = suite_create("unmarshal_limits");
    TCase *tc = tcase_create("unmarshal_limits");
    suite_add_tcase(suite, tc);
    tcase_set_timeout(tc, 300);
    tcase_add_loop_test(tc, cut_at_every_byte, 0, N_SEEDS);
    tcase_add_test(tc, nothing_is_read_past_the_end);
    tcase_add_test(tc, the_limit_on_depth_is_exact);
    tcase_add_test(tc, depth_takes_no_stack);
    tcase_add_test(tc, missing_far_below);
    tcase_add_test(tc, memory_that_runs_out);
    tcase_add_test(tc, frames_that_cannot_be_had);
    tcase_add_test(tc, tables_that_cannot_be_had);
    return suite;
}
