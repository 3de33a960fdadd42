#!/bin/sh
# policy_install.sh ROOT BUILD CMAKE GENERATOR - the installed package works: through
# pkg-config and through CMake, shared and static, also after it was moved; and
# so does the source tree as a part of another project.
set -eu
root=$1
build=$2
cmake=$3
generator=$4
consumer=$root/tests/policy/consumer
flags=${CFLAGS:-}
version=$(sed -n 's/^#define PBT_VERSION_STRING "\(.*\)"/\1/p' \
    "$root/include/pbturbo/version.h")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

expect_hello() {
    output=$("$@")
    case $output in
    "22 bytes, "*) ;;
    *)
        echo "$*: printed $output"
        exit 1
        ;;
    esac
}

use_pkg_config() {
    PKG_CONFIG_PATH=$(dirname "$(find "$1" -name pbturbo.pc)")
    export PKG_CONFIG_PATH
    # shellcheck disable=SC2046,SC2086
    "$CC" $flags -o "$work/shared" $hello $(pkg-config --cflags --libs pbturbo)
    LD_LIBRARY_PATH=$(pkg-config --variable=libdir pbturbo) \
        expect_hello "$work/shared"
    # shellcheck disable=SC2046,SC2086
    "$CC" $flags -o "$work/static" $hello $(pkg-config --cflags pbturbo) \
        $(pkg-config --libs --static pbturbo |
            sed 's/-lpbturbo/-l:libpbturbo.a/')
    [ "$(pkg-config --modversion pbturbo)" = "$version" ]
    pkg-config --print-requires pbturbo | grep -q '^libprotobuf-c >= 1\.3$'
    expect_hello "$work/static"
    unset PKG_CONFIG_PATH
}

# The command finds the library that was installed with it.
use_command() {
    "$1/bin/pbturbo" --version >/dev/null
    ldd "$1/bin/pbturbo" | grep libpbturbo | grep -q "$1"
    [ -e "$1/share/man/man1/pbturbo.1" ]
}

# use_cmake NAME ARGUMENT...
use_cmake() {
    folder=$work/$1
    shift
    if ! { "$cmake" -S "$consumer" -B "$folder" -G "$generator" \
        -DHELLO_DIR="$work/hello" "$@" &&
        "$cmake" --build "$folder" --parallel 2; } >"$work/log" 2>&1; then
        cat "$work/log"
        exit 1
    fi
    for program in "$folder"/hello_*; do
        expect_hello "$program"
    done
}

mkdir "$work/hello"
cp "$root/examples/hello.c" "$work/hello"
protoc-c --proto_path="$root/examples" --c_out="$work/hello" hello.proto
hello="-I$work/hello $work/hello/hello.c $work/hello/hello.pb-c.c"

"$cmake" --install "$build" --prefix "$work/first" >/dev/null
(cd "$work/first/include/pbturbo" && ls) >"$work/installed"
# upb.h belongs to a target that is not installed.
(cd "$root/include/pbturbo" && ls) | grep -vx upb.h | diff - "$work/installed"

# What is read first.
(cd "$work/first/share/doc/pbturbo" &&
    ls LICENSE README.md CHANGELOG.md docs/api.md docs/compat.md docs/drop-in.md \
        docs/getting-started.md docs/porting.md docs/security.md) >/dev/null

[ ! -e "$build/tools/pbturbo" ] || use_command "$work/first"
use_pkg_config "$work/first"
use_cmake with_first -DCMAKE_PREFIX_PATH="$work/first" -DEXPECTED=shared
mv "$work/first" "$work/second"
[ ! -e "$build/tools/pbturbo" ] || use_command "$work/second"
use_pkg_config "$work/second"

# use_moved NAME EXPECTED ARGUMENT...
use_moved() {
    name=$1
    expected=$2
    shift 2
    use_cmake "with_$name" -DCMAKE_PREFIX_PATH="$work/second" \
        -DEXPECTED="$expected" "$@"
}
use_moved static static -DBUILD_SHARED_LIBS=OFF
use_moved component_static static -DCOMPONENTS=static
use_moved component_shared shared -DCOMPONENTS=shared -DBUILD_SHARED_LIBS=OFF
use_moved components static "-DCOMPONENTS=static;shared" -DBUILD_SHARED_LIBS=OFF

# Either library alone is a package, too.
package=$(dirname "$(find "$work/second" -name pbturboConfig.cmake)")
mv "$package/pbturbo-static.cmake" "$work"
use_moved no_static shared -DBUILD_SHARED_LIBS=OFF
mv "$work/pbturbo-static.cmake" "$package"
rm "$package/pbturbo-shared.cmake"
use_moved no_shared static
use_cmake with_source -DPBTURBO_SOURCE_DIR="$root"
