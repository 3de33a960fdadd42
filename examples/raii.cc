// raii.cc - the C interface from C++11: whatever is acquired is freed by a
// destructor, and an error becomes an exception.
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include <pbturbo/pbturbo.h>

#include "hello.pb-c.h"

namespace {

struct arena_deleter {
    void operator()(pbt_arena *arena) const {
        pbt_arena_free(arena);
    }
};
using arena_ptr = std::unique_ptr<pbt_arena, arena_deleter>;

// A buffer keeps its block from one message to the next.
class buffer {
  public:
    buffer() = default;
    buffer(const buffer &) = delete;
    buffer &operator=(const buffer &) = delete;
    ~buffer() {
        pbt_buffer_free(&buffer_);
    }

    pbt_buffer *get() {
        return &buffer_;
    }
    const void *data() const {
        return buffer_.data;
    }
    std::size_t size() const {
        return buffer_.len;
    }

  private:
    pbt_buffer buffer_ = {};
};

// Options with a place for the error report, which belong together.
class call {
  public:
    explicit call(std::uint32_t flags = 0) {
        options_.flags = flags;
        options_.error = &error_;
    }
    call(const call &) = delete;
    call &operator=(const call &) = delete;

    const pbt_options *options() const {
        return &options_;
    }
    void check(pbt_status status) const {
        if (status != PBT_OK)
            throw std::runtime_error(std::string(pbt_status_name(status)) +
                                     ": " + error_.path + ": " +
                                     error_.message);
    }

  private:
    pbt_error error_ = {};
    pbt_options options_ = {};
};

void marshal(const ProtobufCMessage &msg, buffer &out) {
    call marshalling(PBT_VALIDATE_UTF8);
    marshalling.check(pbt_marshal(&msg, marshalling.options(), out.get()));
}

// The message lives as long as the arena.
const Greeting &unmarshal(const buffer &in, const arena_ptr &arena) {
    call unmarshalling;
    ProtobufCMessage *msg;
    unmarshalling.check(pbt_unmarshal(&greeting__descriptor, in.data(),
                                      in.size(), unmarshalling.options(),
                                      arena.get(), &msg));
    return *reinterpret_cast<const Greeting *>(msg);
}

void run() {
    std::string text = "hello, world";
    std::vector<std::int32_t> years = {1969, 2008, 2026};
    Greeting greeting = GREETING__INIT;
    greeting.text = &text[0];
    greeting.years = years.data();
    greeting.n_years = years.size();

    buffer bytes;
    marshal(greeting.base, bytes);
    const arena_ptr arena(pbt_arena_new(nullptr, 0));
    const Greeting &copy = unmarshal(bytes, arena);
    std::cout << bytes.size() << " bytes: " << copy.text << ", " << copy.n_years
              << " years\n";

    text = "caf\xe9";
    greeting.text = &text[0];
    marshal(greeting.base, bytes);
}

} // namespace

int main() {
    try {
        run();
    } catch (const std::exception &error) {
        std::cout << error.what() << '\n';
        return 0;
    }
    std::cout << "text that is not UTF-8 was marshalled\n";
    return 1;
}
