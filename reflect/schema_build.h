/* schema_build.h - how a FileDescriptorSet becomes types.
 *
 *   declare   every message, enum and extension gets a record and a symbol
 *   resolve   fields find their types; extensions join the type they extend
 *   lay out   members get their places in the struct, descriptors are filled
 *
 * Records live in a scratch arena, what they describe in the schema's own. A
 * step that fails has reported the error, with file and element. */
#ifndef PBTI_SCHEMA_BUILD_H
#define PBTI_SCHEMA_BUILD_H

#include "schema_descriptor.pb-c.h"
#include "schema_store.h"

/* Numbers as in FeatureSet of descriptor.proto. */
enum { PRESENCE_EXPLICIT = 1, PRESENCE_IMPLICIT, PRESENCE_REQUIRED };
enum { ENUM_OPEN = 1, ENUM_CLOSED };
enum { ENCODING_PACKED = 1, ENCODING_EXPANDED };
enum { UTF8_VERIFY = 2, UTF8_NONE };
enum { MESSAGE_LENGTH_PREFIXED = 1, MESSAGE_DELIMITED };

/* Numbers as in FieldDescriptorProto.Label and .Type. */
enum { LABEL_OPTIONAL = 1, LABEL_REQUIRED, LABEL_REPEATED };
enum { TYPE_STRING = 9, TYPE_GROUP, TYPE_MESSAGE, TYPE_ENUM = 14 };

enum { PBTI_NO_ONEOF = -1 };

/* What syntax, edition and options say, inherited from the outside inwards. */
typedef struct pbti_features {
    int32_t presence;
    int32_t enum_type;
    int32_t repeated_encoding;
    int32_t utf8;
    int32_t message_encoding;
} pbti_features;

typedef struct pbti_file {
    const Pbti__FileDescriptorProto *proto;
    const char *name; /* in the schema's arena, as are all names that stay */
    const char *package;
    const char *c_package; /* NULL unless given */
    const pbti_symbol *scope;
    pbti_features features;
    bool is_edition;
    bool is_proto3;
    bool is_imported; /* by another file of the set */
} pbti_file;

typedef struct pbti_enum {
    const Pbti__EnumDescriptorProto *proto;
    const pbti_file *file;
    const pbti_symbol *symbol;
    ProtobufCEnumDescriptor *type;
    bool is_closed;
    int32_t first_value; /* as declared: what a field starts with */
} pbti_enum;

typedef struct pbti_message pbti_message;

typedef struct pbti_field {
    const Pbti__FieldDescriptorProto *proto;
    const pbti_file *file;
    const pbti_symbol *scope; /* where it is declared */
    pbti_message *message;    /* that it is a field of */
    pbti_features features;
    int oneof;               /* index, or PBTI_NO_ONEOF */
    const pbti_message *sub; /* of a message field */
    const pbti_enum *values; /* of an enum field */
    ProtobufCFieldDescriptor as;
    pbti_field_facts facts;
    struct pbti_field *next; /* extension of the same message */
} pbti_field;

struct pbti_message {
    const Pbti__DescriptorProto *proto;
    const pbti_file *file;
    const pbti_message *parent; /* NULL at the top level */
    const pbti_symbol *symbol;
    pbti_features features;
    pbti_features *oneof_features;
    pbti_field *fields; /* as declared; proto->n_field of them */
    pbti_field *extensions;
    size_t n_extensions;
    ProtobufCMessageDescriptor *type;
    pbti_type_facts *facts;
    bool is_used;     /* as part of a message that is not in it */
    bool is_left_out; /* a MessageSet that nothing uses, or part of one */
    bool is_map_entry;
};

typedef struct pbti_builder {
    pbt_schema *schema;
    pbt_arena *keep;    /* the schema's */
    pbt_arena *scratch; /* for the records */
    pbt_error *error;
    pbti_file *files;
    size_t n_files;
    pbti_message *messages; /* outer before inner */
    size_t n_messages;
    pbti_enum *enums;
    size_t n_enums;
    pbti_field *extensions; /* in the order of the set */
    size_t n_extensions;
    bool is_pool_empty; /* no more functions in schema_init.c */
    pbti_symbols names; /* of what is no type */
    pbti_symbols file_names;
} pbti_builder;

