/* schema_resolve.c - the second step of the loader: what each field is. */
#include <inttypes.h>

#include "schema_build.h"

enum {
    MAX_NUMBER = (1 << 29) - 1,
    FIRST_RESERVED = 19000, /* for protobuf's own use */
    LAST_RESERVED = 19999
};

/* By number of FieldDescriptorProto.Type; groups are messages here. */
static const ProtobufCType types[] = {
    PROTOBUF_C_TYPE_INT32, /* no type has number 0 */
    PROTOBUF_C_TYPE_DOUBLE,   PROTOBUF_C_TYPE_FLOAT,   PROTOBUF_C_TYPE_INT64,
    PROTOBUF_C_TYPE_UINT64,   PROTOBUF_C_TYPE_INT32,   PROTOBUF_C_TYPE_FIXED64,
    PROTOBUF_C_TYPE_FIXED32,  PROTOBUF_C_TYPE_BOOL,    PROTOBUF_C_TYPE_STRING,
    PROTOBUF_C_TYPE_MESSAGE,  PROTOBUF_C_TYPE_MESSAGE, PROTOBUF_C_TYPE_BYTES,
    PROTOBUF_C_TYPE_UINT32,   PROTOBUF_C_TYPE_ENUM,    PROTOBUF_C_TYPE_SFIXED32,
    PROTOBUF_C_TYPE_SFIXED64, PROTOBUF_C_TYPE_SINT32,  PROTOBUF_C_TYPE_SINT64};
enum { N_TYPES = sizeof types / sizeof *types };

static bool is_type(const pbti_symbol *symbol) {
    return symbol &&
           (symbol->kind == SYMBOL_MESSAGE || symbol->kind == SYMBOL_ENUM);
}

/* Source: descriptor.proto, FieldDescriptorProto.type_name: C++ scoping. The
 * innermost scope that knows the first part of the name decides. */
static pbti_symbol *resolve_name(const pbti_builder *b,
                                 const pbti_symbol *scope, const char *name) {
    const pbti_symbols *symbols = &b->schema->symbols;
    size_t len = strcspn(name, ".");
    pbti_symbol *found;
    if (len == 0) {
        found = pbti_symbol_find_path(symbols, NULL, name + 1);
        return is_type(found) ? found : NULL;
    }
    for (;; scope = scope->scope) {
        found = pbti_symbol_find(symbols, scope, name, len);
        if (found && name[len]) {
            found = pbti_symbol_find_path(symbols, found, name + len + 1);
            return is_type(found) ? found : NULL;
        }
        if (is_type(found) || !scope)
            return is_type(found) ? found : NULL;
    }
}

static pbt_status resolve_features(pbti_builder *b, pbti_field *field) {
    const Pbti__FieldOptions *options = field->proto->options;
    pbti_features inherited = field->features;
    if (field->oneof != PBTI_NO_ONEOF)
        inherited = field->message->oneof_features[field->oneof];
    return pbti_features_apply(b, field->file, &inherited,
                               options ? options->features : NULL,
                               &field->features);
}

static pbt_status resolve_oneof(pbti_builder *b, pbti_field *field) {
    const Pbti__FieldDescriptorProto *proto = field->proto;
    field->oneof = PBTI_NO_ONEOF;
    if (!proto->has_oneof_index)
        return PBT_OK;
    if (field->facts.is_extension)
        return pbti_bad_field(b, field, "an extension cannot be in a oneof");
    if (proto->oneof_index < 0 ||
        (size_t) proto->oneof_index >= field->message->proto->n_oneof_decl)
        return pbti_bad_field(b, field,
                              "oneof_index %" PRId32 " is out of range",
                              proto->oneof_index);
    if (proto->label != LABEL_OPTIONAL)
        return pbti_bad_field(b, field, "a member of a oneof must be optional");
    field->oneof = proto->oneof_index;
    return PBT_OK;
}

static pbt_status check_number(pbti_builder *b, const pbti_field *field) {
    const Pbti__FieldDescriptorProto *proto = field->proto;
    if (!proto->has_number)
        return pbti_bad_field(b, field, "it has no number");
    if (proto->number < 1 || proto->number > MAX_NUMBER)
        return pbti_bad_field(b, field, "number %" PRId32 " is out of range",
                              proto->number);
    if (proto->number >= FIRST_RESERVED && proto->number <= LAST_RESERVED)
        return pbti_bad_field(
            b, field, "number %" PRId32 " is reserved for protobuf itself",
            proto->number);
    return PBT_OK;
}

