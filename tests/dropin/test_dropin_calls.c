/* test_dropin_calls.c - calls from within calls, from many threads, after fork
 * and on little stack; and how often a message is looked at. */
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases2.pb-c.h"
#include "dropin_same.h"
#include "suites.h"
#include "support_expect.h"
#include "support_message.h"
#include "support_output.h"
#include "wire_trace.h"

/* The sanitizers want more than the least. */
#if PBTI_ASAN || !defined(__OPTIMIZE__)
#define STACK_SIZE ((size_t) 1 << 20)
#else
#define STACK_SIZE ((size_t) PTHREAD_STACK_MIN)
#endif

enum { N_THREADS = 6, N_FORKS = 10, N_REPEATS = 200, N_CHILD_SECONDS = 20 };

/* A buffer whose append packs another message, and the same one again. */
typedef struct nested_buffer {
    ProtobufCBuffer base;
    const ProtobufCMessage *outer, *inner;
    const packed *want_outer, *want_inner;
    uint8_t *scratch;
    dropin_buffer to;
    unsigned level, n_calls;
} nested_buffer;

static void append_nested(ProtobufCBuffer *base, size_t len,
                          const uint8_t *data) {
    nested_buffer *b = (nested_buffer *) base;
    b->n_calls++;
    b->to.base.append(&b->to.base, len, data);
    expect_number("size", dropin_size(b->outer), b->want_outer->len);
    expect_bytes("pack", b->scratch, dropin_pack(b->inner, b->scratch),
                 b->want_inner->bytes, b->want_inner->len);
    if (b->level < 1) {
        arena a = {0};
        nested_buffer below = *b;
        below.level++;
        dropin_buffer_init(&below.to, &a, b->want_outer->len);
        dropin_pack_to_buffer(b->outer, &below.base);
        expect_bytes("from within", below.to.bytes, below.to.len,
                     b->want_outer->bytes, b->want_outer->len);
        arena_free(&a);
    }
}

START_TEST(append_may_call_back) {
    arena a = {0};
    C2__Rep rep = C2__REP__INIT;
    C2__Node node = C2__NODE__INIT, below = C2__NODE__INIT;
    ProtobufCBinaryData blobs[2];
    nested_buffer b = {.base = {append_nested}};
    packed outer, inner;
    size_t i;
    for (i = 0; i < 2; i++)
        blobs[i] = (ProtobufCBinaryData){5000, arena_alloc(&a, 5000)};
    rep.n_b = 2;
    rep.b = blobs;
    rep.n_i = 3000;
    rep.i = arena_alloc(&a, rep.n_i * sizeof *rep.i);
    node.n = &below;
    below.has_v = 1;
    outer = packed_by_protobuf_c(&a, &rep.base);
    inner = packed_by_protobuf_c(&a, &node.base);
    b.outer = &rep.base;
    b.inner = &node.base;
    b.want_outer = &outer;
    b.want_inner = &inner;
    b.scratch = arena_alloc(&a, inner.len);
    for (i = 0; i < DROPIN_N_MODES; i++) {
        dropin_use((dropin_mode) i);
        dropin_buffer_init(&b.to, &a, outer.len);
        b.n_calls = 0;
        expect_number("pack_to_buffer",
                      dropin_pack_to_buffer(&rep.base, &b.base), outer.len);
        expect_bytes("around", b.to.bytes, b.to.len, outer.bytes, outer.len);
        ck_assert_uint_gt(b.n_calls, 2);
    }
    dropin_use(DROPIN_TABLES);
    arena_free(&a);
}
END_TEST

static unsigned long rows_sized(void) {
    unsigned long sum = 0;
    size_t i;
    for (i = 0; i < PBTI_N_OPS; i++)
        sum += atomic_load(&pbti_trace_counts.size_ops[i]);
    return sum;
}

static unsigned long rows_marshalled(void) {
    unsigned long sum = 0;
    size_t i;
    for (i = 0; i < PBTI_N_OPS; i++)
        sum += atomic_load(&pbti_trace_counts.marshal_ops[i]);
    return sum;
}

