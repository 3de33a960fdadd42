/* schema_declare.c - the first step of the loader: every message, enum and
 * extension of the set gets a record and a name. */
#include "schema_build.h"

/* How many there are of each record. */
typedef struct counts {
    size_t messages;
    size_t enums;
    size_t extensions;
} counts;

static void count_message(const Pbti__DescriptorProto *proto, counts *n) {
    size_t i;
    n->messages++;
    n->enums += proto->n_enum_type;
    n->extensions += proto->n_extension;
    for (i = 0; i < proto->n_nested_type; i++)
        count_message(proto->nested_type[i], n);
}

static counts count_records(const Pbti__FileDescriptorSet *set) {
    counts n = {0};
    size_t i, j;
    for (i = 0; i < set->n_file; i++) {
        const Pbti__FileDescriptorProto *file = set->file[i];
        n.enums += file->n_enum_type;
        n.extensions += file->n_extension;
        for (j = 0; j < file->n_message_type; j++)
            count_message(file->message_type[j], &n);
    }
    return n;
}

static pbt_status allocate_records(pbti_builder *b,
                                   const Pbti__FileDescriptorSet *set) {
    counts n = count_records(set);
    b->files = pbti_arena_zeroed(b->scratch, set->n_file * sizeof *b->files);
    b->messages =
        pbti_arena_zeroed(b->scratch, n.messages * sizeof *b->messages);
    b->enums = pbti_arena_zeroed(b->scratch, n.enums * sizeof *b->enums);
    b->extensions =
        pbti_arena_zeroed(b->scratch, n.extensions * sizeof *b->extensions);
    if (!b->files || !b->messages || !b->enums || !b->extensions)
        return pbti_no_memory(b);
    return PBT_OK;
}

static bool is_identifier(const char *name, size_t len) {
    size_t i;
    for (i = 0; i < len; i++) {
        char c = name[i];
        bool is_letter =
            (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!is_letter && (i == 0 || c < '0' || c > '9'))
            return false;
    }
    return len > 0;
}

/* Fails unless the name can be declared in the scope. */
static pbt_status check_name(const pbti_builder *b, const pbti_file *file,
                             const char *kind, const pbti_symbol *scope,
                             const char *name) {
    if (!name || !*name)
        return pbti_bad_element(b, PBT_ERR_BAD_DESCRIPTOR, file, kind, scope,
                                "(unnamed)", "it has no name");
    if (!is_identifier(name, strlen(name)))
        return pbti_bad_element(b, PBT_ERR_BAD_DESCRIPTOR, file, kind, scope,
                                name, "the name is not an identifier");
    if (pbti_symbol_find(&b->schema->symbols, scope, name, strlen(name)) ||
        pbti_symbol_find(&b->names, scope, name, strlen(name)))
        return pbti_bad_element(b, PBT_ERR_BAD_DESCRIPTOR, file, kind, scope,
                                name, "the name is used twice");
    return PBT_OK;
}

static pbt_status declare_name(pbti_builder *b, const pbti_file *file,
                               const char *kind, const pbti_symbol *scope,
                               const char *name) {
    pbt_status status = check_name(b, file, kind, scope, name);
    if (status != PBT_OK)
        return status;
    if (!pbti_symbol_add(&b->names, b->scratch, scope, name, strlen(name),
                         SYMBOL_NAME))
        return pbti_no_memory(b);
    return PBT_OK;
}

/* Declares a type.
 *  @param outer     full name of the scope
 *  @param full_name [out] of the type */
static pbt_status declare_type(pbti_builder *b, const pbti_file *file,
                               const char *kind, const pbti_symbol *scope,
                               const char *outer, const char *name,
                               const char **full_name, pbti_symbol **symbol) {
    pbt_status status = check_name(b, file, kind, scope, name);
    size_t len;
    if (status != PBT_OK)
        return status;
    len = strlen(name);
    *full_name = pbti_text_join(b->keep, outer, name);
    if (!*full_name)
        return pbti_no_memory(b);
    *symbol = pbti_symbol_add(&b->schema->symbols, b->keep, scope,
                              *full_name + strlen(*full_name) - len, len,
                              strcmp(kind, "enum") == 0 ? SYMBOL_ENUM
                                                        : SYMBOL_MESSAGE);
    return *symbol ? PBT_OK : pbti_no_memory(b);
}

