/* test_reflect.c - the reflection road: the bytes of protobuf-c, the options,
 * and what a call costs. */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>

#include <check.h>

#include <pbturbo/pbturbo.h>

#include "base_compiler.h"
#include "reflect2.pb-c.h"
#include "reflect3.pb-c.h"
#include "suites.h"
#include "support_reflect.h"

enum { GUARD = 0xa5 };

static const pbt_reflection *const road = &pbt_reflection_protobuf_c;

static const ProtobufCMessageDescriptor *const all_types[] = {
    &r2__sub__descriptor,     &r2__req__descriptor,  &r2__opt__descriptor,
    &r2__rep__descriptor,     &r2__node__descriptor, &r2__one__descriptor,
    &r2__numbers__descriptor, &r2__must__descriptor, &r2__every__descriptor,
    &r2__mp__descriptor,      &r3__pl__descriptor,   &r3__one__descriptor,
    &r3__mp__descriptor,      &r3__nest__descriptor,
};

enum { N_TYPES = sizeof all_types / sizeof(void *) };

START_TEST(random_messages_equal_protobuf_c) {
    static uint8_t packed[POOL_SIZE], out[POOL_SIZE];
    pbt_options options = {.flags = PBT_ALLOW_PARTIAL,
                           .allocator = &refusing_allocator};
    unsigned round;
    for (round = 0; round < 100; round++) {
        ProtobufCMessage *m;
        size_t len, size = 0, n = 0;
        pool_empty();
        random_seed(1000 * (uint64_t) _i + round);
        m = pool_message(all_types[_i]);
        random_fill(m, 0);
        len = protobuf_c_message_get_packed_size(m);
        ck_assert_uint_le(len, sizeof packed);
        ck_assert_uint_eq(protobuf_c_message_pack(m, packed), len);
        ck_assert_int_eq(pbt_reflect_size(road, m, &options, &size), PBT_OK);
        ck_assert_uint_eq(size, len);
        ck_assert_int_eq(
            pbt_reflect_marshal_into(road, m, &options, out, sizeof out, &n),
            PBT_OK);
        ck_assert_uint_eq(n, len);
        ck_assert_mem_eq(out, packed, len);
        ck_assert_int_eq(pbt_reflect_validate(road, m, &options), PBT_OK);
        ck_assert_int_eq(pbt_reflect_check_required(road, m, &options) ==
                             PBT_OK,
                         protobuf_c_message_check(m) != 0);
    }
}
END_TEST

START_TEST(every_capacity_holds_its_promise) {
    static uint8_t out[SPACE], packed[SPACE];
    ProtobufCMessage *m;
    size_t len, cap;
    pbt_options options = {.flags = PBT_ALLOW_PARTIAL,
                           .allocator = &refusing_allocator};
    pool_empty();
    random_seed(7);
    do {
        m = pool_message(all_types[_i]);
        random_fill(m, 2);
        len = protobuf_c_message_get_packed_size(m);
    } while (len < 5 || len > 1500);
    protobuf_c_message_pack(m, packed);
    for (cap = 0; cap <= len + 1; cap++) {
        size_t n = 99;
        pbt_status status;
        memset(out, GUARD, len + 8);
        status = pbt_reflect_marshal_into(road, m, &options, cap ? out : NULL,
                                          cap, &n);
        ck_assert_int_eq(status, cap < len ? PBT_ERR_NO_SPACE : PBT_OK);
        ck_assert_uint_eq(n, len);
        ck_assert_uint_eq(out[cap], GUARD);
        ck_assert_uint_eq(out[cap + 1], GUARD);
        if (status == PBT_OK)
            ck_assert_mem_eq(out, packed, len);
    }
}
END_TEST

START_TEST(known_cases_of_proto2) {
    char empty[] = "";
    R2__Req req = R2__REQ__INIT;
    R2__Opt opt = R2__OPT__INIT;
    R2__Rep rep = R2__REP__INIT;
    R2__Big big = R2__BIG__INIT;
    R2__E pe[] = {R2__E__NEG, R2__E__ONE};
    protobuf_c_boolean pb[] = {2, 0, -1};
    int32_t ps[] = {INT32_MIN, INT32_MAX, -1};
    EXPECT(&req, PBT_ALLOW_PARTIAL,
           "\x0a\0\x12\0\x1a\0\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
           "\x28\0");
    EXPECT(&opt, 0, "");
    opt.e = R2__E__NEG;
    opt.i = 5; /* without has_i */
    opt.has_e = 256;
    EXPECT(&opt, 0, "\x20\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01");
    opt.has_e = 0;
    opt.has_b = 1; /* {0, NULL} */
    opt.ds = empty;
    EXPECT(&opt, 0, "\x12\0\x32\0");
    rep.pe = pe;
    rep.n_pe = 2;
    rep.pb = pb;
    rep.n_pb = 3;
    rep.ps = ps;
    rep.n_ps = 3;
    EXPECT(&rep, 0,
           "\x42\x03\x01\0\x01"
           "\x4a\x0b\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01"
           "\x52\x0b\xff\xff\xff\xff\x0f\xfe\xff\xff\xff\x0f\x01");
    big.has_lo = big.has_mid = big.has_hi = 1;
    big.lo = 1;
    big.mid = 3;
    big.hi = 2;
    EXPECT(&big, 0, "\x08\x01\x80\x80\x80\x80\x08\x03\xf8\xff\xff\xff\x0f\x02");
}
END_TEST

