#!/bin/sh
# policy_snippets.sh ROOT CC - every block of C in the documents compiles, with
# warnings as errors. One that includes something is a file of its own; any other
# stands in a function, with the names of snippet_names.h around it. And the files
# of the tree that the documents name are there.
set -eu
root=$1
cc=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

protoc-c --proto_path="$root/examples" --c_out="$work" hello.proto
for document in "$root"/README.md "$root"/docs/*.md; do
    name=$(basename "$document" .md)
    awk -v start="$work/$name" '
        /^```c$/ { file = start "-" NR ".c"; next }
        /^```/ { file = "" }
        file != "" { print > file }' "$document"
done

compile() {
    "$cc" -std=c11 -fsyntax-only -Wall -Wextra -Wpedantic -Werror \
        -Wno-unused-parameter -Wno-unused-but-set-variable \
        -Wno-unused-variable -I"$root/include" -I"$work" \
        -I"$root/tests/policy" -x c -
}

n=0
for block in "$work"/*-*.c; do
    n=$((n + 1))
    if grep -q '^#include' "$block"; then
        cat "$block"
    else
        printf '#include "snippet_names.h"\nSNIPPET {{\n#line 1 "%s"\n' \
            "${block##*/}"
        cat "$block"
        echo "}}"
    fi >"$work/unit"
    if ! compile <"$work/unit"; then
        echo "${block##*/}: the block of C behind that line does not compile"
        status=1
    fi
done
echo "$n blocks"
[ "$n" -ge 10 ] || status=1

# A file of the tree that a command or a sentence names is there.
for document in "$root"/README.md "$root"/CONTRIBUTING.md "$root"/docs/*.md; do
    grep -o -E '(scripts|docs|examples|tests|cmake)/[A-Za-z0-9_./*-]*[A-Za-z0-9*]' \
        "$document" | sort -u >"$work/paths"
    while read -r path; do
        case $path in
        */build | */build/* | *\** | *ARCH*) continue ;;
        esac
        [ -e "$root/$path" ] || {
            echo "$document: no $path"
            status=1
        }
    done <"$work/paths"
done
exit $status
