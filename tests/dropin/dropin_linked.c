/* dropin_linked.c - an ordinary program: linked with libprotobuf-c, it prints
 * what its calls give, for a comparison of its runs with one library or
 * another. It packs in a constructor, and again in threads. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pthread.h>

#include "cases2.pb-c.h"
#include "cases3.pb-c.h"

enum { N_THREADS = 4, SIMPLE_SIZE = 64 };

/* No lock: one thread prints. */
static void print(const char *what, const uint8_t *bytes, size_t len) {
    size_t i;
    printf("%s %zu:", what, len);
    for (i = 0; i < len; i++)
        printf(" %02x", bytes[i]);
    putchar('\n');
}

static void count_calls(ProtobufCBuffer *base, size_t len,
                        const uint8_t *data) {
    ProtobufCBufferSimple *simple = (ProtobufCBufferSimple *) base;
    protobuf_c_buffer_simple_append(&simple->base, len, data);
}

static void show(const char *what, const ProtobufCMessage *message) {
    uint8_t *out = malloc(protobuf_c_message_get_packed_size(message) + 1);
    uint8_t pad[SIMPLE_SIZE];
    ProtobufCBufferSimple simple = PROTOBUF_C_BUFFER_SIMPLE_INIT(pad);
    if (!out)
        exit(EXIT_FAILURE);
    simple.base.append = count_calls;
    print(what, out, protobuf_c_message_pack(message, out));
    printf("to_buffer %zu\n",
           protobuf_c_message_pack_to_buffer(message, &simple.base));
    print(what, simple.data, simple.len);
    printf("check %d\n", (int) protobuf_c_message_check(message));
    PROTOBUF_C_BUFFER_SIMPLE_CLEAR(&simple);
    free(out);
}

static void show_all(void) {
    C2__Req req = C2__REQ__INIT;
    C2__Opt opt = C2__OPT__INIT;
    C2__Rep rep = C2__REP__INIT;
    C2__Node node = C2__NODE__INIT, below = C2__NODE__INIT;
    C3__Pl pl = C3__PL__INIT;
    int32_t values[] = {-1, 0, 300};
    char text[] = "text", *texts[] = {text, text};
    show("required", &req.base);
    opt.has_e = opt.has_i = opt.has_b = 1;
    opt.e = C2__E__NEG;
    opt.i = -5;
    opt.b = (ProtobufCBinaryData){4, (uint8_t *) text};
    show("optional", &opt.base);
    rep.n_pi = rep.n_i = rep.n_ps = 3;
    rep.pi = rep.i = rep.ps = values;
    rep.n_s = 2;
    rep.s = texts;
    show("repeated", &rep.base);
    node.n = &below;
    below.has_v = 1;
    show("nested", &node.base);
    pl.s = text;
    pl.f = -0.0f;
    show("implicit", &pl.base);
}

/* A type that the program changes as it goes, and a constant one that has it in
 * a field. */
static ProtobufCMessageDescriptor changing_type;
static const ProtobufCFieldDescriptor outer_fields[] = {
    {"n", 1, PROTOBUF_C_LABEL_OPTIONAL, PROTOBUF_C_TYPE_MESSAGE, 0,
     offsetof(C2__Node, n), &changing_type, NULL, 0, 0, NULL, NULL}};
static const unsigned outer_names[] = {0};
static const ProtobufCIntRange outer_ranges[] = {{1, 0}, {0, 1}};
static const ProtobufCMessageDescriptor outer_type = {
    PROTOBUF_C__MESSAGE_DESCRIPTOR_MAGIC,
    "Outer",
    "Outer",
    "Outer",
    "",
    sizeof(C2__Node),
    1,
    outer_fields,
    outer_names,
    1,
    outer_ranges,
    NULL,
    NULL,
    NULL,
    NULL};

/* v, which is read as a number of any type. */
static void show_unpacked(void) {
    static const uint8_t bytes[] = {0x0a, 2, 0x10, 5};
    C2__Node *outer = (C2__Node *) protobuf_c_message_unpack(
        &outer_type, NULL, sizeof bytes, bytes);
    printf("unpacked %d\n", outer ? (int) outer->n->v : 0);
    protobuf_c_message_free_unpacked((ProtobufCMessage *) outer, NULL);
}

static void show_changing(void) {
    static const ProtobufCType types[] = {
        PROTOBUF_C_TYPE_INT32, PROTOBUF_C_TYPE_SINT32, PROTOBUF_C_TYPE_FIXED32};
    static ProtobufCFieldDescriptor fields[2];
    C2__Node inner = C2__NODE__INIT, outer = C2__NODE__INIT;
    size_t i;
    memcpy(fields, c2__node__descriptor.fields, sizeof fields);
    changing_type = c2__node__descriptor;
    changing_type.fields = fields;
    changing_type.message_init = NULL;
    inner.base.descriptor = &changing_type;
    inner.has_v = 1;
    inner.v = -3;
    outer.base.descriptor = &outer_type;
    outer.n = &inner;
    for (i = 0; i < sizeof types / sizeof *types; i++) {
        fields[1].type = types[i];
        show("of a changed type", &inner.base);
        show("with one", &outer.base);
        show_unpacked();
    }
}

/* As in a program that is not position-independent, the address by which the
 * program knows the call is not that of the library. */
__attribute__((weak)) void protobuf_c_service_invoke_internal(
    ProtobufCService *service, unsigned method_index,
    const ProtobufCMessage *input, ProtobufCClosure closure,
    void *closure_data) {
    (void) service;
    (void) input;
    (void) closure;
    (void) closure_data;
    printf("invoke %u\n", method_index);
}

static void show_service(void) {
    static const ProtobufCServiceDescriptor type = {
        .magic = PROTOBUF_C__SERVICE_DESCRIPTOR_MAGIC, .name = "none"};
    ProtobufCService service;
    protobuf_c_service_generated_init(&service, &type, NULL);
    service.invoke(&service, 7, NULL, NULL, NULL);
}

static size_t early_size;

__attribute__((constructor)) static void pack_early(void) {
    C2__Req req = C2__REQ__INIT;
    early_size = protobuf_c_message_get_packed_size(&req.base);
}

static void *size_often(void *sum) {
    C2__Req req = C2__REQ__INIT;
    int i;
    for (i = 0; i < 1000; i++)
        *(size_t *) sum += protobuf_c_message_get_packed_size(&req.base);
    return NULL;
}

int main(void) {
    pthread_t threads[N_THREADS];
    size_t sums[N_THREADS] = {0}, i;
    for (i = 0; i < N_THREADS; i++)
        if (pthread_create(&threads[i], NULL, size_often, &sums[i]) != 0)
            return EXIT_FAILURE;
    for (i = 0; i < N_THREADS; i++) {
        pthread_join(threads[i], NULL);
        printf("in a thread %zu\n", sums[i]);
    }
    printf("early %zu\n", early_size);
    show_all();
    show_changing();
    show_service();
    return EXIT_SUCCESS;
}
