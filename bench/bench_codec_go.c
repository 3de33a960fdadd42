/* bench_codec_go.c - Go protobuf, in a process of its own (go/go_peer.go),
 * which is asked over a pipe and looks at the clock itself.
 *
 * The process is started for the first dataset and ends with this program,
 * when its standard input closes.
 */
#include "bench.h"
#include "bench_wire.h"

#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static FILE *to_peer;
static FILE *from_peer;

/* The answer to the last request for bytes or text. */
static wire_writer answer;

static void close_both(const int ends[2]) {
    close(ends[0]);
    close(ends[1]);
}

static bool spawn(const int in[2], const int out[2]) {
    static char program[] = BENCH_GO_PROGRAM;
    char *const argv[] = {program, NULL};
    posix_spawn_file_actions_t actions;
    pid_t pid;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, in[1]);
    posix_spawn_file_actions_addclose(&actions, out[0]);
    bool spawned =
        posix_spawn(&pid, program, &actions, NULL, argv, environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return spawned;
}

/* A process that dies must show as a failed read, not end this program. */
static bool start_peer(void) {
    int in[2];
    int out[2];
    if (to_peer != NULL)
        return true;
    signal(SIGPIPE, SIG_IGN);
    if (pipe(in) != 0)
        return false;
    if (pipe(out) != 0) {
        close_both(in);
        return false;
    }
    if (!spawn(in, out)) {
        close_both(in);
        close_both(out);
        return false;
    }
    close(in[0]);
    close(out[1]);
    to_peer = fdopen(in[1], "wb");
    from_peer = fdopen(out[0], "rb");
    return to_peer != NULL && from_peer != NULL;
}

static void put_number(uint64_t number) {
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t) (number >> (8 * i));
    fwrite(bytes, 1, sizeof bytes, to_peer);
}

static void put_block(const void *data, size_t len) {
    put_number(len);
    fwrite(data, 1, len, to_peer);
}

static bool get_number(uint64_t *number) {
    uint8_t bytes[8];
    *number = 0;
    if (fread(bytes, 1, sizeof bytes, from_peer) != sizeof bytes)
        return false;
    for (unsigned i = 0; i < 8; i++)
        *number |= (uint64_t) bytes[i] << (8 * i);
    return true;
}

/* Reads a block into the answer, and ends it with NUL for those who print. */
static bool get_block(void) {
    uint64_t len;
    if (!get_number(&len))
        return false;
    answer.data = bench_grow(answer.data, (size_t) len + 1, 1);
    answer.data[len] = '\0';
    answer.len = (size_t) len;
    return fread(answer.data, 1, answer.len, from_peer) == answer.len;
}

/* Waits for the first byte of an answer; false with a reason in *why. */
static bool get_status(const char **why) {
    *why = "its process ended";
    int status = fflush(to_peer) == 0 ? fgetc(from_peer) : EOF;
    if (status == 0 && get_block())
        *why = (const char *) answer.data;
    return status == 1;
}

static void release(void *objects) {
    (void) objects;
}

static void *prepare(const bench_dataset *dataset, const char **why) {
    *why = "its process cannot be started: " BENCH_GO_PROGRAM;
    if (!start_peer())
        return NULL;
    fputc('L', to_peer);
    put_block(dataset->type->name, strlen(dataset->type->name));
    put_number(dataset->n);
    for (size_t i = 0; i < dataset->n; i++)
        put_block(dataset->messages[i].data, dataset->messages[i].len);
    return get_status(why) ? &answer : NULL;
}

static bool ask_output(int request, size_t i, bench_bytes *bytes,
                       const char **why) {
    fputc(request, to_peer);
    put_number(i);
    if (!get_status(why) || !get_block())
        return false;
    *bytes = (bench_bytes){answer.data, answer.len};
    return true;
}

static bool output(void *objects, size_t i, bench_bytes *bytes,
                   const char **why) {
    (void) objects;
    return ask_output('O', i, bytes, why);
}

static bool reparse(void *objects, size_t i, bench_bytes *bytes,
                    const char **why) {
    (void) objects;
    return ask_output('P', i, bytes, why);
}

static uint64_t run(void *objects, bench_op op, uint64_t n, double *ns) {
    (void) objects;
    const char *why;
    uint64_t elapsed = 0;
    uint64_t sum = 0;
    fputc('R', to_peer);
    put_number((uint64_t) op);
    put_number(n);
    bool done = get_status(&why) && get_number(&elapsed) && get_number(&sum);
    *ns = (double) elapsed;
    return done ? sum : 0;
}

static const char *version(void) {
    const char *why;
    if (!start_peer())
        return "(not to be started)";
    fputc('V', to_peer);
    return get_status(&why) && get_block() ? (const char *) answer.data : "";
}

const bench_codec bench_codec_go = {.name = "go",
                                    .version = version,
                                    .prepare = prepare,
                                    .release = release,
                                    .output = output,
                                    .reparse = reparse,
                                    .run = run};
