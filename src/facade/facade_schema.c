/* facade_schema.c - the public calls on schemas. */
#include <pbturbo/schema.h>

#include "base_error.h"
#include "schema_build.h"
#include "table_names.h"
#include "table_registry.h"

static pbt_status refuse(pbt_error *error, const char *what) {
    return pbti_fail(error, PBT_ERR_ARGUMENT, 0, NULL, "%s is NULL", what);
}

/* What the loader reads of a set has a fixed depth, but for messages that are
 * declared in messages. */
enum { MAX_SET_DEPTH = 100 };

/* Reads the bytes of a set into structs, in the scratch arena. */
static pbt_status read_set(const void *bytes, size_t len, pbt_arena *scratch,
                           const Pbti__FileDescriptorSet **set,
                           pbt_error *error) {
    pbt_options options = {.flags = PBT_DISCARD_UNKNOWN,
                           .max_depth = MAX_SET_DEPTH,
                           .error = error};
    ProtobufCMessage *message;
    pbt_status status = pbt_unmarshal(&pbti__file_descriptor_set__descriptor,
                                      bytes, len, &options, scratch, &message);
    if (status != PBT_OK)
        return status;
    *set = (const Pbti__FileDescriptorSet *) message;
    /* Many files of another kind are a message of nothing but unknown fields
     * to a reader. */
    if (len > 0 && (*set)->n_file == 0)
        return pbti_fail(error, PBT_ERR_MALFORMED, 0, NULL,
                         "there is no file in it: this is no "
                         "FileDescriptorSet");
    return PBT_OK;
}

static pbt_status load(pbt_schema *schema, const void *bytes, size_t len,
                       pbt_error *error) {
    const Pbti__FileDescriptorSet *set = NULL;
    pbt_arena *scratch = pbt_arena_new(NULL, 0);
    pbt_status status;
    if (!scratch)
        return pbti_fail(error, PBT_ERR_NO_MEMORY, 0, NULL, NULL);
    status = read_set(bytes, len, scratch, &set, error);
    if (status == PBT_OK)
        status = pbti_schema_build(schema, set, scratch, error);
    pbt_arena_free(scratch);
    return status;
}

pbt_status pbt_schema_load(const void *file_descriptor_set, size_t len,
                           pbt_schema **schema, pbt_error *error) {
    pbt_schema *made;
    pbt_status status;
    if (!schema)
        return refuse(error, "the place for the schema");
    *schema = NULL;
    if (!file_descriptor_set && len > 0)
        return refuse(error, "the set");
    made = pbti_schema_make(NULL);
    if (!made)
        return pbti_fail(error, PBT_ERR_NO_MEMORY, 0, NULL, NULL);
    status = load(made, file_descriptor_set, len, error);
    if (status == PBT_OK)
        *schema = made;
    else
        pbti_schema_destroy(made);
    return status;
}

pbt_status pbt_schema_new(const ProtobufCAllocator *allocator,
                          pbt_schema **schema) {
    if (!schema)
        return PBT_ERR_ARGUMENT;
    *schema = pbti_schema_make(allocator);
    return *schema ? PBT_OK : PBT_ERR_NO_MEMORY;
}

pbt_status pbt_schema_add(pbt_schema *schema,
                          const ProtobufCMessageDescriptor *compiled,
                          pbt_error *error) {
    if (!schema || !compiled)
        return refuse(error, schema ? "the type" : "the schema");
    return pbti_schema_add(schema, compiled, error);
}

static const pbti_type_facts *
find_facts(const void *schema, const ProtobufCMessageDescriptor *type) {
    return pbti_schema_facts(schema, type);
}

pbt_status pbt_schema_attach(pbt_schema *schema,
                             const ProtobufCMessageDescriptor *compiled,
                             pbt_error *error) {
    pbti_json_source *source;
    pbt_status status;
    if (!schema || !compiled)
        return refuse(error, schema ? "the type" : "the schema");
    source = pbti_json_source_new(schema, find_facts);
    if (!source)
        return pbti_fail(error, PBT_ERR_NO_MEMORY, 0, NULL, NULL);
    status = pbti_schema_attach(schema, compiled, error);
    if (status != PBT_OK) {
        pbti_json_source_free(source);
        return status;
    }
    /* What the former one made knew less. */
    pbti_json_source_free(schema->json_source);
    schema->json_source = source;
    return PBT_OK;
}

static const pbti_symbol *find_symbol(const pbt_schema *schema,
                                      const char *full_name,
                                      pbti_symbol_kind kind) {
    const pbti_symbol *symbol;
    if (!schema || !full_name)
        return NULL;
    symbol = pbti_symbol_find_path(&schema->symbols, NULL, full_name);
    return symbol && symbol->kind == kind ? symbol : NULL;
}

const ProtobufCMessageDescriptor *pbt_schema_message(const pbt_schema *schema,
                                                     const char *full_name) {
    const pbti_symbol *symbol = find_symbol(schema, full_name, SYMBOL_MESSAGE);
    return symbol ? symbol->type : NULL;
}

const ProtobufCEnumDescriptor *pbt_schema_enum(const pbt_schema *schema,
                                               const char *full_name) {
    const pbti_symbol *symbol = find_symbol(schema, full_name, SYMBOL_ENUM);
    return symbol ? symbol->type : NULL;
}

size_t pbt_schema_n_messages(const pbt_schema *schema) {
    return schema ? schema->n_types : 0;
}

const ProtobufCMessageDescriptor *
pbt_schema_message_at(const pbt_schema *schema, size_t index) {
    return index < pbt_schema_n_messages(schema) ? schema->types[index] : NULL;
}

const ProtobufCMessageDescriptor *pbt_schema_root(const pbt_schema *schema) {
    return schema ? schema->root : NULL;
}

void pbt_schema_free(pbt_schema *schema) {
    if (!schema)
        return;
    /* Tables first: another type may come to lie where these are now. Types
     * that were compiled, or belong to other schemas, do not refer to them. */
    pbti_registry_forget_set(schema->types, schema->n_loaded);
    pbti_json_source_free(schema->json_source);
    pbti_schema_destroy(schema);
}
