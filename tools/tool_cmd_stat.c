/* tool_cmd_stat.c - pbturbo stat: the counts of tool_stat_tree, printed. */
#include "tool_commands.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <pbturbo/unmarshal.h>

#include "tool_field.h"
#include "tool_input.h"
#include "tool_output.h"
#include "tool_report.h"
#include "tool_schema.h"
#include "tool_stat_tree.h"

enum { INDENT = 2, MAX_COLUMN = 60 };

typedef struct statistics {
    tool_stat_node *root;
    pbt_arena *arena;
} statistics;

/* The library decides whether the bytes are a message, and says why not. None
 * is counted in part. */
static int count_message(void *self, const tool_message *message) {
    statistics *job = (statistics *) self;
    pbt_error error = {0};
    pbt_options options = {.flags = PBT_ALLOW_PARTIAL | PBT_DISCARD_UNKNOWN,
                           .error = &error};
    ProtobufCMessage *msg = NULL;
    pbt_arena_reset(job->arena);
    if (pbt_unmarshal(job->root->type, message->data, message->len, &options,
                      job->arena, &msg) != PBT_OK)
        return tool_bad_message(message, &error);
    if (tool_stat_add(job->root, message->data, message->len))
        return TOOL_OK;
    error = (pbt_error){.status = PBT_ERR_INTERNAL};
    return tool_bad_message(message, &error);
}

static const char *name_of(const tool_stat_node *node) {
    return node->field != NULL ? node->field->name : "(unknown)";
}

static const char *scalar_name(ProtobufCType type) {
    switch (type) {
    case PROTOBUF_C_TYPE_INT32:
        return "int32";
    case PROTOBUF_C_TYPE_SINT32:
        return "sint32";
    case PROTOBUF_C_TYPE_SFIXED32:
        return "sfixed32";
    case PROTOBUF_C_TYPE_INT64:
        return "int64";
    case PROTOBUF_C_TYPE_SINT64:
        return "sint64";
    case PROTOBUF_C_TYPE_SFIXED64:
        return "sfixed64";
    case PROTOBUF_C_TYPE_UINT32:
        return "uint32";
    case PROTOBUF_C_TYPE_FIXED32:
        return "fixed32";
    case PROTOBUF_C_TYPE_UINT64:
        return "uint64";
    case PROTOBUF_C_TYPE_FIXED64:
        return "fixed64";
    case PROTOBUF_C_TYPE_FLOAT:
        return "float";
    case PROTOBUF_C_TYPE_DOUBLE:
        return "double";
    case PROTOBUF_C_TYPE_BOOL:
        return "bool";
    case PROTOBUF_C_TYPE_ENUM:
        return "enum";
    case PROTOBUF_C_TYPE_STRING:
        return "string";
    case PROTOBUF_C_TYPE_BYTES:
        return "bytes";
    case PROTOBUF_C_TYPE_MESSAGE:
        break;
    }
    return "message";
}

/* The name without the package, where it is that of the root. */
static const char *strip_package(const char *name, const char *package) {
    size_t n = strlen(package);
    return n > 0 && strncmp(name, package, n) == 0 && name[n] == '.'
               ? name + n + 1
               : name;
}

static const char *type_name(const ProtobufCFieldDescriptor *field,
                             const char *package) {
    const char *name = scalar_name(field->type);
    if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        name = ((const ProtobufCMessageDescriptor *) field->descriptor)->name;
    else if (field->type == PROTOBUF_C_TYPE_ENUM)
        name = ((const ProtobufCEnumDescriptor *) field->descriptor)->name;
    return strip_package(name, package);
}

static bool is_map(const tool_stat_node *node) {
    return node->field->type == PROTOBUF_C_TYPE_MESSAGE &&
           tool_is_map(node->parent->type, node->field);
}

/* The type as it stands in a .proto file, or nearly so. */
static void format_type(const tool_stat_node *node, const char *package,
                        char *text, size_t size) {
    const ProtobufCFieldDescriptor *field = node->field;
    if (field == NULL) {
        snprintf(text, size, "-");
    } else if (is_map(node)) {
        const ProtobufCMessageDescriptor *entry =
            (const ProtobufCMessageDescriptor *) field->descriptor;
        snprintf(text, size, "map<%s, %s>",
                 type_name(&entry->fields[0], package),
                 type_name(&entry->fields[1], package));
    } else {
        bool is_repeated = field->label == PROTOBUF_C_LABEL_REPEATED;
        bool is_packed = (field->flags & PROTOBUF_C_FIELD_FLAG_PACKED) != 0;
        snprintf(text, size, "%s%s%s%s", is_repeated ? "repeated " : "",
                 node->is_group ? "group " : "", type_name(field, package),
                 is_packed ? " [packed]" : "");
    }
}

typedef struct layout {
    tool_output *out;
    const char *package; /* left out of the names of types */
    uint64_t total;
    int name_width;
    int type_width;
} layout;

