#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boot.sh VERSION: boots Debian's kernel of that version in QEMU and prints what its guest tests say, as TAP.
# Emulated (TCG), so that it runs anywhere; a boot takes some seconds.
set -u

version=$1
here=$(dirname "$0")
build=${TPROF_BUILD:-build}
limit=${VM_SECONDS:-360}
out=$build/vm/$version
qemu=

fail() {
	echo "not ok 1 - $version: $1"
	[ $# -lt 2 ] || printf '%s\n' "$2" | sed 's/^/# /'
	echo 1..1
	exit 1
}

now_ms() {
	echo $(($(date +%s%N) / 1000000))
}

mkdir -p "$out"
for program in qemu-system-x86_64 cpio busybox jq; do
	command -v "$program" >/dev/null || fail "$program is missing (run: sudo make setup)"
done
kernel=$("$here/kernel.sh" "$version" "$build/vm/kernels" 2>"$out/fetch.log") ||
	fail 'fetches the kernel' "$(tail -n 5 "$out/fetch.log")"
said=$("$here/initramfs.sh" "$build" "$out/initramfs" 2>&1) || fail 'packs the initramfs' "$said"

trap '[ -z "$qemu" ] || kill "$qemu" 2>/dev/null' EXIT
trap 'exit 143' HUP INT TERM
console=$out/console
: >"$console"
started=$(now_ms)
qemu-system-x86_64 -accel tcg,thread=multi -smp 2 -m 1G -nodefaults -nic none -display none -no-reboot \
	-kernel "$kernel" -initrd "$out/initramfs" \
	-append 'console=ttyS0 loglevel=1 log_buf_len=4M panic=-1 oops=panic' \
	-serial "file:$console" </dev/null 2>"$out/qemu.log" &
qemu=$!

booted=0
how='qemu ended'
while kill -0 $qemu 2>/dev/null; do
	elapsed=$(($(now_ms) - started))
	if [ $booted -eq 0 ] && grep -aq '^@boot' "$console"; then
		booted=$elapsed
	fi
	if [ $elapsed -gt $((limit * 1000)) ]; then
		how="still running after $limit s"
		kill $qemu
		break
	fi
	sleep 0.2
done
wait $qemu 2>/dev/null
qemu=
cat "$out/qemu.log" >&2

awk -v version="$version" -v seconds="$(echo $booted | awk '{ print $1 / 1000 }')" -v how="$how" \
	-f "$here/guest.awk" "$console" >"$out/tap"
cat "$out/tap"
! grep -q '^not ok' "$out/tap"
