// bench_codec_rapidjson.cc - RapidJSON's Writer over the same structs that
// pbturbo and protobuf-c work on, by the functions that bench_walks.c writes.
#include "bench.h"
#include "bench_walk.h"

#include <memory>
#include <vector>

#include <rapidjson/rapidjson.h>

namespace {

struct Printer {
    const bench_dataset *dataset;
    const bench_walk *walk;
    rapidjson::StringBuffer buffer;
    Json writer;
};

const bench_walk *find_walk(const bench_dataset *dataset) {
    const bench_walk *walk = bench_walks;
    while (walk->type != nullptr &&
           (std::strcmp(walk->type, dataset->type->name) != 0 ||
            walk->flags != dataset->json_flags))
        walk++;
    return walk->type == nullptr ? nullptr : walk;
}

void *prepare(const bench_dataset *dataset, const char **why) {
    std::unique_ptr<Printer> printer(new Printer);
    printer->dataset = dataset;
    printer->walk = find_walk(dataset);
    *why = "there is no code for the type";
    return printer->walk == nullptr ? nullptr : printer.release();
}

void release(void *objects) {
    delete static_cast<Printer *>(objects);
}

bench_bytes write(Printer *printer, size_t i) {
    printer->buffer.Clear();
    printer->writer.Reset(printer->buffer);
    printer->walk->write(printer->writer, reinterpret_cast<const char *>(
                                              printer->dataset->structs[i]));
    const char *text = printer->buffer.GetString();
    return {reinterpret_cast<uint8_t *>(const_cast<char *>(text)),
            printer->buffer.GetSize()};
}

bool print(void *objects, size_t i, bench_bytes *text, const char **why) {
    Printer *printer = static_cast<Printer *>(objects);
    *text = write(printer, i);
    *why = "the writer did not finish";
    return printer->writer.IsComplete();
}

uint64_t print_all(void *objects) {
    Printer *printer = static_cast<Printer *>(objects);
    uint64_t sum = 0;
    for (size_t i = 0; i < printer->dataset->n; i++) {
        bench_bytes text = write(printer, i);
        sum = bench_fold_bytes(sum, text.data, text.len);
    }
    return sum;
}

const char *version() {
    return RAPIDJSON_VERSION_STRING;
}

} // namespace

void put_bytes(Json &w, const ProtobufCBinaryData &bytes) {
    static const char digits[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static std::vector<char> block;
    block.resize(bytes.len / 3 * 4 + 6);
    char *to = block.data();
    const uint8_t *from = bytes.data;
    size_t left = bytes.len;
    *to++ = '"';
    for (; left >= 3; left -= 3, from += 3, to += 4) {
        unsigned group = static_cast<unsigned>(from[0]) << 16 |
                         static_cast<unsigned>(from[1]) << 8 | from[2];
        to[0] = digits[group >> 18];
        to[1] = digits[group >> 12 & 63];
        to[2] = digits[group >> 6 & 63];
        to[3] = digits[group & 63];
    }
    if (left > 0) {
        unsigned group = static_cast<unsigned>(from[0]) << 16;
        if (left == 2)
            group |= static_cast<unsigned>(from[1]) << 8;
        to[0] = digits[group >> 18];
        to[1] = digits[group >> 12 & 63];
        to[2] = left == 2 ? digits[group >> 6 & 63] : '=';
        to[3] = '=';
        to += 4;
    }
    *to++ = '"';
    w.RawValue(block.data(), static_cast<size_t>(to - block.data()),
               rapidjson::kStringType);
}

extern "C" const bench_codec bench_codec_rapidjson = {
    "rapidjson",
    false,
    false,
    version,
    prepare,
    release,
    nullptr,
    nullptr,
    print,
    nullptr,
    {nullptr, nullptr, nullptr, nullptr, print_all},
    nullptr};
