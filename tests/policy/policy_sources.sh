#!/bin/sh
# policy_sources.sh ROOT - no file is over 800 lines, file names are unique
# (public headers, which carry their folder, apart), and every source is in the
# build's list.
set -eu
cd "$1"
status=0
complain() {
    echo "$1"
    status=1
}

folders="include src table reflect tools tests fuzz bench examples scripts cmake"
# shellcheck disable=SC2086
names=$(find $folders -type f \( -name '*.[ch]' -o -name '*.cc' \
    -o -name '*.def' -o -name '*.sh' -o -name '*.cmake' \))

for file in $names CMakeLists.txt scripts/*; do
    lines=$(wc -l <"$file")
    [ "$lines" -le 800 ] || complain "$file: $lines lines, 800 at the most"
done

doubles=$(printf '%s\n' "$names" | grep -v '^include/' | sed 's|.*/||' | sort | uniq -d)
[ -z "$doubles" ] || complain "not unique: $doubles"

for file in $names; do
    case $file in
    src/*.c | table/*.c | reflect/*.c) ;;
    *) continue ;;
    esac
    grep -q "^ *$file)*\$" cmake/PbturboObjects.cmake \
        cmake/PbturboReflectUpb.cmake cmake/PbturboShim.cmake || complain "$file: not in cmake/"
done

for file in tools/*.c; do
    grep -q "^ *${file#tools/})*\$" tools/CMakeLists.txt ||
        complain "$file: not in tools/CMakeLists.txt"
done
exit $status
