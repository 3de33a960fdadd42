#!/bin/sh
# packages_inside.sh - run by packages_run.sh as root of a fresh system, with
# the packages in /work: installs them, uses what is in them, builds the
# examples, and removes all of it again.
set -eu
cd /work

say() {
    printf '%s\n' "$*"
}

fail() {
    say "$*" >&2
    exit 1
}

# run COMMAND...: silent unless it fails
run() {
    if ! "$@" >log 2>&1; then
        tail -n 40 log >&2
        fail "failed: $*"
    fi
}

install_packages() {
    run apt-get -q -y install --no-install-recommends "$@"
}

# What a package of ours holds, by its name.
files_of() {
    dpkg-query -L "$1" | while read -r file; do
        [ -d "$file" ] || say "$file"
    done
}

ours() {
    for deb in *.deb; do
        dpkg-deb -f "$deb" Package
    done
}

check_documents() {
    for package in $(ours); do
        for file in copyright changelog.gz changelog.Debian.gz; do
            [ -s "/usr/share/doc/$package/$file" ] ||
                fail "$package: no $file"
        done
    done
}

check_command() {
    say "pbturbo --version: $(pbturbo --version)"
    cat >one.proto <<'END'
syntax = "proto3";
message One { string text = 1; }
END
    printf '\n\003abc' >one.bin
    line=$(pbturbo json --proto one.proto --type One one.bin)
    [ "$line" = '{"text":"abc"}' ] || fail "pbturbo json: $line"
}

# Every call that the library exports, each command, and the overview have a
# page, as man finds them.
check_manual() {
    symbols=$(sed -n 's/^ \(pbt_[a-z0-9_]*\)@.*/\1/p' \
        /var/lib/dpkg/info/libpbturbo0*.symbols)
    [ -n "$symbols" ] || fail "libpbturbo0: no symbols"
    for page in pbturbo $symbols; do
        man -w 3 "$page" >/dev/null || fail "no page $page(3)"
    done
    man 3 pbt_marshal | grep -q 'pbt_marshal' || fail "pbt_marshal(3) is empty"
    for package in $(ours); do
        for command in $(files_of "$package" | sed -n 's|^/usr/bin/||p'); do
            man -w 1 "$command" >/dev/null || fail "no page $command(1)"
        done
    done
}

# The system's library stays as it is; a program that is started with
# pbturbo-run has ours.
check_dropin() {
    dpkg-query -L libpbturbo-protobuf-c | grep -v '^/usr/lib/.*/pbturbo' |
        grep 'libprotobuf-c\.so' && fail "installed over the system's library"
    ldconfig -p | grep '/pbturbo/' && fail "the loader finds our library"
    ldd /usr/bin/pbturbo | grep 'libprotobuf-c.so.1 => .*/pbturbo/' &&
        fail "used without being told to"
    pbturbo-run /usr/bin/ldd /usr/bin/pbturbo |
        grep -q 'libprotobuf-c.so.1 => .*/pbturbo/' ||
        fail "pbturbo-run: the system's library is used"
    PBTURBO_STATS=1 pbturbo-run pbturbo json --proto one.proto --type One \
        one.bin | grep -q '"abc"' || fail "pbturbo-run: does not run"
}

find_leavings() {
    find / -xdev -path /work -prune -o -path /var/cache -prune -o \
        -path /var/log -prune -o -path /proc -prune -o \
        -iname '*pbturbo*' -print
}

run apt-get -q update
leavings=$(find_leavings)
[ -z "$leavings" ] || fail "the system is not clean: $leavings"

say "Installing: $(ours | paste -s -d ' ')"
install_packages ./*.deb
run dpkg --audit
ldconfig -p | grep -q 'libpbturbo\.so\.0 ' || fail "ldconfig: no libpbturbo.so.0"
check_documents

install_packages protobuf-compiler man-db
check_command
check_manual
if dpkg-query -W libpbturbo-protobuf-c >/dev/null 2>&1; then
    check_dropin
fi

say "Building the examples"
install_packages gcc g++ libc6-dev make cmake pkg-config autoconf automake \
    protobuf-c-compiler
sh build_examples.sh /usr/share/doc/libpbturbo-dev/examples >examples.log ||
    { cat examples.log; exit 1; }
if grep -q skipped examples.log; then
    fail "$(cat examples.log)"
fi
[ -z "$(pkg-config --cflags pbturbo)" ] ||
    fail "pkg-config --cflags: $(pkg-config --cflags pbturbo)"

say "Removing them"
# shellcheck disable=SC2046
run apt-get -q -y purge $(ours)
run ldconfig
leavings=$(find_leavings)
[ -z "$leavings" ] || fail "left behind: $leavings"
if ldconfig -p | grep pbturbo || dpkg-query -l | grep pbturbo; then
    fail "left behind"
fi
say "Packages: good"
