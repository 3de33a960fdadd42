/* bench_codec_upb.c - upb, the amalgamation that comes with protobuf 3.21.12,
 * through the mini-tables that it makes of a schema at run time.
 *
 * Its arena cannot be reset. Ending it and starting it again in one block that
 * is large enough comes to the same, and calls no allocator.
 */
#include "bench.h"
#include "bench_schema.h"
#include "bench_wire.h"

#include <stdlib.h>
#include <string.h>

#include <ruby-upb.h>

/* The default of 64 levels would refuse the deep dataset. */
enum { OPTIONS = 10000 << 16 };

struct coder {
    const bench_dataset *dataset;
    upb_DefPool *pool;
    const upb_MessageDef *type;
    const upb_MiniTable *table;
    const upb_ExtensionRegistry *extensions;
    upb_Arena *arena; /* holds the messages */
    upb_Message **messages;
    upb_Arena *round; /* the arena that is reset, and its block */
    void *block;
    size_t block_size;
    char *text; /* JSON; of a size that is enough for each message */
    size_t text_size;
    upb_Status status;
};

static void release(void *objects) {
    struct coder *coder = objects;
    if (coder->round != NULL)
        upb_Arena_Free(coder->round);
    upb_Arena_Free(coder->arena);
    upb_DefPool_Free(coder->pool);
    free(coder->messages);
    free(coder->block);
    free(coder->text);
    free(coder);
}

/* How often an arena had to go beyond its first block. */
static size_t n_more_blocks;

static void *allocate_more(upb_alloc *alloc, void *block, size_t old_size,
                           size_t size) {
    (void) alloc;
    n_more_blocks += size > 0;
    return upb_alloc_global.func(&upb_alloc_global, block, old_size, size);
}

static upb_alloc counting_alloc = {allocate_more};

static void reset_arena(struct coder *coder) {
    if (coder->round != NULL)
        upb_Arena_Free(coder->round);
    coder->round =
        upb_Arena_Init(coder->block, coder->block_size, &counting_alloc);
}

static bool add_files(struct coder *coder, upb_Arena *arena, const char **why) {
    const wire_writer *set = &coder->dataset->schema->set;
    google_protobuf_FileDescriptorSet *parsed =
        google_protobuf_FileDescriptorSet_parse((const char *) set->data,
                                                set->len, arena);
    *why = "it cannot read the schema";
    if (parsed == NULL)
        return false;
    size_t n;
    const google_protobuf_FileDescriptorProto *const *files =
        google_protobuf_FileDescriptorSet_file(parsed, &n);
    for (size_t i = 0; i < n; i++) {
        upb_Status status;
        upb_Status_Clear(&status);
        if (upb_DefPool_AddFile(coder->pool, files[i], &status) == NULL)
            return false;
    }
    return true;
}

static bool find_table(struct coder *coder, const char **why) {
    upb_Arena *arena = upb_Arena_New();
    bool added = add_files(coder, arena, why);
    upb_Arena_Free(arena);
    if (!added)
        return false;
    const upb_MessageDef *type =
        upb_DefPool_FindMessageByName(coder->pool, coder->dataset->type->name);
    *why = "its schema lacks the type";
    if (type == NULL)
        return false;
    coder->type = type;
    coder->table = upb_MessageDef_MiniTable(type);
    coder->extensions = upb_DefPool_ExtensionRegistry(coder->pool);
    return true;
}

static upb_Message *decode(const struct coder *coder, size_t i,
                           upb_Arena *arena) {
    const bench_bytes *bytes = &coder->dataset->messages[i];
    upb_Message *message = _upb_Message_New(coder->table, arena);
    if (message == NULL || upb_Decode((const char *) bytes->data, bytes->len,
                                      message, coder->table, coder->extensions,
                                      OPTIONS, arena) != kUpb_DecodeStatus_Ok)
        return NULL;
    return message;
}

static bool decode_all(struct coder *coder, const char **why) {
    const bench_dataset *dataset = coder->dataset;
    coder->messages = bench_alloc(dataset->n, sizeof *coder->messages);
    for (size_t i = 0; i < dataset->n; i++) {
        coder->messages[i] = decode(coder, i, coder->arena);
        if (coder->messages[i] == NULL) {
            *why = "it cannot parse the messages";
            return false;
        }
    }
    return true;
}

static bool encode(const struct coder *coder, const upb_Message *message,
                   bench_bytes *bytes) {
    bytes->data = (uint8_t *) upb_Encode(message, coder->table, OPTIONS,
                                         coder->round, &bytes->len);
    return bytes->data != NULL;
}

/* Does each message fit the block when it is decoded, and when it is encoded?
 */
static bool is_block_enough(struct coder *coder) {
    n_more_blocks = 0;
    for (size_t i = 0; i < coder->dataset->n && n_more_blocks == 0; i++) {
        bench_bytes bytes;
        reset_arena(coder);
        (void) decode(coder, i, coder->round);
        reset_arena(coder);
        (void) encode(coder, coder->messages[i], &bytes);
    }
    return n_more_blocks == 0;
}

