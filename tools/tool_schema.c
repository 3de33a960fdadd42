/* tool_schema.c - see tool_schema.h. */
#include "tool_schema.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tool_input.h"
#include "tool_nearest.h"
#include "tool_protoc.h"
#include "tool_report.h"
#include "tool_temp.h"

/* More types than these are not listed. */
enum { MAX_LISTED = 30 };

static int load_set(void *self, const tool_message *message) {
    tool_schema *to = (tool_schema *) self;
    pbt_error error = {0};
    if (pbt_schema_load(message->data, message->len, &to->schema, &error) ==
        PBT_OK)
        return TOOL_OK;
    return tool_trouble("%s: %s%s%s", to->file, error.path,
                        error.path[0] != '\0' ? ": " : "", error.message);
}

/* The file is read like one of messages: whole, and with a limit. */
static int load_file(const char *file, tool_schema *to) {
    const tool_args whole = {.framing = TOOL_SINGLE};
    int code = tool_each_message_of(&whole, file, false, load_set, to);
    return code == TOOL_OK ? TOOL_OK : TOOL_TROUBLE;
}

static int load_protos(const tool_args *args, tool_schema *to) {
    const char *folder = getenv("TMPDIR");
    if (folder == NULL || *folder == '\0')
        folder = "/tmp";
    char *path = tool_join(folder, "/pbturbo-XXXXXX");
    int fd = tool_temp_make(path);
    if (fd < 0) {
        int code = tool_trouble("%s: %s", folder, strerror(errno));
        free(path);
        return code;
    }
    (void) close(fd);
    int code = tool_protoc(args, path);
    if (code == TOOL_OK)
        code = load_file(path, to);
    tool_temp_remove(path);
    free(path);
    return code;
}

int tool_schema_load(const tool_args *args, tool_schema *schema) {
    memset(schema, 0, sizeof *schema);
    schema->file = args->schema != NULL ? args->schema : args->protos.items[0];
    if (args->schema != NULL)
        return load_file(args->schema, schema);
    return load_protos(args, schema);
}

static bool is_nested_in(const char *inner, const char *outer) {
    size_t n = strlen(outer);
    return strncmp(inner, outer, n) == 0 && inner[n] == '.';
}

/* A type that is declared in another one, or is that of another one's field;
 * one that is declared in the type itself does not count. */
static bool is_part(const pbt_schema *schema,
                    const ProtobufCMessageDescriptor *type) {
    for (size_t i = 0; i < pbt_schema_n_messages(schema); i++) {
        const ProtobufCMessageDescriptor *other =
            pbt_schema_message_at(schema, i);
        if (other == type || is_nested_in(other->name, type->name))
            continue;
        if (is_nested_in(type->name, other->name))
            return true;
        for (unsigned f = 0; f < other->n_fields; f++)
            if (other->fields[f].type == PROTOBUF_C_TYPE_MESSAGE &&
                other->fields[f].descriptor == type)
                return true;
    }
    return false;
}

/* Lists those that are no part of another, or all where there are none. */
static void list_types(const pbt_schema *schema, bool with_parts) {
    size_t n = pbt_schema_n_messages(schema);
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        const ProtobufCMessageDescriptor *type =
            pbt_schema_message_at(schema, i);
        if (!with_parts && is_part(schema, type))
            continue;
        if (found++ < MAX_LISTED)
            fprintf(stderr, "  %s\n", type->name);
    }
    if (found > MAX_LISTED)
        fprintf(stderr, "  and %zu more\n", found - MAX_LISTED);
    if (found == 0 && !with_parts)
        list_types(schema, true);
}

static int choose_root(tool_schema *schema) {
    schema->type = pbt_schema_root(schema->schema);
    if (schema->type != NULL)
        return TOOL_OK;
    (void) tool_trouble("--type NAME is needed; the schema has");
    list_types(schema->schema, false);
    return TOOL_TROUBLE;
}

/* A name without its package counts as near: it is the usual slip. */
static bool ends_with_name(const char *full, const char *name) {
    size_t n = strlen(full);
    size_t m = strlen(name);
    return n > m + 1 && full[n - m - 1] == '.' &&
           strcmp(full + n - m, name) == 0;
}

static int tell_unknown(const pbt_schema *schema, const char *name) {
    const char *same = NULL;
    if (pbt_schema_enum(schema, name) != NULL)
        return tool_trouble("%s is an enum, not a message type", name);
    tool_nearest nearest = tool_nearest_start(name);
    for (size_t i = 0; i < pbt_schema_n_messages(schema); i++) {
        const char *other = pbt_schema_message_at(schema, i)->name;
        if (same == NULL && ends_with_name(other, name))
            same = other;
        tool_nearest_look(&nearest, other);
    }
    if (same == NULL)
        same = nearest.best;
    if (same != NULL)
        return tool_trouble("unknown type %s; did you mean %s?", name, same);
    (void) tool_trouble("unknown type %s; the schema has", name);
    list_types(schema, false);
    return TOOL_TROUBLE;
}

int tool_schema_choose(tool_schema *schema, const char *name) {
    if (pbt_schema_n_messages(schema->schema) == 0)
        return tool_trouble("%s: there are no message types in it",
                            schema->file);
    if (name == NULL)
        return choose_root(schema);
    if (name[0] == '.')
        name++;
    schema->type = pbt_schema_message(schema->schema, name);
    return schema->type != NULL ? TOOL_OK : tell_unknown(schema->schema, name);
}

int tool_schema_open(const tool_args *args, tool_schema *schema) {
    int code = tool_schema_load(args, schema);
    if (code == TOOL_OK)
        code = tool_schema_choose(schema, args->type);
    if (code != TOOL_OK)
        tool_schema_close(schema);
    return code;
}

void tool_schema_close(tool_schema *schema) {
    pbt_schema_free(schema->schema);
    memset(schema, 0, sizeof *schema);
}
