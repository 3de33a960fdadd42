/* pbturbo/schema.h - message types made at run time from .proto files, and
 * what compiled types do not know of themselves. */
#ifndef PBTURBO_SCHEMA_H
#define PBTURBO_SCHEMA_H

#include <stddef.h>

#include <protobuf-c/protobuf-c.h>

#include <pbturbo/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A set of message types, found by their full names. */
typedef struct pbt_schema pbt_schema;

/** Makes the types of a serialized google.protobuf.FileDescriptorSet. */
PBT_API pbt_status pbt_schema_load(const void *file_descriptor_set, size_t len,
                                   pbt_schema **schema,
                                   pbt_error *error) PBT_MUST_USE;

/** Makes an empty schema, to add compiled types to. */
PBT_API pbt_status pbt_schema_new(const ProtobufCAllocator *allocator,
                                  pbt_schema **schema) PBT_MUST_USE;

/** Adds a compiled type and all types below it. */
PBT_API pbt_status pbt_schema_add(pbt_schema *schema,
                                  const ProtobufCMessageDescriptor *compiled,
                                  pbt_error *error) PBT_MUST_USE;

/** Returns the type of a full name without leading dot, or NULL. */
PBT_API const ProtobufCMessageDescriptor *
pbt_schema_message(const pbt_schema *schema, const char *full_name);

/** Returns how many message types there are. */
PBT_API size_t pbt_schema_n_messages(const pbt_schema *schema);

/** Returns the type at an index below pbt_schema_n_messages; types stand in
 *  the order of the set, outer before inner. */
PBT_API const ProtobufCMessageDescriptor *
pbt_schema_message_at(const pbt_schema *schema, size_t index);

/** Returns the one type that stands for the schema: the only one that is
 *  declared at the top level and is not part of another, or NULL. */
PBT_API const ProtobufCMessageDescriptor *
pbt_schema_root(const pbt_schema *schema);

/** Gives a compiled type, and those below it, the facts of the loaded types
 *  of the same names. */
PBT_API pbt_status pbt_schema_attach(pbt_schema *schema,
                                     const ProtobufCMessageDescriptor *compiled,
                                     pbt_error *error) PBT_MUST_USE;

/** Frees a schema with its types; NULL is ignored. */
PBT_API void pbt_schema_free(pbt_schema *schema);

#ifdef __cplusplus
}
#endif

#endif
