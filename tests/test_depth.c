/* test_depth.c - nesting: the limit, cycles, and that depth takes no stack. */
#include <pthread.h>
#include <string.h>

#include "cases2.pb-c.h"
#include "suites.h"
#include "support_arena.h"
#include "support_expect.h"
#include "support_output.h"
#include "support_road.h"

enum { VERY_DEEP = 100000, SMALL_STACK = 128 * 1024, REPORTED_DEPTH = 70 };

/* A chain of messages: the first and depth levels below it. */
static C2__Node *make_chain(arena *a, uint32_t depth) {
    const C2__Node node = C2__NODE__INIT;
    C2__Node *nodes = arena_alloc(a, (depth + 1) * sizeof *nodes);
    uint32_t i;
    for (i = 0; i <= depth; i++) {
        nodes[i] = node;
        nodes[i].has_v = i % 3 == 0;
        nodes[i].v = (int32_t) i;
        if (i < depth)
            nodes[i].n = &nodes[i + 1];
    }
    return nodes;
}

static void put_byte_before(packed *p, uint8_t byte) {
    *--p->bytes = byte;
    p->len++;
}

static void put_varint_before(packed *p, uint64_t value) {
    uint8_t bytes[10];
    size_t n = 0;
    for (; value >= 0x80; value >>= 7)
        bytes[n++] = (uint8_t) (value | 0x80);
    bytes[n++] = (uint8_t) value;
    while (n > 0)
        put_byte_before(p, bytes[--n]);
}

/* The bytes of a chain, from the last to the first: on the way down the
 * numbers, which stand behind the sub-messages; on the way up the lengths. */
static packed chain_bytes(arena *a, const C2__Node *nodes, uint32_t depth) {
    size_t capacity = ((size_t) depth + 1) * 16;
    size_t *behind = arena_alloc(a, (depth + 1) * sizeof *behind);
    packed p = {(uint8_t *) arena_alloc(a, capacity) + capacity, 0};
    uint32_t i;
    for (i = 0; i <= depth; i++) {
        behind[i] = p.len;
        if (!nodes[i].has_v)
            continue;
        put_varint_before(&p, (uint64_t) nodes[i].v);
        put_byte_before(&p, 0x10);
    }
    for (i = depth; i > 0; i--) {
        put_varint_before(&p, p.len - behind[i]);
        put_byte_before(&p, 0x0a);
    }
    return p;
}

START_TEST(the_limit_on_depth_is_exact) {
    static const uint32_t depths[] = {1, 2, 3, 7, 8, 15, 16, 17, 18, 100, 1000};
    size_t i;
    for (i = 0; i < sizeof depths / sizeof *depths; i++) {
        arena a = {0};
        uint32_t depth = depths[i];
        pbt_options options = {.max_depth = depth};
        C2__Node *chain = make_chain(&a, depth);
        packed want = chain_bytes(&a, chain, depth);
        expect_context("depth %u", (unsigned) depth);
        roads_expect(&chain->base, 0, want.bytes, want.len);
        expect_status("exactly", roads_compare_options(&chain->base, &options),
                      PBT_OK);
        options.max_depth = depth - 1;
        if (options.max_depth > 0)
            expect_status("one less",
                          roads_compare_options(&chain->base, &options),
                          PBT_ERR_DEPTH);
        arena_free(&a);
    }
}
END_TEST

START_TEST(the_default_limit_is_ten_thousand_levels) {
    arena a = {0};
    C2__Node *chain = make_chain(&a, 10001);
    packed want = chain_bytes(&a, chain + 1, 10000);
    expect_context("default depth");
    output_expect(&chain[1].base, NULL, want.bytes, want.len);
    output_expect_error(&chain->base, NULL, PBT_ERR_DEPTH);
    expect_status("validate", pbt_validate(&chain->base, NULL), PBT_ERR_DEPTH);
    arena_free(&a);
}
END_TEST

