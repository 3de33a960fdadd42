# shellcheck shell=bash
# lib.sh - sourced by the other scripts: goes to the root of the tree, and
# knows which Debian packages each task needs and how to install them.

export LC_ALL=C
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

# packages_of SET: the Debian packages of a set. The benchmark is built with the
# tests, so that it cannot rot; it needs the C++ packages too.
packages_of() {
    case $1 in
    build)
        echo gcc libc6-dev cmake ninja-build pkg-config libprotobuf-c-dev \
            protobuf-c-compiler protobuf-compiler
        ;;
    test) echo check g++ libprotobuf-dev binutils git locales ;;
    count) echo valgrind binutils ;;
    go) echo golang-go golang-google-protobuf-dev ;;
    rapidjson) echo rapidjson-dev ;;
    node)
        # Packages from elsewhere hold both in one.
        command -v node >/dev/null || echo nodejs
        command -v npm >/dev/null || echo npm
        ;;
    package) echo dpkg-dev ;;
    try-package) echo debootstrap lintian ;;
    documents) echo make autoconf automake groff mandoc man-db ;;
    abi) echo abigail-tools ;;
    client_postgis) echo postgresql-15-postgis-3 postgresql-15-decoderbufs ;;
    client_unbound) echo unbound "$(packages_of dns_log)" ;;
    client_knot) echo knot knot-module-dnstap "$(packages_of dns_log)" ;;
    client_bind9) echo bind9 "$(packages_of dns_log)" ;;
    client_nsd) echo nsd "$(packages_of dns_log)" ;;
    dns_log) echo bind9-dnsutils fstrm-bin dnsperf python3 gcc libc6-dev ;;
    client_collectd) echo collectd-core libmicrohttpd12 python3 ;;
    client_riemann) echo riemann-c-client python3 gcc libc6-dev ;;
    client_pg_query) echo libpg-query-dev python3 ;;
    client_php_pinba) echo php-pinba php-cli python3 ;;
    msan | fuzz) echo clang libclang-rt-dev ;;
    cross-arm64) echo gcc-aarch64-linux-gnu qemu-user ;;
    cross-s390x) echo gcc-s390x-linux-gnu qemu-user ;;
    style) echo clang-format clang-tidy shellcheck ;;
    *) fail "packages_of: no set of the name $1" ;;
    esac
}

say() {
    printf '%s\n' "$*"
}

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

is_installed() {
    dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null |
        grep -qx installed
}

apt_get() {
    local as_root=()
    [[ $(id -u) -eq 0 ]] || as_root=(sudo)
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -q -y \
        -o Dpkg::Use-Pty=0 "$@" </dev/null
}

# need SET...: installs the packages of the sets that are missing, and nothing
# else.
need() {
    local set packages package log wanted=() missing=()
    for set in "$@"; do
        read -ra packages <<<"$(packages_of "$set" | tr '\n' ' ')"
        wanted+=("${packages[@]}")
    done
    if ! command -v dpkg-query >/dev/null; then
        say "Not a Debian system; it must offer what these packages hold:" \
            "${wanted[*]}"
        return
    fi
    for package in "${wanted[@]}"; do
        is_installed "$package" || missing+=("$package")
    done
    if [[ ${#missing[@]} -eq 0 ]]; then
        return
    fi

    if [[ $(id -u) -ne 0 ]] && ! command -v sudo >/dev/null; then
        fail "Packages are missing. As root: apt-get install ${missing[*]}"
    fi
    say "Installing with apt-get: ${missing[*]}"
    mkdir -p build
    log=build/apt.log
    if ! apt_get update >"$log" 2>&1; then
        say "apt-get update failed; going on with the package lists at hand."
    fi
    if ! apt_get install --no-install-recommends "${missing[@]}" \
        >>"$log" 2>&1; then
        tail -n 20 "$log" >&2
        fail "Could not install them. As root:" \
            "apt-get install ${missing[*]}"
    fi
}

# want SET...: the same for what the task can do without.
want() {
    if ! (need "$@"); then
        say "Going on without them."
    fi
}

# configure_and_build PRESET [TARGET...]
configure_and_build() {
    local preset=$1 log=build/$1.log
    shift
    say "Building: preset $preset"
    mkdir -p build
    if ! { cmake --preset "$preset" &&
        cmake --build --preset "$preset" ${1:+--target "$@"}; } \
        >"$log" 2>&1; then
        tail -n 60 "$log" >&2
        fail "The build failed; all of its output is in $log"
    fi
}

# The peers of the benchmark that it can do without, each for itself.
want_peers() {
    want go
    want rapidjson
    want node
    if ! scripts/node-peers; then
        say "Going on without fast-json-stringify."
    fi
}

# Benchmark and tests are built with the datasets and the conformance suite that
# are there when they are configured, so these come first.
fetch_datasets() {
    if ! scripts/datasets build/datasets; then
        say "The reference datasets and the conformance suite are not to be had" \
            "here; going on without them."
    fi
}

# The same for the test programs of protobuf-c, which a ctest builds.
fetch_released_tests() {
    if ! scripts/protobuf-c-tests build/protobuf-c; then
        say "The test programs of protobuf-c are not to be had here; going on" \
            "without them."
    fi
}

# build_library_of COMMIT FOLDER: its sources in FOLDER/base, a worktree, and its
# shared library in FOLDER/build. Afterwards remove FOLDER, and prune worktrees.
build_library_of() {
    local commit
    commit=$(git rev-parse --verify --quiet "$1^{commit}") ||
        fail "$1: no such commit"
    say "Building the library of $1 ($(git log -1 --format='%h %s' "$commit"))"
    git worktree add --quiet --detach "$2/base" "$commit"
    if ! { cmake -S "$2/base" -B "$2/build" -G Ninja \
        -DCMAKE_BUILD_TYPE=RelWithDebInfo -DPBTURBO_BUILD_TESTS=OFF \
        -DPBTURBO_BUILD_BENCH=OFF -DPBTURBO_BUILD_TOOLS=OFF \
        -DPBTURBO_BUILD_EXAMPLES=OFF &&
        cmake --build "$2/build" --target pbturbo_shared; } \
        >"$2/log" 2>&1; then
        tail -n 40 "$2/log" >&2
        fail "The build of $1 failed."
    fi
}
