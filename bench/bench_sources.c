/* bench_sources.c - the list of datasets. */
#include "bench_data.h"

#include "blobs.pb-c.h"
#include "canada.pb-c.h"
#include "deep.pb-c.h"
#include "dense.pb-c.h"
#include "dnstap.pb-c.h"
#include "metrics.pb-c.h"
#include "osm.pb-c.h"
#include "parse_tree.pb-c.h"
#include "required.pb-c.h"
#include "sparse.pb-c.h"
#include "strings.pb-c.h"
#include "tile.pb-c.h"
#include "twitter.pb-c.h"

#ifdef BENCH_HAVE_REFERENCE
#include "benchmark_message1_proto2.pb-c.h"
#include "benchmark_message1_proto3.pb-c.h"
#define REFERENCE_TYPE(type) &type
#else
#define REFERENCE_TYPE(type) NULL
#endif

const bench_source bench_sources[] = {
    {.name = "google_message1_proto2",
     .type = REFERENCE_TYPE(benchmarks__proto2__google_message1__descriptor),
     .schema = "benchmark_message1_proto2",
     .file = "google_message1/proto2/dataset.google_message1_proto2.pb"},
    {.name = "google_message1_proto3",
     .type = REFERENCE_TYPE(benchmarks__proto3__google_message1__descriptor),
     .schema = "benchmark_message1_proto3",
     .file = "google_message1/proto3/dataset.google_message1_proto3.pb"},
    {.name = "google_message2",
     .type_name = "benchmarks.proto2.GoogleMessage2",
     .schema = "benchmark_message2",
     .file = "google_message2/dataset.google_message2.pb"},
    {.name = "google_message3_1",
     .type_name = "benchmarks.google_message3.GoogleMessage3",
     .schema = "benchmark_message3",
     .generate = generate_schema,
     .size = 60000},
    {.name = "google_message3_2",
     .type_name = "benchmarks.google_message3.GoogleMessage3",
     .schema = "benchmark_message3",
     .generate = generate_schema,
     .size = 2000000},
    {.name = "google_message3_3",
     .type_name = "benchmarks.google_message3.GoogleMessage3",
     .schema = "benchmark_message3",
     .generate = generate_schema,
     .size = 20000000,
     .quick_size = 4000000},
    {.name = "google_message3_4",
     .type_name = "benchmarks.google_message3.Message697",
     .schema = "benchmark_message3",
     .generate = generate_schema,
     .size = 4000},
    {.name = "google_message3_5",
     .type_name = "benchmarks.google_message3.Message18283",
     .schema = "benchmark_message3",
     .generate = generate_schema,
     .size = 400000},
    {.name = "google_message4",
     .type_name = "benchmarks.google_message4.GoogleMessage4",
     .schema = "benchmark_message4",
     .generate = generate_schema,
     .size = 60000},
    {.name = "google_message4_2mb",
     .type_name = "benchmarks.google_message4.GoogleMessage4",
     .schema = "benchmark_message4",
     .generate = generate_schema,
     .size = 2000000},
    {.name = "tile",
     .type = &bench__tile__tile__descriptor,
     .schema = "tile",
     .generate = generate_tile,
     .n_messages = 1},
    {.name = "osm",
     .type = &bench__osm__block__descriptor,
     .schema = "osm",
     .generate = generate_osm,
     .n_messages = 6},
    {.name = "parse_tree",
     .type = &bench__parse_tree__node__descriptor,
     .schema = "parse_tree",
     .generate = generate_parse_tree,
     .n_messages = 60},
    {.name = "metrics",
     .type = &bench__metrics__export__descriptor,
     .schema = "metrics",
     .generate = generate_metrics,
     .n_messages = 8},
    {.name = "dnstap",
     .type = &bench__dnstap__event__descriptor,
     .schema = "dnstap",
     .generate = generate_dnstap,
     .n_messages = 1000},
    {.name = "sparse",
     .type = &bench__sparse__sparse__descriptor,
     .schema = "sparse",
     .generate = generate_sparse,
     .n_messages = 500},
    {.name = "dense",
     .type = &bench__dense__dense__descriptor,
     .schema = "dense",
     .generate = generate_dense,
     .n_messages = 500},
    {.name = "strings",
     .type = &bench__strings__strings__descriptor,
     .schema = "strings",
     .generate = generate_strings,
     .n_messages = 500},
    {.name = "blobs",
     .type = &bench__blobs__store__descriptor,
     .schema = "blobs",
     .generate = generate_blobs,
     .n_messages = 8,
     .has_large_fields = true},
    {.name = "deep",
     .type = &bench__deep__level__descriptor,
     .schema = "deep",
     .generate = generate_deep,
     .n_messages = 8},
    {.name = "required",
     .type = &bench__required__node__descriptor,
     .schema = "required",
     .generate = generate_required,
     .n_messages = 40},
    {.name = "canada",
     .type = &bench__canada__outline__descriptor,
     .schema = "canada",
     .generate = generate_canada,
     .n_messages = 1},
    {.name = "twitter",
     .type = &bench__twitter__search__descriptor,
     .schema = "twitter",
     .generate = generate_twitter,
     .n_messages = 1},
    {.name = NULL}};

_Static_assert(sizeof bench_sources / sizeof *bench_sources <=
                   BENCH_MAX_SOURCES,
               "bench_args marks datasets in an array of this size");
