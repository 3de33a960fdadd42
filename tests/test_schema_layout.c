/* test_schema_layout.c - loaded types are what protoc-c would have made of the
 * same schema: every member of every descriptor is the same, and a message
 * starts as the same bytes. */
#include <string.h>

#include "suites.h"
#include "support_expect.h"
#include "support_schema.h"
#include "support_set.h"

/* Descriptors that are read only once: types contain each other. */
static const ProtobufCMessageDescriptor *compared[256];
static size_t n_compared;

static void same_text(const char *what, const char *got, const char *want) {
    if (!want)
        expect_true(what, got == NULL);
    else
        expect_text(what, got, want);
}

static void same_ranges(const ProtobufCIntRange *got,
                        const ProtobufCIntRange *want, unsigned n) {
    unsigned i;
    expect_true("ranges", (got == NULL) == (want == NULL));
    for (i = 0; got && want && i <= n; i++) {
        expect_number("start of a range", (uint64_t) got[i].start_value,
                      (uint64_t) want[i].start_value);
        expect_number("index of a range", got[i].orig_index,
                      want[i].orig_index);
    }
}

static void same_enum(const ProtobufCEnumDescriptor *got,
                      const ProtobufCEnumDescriptor *want) {
    unsigned i;
    if (!got || !want)
        ck_abort_msg("an enum is missing");
    expect_context("enum %s", want->name);
    expect_number("magic", got->magic, want->magic);
    same_text("name", got->name, want->name);
    same_text("short_name", got->short_name, want->short_name);
    same_text("c_name", got->c_name, want->c_name);
    same_text("package_name", got->package_name, want->package_name);
    expect_number("n_values", got->n_values, want->n_values);
    for (i = 0; i < want->n_values; i++) {
        same_text("value", got->values[i].name, want->values[i].name);
        same_text("c_name of a value", got->values[i].c_name,
                  want->values[i].c_name);
        expect_number("number", (uint64_t) got->values[i].value,
                      (uint64_t) want->values[i].value);
    }
    expect_number("n_value_names", got->n_value_names, want->n_value_names);
    for (i = 0; i < want->n_value_names; i++) {
        same_text("value by name", got->values_by_name[i].name,
                  want->values_by_name[i].name);
        expect_number("index by name", got->values_by_name[i].index,
                      want->values_by_name[i].index);
    }
    expect_number("n_value_ranges", got->n_value_ranges, want->n_value_ranges);
    same_ranges(got->value_ranges, want->value_ranges, want->n_value_ranges);
}

static void same_default(const ProtobufCFieldDescriptor *got,
                         const ProtobufCFieldDescriptor *want) {
    const void *a = got->default_value;
    const void *b = want->default_value;
    if (b == protobuf_c_empty_string && want->type == PROTOBUF_C_TYPE_BYTES) {
        /* compat: protoc-c takes the empty string for a ProtobufCBinaryData
         * where string_as_bytes is set. */
        expect_true("default of a string kept as bytes", a == NULL);
        return;
    }
    expect_true("has a default", (a == NULL) == (b == NULL));
    if (!a || !b)
        return;
    expect_true("protobuf-c's own empty string",
                (a == protobuf_c_empty_string) ==
                    (b == protobuf_c_empty_string));
    if (want->type == PROTOBUF_C_TYPE_STRING) {
        same_text("default", a, b);
    } else if (want->type == PROTOBUF_C_TYPE_BYTES) {
        const ProtobufCBinaryData *x = a;
        const ProtobufCBinaryData *y = b;
        expect_bytes("default", x->data, x->len, y->data, y->len);
        expect_number("NUL after it", x->data[x->len], 0);
    } else {
        expect_bytes("default", a, schema_member_size(want->type), b,
                     schema_member_size(want->type));
    }
}

static void same_message(const ProtobufCMessageDescriptor *got,
                         const ProtobufCMessageDescriptor *want);

static void same_field(const ProtobufCMessageDescriptor *type,
                       const ProtobufCFieldDescriptor *got,
                       const ProtobufCFieldDescriptor *want) {
    expect_context("field %s.%s", type->name, want->name);
    same_text("name", got->name, want->name);
    expect_number("id", got->id, want->id);
    expect_number("label", got->label, want->label);
    expect_number("type", got->type, want->type);
    expect_number("quantifier_offset", got->quantifier_offset,
                  want->quantifier_offset);
    expect_number("offset", got->offset, want->offset);
    expect_number("flags", got->flags, want->flags);
    expect_number("reserved_flags", got->reserved_flags, want->reserved_flags);
    expect_true("reserved", !got->reserved2 && !got->reserved3);
    same_default(got, want);
    expect_true("descriptor",
                (got->descriptor == NULL) == (want->descriptor == NULL));
    if (want->type == PROTOBUF_C_TYPE_ENUM)
        same_enum(got->descriptor, want->descriptor);
    if (want->type == PROTOBUF_C_TYPE_MESSAGE)
        same_message(got->descriptor, want->descriptor);
}

