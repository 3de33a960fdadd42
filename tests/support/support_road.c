/* support_road.c - see support_road.h. */
#include "support_road.h"

#include "base_compiler.h"
#include "support_expect.h"
#include "support_output.h"

static pbt_status size_by_reflection(const ProtobufCMessage *message,
                                     const pbt_options *options, size_t *size) {
    return pbt_reflect_size(&pbt_reflection_protobuf_c, message, options, size);
}

static pbt_status marshal_by_reflection(const ProtobufCMessage *message,
                                        const pbt_options *options,
                                        pbt_buffer *buffer) {
    return pbt_reflect_marshal(&pbt_reflection_protobuf_c, message, options,
                               buffer);
}

static pbt_status check_by_reflection(const ProtobufCMessage *message,
                                      const pbt_options *options) {
    return pbt_reflect_check_required(&pbt_reflection_protobuf_c, message,
                                      options);
}

static pbt_status validate_by_reflection(const ProtobufCMessage *message,
                                         const pbt_options *options) {
    return pbt_reflect_validate(&pbt_reflection_protobuf_c, message, options);
}

const road roads[N_ROADS] = {
    {"fast", pbt_size, pbt_marshal, pbt_check_required, pbt_validate},
    {"reflection", size_by_reflection, marshal_by_reflection,
     check_by_reflection, validate_by_reflection},
};

/* Which missing field is named first is not promised where a message is not of
 * the type its field promises. */
static void compare_errors(const char *what, const ProtobufCMessage *message,
                           const pbt_status status[N_ROADS],
                           const pbt_error errors[N_ROADS]) {
    expect_status(what, status[0], status[1]);
    if (status[0] == PBT_OK)
        return;
    expect_status("status in the report", errors[0].status, status[0]);
    if (status[0] != PBT_ERR_REQUIRED || !message_holds_foreign(message))
        expect_same_error(what, &errors[0], &errors[1]);
}

static bool element_is_foreign(const ProtobufCFieldDescriptor *f,
                               const ProtobufCMessage *sub) {
    return sub && sub->descriptor &&
           (sub->descriptor != f->descriptor || message_holds_foreign(sub));
}

bool message_holds_foreign(const ProtobufCMessage *message) {
    const ProtobufCMessageDescriptor *type = message->descriptor;
    const char *base = (const char *) message;
    unsigned i;
    size_t n, k;
    for (i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &type->fields[i];
        const void *sub = base + f->offset;
        const void *quantifier = base + f->quantifier_offset;
        if (f->type != PROTOBUF_C_TYPE_MESSAGE ||
            (f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF &&
             pbti_load32(quantifier) != f->id))
            continue;
        n = 1;
        if (f->label == PROTOBUF_C_LABEL_REPEATED) {
            n = pbti_load_size(quantifier);
            sub = pbti_load_pointer(sub);
        }
        for (k = 0; sub && k < n; k++)
            if (element_is_foreign(f, pbti_load_pointer((const char *) sub +
                                                        k * sizeof(void *))))
                return true;
    }
    return false;
}

/* The fast check does not visit types that cannot lack a field, so of errors
 * other than a missing field it sees fewer. */
static void compare_required_checks(const ProtobufCMessage *message,
                                    const pbt_options *options) {
    pbt_error errors[N_ROADS] = {{0}};
    pbt_status status[N_ROADS];
    int i;
    for (i = 0; i < N_ROADS; i++) {
        pbt_options with_error = *options;
        with_error.error = &errors[i];
        status[i] = roads[i].check_required(message, &with_error);
    }
    if (status[1] != PBT_OK && status[1] != PBT_ERR_REQUIRED &&
        status[0] != status[1])
        return;
    if (status[1] == PBT_ERR_REQUIRED && message_holds_foreign(message)) {
        expect_true("OK or REQUIRED",
                    status[0] == PBT_OK || status[0] == PBT_ERR_REQUIRED);
        return;
    }
    compare_errors("check_required", message, status, errors);
}

static void compare_validation(const ProtobufCMessage *message,
                               const pbt_options *options) {
    pbt_error errors[N_ROADS] = {{0}};
    pbt_status status[N_ROADS];
    int i;
    for (i = 0; i < N_ROADS; i++) {
        pbt_options with_error = *options;
        with_error.error = &errors[i];
        status[i] = roads[i].validate(message, &with_error);
    }
    compare_errors("validate", message, status, errors);
}

static void compare_sizes(const ProtobufCMessage *message,
                          const pbt_options *options) {
    pbt_error errors[N_ROADS] = {{0}};
    pbt_status status[N_ROADS];
    size_t sizes[N_ROADS] = {1, 2};
    int i;
    for (i = 0; i < N_ROADS; i++) {
        pbt_options with_error = *options;
        with_error.error = &errors[i];
        status[i] = roads[i].size(message, &with_error, &sizes[i]);
    }
    compare_errors("size", message, status, errors);
    expect_number("size", sizes[0], sizes[1]);
}

pbt_status roads_compare_options(const ProtobufCMessage *message,
                                 const pbt_options *options) {
    pbt_error errors[N_ROADS] = {{0}};
    pbt_status status[N_ROADS];
    pbt_buffer buffers[N_ROADS] = {{0}};
    int i;
    for (i = 0; i < N_ROADS; i++) {
        pbt_options with_error = *options;
        with_error.error = &errors[i];
        status[i] = roads[i].marshal(message, &with_error, &buffers[i]);
    }
    compare_errors("marshal", message, status, errors);
    expect_bytes("marshal on both roads", buffers[0].data, buffers[0].len,
                 buffers[1].data, buffers[1].len);
    if (status[0] == PBT_OK)
        output_expect(message, options, buffers[1].data, buffers[1].len);
    else
        output_expect_error(message, options, status[0]);
    for (i = 0; i < N_ROADS; i++)
        pbt_buffer_free(&buffers[i]);
    compare_sizes(message, options);
    compare_validation(message, options);
    compare_required_checks(message, options);
    return status[0];
}

pbt_status roads_compare(const ProtobufCMessage *message, uint32_t flags) {
    pbt_options options = {0};
    options.flags = flags;
    return roads_compare_options(message, &options);
}

void roads_expect(const ProtobufCMessage *message, uint32_t flags,
                  const void *bytes, size_t len) {
    pbt_options options = {0};
    pbt_buffer buffer = {0};
    options.flags = flags;
    expect_status("reflection road",
                  marshal_by_reflection(message, &options, &buffer), PBT_OK);
    expect_bytes("reflection road", buffer.data, buffer.len, bytes, len);
    pbt_buffer_free(&buffer);
    expect_status("both roads", roads_compare(message, flags), PBT_OK);
}

void roads_expect_error(const ProtobufCMessage *message, uint32_t flags,
                        pbt_status status, const char *path, uint32_t number) {
    pbt_options options = {0};
    pbt_buffer buffer = {0};
    pbt_error error = {0};
    options.flags = flags;
    options.error = &error;
    expect_status("reflection road",
                  marshal_by_reflection(message, &options, &buffer), status);
    expect_text("path", error.path, path);
    expect_number("field number", error.field_number, number);
    pbt_buffer_free(&buffer);
    expect_status("both roads", roads_compare(message, flags), status);
}
