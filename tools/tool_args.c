/* tool_args.c - see tool_args.h. Options may stand before and after other
 * arguments, in the forms --name value, --name=value, -n value and -nvalue. */
#include "tool_args.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <pbturbo/json.h>
#include <pbturbo/options.h>

#include "tool_nearest.h"
#include "tool_report.h"

typedef struct tool_option tool_option;
typedef int take_option(tool_args *args, const tool_option *option,
                        const char *value);

struct tool_option {
    const char *name;
    const char *value; /* what the help calls its value; NULL: it has none */
    unsigned group;
    char letter; /* 0: none */
    take_option *take;
    size_t member; /* of tool_args: where the value goes, if take is general */
    uint32_t flag; /* what take_flag adds there */
    const char *help;
};

static void *member_of(tool_args *args, const tool_option *option) {
    return (char *) args + option->member;
}

static void append(tool_list *list, const char *item) {
    list->items = (const char **) tool_grow(list->items, list->n + 1,
                                            sizeof *list->items);
    list->items[list->n++] = item;
}

static int take_text(tool_args *args, const tool_option *option,
                     const char *value) {
    const char **to = member_of(args, option);
    if (*to != NULL)
        return tool_trouble("--%s is given twice", option->name);
    *to = value;
    return TOOL_OK;
}

static int take_item(tool_args *args, const tool_option *option,
                     const char *value) {
    append(member_of(args, option), value);
    return TOOL_OK;
}

static int take_switch(tool_args *args, const tool_option *option,
                       const char *value) {
    bool *to = member_of(args, option);
    (void) value;
    *to = true;
    return TOOL_OK;
}

static int take_flag(tool_args *args, const tool_option *option,
                     const char *value) {
    uint32_t *to = member_of(args, option);
    (void) value;
    *to |= option->flag;
    return TOOL_OK;
}

static const char *const framing_names[] = {"single", "delimited", "u32le"};

static int take_framing(tool_args *args, const tool_option *option,
                        const char *value) {
    tool_framing framing =
        strcmp(option->name, "delimited") == 0 ? TOOL_DELIMITED : TOOL_U32LE;
    (void) value;
    if (args->has_framing && args->framing != framing)
        return tool_trouble("--delimited and --u32le exclude each other");
    args->framing = framing;
    args->has_framing = true;
    return TOOL_OK;
}

static int take_out_framing(tool_args *args, const tool_option *option,
                            const char *value) {
    for (size_t i = 0; i < sizeof framing_names / sizeof *framing_names; i++) {
        if (strcmp(value, framing_names[i]) == 0) {
            args->out_framing = (tool_framing) i;
            args->has_out_framing = true;
            return TOOL_OK;
        }
    }
    return tool_trouble("--%s: %s is not single, delimited or u32le",
                        option->name, value);
}

static int take_pretty(tool_args *args, const tool_option *option,
                       const char *value) {
    (void) option;
    (void) value;
    if (args->indent == 0)
        args->indent = 2;
    return TOOL_OK;
}

static int take_indent(tool_args *args, const tool_option *option,
                       const char *value) {
    if (strcmp(value, "tab") == 0)
        args->indent = PBT_JSON_TAB;
    else if (value[0] >= '1' && value[0] <= '8' && value[1] == '\0')
        args->indent = (uint8_t) (value[0] - '0');
    else
        return tool_trouble("--%s: %s is not 1 to 8 or tab", option->name,
                            value);
    return TOOL_OK;
}

/* One of three words; its index is the value. */
static int take_mode(uint8_t *to, const char *const words[3], const char *name,
                     const char *value) {
    for (uint8_t i = 0; i < 3; i++) {
        if (strcmp(value, words[i]) == 0) {
            *to = i;
            return TOOL_OK;
        }
    }
    return tool_trouble("--%s: %s is not %s, %s or %s", name, value, words[0],
                        words[1], words[2]);
}

static int take_utf8(tool_args *args, const tool_option *option,
                     const char *value) {
    static const char *const words[3] = {[PBT_JSON_UTF8_ERROR] = "error",
                                         [PBT_JSON_UTF8_REPLACE] = "replace",
                                         [PBT_JSON_UTF8_TRUST] = "trust"};
    return take_mode(&args->utf8, words, option->name, value);
}

