/* bench_data.h - the list of datasets, and what can be said about one. */
#ifndef PBTURBO_BENCH_DATA_H
#define PBTURBO_BENCH_DATA_H

#include "bench.h"
#include "bench_gen.h"
#include "bench_schema.h"

enum { BENCH_MAX_SOURCES = 64 };

typedef struct bench_source {
    const char *name;
    const ProtobufCMessageDescriptor *type; /* NULL: made of the schema */
    const char *type_name;   /* without a type; NULL: the root of the schema */
    const char *schema;      /* name of a set that was built with the program */
    const char *schema_path; /* or a set of the user's */
    /* A generated dataset: n_messages made by generate, or as many as it takes
     * for the size in bytes. Or messages that are filled; or those of another
     * dataset, each as a google.protobuf.Struct. */
    bench_generator *generate;
    bench_filler *fill;
    const char *struct_of;
    size_t n_messages;
    size_t size;
    size_t quick_size; /* with --quick; 0: the same */
    bool has_large_fields;
    bool is_json; /* no other operation */
    uint32_t json_flags;
    const char *(*describe)(void); /* what is not generated; may be NULL */
    /* A reference dataset: a file, relative to the folder of datasets. */
    const char *file;
    /* The user's: one message, or many, each behind its length (a varint). */
    const char *path;
    bool is_delimited;
} bench_source;

typedef struct bench_wanted {
    uint64_t seed;
    bool quick;
    const char *folder; /* of the reference datasets */
} bench_wanted;

extern const bench_source bench_sources[]; /* name NULL at the end */

/* Where the messages are from, if neither from a file nor from the seed; NULL
 * otherwise. */
const char *bench_source_origin(const bench_source *source);
bool bench_source_is_generated(const bench_source *source);

/* bench_struct.c: writes message i as a google.protobuf.Struct. */
void bench_struct_of(const bench_dataset *dataset, size_t i, wire_writer *out);

/* Fills the dataset. False, with a reason in *why, when it cannot be had; the
 * reason holds until it is closed, which it must be either way. */
bool bench_dataset_open(const bench_source *source, const bench_wanted *wanted,
                        bench_dataset *dataset, const char **why);
void bench_dataset_close(bench_dataset *dataset);

/* Reads the file of a source into plain and n, as it is. */
bool bench_file_read(const bench_source *source, const char *folder,
                     bench_dataset *dataset, const char **why);
/* Appends the content of a file. */
bool bench_file_load(const char *path, wire_writer *content);

/* What the bytes of a dataset are like, all levels of nesting together. */
typedef struct bench_stats {
    size_t messages; /* messages and sub-messages, groups included */
    size_t groups;
    size_t fields_declared; /* of the types of all of these */
    size_t fields_set;      /* of them, those with a value */
    size_t values;          /* of them; of repeated fields, all elements */
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
