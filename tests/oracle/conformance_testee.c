/* conformance_testee.c - answers the requests of Google's conformance runner.
 *
 * Usage: conformance_testee SET ROAD
 *
 * The test messages are loaded at run time from SET, a FileDescriptorSet. Each
 * request is unmarshalled, marshalled by ROAD (wire or reflect), and sent back;
 * as JSON, if it is asked for. JSON input goes through the C++ library first.
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
#include "conformance_bridge.h"

typedef Conformance__ConformanceRequest request_message;
typedef Conformance__ConformanceResponse response_message;

typedef struct testee {
    pbt_schema *schema;
    bridge *bridge;
    pbt_arena *arena;
    pbt_buffer output;   /* of the message in the request */
    char *text;          /* the same with a NUL, when it is JSON */
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
    t->bridge = bridge_new(set, len);
    if (!t->bridge)
        die(name, "C++ cannot build it");
    free(set);
}

static void fail_with(response_message *response,
                      Conformance__ConformanceResponse__ResultCase which,
                      char *text) {
    response->result_case = which;
    response->parse_error = text;
}

/* The message in the request, or NULL and why not in the response. */
static ProtobufCMessage *read_message(testee *t, const request_message *request,
                                      response_message *response,
                                      pbt_error *error) {
    const ProtobufCMessageDescriptor *type =
        pbt_schema_message(t->schema, request->message_type);
    pbt_options options = {.flags = PBT_CONFORMANT, .error = error};
    char *data = (char *) request->protobuf_payload.data;
    size_t len = request->protobuf_payload.len;
    ProtobufCMessage *msg;
    if (!type) {
        fail_with(response,
                  CONFORMANCE__CONFORMANCE_RESPONSE__RESULT_RUNTIME_ERROR,
                  request->message_type);
        return NULL;
    }
    if (request->payload_case ==
            CONFORMANCE__CONFORMANCE_REQUEST__PAYLOAD_JSON_PAYLOAD &&
        !bridge_read(
            t->bridge, request->message_type, request->json_payload,
            request->test_category ==
                CONFORMANCE__TEST_CATEGORY__JSON_IGNORE_UNKNOWN_PARSING_TEST,
            &data, &len)) {
        fail_with(response,
                  CONFORMANCE__CONFORMANCE_RESPONSE__RESULT_PARSE_ERROR, data);
        return NULL;
    }
    if (pbt_unmarshal(type, data, len, &options, t->arena, &msg) != PBT_OK) {
        fail_with(response,
                  CONFORMANCE__CONFORMANCE_RESPONSE__RESULT_PARSE_ERROR,
                  error->message);
        return NULL;
    }
    return msg;
}

static pbt_status marshal(testee *t, const ProtobufCMessage *msg,
                          pbt_error *error) {
    pbt_options options = {.flags = PBT_CONFORMANT, .error = error};
    if (t->by_reflection)
        return pbt_reflect_marshal(&pbt_reflection_protobuf_c, msg, &options,
                                   &t->output);
    return pbt_marshal(msg, &options, &t->output);
}

static pbt_status marshal_json(testee *t, const ProtobufCMessage *msg,
                               pbt_error *error) {
    pbt_json_options options = {.schema = t->schema, .error = error};
    pbt_status status;
    if (t->by_reflection)
        status = pbt_reflect_marshal_json(&pbt_reflection_protobuf_c, msg,
                                          &options, &t->output);
    else
        status = pbt_marshal_json(msg, &options, &t->output);
    if (status != PBT_OK)
        return status;
    t->text = realloc(t->text, t->output.len + 1);
    if (!t->text)
        die("output", "no memory");
    memcpy(t->text, t->output.data, t->output.len);
    t->text[t->output.len] = '\0';
    return PBT_OK;
}

static void write_message(testee *t, const ProtobufCMessage *msg, bool as_json,
                          response_message *response, pbt_error *error) {
    pbt_status status =
        as_json ? marshal_json(t, msg, error) : marshal(t, msg, error);
    if (status != PBT_OK) {
        fail_with(response,
                  CONFORMANCE__CONFORMANCE_RESPONSE__RESULT_SERIALIZE_ERROR,
                  error->message);
    } else if (as_json) {
        response->result_case =
            CONFORMANCE__CONFORMANCE_RESPONSE__RESULT_JSON_PAYLOAD;
        response->json_payload = t->text;
    } else {
        response->result_case =
            CONFORMANCE__CONFORMANCE_RESPONSE__RESULT_PROTOBUF_PAYLOAD;
        response->protobuf_payload.data = t->output.data;
        response->protobuf_payload.len = t->output.len;
    }
}

/* Text format and JSPB are the others. */
static bool is_handled(const request_message *request) {
    return (request->payload_case ==
                CONFORMANCE__CONFORMANCE_REQUEST__PAYLOAD_PROTOBUF_PAYLOAD ||
            request->payload_case ==
                CONFORMANCE__CONFORMANCE_REQUEST__PAYLOAD_JSON_PAYLOAD) &&
           (request->requested_output_format ==
                CONFORMANCE__WIRE_FORMAT__PROTOBUF ||
            request->requested_output_format == CONFORMANCE__WIRE_FORMAT__JSON);
}

static void answer(testee *t, const uint8_t *data, size_t len) {
    static char other_format[] = "only binary and JSON are handled";
    response_message response = CONFORMANCE__CONFORMANCE_RESPONSE__INIT;
    request_message *request;
    ProtobufCMessage *msg;
    pbt_error error = {0};
    die_unless_ok("request",
                  pbt_unmarshal(&conformance__conformance_request__descriptor,
                                data, len, NULL, t->arena, &msg));
    request = (request_message *) msg;
    if (is_handled(request)) {
        msg = read_message(t, request, &response, &error);
        if (msg)
            write_message(t, msg,
                          request->requested_output_format ==
                              CONFORMANCE__WIRE_FORMAT__JSON,
                          &response, &error);
    } else {
        fail_with(&response, CONFORMANCE__CONFORMANCE_RESPONSE__RESULT_SKIPPED,
                  other_format);
    }
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
    free(t.text);
    bridge_free(t.bridge);
    pbt_schema_free(t.schema);
    pbt_arena_free(t.arena);
    return 0;
}
