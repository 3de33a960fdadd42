#!/usr/bin/env bash
# client_nsd.sh - NSD, where a process of its own writes dnstap to a socket. See
# clients_dns.sh.
# It drops questions while the socket is full, so they are few.
n_timed=4000
# shellcheck source=tests/clients/clients_dns.sh
. "$(dirname "$0")/clients_dns.sh"
need_programs nsd fstrm_capture
grep -q -e --enable-dnstap <(nsd -v 2>&1) || skip "nsd has no dnstap"

uses_socket=1
make_config() {
    mkdir -p "$1.run"
    cat >"$1.conf" <<END
server:
    ip-address: 127.0.0.1@$2
    server-count: 1
    username: ""
    chroot: ""
    zonesdir: "$PWD"
    database: ""
    pidfile: ""
    xfrdfile: ""
    zonelistfile: "$PWD/$1.run/zones"
    xfrdir: "$PWD/$1.run"
dnstap:
    dnstap-enable: yes
    dnstap-socket-path: "$PWD/$1.sock"
    dnstap-send-identity: yes
    dnstap-identity: "clients"
    dnstap-log-auth-query-messages: yes
    dnstap-log-auth-response-messages: yes
remote-control:
    control-enable: no
zone:
    name: clients.example
    zonefile: clients.zone
END
}
set_command() {
    command=(nsd -d -c "$1.conf")
}
compare_servers pack_to_buffer
