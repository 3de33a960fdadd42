/* pbturbo/reflect.h - the reflection road: marshalling without tables.
 *
 * The calls here read a message through a small table of functions, one field
 * at a time. They need no memory and no preparation, and they are slow: they
 * serve where a table cannot be had, for messages of other libraries, and as
 * the yardstick of the fast calls, whose results they share.
 */
#ifndef PBTURBO_REFLECT_H
#define PBTURBO_REFLECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <pbturbo/buffer.h>
#include <pbturbo/json.h>
#include <pbturbo/options.h>
#include <pbturbo/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Deepest nesting below the message that the calls here follow, whatever
 *  max_depth says: they recurse. A level takes less than 256 bytes of stack in
 *  an optimised build, 400 if PBT_DETERMINISTIC sorts a map at that level, so
 *  that 4 MB are enough for any message; on s390x, where any call takes 160,
 *  twice as much. */
#define PBT_REFLECT_MAX_DEPTH 10000u

/** A repeated field with this many elements or more is PBT_ERR_TOO_LARGE. */
#define PBT_REFLECT_MAX_ELEMENTS (1u << 30)

/* What follows, up to pbt_reflection_protobuf_c, is for those who make other
 * kinds of messages readable. It may change until version 1.0. */

/** Types of fields, with the numbers FieldDescriptorProto gives them. */
typedef enum pbt_reflect_type {
    PBT_REFLECT_DOUBLE = 1,
    PBT_REFLECT_FLOAT = 2,
    PBT_REFLECT_INT64 = 3,
    PBT_REFLECT_UINT64 = 4,
    PBT_REFLECT_INT32 = 5,
    PBT_REFLECT_FIXED64 = 6,
    PBT_REFLECT_FIXED32 = 7,
    PBT_REFLECT_BOOL = 8,
    PBT_REFLECT_STRING = 9,
    PBT_REFLECT_GROUP = 10, /* a message between wire types 3 and 4 */
    PBT_REFLECT_MESSAGE = 11,
    PBT_REFLECT_BYTES = 12,
    PBT_REFLECT_UINT32 = 13,
    PBT_REFLECT_ENUM = 14,
    PBT_REFLECT_SFIXED32 = 15,
    PBT_REFLECT_SFIXED64 = 16,
    PBT_REFLECT_SINT32 = 17,
    PBT_REFLECT_SINT64 = 18
} pbt_reflect_type;

/* Traits of a field. */
#define PBT_REFLECT_REPEATED 0x01u
#define PBT_REFLECT_PACKED 0x02u /* only together with REPEATED */
/* Has one value, perhaps absent; with count 0 it is missing as well, and
 * nothing stands for it in the output. */
#define PBT_REFLECT_REQUIRED 0x04u
#define PBT_REFLECT_MAP 0x08u /* only together with REPEATED */
/* There are values, but no pointer to them: the call ends with
 * PBT_ERR_BAD_MESSAGE. */
#define PBT_REFLECT_UNREACHABLE 0x10u
/* The one value is the zero of its type because the field is absent and
 * PBT_REFLECT_WHOLE_ENTRY was asked for. */
#define PBT_REFLECT_ABSENT 0x20u
#define PBT_REFLECT_UNIQUE 0x40u /* of a map: no two entries have one key */

/* How presence is to be decided. */
#define PBT_REFLECT_NEGATIVE_ZERO 0x01u /* -0.0 is no zero */
#define PBT_REFLECT_WHOLE_ENTRY 0x02u   /* of a map: key and value are there */
/* A message that is its field's default is there, too. */
#define PBT_REFLECT_DEFAULT_MESSAGE 0x04u

/** A message: three words that mean what the implementation wants. */
typedef struct pbt_reflect_message {
    const void *msg;
    const void *type;
    uintptr_t extra;
} pbt_reflect_message;

/** What there is to know about a message as a whole. */
typedef struct pbt_reflect_shape {
    const char *type_name; /* full name; may be NULL */
    const void *type;      /* the same for all messages of one type only */
    size_t n_fields;
    size_t n_unknown;
} pbt_reflect_shape;

