/* table_names_row.c - fills the rows of the JSON writer. Presence, and what a
 * string or message pointer means, come from the rows of the wire. */
#include <stdlib.h>

#include "table_names_build.h"

/* A part while its rows are filled. */
typedef struct row_filler {
    pbti_naming *naming;
    pbti_json_type *type;
    const pbti_type_facts *facts;
    pbti_json_row *row; /* the next one */
} row_filler;

/* An empty key, with what may be read behind it. */
static const char no_key[PBTI_JSON_PAD];

static uint32_t flags_of(const row_filler *filler) {
    return filler->type->flags;
}

static const ProtobufCMessageDescriptor *descriptor(const row_filler *filler) {
    return filler->type->table->type;
}

static const pbti_field_facts *facts_of(const row_filler *filler,
                                        const ProtobufCFieldDescriptor *field) {
    if (!filler->facts)
        return NULL;
    return &filler->facts->fields[field - descriptor(filler)->fields];
}

/* A row that every message passes. */
static void set_always(const row_filler *filler, pbti_json_row *row) {
    pbti_row always = {0};
    pbti_set_always(&always, descriptor(filler));
    row->mask = always.mask;
    row->presence = always.presence;
}

static void add_plain(row_filler *filler, pbti_json_op op) {
    pbti_json_row *row = filler->row++;
    row->op = (uint8_t) op;
    row->key = no_key;
    set_always(filler, row);
}

static void add_fault(row_filler *filler, const pbti_json_fault *fault) {
    filler->row->u.fault = fault;
    add_plain(filler, PBTI_JSON_FAULT);
}

/* Operations of the integers of 64 bits. */
static pbti_json_op wide_op(uint32_t flags, bool is_signed) {
    if (flags & PBT_JSON_INT64_AS_NUMBER)
        return is_signed ? PBTI_JSON_INT64_BARE : PBTI_JSON_UINT64_BARE;
    if (flags & PBT_JSON_INT64_UNQUOTED_IF_SAFE)
        return is_signed ? PBTI_JSON_INT64_SAFE : PBTI_JSON_UINT64_SAFE;
    return is_signed ? PBTI_JSON_INT64 : PBTI_JSON_UINT64;
}

static bool is_null_value(const ProtobufCEnumDescriptor *values) {
    return values && values->name &&
           strcmp(values->name, "google.protobuf.NullValue") == 0;
}

/* Of an enum field: the descriptor that has the names. */
static const ProtobufCEnumDescriptor *
enum_of(const row_filler *filler, const ProtobufCFieldDescriptor *field) {
    return pbti_named_enum_field(field, facts_of(filler, field))->descriptor;
}

static pbti_json_op enum_op(const row_filler *filler,
                            const ProtobufCFieldDescriptor *field) {
    if (is_null_value(enum_of(filler, field)))
        return PBTI_JSON_NULL_VALUE;
    return flags_of(filler) & PBT_JSON_ENUM_NUMBERS ? PBTI_JSON_INT32
                                                    : PBTI_JSON_ENUM;
}

/* The operation of a value by itself; strings and messages have more. */
static pbti_json_op value_op(const row_filler *filler,
                             const ProtobufCFieldDescriptor *field) {
    const pbti_field_facts *facts = facts_of(filler, field);
    switch (field->type) {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
        return PBTI_JSON_INT32;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
        return wide_op(flags_of(filler), true);
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
        return PBTI_JSON_UINT32;
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        return wide_op(flags_of(filler), false);
    case PROTOBUF_C_TYPE_FLOAT:
        return PBTI_JSON_FLOAT;
    case PROTOBUF_C_TYPE_DOUBLE:
        return PBTI_JSON_DOUBLE;
    case PROTOBUF_C_TYPE_BOOL:
        return PBTI_JSON_BOOL;
    case PROTOBUF_C_TYPE_ENUM:
        return enum_op(filler, field);
    case PROTOBUF_C_TYPE_STRING:
        return PBTI_JSON_STRING;
    case PROTOBUF_C_TYPE_BYTES:
        return facts && facts->is_string ? PBTI_JSON_TEXT : PBTI_JSON_BYTES;
    case PROTOBUF_C_TYPE_MESSAGE:
        return PBTI_JSON_MESSAGE;
    }
    return PBTI_JSON_ABSENT;
}

