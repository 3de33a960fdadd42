# shellcheck shell=bash
# source-package.sh - sourced by scripts that need what is in a Debian source
# package. It comes from the servers that this machine's own apt sources name;
# apt verifies it. Nothing is installed, and the machine's apt sources and lists
# are left as they are. Needs a function fail.

# Prints a one-line source list as deb-src lines.
convert_list() {
    sed -nE 's/^[[:space:]]*deb(-src)?([[:space:]])/deb-src\2/p' "$1"
}

# Prints a deb822 source file with deb-src for the type of each paragraph.
convert_sources() {
    sed -E 's/^Types:.*/Types: deb-src/I' "$1"
}

# Writes the source parts of our own from those of the machine.
write_parts() {
    local parts=$1 file
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [[ -f $file ]] || continue
        convert_list "$file" >"$parts/$(basename "${file%.list}").list"
    done
    for file in /etc/apt/sources.list.d/*.sources; do
        [[ -f $file ]] || continue
        convert_sources "$file" >"$parts/$(basename "$file")"
    done
    compgen -G "$parts/*" >/dev/null ||
        fail "this machine has no apt sources to start from"
}

# download PACKAGE FOLDER: puts the files of a source package into an empty
# folder. A source that has no source packages makes the update complain; what
# counts is whether the package is to be had from another.
download() {
    local package=$1 scratch=$2
    local options=(
        -o "Dir::Etc::SourceList=/dev/null"
        -o "Dir::Etc::SourceParts=$scratch/parts"
        -o "Dir::State::lists=$scratch/lists"
        -o "Dir::Cache=$scratch/cache"
        -o "APT::Sandbox::User="
        -o "Acquire::Languages=none"
        -o "Acquire::Retries=0"
        -o "Acquire::http::Timeout=20"
        -o "Acquire::https::Timeout=20"
    )
    command -v apt-get >/dev/null || fail "there is no apt-get here"
    mkdir -p "$scratch/parts" "$scratch/lists/partial" \
        "$scratch/cache/archives/partial"
    write_parts "$scratch/parts"
    apt-get "${options[@]}" --quiet=2 update >"$scratch/log" 2>&1 || true
    (cd "$scratch" &&
        apt-get "${options[@]}" --quiet=2 source --download-only "$package" \
            >>"$scratch/log" 2>&1) || {
        tail -n 5 "$scratch/log" >&2
        fail "the source package $package cannot be downloaded"
    }
}

# unpack_original PACKAGE SCRATCH TREE PATTERN...: what matches of the original
# tarball that download has left in SCRATCH.
unpack_original() {
    local package=$1 scratch=$2 tree=$3 tarballs
    shift 3
    tarballs=("$scratch/${package}"_*.orig.tar.*)
    [[ ${#tarballs[@]} -eq 1 && -f ${tarballs[0]} ]] ||
        fail "the source package $package holds no original tarball"
    mkdir -p "$tree"
    tar --extract --file "${tarballs[0]}" --directory "$tree" \
        --no-same-owner --strip-components=1 --wildcards "$@" ||
        fail "the source package $package lacks some of: $*"
}
