/* test_cases_unmarshal.c - bytes that parsers have got wrong: what
 * pbt_unmarshal makes of them, as marshalled again, or how it fails. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pbturbo/unmarshal.h>

#include "cases2.pb-c.h"
#include "cases3.pb-c.h"
#include "suites.h"
#include "support_arena.h"
#include "support_expect.h"
#include "support_hex.h"
#include "support_schema.h"

static pbt_arena *memory;

static void setup(void) {
    memory = pbt_arena_new(NULL, 0);
    ck_assert_ptr_nonnull(memory);
}

static void teardown(void) {
    pbt_arena_free(memory);
}

/* The input ends where its block ends. */
static pbt_status unmarshal(const ProtobufCMessageDescriptor *type,
                            const char *hex, const pbt_options *options,
                            ProtobufCMessage **msg) {
    uint8_t bytes[HEX_MAX];
    size_t len = hex_parse(hex, bytes);
    uint8_t *exact = malloc(len ? len : 1);
    pbt_status status;
    ck_assert_ptr_nonnull(exact);
    memcpy(exact, bytes, len);
    expect_context("%s from %.100s", type->name, hex);
    status = pbt_unmarshal(type, exact, len, options, memory, msg);
    free(exact);
    return status;
}

static ProtobufCMessage *read_partial(const ProtobufCMessageDescriptor *type,
                                      const char *hex) {
    pbt_error error = {0};
    const pbt_options options = {.flags = PBT_ALLOW_PARTIAL, .error = &error};
    ProtobufCMessage *msg = NULL;
    pbt_status status = unmarshal(type, hex, &options, &msg);
    ck_assert_msg(status == PBT_OK, "%s: %s", hex, error.message);
    return msg;
}

/* Reading and writing gives the bytes wanted; the same ones, if NULL. */
static void expect_read(const ProtobufCMessageDescriptor *type, const char *hex,
                        const char *want) {
    hex_expect(read_partial(type, hex), PBT_ALLOW_PARTIAL, want ? want : hex);
}

static void expect_failure(const ProtobufCMessageDescriptor *type,
                           const char *hex, uint32_t flags, pbt_status want,
                           const char *path) {
    pbt_error error = {0};
    const pbt_options options = {.flags = flags, .error = &error};
    ProtobufCMessage *msg;
    expect_status("status", unmarshal(type, hex, &options, &msg), want);
    expect_status("error", error.status, want);
    if (path)
        expect_text("path", error.path, path);
}

/* The message names the byte at which the field begins, or the number. */
static void expect_malformed(const ProtobufCMessageDescriptor *type,
                             const char *hex, size_t offset) {
    pbt_error error = {0};
    const pbt_options options = {.flags = PBT_ALLOW_PARTIAL, .error = &error};
    ProtobufCMessage *msg;
    char number[32];
    expect_status("status", unmarshal(type, hex, &options, &msg),
                  PBT_ERR_MALFORMED);
    snprintf(number, sizeof number, "byte %zu", offset);
    if (!strstr(error.message, number))
        ck_abort_msg("%s: %s, %s expected", hex, error.message, number);
}

/* protobuf-c#203 and its like: a C string ends at the NUL. */
START_TEST(strings_with_nul_lose_their_end_or_fail) {
    expect_read(&c2__s1__descriptor, "0a 03 61 00 62", "0a 01 61");
    expect_read(&c3__pl__descriptor, "2a 03 00 61 62", "");
    expect_failure(&c2__s1__descriptor, "0a 03 61 00 62", PBT_REJECT_NUL,
                   PBT_ERR_VALUE, "a");
    expect_failure(&c3__pl__descriptor, "2a 03 00 61 62", PBT_REJECT_NUL,
                   PBT_ERR_VALUE, "s");
    expect_failure(&c2__rep__descriptor, "0a 01 61 0a 01 00", PBT_REJECT_NUL,
                   PBT_ERR_VALUE, "s[1]");
    /* Bytes are no text. */
    expect_read(&c3__pl__descriptor, "32 03 00 61 62", NULL);
}
END_TEST

/* protobuf-c#454: what the type does not know goes through unchanged, and so
 * do groups, on which protobuf-c gives up. */
