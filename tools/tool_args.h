/* tool_args.h - the command line. One list of options serves all commands: a
 * command names the groups of options that it takes. */
#ifndef PBTURBO_TOOL_ARGS_H
#define PBTURBO_TOOL_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* How messages stand in a file. */
typedef enum tool_framing {
    TOOL_SINGLE,    /* the whole file is one message */
    TOOL_DELIMITED, /* each after its length as a varint */
    TOOL_U32LE      /* each after its length in four bytes, lowest first */
} tool_framing;

/* Groups of options. */
enum {
    TOOL_TAKES_SCHEMA = 1u << 0,
    TOOL_TAKES_INPUT = 1u << 1,
    TOOL_TAKES_OUTPUT = 1u << 2,
    TOOL_TAKES_MARSHAL = 1u << 3,
    TOOL_TAKES_PARTIAL = 1u << 4,
    TOOL_TAKES_TSV = 1u << 5,
    TOOL_TAKES_BENCH = 1u << 6,
    TOOL_TAKES_JSON = 1u << 7,
    TOOL_TAKES_ALWAYS = 1u << 8
};

typedef struct tool_list {
    const char **items;
    size_t n;
} tool_list;

typedef struct tool_args {
    const char *schema; /* a FileDescriptorSet */
    tool_list protos;   /* or .proto files */
    tool_list includes; /* where protoc looks for them */
    const char *type;
    tool_framing framing;
    tool_framing out_framing;
    bool has_framing;
    bool has_out_framing;
    const char *output;
    uint32_t flags;      /* of pbt_options */
    uint32_t json_flags; /* of pbt_json_options, as the next three */
    uint8_t indent;
    uint8_t utf8;
    uint8_t nonfinite;
    uint64_t max_messages;
    bool tsv;
    bool quick;
    bool help;
    bool version;
    tool_list operands;
} tool_args;

typedef struct tool_command {
    const char *name;
    const char *summary;  /* one line of pbturbo --help */
    const char *operands; /* what follows the options */
    const char *text;     /* the rest of its own --help */
    unsigned takes;       /* groups of options */
    int (*run)(const tool_args *args);
} tool_command;

/* The commands; the last has no name. */
extern const tool_command tool_commands[];

/* Reads what follows the name of the command; without a command (NULL) only
 * the options that are always taken. The value is an exit code, and an error
 * has been reported. */
int tool_args_parse(const tool_command *command, int argc, char **argv,
                    tool_args *args);
void tool_args_free(tool_args *args);

/* Lists the options that a command takes, as lines of a help text. */
void tool_args_help(FILE *to, unsigned takes);

#endif
