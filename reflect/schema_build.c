/* schema_build.c - see schema_build.h. */
#include "schema_build.h"

static pbt_status build_enums(pbti_builder *b) {
    pbt_status status = PBT_OK;
    size_t i;
    for (i = 0; i < b->n_enums && status == PBT_OK; i++)
        status = pbti_build_enum(b, &b->enums[i]);
    return status;
}

/* Takes a MessageSet out of what can be found. Its name stays taken. */
static void hide(const pbti_builder *b, const pbti_message *message) {
    pbti_symbol *symbol =
        pbti_symbol_find(&b->schema->symbols, message->symbol->scope,
                         message->symbol->name, message->symbol->len);
    symbol->kind = SYMBOL_NAME;
    symbol->type = NULL;
}

static pbt_status lay_out_messages(pbti_builder *b) {
    pbt_schema *schema = b->schema;
    pbt_status status = PBT_OK;
    size_t i;
    schema->init_slots =
        pbti_arena_alloc(b->keep, b->n_messages * sizeof(unsigned));
    if (!schema->init_slots)
        return pbti_no_memory(b);
    for (i = 0; i < b->n_messages && status == PBT_OK; i++) {
        pbti_message *message = &b->messages[i];
        if (message->is_left_out) {
            hide(b, message);
            continue;
        }
        status = pbti_lay_out(b, message);
        if (status == PBT_OK && !pbti_schema_list(schema, message->type))
            status = pbti_no_memory(b);
    }
    schema->n_loaded = schema->n_types;
    return status;
}

/* The root stands in a file that no other one imports. */
static void find_root(pbti_builder *b) {
    const ProtobufCMessageDescriptor *root = NULL;
    size_t i;
    for (i = 0; i < b->n_messages; i++) {
        const pbti_message *message = &b->messages[i];
        if (message->parent || message->is_used || message->file->is_imported)
            continue;
        if (root)
            return;
        root = message->type;
    }
    b->schema->root = root;
}

/* Records go with the scratch arena; nothing is to point to them. */
static void forget_records(pbti_symbols *symbols) {
    size_t i;
    for (i = 0; i < symbols->n_slots; i++)
        if (symbols->slots[i])
            symbols->slots[i]->record = NULL;
}

pbt_status pbti_schema_build(pbt_schema *schema,
                             const Pbti__FileDescriptorSet *set,
                             pbt_arena *scratch, pbt_error *error) {
    pbti_builder b = {0};
    pbt_status status;
    b.schema = schema;
    b.keep = schema->arena;
    b.scratch = scratch;
    b.error = error;
    status = pbti_declare_files(&b, set);
    if (status == PBT_OK)
        status = build_enums(&b);
    if (status == PBT_OK)
        status = pbti_resolve_fields(&b);
    if (status == PBT_OK)
        status = lay_out_messages(&b);
    if (status == PBT_OK)
        find_root(&b);
    forget_records(&schema->symbols);
    return status;
}
