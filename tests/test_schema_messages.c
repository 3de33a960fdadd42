/* test_schema_messages.c - messages of loaded types: protobuf-c and pbturbo
 * treat them as those of compiled types, and give the same bytes. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases2.pb-c.h"
#include "suites.h"
#include "support_expect.h"
#include "support_memory.h"
#include "support_message.h"
#include "support_set.h"

enum { MESSAGES_EACH = 20, POOL = 4096, N_THREADS = 4, N_ROUNDS = 50 };

static const message_params params = {
    .depth = 4, .budget = 60, .complete = true, .valid_utf8 = true};

/* Takes the unknown fields out: random ones are none that can be read. */
static void drop_unknown(ProtobufCMessage *message) {
    const ProtobufCMessageDescriptor *type = message->descriptor;
    unsigned i;
    message->n_unknown_fields = 0;
    for (i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        void *member = message_member(message, field->offset);
        void *quantifier = message_member(message, field->quantifier_offset);
        if (field->type != PROTOBUF_C_TYPE_MESSAGE)
            continue;
        if (field->label == PROTOBUF_C_LABEL_REPEATED) {
            size_t n = *(size_t *) quantifier;
            ProtobufCMessage **subs = *(ProtobufCMessage ***) member;
            while (n-- > 0)
                drop_unknown(subs[n]);
            continue;
        }
        if ((field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) &&
            *(uint32_t *) quantifier != field->id)
            continue;
        if (*(ProtobufCMessage **) member)
            drop_unknown(*(ProtobufCMessage **) member);
    }
}

static packed random_bytes(arena *a, rng *r,
                           const ProtobufCMessageDescriptor *type) {
    ProtobufCMessage *message = message_random(a, r, &params, type);
    drop_unknown(message);
    return packed_by_protobuf_c(a, message);
}

static void expect_same_bytes(const char *what, arena *a,
                              const ProtobufCMessage *message, packed want) {
    packed got = packed_by_protobuf_c(a, message);
    expect_bytes(what, got.bytes, got.len, want.bytes, want.len);
}

/* Through protobuf-c's own functions, as a message of the type given. */
static void go_round(arena *a, const ProtobufCMessageDescriptor *type,
                     packed bytes) {
    ProtobufCMessage *message =
        protobuf_c_message_unpack(type, NULL, bytes.len, bytes.bytes);
    pbt_buffer buffer = {0};
    ck_assert_ptr_nonnull(message);
    expect_true("check", protobuf_c_message_check(message));
    expect_same_bytes("packed again", a, message, bytes);
    expect_status("marshal", pbt_marshal(message, NULL, &buffer), PBT_OK);
    expect_bytes("marshalled", buffer.data, buffer.len, bytes.bytes, bytes.len);
    pbt_buffer_free(&buffer);
    protobuf_c_message_free_unpacked(message, NULL);
}

/* Random messages of a loaded type, through both types. */
static void compare_types(const ProtobufCMessageDescriptor *loaded,
                          const ProtobufCMessageDescriptor *compiled,
                          uint64_t seed) {
    int i;
    for (i = 0; i < MESSAGES_EACH; i++) {
        arena a = {NULL};
        rng r = {seed + (uint64_t) i};
        packed bytes = random_bytes(&a, &r, loaded);
        expect_context("%s, message %d", loaded->name, i);
        go_round(&a, loaded, bytes);
        go_round(&a, compiled, bytes);
        arena_free(&a);
    }
}

START_TEST(loaded_and_compiled_types_agree) {
    const set_compiled *set = &set_compiled_all[_i];
    pbt_schema *loaded = set_schema(set->name);
    size_t i;
    for (i = 0; set->roots[i]; i++)
        compare_types(pbt_schema_message(loaded, set->roots[i]->name),
                      set->roots[i], 1000 * i);
    pbt_schema_free(loaded);
}
END_TEST

