/* test_delimited.c - messages with their lengths before them: found one by one,
 * in data that is whole, cut, or not of that form. */
#include <stdlib.h>
#include <string.h>

#include "cases2.pb-c.h"
#include "suites.h"
#include "support_bytes.h"
#include "support_expect.h"

enum { N_MESSAGES = 40, LARGEST = 200 };

/* Messages of growing length, of two bytes of it in the end. */
static void marshal_all(pbt_buffer *stream) {
    static char text[LARGEST + 1];
    const pbt_options options = {.flags = PBT_DELIMITED};
    size_t i;
    for (i = 0; i < N_MESSAGES; i++) {
        C2__S1 message = C2__S1__INIT;
        size_t len = i * LARGEST / (N_MESSAGES - 1);
        memset(text, 'a', len);
        text[len] = '\0';
        message.a = text;
        expect_status("marshal",
                      pbt_marshal_append(&message.base, &options, stream),
                      PBT_OK);
    }
}

static void expect_message(pbt_arena *pieces, const void *bytes, size_t len,
                           size_t text_len) {
    ProtobufCMessage *message;
    expect_status(
        "unmarshal",
        pbt_unmarshal(&c2__s1__descriptor, bytes, len, NULL, pieces, &message),
        PBT_OK);
    expect_number("text", strlen(((C2__S1 *) message)->a), text_len);
}

START_TEST(messages_follow_each_other) {
    pbt_buffer stream = {0};
    pbt_arena *pieces = pbt_arena_new(NULL, 0);
    const uint8_t *at;
    size_t left, n = 0;
    marshal_all(&stream);
    at = stream.data;
    for (left = stream.len; left > 0; n++) {
        const void *message;
        size_t len, used;
        expect_context("message %zu", n);
        expect_status("next",
                      pbt_delimited_next(at, left, NULL, &message, &len, &used),
                      PBT_OK);
        ck_assert_ptr_eq((const uint8_t *) message + len, at + used);
        expect_message(pieces, message, len, n * LARGEST / (N_MESSAGES - 1));
        at += used;
        left -= used;
    }
    expect_number("messages", n, N_MESSAGES);
    pbt_arena_free(pieces);
    pbt_buffer_free(&stream);
}
END_TEST

/* Of a stream of which just as much is there as was wanted, each message is
 * found, and never more than one byte too few is known to be wanted at first.
 */
START_TEST(a_stream_is_read_piece_by_piece) {
    pbt_buffer stream = {0};
    size_t start = 0, have = 0, n = 0, n_waits = 0;
    marshal_all(&stream);
    while (start < stream.len) {
        uint8_t *piece = malloc(have + 1); /* the sanitizer watches its end */
        const void *message;
        size_t len, used;
        pbt_status status;
        memcpy(piece, stream.data + start, have);
        expect_context("message %zu, %zu bytes", n, have);
        status = pbt_delimited_next(piece, have, NULL, &message, &len, &used);
        if (status == PBT_OK) {
            ck_assert_ptr_eq((const uint8_t *) message + len, piece + used);
            start += used;
            have -= used;
            n++;
        } else {
            expect_status("too little", status, PBT_ERR_MALFORMED);
            ck_assert_ptr_null(message);
            expect_number("length", len, 0);
            expect_true("more is wanted", used > have);
            expect_true("but not too much", start + used <= stream.len);
            have = used;
            n_waits++;
        }
        free(piece);
    }
    expect_number("messages", n, N_MESSAGES);
    expect_true("few waits", n_waits <= 3 * N_MESSAGES);
    pbt_buffer_free(&stream);
}
END_TEST

typedef struct bad_start {
    const char *input;
    pbt_status status;
    size_t used;
    const char *sentence;
} bad_start;

