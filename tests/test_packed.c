/* test_packed.c - packed numbers of every size on the wire in every lane of a
 * vector, in arrays of every length around its steps, there and back; and which
 * of them the vector kernels take. */
#include <string.h>
#include <sys/mman.h>

#include "suites.h"
#include "support_expect.h"
#include "support_message.h"
#include "support_output.h"
#include "wire_trace.h"

enum {
    N_LANES = 16,
    MAX_SIZE = 10,
    MAX_LENGTH = 70,
    N_SEEDS = 40,
    PAGE_SIZE = 1 << 16, /* a multiple of it on every processor */
    INPUT_SIZE = PAGE_SIZE
};

static const ProtobufCType types[] = {
    PROTOBUF_C_TYPE_INT32, PROTOBUF_C_TYPE_SINT32, PROTOBUF_C_TYPE_UINT32,
    PROTOBUF_C_TYPE_ENUM,  PROTOBUF_C_TYPE_INT64,  PROTOBUF_C_TYPE_SINT64,
    PROTOBUF_C_TYPE_UINT64};
enum { N_TYPES = sizeof types / sizeof *types };

/* A message of one packed field, and its array. */
typedef struct subject {
    arena arena;
    ProtobufCType type;
    ProtobufCMessage *message;
    size_t *n;
    char *array;
    pbt_arena *read;
    uint8_t *pages, *end; /* of memory for input */
} subject;

