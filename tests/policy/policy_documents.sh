#!/bin/sh
# policy_documents.sh ROOT - what the documents repeat of the code is true.
set -eu
cd "$1"
status=0
complain() {
    echo "$1"
    status=1
}

# shellcheck disable=SC2016
# The README's first example is examples/hello.c.
example=$(sed -n '/^```c$/,/^```$/{p;/^```$/q}' README.md | sed '1d;$d')
[ "$example" = "$(cat examples/hello.c)" ] ||
    complain "README.md: the example is not examples/hello.c"

# docs/api.md lists every status with its sentence, and every public name.
statuses=$(sed -n '/define PBT_STATUS_LIST/,/^$/p' include/pbturbo/status.h |
    tr -d '\\\n' | grep -o 'X(PBT_[^)]*)' |
    sed 's/X(\(PBT_[A-Z0-9_]*\), *\([0-9]*\), *"\(.*\)")/\1|\2|\3/')
# shellcheck disable=SC2016
documented=$(sed -n -E \
    's/^\| `(PBT_(OK|ERR_[A-Z0-9_]*))` \| ([0-9]+) \| (.*) \|$/\1|\3|\4/p' \
    docs/api.md)
[ "$statuses" = "$documented" ] ||
    complain "docs/api.md: the table of statuses is not PBT_STATUS_LIST"
for name in $(sh tests/policy/public_names.sh .); do
    grep -q "\`$name\`" docs/api.md || complain "docs/api.md: lacks $name"
done

# docs/compat.md has all places where protobuf-c's behaviour is followed or left.
marked=$(grep -rl 'compat:' src table reflect)
for file in $marked; do
    grep -q "^| \[$file\](../$file) |" docs/compat.md ||
        complain "docs/compat.md: lacks $file"
done
listed=$(sed -n 's/^| \[\([a-z0-9_/]*\.[ch]\)\](.*/\1/p' docs/compat.md)
for file in $listed; do
    grep -q 'compat:' "$file" || complain "docs/compat.md: nothing in $file"
done

# One version everywhere.
version=$(sed -n 's/^#define PBT_VERSION_STRING "\(.*\)"/\1/p' \
    include/pbturbo/version.h)
numbers=$(sed -n 's/^#define PBT_VERSION_[MP][A-Z]* \([0-9]*\)$/\1/p' \
    include/pbturbo/version.h | paste -s -d . -)
[ "$numbers" = "$version" ] || complain "version.h: $numbers is not $version"
grep -q "^ *VERSION $version\$" CMakeLists.txt ||
    complain "CMakeLists.txt: the version is not $version"
grep -q "^## \[$version\]" CHANGELOG.md ||
    complain "CHANGELOG.md: no heading for $version"

# Links within the tree lead somewhere.
for document in *.md docs/*.md; do
    targets=$(grep -o '](\([^)]*\))' "$document" | sed 's/^](//; s/[#)].*//')
    for target in $targets; do
        case $target in
        http*) ;;
        *) [ -e "$(dirname "$document")/$target" ] ||
            complain "$document: no $target" ;;
        esac
    done
done

# What continuous integration runs is a command that the README shows.
command=$(sed -n 's/^exec //p' .ci/run)
grep -q "^    $command\$" README.md || complain ".ci/run: not in README.md: $command"
exit $status
