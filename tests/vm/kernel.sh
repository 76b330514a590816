#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# kernel.sh VERSION DIRECTORY: prints the path of Debian's newest cloud kernel of that version (6.1, 6.12).
# Fetched through apt at first, from the suites of this machine or else from bookworm, and unpacked there,
# never installed.
set -eu

version=$1
dir=$2/$version
mk=$(cd "$(dirname "$0")/../../mk" && pwd)

fail() {
	echo "vm: no kernel $version: $*" >&2
	exit 1
}

# The newest image that apt knows, of all those with another build number.
newest() {
	# shellcheck disable=SC2086 # options are words, here and below
	apt-cache $apt_options search --names-only "^linux-image-$version\.[0-9].*-cloud-amd64\$" |
		awk '{ print $1 }' | sort -V | tail -n 1
}

# Downloads the image into the current directory; the lists may be older than the mirror.
download() {
	package=$(newest)
	[ -n "$package" ] && apt-get -q $apt_options download "$package" >&2 && return
	apt-get -q $apt_options update >&2 || return
	package=$(newest)
	[ -n "$package" ] && apt-get -q $apt_options download "$package" >&2
}

# Debian 13 has no 6.1: lists of our own for bookworm, from the same mirror.
use_bookworm() {
	mkdir -p apt/sources.list.d apt/lists/partial apt/cache/archives/partial
	sh "$mk/apt-source.sh" "$(. /etc/os-release && echo "$VERSION_CODENAME")" bookworm \
		>apt/sources.list.d/bookworm.sources || fail 'no mirror to take it from'
	for option in Dir::Etc::SourceList=/dev/null "Dir::Etc::SourceParts=$PWD/apt/sources.list.d" \
			"Dir::State::Lists=$PWD/apt/lists" "Dir::Cache=$PWD/apt/cache"; do
		apt_options="$apt_options -o $option"
	done
}

if [ ! -e "$dir/vmlinuz" ]; then
	mkdir -p "$dir"
	cd "$dir"
	rm -f ./*.deb
	apt_options='-o APT::Sandbox::User=root -o APT::Architecture=amd64'
	if ! download; then
		use_bookworm
		download || fail 'apt could not fetch its package'
	fi
	dpkg-deb --fsys-tarfile ./"$package"_*.deb | tar -xf - ./boot || fail 'its package cannot be unpacked'
	rm -rf ./*.deb apt
	ln -s boot/vmlinuz-* vmlinuz.new
	mv vmlinuz.new vmlinuz
	cd - >/dev/null
fi
echo "$dir/vmlinuz"
