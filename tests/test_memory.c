/* test_memory.c - every allocation fails in turn, until a call needs no more
 * of them: no leak, no lost content, no other status, and where the reflection
 * road can do without memory, no failure at all. */
#include <stdlib.h>
#include <string.h>

#include "cases2.pb-c.h"
#include "cases3.pb-c.h"
#include "suites.h"
#include "support_expect.h"
#include "support_memory.h"
#include "support_message.h"
#include "support_output.h"

enum { DEPTH = 40, N_ENTRIES = 50, LARGE = 5000 };

static const uint8_t former[] = {0x0a, 0x02, 'h', 'i'};

/* An error report that no call has written. */
static pbt_error blank_error(void) {
    return (pbt_error){.field_number = 77, .path = "blank"};
}

/* A report is written by a call that fails, and by no other: not by one that
 * went on by the other road. */
static void expect_report(const pbt_error *error, pbt_status status) {
    expect_status("report", error->status, status);
    expect_number("field number", error->field_number,
                  status == PBT_OK ? 77 : 0);
    expect_text("path", error->path, status == PBT_OK ? "blank" : "");
}

/* A call under test: with all that it needs made anew on each try. */
typedef struct trial {
    const ProtobufCMessage *message;
    pbt_options options;
    pbt_buffer buffer;
    packed want;
    arena arena;
} trial;

typedef pbt_status operation(trial *t);

static void expect_content(const trial *t, pbt_status status) {
    if (status == PBT_OK)
        expect_bytes("content", t->buffer.data, t->buffer.len, t->want.bytes,
                     t->want.len);
    else
        expect_number("content", t->buffer.len, 0);
}

static pbt_status try_marshal(trial *t) {
    pbt_status status = pbt_marshal(t->message, &t->options, &t->buffer);
    expect_content(t, status);
    return status;
}

static pbt_status try_append(trial *t) {
    pbt_status status = pbt_marshal_append(t->message, &t->options, &t->buffer);
    expect_bytes("former content", t->buffer.data, sizeof former, former,
                 sizeof former);
    if (status == PBT_OK)
        expect_bytes("appended", t->buffer.data + sizeof former,
                     t->buffer.len - sizeof former, t->want.bytes, t->want.len);
    else
        expect_number("length", t->buffer.len, sizeof former);
    return status;
}

static pbt_status try_into(trial *t) {
    uint8_t *out = arena_alloc(&t->arena, t->want.len);
    size_t len;
    pbt_status status =
        pbt_marshal_into(t->message, &t->options, out, t->want.len, &len);
    expect_status("into needs no memory", status, PBT_OK);
    expect_bytes("into", out, len, t->want.bytes, t->want.len);
    return status;
}

static pbt_status try_size(trial *t) {
    size_t size;
    pbt_status status = pbt_size(t->message, &t->options, &size);
    expect_status("size needs no memory", status, PBT_OK);
    expect_number("size", size, t->want.len);
    return status;
}

static pbt_status try_check(trial *t) {
    pbt_status status = pbt_check_required(t->message, &t->options);
    expect_status("the check needs no memory", status, PBT_OK);
    status = pbt_validate(t->message, &t->options);
    expect_status("validate needs no memory", status, PBT_OK);
    return status;
}

static pbt_status try_sink(trial *t) {
    collector sink;
    pbt_status status;
    collector_init(&sink, &t->arena, t->want.len);
    status = pbt_marshal_to_sink(t->message, &t->options, &sink.sink);
    if (status == PBT_OK)
        expect_bytes("sink", sink.bytes, sink.len, t->want.bytes, t->want.len);
    else
        expect_number("pieces", sink.n_pieces, 0);
    return status;
}

static pbt_status try_iovec(trial *t) {
    struct iovec *vec;
    size_t n, i, at = 0;
    pbt_status status =
        pbt_marshal_iovec(t->message, &t->options, &t->buffer, &vec, &n);
    if (status != PBT_OK) {
        expect_true("no vector", vec == NULL && n == 0);
        return status;
    }
    for (i = 0; i < n; at += vec[i++].iov_len)
        expect_bytes("piece", vec[i].iov_base, vec[i].iov_len,
                     t->want.bytes + at, vec[i].iov_len);
    expect_number("length", at, t->want.len);
    return status;
}

