/* bench_schema.c - types from a FileDescriptorSet, and which of their fields
 * are groups.
 *
 * The library makes the types; the groups are found by reading the set once
 * more, so that the expected bytes do not hang on what is measured.
 */
#include "bench_schema.h"
#include "bench_data.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Field numbers in descriptor.proto. */
enum {
    SET_FILE = 1,
    FILE_PACKAGE = 2,
    FILE_MESSAGE = 4,
    FILE_EXTENSION = 7,
    MESSAGE_NAME = 1,
    MESSAGE_FIELD = 2,
    MESSAGE_NESTED = 3,
    MESSAGE_EXTENSION = 6,
    FIELD_EXTENDEE = 2,
    FIELD_NUMBER = 3,
    FIELD_TYPE = 5,
    TYPE_GROUP = 10
};

enum { MAX_TYPE_NAME = 1024 };

bool bench_schema_open(bench_schema *schema, const char *path,
                       const char **why) {
    memset(schema, 0, sizeof *schema);
    if (bench_file_load(path, &schema->set))
        return true;
    snprintf(schema->reason, sizeof schema->reason, "cannot read %s", path);
    *why = schema->reason;
    return false;
}

static wire_reader read_bytes(const uint8_t *data, size_t len) {
    return (wire_reader){data, data + len, false};
}

static wire_reader read_within(const wire_field *field) {
    return read_bytes(field->data, field->len);
}

/* The first field of a number, which has a length. */
static bool find_field(wire_reader in, uint32_t number, wire_field *found) {
    while (wire_read_field(&in, found))
        if (found->number == number && found->type == WIRE_LENGTH)
            return true;
    return false;
}

static void add_group(bench_schema *schema, const char *type_name,
                      uint32_t number) {
    const ProtobufCMessageDescriptor *type =
        pbt_schema_message(schema->types, type_name);
    const ProtobufCFieldDescriptor *field =
        type == NULL ? NULL
                     : protobuf_c_message_descriptor_get_field(type, number);
    if (field == NULL)
        return;
    schema->groups = bench_grow(schema->groups, schema->n_groups + 1,
                                sizeof *schema->groups);
    schema->groups[schema->n_groups++] = field;
}

/* Looks at one FieldDescriptorProto. An extension names its message itself. */
static void scan_field(bench_schema *schema, wire_reader in,
                       const char *scope) {
    char extended[MAX_TYPE_NAME];
    const char *owner = scope;
    bool is_group = false;
    uint32_t number = 0;
    wire_field field;
    while (wire_read_field(&in, &field)) {
        if (field.number == FIELD_NUMBER)
            number = (uint32_t) field.value;
        else if (field.number == FIELD_TYPE)
            is_group = field.value == TYPE_GROUP;
        else if (field.number == FIELD_EXTENDEE && field.len > 0) {
            snprintf(extended, sizeof extended, "%.*s", (int) field.len - 1,
                     (const char *) field.data + 1);
            owner = extended;
        }
    }
    if (is_group)
        add_group(schema, owner, number);
}

/* Appends a name to a scope; both end with NUL. */
static void join(char *name, const char *scope, const wire_field *last) {
    snprintf(name, MAX_TYPE_NAME, "%s%s%.*s", scope, scope[0] ? "." : "",
             (int) last->len, (const char *) last->data);
}

static void scan_message(bench_schema *schema, wire_reader in,
                         const char *scope) {
    char name[MAX_TYPE_NAME];
    wire_field field;
    if (!find_field(in, MESSAGE_NAME, &field))
        return;
    join(name, scope, &field);
    while (wire_read_field(&in, &field)) {
        if (field.number == MESSAGE_FIELD || field.number == MESSAGE_EXTENSION)
            scan_field(schema, read_within(&field), name);
        else if (field.number == MESSAGE_NESTED)
            scan_message(schema, read_within(&field), name);
    }
}

static void scan_file(bench_schema *schema, wire_reader in) {
    char package[MAX_TYPE_NAME] = "";
    wire_field field;
    if (find_field(in, FILE_PACKAGE, &field))
        join(package, "", &field);
    while (wire_read_field(&in, &field)) {
        if (field.number == FILE_MESSAGE)
            scan_message(schema, read_within(&field), package);
        else if (field.number == FILE_EXTENSION)
            scan_field(schema, read_within(&field), package);
    }
}

static int compare_fields(const void *a, const void *b) {
    const ProtobufCFieldDescriptor *x =
        *(const ProtobufCFieldDescriptor *const *) a;
    const ProtobufCFieldDescriptor *y =
        *(const ProtobufCFieldDescriptor *const *) b;
    return ((uintptr_t) x > (uintptr_t) y) - ((uintptr_t) x < (uintptr_t) y);
}

