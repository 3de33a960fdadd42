// numbers_cpp.cc - compares the output of numbers-print with std::to_chars, in
// ECMAScript's style; the argument is double or float.
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>

#ifdef __cpp_lib_to_chars

// d.ddde+dd as ECMAScript has it.
static std::string restyle(std::string text) {
    std::string sign = text[0] == '-' ? "-" : "";
    text.erase(0, sign.size());
    std::size_t e = text.find('e');
    int exponent = std::atoi(text.c_str() + e + 1);
    std::string digits = text.substr(0, e);
    if (digits.size() > 1)
        digits.erase(1, 1);
    int n = int(digits.size());
    if (exponent >= 21 || exponent < -6) {
        if (n > 1)
            digits.insert(1, ".");
        return sign + digits + "e" + (exponent < 0 ? "-" : "+") +
               std::to_string(std::abs(exponent));
    }
    if (exponent < 0)
        return sign + "0." + std::string(std::size_t(-exponent - 1), '0') +
               digits;
    if (n <= exponent + 1)
        return sign + digits + std::string(std::size_t(exponent + 1 - n), '0');
    digits.insert(std::size_t(exponent) + 1, ".");
    return sign + digits;
}

template <typename Number, typename Bits>
static std::string expected(const std::string &hex) {
    Bits bits = Bits(std::stoull(hex, nullptr, 16));
    Number v;
    std::memcpy(&v, &bits, sizeof v);
    char text[64];
    auto end = std::to_chars(text, text + sizeof text, v,
                             std::chars_format::scientific);
    return restyle(std::string(text, end.ptr));
}

int main(int, char **argv) {
    bool is_float = std::string(argv[1]) == "float";
    std::string bits, text;
    long count = 0, bad = 0;
    for (; std::cin >> bits >> text; count++) {
        std::string want = is_float ? expected<float, std::uint32_t>(bits)
                                    : expected<double, std::uint64_t>(bits);
        if (text != want && bad++ < 10)
            std::cout << bits << ": " << text << ", not " << want << "\n";
    }
    std::cout << count << " numbers, " << bad << " differ\n";
    return bad == 0 && count > 1000 ? 0 : 1;
}

#else
int main() {
    std::cout << "no std::to_chars for floating point here\n";
    return 77;
}
#endif
