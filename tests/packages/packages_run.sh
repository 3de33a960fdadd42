#!/usr/bin/env bash
# packages_run.sh FOLDER - the Debian packages in FOLDER install in a clean
# system, work there, and leave nothing behind.
#
# As root: makes a minimal system of this release with debootstrap in a
# temporary folder, enters it with chroot, and removes it again. The packages of
# Debian come from where debootstrap and the new system have them by default, or
# from DEBIAN_MIRROR.
set -euo pipefail
packages=$(cd "$1" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
[[ $(id -u) -eq 0 ]] || {
    echo "packages_run.sh has to be run as root" >&2
    exit 1
}

root=$(mktemp -d)
# shellcheck disable=SC2317
clean_up() {
    for folder in dev/pts dev proc; do
        ! mountpoint -q "$root/$folder" || umount "$root/$folder"
    done
    rm -rf --one-file-system "$root"
}
trap clean_up EXIT

# shellcheck source=/dev/null
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
if ! debootstrap --variant=minbase "$suite" "$root" ${DEBIAN_MIRROR:+"$DEBIAN_MIRROR"} \
    >"$root.log" 2>&1; then
    tail -n 20 "$root.log" >&2
    exit 1
fi
rm "$root.log"
cp /etc/resolv.conf "$root/etc/resolv.conf"
mkdir "$root/work"
cp "$packages"/*.deb "$here/packages_inside.sh" "$here/packages_packs.c" \
    "$here/../policy/build_examples.sh" "$root/work"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
mount --bind /dev/pts "$root/dev/pts"
env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C \
    DEBIAN_FRONTEND=noninteractive \
    chroot "$root" sh /work/packages_inside.sh