/* protobuf-c's own options are extensions of those of protobuf. */
START_TEST(extensions_go_round) {
    static const char text[] = "11'go' 1019{2:0 6'pkg'}";
    arena a = {NULL};
    pbt_schema *types = set_schema("protobuf-c/protobuf-c");
    const ProtobufCMessageDescriptor *type =
        pbt_schema_message(types, "google.protobuf.FileOptions");
    ck_assert_ptr_nonnull(
        protobuf_c_message_descriptor_get_field_by_name(type, "[pb_c_file]"));
    go_round(&a, type, set_write(&a, text));
    pbt_schema_free(types);
    arena_free(&a);
}
END_TEST

/* Groups, which protobuf-c does not know, through pbturbo alone. */
START_TEST(groups_go_round) {
    static const uint8_t bytes[] = {0x0b, 0x08, 0x05, 0x0c, 0x0b,
                                    0x0c, 0x12, 0x02, 0x08, 0x07};
    arena a = {NULL};
    pbt_schema *types = set_load(set_write(
        &a, "1{1't' 4{1'A' 3{1'G' 2{1'i' 3:1 4:1 5:5}} "
            "2{1'g' 3:1 4:3 5:10 6'.A.G'} 2{1'm' 3:2 4:1 5:11 6'.A.G'}}}"));
    pbt_arena *memory = pbt_arena_new(NULL, 0);
    pbt_buffer buffer = {0};
    ProtobufCMessage *message;
    expect_status("unmarshal",
                  pbt_unmarshal(pbt_schema_message(types, "A"), bytes,
                                sizeof bytes, NULL, memory, &message),
                  PBT_OK);
    expect_number("unknown", message->n_unknown_fields, 0);
    expect_status("marshal", pbt_marshal(message, NULL, &buffer), PBT_OK);
    expect_bytes("bytes", buffer.data, buffer.len, bytes, sizeof bytes);
    pbt_buffer_free(&buffer);
    pbt_arena_free(memory);
    pbt_schema_free(types);
    arena_free(&a);
}
END_TEST

/* A loaded type's message is laid out as the compiled struct. */
START_TEST(compiled_code_reads_loaded_messages) {
    pbt_schema *types = set_schema("cases2");
    const ProtobufCMessageDescriptor *type =
        pbt_schema_message(types, "c2.Opt");
    C2__Opt *message = malloc(type->sizeof_message);
    ck_assert_ptr_nonnull(message);
    protobuf_c_message_init(type, message);
    expect_text("default", message->ds, "dflt");
    expect_number("default", (uint64_t) message->di, 42);
    expect_number("has", (uint64_t) message->has_di, 0);
    ck_assert_ptr_eq(message->base.descriptor, type);
    free(message);
    pbt_schema_free(types);
}
END_TEST

/* Types of one schema after the other, in memory that is used again: tables
 * and message_init follow. */
START_TEST(freed_types_leave_nothing_behind) {
    static const char *const names[] = {"cases2", "cases3", "schema2"};
    long live = malloc_live();
    int i;
    for (i = 0; i < N_ROUNDS; i++) {
        const char *name = names[i % 3];
        pbt_schema *types = set_schema(name);
        size_t j;
        for (j = 0; j < pbt_schema_n_messages(types); j++) {
            arena a = {NULL};
            rng r = {j};
            const ProtobufCMessageDescriptor *type =
                pbt_schema_message_at(types, j);
            expect_context("%s: %s", name, type->name);
            go_round(&a, type, random_bytes(&a, &r, type));
            arena_free(&a);
        }
        pbt_schema_free(types);
        if (i == 0)
            live = malloc_live();
    }
    /* The registry's index may have grown; what it points to may not. */
    expect_true("live blocks", malloc_live() <= live + 8);
}
END_TEST

/* A set of n messages. */
static packed set_of_messages(arena *a, size_t n) {
    char *text = arena_alloc(a, 32 * n + 32);
    char *end = text + sprintf(text, "1{1'many.proto' ");
    size_t i;
    for (i = 0; i < n; i++)
        end += sprintf(end, "4{1'M%zu' 2{1'i' 3:1 4:1 5:5}}", i);
    *end = '}';
    return set_write(a, text);
}

