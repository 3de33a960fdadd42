#!/usr/bin/env bash
# client_collectd.sh - collectd, whose plugin write_prometheus gives values that
# were put in by way of the plugin unixsock. See clients_lib.sh.
# shellcheck source=tests/clients/clients_lib.sh
. "$(dirname "$0")/clients_lib.sh"
need_programs collectd
[[ -r /usr/lib/collectd/write_prometheus.so ]] || skip "no write_prometheus"

# The times of the values are given, and far enough ahead that none gets old.
awk 'BEGIN {
    for (i = 0; i < 4000; i++)
        printf "PUTVAL host%d/%s%d/gauge-x%d interval=10 %.3f:%.6f\n", i % 40,
            i % 3 ? "cpu-" : "disk-", i % 7, i, 2000000000 + i / 1000, i * 1.37
    for (i = 0; i < 1000; i++)
        printf "PUTVAL host%d/net-eth%d/if_octets interval=10 %.3f:%d:%d\n",
            i % 40, i / 40, 2000000000, i * 12345, i * 54321
}' >values

# serve FORM NAME PORT
serve() {
    mkdir -p "$2.run"
    cat >"$2.conf" <<END
Hostname "clients"
FQDNLookup false
BaseDir "$PWD/$2.run"
PIDFile "$PWD/$2.pid"
PluginDir "/usr/lib/collectd"
TypesDB "/usr/share/collectd/types.db"
Interval 1000
ReadThreads 1
WriteThreads 1
LoadPlugin logfile
<Plugin logfile>
    File "$PWD/$2.messages"
</Plugin>
LoadPlugin unixsock
<Plugin unixsock>
    SocketFile "$PWD/$2.sock"
</Plugin>
LoadPlugin write_prometheus
<Plugin write_prometheus>
    Host "127.0.0.1"
    Port "$3"
    StalenessDelta 2000000000
</Plugin>
END
    start_in "$1" "$2.log" collectd -f -C "$2.conf"
    wait_for collectd test -S "$2.sock"
    check_library "$1" "/proc/$pid/maps"
    net lines "$2.sock" values
    wait_for "the values" eval \
        "net scrape $3 1 | grep -a -q collectd_net_if_octets_tx_total"
    sleep 1
}

read -r original_port ours_port < <(net free 2)
serve plain original "$original_port"
net scrape "$original_port" 1 >original.metrics
servers_plain=$pid
serve stats ours "$ours_port"
net scrape "$ours_port" 1 >ours.metrics
stop "$pid"
check_stats pack_to_buffer ours.log
same original.metrics ours.metrics

serve dropin dropin "$ours_port"
declare -A servers=([plain]=$servers_plain [dropin]=$pid) \
    ports=([plain]=$original_port [dropin]=$ours_port)
# shellcheck disable=SC2317
time_scrapes() {
    local before
    before=$(cpu_of "${servers[$1]}")
    net scrape "${ports[$1]}" 20 >/dev/null
    printf '%d' "$((($(cpu_of "${servers[$1]}") - before) / 20))"
}
time_pair time_scrapes
put_result "write_prometheus, one scrape of 6,000 metrics" ours.metrics