static C2__Node *make_chain(arena *a, size_t depth) {
    C2__Node *nodes = arena_alloc(a, depth * sizeof *nodes);
    size_t i;
    for (i = 0; i < depth; i++) {
        c2__node__init(&nodes[i]);
        nodes[i].n = i + 1 < depth ? &nodes[i + 1] : NULL;
    }
    return nodes;
}

/* The original looks at each message once in size and in pack, and once a
 * level in pack_to_buffer. Two rows of each message run, its field and its
 * end; one of the last. */
START_TEST(each_message_is_looked_at_once) {
    arena a = {0};
    size_t depth;
    dropin_use(DROPIN_TABLES);
    for (depth = 1; depth <= 1000; depth *= 10) {
        C2__Node *chain = make_chain(&a, depth);
        dropin_buffer buffer;
        packed want = packed_by_protobuf_c(&a, &chain->base);
        unsigned long sized = rows_sized(), written = rows_marshalled();
        expect_context("depth %zu", depth);
        expect_number("size", dropin_size(&chain->base), want.len);
        expect_number("rows of size", rows_sized() - sized, 2 * depth - 1);
        expect_number("rows of pack before", rows_marshalled() - written, 0);
        dropin_buffer_init(&buffer, &a, want.len);
        dropin_pack_to_buffer(&chain->base, &buffer.base);
        expect_number("rows of pack_to_buffer", rows_marshalled() - written,
                      2 * depth - 1);
        expect_number("rows of size", rows_sized() - sized, 2 * depth - 1);
        ck_assert_uint_le(buffer.n_calls, 1 + want.len / 2048);
    }
    arena_free(&a);
}
END_TEST

/* A message that grows, as a caller grows it who asks for its size after each
 * value: each time one look at each of its parts, as by the original. */
START_TEST(a_growing_message_is_looked_at_once_a_call) {
    arena a = {0};
    C2__Rep rep = C2__REP__INIT;
    size_t n, n_max = 300;
    char text[] = "name";
    rep.m = arena_alloc(&a, n_max * sizeof *rep.m);
    dropin_use(DROPIN_TABLES);
    for (n = 1; n <= n_max; n++) {
        unsigned long before;
        C2__Sub *sub = arena_alloc(&a, sizeof *sub);
        c2__sub__init(sub);
        sub->name = text;
        rep.m[n - 1] = sub;
        rep.n_m = n;
        before = rows_sized();
        expect_number("size", dropin_size(&rep.base),
                      protobuf_c_message_get_packed_size(&rep.base));
        expect_number("rows", rows_sized() - before, 2 * n + 2);
    }
    arena_free(&a);
}
END_TEST

/* What the threads share: types that are met for the first time. */
typedef struct crowd {
    pthread_barrier_t start;
    schema types;
    ProtobufCMessage *message;
    packed want;
    atomic_bool stop;
    atomic_int n_wrong;
} crowd;

static bool packs_right(const crowd *c, uint8_t *out) {
    return dropin_size(c->message) == c->want.len &&
           dropin_pack(c->message, out) == c->want.len &&
           (c->want.len == 0 || memcmp(out, c->want.bytes, c->want.len) == 0);
}

static void *pack_often(void *argument) {
    crowd *c = argument;
    uint8_t *out = malloc(c->want.len + 1);
    int i;
    pthread_barrier_wait(&c->start);
    for (i = 0; out && i < N_REPEATS; i++)
        if (!packs_right(c, out))
            atomic_fetch_add(&c->n_wrong, 1);
    free(out);
    return NULL;
}

static void make_crowd(crowd *c, arena *a, uint64_t seed) {
    rng r = {seed};
    schema_params params = schema_random_params(&r);
    message_params m = {.depth = 4, .budget = 200, .complete = true};
    memset(c, 0, sizeof *c);
    params.groups = 0;
    schema_random(&c->types, a, &r, &params);
    c->message = message_random(a, &r, &m, c->types.types[0]);
    c->want = packed_by_protobuf_c(a, c->message);
    dropin_use(DROPIN_TABLES);
}

static void forget_crowd(crowd *c) {
    size_t i;
    for (i = 0; i < c->types.n_types; i++)
        pbt_forget(c->types.types[i]);
}

