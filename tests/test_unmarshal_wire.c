/* test_unmarshal_wire.c - unmarshal on bytes written by hand: what the encoding
 * specification allows beyond what any writer writes, and what it does not. */
#include <stdlib.h>
#include <string.h>

#include "cases2.pb-c.h"
#include "cases3.pb-c.h"
#include "suites.h"
#include "support_bytes.h"
#include "support_expect.h"

#define NODE &c2__node__descriptor
#define OPT &c2__opt__descriptor
#define REP &c2__rep__descriptor
#define ONE &c2__one__descriptor
#define BIG &c2__big__descriptor
#define S1 &c2__s1__descriptor

typedef struct good_input {
    const ProtobufCMessageDescriptor *type;
    const char *input, *want;
} good_input;

static void expect_all(const good_input *cases, size_t n) {
    size_t i;
    for (i = 0; i < n; i++)
        bytes_expect(cases[i].type, 0, cases[i].input, cases[i].want);
}

#define EXPECT_ALL(cases) expect_all(cases, sizeof(cases) / sizeof *(cases))

START_TEST(the_last_value_counts) {
    static const good_input cases[] = {
        {OPT, "", ""},
        {OPT, "28 01 28 02", "28 02"},
        {OPT, "0a 01 61 0a 02 62 62 0a 00", "0a 00"},
        {OPT, "12 01 61 12 00", "12 00"},
        {OPT, "48 01 20 01 48 00", "20 01 48 00"},
    };
    EXPECT_ALL(cases);
}
END_TEST

START_TEST(singular_messages_are_merged) {
    static const good_input cases[] = {
        {NODE, "0a 02 10 07 0a 00", "0a 02 10 07"},
        {NODE, "0a 02 10 07 0a 02 10 08", "0a 02 10 08"},
        {NODE, "0a 04 0a 02 10 01 0a 02 10 02 0a 02 0a 00",
         "0a 06 0a 02 10 01 10 02"},
        {OPT, "1a 03 0a 01 61 28 05 1a 02 10 05", "1a 05 0a 01 61 10 05 28 05"},
        /* unknown fields of both */
        {OPT, "1a 02 18 01 1a 02 18 02", "1a 06 0a 00 18 01 18 02"},
    };
    EXPECT_ALL(cases);
}
END_TEST

START_TEST(members_of_a_oneof_replace_each_other) {
    static const good_input cases[] = {
        {ONE, "0a 01 61 20 05", "20 05"},
        {ONE, "20 05 0a 01 61", "0a 01 61"},
        {ONE, "12 01 61 1a 00", "1a 02 0a 00"},
        {ONE, "1a 03 0a 01 61 1a 02 10 05", "1a 05 0a 01 61 10 05"},
        {ONE, "1a 03 0a 01 61 20 05 1a 02 10 01", "1a 04 0a 00 10 01"},
        {ONE, "1a 03 0a 01 61 12 03 62 62 62 1a 03 0a 01 63", "1a 03 0a 01 63"},
    };
    EXPECT_ALL(cases);
}
END_TEST

START_TEST(repeated_fields_packed_or_not) {
    static const good_input cases[] = {
        {REP, "30 01 30 02", "32 02 01 02"},
        {REP, "2a 02 01 02", "28 01 28 02"},
        {REP, "28 01 2a 02 02 03 28 04 2a 00", "28 01 28 02 28 03 28 04"},
        {REP, "32 00 3a 00 42 00", ""},
        {REP, "3d 01 00 00 00 3a 04 02 00 00 00",
         "3a 08 01 00 00 00 02 00 00 00"},
        {REP, "42 05 80 00 81 00 07", "42 03 00 01 01"},
        {REP, "50 01 52 02 02 03", "52 03 01 02 03"},
        {REP, "22 02 01 00 4a 01 01 48 00", "20 01 20 00 4a 02 01 00"},
        {REP, "32 0b ff*9 01 05", "32 0b ff*9 01 05"},
        {REP, "0a 00 0a 01 61 12 00 12 01 62", "0a 00 0a 01 61 12 00 12 01 62"},
        {REP, "1a 02 10 01 28 01 1a 02 10 02",
         "1a 04 0a 00 10 01 1a 04 0a 00 10 02 28 01"},
    };
    EXPECT_ALL(cases);
}
END_TEST

