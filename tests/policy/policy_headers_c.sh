#!/bin/sh
# policy_headers_c.sh ROOT CC - each public header compiles alone, and twice,
# as C11 and C17 without a warning, and so does the use of their macros; with CC
# and with whichever of gcc and clang there are.
set -eu

# compile CC STANDARD: what comes from standard input
compile() {
    "$1" -std="$2" -I"$root/include" -fsyntax-only -Wall -Wextra -Wpedantic \
        -Wconversion -Wsign-conversion -Wshadow -Wcast-qual -Wundef -Wvla \
        -Wstrict-prototypes -Wmissing-prototypes -Werror -x c -
}

root=$1
for cc in "$2" gcc clang; do
    command -v "$cc" >/dev/null || continue
    for standard in c11 c17; do
        echo "$cc $standard"
        for header in "$root"/include/pbturbo/*.h; do
            name=pbturbo/${header##*/}
            printf '#include <%s>\n#include <%s>\n' "$name" "$name" |
                compile "$cc" $standard
        done
        compile "$cc" $standard <"$root/tests/policy/header_macros.h"
    done
done
