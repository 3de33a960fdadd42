# shellcheck shell=sh
# cli_helpers.sh - what the commands of the transcripts may use.

# octal NUMBER: sets $octal to the escape of a byte, without a process for it.
octal() {
    octal="\\$(($1 / 64))$(($1 / 8 % 8))$(($1 % 8))"
}

# hex BYTE...: writes the bytes.
hex() {
    for byte in "$@"; do
        octal "0x$byte"
        # shellcheck disable=SC2059
        printf "$octal"
    done
}

# nested N: a cli.Tree with so many trees within it.
nested() {
    bytes='\010\001'
    len=2
    level=0
    while [ "$level" -lt "$1" ]; do
        octal $((len % 128 + 128))
        low=$octal
        octal $((len / 128))
        bytes="\022$low$octal$bytes"
        len=$((len + 3))
        level=$((level + 1))
    done
    # shellcheck disable=SC2059
    printf "$bytes"
}

# unhex: prints the bytes of standard input.
unhex() {
    od -An -v -tx1 | sed 's/^ //'
}

# encode TYPE: text form in, bytes out.
encode() {
    protoc --encode="$1" cli.proto
}

# decode TYPE: the reverse.
decode() {
    protoc --decode="$1" cli.proto
}

# delimit FILE...: each with its length before it; below 128 bytes.
delimit() {
    for file in "$@"; do
        hex "$(printf %02x "$(wc -c <"$file")")"
        cat "$file"
    done
}

# delimit_u32le FILE...: the same with four bytes.
delimit_u32le() {
    for file in "$@"; do
        hex "$(printf %02x "$(wc -c <"$file")")" 00 00 00
        cat "$file"
    done
}

# numbers: puts N for every number, and one blank for many.
numbers() {
    sed 's/level [^;]*/level L/; s/[0-9][0-9]*\.[0-9][0-9]*/N/g; s/\([^a-z]\)[0-9][0-9]*/\1N/g; s/  */ /g'
}

# calm: what bench says at its end on a machine that is not busy.
calm() {
    awk '/^The machine was busy: do not compare these times/ {
        print "These messages marshal N times and unmarshal N times as fast with"
        print "pbturbo as with protobuf-c."
        next
    } { print }'
}

# schema: the descriptor set of cli.proto.
schema() {
    protoc --include_imports --descriptor_set_out=cli.desc cli.proto
}

# in_little_memory COMMAND...: with 200 MB, unless that is too little for any
# command, as it is for one built with AddressSanitizer.
in_little_memory() (
    # shellcheck disable=SC3045
    if sh -c 'ulimit -v 200000; pbturbo --version; exit $?' >/dev/null 2>&1; then
        ulimit -v 200000
    fi
    "$@"
)
