/* pbturbo/json.h - protobuf-c messages to ProtoJSON text.
 *
 * With no options the text is the canonical JSON mapping of protobuf, on one
 * line and without spaces; fields come in the order of their numbers. The same
 * message and options give the same bytes on every machine. A message is read,
 * never modified: any number of threads may print one message at once.
 */
#ifndef PBTURBO_JSON_H
#define PBTURBO_JSON_H

#include <stddef.h>
#include <stdint.h>

#include <protobuf-c/protobuf-c.h>

#include <pbturbo/buffer.h>
#include <pbturbo/schema.h>
#include <pbturbo/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Flags of pbt_json_options. A bit that is not listed is PBT_ERR_ARGUMENT. */

/** Write fields that have no presence of their own (proto3 fields that are not
 *  `optional`) when they are zero, false or empty, too; and proto2 fields that
 *  declare a default with that default when they are unset. Members of a oneof
 *  are never added, nor are other fields with presence; nor are extensions, for
 *  this and the next three flags. */
#define PBT_JSON_EMIT_DEFAULT_SCALARS 0x0001u
/** Write repeated fields without elements, as []. */
#define PBT_JSON_EMIT_EMPTY_LISTS 0x0002u
/** Write maps without entries, as {}. */
#define PBT_JSON_EMIT_EMPTY_MAPS 0x0004u
/** The three above. No field is ever null for them. */
#define PBT_JSON_EMIT_DEFAULTS 0x0007u
/** Write singular messages that are unset and no member of a oneof, as null.
 *  Readers take that for unset. A google.protobuf.Value would be set to it, and
 *  is left out. */
#define PBT_JSON_EMIT_NULL_MESSAGES 0x0008u
/** Take field names as the .proto file has them, not in lowerCamelCase. */
#define PBT_JSON_PROTO_NAMES 0x0010u
/** Write enum values as numbers. */
#define PBT_JSON_ENUM_NUMBERS 0x0020u
/** Write map entries sorted by key: strings by unsigned bytes, numbers by
 *  value, false first. Without the flag they come in the order they have in
 *  the message. */
#define PBT_JSON_SORT_MAP_KEYS 0x0040u
/** Write 64-bit integers without the quotes. */
#define PBT_JSON_INT64_AS_NUMBER 0x0080u
/** Write 64-bit integers without the quotes where a double holds the value
 *  exactly, which is what JSON readers make of numbers. */
#define PBT_JSON_INT64_UNQUOTED_IF_SAFE 0x0100u
/** Write < > & and U+2028, U+2029 as \u escapes. */
#define PBT_JSON_ESCAPE_HTML 0x0200u
/** Write everything that is not ASCII as \u escapes. */
#define PBT_JSON_ASCII_ONLY 0x0400u
/** End the text with a newline. */
#define PBT_JSON_NEWLINE 0x0800u
/** Do not fail on a missing required field; it is left out. */
#define PBT_JSON_ALLOW_PARTIAL 0x1000u
/** Write a google.protobuf.Any whose type is not in the schema as an ordinary
 *  message, {"typeUrl":"...","value":"base64"}, rather than fail. */
#define PBT_JSON_ANY_RAW 0x2000u
/** Take -0.0 in a field with implicit presence for a value, as the protobuf
 *  specification does and protobuf-c does not. */
#define PBT_JSON_CONFORMANT 0x4000u

/** Trust that no two entries of a map have one key, and do not look for them:
 *  faster. Where that is not so, both are printed, and what readers make of the
 *  text is their own. */
#define PBT_JSON_UNIQUE_MAP_KEYS 0x8000u

/* Values of pbt_json_options.indent other than 0 to 8 spaces. */
#define PBT_JSON_TAB 255u

/* Values of pbt_json_options.utf8: a string that is not valid UTF-8 ... */
#define PBT_JSON_UTF8_ERROR 0u   /* is PBT_ERR_UTF8 */
#define PBT_JSON_UTF8_REPLACE 1u /* gets U+FFFD for each maximal bad part */
#define PBT_JSON_UTF8_TRUST                                                    \
    2u /* is not noticed: faster, and bad in, bad out                          \
        */

/* Values of pbt_json_options.nonfinite: a float or double that is no number
 * is written ... In google.protobuf.Value it is always an error. */