static pbti_json_op repeated_op(pbti_json_op op) {
    static const uint8_t repeated[PBTI_N_JSON_OPS] = {
#define PBTI_JSON_SCALAR(name, size, quoted)                                   \
    [PBTI_JSON_##name] = PBTI_JSON_##name##_REPEATED,
#include "table_json.def"
        [PBTI_JSON_STRING] = PBTI_JSON_STRING_REPEATED,
        [PBTI_JSON_BYTES] = PBTI_JSON_BYTES_REPEATED,
        [PBTI_JSON_TEXT] = PBTI_JSON_TEXT_REPEATED,
        [PBTI_JSON_MESSAGE] = PBTI_JSON_MESSAGE_REPEATED};
    return (pbti_json_op) repeated[op];
}

/* What the wire's row says of a singular string or message. */
static pbti_json_op pointer_op(const pbti_row *wire, pbti_json_op op) {
    static const uint8_t pointers[PBTI_N_OPS] = {
        [PBTI_OP_STRING_IMPLICIT] = PBTI_JSON_STRING_IMPLICIT,
        [PBTI_OP_STRING_REQUIRED] = PBTI_JSON_STRING_REQUIRED,
        [PBTI_OP_MESSAGE_DEFAULTED] = PBTI_JSON_MESSAGE_DEFAULTED,
        [PBTI_OP_MESSAGE_REQUIRED] = PBTI_JSON_MESSAGE_REQUIRED,
        [PBTI_OP_GROUP_REQUIRED] = PBTI_JSON_MESSAGE_REQUIRED};
    return pointers[wire->op] ? (pbti_json_op) pointers[wire->op] : op;
}

/* A map, unless facts of the source say that it is none; also one that the wire
 * could not tell by a name. */
static bool is_map(const row_filler *filler, const pbti_row *wire,
                   const ProtobufCFieldDescriptor *field) {
    const pbti_field_facts *facts = facts_of(filler, field);
    if (!facts || wire->op == PBTI_OP_MAP)
        return wire->op == PBTI_OP_MAP && (!facts || facts->is_map);
    return facts->is_map && field->type == PROTOBUF_C_TYPE_MESSAGE &&
           field->label == PROTOBUF_C_LABEL_REPEATED &&
           pbti_is_entry(field->descriptor);
}

static bool is_quoted(pbti_json_op op) {
    static const bool quoted[PBTI_N_JSON_OPS] = {
#define PBTI_JSON_SCALAR(name, size, quoted) [PBTI_JSON_##name] = quoted,
#include "table_json.def"
        [PBTI_JSON_STRING] = true,          [PBTI_JSON_STRING_IMPLICIT] = true,
        [PBTI_JSON_STRING_REQUIRED] = true, [PBTI_JSON_STRING_ALWAYS] = true,
        [PBTI_JSON_BYTES] = true,           [PBTI_JSON_TEXT] = true};
    return quoted[op];
}

/* The key of a field; NULL when it has no name. */
static const char *key_name(const row_filler *filler,
                            const ProtobufCFieldDescriptor *field) {
    const pbti_field_facts *facts = facts_of(filler, field);
    if (!(flags_of(filler) & PBT_JSON_PROTO_NAMES) && facts)
        return facts->json_name;
    if (flags_of(filler) & PBT_JSON_PROTO_NAMES)
        return pbti_field_name(field, facts);
    if (!field->name)
        return NULL;
    return pbti_naming_camel_case(filler->naming, filler->type, field->name);
}

static void set_key(const row_filler *filler, pbti_json_row *row,
                    const ProtobufCFieldDescriptor *field) {
    bool quoted = is_quoted((pbti_json_op) row->op);
    pbti_json_text key = pbti_naming_key(filler->naming, filler->type,
                                         key_name(filler, field), quoted);
    row->key = key.data;
    row->key_len = (uint32_t) key.len;
}

/* A value that is no member of an object. */
static void set_no_key(const row_filler *filler, pbti_json_row *row) {
    pbti_json_text key =
        pbti_naming_text(filler->naming, filler->type,
                         is_quoted((pbti_json_op) row->op) ? "\"" : "");
    row->key = key.data;
    row->key_len = (uint32_t) key.len;
}

static void set_detail(const row_filler *filler, pbti_json_row *row,
                       const pbti_row *wire,
                       const ProtobufCFieldDescriptor *field) {
    bool as_entry = row->op == PBTI_JSON_MAP;
    if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
        row->u.sub = pbti_naming_sub(filler->naming, pbti_row_sub(wire),
                                     (flags_of(filler) & PBTI_JSON_ROW_FLAGS) |
                                         (as_entry ? PBTI_JSON_AS_ENTRY : 0));
        return;
    }
    if (row->op == PBTI_JSON_STRING)
        row->u.default_value = wire->u.default_value;
    if (row->op != PBTI_JSON_ENUM && row->op != PBTI_JSON_ENUM_REPEATED)
        return;
    row->u.values =
        pbti_naming_enum(filler->naming, filler->type, enum_of(filler, field));
    if (row->u.values)
        return;
    row->op = PBTI_JSON_FAULT;
    row->u.fault =
        pbti_naming_fault(filler->naming, filler->type, PBT_ERR_UNSUPPORTED,
                          "the enum has no names (optimize_for = CODE_SIZE)");
}

