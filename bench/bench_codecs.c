/* bench_codecs.c - the codecs of this build, in the order of the report. */
#include "bench.h"

const bench_codec *const bench_codecs[] = {&bench_codec_pbturbo,
                                           &bench_codec_pbturbo_iovec,
                                           &bench_codec_pbturbo_reflect,
                                           &bench_codec_protobuf_c,
#ifdef BENCH_HAVE_CPP
                                           &bench_codec_cpp,
#endif
                                           &bench_codec_memcpy,
                                           NULL};

_Static_assert(sizeof bench_codecs / sizeof *bench_codecs <= BENCH_MAX_CODECS,
               "there is one lane for each codec");

const char *const bench_missing_peers[] = {
#ifndef BENCH_HAVE_CPP
    "cpp: not in this build (C++ protobuf was not found, or "
    "PBTURBO_BENCH_CPP is off)",
#endif
    NULL};
