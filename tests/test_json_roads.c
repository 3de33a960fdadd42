/* test_json_roads.c - JSON by tables and JSON by reflection, which share no
 * code, must be the same: random messages of random types, well-known types
 * that are mostly valid, numbers and strings. The loop number is the seed. */
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "google/protobuf/wrappers.pb-c.h"
#include "json2.pb-c.h"
#include "json3.pb-c.h"
#include "suites.h"
#include "support_expect.h"
#include "support_json.h"
#include "support_locale.h"
#include "support_memory.h"
#include "support_message.h"
#include "support_output.h"

enum {
    N_SEEDS = 300,
    N_MESSAGES = 4,
    N_NUMBERS = 20000,
    N_STRINGS = 4000,
    DEEP = PBT_REFLECT_MAX_DEPTH
};

/* Any flags and policies; most have a chance to be left alone, for errors hide
 * what comes after them. */
static pbt_json_options draw_options(rng *r) {
    pbt_json_options options = {0};
    if (rng_chance(r, 70))
        options.flags = (uint32_t) rng_next(r) & 0xffff;
    if (rng_chance(r, 60))
        options.flags |= PBT_JSON_ALLOW_PARTIAL;
    if (rng_chance(r, 30))
        options.indent =
            rng_chance(r, 30) ? PBT_JSON_TAB : (uint8_t) (1 + rng_below(r, 8));
    options.utf8 = (uint8_t) (rng_chance(r, 25) ? 0 : 1 + rng_below(r, 2));
    options.nonfinite = (uint8_t) (rng_chance(r, 5) ? 2 : rng_below(r, 2));
    if (rng_chance(r, 20))
        options.max_depth = 1 + rng_below(r, 5);
    return options;
}

static message_params draw_params(rng *r, const schema *s) {
    message_params params = {0};
    params.depth = rng_below(r, 7);
    params.budget = 20 + rng_below(r, 200);
    params.complete = rng_chance(r, 60);
    params.valid_utf8 = rng_chance(r, 50);
    if (s && rng_chance(r, 20)) {
        params.foreign = s->types;
        params.n_foreign = s->n_types;
    }
    return params;
}

static void compare_types(arena *a, rng *r, uint32_t groups) {
    schema_params params = schema_random_params(r);
    schema s;
    size_t i;
    params.groups = groups;
    params.nameless = rng_chance(r, 3);
    schema_random(&s, a, r, &params);
    for (i = 0; i < N_MESSAGES; i++) {
        message_params m = draw_params(r, &s);
        pbt_json_options options = draw_options(r);
        ProtobufCMessage *message =
            message_random(a, r, &m, s.types[rng_below(r, params.n_types)]);
        expect_context("seed %d, message %zu", (int) r->state, i);
        (void) json_compare(message, &options);
    }
    for (i = 0; i < s.n_types; i++)
        pbt_forget(s.types[i]);
}

START_TEST(random_types) {
    arena a = {0};
    rng r = {51000000 + (uint64_t) _i};
    expect_context("seed %d", _i);
    compare_types(&a, &r, _i % 3 == 0 ? 1 + rng_below(&r, 100) : 0);
    arena_free(&a);
}
END_TEST

static const ProtobufCMessageDescriptor *const known_types[] = {
    &j3__known__descriptor, &j3__maps__descriptor,   &j3__lists__descriptor,
    &j3__tree__descriptor,  &j3__choice__descriptor, &j3__all__descriptor,
    &j3__names__descriptor, &j2__opt__descriptor,    &j2__req__descriptor,
};
enum { N_KNOWN_TYPES = sizeof known_types / sizeof *known_types };

static void tame(arena *a, rng *r, ProtobufCMessage *message, int depth);

static char *draw_path(arena *a, rng *r) {
    static const char *const paths[] = {"a",  "foo_bar", "a.b_c",
                                        "_x", "x1",      "a_b_c.d"};
    static const char *const bad[] = {"", "A", "a__b", "a_", "a_1", "a-b"};
    const char *path = paths[rng_below(r, 6)];
    (void) a;
    return text(rng_chance(r, 4) ? bad[rng_below(r, 6)] : path);
}