START_TEST(numbers_in_odd_forms) {
    static const good_input cases[] = {
        {OPT, "28 ff ff ff ff 1f", "28 ff*9 01"}, /* the low 32 bits */
        {OPT, "28 ff ff ff ff 0f", "28 ff*9 01"},
        {OPT, "28 80 80 80 80 10", "28 00"},
        {OPT, "28 81 80 80 80 80 80 80 80 80 00", "28 01"},
        {OPT, "28 81 80 80 80 80 80 80 80 80 7e", "28 01"},
        {OPT, "48 80 80 01", "48 01"},
        {OPT, "48 80 80 80 80 80 80 80 80 80 01", "48 01"},
        {OPT, "20 07", "20 07"}, /* an enum is open unless known not to be */
        {OPT, "8a 00 01 61 8a 80 80 80 00 01 62", "0a 01 62"},
        {OPT, "0a 81 00 61", "0a 01 61"},
        {BIG, "f8 ff ff ff 0f 01 08 02", "08 02 f8 ff ff ff 0f 01"},
        {BIG, "80 80 80 80 08 03", "80 80 80 80 08 03"},
        {BIG, "80 80 80 80 09 03", "80 80 80 80 09 03"}, /* unknown */
    };
    EXPECT_ALL(cases);
}
END_TEST

START_TEST(unknown_fields_are_kept) {
    static const good_input cases[] = {
        {S1, "a2 01 03 61 62 63", "a2 01 03 61 62 63"},
        {S1, "10 81 00 0a 01 61 19 01*8 25 02*4 12 81 00 01",
         "0a 01 61 10 81 00 19 01*8 25 02*4 12 81 00 01"},
        {S1, "13 08 01 14", "13 08 01 14"},
        {S1, "13 13 1b 1c 14 0a 01 07 1d 01*4 11 02*8 14 10 05",
         "13 13 1b 1c 14 0a 01 07 1d 01*4 11 02*8 14 10 05"},
        /* known, but not of this wire type */
        {OPT, "08 05 0d 01*4 09 01*8 0b 0c", "08 05 0d 01*4 09 01*8 0b 0c"},
        {OPT, "2a 01 05 2d 01*4", "2a 01 05 2d 01*4"},
        {OPT, "18 01 1b 1c", "18 01 1b 1c"},
        {REP, "2d 01*4 0b 0c", "2d 01*4 0b 0c"},
    };
    size_t i;
    EXPECT_ALL(cases);
    for (i = 2; i < sizeof cases / sizeof *cases; i++)
        bytes_expect(cases[i].type, PBT_DISCARD_UNKNOWN, cases[i].input, "");
}
END_TEST

typedef struct bad_input {
    const ProtobufCMessageDescriptor *type;
    const char *input, *path;
    int offset;
} bad_input;

