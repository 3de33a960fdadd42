/* test_threads.c - eight threads at once: on the first use of types that
 * contain each other, and on one message. Meant for ThreadSanitizer, too. */
#include <pthread.h>
#include <string.h>

#include "cases2.pb-c.h"
#include "suites.h"
#include "support_expect.h"
#include "support_message.h"
#include "support_output.h"
#include "table_registry.h"

enum { N_THREADS = 8, N_ROUNDS = 40, N_MESSAGES = 4, N_REPEATS = 50 };

/* What all threads share. */
typedef struct work {
    pthread_barrier_t start;
    ProtobufCMessage *messages[N_MESSAGES];
    packed want[N_MESSAGES];
    int n_repeats;
} work;

typedef struct worker {
    pthread_t thread;
    work *work;
    size_t first; /* message to begin with */
    const char *failure;
} worker;

/* Not every random type has names, and not every string is UTF-8. */
static const char *print_one(const ProtobufCMessage *message,
                             pbt_buffer *buffer) {
    pbt_json_options options = {.flags = PBT_JSON_ALLOW_PARTIAL |
                                         PBT_JSON_PROTO_NAMES,
                                .utf8 = PBT_JSON_UTF8_REPLACE};
    pbt_status status = pbt_marshal_json(message, &options, buffer);
    if (status != PBT_OK && status != PBT_ERR_UNSUPPORTED)
        return "pbt_marshal_json";
    return NULL;
}

static const char *marshal_one(const ProtobufCMessage *message,
                               const packed *want, pbt_buffer *buffer) {
    pbt_options options = {.flags = PBT_ALLOW_PARTIAL};
    size_t size;
    if (pbt_marshal(message, &options, buffer) != PBT_OK)
        return "pbt_marshal";
    if (buffer->len != want->len ||
        (want->len > 0 && memcmp(buffer->data, want->bytes, want->len) != 0))
        return "the bytes";
    if (pbt_size(message, &options, &size) != PBT_OK || size != want->len)
        return "pbt_size";
    if (pbt_validate(message, &options) != PBT_OK)
        return "pbt_validate";
    if ((pbt_check_required(message, NULL) == PBT_OK) !=
        (protobuf_c_message_check(message) != 0))
        return "pbt_check_required";
    options.flags |= PBT_DETERMINISTIC | PBT_CONFORMANT;
    if (pbt_marshal(message, &options, buffer) != PBT_OK)
        return "pbt_marshal, conformant";
    return print_one(message, buffer);
}

static void *run_worker(void *argument) {
    worker *w = argument;
    pbt_buffer buffer = {0};
    int repeat;
    size_t i;
    pthread_barrier_wait(&w->work->start);
    for (repeat = 0; repeat < w->work->n_repeats; repeat++)
        for (i = 0; i < N_MESSAGES && !w->failure; i++) {
            size_t k = (w->first + i) % N_MESSAGES;
            w->failure =
                marshal_one(w->work->messages[k], &w->work->want[k], &buffer);
        }
    pbt_buffer_free(&buffer);
    return NULL;
}

static void run_workers(work *shared) {
    worker workers[N_THREADS];
    size_t i;
    memset(workers, 0, sizeof workers);
    ck_assert_int_eq(pthread_barrier_init(&shared->start, NULL, N_THREADS), 0);
    for (i = 0; i < N_THREADS; i++) {
        workers[i].work = shared;
        workers[i].first = i;
        ck_assert_int_eq(
            pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]),
            0);
    }
    for (i = 0; i < N_THREADS; i++)
        pthread_join(workers[i].thread, NULL);
    pthread_barrier_destroy(&shared->start);
    for (i = 0; i < N_THREADS; i++)
        ck_assert_msg(!workers[i].failure, "thread %zu: %s (%s)", i,
                      workers[i].failure, expect_context_text());
}

static void forget_all(const schema *s) {
    size_t i;
    for (i = 0; i < s->n_types; i++)
        pbt_forget(s->types[i]);
}

static void make_work(work *shared, arena *a, rng *r, schema *s) {
    const schema_params params = {.n_types = 6, .max_fields = 12};
    const message_params m = {.depth = 5, .budget = 100};
    size_t i;
    schema_random(s, a, r, &params);
    for (i = 0; i < N_MESSAGES; i++) {
        shared->messages[i] = message_random(a, r, &m, s->types[i]);
        shared->want[i] = packed_by_protobuf_c(a, shared->messages[i]);
    }
}

START_TEST(first_use_of_types_that_contain_each_other) {
    arena a = {0};
    rng r = {13000000 + (uint64_t) _i};
    work shared = {.n_repeats = 1};
    schema s;
    int round;
    make_work(&shared, &a, &r, &s);
    for (round = 0; round < N_ROUNDS; round++) {
        expect_context("seed %d, round %d", _i, round);
        run_workers(&shared);
        forget_all(&s);
    }
    arena_free(&a);
}
END_TEST

START_TEST(one_message_in_all_threads) {
    arena a = {0};
    rng r = {14000000 + (uint64_t) _i};
    work shared = {.n_repeats = N_REPEATS};
    schema s;
    size_t i;
    make_work(&shared, &a, &r, &s);
    for (i = 1; i < N_MESSAGES; i++) {
        shared.messages[i] = shared.messages[0];
        shared.want[i] = shared.want[0];
    }
    expect_context("seed %d", _i);
    run_workers(&shared);
    forget_all(&s);
    arena_free(&a);
}
END_TEST

static bool is_gone(const ProtobufCMessageDescriptor *type,
                    const ProtobufCFieldDescriptor *fields, unsigned n_fields) {
    (void) type;
    (void) fields;
    (void) n_fields;
    return false;
}

/* AddressSanitizer tells when it does not. */
START_TEST(a_table_outlives_the_sweep_that_finds_its_type_gone) {
    const ProtobufCMessageDescriptor *type = &c2__req__descriptor;
    const pbti_table *table;
    expect_status("table", pbti_registry_get(type, PBTI_PLAIN, &table, NULL),
                  PBT_OK);
    expect_true("swept", pbti_registry_sweep(is_gone));
    expect_true("not found", !pbti_registry_find(type, PBTI_PLAIN));
    expect_true("still there", table->type == type);
    expect_true("swept again", pbti_registry_sweep(is_gone));
    expect_status("a new one",
                  pbti_registry_get(type, PBTI_PLAIN, &table, NULL), PBT_OK);
    expect_true("found", pbti_registry_find(type, PBTI_PLAIN) == table);
}
END_TEST

Suite *threads_suite(void) {
    Suite *suite = suite_create("threads");
    TCase *tests = tcase_create("threads");
    tcase_add_loop_test(tests, first_use_of_types_that_contain_each_other, 0,
                        4);
    tcase_add_loop_test(tests, one_message_in_all_threads, 0, 4);
    tcase_add_test(tests, a_table_outlives_the_sweep_that_finds_its_type_gone);
    suite_add_tcase(suite, tests);
    return suite;
}
