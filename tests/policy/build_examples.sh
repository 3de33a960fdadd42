#!/bin/sh
# build_examples.sh FOLDER - builds the installed examples in a copy of FOLDER,
# in each way that their README.md tells, and runs them. The environment says
# where pbturbo is. What needs a tool that is not there is skipped and named.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -R "$1/." "$work"
cd "$work"

# run COMMAND...: silent unless it fails
run() {
    if ! "$@" >log 2>&1; then
        echo "$*:"
        cat log
        exit 1
    fi
}

# expect PATTERN COMMAND...: what it prints first
expect() {
    pattern=$1
    shift
    line=$("$@" | head -n 1)
    # shellcheck disable=SC2254
    case $line in
    $pattern) ;;
    *)
        echo "$*: printed $line"
        exit 1
        ;;
    esac
}

lacks() {
    for tool in "$@"; do
        if ! command -v "$tool" >/dev/null; then
            echo "skipped: no $tool"
            return 0
        fi
    done
    return 1
}

by_make() {
    run make
    expect "22 bytes, *" ./hello
    expect "sink: 22 bytes" ./stream
    expect "quantity 2, now 3" ./schema order.set
    expect "22 bytes: hello, world, 3 years" ./raii
    run make clean
}

by_cmake() {
    if command -v ninja >/dev/null; then
        CMAKE_GENERATOR=Ninja
        export CMAKE_GENERATOR
    fi
    run cmake -S cmake -B cmake/build
    run cmake --build cmake/build
    expect "22 bytes, *" cmake/build/hello
    expect "22 bytes, *" cmake/build/hello_static
    expect "22 bytes: hello, world, 3 years" cmake/build/raii
}

by_autotools() {
    cd autotools
    run autoreconf --install
    run ./configure
    run make
    expect "22 bytes, *" ./hello
    cd ..
}

# The lines for the shell that stand at the top of the README.
by_hand() {
    sed -n '/^By hand:/,/^With make/s/^    //p' README.md >by_hand.sh
    [ -s by_hand.sh ]
    run sh -e by_hand.sh
    expect "22 bytes, *" ./hello
}

by_hand
lacks make c++ || by_make
lacks cmake c++ || by_cmake
lacks autoreconf automake make || by_autotools
