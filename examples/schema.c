/* schema.c - a type that the program was not compiled with: it is loaded from
 * what protoc writes of order.proto, and a message of it is made, read and
 * changed by the names of its fields.
 *
 *     protoc --include_imports --descriptor_set_out=order.set order.proto
 *     ./schema order.set
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <pbturbo/pbturbo.h>

enum { LARGEST_SET = 1 << 16 };

static bool fail(const pbt_error *error) {
    fprintf(stderr, "%s: %s: %s\n", pbt_status_name(error->status), error->path,
            error->message);
    return false;
}

static pbt_schema *load(const char *path) {
    static char set[LARGEST_SET];
    pbt_error error = {0};
    pbt_schema *schema;
    size_t len;
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return NULL;
    }
    len = fread(set, 1, sizeof set, file);
    fclose(file);
    if (pbt_schema_load(set, len, &schema, &error) != PBT_OK)
        fail(&error);
    return schema;
}

/* The place of a field in a message, if it has the name and the type. */
static void *find(ProtobufCMessage *msg, const char *name, ProtobufCType type,
                  const ProtobufCFieldDescriptor **field) {
    *field =
        protobuf_c_message_descriptor_get_field_by_name(msg->descriptor, name);
    if (!*field || (*field)->type != type ||
        (*field)->label == PROTOBUF_C_LABEL_REPEATED)
        return NULL;
    return (char *) msg + (*field)->offset;
}

/* An optional number has a member beside it that says that it is there. */
static bool set_int32(ProtobufCMessage *msg, const char *name, int32_t value) {
    const protobuf_c_boolean has = 1;
    const ProtobufCFieldDescriptor *field;
    void *member = find(msg, name, PROTOBUF_C_TYPE_INT32, &field);
    if (!member)
        return false;
    memcpy(member, &value, sizeof value);
    if (field->label == PROTOBUF_C_LABEL_OPTIONAL)
        memcpy((char *) msg + field->quantifier_offset, &has, sizeof has);
    return true;
}

static bool get_int32(ProtobufCMessage *msg, const char *name, int32_t *value) {
    const ProtobufCFieldDescriptor *field;
    const void *member = find(msg, name, PROTOBUF_C_TYPE_INT32, &field);
    if (member)
        memcpy(value, member, sizeof *value);
    return member != NULL;
}

/* The message points to the text; it does not copy it. */
static bool set_string(ProtobufCMessage *msg, const char *name, char *text) {
    const ProtobufCFieldDescriptor *field;
    void *member = find(msg, name, PROTOBUF_C_TYPE_STRING, &field);
    if (member)
        memcpy(member, &text, sizeof text);
    return member != NULL;
}

static bool make_order(const ProtobufCMessageDescriptor *type, pbt_arena *arena,
                       pbt_buffer *bytes) {
    static char customer[] = "Ada";
    pbt_error error = {0};
    pbt_options options = {.error = &error};
    ProtobufCMessage *order = pbt_message_new(type, arena);
    if (!order || !set_string(order, "customer", customer) ||
        !set_int32(order, "quantity", 2))
        return false;
    if (pbt_marshal(order, &options, bytes) != PBT_OK)
        return fail(&error);
    return true;
}

/* Adds one to the quantity of an order. */
static bool change_order(const ProtobufCMessageDescriptor *type,
                         pbt_arena *arena, pbt_buffer *bytes) {
    pbt_error error = {0};
    pbt_options options = {.error = &error};
    ProtobufCMessage *order;
    int32_t quantity;
    if (pbt_unmarshal(type, bytes->data, bytes->len, &options, arena, &order) !=
        PBT_OK)
        return fail(&error);
    if (!get_int32(order, "quantity", &quantity) ||
        !set_int32(order, "quantity", quantity + 1))
        return false;
    printf("quantity %d, now %d\n", (int) quantity, (int) quantity + 1);
    if (pbt_marshal(order, &options, bytes) != PBT_OK)
        return fail(&error);
    printf("%zu bytes\n", bytes->len);
    return true;
}

int main(int argc, char **argv) {
    pbt_schema *schema = load(argc > 1 ? argv[1] : "order.set");
    const ProtobufCMessageDescriptor *type =
        pbt_schema_message(schema, "shop.Order");
    pbt_arena *arena = pbt_arena_new(NULL, 0);
    pbt_buffer bytes = {0};
    bool done = type && arena && make_order(type, arena, &bytes) &&
                change_order(type, arena, &bytes);
    if (!done)
        fprintf(stderr, "no shop.Order with customer and quantity\n");
    pbt_buffer_free(&bytes);
    pbt_arena_free(arena);
    pbt_schema_free(schema);
    return done ? 0 : 1;
}