static void tame_mask(arena *a, rng *r, ProtobufCMessage *message) {
    Google__Protobuf__FieldMask *mask = (Google__Protobuf__FieldMask *) message;
    size_t i;
    for (i = 0; i < mask->n_paths; i++)
        mask->paths[i] = draw_path(a, r);
}

/* An Any that holds a message of one of the types. */
static void tame_any(arena *a, rng *r, ProtobufCMessage *message, int depth) {
    static const ProtobufCMessageDescriptor *const held[] = {
        &j3__known__descriptor,
        &j3__sub__descriptor,
        &j3__tree__descriptor,
        &j2__req__descriptor,
        &google__protobuf__any__descriptor,
        &google__protobuf__timestamp__descriptor,
        &google__protobuf__struct__descriptor,
        &google__protobuf__empty__descriptor,
        &google__protobuf__int64_value__descriptor};
    Google__Protobuf__Any *any = (Google__Protobuf__Any *) message;
    const ProtobufCMessageDescriptor *type = held[rng_below(r, 9)];
    message_params params = {.depth = 2, .budget = 20, .valid_utf8 = true};
    ProtobufCMessage *content = message_random(a, r, &params, type);
    packed bytes;
    char *url = arena_alloc(a, strlen(type->name) + 2);
    if (rng_chance(r, 10))
        return; /* whatever it has */
    if (depth < 3)
        tame(a, r, content, depth + 1);
    bytes = packed_by_protobuf_c(a, content);
    url[0] = rng_chance(r, 95) ? '/' : '.';
    memcpy(url + 1, type->name, strlen(type->name) + 1);
    any->type_url = url;
    any->value = (ProtobufCBinaryData){bytes.len, bytes.bytes};
    if (rng_chance(r, 5))
        any->value.len = 0;
}

static int64_t draw_within(rng *r, int64_t low, int64_t high) {
    if (rng_chance(r, 5))
        return (rng_chance(r, 50) ? low : high) + (int64_t) rng_below(r, 3) - 1;
    return low + (int64_t) (rng_next(r) % (uint64_t) (high - low));
}

static int32_t draw_nanos(rng *r) {
    static const int32_t units[] = {1, 1000, 1000000};
    int32_t unit = units[rng_below(r, 3)];
    if (rng_chance(r, 4))
        return rng_chance(r, 50) ? 1000000000 : -1;
    return rng_chance(r, 20)
               ? 0
               : (int32_t) rng_below(r, 1000000000 / (uint32_t) unit) * unit;
}

/* Makes most well-known types valid. */
static bool tame_known(arena *a, rng *r, ProtobufCMessage *message, int depth) {
    const ProtobufCMessageDescriptor *type = message->descriptor;
    if (type == &google__protobuf__timestamp__descriptor) {
        Google__Protobuf__Timestamp *t =
            (Google__Protobuf__Timestamp *) message;
        t->seconds = draw_within(r, INT64_C(-62135596800), 253402300799);
        t->nanos = draw_nanos(r);
    } else if (type == &google__protobuf__duration__descriptor) {
        Google__Protobuf__Duration *d = (Google__Protobuf__Duration *) message;
        d->seconds = draw_within(r, INT64_C(-315576000000), 315576000000);
        if (rng_chance(r, 20))
            d->seconds = 0;
        d->nanos = draw_nanos(r);
        if (d->seconds < 0 || (d->seconds == 0 && rng_chance(r, 50)))
            d->nanos = -d->nanos;
    } else if (type == &google__protobuf__field_mask__descriptor) {
        tame_mask(a, r, message);
    } else if (type == &google__protobuf__any__descriptor) {
        tame_any(a, r, message, depth);
    } else {
        return false;
    }
    return true;
}