#define PBT_JSON_NONFINITE_STRING 0u /* as "NaN", "Infinity", "-Infinity" */
#define PBT_JSON_NONFINITE_NULL 1u   /* as null */
#define PBT_JSON_NONFINITE_ERROR 2u  /* not at all: PBT_ERR_VALUE */

/** How a call is to behave. NULL, or all zero, means the defaults. */
typedef struct pbt_json_options {
    uint32_t flags;    /* PBT_JSON_EMIT_DEFAULTS and its neighbours */
    uint8_t indent;    /* 0: one line; 1 to 8 spaces a level; PBT_JSON_TAB */
    uint8_t utf8;      /* PBT_JSON_UTF8_ERROR and its neighbours */
    uint8_t nonfinite; /* PBT_JSON_NONFINITE_STRING and its neighbours */
    /* Levels of sub-messages allowed below the message, as in pbt_options; 0
     * means 10000. Readers often stop at 100. */
    uint32_t max_depth;
    /* Largest text in bytes; 0 means 2 GiB - 1. */
    size_t max_size;
    /* Where the types of Any payloads are found, and what compiled types do
     * not know of themselves (see pbt_schema_attach); may be NULL. */
    const pbt_schema *schema;
    /* For all memory of the call; NULL means malloc and free. */
    const ProtobufCAllocator *allocator;
    pbt_error *error;  /* filled when the call fails; may be NULL */
    void *reserved[4]; /* must be NULL */
} pbt_json_options;

/* Initializers for common sets of options:
 *   pbt_json_options options = PBT_JSON_STABLE;  */
#define PBT_JSON_PRESET(flags, utf8)                                           \
    {                                                                          \
        flags, 0, utf8, 0, 0, 0, NULL, NULL, NULL, {                           \
            NULL, NULL, NULL, NULL                                             \
        }                                                                      \
    }
/** The defaults. */
#define PBT_JSON_CANONICAL PBT_JSON_PRESET(0, PBT_JSON_UTF8_ERROR)
/** The same text whatever order maps were filled in. */
#define PBT_JSON_STABLE                                                        \
    PBT_JSON_PRESET(PBT_JSON_SORT_MAP_KEYS, PBT_JSON_UTF8_ERROR)
/** For messages whose strings are known to be valid UTF-8, and whose maps are
 *  known to be maps. */
#define PBT_JSON_FAST                                                          \
    PBT_JSON_PRESET(PBT_JSON_UNIQUE_MAP_KEYS, PBT_JSON_UTF8_TRUST)

/* The mapping, where one could wonder:
 *
 *   Presence is that of pbt_marshal: a field is printed when it would be sent.
 *   Unknown fields are left out.
 *   Keys are the json_name of types that were loaded into a schema, else the
 *   field's name in lowerCamelCase; extensions are "[full.name]". A type in
 *   which two fields get one key cannot be printed, nor can one that has no
 *   names (optimize_for = CODE_SIZE) and is not attached to the schema.
 *   Floats and doubles are the shortest text that reads back as the same
 *   value, with an exponent below 1e-6 and from 1e21 on.
 *   Of several map entries with one key the last is printed; all of them with
 *   PBT_JSON_UNIQUE_MAP_KEYS and without PBT_JSON_SORT_MAP_KEYS.
 *   A message that is NULL in a map is printed as an empty one.
 *   An enum value without a name is printed as a number. Of several names, the
 *   first that was declared counts.
 *   The well-known types of google/protobuf are told by their name and shape.
 *   Types of the same name with other fields are ordinary messages.
 *   Required fields are not asked for inside of an Any.
 *
 * Errors common to all calls of this header, in addition to their own:
 *   PBT_ERR_ARGUMENT        a pointer that must not be NULL is; an unknown
 *                           flag; indent, utf8 or nonfinite out of range
 *   PBT_ERR_REQUIRED        a required string or message is NULL (not with
 *                           PBT_JSON_ALLOW_PARTIAL); the first in field order
 *   PBT_ERR_UTF8            a string is not valid UTF-8, with
 *                           PBT_JSON_UTF8_ERROR
 *   PBT_ERR_VALUE           a Timestamp or Duration out of range; a FieldMask
 *                           path that cannot be turned back; a Value that has
 *                           no kind or is no number; an Any with a bad type
 *                           URL; a float with PBT_JSON_NONFINITE_ERROR
 *   PBT_ERR_NOT_FOUND       the type of an Any is not in the schema
 *   PBT_ERR_MALFORMED       the content of an Any cannot be read
 *   PBT_ERR_BAD_MESSAGE     count > 0 or len > 0 with a NULL pointer, a NULL
 *                           element, a message without descriptor
 *   PBT_ERR_DEPTH           nested deeper than max_depth (a cycle)
 *   PBT_ERR_TOO_LARGE       more than max_size bytes; 2^30 elements or more in
 *                           a repeated field
 *   PBT_ERR_UNSUPPORTED     the type has no names, or two fields with one key
 *   PBT_ERR_BAD_DESCRIPTOR  the type contradicts itself
 *   PBT_ERR_NO_MEMORY
 * pbt_error.path names the field where one is to blame. */

