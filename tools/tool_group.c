/* tool_group.c - see tool_group.h. The reflection road knows; it is asked with
 * an empty message of the type, and the answer is kept. */
#include "tool_group.h"

#include <stdint.h>
#include <stdlib.h>

#include <pbturbo/reflect.h>

#include "tool_report.h"

static bool ask(const ProtobufCMessageDescriptor *type, size_t index) {
    const pbt_reflection *road = &pbt_reflection_protobuf_c;
    pbt_reflect_field field = {0};
    const char *why = NULL;
    ProtobufCMessage *empty =
        (ProtobufCMessage *) tool_alloc(1, type->sizeof_message);
    empty->descriptor = type;
    pbt_reflect_message message = road->root(empty);
    pbt_status status = road->field(&message, index, 0, &field, &why);
    free(empty);
    return status == PBT_OK && field.type == PBT_REFLECT_GROUP;
}

/* One answer for each of so many kinds of addresses. */
enum { N_ANSWERS = 256 };

bool tool_is_group(const ProtobufCMessageDescriptor *type,
                   const ProtobufCFieldDescriptor *field) {
    static struct {
        const ProtobufCFieldDescriptor *field;
        bool is_group;
    } answers[N_ANSWERS];
    size_t at = (uintptr_t) field / sizeof *field % N_ANSWERS;
    if (answers[at].field != field) {
        answers[at].field = field;
        answers[at].is_group = ask(type, (size_t) (field - type->fields));
    }
    return answers[at].is_group;
}