static operation *const operations[] = {try_marshal, try_append, try_into,
                                        try_size,    try_check,  try_sink,
                                        try_iovec};
enum { N_OPERATIONS = sizeof operations / sizeof *operations };

static pbt_status try_once(const ProtobufCMessage *message, uint32_t flags,
                           operation *run, meter *m, packed want) {
    C2__S1 s1 = C2__S1__INIT;
    char hi[] = "hi";
    trial t = {.message = message, .want = want};
    pbt_error error = blank_error();
    long fail_at = m->fail_at;
    pbt_status status;
    s1.a = hi;
    t.options.allocator = &m->allocator;
    m->fail_at = -1;
    expect_status("former content",
                  pbt_marshal(&s1.base, &t.options, &t.buffer), PBT_OK);
    t.options.flags = flags;
    t.options.error = &error;
    m->fail_at = fail_at;
    m->n_calls = 0;
    status = run(&t);
    expect_true("OK or NO_MEMORY",
                status == PBT_OK || status == PBT_ERR_NO_MEMORY);
    expect_report(&error, status);
    pbt_buffer_free(&t.buffer);
    arena_free(&t.arena);
    expect_number("live blocks", (uint64_t) m->n_live, 0);
    return status;
}

/* Returns the number of allocations that were made to fail. */
static long fail_each(const ProtobufCMessage *message, uint32_t flags,
                      operation *run, int fail_after) {
    pbt_options options = {.flags = flags};
    pbt_buffer buffer = {0};
    packed want;
    meter m;
    long k = 0;
    expect_status("without failures", pbt_marshal(message, &options, &buffer),
                  PBT_OK);
    want.bytes = buffer.data;
    want.len = buffer.len;
    meter_init(&m);
    m.fail_after = fail_after;
    do {
        m.fail_at = k;
        expect_context("flags %u, allocation %ld fails", (unsigned) flags, k);
        try_once(message, flags, run, &m, want);
        k++;
    } while (m.n_calls > m.fail_at);
    m.fail_at = -1;
    expect_status("without failures", try_once(message, flags, run, &m, want),
                  PBT_OK);
    pbt_buffer_free(&buffer);
    return k - 1;
}

static long fail_all_operations(const ProtobufCMessage *message,
                                uint32_t flags) {
    long failed = 0;
    size_t i;
    for (i = 0; i < N_OPERATIONS; i++) {
        failed += fail_each(message, flags, operations[i], 0);
        failed += fail_each(message, flags, operations[i], 1);
    }
    return failed;
}

START_TEST(deep_messages) {
    static C2__Node nodes[DEPTH];
    const C2__Node node = C2__NODE__INIT;
    int i;
    for (i = 0; i < DEPTH; i++) {
        nodes[i] = node;
        nodes[i].has_v = 1;
        nodes[i].n = i + 1 < DEPTH ? &nodes[i + 1] : NULL;
    }
    ck_assert_int_gt(fail_all_operations(&nodes[0].base, 0), 10);
}
END_TEST

