#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Instructions per sample, counted. Builds what is out of date and boots an emulated machine whose clock advances by a
# nanosecond with each instruction.
#
#	icount.sh BUILD [ROW...]	these rows of sample_cost_rows.c, or all; a line for each: its name, number of
#					clients, instructions for a sample of all of them, samples of each
#	icount.sh -p BUILD ROW		in which functions of the kernel they are spent: instructions per sample, name
set -eu

here=$(cd "$(dirname "$0")" && pwd)
profile=
if [ "$1" = -p ]; then
	profile=yes
	shift
fi
mkdir -p "$1/bench"
build=$(cd "$1" && pwd)
out=$build/bench
shift
rows=$(echo "$*" | tr ' ' ,)
qemu=
trap '[ -z "$qemu" ] || kill "$qemu" 2>/dev/null' EXIT
trap 'exit 143' HUP INT TERM

"$here/icount_build.sh" "$build" >"$out/build.log" 2>&1 || {
	tail -n 30 "$out/build.log" >&2
	exit 1
}
: >"$out/console"
set --
if [ -n "$profile" ]; then
	marks=$(nm "$out/sample_cost" | awk '
		$3 == "measuring" { begin = $1 } $3 == "measured" { end = $1 }
		END { print "begin=0x" begin ",end=0x" end }')
	set -- -plugin "$out/count_blocks.so,$marks,out=$out/blocks"
fi
# One CPU, one instruction a nanosecond; time in which the CPU sleeps is skipped. The clock of the guest is as in a
# machine whose TSC can be relied on.
qemu-system-x86_64 -accel tcg,thread=single -icount shift=0,sleep=off -smp 1 -m 512M -nodefaults -nic none \
	-display none -no-reboot -kernel "$out/vmlinuz" -initrd "$out/initramfs" -serial "file:$out/console" \
	-append "console=ttyS0 loglevel=1 panic=-1 oops=panic tsc=reliable rows=$rows ${profile:+symbols=yes}" \
	"$@" </dev/null 2>"$out/qemu.log" &
qemu=$!
wait $qemu || :
qemu=
tr -d '\r' <"$out/console" >"$out/console.text"
if grep -q '^@failed' "$out/console.text" || ! grep -q '^@over' "$out/console.text"; then
	tail -n 30 "$out/qemu.log" "$out/console.text" >&2
	exit 1
fi
[ -n "$profile" ] || exec sed -n 's/^@cost //p' "$out/console.text"

# Addresses in hexadecimal sort as text. What comes before the first symbol is user space.
samples=$(awk '$1 == "@cost" { print $5 }' "$out/console.text")
{
	awk '$1 == "@symbol" { print $2, 1, $3 }' "$out/console.text"
	awk '{ print $1, 2, $2 }' "$out/blocks"
} | LC_ALL=C sort | awk -v samples="$samples" '
	$2 == 1 { name = $3 }
	$2 == 2 && name { count[name] += $3 }
	END { for (name in count) if (count[name] >= samples / 2) printf "%8.1f %s\n", count[name] / samples, name }' |
	sort -rn
