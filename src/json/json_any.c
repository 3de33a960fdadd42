/* json_any.c - google.protobuf.Any: a message behind its type's URL. */
#include "json_call.h"

static pbti_json_any fail(pbti_json_call *call, pbt_status status,
                          const char *sentence) {
    pbti_json_fail(call, status, PBTI_JSON_NO_ELEMENT, sentence);
    return PBTI_JSON_ANY_FAILED;
}

/* The type of a URL, or NULL. */
static const ProtobufCMessageDescriptor *find_type(const pbti_json_call *call,
                                                   const char *url) {
    const char *slash = strrchr(url, '/');
    if (!slash || !call->schema)
        return NULL;
    return call->services->find_type(call->schema, slash + 1);
}

/* What cannot be looked into. */
static pbti_json_any refuse(pbti_json_call *call, const char *url) {
    if (call->flags & PBT_JSON_ANY_RAW)
        return PBTI_JSON_ANY_AS_IT_IS;
    if (*url == '\0')
        return fail(call, PBT_ERR_VALUE, "the Any has a value and no type");
    if (!strchr(url, '/'))
        return fail(call, PBT_ERR_VALUE, "the type URL of the Any has no /");
    return fail(call, PBT_ERR_NOT_FOUND,
                "the type of the Any is not in the schema of the options");
}

pbti_json_any pbti_json_open_any(pbti_json_call *call, const char *msg,
                                 const ProtobufCFieldDescriptor *members,
                                 const ProtobufCMessage **payload,
                                 const pbti_json_type **type) {
    const ProtobufCMessageDescriptor *descriptor;
    const char *url = pbti_load_pointer(msg + members[0].offset);
    ProtobufCBinaryData value;
    ProtobufCMessage *made = NULL;
    pbt_options options = {.flags = PBT_ALLOW_PARTIAL,
                           .max_depth = call->max_depth,
                           .allocator = call->allocator};
    pbt_status status;
    memcpy(&value, msg + members[1].offset, sizeof value);
    if (!url)
        url = "";
    if (value.len > 0 && !value.data)
        return fail(call, PBT_ERR_BAD_MESSAGE,
                    "the data is NULL but not empty");
    if (*url == '\0' && value.len == 0)
        return PBTI_JSON_ANY_EMPTY;
    descriptor = find_type(call, url);
    if (!descriptor)
        return refuse(call, url);
    if (!call->payloads)
        call->payloads = pbt_arena_new(call->allocator, 0);
    if (!call->payloads)
        return fail(call, PBT_ERR_NO_MEMORY, NULL);
    status = call->services->unmarshal(descriptor, value.data, value.len,
                                       &options, call->payloads, &made);
    if (status == PBT_ERR_MALFORMED)
        return fail(call, status, "the value of the Any is not of its type");
    if (status != PBT_OK)
        return fail(call, status, pbt_status_message(status));
    *type = pbti_json_type_of(call, descriptor);
    *payload = made;
    return *type ? PBTI_JSON_ANY_OPENED : PBTI_JSON_ANY_FAILED;
}
