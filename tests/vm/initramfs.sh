#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# initramfs.sh BUILD OUTPUT: packs busybox, what was built, the guest tests, and the libraries these need.
# The guest sees them as /tprof/build and /tprof/tests/{lib,guest}.
set -eu

build=$1
output=$2
tests=$(cd "$(dirname "$0")/.." && pwd)
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT

# program FILE PATH: a program with its libraries, these where the loader looks for them
program() {
	install -D "$1" "$root/$2"
	ldd "$1" 2>/dev/null | grep -o '/[^ ]*' | while read -r library; do
		[ -e "$root$library" ] || install -D "$library" "$root$library"
	done
}

mkdir -p "$root/bin" "$root/dev" "$root/proc" "$root/sys" "$root/tmp" "$root/tprof/build" "$root/tprof/tests"
ln -s bin "$root/sbin"
install "$(command -v busybox)" "$root/bin/busybox"
install "$tests/vm/init" "$root/init"
program "$(command -v jq)" bin/jq
program "$build/tprof" tprof/build/tprof
program "$build/workload/spin" tprof/build/workload/spin
cp -r "$build/filters" "$root/tprof/build/"
cp -r "$tests/lib" "$tests/vm/guest" "$root/tprof/tests/"

(cd "$root" && find . | cpio --quiet -o -H newc) >"$output.new"
mv "$output.new" "$output"
