/* bench_peer.c - see bench_peer.h. */
#include "bench_peer.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static void close_both(const int ends[2]) {
    close(ends[0]);
    close(ends[1]);
}

static bool spawn(char *const *arguments, const int in[2], const int out[2]) {
    posix_spawn_file_actions_t actions;
    pid_t pid;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, in[1]);
    posix_spawn_file_actions_addclose(&actions, out[0]);
    bool spawned = posix_spawnp(&pid, arguments[0], &actions, NULL, arguments,
                                environ) == 0;
    posix_spawn_file_actions_destroy(&actions);
    return spawned;
}

/* A process that dies must show as a failed read, not end this program. */
static bool start(bench_peer *peer) {
    int in[2];
    int out[2];
    if (peer->to != NULL)
        return true;
    signal(SIGPIPE, SIG_IGN);
    if (pipe(in) != 0)
        return false;
    if (pipe(out) != 0) {
        close_both(in);
        return false;
    }
    if (!spawn(peer->arguments, in, out)) {
        close_both(in);
        close_both(out);
        return false;
    }
    close(in[0]);
    close(out[1]);
    /* Not for the peers that are started later. */
    fcntl(in[1], F_SETFD, FD_CLOEXEC);
    fcntl(out[0], F_SETFD, FD_CLOEXEC);
    peer->to = fdopen(in[1], "wb");
    peer->from = fdopen(out[0], "rb");
    return peer->to != NULL && peer->from != NULL;
}

static void put_number(bench_peer *peer, uint64_t number) {
    uint8_t bytes[8];
    for (unsigned i = 0; i < 8; i++)
        bytes[i] = (uint8_t) (number >> (8 * i));
    fwrite(bytes, 1, sizeof bytes, peer->to);
}

static void put_block(bench_peer *peer, const void *data, size_t len) {
    put_number(peer, len);
    fwrite(data, 1, len, peer->to);
}

static bool get_number(bench_peer *peer, uint64_t *number) {
    uint8_t bytes[8];
    *number = 0;
    if (fread(bytes, 1, sizeof bytes, peer->from) != sizeof bytes)
        return false;
    for (unsigned i = 0; i < 8; i++)
        *number |= (uint64_t) bytes[i] << (8 * i);
    return true;
}

/* Reads a block into the answer, and ends it with NUL for those who print. */
static bool get_block(bench_peer *peer) {
    uint64_t len;
    if (!get_number(peer, &len))
        return false;
    peer->answer.data = bench_grow(peer->answer.data, (size_t) len + 1, 1);
    peer->answer.data[len] = '\0';
    peer->answer.len = (size_t) len;
    return fread(peer->answer.data, 1, peer->answer.len, peer->from) ==
           peer->answer.len;
}

/* Waits for the first byte of an answer; false with a reason in *why. */
static bool get_status(bench_peer *peer, const char **why) {
    *why = "its process ended";
    int status = fflush(peer->to) == 0 ? fgetc(peer->from) : EOF;
    if (status == 0 && get_block(peer))
        *why = (const char *) peer->answer.data;
    return status == 1;
}

bool bench_peer_load(bench_peer *peer, const char *name,
                     const bench_bytes *blocks, size_t n, const char **why) {
    *why = "its process cannot be started";
    if (!start(peer))
        return false;
    fputc('L', peer->to);
    put_block(peer, name, strlen(name));
    put_number(peer, n);
    for (size_t i = 0; i < n; i++)
        put_block(peer, blocks[i].data, blocks[i].len);
    return get_status(peer, why);
}

static bool get_answer(bench_peer *peer, bench_bytes *bytes, const char **why) {
    if (!get_status(peer, why) || !get_block(peer))
        return false;
    *bytes = (bench_bytes){peer->answer.data, peer->answer.len};
    return true;
}

bool bench_peer_ask(bench_peer *peer, int request, size_t i, bench_bytes *bytes,
                    const char **why) {
    fputc(request, peer->to);
    put_number(peer, i);
    return get_answer(peer, bytes, why);
}

bool bench_peer_convert(bench_peer *peer, int request, const bench_bytes *given,
                        bench_bytes *bytes, const char **why) {
    fputc(request, peer->to);
    put_block(peer, given->data, given->len);
    return get_answer(peer, bytes, why);
}

uint64_t bench_peer_run(bench_peer *peer, bench_op op, uint64_t n, double *ns) {
    const char *why;
    uint64_t elapsed = 0;
    uint64_t sum = 0;
    fputc('R', peer->to);
    put_number(peer, (uint64_t) op);
    put_number(peer, n);
    bool done = get_status(peer, &why) && get_number(peer, &elapsed) &&
                get_number(peer, &sum);
    *ns = (double) elapsed;
    return done ? sum : 0;
}

const char *bench_peer_version(bench_peer *peer) {
    const char *why;
    if (!start(peer))
        return "(not to be started)";
    fputc('V', peer->to);
    return get_status(peer, &why) && get_block(peer)
               ? (const char *) peer->answer.data
               : "(no answer)";
}