static void widen(int *width, size_t n) {
    if ((int) n > *width)
        *width = n < MAX_COLUMN ? (int) n : MAX_COLUMN;
}

static void measure(layout *to, const tool_stat_node *node, size_t depth) {
    char type[256];
    for (size_t i = 0; i < node->n_children; i++) {
        const tool_stat_node *child = node->children[i];
        format_type(child, to->package, type, sizeof type);
        widen(&to->name_width, depth * INDENT + strlen(name_of(child)));
        widen(&to->type_width, strlen(type));
        measure(to, child, depth + 1);
    }
}

static double share_of(const layout *to, uint64_t bytes) {
    return to->total > 0 ? 100 * (double) bytes / (double) to->total : 0;
}

static void print_rows(const layout *to, const tool_stat_node *node,
                       size_t depth) {
    char type[256];
    for (size_t i = 0; i < node->n_children; i++) {
        const tool_stat_node *child = node->children[i];
        char number[16] = "";
        if (child->field != NULL)
            snprintf(number, sizeof number, "%" PRIu32, child->field->id);
        int indent = (int) (depth * INDENT);
        int width = to->name_width - indent;
        format_type(child, to->package, type, sizeof type);
        (void) tool_output_print(to->out,
                                 "%*s%-*s %9s  %-*s %9" PRIu64 " %9" PRIu64
                                 " %9" PRIu64 " %11" PRIu64 " %6.1f %%\n",
                                 indent, "", width > 0 ? width : 0,
                                 name_of(child), number, to->type_width, type,
                                 child->set, node->messages, child->values,
                                 child->bytes, share_of(to, child->bytes));
        print_rows(to, child, depth + 1);
    }
}

static void print_table(layout *to, const tool_stat_node *root) {
    to->name_width = (int) strlen("field");
    to->type_width = (int) strlen("type");
    measure(to, root, 0);
    (void) tool_output_print(to->out,
                             "%s: %" PRIu64 " message%s, %" PRIu64 " bytes\n",
                             root->type->name, root->values,
                             root->values == 1 ? "" : "s", root->bytes);
    if (root->n_children == 0)
        return;
    (void) tool_output_print(to->out, "\n%-*s %9s  %-*s %9s %9s %9s %11s %8s\n",
                             to->name_width, "field", "number", to->type_width,
                             "type", "set", "of", "values", "bytes", "share");
    print_rows(to, root, 0);
}

static void print_lines(const layout *to, const tool_stat_node *node,
                        const char *path) {
    char type[256];
    for (size_t i = 0; i < node->n_children; i++) {
        const tool_stat_node *child = node->children[i];
        char *own = tool_join(path, name_of(child));
        format_type(child, to->package, type, sizeof type);
        (void) tool_output_print(
            to->out,
            "%s\t%" PRIu32 "\t%s\t%" PRIu64 "\t%" PRIu64 "\t%" PRIu64
            "\t%" PRIu64 "\t%.4f\n",
            own, child->field != NULL ? child->field->id : 0, type, child->set,
            node->messages, child->values, child->bytes,
            share_of(to, child->bytes) / 100);
        char *prefix = tool_join(own, ".");
        print_lines(to, child, prefix);
        free(prefix);
        free(own);
    }
}

static void print_tsv(const layout *to, const tool_stat_node *root) {
    (void) tool_output_print(
        to->out, "field\tnumber\ttype\tset\tof\tvalues\tbytes\tshare\n");
    print_lines(to, root, "");
}

static void print_all(const tool_args *args, tool_output *out,
                      tool_stat_node *root) {
    layout to = {.out = out, .package = "", .total = root->bytes};
    if (!args->tsv && root->type->package_name != NULL)
        to.package = root->type->package_name;
    tool_stat_sort(root);
    if (args->tsv)
        print_tsv(&to, root);
    else
        print_table(&to, root);
}

/* What ended the counting is told below what was counted. */
static int count_and_print(const tool_args *args, statistics *job) {
    tool_output out = {0};
    if (job->arena == NULL)
        return tool_trouble("out of memory");
    int code = tool_output_open(&out, args->output);
    if (code != TOOL_OK)
        return code;
    tool_hold();
    code = tool_each_message(args, false, count_message, job);
    if (code != TOOL_TROUBLE)
        print_all(args, &out, job->root);
    code = tool_output_close(&out, code, code != TOOL_TROUBLE);
    tool_release();
    return code;
}

int tool_stat(const tool_args *args) {
    tool_schema schema;
    int code = tool_schema_open(args, &schema);
    if (code != TOOL_OK)
        return code;
    statistics job = {tool_stat_new(schema.type), pbt_arena_new(NULL, 0)};
    code = count_and_print(args, &job);
    pbt_arena_free(job.arena);
    tool_stat_free(job.root);
    tool_schema_close(&schema);
    return code;
}
