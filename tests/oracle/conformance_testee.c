/* conformance_testee.c - answers the requests of Google's conformance runner.
 *
 * Usage: conformance_testee SET ROAD
 *
 * The test messages are loaded at run time from SET, a FileDescriptorSet. Each
 * request is unmarshalled, marshalled by ROAD (wire or reflect), and sent back.
 * The runner gives the program's name once more before its arguments.
 * Requests and responses come with a little-endian length of four bytes.
 * Formats that pbturbo does not read or write are skipped. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pbturbo/pbturbo.h>
#include <pbturbo/schema.h>
#include <pbturbo/unmarshal.h>

#include "conformance.pb-c.h"

typedef Conformance__ConformanceRequest request_message;
typedef Conformance__ConformanceResponse response_message;

typedef struct testee {
    pbt_schema *schema;
    pbt_arena *arena;
    pbt_buffer output;   /* of the message in the request */
    pbt_buffer response; /* around it */
    bool by_reflection;
} testee;

static void die(const char *what, const char *why) {
    fprintf(stderr, "conformance_testee: %s: %s\n", what, why);
    exit(2);
}

static void die_unless_ok(const char *what, pbt_status status) {
    if (status != PBT_OK)
        die(what, pbt_status_message(status));
}

static bool read_exactly(void *data, size_t len) {
    return fread(data, 1, len, stdin) == len;
}

static uint8_t *read_file(const char *name, size_t *len) {
    FILE *file = fopen(name, "rb");
    uint8_t *data = NULL;
    size_t got = 0, capacity = 0;
    if (!file)
        die(name, "cannot be opened");
    do {
        capacity += 1 << 16;
        data = realloc(data, capacity);
        if (!data)
            die(name, "no memory");
        got += fread(data + got, 1, capacity - got, file);
    } while (got == capacity);
    if (ferror(file))
        die(name, "cannot be read");
    fclose(file);
    *len = got;
    return data;
}

static void load_schema(testee *t, const char *name) {
    pbt_error error;
    size_t len;
    uint8_t *set = read_file(name, &len);
    if (pbt_schema_load(set, len, &t->schema, &error) != PBT_OK)
        die(name, error.message);
    free(set);
}

static void fail_with(response_message *response,
                      Conformance__ConformanceResponse__ResultCase which,
                      char *text) {
    response->result_case = which;
    response->parse_error = text;
}

static pbt_status marshal(testee *t, const ProtobufCMessage *msg,
                          const pbt_options *options) {
    if (t->by_reflection)
        return pbt_reflect_marshal(&pbt_reflection_protobuf_c, msg, options,
                                   &t->output);
    return pbt_marshal(msg, options, &t->output);
}

static void round_trip(testee *t, const request_message *request,
                       response_message *response, pbt_error *error) {
    const ProtobufCMessageDescriptor *type =
        pbt_schema_message(t->schema, request->message_type);
    pbt_options options = {.flags = PBT_CONFORMANT, .error = error};
    ProtobufCMessage *msg;
    if (!type) {
        fail_with(response,
                  CONFORMANCE__CONFORMANCE_RESPONSE__RESULT_RUNTIME_ERROR,
                  request->message_type);
        return;
    }
    if (pbt_unmarshal(type, request->protobuf_payload.data,
                      request->protobuf_payload.len, &options, t->arena,
                      &msg) != PBT_OK) {
        fail_with(response,
                  CONFORMANCE__CONFORMANCE_RESPONSE__RESULT_PARSE_ERROR,
                  error->message);
        return;
    }
    if (marshal(t, msg, &options) != PBT_OK) {
        fail_with(response,
                  CONFORMANCE__CONFORMANCE_RESPONSE__RESULT_SERIALIZE_ERROR,
                  error->message);
        return;
    }
    response->result_case =
        CONFORMANCE__CONFORMANCE_RESPONSE__RESULT_PROTOBUF_PAYLOAD;
    response->protobuf_payload.data = t->output.data;
    response->protobuf_payload.len = t->output.len;
}

static void answer(testee *t, const uint8_t *data, size_t len) {
    static char not_binary[] = "only the binary format is handled";
    response_message response = CONFORMANCE__CONFORMANCE_RESPONSE__INIT;
    request_message *request;
    ProtobufCMessage *msg;
    pbt_error error = {0};
    die_unless_ok("request",
                  pbt_unmarshal(&conformance__conformance_request__descriptor,
                                data, len, NULL, t->arena, &msg));
    request = (request_message *) msg;
    if (request->payload_case !=
            CONFORMANCE__CONFORMANCE_REQUEST__PAYLOAD_PROTOBUF_PAYLOAD ||
        request->requested_output_format != CONFORMANCE__WIRE_FORMAT__PROTOBUF)
        fail_with(&response, CONFORMANCE__CONFORMANCE_RESPONSE__RESULT_SKIPPED,
                  not_binary);
    else
        round_trip(t, request, &response, &error);
    die_unless_ok("response", pbt_marshal(&response.base, NULL, &t->response));
}

static void write_response(const pbt_buffer *response) {
    uint8_t length[4];
    int i;
    for (i = 0; i < 4; i++)
        length[i] = (uint8_t) (response->len >> (8 * i));
    if (fwrite(length, 1, 4, stdout) != 4 ||
        fwrite(response->data, 1, response->len, stdout) != response->len ||
        fflush(stdout))
        die("response", "cannot be written");
}

int main(int argc, char **argv) {
    testee t = {.arena = pbt_arena_new(NULL, 0)};
    uint8_t length[4];
    if (argc < 3 || !t.arena)
        die("usage", "conformance_testee SET wire|reflect");
    t.by_reflection = !strcmp(argv[argc - 1], "reflect");
    load_schema(&t, argv[argc - 2]);
    while (read_exactly(length, 4)) {
        size_t len = length[0] | (size_t) length[1] << 8 |
                     (size_t) length[2] << 16 | (size_t) length[3] << 24;
        uint8_t *request = malloc(len + 1);
        if (!request || !read_exactly(request, len))
            die("request", "cut short");
        answer(&t, request, len);
        write_response(&t.response);
        free(request);
        pbt_arena_reset(t.arena);
    }
    pbt_buffer_free(&t.response);
    pbt_buffer_free(&t.output);
    pbt_schema_free(t.schema);
    pbt_arena_free(t.arena);
    return 0;
}