START_TEST(cycles_end_at_the_limit) {
    C2__Node self = C2__NODE__INIT;
    C2__Tree tree = C2__TREE__INIT;
    C2__Leaf leaf = C2__LEAF__INIT;
    char label[] = "l";
    pbt_options options = {.max_depth = 500};
    self.n = &self;
    leaf.label = label;
    leaf.back = &tree;
    tree.leaf = &leaf;
    expect_context("cycle");
    expect_status("cycle", roads_compare_options(&self.base, &options),
                  PBT_ERR_DEPTH);
    expect_status("cycle of two", roads_compare_options(&tree.base, &options),
                  PBT_ERR_DEPTH);
    output_expect_error(&self.base, NULL, PBT_ERR_DEPTH);
    expect_status("required", pbt_check_required(&tree.base, NULL),
                  PBT_ERR_DEPTH);
    expect_status("validate", pbt_validate(&tree.base, NULL), PBT_ERR_DEPTH);
}
END_TEST

/* A chain of a type that can lack a field: nothing, or the label of the leaf
 * at its end, is missing. */
static C2__Tree *make_tree(arena *a, uint32_t depth, C2__Leaf *leaf) {
    const C2__Tree tree = C2__TREE__INIT;
    C2__Tree *nodes = arena_alloc(a, (depth + 1) * sizeof *nodes);
    C2__Tree **lists = arena_alloc(a, (depth + 1) * sizeof *lists);
    uint32_t i;
    for (i = 0; i <= depth; i++) {
        nodes[i] = tree;
        lists[i] = &nodes[i];
        if (i > 0) {
            nodes[i - 1].n_children = 1;
            nodes[i - 1].children = &lists[i];
        }
    }
    nodes[depth].leaf = leaf;
    return nodes;
}

typedef struct deep_work {
    const C2__Node *chain;
    const C2__Tree *tree;
    C2__Leaf *leaf;
    packed want;
    const char *failure; /* what went wrong, or NULL */
} deep_work;

static const char *marshal_deep(const deep_work *w,
                                const pbt_options *options) {
    pbt_buffer buffer = {0};
    struct iovec *vec;
    size_t n = 0;
    bool same;
    if (pbt_size(&w->chain->base, options, &n) != PBT_OK || n != w->want.len)
        return "pbt_size";
    if (pbt_marshal(&w->chain->base, options, &buffer) != PBT_OK)
        return "pbt_marshal";
    same = buffer.len == w->want.len &&
           memcmp(buffer.data, w->want.bytes, buffer.len) == 0;
    pbt_buffer_free(&buffer);
    if (!same)
        return "the bytes";
    if (pbt_marshal_iovec(&w->chain->base, options, &buffer, &vec, &n) !=
        PBT_OK)
        return "pbt_marshal_iovec";
    pbt_buffer_free(&buffer);
    return NULL;
}

static void *work_on_deep(void *work) {
    deep_work *w = work;
    pbt_error error = {0};
    pbt_options options = {.max_depth = VERY_DEEP + 1, .error = &error};
    static char label[] = "l";
    w->failure = marshal_deep(w, &options);
    if (pbt_validate(&w->tree->base, &options) != PBT_ERR_REQUIRED)
        w->failure = "pbt_validate";
    if (pbt_check_required(&w->tree->base, &options) != PBT_ERR_REQUIRED ||
        strcmp(error.path + strlen(error.path) - 11, ".leaf.label") != 0)
        w->failure = "pbt_check_required";
    w->leaf->label = label;
    if (pbt_check_required(&w->tree->base, &options) != PBT_OK ||
        pbt_validate(&w->tree->base, &options) != PBT_OK)
        w->failure = "a complete tree";
    return NULL;
}

START_TEST(depth_takes_no_stack) {
    arena a = {0};
    C2__Leaf leaf = C2__LEAF__INIT;
    deep_work work = {.leaf = &leaf};
    C2__Node *chain = make_chain(&a, VERY_DEEP);
    pthread_attr_t attributes;
    pthread_t thread;
    work.chain = chain;
    work.want = chain_bytes(&a, chain, VERY_DEEP);
    work.tree = make_tree(&a, VERY_DEEP, &leaf);
    ck_assert_int_eq(pthread_attr_init(&attributes), 0);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, SMALL_STACK), 0);
    ck_assert_int_eq(pthread_create(&thread, &attributes, work_on_deep, &work),
                     0);
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    ck_assert_msg(!work.failure, "failed on a small stack: %s", work.failure);
    arena_free(&a);
}
END_TEST

