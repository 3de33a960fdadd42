/* bench_data.h - the list of datasets, and what can be said about one. */
#ifndef PBTURBO_BENCH_DATA_H
#define PBTURBO_BENCH_DATA_H

#include "bench.h"
#include "bench_gen.h"

enum { BENCH_MAX_SOURCES = 32 };

typedef struct bench_source {
    const char *name;
    const ProtobufCMessageDescriptor *type; /* NULL: not in this build */
    /* A generated dataset: n_messages made by generate. */
    bench_generator *generate;
    size_t n_messages;
    bool has_large_fields;
    /* A reference dataset: a file, relative to the folder of datasets. */
    const char *file;
} bench_source;

extern const bench_source bench_sources[]; /* name NULL at the end */

/* Fills the dataset. False, with a reason in *why, when it cannot be had. */
bool bench_dataset_open(const bench_source *source, uint64_t seed,
                        const char *folder, bench_dataset *dataset,
                        const char **why);
void bench_dataset_close(bench_dataset *dataset);

/* Reads a file of Google's BenchmarkDataset form into messages and n. */
bool bench_file_read(const char *folder, const char *file,
                     bench_dataset *dataset, const char **why);

/* What the bytes of a dataset are like, all levels of nesting together. */
typedef struct bench_stats {
    size_t messages;        /* messages and sub-messages */
    size_t fields_declared; /* of the types of all of these */
    size_t fields_set;      /* of them, those with a value */
    size_t depth;           /* 0: no sub-messages */
    size_t varints[3];      /* values of one, two, and more bytes; no tags */
    size_t text_fields;     /* strings and bytes */
    size_t text_bytes;
} bench_stats;

void bench_stats_take(const bench_dataset *dataset, bench_stats *stats);

/* FNV-1a, 64 bits. */
uint64_t bench_checksum(uint64_t sum, const uint8_t *data, size_t len);
#define BENCH_CHECKSUM_START UINT64_C(0xcbf29ce484222325)

#endif
