/* fuzz_input.c - the types and inputs of the targets that take messages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pbturbo/schema.h>

#include "cases2.pb-c.h"
#include "cases3.pb-c.h"
#include "fuzz_gen.h"
#include "fuzz_set.h"
#include "fuzz_target.h"

static const ProtobufCMessageDescriptor *const compiled[] = {
    &c2__s1__descriptor,  &c2__req__descriptor, &c2__opt__descriptor,
    &c2__rep__descriptor, &c2__one__descriptor, &c2__node__descriptor,
    &c2__big__descriptor, &c3__pl__descriptor,  &c3__one__descriptor,
    &c3__mp__descriptor};

#define N_COMPILED (sizeof compiled / sizeof *compiled)

void fuzz_fail(const char *file, int line, const char *what) {
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
    abort();
}

/* The schema lives as long as the program; leak checkers see it here. */
static pbt_schema *schema;

static void load_schema(void) {
    pbt_error error;
    if (!schema && pbt_schema_load(fuzz_embedded_set, sizeof fuzz_embedded_set,
                                   &schema, &error) != PBT_OK)
        fuzz_fail(__FILE__, __LINE__, error.message);
}

const uint8_t *fuzz_schema_set(size_t *len) {
    *len = sizeof fuzz_embedded_set;
    return fuzz_embedded_set;
}

const pbt_schema *fuzz_schema(void) {
    load_schema();
    return schema;
}

size_t fuzz_n_types(void) {
    load_schema();
    return pbt_schema_n_messages(schema) + N_COMPILED;
}

const ProtobufCMessageDescriptor *fuzz_type(size_t index) {
    load_schema();
    if (index < N_COMPILED)
        return compiled[index];
    return pbt_schema_message_at(schema, index - N_COMPILED);
}

bool fuzz_parse_input(fuzz_input *input, const uint8_t *data, size_t len) {
    if (len < 3)
        return false;
    input->type = fuzz_type(data[0] % fuzz_n_types());
    input->flags =
        data[1] & (PBT_ALLOW_PARTIAL | PBT_DETERMINISTIC | PBT_VALIDATE_UTF8 |
                   PBT_DISCARD_UNKNOWN | PBT_CONFORMANT | PBT_DELIMITED);
    input->variant = data[2];
    input->data = data + 3;
    input->len = len - 3;
    return true;
}

/* Half of them are of the types that have everything. */
static size_t random_type(rng *r) {
    size_t i, n = fuzz_n_types();
    if (rng_chance(r, 50))
        for (i = rng_below(r, (uint32_t) n); i < n; i++)
            if (!strcmp(fuzz_type(i)->short_name, "All"))
                return i;
    return rng_below(r, (uint32_t) n);
}

void fuzz_message_seed(fuzz_bytes *out, rng *r) {
    fuzz_bytes message = {0};
    fuzz_shape shape = {.plain = rng_chance(r, 50),
                        .fields = 1 + rng_below(r, 60),
                        .depth = rng_below(r, 7)};
    size_t type = random_type(r);
    fuzz_append_fixed(out, type, 1);
    fuzz_append_fixed(out, rng_chance(r, 50) ? PBT_ALLOW_PARTIAL : rng_next(r),
                      1);
    fuzz_append_fixed(out, rng_next(r), 1);
    fuzz_message(&message, r, fuzz_type(type), &shape);
    if (rng_chance(r, 60))
        fuzz_mutate(&message, r);
    fuzz_append(out, message.data, message.len);
    fuzz_free(&message);
}

bool fuzz_message_case(fuzz_bytes *out, const char *line) {
    size_t i, n = fuzz_n_types(), len = strcspn(line, " ");
    for (i = 0; i < n; i++) {
        const char *name = fuzz_type(i)->name;
        if (strlen(name) == len && !memcmp(name, line, len)) {
            fuzz_append_fixed(out, i, 1);
            fuzz_append_fixed(out, PBT_ALLOW_PARTIAL, 1);
            fuzz_append_fixed(out, 0, 1);
            return fuzz_append_hex(out, line + len);
        }
    }
    return false;
}
