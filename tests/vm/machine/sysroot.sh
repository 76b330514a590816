#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# sysroot.sh ARCHITECTURE DIRECTORY: on the first call, downloads with apt the libraries, headers and programs of the
# architecture that the build and the guests need; prints the directory where they are unpacked. Installed packages and
# architectures of this machine do not change.
set -eu

arch=$1
dir=$2
here=$(cd "$(dirname "$0")" && pwd)
. "$here/apt.sh"

packages='libc6-dev libbpf-dev libdw-dev libelf-dev liblzma-dev libzstd-dev libncurses-dev libjansson-dev'
packages="$packages libiberty-dev libprotobuf-c-dev busybox-static gojq bpftool linux-perf"
# As in mk/packages: Debian 12 has versions of these that are too old.
backports='libbpf-dev libbpf1 bpftool'

fail() {
	echo "vm: no sysroot for $arch: $*" >&2
	exit 1
}

mkdir -p "$dir"
dir=$(cd "$dir" && pwd)/sysroot-$arch
exec 9>"$dir.lock"
flock 9
if [ "$(cat "$dir/packages" 2>/dev/null)" != "$packages" ]; then
	wanted=$packages
	rm -rf "$dir.new"
	mkdir -p "$dir.new/usr/bin" "$dir.new/usr/sbin" "$dir.new/usr/lib"
	apt_open "$dir.new/apt" "$arch" >&2 || fail 'apt has no lists'
	if [ "$apt_host" = bookworm ]; then
		for package in $backports; do
			packages="$packages $package/bookworm-backports"
		done
	fi
	# shellcheck disable=SC2086 # words
	apt_own apt-get install -y --no-install-recommends --download-only $packages >&2 ||
		fail 'apt could not fetch its packages'
	ln -s usr/bin usr/sbin usr/lib "$dir.new"
	for package in "$dir.new"/apt/cache/archives/*.deb; do
		dpkg-deb --fsys-tarfile "$package" |
			tar -xf - -C "$dir.new" --keep-directory-symlink --no-same-owner --exclude=./usr/share ||
			fail "$package cannot be unpacked"
	done
	find "$dir.new" -type l -lname '/*' | while read -r link; do
		ln -sfnr "$dir.new$(readlink "$link")" "$link"
	done
	rm -rf "$dir.new/apt" "$dir"
	echo "$wanted" >"$dir.new/packages"
	mv "$dir.new" "$dir"
fi
echo "$dir"
