/* tool_schema.h - the schema of the command line, and the type chosen in it. */
#ifndef PBTURBO_TOOL_SCHEMA_H
#define PBTURBO_TOOL_SCHEMA_H

#include <protobuf-c/protobuf-c.h>

#include <pbturbo/schema.h>

#include "tool_args.h"

typedef struct tool_schema {
    pbt_schema *schema;
    const char *file; /* for messages: the first that the user named */
    const ProtobufCMessageDescriptor *type;
} tool_schema;

/* Loads the schema; the type is left NULL. The value is an exit code, and an
 * error has been reported. */
int tool_schema_load(const tool_args *args, tool_schema *schema);

/* Finds the type of a name, or for NULL the only one there is to choose. */
int tool_schema_choose(tool_schema *schema, const char *name);

/* Both, with the name of --type; nothing is left to close on an error. */
int tool_schema_open(const tool_args *args, tool_schema *schema);

void tool_schema_close(tool_schema *schema);

#endif
