#!/bin/sh
# policy_headers_cxx.sh ROOT CXX - each public header compiles alone, and
# twice, as C++11 and C++20 without a warning.
set -eu
case $2 in
*-NOTFOUND)
    echo "no C++ compiler here"
    exit 77
    ;;
esac
for header in "$1"/include/pbturbo/*.h; do
    name=pbturbo/${header##*/}
    for standard in c++11 c++20; do
        echo "$standard $name"
        printf '#include <%s>\n#include <%s>\n' "$name" "$name" |
            "$2" -std=$standard -I"$1/include" -fsyntax-only -Wall -Wextra \
                -Wpedantic -Wconversion -Wsign-conversion -Wshadow \
                -Wcast-qual -Wundef -Wold-style-cast -Werror -x c++ -
    done
done