static const bad_input malformed[] = {
    {S1, "00", "", 0},
    {S1, "0a 01 61 02 00", "", 3},
    {S1, "07 00", "", 0},
    {S1, "80 00 01", "", 0},
    {S1, "80 80 80 80 80 01", "", 0},
    {S1, "8a 80 80 80 80 00 00", "", 0},
    {S1, "88 80 80 80 10 00", "", 0}, /* more than 32 bits */
    {S1, "8a", "", 0},
    {S1, "8a 80", "", 0},
    {S1, "0a 01 61 ff ff ff ff ff", "", 3},
    {S1, "0e 00", "a", 0},
    {S1, "0f 00", "a", 0},
    {S1, "16", "", 0},
    {S1, "0a", "a", 0},
    {S1, "0a 05 61", "a", 0},
    {S1, "0a 01 61 0a 80", "a", 3},
    {S1, "0a ff*10 01", "a", 0},
    {S1, "0a ff*9 01 61", "a", 0},
    {S1, "10", "", 0},
    {S1, "10 80", "", 0},
    {S1, "10 ff*10 01", "", 0},
    {S1, "11 01*7", "", 0},
    {S1, "15 01*3", "", 0},
    {S1, "12 02 61", "", 0},
    {S1, "12 ff*9 01 61", "", 0},
    {S1, "0c", "", 0},
    {S1, "13", "", 1},
    {S1, "13 08 01", "", 3},
    {S1, "13 0c", "", 1},
    {S1, "13 1b 14", "", 2},
    {S1, "13 08", "", 1},
    {S1, "13 0e", "", 1},
    {S1, "13 00 14", "", 1},
    {OPT, "28", "i", 0},
    {OPT, "28 80", "i", 0},
    {OPT, "28 ff*10 01", "i", 0},
    {OPT, "48 01 28 ff*9 80 00", "i", 2},
    {OPT, "12 03 01 02", "b", 0},
    {OPT, "1a 02 10", "m", 0},
    {OPT, "1a 01 10", "m.v", 2},
    {OPT, "1a 02 0a 01", "m.name", 2},
    {NODE, "0a 03 0a 01 10", "n.n.v", 4},
    {NODE, "0a 02 0a 05 10 01", "n.n", 2},
    {NODE, "0a 02 10 80 10 01", "n.v", 2},
    {REP, "32 02 01 80", "pi", 3},
    {REP, "32 0b ff*10 01", "pi", 2},
    {REP, "32 0d 01 ff*10 01 01", "pi", 3},
    {REP, "3a 05 00*5", "pf", 6},
    {REP, "3d 00 00 00", "pf", 0},
    {REP, "42 0c 01 ff*10 01", "pb", 3},
    {REP, "1a 00 1a 01 10", "m[1].v", 4},
    {REP, "32 05 01", "pi", 0},
};

START_TEST(malformed_input_is_told_with_its_place) {
    size_t i;
    for (i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        const bad_input *bad = &malformed[i];
        bytes_expect_error(bad->type, 0, bad->input, PBT_ERR_MALFORMED,
                           bad->path, bad->offset);
    }
}
END_TEST

typedef struct wording {
    const ProtobufCMessageDescriptor *type;
    const char *input, *sentence;
} wording;

static const wording wordings[] = {
    {S1, "00", "byte 0: no field has such a number"},
    {S1, "0a 01 61 88 80 80 80 10 00", "byte 3: no field has such a number"},
    {S1, "80 80 80 80 80 01", "byte 0: no field has such a number"},
    {S1, "90 80 80 80 80 00 00", "byte 0: a tag has more than five bytes"},
    {S1, "8a", "byte 0: a varint is cut off"},
    {S1, "ff*10 01", "byte 0: a varint has more than ten bytes"},
    {S1, "0e 00", "byte 0: the tag has a wire type that does not exist"},
    {S1, "0a 80", "byte 0: a varint is cut off"},
    {S1, "0a ff*10 01", "byte 0: a varint has more than ten bytes"},
    {S1, "0a 05 61", "byte 0: the field exceeds the message that it is in"},
    {S1, "10 80", "byte 0: a varint is cut off"},
    {S1, "10 ff*10 01", "byte 0: a varint has more than ten bytes"},
    {S1, "10 ff*10 01 0a 01*40", "byte 0: a varint has more than ten bytes"},
    {S1, "15 01", "byte 0: the field exceeds the message that it is in"},
    {OPT, "28 ff*10 01", "byte 0: a varint has more than ten bytes"},
    {OPT, "28 ff*10 01 1a 26 01*38",
     "byte 0: a varint has more than ten bytes"},
    {OPT, "28 80", "byte 0: a varint is cut off"},
    {REP, "32 02 01 80",
     "byte 3: the last number of a packed field is cut off"},
    {REP, "32 0b ff*10 01", "byte 2: a varint has more than ten bytes"},
    {S1, "0c", "byte 0: the end of a group that is not open"},
    {S1, "13 1b 14", "byte 2: the end of a group that is not open"},
    {S1, "13 00 14", "byte 1: no field has such a number"},
    {S1, "13", "byte 1: a group has no end"},
};

START_TEST(malformed_input_is_told_in_the_same_words) {
    const wording *bad = &wordings[_i];
    arena a = {0};
    packed in = bytes_of(&a, bad->input);
    pbt_arena *pieces = pbt_arena_new(NULL, 0);
    pbt_error error = {0};
    pbt_options options = {.error = &error};
    ProtobufCMessage *message;
    expect_context("input %s", bad->input);
    expect_status(
        "unmarshal",
        pbt_unmarshal(bad->type, in.bytes, in.len, &options, pieces, &message),
        PBT_ERR_MALFORMED);
    expect_text("message", error.message, bad->sentence);
    pbt_arena_free(pieces);
    arena_free(&a);
}
END_TEST