/* Fills a row but for the key. */
static void fill_row(const row_filler *filler, pbti_json_row *row,
                     const pbti_row *wire,
                     const ProtobufCFieldDescriptor *field) {
    pbti_json_op op = value_op(filler, field);
    if (is_map(filler, wire, field))
        op = PBTI_JSON_MAP;
    else if (field->label == PROTOBUF_C_LABEL_REPEATED)
        op = repeated_op(op);
    else
        op = pointer_op(wire, op);
    *row = (pbti_json_row){.mask = wire->mask,
                           .presence = wire->presence,
                           .data = wire->data,
                           .key = no_key,
                           .field = field,
                           .op = (uint8_t) op};
    set_detail(filler, row, wire, field);
}

/* Turns a row into one that always runs, and writes something else when the
 * field is unset. */
static void add_else(const row_filler *filler, pbti_json_row *row,
                     const char *text, const void *value) {
    pbti_json_else *or_else =
        pbti_naming_take(filler->naming, filler->type, sizeof *or_else);
    pbti_json_row *member =
        pbti_naming_take(filler->naming, filler->type, sizeof *member);
    if (!or_else || !member)
        return;
    *member = *row;
    *or_else = (pbti_json_else){
        .member = member,
        .text = pbti_naming_text(filler->naming, filler->type, text),
        .value = value};
    row->op = PBTI_JSON_OR_ELSE;
    row->u.or_else = or_else;
    set_always(filler, row);
}

/* The zero of every type, and "". */
static const uint64_t zeros[2];
_Static_assert(sizeof zeros >= sizeof(ProtobufCBinaryData), "room for bytes");

static const void *declared_default(const ProtobufCFieldDescriptor *field) {
    if (field->default_value)
        return field->default_value;
    return field->type == PROTOBUF_C_TYPE_STRING ? (const void *) "" : zeros;
}

/* A reader takes null for the value of such a field. */
static bool holds_null(const ProtobufCFieldDescriptor *field) {
    const ProtobufCMessageDescriptor *type = field->descriptor;
    return type->name && strcmp(type->name, "google.protobuf.Value") == 0;
}

/* What the options add for a field that is unset. The type has no extensions of
 * its own: it does not say which are missing. */
