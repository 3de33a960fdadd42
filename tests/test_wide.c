/* test_wide.c - types of hundreds of fields laid out in field order, whose
 * present fields are looked for by windows of the struct. */
#include <string.h>

#include "suites.h"
#include "support_expect.h"
#include "support_message.h"
#include "support_output.h"
#include "support_road.h"
#include "table.h"
#include "wire_trace.h"

enum { N_SEEDS = 60, MIN_FIELDS = 128, MAX_FIELDS = 700 };

/* All kinds, none required and no oneof; messages are of the type itself. */
static schema_field draw_field(rng *r, uint32_t number, bool implicit) {
    schema_field f = {.number = number};
    f.type = (ProtobufCType) rng_below(r, PROTOBUF_C_TYPE_MESSAGE + 1);
    f.label = rng_chance(r, 20) ? PROTOBUF_C_LABEL_REPEATED
              : implicit        ? PROTOBUF_C_LABEL_NONE
                                : PROTOBUF_C_LABEL_OPTIONAL;
    if (f.label == PROTOBUF_C_LABEL_REPEATED && rng_chance(r, 50) &&
        schema_type_is_packable(f.type))
        f.flags = PROTOBUF_C_FIELD_FLAG_PACKED;
    if (f.type == PROTOBUF_C_TYPE_ENUM)
        f.type_of = &schema_enum;
    return f;
}

static ProtobufCMessageDescriptor *draw_type(arena *a, rng *r, bool implicit) {
    schema_field fields[MAX_FIELDS];
    uint32_t n = MIN_FIELDS + rng_below(r, MAX_FIELDS - MIN_FIELDS + 1);
    ProtobufCMessageDescriptor *type;
    ProtobufCFieldDescriptor *copy;
    uint32_t number = 0, i;
    for (i = 0; i < n; i++) {
        number += 1 + (rng_chance(r, 5) ? rng_below(r, 100) : 0);
        fields[i] = draw_field(r, number, implicit);
        if (fields[i].type == PROTOBUF_C_TYPE_MESSAGE)
            fields[i].type_of = &schema_enum; /* for now */
    }
    type = schema_make(a, "test.Wide", fields, n);
    copy = arena_alloc(a, n * sizeof *copy);
    memcpy(copy, type->fields, n * sizeof *copy);
    for (i = 0; i < n; i++)
        if (copy[i].type == PROTOBUF_C_TYPE_MESSAGE)
            copy[i].descriptor = type;
    type->fields = copy;
    return type;
}

/* Leaves values behind has-flags of 0, in this message and those below. */
static void leave_stale_values(rng *r, ProtobufCMessage *message) {
    const ProtobufCMessageDescriptor *type = message->descriptor;
    unsigned i;
    for (i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &type->fields[i];
        if (f->label == PROTOBUF_C_LABEL_OPTIONAL &&
            schema_type_is_packable(f->type) && rng_chance(r, 30)) {
            memset(message_member(message, f->quantifier_offset), 0,
                   sizeof(protobuf_c_boolean));
            value_random(r, f->type, message_member(message, f->offset));
        } else if (f->label == PROTOBUF_C_LABEL_OPTIONAL &&
                   f->type == PROTOBUF_C_TYPE_MESSAGE) {
            ProtobufCMessage *sub = NULL;
            memcpy(&sub, message_member(message, f->offset), sizeof sub);
            if (sub)
                leave_stale_values(r, sub);
        }
    }
}

static void compare(arena *a, rng *r, const ProtobufCMessageDescriptor *type) {
    const message_params params = {
        .depth = 1 + rng_below(r, 4), .budget = 2000, .valid_utf8 = true};
    ProtobufCMessage *message = message_random(a, r, &params, type);
    packed want;
    leave_stale_values(r, message);
    want = packed_by_protobuf_c(a, message);
    roads_expect(message, 0, want.bytes, want.len);
}