START_TEST(strings_with_nul) {
    bytes_expect(S1, 0, "0a 03 61 00 62", "0a 01 61");
    bytes_expect(S1, PBT_REJECT_NUL, "0a 02 61 62", "0a 02 61 62");
    bytes_expect_error(S1, PBT_REJECT_NUL, "0a 03 61 00 62", PBT_ERR_VALUE, "a",
                       -1);
    bytes_expect_error(REP, PBT_REJECT_NUL, "0a 01 61 0a 01 00", PBT_ERR_VALUE,
                       "s[1]", -1);
    bytes_expect(OPT, PBT_REJECT_NUL, "12 01 00", "12 01 00");
}
END_TEST

static bool is_in(packed in, const ProtobufCBinaryData *bytes) {
    uintptr_t place = (uintptr_t) bytes->data - (uintptr_t) in.bytes;
    return place < in.len && bytes->len <= in.len - place;
}

/* The last bytes of the input are copied whatever the flags say. */
START_TEST(borrowed_bytes) {
    static const char input[] = "12 00 12 02 61 62 12 20 63*32 12 01 64 "
                                "28 05 28 05 28 05 28 05 28 05 28 05 28 05 "
                                "28 05 28 05 28 05 28 05 28 05 28 05 28 05 "
                                "28 05 28 05 28 05 28 05 28 05 28 05 28 05 "
                                "28 05 28 05 28 05 12 02 65 66";
    static const bool borrowed[] = {false, true, true, true, false};
    arena a = {0};
    packed in = bytes_of(&a, input), got;
    pbt_arena *pieces = pbt_arena_new(NULL, 0);
    pbt_options options = {.flags = PBT_BORROW_BYTES};
    ProtobufCMessage *message = NULL;
    const C2__Rep *rep;
    size_t i;
    expect_status(
        "unmarshal",
        pbt_unmarshal(REP, in.bytes, in.len, &options, pieces, &message),
        PBT_OK);
    rep = (const C2__Rep *) message;
    expect_true("five", rep->n_b == sizeof borrowed / sizeof *borrowed);
    for (i = 0; i < rep->n_b; i++) {
        expect_context("bytes %zu", i);
        expect_true("borrowed", is_in(in, &rep->b[i]) == borrowed[i]);
    }
    got = packed_by_protobuf_c(&a, message);
    expect_true("as long as the input", got.len == in.len);
    pbt_arena_free(pieces);
    arena_free(&a);
    bytes_expect(OPT, PBT_BORROW_BYTES, "12 01 61 12 00", "12 00");
    bytes_expect(ONE, PBT_BORROW_BYTES, "12 28 61*40 1a 00", "1a 02 0a 00");
}
END_TEST

START_TEST(strings_that_are_not_utf8) {
    bytes_expect(S1, 0, "0a 02 c3 28", "0a 02 c3 28");
    bytes_expect(S1, PBT_CONFORMANT, "0a 02 c3 28", "0a 02 c3 28");
    bytes_expect(S1, PBT_VALIDATE_UTF8, "0a 02 c3 a8", "0a 02 c3 a8");
    bytes_expect_error(S1, PBT_VALIDATE_UTF8, "0a 02 c3 28", PBT_ERR_UTF8, "a",
                       -1);
    bytes_expect_error(REP, PBT_VALIDATE_UTF8, "0a 00 0a 00 0a 01 ff",
                       PBT_ERR_UTF8, "s[2]", -1);
    bytes_expect(OPT, PBT_VALIDATE_UTF8, "12 01 ff", "12 01 ff");
}
END_TEST

START_TEST(length_prefix) {
    bytes_expect(S1, PBT_DELIMITED, "00", "");
    bytes_expect(S1, PBT_DELIMITED, "03 0a 01 61", "0a 01 61");
    bytes_expect(S1, PBT_DELIMITED, "83 00 0a 01 61", "0a 01 61");
}
END_TEST

