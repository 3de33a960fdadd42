#!/usr/bin/env bash
# client_php_pinba.sh - the extension pinba of PHP: what it sends to its server.
# See clients_lib.sh.
# shellcheck source=tests/clients/clients_lib.sh
. "$(dirname "$0")/clients_lib.sh"
need_programs php
[[ $CLIENTS_FORM != preload ]] ||
    skip "PHP loads extensions with RTLD_DEEPBIND, which hides a preloaded library"
pinba() {
    run_in "$1" php -d pinba.enabled=1 "$here/clients_pinba.php" "${@:2}"
}
php -r 'exit(class_exists("PinbaClient") ? 0 : 1);' || skip "no pinba in PHP"

# record FORM FILE: the datagrams that a server gets.
record() {
    local port
    read -r port < <(net free 1)
    start_in plain recorder.log python3 "$here/clients_net.py" datagrams \
        "$port" "$2" 40
    local recorder=$pid
    wait_for "the recorder" grep -q up recorder.log
    pinba "$1" send "$port" 40 2>"$2.log" >"$2.maps"
    check_library "$1" "$2.maps"
    wait "$recorder" || fail "$(cat recorder.log)"
}
record plain original.sent
record stats ours.sent
check_stats pack_to_buffer ours.sent.log
same original.sent ours.sent

# shellcheck disable=SC2317
time_data() {
    pinba "$1" time 2000
}
time_pair time_data
put_result "PinbaClient::getData, 200 timers" ours.sent