/* A kind for a Value that has none, and a number that is one. */
static void tame_value(rng *r, ProtobufCMessage *message) {
    Google__Protobuf__Value *v = (Google__Protobuf__Value *) message;
    pbt_json_options options = {0};
    pbt_buffer buffer = {0};
    if (message->descriptor != &google__protobuf__value__descriptor ||
        rng_chance(r, 2))
        return;
    if (v->kind_case == GOOGLE__PROTOBUF__VALUE__KIND_NUMBER_VALUE) {
        if (!isfinite(v->number_value))
            v->number_value = 1.5;
        return;
    }
    if (pbt_marshal_json(message, &options, &buffer) == PBT_ERR_VALUE)
        v->kind_case = GOOGLE__PROTOBUF__VALUE__KIND_NULL_VALUE;
    pbt_buffer_free(&buffer);
}

static void tame_field(arena *a, rng *r, ProtobufCMessage *message,
                       const ProtobufCFieldDescriptor *f, int depth) {
    void *member = message_member(message, f->offset);
    ProtobufCMessage **sub = member;
    size_t n = 1, i;
    if (f->type != PROTOBUF_C_TYPE_MESSAGE)
        return;
    if ((f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) &&
        *(uint32_t *) message_member(message, f->quantifier_offset) != f->id)
        return;
    if (f->label == PROTOBUF_C_LABEL_REPEATED) {
        sub = *(ProtobufCMessage ***) member;
        n = *(size_t *) message_member(message, f->quantifier_offset);
    }
    for (i = 0; i < n; i++)
        if (sub[i])
            tame(a, r, sub[i], depth);
}

static void tame(arena *a, rng *r, ProtobufCMessage *message, int depth) {
    unsigned i;
    if (tame_known(a, r, message, depth))
        return;
    for (i = 0; i < message->descriptor->n_fields; i++)
        tame_field(a, r, message, &message->descriptor->fields[i], depth);
    tame_value(r, message);
}

static pbt_schema *make_schema(void) {
    pbt_schema *s = NULL;
    size_t i;
    ck_assert_int_eq(pbt_schema_new(NULL, &s), PBT_OK);
    for (i = 0; i < N_KNOWN_TYPES; i++)
        ck_assert_int_eq(pbt_schema_add(s, known_types[i], NULL), PBT_OK);
    return s;
}

START_TEST(well_known_types) {
    pbt_schema *s = make_schema();
    arena a = {0};
    rng r = {52000000 + (uint64_t) _i};
    int i;
    for (i = 0; i < N_KNOWN_TYPES; i++) {
        message_params m = draw_params(&r, NULL);
        pbt_json_options options = draw_options(&r);
        ProtobufCMessage *message = message_random(&a, &r, &m, known_types[i]);
        expect_context("seed %d, type %s", _i, known_types[i]->name);
        tame(&a, &r, message, 0);
        options.schema = rng_chance(&r, 85) ? s : NULL;
        (void) json_compare(message, &options);
    }
    arena_free(&a);
    pbt_schema_free(s);
}
END_TEST

static double draw_double(rng *r) {
    uint64_t bits = rng_next(r);
    double value;
    switch (rng_below(r, 4)) {
    case 0: /* powers of two, where the neighbours have different distances */
        return ldexp(1, (int) rng_below(r, 2098) - 1074);
    case 1: /* few digits */
        value = (double) (int32_t) (uint32_t) bits;
        return value * pow(10, (int) rng_below(r, 40) - 20);
    case 2:
        return (double) (int64_t) bits;
    default:
        memcpy(&value, &bits, sizeof value);
        return value;
    }
}

/* Also where the point is a comma. */
START_TEST(numbers) {
    Google__Protobuf__DoubleValue d = GOOGLE__PROTOBUF__DOUBLE_VALUE__INIT;
    Google__Protobuf__FloatValue f = GOOGLE__PROTOBUF__FLOAT_VALUE__INIT;
    pbt_json_options options = {0};
    rng r = {53000000};
    int i;
    for (i = 0; i < N_NUMBERS; i++) {
        if (i == N_NUMBERS / 2)
            locale_set_comma();
        d.value = draw_double(&r);
        f.value = (float) d.value;
        expect_context("number %d: %a", i, d.value);
        (void) json_compare(&d, &options);
        (void) json_compare(&f, &options);
    }
    locale_reset();
}
END_TEST

