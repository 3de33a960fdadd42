/* test_json_random.c - random messages of random types with random options:
 * what comes out is JSON, and the same twice. */
#include <stdlib.h>
#include <string.h>

#include "suites.h"
#include "support_expect.h"
#include "support_message.h"

enum { N_SEEDS = 150, N_ROUNDS = 6, ALL_FLAGS = 0xffff };

/* Texts that were looked at. */
static unsigned long n_texts;

/* A parser that only says whether it is JSON. Each step returns the place
 * behind what it read, or NULL. */
typedef struct reader {
    const char *p;
    const char *end;
} reader;

static bool take(reader *r, char c) {
    if (r->p == r->end || *r->p != c)
        return false;
    r->p++;
    return true;
}

static void skip_space(reader *r) {
    while (r->p < r->end && strchr(" \t\n", *r->p) && *r->p)
        r->p++;
}

static bool read_string(reader *r) {
    if (!take(r, '"'))
        return false;
    while (r->p < r->end && *r->p != '"') {
        if ((unsigned char) *r->p < 0x20)
            return false;
        if (*r->p++ != '\\')
            continue;
        if (r->p == r->end || !strchr("\"\\bfnrtu", *r->p))
            return false;
        if (*r->p++ != 'u')
            continue;
        if (r->end - r->p < 4 || strspn(r->p, "0123456789abcdef") < 4)
            return false;
        r->p += 4;
    }
    return take(r, '"');
}

static bool read_number(reader *r) {
    static const char digits[] = "0123456789";
    size_t n;
    (void) take(r, '-');
    n = strspn(r->p, digits);
    if (n == 0 || (n > 1 && *r->p == '0'))
        return false;
    r->p += n;
    if (take(r, '.')) {
        n = strspn(r->p, digits);
        if (n == 0)
            return false;
        r->p += n;
    }
    if (!take(r, 'e'))
        return true;
    if (!take(r, '+'))
        (void) take(r, '-');
    n = strspn(r->p, digits);
    r->p += n;
    return n > 0;
}

static bool read_word(reader *r, const char *word) {
    size_t n = strlen(word);
    if ((size_t) (r->end - r->p) < n || memcmp(r->p, word, n) != 0)
        return false;
    r->p += n;
    return true;
}

static bool read_value(reader *r);

static bool read_members(reader *r, bool has_keys, char close) {
    r->p++;
    skip_space(r);
    if (take(r, close))
        return true;
    do {
        skip_space(r);
        if (has_keys && (!read_string(r) || !take(r, ':')))
            return false;
        if (!read_value(r))
            return false;
        skip_space(r);
    } while (take(r, ','));
    return take(r, close);
}

static bool read_value(reader *r) {
    skip_space(r);
    if (r->p == r->end)
        return false;
    switch (*r->p) {
    case '{':
        return read_members(r, true, '}');
    case '[':
        return read_members(r, false, ']');
    case '"':
        return read_string(r);
    case 't':
        return read_word(r, "true");
    case 'f':
        return read_word(r, "false");
    case 'n':
        return read_word(r, "null");
    default:
        return read_number(r);
    }
}

/* The text ends with a NUL, which stops what looks for digits. */
static void expect_json(const char *json, size_t len) {
    reader r = {json, json + len};
    bool good = read_value(&r);
    skip_space(&r);
    if (!good || r.p != r.end)
        ck_abort_msg("%s: no JSON at byte %zu of %s", expect_context_text(),
                     (size_t) (r.p - json), json);
}

static pbt_json_options random_options(rng *r) {
    pbt_json_options options = {0};
    options.flags = (uint32_t) rng_below(r, ALL_FLAGS + 1);
    options.indent = rng_below(r, 3) ? 0 : (uint8_t) rng_below(r, 9);
    options.utf8 = (uint8_t) rng_below(r, 3);
    options.nonfinite = (uint8_t) rng_below(r, 2);
    return options;
}

static void print_twice(const ProtobufCMessage *message,
                        const pbt_json_options *options) {
    pbt_buffer first = {0}, second = {0};
    pbt_status status = pbt_marshal_json(message, options, &first);
    expect_status("again", pbt_marshal_json(message, options, &second), status);
    if (status == PBT_OK) {
        expect_bytes("again", second.data, second.len, first.data, first.len);
        pbt_buffer_free(&second);
        second.block = malloc(first.len + 1);
        memcpy(second.block, first.data, first.len);
        second.block[first.len] = 0;
        n_texts++;
        expect_json((const char *) second.block, first.len);
    } else if (status != PBT_ERR_UNSUPPORTED) {
        expect_status("the reason", status, PBT_OK);
    }
    pbt_buffer_free(&first);
    pbt_buffer_free(&second);
}

START_TEST(what_comes_out_is_json) {
    arena a = {0};
    rng r = {9000000 + (uint64_t) _i};
    schema_params params = schema_random_params(&r);
    message_params m = {
        .depth = 5, .budget = 100, .complete = true, .valid_utf8 = true};
    schema s;
    size_t i;
    params.groups = _i % 3 == 0 ? 40 : 0;
    params.nameless = _i % 10 == 9;
    schema_random(&s, &a, &r, &params);
    for (i = 0; i < N_ROUNDS; i++) {
        pbt_json_options options = random_options(&r);
        expect_context("seed %d, round %zu, flags %x", _i, i,
                       (unsigned) options.flags);
        print_twice(
            message_random(&a, &r, &m, s.types[rng_below(&r, params.n_types)]),
            &options);
    }
    for (i = 0; i < s.n_types; i++)
        pbt_forget(s.types[i]);
    arena_free(&a);
}
END_TEST

START_TEST(most_types_can_be_printed) {
    expect_true("texts", n_texts > N_SEEDS * N_ROUNDS * 3 / 4);
}
END_TEST

Suite *json_random_suite(void) {
    Suite *suite = suite_create("json_random");
    TCase *tcase = tcase_create("json_random");
    tcase_set_timeout(tcase, 120);
    tcase_add_loop_test(tcase, what_comes_out_is_json, 0, N_SEEDS);
    tcase_add_test(tcase, most_types_can_be_printed);
    suite_add_tcase(suite, tcase);
    return suite;
}
