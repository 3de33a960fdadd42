/* table_dump.c - see table_dump.h.
 *
 *   table pkg.Type  size 48  rows 4  can lack a required field
 *     number  operation        presence            data  tag       field
 *          2  message repeated 32:ffffffffffffffff   40  12        subs:
 * pkg.Sub
 */
#include "table_dump.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* Text that grows; after a failed allocation it stays NULL. */
typedef struct text {
    char *data;
    size_t len;
    size_t capacity;
    bool failed;
} text;

static bool reserve(text *out, size_t n) {
    size_t capacity = 2 * (out->len + n) + 1;
    char *data;
    if (out->failed)
        return false;
    if (out->capacity - out->len > n)
        return true;
    data = realloc(out->data, capacity);
    if (!data) {
        out->failed = true;
        return false;
    }
    out->data = data;
    out->capacity = capacity;
    return true;
}

static void print(text *out, const char *format, ...) PBTI_PRINTF(2, 3);

static void print(text *out, const char *format, ...) {
    va_list arguments, again;
    int n;
    va_start(arguments, format);
    va_copy(again, arguments);
    n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (n > 0 && reserve(out, (size_t) n)) {
        vsnprintf(out->data + out->len, (size_t) n + 1, format, arguments);
        out->len += (size_t) n;
    }
    va_end(arguments);
}

static const char *op_text(uint8_t op) {
    static const char *const texts[PBTI_N_OPS] = {
#define PBTI_SCALAR_ENCODING(name, member_size, min, max, wire_type)           \
    [PBTI_OP_##name] = #name, [PBTI_OP_##name##_REPEATED] = #name " repeated", \
    [PBTI_OP_##name##_PACKED] = #name " packed",
#define PBTI_ROW_OP(name, text, holds) [PBTI_OP_##name] = text,
#include "table_kinds.def"
    };
    return texts[op];
}

static void print_tag(text *out, const pbti_row *row) {
    char digits[2 * PBTI_MAX_TAG + 1] = "";
    unsigned i;
    for (i = 0; i < row->tag_len; i++)
        snprintf(digits + 2 * (size_t) i, 3, "%02x",
                 row->tag[PBTI_MAX_TAG - row->tag_len + i]);
    print(out, "  %-10s", digits);
}

/* The mask byte by byte, so that it reads the same in every byte order. */
static void print_presence(text *out, const pbti_row *row) {
    uint8_t bytes[sizeof row->mask];
    size_t i;
    memcpy(bytes, &row->mask, sizeof bytes);
    print(out, " %6" PRIu32 ":", row->presence);
    for (i = 0; i < sizeof bytes; i++)
        print(out, "%02x", bytes[i]);
}

static const char *or_unnamed(const char *name) {
    return name ? name : "(unnamed)";
}

static void print_row(text *out, const pbti_table *table, const pbti_row *row,
                      const char *margin) {
    const ProtobufCFieldDescriptor *field =
        pbti_field_of_number(table->type, pbti_row_number(row));
    const pbti_table *sub = pbti_row_sub(row);
    print(out, "%s%9" PRIu32 "  %-19s", margin, pbti_row_number(row),
          op_text(row->op));
    print_presence(out, row);
    print(out, "  %6" PRIu32, row->data);
    print_tag(out, row);
    if (field)
        print(out, " %s", or_unnamed(field->name));
    if (sub)
        print(out, ": %s%s", or_unnamed(sub->type->name),
              sub->can_lack ? ", can lack" : "");
    if (row->op == PBTI_OP_STRING && row->u.default_value)
        print(out, ", has a default");
    print(out, "\n");
}

static void print_oneof(text *out, const pbti_table *table,
                        const pbti_oneof *oneof) {
    uint32_t i;
    print(out, "    %s\n", oneof->numbers ? "searched" : "indexed");
    for (i = 0; i < oneof->n_rows; i++)
        if (oneof->rows[i].op != PBTI_OP_ABSENT)
            print_row(out, table, &oneof->rows[i], "    ");
}

char *pbti_table_dump(const pbti_table *table) {
    text out = {0};
    uint32_t i;
    print(&out, "table %s  size %zu  rows %" PRIu32 "  %s\n",
          or_unnamed(table->name), table->type->sizeof_message, table->n_rows,
          table->can_lack ? "can lack a required field" : "cannot lack");
    for (i = 0; i < table->n_rows; i++) {
        print_row(&out, table, &table->rows[i], "");
        if (table->rows[i].op == PBTI_OP_ONEOF)
            print_oneof(&out, table, table->rows[i].u.oneof);
    }
    print(&out, "required check\n");
    for (i = 0; i < table->n_required_rows; i++)
        print_row(&out, table, &table->required_rows[i], "");
    if (out.failed) {
        free(out.data);
        return NULL;
    }
    return out.data;
}