static pbt_status declare_enum(pbti_builder *b, const pbti_file *file,
                               const pbti_features *inherited,
                               const pbti_symbol *scope, const char *outer,
                               const Pbti__EnumDescriptorProto *proto) {
    pbti_enum *e = &b->enums[b->n_enums];
    const char *full_name = NULL;
    pbti_symbol *symbol = NULL;
    pbti_features features;
    size_t i;
    pbt_status status = declare_type(b, file, "enum", scope, outer, proto->name,
                                     &full_name, &symbol);
    if (status == PBT_OK)
        status = pbti_features_apply(
            b, file, inherited,
            proto->options ? proto->options->features : NULL, &features);
    if (status != PBT_OK || !symbol)
        return status;
    b->n_enums++;
    e->proto = proto;
    e->file = file;
    e->symbol = symbol;
    e->is_closed = features.enum_type == ENUM_CLOSED;
    e->type = pbti_arena_zeroed(b->keep, sizeof *e->type);
    if (!e->type)
        return pbti_no_memory(b);
    e->type->name = full_name;
    symbol->type = e->type;
    symbol->record = e;
    /* Values are names beside the enum, not in it, as in C++. */
    for (i = 0; i < proto->n_value && status == PBT_OK; i++)
        status =
            declare_name(b, file, "enum value", scope, proto->value[i]->name);
    return status;
}

static pbt_status declare_extension(pbti_builder *b, const pbti_file *file,
                                    const pbti_features *inherited,
                                    const pbti_symbol *scope,
                                    const Pbti__FieldDescriptorProto *proto) {
    pbti_field *field = &b->extensions[b->n_extensions++];
    field->proto = proto;
    field->file = file;
    field->scope = scope;
    field->facts.is_extension = true;
    field->features = *inherited;
    return declare_name(b, file, "extension", scope, proto->name);
}

static pbt_status declare_oneofs(pbti_builder *b, pbti_message *message) {
    const Pbti__DescriptorProto *proto = message->proto;
    pbt_status status = PBT_OK;
    size_t i;
    message->oneof_features = pbti_arena_zeroed(
        b->scratch, proto->n_oneof_decl * sizeof *message->oneof_features);
    if (!message->oneof_features)
        return pbti_no_memory(b);
    for (i = 0; i < proto->n_oneof_decl && status == PBT_OK; i++) {
        const Pbti__OneofDescriptorProto *oneof = proto->oneof_decl[i];
        status = declare_name(b, message->file, "oneof", message->symbol,
                              oneof->name);
        if (status == PBT_OK)
            status = pbti_features_apply(
                b, message->file, &message->features,
                oneof->options ? oneof->options->features : NULL,
                &message->oneof_features[i]);
    }
    return status;
}

static pbt_status declare_fields(pbti_builder *b, pbti_message *message) {
    const Pbti__DescriptorProto *proto = message->proto;
    pbt_status status = PBT_OK;
    size_t i;
    message->fields =
        pbti_arena_zeroed(b->scratch, proto->n_field * sizeof *message->fields);
    if (!message->fields)
        return pbti_no_memory(b);
    for (i = 0; i < proto->n_field && status == PBT_OK; i++) {
        pbti_field *field = &message->fields[i];
        field->proto = proto->field[i];
        field->file = message->file;
        field->scope = message->symbol;
        field->message = message;
        field->features = message->features;
        status = declare_name(b, message->file, "field", message->symbol,
                              field->proto->name);
    }
    return status;
}

static pbt_status name_type(pbti_builder *b, pbti_message *message,
                            const char *full_name) {
    ProtobufCMessageDescriptor *type = pbti_arena_zeroed(b->keep, sizeof *type);
    pbti_type_facts *facts = pbti_arena_zeroed(b->keep, sizeof *facts);
    if (!type || !facts)
        return pbti_no_memory(b);
    message->type = type;
    message->facts = facts;
    type->magic = PROTOBUF_C__MESSAGE_DESCRIPTOR_MAGIC;
    type->name = full_name;
    type->short_name = pbti_text_camel(b->keep, message->proto->name);
    type->c_name = pbti_text_c_name(b->keep, message->file, full_name);
    type->package_name = message->file->package;
    type->reserved1 = facts;
    facts->magic = PBTI_FACTS_MAGIC;
    facts->file = message->file->name;
    facts->is_nested = message->parent != NULL;
    return type->short_name && type->c_name ? PBT_OK : pbti_no_memory(b);
}

