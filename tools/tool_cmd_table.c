/* tool_cmd_table.c - pbturbo table: the coder tables of types, as text. */
#include "tool_commands.h"

#include <pbturbo/table.h>

#include "tool_output.h"
#include "tool_report.h"
#include "tool_schema.h"

static int print_table(const ProtobufCMessageDescriptor *type,
                       tool_output *out) {
    pbt_buffer text = {0};
    pbt_error error = {0};
    int code = TOOL_OK;
    if (pbt_table_text(type, &text, &error) != PBT_OK)
        code = tool_trouble("%s: %s%s%s", type->name, error.path,
                            error.path[0] != '\0' ? ": " : "", error.message);
    else if (!tool_output_write(out, text.data, text.len))
        code = TOOL_TROUBLE;
    pbt_buffer_free(&text);
    return code;
}

static int print_tables(const tool_args *args, tool_schema *schema,
                        tool_output *out) {
    bool has_type = args->type != NULL || args->operands.n == 0;
    int code = TOOL_OK;
    if (has_type) {
        code = tool_schema_choose(schema, args->type);
        if (code == TOOL_OK)
            code = print_table(schema->type, out);
    }
    for (size_t i = 0; i < args->operands.n && code == TOOL_OK; i++) {
        code = tool_schema_choose(schema, args->operands.items[i]);
        if (code == TOOL_OK && (has_type || i > 0) &&
            !tool_output_print(out, "\n"))
            code = TOOL_TROUBLE;
        if (code == TOOL_OK)
            code = print_table(schema->type, out);
    }
    return code;
}

int tool_table(const tool_args *args) {
    tool_schema schema;
    tool_output out = {0};
    int code = tool_schema_load(args, &schema);
    if (code == TOOL_OK)
        code = tool_output_open(&out, args->output);
    if (code == TOOL_OK)
        code = print_tables(args, &schema, &out);
    code = tool_output_close(&out, code, code == TOOL_OK);
    tool_schema_close(&schema);
    return code;
}
