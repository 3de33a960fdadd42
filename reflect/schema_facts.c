/* schema_facts.c - compiled types in a schema: found by name, and with the
 * facts of the loaded types of the same name. */
#include "base_error.h"
#include "schema_build.h"

enum { FIRST_ATTACHED = 16 };

static size_t hash_type(const ProtobufCMessageDescriptor *type) {
    return (size_t) (((uintptr_t) type * UINT64_C(0x9e3779b97f4a7c15)) >> 32);
}

static pbti_attached *find_attached(const pbti_attachments *attached,
                                    const ProtobufCMessageDescriptor *type) {
    size_t at = hash_type(type);
    for (;; at++) {
        pbti_attached *slot = &attached->slots[at & (attached->n_slots - 1)];
        if (!slot->type || slot->type == type)
            return slot;
    }
}

static bool grow_attached(pbti_attachments *attached, pbt_arena *arena) {
    pbti_attachments grown = {0};
    size_t i;
    grown.n_slots = attached->n_slots ? 2 * attached->n_slots : FIRST_ATTACHED;
    grown.n = attached->n;
    grown.slots = pbti_arena_zeroed(arena, grown.n_slots * sizeof *grown.slots);
    if (!grown.slots)
        return false;
    for (i = 0; i < attached->n_slots; i++)
        if (attached->slots[i].type)
            *find_attached(&grown, attached->slots[i].type) =
                attached->slots[i];
    *attached = grown;
    return true;
}

/* Sets what is known of a type; false when there is no memory. */
static bool put_attached(pbti_attachments *attached, pbt_arena *arena,
                         const ProtobufCMessageDescriptor *type,
                         const pbti_type_facts *facts) {
    pbti_attached *slot;
    if (2 * attached->n >= attached->n_slots && !grow_attached(attached, arena))
        return false;
    slot = find_attached(attached, type);
    attached->n += !slot->type;
    slot->type = type;
    slot->facts = facts;
    return true;
}

const pbti_type_facts *
pbti_schema_facts(const pbt_schema *schema,
                  const ProtobufCMessageDescriptor *type) {
    const pbti_type_facts *facts = pbti_facts(type);
    if (facts || !schema->attached.n_slots)
        return facts;
    return find_attached(&schema->attached, type)->facts;
}

static const char *name_of(const char *name) {
    return name ? name : "(unnamed)";
}

/* What pbt_schema_add has added: a list of symbols by their records, so that
 * all of it can be taken back. */
typedef struct addition {
    pbt_schema *schema;
    pbt_error *error;
    pbti_symbol *added;
} addition;

static pbt_status refuse_name(const addition *a, const char *full_name,
                              const pbti_symbol *symbol) {
    bool is_loaded = symbol->kind == SYMBOL_MESSAGE && symbol->type &&
                     pbti_facts(symbol->type);
    return pbti_fail(a->error, PBT_ERR_BAD_DESCRIPTOR, 0, NULL,
                     "type %s: the schema has another one of that name%s",
                     full_name,
                     is_loaded ? ", a loaded one: pbt_schema_attach is the "
                                 "call for that"
                               : "");
}

/* Adds a name to the tree. A compiled type may come before the one that it is
 * nested in: until then that is a package. */
static pbt_status add_name(addition *a, const char *full_name,
                           pbti_symbol_kind kind, const void *type,
                           bool *is_new) {
    pbt_schema *schema = a->schema;
    pbti_symbol *symbol = NULL;
    const char *part = full_name;
    for (;;) {
        size_t len = strcspn(part, ".");
        pbti_symbol *scope = symbol;
        symbol = pbti_symbol_find(&schema->symbols, scope, part, len);
        if (!symbol)
            symbol = pbti_symbol_add(&schema->symbols, schema->arena, scope,
                                     part, len, SYMBOL_PACKAGE);
        if (!symbol)
            return pbti_fail(a->error, PBT_ERR_NO_MEMORY, 0, NULL, NULL);
        if (!part[len])
            break;
        part += len + 1;
    }
    *is_new = symbol->type != type;
    if (!*is_new)
        return PBT_OK;
    if (symbol->type || symbol->kind != SYMBOL_PACKAGE)
        return refuse_name(a, full_name, symbol);
    symbol->kind = kind;
    symbol->type = type;
    symbol->record = a->added;
    a->added = symbol;
    return PBT_OK;
}

