/* bench_walks.c - the program that writes the code of the codec rapidjson: for
 * each type of a dataset a C++ function that hands the members of its struct to
 * a RapidJSON writer, as somebody would write it by hand for that type. Offsets
 * and names are constants in it; no descriptor is read when it runs, but for
 * the pointers of string defaults.
 *
 * What the functions call is in bench_walk.h. A type with different options is
 * another type here.
 */
#include "bench_data.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pbturbo/json.h>

typedef struct walk {
    const ProtobufCMessageDescriptor *type;
    uint32_t flags;
} walk;

static walk *walks;
static size_t n_walks;

/* The number of a type's function, which is written when its turn comes. */
static size_t find_walk(const ProtobufCMessageDescriptor *type,
                        uint32_t flags) {
    for (size_t i = 0; i < n_walks; i++)
        if (walks[i].flags == flags &&
            strcmp(walks[i].type->name, type->name) == 0)
            return i;
    walks = bench_grow(walks, n_walks + 1, sizeof *walks);
    walks[n_walks] = (walk){type, flags};
    return n_walks++;
}

static bool is_named(const ProtobufCMessageDescriptor *type, const char *name) {
    static const char package[] = "google.protobuf.";
    size_t len = sizeof package - 1;
    return strncmp(type->name, package, len) == 0 &&
           strcmp(type->name + len, name) == 0;
}

static bool is_wrapper(const ProtobufCMessageDescriptor *type) {
    size_t len = strlen(type->name);
    return strncmp(type->name, "google.protobuf.", 16) == 0 && len > 21 &&
           strcmp(type->name + len - 5, "Value") == 0 &&
           !is_named(type, "ListValue");
}

/* Entries are nested types, named after the field, with a key and a value. */
static bool is_map(const ProtobufCMessageDescriptor *type,
                   const ProtobufCFieldDescriptor *field) {
    if (field->label != PROTOBUF_C_LABEL_REPEATED ||
        field->type != PROTOBUF_C_TYPE_MESSAGE)
        return false;
    const ProtobufCMessageDescriptor *entry = field->descriptor;
    size_t len = strlen(type->name);
    size_t entry_len = strlen(entry->name);
    return entry_len > len + 6 && strncmp(entry->name, type->name, len) == 0 &&
           entry->name[len] == '.' &&
           strcmp(entry->name + entry_len - 5, "Entry") == 0 &&
           entry->n_fields == 2 && entry->fields[0].id == 1 &&
           strcmp(entry->fields[0].name, "key") == 0 &&
           entry->fields[1].id == 2 &&
           strcmp(entry->fields[1].name, "value") == 0;
}

static void put_key_name(const ProtobufCFieldDescriptor *field,
                         uint32_t flags) {
    bool after_score = false;
    char name[256];
    size_t len = 0;
    for (const char *c = field->name; *c != '\0'; c++) {
        bool is_score = *c == '_' && !(flags & PBT_JSON_PROTO_NAMES);
        if (!is_score)
            name[len++] =
                (char) (after_score ? toupper((unsigned char) *c) : *c);
        after_score = is_score;
    }
    printf("w.Key(\"%.*s\", %zu); ", (int) len, name, len);
}

static void put_enum(const ProtobufCEnumDescriptor *values, const char *value) {
    if (strcmp(values->name, "google.protobuf.NullValue") == 0) {
        printf("w.Null();");
        return;
    }
    printf("switch (get<int32_t>(%s)) {", value);
    for (unsigned i = 0; i < values->n_values; i++)
        printf(" case %d: w.String(\"%s\", %zu); break;",
               values->values[i].value, values->values[i].name,
               strlen(values->values[i].name));
    printf(" default: w.Int(get<int32_t>(%s)); }", value);
}

