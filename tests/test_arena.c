/* test_arena.c - arenas: pieces that do not overlap, blocks that come from the
 * allocator and go back to it, memory that runs out. */
#include <string.h>

#include "base_arena.h"
#include "suites.h"
#include "support_expect.h"
#include "support_memory.h"
#include "support_rng.h"

enum { N_PIECES = 600 };

typedef struct piece {
    unsigned char *bytes;
    size_t size;
    unsigned char fill;
} piece;

static size_t draw_size(rng *r) {
    static const uint16_t sizes[] = {0,  1,  7,   8,   9,   15,   16,  17,
                                     31, 33, 100, 127, 128, 1000, 4096};
    if (rng_chance(r, 1))
        return 5000 + rng_below(r, 300000);
    return sizes[rng_below(r, sizeof sizes / sizeof *sizes)];
}

static void fill_arena(pbt_arena *arena, rng *r, piece *pieces) {
    size_t i;
    for (i = 0; i < N_PIECES; i++) {
        pieces[i].size = draw_size(r);
        pieces[i].fill = (unsigned char) rng_next(r);
        pieces[i].bytes = pbti_arena_alloc(arena, pieces[i].size);
        expect_true("a piece", pieces[i].bytes != NULL);
        expect_number("misalignment",
                      (uintptr_t) pieces[i].bytes % PBTI_ARENA_ALIGNMENT, 0);
        memset(pieces[i].bytes, pieces[i].fill, pieces[i].size);
    }
}

static void check_pieces(const piece *pieces) {
    size_t i, k;
    for (i = 0; i < N_PIECES; i++)
        for (k = 0; k < pieces[i].size; k++)
            if (pieces[i].bytes[k] != pieces[i].fill)
                ck_abort_msg("%s: piece %zu overwritten at %zu",
                             expect_context_text(), i, k);
}

START_TEST(pieces_do_not_overlap) {
    static const size_t firsts[] = {0, 1, 40, 5000, 1 << 20};
    piece pieces[N_PIECES];
    rng r = {(uint64_t) _i};
    size_t k;
    int round;
    for (k = 0; k < sizeof firsts / sizeof *firsts; k++) {
        meter m;
        pbt_arena *arena;
        meter_init(&m);
        expect_context("seed %d, first block of %zu", _i, firsts[k]);
        arena = pbt_arena_new(&m.allocator, firsts[k]);
        for (round = 0; round < 3; round++) {
            fill_arena(arena, &r, pieces);
            check_pieces(pieces);
            pbt_arena_reset(arena);
            expect_true("one block kept", m.n_live <= 2);
        }
        pbt_arena_free(arena);
        expect_number("live blocks", (uint64_t) m.n_live, 0);
    }
}
END_TEST

START_TEST(creation_is_one_allocation) {
    meter m;
    pbt_arena *arena;
    meter_init(&m);
    expect_context("creation");
    arena = pbt_arena_new(&m.allocator, 1000);
    expect_true("a piece", pbti_arena_alloc(arena, 900) != NULL);
    expect_number("allocations", (uint64_t) m.n_calls, 1);
    pbt_arena_free(arena);
    meter_init(&m);
    arena = pbt_arena_new(&m.allocator, 0);
    expect_number("allocations", (uint64_t) m.n_calls, 1);
    pbt_arena_free(arena);
}
END_TEST

/* A block that is kept serves the same pieces again. */
START_TEST(reset_keeps_a_block) {
    meter m;
    pbt_arena *arena;
    void *large;
    meter_init(&m);
    expect_context("reset");
    arena = pbt_arena_new(&m.allocator, 100);
    large = pbti_arena_alloc(arena, 1000000);
    pbt_arena_reset(arena);
    expect_number("live blocks", (uint64_t) m.n_live, 2);
    m.n_calls = 0;
    expect_true("the same block", pbti_arena_alloc(arena, 900000) == large);
    expect_number("allocations", (uint64_t) m.n_calls, 0);
    pbt_arena_free(arena);
}
END_TEST

/* Several become one, in which the same pieces have room. */
START_TEST(reset_unites_blocks) {
    meter m;
    pbt_arena *arena;
    int round;
    meter_init(&m);
    expect_context("reset");
    arena = pbt_arena_new(&m.allocator, 100 * (size_t) _i);
    for (round = 0; round < 4; round++) {
        m.n_calls = 0;
        expect_true("a small piece", pbti_arena_alloc(arena, 200) != NULL);
        expect_true("a large one", pbti_arena_alloc(arena, 1000000) != NULL);
        expect_true("a small piece", pbti_arena_alloc(arena, 200) != NULL);
        expect_true("a larger one", pbti_arena_alloc(arena, 50000000) != NULL);
        if (round > 1)
            expect_number("allocations", (uint64_t) m.n_calls, 0);
        pbt_arena_reset(arena);
    }
    expect_number("live blocks", (uint64_t) m.n_live, 2);
    m.fail_at = m.n_calls;
    expect_true("too much", !pbti_arena_alloc(arena, 60000000));
    pbt_arena_free(arena);
    expect_number("live blocks", (uint64_t) m.n_live, 0);
}
END_TEST

