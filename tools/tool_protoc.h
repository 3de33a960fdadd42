/* tool_protoc.h - runs protoc on .proto files. */
#ifndef PBTURBO_TOOL_PROTOC_H
#define PBTURBO_TOOL_PROTOC_H

#include "tool_args.h"

/* Has protoc write the FileDescriptorSet of the files of --proto and all that
 * they import to `path`. The value is an exit code, and an error has been
 * reported. */
int tool_protoc(const tool_args *args, const char *path);

#endif