/* protobuf-c guesses the width of the length from the count of elements. */
START_TEST(packed_lengths_of_all_widths) {
    static int32_t values[20000];
    static uint8_t packed[210000], out[210000];
    static const size_t counts[] = {1,    12,   13,    127,   128,
                                    1638, 1639, 16383, 16384, 20000};
    size_t i;
    memset(values, 0xff, sizeof values);
    for (i = 0; i < sizeof counts / sizeof *counts; i++) {
        R2__Rep rep = R2__REP__INIT;
        size_t len, n = 0;
        rep.pi = values;
        rep.n_pi = counts[i];
        len = protobuf_c_message_pack(&rep.base, packed);
        ck_assert_int_eq(
            pbt_reflect_marshal_into(road, &rep, NULL, out, sizeof out, &n),
            PBT_OK);
        ck_assert_uint_eq(n, len);
        ck_assert_mem_eq(out, packed, len);
    }
}
END_TEST

START_TEST(oneof_members_are_present_by_case) {
    char empty[] = "";
    R3__One one = R3__ONE__INIT;
    one.c_case = R3__ONE__C_I;
    EXPECT(&one, 0, "\x20\0");
    one.c_case = R3__ONE__C_T;
    EXPECT(&one, 0, "\x28\0");
    one.c_case = R3__ONE__C_S;
    one.s = empty;
    EXPECT(&one, 0, "\x0a\0");
    one.s = NULL;
    EXPECT(&one, 0, "");
    one.s = (char *) (uintptr_t) protobuf_c_empty_string;
    EXPECT(&one, 0, "");
    one.c_case = R3__ONE__C_B;
    one.b.len = 0;
    one.b.data = NULL;
    EXPECT(&one, 0, "\x12\0");
}
END_TEST

START_TEST(negative_zero_is_sent_when_conformant) {
    R3__Pl pl = R3__PL__INIT;
    R3__Sub sub = R3__SUB__INIT;
    pl.k = -0.0f;
    pl.l = -0.0;
    EXPECT(&pl, 0, "");
    EXPECT(&pl, PBT_CONFORMANT, "\x5d\0\0\0\x80\x61\0\0\0\0\0\0\0\x80");
    pl.k = 0;
    pl.l = 0;
    EXPECT(&pl, PBT_CONFORMANT, "");
    pl.q = &sub;
    EXPECT(&pl, 0, "\x8a\x01\0");
}
END_TEST

START_TEST(unknown_fields_come_last_or_not_at_all) {
    uint8_t data[] = {1, 2, 3};
    ProtobufCMessageUnknownField unknown[] = {
        {.tag = 20, .wire_type = 2, .len = 3, .data = data},
        {.tag = 1, .wire_type = 3, .len = 0, .data = NULL},
    };
    R3__Sub sub = R3__SUB__INIT;
    sub.v = 1;
    sub.base.n_unknown_fields = 2;
    sub.base.unknown_fields = unknown;
    EXPECT(&sub, 0, "\x08\x01\xa2\x01\x01\x02\x03\x0b");
    EXPECT(&sub, PBT_DISCARD_UNKNOWN, "\x08\x01");
    EXPECT(&sub, PBT_DELIMITED, "\x08\x08\x01\xa2\x01\x01\x02\x03\x0b");
    sub.v = 0;
    EXPECT(&sub, PBT_DELIMITED | PBT_DISCARD_UNKNOWN, "\0");
}
END_TEST

/* A field may hold a message of another type than its own. */
START_TEST(sub_messages_are_laid_out_by_their_own_descriptor) {
    R3__Pl pl = R3__PL__INIT;
    R2__Big big = R2__BIG__INIT;
    big.has_lo = 1;
    big.lo = 7;
    pl.q = (R3__Sub *) &big;
    EXPECT(&pl, 0, "\x8a\x01\x02\x08\x07");
}
END_TEST

