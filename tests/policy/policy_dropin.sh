#!/bin/sh
# policy_dropin.sh ROOT ORIGINAL REPLACEMENT PRELOAD - the replacement has the
# dynamic symbols of the original, each with its version, and its name; neither
# library wants anything of the original; and the preload library has the
# marshal side alone.
set -eu
original=$2
replacement=$3
preload=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

case $original in
*.a) exit 77 ;;
esac

# What is defined: kind and name with version, of data the size as well.
defined() {
    LC_ALL=C readelf --wide --dyn-syms "$1" | awk '
        $1 ~ /^[0-9]+:$/ && $7 != "UND" && $7 != "ABS" {
            print $4, $8, $4 == "OBJECT" ? $3 : ""
        }' | sort
}

# Section symbols, the linker's own marks and version nodes left out.
public() {
    defined "$1" | grep -v '^OBJECT LIBPROTOBUF_C\|^NOTYPE\|^SECTION'
}

complain() {
    echo "$1"
    status=1
}

public "$original" >"$work/original"
[ "$(wc -l <"$work/original")" -ge 19 ] ||
    complain "$original: no symbols of protobuf-c"
public "$replacement" | diff "$work/original" - ||
    complain "$replacement: other symbols than $original (<)"

cat >"$work/marshal" <<'END'
protobuf_c_message_check
protobuf_c_message_get_packed_size
protobuf_c_message_pack
protobuf_c_message_pack_to_buffer
END
public "$preload" | awk '{ sub(/@.*/, "", $2); print $2 }' |
    diff "$work/marshal" - || complain "$preload: other symbols than these (<)"

for library in "$replacement" "$preload"; do
    LC_ALL=C readelf --wide -d "$library" >"$work/dynamic"
    if grep 'NEEDED.*protobuf' "$work/dynamic"; then
        complain "$library: needs a library of protobuf"
    fi
    grep -q 'FLAGS_1.*NODELETE' "$work/dynamic" ||
        complain "$library: can be unloaded"
    if LC_ALL=C readelf --wide --dyn-syms "$library" |
        grep ' UND .*\(protobuf_c_\|pbt\)'; then
        complain "$library: wants symbols of others"
    fi
done
LC_ALL=C readelf -d "$replacement" | grep -q 'SONAME.*\[libprotobuf-c.so.1\]' ||
    complain "$replacement: another SONAME"
exit $status
