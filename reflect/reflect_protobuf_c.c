/* reflect_protobuf_c.c - protobuf-c messages for the reflection road.
 *
 * All is read through the descriptor that the message itself points to, and
 * checked on the way: a descriptor that contradicts itself is an error, not a
 * wild read. Members are loaded by memcpy, so that any alignment will do.
 */
#include <protobuf-c/protobuf-c.h>

#include <pbturbo/reflect.h>

#include <pbturbo/unmarshal.h>

#include "base_alloc.h"
#include "base_compiler.h"
#include "base_facts.h"
#include "schema_store.h"

enum { MAX_FIELD_NUMBER = (1 << 29) - 1 };

static pbt_status refuse_type(const char **why, const char *reason) {
    *why = reason;
    return PBT_ERR_BAD_DESCRIPTOR;
}

static pbt_status refuse_message(const char **why, const char *reason) {
    *why = reason;
    return PBT_ERR_BAD_MESSAGE;
}

/* The members common to all messages. */
static ProtobufCMessage load_base(const pbt_reflect_message *m) {
    ProtobufCMessage base;
    memcpy(&base, m->msg, sizeof base);
    return base;
}

static const ProtobufCMessageDescriptor *
load_descriptor(const pbt_reflect_message *m) {
    return load_base(m).descriptor;
}

static uint64_t load_signed32(const void *p) {
    int32_t v;
    memcpy(&v, p, sizeof v);
    return (uint64_t) (int64_t) v;
}

static ProtobufCBinaryData load_bytes(const void *p) {
    ProtobufCBinaryData v;
    memcpy(&v, p, sizeof v);
    return v;
}

static pbt_reflect_message read_root(const void *msg) {
    pbt_reflect_message m = {0};
    m.msg = msg;
    return m;
}

static pbt_status read_shape(const pbt_reflect_message *m,
                             pbt_reflect_shape *shape, const char **why) {
    const ProtobufCMessage base = load_base(m);
    const ProtobufCMessageDescriptor *type = base.descriptor;
    if (!type)
        return refuse_message(why, "the message has no descriptor");
    if (type->magic != PROTOBUF_C__MESSAGE_DESCRIPTOR_MAGIC)
        return refuse_type(why, "the descriptor has a wrong magic number");
    shape->type_name = type->name;
    shape->type = type;
    if (type->sizeof_message < sizeof(ProtobufCMessage))
        return refuse_type(why, "sizeof_message is too small");
    if (type->n_fields > 0 && !type->fields)
        return refuse_type(why, "fields is NULL but n_fields is not 0");
    shape->n_fields = type->n_fields;
    shape->n_unknown = base.n_unknown_fields;
    return PBT_OK;
}

/* Bytes of a member, or of an array element, of the type; 0 if there is no
 * such type. */
static size_t size_of_type(unsigned type) {
    switch (type) {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_ENUM:
        return 4;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_DOUBLE:
        return 8;
    case PROTOBUF_C_TYPE_BOOL:
        return sizeof(protobuf_c_boolean);
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE:
        return sizeof(void *);
    case PROTOBUF_C_TYPE_BYTES:
        return sizeof(ProtobufCBinaryData);
    default:
        return 0;
    }
}

