#!/bin/sh
# policy_headers.sh ROOT CC CXX - each public header compiles alone, and twice,
# without a warning, and so does the use of their macros: as C11, C17, C++11 and
# C++20, with CC and CXX, and with whichever of gcc and clang there are.
set -eu
root=$1
strict="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow
    -Wcast-qual -Wundef -Werror"
strict_c="-Wvla -Wstrict-prototypes -Wmissing-prototypes"

# compile COMPILER LANGUAGE STANDARD OPTIONS: what comes from standard input
compile() {
    # shellcheck disable=SC2086
    "$1" -x "$2" -std="$3" -I"$root/include" -fsyntax-only $strict $4 -
}

# check_with COMPILER LANGUAGE OPTIONS STANDARD...
check_with() {
    compiler=$1
    language=$2
    options=$3
    shift 3
    if ! command -v "$compiler" >/dev/null; then
        echo "not here: $compiler"
        return 0
    fi
    for standard in "$@"; do
        echo "$compiler $standard"
        for header in "$root"/include/pbturbo/*.h; do
            name=pbturbo/${header##*/}
            printf '#include <%s>\n#include <%s>\n' "$name" "$name" |
                compile "$compiler" "$language" "$standard" "$options"
        done
        compile "$compiler" "$language" "$standard" "$options" \
            <"$root/tests/policy/header_macros.h"
    done
}

for cc in "$2" gcc clang; do
    check_with "$cc" c "$strict_c" c11 c17
done
for cxx in "$3" g++ clang++; do
    check_with "$cxx" c++ -Wold-style-cast c++11 c++20
done
