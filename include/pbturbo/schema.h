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

/** A set of message types, found by their full names.
 *
 *  The types that pbt_schema_load makes are ordinary descriptors: they work
 *  with every call of pbturbo and of protobuf-c. Their structs have the layout
 *  that protoc-c gives to the same .proto file, so a message may be handed to
 *  code that was compiled for it.
 */
typedef struct pbt_schema pbt_schema;

/** Makes the types of a serialized google.protobuf.FileDescriptorSet, as
 *  `protoc --include_imports --descriptor_set_out` writes it; its files may be
 *  in any order. Such sets may be joined, byte after byte: a file that is in
 *  it again, and is the same, is taken once.
 *
 *  proto2, proto3 and the editions 2023 and 2024 are known. What protoc-c has
 *  no code for becomes:
 *    - groups: messages, sent between group tags;
 *    - proto3 `optional`: fields with a has_ member, as in proto2;
 *    - extensions: fields of the type they extend, named "[full.name]", behind
 *      its own members;
 *    - MessageSet: PBT_ERR_UNSUPPORTED. But one that is declared inside another
 *      message and is the type of no field is left out, with its extensions.
 *
 *  Defaults of floats keep all their digits, where protoc-c keeps six or
 *  fifteen. Names are kept in spite of optimize_for = CODE_SIZE.
 *
 *  message_init is set for the first 4096 types of all schemas that live at
 *  one time. Beyond, it is NULL: protobuf_c_message_unpack and pbt_unmarshal
 *  do without, but protobuf_c_message_init must not be called then.
 *  @param file_descriptor_set [in] len bytes; not needed after the call
 *  @param len    [in] bytes; 0 makes an empty schema
 *  @param schema [out] free it with pbt_schema_free; NULL on error
 *  @param error  [out] filled on failure, the message naming file and element;
 *                may be NULL
 *  Errors:  PBT_ERR_MALFORMED (the bytes are no such set, or hold no file),
 *           PBT_ERR_DEPTH (messages declared about 100 deep),
 *           PBT_ERR_BAD_DESCRIPTOR (a type that is not in the set; a name,
 *           number or enum value used twice; a number that cannot be; a bad
 *           label, type, default, oneof, map entry or extension),
 *           PBT_ERR_UNSUPPORTED (MessageSet, an edition that is not known),
 *           PBT_ERR_NO_MEMORY, PBT_ERR_ARGUMENT.
 *  Memory:  from malloc.
 *  Threads: any.
 *  Cost:    n log n in the size of the set.
 *  Source:  descriptor.proto; descriptors equal those of protoc-c 1.4.1.
 */
PBT_API pbt_status pbt_schema_load(const void *file_descriptor_set, size_t len,
                                   pbt_schema **schema,
                                   pbt_error *error) PBT_MUST_USE;

/** Makes an empty schema, to add compiled types to.
 *  @param allocator [in] for all memory of the schema; NULL for malloc and
 *                   free; must outlive it
 *  @param schema    [out] free it with pbt_schema_free; NULL on error
 *  Errors:  PBT_ERR_NO_MEMORY, PBT_ERR_ARGUMENT.
 *  Threads: any.
 */
PBT_API pbt_status pbt_schema_new(const ProtobufCAllocator *allocator,
                                  pbt_schema **schema) PBT_MUST_USE;

/** Adds a compiled type and all types and enums below it, so that they are
 *  found by name. What was added before is no error. A type of a name that was
 *  loaded is one: a name stands for one type. pbt_schema_attach is the call for
 *  compiled types that the schema has loaded as well.
 *  @param schema   [in,out] unchanged on error
 *  @param compiled [in] must outlive the schema; not modified
 *  @param error    [out] filled on failure; may be NULL
 *  Errors:  PBT_ERR_BAD_DESCRIPTOR (no name, as of optimize_for = CODE_SIZE, or
 *           the schema has another type of that name), PBT_ERR_NO_MEMORY,
 *           PBT_ERR_ARGUMENT.
 *  Threads: no other call on the schema at the same time.
 */