START_TEST(many_threads_meet_a_type_at_once) {
    arena a = {0};
    crowd c;
    pthread_t threads[N_THREADS];
    size_t i;
    make_crowd(&c, &a, (uint64_t) _i);
    pthread_barrier_init(&c.start, NULL, N_THREADS);
    for (i = 0; i < N_THREADS; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, pack_often, &c), 0);
    for (i = 0; i < N_THREADS; i++)
        pthread_join(threads[i], NULL);
    ck_assert_int_eq(atomic_load(&c.n_wrong), 0);
    forget_crowd(&c);
    pthread_barrier_destroy(&c.start);
    arena_free(&a);
}
END_TEST

/* Keeps the registry busy: builds a table and forgets it. */
static void *build_often(void *argument) {
    crowd *c = argument;
    while (!atomic_load(&c->stop)) {
        (void) dropin_size(c->message);
        forget_crowd(c);
        sched_yield(); /* or fork would not get the lock */
    }
    return NULL;
}

static int run_child(crowd *c, arena *a) {
    uint8_t *out = arena_alloc(a, c->want.len + 1);
    int i;
    alarm(N_CHILD_SECONDS); /* what hangs is ended */
    dropin_use(DROPIN_TABLES);
    for (i = 0; i < 2; i++) /* with the build, and with the table */
        if (!packs_right(c, out))
            return 1;
    return 0;
}

START_TEST(a_child_of_a_busy_parent_packs) {
    arena a = {0}, b = {0};
    crowd busy, own;
    pthread_t thread;
    int i, status;
    make_crowd(&busy, &a, 1);
    make_crowd(&own, &b, 2);
    ck_assert_int_eq(pthread_create(&thread, NULL, build_often, &busy), 0);
    for (i = 0; i < N_FORKS; i++) {
        pid_t child = fork();
        ck_assert_int_ge(child, 0);
        if (child == 0)
            _exit(run_child(&own, &b));
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert_int_eq(status, 0);
    }
    atomic_store(&busy.stop, true);
    pthread_join(thread, NULL);
    forget_crowd(&own);
    arena_free(&a);
    arena_free(&b);
}
END_TEST

static void *pack_once(void *argument) {
    crowd *c = argument;
    static uint8_t out[1 << 20];
    if (c->want.len > sizeof out || !packs_right(c, out))
        atomic_fetch_add(&c->n_wrong, 1);
    return NULL;
}

START_TEST(the_smallest_stack_is_enough) {
    arena a = {0};
    crowd c;
    pthread_t thread;
    pthread_attr_t attributes;
    make_crowd(&c, &a, 3);
    pthread_attr_init(&attributes);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, STACK_SIZE), 0);
    ck_assert_int_eq(pthread_create(&thread, &attributes, pack_once, &c), 0);
    pthread_join(thread, NULL);
    ck_assert_int_eq(atomic_load(&c.n_wrong), 0);
    pthread_attr_destroy(&attributes);
    forget_crowd(&c);
    arena_free(&a);
}
END_TEST

/* As the original's assertion does. */
START_TEST(what_is_no_message_ends_the_program) {
    int status, mode;
    for (mode = 0; mode < DROPIN_N_MODES; mode++) {
        pid_t child = fork();
        if (child == 0) {
            ProtobufCMessage bad = {0};
            dropin_use((dropin_mode) mode);
            close(STDERR_FILENO);
            (void) dropin_size(&bad);
            _exit(0);
        }
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
    }
}
END_TEST

Suite *dropin_calls_suite(void) {
    Suite *suite = suite_create("dropin_calls");
    TCase *tests = tcase_create("dropin_calls");
    tcase_add_test(tests, append_may_call_back);
    tcase_add_test(tests, each_message_is_looked_at_once);
    tcase_add_test(tests, a_growing_message_is_looked_at_once_a_call);
    tcase_add_loop_test(tests, many_threads_meet_a_type_at_once, 0, 8);
    tcase_add_test(tests, a_child_of_a_busy_parent_packs);
    tcase_add_test(tests, the_smallest_stack_is_enough);
    tcase_add_test(tests, what_is_no_message_ends_the_program);
    tcase_set_timeout(tests, 0);
    suite_add_tcase(suite, tests);
    return suite;
}