static uint8_t translate_type(unsigned type) {
    switch (type) {
    case PROTOBUF_C_TYPE_INT32:
        return PBT_REFLECT_INT32;
    case PROTOBUF_C_TYPE_SINT32:
        return PBT_REFLECT_SINT32;
    case PROTOBUF_C_TYPE_SFIXED32:
        return PBT_REFLECT_SFIXED32;
    case PROTOBUF_C_TYPE_INT64:
        return PBT_REFLECT_INT64;
    case PROTOBUF_C_TYPE_SINT64:
        return PBT_REFLECT_SINT64;
    case PROTOBUF_C_TYPE_SFIXED64:
        return PBT_REFLECT_SFIXED64;
    case PROTOBUF_C_TYPE_UINT32:
        return PBT_REFLECT_UINT32;
    case PROTOBUF_C_TYPE_FIXED32:
        return PBT_REFLECT_FIXED32;
    case PROTOBUF_C_TYPE_UINT64:
        return PBT_REFLECT_UINT64;
    case PROTOBUF_C_TYPE_FIXED64:
        return PBT_REFLECT_FIXED64;
    case PROTOBUF_C_TYPE_FLOAT:
        return PBT_REFLECT_FLOAT;
    case PROTOBUF_C_TYPE_DOUBLE:
        return PBT_REFLECT_DOUBLE;
    case PROTOBUF_C_TYPE_BOOL:
        return PBT_REFLECT_BOOL;
    case PROTOBUF_C_TYPE_ENUM:
        return PBT_REFLECT_ENUM;
    case PROTOBUF_C_TYPE_STRING:
        return PBT_REFLECT_STRING;
    case PROTOBUF_C_TYPE_BYTES:
        return PBT_REFLECT_BYTES;
    default:
        return PBT_REFLECT_MESSAGE;
    }
}

static bool is_pointer(const ProtobufCFieldDescriptor *f) {
    return f->type == PROTOBUF_C_TYPE_STRING ||
           f->type == PROTOBUF_C_TYPE_MESSAGE;
}

/* Whether a length-delimited value keeps the field from being packed. */
static bool is_delimited(const ProtobufCFieldDescriptor *f) {
    return is_pointer(f) || f->type == PROTOBUF_C_TYPE_BYTES;
}

/* compat: the flag counts only for these two labels. */
static bool is_oneof_member(const ProtobufCFieldDescriptor *f) {
    return (f->label == PROTOBUF_C_LABEL_OPTIONAL ||
            f->label == PROTOBUF_C_LABEL_NONE) &&
           (f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF);
}

static bool is_packed(const ProtobufCFieldDescriptor *f) {
    return f->label == PROTOBUF_C_LABEL_REPEATED &&
           (f->flags & PROTOBUF_C_FIELD_FLAG_PACKED);
}

static size_t size_of_member(const ProtobufCFieldDescriptor *f) {
    if (f->label == PROTOBUF_C_LABEL_REPEATED)
        return sizeof(void *);
    return size_of_type(f->type);
}

/* Bytes of the count, case or has-flag that is read; 0 if none is. */
static size_t size_of_quantifier(const ProtobufCFieldDescriptor *f) {
    if (f->label == PROTOBUF_C_LABEL_REPEATED)
        return sizeof(size_t);
    if (is_oneof_member(f))
        return sizeof(uint32_t);
    if (f->label == PROTOBUF_C_LABEL_OPTIONAL && !is_pointer(f))
        return sizeof(protobuf_c_boolean);
    return 0;
}

static bool is_group(const ProtobufCMessageDescriptor *type,
                     const ProtobufCFieldDescriptor *f) {
    const pbti_field_facts *facts = pbti_field_fact(type, f);
    return facts && facts->is_group;
}

/* Whether the field is marked as a group and cannot be one. */
static bool is_false_group(const ProtobufCMessageDescriptor *type,
                           const ProtobufCFieldDescriptor *f) {
    return is_group(type, f) &&
           (f->type != PROTOBUF_C_TYPE_MESSAGE || f->default_value ||
            pbti_field_fact(type, f)->is_map);
}

static bool lies_in_message(const ProtobufCMessageDescriptor *type,
                            uint64_t offset, size_t size) {
    return offset >= sizeof(ProtobufCMessage) &&
           offset + size <= type->sizeof_message;
}

