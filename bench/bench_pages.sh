#!/bin/sh
# bench_pages.sh BENCH SCHEMAS - the pages and drawings that pbturbo-bench
# writes are well-formed, complete, and need no other file; names of all kinds
# stand in them as text. No figure is judged.
set -eu
bench=$1
schemas=$2
checker=$(dirname "$0")/check_markup.awk
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "$*"
    exit 1
}

# The checker itself: what it must let pass, and what it must not.
check() {
    awk -f "$checker" "$1"
}
printf '<a b="c&amp;"><d/>e</a>\n' >"$work/markup"
check "$work/markup" || fail "the checker refuses what is good"
for bad in '<a>' '</a>' '<a></b>' '<a b=c/>' '<a b="c" b="d"/>' '<a>&x</a>' \
    '<a>b > c</a>' 'text<a/>' '<a/><a/>' '<a/>text' '<a' '<a href="b"/>' \
    '<script></script>' '<style>@import "a"</style>' ''; do
    printf '%s\n' "$bad" >"$work/markup"
    ! check "$work/markup" >/dev/null || fail "the checker lets pass: $bad"
done

# expect FILE TEXT...
expect() {
    file=$1
    shift
    for text in "$@"; do
        grep -qF -- "$text" "$file" || fail "$file: lacks $text"
    done
}

"$bench" --quick --dataset dnstap,blobs --seed 7 --report "$work/page.html" \
    >"$work/said"
check "$work/page.html"
expect "$work/page.html" '<section id="marshal">' '<section id="size">' \
    '<section id="check">' '<section id="unmarshal">' '>dnstap<' '>blobs<' \
    '>pbturbo-iovec<' '>protobuf-c<' '<dd>7</dd>' 'class="own"'
# A peer that is not in the build is named, and has no row.
for peer in cpp upb go; do
    if grep -q "^# $peer: not in this build" "$work/said"; then
        expect "$work/page.html" "<li>$peer: not in this build"
        ! grep -q "<td class=\"text\">$peer<" "$work/page.html" ||
            fail "$peer has a row"
    else
        expect "$work/page.html" "<td class=\"text\">$peer<"
    fi
done

# One codec alone: no ratio, no mean.
"$bench" --quick --dataset dnstap --op size --codec protobuf-c \
    --report "$work/one.html" >/dev/null
check "$work/one.html"
expect "$work/one.html" '<td>-</td>'
! grep -q 'Geometric' "$work/one.html" || fail "a mean of nothing"

# A file's name is text, whatever is in it.
own="$work/a<b>&\"'.bin"
printf '\010\005' >"$own"
"$bench" --quick --op marshal --schema "$schemas/deep.set" \
    --type bench.deep.Level --report "$work/own.html" "$own" >/dev/null
check "$work/own.html"
expect "$work/own.html" "a&lt;b&gt;&amp;&quot;'.bin"

# What cannot be measured has its reason in the page, and nothing is one, too.
! "$bench" --quick --schema "$schemas/deep.set" --type no.Type \
    --report "$work/none.html" "$own" >/dev/null || fail "no.Type was found"
check "$work/none.html"
expect "$work/none.html" 'no type of that name' 'Nothing was measured'

! "$bench" --quick --dataset dnstap --report "$work/no/page.html" \
    >/dev/null 2>"$work/errors" || fail "wrote into a folder that is not there"
expect "$work/errors" "$work/no/page.html"
if [ -w /dev/full ]; then
    ! "$bench" --quick --dataset dnstap --op size --report /dev/full \
        >/dev/null 2>"$work/errors" || fail "a full disk went unnoticed"
    expect "$work/errors" /dev/full
fi

# The scale curves: every one has its points, and its panel.
"$bench" --quick --largest 100000 --plot "$work/plot.svg" >"$work/scale" \
    2>"$work/errors"
check "$work/plot.svg"
expect "$work/plot.svg" 'role="img"' '>Size of the message<' '>100k<' \
    '>Threads on shared tables' '>protobuf-c to 10,000 levels'
awk -F '\t' '
    NR == 1 {
        if ($0 != "curve\tseries\tx\ttotal\tcost\tunit\tspread") exit 1
        next
    }
    NF != 7 || $3 <= 0 || $4 <= 0 || $5 <= 0 || $7 < 1 { exit 1 }
    { print $1, $2, $3 }' "$work/scale" >"$work/points" ||
    fail "bad lines: $(cat "$work/scale")"
for codec in pbturbo protobuf-c; do
    for point in 'size %s 10' 'size %s 100000' 'depth %s 10000' \
        'fields %s 10000' 'fields_tenth %s 10000' 'threads %s 1' \
        'threads %s 2'; do
        # shellcheck disable=SC2059
        grep -qx "$(printf "$point" $codec)" "$work/points" ||
            fail "no $point of $codec"
    done
done
for point in 'depth pbturbo 1000000' 'build pbt_schema_load 10000' \
    'build pbt_prepare 10000'; do
    grep -qx "$point" "$work/points" || fail "no $point"
done
grep -qx 'memory pbt_prepare 10000' "$work/points" ||
    expect "$work/errors" '# memory: '
! "$bench" --quick --plot "$work/no/plot.svg" >/dev/null 2>"$work/errors" ||
    fail "drew into a folder that is not there"
expect "$work/errors" "$work/no/plot.svg"
