#!/usr/bin/env bash
# client_riemann.sh - riemann-client, as a command that sends events to a server
# and reads the answers, and its library by way of Python. See clients_lib.sh.
# shellcheck source=tests/clients/clients_lib.sh
. "$(dirname "$0")/clients_lib.sh"
need_programs riemann-client cc
library=$(find /usr/lib -name 'libriemann-client.so.*' | sort | head -n 1)
cc -O2 -shared -fPIC -o clock.so "$here/clients_clock.c"
touch still

send() {
    LD_PRELOAD=$PWD/clock.so CLIENTS_STILL=$PWD/still run_in "$1" \
        riemann-client send --host here --service "${@:2}" 127.0.0.1 "$port"
}

# record FORM NAME: what a server of Riemann's gets.
record() {
    local i
    read -r port < <(net free 1)
    start_in plain "$2.server" python3 "$here/clients_net.py" riemann "$port" \
        "$2.events"
    wait_for "the server" grep -q up "$2.server"
    for ((i = 0; i < 20; i++)); do
        send "$1" "service $i" --state ok --description "number $i" \
            --attribute "one=$i" --attribute two=2 --tag first --tag "t$i" \
            --ttl "$i" --metric-d "$i.5"
        send "$1" other --metric-sint64 "-$i"
        send "$1" third --metric-f "$i.25" --tag only
    done 2>>"$2.log"
    stop "$pid"
}
record plain original
record stats ours
check_stats pack ours.log
[[ $CLIENTS_FORM == preload ]] || check_stats unpack ours.log
same original.events ours.events
put_result "riemann-client send, 60 events" ours.events

messages() {
    run_in "$1" python3 "$here/clients_riemann.py" "$library" "${@:2}"
}
messages plain bytes original.messages >plain.maps
messages dropin bytes ours.messages >dropin.maps
check_library plain plain.maps
check_library dropin dropin.maps
same original.messages ours.messages
for call in to_buffer from_buffer; do
    # shellcheck disable=SC2317
    time_messages() {
        messages "$1" "$call"
    }
    time_pair time_messages
    put_result "riemann_message_$call, 200 events" ours.messages
done