/* Marks a message as part of another: not of itself, nor of one in it. */
static void mark_used(pbti_message *sub, const pbti_message *user) {
    for (; user; user = user->parent)
        if (user == sub)
            return;
    sub->is_used = true;
}

/* Finds the message or enum that type_name names. */
static pbt_status resolve_type_name(pbti_builder *b, pbti_field *field) {
    const char *name = field->proto->type_name;
    const pbti_symbol *symbol;
    if (!name || !*name)
        return pbti_bad_field(b, field, "it has no type name");
    symbol = resolve_name(b, field->scope, name);
    if (!symbol)
        return pbti_bad_field(b, field, "type %s is not in the set", name);
    if (symbol->kind == SYMBOL_ENUM) {
        field->values = symbol->record;
        return PBT_OK;
    }
    field->sub = symbol->record;
    if (field->sub->is_left_out)
        return pbti_bad_element(b, PBT_ERR_UNSUPPORTED, field->file, "field",
                                field->scope, field->proto->name,
                                "its type %s is a MessageSet, which is not "
                                "supported",
                                name);
    mark_used(symbol->record, field->message);
    return PBT_OK;
}

static pbt_status resolve_type(pbti_builder *b, pbti_field *field) {
    const Pbti__FieldDescriptorProto *proto = field->proto;
    bool is_named;
    pbt_status status;
    if (proto->has_type && (proto->type < 1 || proto->type >= N_TYPES))
        return pbti_bad_field(b, field, "type number %" PRId32 " is not known",
                              proto->type);
    if (!proto->has_type && !proto->type_name)
        return pbti_bad_field(b, field, "it has no type");
    is_named = !proto->has_type || types[proto->type] == PROTOBUF_C_TYPE_ENUM ||
               types[proto->type] == PROTOBUF_C_TYPE_MESSAGE;
    if (!is_named) {
        field->as.type = types[proto->type];
        return PBT_OK;
    }
    status = resolve_type_name(b, field);
    if (status != PBT_OK)
        return status;
    field->as.type =
        field->sub ? PROTOBUF_C_TYPE_MESSAGE : PROTOBUF_C_TYPE_ENUM;
    if (proto->has_type && field->as.type != types[proto->type])
        return pbti_bad_field(b, field,
                              "%s is not of the kind of type %" PRId32,
                              proto->type_name, proto->type);
    return PBT_OK;
}

/* Presence and label, as the features of the field say.
 *
 * compat: protoc-c gives no label to singular fields of proto3, messages and
 * oneof members included. */
static pbt_status resolve_label(pbti_builder *b, pbti_field *field) {
    const Pbti__FieldDescriptorProto *proto = field->proto;
    bool is_required = proto->label == LABEL_REQUIRED ||
                       (field->file->is_edition &&
                        field->features.presence == PRESENCE_REQUIRED);
    if (!proto->has_label || proto->label < LABEL_OPTIONAL ||
        proto->label > LABEL_REPEATED)
        return pbti_bad_field(b, field, "it has no valid label");
    if (proto->label == LABEL_REPEATED) {
        field->as.label = PROTOBUF_C_LABEL_REPEATED;
        return PBT_OK;
    }
    if (is_required && (field->facts.is_extension || field->file->is_proto3))
        return pbti_bad_field(b, field, "%s cannot be required",
                              field->facts.is_extension ? "an extension"
                                                        : "fields of proto3");
    if (is_required && field->oneof == PBTI_NO_ONEOF)
        field->as.label = PROTOBUF_C_LABEL_REQUIRED;
    else if (field->features.presence == PRESENCE_IMPLICIT &&
             !proto->proto3_optional && !field->facts.is_extension)
        field->as.label = PROTOBUF_C_LABEL_NONE;
    else
        field->as.label = PROTOBUF_C_LABEL_OPTIONAL;
    field->facts.has_presence = field->as.label != PROTOBUF_C_LABEL_NONE ||
                                field->oneof != PBTI_NO_ONEOF || field->sub;
    return PBT_OK;
}

static bool is_packable(ProtobufCType type) {
    return type != PROTOBUF_C_TYPE_STRING && type != PROTOBUF_C_TYPE_BYTES &&
           type != PROTOBUF_C_TYPE_MESSAGE;
}

