/* table_names.h - the part of a coder table that the JSON writer reads: rows in
 * the order of field numbers, each with its key ready to be copied.
 *
 * It is made on first use, hangs on the table whose presence tests it copies,
 * and is freed with it. Options that change what is written for a field, and
 * not only how, have parts of their own: the loop then has nothing to decide.
 */
#ifndef PBTI_TABLE_NAMES_H
#define PBTI_TABLE_NAMES_H

#include <pbturbo/json.h>
#include <pbturbo/unmarshal.h>

#include "base_facts.h"
#include "table.h"

/* What a row does. */
typedef enum pbti_json_op {
#define PBTI_JSON_SCALAR(name, size, quoted)                                   \
    PBTI_JSON_##name, PBTI_JSON_##name##_REPEATED,
#define PBTI_JSON_OP(name) PBTI_JSON_##name,
#include "table_json.def"
    PBTI_N_JSON_OPS
} pbti_json_op;

typedef struct pbti_json_row pbti_json_row;
typedef struct pbti_json_type pbti_json_type;

/* Text that is ready to be copied, with PBTI_JSON_PAD bytes behind it that may
 * be read. */
typedef struct pbti_json_text {
    const char *data;
    size_t len;
} pbti_json_text;

enum { PBTI_JSON_PAD = 32 };

/* The quoted names of an enum by ascending number; the first n_dense numbers
 * follow each other without a gap. */
typedef struct pbti_json_enum {
    int first;
    uint32_t n_dense;
    uint32_t n;
    const int *numbers;
    const pbti_json_text *names;
} pbti_json_enum;

typedef struct pbti_json_oneof {
    const pbti_oneof *wire;
    const pbti_json_row *rows; /* one for each row of the wire's */
} pbti_json_oneof;

/* What is written for a field that is unset: a text, or when that is empty the
 * value of a member that is kept elsewhere. */
typedef struct pbti_json_else {
    const pbti_json_row *member;
    pbti_json_text text;
    const void *value;
} pbti_json_else;

/* Something that cannot be printed. */
typedef struct pbti_json_fault {
    pbt_status status;
    const char *sentence;
} pbti_json_fault;

/* One field, or one oneof run, or one of VALUE, ANY, END and so on. Presence is
 * tested as pbti_row says. The key is `,"name":`, with the opening quote of a
 * value that has quotes; empty for rows that are no member of an object. */
struct pbti_json_row {
    uint64_t mask;
    uint32_t presence; /* offset in the message of eight bytes */
    uint32_t data;     /* offset in the message of the member */
    const char *key;   /* padded as pbti_json_text */
    union {
        const pbti_json_type *sub;     /* messages: the field's own type;
                                          TIMESTAMP, ANY and so on: theirs */
        const void *default_value;     /* STRING, MESSAGE_DEFAULTED's is sub */
        const pbti_json_oneof *oneof;  /* ONEOF, VALUE */
        const pbti_json_else *or_else; /* OR_ELSE */
        const pbti_json_enum *values;  /* ENUM */
        const pbti_json_fault *fault;  /* FAULT */
    } u;
    const ProtobufCFieldDescriptor *field; /* NULL for rows that are none */
    uint32_t key_len;
    uint8_t op; /* pbti_json_op */
};

/* What changes the rows: these flags of pbt_json_options, and how the type is
 * used. PBT_JSON_CONFORMANT is not among them: it has tables of its own. */
#define PBTI_JSON_ROW_FLAGS                                                    \
    (PBT_JSON_EMIT_DEFAULTS | PBT_JSON_EMIT_NULL_MESSAGES |                    \
     PBT_JSON_PROTO_NAMES | PBT_JSON_ENUM_NUMBERS | PBT_JSON_INT64_AS_NUMBER | \
     PBT_JSON_INT64_UNQUOTED_IF_SAFE | PBT_JSON_ESCAPE_HTML |                  \
     PBT_JSON_ASCII_ONLY)
#define PBTI_JSON_AS_ENTRY 0x80000000u /* the entries of a map */

/* The well-known types that have a text of their own. */
typedef enum pbti_known {
    PBTI_KNOWN_NONE,
    PBTI_KNOWN_ANY,
    PBTI_KNOWN_DURATION,
    PBTI_KNOWN_FIELD_MASK,
    PBTI_KNOWN_LIST_VALUE,
    PBTI_KNOWN_STRUCT,
    PBTI_KNOWN_TIMESTAMP,
    PBTI_KNOWN_VALUE,
    PBTI_KNOWN_WRAPPER
} pbti_known;

struct pbti_json_type {
    const pbti_table *table;
    const pbti_json_row *rows; /* by ascending number, up to END or END_BARE */
    const pbti_json_row *end;  /* END, if there is one; END_BARE follows it */
    /* Of an entry: its key, and its value where that is set; the first of
     * `rows` is for a value that may not be. */
    const pbti_json_row *key;
    const pbti_json_row *value;
    uint32_t flags; /* what it was made for */
    const struct pbti_json_source *source;
    pbti_known known;
    /* TIMESTAMP and so on: the first two fields. */
    const ProtobufCFieldDescriptor *members;
    /* STRUCT, LIST_VALUE and wrappers: the row of the only field. */
    const pbti_json_row *only;
    /* VALUE: the types of its messages, and where the case and all members of
     * the oneof are; NULL where it is not as google's (see json_document.h). */
    const pbti_json_type *structure;
    const pbti_json_type *list;
    uint32_t kind;
    uint32_t data;
    bool is_flat;     /* entries: the value is no message, and can be printed */
    pbt_arena *arena; /* holds all of it */
    pbti_json_type *next;
};

/* Where the facts of compiled types come from. */
typedef struct pbti_json_source pbti_json_source;

typedef const pbti_type_facts *
pbti_find_facts(const void *schema, const ProtobufCMessageDescriptor *type);

/** Makes a source, or returns NULL.
 *  @param schema passed to `find`; outlives the source
 */
pbti_json_source *pbti_json_source_new(const void *schema,
                                       pbti_find_facts *find);

/** Frees a source with the parts that were made with it; NULL is ignored. */
void pbti_json_source_free(pbti_json_source *source);

/** Finds the JSON part of a table, making it first if need be.
 *  @param flags  [in] of pbt_json_options; those that change no row are ignored
 *  @param source [in] NULL: the facts that types have themselves
 *  @return NULL when there is no memory
 *  Threads: any.
 */
const pbti_json_type *pbti_json_type_get(const pbti_table *table,
                                         uint32_t flags,
                                         const pbti_json_source *source);

/** Frees the JSON parts of a table that is about to be freed. */
void pbti_json_types_free(pbti_table *table);

#endif