/* A statement that writes the value at an address. */
static void put_value(const ProtobufCFieldDescriptor *field, const char *value,
                      uint32_t flags) {
    switch (field->type) {
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_SINT32:
    case PROTOBUF_C_TYPE_SFIXED32:
        printf("w.Int(get<int32_t>(%s));", value);
        break;
    case PROTOBUF_C_TYPE_UINT32:
    case PROTOBUF_C_TYPE_FIXED32:
        printf("w.Uint(get<uint32_t>(%s));", value);
        break;
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_SINT64:
    case PROTOBUF_C_TYPE_SFIXED64:
        printf("put_int64(w, get<int64_t>(%s));", value);
        break;
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_FIXED64:
        printf("put_uint64(w, get<uint64_t>(%s));", value);
        break;
    case PROTOBUF_C_TYPE_FLOAT:
        printf("put_number(w, get<float>(%s));", value);
        break;
    case PROTOBUF_C_TYPE_DOUBLE:
        printf("put_number(w, get<double>(%s));", value);
        break;
    case PROTOBUF_C_TYPE_BOOL:
        printf("w.Bool(get<int32_t>(%s) != 0);", value);
        break;
    case PROTOBUF_C_TYPE_ENUM:
        put_enum(field->descriptor, value);
        break;
    case PROTOBUF_C_TYPE_STRING:
        printf("put_string(w, get<const char *>(%s));", value);
        break;
    case PROTOBUF_C_TYPE_BYTES:
        printf("put_bytes(w, get<ProtobufCBinaryData>(%s));", value);
        break;
    case PROTOBUF_C_TYPE_MESSAGE:
        printf("walk_%zu(w, get<const char *>(%s));",
               find_walk(field->descriptor, flags), value);
        break;
    }
}

/* An integer of 64 bits. */
static bool is_wide(const ProtobufCFieldDescriptor *field) {
    return field->type == PROTOBUF_C_TYPE_INT64 ||
           field->type == PROTOBUF_C_TYPE_SINT64 ||
           field->type == PROTOBUF_C_TYPE_SFIXED64 ||
           field->type == PROTOBUF_C_TYPE_UINT64 ||
           field->type == PROTOBUF_C_TYPE_FIXED64;
}

