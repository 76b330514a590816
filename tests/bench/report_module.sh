# SPDX-License-Identifier: GPL-2.0-only
# The part of the report that is about the module, from what the emulated machines said. Sourced by report.sh.

# What is missing is found out in a subshell; run.sh looks at the file.
missing() {
	echo "bench: no $*" >&2
	: >"$out/missing"
}

# cost ROW: instructions for a sample of all its clients
cost() {
	awk -v row="$1" '$1 == row { print $3; found = 1 } END { exit !found }' "$out/samples" || missing "row $1"
}

# whole ROW: as a whole number
whole() {
	printf '%.0f\n' "$(cost "$1")"
}

# above ROW FLOOR: what comes on top of another row
above() {
	awk -v a="$(cost "$1")" -v b="$(cost "$2")" 'BEGIN { printf "%.0f\n", a - b }'
}

# sample WHAT NAME FLOOR: a line for the row NAME of both engines
sample() {
	kmod=$(above "kmod-$2" "$3")
	perf=$(above "perf-$2" "$3")
	echo "| $1 | $kmod | $perf | $(ratio "$kmod" "$perf") |"
}

# sessions FIELD [WORD]: a field of the line about memory or of that of stops with so many busy CPUs
sessions() {
	awk -v field="$1" -v busy="${2-}" '
		busy == "" && $1 == "@memory" || busy != "" && $1 == "@stop" && $3 == busy { print $field; found = 1 }
		END { exit !found }' "$out/sessions" || missing 'line about sessions'
}

kernel=$(sed -n 's/^@kernel //p' "$out/sessions")
[ -n "$kernel" ] || missing 'name of the kernel'
module_kib=$(awk -v b="$(sessions 3)" 'BEGIN { printf "%.1f", b / 1024 }')
both_kib=$(awk -v a="$(sessions 3)" -v b="$(sessions 4)" 'BEGIN { printf "%.1f", (a + b) / 1024 }')

cat <<END

## What a sample costs

Instructions, counted: in an emulated machine whose clock advances by a nanosecond with each instruction, a fixed piece
of work takes longer when it is sampled, by just the instructions of the samples. They come on top of the
$(whole floor) that a timer costs which does nothing ($(whole floor-kernel) when it interrupts the kernel).

* machine: \`qemu-system-x86_64 -icount\`, one CPU, Debian's Linux $kernel; 40,000 samples a second,
  with 32 clients 4,000
* clients: sessions of tprof.ko on its timer, or cpu-clock events of perf; each with the filter \`top\`, the same
  object for both, which counts by address and process

| clients | tprof.ko | perf | ratio |
|---|---|---|---|
$(sample 1 1 floor)
$(sample 4 4 floor)
$(sample 8 8 floor)
$(sample 32 32 floor)
$(sample 'one, while the kernel runs' kernel floor-kernel)
$(sample 'one, by user stack of 20 frames' user-stack floor)
$(sample 'one, by kernel stack of 20 frames' kernel-stack floor-kernel)

A program for perf that is written by hand, counts by address and process, and keeps no account of what it misses: $(
	above perf-plain floor).

| of tprof.ko | instructions |
|---|---|
| a sample is taken and accounted for, no filter | $(above capture-1 floor) |
| the same for each further session | $(awk -v a="$(above capture-8 capture-1)" 'BEGIN { printf "%.0f", a / 7 }') |
| a filter is called | $(above kmod-none capture-1) |
| a filter counts by address and process | $(above kmod-1 kmod-none) |
| a session skips the sample | $(above decimated kmod-1) |
| a session looks at other processes | $(above elsewhere kmod-1) |
| a sample is taken in an NMI, and delivered when that is over, no filter | $(above nmi nmi-floor) |
| of that, in the NMI, on average and at most | $(whole nmi-inside), $(whole nmi-longest) |
| the same with a kernel stack of $(whole nmi-kernel-stack-frames) frames | $(
	whole nmi-kernel-stack-inside), $(whole nmi-kernel-stack-longest) |

| on $(sessions 2) CPUs | |
|---|---|
| memory of the module, KiB for each CPU | $module_kib |
| memory of a running session, no stream, bytes for each CPU | $(sessions 4) |
| a session stops, ms, median and worst | $(sessions 4 0), $(sessions 5 0) |
| the same with $busy_cpus CPUs busy, which is all that the emulator has | $(
	sessions 4 "$busy_cpus"), $(sessions 5 "$busy_cpus") |

$GOALS
$(goal 'a session, of an event of perf' "$(ratio "$(above kmod-1 floor)" "$(above perf-1 floor)")" 0.70)
$(goal 'four, of four' "$(ratio "$(above kmod-4 floor)" "$(above perf-4 floor)")" 0.30)
$(goal 'eight, of eight' "$(ratio "$(above kmod-8 floor)" "$(above perf-8 floor)")" 0.25)
$(goal 'memory of module and session, KiB for each CPU' "$both_kib" 64)
$(goal "a session stops on $(sessions 2) CPUs, ms" "$(sessions 4 0)" 100)
END
