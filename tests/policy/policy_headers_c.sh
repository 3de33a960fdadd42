#!/bin/sh
# policy_headers_c.sh ROOT CC - each public header compiles alone, and twice,
# as C11 and C17 without a warning.
set -eu
for header in "$1"/include/pbturbo/*.h; do
    name=pbturbo/${header##*/}
    for standard in c11 c17; do
        echo "$standard $name"
        printf '#include <%s>\n#include <%s>\n' "$name" "$name" |
            "$2" -std=$standard -I"$1/include" -fsyntax-only -Wall -Wextra \
                -Wpedantic -Wconversion -Wsign-conversion -Wshadow \
                -Wcast-qual -Wundef -Wvla -Wstrict-prototypes \
                -Wmissing-prototypes -Werror -x c -
    done
done
