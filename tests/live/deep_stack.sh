#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A program cannot hold off interrupts by its stack: to walk 8,000 frame records takes the perf engine about as long as
# to walk a stack that it keeps as a whole, wherever they are. The cut is marked.
. "${0%/*}/../lib/live.sh"

stats=/proc/sys/kernel/bpf_stats_enabled
before=$(cat $stats)
echo 1 2>/dev/null >$stats || skip_all 'the kernel does not measure how long BPF programs run'
at_exit "echo $before >$stats"

# run_time: for how long the program of the filter has run, in nanoseconds
run_time() {
	bpftool -j prog show | jq '[.[] | select(.name == "ustacks_perf").run_time_ns][0] // 0'
}

# walk NUMBER APART: samples a process with such a stack; $cost is what one of its samples takes, $TMP/stacks are the
# call stacks. Samples of other processes are out of scope and take little.
walk() {
	background nice -n -15 taskset -c 0 "$WORKLOAD/records" "$1" "$2"
	records=$pid
	await works "$records" 50
	background "$TPROF" record --engine perf --filter ustacks -F 997 -C 0 -p "$records" --format folded \
		-o "$TMP/stacks"
	await_session_of "$pid"
	works "$records" 700
	ran=$(run_time)
	kill -INT "$pid"
	wait "$pid"
	end "$records"
	samples=$(sed -n 's/.*: \([1-9][0-9]*\) done,.*/\1/p' "$TMP/background.out")
	: >"$TMP/background.out"
	cost=$((ran / ${samples:-1}))
	diag "$1 records, $2 bytes apart: ${samples:-no} samples, $cost ns each"
}

# stack PATTERN: all call stacks are so
stack() {
	grep -Ev "^records;$1 [0-9]+\$" "$TMP/stacks" | cut -c 1-200 >"$TMP/others"
	if [ -s "$TMP/stacks" ] && [ ! -s "$TMP/others" ]; then
		ok "$2"
	else
		not_ok "$2" "others: $(head -n 3 "$TMP/others")"
	fi
}

# A frame that is not a mark
frame='([^[;][^;]*|\[[^s;][^;]*);'
for apart in 4096 16; do
	walk 126 $apart
	whole=$cost
	stack "($frame){126}[^;]+" "$apart bytes apart: a stack that is kept as a whole"
	walk 8000 $apart
	stack "\\[stack cut off\\];($frame){125}[^;]+" "$apart bytes apart: the leaf's end of a deep one"
	# At most one page more, or four times as many records.
	check "$apart bytes apart: a deep one takes little longer" \
		test "$whole" -gt 0 -a "$cost" -gt 0 -a "$cost" -lt $((whole * 6))
done
walk 300 16
stack "($frame){63}\\[stack cut off\\];($frame){62}[^;]+" 'both ends if the root is near'

done_testing