/* Without memory for one block in place of several, a smaller one will do. */
START_TEST(no_memory_to_unite_blocks) {
    meter m;
    pbt_arena *arena;
    meter_init(&m);
    expect_context("reset");
    arena = pbt_arena_new(&m.allocator, 0);
    expect_true("a small piece", pbti_arena_alloc(arena, 200) != NULL);
    expect_true("a large one", pbti_arena_alloc(arena, 1000000) != NULL);
    pbt_arena_reset(arena);
    m.fail_at = m.n_calls;
    expect_true("a small piece", pbti_arena_alloc(arena, 200) != NULL);
    expect_true("a large one", pbti_arena_alloc(arena, 1000000) != NULL);
    pbt_arena_free(arena);
    expect_number("live blocks", (uint64_t) m.n_live, 0);
}
END_TEST

START_TEST(memory_that_runs_out) {
    meter m;
    pbt_arena *arena;
    meter_init(&m);
    expect_context("no memory");
    m.fail_at = 0;
    expect_true("no arena", pbt_arena_new(&m.allocator, 0) == NULL);
    expect_true("no such arena", pbt_arena_new(NULL, SIZE_MAX) == NULL);
    meter_init(&m);
    arena = pbt_arena_new(&m.allocator, 40);
    expect_true("a piece", pbti_arena_alloc(arena, 8) != NULL);
    m.fail_at = m.n_calls;
    m.fail_after = 1;
    expect_true("no large piece", !pbti_arena_alloc(arena, 100000));
    expect_true("no small piece", !pbti_arena_alloc(arena, 65));
    expect_true("what is there", pbti_arena_alloc(arena, 8) != NULL);
    expect_true("too much", !pbti_arena_alloc(arena, SIZE_MAX));
    expect_true("too much", !pbti_arena_alloc(arena, SIZE_MAX / 2));
    /* the full next block cannot be had, a smaller one can */
    m.fail_at = m.n_calls;
    m.fail_after = 0;
    expect_true("a smaller block", pbti_arena_alloc(arena, 16) != NULL);
    pbt_arena_free(arena);
    expect_number("live blocks", (uint64_t) m.n_live, 0);
}
END_TEST

static void keep(void *data, void *block) {
    (void) data;
    (void) block;
}

typedef struct stock {
    _Alignas(16) char bytes[200000];
    size_t used;
} stock;

static void *take(void *data, size_t size) {
    stock *s = data;
    char *block = s->bytes + s->used;
    size = (size + 15) & ~(size_t) 15;
    if (size > sizeof s->bytes - s->used)
        return NULL;
    s->used += size;
    return block;
}

START_TEST(allocator_that_frees_nothing) {
    static stock s;
    ProtobufCAllocator allocator = {take, keep, &s};
    pbt_arena *arena = pbt_arena_new(&allocator, 100);
    int i;
    expect_context("allocator without free");
    for (i = 0; i < 100; i++) {
        expect_true("a piece", pbti_arena_alloc(arena, 90) != NULL);
        expect_true("a piece", pbti_arena_alloc(arena, 300) != NULL);
        pbt_arena_reset(arena);
    }
    pbt_arena_free(arena);
}
END_TEST

START_TEST(nothing_to_free) {
    pbt_arena *arena = pbt_arena_new(NULL, 0);
    expect_context("nothing to free");
    expect_true("no bytes, an address", pbti_arena_alloc(arena, 0) != NULL);
    pbt_arena_reset(arena);
    pbt_arena_free(arena);
    pbt_arena_free(NULL);
    pbt_arena_reset(NULL);
}
END_TEST

Suite *arena_suite(void) {
    Suite *suite = suite_create("arena");
    TCase *tc = tcase_create("arena");
    suite_add_tcase(suite, tc);
    tcase_add_loop_test(tc, pieces_do_not_overlap, 0, 20);
    tcase_add_test(tc, creation_is_one_allocation);
    tcase_add_test(tc, reset_keeps_a_block);
    tcase_add_loop_test(tc, reset_unites_blocks, 0, 2);
    tcase_add_test(tc, no_memory_to_unite_blocks);
    tcase_add_test(tc, memory_that_runs_out);
    tcase_add_test(tc, allocator_that_frees_nothing);
    tcase_add_test(tc, nothing_to_free);
    return suite;
}
