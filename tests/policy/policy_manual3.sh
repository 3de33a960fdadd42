#!/bin/sh
# policy_manual3.sh ROOT FOLDER - the manual pages of section 3 in FOLDER: each
# call of the version script has a page that is about it, no page is about a
# call that is not, the overview names them all, each parameter has its place,
# and all of it is sound mdoc.
set -eu
root=$1
pages=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
complain() {
    echo "$1"
    status=1
}

sed -n 's/^ *\(pbt_[a-z0-9_]*\);$/\1/p' "$root/cmake/pbturbo.map" |
    sort >"$work/calls"
[ -s "$work/calls" ] || complain "pbturbo.map: no calls"
(cd "$pages" && for page in pbt_*.3; do echo "${page%.3}"; done) |
    sort | diff "$work/calls" - ||
    complain "exported (<) is not what has a page (>)"
sed -n 's/^\.\(Fn\|Va\) \(pbt_[a-z0-9_]*\).*/\2/p' "$pages/pbturbo.3" |
    grep -v -x -e pbt_options | sort -u | diff "$work/calls" - ||
    complain "exported (<) is not what pbturbo.3 lists (>)"

while read -r call; do
    target=$(sed -n 's|^\.so man3/||p' "$pages/$call.3") || target=
    page=$pages/$target
    if [ -z "$target" ] || [ ! -s "$page" ]; then
        complain "$call.3: leads to '$target'"
        continue
    fi
    grep -q "^\.Nm $call\( ,\)\?\$" "$page" || complain "$target: lacks $call"
    grep -q "^\.Xr ${target%.3} 3\$\|^\.It Xr ${target%.3} 3\$" \
        "$pages/pbturbo.3" || complain "pbturbo.3: does not lead to $target"
    sed -n "/^\.Ss $call\$/,/^\.S[sh]/p" "$page" | sed '1d;$d' | grep -q . ||
        complain "$target: says nothing of $call"
done <"$work/calls"

for page in "$pages"/pbturbo*.3; do
    ! grep -n '/\*\*\|@param\|@return' "$page" || complain "$page: left over"
    if command -v groff >/dev/null; then
        groff -mdoc -Tutf8 -ww -z "$page" >"$work/lint" 2>&1 || true
        [ ! -s "$work/lint" ] || complain "$(cat "$work/lint")"
    fi
    if command -v mandoc >/dev/null; then
        mandoc -T lint -W warning "$page" >"$work/lint" 2>&1 || true
        [ ! -s "$work/lint" ] || complain "$(cat "$work/lint")"
    fi
done
if command -v man >/dev/null; then
    LC_ALL=C.UTF-8 man --warnings -E UTF-8 -l -Tutf8 -Z "$pages"/pbturbo*.3 \
        2>"$work/lint" >/dev/null || true
    [ ! -s "$work/lint" ] || complain "$(cat "$work/lint")"
fi
exit $status
