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

# resolves_to PATTERN COMMAND...: what libprotobuf-c.so.1 is to a program
resolves_to() {
    pattern=$1
    shift
    "$@" | grep -q "libprotobuf-c\.so\.1 => $pattern" ||
        fail "$*: $("$@" | grep protobuf-c)"
}

# The system's library stays as it is. With pbturbo-run in both forms, and after
# the two settings of pbturbo-run(1), a program that knows nothing of pbturbo has
# ours, and prints the same.
check_dropin() {
    folder=$(dpkg-query -L libpbturbo-protobuf-c |
        sed -n 's|/libprotobuf-c\.so\.1$||p')
    case $folder in
    /usr/lib/*/pbturbo) ;;
    *) fail "libpbturbo-protobuf-c: libprotobuf-c.so.1 is in $folder" ;;
    esac
    cp /usr/share/doc/libpbturbo-dev/examples/hello.proto .
    protoc-c --c_out=. hello.proto
    cc -o packs packages_packs.c hello.pb-c.c -lprotobuf-c
    resolves_to '/lib/' ldd ./packs
    expected=$(./packs)
    [ -n "$expected" ] || fail "packs prints nothing"

    resolves_to "$folder/" pbturbo-run ldd ./packs
    for form in --stats "--preload --stats"; do
        # shellcheck disable=SC2086
        output=$(pbturbo-run $form ./packs 2>packs.err) ||
            fail "pbturbo-run $form: $(cat packs.err)"
        [ "$output" = "$expected" ] || fail "pbturbo-run $form: $output"
        grep -q '[1-9][0-9]* calls, 22 bytes' packs.err ||
            fail "pbturbo-run $form: $(cat packs.err)"
    done

    resolves_to "$folder/" env "$(pbturbo-run --print)" ldd ./packs
    echo "$folder" >/etc/ld.so.conf.d/00-pbturbo.conf
    ldconfig
    resolves_to "$folder/" ldd ./packs
    [ "$(./packs)" = "$expected" ] || fail "with ld.so.conf.d: not the same"
    rm /etc/ld.so.conf.d/00-pbturbo.conf
    ldconfig
    resolves_to '/lib/' ldd ./packs
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

say "Running a program with the drop-in library"
check_dropin

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