START_TEST(buffers_keep_their_block) {
    counting_allocator c;
    pbt_options options = {.allocator = &c.allocator};
    pbt_buffer buffer = {0};
    R3__Nest nest = R3__NEST__INIT;
    char text[] = "0123456789", longer[] = "0123456789abcdefghijklmnop";
    counting_allocator_init(&c);
    ck_assert_int_eq(pbt_reflect_marshal(road, &nest, &options, &buffer),
                     PBT_OK);
    ck_assert_uint_eq(c.calls, 0);
    nest.text = text;
    ck_assert_int_eq(pbt_reflect_marshal(road, &nest, &options, &buffer),
                     PBT_OK);
    ck_assert_uint_eq(buffer.len, 12);
    c.left = 0;
    nest.text = longer;
    ck_assert_int_eq(pbt_reflect_marshal(road, &nest, NULL, &buffer),
                     PBT_ERR_NO_MEMORY);
    options.max_size = 5;
    ck_assert_int_eq(pbt_reflect_marshal(road, &nest, &options, &buffer),
                     PBT_ERR_TOO_LARGE);
    ck_assert_uint_eq(buffer.len, 0);
    ck_assert_uint_eq(c.live, 1);
    c.left = 1;
    ck_assert_int_eq(pbt_reflect_marshal(road, &nest, NULL, &buffer), PBT_OK);
    ck_assert_mem_eq(buffer.data + 2, longer, buffer.len - 2);
    ck_assert_uint_eq(c.live, 1);
    pbt_buffer_free(&buffer);
    ck_assert_uint_eq(c.live, 0);
}
END_TEST

/* A reflection that counts the calls, and calls messages groups. */
static size_t n_calls;
static bool with_groups;

static pbt_reflect_message counted_root(const void *msg) {
    return pbt_reflection_protobuf_c.root(msg);
}

static pbt_status counted_shape(const pbt_reflect_message *m,
                                pbt_reflect_shape *shape, const char **why) {
    n_calls++;
    return pbt_reflection_protobuf_c.shape(m, shape, why);
}

static pbt_status counted_field(const pbt_reflect_message *m, size_t index,
                                unsigned presence, pbt_reflect_field *field,
                                const char **why) {
    pbt_status status =
        pbt_reflection_protobuf_c.field(m, index, presence, field, why);
    n_calls++;
    if (with_groups && field->type == PBT_REFLECT_MESSAGE)
        field->type = PBT_REFLECT_GROUP;
    return status;
}

static pbt_status counted_value(const pbt_reflect_message *m,
                                pbt_reflect_field *field, size_t index,
                                pbt_reflect_value *value, const char **why) {
    n_calls++;
    return pbt_reflection_protobuf_c.value(m, field, index, value, why);
}

static pbt_status counted_unknown(const pbt_reflect_message *m, size_t index,
                                  pbt_reflect_unknown *unknown,
                                  const char **why) {
    n_calls++;
    return pbt_reflection_protobuf_c.unknown(m, index, unknown, why);
}

static const pbt_reflection counted = {.root = counted_root,
                                       .shape = counted_shape,
                                       .field = counted_field,
                                       .value = counted_value,
                                       .unknown = counted_unknown};

/* depth messages below the first. */
static R2__Node *make_chain(size_t depth) {
    R2__Node *nodes = pool_take((depth + 1) * sizeof *nodes);
    size_t i;
    for (i = 0; i <= depth; i++) {
        r2__node__init(&nodes[i]);
        nodes[i].n = i < depth ? &nodes[i + 1] : NULL;
    }
    return nodes;
}

START_TEST(the_cost_is_linear) {
    static const size_t depths[] = {10, 100, 1000};
    static uint8_t out[SPACE];
    size_t i, n;
    for (i = 0; i < 3; i++) {
        R2__Node *chain;
        pool_empty();
        chain = make_chain(depths[i]);
        n_calls = 0;
        ck_assert_int_eq(
            pbt_reflect_marshal_into(&counted, chain, NULL, out, SPACE, &n),
            PBT_OK);
        ck_assert_uint_le(n_calls, 4 * (depths[i] + 1));
        n_calls = 0;
        ck_assert_int_eq(pbt_reflect_check_required(&counted, chain, NULL),
                         PBT_OK);
        ck_assert_uint_le(n_calls, 4 * (depths[i] + 1));
    }
}
END_TEST

START_TEST(groups_stand_between_their_tags) {
    static const char bytes[] = "\x8b\x01\x08\x07\x8c\x01";
    R3__Pl pl = R3__PL__INIT;
    R3__Sub sub = R3__SUB__INIT;
    uint8_t out[16];
    size_t n = 0;
    sub.v = 7;
    pl.q = &sub;
    with_groups = true;
    ck_assert_int_eq(
        pbt_reflect_marshal_into(&counted, &pl, NULL, out, sizeof out, &n),
        PBT_OK);
    with_groups = false;
    ck_assert_uint_eq(n, sizeof bytes - 1);
    ck_assert_mem_eq(out, bytes, n);
}
END_TEST

