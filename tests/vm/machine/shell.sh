#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# shell.sh MACHINE [FILE...]: runs a shell in the machine on this terminal, with the module loaded, a workload running,
# and copies of the files in /files.
set -u

export VM_RUN="$1-shell"
. "${0%/*}/machine.sh"
machine "$1" || exit 2
shift
for file in "$@"; do
	[ -r "$file" ] || {
		echo "vm: $file: there is no such file, or it cannot be read" >&2
		exit 2
	}
done

# The kernel unpacks several archives that follow each other in the initramfs.
add_files() {
	root=$(mktemp -d) || return
	mkdir "$root/files" && cp -rL -t "$root/files" "$@" &&
		(cd "$root" && find files | cpio --quiet -R 0:0 -o -H newc) >>"$out/initramfs"
	status=$?
	rm -rf "$root"
	return $status
}

echo "vm: fetching and building what is missing (log: $out/prepare.log)"
if ! "$harness/prepare.sh" "$machine_name" >"$out/prepare.log" 2>&1; then
	tail -n 30 "$out/prepare.log" >&2
	exit 1
fi

[ $# -eq 0 ] || add_files "$@" || exit 1

# A serial line does not transmit the size and the type of the terminal.
size=$(stty size 2>/dev/null) || size='24 80'
terminal=${TERM:-dumb}
[ -e "$terminfo/$(printf %.1s "$terminal")/$terminal" ] || terminal=vt220
echo "vm: Linux $kernel for $arch, $cpus CPUs, emulated"
exec "$harness/qemu.sh" "$machine_name" "guest=shell TERM=$terminal rows=${size% *} columns=${size#* }" \
	-serial mon:stdio
