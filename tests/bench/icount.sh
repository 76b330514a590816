#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Counts the instructions per sample, in an emulated machine whose clock advances by a nanosecond with each instruction.
#
#	icount.sh BUILD [ROW...]	prints a line for these rows of sample_cost_rows.c, or for all: name, number of
#					clients, instructions for one sample of all of them, samples of each client
#	icount.sh -p BUILD ROW		prints the executed kernel functions: instructions per sample, name
#	ARCH=arm64 icount.sh ...	the same on arm64; no rows with NMIs or of perf record
set -eu

here=$(cd "$(dirname "$0")" && pwd)
profile=
if [ "$1" = -p ]; then
	profile=yes
	shift
fi
build=$1
shift
rows=$(echo "$*" | tr ' ' ,)

# icount PROGRAM-ARGUMENTS QEMU-OPTION...: one CPU, one nanosecond for each instruction; idle time is skipped
icount() {
	arguments=$1
	shift
	"$here/guest.sh" "$build" sample_cost "$arguments" -accel tcg,thread=single -icount shift=0,sleep=off -smp 1 \
		-m 1G "$@"
}

if [ -z "$profile" ]; then
	said=$(icount "$rows")
	printf '%s\n' "$said" | sed -n 's/^@cost //p'
	exit
fi

"$here/guest_build.sh" "$build" "${ARCH:-amd64}" >/dev/null
out=$build/bench/${ARCH:-amd64}
marks=$(nm "$out/sample_cost" | awk '$3 == "measuring" { begin = $1 } $3 == "measured" { end = $1 }
	END { print "begin=0x" begin ",end=0x" end }')
icount "-s,$rows" -plugin "$out/count_blocks.so,$marks,out=$out/blocks" >"$out/symbols"

# Hexadecimal addresses of equal length sort as text. Addresses before the first symbol are in user space.
samples=$(awk '$1 == "@cost" { print $5 }' "$out/symbols")
{
	awk '$1 == "@symbol" { print $2, 1, $3 }' "$out/symbols"
	awk '{ print $1, 2, $2 }' "$out/blocks"
} | LC_ALL=C sort | awk -v samples="$samples" '
	$2 == 1 { name = $3 }
	$2 == 2 && name { count[name] += $3 }
	END { for (name in count) if (count[name] >= samples / 2) printf "%8.1f %s\n", count[name] / samples, name }' |
	sort -rn
