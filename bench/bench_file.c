/* bench_file.c - reads files of messages: Google's (a name, the full name of
 * the message type, and the payloads, as one BenchmarkDataset message) and
 * those of users. */
#include "bench_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIELD_TYPE_NAME = 2, FIELD_PAYLOAD = 3 };

static bool read_all(FILE *file, wire_writer *content) {
    uint8_t piece[16384];
    for (;;) {
        size_t n = fread(piece, 1, sizeof piece, file);
        if (n == 0)
            return !ferror(file);
        wire_put_raw(content, piece, n);
    }
}

bool bench_file_load(const char *path, wire_writer *content) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return false;
    bool loaded = read_all(file, content);
    fclose(file);
    return loaded;
}

static bool load_from(const char *folder, const char *name,
                      wire_writer *content) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = bench_alloc(size, 1);
    snprintf(path, size, "%s/%s", folder, name);
    bool loaded = bench_file_load(path, content);
    free(path);
    return loaded;
}

static void add_message(bench_dataset *dataset, const uint8_t *data,
                        size_t len) {
    dataset->plain =
        bench_grow(dataset->plain, dataset->n + 1, sizeof *dataset->plain);
    wire_writer copy = {NULL, 0, 0};
    wire_put_raw(&copy, data, len);
    dataset->plain[dataset->n++] = (bench_bytes){copy.data, copy.len};
}

static bool names_type(const wire_field *field, const char *name) {
    return field->len == strlen(name) &&
           memcmp(field->data, name, field->len) == 0;
}

static bool parse(const wire_writer *content, bench_dataset *dataset) {
    wire_reader in = {content->data, content->data + content->len, false};
    wire_field field;
    while (wire_read_field(&in, &field)) {
        if (field.type != WIRE_LENGTH)
            continue;
        if (field.number == FIELD_TYPE_NAME &&
            !names_type(&field, dataset->type->name))
            return false;
        if (field.number == FIELD_PAYLOAD)
            add_message(dataset, field.data, field.len);
    }
    return !in.failed && dataset->n > 0;
}

static bool parse_delimited(const wire_writer *content,
                            bench_dataset *dataset) {
    wire_reader in = {content->data, content->data + content->len, false};
    while (in.at < in.end) {
        uint64_t len;
        if (!wire_read_varint(&in, &len) || len > (size_t) (in.end - in.at))
            return false;
        add_message(dataset, in.at, (size_t) len);
        in.at += len;
    }
    return dataset->n > 0;
}

static bool read_own(const bench_source *source, bench_dataset *dataset,
                     wire_writer *content, const char **why) {
    *why = "the file cannot be read";
    if (!bench_file_load(source->path, content))
        return false;
    *why = "the file is not one of delimited messages";
    if (source->is_delimited)
        return parse_delimited(content, dataset);
    add_message(dataset, content->data, content->len);
    return true;
}

static bool read_reference(const char *folder, const char *file,
                           bench_dataset *dataset, wire_writer *content,
                           const char **why) {
    *why = "its file cannot be read (run scripts/datasets; --data tells where "
           "the files are)";
    if (!load_from(folder, file, content))
        return false;
    *why = "its file is not a dataset of this type";
    return content->len > 0 && parse(content, dataset);
}

bool bench_file_read(const bench_source *source, const char *folder,
                     bench_dataset *dataset, const char **why) {
    wire_writer content = {NULL, 0, 0};
    bool done = source->path != NULL ? read_own(source, dataset, &content, why)
                                     : read_reference(folder, source->file,
                                                      dataset, &content, why);
    free(content.data);
    return done;
}
