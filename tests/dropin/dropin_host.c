/* dropin_host.c - a program that does not know libprotobuf-c, and loads plugins
 * that do:
 *
 *   dropin-host LIBRARY PLUGIN PLUGIN WHOLE PART PART
 *
 * LIBRARY is a part of the name of the library that the plugins' calls must
 * come from. The plugins are loaded in turn, each after the other was closed,
 * in every way there is; they must come to lie at the same address. Then one of
 * them packs in a thread while the process forks, and its children pack. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* dladdr, RTLD_DEEPBIND */
#endif
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dlfcn.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base_compiler.h"

enum { N_ROUNDS = 6, N_FORKS = 20, N_CHILD_SECONDS = 30 };

/* The sanitizers do not stand RTLD_DEEPBIND. */
static const int ways[] = {RTLD_LOCAL, RTLD_GLOBAL,
#if !PBTI_ASAN
                           RTLD_LOCAL | RTLD_DEEPBIND
#endif
};

typedef void *address_call(void);
typedef const char *text_call(void);

static void fail(const char *what, const char *more) {
    printf("%s: %s\n", what, more);
    exit(EXIT_FAILURE);
}

static void find(void *plugin, const char *name, void *call) {
    void *found = dlsym(plugin, name);
    if (!found)
        fail("not in the plugin", name);
    memcpy(call, &found, sizeof found);
}

static void expect_library(void *plugin, const char *name) {
    address_call *size;
    Dl_info info;
    find(plugin, "plugin_size", &size);
    if (!dladdr(size(), &info) || !strstr(info.dli_fname, name))
        fail("the calls come from", info.dli_fname);
}

/* Returns the address of its type. */
static void *run(const char *path, int way, const char *library) {
    void *plugin = dlopen(path, RTLD_NOW | way);
    address_call *type;
    text_call *run_plugin;
    const char *wrong;
    void *place;
    if (!plugin)
        fail("dlopen", dlerror());
    expect_library(plugin, library);
    find(plugin, "plugin_run", &run_plugin);
    find(plugin, "plugin_type", &type);
    wrong = run_plugin();
    if (wrong)
        fail(path, wrong);
    place = type();
    dlclose(plugin);
    return place;
}

/* The whole with one variant of its part, at the same place as the other. */
static void *run_whole(const char *whole, const char *path, int variant) {
    void *part = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    void *plugin = part ? dlopen(whole, RTLD_NOW | RTLD_LOCAL) : NULL;
    const char *(*run_variant)(int);
    address_call *place;
    const char *wrong;
    void *found;
    if (!plugin)
        fail("dlopen", dlerror());
    find(plugin, "whole_run", &run_variant);
    find(plugin, "whole_place", &place);
    wrong = run_variant(variant);
    if (wrong)
        fail(path, wrong);
    found = place();
    dlclose(plugin);
    dlclose(part);
    return found;
}

static atomic_bool stop;

static void *run_often(void *plugin) {
    text_call *run_plugin;
    find(plugin, "plugin_run", &run_plugin);
    while (!atomic_load(&stop))
        (void) run_plugin();
    return NULL;
}

static void fork_often(const char *path) {
    void *plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    text_call *run_plugin;
    pthread_t thread;
    int i, status;
    if (!plugin || pthread_create(&thread, NULL, run_often, plugin) != 0)
        fail("cannot start", path);
    find(plugin, "plugin_run", &run_plugin);
    for (i = 0; i < N_FORKS; i++) {
        pid_t child = fork();
        if (child == 0) {
            alarm(N_CHILD_SECONDS); /* what hangs is ended */
            _exit(run_plugin() ? 1 : 0);
        }
        if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
            fail("a child", "did not pack");
    }
    atomic_store(&stop, true);
    pthread_join(thread, NULL);
    dlclose(plugin);
}

int main(int argc, char **argv) {
    size_t way;
    int i, n_same = 0, n_parts = 0;
    if (argc != 7)
        fail("usage", "dropin-host LIBRARY PLUGIN PLUGIN WHOLE PART PART");
    for (way = 0; way < sizeof ways / sizeof *ways; way++)
        for (i = 0; i < N_ROUNDS; i++)
            n_same += run(argv[2], ways[way], argv[1]) ==
                      run(argv[3], ways[way], argv[1]);
    for (i = 0; i < N_ROUNDS; i++)
        n_parts +=
            run_whole(argv[4], argv[5], 0) == run_whole(argv[4], argv[6], 1);
    if (n_same == 0 || n_parts == 0)
        fail("the plugins", "were never at the same address");
    fork_often(argv[2]);
    printf("%d of the plugins were where the other had been\n", n_same);
    return EXIT_SUCCESS;
}
