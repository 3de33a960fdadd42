/* reflect_upb.c - upb messages for the reflection road, as a library of its
 * own.
 *
 * Values are read through upb's own reflection; the order of the fields comes
 * from the mini table, which is sorted by number, and the extensions are found
 * in the message. A map is read as a repeated field of entries, which are no
 * messages to upb: for them the words of a pbt_reflect_message are the map, the
 * type of the entry, and the iterator plus one.
 */
#include <string.h>

#include <ruby-upb.h>

#include <pbturbo/upb.h>

static pbt_status refuse_type(const char **why, const char *reason) {
    *why = reason;
    return PBT_ERR_BAD_DESCRIPTOR;
}

static pbt_status refuse_message(const char **why, const char *reason) {
    *why = reason;
    return PBT_ERR_BAD_MESSAGE;
}

static bool is_entry(const pbt_reflect_message *m) {
    return m->extra != 0;
}

static pbt_reflect_message read_root(const void *msg) {
    const pbt_upb_message *root = msg;
    pbt_reflect_message m = {0};
    m.msg = root->message;
    m.type = root->type;
    return m;
}

static const upb_Message_Extension *
find_extensions(const pbt_reflect_message *m, size_t *n) {
    const upb_MiniTable *table = upb_MessageDef_MiniTable(m->type);
    *n = 0;
    if (is_entry(m) || table->ext == kUpb_ExtMode_NonExtendable)
        return NULL;
    return _upb_Message_Getexts(m->msg, n);
}

static pbt_status read_shape(const pbt_reflect_message *m,
                             pbt_reflect_shape *shape, const char **why) {
    const upb_MessageDef *type = m->type;
    size_t n_extensions, n_unknown_bytes = 0;
    if (!type)
        return refuse_type(why, "the message has no type");
    shape->type_name = upb_MessageDef_FullName(type);
    shape->type = type;
    if (!m->msg)
        return refuse_message(why, "there is no message");
    if (upb_MessageDef_MiniTable(type)->ext == kUpb_ExtMode_IsMessageSet)
        return refuse_type(why, "a message set cannot be read");
    if (!is_entry(m))
        (void) upb_Message_GetUnknown(m->msg, &n_unknown_bytes);
    (void) find_extensions(m, &n_extensions);
    shape->n_fields = (size_t) upb_MessageDef_FieldCount(type) + n_extensions;
    shape->n_unknown = n_unknown_bytes > 0;
    return PBT_OK;
}