/** A field of a message. */
typedef struct pbt_reflect_field {
    const char *name; /* may be NULL */
    size_t count;     /* values present; 0 or 1 if not repeated */
    const void *def;  /* for the implementation */
    const void *data; /* for the implementation */
    uint64_t place;   /* for the implementation: kept from value to value */
    uint32_t number;
    uint8_t type;   /* pbt_reflect_type */
    uint8_t traits; /* PBT_REFLECT_REPEATED and its neighbours */
} pbt_reflect_field;

/** A value of a field. */
typedef struct pbt_reflect_value {
    union {
        /* Numbers. Signed types and enums are extended by their sign, unsigned
         * ones by zeros; a bool is 0 or 1; float and double are their bits. */
        uint64_t bits;
        struct {
            const void *data; /* may be NULL when len is 0 */
            size_t len;
        } run; /* string and bytes */
        pbt_reflect_message message;
    } as;
    bool absent; /* a NULL string or message: its length is 0 */
    bool entry;  /* of a map field: an entry of the field's own type */
} pbt_reflect_value;

/** Bytes to be copied to the end of a message. */
typedef struct pbt_reflect_unknown {
    bool tagged;        /* number and wire_type come first, as a tag */
    uint32_t number;    /* shifted by three bits */
    uint32_t wire_type; /* or-ed to the first byte */
    const void *data;
    size_t len;
} pbt_reflect_unknown;

/** What only JSON asks about a field. */
typedef struct pbt_reflect_detail {
    const char *json_name; /* NULL: the field's name in lowerCamelCase */
    const char *type_name; /* of a message or enum: full name, or NULL */
    /* What the field itself does not say: its name, and what is to be taken as
     * `def` when an enum's value is to be named; NULL where it does. */
    const char *name;
    const void *names_def;
    size_t oneof;      /* 0: none; one number for all members of one */
    bool is_extension; /* whose name is to be put between brackets */
    bool is_foreign;   /* an extension that has its brackets already */
    bool is_implicit;  /* of proto3, and not `optional` */
    bool has_default;  /* with presence, and a default is declared */
    bool is_text;      /* bytes that are those of a string */
    bool is_list;      /* a map field of which somebody knows better */
    bool is_map;       /* a list of which somebody knows better */
    bool is_nameless;  /* an enum without names of its values */
    /* If it is no message: the default, or the zero of the type. */
    pbt_reflect_value unset;
} pbt_reflect_detail;

/** A message that was made in the course of a call. */
typedef struct pbt_reflect_made {
    pbt_reflect_message message;
    const ProtobufCAllocator *allocator;
    void *memory;  /* for the implementation */
    bool is_arena; /* for the implementation */
} pbt_reflect_made;

/** How to read one kind of message.
 *
 *  Every function of the first part but `root` returns PBT_OK, or
 * PBT_ERR_BAD_MESSAGE or PBT_ERR_BAD_DESCRIPTOR with the reason in *why, a
 * constant string. For one message `shape` is called before all others; fields,
 * values and unknown fields are then asked for mostly from the last to the
 * first. All run on the caller's stack and must not call pbturbo.
 */
