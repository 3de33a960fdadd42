/* tool_commands.h - one function for each command. The value is the exit code;
 * errors have been reported. */
#ifndef PBTURBO_TOOL_COMMANDS_H
#define PBTURBO_TOOL_COMMANDS_H

#include "tool_args.h"

int tool_bench(const tool_args *args);
int tool_check(const tool_args *args);
int tool_json(const tool_args *args);
int tool_marshal(const tool_args *args);
int tool_stat(const tool_args *args);
int tool_table(const tool_args *args);

#endif