/** Makes the types of a set. On failure the schema is only good to be freed.
 *  @param scratch may be freed after the call
 */
pbt_status pbti_schema_build(pbt_schema *schema,
                             const Pbti__FileDescriptorSet *set,
                             pbt_arena *scratch, pbt_error *error);

/* --- schema_error.c --- */

pbt_status pbti_no_memory(const pbti_builder *b);

pbt_status pbti_bad_file(const pbti_builder *b, const pbti_file *file,
                         const char *format, ...) PBTI_PRINTF(3, 4);

/** Reports something about an element: "FILE: KIND SCOPE.NAME: ..."
 *  @param scope may be NULL
 *  @param name  may be NULL, for the scope itself
 */
pbt_status pbti_bad_element(const pbti_builder *b, pbt_status status,
                            const pbti_file *file, const char *kind,
                            const pbti_symbol *scope, const char *name,
                            const char *format, ...) PBTI_PRINTF(7, 8);

pbt_status pbti_bad_message(const pbti_builder *b, const pbti_message *message,
                            const char *format, ...) PBTI_PRINTF(3, 4);

pbt_status pbti_bad_field(const pbti_builder *b, const pbti_field *field,
                          const char *format, ...) PBTI_PRINTF(3, 4);

/* --- schema_text.c: names, in the schema's arena; NULL without memory --- */

char *pbti_text_copy(pbt_arena *arena, const char *text);

/** "scope.name", or the name alone where the scope is NULL. */
char *pbti_text_join(pbt_arena *arena, const char *scope, const char *name);

/** The name of the C type or enumerator protoc-c makes of a full name. */
char *pbti_text_c_name(pbt_arena *arena, const pbti_file *file,
                       const char *full_name);
char *pbti_text_c_value(pbt_arena *arena, const pbti_file *file,
                        const char *enum_name, const char *value);

/** short_name as protoc-c makes it for messages. */
char *pbti_text_camel(pbt_arena *arena, const char *name);

/** lowerCamelCase. */
char *pbti_text_json_name(pbt_arena *arena, const char *name);

/** "[full.name]" */
char *pbti_text_bracket(pbt_arena *arena, const char *full_name);

/** Undoes C escapes; returns false if there is a bad one.
 *  @param out room for strlen(text) + 1 bytes
 */
bool pbti_text_unescape(const char *text, uint8_t *out, size_t *len);

/** Writes a symbol's full name as far as it fits: the end of it if need be. */
void pbti_symbol_text(const pbti_symbol *symbol, const char *name, char *out,
                      size_t size);

/* --- schema_features.c --- */

pbt_status pbti_features_of_file(const pbti_builder *b, pbti_file *file);

/** Applies the features of an element's options to those it inherits.
 *  @param set NULL when the options have none
 */
pbt_status pbti_features_apply(const pbti_builder *b, const pbti_file *file,
                               const pbti_features *inherited,
                               const Pbti__FeatureSet *set,
                               pbti_features *result);

/* --- the steps, in order --- */

pbt_status pbti_declare_files(pbti_builder *b,
                              const Pbti__FileDescriptorSet *set);
pbt_status pbti_build_enum(pbti_builder *b, pbti_enum *e);
pbt_status pbti_resolve_fields(pbti_builder *b);
pbt_status pbti_field_default(pbti_builder *b, pbti_field *field);
pbt_status pbti_lay_out(pbti_builder *b, pbti_message *message);

/* --- schema_init.c --- */

/** What a message of a type starts as. */
typedef struct pbti_init_image {
    size_t size;
    void *bytes;
} pbti_init_image;

/** Takes a function that starts messages with an image; NULL when all are
 *  taken.
 *  @param slot [out] for pbti_init_give_back
 */
ProtobufCMessageInit pbti_init_take(const pbti_init_image *image,
                                    unsigned *slot);
void pbti_init_give_back(unsigned slot);

#endif
