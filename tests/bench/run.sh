#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Measures tprof, perf and bpftrace side by side and writes BENCHMARKS.md: run.sh BUILD [FILE].
#
# Each round runs every tool once, in turn, so that other load affects them equally; the report has medians of the
# rounds. Takes nearly half an hour; REPEAT sets the number of rounds (5).
set -u

. "${0%/*}/part.sh"
. "$here/measure_module.sh"
file=${2:-BENCHMARKS.md}
repeat=${REPEAT:-5}
seconds=${SECONDS_EACH:-10}
tools='tprof perf bpftrace'
tool_options=

[ "$(id -u)" -eq 0 ] || fail 'needs root'
[ "$(uname -m)" = x86_64 ] || fail 'needs an x86-64 machine: what a sample costs is counted in an emulated one'
for tool in perf bpftrace jq chromium qemu-system-x86_64; do
	command -v $tool >/dev/null || fail "needs $tool (sudo make setup)"
done

cc -O2 -D_GNU_SOURCE -shared -fPIC "$here/kernel_bytes.c" -o "$out/kernel_bytes.so" -ldl || fail 'no compiler'
clang -g -O2 --target=bpf -I"$here/../../include" -I"$here/../../bpf/include" -c "$here/first.bpf.c" \
	-o "$out/first.bpf.o" || fail 'no clang'

# All CPUs are busy in user mode, and one process is nearly always in the kernel.
start_steady_load() {
	load "$build/workload/spin" --seconds 1000 --threads "$(nproc)"
	load "$build/workload/syscalls" 1000
	sleep 0.5
}

# The same with short-lived programs
start_load() {
	load "$build/workload/spin" --seconds 1000 --fork 20 --exec
	start_steady_load
}

# All tools use the default event of tprof on this machine. In bpftrace, cpu-clock is `profile` and cycles `hardware`.
event=$("$build/tprof" top --json --duration 1 2>/dev/null | jq -r .event)
[ -n "$event" ] || fail 'tprof does not run here; tprof doctor says why'

# tool_profile TOOL SECONDS HZ [VARIABLE=VALUE...]: the usual command of each tool, without its output. Tries three
# times, because perf 6.1 aborts at the end if a stripped program with a debug link was running, as in tests.
tool_profile() {
	tool_name=$1 tool_seconds=$2 tool_hz=$3
	shift 3
	case $tool_name in
	tprof)
		# shellcheck disable=SC2086 # one or none
		set -- "$@" "$build/tprof" top --batch --duration "$tool_seconds" -F "$tool_hz" $tool_options
		;;
	perf)
		set -- "$@" perf record -q -a -g -e "$event" -F "$tool_hz" -o "$out/perf.data" \
			-- sleep "$tool_seconds"
		;;
	bpftrace)
		set -- BPFTRACE_MAP_KEYS_MAX=65536 "$@" bpftrace -e "profile:hz:$tool_hz {
			@[kstack, ustack, comm] = count(); } interval:s:$tool_seconds { exit(); }"
		;;
	esac
	for _ in 1 2 3; do
		measured env "$@" >"$out/tool.log" 2>&1 && return
	done
	tail -n 3 "$out/tool.log" >&2
	fail "$tool_name failed"
}

# first_sample_ns TOOL [PID]: each tool stamps samples with CLOCK_MONOTONIC. Its output goes to a file, so that no other
# program starts on the same CPU at the same time.
first_sample_ns() {
	case $1 in
	tprof)
		# shellcheck disable=SC2086 # words
		measured "$build/tprof" run --json --duration 0.3 -F 999 ${2:+-p $2} "$out/first.bpf.o" \
			>"$out/first" 2>/dev/null
		jq -s 'last.tables[] | select(.name == "times").rows | map(.key | tonumber) | min' "$out/first"
		;;
	perf)
		scope=${2:+-p $2}
		# shellcheck disable=SC2086 # words
		measured perf record -q ${scope:--a} -g -k mono -e "$event" -F 999 -o "$out/perf.data" \
			-- sleep 0.3 >/dev/null 2>&1
		perf script -i "$out/perf.data" --ns -F time -G 2>/dev/null | sed 's/^ *//' | awk -F '[.:]' 'NF > 2 {
			t = $1 * 1000000000 + $2; if (!n++ || t < least) least = t } END { printf "%.0f\n", least }'
		;;
	bpftrace)
		measured bpftrace -e "profile:hz:999 ${2:+/pid == $2/}"' {
				@[kstack, ustack, comm] = count(); if (@first == 0) { @first = nsecs; } }
			interval:ms:300 { print(@first); clear(@first); clear(@); exit(); }' >"$out/first" 2>/dev/null
		sed -n 's/^@first: \([0-9][0-9]*\)$/\1/p' "$out/first" | head -n 1
		;;
	esac
}

