/* tool_protoc.c - see tool_protoc.h. No shell is involved, so names may hold
 * anything. */
#include "tool_protoc.h"

#include <errno.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tool_report.h"

extern char **environ;

/* What a shell and posix_spawn answer for a program that is not there. */
enum { EXIT_NOT_FOUND = 127 };

typedef struct arguments {
    char **items; /* owned, up to a NULL */
    size_t n;
} arguments;

static void add(arguments *list, const char *first, const char *second) {
    list->items =
        (char **) tool_grow(list->items, list->n + 2, sizeof *list->items);
    list->items[list->n++] = tool_join(first, second);
    list->items[list->n] = NULL;
}

static void free_arguments(arguments *list) {
    for (size_t i = 0; i < list->n; i++)
        free(list->items[i]);
    free(list->items);
}

static void add_folder_of(arguments *list, const char *file) {
    const char *slash = strrchr(file, '/');
    if (slash == NULL)
        return;
    char *folder = tool_join(file, "");
    folder[slash == file ? 1 : slash - file] = '\0';
    add(list, "-I", folder);
    free(folder);
}

static bool is_below_here(const char *file) {
    return file[0] != '/' && strncmp(file, "../", 3) != 0;
}

/* Without --include, imports are looked for where the user is and beside the
 * files: protoc alone would refuse a file that is elsewhere. Files are named
 * from the first folder that leads to them, and must not be hidden by others of
 * that name in the folders before it. */
static void add_folders(arguments *list, const tool_list *protos) {
    bool are_below = true;
    for (size_t i = 0; i < protos->n; i++)
        are_below = are_below && is_below_here(protos->items[i]);
    if (are_below)
        add(list, "-I", ".");
    for (size_t i = 0; i < protos->n; i++)
        add_folder_of(list, protos->items[i]);
    if (!are_below)
        add(list, "-I", ".");
}

static void make_arguments(const tool_args *args, const char *path,
                           arguments *list) {
    add(list, "protoc", "");
    add(list, "--include_imports", "");
    add(list, "--descriptor_set_out=", path);
    for (size_t i = 0; i < args->includes.n; i++)
        add(list, "-I", args->includes.items[i]);
    if (args->includes.n == 0)
        add_folders(list, &args->protos);
    for (size_t i = 0; i < args->protos.n; i++) {
        const char *file = args->protos.items[i];
        add(list, file[0] == '-' ? "./" : "", file);
    }
}

/* Standard output is for results: what protoc says goes to standard error. */
static int spawn(char **argv, pid_t *pid) {
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    error = posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO,
                                             STDOUT_FILENO);
    if (error == 0)
        error = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
    (void) posix_spawn_file_actions_destroy(&actions);
    return error;
}

static int tell_absent(void) {
    return tool_trouble(
        "--proto needs protoc, which is not installed (Debian: apt-get install "
        "protobuf-compiler). Or use --schema with a file that protoc "
        "--include_imports --descriptor_set_out=FILE wrote elsewhere");
}

static int await(pid_t pid, int *status) {
    while (waitpid(pid, status, 0) < 0)
        if (errno != EINTR)
            return tool_trouble("protoc: %s", strerror(errno));
    return TOOL_OK;
}

int tool_protoc(const tool_args *args, const char *path) {
    arguments list = {0};
    pid_t pid = 0;
    int status = 0;
    make_arguments(args, path, &list);
    int error = spawn(list.items, &pid);
    free_arguments(&list);
    if (error == ENOENT)
        return tell_absent();
    if (error != 0)
        return tool_trouble("protoc: %s", strerror(error));
    int code = await(pid, &status);
    if (code != TOOL_OK)
        return code;
    if (WIFSIGNALED(status))
        return tool_trouble("protoc was ended by signal %d", WTERMSIG(status));
    if (WEXITSTATUS(status) == EXIT_NOT_FOUND)
        return tell_absent();
    if (WEXITSTATUS(status) != 0)
        return tool_trouble("protoc refused %s%s", args->protos.items[0],
                            args->protos.n > 1 ? " or another file" : "");
    return TOOL_OK;
}
