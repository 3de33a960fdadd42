/* shim_service.c - services as protoc-c generates them: the struct of a service
 * is followed by an array with a function for each method. */
#include <string.h>

#include "shim.h"

/* A method. The first argument is the service, as generated code sees it. */
typedef void handler(void *service, const ProtobufCMessage *input,
                     ProtobufCClosure closure, void *closure_data);

/* compat: protobuf-c ends the program when there is no such method. */
PBTI_SHIM_API void protobuf_c_service_invoke_internal(
    ProtobufCService *service, unsigned method_index,
    const ProtobufCMessage *input, ProtobufCClosure closure,
    void *closure_data) {
    handler **handlers = (handler **) (void *) (service + 1);
    if (method_index < service->descriptor->n_methods && handlers[method_index])
        handlers[method_index](service, input, closure, closure_data);
}

/* compat: protobuf-c ends the program when the descriptor is none. */
PBTI_SHIM_API void
protobuf_c_service_generated_init(ProtobufCService *service,
                                  const ProtobufCServiceDescriptor *descriptor,
                                  ProtobufCServiceDestroy destroy) {
    bool is_one =
        descriptor && descriptor->magic == PROTOBUF_C__SERVICE_DESCRIPTOR_MAGIC;
    service->descriptor = descriptor;
    service->destroy = destroy;
    service->invoke = protobuf_c_service_invoke_internal;
    if (is_one && descriptor->n_methods > 0)
        memset(service + 1, 0, descriptor->n_methods * sizeof(handler *));
}

PBTI_SHIM_API void protobuf_c_service_destroy(ProtobufCService *service) {
    service->destroy(service);
}
