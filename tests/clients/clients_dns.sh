# shellcheck shell=bash
# clients_dns.sh - sourced by the clients that are name servers and log with
# dnstap. Each gives two functions and calls compare_servers:
#
#   make_config NAME PORT   writes NAME.conf: on loopback, with one thread, the
#                           zone of clients.zone, the log in NAME.tap or, with
#                           uses_socket=1, to the socket NAME.sock
#   set_command NAME        leaves what starts the server in $command
#
# For the comparison the clock stands still, and the questions come from one
# port, one by one, with identifiers that count: then every byte of the log is
# given. What makes it stand still is not there when the time is taken.
# shellcheck source=tests/clients/clients_lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/clients_lib.sh"

n_compared=2000
n_timed=${n_timed:-20000}
need_programs dnsperf dnstap-read cc
cc -O2 -shared -fPIC -o clock.so "$here/clients_clock.c"

# The zone, and the questions that are asked about it.
awk 'BEGIN {
    soa = "clients.example. 3600 IN SOA ns.clients.example. me.clients.example."
    print soa " 1 3600 600 86400 3600"
    print "clients.example. 3600 IN NS ns.clients.example."
    print "ns.clients.example. 3600 IN A 192.0.2.200"
    for (i = 0; i < 100; i++) {
        host = "host" i ".clients.example"
        print host " A\n" host " AAAA" >"questions"
        if (i % 10 == 7)
            continue
        printf "%s. 3600 IN A 192.0.2.%d\n", host, i
        printf "%s. 3600 IN AAAA 2001:db8::%x\n", host, i
    }
}' >clients.zone

# start_server FORM NAME PORT: $pid is its id.
start_server() {
    make_config "$2" "$3"
    if [[ -n ${uses_socket:-} ]]; then
        start_in plain "$2.capture" fstrm_capture -t protobuf:dnstap.Dnstap \
            -u "$2.sock" -w "$2.tap"
        captures+=("$pid")
        wait_for fstrm_capture test -S "$2.sock"
    fi
    set_command "$2"
    # shellcheck disable=SC2154
    start_in "$1" "$2.log" "${command[@]}"
    wait_for "$client" grep -qi "^ *[0-9]*: 0100007F:$(printf %04X "$3") " \
        /proc/net/udp
    sleep 1
    check_library "$1" "/proc/$pid/maps"
}

# The log's writer comes last, since it takes what the server still has.
stop_servers() {
    stop "$@"
    [[ ${#captures[@]} -eq 0 ]] || stop "${captures[@]}"
    captures=()
}

# wait_idle PID: until it has nothing to do, so the log is written.
wait_idle() {
    local before=0 now
    sleep 1
    now=$(cpu_of "$1")
    while [[ $((now - before)) -gt 2000000 ]]; do
        sleep 1
        before=$now
        now=$(cpu_of "$1")
    done
}

# log_fixed FORM NAME: the log of the same questions, NAME.tap. A server drops
# what it cannot write at once, so it may take more than one go.
log_fixed() {
    local tries n_frames
    for ((tries = 0; tries < 5; tries++)); do
        rm -rf "$2".*
        touch still
        LD_PRELOAD=$PWD/clock.so CLIENTS_STILL=$PWD/still \
            start_server "$1" "$2" "$port"
        net dns "$port" "$source_port" "$n_compared"
        rm still
        wait_idle "$pid"
        stop_servers "$pid"
        n_frames=$(dnstap-read "$2.tap" | wc -l)
        [[ $n_frames -ne $((2 * n_compared)) ]] || return 0
    done
    fail "$n_frames frames, where there should be $((2 * n_compared))"
}

# time_server FORM: the CPU time for $n_timed questions, the least of some. Not
# all of them need have been answered.
time_server() {
    local i n_answered
    for ((i = 0; i < 5; i++)); do
        cpu_of "${servers[$1]}"
        dnsperf -s 127.0.0.1 -p "${ports[$1]}" -d questions -q 20 -t 1 \
            -n "$((n_timed / 200))" >"$1.dnsperf" 2>&1
        n_answered=$(awk '/Queries completed:/ { print $3 }' "$1.dnsperf")
        [[ $n_answered -gt $((n_timed * 9 / 10)) ]] ||
            fail "$n_answered answers: see $PWD/$1.dnsperf"
    done >"$1.clock"
    cpu_of "${servers[$1]}" >>"$1.clock"
    least_step <"$1.clock"
}

compare_servers() {
    local form
    declare -gA servers=() ports=()
    captures=()
    read -r port source_port "ports[plain]" "ports[dropin]" < <(net free 4)
    log_fixed plain original
    log_fixed stats ours
    check_stats "$1" ours.log
    same original.tap ours.tap
    for form in plain dropin; do
        start_server "$form" "$form" "${ports[$form]}"
        servers[$form]=$pid
    done
    time_pair time_server
    stop_servers "${servers[@]}"
    put_result "dnstap, $n_timed questions" ours.tap
}
