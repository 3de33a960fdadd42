#!/bin/sh
# numbers_run.sh PRINT KIND CHECKER... - lets another program check the text of
# numbers of a kind; exits with 77 where there is no such program.
set -eu
print=$1
kind=$2
shift 2
if ! command -v "$1" >/dev/null; then
    echo "no $1 here"
    exit 77
fi
"$print" "$kind" 200000 | "$@"
