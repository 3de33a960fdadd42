/* table_names_build.h - how the JSON part of a table is made. */
#ifndef PBTI_TABLE_NAMES_BUILD_H
#define PBTI_TABLE_NAMES_BUILD_H

#include "base_arena.h"
#include "table_build.h"
#include "table_names.h"

/* The parts that are being made: those of a type and of all below it. */
typedef struct pbti_naming {
    const pbti_json_source *source;
    pbti_json_type **types;
    size_t n_types;
    size_t capacity;
    bool failed; /* there was no memory */
} pbti_naming;

/** Takes zeroed memory that lives as long as a part. NULL on failure, and when
 *  something failed before. */
void *pbti_naming_take(pbti_naming *naming, const pbti_json_type *type,
                       size_t size);

/** Returns the part of a table, an empty one if it is yet to be made. */
const pbti_json_type *pbti_naming_sub(pbti_naming *naming,
                                      const pbti_table *table, uint32_t flags);

/** Returns what is known of a type, or NULL. */
const pbti_type_facts *
pbti_naming_facts(const pbti_naming *naming,
                  const ProtobufCMessageDescriptor *type);

/** Fills the rows of a part. */
void pbti_naming_fill(pbti_naming *naming, pbti_json_type *type);

/* Text: see table_names_text.c. */

/** Makes `,"name":`, and with an opening quote behind it if `quoted`. */
pbti_json_text pbti_naming_key(pbti_naming *naming, const pbti_json_type *type,
                               const char *name, bool quoted);

/** Makes text of what is printed as it is. */
pbti_json_text pbti_naming_text(pbti_naming *naming, const pbti_json_type *type,
                                const char *text);

/** The name of a field in lowerCamelCase. */
const char *pbti_naming_camel_case(pbti_naming *naming,
                                   const pbti_json_type *type,
                                   const char *name);

/** The names of an enum; NULL when it has none, or on failure. */
const pbti_json_enum *pbti_naming_enum(pbti_naming *naming,
                                       const pbti_json_type *type,
                                       const ProtobufCEnumDescriptor *values);

/** Makes what a FAULT row points to. */
const pbti_json_fault *pbti_naming_fault(pbti_naming *naming,
                                         const pbti_json_type *type,
                                         pbt_status status, const char *format,
                                         ...) PBTI_PRINTF(4, 5);

/* Well-known types: see table_known.c. */

/** Tells which of the well-known types this is. */
pbti_known pbti_known_type(const ProtobufCMessageDescriptor *type);

#endif
