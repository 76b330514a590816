#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# boot.sh MACHINE [.c | .sh | TEST...]: builds everything that the machine needs, boots it in QEMU, runs all its guest
# tests, those in C or in sh, or the named ones, and prints their results as TAP. Machines are in the table `machines`.
# VM_PART=check runs only those of `make check`, VM_PART=all only the others; without it, all of the machine run.
# VM_ARGUMENTS, words of the form NAME=VALUE, are environment variables of the tests.
set -u

. "${0%/*}/machine.sh"
. "${0%/*}/emulator.sh"
machine "$1" || exit 2
limit=${VM_SECONDS:-1500}
qemu=

fail() {
	echo "not ok 1 - $machine_name: $1"
	printf '%s\n' "$2" | sed 's/^/# /'
	echo 1..1
	exit 1
}

now_ms() {
	echo $(($(date +%s%N) / 1000000))
}

exec 7>"$out/lock"
flock -n 7 || fail 'is free' "another run is using $out; VM_RUN=NAME gives this one a directory of its own"
"$harness/prepare.sh" "$@" >"$out/prepare.log" 2>&1 || fail 'is built' "$(tail -n 30 "$out/prepare.log")"

trap '[ -z "$qemu" ] || kill "$qemu" 2>/dev/null' EXIT
trap 'exit 143' HUP INT TERM
console=$out/console

# Boots the machine and waits for its end. Sets booted (ms) and how.
run() {
	: >"$console"
	started=$(now_ms)
	"$harness/qemu.sh" "$machine_name" "guest=tests${VM_ARGUMENTS:+ $VM_ARGUMENTS}" -serial "file:$console" \
		</dev/null 2>"$out/qemu.log" &
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
	[ ! -s "$out/qemu.log" ] || how="$how: $(tail -n 1 "$out/qemu.log")"
}

attempt=1
run
while [ $attempt -lt 4 ] && emulator_failed "$console"; do
	echo "# $machine_name: run again, attempt $attempt met a breakpoint of the kernel's that was gone (emulator)"
	mv "$console" "$console.$attempt"
	attempt=$((attempt + 1))
	run
done

awk -v machine="$machine_name" -v seconds="$(echo $booted | awk '{ print $1 / 1000 }')" -v how="$how" \
	-f "$harness/guest.awk" "$console" >"$out/tap"
cat "$out/tap"
! grep -q '^not ok' "$out/tap"