START_TEST(unknown_fields_come_back) {
    expect_read(&c2__s1__descriptor, "a2 01 03 61 62 63", NULL);
    expect_read(&c2__s1__descriptor, "13 08 01 14", NULL);
    expect_read(&c2__s1__descriptor, "13 1b 08 01 1c 14", NULL);
    expect_read(&c2__s1__descriptor, "10 96 01 0a 01 78 1d 01 02 03 04",
                "0a 01 78 10 96 01 1d 01 02 03 04");
    expect_read(&c2__s1__descriptor, "11 01 02 03 04 05 06 07 08", NULL);
    /* A known number with another wire type is unknown as well. */
    expect_read(&c2__s1__descriptor, "08 05", NULL);
    expect_read(&c2__opt__descriptor, "2a 01 05 28 05", "28 05 2a 01 05");
}
END_TEST

START_TEST(unknown_fields_can_be_left_out) {
    const pbt_options options = {.flags = PBT_DISCARD_UNKNOWN};
    ProtobufCMessage *msg = NULL;
    expect_status("discard",
                  unmarshal(&c2__s1__descriptor,
                            "13 08 01 14 0a 01 78 a2 01 00", &options, &msg),
                  PBT_OK);
    hex_expect(msg, 0, "0a 01 78");
}
END_TEST

/* protobuf-c#91, #105, #147, #192, #262. */
START_TEST(a_second_sub_message_is_merged) {
    expect_read(&c2__node__descriptor, "0a 02 10 07 0a 00", "0a 02 10 07");
    expect_read(&c2__node__descriptor, "0a 02 10 07 0a 02 10 08",
                "0a 02 10 08");
    expect_read(&c2__node__descriptor, "0a 04 0a 02 10 01 0a 04 0a 00 10 02",
                "0a 06 0a 02 10 01 10 02");
    expect_read(&c2__opt__descriptor, "1a 03 0a 01 61 1a 02 10 05",
                "1a 05 0a 01 61 10 05");
    expect_read(&c2__one__descriptor, "1a 03 0a 01 61 1a 02 10 05",
                "1a 05 0a 01 61 10 05");
    /* Another member in between ends what was there. */
    expect_read(&c2__one__descriptor, "1a 03 0a 01 61 20 01 1a 02 10 05",
                "1a 04 0a 00 10 05");
}
END_TEST

START_TEST(arrays_go_on_in_order) {
    expect_read(&c2__rep__descriptor, "28 01 2a 02 02 03 28 04 2a 00 2a 01 05",
                "28 01 28 02 28 03 28 04 28 05");
    expect_read(&c2__rep__descriptor, "30 01 32 02 02 03 30 04",
                "32 04 01 02 03 04");
    expect_read(&c2__rep__descriptor,
                "3d 01 00 00 00 3a 04 02 00 00 00 3d 03 00 00 00",
                "3a 0c 01 00 00 00 02 00 00 00 03 00 00 00");
    expect_read(&c2__rep__descriptor, "42 04 00 01 ff 01 40 02",
                "42 04 00 01 01 01");
}
END_TEST

START_TEST(the_last_of_several_values_wins) {
    expect_read(&c2__opt__descriptor, "28 01 28 02 0a 01 61 0a 01 62",
                "0a 01 62 28 02");
    expect_read(&c2__one__descriptor, "0a 01 61 12 01 62", "12 01 62");
    expect_read(&c2__one__descriptor, "12 01 62 20 00", "20 00");
    expect_read(&c2__one__descriptor, "20 05 0a 00", "0a 00");
}
END_TEST

/* protobufjs#542, godobuf#14 and others: a member that holds zero was dropped.
 */
START_TEST(oneof_members_that_are_zero_are_set) {
    expect_read(&c3__one__descriptor, "20 00", NULL);
    expect_read(&c3__one__descriptor, "28 00", NULL);
    expect_read(&c3__one__descriptor, "0a 00", NULL);
    expect_read(&c3__one__descriptor, "12 00", NULL);
    expect_read(&c3__one__descriptor, "1a 00", NULL);
}
END_TEST

/* Old writers sent negative enums and numbers in five bytes. */
START_TEST(negative_numbers_are_read_in_any_length) {
    expect_read(&c2__opt__descriptor, "28 ff ff ff ff 0f", "28 ff*9 01");
    expect_read(&c2__opt__descriptor, "28 ff*9 7f", "28 ff*9 01");
    expect_read(&c2__opt__descriptor, "20 ff ff ff ff 0f", "20 ff*9 01");
    expect_read(&c2__opt__descriptor, "28 85 80 80 80 80 80 00", "28 05");
    expect_read(&c2__opt__descriptor, "48 80 80 80 80 10", "48 01");
    expect_read(&c2__opt__descriptor, "48 80 00", "48 00");
}
END_TEST

