#!/bin/sh
# policy_exports.sh ROOT LIBRARY NM - the names that the shared library
# exports, those of the version script and those declared in the public headers
# are the same.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# Version nodes show up as absolute symbols, type A.
"$3" -D --defined-only "$2" |
    awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort >"$work/exported"
sed -n 's/^ *\(pbt_[a-z0-9_]*\);$/\1/p' "$1/cmake/pbturbo.map" |
    sort >"$work/scripted"
sh "$1/tests/policy/public_names.sh" "$1" >"$work/declared"

[ -s "$work/declared" ] || status=1
for other in exported scripted; do
    if ! diff "$work/declared" "$work/$other"; then
        echo "declared in the headers (<) is not $other (>)"
        status=1
    fi
done
exit $status
