/* bench.h - what the parts of pbturbo-bench share.
 *
 * A dataset is a list of serialized messages of one type. A codec turns them
 * into objects of its own before any clock runs, and then offers passes: one
 * pass does one operation on every message of the dataset.
 */
#ifndef PBTURBO_BENCH_H
#define PBTURBO_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { BENCH_MAX_CODECS = 20 };

typedef enum bench_op {
    BENCH_MARSHAL,   /* to bytes, in a buffer that is used again */
    BENCH_SIZE,      /* the number of bytes that marshal would write */
    BENCH_CHECK,     /* is every required field there? */
    BENCH_UNMARSHAL, /* from bytes to objects, and rid of them again */
    BENCH_JSON,      /* to JSON text, in a buffer that is used again */
    BENCH_N_OPS
} bench_op;

typedef struct bench_bytes {
    uint8_t *data;
    size_t len;
} bench_bytes;

/* bench_schema.h */
typedef struct bench_schema bench_schema;

typedef struct bench_dataset {
    const char *name;
    const ProtobufCMessageDescriptor *type;
    bench_schema *schema; /* the types, for codecs that make theirs of it */
    size_t n;
    /* n of them, as protobuf-c packs them, but groups as groups: it knows none
     * and packs them as sub-messages, which is what plain holds. Without groups
     * in the schema both are the same. */
    bench_bytes *messages;
    bench_bytes *plain;
    /* n of them, unpacked into ordinary heap memory. All codecs that work on
     * protobuf-c structs work on these same ones, so that none of them can
     * have the friendlier layout. */
    ProtobufCMessage **structs;
    size_t total;   /* bytes of all messages */
    size_t largest; /* bytes of the largest message */
    bool has_groups;
    bool has_large_fields; /* fields worth a reference, not a copy */
    bool is_json;          /* for no operation but BENCH_JSON */
    uint32_t json_flags;   /* of pbt_json_options; every codec's are alike */
} bench_dataset;

/* One operation on all messages, in order. The result is folded from what was
 * produced, so that no call can be optimised away, and so that every timed
 * pass is compared with the reference. */
typedef uint64_t bench_pass(void *objects);

typedef struct bench_codec {
    const char *name;
    bool is_plain;   /* knows no groups: reads and writes the plain messages */
    bool is_by_name; /* left out unless it is asked for */
    const char *(*version)(void); /* NULL: no version of its own */
    /* Builds the codec's objects. NULL, with a reason in *why, when it cannot;
     * NULL and no reason when the dataset is not meant for it. */
    void *(*prepare)(const bench_dataset *dataset, const char **why);
    void (*release)(void *objects);
    /* Marshals message i outside the clock; the bytes hold until the next
     * call. False, with a reason in *why, on failure. NULL: JSON only. */
    bool (*output)(void *objects, size_t i, bench_bytes *bytes,
                   const char **why);
    /* Unmarshals message i and marshals what came of it, as output does; goes
     * with a pass for BENCH_UNMARSHAL. */
    bool (*reparse)(void *objects, size_t i, bench_bytes *bytes,
                    const char **why);
    /* Prints message i as JSON, as output does; goes with a pass for
     * BENCH_JSON. */
    bool (*print)(void *objects, size_t i, bench_bytes *text, const char **why);
    /* Reads a message from JSON and marshals it. */
    bool (*read)(void *objects, const bench_bytes *text, bench_bytes *bytes,
                 const char **why);
    bench_pass *pass[BENCH_N_OPS]; /* NULL: no such operation */
    /* Instead of calling pass: n passes in a process of the codec's own, which
     * looks at the clock itself. BENCH_JSON where there is print, else all
     * operations but that. */
    uint64_t (*run)(void *objects, bench_op op, uint64_t n, double *ns);
} bench_codec;

/* Does the codec have the operation? */
static inline bool bench_has(const bench_codec *codec, bench_op op) {
    return codec->pass[op] != NULL ||
           (codec->run != NULL && (codec->print != NULL) == (op == BENCH_JSON));
}

/* bench_codecs.c */
extern const bench_codec *const bench_codecs[]; /* NULL at the end */
/* Those that read JSON; NULL at the end. */
extern const bench_codec *const bench_readers[];
extern const char *const bench_missing_peers[]; /* sentences; NULL at the end */

extern const bench_codec bench_codec_pbturbo;
extern const bench_codec bench_codec_pbturbo_iovec;
extern const bench_codec bench_codec_pbturbo_borrow;
extern const bench_codec bench_codec_pbturbo_checked;
extern const bench_codec bench_codec_pbturbo_partial;
extern const bench_codec bench_codec_pbturbo_reflect;
extern const bench_codec bench_codec_protobuf_c;
extern const bench_codec bench_codec_cpp;
extern const bench_codec bench_codec_upb;
extern const bench_codec bench_codec_go;
extern const bench_codec bench_codec_cpp_json;
extern const bench_codec bench_codec_upb_json;
extern const bench_codec bench_codec_go_json;
extern const bench_codec bench_codec_rapidjson;
extern const bench_codec bench_codec_fast_json_stringify;
extern const bench_codec bench_codec_json_stringify;
extern const bench_codec bench_codec_memcpy;

/* Turns the sum left, then mixes in one result. */
static inline uint64_t bench_fold(uint64_t sum, uint64_t result) {
    return ((sum << 7) | (sum >> 57)) ^ result;
}

/* Mixes in an output: its length, its first and its last byte. More would be
 * felt on small messages; all bytes are compared before the clock runs. */
static inline uint64_t bench_fold_bytes(uint64_t sum, const uint8_t *data,
                                        size_t len) {
    uint64_t ends = len == 0 ? 0 : (uint64_t) data[0] << 8 | data[len - 1];
    return bench_fold(sum, (uint64_t) len << 16 | ends);
}

#ifdef __cplusplus
}
#endif

#endif