START_TEST(deep_groups) {
    arena a = {0};
    schema_field field = {.number = 1,
                          .type = PROTOBUF_C_TYPE_MESSAGE,
                          .label = PROTOBUF_C_LABEL_REPEATED,
                          .is_group = true};
    ProtobufCMessageDescriptor *type;
    ProtobufCFieldDescriptor *self;
    ProtobufCMessage *message = NULL;
    int i;
    type = schema_make(&a, "test.Self", &field, 1);
    self = arena_copy(&a, type->fields, sizeof *self);
    self->descriptor = type;
    type->fields = self;
    for (i = 0; i < DEPTH; i++) {
        ProtobufCMessage *outer = message_empty(&a, type);
        ProtobufCMessage **list = arena_alloc(&a, 200 * sizeof *list);
        size_t n = 0;
        for (; message && n < (i == DEPTH - 1 ? 200 : 1); n++)
            list[n] = message;
        *(size_t *) message_member(outer, self->quantifier_offset) = n;
        *(ProtobufCMessage ***) message_member(outer, self->offset) = list;
        message = outer;
    }
    ck_assert_int_gt(fail_all_operations(message, 0), 10);
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

START_TEST(large_messages) {
    arena a = {0};
    rng r = {1};
    C2__Rep rep = C2__REP__INIT;
    char *texts[200];
    size_t i;
    for (i = 0; i < 200; i++)
        texts[i] = string_random(&a, &r, i % 50 == 3 ? LARGE : i, true);
    rep.n_s = 200;
    rep.s = texts;
    ck_assert_int_gt(fail_all_operations(&rep.base, 0), 10);
    fail_all_operations(&rep.base, PBT_DELIMITED | PBT_VALIDATE_UTF8);
    arena_free(&a);
}
END_TEST

/* Output that outgrows its blocks is put together in the last of them, not in
 * one more, whose memory would be new to the process again. */
START_TEST(the_last_block_takes_all_output) {
    enum { N = 3000, SLACK = 4096 };
    arena a = {0};
    rng r = {2};
    meter m;
    pbt_options options = {.allocator = &m.allocator};
    pbt_buffer buffer = {0};
    C2__Rep rep = C2__REP__INIT;
    char *texts[N];
    size_t n;
    meter_init(&m);
    for (n = 0; n < N; n++) {
        texts[n] = string_random(&a, &r, 100, true);
        rep.n_s = n + 1;
        rep.s = texts;
        if (n % 97 != 0)
            continue;
        expect_status("marshal", pbt_marshal(&rep.base, &options, &buffer),
                      PBT_OK);
        ck_assert_int_eq(m.n_live, 1);
        ck_assert_uint_eq(buffer.capacity, m.largest);
        ck_assert_uint_le(buffer.capacity, 2 * buffer.len + SLACK);
        ck_assert_ptr_eq(buffer.allocator, &m.allocator);
        ck_assert(buffer.data + buffer.len <= buffer.block + buffer.capacity);
        ck_assert(buffer.data > buffer.block);
        pbt_buffer_free(&buffer);
        meter_init(&m);
    }
    arena_free(&a);
}
END_TEST

/* No block of more than this many bytes is to be had. */
typedef struct bounded {
    ProtobufCAllocator allocator;
    size_t largest;
} bounded;

static void *bounded_alloc(void *data, size_t size) {
    const bounded *b = data;
    return size <= b->largest ? malloc(size) : NULL;
}

static void bounded_free(void *data, void *block) {
    (void) data;
    free(block);
}

static void expect_exact_need(const ProtobufCMessage *message) {
    bounded b = {{bounded_alloc, bounded_free, &b}, SIZE_MAX};
    trial t = {.message = message, .options = {.allocator = &b.allocator}};
    pbt_buffer buffer = {0};
    C2__S1 s1 = C2__S1__INIT;
    char hi[] = "hi";
    s1.a = hi;
    ck_assert_int_eq(pbt_marshal(message, NULL, &buffer), PBT_OK);
    t.want = (packed){buffer.data, buffer.len};
    b.largest = buffer.len - 1;
    expect_status("a byte less", try_marshal(&t), PBT_ERR_NO_MEMORY);
    b.largest = buffer.len;
    expect_status("exactly", try_marshal(&t), PBT_OK);
    pbt_buffer_free(&t.buffer);
    ck_assert_int_eq(pbt_marshal(&s1.base, &t.options, &t.buffer), PBT_OK);
    b.largest = sizeof former + buffer.len - 1;
    expect_status("a byte less to append", try_append(&t), PBT_ERR_NO_MEMORY);
    b.largest = sizeof former + buffer.len;
    expect_status("exactly to append", try_append(&t), PBT_OK);
    pbt_buffer_free(&t.buffer);
    pbt_buffer_free(&buffer);
}

/* Blocks with room to spare are asked for, but not insisted on. */
START_TEST(the_exact_need_is_enough) {
    enum { N = 2000, LEAST = 50 };
    arena a = {0};
    rng r = {3};
    C2__Rep rep = C2__REP__INIT;
    char *texts[N];
    size_t n;
    rep.s = texts;
    for (n = 0; n < N; n++) {
        texts[n] = string_random(&a, &r, 100, true);
        rep.n_s = n + 1;
        expect_context("%zu strings", n + 1);
        if (n >= LEAST && n % 61 == 0)
            expect_exact_need(&rep.base);
    }
    arena_free(&a);
}
END_TEST

/* Blocks grow with the bytes in them, not with those that are referred to. */
START_TEST(references_need_no_blocks) {
    enum { REFERENCED = 1 << 20, N_SMALL = 10, SMALL = 2000 };
    static operation *const referring[] = {try_sink, try_iovec};
    arena a = {0};
    rng r = {2};
    C2__Rep rep = C2__REP__INIT;
    char *texts[N_SMALL + 1];
    size_t i;
    for (i = 0; i < N_SMALL; i++)
        texts[i] = string_random(&a, &r, SMALL, true);
    texts[N_SMALL] = string_random(&a, &r, REFERENCED, true);
    rep.n_s = N_SMALL + 1;
    rep.s = texts;
    for (i = 0; i < sizeof referring / sizeof *referring; i++) {
        meter m;
        meter_init(&m);
        expect_context("operation %zu", i);
        expect_status("call",
                      try_once(&rep.base, 0, referring[i], &m,
                               packed_by_protobuf_c(&a, &rep.base)),
                      PBT_OK);
        ck_assert_uint_gt(m.largest, SMALL);
        ck_assert_uint_lt(m.largest, REFERENCED / 8);
    }
    arena_free(&a);
}
END_TEST

START_TEST(unsorted_maps) {
    static C3__Mp__ImEntry entries[N_ENTRIES];
    static C3__Mp__ImEntry *list[N_ENTRIES];
    const C3__Mp__ImEntry entry = C3__MP__IM_ENTRY__INIT;
    C3__Mp map = C3__MP__INIT;
    int i;
    for (i = 0; i < N_ENTRIES; i++) {
        entries[i] = entry;
        entries[i].key = i * 17 % 23;
        list[i] = &entries[i];
    }
    map.n_im = N_ENTRIES;
    map.im = list;
    ck_assert_int_gt(fail_all_operations(&map.base, PBT_DETERMINISTIC), 4);
}
END_TEST

START_TEST(random_messages) {
    arena a = {0};
    rng r = {11000000 + (uint64_t) _i};
    schema_params params = schema_random_params(&r);
    message_params m = {.depth = 20, .budget = 60, .complete = true};
    schema s;
    size_t i;
    params.no_required = true;
    schema_random(&s, &a, &r, &params);
    fail_all_operations(message_random(&a, &r, &m, s.types[0]),
                        PBT_DETERMINISTIC);
    for (i = 0; i < s.n_types; i++)
        pbt_forget(s.types[i]);
    arena_free(&a);
}
END_TEST

static void forget_tree(void) {
    pbt_forget(&c2__tree__descriptor);
    pbt_forget(&c2__leaf__descriptor);
    pbt_forget(&c2__node__descriptor);
    pbt_forget(&c2__sub__descriptor);
}

START_TEST(prepare_without_memory) {
    pbt_status status = PBT_ERR_NO_MEMORY;
    long k;
    forget_tree();
    for (k = 0; status != PBT_OK; k++) {
        pbt_error error = blank_error();
        long live = malloc_live();
        expect_context("malloc %ld fails", k);
        malloc_fail_at(k);
        status = pbt_prepare(&c2__tree__descriptor, &error);
        malloc_fail_at(-1);
        expect_report(&error, status);
        if (status == PBT_OK)
            break;
        expect_status("prepare", status, PBT_ERR_NO_MEMORY);
        expect_number("blocks", (uint64_t) malloc_live(), (uint64_t) live);
    }
    ck_assert_int_gt(k, 2);
    forget_tree();
}
END_TEST

/* Tables come from malloc, the buffer from the allocator of the options.
 * Whichever allocation of a table fails, the call goes on by reflection. */
START_TEST(marshal_without_memory_for_tables) {
    static const uint8_t want[] = {0x22, 0x02, 0x10, 0x05};
    C2__Tree tree = C2__TREE__INIT;
    C2__Node node = C2__NODE__INIT;
    pbt_options options = {0};
    long k, calls = 1;
    meter m;
    meter_init(&m);
    options.allocator = &m.allocator;
    node.has_v = 1;
    node.v = 5;
    tree.choice_case = C2__TREE__CHOICE_NODE;
    tree.node = &node;
    for (k = 0; calls > k - 1; k++) {
        pbt_buffer buffer = {0};
        pbt_error error = blank_error();
        options.error = &error;
        forget_tree();
        expect_context("malloc %ld fails", k);
        malloc_fail_at(k);
        expect_status("marshal", pbt_marshal(&tree.base, &options, &buffer),
                      PBT_OK);
        calls = malloc_calls();
        malloc_fail_at(-1);
        expect_report(&error, PBT_OK);
        expect_bytes("marshal", buffer.data, buffer.len, want, sizeof want);
        pbt_buffer_free(&buffer);
    }
    ck_assert_int_gt(k, 2);
    forget_tree();
}
END_TEST

/* The length before the message does not count against max_size, on this road
 * either. */
START_TEST(delimited_to_the_limit_without_memory_for_tables) {
    static operation *const appending[] = {try_marshal, try_append, try_iovec};
    static uint8_t want[] = {0x04, 0x22, 0x02, 0x10, 0x05};
    C2__S1 s1 = C2__S1__INIT;
    C2__Tree tree = C2__TREE__INIT;
    C2__Node node = C2__NODE__INIT;
    char hi[] = "hi";
    size_t i;
    s1.a = hi;
    node.has_v = 1;
    node.v = 5;
    tree.choice_case = C2__TREE__CHOICE_NODE;
    tree.node = &node;
    for (i = 0; i < sizeof appending / sizeof *appending; i++) {
        trial t = {.message = &tree.base, .want = {want, sizeof want}};
        pbt_status status;
        meter m;
        meter_init(&m);
        t.options.allocator = &m.allocator;
        expect_status("former content",
                      pbt_marshal(&s1.base, &t.options, &t.buffer), PBT_OK);
        t.options.flags = PBT_DELIMITED;
        t.options.max_size = sizeof want - 1;
        forget_tree();
        malloc_fail_at(0);
        status = appending[i](&t);
        ck_assert_int_gt(malloc_calls(), 0);
        malloc_fail_at(-1);
        expect_context("operation %zu", i);
        expect_status("to the limit", status, PBT_OK);
        pbt_buffer_free(&t.buffer);
    }
    forget_tree();
}
END_TEST

Suite *memory_suite(void) {
    Suite *suite = suite_create("memory");
    TCase *tests = tcase_create("memory");
    tcase_add_test(tests, deep_messages);
    tcase_add_test(tests, deep_groups);
    tcase_add_test(tests, large_messages);
    tcase_add_test(tests, the_last_block_takes_all_output);
    tcase_add_test(tests, the_exact_need_is_enough);
    tcase_add_test(tests, references_need_no_blocks);
    tcase_add_test(tests, unsorted_maps);
    tcase_add_loop_test(tests, random_messages, 0, 40);
    tcase_add_test(tests, prepare_without_memory);
    tcase_add_test(tests, marshal_without_memory_for_tables);
    tcase_add_test(tests, delimited_to_the_limit_without_memory_for_tables);
    suite_add_tcase(suite, tests);
    return suite;
}
