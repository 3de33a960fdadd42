/* bench_codecs.c - the codecs of this build, in the order of the report. */
#include "bench.h"

const bench_codec *const bench_codecs[] = {&bench_codec_pbturbo,
                                           &bench_codec_pbturbo_iovec,
                                           &bench_codec_pbturbo_borrow,
                                           &bench_codec_pbturbo_checked,
                                           &bench_codec_pbturbo_partial,
                                           &bench_codec_pbturbo_reflect,
                                           &bench_codec_protobuf_c,
#ifdef BENCH_HAVE_CPP
                                           &bench_codec_cpp,
#endif
#ifdef BENCH_HAVE_UPB
                                           &bench_codec_upb,
#endif
#ifdef BENCH_HAVE_GO
                                           &bench_codec_go,
#endif
                                           &bench_codec_memcpy,
#ifdef BENCH_HAVE_CPP
                                           &bench_codec_cpp_json,
#endif
#ifdef BENCH_HAVE_UPB
                                           &bench_codec_upb_json,
#endif
#ifdef BENCH_HAVE_RAPIDJSON
                                           &bench_codec_rapidjson,
#endif
#ifdef BENCH_NODE_PACKAGES
                                           &bench_codec_fast_json_stringify,
#endif
#ifdef BENCH_NODE_PROGRAM
                                           &bench_codec_json_stringify,
#endif
#ifdef BENCH_HAVE_GO
                                           &bench_codec_go_json,
#endif
                                           NULL};

_Static_assert(sizeof bench_codecs / sizeof *bench_codecs <= BENCH_MAX_CODECS,
               "there is one lane for each codec");

const bench_codec *const bench_readers[] = {
#ifdef BENCH_HAVE_GO
    &bench_codec_go_json, /* the slowest, so it is asked last */
#endif
#ifdef BENCH_HAVE_CPP
    &bench_codec_cpp_json,
#endif
#ifdef BENCH_HAVE_UPB
    &bench_codec_upb_json,
#endif
    NULL};

const char *const bench_missing_peers[] = {
#ifndef BENCH_HAVE_CPP
    "cpp: not in this build (C++ protobuf was not found, or "
    "PBTURBO_BENCH_CPP is off)",
#endif
#ifndef BENCH_HAVE_UPB
    "upb: not in this build (scripts/datasets fetches its source; configure "
    "and build again afterwards)",
#endif
#ifndef BENCH_HAVE_GO
    "go: not in this build (golang-go or golang-google-protobuf-dev was not "
    "found, or PBTURBO_BENCH_GO is off)",
#endif
#ifndef BENCH_HAVE_RAPIDJSON
    "rapidjson: not in this build (rapidjson-dev or a C++ compiler was not "
    "found, or PBTURBO_BENCH_CPP is off)",
#endif
#ifndef BENCH_NODE_PROGRAM
    "json-stringify: not in this build (node was not found, or "
    "PBTURBO_BENCH_NODE is off)",
#endif
#ifndef BENCH_NODE_PACKAGES
    "fast-json-stringify: not in this build (scripts/node-peers installs it "
    "where there is npm; configure and build again afterwards)",
#endif
    NULL};
