#!/bin/sh
# bench_scripts.sh ROOT BENCH LIBRARY - the scripts around pbturbo-bench find
# what they are to find. No figure of the tree is judged. Exit 77 without
# valgrind.
set -eu
cd "$1"
bench=$2
library=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "$*"
    exit 1
}

# expect_exit CODE COMMAND...: its output goes to $work/said.
expect_exit() {
    want=$1
    shift
    got=0
    "$@" >"$work/said" 2>&1 || got=$?
    [ "$got" -eq "$want" ] ||
        fail "$*: exit $got, expected $want: $(cat "$work/said")"
}

expect_exit 1 scripts/bench-compare no/such/commit
expect_exit 2 scripts/bench-compare
expect_exit 2 scripts/bench-compare --rounds many HEAD
expect_exit 2 scripts/count-instructions "$bench" pbturbo
command -v valgrind >/dev/null || exit 77

# What is executed in the library is a part of all, and twice the passes are
# twice the instructions.
count="scripts/count-instructions"
all=$("$count" "$bench" pbturbo dnstap marshal 1)
own=$("$count" --object libpbturbo.so "$bench" pbturbo dnstap marshal 1)
two=$("$count" --object libpbturbo.so "$bench" pbturbo dnstap marshal 2)
printf '%s\t%s\t%s\n' "$all" "$own" "$two" | awk -F '\t' '
    NF != 15 || $6 <= 0 || $1 <= $6 || $11 != 2 * $6 || $7 <= 0 || $4 != $9 {
        exit 1
    }' || fail "counts: $all, $own, $two"
expect_exit 1 "$count" "$bench" memcpy dnstap size 1

[ "$(uname -m)" = x86_64 ] || exit 77
printf '# compiler: none\ndataset\top\tpasses\tinstructions\n' >"$work/rows"
printf 'dnstap\tsize\t1\t0\n' >>"$work/rows"
expect_exit 77 scripts/instructions "$bench" "$library" "$work/rows"
expect_exit 0 scripts/instructions --renew "$bench" "$library" "$work/rows"
expect_exit 0 scripts/instructions "$bench" "$library" "$work/rows"
grep -q 'dnstap size: .* good' "$work/said" || fail "$(cat "$work/said")"
for change in '0.9 MORE' '1.1 LESS'; do
    awk -F '\t' -v OFS='\t' -v factor="${change% *}" '
        $1 == "dnstap" { $4 = int($4 * factor) } { print }' "$work/rows" \
        >"$work/changed"
    expect_exit 1 scripts/instructions "$bench" "$library" "$work/changed"
    grep -q "dnstap size: .* ${change#* }" "$work/said" ||
        fail "$(cat "$work/said")"
done
