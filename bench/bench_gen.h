/* bench_gen.h - the generators of the datasets.
 *
 * Each writes the messages of one dataset in the wire format. The seed decides
 * every value; how many there are and how large they get is fixed in the
 * generator, and the report prints what came of it.
 */
#ifndef PBTURBO_BENCH_GEN_H
#define PBTURBO_BENCH_GEN_H

#include <stddef.h>

#include <protobuf-c/protobuf-c.h>

#include "bench_random.h"
#include "bench_wire.h"

/* Writes message i. */
typedef void bench_generator(const ProtobufCMessageDescriptor *type, size_t i,
                             bench_random *random, wire_writer *out);

bench_generator generate_tile;
bench_generator generate_osm;
bench_generator generate_parse_tree;
bench_generator generate_metrics;
bench_generator generate_dnstap;
bench_generator generate_sparse;
bench_generator generate_dense;
bench_generator generate_strings;
bench_generator generate_blobs;
bench_generator generate_deep;
bench_generator generate_required;
bench_generator generate_schema; /* of any type; see bench_gen_schema.c */

/* Writes the one message of a dataset, or all of them alike. */
typedef void bench_filler(wire_writer *out, bench_random *random);

bench_filler fill_canada;
bench_filler fill_canada_exact;
bench_filler fill_citm;
bench_filler fill_golang;
bench_filler fill_text_escaped;
bench_filler fill_text_unicode;
bench_filler fill_twitter;
/* bench_gen_cases.c */
bench_filler fill_case_constants;
bench_filler fill_case_integer;
bench_filler fill_case_integers;
bench_filler fill_case_list_of_numbers;
bench_filler fill_case_list_of_texts;
bench_filler fill_case_long_quoted_text;
bench_filler fill_case_long_text;
bench_filler fill_case_mixed;
bench_filler fill_case_number;
bench_filler fill_case_numbers;
bench_filler fill_case_objects;
bench_filler fill_case_quoted_text;
bench_filler fill_case_short_text;
bench_filler fill_case_simple;
bench_filler fill_case_texts;
bench_filler fill_case_time;

/* What fill_golang takes from this machine; NULL: nothing. */
const char *describe_golang(void);

/* Writes one field of the descriptor with a random value: numbers of random
 * width, text of 1 to 24 bytes. A message field is written empty. Shared by
 * the shapes that are made from their descriptor. */
void generate_field(const ProtobufCFieldDescriptor *field, bench_random *random,
                    wire_writer *out);

#endif