static pbt_status check_field(const ProtobufCMessageDescriptor *type,
                              size_t index, const char **why) {
    const ProtobufCFieldDescriptor *f = &type->fields[index];
    size_t quantifier;
    if (f->id == 0 || f->id > MAX_FIELD_NUMBER)
        return refuse_type(why, "the field number is out of range");
    if (index > 0 && f[-1].id >= f->id)
        return refuse_type(why, "the field numbers do not ascend");
    if ((unsigned) f->label > PROTOBUF_C_LABEL_NONE)
        return refuse_type(why, "the label is unknown");
    if (size_of_type(f->type) == 0)
        return refuse_type(why, "the type is unknown");
    if (is_packed(f) && is_delimited(f))
        return refuse_type(why, "a field of this type cannot be packed");
    if (is_false_group(type, f))
        return refuse_type(why, "a field of this type cannot be a group");
    if (f->type == PROTOBUF_C_TYPE_MESSAGE && !f->descriptor)
        return refuse_type(why, "a message field has no descriptor");
    if (!lies_in_message(type, f->offset, size_of_member(f)))
        return refuse_type(why, "the member lies outside the message");
    quantifier = size_of_quantifier(f);
    if (quantifier > 0 &&
        !lies_in_message(type, f->quantifier_offset, quantifier))
        return refuse_type(why, "the quantifier lies outside the message");
    return PBT_OK;
}

static bool is_map_key_type(unsigned type) {
    return size_of_type(type) > 0 && type != PROTOBUF_C_TYPE_FLOAT &&
           type != PROTOBUF_C_TYPE_DOUBLE && type != PROTOBUF_C_TYPE_ENUM &&
           type != PROTOBUF_C_TYPE_BYTES && type != PROTOBUF_C_TYPE_MESSAGE;
}

static bool is_entry_field(const ProtobufCFieldDescriptor *f, uint32_t number) {
    return f->id == number &&
           (f->label == PROTOBUF_C_LABEL_OPTIONAL ||
            f->label == PROTOBUF_C_LABEL_NONE) &&
           !is_oneof_member(f);
}

/* Whether the entry's name is "PARENT.FIELDEntry", with FIELD in camel case:
 * letters at the start and after underscores are capitals, and the underscores
 * are gone. */
static bool is_entry_name(const char *entry, const char *parent,
                          const char *field) {
    size_t parent_len = strlen(parent);
    bool capital = true;
    if (strncmp(entry, parent, parent_len) != 0 || entry[parent_len] != '.')
        return false;
    entry += parent_len + 1;
    for (; *field; field++) {
        char c = *field;
        if (c == '_') {
            capital = true;
            continue;
        }
        if (capital && c >= 'a' && c <= 'z')
            c = (char) (c - 'a' + 'A');
        capital = false;
        if (*entry++ != c)
            return false;
    }
    return strcmp(entry, "Entry") == 0;
}

/* A list of what may be the entries of a map. */
static bool is_list_of_entries(const ProtobufCFieldDescriptor *f) {
    const ProtobufCMessageDescriptor *entry = f->descriptor;
    if (f->label != PROTOBUF_C_LABEL_REPEATED ||
        f->type != PROTOBUF_C_TYPE_MESSAGE)
        return false;
    if (entry->magic != PROTOBUF_C__MESSAGE_DESCRIPTOR_MAGIC ||
        entry->n_fields != 2 || !entry->fields)
        return false;
    return is_entry_field(&entry->fields[0], 1) &&
           is_entry_field(&entry->fields[1], 2) &&
           is_map_key_type(entry->fields[0].type) &&
           !is_group(entry, &entry->fields[1]);
}

static bool is_map(const ProtobufCMessageDescriptor *parent,
                   const ProtobufCFieldDescriptor *f) {
    const ProtobufCMessageDescriptor *entry = f->descriptor;
    const pbti_field_facts *facts = pbti_field_fact(parent, f);
    if (!is_list_of_entries(f))
        return false;
    if (facts)
        return facts->is_map;
    return parent->name && f->name && entry->name &&
           is_entry_name(entry->name, parent->name, f->name);
}

/* compat: protobuf-c's test of a field without label, which compares floats
 * with 0, and of bytes only the length. */
