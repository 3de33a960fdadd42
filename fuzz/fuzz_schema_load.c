/* fuzz_schema_load.c - target: any bytes as a FileDescriptorSet; the types of
 * what is accepted are put to use. */
#include <stdlib.h>
#include <string.h>

#include <pbturbo/schema.h>

#include "fuzz_gen.h"
#include "fuzz_target.h"

/* No more are tried of one set: sets can hold thousands. */
#define TYPES_MAX 64u

/* A set is the embedded one, damaged, or random values of descriptor.proto's
 * own type: right in form, and wild in meaning. */
void fuzz_seed(fuzz_bytes *out, rng *r) {
    fuzz_shape shape = {.plain = true,
                        .fields = 20 + rng_below(r, 400),
                        .depth = 3 + rng_below(r, 5)};
    size_t i, len, n = fuzz_n_types();
    const uint8_t *set = fuzz_schema_set(&len);
    if (rng_chance(r, 50)) {
        fuzz_append(out, set, len);
        fuzz_mutate(out, r);
        return;
    }
    for (i = 0; i < n; i++)
        if (!strcmp(fuzz_type(i)->name, "google.protobuf.FileDescriptorSet"))
            fuzz_message(out, r, fuzz_type(i), &shape);
}

/* A line is a set in hexadecimal. */
bool fuzz_read_case(fuzz_bytes *out, const char *line) {
    return fuzz_append_hex(out, line);
}

static void check_names(const pbt_schema *schema,
                        const ProtobufCMessageDescriptor *type) {
    unsigned i;
    FUZZ_REQUIRE(pbt_schema_message(schema, type->name) == type,
                 "a type is not found by its name");
    for (i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        FUZZ_REQUIRE(protobuf_c_message_descriptor_get_field(type, field->id) ==
                         field,
                     "a field is not found by its number");
        FUZZ_REQUIRE(protobuf_c_message_descriptor_get_field_by_name(
                         type, field->name) == field,
                     "a field is not found by its name");
    }
}

static void check_messages(const ProtobufCMessageDescriptor *type, rng *r) {
    static const pbt_options partial = {.flags = PBT_ALLOW_PARTIAL};
    fuzz_shape shape = {.plain = true, .fields = 24, .depth = 4};
    fuzz_bytes bytes = {0};
    pbt_arena *arena = pbt_arena_new(NULL, 0);
    ProtobufCMessage *msg = malloc(type->sizeof_message);
    if (arena && msg) {
        protobuf_c_message_init(type, msg);
        fuzz_check_marshal(msg, PBT_ALLOW_PARTIAL);
        fuzz_message(&bytes, r, type, &shape);
        if (rng_chance(r, 50))
            fuzz_mutate(&bytes, r);
        free(msg);
        msg = NULL;
        if (pbt_unmarshal(type, bytes.data, bytes.len, &partial, arena, &msg) ==
            PBT_OK)
            fuzz_check_marshal(msg, (uint32_t) rng_next(r) & 0x1f);
        msg = NULL;
    }
    free(msg);
    fuzz_free(&bytes);
    pbt_arena_free(arena);
}

static void check_schema(const pbt_schema *schema, uint64_t seed) {
    size_t i, n = pbt_schema_n_messages(schema);
    const ProtobufCMessageDescriptor *root = pbt_schema_root(schema);
    rng r = {seed};
    FUZZ_REQUIRE(!root || pbt_schema_message(schema, root->name) == root,
                 "the root is not a type of the schema");
    for (i = 0; i < n && i < TYPES_MAX; i++) {
        const ProtobufCMessageDescriptor *type =
            pbt_schema_message_at(schema, i);
        check_names(schema, type);
        FUZZ_REQUIRE(pbt_prepare(type, NULL) == PBT_OK,
                     "a loaded type has no table");
        check_messages(type, &r);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len) {
    pbt_schema *schema = NULL;
    pbt_error error = {0};
    pbt_status status = pbt_schema_load(data, len, &schema, &error);
    if (status == PBT_OK) {
        check_schema(schema, len);
        pbt_schema_free(schema);
        return 0;
    }
    FUZZ_REQUIRE(error.status == status && error.message[0],
                 "the error says nothing");
    FUZZ_REQUIRE(status == PBT_ERR_MALFORMED ||
                     status == PBT_ERR_BAD_DESCRIPTOR ||
                     status == PBT_ERR_UNSUPPORTED ||
                     status == PBT_ERR_NOT_FOUND || status == PBT_ERR_UTF8 ||
                     status == PBT_ERR_TOO_LARGE || status == PBT_ERR_VALUE ||
                     status == PBT_ERR_DEPTH || status == PBT_ERR_REQUIRED,
                 "not an error that a set can cause");
    return 0;
}
