/* tool_field.c - see tool_field.h. The reflection road knows; it is asked with
 * an empty message of the type, and the answer is kept. */
#include "tool_field.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <pbturbo/reflect.h>

#include "tool_report.h"

typedef struct answer {
    const ProtobufCFieldDescriptor *field;
    bool is_group;
    bool is_map;
} answer;

/* One answer for each of so many kinds of addresses. */
enum { N_ANSWERS = 256 };

static void ask(const ProtobufCMessageDescriptor *type, answer *to) {
    const pbt_reflection *road = &pbt_reflection_protobuf_c;
    pbt_reflect_field field = {0};
    const char *why = NULL;
    ProtobufCMessage *empty =
        (ProtobufCMessage *) tool_alloc(1, type->sizeof_message);
    empty->descriptor = type;
    pbt_reflect_message message = road->root(empty);
    pbt_status status = road->field(
        &message, (size_t) (to->field - type->fields), 0, &field, &why);
    free(empty);
    to->is_group = status == PBT_OK && field.type == PBT_REFLECT_GROUP;
    to->is_map = status == PBT_OK && (field.traits & PBT_REFLECT_MAP) != 0;
}

static const answer *answer_for(const ProtobufCMessageDescriptor *type,
                                const ProtobufCFieldDescriptor *field) {
    static answer answers[N_ANSWERS];
    answer *kept = &answers[(uintptr_t) field / sizeof *field % N_ANSWERS];
    if (kept->field != field) {
        kept->field = field;
        ask(type, kept);
    }
    return kept;
}

bool tool_is_group(const ProtobufCMessageDescriptor *type,
                   const ProtobufCFieldDescriptor *field) {
    return answer_for(type, field)->is_group;
}

bool tool_is_map(const ProtobufCMessageDescriptor *type,
                 const ProtobufCFieldDescriptor *field) {
    return answer_for(type, field)->is_map;
}
