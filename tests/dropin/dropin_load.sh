#!/bin/sh
# dropin_load.sh RUN LIBRARIES LINKED HOST PLUGIN PLUGIN WHOLE PART PART
#
# Programs and plugins with the built libraries in the place of the original:
# the same output, the calls from where they should come, and the switches of
# the environment. What follows HOST is given to it.
set -eu
run=$1
libraries=$2
linked=$3
host=$4
plugin=$5
shift 4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# A sanitizer wants to be the first library, and in every program it is in.
export ASAN_OPTIONS="verify_asan_link_order=0:${ASAN_OPTIONS:-}"
sanitized=no
if nm -D "$plugin" | grep -q '__[amt]san_'; then sanitized=yes; fi
unset LD_PRELOAD LD_LIBRARY_PATH PBTURBO_STATS PBTURBO_DISABLE

fail() {
    echo "$1"
    exit 1
}

# same NAME COMMAND...: prints what the program prints without us.
same() {
    name=$1
    shift
    "$@" >"$work/out" 2>"$work/err" || fail "$name: failed"
    diff "$work/want" "$work/out" || fail "$name: other output"
}

# counted NAME CALL: the statistics say that there were such calls.
counted() {
    grep -q "pbturbo\[[0-9]*\]: $2: [1-9][0-9]* calls, [1-9]" "$work/err" ||
        fail "$1: no calls of $2 in $(cat "$work/err")"
}

"$linked" >"$work/want"
same replacement "$run" "$linked"
[ ! -s "$work/err" ] || fail "replacement: prints $(cat "$work/err")"
same preload "$run" --preload "$linked"
[ ! -s "$work/err" ] || fail "preload: prints $(cat "$work/err")"
same both env LD_LIBRARY_PATH="$libraries" \
    LD_PRELOAD="$libraries/libpbturbo-preload.so" "$linked"
for form in "" --preload; do
    # shellcheck disable=SC2086
    same "$form --disable" "$run" $form --disable "$linked"
    # shellcheck disable=SC2086
    same "$form --stats" "$run" $form --stats "$linked"
    for call in get_packed_size pack pack_to_buffer; do
        counted "$form --stats" $call
    done
    grep -q ' [1-9][0-9]* tables built' "$work/err" ||
        fail "$form --stats: no tables in $(cat "$work/err")"
    # shellcheck disable=SC2086
    same "$form --stats --disable" "$run" $form --stats --disable "$linked"
    grep -q ' 0 tables built' "$work/err" ||
        fail "$form --disable: tables in $(cat "$work/err")"
done

# The plugins bring the library; preloading reaches what is not DEEPBIND.
"$host" libprotobuf-c.so "$@"
"$run" "$host" "$libraries/libprotobuf-c.so" "$@"
"$run" --disable "$host" "$libraries/libprotobuf-c.so" "$@"
"$run" --preload "$host" lib "$@"
"$run" --preload --disable "$host" lib "$@"

# A preloaded plugin packs before main.
if [ $sanitized = no ]; then
    LD_PRELOAD=$plugin "$run" --stats env true 2>"$work/err"
    counted "before main" pack
    LD_PRELOAD=$plugin "$run" --preload --stats env true 2>"$work/err"
    counted "before main, preloaded" pack
fi

# The script itself.
"$run" --help | grep -q set-uid
[ "$("$run" sh -c 'exit 3' || echo $?)" = 3 ] || fail "exit status"
for name in 'a program' 'a=b' '-option' "\$ORIGIN"; do
    printf '#!/bin/sh\nprintf "<%%s>" "$@"\n' >"$work/$name"
    chmod +x "$work/$name"
    [ "$(PATH=$work:$PATH "$run" -- "$name" 'x y' '' '*' '\n')" = \
        '<x y><><*><\n>' ] || fail "a program named $name"
done
for form in "" --preload; do
    # shellcheck disable=SC2086
    "$run" $form "$work/none" 2>"$work/err" || status=$?
    [ "$status" = 127 ] || fail "status of no program"
    # shellcheck disable=SC2086
    "$run" $form "$work" 2>"$work/err" || status=$?
    [ "$status" = 126 ] || fail "status of what cannot be run"
done
! "$run" --no-such-option true 2>/dev/null || fail "unknown option"
! "$run" 2>/dev/null || fail "no program"
"$run" --print | grep -q "^LD_LIBRARY_PATH=$libraries\$" || fail "--print"
"$run" --print --preload | grep -q '^LD_PRELOAD=.*preload.so$' || fail "--print"

# Copies elsewhere. The loader's lists have separators and names of its own.
elsewhere() {
    mkdir -p "$work/$1/bin" "$work/$1/lib/pbturbo"
    cp "$run" "$work/$1/bin/run"
    cp "$libraries"/lib* "$work/$1/lib/pbturbo"
    shift
    "$@" >"$work/out" 2>"$work/err"
}
for name in plain 'with space'; do
    elsewhere "$name" "$work/$name/bin/run" --stats "$linked" ||
        fail "moved to $name"
    counted "moved to $name" pack
done
elsewhere 'a;b' "$work/a;b/bin/run" --preload --stats "$linked" ||
    fail "moved to a;b"
counted "moved to a;b" pack
for name in 'a:b' 'a;b' "a\$LIB"; do
    ! elsewhere "$name" "$work/$name/bin/run" true || fail "moved to $name"
done
for name in 'a:b' 'a b' "a\$LIB"; do
    ! elsewhere "$name" "$work/$name/bin/run" --preload true ||
        fail "moved to $name"
done
