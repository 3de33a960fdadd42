#!/bin/sh
# policy_examples.sh ROOT BUILD CMAKE - the examples are installed, and can be
# built against what is installed in each way that they tell.
set -eu
root=$1
case ${CFLAGS:-} in
*-fsanitize=* | *--coverage*)
    echo "the ways that they tell are for an ordinary library"
    exit 77
    ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$3" --install "$2" --prefix "$work" >/dev/null
installed=$(find "$work" -path '*/examples/hello.c')
installed=${installed%/hello.c}
(cd "$root/examples" && find . -type f ! -path ./CMakeLists.txt) |
    sort >"$work/expected"
(cd "$installed" && find . -type f) | sort | diff "$work/expected" -

PKG_CONFIG_PATH=$(dirname "$(find "$work" -name pbturbo.pc)")
CMAKE_PREFIX_PATH=$work
LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
export PKG_CONFIG_PATH CMAKE_PREFIX_PATH LD_LIBRARY_PATH
sh "$root/tests/policy/build_examples.sh" "$installed"