static void provide_block(struct coder *coder) {
    coder->block_size = 65536 + 4 * coder->dataset->largest;
    coder->block = bench_alloc(coder->block_size, 1);
    while (!is_block_enough(coder)) {
        upb_Arena_Free(coder->round);
        coder->round = NULL;
        coder->block_size *= 2;
        coder->block = bench_grow(coder->block, coder->block_size, 1);
    }
}

static void *prepare(const bench_dataset *dataset, const char **why) {
    struct coder *coder = bench_alloc(1, sizeof *coder);
    coder->dataset = dataset;
    coder->pool = upb_DefPool_New();
    coder->arena = upb_Arena_New();
    if (!find_table(coder, why) || !decode_all(coder, why)) {
        release(coder);
        return NULL;
    }
    provide_block(coder);
    return coder;
}

static bool output(void *objects, size_t i, bench_bytes *bytes,
                   const char **why) {
    struct coder *coder = objects;
    reset_arena(coder);
    *why = "upb_Encode failed";
    return encode(coder, coder->messages[i], bytes);
}

static uint64_t marshal_all(void *objects) {
    struct coder *coder = objects;
    uint64_t sum = 0;
    for (size_t i = 0; i < coder->dataset->n; i++) {
        bench_bytes bytes;
        reset_arena(coder);
        if (!encode(coder, coder->messages[i], &bytes))
            return 0;
        sum = bench_fold_bytes(sum, bytes.data, bytes.len);
    }
    return sum;
}

static bool reparse(void *objects, size_t i, bench_bytes *bytes,
                    const char **why) {
    struct coder *coder = objects;
    reset_arena(coder);
    upb_Message *message = decode(coder, i, coder->round);
    *why = "upb_Decode failed";
    return message != NULL && encode(coder, message, bytes);
}

static uint64_t unmarshal_all(void *objects) {
    struct coder *coder = objects;
    uint64_t sum = 0;
    for (size_t i = 0; i < coder->dataset->n; i++) {
        reset_arena(coder);
        sum = bench_fold(sum, decode(coder, i, coder->round) != NULL);
    }
    return sum;
}

const bench_codec bench_codec_upb = {
    .name = "upb",
    .prepare = prepare,
    .release = release,
    .output = output,
    .reparse = reparse,
    .pass = {marshal_all, NULL, NULL, unmarshal_all}};

static int json_options(const bench_dataset *dataset) {
    bool names = (dataset->json_flags & PBT_JSON_PROTO_NAMES) != 0;
    bool defaults = (dataset->json_flags & PBT_JSON_EMIT_DEFAULTS) != 0;
    return (names ? upb_JsonEncode_UseProtoNames : 0) |
           (defaults ? upb_JsonEncode_EmitDefaults : 0);
}

static size_t to_json(struct coder *coder, size_t i) {
    upb_Status_Clear(&coder->status);
    size_t len = upb_JsonEncode(coder->messages[i], coder->type, coder->pool,
                                json_options(coder->dataset), coder->text,
                                coder->text_size, &coder->status);
    return upb_Status_IsOk(&coder->status) ? len : 0;
}

static bool print(void *objects, size_t i, bench_bytes *text,
                  const char **why) {
    struct coder *coder = objects;
    size_t len = to_json(coder, i);
    if (len >= coder->text_size) {
        coder->text_size = len + 1;
        coder->text = bench_grow(coder->text, coder->text_size, 1);
        len = to_json(coder, i);
    }
    *text = (bench_bytes){(uint8_t *) coder->text, len};
    *why = upb_Status_ErrorMessage(&coder->status);
    return upb_Status_IsOk(&coder->status);
}

static bool read_json(void *objects, const bench_bytes *text,
                      bench_bytes *bytes, const char **why) {
    struct coder *coder = objects;
    reset_arena(coder);
    upb_Status_Clear(&coder->status);
    upb_Message *message = _upb_Message_New(coder->table, coder->round);
    bool read = upb_JsonDecode((const char *) text->data, text->len, message,
                               coder->type, coder->pool, 0, coder->round,
                               &coder->status);
    *why = upb_Status_ErrorMessage(&coder->status);
    return read && encode(coder, message, bytes);
}

/* The buffer has grown when the messages were printed to be compared. */
static uint64_t print_all(void *objects) {
    struct coder *coder = objects;
    uint64_t sum = 0;
    for (size_t i = 0; i < coder->dataset->n; i++) {
        size_t len = to_json(coder, i);
        if (len == 0)
            return 0;
        sum = bench_fold_bytes(sum, (const uint8_t *) coder->text, len);
    }
    return sum;
}

const bench_codec bench_codec_upb_json = {.name = "upb-json",
                                          .prepare = prepare,
                                          .release = release,
                                          .print = print,
                                          .read = read_json,
                                          .pass = {[BENCH_JSON] = print_all}};
