/* facade_table.c - pbt_prepare, pbt_forget and pbt_table_text. */
#include <pbturbo/marshal.h>
#include <pbturbo/table.h>

#include "base_alloc.h"
#include "base_error.h"
#include "table_dump.h"
#include "table_registry.h"

static pbt_status find_table(const ProtobufCMessageDescriptor *type,
                             const pbti_table **table, pbt_error *error) {
    pbt_status status;
    if (!type) {
        (void) pbti_fail(error, PBT_ERR_ARGUMENT, 0, NULL, "the type is NULL");
        return PBT_ERR_ARGUMENT;
    }
    status = pbti_registry_get(type, PBTI_PLAIN, table, error);
    if (status == PBT_ERR_NO_MEMORY)
        (void) pbti_fail(error, status, 0, NULL, NULL);
    return status;
}

pbt_status pbt_prepare(const ProtobufCMessageDescriptor *type,
                       pbt_error *error) {
    const pbti_table *table;
    return find_table(type, &table, error);
}

void pbt_forget(const ProtobufCMessageDescriptor *type) {
    if (type)
        pbti_registry_forget(type);
}

/* Replaces the content of the buffer; false when there is no memory. */
static bool keep_text(pbt_buffer *buffer, const char *text, size_t len) {
    if (buffer->capacity < len || !buffer->block) {
        uint8_t *block = pbti_alloc(buffer->allocator, len);
        if (!block)
            return false;
        pbti_free(buffer->allocator, buffer->block);
        buffer->block = block;
        buffer->capacity = len;
    }
    memcpy(buffer->block, text, len);
    buffer->data = buffer->block;
    buffer->len = len;
    return true;
}

pbt_status pbt_table_text(const ProtobufCMessageDescriptor *type,
                          pbt_buffer *text, pbt_error *error) {
    const pbti_table *table;
    char *dump;
    bool kept;
    pbt_status status;
    if (!text)
        return pbti_fail(error, PBT_ERR_ARGUMENT, 0, NULL,
                         "the buffer is NULL");
    text->data = NULL;
    text->len = 0;
    status = find_table(type, &table, error);
    if (status != PBT_OK)
        return status;
    dump = pbti_table_dump(table);
    kept = dump && keep_text(text, dump, strlen(dump));
    free(dump);
    return kept ? PBT_OK : pbti_fail(error, PBT_ERR_NO_MEMORY, 0, NULL, NULL);
}