static void add_default(const row_filler *filler, pbti_json_row *row) {
    const ProtobufCFieldDescriptor *field = row->field;
    const pbti_field_facts *facts = facts_of(filler, field);
    uint32_t flags = flags_of(filler);
    bool scalars = (flags & PBT_JSON_EMIT_DEFAULT_SCALARS) != 0;
    if (row->op == PBTI_JSON_FAULT || (facts && facts->is_extension))
        return;
    if (row->op == PBTI_JSON_MAP) {
        if (flags & PBT_JSON_EMIT_EMPTY_MAPS)
            add_else(filler, row, "{}", NULL);
    } else if (field->label == PROTOBUF_C_LABEL_REPEATED) {
        if (flags & PBT_JSON_EMIT_EMPTY_LISTS)
            add_else(filler, row, "[]", NULL);
    } else if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
        if ((flags & PBT_JSON_EMIT_NULL_MESSAGES) && !holds_null(field) &&
            row->op != PBTI_JSON_MESSAGE_REQUIRED)
            add_else(filler, row, "null", NULL);
    } else if (scalars && (field->label == PROTOBUF_C_LABEL_NONE ||
                           (field->label == PROTOBUF_C_LABEL_OPTIONAL &&
                            field->default_value))) {
        add_else(filler, row, "", declared_default(field));
    }
}

static const ProtobufCFieldDescriptor *field_of(const row_filler *filler,
                                                const pbti_row *wire) {
    return pbti_field_of_number(descriptor(filler), pbti_row_number(wire));
}

/* Rows for the members of a oneof; `bare` ones have no keys. */
static void fill_oneof(const row_filler *filler, pbti_json_row *row,
                       const pbti_row *wire, bool bare) {
    const pbti_oneof *members = wire->u.oneof;
    pbti_json_oneof *oneof =
        pbti_naming_take(filler->naming, filler->type, sizeof *oneof);
    pbti_json_row *rows = pbti_naming_take(filler->naming, filler->type,
                                           members->n_rows * sizeof *rows);
    uint32_t i;
    if (!oneof || !rows)
        return;
    for (i = 0; i < members->n_rows; i++) {
        const ProtobufCFieldDescriptor *field;
        rows[i].op = PBTI_JSON_ABSENT;
        rows[i].key = no_key;
        if (members->rows[i].op == PBTI_OP_ABSENT)
            continue;
        field = field_of(filler, &members->rows[i]);
        fill_row(filler, &rows[i], &members->rows[i], field);
        if (bare && rows[i].op == PBTI_JSON_DOUBLE)
            rows[i].op = PBTI_JSON_FINITE;
        if (bare)
            set_no_key(filler, &rows[i]);
        else
            set_key(filler, &rows[i], field);
    }
    *oneof = (pbti_json_oneof){members, rows};
    *row = (pbti_json_row){.mask = wire->mask,
                           .presence = wire->presence,
                           .data = wire->data,
                           .key = no_key,
                           .op = PBTI_JSON_ONEOF,
                           .u.oneof = oneof};
}

/* The wire's rows of a type by ascending number, from the last one on; NULL
 * behind the first. */
static const pbti_row *previous_row(const pbti_table *table,
                                    const pbti_row *row) {
    while (row-- > table->rows)
        if (row->op != PBTI_OP_ROOM && row->op != PBTI_OP_BLOCK &&
            row->op != PBTI_OP_UNKNOWN && row->op != PBTI_OP_END)
            return row;
    return NULL;
}

static const pbti_row *last_row(const pbti_table *table) {
    return previous_row(table, table->rows + table->n_rows);
}

static void fill_ordinary(row_filler *filler) {
    const pbti_table *table = filler->type->table;
    const pbti_row *wire = last_row(table);
    for (; wire; wire = previous_row(table, wire)) {
        const pbti_row *member = pbti_member(wire);
        pbti_json_row *row = filler->row++;
        if (member->op == PBTI_OP_ONEOF) {
            fill_oneof(filler, row, member, false);
            continue;
        }
        fill_row(filler, row, member, field_of(filler, member));
        set_key(filler, row, row->field);
        add_default(filler, row);
    }
}

