/* bench_gen_schema.c - messages of any type, made from its descriptor.
 *
 * Each optional field is there with the same chance, whatever it is; a
 * repeated one with the same chance too, and then up to eight times. Only the
 * two upper levels have all their sub-messages: nearly all that there is hangs
 * on one or two of them, and most messages would be next to empty. Groups are
 * written as sub-messages here and turned into groups afterwards.
 */
#include "bench_gen.h"

enum {
    PRESENT_PERCENT = 30,
    MAX_REPEATED = 8,
    TEXT_MIN = 5,
    TEXT_MAX = 60,
    MAX_DEPTH = 10,
    FULL_DEPTH = 2,
    /* A message that has grown so far gets no more sub-messages that it can do
     * without: types that hold many others would never come to an end. */
    ENOUGH_BYTES = 24000
};

struct filling {
    bench_random *random;
    wire_writer *out;
};

static void fill(struct filling *filling,
                 const ProtobufCMessageDescriptor *type, unsigned depth);

static void put_value(struct filling *filling,
                      const ProtobufCFieldDescriptor *field, unsigned depth) {
    wire_writer *out = filling->out;
    if (field->type == PROTOBUF_C_TYPE_STRING) {
        wire_random_text(out, field->id, filling->random, TEXT_MIN, TEXT_MAX);
    } else if (field->type == PROTOBUF_C_TYPE_BYTES) {
        wire_random_bytes(out, field->id, filling->random,
                          random_between(filling->random, TEXT_MIN, TEXT_MAX));
    } else if (field->type == PROTOBUF_C_TYPE_MESSAGE) {
        size_t mark = wire_open(out, field->id);
        fill(filling, field->descriptor, depth + 1);
        wire_close(out, mark);
    } else {
        generate_field(field, filling->random, out);
    }
}

/* Extensions have a name in brackets. They stay empty: protobuf-c, from whose
 * structs all messages come, knows none. */
static bool is_extension(const ProtobufCFieldDescriptor *field) {
    return field->name[0] == '[';
}

static bool wants_field(const struct filling *filling,
                        const ProtobufCFieldDescriptor *field, unsigned depth) {
    if (field->label == PROTOBUF_C_LABEL_REQUIRED)
        return true;
    if (is_extension(field))
        return false;
    if (field->type == PROTOBUF_C_TYPE_MESSAGE &&
        (depth >= MAX_DEPTH || filling->out->len >= ENOUGH_BYTES))
        return false;
    if (field->type == PROTOBUF_C_TYPE_MESSAGE && depth < FULL_DEPTH)
        return true;
    return random_percent(filling->random, PRESENT_PERCENT);
}

static void fill(struct filling *filling,
                 const ProtobufCMessageDescriptor *type, unsigned depth) {
    for (unsigned i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &type->fields[i];
        if (!wants_field(filling, field, depth))
            continue;
        uint64_t n = 1;
        if (field->label == PROTOBUF_C_LABEL_REPEATED)
            n = random_between(filling->random, 1, MAX_REPEATED);
        for (; n > 0; n--)
            put_value(filling, field, depth);
    }
}

void generate_schema(const ProtobufCMessageDescriptor *type, size_t i,
                     bench_random *random, wire_writer *out) {
    (void) i;
    struct filling filling = {random, out};
    fill(&filling, type, 0);
}
