# shellcheck shell=bash
# clients_lib.sh - sourced by client_*.sh, which run a program of Debian's on
# the original library and on the drop-in library, compare what it writes byte
# for byte, and count the CPU time.
#
# scripts/clients sets:
#   CLIENTS_LIBRARIES  the folder of the drop-in library
#   CLIENTS_RUN        pbturbo-run, next to it
#   CLIENTS_FORM       replace or preload
#   CLIENTS_ROUNDS     how often each is timed; the least counts
#   CLIENTS_WORK       a folder for this client alone, empty at the start
#   CLIENTS_RESULTS    the file that takes a line for each result
# A client ends with status 77 if it is skipped, with the reason in its output.
#
# Everything runs in a form: `plain`, `dropin`, or `stats`, which is drop-in
# with the report of what it did. A result counts only if the report tells of
# messages that it packed with tables.
set -euo pipefail
export LC_ALL=C TZ=UTC PATH=/usr/sbin:/usr/bin:/sbin:/bin
client=$(basename "$0" .sh)
client=${client#client_}
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck disable=SC2154 # by those who source this
original=libprotobuf-c.so.1
cd "$CLIENTS_WORK"
command -v python3 >/dev/null || {
    echo "skipped: no python3 here"
    exit 77
}

skip() {
    printf 'skipped: %s\n' "$*"
    exit 77
}

fail() {
    printf 'failed: %s\n' "$*" >&2
    exit 1
}

# need_programs NAME...
need_programs() {
    local name
    for name in "$@"; do
        command -v "$name" >/dev/null || skip "no $name here"
    done
}

# exec_in FORM COMMAND...: in the place of the shell, so that what is in the
# background has COMMAND's id.
exec_in() {
    local form=$1 options=()
    shift
    [[ $form != plain ]] || exec "$@"
    [[ $CLIENTS_FORM != preload ]] || options+=(--preload)
    [[ $form != stats ]] || options+=(--stats)
    exec "$CLIENTS_RUN" ${options[0]:+"${options[@]}"} "$@"
}

run_in() {
    (exec_in "$@")
}

started=()

# start_in FORM LOG COMMAND...: a server in the background; $pid is its id.
start_in() {
    local form=$1 log=$2
    shift 2
    exec_in "$form" "$@" >"$log" 2>&1 </dev/null &
    pid=$!
    started+=("$pid")
}

# has_ended PID: of a child, which is a zombie until it is waited for.
has_ended() {
    ! grep -qs '^State:[[:space:]]*[^ZX[:space:]]' "/proc/$1/status"
}

# stop PID...: ends what start_in started, if need be by force.
stop() {
    local one tries rest=()
    for one in "$@"; do
        kill "$one" 2>/dev/null || true
        for ((tries = 0; tries < 600; tries++)); do
            ! has_ended "$one" || break
            sleep 0.1
        done
        kill -9 "$one" 2>/dev/null || true
        wait "$one" 2>/dev/null || true
    done
    for one in ${started[0]:+"${started[@]}"}; do
        [[ " $* " == *" $one "* ]] || rest+=("$one")
    done
    started=(${rest[0]:+"${rest[@]}"})
}

# shellcheck disable=SC2317
stop_all() {
    [[ ${#started[@]} -eq 0 ]] || stop "${started[@]}"
}
trap stop_all EXIT
trap 'exit 143' HUP INT TERM

# wait_for WHAT COMMAND...: until COMMAND succeeds.
wait_for() {
    local what=$1 tries=0
    shift
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [[ $tries -lt 600 ]] || fail "$what does not come up"
        sleep 0.1
    done
}

# check_library FORM MAPS: the process with this /proc/PID/maps has the library
# that it should.
check_library() {
    local form=$1 maps
    maps=$(awk '$6 ~ /protobuf-c\.so|pbturbo-preload/ { print $6 }' "$2" |
        sort -u)
    case $form,$CLIENTS_FORM in
    plain,*)
        [[ $maps == */"$original"* && $maps != *"$CLIENTS_LIBRARIES"* ]]
        ;;
    *,replace)
        [[ $maps == "$CLIENTS_LIBRARIES/$original"* && $maps != *$'\n'* ]]
        ;;
    *) [[ $maps == *"$CLIENTS_LIBRARIES/libpbturbo-preload.so"* ]] ;;
    esac || fail "the process in the form $form has mapped: ${maps:-nothing}"
    [[ $form != plain ]] || printf 'plain: %s\n' "$maps"
}

# check_stats CALL... LOG...: the reports in the files tell of CALL, and of a
# table for it; next to nothing is done without.
check_stats() {
    local call=$1
    shift
    awk -v wanted="$call" '
        /pbturbo\[[0-9]+\]: [a-z_]+: / {
            sub(/.*pbturbo\[[0-9]+\]: /, "")
            name = $1; sub(/:/, "", name)
            calls[name] += $2; bytes[name] += $4
        }
        /tables built/ {
            sub(/.*pbturbo\[[0-9]+\]: /, "")
            tables += $1; plain += $4; level = $NF
        }
        END {
            printf "dropin:"
            for (name in calls)
                if (calls[name])
                    printf " %s %d calls %.0f bytes,", name, calls[name],
                        bytes[name]
            printf " %d tables, %d calls without, level %s\n", tables, plain,
                level
            exit !(calls[wanted] > 0 && tables > 0 &&
                   plain * 100 < calls[wanted])
        }' "$@" || fail "the drop-in library did not do the work"
}

net() {
    python3 "$here/clients_net.py" "$@"
}

# cpu_of PID: nanoseconds of CPU that it and its children had.
cpu_of() {
    net cpu "$1"
}

# least_step: of standard input, the least difference between one number and the
# next.
least_step() {
    awk 'NR > 1 && (NR == 2 || $1 - last < least) { least = $1 - last }
        { last = $1 }
        END { printf "%.0f\n", least }'
}

# time_pair TIMER: calls TIMER FORM for both forms by turns; it prints
# nanoseconds. The least of each is left in $plain_ns and $dropin_ns.
time_pair() {
    local timer=$1 round ns
    plain_ns=
    dropin_ns=
    for ((round = 0; round < CLIENTS_ROUNDS; round++)); do
        ns=$("$timer" plain)
        [[ -n $plain_ns && $plain_ns -le $ns ]] || plain_ns=$ns
        ns=$("$timer" dropin)
        [[ -n $dropin_ns && $dropin_ns -le $ns ]] || dropin_ns=$ns
    done
}

# same FILE FILE: both exist, hold something and are equal; else shows where
# they differ.
same() {
    [[ -s $1 && -s $2 ]] || fail "no output: $1, $2"
    cmp "$1" "$2" || fail "$client: the outputs differ: $PWD/$1 $PWD/$2"
}

# put_result WHAT FILE: equal, with the times of time_pair if there are any.
put_result() {
    printf '%s\t%s\t%s\tyes\t%s\t%s\n' "$client" "$1" "$(stat -c %s "$2")" \
        "${plain_ns:-}" "${dropin_ns:-}" >>"$CLIENTS_RESULTS"
    plain_ns=
    dropin_ns=
}