START_TEST(map_entries_need_neither_key_nor_value) {
    expect_read(&c3__mp__descriptor, "0a 00", NULL);
    expect_read(&c3__mp__descriptor, "0a 02 10 05", NULL);
    expect_read(&c3__mp__descriptor, "0a 05 10 05 0a 01 61",
                "0a 05 0a 01 61 10 05");
    expect_read(&c3__mp__descriptor, "0a 04 10 05 10 06", "0a 02 10 06");
    expect_read(&c3__mp__descriptor, "1a 02 08 01", NULL);
    expect_read(&c3__mp__descriptor, "1a 04 08 01 12 00", NULL);
}
END_TEST

/* protobuf-c#792, #796, #800, #808: lengths of zero, and sums that wrap. */
START_TEST(lengths_are_held_to_the_end) {
    expect_read(&c2__rep__descriptor, "32 00 3a 00 42 00 4a 00", "");
    expect_read(&c2__rep__descriptor, "0a 00 12 00 1a 00",
                "0a 00 12 00 1a 02 0a 00");
    expect_malformed(&c2__s1__descriptor, "0a 05 61", 0);
    expect_malformed(&c2__s1__descriptor, "0a ff ff ff ff 0f", 0);
    expect_malformed(&c2__s1__descriptor, "0a ff ff ff ff 07 61", 0);
    expect_malformed(&c2__s1__descriptor, "0a ff*9 01", 0);
    expect_malformed(&c2__s1__descriptor, "0a ff*8 7f", 0);
    expect_malformed(&c2__rep__descriptor, "3a 03 01 02 03", 2);
    expect_malformed(&c2__rep__descriptor, "3a fc ff ff ff 0f", 0);
    expect_malformed(&c2__rep__descriptor, "3a 80 80 80 80 10", 0);
    expect_malformed(&c2__node__descriptor, "0a 02 0a 01", 2);
    expect_malformed(&c2__node__descriptor, "0a 03 0a 02 10", 2);
}
END_TEST

START_TEST(varints_end_in_time) {
    expect_malformed(&c2__opt__descriptor, "28", 0);
    expect_malformed(&c2__opt__descriptor, "28 80", 0);
    expect_malformed(&c2__opt__descriptor, "28 ff*9", 0);
    expect_malformed(&c2__opt__descriptor, "28 ff*10 01", 0);
    expect_malformed(&c2__opt__descriptor, "28 80*10 00*30", 0);
    expect_malformed(&c2__rep__descriptor, "32 02 01 ff 01", 3);
    expect_malformed(&c2__opt__descriptor, "a8", 0);
}
END_TEST

START_TEST(tags_that_mean_nothing_are_refused) {
    expect_malformed(&c2__s1__descriptor, "00 00", 0);
    expect_malformed(&c2__s1__descriptor, "02 00", 0);
    expect_malformed(&c2__s1__descriptor, "0a 01 61 0e", 3);
    expect_malformed(&c2__s1__descriptor, "0a 01 61 0f", 3);
    expect_malformed(&c2__s1__descriptor, "0c", 0);
    expect_malformed(&c2__s1__descriptor, "04", 0);
    expect_malformed(&c2__s1__descriptor, "0a 01 61 04 0a 01 62", 3);
    expect_malformed(&c2__node__descriptor, "0a 01 04", 2);
    expect_malformed(&c2__s1__descriptor, "13 04 14", 1);
    expect_malformed(&c2__s1__descriptor, "80 80 80 80 80 00", 0);
    expect_malformed(&c2__s1__descriptor, "13 08 01", 3);
    expect_malformed(&c2__s1__descriptor, "13 08 01 1c", 3);
    expect_malformed(&c2__s1__descriptor, "13 00 14", 1);
    expect_read(&c2__big__descriptor, "f8 ff ff ff 0f 02 80 80 80 80 08 03",
                "80 80 80 80 08 03 f8 ff ff ff 0f 02");
}
END_TEST

