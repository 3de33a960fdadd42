#!/bin/sh
# policy_headers_cxx.sh ROOT CXX - each public header compiles alone, and
# twice, as C++11 and C++20 without a warning, and so does the use of their
# macros; with CXX and with whichever of g++ and clang++ there are.
set -eu

# compile CXX STANDARD: what comes from standard input
compile() {
    "$1" -std="$2" -I"$root/include" -fsyntax-only -Wall -Wextra -Wpedantic \
        -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wundef \
        -Wold-style-cast -Werror -x c++ -
}

root=$1
compiled=
for cxx in "$2" g++ clang++; do
    command -v "$cxx" >/dev/null || continue
    compiled=yes
    for standard in c++11 c++20; do
        echo "$cxx $standard"
        for header in "$root"/include/pbturbo/*.h; do
            name=pbturbo/${header##*/}
            printf '#include <%s>\n#include <%s>\n' "$name" "$name" |
                compile "$cxx" $standard
        done
        compile "$cxx" $standard <"$root/tests/policy/header_macros.h"
    done
done
if [ -z "$compiled" ]; then
    echo "no C++ compiler here"
    exit 77
fi
