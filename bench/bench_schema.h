/* bench_schema.h - types from a FileDescriptorSet, and which of their fields
 * are groups. */
#ifndef PBTURBO_BENCH_SCHEMA_H
#define PBTURBO_BENCH_SCHEMA_H

#include "bench.h"
#include "bench_wire.h"

#include <pbturbo/pbturbo.h>

struct bench_schema {
    wire_writer set;   /* the serialized FileDescriptorSet */
    pbt_schema *types; /* NULL until bench_schema_load */
    const ProtobufCFieldDescriptor **groups;
    size_t n_groups;
    char reason[400]; /* what *why of the calls below points to */
};

/* Reads the set. False, with a reason in *why, when it cannot. */
bool bench_schema_open(bench_schema *schema, const char *path,
                       const char **why);
/* Makes types of the set. */
bool bench_schema_load(bench_schema *schema, const char **why);
void bench_schema_close(bench_schema *schema);

/* From messages with groups to plain ones, where each group is an ordinary
 * sub-message, and back. False when the bytes are no message, or have groups
 * elsewhere than the schema, if it is given. */
bool bench_schema_to_plain(const bench_schema *strict,
                           const ProtobufCMessageDescriptor *type,
                           const bench_bytes *message, wire_writer *out);
bool bench_schema_from_plain(const bench_schema *schema,
                             const ProtobufCMessageDescriptor *type,
                             const bench_bytes *plain, wire_writer *out);

#endif