/* Nothing of a message that is cut off anywhere is read beyond its end. */
START_TEST(every_cut_is_noticed_or_leaves_whole_fields) {
    static const char hex[] =
        "0a 05 68 65 6c 6c 6f 12 03 01 02 03 1a 05 0a 01 61 10 05 20 ff*9 01 "
        "28 96 01 32 03 78 79 7a 3a 01 00 40 2a 48 01 a5 06 01 02 03 04";
    uint8_t bytes[HEX_MAX];
    size_t len = hex_parse(hex, bytes), cut;
    unsigned n_whole = 0;
    for (cut = 0; cut <= len; cut++) {
        uint8_t *exact = malloc(cut ? cut : 1);
        ProtobufCMessage *msg;
        pbt_status status;
        ck_assert_ptr_nonnull(exact);
        memcpy(exact, bytes, cut);
        expect_context("%zu bytes", cut);
        status =
            pbt_unmarshal(&c2__opt__descriptor, exact, cut, NULL, memory, &msg);
        n_whole += status == PBT_OK;
        if (status != PBT_OK)
            expect_status("cut", status, PBT_ERR_MALFORMED);
        free(exact);
    }
    /* Nothing, and each of the ten fields. */
    expect_number("cuts between fields", n_whole, 11);
}
END_TEST

/* golang/protobuf#484 and others: which field was it? */
START_TEST(text_is_checked_when_asked) {
    expect_read(&c2__s1__descriptor, "0a 02 ff fe", NULL);
    expect_failure(&c2__s1__descriptor, "0a 02 ff fe", PBT_VALIDATE_UTF8,
                   PBT_ERR_UTF8, "a");
    expect_failure(&c2__rep__descriptor, "0a 01 61 0a 01 c3", PBT_VALIDATE_UTF8,
                   PBT_ERR_UTF8, "s[1]");
    expect_failure(&c2__opt__descriptor, "1a 05 0a 03 ed a0 80",
                   PBT_VALIDATE_UTF8, PBT_ERR_UTF8, "m.name");
}
END_TEST

/* protocolbuffers/upb#431, #460: a later occurrence may complete a message. */
START_TEST(required_fields_may_come_later) {
    ProtobufCMessage *msg;
    expect_failure(&c2__opt__descriptor, "1a 02 10 05", 0, PBT_ERR_REQUIRED,
                   "m.name");
    expect_status("completed",
                  unmarshal(&c2__opt__descriptor, "1a 02 10 05 1a 03 0a 01 61",
                            NULL, &msg),
                  PBT_OK);
    expect_status("replaced",
                  unmarshal(&c2__one__descriptor, "1a 00 20 05", NULL, &msg),
                  PBT_OK);
    expect_failure(&c2__one__descriptor, "20 05 1a 00", 0, PBT_ERR_REQUIRED,
                   "m.name");
    expect_failure(&c2__rep__descriptor, "1a 03 0a 01 61 1a 00", 0,
                   PBT_ERR_REQUIRED, "m[1].name");
    expect_failure(&c2__attributes__descriptor, "0a 05 0a 01 6b 12 00", 0,
                   PBT_ERR_REQUIRED, "attributes[\"k\"].value.name");
}
END_TEST

/* Numbers, enums and bytes have no presence in the struct; the bytes tell. */
START_TEST(every_required_kind_is_missed) {
    static const char *const pieces[] = {"0a 01 61 ", "12 03 0a 01 62 ",
                                         "1a 00 ", "20 00 ", "28 00 "};
    static const char *const names[] = {"s", "m", "b", "e", "i"};
    char hex[100] = "";
    size_t i, k;
    for (k = 0; k < 5; k++) {
        hex[0] = '\0';
        for (i = 0; i < 5; i++)
            if (i != k)
                strcat(hex, pieces[i]);
        expect_failure(&c2__req__descriptor, hex, 0, PBT_ERR_REQUIRED,
                       names[k]);
    }
    hex[0] = '\0';
    for (i = 0; i < 5; i++)
        strcat(hex, pieces[i]);
    expect_read(&c2__req__descriptor, hex, NULL);
}
END_TEST

/* An enum without default starts with the value declared first. */
START_TEST(what_is_missing_has_its_default) {
    ProtobufCMessage *msg;
    const C2__Opt *opt;
    expect_read(&c2__req__descriptor, "", "0a 00 12 00 1a 00 20 ff*9 01 28 00");
    msg = read_partial(&c2__opt__descriptor, "28 05");
    opt = (const C2__Opt *) (const void *) msg;
    ck_assert_int_eq(opt->e, C2__E__NEG);
    ck_assert_int_eq(opt->di, 42);
    ck_assert_str_eq(opt->ds, "dflt");
    ck_assert_uint_eq(opt->db.len, 3);
}
END_TEST

enum { MANY = 200 };

