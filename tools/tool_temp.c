/* tool_temp.c - see tool_temp.h. A handler of signals walks the list of names,
 * so signals are held back while it changes. */
#include "tool_temp.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

/* The output and what protoc writes are all there is at one time. */
enum { MAX_FILES = 4 };

static const char *volatile paths[MAX_FILES];
static const int fatal_signals[] = {SIGHUP, SIGINT, SIGPIPE, SIGTERM, SIGXFSZ};
enum { N_SIGNALS = sizeof fatal_signals / sizeof *fatal_signals };

static void remove_files(void) {
    for (size_t i = 0; i < MAX_FILES; i++) {
        if (paths[i] != NULL)
            (void) unlink(paths[i]);
        paths[i] = NULL;
    }
}

/* The default action was restored by SA_RESETHAND, so the program ends as the
 * signal wants it to. */
static void handle_signal(int number) {
    int kept = errno;
    remove_files();
    errno = kept;
    (void) raise(number);
}

/* A signal that was ignored stays so: nohup, or a caller who wants EPIPE. */
static void catch_signals(void) {
    static bool is_done;
    if (is_done)
        return;
    is_done = true;
    for (size_t i = 0; i < N_SIGNALS; i++) {
        struct sigaction action = {0};
        if (sigaction(fatal_signals[i], NULL, &action) != 0 ||
            action.sa_handler == SIG_IGN)
            continue;
        action.sa_handler = handle_signal;
        action.sa_flags = (int) SA_RESETHAND;
        (void) sigemptyset(&action.sa_mask);
        (void) sigaction(fatal_signals[i], &action, NULL);
    }
}

static void hold_signals(sigset_t *former) {
    sigset_t held;
    (void) sigemptyset(&held);
    for (size_t i = 0; i < N_SIGNALS; i++)
        (void) sigaddset(&held, fatal_signals[i]);
    (void) sigprocmask(SIG_BLOCK, &held, former);
}

static bool replace(const char *path, const char *by) {
    for (size_t i = 0; i < MAX_FILES; i++) {
        if (paths[i] == path) {
            paths[i] = by;
            return true;
        }
    }
    return false;
}

int tool_temp_make(char *template) {
    sigset_t former;
    catch_signals();
    hold_signals(&former);
    int fd = mkstemp(template);
    int error = errno;
    if (fd >= 0 && !replace(NULL, template)) {
        (void) close(fd);
        (void) unlink(template);
        fd = -1;
        error = EMFILE;
    }
    (void) sigprocmask(SIG_SETMASK, &former, NULL);
    errno = error;
    return fd;
}

void tool_temp_remove(const char *path) {
    sigset_t former;
    hold_signals(&former);
    (void) unlink(path);
    (void) replace(path, NULL);
    (void) sigprocmask(SIG_SETMASK, &former, NULL);
}

void tool_temp_keep(const char *path) {
    (void) replace(path, NULL);
}

void tool_temp_remove_all(void) {
    remove_files();
}