START_TEST(bad_length_prefix) {
    static const char *const inputs[][2] = {
        {"", "byte 0: a varint is cut off"},
        {"80", "byte 0: a varint is cut off"},
        {"02 0a 01 61", "byte 0: the length says 2, 3 bytes follow"},
        {"04 0a 01 61", "byte 0: the length says 4, 3 bytes follow"},
        {"ff*9 01 00",
         "byte 0: the length says 18446744073709551615, 1 bytes follow"},
        {"ff*10 01", "byte 0: a varint has more than ten bytes"}};
    pbt_arena *pieces = pbt_arena_new(NULL, 0);
    size_t i;
    for (i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        arena a = {0};
        packed in = bytes_of(&a, inputs[i][0]);
        pbt_error error = {0};
        pbt_options options = {.flags = PBT_DELIMITED, .error = &error};
        ProtobufCMessage *message;
        expect_context("input %s", inputs[i][0]);
        expect_status(
            "prefix",
            pbt_unmarshal(S1, in.bytes, in.len, &options, pieces, &message),
            PBT_ERR_MALFORMED);
        expect_text("message", error.message, inputs[i][1]);
        arena_free(&a);
    }
    {
        const uint8_t in[] = {3, 0x0a, 5, 'x'};
        pbt_error error = {0};
        pbt_options options = {.flags = PBT_DELIMITED, .error = &error};
        ProtobufCMessage *message;
        expect_status(
            "behind a prefix",
            pbt_unmarshal(S1, in, sizeof in, &options, pieces, &message),
            PBT_ERR_MALFORMED);
        expect_true("place", strncmp(error.message, "byte 1: ", 8) == 0);
    }
    pbt_arena_free(pieces);
}
END_TEST

START_TEST(arguments) {
    const uint8_t in[] = {0x0a, 1, 'x'};
    pbt_arena *pieces = pbt_arena_new(NULL, 0);
    pbt_error error = {0};
    pbt_options options = {.error = &error, .flags = 0x80000000u};
    ProtobufCMessage *message = (ProtobufCMessage *) (void *) &error;
    size_t size;
    expect_context("arguments");
    expect_status("type", pbt_unmarshal(NULL, in, 3, NULL, pieces, &message),
                  PBT_ERR_ARGUMENT);
    expect_true("no message", message == NULL);
    expect_status("data", pbt_unmarshal(S1, NULL, 3, NULL, pieces, &message),
                  PBT_ERR_ARGUMENT);
    expect_status("arena", pbt_unmarshal(S1, in, 3, NULL, NULL, &message),
                  PBT_ERR_ARGUMENT);
    expect_status("message", pbt_unmarshal(S1, in, 3, NULL, pieces, NULL),
                  PBT_ERR_ARGUMENT);
    expect_status("flags", pbt_unmarshal(S1, in, 3, &options, pieces, &message),
                  PBT_ERR_ARGUMENT);
    expect_text("flags", error.message, "options.flags has an unknown bit");
    expect_status("no data", pbt_unmarshal(S1, NULL, 0, NULL, pieces, &message),
                  PBT_OK);
    options.flags = PBT_REJECT_NUL;
    expect_status("not for size", pbt_size(message, &options, &size),
                  PBT_ERR_ARGUMENT);
    expect_text("not for size", error.message,
                "options.flags has PBT_REJECT_NUL, which only unmarshal knows");
    options.flags = PBT_BORROW_BYTES;
    expect_status("not for size", pbt_size(message, &options, &size),
                  PBT_ERR_ARGUMENT);
    options = (pbt_options){.max_size = 2, .error = &error};
    expect_status("size", pbt_unmarshal(S1, in, 3, &options, pieces, &message),
                  PBT_ERR_TOO_LARGE);
    options.max_size = 3;
    expect_status("size", pbt_unmarshal(S1, in, 3, &options, pieces, &message),
                  PBT_OK);
    pbt_arena_free(pieces);
}
END_TEST

/* A field with len bytes, each unlike its neighbours. Returns its end. */
static uint8_t *put_text(uint8_t *p, uint8_t tag, size_t len, unsigned first) {
    size_t i;
    *p++ = tag;
    if (len >= 0x80)
        *p++ = (uint8_t) (len | 0x80);
    *p++ = (uint8_t) (len >= 0x80 ? len >> 7 : len);
    for (i = 0; i < len; i++)
        *p++ = (uint8_t) ((first + i) % 251 + 1);
    return p;
}