START_TEST(strings) {
    static const char *const parts[] = {"a",        "plain text of some length",
                                        "\"",       "\\",
                                        "\n",       "\x01",
                                        "\x7f",     "<&>",
                                        "\xc3\xa4", "\xe2\x80\xa8",
                                        "\xed\x9f", "\xf0\x9f\x98\x80",
                                        "\xc0\x80", "\xed\xa0\x80",
                                        "\xf4\x90", "\xf0\x9f\x98",
                                        "\xff",     "\xe2\x80",
                                        "\x80",     "\xe0\x9f\xbf"};
    Google__Protobuf__StringValue s = GOOGLE__PROTOBUF__STRING_VALUE__INIT;
    rng r = {54000000};
    char string[400];
    int i;
    s.value = string;
    for (i = 0; i < N_STRINGS; i++) {
        pbt_json_options options = draw_options(&r);
        uint32_t n = rng_below(&r, 13);
        string[0] = '\0';
        while (n-- > 0)
            strcat(string, parts[rng_below(&r, 20)]);
        expect_context("string %d", i);
        (void) json_compare(&s, &options);
    }
}
END_TEST

START_TEST(the_size_is_limited_to_the_byte) {
    J3__All all = J3__ALL__INIT;
    pbt_json_options options = {.max_size = 10, .flags = PBT_JSON_NEWLINE};
    pbt_buffer buffer = {0};
    all.i32 = 12;
    expect_context("10 bytes");
    expect_status("enough", json_compare(&all, &options), PBT_ERR_TOO_LARGE);
    options.max_size = 11;
    expect_status("enough", json_compare(&all, &options), PBT_OK);
    options.max_size = 1;
    expect_status("too few",
                  pbt_reflect_marshal_json(&pbt_reflection_protobuf_c, &all,
                                           &options, &buffer),
                  PBT_ERR_TOO_LARGE);
    pbt_buffer_free(&buffer);
}
END_TEST

START_TEST(arguments) {
    J3__All all = J3__ALL__INIT;
    pbt_json_options bad = {.flags = 0x10000};
    pbt_reflection deaf = pbt_reflection_protobuf_c;
    pbt_buffer buffer = {0};
    expect_context("arguments");
    expect_status("no reflection",
                  pbt_reflect_marshal_json(NULL, &all, NULL, &buffer),
                  PBT_ERR_ARGUMENT);
    expect_status("no message",
                  pbt_reflect_marshal_json(&deaf, NULL, NULL, &buffer),
                  PBT_ERR_ARGUMENT);
    expect_status("no buffer",
                  pbt_reflect_marshal_json(&deaf, &all, NULL, NULL),
                  PBT_ERR_ARGUMENT);
    expect_status("a flag",
                  pbt_reflect_marshal_json(&deaf, &all, &bad, &buffer),
                  PBT_ERR_ARGUMENT);
    deaf.detail = NULL;
    expect_status("no names",
                  pbt_reflect_marshal_json(&deaf, &all, NULL, &buffer),
                  PBT_ERR_UNSUPPORTED);
    expect_true("nothing", !buffer.block);
}
END_TEST