static const bad_start bad_starts[] = {
    {"", PBT_ERR_MALFORMED, 1, "byte 0: a varint is cut off"},
    {"80", PBT_ERR_MALFORMED, 2, "byte 0: a varint is cut off"},
    {"ff*9", PBT_ERR_MALFORMED, 10, "byte 0: a varint is cut off"},
    {"ff*10", PBT_ERR_MALFORMED, 0, "byte 0: a varint has more than ten bytes"},
    {"ff*10 01", PBT_ERR_MALFORMED, 0,
     "byte 0: a varint has more than ten bytes"},
    {"04 61", PBT_ERR_MALFORMED, 5,
     "byte 0: the length says 4, 1 bytes follow"},
    {"80 01", PBT_ERR_MALFORMED, 130,
     "byte 0: the length says 128, 0 bytes follow"},
    {"80 80 80 80 08 61", PBT_ERR_TOO_LARGE, 0,
     "the message has 2147483648 bytes, more than 2147483647"},
    {"ff*9 01", PBT_ERR_TOO_LARGE, 0,
     "the message has 18446744073709551615 bytes, more than 2147483647"},
};

START_TEST(bad_starts_are_told) {
    const bad_start *bad = &bad_starts[_i];
    arena a = {0};
    packed in = bytes_of(&a, bad->input);
    pbt_error error = {0};
    pbt_options options = {.error = &error};
    const void *message = "";
    size_t len = 9, used = 9;
    expect_context("input %s", bad->input);
    expect_status(
        "next",
        pbt_delimited_next(in.bytes, in.len, &options, &message, &len, &used),
        bad->status);
    expect_status("report", error.status, bad->status);
    expect_text("message", error.message, bad->sentence);
    ck_assert_ptr_null(message);
    expect_number("length", len, 0);
    expect_number("used", used, bad->used);
    arena_free(&a);
}
END_TEST

START_TEST(the_limit_on_size_holds) {
    const uint8_t in[] = {3, 0x0a, 1, 'x'};
    pbt_options options = {.max_size = 2};
    const void *message;
    size_t len, used;
    expect_context("limit");
    expect_status(
        "too large",
        pbt_delimited_next(in, sizeof in, &options, &message, &len, &used),
        PBT_ERR_TOO_LARGE);
    options.max_size = 3;
    expect_status(
        "as large as may be",
        pbt_delimited_next(in, sizeof in, &options, &message, &len, &used),
        PBT_OK);
    expect_number("used", used, 4);
}
END_TEST

START_TEST(arguments) {
    const uint8_t in[] = {0};
    const pbt_options wrong = {.flags = 0x80000000u};
    const void *message;
    size_t len, used;
    expect_context("arguments");
    expect_status("data",
                  pbt_delimited_next(NULL, 1, NULL, &message, &len, &used),
                  PBT_ERR_ARGUMENT);
    expect_status("message", pbt_delimited_next(in, 1, NULL, NULL, &len, &used),
                  PBT_ERR_ARGUMENT);
    expect_status("length",
                  pbt_delimited_next(in, 1, NULL, &message, NULL, &used),
                  PBT_ERR_ARGUMENT);
    expect_status("used", pbt_delimited_next(in, 1, NULL, &message, &len, NULL),
                  PBT_ERR_ARGUMENT);
    expect_status("flags",
                  pbt_delimited_next(in, 1, &wrong, &message, &len, &used),
                  PBT_ERR_ARGUMENT);
    expect_status("an empty message",
                  pbt_delimited_next(in, 1, NULL, &message, &len, &used),
                  PBT_OK);
    ck_assert_ptr_eq(message, in + 1);
    expect_number("used", used, 1);
}
END_TEST

Suite *delimited_suite(void) {
    Suite *suite = suite_create("delimited");
    TCase *tests = tcase_create("delimited");
    tcase_add_test(tests, messages_follow_each_other);
    tcase_add_test(tests, a_stream_is_read_piece_by_piece);
    tcase_add_loop_test(tests, bad_starts_are_told, 0,
                        sizeof bad_starts / sizeof *bad_starts);
    tcase_add_test(tests, the_limit_on_size_holds);
    tcase_add_test(tests, arguments);
    suite_add_tcase(suite, tests);
    return suite;
}