static int take_nonfinite(tool_args *args, const tool_option *option,
                          const char *value) {
    static const char *const words[3] = {[PBT_JSON_NONFINITE_STRING] = "string",
                                         [PBT_JSON_NONFINITE_NULL] = "null",
                                         [PBT_JSON_NONFINITE_ERROR] = "error"};
    return take_mode(&args->nonfinite, words, option->name, value);
}

static int take_messages(tool_args *args, const tool_option *option,
                         const char *value) {
    char *end;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    if (value[0] < '0' || value[0] > '9' || *end != '\0' || errno != 0 ||
        number == 0)
        return tool_trouble("--%s: %s is not a number above 0", option->name,
                            value);
    args->max_messages = number;
    return TOOL_OK;
}

static const tool_option options[] = {
    {"proto", "FILE", TOOL_TAKES_SCHEMA, 0, take_item,
     offsetof(tool_args, protos), 0,
     "compile this .proto file with protoc; repeatable"},
    {"include", "DIR", TOOL_TAKES_SCHEMA, 'I', take_item,
     offsetof(tool_args, includes), 0,
     "where protoc looks for files; repeatable"},
    {"schema", "FILE", TOOL_TAKES_SCHEMA, 0, take_text,
     offsetof(tool_args, schema), 0,
     "instead of --proto, a FileDescriptorSet of protoc"},
    {"type", "NAME", TOOL_TAKES_SCHEMA, 0, take_text, offsetof(tool_args, type),
     0, "the message type, unless only one can be meant"},
    {"delimited", NULL, TOOL_TAKES_INPUT, 0, take_framing, 0, 0,
     "many messages, each after its length as a varint"},
    {"u32le", NULL, TOOL_TAKES_INPUT, 0, take_framing, 0, 0,
     "the same, the length in four bytes, lowest first"},
    {"out-framing", "FORM", TOOL_TAKES_MARSHAL, 0, take_out_framing, 0, 0,
     "write them single, delimited or u32le"},
    {"deterministic", NULL, TOOL_TAKES_MARSHAL | TOOL_TAKES_JSON, 0, take_flag,
     offsetof(tool_args, flags), PBT_DETERMINISTIC, "sort maps by their keys"},
    {"conformant", NULL, TOOL_TAKES_MARSHAL | TOOL_TAKES_JSON, 0, take_flag,
     offsetof(tool_args, flags), PBT_CONFORMANT,
     "follow the specification where protobuf-c does not"},
    {"discard-unknown", NULL, TOOL_TAKES_MARSHAL, 0, take_flag,
     offsetof(tool_args, flags), PBT_DISCARD_UNKNOWN,
     "leave out fields that the type does not have"},
    {"validate-utf8", NULL, TOOL_TAKES_MARSHAL, 0, take_flag,
     offsetof(tool_args, flags), PBT_VALIDATE_UTF8,
     "refuse strings that are not valid UTF-8"},
    {"pretty", NULL, TOOL_TAKES_JSON, 0, take_pretty, 0, 0,
     "on many lines, indented by two spaces"},
    {"indent", "N", TOOL_TAKES_JSON, 0, take_indent, 0, 0,
     "the same with 1 to 8 spaces, or tab"},
    {"proto-names", NULL, TOOL_TAKES_JSON, 0, take_flag,
     offsetof(tool_args, json_flags), PBT_JSON_PROTO_NAMES,
     "names of fields as in the .proto file"},
    {"enum-numbers", NULL, TOOL_TAKES_JSON, 0, take_flag,
     offsetof(tool_args, json_flags), PBT_JSON_ENUM_NUMBERS,
     "enums as numbers"},
    {"emit-defaults", NULL, TOOL_TAKES_JSON, 0, take_flag,
     offsetof(tool_args, json_flags), PBT_JSON_EMIT_DEFAULTS,
     "fields without presence when they are empty, too"},
    {"emit-nulls", NULL, TOOL_TAKES_JSON, 0, take_flag,
     offsetof(tool_args, json_flags), PBT_JSON_EMIT_NULL_MESSAGES,
     "message fields that are not set, as null"},
    {"int64-as-number", NULL, TOOL_TAKES_JSON, 0, take_flag,
     offsetof(tool_args, json_flags), PBT_JSON_INT64_AS_NUMBER,
     "64-bit integers without quotes"},
    {"int64-if-safe", NULL, TOOL_TAKES_JSON, 0, take_flag,
     offsetof(tool_args, json_flags), PBT_JSON_INT64_UNQUOTED_IF_SAFE,
     "the same where a double holds them exactly"},
    {"escape-html", NULL, TOOL_TAKES_JSON, 0, take_flag,
     offsetof(tool_args, json_flags), PBT_JSON_ESCAPE_HTML,
     "escapes for what HTML would take for its own"},
    {"ascii-only", NULL, TOOL_TAKES_JSON, 0, take_flag,
     offsetof(tool_args, json_flags), PBT_JSON_ASCII_ONLY,
     "escapes for all that is not ASCII"},
    {"any-raw", NULL, TOOL_TAKES_JSON, 0, take_flag,
     offsetof(tool_args, json_flags), PBT_JSON_ANY_RAW,
     "an Any of an unknown type as URL and bytes"},
    {"utf8", "MODE", TOOL_TAKES_JSON, 0, take_utf8, 0, 0,
     "bad UTF-8: error, replace or trust"},
    {"nonfinite", "MODE", TOOL_TAKES_JSON, 0, take_nonfinite, 0, 0,
     "NaN and infinities: string, null or error"},
    {"allow-partial", NULL, TOOL_TAKES_PARTIAL, 0, take_flag,
     offsetof(tool_args, flags), PBT_ALLOW_PARTIAL,
     "accept messages that lack required fields"},
    {"messages", "N", TOOL_TAKES_INPUT, 'n', take_messages, 0, 0,
     "read only the first N messages of each file"},
    {"quick", NULL, TOOL_TAKES_BENCH, 0, take_switch,
     offsetof(tool_args, quick), 0, "measure for a fraction of a second"},
    {"tsv", NULL, TOOL_TAKES_TSV, 0, take_switch, offsetof(tool_args, tsv), 0,
     "columns separated by tabs, for programs"},
    {"output", "FILE", TOOL_TAKES_OUTPUT, 'o', take_text,
     offsetof(tool_args, output), 0,
     "write to FILE, which appears when it is complete"},
    {"help", NULL, TOOL_TAKES_ALWAYS, 'h', take_switch,
     offsetof(tool_args, help), 0, "print this text"},
    {"version", NULL, TOOL_TAKES_ALWAYS, 'V', take_switch,
     offsetof(tool_args, version), 0, "print the version"}};
