#!/bin/sh
# policy_exports.sh ROOT LIBRARY NM READELF - the names that the shared library
# exports, those of the version script and those declared in the public headers
# are the same; each has the version of its node; and the SONAME is that of the
# major version.
set -eu
root=$1
library=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
complain() {
    echo "$1"
    status=1
}

# Version nodes show up as absolute symbols, type A.
"$3" -D --defined-only --with-symbol-versions "$library" |
    awk '$2 != "A" { print $3 }' | sort >"$work/exported"
awk '/^PBTURBO_/ { node = $1 }
    /^ *pbt_[a-z0-9_]*;$/ { sub(/;/, ""); print $1 "@@" node }' \
    "$root/cmake/pbturbo.map" | sort >"$work/scripted"
sh "$root/tests/policy/public_names.sh" "$root" >"$work/declared"

[ -s "$work/declared" ] || status=1
diff "$work/scripted" "$work/exported" ||
    complain "listed in the version script (<) is not exported (>)"
sed 's/@.*//' "$work/scripted" | diff "$work/declared" - ||
    complain "declared in the headers (<) is not in the version script (>)"

version=$(sed -n 's/^#define PBT_VERSION_STRING "\(.*\)"/\1/p' \
    "$root/include/pbturbo/version.h")
nodes=$(sed -n 's/^PBTURBO_\([0-9.]*\) {$/\1/p' "$root/cmake/pbturbo.map")
for node in $nodes; do
    newest=$(printf '%s\n' "$node" "${version%.*}" | sort -V | tail -n 1)
    [ "$newest" = "${version%.*}" ] ||
        complain "pbturbo.map: PBTURBO_$node is later than $version"
done
soname=$("$4" -d "$library" | sed -n 's/.*(SONAME).*\[\(.*\)\]/\1/p')
[ "$soname" = "libpbturbo.so.${version%%.*}" ] ||
    complain "$library: SONAME $soname"
exit $status