static void resolve_flags(pbti_field *field) {
    const Pbti__FieldOptions *options = field->proto->options;
    bool is_packed = field->features.repeated_encoding == ENCODING_PACKED;
    if (options && options->has_packed && !field->file->is_edition)
        is_packed = options->packed;
    if (is_packed && field->as.label == PROTOBUF_C_LABEL_REPEATED &&
        is_packable(field->as.type))
        field->as.flags |= PROTOBUF_C_FIELD_FLAG_PACKED;
    if (options && options->deprecated)
        field->as.flags |= PROTOBUF_C_FIELD_FLAG_DEPRECATED;
}

/* Maps, and the fields of their entries, are never groups, whatever the file
 * says of messages in general. */
static bool is_group(const pbti_field *field) {
    if (field->proto->type == TYPE_GROUP)
        return true;
    return field->sub && !field->sub->is_map_entry &&
           !(field->message && field->message->is_map_entry) &&
           field->features.message_encoding == MESSAGE_DELIMITED;
}

static void resolve_facts(pbti_field *field) {
    const Pbti__FieldOptions *options = field->proto->options;
    const pbti_message *message = field->message;
    field->facts.is_group = is_group(field);
    field->facts.is_map = field->sub && field->sub->is_map_entry;
    field->facts.is_closed_enum = field->values && field->values->is_closed;
    field->facts.validates_utf8 = field->as.type == PROTOBUF_C_TYPE_STRING &&
                                  field->features.utf8 == UTF8_VERIFY;
    /* Source: protoc-c's option string_as_bytes. */
    field->facts.is_string = field->as.type == PROTOBUF_C_TYPE_STRING;
    if (field->facts.is_string && options && options->pb_c_field &&
        options->pb_c_field->string_as_bytes)
        field->as.type = PROTOBUF_C_TYPE_BYTES;
    if (field->proto->proto3_optional)
        field->oneof = PBTI_NO_ONEOF;
    if (field->oneof != PBTI_NO_ONEOF) {
        field->as.flags |= PROTOBUF_C_FIELD_FLAG_ONEOF;
        field->facts.oneof_name =
            message->proto->oneof_decl[field->oneof]->name;
    }
}

static pbt_status resolve_names(pbti_builder *b, pbti_field *field) {
    const Pbti__FieldDescriptorProto *proto = field->proto;
    if (field->facts.is_extension) {
        char *scope = NULL;
        char *full_name;
        if (field->scope) {
            size_t size = 1;
            const pbti_symbol *s;
            for (s = field->scope; s; s = s->scope)
                size += s->len + 1;
            scope = pbti_arena_alloc(b->scratch, size);
            if (!scope)
                return pbti_no_memory(b);
            pbti_symbol_text(field->scope, NULL, scope, size);
        }
        full_name = pbti_text_join(b->scratch, scope, proto->name);
        if (!full_name)
            return pbti_no_memory(b);
        field->as.name = pbti_text_bracket(b->keep, full_name);
        field->facts.json_name = field->as.name;
    } else {
        field->as.name = pbti_text_copy(b->keep, proto->name);
        field->facts.json_name =
            proto->json_name ? pbti_text_copy(b->keep, proto->json_name)
                             : pbti_text_json_name(b->keep, proto->name);
    }
    if (!field->as.name || !field->facts.json_name)
        return pbti_no_memory(b);
    if (field->facts.oneof_name) {
        field->facts.oneof_name =
            pbti_text_copy(b->keep, field->facts.oneof_name);
        if (!field->facts.oneof_name)
            return pbti_no_memory(b);
    }
    return PBT_OK;
}

static pbt_status resolve_field(pbti_builder *b, pbti_field *field) {
    pbt_status status = check_number(b, field);
    if (status == PBT_OK)
        status = resolve_oneof(b, field);
    if (status == PBT_OK)
        status = resolve_features(b, field);
    if (status == PBT_OK)
        status = resolve_type(b, field);
    if (status == PBT_OK)
        status = resolve_label(b, field);
    if (status != PBT_OK)
        return status;
    field->as.id = (uint32_t) field->proto->number;
    resolve_flags(field);
    resolve_facts(field);
    if (field->sub)
        field->as.descriptor = field->sub->type;
    if (field->values)
        field->as.descriptor = field->values->type;
    status = resolve_names(b, field);
    return status == PBT_OK ? pbti_field_default(b, field) : status;
}