/* All required but one. */
static size_t all_but(uint8_t *bytes, uint32_t n, uint32_t missing) {
    size_t len = 0;
    uint32_t number;
    for (number = 1; number <= n; number++) {
        uint32_t tag = number << 3;
        if (number == missing)
            continue;
        for (; tag >= 0x80; tag >>= 7)
            bytes[len++] = (uint8_t) (tag | 0x80);
        bytes[len++] = (uint8_t) tag;
        bytes[len++] = 1;
    }
    return len;
}

/* protobuf-c#136, nanopb#18: the 129th, the 33rd was not noticed. */
START_TEST(any_of_many_required_fields_is_missed) {
    static const uint32_t counts[] = {1,  31, 32,  33,  62,  63,  64,
                                      65, 66, 127, 128, 129, 130, MANY};
    schema_field fields[MANY] = {{0}};
    uint8_t bytes[3 * MANY];
    size_t i;
    uint32_t k;
    for (i = 0; i < MANY; i++)
        fields[i] = (schema_field){.number = (uint32_t) i + 1,
                                   .type = PROTOBUF_C_TYPE_INT32,
                                   .label = PROTOBUF_C_LABEL_REQUIRED};
    for (i = 0; i < sizeof counts / sizeof *counts; i++) {
        arena a = {0};
        const ProtobufCMessageDescriptor *type =
            schema_make(&a, "many", fields, counts[i]);
        for (k = 0; k <= counts[i]; k++) {
            pbt_error error = {0};
            const pbt_options options = {.error = &error};
            ProtobufCMessage *msg;
            size_t len = all_but(bytes, counts[i], k);
            expect_context("number %u of %u", (unsigned) k,
                           (unsigned) counts[i]);
            expect_status(
                "status",
                pbt_unmarshal(type, bytes, len, &options, memory, &msg),
                k ? PBT_ERR_REQUIRED : PBT_OK);
            expect_number("field", error.field_number, k);
        }
        pbt_forget(type);
        arena_free(&a);
    }
}
END_TEST

/* Lengths around those at which prefixes take another byte. */
START_TEST(values_of_any_length_come_back) {
    static const uint32_t lengths[] = {
        0,   1,   15,  16,    17,    31,    32,    33,      127,
        128, 255, 256, 16383, 16384, 65535, 65536, 2097151, 2097152};
    size_t i;
    for (i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        C2__Opt opt = C2__OPT__INIT;
        arena a = {0};
        pbt_buffer first = {0}, second = {0};
        ProtobufCMessage *msg = NULL;
        expect_context("length %u", (unsigned) lengths[i]);
        opt.s = arena_alloc(&a, lengths[i] + 1u);
        memset(opt.s, 's', lengths[i]);
        opt.has_b = 1;
        opt.b.len = lengths[i];
        opt.b.data = (uint8_t *) opt.s;
        expect_status("marshal", pbt_marshal(&opt.base, NULL, &first), PBT_OK);
        expect_status("unmarshal",
                      pbt_unmarshal(&c2__opt__descriptor, first.data, first.len,
                                    NULL, memory, &msg),
                      PBT_OK);
        expect_status("again", pbt_marshal(msg, NULL, &second), PBT_OK);
        expect_bytes("bytes", second.data, second.len, first.data, first.len);
        pbt_buffer_free(&first);
        pbt_buffer_free(&second);
        arena_free(&a);
        pbt_arena_reset(memory);
    }
}
END_TEST

enum { DEEP = 100000, SMALL_STACK = 128 * 1024 };

/* A message of levels below the outermost, as nested unknown groups or as
 * sub-messages of Node; from the last byte to the first. */
static size_t nest(uint8_t *end, uint32_t levels, bool groups) {
    size_t len = 0;
    uint32_t i;
    if (groups) {
        memset(end - levels, 0x1c, levels);
        memset(end - 2 * (size_t) levels, 0x1b, levels);
        return 2 * (size_t) levels;
    }
    for (i = 0; i < levels; i++) {
        size_t prefix = len < 0x80       ? 1
                        : len < 0x4000   ? 2
                        : len < 0x200000 ? 3
                                         : 4;
        size_t k, rest = len;
        for (k = 0; k < prefix; k++, rest >>= 7)
            end[k - len - prefix] =
                (uint8_t) (rest | (k + 1 < prefix ? 0x80 : 0));
        len += prefix;
        *(end - ++len) = 0x0a;
    }
    return len;
}

typedef struct deep_input {
    const uint8_t *data;
    size_t len;
    pbt_status status;
} deep_input;