typedef struct pbt_reflection {
    /* Makes a message of the argument of a call. */
    pbt_reflect_message (*root)(const void *msg);
    /* Fills shape, which is all zero. Sets type_name even on error if it can
     * be known. */
    pbt_status (*shape)(const pbt_reflect_message *m, pbt_reflect_shape *shape,
                        const char **why);
    /* Fills field, which is all zero, for index < n_fields; numbers ascend
     * with the index. Sets name and number even on error. */
    pbt_status (*field)(const pbt_reflect_message *m, size_t index,
                        unsigned presence, pbt_reflect_field *field,
                        const char **why);
    /* Fills value, which is all zero, for index < field->count. May change
     * nothing of the field but its place. */
    pbt_status (*value)(const pbt_reflect_message *m, pbt_reflect_field *field,
                        size_t index, pbt_reflect_value *value,
                        const char **why);
    /* Fills unknown, which is all zero, for index < n_unknown. */
    pbt_status (*unknown)(const pbt_reflect_message *m, size_t index,
                          pbt_reflect_unknown *unknown, const char **why);

    /* The second part is for JSON, which is PBT_ERR_UNSUPPORTED where `detail`
     * or `enum_name` is NULL. */

    /* Fills detail, which is all zero. The schema is that of the options, or
     * NULL. */
    void (*detail)(const pbt_reflect_message *m, const pbt_reflect_field *field,
                   const pbt_schema *schema, pbt_reflect_detail *detail);
    /* The name of a value of an enum field, or NULL. */
    const char *(*enum_name)(const pbt_reflect_field *field, int32_t number);
    /* Makes an empty message of the field's type, for a map entry without a
     * value. NULL where entries always have one. PBT_ERR_NO_MEMORY is its only
     * error. */
    pbt_status (*blank)(const pbt_reflect_field *field, pbt_reflect_made *made);
    /* Makes a message of the bytes in a google.protobuf.Any, required fields or
     * not. The name of its type is the end of the value of type_url. May
     * call pbturbo; any status, PBT_ERR_NOT_FOUND if there is no such type.
     * NULL: no type is ever found. */
    pbt_status (*payload)(const pbt_reflect_message *any,
                          const pbt_json_options *options, const char *name,
                          size_t name_len, const void *data, size_t len,
                          pbt_reflect_made *made, const char **why);
    /* Frees what the two have made. NULL if they are. */
    void (*drop)(pbt_reflect_made *made);
} pbt_reflection;

/** Reads protobuf-c messages: msg is a `const ProtobufCMessage *`.
 *
 *  Members may lie at any alignment. Map fields are recognised by shape and
 *  name: a repeated message field of a type named after it, as protoc names
 *  the entries of maps, with just a key and a value; types compiled without
 *  names have no map fields.
 */
extern PBT_API const pbt_reflection pbt_reflection_protobuf_c;

/* Common to all calls of this header:
 *   Errors: PBT_ERR_ARGUMENT if a pointer that must not be NULL is, or for
 *           unknown flags; PBT_ERR_BAD_MESSAGE, PBT_ERR_BAD_DESCRIPTOR,
 *           PBT_ERR_DEPTH, PBT_ERR_TOO_LARGE.
 *           Of several errors in a message the last in the order of the output
 *           is reported, except that PBT_ERR_REQUIRED names the first missing
 *           field in field order.
 *   Memory: none, with one exception: PBT_DETERMINISTIC sorts a map that is
 *           not in order with the help of four bytes an entry; where they
 *           cannot be had the time is quadratic in the entries.
 *           A map field that holds a message which is not of the entry's type
 *           keeps its stored order.
 *   Threads: any.
 *   Cost:   one pass over the message, or two where that is said. */

/** Tells how many bytes the message takes.
 *  @param reflection [in] how to read the message
 *  @param msg     [in] the message; NULL is PBT_ERR_ARGUMENT
 *  @param options [in] NULL for the defaults
 *  @param size    [out] bytes; 0 is a valid size; 0 on error
 *  Errors:  those of pbt_reflect_marshal_into but PBT_ERR_NO_SPACE.
 *  Source:  equals pbt_size.
 */
PBT_API pbt_status pbt_reflect_size(const pbt_reflection *reflection,
                                    const void *msg, const pbt_options *options,
                                    size_t *size) PBT_MUST_USE;

/** Marshals a message, replacing the content of a buffer.
 *  @param reflection [in] how to read the message
 *  @param msg     [in] the message; NULL is PBT_ERR_ARGUMENT
 *  @param options [in] NULL for the defaults
 *  @param buffer  [in,out] all zero at first; empty on error, block kept
 *  Errors:  PBT_ERR_NO_MEMORY; PBT_ERR_REQUIRED (not with PBT_ALLOW_PARTIAL);
 *           PBT_ERR_UTF8 (with PBT_VALIDATE_UTF8).
 *  Memory:  the buffer's block grows through its allocator, at first that of
 *           the options; free it with pbt_buffer_free.
 *  Threads: any, each with its own buffer.
 *  Cost:    two passes.
 *  Source:  equals pbt_marshal.
 */
PBT_API pbt_status pbt_reflect_marshal(const pbt_reflection *reflection,
                                       const void *msg,
                                       const pbt_options *options,
                                       pbt_buffer *buffer) PBT_MUST_USE;