/* How many fields of the type itself have a smaller number. */
static size_t n_fields_before(const upb_MiniTable *table, uint32_t number) {
    size_t low = 0, high = table->field_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (table->fields[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The place of an extension among all fields of a message. */
static size_t rank_of(const upb_MiniTable *table,
                      const upb_Message_Extension *extensions, size_t n,
                      uint32_t number) {
    size_t rank = n_fields_before(table, number), i;
    for (i = 0; i < n; i++)
        rank += extensions[i].ext->field.number < number;
    return rank;
}

/* Looked for by number first: upb takes it for granted that an extension is in
 * the pool. */
static const upb_FieldDef *
find_extension(const upb_MessageDef *type,
               const upb_Message_Extension *extension) {
    const upb_DefPool *pool = upb_FileDef_Pool(upb_MessageDef_File(type));
    const upb_FieldDef *f = upb_DefPool_FindExtensionByNumber(
        pool, type, (int32_t) extension->ext->field.number);
    if (f && _upb_FieldDef_ExtensionMiniTable(f) == extension->ext)
        return f;
    return NULL;
}

/* The field at an index in the order of numbers; NULL for an extension that
 * nothing is known of. */
static const upb_FieldDef *field_at(const pbt_reflect_message *m,
                                    size_t index) {
    const upb_MiniTable *table = upb_MessageDef_MiniTable(m->type);
    size_t n, n_smaller = 0, i;
    const upb_Message_Extension *extensions = find_extensions(m, &n);
    if (is_entry(m))
        return upb_MessageDef_FindFieldByNumber(m->type, (uint32_t) index + 1);
    for (i = 0; i < n; i++) {
        size_t rank =
            rank_of(table, extensions, n, extensions[i].ext->field.number);
        if (rank == index)
            return find_extension(m->type, &extensions[i]);
        n_smaller += rank < index;
    }
    return upb_MessageDef_FindFieldByNumber(
        m->type, table->fields[index - n_smaller].number);
}

static bool is_zero(const upb_FieldDef *f, upb_MessageValue v) {
    switch (upb_FieldDef_CType(f)) {
    case kUpb_CType_Bool:
        return !v.bool_val;
    case kUpb_CType_Float:
    case kUpb_CType_Int32:
    case kUpb_CType_UInt32:
    case kUpb_CType_Enum:
        return v.uint32_val == 0;
    case kUpb_CType_Double:
    case kUpb_CType_Int64:
    case kUpb_CType_UInt64:
        return v.uint64_val == 0;
    case kUpb_CType_String:
    case kUpb_CType_Bytes:
        return v.str_val.size == 0;
    case kUpb_CType_Message:
        break;
    }
    return v.msg_val == NULL;
}

static bool is_present(const upb_Message *msg, const upb_FieldDef *f) {
    if (upb_FieldDef_HasPresence(f) && !upb_Message_Has(msg, f))
        return false;
    if (upb_FieldDef_HasPresence(f) && !upb_FieldDef_IsSubMessage(f))
        return true;
    return !is_zero(f, upb_Message_Get(msg, f));
}

static void count_repeated(const upb_Message *msg, const upb_FieldDef *f,
                           pbt_reflect_field *field) {
    upb_MessageValue v = upb_Message_Get(msg, f);
    field->traits |= PBT_REFLECT_REPEATED;
    if (upb_FieldDef_IsMap(f)) {
        field->traits |= PBT_REFLECT_MAP | PBT_REFLECT_UNIQUE;
        field->data = v.map_val;
        field->count = v.map_val ? upb_Map_Size(v.map_val) : 0;
        return;
    }
    if (upb_FieldDef_IsPacked(f))
        field->traits |= PBT_REFLECT_PACKED;
    field->data = v.array_val;
    field->count = v.array_val ? upb_Array_Size(v.array_val) : 0;
}

static pbt_status read_field(const pbt_reflect_message *m, size_t index,
                             unsigned presence, pbt_reflect_field *field,
                             const char **why) {
    const upb_FieldDef *f = field_at(m, index);
    (void) presence;
    if (!f)
        return refuse_message(why, "an extension is not in the type's pool");
    field->name = upb_FieldDef_IsExtension(f) ? upb_FieldDef_FullName(f)
                                              : upb_FieldDef_Name(f);
    field->number = upb_FieldDef_Number(f);
    field->def = f;
    field->type = (uint8_t) upb_FieldDef_Type(f);
    if (is_entry(m)) {
        field->count = 1;
    } else if (upb_FieldDef_IsRepeated(f)) {
        count_repeated(m->msg, f, field);
    } else {
        if (upb_FieldDef_Label(f) == kUpb_Label_Required)
            field->traits |= PBT_REFLECT_REQUIRED;
        field->count = is_present(m->msg, f);
    }
    return PBT_OK;
}

/* The iterator of the entry before another one: goes back by growing strides
 * until there is an entry on the way, and on to the last of those. */
static size_t step_back(const upb_Map *map, size_t iterator) {
    size_t stride = 1, found, last;
    do {
        found = iterator > stride ? iterator - stride - 1 : kUpb_Map_Begin;
        (void) upb_MapIterator_Next(map, &found);
        stride *= 2;
    } while (found == iterator);
    do {
        last = found;
        (void) upb_MapIterator_Next(map, &found);
    } while (found != iterator);
    return last;
}

/* The iterator of an entry. Entries count from the last one on, since the last
 * is asked for first; upb_Encode, which writes backwards too, takes them in the
 * same order. Where the search has ended is kept in the field: the upper half
 * is the iterator, the lower the steps to it. */
static size_t seek_entry(pbt_reflect_field *field, size_t index) {
    const upb_Map *map = field->data;
    uint64_t wanted = field->count - index;
    uint64_t steps = (uint32_t) field->place;
    size_t iterator =
        steps > 0 ? (size_t) (field->place >> 32) : (size_t) kUpb_Map_Begin;
    for (; steps < wanted; steps++)
        (void) upb_MapIterator_Next(map, &iterator);
    for (; steps > wanted; steps--)
        iterator = step_back(map, iterator);
    field->place = (uint64_t) iterator << 32 | steps;
    return iterator;
}

static uint64_t bits_of(const upb_FieldDef *f, upb_MessageValue v) {
    switch (upb_FieldDef_CType(f)) {
    case kUpb_CType_Bool:
        return v.bool_val;
    case kUpb_CType_Int32:
    case kUpb_CType_Enum:
        return (uint64_t) (int64_t) v.int32_val;
    case kUpb_CType_Float:
    case kUpb_CType_UInt32:
        return v.uint32_val;
    case kUpb_CType_Double:
    case kUpb_CType_Int64:
    case kUpb_CType_UInt64:
    case kUpb_CType_String:
    case kUpb_CType_Bytes:
    case kUpb_CType_Message:
        break;
    }
    return v.uint64_val;
}

static pbt_status convert(const upb_FieldDef *f, upb_MessageValue v,
                          pbt_reflect_value *value, const char **why) {
    switch (upb_FieldDef_CType(f)) {
    case kUpb_CType_String:
    case kUpb_CType_Bytes:
        value->as.run.data = v.str_val.data;
        value->as.run.len = v.str_val.size;
        return PBT_OK;
    case kUpb_CType_Message:
        if (!v.msg_val)
            return refuse_message(why, "the element is NULL");
        value->as.message.msg = v.msg_val;
        value->as.message.type = upb_FieldDef_MessageSubDef(f);
        return PBT_OK;
    case kUpb_CType_Bool:
    case kUpb_CType_Float:
    case kUpb_CType_Int32:
    case kUpb_CType_UInt32:
    case kUpb_CType_Enum:
    case kUpb_CType_Double:
    case kUpb_CType_Int64:
    case kUpb_CType_UInt64:
        break;
    }
    value->as.bits = bits_of(f, v);
    return PBT_OK;
}

static pbt_status read_value(const pbt_reflect_message *m,
                             pbt_reflect_field *field, size_t index,
                             pbt_reflect_value *value, const char **why) {
    const upb_FieldDef *f = field->def;
    if (is_entry(m)) {
        size_t at = m->extra - 1;
        return convert(f,
                       field->number == 1 ? upb_MapIterator_Key(m->msg, at)
                                          : upb_MapIterator_Value(m->msg, at),
                       value, why);
    }
    if (field->traits & PBT_REFLECT_MAP) {
        value->as.message.msg = field->data;
        value->as.message.type = upb_FieldDef_MessageSubDef(f);
        value->as.message.extra = seek_entry(field, index) + 1;
        value->entry = true;
        return PBT_OK;
    }
    if (field->traits & PBT_REFLECT_REPEATED)
        return convert(f, upb_Array_Get(field->data, index), value, why);
    return convert(f, upb_Message_Get(m->msg, f), value, why);
}

static pbt_status read_unknown(const pbt_reflect_message *m, size_t index,
                               pbt_reflect_unknown *unknown, const char **why) {
    (void) index;
    (void) why;
    unknown->data = upb_Message_GetUnknown(m->msg, &unknown->len);
    return PBT_OK;
}

static void read_default(const upb_FieldDef *f, pbt_reflect_value *value) {
    const char *why = NULL;
    if (!upb_FieldDef_IsSubMessage(f) && !upb_FieldDef_IsRepeated(f))
        (void) convert(f, upb_FieldDef_Default(f), value, &why);
}

static void read_detail(const pbt_reflect_message *m,
                        const pbt_reflect_field *field,
                        const pbt_schema *schema, pbt_reflect_detail *detail) {
    const upb_FieldDef *f = field->def;
    const upb_OneofDef *oneof = upb_FieldDef_RealContainingOneof(f);
    const upb_FileDef *file = upb_FieldDef_File(f);
    bool of_proto3 = upb_FileDef_Syntax(file) == kUpb_Syntax_Proto3;
    (void) m;
    (void) schema;
    detail->is_extension = upb_FieldDef_IsExtension(f);
    if (!detail->is_extension)
        detail->json_name = upb_FieldDef_JsonName(f);
    if (oneof)
        detail->oneof = upb_OneofDef_Index(oneof) + (size_t) 1;
    detail->is_implicit = of_proto3 && (oneof || !upb_FieldDef_HasPresence(f));
    detail->has_default = upb_FieldDef_HasDefault(f) &&
                          upb_FieldDef_Label(f) == kUpb_Label_Optional;
    if (upb_FieldDef_IsSubMessage(f))
        detail->type_name =
            upb_MessageDef_FullName(upb_FieldDef_MessageSubDef(f));
    else if (upb_FieldDef_CType(f) == kUpb_CType_Enum)
        detail->type_name = upb_EnumDef_FullName(upb_FieldDef_EnumSubDef(f));
    read_default(f, &detail->unset);
}

static const char *find_enum_name(const pbt_reflect_field *field,
                                  int32_t number) {
    const upb_EnumValueDef *value = upb_EnumDef_FindValueByNumber(
        upb_FieldDef_EnumSubDef(field->def), number);
    return value ? upb_EnumValueDef_Name(value) : NULL;
}

static pbt_status status_of(upb_DecodeStatus status, const char **why) {
    switch (status) {
    case kUpb_DecodeStatus_Ok:
    case kUpb_DecodeStatus_MissingRequired:
        break;
    case kUpb_DecodeStatus_OutOfMemory:
        return PBT_ERR_NO_MEMORY;
    case kUpb_DecodeStatus_MaxDepthExceeded:
        return PBT_ERR_DEPTH;
    case kUpb_DecodeStatus_Malformed:
    case kUpb_DecodeStatus_BadUtf8:
        *why = "the value of the Any is not of its type";
        return PBT_ERR_MALFORMED;
    }
    return PBT_OK;
}

/* The type is looked for in the pool that the type of the Any is from. */
static pbt_status make_payload(const pbt_reflect_message *any,
                               const pbt_json_options *json, const char *name,
                               size_t name_len, const void *data, size_t len,
                               pbt_reflect_made *made, const char **why) {
    const upb_DefPool *pool = upb_FileDef_Pool(upb_MessageDef_File(any->type));
    const upb_MessageDef *type =
        upb_DefPool_FindMessageByNameWithSize(pool, name, name_len);
    upb_Arena *arena;
    upb_Message *message;
    pbt_status status;
    (void) json;
    if (!type)
        return PBT_ERR_NOT_FOUND;
    arena = upb_Arena_New();
    message = arena ? upb_Message_New(type, arena) : NULL;
    status = PBT_ERR_NO_MEMORY;
    if (message)
        status = status_of(
            upb_Decode(data, len, message, upb_MessageDef_MiniTable(type),
                       upb_DefPool_ExtensionRegistry(pool), 0, arena),
            why);
    if (status != PBT_OK) {
        if (arena)
            upb_Arena_Free(arena);
        return status;
    }
    made->message.msg = message;
    made->message.type = type;
    made->memory = arena;
    return PBT_OK;
}

static void drop_made(pbt_reflect_made *made) {
    upb_Arena_Free(made->memory);
}

const pbt_reflection pbt_reflection_upb = {
    .root = read_root,
    .shape = read_shape,
    .field = read_field,
    .value = read_value,
    .unknown = read_unknown,
    .detail = read_detail,
    .enum_name = find_enum_name,
    .payload = make_payload,
    .drop = drop_made,
};
