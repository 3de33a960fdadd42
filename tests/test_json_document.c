/* test_json_document.c - random documents and maps, good and bad ones: what
 * writes them in one go and the loop that knows the place of an error must come
 * to the same as the road without tables. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "json3.pb-c.h"
#include "suites.h"
#include "support_expect.h"
#include "support_json.h"
#include "support_rng.h"

enum { N_SEEDS = 120, N_ROUNDS = 40, MANY = 70 };

typedef Google__Protobuf__Value Value;
typedef Google__Protobuf__ListValue List;
typedef Google__Protobuf__Struct Struct;
typedef Google__Protobuf__Struct__FieldsEntry Field;

/* What a document is made with. */
typedef struct maker {
    rng random;
    void **blocks; /* all that was allocated */
    size_t n_blocks;
    unsigned nodes_left;
    unsigned bad_percent; /* of the values */
    unsigned n_keys;      /* that are different */
} maker;

static void *take(maker *m, size_t size) {
    void *block = calloc(1, size ? size : 1);
    m->blocks = realloc(m->blocks, (m->n_blocks + 1) * sizeof *m->blocks);
    return m->blocks[m->n_blocks++] = block;
}

static void release(maker *m) {
    while (m->n_blocks > 0)
        free(m->blocks[--m->n_blocks]);
    free(m->blocks);
}

/* One of the keys: short ones, and long ones that differ in one place. */
static char *make_key(maker *m) {
    static const char *const forms[] = {"%u", "key-%u", "\"%u",
                                        "01234567-%03u-same-end-of-all",
                                        "k\xc3\xa9y of many bytes, with %u"};
    unsigned number = rng_below(&m->random, m->n_keys);
    char *key = take(m, 64);
    if (rng_chance(&m->random, 2))
        return NULL;
    snprintf(key, 64, forms[number % 5], number);
    if (m->bad_percent && rng_chance(&m->random, 1))
        key[0] = '\x80';
    return key;
}

static Value *make_value(maker *m, unsigned depth);

static size_t random_count(maker *m) {
    if (rng_chance(&m->random, 3))
        return rng_below(&m->random, MANY);
    return rng_below(&m->random, 10);
}

static List *make_list(maker *m, unsigned depth) {
    List *list = take(m, sizeof *list);
    size_t i;
    google__protobuf__list_value__init(list);
    list->n_values = random_count(m);
    list->values = take(m, list->n_values * sizeof *list->values);
    for (i = 0; i < list->n_values; i++)
        list->values[i] = make_value(m, depth);
    if (m->bad_percent && rng_chance(&m->random, 1))
        list->values = NULL;
    return list;
}

static Struct *make_struct(maker *m, unsigned depth) {
    Struct *made = take(m, sizeof *made);
    size_t i;
    google__protobuf__struct__init(made);
    made->n_fields = random_count(m);
    made->fields = take(m, made->n_fields * sizeof *made->fields);
    for (i = 0; i < made->n_fields; i++) {
        Field *field = made->fields[i] = take(m, sizeof *field);
        google__protobuf__struct__fields_entry__init(field);
        field->key = make_key(m);
        field->value = make_value(m, depth);
    }
    return made;
}

static double random_number(maker *m) {
    uint64_t bits = rng_next(&m->random);
    double number;
    if (rng_chance(&m->random, 60))
        return (double) rng_below(&m->random, 100000) - 100;
    memcpy(&number, &bits, sizeof number);
    return isfinite(number) ? number : -0.0;
}

/* One that cannot be printed, of one kind or another; NULL is one, too. */
static Value *spoil(maker *m, Value *value) {
    switch (rng_below(&m->random, 6)) {
    case 0:
        value->kind_case = GOOGLE__PROTOBUF__VALUE__KIND__NOT_SET;
        break;
    case 1:
        value->kind_case = GOOGLE__PROTOBUF__VALUE__KIND_NUMBER_VALUE;
        value->number_value = NAN;
        break;
    case 2:
        value->kind_case = GOOGLE__PROTOBUF__VALUE__KIND_STRING_VALUE;
        value->string_value = NULL;
        break;
    case 3:
        value->kind_case = GOOGLE__PROTOBUF__VALUE__KIND_STRUCT_VALUE;
        value->struct_value = NULL;
        break;
    case 4:
        value->kind_case = GOOGLE__PROTOBUF__VALUE__KIND_STRING_VALUE;
        value->string_value = text("bad \xff");
        break;
    default:
        return NULL;
    }
    return value;
}