/* Trees in trees, each the only child of the one before. */
static C2__Tree *make_only_children(arena *a, uint32_t depth) {
    const C2__Tree tree = C2__TREE__INIT;
    C2__Tree *trees = arena_alloc(a, (depth + 1) * sizeof *trees);
    C2__Tree **list = arena_alloc(a, (depth + 1) * sizeof *list);
    uint32_t i;
    for (i = 0; i <= depth; i++) {
        trees[i] = tree;
        if (i == depth)
            break;
        list[i] = &trees[i + 1];
        trees[i].n_children = 1;
        trees[i].children = &list[i];
    }
    return trees;
}

/* The stack of frames may have moved just before. */
START_TEST(errors_are_told_at_every_depth) {
    uint32_t depth;
    for (depth = 0; depth <= REPORTED_DEPTH; depth++) {
        arena a = {0};
        C2__Tree *trees = make_only_children(&a, depth);
        C2__Tree *none[1] = {NULL};
        trees[depth].n_children = 1;
        trees[depth].children = none;
        expect_context("depth %u", (unsigned) depth);
        expect_status("no child", roads_compare(&trees->base, 0),
                      PBT_ERR_BAD_MESSAGE);
        arena_free(&a);
    }
}
END_TEST

static void expect_too_small(const ProtobufCMessage *message) {
    pbt_error error;
    const pbt_options options = {.error = &error};
    uint8_t out[8 * REPORTED_DEPTH];
    size_t size, cap, len;
    expect_status("size", pbt_size(message, &options, &size), PBT_OK);
    ck_assert_uint_le(size, sizeof out);
    for (cap = 0; cap < size; cap++) {
        expect_status("too small",
                      pbt_marshal_into(message, &options, out, cap, &len),
                      PBT_ERR_NO_SPACE);
        expect_status("error", error.status, PBT_ERR_NO_SPACE);
        expect_number("needed", len, size);
    }
}

START_TEST(space_runs_out_at_every_depth) {
    uint32_t depth;
    for (depth = 0; depth <= REPORTED_DEPTH; depth++) {
        arena a = {0};
        expect_context("depth %u", (unsigned) depth);
        expect_too_small(&make_chain(&a, depth)->base);
        expect_too_small(&make_only_children(&a, depth)->base);
        arena_free(&a);
    }
}
END_TEST

/* The output ends at the deepest of the levels that are allowed; the message
 * that is deeper comes after that, and is for the size loop to find. */
START_TEST(the_limit_is_exact_after_space_ran_out) {
    enum { LIMIT = 1296 };
    uint32_t more;
    for (more = 0; more < 100; more++) {
        arena a = {0};
        pbt_error error = {0};
        const pbt_options options = {.max_depth = LIMIT, .error = &error};
        C2__Tree *both[2] = {make_only_children(&a, LIMIT - 1 + more),
                             make_only_children(&a, LIMIT - 1)};
        C2__Tree tree = C2__TREE__INIT;
        uint8_t out[1];
        size_t len;
        tree.n_children = 2;
        tree.children = both;
        expect_context("%u levels more", (unsigned) more);
        expect_status("into",
                      pbt_marshal_into(&tree.base, &options, out, 1, &len),
                      more > 0 ? PBT_ERR_DEPTH : PBT_ERR_NO_SPACE);
        arena_free(&a);
    }
}
END_TEST

Suite *depth_suite(void) {
    Suite *suite = suite_create("depth");
    TCase *tests = tcase_create("depth");
    tcase_add_test(tests, the_limit_on_depth_is_exact);
    tcase_add_test(tests, the_default_limit_is_ten_thousand_levels);
    tcase_add_test(tests, cycles_end_at_the_limit);
    tcase_add_test(tests, depth_takes_no_stack);
    tcase_add_test(tests, errors_are_told_at_every_depth);
    tcase_add_test(tests, space_runs_out_at_every_depth);
    tcase_add_test(tests, the_limit_is_exact_after_space_ran_out);
    suite_add_tcase(suite, tests);
    return suite;
}
