#!/usr/bin/env bash
# client_knot.sh - Knot DNS, whose module dnstap is a plugin and writes a file.
# See clients_dns.sh.
# shellcheck source=tests/clients/clients_dns.sh
. "$(dirname "$0")/clients_dns.sh"
need_programs knotd
[[ -n $(find /usr/lib -path '*/knot/*/dnstap.so') ]] ||
    skip "no module dnstap of Knot DNS"

make_config() {
    mkdir -p "$1.run"
    cat >"$1.conf" <<END
server:
    rundir: "$PWD/$1.run"
    listen: 127.0.0.1@$2
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
log:
  - target: stdout
    any: notice
database:
    storage: "$PWD/$1.run"
mod-dnstap:
  - id: tap
    sink: "$PWD/$1.tap"
    identity: "clients"
    log-queries: on
    log-responses: on
template:
  - id: default
    storage: "$PWD"
    zonefile-sync: -1
    journal-content: none
    global-module: mod-dnstap/tap
zone:
  - domain: clients.example
    file: "$PWD/clients.zone"
END
}
set_command() {
    command=(knotd -c "$1.conf")
}
compare_servers pack_to_buffer
