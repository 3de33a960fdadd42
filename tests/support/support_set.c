/* support_set.c - see support_set.h. */
#include "support_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support_expect.h"

#include "cases2.pb-c.h"
#include "cases3.pb-c.h"
#include "google/protobuf/any.pb-c.h"
#include "google/protobuf/api.pb-c.h"
#include "google/protobuf/descriptor.pb-c.h"
#include "google/protobuf/duration.pb-c.h"
#include "google/protobuf/empty.pb-c.h"
#include "google/protobuf/field_mask.pb-c.h"
#include "google/protobuf/source_context.pb-c.h"
#include "google/protobuf/struct.pb-c.h"
#include "google/protobuf/timestamp.pb-c.h"
#include "google/protobuf/type.pb-c.h"
#include "google/protobuf/wrappers.pb-c.h"
#include "reflect2.pb-c.h"
#include "reflect3.pb-c.h"
#include "schema2.pb-c.h"
#include "schema3.pb-c.h"

packed set_read(arena *a, const char *name) {
    char *path = arena_format(a, "%s/%s.desc", PBT_SET_DIR, name);
    FILE *file = fopen(path, "rb");
    packed set = {NULL, 0};
    long size;
    if (!file)
        ck_abort_msg("cannot open %s", path);
    fseek(file, 0, SEEK_END);
    size = ftell(file);
    rewind(file);
    ck_assert(size > 0);
    set.len = (size_t) size;
    set.bytes = arena_alloc(a, set.len);
    ck_assert(fread(set.bytes, 1, set.len, file) == set.len);
    fclose(file);
    return set;
}

packed set_twice(arena *a, packed set) {
    uint8_t *bytes = arena_alloc(a, 2 * set.len);
    memcpy(bytes, set.bytes, set.len);
    memcpy(bytes + set.len, set.bytes, set.len);
    return (packed){bytes, 2 * set.len};
}

pbt_schema *set_load(packed set) {
    pbt_schema *schema;
    pbt_error error = {.status = PBT_OK};
    pbt_status status = pbt_schema_load(set.bytes, set.len, &schema, &error);
    if (status != PBT_OK)
        ck_abort_msg("%s: %s", pbt_status_name(status), error.message);
    return schema;
}

pbt_schema *set_schema(const char *name) {
    arena a = {NULL};
    pbt_schema *schema = set_load(set_read(&a, name));
    arena_free(&a);
    return schema;
}

/* Text being read, and bytes being written. */
typedef struct writer {
    const char *text;
    uint8_t *bytes;
    size_t len;
} writer;

static void put_varint(writer *w, uint64_t value) {
    for (; value >= 0x80; value >>= 7)
        w->bytes[w->len++] = (uint8_t) (value | 0x80);
    w->bytes[w->len++] = (uint8_t) value;
}

static uint64_t read_number(writer *w) {
    char *end;
    long long number = strtoll(w->text, &end, 10);
    ck_assert_msg(end != w->text, "no number at: %s", w->text);
    w->text = end;
    return (uint64_t) number;
}

static void put_fields(writer *w);

/* Puts the length before what was written since start. */
static void put_length(writer *w, size_t start) {
    size_t len = w->len - start;
    writer prefix = {NULL, (uint8_t[10]){0}, 0};
    put_varint(&prefix, len);
    memmove(w->bytes + start + prefix.len, w->bytes + start, len);
    memcpy(w->bytes + start, prefix.bytes, prefix.len);
    w->len += prefix.len;
}

static void put_field(writer *w) {
    uint64_t number = read_number(w);
    char kind = *w->text++;
    size_t start;
    put_varint(w, number << 3 | (kind == ':' ? 0 : 2));
    start = w->len;
    if (kind == ':') {
        put_varint(w, read_number(w));
        return;
    }
    if (kind == '{') {
        put_fields(w);
        ck_assert_msg(*w->text == '}', "no } at: %s", w->text);
    } else {
        size_t len = strcspn(w->text, "'");
        ck_assert_msg(kind == '\'', "no value at: %s", w->text);
        memcpy(w->bytes + w->len, w->text, len);
        w->len += len;
        w->text += len;
    }
    w->text++;
    put_length(w, start);
}

static void put_fields(writer *w) {
    while (*w->text && *w->text != '}')
        if (*w->text == ' ')
            w->text++;
        else
            put_field(w);
}

packed set_write(arena *a, const char *text) {
    /* No field takes more bytes than twice its text and a long number. */
    writer w = {text, arena_alloc(a, 12 * strlen(text) + 1), 0};
    packed set;
    put_fields(&w);
    ck_assert_msg(!*w.text, "what is this: %s", w.text);
    set.bytes = arena_copy(a, w.bytes, w.len);
    set.len = w.len;
    return set;
}

#define ROOTS(schema)                                                          \
    static const ProtobufCMessageDescriptor *const schema##_roots[]

ROOTS(cases2) = {&c2__sub__descriptor,
                 &c2__req__descriptor,
                 &c2__opt__descriptor,
                 &c2__rep__descriptor,
                 &c2__node__descriptor,
                 &c2__s1__descriptor,
                 &c2__big__descriptor,
                 &c2__one__descriptor,
                 &c2__id__descriptor,
                 &c2__attributes__descriptor,
                 &c2__tree__descriptor,
                 &c2__leaf__descriptor,
                 NULL};