/* Three levels each: a map that is not in order, its entries, the next. */
static R3__Nest *make_nested_maps(size_t n) {
    R3__Nest *inner = NULL;
    for (; n > 0; n--) {
        R3__Nest *nest = (R3__Nest *) pool_message(&r3__nest__descriptor);
        R3__Mp *mp = (R3__Mp *) pool_message(&r3__mp__descriptor);
        R3__Mp__NestEntry **entries = pool_take(2 * sizeof(void *));
        size_t i;
        for (i = 0; i < 2; i++)
            entries[i] = (R3__Mp__NestEntry *) pool_message(
                &r3__mp__nest_entry__descriptor);
        entries[0]->key = 1;
        entries[0]->value = inner;
        mp->n_nest = 2;
        mp->nest = entries;
        nest->n_maps = 1;
        nest->maps = pool_take(sizeof(void *));
        nest->maps[0] = mp;
        inner = nest;
    }
    return inner;
}

/* The stack that reflect.h promises is enough for an optimised build. */
#if defined(__OPTIMIZE__) && !PBTI_ASAN && defined(__s390x__)
enum { STACK_SIZE = 8 << 20 };
#elif defined(__OPTIMIZE__) && !PBTI_ASAN
enum { STACK_SIZE = 4 << 20 };
#else
enum { STACK_SIZE = 64 << 20 };
#endif

static void *go_deep(void *chain) {
    pbt_options options = {.flags = PBT_DETERMINISTIC, .max_size = 1 << 20};
    uint32_t n_nests = PBT_REFLECT_MAX_DEPTH / 3;
    size_t n = 0;
    ck_assert_int_eq(pbt_reflect_size(road, chain, &options, &n), PBT_OK);
    ck_assert_int_eq(pbt_reflect_check_required(road, chain, NULL), PBT_OK);
    ck_assert_int_eq(
        pbt_reflect_size(road, make_nested_maps(n_nests), &options, &n),
        PBT_OK);
    return NULL;
}

START_TEST(the_stack_is_bounded) {
    pthread_attr_t attributes;
    pthread_t thread;
    pool_empty();
    ck_assert_int_eq(pthread_attr_init(&attributes), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, STACK_SIZE), 0);
    ck_assert_int_eq(pthread_create(&thread, &attributes, go_deep,
                                    make_chain(PBT_REFLECT_MAX_DEPTH)),
                     0);
    ck_assert_int_eq(pthread_join(thread, NULL), 0);
    pthread_attr_destroy(&attributes);
}
END_TEST

START_TEST(depth_is_limited) {
    pbt_options options = {.max_depth = 3};
    pbt_error error;
    size_t n;
    R2__Node cycle = R2__NODE__INIT;
    pool_empty();
    ck_assert_int_eq(pbt_reflect_size(road, make_chain(3), &options, &n),
                     PBT_OK);
    options.error = &error;
    ck_assert_int_eq(pbt_reflect_size(road, make_chain(4), &options, &n),
                     PBT_ERR_DEPTH);
    ck_assert_str_eq(error.path, "n.n.n.n");
    options.max_depth = UINT32_MAX;
    cycle.n = &cycle;
    ck_assert_int_eq(pbt_reflect_size(road, &cycle, &options, &n),
                     PBT_ERR_DEPTH);
    ck_assert_int_eq(pbt_reflect_validate(road, &cycle, &options),
                     PBT_ERR_DEPTH);
    ck_assert_int_eq(pbt_reflect_check_required(road, &cycle, &options),
                     PBT_ERR_DEPTH);
    ck_assert_uint_eq(strlen(error.path), 126 + 3 + 126);
}
END_TEST

Suite *reflect_suite(void) {
    Suite *suite = suite_create("reflect");
    TCase *bytes = tcase_create("bytes"), *cost = tcase_create("cost");
    tcase_add_loop_test(bytes, random_messages_equal_protobuf_c, 0, N_TYPES);
    tcase_add_loop_test(bytes, every_capacity_holds_its_promise, 0, N_TYPES);
    tcase_add_test(bytes, known_cases_of_proto2);
    tcase_add_test(bytes, packed_lengths_of_all_widths);
    tcase_add_test(bytes, oneof_members_are_present_by_case);
    tcase_add_test(bytes, negative_zero_is_sent_when_conformant);
    tcase_add_test(bytes, unknown_fields_come_last_or_not_at_all);
    tcase_add_test(bytes, sub_messages_are_laid_out_by_their_own_descriptor);
    suite_add_tcase(suite, bytes);
    tcase_add_test(cost, buffers_keep_their_block);
    tcase_add_test(cost, the_cost_is_linear);
    tcase_add_test(cost, groups_stand_between_their_tags);
    tcase_add_test(cost, the_stack_is_bounded);
    tcase_add_test(cost, depth_is_limited);
    suite_add_tcase(suite, cost);
    return suite;
}