static void *unmarshal_deep(void *data) {
    deep_input *in = data;
    const pbt_options options = {.max_depth = DEEP};
    ProtobufCMessage *msg;
    in->status = pbt_unmarshal(&c2__node__descriptor, in->data, in->len,
                               &options, memory, &msg);
    return NULL;
}

/* protobuf-c#494: four bytes took more stack than a small thread has. */
START_TEST(depth_takes_no_stack) {
    size_t capacity = (size_t) DEEP * 8;
    uint8_t *block = malloc(capacity);
    int groups;
    ck_assert_ptr_nonnull(block);
    for (groups = 0; groups < 2; groups++) {
        size_t len = nest(block + capacity, DEEP, groups);
        deep_input in = {block + capacity - len, len, PBT_ERR_INTERNAL};
        pthread_attr_t attributes;
        pthread_t thread;
        expect_context(groups ? "groups" : "messages");
        pthread_attr_init(&attributes);
        ck_assert_int_eq(pthread_attr_setstacksize(&attributes, SMALL_STACK),
                         0);
        ck_assert_int_eq(
            pthread_create(&thread, &attributes, unmarshal_deep, &in), 0);
        pthread_join(thread, NULL);
        pthread_attr_destroy(&attributes);
        expect_status("deep", in.status, PBT_OK);
    }
    free(block);
}
END_TEST

START_TEST(the_limit_on_depth_is_that_of_marshal) {
    static const uint32_t depths[] = {1, 2, 15, 16, 17, 100, 10000};
    uint8_t block[16 * 10001];
    size_t i;
    for (i = 0; i < sizeof depths / sizeof *depths; i++) {
        pbt_options options = {.max_depth = depths[i]};
        pbt_buffer out = {0};
        ProtobufCMessage *msg = NULL;
        size_t len = nest(block + sizeof block, depths[i], false);
        const uint8_t *data = block + sizeof block - len;
        expect_context("depth %u", (unsigned) depths[i]);
        expect_status("read",
                      pbt_unmarshal(&c2__node__descriptor, data, len, &options,
                                    memory, &msg),
                      PBT_OK);
        expect_status("written", pbt_marshal(msg, &options, &out), PBT_OK);
        expect_bytes("bytes", out.data, out.len, data, len);
        pbt_buffer_free(&out);
        len = nest(block + sizeof block, depths[i] + 1, false);
        expect_status("one more",
                      pbt_unmarshal(&c2__node__descriptor,
                                    block + sizeof block - len, len, &options,
                                    memory, &msg),
                      PBT_ERR_DEPTH);
        len = nest(block + sizeof block, depths[i] + 1, true);
        expect_status("groups",
                      pbt_unmarshal(&c2__node__descriptor,
                                    block + sizeof block - len, len, &options,
                                    memory, &msg),
                      PBT_ERR_DEPTH);
    }
}
END_TEST

Suite *cases_unmarshal_suite(void) {
    Suite *suite = suite_create("cases_unmarshal");
    TCase *cases = tcase_create("cases");
    tcase_set_timeout(cases, 120);
    tcase_add_checked_fixture(cases, setup, teardown);
    tcase_add_test(cases, strings_with_nul_lose_their_end_or_fail);
    tcase_add_test(cases, unknown_fields_come_back);
    tcase_add_test(cases, unknown_fields_can_be_left_out);
    tcase_add_test(cases, a_second_sub_message_is_merged);
    tcase_add_test(cases, arrays_go_on_in_order);
    tcase_add_test(cases, the_last_of_several_values_wins);
    tcase_add_test(cases, oneof_members_that_are_zero_are_set);
    tcase_add_test(cases, negative_numbers_are_read_in_any_length);
    tcase_add_test(cases, map_entries_need_neither_key_nor_value);
    tcase_add_test(cases, lengths_are_held_to_the_end);
    tcase_add_test(cases, varints_end_in_time);
    tcase_add_test(cases, tags_that_mean_nothing_are_refused);
    tcase_add_test(cases, every_cut_is_noticed_or_leaves_whole_fields);
    tcase_add_test(cases, text_is_checked_when_asked);
    tcase_add_test(cases, required_fields_may_come_later);
    tcase_add_test(cases, every_required_kind_is_missed);
    tcase_add_test(cases, what_is_missing_has_its_default);
    tcase_add_test(cases, any_of_many_required_fields_is_missed);
    tcase_add_test(cases, values_of_any_length_come_back);
    tcase_add_test(cases, depth_takes_no_stack);
    tcase_add_test(cases, the_limit_on_depth_is_that_of_marshal);
    suite_add_tcase(suite, cases);
    return suite;
}