static bool in_extension_range(const Pbti__DescriptorProto *proto,
                               int32_t number) {
    size_t i;
    for (i = 0; i < proto->n_extension_range; i++)
        if (number >= proto->extension_range[i]->start &&
            number < proto->extension_range[i]->end)
            return true;
    return false;
}

/* Makes an extension a field of the message that it extends. */
static pbt_status resolve_extension(pbti_builder *b, pbti_field *field) {
    const char *extendee = field->proto->extendee;
    const pbti_symbol *symbol;
    pbt_status status;
    if (!extendee || !*extendee)
        return pbti_bad_field(b, field, "it does not say what it extends");
    symbol = resolve_name(b, field->scope, extendee);
    if (!symbol || symbol->kind != SYMBOL_MESSAGE)
        return pbti_bad_field(b, field, "message %s is not in the set",
                              extendee);
    field->message = symbol->record;
    if (field->message->is_left_out)
        return PBT_OK;
    status = resolve_field(b, field);
    if (status != PBT_OK)
        return status;
    if (!in_extension_range(field->message->proto, field->proto->number))
        return pbti_bad_field(
            b, field, "number %" PRId32 " is in no extension range of %s",
            field->proto->number, extendee);
    field->next = field->message->extensions;
    field->message->extensions = field;
    field->message->n_extensions++;
    return PBT_OK;
}

static bool is_key_type(ProtobufCType type) {
    return type != PROTOBUF_C_TYPE_FLOAT && type != PROTOBUF_C_TYPE_DOUBLE &&
           type != PROTOBUF_C_TYPE_ENUM && type != PROTOBUF_C_TYPE_BYTES &&
           type != PROTOBUF_C_TYPE_MESSAGE;
}

static bool is_entry_field(const pbti_field *field, uint32_t number,
                           const char *name) {
    return field->as.id == number && strcmp(field->proto->name, name) == 0 &&
           (field->as.label == PROTOBUF_C_LABEL_OPTIONAL ||
            field->as.label == PROTOBUF_C_LABEL_NONE) &&
           field->oneof == PBTI_NO_ONEOF;
}

static pbt_status check_map_entry(pbti_builder *b,
                                  const pbti_message *message) {
    const pbti_field *key = &message->fields[0];
    const pbti_field *value = &message->fields[1];
    if (!message->parent)
        return pbti_bad_message(b, message,
                                "a map entry must be declared in a message");
    if (message->proto->n_field != 2 || message->n_extensions > 0)
        return pbti_bad_message(b, message,
                                "a map entry has a key and a value, no more");
    if (!is_entry_field(key, 1, "key") || !is_entry_field(value, 2, "value"))
        return pbti_bad_message(b, message,
                                "the fields of a map entry must be an optional "
                                "key = 1 and an optional value = 2");
    if (!is_key_type(key->as.type) && !key->facts.is_string)
        return pbti_bad_message(b, message, "this type cannot be a map's key");
    return PBT_OK;
}

static pbt_status check_map(pbti_builder *b, const pbti_field *field) {
    if (!field->facts.is_map ||
        (field->as.label == PROTOBUF_C_LABEL_REPEATED &&
         field->sub->parent == field->message && !field->facts.is_extension &&
         !field->facts.is_group))
        return PBT_OK;
    return pbti_bad_field(b, field,
                          "a map entry is used as an ordinary message");
}

static pbt_status check_maps(pbti_builder *b, const pbti_message *message) {
    pbt_status status =
        message->is_map_entry ? check_map_entry(b, message) : PBT_OK;
    const pbti_field *field;
    size_t i;
    for (i = 0; i < message->proto->n_field && status == PBT_OK; i++)
        status = check_map(b, &message->fields[i]);
    for (field = message->extensions; field && status == PBT_OK;
         field = field->next)
        status = check_map(b, field);
    return status;
}

pbt_status pbti_resolve_fields(pbti_builder *b) {
    pbt_status status = PBT_OK;
    size_t i, j;
    for (i = 0; i < b->n_messages && status == PBT_OK; i++)
        for (j = 0; j < b->messages[i].proto->n_field && status == PBT_OK; j++)
            status = resolve_field(b, &b->messages[i].fields[j]);
    /* From the last on, as each is put before those that came earlier. */
    for (i = b->n_extensions; i > 0 && status == PBT_OK; i--)
        status = resolve_extension(b, &b->extensions[i - 1]);
    for (i = 0; i < b->n_messages && status == PBT_OK; i++)
        status = check_maps(b, &b->messages[i]);
    return status;
}
