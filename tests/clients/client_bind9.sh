#!/usr/bin/env bash
# client_bind9.sh - BIND 9, with dnstap to a file. See clients_dns.sh.
# shellcheck source=tests/clients/clients_dns.sh
. "$(dirname "$0")/clients_dns.sh"
need_programs named
grep -q -e "linked to protobuf-c" <(named -V) || skip "named has no dnstap"

make_config() {
    mkdir -p "$1.run"
    cat >"$1.conf" <<END
options {
    directory "$PWD/$1.run";
    pid-file none;
    session-keyfile none;
    listen-on port $2 { 127.0.0.1; };
    listen-on-v6 { none; };
    recursion no;
    dnssec-validation no;
    notify no;
    dnstap { all; };
    dnstap-output file "$PWD/$1.tap";
    dnstap-identity "clients";
};
controls { };
zone "clients.example" {
    type primary;
    file "$PWD/clients.zone";
};
END
}
set_command() {
    command=(named -f -g -n 1 -c "$PWD/$1.conf")
}
compare_servers pack_to_buffer
