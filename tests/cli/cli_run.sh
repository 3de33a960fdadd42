#!/bin/sh
# cli_run.sh TOOL FOLDER TRANSCRIPT [--update] - runs the commands of a
# transcript, and compares what they print with what stands below them.
#
#   $ command          run by sh in a folder of its own, with the .proto files
#   > more of it       of tests/cli in it
#   | standard output
#   ! standard error
#   ? exit status, unless it is 0
#
# All other lines are prose. --update writes down what came out. The helpers
# that commands may use are in cli_helpers.sh.
set -u
tool=$1
folder=$(cd "$2" && pwd)
transcript=$folder/$3
update=${4:-}
command -v protoc >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" "$work/run"
ln -s "$tool" "$work/bin/pbturbo"
cp "$folder"/*.proto "$work/run"
PATH=$work/bin:$PATH
LC_ALL=C
TMPDIR=$work/run
export PATH LC_ALL TMPDIR
cd "$work/run" || exit 1

# shellcheck source=tests/cli/cli_helpers.sh
. "$folder/cli_helpers.sh"

# Also ends the last line, where that lacks it.
print_with() {
    awk -v mark="$1" '{ line = mark " " $0; sub(/ +$/, "", line); print line }' \
        "$2"
}

# In this shell, so that functions and variables stay.
run_command() {
    eval "$1" >"$work/out" 2>"$work/err" </dev/null
    code=$?
    print_with '|' "$work/out"
    print_with '!' "$work/err"
    [ "$code" -eq 0 ] || echo "? $code"
}

replay() {
    command=
    while IFS= read -r line || [ -n "$line" ]; do
        case $line in
        '> '*)
            printf '%s\n' "$line"
            command="$command
${line#> }"
            continue
            ;;
        esac
        [ -z "$command" ] || run_command "$command"
        command=
        case $line in
        '$ '*)
            printf '%s\n' "$line"
            command=${line#\$ }
            ;;
        '|'* | '!'* | '?'*) ;;
        *) printf '%s\n' "$line" ;;
        esac
    done
    [ -z "$command" ] || run_command "$command"
}

replay <"$transcript" >"$work/actual"
if [ "$update" = --update ]; then
    cp "$work/actual" "$transcript"
else
    diff -u "$transcript" "$work/actual"
fi
