#!/bin/sh
# dropin_released.sh SOURCE LIBRARIES PROTOC PROTOC-C CC CXX [FLAG...] - the test
# programs that protobuf-c is released with, built against the original: they
# print and answer the same with the drop-in library in its place.
#
# Their source is Debian's protobuf-c package (scripts/protobuf-c-tests), of the
# version that is installed. Exits with 77 (skipped) without it.
set -eu
source=$1
libraries=$2
protoc=$3
protoc_c=$4
cc=$5
cxx=$6
shift 6
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset LD_PRELOAD LD_LIBRARY_PATH PBTURBO_STATS PBTURBO_DISABLE PBTURBO_CPU
export ASAN_OPTIONS=detect_leaks=0

if [ ! -f "$source/t/version/version.c" ]; then
    echo "skipped: no protobuf-c source in $source (scripts/protobuf-c-tests)"
    exit 77
fi

fail() {
    echo "$1"
    exit 1
}

# link_c NAME SOURCE... [FLAG...]: a program against the original.
link_c() {
    name=$1
    shift
    # shellcheck disable=SC2086
    "$cc" $flags -w -I"$work" -I"$source" -I"$headers" -o "$work/$name" "$@" \
        -lprotobuf-c || fail "$name: cannot be built"
    programs="$programs $name"
}

generate() {
    "$protoc_c" -I"$source" --c_out="$work" "$source/$1.proto" \
        2>"$work/log" || fail "$1.proto: $(cat "$work/log")"
}

# The arrays that test-generated-code2 compares with come from C++.
generate_packed_data() {
    [ "$cxx" ] || return 1
    "$protoc" -I"$source" --cpp_out="$work" "$source/t/test-full.proto" \
        "$source/protobuf-c/protobuf-c.proto" 2>"$work/log" &&
        "$cxx" -w -O0 -I"$work" -I"$source" -o "$work/packed-data" \
            "$source/t/generated-code2/cxx-generate-packed-data.cc" \
            "$work/t/test-full.pb.cc" "$work/protobuf-c/protobuf-c.pb.cc" \
            -lprotobuf -lpthread &&
        mkdir -p "$work/t/generated-code2" &&
        "$work/packed-data" >"$work/t/generated-code2/test-full-cxx-output.inc"
}

build() {
    for proto in test test-full test-optimized test-proto3; do
        generate "t/$proto"
    done
    code="$source/t/generated-code/test-generated-code.c"
    link_c test-generated-code "$code" "$work/t/test.pb-c.c"
    link_c test-generated-code3 -DPROTO3 "$code" "$work/t/test-proto3.pb-c.c"
    link_c version -DPACKAGE_VERSION=PROTOBUF_C_VERSION \
        "$source/t/version/version.c"
    for proto in "$source"/t/issue*/issue*.proto; do
        name=$(basename "$proto" .proto)
        generate "t/$name/$name"
    done
    # issue204 uses the header of issue251, and issue389 is a schema only
    for program in "$source"/t/issue*/issue*.c; do
        name=$(basename "$program" .c)
        link_c "$name" "$program" "$work/t/$name/$name.pb-c.c"
    done
    if generate_packed_data; then
        link_c test-generated-code2 \
            "$source/t/generated-code2/test-generated-code2.c" \
            "$work/t/test-full.pb-c.c" "$work/t/test-optimized.pb-c.c"
    else
        echo "without test-generated-code2, which needs C++ protobuf"
    fi
}

# run OUT COMMAND...: keeps what a program prints, and its exit status.
run() {
    out=$1
    shift
    status=0
    "$@" >"$out" 2>"$out.err" || status=$?
    echo "exit status $status" >>"$out"
}

# compare NAME HOW VARIABLE=VALUE...
compare() {
    name=$1
    how=$2
    shift 2
    run "$work/got" env "$@" "$work/$name"
    cmp "$work/want" "$work/got" || fail "$name, $how: another output"
    cmp "$work/want.err" "$work/got.err" || fail "$name, $how: another stderr"
}

flags=$*
headers=$(echo '#include <protobuf-c/protobuf-c.h>' |
    "$cc" -E - | sed -n 's/^# [0-9]* "\(.*\)\/protobuf-c\.h".*/\1/p' | head -n 1)
programs=
build
for name in $programs; do
    run "$work/want" "$work/$name"
    grep -qx 'exit status 0' "$work/want" ||
        fail "$name: fails with the original"
    compare "$name" drop-in LD_LIBRARY_PATH="$libraries"
    compare "$name" portable LD_LIBRARY_PATH="$libraries" PBTURBO_CPU=portable
    compare "$name" off LD_LIBRARY_PATH="$libraries" PBTURBO_DISABLE=1
    compare "$name" preloaded LD_PRELOAD="$libraries/libpbturbo-preload.so"
    compare "$name" both LD_LIBRARY_PATH="$libraries" \
        LD_PRELOAD="$libraries/libpbturbo-preload.so"
done

# It was the drop-in library that they called.
run "$work/got" env LD_LIBRARY_PATH="$libraries" PBTURBO_STATS=1 \
    "$work/test-generated-code"
grep -q ': unpack: [1-9][0-9]* calls' "$work/got.err" ||
    fail "test-generated-code: does not run with the drop-in library"
echo "the same:$programs"