/* Texts of every length around the vectors that copy them, at every distance
 * from the end of the input at which they are read with more or less care. The
 * input ends where its memory ends. */
START_TEST(texts_of_all_lengths) {
    pbt_arena *pieces = pbt_arena_new(NULL, 0);
    size_t len, after;
    for (len = 0; len < 300; len += len < 140 ? 1 : 7)
        for (after = 0; after < 120; after += after < 60 ? 1 : 11) {
            uint8_t buffer[1500];
            uint8_t *second = put_text(buffer, 0x0a, len, 7);
            uint8_t *third = put_text(second, 0x12, len, 90);
            uint8_t *end = put_text(third, 0x0a, after, 200);
            size_t size = (size_t) (end - buffer);
            uint8_t *in = malloc(size);
            ProtobufCMessage *message;
            const C2__Rep *rep;
            expect_context("length %zu, %zu after it", len, after);
            memcpy(in, buffer, size);
            expect_status("message",
                          pbt_unmarshal(REP, in, size, NULL, pieces, &message),
                          PBT_OK);
            free(in);
            rep = (const C2__Rep *) (void *) message;
            expect_number("strings", rep->n_s, 2);
            expect_number("bytes", rep->n_b, 1);
            expect_bytes("first", rep->s[0], strlen(rep->s[0]), second - len,
                         len);
            expect_bytes("second", rep->b[0].data, rep->b[0].len, third - len,
                         len);
            expect_bytes("third", rep->s[1], strlen(rep->s[1]), end - after,
                         after);
            pbt_arena_reset(pieces);
        }
    pbt_arena_free(pieces);
}
END_TEST

/* Texts around the length up to which they are copied in line. */
START_TEST(long_texts) {
    static const size_t lengths[] = {16255, 16256, 16383, 16384, 16385, 20001};
    pbt_arena *pieces = pbt_arena_new(NULL, 0);
    size_t i, j;
    for (i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        size_t len = lengths[i];
        uint8_t *in = malloc(len + 4);
        ProtobufCMessage *message;
        const C2__Rep *rep;
        in[0] = 0x12;
        in[1] = (uint8_t) (len | 0x80);
        in[2] = (uint8_t) (len >> 7 | 0x80);
        in[3] = (uint8_t) (len >> 14);
        for (j = 0; j < len; j++)
            in[4 + j] = (uint8_t) (j % 251 + 1);
        expect_context("length %zu", len);
        expect_status("message",
                      pbt_unmarshal(REP, in, len + 4, NULL, pieces, &message),
                      PBT_OK);
        rep = (const C2__Rep *) (void *) message;
        expect_bytes("bytes", rep->b[0].data, rep->b[0].len, in + 4, len);
        free(in);
        pbt_arena_reset(pieces);
    }
    pbt_arena_free(pieces);
}
END_TEST

Suite *unmarshal_wire_suite(void) {
    Suite *suite = suite_create("unmarshal_wire");
    TCase *tc = tcase_create("unmarshal_wire");
    suite_add_tcase(suite, tc);
    tcase_add_test(tc, the_last_value_counts);
    tcase_add_test(tc, singular_messages_are_merged);
    tcase_add_test(tc, members_of_a_oneof_replace_each_other);
    tcase_add_test(tc, repeated_fields_packed_or_not);
    tcase_add_test(tc, numbers_in_odd_forms);
    tcase_add_test(tc, unknown_fields_are_kept);
    tcase_add_test(tc, malformed_input_is_told_with_its_place);
    tcase_add_loop_test(tc, malformed_input_is_told_in_the_same_words, 0,
                        sizeof wordings / sizeof *wordings);
    tcase_add_test(tc, strings_with_nul);
    tcase_add_test(tc, borrowed_bytes);
    tcase_add_test(tc, strings_that_are_not_utf8);
    tcase_add_test(tc, length_prefix);
    tcase_add_test(tc, bad_length_prefix);
    tcase_add_test(tc, arguments);
    tcase_add_test(tc, texts_of_all_lengths);
    tcase_add_test(tc, long_texts);
    return suite;
}