static size_t count_without_init(const pbt_schema *types) {
    size_t n = 0;
    size_t i;
    for (i = 0; i < pbt_schema_n_messages(types); i++)
        n += pbt_schema_message_at(types, i)->message_init == NULL;
    return n;
}

START_TEST(the_pool_of_init_functions_is_shared_and_comes_back) {
    arena a = {NULL};
    packed set = set_of_messages(&a, 3000);
    pbt_schema *first = set_load(set);
    pbt_schema *second = set_load(set);
    const ProtobufCMessageDescriptor *last =
        pbt_schema_message_at(second, 2999);
    uint8_t bytes[] = {0x08, 0x05};
    expect_number("first", count_without_init(first), 0);
    expect_number("second", count_without_init(second), 2 * 3000 - POOL);
    /* Without a function protobuf-c does by itself. */
    expect_true("no init", last->message_init == NULL);
    go_round(&a, last, (packed){bytes, sizeof bytes});
    pbt_schema_free(first);
    first = set_load(set);
    expect_number("after one was freed", count_without_init(first), 0);
    pbt_schema_free(second);
    pbt_schema_free(first);
    arena_free(&a);
}
END_TEST

typedef struct reader {
    const pbt_schema *types;
    pthread_t thread;
    bool went_well;
} reader;

static bool use_type(const pbt_schema *types, size_t at) {
    const ProtobufCMessageDescriptor *type = pbt_schema_message_at(types, at);
    void *message = malloc(type->sizeof_message);
    size_t size = 1;
    pbt_options partial = {.flags = PBT_ALLOW_PARTIAL};
    bool ok = message && pbt_schema_message(types, type->name) == type;
    if (ok) {
        protobuf_c_message_init(type, message);
        ok = pbt_size(message, &partial, &size) == PBT_OK;
    }
    free(message);
    return ok;
}

/* Reads the schema of all, and loads one of its own. */
static void *read_schema(void *data) {
    reader *r = data;
    int i;
    r->went_well = true;
    for (i = 0; i < N_ROUNDS; i++) {
        size_t n = pbt_schema_n_messages(r->types);
        size_t j;
        pbt_schema *own = set_schema("cases3");
        for (j = 0; j < n; j++)
            r->went_well = r->went_well && use_type(r->types, j);
        r->went_well = r->went_well && use_type(own, 0);
        pbt_schema_free(own);
    }
    return NULL;
}

START_TEST(threads_share_a_schema) {
    pbt_schema *types = set_schema("schema2");
    reader readers[N_THREADS];
    int i;
    for (i = 0; i < N_THREADS; i++) {
        readers[i].types = types;
        ck_assert_int_eq(
            pthread_create(&readers[i].thread, NULL, read_schema, &readers[i]),
            0);
    }
    for (i = 0; i < N_THREADS; i++) {
        pthread_join(readers[i].thread, NULL);
        expect_true("thread", readers[i].went_well);
    }
    pbt_schema_free(types);
}
END_TEST

Suite *schema_messages_suite(void) {
    Suite *suite = suite_create("schema_messages");
    TCase *tcase = tcase_create("schema_messages");
    tcase_set_timeout(tcase, 300);
    tcase_add_loop_test(tcase, loaded_and_compiled_types_agree, 0,
                        (int) n_set_compiled);
    tcase_add_test(tcase, extensions_go_round);
    tcase_add_test(tcase, groups_go_round);
    tcase_add_test(tcase, compiled_code_reads_loaded_messages);
    tcase_add_test(tcase, freed_types_leave_nothing_behind);
    tcase_add_test(tcase, the_pool_of_init_functions_is_shared_and_comes_back);
    tcase_add_test(tcase, threads_share_a_schema);
    suite_add_tcase(suite, tcase);
    return suite;
}