static bool is_zero(const ProtobufCFieldDescriptor *f, const void *member,
                    unsigned presence) {
    bool by_bits = (presence & PBT_REFLECT_NEGATIVE_ZERO) != 0;
    uint64_t bits = 0;
    float single;
    double twice;
    switch ((unsigned) f->type) {
    case PROTOBUF_C_TYPE_STRING: {
        const char *s = pbti_load_pointer(member);
        return !s || *s == '\0';
    }
    case PROTOBUF_C_TYPE_MESSAGE:
        return !pbti_load_pointer(member);
    case PROTOBUF_C_TYPE_BYTES:
        return load_bytes(member).len == 0;
    case PROTOBUF_C_TYPE_FLOAT:
        memcpy(&single, member, sizeof single);
        return by_bits ? pbti_load32(member) == 0 : single == 0;
    case PROTOBUF_C_TYPE_DOUBLE:
        memcpy(&twice, member, sizeof twice);
        return by_bits ? pbti_load64(member) == 0 : twice == 0;
    default:
        memcpy(&bits, member, size_of_type(f->type));
        return bits == 0;
    }
}

/* compat: a pointer that is the default counts as unset, except in a field
 * without label. */
static bool is_set_pointer(const ProtobufCFieldDescriptor *f,
                           const void *member, unsigned presence) {
    const void *pointer = pbti_load_pointer(member);
    if (f->type == PROTOBUF_C_TYPE_MESSAGE &&
        (presence & PBT_REFLECT_DEFAULT_MESSAGE))
        return pointer != NULL;
    return pointer && pointer != f->default_value;
}

static bool is_present(const ProtobufCFieldDescriptor *f, const uint8_t *msg,
                       unsigned presence) {
    const void *member = msg + f->offset;
    const void *quantifier = msg + f->quantifier_offset;
    if (is_oneof_member(f))
        return pbti_load32(quantifier) == f->id &&
               (!is_pointer(f) || is_set_pointer(f, member, presence));
    if (f->label == PROTOBUF_C_LABEL_NONE)
        return !is_zero(f, member, presence);
    if (is_pointer(f))
        return is_set_pointer(f, member, presence);
    return load_signed32(quantifier) != 0;
}

_Static_assert(sizeof(protobuf_c_boolean) == sizeof(int32_t),
               "has-flags and bools are read as 32 bits");

static void count_repeated(const ProtobufCMessageDescriptor *type,
                           const ProtobufCFieldDescriptor *f,
                           const uint8_t *msg, pbt_reflect_field *field) {
    field->traits |= PBT_REFLECT_REPEATED;
    if (is_packed(f))
        field->traits |= PBT_REFLECT_PACKED;
    if (is_map(type, f))
        field->traits |= PBT_REFLECT_MAP;
    field->count = pbti_load_size(msg + f->quantifier_offset);
    field->data = pbti_load_pointer(msg + f->offset);
    if (field->count > 0 && !field->data)
        field->traits |= PBT_REFLECT_UNREACHABLE;
}

static void count_singular(const ProtobufCFieldDescriptor *f,
                           const uint8_t *msg, unsigned presence,
                           pbt_reflect_field *field) {
    field->data = msg + f->offset;
    if (f->label == PROTOBUF_C_LABEL_REQUIRED) {
        field->traits |= PBT_REFLECT_REQUIRED;
        field->count = 1;
    } else if (is_present(f, msg, presence)) {
        field->count = 1;
    } else if (presence & PBT_REFLECT_WHOLE_ENTRY) {
        field->traits |= PBT_REFLECT_ABSENT;
        field->count = 1;
    }
}

static pbt_status read_field(const pbt_reflect_message *m, size_t index,
                             unsigned presence, pbt_reflect_field *field,
                             const char **why) {
    const ProtobufCMessageDescriptor *type = load_descriptor(m);
    const ProtobufCFieldDescriptor *f = &type->fields[index];
    pbt_status status;
    field->name = f->name;
    field->number = f->id;
    field->def = f;
    status = check_field(type, index, why);
    if (status != PBT_OK)
        return status;
    field->type =
        is_group(type, f) ? PBT_REFLECT_GROUP : translate_type(f->type);
    if (f->label == PROTOBUF_C_LABEL_REPEATED)
        count_repeated(type, f, m->msg, field);
    else
        count_singular(f, m->msg, presence, field);
    return PBT_OK;
}