# bench_startup WHAT [PID]
bench_startup() {
	for tool in $tools; do
		# shellcheck disable=SC2086 # one or none
		stamp=$(first_sample_ns $tool ${2-} 2>/dev/null)
		[ -n "$stamp" ] && [ "$stamp" != null ] || fail "$tool: no first sample"
		note "$1" $tool "$(awk -v a="$stamp" -v b="$(took 1)" 'BEGIN { printf "%.2f\n", (a - b) / 1e6 }')"
	done
}

# Measures CPU time and memory of ten seconds at 999 Hz, with perf including its report.
bench_cost() {
	for tool in $tools; do
		tool_profile $tool "$seconds" 999
		cpu=$(took 3)
		rss=$(took 4)
		note record_rss $tool "$rss"
		if [ $tool = perf ]; then
			measured perf report -i "$out/perf.data" --stdio >"$out/report" 2>/dev/null
			cpu=$((cpu + $(took 3)))
			[ "$(took 4)" -le "$rss" ] || rss=$(took 4)
		fi
		note cpu $tool "$(awk -v us="$cpu" 'BEGIN { printf "%.1f\n", us / 1000 }')"
		note rss $tool "$rss"
	done
}

# bench_bytes WHAT: measures bytes in separate runs, because the counting library slows a tool down slightly. The
# library writes a file at the end, which the sandbox would not permit.
bench_bytes() {
	tool_options=--no-sandbox
	for tool in tprof bpftrace; do
		tool_profile $tool "$seconds" 999 KERNEL_BYTES="$out/kernel_bytes" LD_PRELOAD="$out/kernel_bytes.so"
		note "$1" $tool "$(awk '{ print $1 + $2 }' "$out/kernel_bytes")"
	done
	tool_profile perf "$seconds" 999
	note "$1" perf "$(wc -c <"$out/perf.data")"
	tool_options=
}

# bench_slowdown HZ: measures the slowdown of the load by each tool
bench_slowdown() {
	work
	undisturbed=$rate
	for tool in $tools; do
		work tool_profile $tool 3 "$1"
		note "slower$1" $tool "$(slower "$undisturbed")"
	done
}

# One CPU is busy, so it has samples immediately; the other CPU is free for the starting tool.
load "$build/workload/spin" --seconds 1000
busy=$!
sleep 0.5
for round in $(seq $((2 * repeat + 1))); do
	progress "exec to first sample: round $round"
	bench_startup startup
	bench_startup startup_process "$busy"
done
stop_load

start_load
for round in $(seq "$repeat"); do
	progress "CPU time and memory: round $round"
	bench_cost
done
progress 'bytes'
bench_bytes bytes_moving
stop_load

start_steady_load
progress 'bytes'
bench_bytes bytes_steady
stop_load

for round in $(seq $((2 * repeat + 1))); do
	progress "slowdown: round $round"
	bench_slowdown 999
	bench_slowdown 4999
done
progress 'recordings'
REPEAT=3 sh "$here/record.sh" "$build" >"$out/recordings" || fail 'recordings cannot be measured'
progress 'pictures'
sh "$here/flame.sh" "$build" >"$out/pictures" || fail 'pictures cannot be measured'
progress 'trees'
sh "$here/trees.sh" "$build" >"$out/trees" || fail 'trees cannot be measured'
progress 'names'
sh "$here/symbols.sh" "$build" >"$out/symbols" || fail 'names cannot be measured'
progress 'sandbox'
sh "$here/sandbox.sh" "$build" >"$out/sandbox" || fail 'the sandbox cannot be measured'
measure_module
progress ''
printf '\r' >&2

. "$here/report.sh" >"$out/report.md" || fail 'no report'
publish "$file"
sed -n '/^|/p' "$file"