enum { N_OPTIONS = sizeof options / sizeof *options };

void tool_args_help(FILE *to, unsigned takes) {
    for (size_t i = 0; i < N_OPTIONS; i++) {
        char left[40];
        const tool_option *option = &options[i];
        if ((option->group & takes) == 0)
            continue;
        char letter[8] = "    ";
        if (option->letter != 0)
            snprintf(letter, sizeof letter, "-%c, ", option->letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, option->name,
                 option->value != NULL ? " " : "",
                 option->value != NULL ? option->value : "");
        fprintf(to, "  %-22s %s\n", left, option->help);
    }
}

static const char *name_of(const tool_command *command) {
    return command != NULL ? command->name : "pbturbo";
}

/* An option that another command takes gets a message of its own. */
static int refuse(const tool_command *command, unsigned takes, const char *text,
                  size_t len) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", len < 60 ? (int) len : 60, text);
    tool_nearest nearest = tool_nearest_start(name);
    const char *of = name_of(command);
    for (size_t i = 0; i < N_OPTIONS; i++) {
        if ((options[i].group & takes) != 0)
            tool_nearest_look(&nearest, options[i].name);
        else if (strcmp(options[i].name, name) == 0)
            return tool_trouble("%s does not take --%s", of, name);
    }
    if (nearest.best != NULL)
        return tool_trouble("unknown option --%s; did you mean --%s?", name,
                            nearest.best);
    return tool_trouble("unknown option --%s; --help lists what %s takes", name,
                        of);
}

typedef struct tool_argv {
    int argc;
    char **argv;
    int at;
    const tool_command *command;
    unsigned takes;
} tool_argv;