static pbt_status add_type(addition *a,
                           const ProtobufCMessageDescriptor *type) {
    bool is_new = false;
    pbt_status status;
    if (type->magic != PROTOBUF_C__MESSAGE_DESCRIPTOR_MAGIC || !type->name ||
        !*type->name)
        return pbti_fail(a->error, PBT_ERR_BAD_DESCRIPTOR, 0, NULL,
                         "a type without a name, or with a bad magic number, "
                         "cannot be in a schema");
    status = add_name(a, type->name, SYMBOL_MESSAGE, type, &is_new);
    if (status != PBT_OK || !is_new)
        return status;
    if (!pbti_schema_list(a->schema, type))
        return pbti_fail(a->error, PBT_ERR_NO_MEMORY, 0, NULL, NULL);
    return PBT_OK;
}

static pbt_status add_field_type(addition *a,
                                 const ProtobufCFieldDescriptor *field) {
    const ProtobufCEnumDescriptor *values = field->descriptor;
    bool is_new = false;
    if (field->type == PROTOBUF_C_TYPE_MESSAGE && field->descriptor)
        return add_type(a, field->descriptor);
    /* Without names there is nothing to find an enum by. */
    if (field->type == PROTOBUF_C_TYPE_ENUM && values && values->name)
        return add_name(a, values->name, SYMBOL_ENUM, values, &is_new);
    return PBT_OK;
}

/* Ends an addition. Names that are taken back stay as packages: those hold
 * nothing and may become anything. */
static void finish_addition(addition *a, pbt_status status, size_t n_types) {
    while (a->added) {
        pbti_symbol *symbol = a->added;
        a->added = symbol->record;
        symbol->record = NULL;
        if (status == PBT_OK)
            continue;
        symbol->kind = SYMBOL_PACKAGE;
        symbol->type = NULL;
    }
    if (status != PBT_OK)
        a->schema->n_types = n_types;
}

pbt_status pbti_schema_add(pbt_schema *schema,
                           const ProtobufCMessageDescriptor *compiled,
                           pbt_error *error) {
    addition a = {.schema = schema, .error = error};
    size_t n_types = schema->n_types;
    size_t i = n_types;
    pbt_status status = add_type(&a, compiled);
    for (; i < schema->n_types && status == PBT_OK; i++) {
        const ProtobufCMessageDescriptor *type = schema->types[i];
        unsigned j;
        for (j = 0; j < type->n_fields && status == PBT_OK; j++)
            status = add_field_type(&a, &type->fields[j]);
    }
    finish_addition(&a, status, n_types);
    return status;
}

/* A compiled type that waits for its facts. */
typedef struct pending {
    const ProtobufCMessageDescriptor *compiled;
    const ProtobufCMessageDescriptor *loaded;
    struct pending *next;
} pending;

typedef struct attachment {
    pbt_schema *schema;
    pbt_error *error;
    pbti_attachments done; /* becomes the schema's when all went well */
    pending *first;
} attachment;

static pbt_status refuse(const attachment *a,
                         const ProtobufCMessageDescriptor *type,
                         const ProtobufCFieldDescriptor *field,
                         const char *reason) {
    pbti_path path = {0};
    pbti_path_field(&path, field->name, field->id);
    return pbti_fail(a->error, PBT_ERR_BAD_DESCRIPTOR, field->id, &path,
                     "compiled type %s: %s", name_of(type->name), reason);
}

static pbt_status push(attachment *a, const ProtobufCMessageDescriptor *type,
                       const ProtobufCMessageDescriptor *loaded) {
    pending *p;
    if (a->done.n_slots && find_attached(&a->done, type)->type)
        return PBT_OK;
    p = pbti_arena_alloc(a->schema->arena, sizeof *p);
    /* Without facts as yet, so that it is not pushed twice. */
    if (!p || !put_attached(&a->done, a->schema->arena, type, NULL))
        return pbti_fail(a->error, PBT_ERR_NO_MEMORY, 0, NULL, NULL);
    *p = (pending){type, loaded, a->first};
    a->first = p;
    return PBT_OK;
}

/* Copies the facts of one field. */
static pbt_status attach_field(attachment *a,
                               const ProtobufCMessageDescriptor *compiled,
                               const ProtobufCFieldDescriptor *field,
                               const ProtobufCMessageDescriptor *loaded,
                               pbti_field_facts *facts) {
    const ProtobufCFieldDescriptor *match =
        protobuf_c_message_descriptor_get_field(loaded, field->id);
    if (!match)
        return refuse(a, compiled, field, "the schema lacks this field");
    if (match->type != field->type || match->label != field->label)
        return refuse(a, compiled, field,
                      "the schema has another type or label for it");
    *facts = *pbti_field_fact(loaded, match);
    facts->loaded = match;
    if (field->type != PROTOBUF_C_TYPE_MESSAGE)
        return PBT_OK;
    return push(a, field->descriptor, match->descriptor);
}