/* The row of a map's value, which is written even where it is not set. */
static void fill_entry_value(row_filler *filler, const pbti_row *wire) {
    pbti_json_row *row = filler->row++;
    fill_row(filler, row, wire, field_of(filler, wire));
    filler->type->value = row;
    if (row->op == PBTI_JSON_MESSAGE || row->op == PBTI_JSON_MESSAGE_DEFAULTED)
        row->op = PBTI_JSON_MESSAGE_ALWAYS;
    if (row->op == PBTI_JSON_STRING || row->op == PBTI_JSON_STRING_IMPLICIT)
        row->op = PBTI_JSON_STRING_ALWAYS;
    set_no_key(filler, row);
    filler->type->is_flat = row->op == PBTI_JSON_STRING_ALWAYS;
    if (row->op == PBTI_JSON_MESSAGE_ALWAYS ||
        row->op == PBTI_JSON_STRING_ALWAYS || row->op == PBTI_JSON_FAULT) {
        set_always(filler, row);
        return;
    }
    filler->type->is_flat = true;
    add_else(filler, row, "", declared_default(row->field));
    if (!filler->naming->failed)
        filler->type->value = row->u.or_else->member;
}

/* The key and the value of an entry, which are read apart. */
static void fill_entry(row_filler *filler) {
    const pbti_table *table = filler->type->table;
    const pbti_row *key = last_row(table);
    const pbti_row *value = previous_row(table, key);
    pbti_json_row *row =
        pbti_naming_take(filler->naming, filler->type, sizeof *row);
    if (!row)
        return;
    key = pbti_member(key);
    fill_row(filler, row, key, field_of(filler, key));
    filler->type->key = row;
    fill_entry_value(filler, pbti_member(value));
    add_plain(filler, PBTI_JSON_END_BARE);
}

/* A wrapper, or the one repeated field of Struct and ListValue. */
static void fill_bare(row_filler *filler, const char *empty) {
    const pbti_row *wire = pbti_member(last_row(filler->type->table));
    pbti_json_row *row = filler->row++;
    fill_row(filler, row, wire, field_of(filler, wire));
    if (row->op == PBTI_JSON_STRING_IMPLICIT)
        row->op = PBTI_JSON_STRING_ALWAYS;
    set_no_key(filler, row);
    filler->type->only = row;
    if (*empty) {
        add_else(filler, row, empty, NULL);
        if (!filler->naming->failed)
            filler->type->only = row->u.or_else->member;
    }
    set_always(filler, row);
    add_plain(filler, PBTI_JSON_END_BARE);
}

/* Text that the writer makes of the whole message. */
static void fill_known(row_filler *filler, pbti_json_op op) {
    filler->row->u.sub = filler->type;
    add_plain(filler, op);
    add_plain(filler, PBTI_JSON_END_BARE);
}

/* What the writer of documents reads of a Value, if all of its members are in
 * one place. */
static void set_document(const row_filler *filler, const pbti_json_row *value) {
    const pbti_json_oneof *oneof = value->u.oneof;
    const ProtobufCFieldDescriptor *first = descriptor(filler)->fields;
    const pbti_json_type *structure = NULL, *list = NULL;
    pbti_json_type *type = filler->type;
    uint32_t i;
    for (i = 0; i < oneof->wire->n_rows; i++) {
        const pbti_json_row *row = &oneof->rows[i];
        if (!row->field)
            continue;
        if (row->data != first->offset || row->op == PBTI_JSON_FAULT ||
            row->op == PBTI_JSON_MESSAGE_DEFAULTED)
            return;
        if (row->field->id == 5)
            structure = row->u.sub;
        else if (row->field->id == 6)
            list = row->u.sub;
    }
    type->structure = structure;
    type->list = list;
    type->kind = value->data;
    type->data = first->offset;
}

static void fill_value(row_filler *filler) {
    const pbti_row *wire = last_row(filler->type->table);
    pbti_json_row *row = filler->row++;
    fill_oneof(filler, row, wire, true);
    if (!filler->naming->failed)
        set_document(filler, row);
    row->op = PBTI_JSON_VALUE;
    set_always(filler, row);
    add_plain(filler, PBTI_JSON_END_BARE);
}

static int compare_names(const void *a, const void *b) {
    const char *const *left = a, *const *right = b;
    return strcmp(left[0], right[0]);
}

static const char *type_name(const row_filler *filler) {
    const char *name = descriptor(filler)->name;
    if (!name && filler->facts)
        name = filler->facts->name;
    return name ? name : "(unnamed)";
}

