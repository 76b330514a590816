#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# sid.sh DIRECTORY ARCHITECTURE: downloads Debian's newest kernel, from sid, as DIRECTORY/vmlinuz and DIRECTORY/build,
# like kernel.sh for other kernels. Programs in its headers need the C library of sid, so build is below DIRECTORY/root,
# a small sid system in which in_sid.sh runs them. Needs root.
set -eu

dir=$1
arch=$2
root=$dir/root
flavour=amd64
[ "$arch" = amd64 ] || flavour=cloud-$arch
. "$(dirname "$0")/apt.sh"

fail() {
	echo "vm: no kernel of sid: $*" >&2
	exit 1
}

# in_root COMMAND...
in_root() {
	chroot "$root" "$@"
}

# Downloads packages into the current directory of the root.
download() {
	in_root sh -c 'cd /tmp && apt-get -q -o APT::Sandbox::User=root download "$@"' sh "$@" >&2
}

# The programs of the build run here, so they and the compiler are those of this machine; only the headers are not.
install_for_other() {
	in_root dpkg --add-architecture "$arch"
	# A mirror may be late; debootstrap takes it as it is, too.
	in_root apt-get -q -o APT::Sandbox::User=root -o Acquire::Check-Valid-Until=false update >&2 ||
		fail "apt has no lists of $arch"
	release=$(in_root apt-cache depends --important "linux-headers-$flavour:$arch" |
		sed -n 's/.*Depends: linux-headers-\([^:]*\).*/\1/p')
	[ -n "$release" ] || fail "apt does not know linux-headers-$flavour"
	build=${release%-"$flavour"}
	download "linux-headers-$release:$arch" "linux-headers-$build-common" || fail 'apt could not fetch the headers'
	for package in "$root"/tmp/linux-headers-*.deb; do
		dpkg-deb -x "$package" "$root" || fail "$package cannot be unpacked"
	done
	compiler=$(sed -n 's/^CC = .*(CROSS_COMPILE)//p' "$root/usr/src/linux-headers-$release/.kernelvariables")
	in_root apt-get -q -y -o APT::Sandbox::User=root install --no-install-recommends "linux-kbuild-$build" \
		"$compiler-aarch64-linux-gnu" >&2 || fail 'apt could not install the programs of the build'
}

[ "$(id -u)" -eq 0 ] || fail 'only root can make a folder with sid'
mirror=$(sh "$apt_mk/apt-source.sh" "$(. /etc/os-release && echo "$VERSION_CODENAME")" sid |
	sed -n 's/^URIs: *\([^ ]*\).*/\1/p')
[ -n "$mirror" ] || fail 'no mirror to take it from'
mkdir -p "$dir"
include=make,binutils
[ "$arch" != amd64 ] || include=$include,linux-headers-amd64
debootstrap --variant=minbase --include="$include" sid "$root" "$mirror" >&2 ||
	fail 'debootstrap could not make a folder with it'
[ "$arch" = amd64 ] || install_for_other

set -- "$root"/usr/src/linux-headers-*-"$flavour"
[ $# -eq 1 ] && [ -e "$1/vmlinux" ] || fail "no headers with vmlinux in $*"
release=${1##*/linux-headers-}
ln -s "root/usr/src/linux-headers-$release" "$dir/build"

# The image is unpacked, not installed, so that the scripts of its package do not run.
download "linux-binary-$release:$arch" || fail 'apt could not fetch the image'
mkdir "$dir/image"
dpkg-deb -x "$root"/tmp/linux-binary-*.deb "$dir/image" || fail 'the image cannot be unpacked'
rm -rf "$root"/tmp/*.deb "$root"/var/cache/apt/archives/*.deb
ln -s "image/usr/lib/modules/$release/vmlinuz" "$dir/vmlinuz"
[ -e "$dir/vmlinuz" ] || fail "linux-binary-$release has no image where it is looked for"