/* Roads_expect goes through all forms of output, down to exact capacities. */
START_TEST(wide_messages_match_protobuf_c) {
    arena a = {0};
    rng r = {(uint64_t) _i + 1000};
    const ProtobufCMessageDescriptor *type = draw_type(&a, &r, false);
    unsigned long before =
        atomic_load(&pbti_trace_counts.marshal_ops[PBTI_OP_BLOCK]);
    int i;
    expect_context("seed %d", _i);
    for (i = 0; i < 3; i++)
        compare(&a, &r, type);
    expect_true("the windows were used",
                atomic_load(&pbti_trace_counts.marshal_ops[PBTI_OP_BLOCK]) >
                    before);
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

/* Two fields with implicit presence may share a word: no windows then. */
START_TEST(wide_implicit_messages_match_protobuf_c) {
    arena a = {0};
    rng r = {(uint64_t) _i + 2000};
    const ProtobufCMessageDescriptor *type = draw_type(&a, &r, true);
    expect_context("seed %d", _i);
    compare(&a, &r, type);
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

/* One field set at a time, to meet each word of each window by itself. */
START_TEST(each_field_of_a_wide_message) {
    arena a = {0};
    rng r = {(uint64_t) _i + 3000};
    const ProtobufCMessageDescriptor *type = draw_type(&a, &r, false);
    const protobuf_c_boolean yes = 7;
    unsigned i;
    for (i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &type->fields[i];
        ProtobufCMessage *message = message_empty(&a, type);
        packed want;
        if (f->label != PROTOBUF_C_LABEL_OPTIONAL ||
            !schema_type_is_packable(f->type))
            continue;
        expect_context("seed %d, field %u", _i, i);
        memcpy(message_member(message, f->quantifier_offset), &yes, sizeof yes);
        value_random(&r, f->type, message_member(message, f->offset));
        want = packed_by_protobuf_c(&a, message);
        roads_expect(message, 0, want.bytes, want.len);
    }
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

/* Windows most of whose fields are there: their rows are run one by one, and
 * make room for themselves, with the longest tags and numbers. */
START_TEST(crowded_windows) {
    enum { N = 300, FIRST_NUMBER = (1 << 28) + 1 };
    arena a = {0};
    schema_field fields[N];
    const ProtobufCMessageDescriptor *type;
    ProtobufCMessage *message;
    unsigned long blocks, resumed;
    packed want;
    unsigned i;
    for (i = 0; i < N; i++)
        fields[i] = (schema_field){.number = FIRST_NUMBER + i,
                                   .type = i % 2 ? PROTOBUF_C_TYPE_INT64
                                                 : PROTOBUF_C_TYPE_INT32,
                                   .label = PROTOBUF_C_LABEL_OPTIONAL};
    type = schema_make(&a, "test.Crowded", fields, N);
    message = message_empty(&a, type);
    for (i = 0; i < N; i++) {
        const ProtobufCFieldDescriptor *f = &type->fields[i];
        const int64_t value = -1;
        if (_i > 0 && i % 5 == 0)
            continue; /* four in five are enough */
        *(protobuf_c_boolean *) message_member(message, f->quantifier_offset) =
            1;
        memcpy(message_member(message, f->offset), &value,
               i % 2 ? sizeof(int64_t) : sizeof(int32_t));
    }
    blocks = atomic_load(&pbti_trace_counts.marshal_ops[PBTI_OP_BLOCK]);
    resumed = atomic_load(&pbti_trace_counts.marshal_ops[PBTI_OP_RESUME]);
    want = packed_by_protobuf_c(&a, message);
    roads_expect(message, 0, want.bytes, want.len);
    blocks =
        atomic_load(&pbti_trace_counts.marshal_ops[PBTI_OP_BLOCK]) - blocks;
    resumed =
        atomic_load(&pbti_trace_counts.marshal_ops[PBTI_OP_RESUME]) - resumed;
    expect_true("there are windows", blocks > 0);
    /* a window of few fields may have too few that are there */
    expect_true("most are run row by row", 4 * resumed < blocks);
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

/* Members that reach from one word into the next, under values whose lower
 * half is zero: what tells their presence lies in no single word. */
START_TEST(values_across_words) {
    static const ProtobufCType types[] = {
        PROTOBUF_C_TYPE_INT64,   PROTOBUF_C_TYPE_SINT64,
        PROTOBUF_C_TYPE_UINT64,  PROTOBUF_C_TYPE_SFIXED64,
        PROTOBUF_C_TYPE_FIXED64, PROTOBUF_C_TYPE_DOUBLE};
    enum { N = 150, N_TYPES = sizeof types / sizeof *types };
    const uint64_t high_half = UINT64_C(0x3ff0000000000000);
    arena a = {0};
    schema_field fields[N];
    ProtobufCFieldDescriptor *moved = arena_alloc(&a, N * sizeof *moved);
    ProtobufCMessageDescriptor *type;
    ProtobufCMessage *message;
    packed want;
    unsigned i;
    for (i = 0; i < N; i++)
        fields[i] = (schema_field){.number = i + 1,
                                   .type = types[i % N_TYPES],
                                   .label = PROTOBUF_C_LABEL_NONE};
    type = schema_make(&a, "test.Across", fields, N);
    type->sizeof_message = sizeof *message + 8 * (N + 1);
    memcpy(moved, type->fields, N * sizeof *moved);
    type->fields = moved;
    message = message_empty(&a, type);
    for (i = 0; i < N; i++) {
        moved[i].offset = (unsigned) sizeof *message + 8 * i + (unsigned) _i;
        memcpy(message_member(message, moved[i].offset), &high_half,
               sizeof high_half);
    }
    expect_context("%d bytes into the word", _i);
    want = packed_by_protobuf_c(&a, message);
    roads_expect(message, 0, want.bytes, want.len);
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

/* All values at the end of the struct, where eight bytes cannot be read. */
START_TEST(scalars_at_the_end_make_room) {
    enum { N = 500 };
    arena a = {0};
    schema_field fields[N];
    ProtobufCFieldDescriptor *moved = arena_alloc(&a, N * sizeof *moved);
    pbt_options options = {0};
    ProtobufCMessageDescriptor *type;
    ProtobufCMessage *message;
    packed want;
    unsigned i;
    for (i = 0; i < N; i++)
        fields[i] = (schema_field){.number = i + 1,
                                   .type = PROTOBUF_C_TYPE_INT32,
                                   .label = PROTOBUF_C_LABEL_OPTIONAL};
    type = schema_make(&a, "test.Last", fields, N);
    memcpy(moved, type->fields, N * sizeof *moved);
    message = message_empty(&a, type);
    for (i = 0; i < N; i++) {
        moved[i].offset = (unsigned) type->sizeof_message - 4;
        *(protobuf_c_boolean *) message_member(message,
                                               moved[i].quantifier_offset) = 1;
    }
    *(int32_t *) message_member(message, moved[0].offset) = -1;
    type->fields = moved;
    want = packed_by_protobuf_c(&a, message);
    output_expect(message, &options, want.bytes, want.len);
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

/* One has-flag for all fields, in types with windows and without. */
START_TEST(fields_that_share_a_flag) {
    enum { MANY = 200, FEW = 40 };
    unsigned n = _i > 0 ? MANY : FEW;
    arena a = {0};
    schema_field fields[MANY];
    ProtobufCFieldDescriptor *moved = arena_alloc(&a, MANY * sizeof *moved);
    ProtobufCMessageDescriptor *type;
    ProtobufCMessage *message;
    packed want;
    unsigned i;
    for (i = 0; i < n; i++)
        fields[i] = (schema_field){.number = i + 1,
                                   .type = i % 2 ? PROTOBUF_C_TYPE_FIXED32
                                                 : PROTOBUF_C_TYPE_DOUBLE,
                                   .label = PROTOBUF_C_LABEL_OPTIONAL};
    type = schema_make(&a, "test.Shared", fields, n);
    memcpy(moved, type->fields, n * sizeof *moved);
    for (i = 0; i < n; i++)
        moved[i].quantifier_offset = moved[0].quantifier_offset;
    type->fields = moved;
    message = message_empty(&a, type);
    *(protobuf_c_boolean *) message_member(message,
                                           moved[0].quantifier_offset) = 1;
    want = packed_by_protobuf_c(&a, message);
    roads_expect(message, 0, want.bytes, want.len);
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

/* At the limit of depth, rows that need no frame are run as ever. */
START_TEST(the_deepest_message_may_be_wide) {
    arena a = {0};
    rng r = {(uint64_t) _i + 4000};
    const ProtobufCMessageDescriptor *type = draw_type(&a, &r, false);
    const message_params params = {.budget = 500, .valid_utf8 = true};
    ProtobufCMessage *message = message_empty(&a, type);
    pbt_options options = {0};
    unsigned i;
    options.max_depth = 1;
    for (i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &type->fields[i];
        ProtobufCMessage *sub = message_random(&a, &r, &params, type);
        if (f->type != PROTOBUF_C_TYPE_MESSAGE ||
            f->label != PROTOBUF_C_LABEL_OPTIONAL)
            continue;
        expect_context("seed %d, field %u", _i, i);
        memcpy(message_member(message, f->offset), &sub, sizeof sub);
        expect_status("at the limit of depth",
                      roads_compare_options(message, &options), PBT_OK);
        break;
    }
    pbt_forget(type);
    arena_free(&a);
}
END_TEST

Suite *wide_suite(void) {
    Suite *suite = suite_create("wide");
    TCase *tests = tcase_create("wide");
    tcase_set_timeout(tests, 120);
    tcase_add_loop_test(tests, wide_messages_match_protobuf_c, 0, N_SEEDS);
    tcase_add_loop_test(tests, wide_implicit_messages_match_protobuf_c, 0,
                        N_SEEDS);
    tcase_add_loop_test(tests, each_field_of_a_wide_message, 0, 4);
    tcase_add_loop_test(tests, crowded_windows, 0, 2);
    tcase_add_test(tests, scalars_at_the_end_make_room);
    tcase_add_loop_test(tests, fields_that_share_a_flag, 0, 2);
    tcase_add_loop_test(tests, values_across_words, 0, 8);
    tcase_add_loop_test(tests, the_deepest_message_may_be_wide, 0, 20);
    suite_add_tcase(suite, tests);
    return suite;
}
