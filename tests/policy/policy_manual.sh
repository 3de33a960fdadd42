#!/bin/sh
# policy_manual.sh ROOT TOOL - the manual pages of the commands say what --help
# says, and are sound.
set -eu
page=$1/tools/pbturbo.1
tool=$2
status=0
complain() {
    echo "$1"
    status=1
}

# The options in a help text, one a line, without the two of all commands.
options_of() {
    "$tool" "$1" --help | sed -n 's/^ .*--\([a-z0-9-]*\).*/\1/p' |
        grep -v -x -e help -e version
}

# What the synopsis has for a command.
synopsis_of() {
    sed -n '/^.Sh SYNOPSIS/,/^.Pp/p' "$page" |
        sed -n "/^.Cm $1\$/,/^.Nm/p"
}

commands=$("$tool" --help | sed -n '/^commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ -n "$commands" ] || complain "$tool --help: no commands"
for command in $commands; do
    grep -q "^.It Cm $command\$" "$page" || complain "$page: lacks $command"
    for option in $(options_of "$command"); do
        grep -q -e "^.It.* Fl -$option\>" "$page" ||
            complain "$page: lacks --$option"
        case $option in
        proto | include | schema | type) continue ;;
        output) option=o ;;
        messages) option=n ;;
        *) option=-$option ;;
        esac
        synopsis_of "$command" | grep -q -e "Fl $option\>" ||
            complain "$page: the synopsis of $command lacks $option"
    done
done

run_page=$1/docs/man/pbturbo-run.1
for option in $("$1/scripts/pbturbo-run" --help |
    sed -n 's/^  --\([a-z]*\) .*/\1/p'); do
    grep -q -x -e ".It Fl -$option" "$run_page" ||
        complain "$run_page: lacks --$option"
done

if command -v groff >/dev/null; then
    warnings=$(groff -mdoc -Tutf8 -ww -z "$page" "$run_page" 2>&1) || true
    [ -z "$warnings" ] || complain "$warnings"
fi
exit $status
