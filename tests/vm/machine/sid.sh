#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# sid.sh DIRECTORY: downloads Debian's newest kernel, from sid, as DIRECTORY/vmlinuz and DIRECTORY/build, like kernel.sh
# for other kernels. Programs in its headers need the C library of sid, so build is below DIRECTORY/root, a small sid
# system in which in_sid.sh runs them. Needs root.
set -eu

dir=$1
root=$dir/root
. "$(dirname "$0")/apt.sh"

fail() {
	echo "vm: no kernel of sid: $*" >&2
	exit 1
}

[ "$(id -u)" -eq 0 ] || fail 'only root can make a folder with sid'
mirror=$(sh "$apt_mk/apt-source.sh" "$(. /etc/os-release && echo "$VERSION_CODENAME")" sid |
	sed -n 's/^URIs: *\([^ ]*\).*/\1/p')
[ -n "$mirror" ] || fail 'no mirror to take it from'
mkdir -p "$dir"
debootstrap --variant=minbase --include=linux-headers-amd64,make,binutils sid "$root" "$mirror" >&2 ||
	fail 'debootstrap could not make a folder with it'

set -- "$root"/usr/src/linux-headers-*-amd64
[ $# -eq 1 ] && [ -e "$1/vmlinux" ] || fail "no headers with vmlinux in $*"
release=${1##*/linux-headers-}
ln -s "root/usr/src/linux-headers-$release" "$dir/build"

# The image is unpacked, not installed, so that the scripts of its package do not run.
chroot "$root" sh -c 'cd /tmp && apt-get -q -o APT::Sandbox::User=root download "$1"' sh "linux-binary-$release" >&2 ||
	fail 'apt could not fetch the image'
mkdir "$dir/image"
dpkg-deb -x "$root"/tmp/linux-binary-*.deb "$dir/image" || fail 'the image cannot be unpacked'
rm -rf "$root"/tmp/*.deb "$root"/var/cache/apt/archives/*.deb
ln -s "image/usr/lib/modules/$release/vmlinuz" "$dir/vmlinuz"
[ -e "$dir/vmlinuz" ] || fail "linux-binary-$release has no image where it is looked for"