static uint64_t read_number(const ProtobufCFieldDescriptor *f, const void *at) {
    switch ((unsigned) f->type) {
    case PROTOBUF_C_TYPE_BOOL:
        return load_signed32(at) != 0;
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
    case PROTOBUF_C_TYPE_ENUM:
        return load_signed32(at);
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_FLOAT:
        return pbti_load32(at);
    default:
        return pbti_load64(at);
    }
}

/* A string or a message. */
static pbt_status read_pointer(const pbt_reflect_field *field, const void *at,
                               pbt_reflect_value *value, const char **why) {
    const ProtobufCFieldDescriptor *f = field->def;
    const void *pointer = pbti_load_pointer(at);
    if (!pointer && (field->traits & PBT_REFLECT_REPEATED))
        return refuse_message(why, "the element is NULL");
    value->absent = !pointer;
    if (!pointer)
        return PBT_OK;
    if (f->type == PROTOBUF_C_TYPE_STRING) {
        value->as.run.data = pointer;
        value->as.run.len = strlen(pointer);
        return PBT_OK;
    }
    value->as.message.msg = pointer;
    value->entry = (field->traits & PBT_REFLECT_MAP) &&
                   load_descriptor(&value->as.message) == f->descriptor;
    return PBT_OK;
}

static pbt_status read_value(const pbt_reflect_message *m,
                             pbt_reflect_field *field, size_t index,
                             pbt_reflect_value *value, const char **why) {
    const ProtobufCFieldDescriptor *f = field->def;
    const uint8_t *at = field->data;
    (void) m;
    if (field->traits & PBT_REFLECT_ABSENT) {
        value->absent = is_pointer(f);
        return PBT_OK;
    }
    at += index * size_of_type(f->type);
    if (is_pointer(f))
        return read_pointer(field, at, value, why);
    if (f->type == PROTOBUF_C_TYPE_BYTES) {
        ProtobufCBinaryData bytes = load_bytes(at);
        value->as.run.data = bytes.data;
        value->as.run.len = bytes.len;
    } else {
        value->as.bits = read_number(f, at);
    }
    return PBT_OK;
}

static pbt_status read_unknown(const pbt_reflect_message *m, size_t index,
                               pbt_reflect_unknown *unknown, const char **why) {
    const ProtobufCMessage base = load_base(m);
    ProtobufCMessageUnknownField u;
    if (!base.unknown_fields)
        return refuse_message(why, "unknown_fields is NULL but not empty");
    memcpy(&u, &base.unknown_fields[index], sizeof u);
    unknown->tagged = true;
    unknown->number = u.tag;
    unknown->wire_type = (uint32_t) u.wire_type;
    unknown->data = u.data;
    unknown->len = u.len;
    return PBT_OK;
}

static void read_default(const ProtobufCFieldDescriptor *f,
                         pbt_reflect_value *value) {
    const void *declared = f->default_value;
    if (f->type == PROTOBUF_C_TYPE_STRING) {
        value->as.run.data = declared ? declared : "";
        value->as.run.len = declared ? strlen(declared) : 0;
    } else if (declared && f->type == PROTOBUF_C_TYPE_BYTES) {
        ProtobufCBinaryData bytes = load_bytes(declared);
        value->as.run.data = bytes.data;
        value->as.run.len = bytes.len;
    } else if (declared && f->type != PROTOBUF_C_TYPE_MESSAGE) {
        value->as.bits = read_number(f, declared);
    }
}

static bool has_names(const ProtobufCEnumDescriptor *values) {
    unsigned i;
    for (i = 0; values && i < values->n_values; i++)
        if (!values->values[i].name)
            return false;
    return values != NULL;
}

