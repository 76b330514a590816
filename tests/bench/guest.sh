#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# guest.sh BUILD PROGRAM ARGUMENTS QEMU-OPTION...: builds what is out of date, runs a program of this directory as the
# only program of an emulated machine, and prints its output. ARGUMENTS are separated by commas.
# ARCH=arm64: a machine of that architecture.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
. "$here/../vm/machine/emulator.sh"
arch=${ARCH:-amd64}
mkdir -p "$1/bench/$arch"
build=$(cd "$1" && pwd)
out=$build/bench/$arch
program=$2
arguments=$3
shift 3
qemu=
trap '[ -z "$qemu" ] || kill "$qemu" 2>/dev/null' EXIT
trap 'exit 143' HUP INT TERM

"$here/guest_build.sh" "$build" "$arch" >"$out/build.log" 2>&1 || {
	tail -n 30 "$out/build.log" >&2
	exit 1
}
: >"$out/console"
emulator "$arch"
# Huge pages are disabled, because khugepaged would disturb measurements.
# shellcheck disable=SC2086,SC2154 # words, which emulator() sets
$emulator "$@" -nodefaults -nic none -display none -no-reboot -kernel "$out/vmlinuz" \
	-initrd "$out/initramfs" -serial "file:$out/console" \
	-append "console=$console loglevel=1 panic=-1 oops=panic transparent_hugepage=never \
program=$program arguments=$arguments" \
	</dev/null >"$out/qemu.log" 2>&1 &
qemu=$!
wait $qemu || :
qemu=
tr -d '\r' <"$out/console" >"$out/said"
if grep -q '^@failed' "$out/said" || ! grep -q '^@over' "$out/said"; then
	tail -n 30 "$out/qemu.log" "$out/said" >&2
	exit 1
fi
cat "$out/said"