/* Two fields with one key make a type that cannot be printed, and so does a
 * field without a name. */
static const pbti_json_fault *find_fault(const row_filler *filler) {
    const ProtobufCMessageDescriptor *type = descriptor(filler);
    /* key and field name of each field */
    const char *(*names)[2] = pbti_naming_take(filler->naming, filler->type,
                                               type->n_fields * sizeof *names);
    unsigned i;
    for (i = 0; names && i < type->n_fields; i++) {
        names[i][0] = key_name(filler, &type->fields[i]);
        names[i][1] = pbti_field_name(&type->fields[i],
                                      facts_of(filler, &type->fields[i]));
        if (!names[i][0])
            return pbti_naming_fault(
                filler->naming, filler->type, PBT_ERR_UNSUPPORTED,
                "type %s: field number %u has no name (optimize_for = "
                "CODE_SIZE)",
                type_name(filler), type->fields[i].id);
    }
    if (!names || type->n_fields == 0)
        return NULL;
    qsort(names, type->n_fields, sizeof *names, compare_names);
    for (i = 1; i < type->n_fields; i++)
        if (strcmp(names[i - 1][0], names[i][0]) == 0)
            return pbti_naming_fault(
                filler->naming, filler->type, PBT_ERR_UNSUPPORTED,
                "type %s: fields %s and %s have the same JSON name \"%s\"",
                type_name(filler),
                names[i - 1][1] ? names[i - 1][1] : "(unnamed)",
                names[i][1] ? names[i][1] : "(unnamed)", names[i][0]);
    return NULL;
}

/* As an ordinary message, for a type that is not found, and if there are names
 * for that. */
static void fill_any(row_filler *filler) {
    const pbti_json_fault *fault = find_fault(filler);
    filler->row->u.sub = filler->type;
    add_plain(filler, PBTI_JSON_ANY);
    if (fault)
        add_fault(filler, fault);
    else
        fill_ordinary(filler);
    filler->type->end = filler->row;
    add_plain(filler, PBTI_JSON_END);
    add_plain(filler, PBTI_JSON_END_BARE);
}

static void fill_object(row_filler *filler) {
    const pbti_json_fault *fault = find_fault(filler);
    if (fault)
        add_fault(filler, fault);
    else
        fill_ordinary(filler);
    add_plain(filler, PBTI_JSON_END);
}

void pbti_naming_fill(pbti_naming *naming, pbti_json_type *type) {
    const ProtobufCMessageDescriptor *descriptor = type->table->type;
    row_filler filler = {.naming = naming,
                         .type = type,
                         .facts = pbti_naming_facts(naming, descriptor)};
    /* ANY, END and END_BARE are three more than there are fields. */
    filler.row = pbti_naming_take(
        naming, type, (descriptor->n_fields + (size_t) 3) * sizeof *filler.row);
    if (!filler.row)
        return;
    type->rows = filler.row;
    type->members = descriptor->fields;
    if (type->flags & PBTI_JSON_AS_ENTRY) {
        fill_entry(&filler);
        return;
    }
    type->known = pbti_known_type(descriptor);
    switch (type->known) {
    case PBTI_KNOWN_NONE:
        fill_object(&filler);
        return;
    case PBTI_KNOWN_ANY:
        fill_any(&filler);
        return;
    case PBTI_KNOWN_DURATION:
        fill_known(&filler, PBTI_JSON_DURATION);
        return;
    case PBTI_KNOWN_FIELD_MASK:
        filler.row->field = descriptor->fields; /* for error reports */
        fill_known(&filler, PBTI_JSON_FIELD_MASK);
        return;
    case PBTI_KNOWN_LIST_VALUE:
        fill_bare(&filler, "[]");
        return;
    case PBTI_KNOWN_STRUCT:
        fill_bare(&filler, "{}");
        return;
    case PBTI_KNOWN_TIMESTAMP:
        fill_known(&filler, PBTI_JSON_TIMESTAMP);
        return;
    case PBTI_KNOWN_VALUE:
        fill_value(&filler);
        return;
    case PBTI_KNOWN_WRAPPER:
        fill_bare(&filler, "");
        return;
    }
}
