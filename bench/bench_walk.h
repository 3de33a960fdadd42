// bench_walk.h - what the code that bench_walks.c writes calls: the values of a
// protobuf-c struct to a RapidJSON writer.
#ifndef PBTURBO_BENCH_WALK_H
#define PBTURBO_BENCH_WALK_H

#include <cmath>
#include <cstdint>
#include <cstring>

#include <protobuf-c/protobuf-c.h>
#include <rapidjson/internal/itoa.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

typedef rapidjson::Writer<rapidjson::StringBuffer> Json;

// How the messages of one type are printed.
struct bench_walk {
    const char *type;
    uint32_t flags; // of pbt_json_options
    void (*write)(Json &w, const char *message);
};

extern const bench_walk bench_walks[]; // type nullptr at the end

template <typename T> inline T get(const char *from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

inline rapidjson::SizeType size_of(const char *text) {
    return static_cast<rapidjson::SizeType>(std::strlen(text));
}

inline void put_string(Json &w, const char *text) {
    w.String(text, size_of(text));
}

inline bool is_text(const char *member) {
    const char *text = get<const char *>(member);
    return text != nullptr && *text != '\0';
}

// Is the string set to something else than its default?
inline bool is_no_default(const char *message, unsigned offset,
                          unsigned field) {
    const void *text = get<const void *>(message + offset);
    const ProtobufCMessageDescriptor *type =
        get<const ProtobufCMessageDescriptor *>(message);
    return text != nullptr && text != type->fields[field].default_value;
}

// Integers of 64 bits are strings in protobuf's JSON.
inline void put_int64(Json &w, int64_t value) {
    char text[24] = "\"";
    char *end = rapidjson::internal::i64toa(value, text + 1);
    *end++ = '"';
    w.RawValue(text, static_cast<size_t>(end - text), rapidjson::kStringType);
}

inline void put_uint64(Json &w, uint64_t value) {
    char text[24] = "\"";
    char *end = rapidjson::internal::u64toa(value, text + 1);
    *end++ = '"';
    w.RawValue(text, static_cast<size_t>(end - text), rapidjson::kStringType);
}

inline void put_key(Json &w, const char *key) {
    w.Key(key, size_of(key));
}

inline void put_key(Json &w, uint64_t key) {
    put_uint64(w, key);
}

inline void put_key(Json &w, int64_t key) {
    put_int64(w, key);
}

inline void put_number(Json &w, double value) {
    if (std::isfinite(value))
        w.Double(value);
    else
        put_string(w, std::isnan(value) ? "NaN"
                      : value < 0       ? "-Infinity"
                                        : "Infinity");
}

// Base64 that needs no escapes, in a block that is used again.
void put_bytes(Json &w, const ProtobufCBinaryData &bytes);

#endif
