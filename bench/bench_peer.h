/* bench_peer.h - a codec in a process of its own, which is asked over a pipe
 * and looks at the clock itself. The requests are those of go/go_peer.go.
 *
 * A process is started for the first dataset and ends with this program, when
 * its standard input closes.
 */
#ifndef PBTURBO_BENCH_PEER_H
#define PBTURBO_BENCH_PEER_H

#include <stdio.h>

#include "bench.h"
#include "bench_wire.h"

typedef struct bench_peer {
    char *const *arguments; /* of the program; NULL at the end */
    FILE *to;
    FILE *from;
    wire_writer answer; /* to the last request for bytes or text */
} bench_peer;

/* Hands over n blocks under a name. False, with a reason in *why, when the peer
 * cannot be started or cannot use them. */
bool bench_peer_load(bench_peer *peer, const char *name,
                     const bench_bytes *blocks, size_t n, const char **why);

/* Asks for what the peer makes of block i. */
bool bench_peer_ask(bench_peer *peer, int request, size_t i, bench_bytes *bytes,
                    const char **why);

/* Asks for what the peer makes of the bytes that are given. */
bool bench_peer_convert(bench_peer *peer, int request, const bench_bytes *given,
                        bench_bytes *bytes, const char **why);

/* n passes; the time it took, and what the passes returned. */
uint64_t bench_peer_run(bench_peer *peer, bench_op op, uint64_t n, double *ns);

const char *bench_peer_version(bench_peer *peer);

#endif
