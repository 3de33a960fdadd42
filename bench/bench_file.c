/* bench_file.c - reads Google's dataset files: a name, the full name of the
 * message type, and the payloads, as one BenchmarkDataset message. */
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

static bool load(const char *folder, const char *name, wire_writer *content) {
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = bench_alloc(size, 1);
    snprintf(path, size, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    free(path);
    if (file == NULL)
        return false;
    bool loaded = read_all(file, content);
    fclose(file);
    return loaded;
}

static void add_message(bench_dataset *dataset, const wire_field *field) {
    dataset->messages = bench_grow(dataset->messages, dataset->n + 1,
                                   sizeof *dataset->messages);
    wire_writer copy = {NULL, 0, 0};
    wire_put_raw(&copy, field->data, field->len);
    dataset->messages[dataset->n].data = copy.data;
    dataset->messages[dataset->n].len = copy.len;
    dataset->n++;
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
            add_message(dataset, &field);
    }
    return !in.failed && dataset->n > 0;
}

bool bench_file_read(const char *folder, const char *file,
                     bench_dataset *dataset, const char **why) {
    wire_writer content = {NULL, 0, 0};
    bool loaded = load(folder, file, &content);
    bool parsed = loaded && content.len > 0 && parse(&content, dataset);
    free(content.data);
    if (parsed)
        return true;
    bench_dataset_close(dataset);
    *why = loaded ? "its file is not a dataset of this type"
                  : "its file cannot be read (run scripts/datasets; --data "
                    "tells where the files are)";
    return false;
}
