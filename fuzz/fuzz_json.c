/* fuzz_json.c - target: what was unmarshalled is printed as JSON, in every form
 * and by both roads. */
#include <stdlib.h>
#include <string.h>

#include "fuzz_target.h"
#include "fuzz_valid.h"

void fuzz_seed(fuzz_bytes *out, rng *r) {
    fuzz_message_seed(out, r);
}

bool fuzz_read_case(fuzz_bytes *out, const char *line) {
    return fuzz_message_case(out, line);
}

/* Two bytes of the input choose all of them. */
static void choose_options(pbt_json_options *options, const uint8_t *data) {
    rng r = {(uint64_t) data[1] << 8 | data[2]};
    if (rng_chance(&r, 70))
        options->flags = (uint32_t) (rng_next(&r) & 0xffff);
    if (rng_chance(&r, 30))
        options->indent =
            rng_chance(&r, 20) ? PBT_JSON_TAB : (uint8_t) rng_below(&r, 9);
    options->utf8 = (uint8_t) rng_below(&r, 3);
    options->nonfinite = (uint8_t) rng_below(&r, 3);
    if (rng_chance(&r, 10))
        options->max_depth = 1 + rng_below(&r, 5);
    if (rng_chance(&r, 5))
        options->max_size = 1 + rng_below(&r, 500);
}

static void check_error(const pbt_json_options *options, pbt_status status) {
    const pbt_error *error = options->error;
    FUZZ_REQUIRE(error->status == status && error->message[0],
                 "the error says nothing");
    FUZZ_REQUIRE(
        status == PBT_ERR_VALUE || status == PBT_ERR_NOT_FOUND ||
            status == PBT_ERR_MALFORMED || status == PBT_ERR_DEPTH ||
            status == PBT_ERR_UNSUPPORTED ||
            (status == PBT_ERR_TOO_LARGE && options->max_size) ||
            (status == PBT_ERR_UTF8 && options->utf8 == PBT_JSON_UTF8_ERROR) ||
            (status == PBT_ERR_REQUIRED &&
             !(options->flags & PBT_JSON_ALLOW_PARTIAL)),
        "not an error that a message can cause");
}

static bool has_any_of(const pbt_buffer *text, const char *bytes) {
    for (; *bytes; bytes++)
        if (memchr(text->data, *bytes, text->len))
            return true;
    return false;
}

static void check_text(const pbt_json_options *options,
                       const pbt_buffer *text) {
    const char *data = (const char *) text->data;
    size_t i, len = text->len;
    if (options->flags & PBT_JSON_NEWLINE)
        FUZZ_REQUIRE(len && data[--len] == '\n', "a line does not end");
    FUZZ_REQUIRE(fuzz_is_json(data, len, options->indent != 0), "not JSON");
    FUZZ_REQUIRE(options->utf8 == PBT_JSON_UTF8_TRUST ||
                     fuzz_is_utf8(data, len),
                 "not UTF-8");
    FUZZ_REQUIRE(!(options->flags & PBT_JSON_ESCAPE_HTML) ||
                     !has_any_of(text, "<>&"),
                 "HTML is not escaped");
    FUZZ_REQUIRE(!options->max_size || text->len <= options->max_size,
                 "the text is too large");
    if ((options->flags & PBT_JSON_ASCII_ONLY) &&
        options->utf8 != PBT_JSON_UTF8_TRUST)
        for (i = 0; i < len; i++)
            FUZZ_REQUIRE((data[i] & 0x80) == 0, "not ASCII");
}

/* Sinks, appended text and fixed output have what the buffer has. */
typedef struct comparer {
    pbt_sink sink;
    const pbt_buffer *want;
    size_t at;
} comparer;

static pbt_status compare_piece(pbt_sink *sink, const void *data, size_t len) {
    comparer *c = (comparer *) sink;
    FUZZ_REQUIRE(len <= c->want->len - c->at &&
                     !memcmp(c->want->data + c->at, data, len),
                 "the sink gets something else");
    c->at += len;
    return PBT_OK;
}