/* A condition that is true when a singular field is there. */
static void put_presence(const ProtobufCMessageDescriptor *type,
                         const ProtobufCFieldDescriptor *field) {
    unsigned at = field->offset;
    bool is_text = field->type == PROTOBUF_C_TYPE_STRING;
    bool is_pointer = is_text || field->type == PROTOBUF_C_TYPE_MESSAGE;
    if (field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
        printf("get<uint32_t>(m + %u) == %u", field->quantifier_offset,
               field->id);
    else if (field->label == PROTOBUF_C_LABEL_NONE && is_text)
        printf("is_text(m + %u)", at);
    else if (field->label == PROTOBUF_C_LABEL_NONE &&
             field->type == PROTOBUF_C_TYPE_BYTES)
        printf("get<ProtobufCBinaryData>(m + %u).len > 0", at);
    else if (field->label == PROTOBUF_C_LABEL_OPTIONAL && is_text &&
             field->default_value != NULL)
        printf("is_no_default(m, %u, %u)", at,
               (unsigned) (field - type->fields));
    else if (is_pointer)
        printf("get<const void *>(m + %u) != nullptr", at);
    else if (field->label == PROTOBUF_C_LABEL_REQUIRED)
        printf("true");
    else if (field->label == PROTOBUF_C_LABEL_OPTIONAL)
        printf("get<int32_t>(m + %u) != 0", field->quantifier_offset);
    else if (field->type == PROTOBUF_C_TYPE_DOUBLE)
        printf("get<double>(m + %u) != 0", at);
    else if (field->type == PROTOBUF_C_TYPE_FLOAT)
        printf("get<float>(m + %u) != 0", at);
    else if (is_wide(field))
        printf("get<uint64_t>(m + %u) != 0", at);
    else
        printf("get<uint32_t>(m + %u) != 0", at);
}

static const char *element_size(const ProtobufCFieldDescriptor *field) {
    if (field->type == PROTOBUF_C_TYPE_STRING ||
        field->type == PROTOBUF_C_TYPE_MESSAGE)
        return "sizeof(void *)";
    if (field->type == PROTOBUF_C_TYPE_BYTES)
        return "sizeof(ProtobufCBinaryData)";
    return field->type == PROTOBUF_C_TYPE_DOUBLE || is_wide(field) ? "8" : "4";
}

/* Entries: the key as a string whatever it is, and the value. */
static void put_entry(const ProtobufCMessageDescriptor *entry, uint32_t flags) {
    const ProtobufCFieldDescriptor *key = &entry->fields[0];
    char value[32];
    snprintf(value, sizeof value, "e + %u", entry->fields[1].offset);
    printf("const char *e = get<const char *>(a); ");
    if (key->type == PROTOBUF_C_TYPE_STRING)
        printf("put_key(w, get<const char *>(e + %u)); ", key->offset);
    else if (is_wide(key))
        printf("put_key(w, get<uint64_t>(e + %u)); ", key->offset);
    else
        printf("put_key(w, static_cast<int64_t>(get<int32_t>(e + %u))); ",
               key->offset);
    put_value(&entry->fields[1], value, flags);
}

/* The value of a repeated field. */
static void put_elements(const ProtobufCMessageDescriptor *type,
                         const ProtobufCFieldDescriptor *field,
                         uint32_t flags) {
    bool as_map = is_map(type, field);
    printf("w.Start%s(); const char *a = get<const char *>(m + %u);\n"
           "        for (size_t i = 0; i < n; i++, a += %s) { ",
           as_map ? "Object" : "Array", field->offset, element_size(field));
    if (as_map)
        put_entry(field->descriptor, flags);
    else
        put_value(field, "a", flags);
    printf(" }\n        w.End%s();", as_map ? "Object" : "Array");
}

static void put_field(const ProtobufCMessageDescriptor *type,
                      const ProtobufCFieldDescriptor *field, uint32_t flags,
                      bool is_bare) {
    bool defaults = (flags & PBT_JSON_EMIT_DEFAULTS) != 0;
    char value[32];
    snprintf(value, sizeof value, "m + %u", field->offset);
    printf("    ");
    if (field->label == PROTOBUF_C_LABEL_REPEATED) {
        printf("{ size_t n = get<size_t>(m + %u);\n        ",
               field->quantifier_offset);
        if (!is_bare && !defaults)
            printf("if (n > 0) ");
        printf("{ ");
    } else {
        bool always = is_bare && !(field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF);
        always |= defaults && field->label == PROTOBUF_C_LABEL_NONE &&
                  field->type != PROTOBUF_C_TYPE_MESSAGE;
        printf("if (");
        if (always)
            printf("true");
        else
            put_presence(type, field);
        printf(") { ");
    }
    if (!is_bare)
        put_key_name(field, flags);
    if (field->label == PROTOBUF_C_LABEL_REPEATED) {
        put_elements(type, field, flags);
        printf(" }");
    } else {
        put_value(field, value, flags);
    }
    printf(" }\n");
}

/* One function. The content of a Struct, a Value and so on stands for itself.
 */
static void put_walk(size_t number) {
    const ProtobufCMessageDescriptor *type = walks[number].type;
    uint32_t flags = walks[number].flags;
    bool is_bare = is_named(type, "Struct") || is_named(type, "Value") ||
                   is_named(type, "ListValue") || is_wrapper(type);
    printf("/* %s */\nstatic void walk_%zu(Json &w, const char *m) {\n",
           type->name, number);
    if (!is_bare)
        printf("    w.StartObject();\n");
    for (unsigned i = 0; i < type->n_fields; i++)
        put_field(type, &type->fields[i], flags, is_bare);
    printf("    (void) m;\n");
    if (!is_bare)
        printf("    w.EndObject();\n");
    printf("}\n\n");
}

/* The schemas stay open: the types are used to the end. */
static const ProtobufCMessageDescriptor *type_of(const bench_source *source) {
    static struct {
        const char *name;
        bench_schema schema;
    } schemas[BENCH_MAX_SOURCES];
    char path[1024];
    const char *why;
    size_t i = 0;
    if (source->type != NULL)
        return source->type;
    while (schemas[i].name != NULL &&
           strcmp(schemas[i].name, source->schema) != 0)
        i++;
    if (schemas[i].name == NULL) {
        snprintf(path, sizeof path, "%s/%s.set", BENCH_SCHEMAS_DIR,
                 source->schema);
        if (!bench_schema_open(&schemas[i].schema, path, &why) ||
            !bench_schema_load(&schemas[i].schema, &why))
            return NULL;
        schemas[i].name = source->schema;
    }
    return pbt_schema_message(schemas[i].schema.types, source->type_name);
}

int main(void) {
    static size_t roots[BENCH_MAX_SOURCES];
    size_t n_roots = 0;
    printf("// Written by bench_walks.c.\n#include \"bench_walk.h\"\n\n"
           "struct Walks {\n");
    for (size_t i = 0; bench_sources[i].name != NULL; i++) {
        const ProtobufCMessageDescriptor *type = type_of(&bench_sources[i]);
        if (type != NULL && !is_named(type, "Timestamp"))
            roots[n_roots++] = find_walk(type, bench_sources[i].json_flags);
    }
    for (size_t i = 0; i < n_walks; i++)
        put_walk(i);
    printf("};\n\nconst bench_walk bench_walks[] = {\n");
    for (size_t i = 0; i < n_roots; i++)
        printf("    {\"%s\", %u, Walks::walk_%zu},\n",
               walks[roots[i]].type->name, (unsigned) walks[roots[i]].flags,
               roots[i]);
    printf("    {nullptr, 0, nullptr}};\n");
    return 0;
}