/* protobuf-c has no MessageSet. One that is declared inside a message and used
 * by no field can be left out without harm, see pbt_schema_load. */
static pbt_status check_message_set(pbti_builder *b, pbti_message *message) {
    const Pbti__MessageOptions *options = message->proto->options;
    message->is_map_entry = options && options->map_entry;
    message->facts->is_map_entry = message->is_map_entry;
    if (!options || !options->message_set_wire_format)
        return PBT_OK;
    message->is_left_out = true;
    if (message->parent)
        return PBT_OK;
    return pbti_bad_element(b, PBT_ERR_UNSUPPORTED, message->file, "message",
                            message->symbol, NULL,
                            "MessageSet is not supported");
}

static pbt_status declare_message(pbti_builder *b, const pbti_file *file,
                                  const pbti_message *parent,
                                  const Pbti__DescriptorProto *proto);

static pbt_status declare_nested(pbti_builder *b, pbti_message *message) {
    const Pbti__DescriptorProto *proto = message->proto;
    const char *full_name = message->type->name;
    pbt_status status = PBT_OK;
    size_t i;
    for (i = 0; i < proto->n_nested_type && status == PBT_OK; i++)
        status =
            declare_message(b, message->file, message, proto->nested_type[i]);
    for (i = 0; i < proto->n_enum_type && status == PBT_OK; i++)
        status = declare_enum(b, message->file, &message->features,
                              message->symbol, full_name, proto->enum_type[i]);
    for (i = 0; i < proto->n_extension && status == PBT_OK; i++)
        status = declare_extension(b, message->file, &message->features,
                                   message->symbol, proto->extension[i]);
    return status;
}

/* Recurses as deep as messages are nested, which unmarshalling the set has
 * limited. */
static pbt_status declare_message(pbti_builder *b, const pbti_file *file,
                                  const pbti_message *parent,
                                  const Pbti__DescriptorProto *proto) {
    pbti_message *message = &b->messages[b->n_messages];
    const pbti_symbol *scope = parent ? parent->symbol : file->scope;
    const char *outer = parent ? parent->type->name : file->package;
    const char *full_name = NULL;
    pbti_symbol *symbol = NULL;
    pbt_status status = declare_type(b, file, "message", scope, outer,
                                     proto->name, &full_name, &symbol);
    if (status != PBT_OK || !symbol)
        return status;
    b->n_messages++;
    message->proto = proto;
    message->file = file;
    message->parent = parent;
    message->symbol = symbol;
    status = pbti_features_apply(
        b, file, parent ? &parent->features : &file->features,
        proto->options ? proto->options->features : NULL, &message->features);
    if (status == PBT_OK)
        status = name_type(b, message, full_name);
    if (status != PBT_OK)
        return status;
    symbol->type = message->type;
    symbol->record = message;
    status = check_message_set(b, message);
    if (status == PBT_OK)
        status = declare_oneofs(b, message);
    if (status == PBT_OK)
        status = declare_fields(b, message);
    return status == PBT_OK ? declare_nested(b, message) : status;
}

static pbt_status declare_package(pbti_builder *b, pbti_file *file) {
    const char *part = file->package;
    while (*part) {
        size_t len = strcspn(part, ".");
        pbti_symbol *symbol =
            pbti_symbol_find(&b->schema->symbols, file->scope, part, len);
        if (!is_identifier(part, len) || (part[len] && !part[len + 1]))
            return pbti_bad_file(b, file, "the package name is not valid");
        if (pbti_symbol_find(&b->names, file->scope, part, len) ||
            (symbol && symbol->kind != SYMBOL_PACKAGE))
            return pbti_bad_file(b, file,
                                 "the package has the name of something else");
        if (!symbol)
            symbol = pbti_symbol_add(&b->schema->symbols, b->keep, file->scope,
                                     part, len, SYMBOL_PACKAGE);
        if (!symbol)
            return pbti_no_memory(b);
        file->scope = symbol;
        part += len + (part[len] == '.');
    }
    return PBT_OK;
}