/** Marshals a message into the caller's memory.
 *  @param reflection [in] how to read the message
 *  @param msg     [in] the message; NULL is PBT_ERR_ARGUMENT
 *  @param options [in] NULL for the defaults
 *  @param out     [out] cap bytes, any alignment; may be NULL when cap is 0;
 *                 content undefined on error
 *  @param cap     [in] bytes that may be written at out
 *  @param len     [out] bytes of the message; on PBT_ERR_NO_SPACE the bytes
 *                 needed; 0 on any other error
 *  Errors:  PBT_ERR_NO_SPACE, after all others; PBT_ERR_REQUIRED (not with
 *           PBT_ALLOW_PARTIAL); PBT_ERR_UTF8 (with PBT_VALIDATE_UTF8).
 *  Cost:    one pass, and one memmove when cap exceeds the length.
 *  Source:  equals pbt_marshal_into.
 */
PBT_API pbt_status pbt_reflect_marshal_into(const pbt_reflection *reflection,
                                            const void *msg,
                                            const pbt_options *options,
                                            void *out, size_t cap,
                                            size_t *len) PBT_MUST_USE;

/** Prints a message as JSON, replacing the content of a buffer.
 *  @param reflection [in] how to read the message
 *  @param msg     [in] the message; NULL is PBT_ERR_ARGUMENT
 *  @param options [in] NULL for the defaults; max_depth is limited as in all
 *                 calls here
 *  @param buffer  [in,out] all zero at first; empty on error, block kept. The
 *                 text is not NUL-terminated.
 *  Errors:  those of pbt_marshal_json, the first in the order of the text;
 *           PBT_ERR_UNSUPPORTED also if the reflection is not made for JSON.
 *           A wrong type is noticed only where a message has it.
 *  Memory:  the buffer's block grows through its allocator, at first that of
 *           the options; the options' own serves the payloads of Any, the
 *           entries of maps that are not in order, and a look at the names of
 *           each type.
 *  Threads: any, each with its own buffer.
 *  Cost:    one pass. A level of messages takes less than 1 KiB of stack in an
 *           optimised build.
 *  Source:  equals pbt_marshal_json, with which it shares nothing but the
 *           reports of errors.
 */
PBT_API pbt_status pbt_reflect_marshal_json(const pbt_reflection *reflection,
                                            const void *msg,
                                            const pbt_json_options *options,
                                            pbt_buffer *buffer) PBT_MUST_USE;

/** Names the first required field that is missing, in field order.
 *
 *  Every message is visited. Errors are reported in field order.
 *  @param reflection [in] how to read the message
 *  @param msg     [in] the message; NULL is PBT_ERR_ARGUMENT
 *  @param options [in] NULL for the defaults; PBT_ALLOW_PARTIAL has no effect
 *  Errors:  PBT_ERR_REQUIRED with path and field number; PBT_ERR_BAD_MESSAGE
 *           only for a message that cannot be reached or has no type.
 *  Memory:  none.
 *  Source:  equals pbt_check_required, which leaves out types that cannot lack
 *           a field and so does not see other errors in them.
 */
PBT_API pbt_status
pbt_reflect_check_required(const pbt_reflection *reflection, const void *msg,
                           const pbt_options *options) PBT_MUST_USE;

/** Tells whether marshal could follow every pointer of the message.
 *  @param reflection [in] how to read the message
 *  @param msg     [in] the message; NULL is PBT_ERR_ARGUMENT
 *  @param options [in] NULL for the defaults; as for marshal, but map entries
 *                 that PBT_DETERMINISTIC would leave out are looked at and
 *                 counted, too
 *  Errors:  those of pbt_reflect_size.
 *  Memory:  none.
 *  Source:  at least as strict as protobuf_c_message_check (without
 *           PBT_ALLOW_PARTIAL): what that call refuses is refused here. So a
 *           message that is its field's default is looked at, though marshal
 *           takes it for unset.
 */
PBT_API pbt_status
pbt_reflect_validate(const pbt_reflection *reflection, const void *msg,
                     const pbt_options *options) PBT_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