/** Prints a message as JSON, replacing the content of a buffer.
 *  @param msg     [in] the message; NULL is PBT_ERR_ARGUMENT
 *  @param options [in] NULL for the defaults
 *  @param buffer  [in,out] all zero at first; empty on error, block kept. The
 *                 text is not NUL-terminated.
 *  Memory:  the buffer's block grows through the allocator; free it with
 *           pbt_buffer_free.
 *  Threads: any, each with its own buffer.
 *  Cost:    one pass; no allocation once the block is large enough, but for
 *           the payloads of Any, for nesting beyond 16 levels, and for maps of
 *           more than 8 entries that are not in order.
 *  Source:  the ProtoJSON mapping of the protobuf documentation.
 */
PBT_API pbt_status pbt_marshal_json(const ProtobufCMessage *msg,
                                    const pbt_json_options *options,
                                    pbt_buffer *buffer) PBT_MUST_USE;

/** Prints a message behind the content of a buffer.
 *  As pbt_marshal_json; the former content stays in front of the new, and is
 *  all there is on error (`data` may have moved). With PBT_JSON_NEWLINE,
 *  messages that are appended to each other are newline-delimited JSON.
 */
PBT_API pbt_status pbt_marshal_json_append(const ProtobufCMessage *msg,
                                           const pbt_json_options *options,
                                           pbt_buffer *buffer) PBT_MUST_USE;

/** Prints a message into the caller's memory, as snprintf does.
 *  @param msg     [in] the message; NULL is PBT_ERR_ARGUMENT
 *  @param options [in] NULL for the defaults
 *  @param out     [out] cap bytes; may be NULL when cap is 0. The text is
 *                 followed by a NUL if there is room for it, that is when cap
 *                 is more than *len. Content undefined on error.
 *  @param cap     [in] bytes that may be written at out; nothing is written
 *                 past them
 *  @param len     [out] bytes of the text, not counting the NUL; on
 *                 PBT_ERR_NO_SPACE the bytes needed; 0 on any other error
 *  Errors:  PBT_ERR_NO_SPACE: the text has more than cap bytes. cap equal to
 *           its length is enough, and leaves no room for the NUL.
 *  Memory:  scratch memory when cap is short or only just enough.
 *  Threads: any. Cost: one pass, and a copy when scratch memory was used.
 */
PBT_API pbt_status pbt_marshal_json_into(const ProtobufCMessage *msg,
                                         const pbt_json_options *options,
                                         void *out, size_t cap,
                                         size_t *len) PBT_MUST_USE;

/** Prints a message to a sink.
 *  @param msg     [in] the message; NULL is PBT_ERR_ARGUMENT
 *  @param options [in] NULL for the defaults
 *  @param sink    [in] gets the text in one piece, and none of it on an error
 *                 other than PBT_ERR_SINK
 *  Errors:  PBT_ERR_SINK (the sink returned an error).
 *  Memory:  scratch memory for the whole text.
 *  Threads: any, each with its own sink. No lock is held while it runs.
 */
PBT_API pbt_status pbt_marshal_json_to_sink(const ProtobufCMessage *msg,
                                            const pbt_json_options *options,
                                            pbt_sink *sink) PBT_MUST_USE;

#ifdef __cplusplus
}
#endif

#endif
