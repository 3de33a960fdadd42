#!/usr/bin/env bash
# client_unbound.sh - unbound, with dnstap to a socket. See clients_dns.sh.
# shellcheck source=tests/clients/clients_dns.sh
. "$(dirname "$0")/clients_dns.sh"
need_programs unbound fstrm_capture
grep -q -e --enable-dnstap <(unbound -V) || skip "unbound has no dnstap"

uses_socket=1
make_config() {
    cat >"$1.conf" <<END
server:
    interface: 127.0.0.1@$2
    port: $2
    do-daemonize: no
    username: ""
    chroot: ""
    directory: "$PWD"
    pidfile: ""
    use-syslog: no
    logfile: ""
    num-threads: 1
    module-config: "iterator"
    local-zone: "clients.example." static
$(sed 's/.*/    local-data: "&"/' clients.zone)
dnstap:
    dnstap-enable: yes
    dnstap-socket-path: "$PWD/$1.sock"
    dnstap-send-identity: yes
    dnstap-identity: "clients"
    dnstap-send-version: yes
    dnstap-log-client-query-messages: yes
    dnstap-log-client-response-messages: yes
remote-control:
    control-enable: no
END
}
set_command() {
    command=(unbound -c "$1.conf")
}
compare_servers pack_to_buffer
