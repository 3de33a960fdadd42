/* bench_scale_subject.c - the types and messages of the scale curves: types of
 * sets that are written here, messages unpacked from bytes that are, too. What
 * fails here fails for want of memory, or is a defect of this file: it ends the
 * program. */
#include "bench_gen.h"
#include "bench_scale.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Field numbers and values in descriptor.proto. */
enum {
    SET_FILE = 1,
    FILE_NAME = 1,
    FILE_MESSAGE = 4,
    MESSAGE_NAME = 1,
    MESSAGE_FIELD = 2,
    FIELD_NAME = 1,
    FIELD_NUMBER = 3,
    FIELD_LABEL = 4,
    FIELD_TYPE = 5,
    FIELD_TYPE_NAME = 6,
    LABEL_OPTIONAL = 1,
    LABEL_REPEATED = 3,
    TYPE_DOUBLE = 1,
    TYPE_INT32 = 5,
    TYPE_FIXED32 = 7,
    TYPE_BOOL = 8,
    TYPE_STRING = 9,
    TYPE_MESSAGE = 11,
    TYPE_UINT64 = 4,
    TYPE_SINT64 = 18
};

enum { ITEM_NAME_MIN = 5, ITEM_NAME_MAX = 60 };

const pbt_options scale_any_depth = {.max_depth = UINT32_MAX};

static void require(bool done, const char *what) {
    if (done)
        return;
    fprintf(stderr, "pbturbo-bench: scale: %s\n", what);
    exit(1);
}

/* A field named after its number. type_name: NULL but for messages. */
static void put_field(wire_writer *set, uint32_t number, unsigned label,
                      unsigned type, const char *type_name) {
    char name[16];
    snprintf(name, sizeof name, "f%u", (unsigned) number);
    size_t field = wire_open(set, MESSAGE_FIELD);
    wire_string(set, FIELD_NAME, name);
    wire_varint(set, FIELD_NUMBER, number);
    wire_varint(set, FIELD_LABEL, label);
    wire_varint(set, FIELD_TYPE, type);
    if (type_name != NULL)
        wire_string(set, FIELD_TYPE_NAME, type_name);
    wire_close(set, field);
}

static size_t open_message(wire_writer *set, const char *name) {
    size_t message = wire_open(set, FILE_MESSAGE);
    wire_string(set, MESSAGE_NAME, name);
    return message;
}

static size_t open_file(wire_writer *set) {
    size_t file = wire_open(set, SET_FILE);
    wire_string(set, FILE_NAME, "scale.proto");
    return file;
}

static pbt_schema *load(wire_writer *set) {
    pbt_schema *schema;
    pbt_error error;
    pbt_status status = pbt_schema_load(set->data, set->len, &schema, &error);
    require(status == PBT_OK, pbt_status_name(status));
    free(set->data);
    return schema;
}

void scale_types_open(scale_types *types) {
    wire_writer set = {NULL, 0, 0};
    size_t file = open_file(&set);
    size_t message = open_message(&set, "Item");
    put_field(&set, 1, LABEL_OPTIONAL, TYPE_UINT64, NULL);
    put_field(&set, 2, LABEL_OPTIONAL, TYPE_STRING, NULL);
    wire_close(&set, message);
    message = open_message(&set, "Tree");
    put_field(&set, 1, LABEL_REPEATED, TYPE_MESSAGE, ".Item");
    wire_close(&set, message);
    message = open_message(&set, "Level");
    put_field(&set, 1, LABEL_OPTIONAL, TYPE_INT32, NULL);
    put_field(&set, 2, LABEL_OPTIONAL, TYPE_MESSAGE, ".Level");
    wire_close(&set, message);
    wire_close(&set, file);
    types->schema = load(&set);
    types->tree = pbt_schema_message(types->schema, "Tree");
    types->level = pbt_schema_message(types->schema, "Level");
    require(types->tree != NULL && types->level != NULL, "no types");
}

void scale_types_close(scale_types *types) {
    pbt_schema_free(types->schema);
    memset(types, 0, sizeof *types);
}

void scale_wide_set(size_t n, wire_writer *set) {
    static const unsigned kinds[] = {TYPE_INT32,  TYPE_STRING, TYPE_BOOL,
                                     TYPE_SINT64, TYPE_DOUBLE, TYPE_FIXED32};
    size_t file = open_file(set);
    size_t message = open_message(set, "Wide");
    for (size_t i = 0; i < n; i++)
        put_field(set, (uint32_t) i + 1, LABEL_OPTIONAL,
                  kinds[i % (sizeof kinds / sizeof *kinds)], NULL);
    wire_close(set, message);
    wire_close(set, file);
}

