/* tool_main.c - pbturbo: the list of commands, and the choice of one. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <pbturbo/version.h>

#include "tool_args.h"
#include "tool_commands.h"
#include "tool_nearest.h"
#include "tool_report.h"

enum { TAKES_DATA = TOOL_TAKES_SCHEMA | TOOL_TAKES_INPUT | TOOL_TAKES_OUTPUT };

const tool_command tool_commands[] = {
    {"bench", "how fast pbturbo and protobuf-c are on your messages",
     "[FILE...]",
     "Marshals and unmarshals the messages with pbturbo and with protobuf-c.\n"
     "Both must write the same bytes; then many short rounds are timed, the\n"
     "two in turn. The fastest round counts; spread is the middle round\n"
     "divided by it, ratio the time divided by that of pbturbo. Where spread\n"
     "stays above 1.5, the machine was busy, and times tell little.\n",
     TAKES_DATA | TOOL_TAKES_PARTIAL | TOOL_TAKES_TSV | TOOL_TAKES_BENCH,
     tool_bench},
    {"check", "name the required fields that messages lack", "[FILE...]",
     "Prints a line for each message that lacks a required field, with the\n"
     "path of the first: FILE: message N: PATH. Prints nothing and exits with\n"
     "0 when all are complete, and with 1 when one is not.\n",
     TAKES_DATA, tool_check},
    {"json", "print messages as JSON, one a line", "[FILE...]",
     "Prints each message as canonical ProtoJSON and a newline. An Any needs\n"
     "its type in the schema. Stops at the first bad message.\n",
     TAKES_DATA | TOOL_TAKES_PARTIAL | TOOL_TAKES_JSON, tool_json},
    {"marshal", "read messages and write them again, in canonical form",
     "[FILE...]",
     "Writes the messages of all files with their fields in the order of\n"
     "numbers, each value in its shortest form, repeated numbers as the type\n"
     "has them. Stops at the first bad message.\n",
     TAKES_DATA | TOOL_TAKES_PARTIAL | TOOL_TAKES_MARSHAL, tool_marshal},
    {"stat", "what is in a file: fields set, values, bytes", "[FILE...]",
     "Lists the fields that are set, those that take most bytes first, with\n"
     "those of sub-messages below them: in how many messages (of how many)\n"
     "each is set, how many values and bytes it has, and its share of all\n"
     "bytes. Of a file with a bad message, what stands before it counts.\n",
     TAKES_DATA | TOOL_TAKES_TSV, tool_stat},
    {"table", "the coder table of a type, as text", "[TYPE...]",
     "Prints the tables that pbturbo marshals by, one line a row.\n",
     TOOL_TAKES_SCHEMA | TOOL_TAKES_OUTPUT, tool_table},
    {NULL, NULL, NULL, NULL, 0, NULL}};

static void print_help(FILE *to) {
    fputs("usage: pbturbo COMMAND [options] [FILE...]\n"
          "\n"
          "Works on files of protobuf messages of any type.\n"
          "\n"
          "commands:\n",
          to);
    for (const tool_command *command = tool_commands; command->name; command++)
        fprintf(to, "  %-10s %s\n", command->name, command->summary);
    fputs("  help       what a command takes: pbturbo help COMMAND\n"
          "\n"
          "options:\n",
          to);
    tool_args_help(to, TOOL_TAKES_ALWAYS);
    fputs("\n"
          "example:\n"
          "  pbturbo bench --proto my.proto --type my.Message data.bin\n"
          "\n"
          "pbturbo COMMAND --help tells more, and man pbturbo all. Without "
          "FILE,\n"
          "or where FILE is -, standard input is read.\n",
          to);
}

static void print_command_help(const tool_command *command) {
    printf("usage: pbturbo %s {--proto FILE | --schema FILE} [options] %s\n"
           "\n%s\noptions:\n",
           command->name, command->operands, command->text);
    tool_args_help(stdout, command->takes | TOOL_TAKES_ALWAYS);
}

static int end_output(void) {
    errno = 0;
    if (fclose(stdout) == 0)
        return TOOL_OK;
    return tool_trouble("(standard output): %s", strerror(errno));
}

/* Without a command: --help, --version, or help COMMAND. */
static int run_without_command(int argc, char **argv) {
    tool_args args;
    int code = tool_args_parse(NULL, argc, argv, &args);
    bool is_help = args.help;
    bool is_version = args.version;
    tool_args_free(&args);
    if (code != TOOL_OK)
        return code;
    if (is_help) {
        print_help(stdout);
    } else if (is_version) {
        printf("pbturbo %s\n", pbt_version());
    } else {
        print_help(stderr);
        return TOOL_TROUBLE;
    }
    return end_output();
}

static int run_command(const tool_command *command, int argc, char **argv) {
    tool_args args;
    int code = tool_args_parse(command, argc, argv, &args);
    if (code == TOOL_OK && args.help) {
        print_command_help(command);
        code = end_output();
    } else if (code == TOOL_OK && args.version) {
        printf("pbturbo %s\n", pbt_version());
        code = end_output();
    } else if (code == TOOL_OK) {
        code = command->run(&args);
    }
    tool_args_free(&args);
    return code;
}

static const tool_command *find_command(const char *name) {
    tool_nearest nearest = tool_nearest_start(name);
    for (const tool_command *command = tool_commands; command->name;
         command++) {
        if (strcmp(command->name, name) == 0)
            return command;
        tool_nearest_look(&nearest, command->name);
    }
    tool_nearest_look(&nearest, "help");
    if (nearest.best != NULL)
        (void) tool_trouble("unknown command %s; did you mean %s?", name,
                            nearest.best);
    else
        (void) tool_trouble("unknown command %s; pbturbo --help lists them",
                            name);
    return NULL;
}

/* A standard descriptor that is closed would be given to the first file that is
 * opened. It is taken up here in a way that makes its use an error. */
static void open_standard_descriptors(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
            (void) open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int argc, char **argv) {
    open_standard_descriptors();
    if (argc > 1 && strcmp(argv[1], "help") == 0) {
        static char help[] = "--help";
        if (argc == 2) {
            argv[1] = help;
        } else {
            argv[1] = argv[2];
            argv[2] = help;
            argc = 3;
        }
    }
    if (argc < 2 || argv[1][0] == '-')
        return run_without_command(argc - 1, argv + 1);
    const tool_command *command = find_command(argv[1]);
    if (command == NULL)
        return TOOL_TROUBLE;
    return run_command(command, argc - 2, argv + 2);
}