/* Every allocation fails in turn, and nothing leaks. */
START_TEST(memory_runs_out) {
    pbt_schema *s = make_schema();
    arena a = {0};
    rng r = {55000000 + (uint64_t) _i};
    message_params params = {.depth = 4, .budget = 80, .valid_utf8 = true};
    ProtobufCMessage *message =
        message_random(&a, &r, &params,
                       _i % 2 ? &j3__maps__descriptor : &j3__known__descriptor);
    pbt_status status = PBT_ERR_NO_MEMORY;
    long n;
    tame(&a, &r, message, 0);
    for (n = 0; status == PBT_ERR_NO_MEMORY; n++) {
        pbt_buffer buffer = {0};
        meter m;
        pbt_error error = {0};
        pbt_json_options options = {.schema = s, .error = &error};
        meter_init(&m);
        m.fail_at = n;
        options.allocator = &m.allocator;
        expect_context("seed %d, allocation %ld", _i, n);
        status = pbt_reflect_marshal_json(&pbt_reflection_protobuf_c, message,
                                          &options, &buffer);
        expect_true("reported", error.status == status);
        if (status != PBT_OK)
            expect_true("no data", !buffer.data && buffer.len == 0);
        pbt_buffer_free(&buffer);
        expect_number("live blocks", (uint64_t) m.n_live, 0);
        expect_true("it ends", n < 10000);
    }
    arena_free(&a);
    pbt_schema_free(s);
}
END_TEST

/* A chain that goes through singular fields, lists and maps. */
static J3__Tree *make_chain(arena *a, uint32_t depth) {
    J3__Tree *nodes = arena_alloc(a, (depth + 1) * sizeof *nodes);
    uint32_t i;
    for (i = 0; i <= depth; i++) {
        j3__tree__init(&nodes[i]);
        if (i < depth && i % 2) {
            nodes[i].child = &nodes[i + 1];
        } else if (i < depth) {
            nodes[i].n_children = 1;
            nodes[i].children = arena_alloc(a, sizeof(J3__Tree *));
            nodes[i].children[0] = &nodes[i + 1];
        }
    }
    return nodes;
}

static void *print_deep(void *message) {
    static const pbt_json_options options = {.max_size = SIZE_MAX / 2};
    pbt_buffer buffer = {0};
    pbt_status *status = malloc(sizeof *status);
    *status = pbt_reflect_marshal_json(&pbt_reflection_protobuf_c, message,
                                       &options, &buffer);
    pbt_buffer_free(&buffer);
    return status;
}

START_TEST(depth) {
    static const uint32_t depths[] = {1, 2, 3, 15, 16, 17, 200};
    arena a = {0};
    pthread_attr_t attributes;
    pthread_t thread;
    void *result;
    size_t i;
    for (i = 0; i < sizeof depths / sizeof *depths; i++) {
        pbt_json_options options = {.max_depth = depths[i]};
        expect_context("depth %u", (unsigned) depths[i]);
        expect_status("exactly",
                      json_compare(make_chain(&a, depths[i]), &options),
                      PBT_OK);
        expect_status("one more",
                      json_compare(make_chain(&a, depths[i] + 1), &options),
                      PBT_ERR_DEPTH);
    }
    pthread_attr_init(&attributes);
    ck_assert_int_eq(pthread_attr_setstacksize(&attributes, 64 << 20), 0);
    for (i = 0; i < 2; i++) {
        J3__Tree *chain = make_chain(&a, DEEP + (uint32_t) i);
        ck_assert_int_eq(
            pthread_create(&thread, &attributes, print_deep, chain), 0);
        pthread_join(thread, &result);
        expect_status("deep", *(pbt_status *) result,
                      i ? PBT_ERR_DEPTH : PBT_OK);
        free(result);
    }
    pthread_attr_destroy(&attributes);
    arena_free(&a);
}
END_TEST

Suite *json_roads_suite(void) {
    Suite *suite = suite_create("json_roads");
    TCase *tests = tcase_create("json_roads");
    tcase_set_timeout(tests, 600);
    tcase_add_loop_test(tests, random_types, 0, N_SEEDS);
    tcase_add_loop_test(tests, well_known_types, 0, N_SEEDS);
    tcase_add_test(tests, numbers);
    tcase_add_test(tests, strings);
    tcase_add_test(tests, the_size_is_limited_to_the_byte);
    tcase_add_test(tests, arguments);
    tcase_add_loop_test(tests, memory_runs_out, 0, 40);
    tcase_add_test(tests, depth);
    suite_add_tcase(suite, tests);
    return suite;
}