/* Makes the subject of what a codec has to write again. */
static void fill(scale_subject *subject, const ProtobufCMessageDescriptor *type,
                 const wire_writer *content) {
    bench_dataset *dataset = &subject->dataset;
    subject->bytes.data = bench_grow(content->data, content->len, 1);
    subject->bytes.len = content->len;
    dataset->name = "scale";
    dataset->type = type;
    dataset->n = 1;
    dataset->messages = &subject->bytes;
    dataset->plain = &subject->bytes;
    dataset->structs = &subject->message;
    dataset->total = content->len;
    dataset->largest = content->len;
}

static void unpack(scale_subject *subject) {
    subject->message = protobuf_c_message_unpack(
        subject->dataset.type, NULL, subject->bytes.len, subject->bytes.data);
    require(subject->message != NULL, "protobuf-c cannot unpack");
}

/* The last name is as long as it takes to come close to the size. */
void scale_subject_tree(scale_subject *subject, const scale_types *types,
                        size_t size, uint64_t seed) {
    memset(subject, 0, sizeof *subject);
    bench_random random = {seed + size};
    wire_writer out = {NULL, 0, 0};
    while (out.len < size) {
        size_t left = size - out.len;
        size_t len = random_between(&random, ITEM_NAME_MIN, ITEM_NAME_MAX);
        bool is_last = left < len + 20;
        size_t item = wire_open(&out, 1);
        wire_varint(&out, 1, random_width(&random, is_last ? 7 : 40));
        len = !is_last ? len : left > 7 ? left - 6 : 1;
        wire_random_text(&out, 2, &random, len, len);
        wire_close(&out, item);
    }
    fill(subject, types->tree, &out);
    unpack(subject);
}

static size_t varint_len(size_t value) {
    size_t n = 1;
    for (; value >= 0x80; value >>= 7)
        n++;
    return n;
}

/* Lengths are summed up from the innermost level, and written from the
 * outermost. protobuf-c cannot unpack a chain of a million levels, so it is
 * unmarshaled. */
void scale_subject_chain(scale_subject *subject, const scale_types *types,
                         size_t depth) {
    memset(subject, 0, sizeof *subject);
    enum { VALUE_LEN = 2, TAG_LEN = 1 };
    size_t *lens = bench_alloc(depth + 1, sizeof *lens);
    lens[depth] = VALUE_LEN;
    for (size_t i = depth; i-- > 0;)
        lens[i] = VALUE_LEN + TAG_LEN + varint_len(lens[i + 1]) + lens[i + 1];
    wire_writer out = {NULL, 0, 0};
    for (size_t i = 0; i <= depth; i++) {
        wire_varint(&out, 1, 1 + i % 100);
        if (i == depth)
            break;
        wire_put_varint(&out, 2 << 3 | WIRE_LENGTH);
        wire_put_varint(&out, lens[i + 1]);
    }
    free(lens);
    fill(subject, types->level, &out);
    subject->arena = pbt_arena_new(NULL, 0);
    require(subject->arena != NULL, "no memory");
    pbt_status status =
        pbt_unmarshal(types->level, out.data, out.len, &scale_any_depth,
                      subject->arena, &subject->message);
    require(status == PBT_OK, pbt_status_name(status));
}

void scale_subject_wide(scale_subject *subject, size_t n_fields,
                        unsigned percent, uint64_t seed) {
    memset(subject, 0, sizeof *subject);
    wire_writer set = {NULL, 0, 0};
    scale_wide_set(n_fields, &set);
    subject->schema = load(&set);
    const ProtobufCMessageDescriptor *type =
        pbt_schema_message(subject->schema, "Wide");
    require(type != NULL, "no type");
    bench_random random = {seed + n_fields};
    wire_writer out = {NULL, 0, 0};
    for (unsigned i = 0; i < type->n_fields; i++)
        if (i == 0 || random_percent(&random, percent))
            generate_field(&type->fields[i], &random, &out);
    fill(subject, type, &out);
    unpack(subject);
}

void scale_subject_free(scale_subject *subject) {
    if (subject->arena != NULL)
        pbt_arena_free(subject->arena);
    else if (subject->message != NULL)
        protobuf_c_message_free_unpacked(subject->message, NULL);
    free(subject->bytes.data);
    pbt_schema_free(subject->schema);
    memset(subject, 0, sizeof *subject);
}
