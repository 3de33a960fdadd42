/* bench_data.c - how a dataset comes to be.
 *
 * Whatever the origin, messages are unpacked and packed once by protobuf-c:
 * what it packs is the reference for every codec. Where the schema has groups,
 * protobuf-c gets them as sub-messages, and they are put back afterwards.
 */
#include "bench_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

uint64_t bench_checksum(uint64_t sum, const uint8_t *data, size_t len) {
    for (size_t i = 0; i < len; i++)
        sum = (sum ^ data[i]) * UINT64_C(0x100000001b3);
    return sum;
}

/* What the calls below are told, and what they fill. */
struct opening {
    const bench_source *source;
    const bench_wanted *wanted;
    bench_dataset *dataset;
    bench_schema *schema;
};

static void add_message(bench_dataset *dataset, wire_writer *content) {
    dataset->plain =
        bench_grow(dataset->plain, dataset->n + 1, sizeof *dataset->plain);
    dataset->plain[dataset->n++] = (bench_bytes){content->data, content->len};
}

static size_t size_wanted(const bench_source *source, bool quick) {
    return quick && source->quick_size > 0 ? source->quick_size : source->size;
}

bool bench_source_is_generated(const bench_source *source) {
    return source->generate != NULL || source->fill != NULL ||
           source->struct_of != NULL;
}

const char *bench_source_origin(const bench_source *source) {
    return source->describe == NULL ? NULL : source->describe();
}

static void generate_message(const struct opening *opening,
                             bench_random *random, wire_writer *out) {
    const bench_source *source = opening->source;
    const bench_dataset *dataset = opening->dataset;
    if (source->fill != NULL)
        source->fill(out, random);
    else
        source->generate(dataset->type, dataset->n, random, out);
}

/* As many messages as the source says, or up to the size that it says. */
static void generate_messages(const struct opening *opening) {
    const bench_source *source = opening->source;
    const uint8_t *name = (const uint8_t *) source->name;
    bench_dataset *dataset = opening->dataset;
    bench_random random = {
        bench_checksum(opening->wanted->seed, name, strlen(source->name))};
    size_t size = size_wanted(source, opening->wanted->quick);
    size_t total = 0;
    while (dataset->n < source->n_messages || total < size) {
        wire_writer out = {NULL, 0, 0};
        generate_message(opening, &random, &out);
        total += out.len;
        add_message(dataset, &out);
    }
}

static const bench_source *find_source(const char *name) {
    const bench_source *source = bench_sources;
    while (strcmp(source->name, name) != 0)
        source++;
    return source;
}

/* The messages of another dataset in the shape of documents. */
static bool convert_messages(const struct opening *opening, const char **why) {
    bench_dataset other;
    bool opened = bench_dataset_open(find_source(opening->source->struct_of),
                                     opening->wanted, &other, why);
    for (size_t i = 0; opened && i < other.n; i++) {
        wire_writer out = {NULL, 0, 0};
        bench_struct_of(&other, i, &out);
        add_message(opening->dataset, &out);
    }
    bench_dataset_close(&other);
    return opened;
}

/* Turns what a file holds into plain messages. */
static bool make_plain(bench_dataset *dataset) {
    for (size_t i = 0; i < dataset->n; i++) {
        wire_writer out = {NULL, 0, 0};
        bool made = bench_schema_to_plain(NULL, dataset->type,
                                          &dataset->plain[i], &out);
        free(dataset->plain[i].data);
        dataset->plain[i] = (bench_bytes){out.data, out.len};
        if (!made)
            return false;
    }
    return true;
}

static bool get_messages(const struct opening *opening, const char **why) {
    const bench_source *source = opening->source;
    if (source->struct_of != NULL)
        return convert_messages(opening, why);
    if (bench_source_is_generated(source)) {
        generate_messages(opening);
        return true;
    }
    if (!bench_file_read(source, opening->wanted->folder, opening->dataset,
                         why))
        return false;
    *why = "its file holds bytes that are no message";
    return make_plain(opening->dataset);
}

static bool unpack_messages(bench_dataset *dataset) {
    dataset->structs = bench_alloc(dataset->n, sizeof *dataset->structs);
    for (size_t i = 0; i < dataset->n; i++) {
        const bench_bytes *bytes = &dataset->plain[i];
        dataset->structs[i] = protobuf_c_message_unpack(
            dataset->type, NULL, bytes->len, bytes->data);
        if (dataset->structs[i] == NULL)
            return false;
    }
    return true;
}

