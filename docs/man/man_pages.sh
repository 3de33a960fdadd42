#!/bin/sh
# man_pages.sh OUTPUT DATE VERSION HEADER... - makes the manual pages of section
# 3 in the folder OUTPUT: the overview, a page for each header, and for each call
# a page that leads to that of its header.
set -eu
here=$(dirname "$0")
output=$1
date=$2
version=$3
shift 3
rm -rf "$output"
mkdir -p "$output"

for header in "$@"; do
    page=pbturbo-$(basename "$header" .h)
    # The header that includes the others: that is the overview.
    [ "$page" != pbturbo-pbturbo ] || continue
    awk -v name="$page" -v date="$date" -v version="$version" \
        -f "$here/man_page.awk" "$header" >"$output/$page.3"
    sed -n '/^\.Sh SYNOPSIS/q; s/^\.Nm \(pbt_[a-z0-9_]*\).*/\1/p' \
        "$output/$page.3" | while read -r call; do
        echo ".so man3/$page.3" >"$output/$call.3"
    done
done
sed -e "s/@DATE@/$date/" -e "s/@VERSION@/$version/" "$here/pbturbo.3" \
    >"$output/pbturbo.3"