static void make_kind(maker *m, Value *value, unsigned depth) {
    static const char *const texts[] = {"", "plain", "a \"b\"\n",
                                        "\xe3\x81\x82"};
    value->kind_case = 1 + rng_below(&m->random, depth > 0 ? 6 : 4);
    switch (value->kind_case) {
    case GOOGLE__PROTOBUF__VALUE__KIND_NUMBER_VALUE:
        value->number_value = random_number(m);
        break;
    case GOOGLE__PROTOBUF__VALUE__KIND_STRING_VALUE:
        value->string_value = text(texts[rng_below(&m->random, 4)]);
        break;
    case GOOGLE__PROTOBUF__VALUE__KIND_BOOL_VALUE:
        value->bool_value = rng_chance(&m->random, 50) ? 7 : 0;
        break;
    case GOOGLE__PROTOBUF__VALUE__KIND_STRUCT_VALUE:
        value->struct_value = make_struct(m, depth - 1);
        break;
    case GOOGLE__PROTOBUF__VALUE__KIND_LIST_VALUE:
        value->list_value = make_list(m, depth - 1);
        break;
    case GOOGLE__PROTOBUF__VALUE__KIND__NOT_SET:
    case GOOGLE__PROTOBUF__VALUE__KIND_NULL_VALUE:
    default:
        value->null_value = GOOGLE__PROTOBUF__NULL_VALUE__NULL_VALUE;
        break;
    }
}

static Value *make_value(maker *m, unsigned depth) {
    Value *value = take(m, sizeof *value);
    google__protobuf__value__init(value);
    if (m->nodes_left == 0)
        depth = 0;
    else
        m->nodes_left--;
    make_kind(m, value, depth);
    if (m->bad_percent && rng_chance(&m->random, m->bad_percent))
        return spoil(m, value);
    return value;
}

static pbt_json_options random_options(rng *random) {
    pbt_json_options options = {0};
    if (rng_chance(random, 30))
        options.flags |= PBT_JSON_SORT_MAP_KEYS;
    if (rng_chance(random, 30))
        options.flags |= PBT_JSON_UNIQUE_MAP_KEYS;
    if (rng_chance(random, 20))
        options.indent = 2;
    if (rng_chance(random, 40))
        options.max_depth = 1 + rng_below(random, 12);
    options.utf8 = (uint8_t) rng_below(random, 3);
    return options;
}

static maker start(unsigned seed, unsigned round) {
    maker m = {.random = {seed * 1000003u + round}};
    m.nodes_left = 200;
    m.bad_percent = round % 3 == 0 ? 1 : 0;
    m.n_keys = round % 2 == 0 ? 1000 : 12;
    return m;
}

/* In a field, in a list, in a map, and by itself. */
START_TEST(random_documents) {
    unsigned round;
    for (round = 0; round < N_ROUNDS; round++) {
        maker m = start((unsigned) _i, round);
        pbt_json_options options = random_options(&m.random);
        unsigned depth = rng_below(&m.random, 6);
        J3__Known known = J3__KNOWN__INIT;
        J3__Maps maps = J3__MAPS__INIT;
        J3__Maps__SvEntry entry = J3__MAPS__SV_ENTRY__INIT, *entries = &entry;
        Value *value = make_value(&m, depth), *values[2] = {value, value};
        expect_context("seed %d, round %u", _i, round);
        known.value = value;
        known.struct_ = make_struct(&m, depth);
        known.list = make_list(&m, depth);
        known.n_values = value ? 2 : 0;
        known.values = values;
        json_compare(&known, &options);
        json_compare(known.struct_, &options);
        json_compare(known.list, &options);
        if (value)
            json_compare(value, &options);
        entry.value = value;
        maps.n_sv = 1;
        maps.sv = &entries;
        json_compare(&maps, &options);
        release(&m);
    }
}
END_TEST

/* Values in lists in lists, or in Structs in Structs. */
static Value *make_chain(maker *m, unsigned depth, bool of_structs) {
    Value *value = take(m, sizeof *value);
    google__protobuf__value__init(value);
    value->kind_case = GOOGLE__PROTOBUF__VALUE__KIND_BOOL_VALUE;
    for (; depth > 0; depth--) {
        Value *outer = take(m, sizeof *outer);
        google__protobuf__value__init(outer);
        if (of_structs) {
            Field *field = take(m, sizeof *field);
            google__protobuf__struct__fields_entry__init(field);
            field->key = text("k");
            field->value = value;
            outer->kind_case = GOOGLE__PROTOBUF__VALUE__KIND_STRUCT_VALUE;
            outer->struct_value = make_struct(m, 0);
            outer->struct_value->n_fields = 1;
            outer->struct_value->fields = take(m, sizeof field);
            outer->struct_value->fields[0] = field;
        } else {
            outer->kind_case = GOOGLE__PROTOBUF__VALUE__KIND_LIST_VALUE;
            outer->list_value = make_list(m, 0);
            outer->list_value->n_values = 1;
            outer->list_value->values = take(m, sizeof value);
            outer->list_value->values[0] = value;
        }
        value = outer;
    }
    return value;
}