static uint8_t *pack_file(const pbti_builder *b,
                          const Pbti__FileDescriptorProto *proto,
                          size_t *size) {
    uint8_t *bytes;
    *size = protobuf_c_message_get_packed_size(&proto->base);
    bytes = pbti_arena_alloc(b->scratch, *size);
    if (bytes)
        (void) protobuf_c_message_pack(&proto->base, bytes);
    return bytes;
}

/* Sets are joined by joining their bytes, and an import of both is in twice
 * then. Only what is read of a file is compared. */
static pbt_status check_again(const pbti_builder *b, const pbti_file *file,
                              const pbti_file *former) {
    size_t size = 0, former_size = 0;
    const uint8_t *bytes = pack_file(b, file->proto, &size);
    const uint8_t *others = pack_file(b, former->proto, &former_size);
    if (!bytes || !others)
        return pbti_no_memory(b);
    if (size != former_size || memcmp(bytes, others, size) != 0)
        return pbti_bad_file(b, file,
                             "the set has another file of the same name");
    return PBT_OK;
}

static pbt_status name_file(pbti_builder *b, pbti_file *file) {
    const Pbti__FileDescriptorProto *proto = file->proto;
    const Pbti__FileOptions *options = proto->options;
    pbti_symbol *symbol;
    if (!proto->name)
        return pbti_bad_file(b, file, "the file has no name");
    file->name = pbti_text_copy(b->keep, proto->name);
    file->package =
        pbti_text_copy(b->keep, proto->package ? proto->package : "");
    if (!file->name || !file->package)
        return pbti_no_memory(b);
    if (options && options->pb_c_file)
        file->c_package = options->pb_c_file->c_package;
    symbol = pbti_symbol_add(&b->file_names, b->scratch, NULL, file->name,
                             strlen(file->name), SYMBOL_NAME);
    if (!symbol)
        return pbti_no_memory(b);
    symbol->record = file;
    return PBT_OK;
}

static const pbti_file *find_file(const pbti_builder *b, const char *name) {
    const pbti_symbol *symbol =
        name ? pbti_symbol_find(&b->file_names, NULL, name, strlen(name))
             : NULL;
    return symbol ? symbol->record : NULL;
}

/* A file that is there already leaves its record to the next one. */
static pbt_status declare_file(pbti_builder *b,
                               const Pbti__FileDescriptorProto *proto) {
    const pbti_file *former = find_file(b, proto->name);
    pbti_file *file = &b->files[b->n_files];
    size_t i;
    pbt_status status;
    file->proto = proto;
    if (former) {
        file->name = former->name;
        return check_again(b, file, former);
    }
    b->n_files++;
    status = name_file(b, file);
    if (status == PBT_OK)
        status = pbti_features_of_file(b, file);
    if (status == PBT_OK)
        status = declare_package(b, file);
    for (i = 0; i < proto->n_message_type && status == PBT_OK; i++)
        status = declare_message(b, file, NULL, proto->message_type[i]);
    for (i = 0; i < proto->n_enum_type && status == PBT_OK; i++)
        status = declare_enum(b, file, &file->features, file->scope,
                              file->package, proto->enum_type[i]);
    for (i = 0; i < proto->n_extension && status == PBT_OK; i++)
        status = declare_extension(b, file, &file->features, file->scope,
                                   proto->extension[i]);
    return status;
}

/* A file that is not in the set is no error: what it declares may not be
 * needed. */
static void mark_imports(pbti_builder *b, const pbti_file *file) {
    size_t i;
    for (i = 0; i < file->proto->n_dependency; i++) {
        const char *name = file->proto->dependency[i];
        pbti_symbol *symbol =
            pbti_symbol_find(&b->file_names, NULL, name, strlen(name));
        if (symbol && symbol->record != file)
            ((pbti_file *) symbol->record)->is_imported = true;
    }
}

pbt_status pbti_declare_files(pbti_builder *b,
                              const Pbti__FileDescriptorSet *set) {
    size_t i;
    pbt_status status = allocate_records(b, set);
    for (i = 0; i < set->n_file && status == PBT_OK; i++)
        status = declare_file(b, set->file[i]);
    for (i = 0; i < b->n_files && status == PBT_OK; i++)
        mark_imports(b, &b->files[i]);
    return status;
}