static void subject_open(subject *s, ProtobufCType type) {
    const schema_field field = {.number = 1,
                                .type = type,
                                .label = PROTOBUF_C_LABEL_REPEATED,
                                .flags = PROTOBUF_C_FIELD_FLAG_PACKED,
                                .type_of = &schema_enum};
    const ProtobufCMessageDescriptor *made;
    memset(s, 0, sizeof *s);
    made = schema_make(&s->arena, "test.Packed", &field, 1);
    s->type = type;
    s->message = message_empty(&s->arena, made);
    s->n = message_member(s->message, made->fields->quantifier_offset);
    s->array = arena_alloc(&s->arena, 8 * 4096);
    memcpy(message_member(s->message, made->fields->offset), &s->array,
           sizeof s->array);
    s->read = pbt_arena_new(NULL, 0);
    s->pages = mmap(NULL, INPUT_SIZE + PAGE_SIZE, PROT_READ | PROT_WRITE,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(s->pages, MAP_FAILED);
    s->end = s->pages + INPUT_SIZE;
    ck_assert_int_eq(mprotect(s->end, PAGE_SIZE, PROT_NONE), 0);
}

static void subject_close(subject *s) {
    munmap(s->pages, INPUT_SIZE + PAGE_SIZE);
    pbt_arena_free(s->read);
    pbt_forget(s->message->descriptor);
    arena_free(&s->arena);
}

static bool is_wide(ProtobufCType type) {
    return schema_member_size(type) == 8;
}

/* Bytes that the largest value takes, but for negative ones of 32 bits, which
 * take ten. */
static unsigned largest_size(ProtobufCType type) {
    return is_wide(type) ? 10 : 5;
}

static bool has_ten_bytes(ProtobufCType type) {
    return type == PROTOBUF_C_TYPE_INT32 || type == PROTOBUF_C_TYPE_ENUM;
}

/* A number that takes so many bytes on the wire: the lowest or the highest of
 * its kind, or any. */
static uint64_t wire_value(rng *r, ProtobufCType type, unsigned size) {
    uint64_t low = size == 1 ? 0 : UINT64_C(1) << 7 * (size - 1);
    uint64_t high = size < 10 ? (UINT64_C(1) << 7 * size) - 1 : UINT64_MAX;
    if (has_ten_bytes(type) && size > 5) {
        low = (uint64_t) INT32_MIN;
        high = UINT64_MAX;
    } else if (!is_wide(type) && size == 5) {
        high = has_ten_bytes(type) ? INT32_MAX : UINT32_MAX;
    }
    switch (rng_below(r, 4)) {
    case 0:
        return low;
    case 1:
        return high;
    default:
        return low + rng_next(r) % (high - low + (size < 10));
    }
}

/* Puts such a number into the array. */
static void set_size(subject *s, rng *r, size_t i, unsigned size) {
    uint64_t v;
    if (size > largest_size(s->type) && !has_ten_bytes(s->type))
        size = largest_size(s->type);
    if (size > 5 && has_ten_bytes(s->type))
        size = 10;
    v = wire_value(r, s->type, size);
    if (s->type == PROTOBUF_C_TYPE_SINT32 || s->type == PROTOBUF_C_TYPE_SINT64)
        v = v >> 1 ^ (0 - (v & 1));
    if (is_wide(s->type)) {
        memcpy(s->array + 8 * i, &v, sizeof v);
    } else {
        uint32_t word = (uint32_t) v;
        memcpy(s->array + 4 * i, &word, sizeof word);
    }
}

/* The same array from bytes that end where memory does, and behind which so
 * many others follow, as an unknown field. */
static void read_back(subject *s, const packed *bytes, size_t n,
                      size_t others) {
    const pbt_options options = {.flags = PBT_DISCARD_UNKNOWN};
    const ProtobufCMessageDescriptor *type = s->message->descriptor;
    size_t size = schema_member_size(s->type);
    size_t len = bytes->len + (others > 0 ? others + 3 : 0);
    uint8_t *at = s->end - len;
    ProtobufCMessage *got = NULL;
    const char *array;
    ck_assert_uint_le(len, INPUT_SIZE);
    memset(s->end - INPUT_SIZE, 0x81, INPUT_SIZE);
    memcpy(at, bytes->bytes, bytes->len);
    if (others > 0) {
        const uint8_t tag[] = {0x12, (uint8_t) (others | 0x80),
                               (uint8_t) (others >> 7)};
        memcpy(at + bytes->len, tag, sizeof tag);
    }
    pbt_arena_reset(s->read);
    expect_status("pbt_unmarshal",
                  pbt_unmarshal(type, at, len, &options, s->read, &got),
                  PBT_OK);
    memcpy(&array, message_member(got, type->fields->offset), sizeof array);
    expect_number(
        "elements",
        *(size_t *) message_member(got, type->fields->quantifier_offset), n);
    expect_bytes("pbt_unmarshal", array, n * size, s->array, n * size);
}

/* Bytes as protobuf-c makes them, in every form of output and with too little
 * room; and the same array from them. */
static void compare(subject *s, size_t n) {
    const pbt_options options = {0};
    uint8_t small[8];
    packed want;
    arena a = {0};
    size_t len;
    *s->n = n;
    want = packed_by_protobuf_c(&a, s->message);
    output_expect(s->message, &options, want.bytes, want.len);
    len = want.len <= sizeof small ? want.len - 1 : sizeof small;
    expect_status("too little room",
                  pbt_marshal_into(s->message, NULL, small, len, &len),
                  PBT_ERR_NO_SPACE);
    read_back(s, &want, n, 0);
    read_back(s, &want, n, 31);
    read_back(s, &want, n, 200);
    arena_free(&a);
}

/* All ways in which eight neighbours take one byte or two. */
START_TEST(one_byte_or_two) {
    rng r = {18000000};
    subject s;
    unsigned mask, lane;
    subject_open(&s, types[_i]);
    for (mask = 0; mask < 256; mask++) {
        unsigned bits = mask | ((mask * 37 + 11) & 0xff) << 8;
        expect_context("type %d, mask %x", (int) s.type, bits);
        for (lane = 0; lane < N_LANES; lane++)
            set_size(&s, &r, lane, 1 + (bits >> lane & 1));
        compare(&s, N_LANES);
        compare(&s, 8);
    }
    subject_close(&s);
}
END_TEST

/* All ways in which four neighbours take one byte to four. */
START_TEST(one_byte_to_four) {
    rng r = {18000001};
    subject s;
    unsigned sizes, lane;
    subject_open(&s, types[_i]);
    for (sizes = 0; sizes < 256; sizes++) {
        expect_context("type %d, sizes %x", (int) s.type, sizes);
        for (lane = 0; lane < N_LANES; lane++) {
            unsigned bits = sizes + lane / 4 * 0x55;
            set_size(&s, &r, lane, 1 + (bits >> 2 * (lane % 4) & 3));
        }
        compare(&s, N_LANES);
    }
    subject_close(&s);
}
END_TEST

/* One number of each size in each lane, among others of each size. */
START_TEST(one_of_another_size) {
    rng r = {18000002};
    subject s;
    unsigned size, others, lane, i;
    subject_open(&s, types[_i]);
    for (size = 1; size <= MAX_SIZE; size++)
        for (others = 1; others <= MAX_SIZE; others++)
            for (lane = 0; lane < N_LANES; lane++) {
                expect_context("type %d, size %u among %u in lane %u",
                               (int) s.type, size, others, lane);
                for (i = 0; i < N_LANES; i++)
                    set_size(&s, &r, i, i == lane ? size : others);
                compare(&s, N_LANES);
            }
    subject_close(&s);
}
END_TEST

/* Every length with numbers of up to every size. */
START_TEST(lengths) {
    rng r = {18000003};
    subject s;
    unsigned largest;
    size_t n, i;
    subject_open(&s, types[_i]);
    for (largest = 1; largest <= MAX_SIZE; largest++)
        for (n = 1; n <= MAX_LENGTH; n++) {
            expect_context("type %d, %zu of up to %u bytes", (int) s.type, n,
                           largest);
            for (i = 0; i < n; i++)
                set_size(&s, &r, i, 1 + rng_below(&r, largest));
            compare(&s, n);
        }
    subject_close(&s);
}
END_TEST

/* Runs of one size after another, so that kernels take turns. */
START_TEST(runs) {
    rng r = {18000004};
    subject s;
    int seed;
    subject_open(&s, types[_i]);
    for (seed = 0; seed < N_SEEDS; seed++) {
        size_t n = 1 + rng_below(&r, 2000), i = 0;
        expect_context("type %d, run %d", (int) s.type, seed);
        while (i < n) {
            size_t end = i + 1 + rng_below(&r, 100);
            unsigned largest = 1 + rng_below(&r, MAX_SIZE);
            for (; i < n && i < end; i++)
                set_size(&s, &r, i, 1 + rng_below(&r, largest));
        }
        compare(&s, n);
    }
    subject_close(&s);
}
END_TEST

static bool has_avx2_kernels(void) {
    static const char name[] = "x86-64-v3"; /* and x86-64-v3-pdep */
    return strncmp(pbt_cpu_level(), name, strlen(name)) == 0;
}

/* Steps that marshal takes for so many numbers of a size, from the last of a
 * cold start on. */
static unsigned long steps_taken(subject *s, rng *r, size_t n, unsigned size) {
    pbt_buffer buffer = {0};
    unsigned long steps;
    size_t i;
    for (i = 0; i < n; i++)
        set_size(s, r, i, size);
    *s->n = n;
    expect_status("room", pbt_marshal(s->message, NULL, &buffer), PBT_OK);
    pbti_trace_counts.vector_steps = 0;
    expect_status("steps", pbt_marshal(s->message, NULL, &buffer), PBT_OK);
    steps = pbti_trace_counts.vector_steps;
    pbt_buffer_free(&buffer);
    return steps;
}

/* The kernels of AVX2 take numbers of up to eight bytes. */
START_TEST(steps) {
    rng r = {18000005};
    subject s;
    unsigned size;
    if (!has_avx2_kernels())
        return;
    subject_open(&s, types[_i]);
    for (size = 1; size <= largest_size(s.type); size++) {
        size_t lanes = is_wide(s.type) ? 8 : 16, n;
        for (n = 1; n <= MAX_LENGTH; n++) {
            expect_context("type %d, %zu of %u bytes", (int) s.type, n, size);
            expect_number("steps", steps_taken(&s, &r, n, size),
                          size > 8 ? 0 : (n + lanes - 1) / lanes);
        }
    }
    subject_close(&s);
}
END_TEST

/* Steps that it takes to read them from windows of 64 bytes; what would fill
 * none is left for the next window. Two bytes are read one by one. */
static unsigned long steps_of_windows(size_t n, unsigned size) {
    const size_t lanes = size <= 2 ? 16 : 8;
    unsigned long taken = 0;
    for (; n * size >= 64; n -= 64 / size / lanes * lanes)
        taken += 64 / size / lanes;
    return n * size > 2 ? taken + (n + lanes - 1) / lanes : taken;
}

/* The kernels of AVX2 read numbers of up to four bytes, where bits are
 * extracted fast. */
START_TEST(steps_of_reading) {
    rng r = {18000006};
    subject s;
    unsigned size;
    size_t n, i;
    if (strcmp(pbt_cpu_level(), "x86-64-v3-pdep") != 0)
        return;
    subject_open(&s, types[_i]);
    for (size = 1; size <= largest_size(s.type); size++)
        for (n = 1; n <= MAX_LENGTH; n++) {
            arena a = {0};
            packed bytes;
            expect_context("type %d, %zu of %u bytes", (int) s.type, n, size);
            for (i = 0; i < n; i++)
                set_size(&s, &r, i, size);
            *s.n = n;
            bytes = packed_by_protobuf_c(&a, s.message);
            pbti_trace_counts.read_steps = 0;
            read_back(&s, &bytes, n, 200);
            expect_number("steps", pbti_trace_counts.read_steps,
                          size > 4 ? 0 : steps_of_windows(n, size));
            arena_free(&a);
        }
    subject_close(&s);
}
END_TEST

/* Arrays that come in parts, between which others take memory of the arena:
 * nothing of theirs may be written over. */
START_TEST(parts) {
    const schema_field fields[] = {{.number = 1,
                                    .type = types[_i],
                                    .label = PROTOBUF_C_LABEL_REPEATED,
                                    .flags = PROTOBUF_C_FIELD_FLAG_PACKED,
                                    .type_of = &schema_enum},
                                   {.number = 2,
                                    .type = PROTOBUF_C_TYPE_BYTES,
                                    .label = PROTOBUF_C_LABEL_REPEATED}};
    rng r = {18000007};
    arena a = {0};
    pbt_arena *read = pbt_arena_new(NULL, 0);
    const ProtobufCMessageDescriptor *type =
        schema_make(&a, "test.Parts", fields, 2);
    uint8_t *input = arena_alloc(&a, 1 << 16);
    int seed;
    for (seed = 0; seed < 300; seed++) {
        size_t len = 0, part, n_parts = 1 + rng_below(&r, 20);
        ProtobufCMessage *got = NULL, *theirs;
        packed want, have;
        expect_context("type %d, seed %d", (int) types[_i], seed);
        for (part = 0; part < n_parts; part++) {
            size_t n = rng_below(&r, 120), i;
            bool is_packed = rng_chance(&r, 60);
            input[len++] = is_packed ? 0x0a : 0x12;
            input[len++] = (uint8_t) n;
            for (i = 0; i < n; i++)
                input[len++] = (uint8_t) (rng_below(&r, 128) |
                                          (i % 3 < 2 && i + 1 < n ? 0x80 : 0));
        }
        theirs = protobuf_c_message_unpack(type, NULL, len, input);
        ck_assert_ptr_nonnull(theirs);
        pbt_arena_reset(read);
        expect_status("pbt_unmarshal",
                      pbt_unmarshal(type, input, len, NULL, read, &got),
                      PBT_OK);
        want = packed_by_protobuf_c(&a, theirs);
        have = packed_by_protobuf_c(&a, got);
        expect_bytes("parts", have.bytes, have.len, want.bytes, want.len);
        protobuf_c_message_free_unpacked(theirs, NULL);
    }
    pbt_arena_free(read);
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

Suite *packed_suite(void) {
    Suite *suite = suite_create("packed");
    TCase *tests = tcase_create("packed");
    tcase_add_loop_test(tests, one_byte_or_two, 0, N_TYPES);
    tcase_add_loop_test(tests, one_byte_to_four, 0, N_TYPES);
    tcase_add_loop_test(tests, one_of_another_size, 0, N_TYPES);
    tcase_add_loop_test(tests, lengths, 0, N_TYPES);
    tcase_add_loop_test(tests, runs, 0, N_TYPES);
    tcase_add_loop_test(tests, steps, 0, N_TYPES);
    tcase_add_loop_test(tests, steps_of_reading, 0, N_TYPES);
    tcase_add_loop_test(tests, parts, 0, N_TYPES);
    suite_add_tcase(suite, tests);
    return suite;
}