/* Deeper than one go allows; and each limit of depth, at which both roads must
 * stop at the same message. */
START_TEST(depth_of_documents) {
    unsigned depth, limit;
    for (depth = 0; depth < 300; depth += depth < 12 ? 1 : 57) {
        maker m = start(depth, 1);
        Value *value = make_chain(&m, depth, _i == 1);
        for (limit = 1; limit < 45; limit++) {
            pbt_json_options options = {.max_depth = limit};
            expect_context("depth %u, limit %u", depth, limit);
            json_compare(value, &options);
        }
        expect_context("depth %u", depth);
        expect_status("status",
                      json_compare(value, &(pbt_json_options){.flags = 0}),
                      PBT_OK);
        release(&m);
    }
}
END_TEST

/* Maps of scalars by strings and by numbers, with keys that come twice. */
START_TEST(random_maps) {
    unsigned round;
    for (round = 0; round < N_ROUNDS; round++) {
        maker m = start((unsigned) _i, round);
        pbt_json_options options = random_options(&m.random);
        size_t n = random_count(&m), i;
        J3__Maps maps = J3__MAPS__INIT;
        expect_context("seed %d, round %u", _i, round);
        maps.n_sl = maps.n_ud = maps.n_ie = n;
        maps.sl = take(&m, n * sizeof *maps.sl);
        maps.ud = take(&m, n * sizeof *maps.ud);
        maps.ie = take(&m, n * sizeof *maps.ie);
        for (i = 0; i < n; i++) {
            maps.sl[i] = take(&m, sizeof **maps.sl);
            j3__maps__sl_entry__init(maps.sl[i]);
            maps.sl[i]->key = make_key(&m);
            maps.sl[i]->value = (int64_t) rng_below(&m.random, 3) - 1;
            maps.ud[i] = take(&m, sizeof **maps.ud);
            j3__maps__ud_entry__init(maps.ud[i]);
            maps.ud[i]->key = rng_below(&m.random, m.n_keys);
            maps.ud[i]->value = random_number(&m);
            maps.ie[i] = take(&m, sizeof **maps.ie);
            j3__maps__ie_entry__init(maps.ie[i]);
            maps.ie[i]->key = (int32_t) rng_below(&m.random, m.n_keys) - 5;
            maps.ie[i]->value = rng_chance(&m.random, 50) ? J3__E__ONE : 77;
        }
        if (n > 0 && m.bad_percent && rng_chance(&m.random, 30))
            maps.ud[rng_below(&m.random, (uint32_t) n)] = NULL;
        json_compare(&maps, &options);
        release(&m);
    }
}
END_TEST

/* A key that comes twice among others, in maps of every size around those at
 * which the way of looking changes. */
START_TEST(keys_that_come_twice) {
    static Field fields[MANY];
    static Field *pointers[MANY];
    static char keys[MANY][16];
    Value value = GOOGLE__PROTOBUF__VALUE__INIT;
    Struct made = GOOGLE__PROTOBUF__STRUCT__INIT;
    size_t n, i;
    pbt_json_options unique = {.flags = PBT_JSON_UNIQUE_MAP_KEYS};
    pbt_buffer both = {0}, last = {0};
    value.kind_case = GOOGLE__PROTOBUF__VALUE__KIND_BOOL_VALUE;
    made.fields = pointers;
    for (i = 0; i < MANY; i++) {
        google__protobuf__struct__fields_entry__init(&fields[i]);
        snprintf(keys[i], sizeof keys[i], "%u", (unsigned) (1000 - i));
        fields[i].key = keys[i];
        fields[i].value = &value;
        pointers[i] = &fields[i];
    }
    for (n = 2; n <= MANY; n++) {
        made.n_fields = n;
        for (i = 0; i + 1 < n; i++) {
            expect_context("%zu of %zu", i, n);
            fields[i].key = keys[n - 1];
            expect_status("last", pbt_marshal_json(&made.base, NULL, &last),
                          PBT_OK);
            expect_status("both", pbt_marshal_json(&made.base, &unique, &both),
                          PBT_OK);
            /* "931":false, */
            expect_true("one is gone",
                        both.len == last.len + strlen(keys[n - 1]) + 9);
            json_compare(&made, &unique);
            fields[i].key = keys[i];
        }
    }
    pbt_buffer_free(&both);
    pbt_buffer_free(&last);
}
END_TEST

Suite *json_document_suite(void) {
    Suite *suite = suite_create("json_document");
    TCase *tcase = tcase_create("json_document");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, random_documents, 0, N_SEEDS);
    tcase_add_loop_test(tcase, random_maps, 0, N_SEEDS);
    tcase_add_loop_test(tcase, depth_of_documents, 0, 2);
    tcase_add_test(tcase, keys_that_come_twice);
    suite_add_tcase(suite, tcase);
    return suite;
}