/* `attached` is the value behind = or behind the letter, if there is one. */
static int take(tool_argv *in, tool_args *args, const tool_option *option,
                const char *attached) {
    if (option->value == NULL) {
        if (attached != NULL)
            return tool_trouble("--%s takes no value", option->name);
        return option->take(args, option, NULL);
    }
    if (attached == NULL) {
        if (in->at + 1 >= in->argc)
            return tool_trouble("--%s needs a %s", option->name, option->value);
        attached = in->argv[++in->at];
    }
    if (*attached == '\0')
        return tool_trouble("--%s needs a %s, and it is empty", option->name,
                            option->value);
    return option->take(args, option, attached);
}

static int parse_long(tool_argv *in, tool_args *args, const char *text) {
    size_t len = strcspn(text, "=");
    for (size_t i = 0; i < N_OPTIONS; i++) {
        if (strlen(options[i].name) == len &&
            memcmp(options[i].name, text, len) == 0 &&
            (options[i].group & in->takes) != 0)
            return take(in, args, &options[i],
                        text[len] == '=' ? text + len + 1 : NULL);
    }
    return refuse(in->command, in->takes, text, len);
}

static int refuse_letter(const tool_argv *in, char letter) {
    for (size_t i = 0; i < N_OPTIONS; i++)
        if (options[i].letter == letter)
            return tool_trouble("%s does not take -%c", name_of(in->command),
                                letter);
    return tool_trouble("unknown option -%c; --help lists what %s takes",
                        letter, name_of(in->command));
}

/* Letters without a value may stand together: -hV. */
static int parse_short(tool_argv *in, tool_args *args, const char *text) {
    for (; *text != '\0'; text++) {
        const tool_option *found = NULL;
        for (size_t i = 0; i < N_OPTIONS; i++)
            if (options[i].letter == *text &&
                (options[i].group & in->takes) != 0)
                found = &options[i];
        if (found == NULL)
            return refuse_letter(in, *text);
        if (found->value != NULL)
            return take(in, args, found, text[1] != '\0' ? text + 1 : NULL);
        int code = take(in, args, found, NULL);
        if (code != TOOL_OK)
            return code;
    }
    return TOOL_OK;
}

static bool names_standard_input_twice(const tool_args *args) {
    size_t n = 0;
    for (size_t i = 0; i < args->operands.n; i++)
        n += strcmp(args->operands.items[i], "-") == 0;
    return n > 1;
}

static int check_together(const tool_args *args, unsigned takes) {
    if ((takes & TOOL_TAKES_SCHEMA) == 0 || args->help || args->version)
        return TOOL_OK;
    if ((takes & TOOL_TAKES_INPUT) != 0 && names_standard_input_twice(args))
        return tool_trouble("- is given twice, and standard input can be read "
                            "only once");
    if (args->schema != NULL && args->protos.n > 0)
        return tool_trouble("--schema and --proto exclude each other");
    if (args->schema != NULL && args->includes.n > 0)
        return tool_trouble("--include is for --proto; --schema holds all");
    if (args->schema == NULL && args->protos.n == 0)
        return tool_trouble("a schema is needed: --proto FILE or --schema "
                            "FILE");
    return TOOL_OK;
}

int tool_args_parse(const tool_command *command, int argc, char **argv,
                    tool_args *args) {
    unsigned takes = (command != NULL ? command->takes : 0) | TOOL_TAKES_ALWAYS;
    tool_argv in = {argc, argv, 0, command, takes};
    bool only_operands = false;
    memset(args, 0, sizeof *args);
    for (; in.at < argc; in.at++) {
        const char *text = argv[in.at];
        int code = TOOL_OK;
        if (only_operands || text[0] != '-' || text[1] == '\0')
            append(&args->operands, text);
        else if (strcmp(text, "--") == 0)
            only_operands = true;
        else if (text[1] == '-')
            code = parse_long(&in, args, text + 2);
        else
            code = parse_short(&in, args, text + 1);
        if (code != TOOL_OK)
            return code;
    }
    if (!args->has_out_framing)
        args->out_framing = args->framing;
    return check_together(args, takes);
}

void tool_args_free(tool_args *args) {
    free(args->protos.items);
    free(args->includes.items);
    free(args->operands.items);
    memset(args, 0, sizeof *args);
}
