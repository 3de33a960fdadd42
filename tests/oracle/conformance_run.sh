#!/bin/sh
# conformance_run.sh RUNNER TESTEE SET ROAD - runs Google's conformance suite,
# binary form and JSON, and holds its summary to what must be seen; the runner
# alone is content with a testee that skips everything.
#
# RUNNER is empty where its sources had not been fetched when the build was
# configured.
set -eu
if [ -z "$1" ]; then
    echo "skipped: Google's conformance suite is not here;" \
        "scripts/datasets fetches it (configure again afterwards)"
    exit 77
fi

# The suite of 3.21.12 has 1302 cases from binary to binary. With those that
# write JSON, and those whose JSON C++ reads for pbturbo, it has this many.
least=1992

# Recommendations are held to as well. pbturbo itself fails nowhere: the list of
# expected failures has the cases in which C++ reads wrongly.
summary=$("$1" --enforce_recommended \
    --failure_list "${0%/*}/conformance_reader.txt" "$2" "$3" "$4" 2>&1) || {
    printf '%s\n' "$summary"
    exit 1
}
line=$(printf '%s\n' "$summary" | grep '^CONFORMANCE SUITE PASSED')
echo "$line"
successes=$(printf '%s\n' "$line" | sed 's/.*PASSED: \([0-9]*\) .*/\1/')
if [ "$successes" -lt "$least" ]; then
    echo "only $successes cases were answered, $least at the least expected"
    exit 1
fi