static void read_detail(const pbt_reflect_message *m,
                        const pbt_reflect_field *field,
                        const pbt_schema *schema, pbt_reflect_detail *detail) {
    const ProtobufCMessageDescriptor *type = load_descriptor(m);
    const ProtobufCFieldDescriptor *f = field->def;
    const ProtobufCMessageDescriptor *sub = f->descriptor;
    const pbti_type_facts *all =
        schema ? pbti_schema_facts(schema, type) : pbti_facts(type);
    const pbti_field_facts *facts = all ? &all->fields[f - type->fields] : NULL;
    if (facts) {
        detail->json_name = facts->json_name;
        detail->is_foreign = facts->is_extension;
        detail->is_text = facts->is_string && f->type == PROTOBUF_C_TYPE_BYTES;
        detail->is_list = !facts->is_map;
        detail->is_map = facts->is_map && is_list_of_entries(f);
        if (!f->name)
            detail->name = pbti_field_name(f, facts);
    }
    if (is_oneof_member(f))
        detail->oneof = f->quantifier_offset;
    detail->is_implicit = f->label == PROTOBUF_C_LABEL_NONE;
    detail->has_default =
        f->label == PROTOBUF_C_LABEL_OPTIONAL && f->default_value;
    if (f->type == PROTOBUF_C_TYPE_MESSAGE)
        detail->type_name = sub->name;
    if (f->type == PROTOBUF_C_TYPE_ENUM) {
        const ProtobufCFieldDescriptor *named = pbti_named_enum_field(f, facts);
        const ProtobufCEnumDescriptor *values = named->descriptor;
        detail->names_def = named;
        detail->type_name = values ? values->name : NULL;
        detail->is_nameless = !has_names(values);
    }
    read_default(f, &detail->unset);
}

static const char *find_enum_name(const pbt_reflect_field *field,
                                  int32_t number) {
    const ProtobufCFieldDescriptor *f = field->def;
    const ProtobufCEnumDescriptor *values = f->descriptor;
    unsigned i;
    for (i = 0; values && i < values->n_values; i++)
        if (values->values[i].value == number)
            return values->values[i].name;
    return NULL;
}

static pbt_status make_blank(const pbt_reflect_field *field,
                             pbt_reflect_made *made) {
    const ProtobufCFieldDescriptor *f = field->def;
    const ProtobufCMessageDescriptor *type = f->descriptor;
    ProtobufCMessage *message =
        pbti_alloc(made->allocator, type->sizeof_message);
    if (!message)
        return PBT_ERR_NO_MEMORY;
    memset(message, 0, type->sizeof_message);
    message->descriptor = type;
    if (type->message_init)
        type->message_init(message);
    made->message.msg = message;
    made->memory = message;
    return PBT_OK;
}

static pbt_status make_payload(const pbt_reflect_message *any,
                               const pbt_json_options *json, const char *name,
                               size_t name_len, const void *data, size_t len,
                               pbt_reflect_made *made, const char **why) {
    const pbt_options options = {.flags = PBT_ALLOW_PARTIAL,
                                 .max_depth = json->max_depth,
                                 .allocator = json->allocator};
    const ProtobufCMessageDescriptor *type =
        pbt_schema_message(json->schema, name);
    ProtobufCMessage *message = NULL;
    pbt_arena *arena;
    pbt_status status;
    (void) any;
    (void) name_len; /* a string of protobuf-c ends where it ends */
    if (!type)
        return PBT_ERR_NOT_FOUND;
    arena = pbt_arena_new(json->allocator, 0);
    if (!arena)
        return PBT_ERR_NO_MEMORY;
    status = pbt_unmarshal(type, data, len, &options, arena, &message);
    if (status == PBT_OK) {
        made->message.msg = message;
        made->memory = arena;
        made->is_arena = true;
        return PBT_OK;
    }
    if (status == PBT_ERR_MALFORMED)
        *why = "the value of the Any is not of its type";
    pbt_arena_free(arena);
    return status;
}

static void drop_made(pbt_reflect_made *made) {
    if (made->is_arena)
        pbt_arena_free(made->memory);
    else
        pbti_free(made->allocator, made->memory);
}

const pbt_reflection pbt_reflection_protobuf_c = {
    .root = read_root,
    .shape = read_shape,
    .field = read_field,
    .value = read_value,
    .unknown = read_unknown,
    .detail = read_detail,
    .enum_name = find_enum_name,
    .blank = make_blank,
    .payload = make_payload,
    .drop = drop_made,
};