bool bench_schema_load(bench_schema *schema, const char **why) {
    pbt_error error;
    pbt_status status = pbt_schema_load(schema->set.data, schema->set.len,
                                        &schema->types, &error);
    if (status != PBT_OK) {
        snprintf(schema->reason, sizeof schema->reason, "%s: %s",
                 pbt_status_name(status), error.message);
        *why = schema->reason;
        return false;
    }
    wire_reader in = read_bytes(schema->set.data, schema->set.len);
    wire_field field;
    while (wire_read_field(&in, &field))
        if (field.number == SET_FILE)
            scan_file(schema, read_within(&field));
    if (schema->n_groups > 0)
        qsort(schema->groups, schema->n_groups, sizeof *schema->groups,
              compare_fields);
    return true;
}

void bench_schema_close(bench_schema *schema) {
    if (schema->types != NULL)
        for (size_t i = 0; i < pbt_schema_n_messages(schema->types); i++)
            pbt_forget(pbt_schema_message_at(schema->types, i));
    pbt_schema_free(schema->types);
    free(schema->groups);
    free(schema->set.data);
    memset(schema, 0, sizeof *schema);
}

static bool is_group(const bench_schema *schema,
                     const ProtobufCFieldDescriptor *field) {
    return schema->n_groups > 0 &&
           bsearch(&field, schema->groups, schema->n_groups,
                   sizeof *schema->groups, compare_fields) != NULL;
}

/* The type below a field of a type, or NULL: unknown, or no message. */
static const ProtobufCFieldDescriptor *
find_message_field(const ProtobufCMessageDescriptor *type, uint32_t number) {
    const ProtobufCFieldDescriptor *field =
        type == NULL ? NULL
                     : protobuf_c_message_descriptor_get_field(type, number);
    return field != NULL && field->type == PROTOBUF_C_TYPE_MESSAGE ? field
                                                                   : NULL;
}

/* How a field of a message is sent: as a group, or with a length. The reading
 * of a codec's output is strict, by the schema. */
static bool is_sent_right(const bench_schema *strict,
                          const ProtobufCFieldDescriptor *declared,
                          enum wire_type type) {
    if (strict == NULL || declared == NULL)
        return true;
    return is_group(strict, declared) ? type == WIRE_GROUP
                                      : type == WIRE_LENGTH;
}

/* Copies up to the end, or to the end of the group that has the number. */
static bool copy_plain(const bench_schema *strict,
                       const ProtobufCMessageDescriptor *type, wire_reader *in,
                       uint32_t group, wire_writer *out) {
    for (;;) {
        const uint8_t *start = in->at;
        wire_field field;
        if (!wire_read_field(in, &field))
            return !in->failed && group == 0;
        if (field.type == WIRE_GROUP_END)
            return field.number == group;
        const ProtobufCFieldDescriptor *declared =
            find_message_field(type, field.number);
        if (!is_sent_right(strict, declared, field.type))
            return false;
        if (field.type != WIRE_GROUP &&
            (field.type != WIRE_LENGTH || declared == NULL)) {
            wire_put_raw(out, start, (size_t) (in->at - start));
            continue;
        }
        wire_reader within = read_within(&field);
        bool grouped = field.type == WIRE_GROUP;
        size_t mark = wire_open(out, field.number);
        if (!copy_plain(strict, declared == NULL ? NULL : declared->descriptor,
                        grouped ? in : &within, grouped ? field.number : 0,
                        out))
            return false;
        wire_close(out, mark);
    }
}

bool bench_schema_to_plain(const bench_schema *strict,
                           const ProtobufCMessageDescriptor *type,
                           const bench_bytes *message, wire_writer *out) {
    wire_reader in = read_bytes(message->data, message->len);
    return copy_plain(strict, type, &in, 0, out);
}

static bool copy_groups(const bench_schema *schema,
                        const ProtobufCMessageDescriptor *type, wire_reader in,
                        wire_writer *out) {
    const uint8_t *start = in.at;
    wire_field field;
    for (; wire_read_field(&in, &field); start = in.at) {
        const ProtobufCFieldDescriptor *declared =
            find_message_field(type, field.number);
        if (field.type != WIRE_LENGTH || declared == NULL) {
            wire_put_raw(out, start, (size_t) (in.at - start));
            continue;
        }
        bool grouped = is_group(schema, declared);
        size_t mark = 0;
        if (grouped)
            wire_group(out, field.number);
        else
            mark = wire_open(out, field.number);
        if (!copy_groups(schema, declared->descriptor, read_within(&field),
                         out))
            return false;
        if (grouped)
            wire_group_end(out, field.number);
        else
            wire_close(out, mark);
    }
    return !in.failed;
}

bool bench_schema_from_plain(const bench_schema *schema,
                             const ProtobufCMessageDescriptor *type,
                             const bench_bytes *plain, wire_writer *out) {
    return copy_groups(schema, type, read_bytes(plain->data, plain->len), out);
}
