#!/usr/bin/env bash
# client_pg_query.sh - libpg_query: parse trees of PostgreSQL's parser, by way of
# Python, as its bindings do it. The library has protobuf-c in itself, with names
# that others see, so only the preload form can take its place. See
# clients_lib.sh.
# shellcheck source=tests/clients/clients_lib.sh
. "$(dirname "$0")/clients_lib.sh"
library=$(find /usr/lib -name 'libpg_query.so.*' | sort | head -n 1)
[[ -n $library ]] || skip "no libpg_query"
CLIENTS_FORM=preload

pg_query() {
    run_in "$1" python3 "$here/clients_pg_query.py" "$library" "${@:2}"
}
pg_query plain bytes original.trees
pg_query stats bytes ours.trees 2>ours.log
check_stats pack ours.log
same original.trees ours.trees

# shellcheck disable=SC2317
time_trees() {
    pg_query "$1" time "$statements"
}
for statements in many nested; do
    time_pair time_trees
    put_result "parse, $statements statements" ours.trees
done