static void pack_messages(bench_dataset *dataset) {
    for (size_t i = 0; i < dataset->n; i++) {
        bench_bytes *bytes = &dataset->plain[i];
        const ProtobufCMessage *message = dataset->structs[i];
        bytes->len = protobuf_c_message_get_packed_size(message);
        bytes->data =
            bench_grow(bytes->data, bytes->len == 0 ? 1 : bytes->len, 1);
        protobuf_c_message_pack(message, bytes->data);
    }
}

static bool put_groups_back(bench_dataset *dataset) {
    dataset->messages = dataset->plain;
    if (dataset->schema->n_groups == 0)
        return true;
    dataset->messages = bench_alloc(dataset->n, sizeof *dataset->messages);
    for (size_t i = 0; i < dataset->n; i++) {
        wire_writer out = {NULL, 0, 0};
        if (!bench_schema_from_plain(dataset->schema, dataset->type,
                                     &dataset->plain[i], &out))
            return false;
        dataset->messages[i] = (bench_bytes){out.data, out.len};
        const bench_bytes *plain = &dataset->plain[i];
        if (out.len != plain->len ||
            (out.len > 0 && memcmp(out.data, plain->data, out.len) != 0))
            dataset->has_groups = true;
    }
    return true;
}

static void sum_up(bench_dataset *dataset) {
    for (size_t i = 0; i < dataset->n; i++) {
        size_t len = dataset->messages[i].len;
        dataset->total += len;
        if (len > dataset->largest)
            dataset->largest = len;
    }
}

/* A type that was compiled with this program, or one of its schema. */
static bool get_type(const struct opening *opening, const char **why) {
    const bench_source *source = opening->source;
    bench_dataset *dataset = opening->dataset;
    bench_schema *schema = opening->schema;
    dataset->type = source->type;
    if (source->type != NULL)
        return true;
    if (!bench_schema_load(schema, why))
        return false;
    dataset->type = source->type_name == NULL
                        ? pbt_schema_root(schema->types)
                        : pbt_schema_message(schema->types, source->type_name);
    *why = source->type_name == NULL
               ? "its schema has no root type: which one is it (--type)?"
               : "its schema has no type of that name";
    return dataset->type != NULL;
}

static bool open_schema(const struct opening *opening, const char **why) {
    const bench_source *source = opening->source;
    char path[1024];
    if (source->schema_path != NULL)
        return bench_schema_open(opening->schema, source->schema_path, why);
    snprintf(path, sizeof path, "%s/%s.set", BENCH_SCHEMAS_DIR, source->schema);
    if (bench_schema_open(opening->schema, path, why))
        return true;
    *why = "its schema was not there when this program was built (run "
           "scripts/datasets, then configure and build again)";
    return false;
}

static bool fill(const struct opening *opening, const char **why) {
    bench_dataset *dataset = opening->dataset;
    if (!open_schema(opening, why) || !get_type(opening, why) ||
        !get_messages(opening, why))
        return false;
    *why = "protobuf-c cannot unpack it";
    if (!unpack_messages(dataset))
        return false;
    pack_messages(dataset);
    *why = "its groups cannot be found again";
    if (!put_groups_back(dataset))
        return false;
    sum_up(dataset);
    return true;
}

bool bench_dataset_open(const bench_source *source, const bench_wanted *wanted,
                        bench_dataset *dataset, const char **why) {
    memset(dataset, 0, sizeof *dataset);
    bench_schema *schema = bench_alloc(1, sizeof *schema);
    struct opening opening = {source, wanted, dataset, schema};
    dataset->name = source->name;
    dataset->schema = schema;
    dataset->has_large_fields = source->has_large_fields;
    dataset->is_json = source->is_json;
    dataset->json_flags = source->json_flags;
    return fill(&opening, why);
}

static void free_messages(bench_bytes *messages, size_t n) {
    for (size_t i = 0; messages != NULL && i < n; i++)
        free(messages[i].data);
    free(messages);
}

void bench_dataset_close(bench_dataset *dataset) {
    for (size_t i = 0; dataset->structs != NULL && i < dataset->n; i++)
        if (dataset->structs[i] != NULL)
            protobuf_c_message_free_unpacked(dataset->structs[i], NULL);
    free(dataset->structs);
    if (dataset->messages != dataset->plain)
        free_messages(dataset->messages, dataset->n);
    free_messages(dataset->plain, dataset->n);
    bench_schema_close(dataset->schema);
    free(dataset->schema);
    memset(dataset, 0, sizeof *dataset);
}