PBT_API pbt_status pbt_schema_add(pbt_schema *schema,
                                  const ProtobufCMessageDescriptor *compiled,
                                  pbt_error *error) PBT_MUST_USE;

/** Returns the message type of a full name, or NULL.
 *  @param schema    [in] may be NULL
 *  @param full_name [in] "package.Outer.Inner", without leading dot; may be
 *                   NULL
 *  Threads: any, while no call changes the schema.
 *  Cost:    linear in the length of the name.
 */
PBT_API const ProtobufCMessageDescriptor *
pbt_schema_message(const pbt_schema *schema, const char *full_name);

/** Returns the enum of a full name, or NULL. As pbt_schema_message. */
PBT_API const ProtobufCEnumDescriptor *pbt_schema_enum(const pbt_schema *schema,
                                                       const char *full_name);

/** Returns how many message types there are, map entries included.
 *  @param schema [in] may be NULL: none
 *  Threads: any, while no call changes the schema.
 */
PBT_API size_t pbt_schema_n_messages(const pbt_schema *schema);

/** Returns the type at an index below pbt_schema_n_messages, or NULL; loaded
 *  types stand in the order of the set, outer before inner, and before those
 *  that were added.
 *  Threads: any, while no call changes the schema.
 */
PBT_API const ProtobufCMessageDescriptor *
pbt_schema_message_at(const pbt_schema *schema, size_t index);

/** Returns the one type that stands for the schema, or NULL: of the messages
 *  at the top level of files that no other file of the set imports, the only
 *  one that is not part of another. A message that contains only itself is
 *  not part of another. Only loaded types count: a schema of pbt_schema_new has
 *  no root.
 *  @param schema [in] may be NULL
 *  Threads: any.
 */
PBT_API const ProtobufCMessageDescriptor *
pbt_schema_root(const pbt_schema *schema);

/** Gives a compiled type, and those below it, the facts of the loaded types
 *  of the same names that its descriptor has no room for: json_name, which
 *  fields are maps, and so on.
 *
 *  The descriptor itself stays as it is: the facts count in calls that are
 *  given this schema, which are those for JSON. Marshal and unmarshal go by the
 *  descriptor alone, so attaching changes nothing for them.
 *
 *  Types are matched by name, their fields by number: number, type and label
 *  must agree. Names of fields, defaults, and the values of enums are not
 *  compared. A type that was compiled without names, those of its fields
 *  included (optimize_for = CODE_SIZE), is the only loaded type that has the
 *  same fields, down to its sub-messages, and gets the names from it.
 *  @param schema   [in,out] unchanged on error
 *  @param compiled [in] must outlive the schema; not modified
 *  @param error    [out] filled on failure; may be NULL. With
 *                  PBT_ERR_BAD_DESCRIPTOR, path is the name of the field within
 *                  its type, field_number its number, and message begins with
 *                  the name of the type; otherwise they are empty and 0
 *  Errors:  PBT_ERR_NOT_FOUND (no loaded type of that name; or, without names,
 *           none or more than one with these fields),
 *           PBT_ERR_BAD_DESCRIPTOR (a field that the loaded type lacks or has
 *           with another type or label), PBT_ERR_NO_MEMORY, PBT_ERR_ARGUMENT.
 *  Threads: no other call on the schema at the same time.
 */
PBT_API pbt_status pbt_schema_attach(pbt_schema *schema,
                                     const ProtobufCMessageDescriptor *compiled,
                                     pbt_error *error) PBT_MUST_USE;

/** Frees a schema with its types and their tables; NULL is ignored. Messages of
 *  these types must not be used any more, nor freed by protobuf-c after this.
 *  Threads: no other call may be running on the schema, or on a message of a
 *           type of its own. Cost: linear in the types, and in all tables.
 */
PBT_API void pbt_schema_free(pbt_schema *schema);

#ifdef __cplusplus
}
#endif

#endif