/* Two messages, fresh from message_init. What differs are pointers only. */
static void same_start(const ProtobufCMessageDescriptor *got,
                       const ProtobufCMessageDescriptor *want) {
    arena a = {NULL};
    ProtobufCMessage *x = arena_alloc(&a, got->sizeof_message);
    ProtobufCMessage *y = arena_alloc(&a, want->sizeof_message);
    unsigned i;
    expect_context("message_init of %s", want->name);
    memset(x, 0xa5, got->sizeof_message);
    protobuf_c_message_init(got, x);
    protobuf_c_message_init(want, y);
    expect_true("descriptor", x->descriptor == got);
    for (i = 0; i < want->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &want->fields[i];
        void *mine = (char *) x + field->offset;
        void *theirs = (char *) y + field->offset;
        bool has_default = field->default_value &&
                           field->label != PROTOBUF_C_LABEL_REPEATED &&
                           !(field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF);
        if (has_default && field->type == PROTOBUF_C_TYPE_STRING) {
            expect_true("starts as its default",
                        *(char **) mine == got->fields[i].default_value);
            *(char **) mine = *(char **) theirs;
        }
        if (has_default && field->type == PROTOBUF_C_TYPE_BYTES &&
            got->fields[i].default_value) {
            expect_bytes(
                "starts as its default", mine, sizeof(ProtobufCBinaryData),
                got->fields[i].default_value, sizeof(ProtobufCBinaryData));
            memcpy(mine, theirs, sizeof(ProtobufCBinaryData));
        }
    }
    x->descriptor = want;
    expect_bytes("bytes", x, want->sizeof_message, y, want->sizeof_message);
    arena_free(&a);
}

static void same_message(const ProtobufCMessageDescriptor *got,
                         const ProtobufCMessageDescriptor *want) {
    unsigned i;
    size_t j;
    if (!got || !want)
        ck_abort_msg("a message type is missing");
    for (j = 0; j < n_compared; j++)
        if (compared[j] == got)
            return;
    ck_assert(n_compared < sizeof compared / sizeof *compared);
    compared[n_compared++] = got;
    expect_context("message %s", want->name);
    expect_number("magic", got->magic, want->magic);
    same_text("name", got->name, want->name);
    same_text("short_name", got->short_name, want->short_name);
    same_text("c_name", got->c_name, want->c_name);
    same_text("package_name", got->package_name, want->package_name);
    expect_number("sizeof_message", got->sizeof_message, want->sizeof_message);
    expect_number("n_fields", got->n_fields, want->n_fields);
    expect_true("fields", (got->fields == NULL) == (want->fields == NULL));
    for (i = 0; i < want->n_fields; i++)
        expect_number("field by name", got->fields_sorted_by_name[i],
                      want->fields_sorted_by_name[i]);
    expect_number("n_field_ranges", got->n_field_ranges, want->n_field_ranges);
    same_ranges(got->field_ranges, want->field_ranges, want->n_field_ranges);
    expect_true("reserved", !got->reserved2 && !got->reserved3);
    same_start(got, want);
    for (i = 0; i < want->n_fields; i++)
        same_field(want, &got->fields[i], &want->fields[i]);
}

START_TEST(layouts_are_those_of_protoc_c) {
    const set_compiled *set = &set_compiled_all[_i];
    pbt_schema *loaded = set_schema(set->name);
    pbt_schema *compiled;
    size_t i;
    expect_status("new", pbt_schema_new(NULL, &compiled), PBT_OK);
    n_compared = 0;
    for (i = 0; set->roots[i]; i++) {
        const ProtobufCMessageDescriptor *type =
            pbt_schema_message(loaded, set->roots[i]->name);
        expect_context("%s: %s", set->name, set->roots[i]->name);
        ck_assert_ptr_nonnull(type);
        same_message(type, set->roots[i]);
        expect_status("add", pbt_schema_add(compiled, set->roots[i], NULL),
                      PBT_OK);
    }
    for (i = 0; i < pbt_schema_n_messages(compiled); i++) {
        const ProtobufCMessageDescriptor *want =
            pbt_schema_message_at(compiled, i);
        expect_context("%s: %s", set->name, want->name);
        ck_assert_ptr_eq(pbt_schema_message(compiled, want->name), want);
        ck_assert_ptr_nonnull(pbt_schema_message(loaded, want->name));
    }
    expect_context("%s", set->name);
    expect_number("types compared", n_compared,
                  pbt_schema_n_messages(compiled));
    pbt_schema_free(compiled);
    pbt_schema_free(loaded);
}
END_TEST

Suite *schema_layout_suite(void) {
    Suite *suite = suite_create("schema_layout");
    TCase *tcase = tcase_create("schema_layout");
    tcase_add_loop_test(tcase, layouts_are_those_of_protoc_c, 0,
                        (int) n_set_compiled);
    suite_add_tcase(suite, tcase);
    return suite;
}
