#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shell.sh MACHINE: runs a shell in the machine on this terminal, with the module loaded and a workload running.
set -u

export VM_RUN="$1-shell"
. "${0%/*}/machine.sh"
machine "$1" || exit 2

echo "vm: fetching and building what is missing (log: $out/prepare.log)"
if ! "$harness/prepare.sh" "$1" >"$out/prepare.log" 2>&1; then
	tail -n 30 "$out/prepare.log" >&2
	exit 1
fi

# A serial line does not transmit the size and the type of the terminal.
size=$(stty size 2>/dev/null) || size='24 80'
terminal=${TERM:-dumb}
[ -e "$terminfo/$(printf %.1s "$terminal")/$terminal" ] || terminal=vt220
echo "vm: Linux $kernel for $arch, $cpus CPUs, emulated"
exec "$harness/qemu.sh" "$1" "guest=shell TERM=$terminal rows=${size% *} columns=${size#* }" -serial mon:stdio
