#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# kernel.sh VERSION ARCHITECTURE DIRECTORY: prints where Debian's newest cloud kernel of that version (6.1, 6.12; `rt`,
# 6.12 for real time; `next`, the newest of all; `debug` or `race`, 6.12 built to check itself) is: a directory with the
# image as vmlinuz, and the headers of the same build as build. Fetched through apt at first and unpacked there, never
# installed.
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

# The newest build that apt has both of: image and headers.
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
	# Its makefiles know where it was built. A build that was interrupted goes on.
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
	# The programs of the build run here.
	[ "$arch" = amd64 ] || apt_open "$dir.new/apt-host" amd64 >&2 || fail 'apt has no lists'
	apt_own apt-get download "$kbuild" >&2 || fail 'apt could not fetch its tools'

	dpkg-deb --fsys-tarfile "linux-image-${release}"_*.deb | tar -xf - ./boot || fail 'the image cannot be unpacked'
	unpack "linux-headers-$release" "linux-headers-$build-$common" "$kbuild"
	# The one path in there that is absolute.
	sed -i 's|/usr/src/|$(dir $(lastword $(MAKEFILE_LIST)))../|' "usr/src/linux-headers-$release/Makefile"
	rm -rf ./*.deb apt apt-host lib usr/share
	ln -s boot/vmlinuz-* vmlinuz
	ln -s "usr/src/linux-headers-$release" build
	rm -rf "$dir"
	mv "$dir.new" "$dir"
fi
echo "$dir"
