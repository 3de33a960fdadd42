#!/bin/sh
# public_names.sh ROOT - prints the functions and data that the public headers
# declare with PBT_API, sorted.
set -eu
cat "$1"/include/pbturbo/*.h | grep -v '^ *#' | tr '\n' ' ' |
    grep -o 'PBT_API [^;(]*' | sed 's/ *$//; s/.*[ *]//' | sort
