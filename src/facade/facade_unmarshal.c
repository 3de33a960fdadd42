/* facade_unmarshal.c - pbt_unmarshal. */
#include <inttypes.h>

#include <pbturbo/unmarshal.h>

#include "base_error.h"
#include "base_options.h"
#include "table_registry.h"
#include "wire_decode.h"

/* What is wrong with the arguments; NULL when nothing is. */
static const char *argument_fault(const ProtobufCMessageDescriptor *type,
                                  const void *data, size_t len,
                                  const pbt_options *options,
                                  const pbt_arena *arena) {
    if (!type)
        return "the type is NULL";
    if (!data && len > 0)
        return "the data is NULL";
    if (!arena)
        return "the arena is NULL";
    return options ? pbti_unmarshal_options_fault(options) : NULL;
}

/* Takes the length of PBT_DELIMITED off the data. */
static bool skip_prefix(const uint8_t **data, size_t *len, size_t *skipped) {
    uint64_t length;
    const uint8_t *end = *data + *len;
    const uint8_t *p = pbti_read_carefully(*data, end, &length);
    if (!p || length != (uint64_t) (end - p))
        return false;
    *skipped = (size_t) (p - *data);
    *data = p;
    *len = (size_t) length;
    return true;
}

static pbt_status run(const ProtobufCMessageDescriptor *type,
                      const uint8_t *data, size_t len,
                      const pbt_options *options, size_t skipped,
                      pbt_arena *arena, ProtobufCMessage **msg) {
    const pbti_table *table = pbti_registry_find(type, PBTI_PLAIN);
    pbt_error *error = options ? options->error : NULL;
    pbti_decoder d;
    pbt_status status = PBT_OK;
    if (PBTI_UNLIKELY(!table))
        status = pbti_registry_get(type, PBTI_PLAIN, &table, error);
    if (status == PBT_ERR_NO_MEMORY)
        return pbti_fail(error, status, 0, NULL, NULL);
    if (status != PBT_OK)
        return status;
    pbti_decoder_start(&d, data, len, arena, options);
    d.skipped = skipped;
    status = pbti_wire()->unmarshal(&d, table, msg);
    if (PBTI_UNLIKELY(status == PBT_OK && d.incomplete &&
                      !(d.flags & PBT_ALLOW_PARTIAL)))
        status = pbti_find_missing(&d, *msg, table);
    pbti_decoder_free(&d);
    return status;
}

pbt_status pbt_unmarshal(const ProtobufCMessageDescriptor *type,
                         const void *data, size_t len,
                         const pbt_options *options, pbt_arena *arena,
                         ProtobufCMessage **msg) {
    static const pbt_options defaults;
    static const uint8_t nothing[1];
    const uint8_t *bytes = data ? data : nothing;
    pbt_error *error = options ? options->error : NULL;
    const char *fault = argument_fault(type, data, len, options, arena);
    uint64_t max_size = pbti_options_max_size(options ? options : &defaults);
    size_t skipped = 0;
    pbt_status status;
    if (msg)
        *msg = NULL;
    else
        fault = "the place for the message is NULL";
    if (fault)
        return pbti_fail(error, PBT_ERR_ARGUMENT, 0, NULL, "%s", fault);
    if (options && (options->flags & PBT_DELIMITED) &&
        !skip_prefix(&bytes, &len, &skipped))
        return pbti_fail(error, PBT_ERR_MALFORMED, 0, NULL,
                         "byte 0: not the length of the bytes that follow");
    if (len > max_size)
        return pbti_fail(error, PBT_ERR_TOO_LARGE, 0, NULL,
                         "the message has %zu bytes, more than %" PRIu64, len,
                         max_size);
    status = run(type, bytes, len, options, skipped, arena, msg);
    if (status != PBT_OK)
        *msg = NULL;
    return status;
}