static void check_sink(const ProtobufCMessage *msg,
                       const pbt_json_options *options, pbt_status want,
                       const pbt_buffer *text) {
    comparer c = {.sink = {compare_piece}, .want = text};
    FUZZ_REQUIRE(pbt_marshal_json_to_sink(msg, options, &c.sink) == want,
                 "the sink's status differs");
    FUZZ_REQUIRE(c.at == text->len, "the sink gets less");
}

static void check_append(const ProtobufCMessage *msg,
                         const pbt_json_options *options, pbt_status want,
                         const pbt_buffer *text) {
    pbt_buffer twice = {0};
    size_t len = 0;
    int i;
    for (i = 0; i < 2; i++) {
        FUZZ_REQUIRE(pbt_marshal_json_append(msg, options, &twice) == want,
                     "the status of append differs");
        len += text->len;
        FUZZ_REQUIRE(twice.len == len &&
                         (!text->len || !memcmp(twice.data + len - text->len,
                                                text->data, text->len)),
                     "append writes something else");
    }
    pbt_buffer_free(&twice);
}

/* A place of exactly this size lets AddressSanitizer see writes beyond it. */
static void check_into(const ProtobufCMessage *msg,
                       const pbt_json_options *options, const pbt_buffer *text,
                       size_t cap) {
    char *out = malloc(cap ? cap : 1);
    size_t len = 0;
    pbt_status status;
    if (!out)
        return;
    status = pbt_marshal_json_into(msg, options, out, cap, &len);
    FUZZ_REQUIRE(status == (cap < text->len ? PBT_ERR_NO_SPACE : PBT_OK),
                 "the status of fixed output differs");
    FUZZ_REQUIRE(len == text->len, "the length is wrong");
    FUZZ_REQUIRE(status != PBT_OK || !memcmp(out, text->data, len),
                 "fixed output has something else");
    FUZZ_REQUIRE(cap <= len || !out[len], "there is no NUL");
    free(out);
}

static void check_reflection(const ProtobufCMessage *msg,
                             const pbt_json_options *options, pbt_status want,
                             const pbt_buffer *text) {
    pbt_buffer slow = {0};
    pbt_status status = pbt_reflect_marshal_json(&pbt_reflection_protobuf_c,
                                                 msg, options, &slow);
    /* Which comes first depends on how far ahead room is made. */
    bool is_size = options->max_size && want != PBT_OK && status != PBT_OK &&
                   (want == PBT_ERR_TOO_LARGE || status == PBT_ERR_TOO_LARGE);
    FUZZ_REQUIRE(status == want || is_size, "the roads differ in their status");
    FUZZ_REQUIRE(slow.len == text->len &&
                     (!slow.len || !memcmp(slow.data, text->data, slow.len)),
                 "the roads differ in their text");
    pbt_buffer_free(&slow);
}

static void check_json(const ProtobufCMessage *msg,
                       const pbt_json_options *options, uint8_t variant) {
    pbt_buffer text = {0};
    pbt_status status = pbt_marshal_json(msg, options, &text);
    if (status == PBT_OK) {
        check_text(options, &text);
        check_into(msg, options, &text, text.len + 1);
        check_into(msg, options, &text, text.len);
        check_into(msg, options, &text, variant % text.len);
    } else {
        check_error(options, status);
        FUZZ_REQUIRE(!text.len, "there is text in spite of an error");
    }
    check_append(msg, options, status, &text);
    check_sink(msg, options, status, &text);
    check_reflection(msg, options, status, &text);
    pbt_buffer_free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    static const pbt_options partial = {.flags = PBT_ALLOW_PARTIAL};
    pbt_error error = {0};
    pbt_json_options options = {.flags = PBT_JSON_ALLOW_PARTIAL,
                                .error = &error};
    pbt_arena *arena;
    ProtobufCMessage *msg;
    fuzz_input input;
    if (!fuzz_parse_input(&input, data, len))
        return 0;
    arena = pbt_arena_new(NULL, 0);
    if (arena && pbt_unmarshal(input.type, input.data, input.len, &partial,
                               arena, &msg) == PBT_OK) {
        options.schema = fuzz_schema();
        check_json(msg, &options, input.variant);
        choose_options(&options, data);
        check_json(msg, &options, input.variant);
    }
    pbt_arena_free(arena);
    return 0;
}