ROOTS(cases3) = {&c3__sub__descriptor, &c3__pl__descriptor,
                 &c3__one__descriptor, &c3__mp__descriptor, NULL};

ROOTS(reflect2) = {
    &r2__sub__descriptor,   &r2__req__descriptor,     &r2__opt__descriptor,
    &r2__rep__descriptor,   &r2__node__descriptor,    &r2__big__descriptor,
    &r2__one__descriptor,   &r2__numbers__descriptor, &r2__must__descriptor,
    &r2__every__descriptor, &r2__mp__descriptor,      NULL};

ROOTS(reflect3) = {&r3__sub__descriptor,  &r3__pl__descriptor,
                   &r3__one__descriptor,  &r3__mp__descriptor,
                   &r3__nest__descriptor, NULL};

ROOTS(schema2) = {&schema__two_part__defaults__descriptor,
                  &schema__two_part__odd__names_2x__descriptor,
                  &schema__two_part__nothing__descriptor,
                  &schema__two_part__mixed__descriptor, NULL};

ROOTS(schema3) = {&renamed__three_c__plain__descriptor, NULL};

ROOTS(any) = {&google__protobuf__any__descriptor, NULL};

ROOTS(api) = {&google__protobuf__api__descriptor,
              &google__protobuf__method__descriptor,
              &google__protobuf__mixin__descriptor, NULL};

ROOTS(descriptor) = {&google__protobuf__file_descriptor_set__descriptor,
                     &google__protobuf__file_descriptor_proto__descriptor,
                     &google__protobuf__descriptor_proto__descriptor,
                     &google__protobuf__extension_range_options__descriptor,
                     &google__protobuf__field_descriptor_proto__descriptor,
                     &google__protobuf__oneof_descriptor_proto__descriptor,
                     &google__protobuf__enum_descriptor_proto__descriptor,
                     &google__protobuf__enum_value_descriptor_proto__descriptor,
                     &google__protobuf__service_descriptor_proto__descriptor,
                     &google__protobuf__method_descriptor_proto__descriptor,
                     &google__protobuf__file_options__descriptor,
                     &google__protobuf__message_options__descriptor,
                     &google__protobuf__field_options__descriptor,
                     &google__protobuf__oneof_options__descriptor,
                     &google__protobuf__enum_options__descriptor,
                     &google__protobuf__enum_value_options__descriptor,
                     &google__protobuf__service_options__descriptor,
                     &google__protobuf__method_options__descriptor,
                     &google__protobuf__uninterpreted_option__descriptor,
                     &google__protobuf__source_code_info__descriptor,
                     &google__protobuf__generated_code_info__descriptor,
                     NULL};

ROOTS(duration) = {&google__protobuf__duration__descriptor, NULL};

ROOTS(empty) = {&google__protobuf__empty__descriptor, NULL};

ROOTS(field_mask) = {&google__protobuf__field_mask__descriptor, NULL};

ROOTS(source_context) = {&google__protobuf__source_context__descriptor, NULL};

ROOTS(struct) = {&google__protobuf__struct__descriptor,
                 &google__protobuf__value__descriptor,
                 &google__protobuf__list_value__descriptor, NULL};

ROOTS(timestamp) = {&google__protobuf__timestamp__descriptor, NULL};

ROOTS(type) = {&google__protobuf__type__descriptor,
               &google__protobuf__field__descriptor,
               &google__protobuf__enum__descriptor,
               &google__protobuf__enum_value__descriptor,
               &google__protobuf__option__descriptor,
               NULL};

ROOTS(wrappers) = {&google__protobuf__double_value__descriptor,
                   &google__protobuf__float_value__descriptor,
                   &google__protobuf__int64_value__descriptor,
                   &google__protobuf__uint64_value__descriptor,
                   &google__protobuf__int32_value__descriptor,
                   &google__protobuf__uint32_value__descriptor,
                   &google__protobuf__bool_value__descriptor,
                   &google__protobuf__string_value__descriptor,
                   &google__protobuf__bytes_value__descriptor,
                   NULL};

const set_compiled set_compiled_all[] = {
    {"cases2", cases2_roots},
    {"cases3", cases3_roots},
    {"reflect2", reflect2_roots},
    {"reflect3", reflect3_roots},
    {"schema2", schema2_roots},
    {"schema3", schema3_roots},
    {"google/protobuf/any", any_roots},
    {"google/protobuf/api", api_roots},
    {"google/protobuf/descriptor", descriptor_roots},
    {"google/protobuf/duration", duration_roots},
    {"google/protobuf/empty", empty_roots},
    {"google/protobuf/field_mask", field_mask_roots},
    {"google/protobuf/source_context", source_context_roots},
    {"google/protobuf/struct", struct_roots},
    {"google/protobuf/timestamp", timestamp_roots},
    {"google/protobuf/type", type_roots},
    {"google/protobuf/wrappers", wrappers_roots},
};
const size_t n_set_compiled =
    sizeof set_compiled_all / sizeof *set_compiled_all;