static pbt_status attach_type(attachment *a, const pending *p) {
    pbt_arena *arena = a->schema->arena;
    const ProtobufCMessageDescriptor *type = p->compiled;
    pbti_type_facts *facts = pbti_arena_alloc(arena, sizeof *facts);
    pbti_field_facts *fields =
        pbti_arena_alloc(arena, type->n_fields * sizeof *fields);
    pbt_status status = PBT_OK;
    unsigned i;
    if (!facts || !fields)
        return pbti_fail(a->error, PBT_ERR_NO_MEMORY, 0, NULL, NULL);
    for (i = 0; i < type->n_fields && status == PBT_OK; i++)
        status = attach_field(a, type, &type->fields[i], p->loaded, &fields[i]);
    if (status != PBT_OK)
        return status;
    *facts = *pbti_facts(p->loaded);
    facts->fields = fields;
    facts->name = p->loaded->name;
    if (!put_attached(&a->done, arena, type, facts))
        return pbti_fail(a->error, PBT_ERR_NO_MEMORY, 0, NULL, NULL);
    return PBT_OK;
}

/* Makes what was found the schema's: all of it, or nothing. */
static pbt_status keep_attached(attachment *a) {
    pbti_attachments *attached = &a->schema->attached;
    size_t i;
    while (2 * (attached->n + a->done.n) >= attached->n_slots)
        if (!grow_attached(attached, a->schema->arena))
            return pbti_fail(a->error, PBT_ERR_NO_MEMORY, 0, NULL, NULL);
    for (i = 0; i < a->done.n_slots; i++)
        if (a->done.slots[i].type)
            (void) put_attached(attached, a->schema->arena,
                                a->done.slots[i].type, a->done.slots[i].facts);
    return PBT_OK;
}

/* Goes through a compiled type and all below it. */
static pbt_status attach_to(attachment *a,
                            const ProtobufCMessageDescriptor *compiled,
                            const ProtobufCMessageDescriptor *loaded) {
    pbt_status status = push(a, compiled, loaded);
    while (a->first && status == PBT_OK) {
        const pending *p = a->first;
        a->first = p->next;
        status = attach_type(a, p);
    }
    return status;
}

/* As with optimize_for = CODE_SIZE. */
static bool has_no_names(const ProtobufCMessageDescriptor *type) {
    return !type->name && type->n_fields > 0 && !type->fields[0].name;
}

/* The only loaded type that a type without a name can be: one with the same
 * fields, down to the last message. */
static pbt_status find_by_shape(pbt_schema *schema,
                                const ProtobufCMessageDescriptor *compiled,
                                const ProtobufCMessageDescriptor **found,
                                pbt_error *error) {
    size_t i;
    *found = NULL;
    for (i = 0; i < schema->n_types; i++) {
        const ProtobufCMessageDescriptor *type = schema->types[i];
        attachment trial = {.schema = schema};
        pbt_status status;
        if (!pbti_facts(type) || type->n_fields != compiled->n_fields)
            continue;
        status = attach_to(&trial, compiled, type);
        if (status == PBT_ERR_NO_MEMORY)
            return pbti_fail(error, status, 0, NULL, NULL);
        if (status != PBT_OK)
            continue;
        if (*found)
            return pbti_fail(error, PBT_ERR_NOT_FOUND, 0, NULL,
                             "the type has no name, and may be %s or %s",
                             (*found)->name, type->name);
        *found = type;
    }
    if (!*found)
        return pbti_fail(error, PBT_ERR_NOT_FOUND, 0, NULL,
                         "the type has no name, and the schema has no loaded "
                         "one with its fields");
    return PBT_OK;
}

static pbt_status find_by_name(const pbt_schema *schema, const char *name,
                               const ProtobufCMessageDescriptor **found,
                               pbt_error *error) {
    const pbti_symbol *symbol = NULL;
    if (name)
        symbol = pbti_symbol_find_path(&schema->symbols, NULL, name);
    if (!symbol || symbol->kind != SYMBOL_MESSAGE || !pbti_facts(symbol->type))
        return pbti_fail(error, PBT_ERR_NOT_FOUND, 0, NULL,
                         "the schema has no loaded type of the name %s",
                         name_of(name));
    *found = symbol->type;
    return PBT_OK;
}

pbt_status pbti_schema_attach(pbt_schema *schema,
                              const ProtobufCMessageDescriptor *compiled,
                              pbt_error *error) {
    attachment a = {.schema = schema, .error = error};
    const ProtobufCMessageDescriptor *loaded = NULL;
    pbt_status status =
        has_no_names(compiled)
            ? find_by_shape(schema, compiled, &loaded, error)
            : find_by_name(schema, compiled->name, &loaded, error);
    if (status == PBT_OK)
        status = attach_to(&a, compiled, loaded);
    return status == PBT_OK ? keep_attached(&a) : status;
}
