#!/bin/sh
# policy_valgrind.sh TESTS - programs that use the library can be watched by
# valgrind: at the level that it chooses there by itself, nothing is read next
# to an object, whatever it does elsewhere.
set -u

command -v valgrind >/dev/null || exit 77
unset PBTURBO_CPU
CK_FORK=no exec valgrind -q --error-exitcode=1 "$1" memory
