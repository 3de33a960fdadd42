#!/usr/bin/env bash
# client_postgis.sh - PostGIS: ST_AsMVT and ST_AsGeobuf, and the output plugin
# decoderbufs, in two scratch clusters that are copies of one another. See
# clients_lib.sh.
# shellcheck source=tests/clients/clients_lib.sh
. "$(dirname "$0")/clients_lib.sh"

bin=$(echo /usr/lib/postgresql/*/bin)
[[ -x $bin/initdb ]] || skip "no PostgreSQL server, or more than one"
[[ -n $(find /usr/share/postgresql -name postgis.control) ]] ||
    skip "no PostGIS"

# initdb refuses root.
as_user=()
if [[ $(id -u) -eq 0 ]]; then
    as_user=(setpriv --reuid=postgres --regid=postgres --clear-groups)
    chown postgres .
fi
as_owner() {
    ${as_user[0]:+"${as_user[@]}"} "$@"
}
as_owner test -r "$CLIENTS_LIBRARIES/$original" -a -w . ||
    skip "the user postgres cannot get at $PWD or $CLIENTS_LIBRARIES"

# serve FORM FOLDER: a postmaster on a socket in the folder, and nothing else.
serve() {
    start_in "$1" "$2.log" ${as_user[0]:+"${as_user[@]}"} "$bin/postgres" \
        -D "$PWD/$2" -k "$PWD/$2" -c listen_addresses= -c fsync=off \
        -c wal_level=logical -c jit=off -c autovacuum=off \
        -c shared_buffers=256MB -c max_parallel_workers_per_gather=0
    wait_for "PostgreSQL" as_owner "$bin/pg_isready" -q -h "$PWD/$2"
}

# query FOLDER: SQL from standard input.
query() {
    as_owner psql -X -q -A -t -v ON_ERROR_STOP=1 -h "$PWD/$1" -U postgres \
        postgres 2>>psql.log || fail "$(tail psql.log)"
}

as_owner "$bin/initdb" -D "$PWD/plain" -U postgres -A trust --no-sync \
    --no-locale -E UTF8 >initdb.log || fail "initdb: see $PWD/initdb.log"
serve plain plain
query plain <"$here/client_postgis_data.sql" >/dev/null
decoderbufs=$(query plain <<<"SELECT count(*) FROM pg_replication_slots")
stop "$pid"
as_owner cp -a plain dropin

declare -A queries=(
    [tile]="SELECT ST_AsMVT(t, 'places', 4096, 'geom', 'id') FROM
        (SELECT geom, id, name, kind, height, open FROM tile ORDER BY id) t"
    [small]="SELECT ST_AsMVT(t, 'places', 4096, 'geom', 'id') FROM
        (SELECT id % 1000 AS part, geom, id, name, kind FROM tile ORDER BY id) t
        GROUP BY part ORDER BY part"
    [geobuf]="SELECT ST_AsGeobuf(t, 'geom') FROM
        (SELECT * FROM shape ORDER BY id) t"
    [decode]="SELECT data FROM pg_logical_slot_peek_binary_changes(
        'decoded', NULL, NULL)"
    [parallel]="SELECT ST_AsMVT(t, 'places', 4096, 'geom', 'id') FROM
        (SELECT geom, id, name, kind, height, open FROM tile) t"
)

# A worker packs what it has, and the leader unpacks it and packs it again. Two
# workers are planned and one is to be had: several would share the rows by
# chance.
parallel="SET max_parallel_workers_per_gather = 2;
SET max_parallel_workers = 1;
SET parallel_leader_participation = off;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;"

# setting_of NAME: what a query needs.
setting_of() {
    [[ $1 != parallel ]] || printf '%s\n' "$parallel"
}

# outputs FOLDER: what the queries return, as files.
outputs() {
    local name
    for name in "${!queries[@]}"; do
        [[ $name != decode || $decoderbufs -eq 1 ]] || continue
        query "$1" <<<"$(setting_of "$name")
COPY (${queries[$name]}) TO STDOUT" >"$1.$name"
    done
}

serve plain plain
query plain <<<"SELECT postgis_full_version()"
query plain <<<"$parallel
EXPLAIN ${queries[parallel]}" >plan
grep -q Gather plan || fail "no parallel plan"
outputs plain
stop "$pid"
serve stats dropin
outputs dropin
stop "$pid"
check_stats pack dropin.log
serve plain plain
serve dropin dropin
for form in plain dropin; do
    query "$form" >"$form.maps" <<<"SELECT postgis_libprotobuf_version();
        SELECT pg_read_file('/proc/self/maps')"
    check_library "$form" "$form.maps"
done

# time_query FORM: the CPU time of a query in a backend, the least of some, the
# first of which only makes it ready.
time_query() {
    local i clock="SELECT split_part(pg_read_file('/proc/self/schedstat'), ' ', 1);"
    {
        setting_of "$name"
        for ((i = 0; i < 7; i++)); do
            printf '%s \\g /dev/null\n%s\n' "${queries[$name]}" "$clock"
        done
    } >"$name.sql"
    query "$1" <"$name.sql" | least_step
}

# compare NAME WHAT
compare() {
    local name=$1
    same "plain.$name" "dropin.$name"
    time_pair time_query
    put_result "$2" "plain.$name"
}
compare tile "ST_AsMVT, one tile of 50,000"
compare small "ST_AsMVT, 1,000 tiles of 50"
compare parallel "ST_AsMVT, packed by a worker"
compare geobuf "ST_AsGeobuf, 2,000 shapes"
if [[ $decoderbufs -eq 1 ]]; then
    compare decode "decoderbufs, 52,000 rows"
fi
