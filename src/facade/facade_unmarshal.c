/* facade_unmarshal.c - pbt_unmarshal, and what belongs to it: messages without
 * fields, and the lengths between messages. */
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

/* Reads the length before a message; NULL and a report when there is none. */
static const uint8_t *read_length(const uint8_t *data, size_t len,
                                  uint64_t *length, pbt_error *error) {
    const uint8_t *p = pbti_read_carefully(data, data + len, length);
    if (!p)
        (void) pbti_fail(error, PBT_ERR_MALFORMED, 0, NULL, "byte 0: %s",
                         pbti_varint_fault(data, data + len));
    return p;
}

static pbt_status report_length(pbt_error *error, uint64_t length,
                                size_t follow) {
    return pbti_fail(error, PBT_ERR_MALFORMED, 0, NULL,
                     "byte 0: the length says %" PRIu64 ", %zu bytes follow",
                     length, follow);
}

static pbt_status report_size(pbt_error *error, uint64_t size,
                              uint64_t max_size) {
    return pbti_fail(error, PBT_ERR_TOO_LARGE, 0, NULL,
                     "the message has %" PRIu64 " bytes, more than %" PRIu64,
                     size, max_size);
}

/* Takes the length of PBT_DELIMITED off the data. */
static pbt_status skip_prefix(const uint8_t **data, size_t *len,
                              size_t *skipped, pbt_error *error) {
    uint64_t length = 0;
    const uint8_t *end = *data + *len;
    const uint8_t *p = read_length(*data, *len, &length, error);
    if (!p)
        return PBT_ERR_MALFORMED;
    if (length != (uint64_t) (end - p))
        return report_length(error, length, (size_t) (end - p));
    *skipped = (size_t) (p - *data);
    *data = p;
    *len = (size_t) length;
    return PBT_OK;
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
    pbti_decoder_end(&d);
    return status;
}

PBTI_OUTLINE pbt_status unmarshal_with_care(
    const ProtobufCMessageDescriptor *type, const void *data, size_t len,
    const pbt_options *options, pbt_arena *arena, ProtobufCMessage **msg) {
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
    if (options && (options->flags & PBT_DELIMITED)) {
        status = skip_prefix(&bytes, &len, &skipped, error);
        if (status != PBT_OK)
            return status;
    }
    if (len > max_size)
        return report_size(error, len, max_size);
    status = run(type, bytes, len, options, skipped, arena, msg);
    if (status != PBT_OK)
        *msg = NULL;
    return status;
}

/* Usual calls have no options, and nothing to complain about. */
pbt_status pbt_unmarshal(const ProtobufCMessageDescriptor *type,
                         const void *data, size_t len,
                         const pbt_options *options, pbt_arena *arena,
                         ProtobufCMessage **msg) {
    pbt_status status;
    if (PBTI_UNLIKELY(options || !type || !data || !arena || !msg ||
                      len > INT32_MAX))
        return unmarshal_with_care(type, data, len, options, arena, msg);
    status = run(type, data, len, NULL, 0, arena, msg);
    if (PBTI_UNLIKELY(status != PBT_OK))
        *msg = NULL;
    return status;
}

ProtobufCMessage *pbt_message_new(const ProtobufCMessageDescriptor *type,
                                  pbt_arena *arena) {
    const pbti_table *table;
    ProtobufCMessage *message;
    if (!type || !arena ||
        pbti_registry_get(type, PBTI_PLAIN, &table, NULL) != PBT_OK)
        return NULL;
    message = pbti_arena_alloc(arena, type->sizeof_message);
    if (!message)
        return NULL;
    if (table->parse.image)
        memcpy(message, table->parse.image, type->sizeof_message);
    else
        memset(message, 0, type->sizeof_message);
    message->descriptor = type;
    return message;
}

/* What is wrong with the arguments; NULL when nothing is. */
static const char *next_fault(const void *data, size_t len,
                              const pbt_options *options, const void *message,
                              const void *message_len, const void *used) {
    if (!data && len > 0)
        return "the data is NULL";
    if (!message || !message_len || !used)
        return "a place for a result is NULL";
    return options ? pbti_unmarshal_options_fault(options) : NULL;
}

/* The data ends too early, unless it is so long that it cannot begin with a
 * length. `used` may have to count more than a size_t can. */
static size_t bytes_needed(size_t len, uint64_t prefix, uint64_t length) {
    if (prefix == 0)
        return len < PBTI_MAX_VARINT ? len + 1 : 0;
    return length > SIZE_MAX - prefix ? 0 : (size_t) (prefix + length);
}

pbt_status pbt_delimited_next(const void *data, size_t len,
                              const pbt_options *options, const void **message,
                              size_t *message_len, size_t *used) {
    static const pbt_options defaults;
    static const uint8_t nothing[1];
    const uint8_t *start = data ? data : nothing;
    pbt_error *error = options ? options->error : NULL;
    uint64_t max_size = pbti_options_max_size(options ? options : &defaults);
    const char *fault =
        next_fault(data, len, options, message, message_len, used);
    const uint8_t *p;
    uint64_t length = 0;
    size_t prefix;
    if (message)
        *message = NULL;
    if (message_len)
        *message_len = 0;
    if (used)
        *used = 0;
    if (fault)
        return pbti_fail(error, PBT_ERR_ARGUMENT, 0, NULL, "%s", fault);
    p = read_length(start, len, &length, error);
    prefix = p ? (size_t) (p - start) : 0;
    if (p && length > max_size)
        return report_size(error, length, max_size);
    *used = bytes_needed(len, prefix, length);
    if (!p)
        return PBT_ERR_MALFORMED;
    if (length > len - prefix)
        return report_length(error, length, len - prefix);
    *message = p;
    *message_len = (size_t) length;
    return PBT_OK;
}
