#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# kernel.sh VERSION ARCHITECTURE DIRECTORY: downloads a kernel on the first call and prints its directory, which has the
# image as vmlinuz and the matching headers as build. VERSION is 6.1 or 6.12, the newest cloud kernel of that version in
# Debian; `rt`, the real-time kernel of 6.12; `next`, Debian's newest kernel; `debug` or `race`, a 6.12 that is built
# here with debugging checks. Packages are downloaded with apt and unpacked, never installed.
set -eu

version=$1
arch=$2
series=$version
flavour=cloud-$arch common=common
[ "$version" != rt ] || series=6.12 flavour=rt-$arch common=common-rt
mkdir -p "$3"
dir=$(cd "$3" && pwd)/$version-$arch
here=$(cd "$(dirname "$0")" && pwd)
. "$here/apt.sh"

fail() {
	echo "vm: no kernel $version for $arch: $*" >&2
	exit 1
}

# Prints the newest build for which apt has both the image and the headers.
newest() {
	apt_own apt-cache search --names-only "^linux-(image|headers)-$series\.[0-9].*-$flavour\$" |
		awk '{ sub(/^linux-(image|headers)-/, "", $1); if (seen[$1]++) print $1 }' | sort -V | tail -n 1
}

unpack() {
	for package in "$@"; do
		dpkg-deb -x "$package"_*.deb . || fail "$package cannot be unpacked"
	done
}

exec 9>"$dir.lock"
flock 9
if [ ! -e "$dir/build" ] && [ "$version" = next ]; then
	rm -rf "$dir.new"
	"$here/sid.sh" "$dir.new" "$arch" || exit 1
	rm -rf "$dir"
	mv "$dir.new" "$dir"
elif [ ! -e "$dir/build" ] && { [ "$version" = debug ] || [ "$version" = race ]; }; then
	stock=$("$here/kernel.sh" 6.12 "$arch" "$3") || exit 1
	# The kernel stays in the directory in which it was built, because its makefiles contain that path. An
	# interrupted build continues.
	mkdir -p "$dir"
	"$here/debug.sh" "$version" "$dir/new" "$stock/build/.config" || exit 1
	ln -sfn new/vmlinuz "$dir/vmlinuz"
	ln -sfn new/build "$dir/build"
elif [ ! -e "$dir/build" ]; then
	rm -rf "$dir.new"
	mkdir -p "$dir.new"
	cd "$dir.new"
	apt_open "$dir.new/apt" "$arch" >&2 || fail 'apt has no lists'
	release=$(newest)
	[ -n "$release" ] || fail 'apt does not know it'
	build=${release%-"$flavour"}
	apt_own apt-get download "linux-image-$release" "linux-headers-$release" "linux-headers-$build-$common" >&2 ||
		fail 'apt could not fetch its packages'
	kbuild=$(apt_own apt-cache depends --important "linux-headers-$release" |
		awk '$2 ~ /^linux-kbuild-/ { print $2 }')
	# The programs that build modules must run on the host.
	[ "$arch" = amd64 ] || apt_open "$dir.new/apt-host" amd64 >&2 || fail 'apt has no lists'
	apt_own apt-get download "$kbuild" >&2 || fail 'apt could not fetch its tools'

	dpkg-deb --fsys-tarfile "linux-image-${release}"_*.deb | tar -xf - ./boot || fail 'the image cannot be unpacked'
	unpack "linux-headers-$release" "linux-headers-$build-$common" "$kbuild"
	# Replaces the only absolute path in the headers.
	sed -i 's|/usr/src/|$(dir $(lastword $(MAKEFILE_LIST)))../|' "usr/src/linux-headers-$release/Makefile"
	rm -rf ./*.deb apt apt-host lib usr/share
	ln -s boot/vmlinuz-* vmlinuz
	ln -s "usr/src/linux-headers-$release" build
	rm -rf "$dir"
	mv "$dir.new" "$dir"
fi
echo "$dir"
