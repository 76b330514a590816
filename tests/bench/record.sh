#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# record.sh BUILD: prints a section of BENCHMARKS.md about recordings with call stacks, of tprof and of perf. REPEAT
# sets the number of rounds (3), SECONDS_EACH the length of each recording (30).
set -u

. "${0%/*}/part.sh"
repeat=${REPEAT:-3}
seconds=${SECONDS_EACH:-30}
tprof=$build/tprof
event=cpu-clock
raw_seconds=5

cc -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -pthread "$here/many_stacks.c" -o "$out/many_stacks" ||
	fail 'no compiler'

# record TOOL: runs a recording and ends it like Ctrl-C.
record() {
	case $1 in
	tprof) set -- "$tprof" record -g -F 999 -e $event -o "$out/tprof.data" ;;
	perf) set -- perf record -q -a -g -F 999 -e $event -o "$out/perf.data" ;;
	esac
	measured timeout -s INT "$seconds" "$@" >"$out/record.log" 2>&1
	# The exit code of timeout is 124.
	[ $? -eq 124 ] && [ -s "$out/$tool.data" ]
}

report() {
	case $1 in
	tprof) measured "$tprof" report -i "$out/tprof.data" ;;
	perf) measured perf report --stdio -i "$out/perf.data" ;;
	esac >"$out/answer" 2>"$out/log"
}

# record_raw TOOL, report_raw TOOL: the same of single samples, at a high rate
raw_hz=20000
record_raw() {
	case $1 in
	tprof) set -- "$tprof" record --raw -F $raw_hz -e $event -o "$out/tprof.data" --duration $raw_seconds ;;
	perf) set -- perf record -q -a -g -F $raw_hz -e $event -o "$out/perf.data" -- sleep $raw_seconds ;;
	esac
	measured "$@" >"$out/record.log" 2>&1
}

# run_raw TOOL: measures CPU time of a raw recording and its report, and the share of samples without a place in a table
run_raw() {
	tool=$1
	for _ in 1 2 3; do
		record_raw "$tool" && break
	done || fail "$tool: $(tail -n 3 "$out/record.log")"
	cpu_us=$(took 3)
	report "$tool" || fail "$tool: $(tail -n 3 "$out/log")"
	note cpu_raw "$tool" $((cpu_us + $(took 3)))
	[ "$tool" = perf ] || note full_raw tprof "$("$tprof" report -i "$out/tprof.data" --json -n 1 |
		jq '100 * .ledger.table_full / .ledger.fired')"
}

# largest A B
largest() {
	[ "$1" -ge "$2" ] && echo "$1" || echo "$2"
}

# run TOOL LOAD: measures CPU time, bytes, wait and memory of a recording and its report. perf 6.1 sometimes aborts.
run() {
	tool=$1 of=$2
	for _ in 1 2 3; do
		record "$tool" && break
	done || fail "$tool: $(tail -n 3 "$out/record.log")"
	wait_ns=$(($(took 2) - seconds * 1000000000)) cpu_us=$(took 3) rss=$(took 4)
	report "$tool" || fail "$tool: $(tail -n 3 "$out/log")"
	[ "$tool" = perf ] || cp "$out/record.log" "$out/record"
	note "cpu$of" "$tool" $((cpu_us + $(took 3)))
	note "wait$of" "$tool" $((wait_ns + $(took 2)))
	note "rss$of" "$tool" "$(largest "$rss" "$(took 4)")"
	note "bytes$of" "$tool" "$(stat -c %s "$out/$tool.data")"
}

for _ in $(seq "$repeat"); do
	for tool in tprof perf; do
		load "$build/workload/syscalls" $((seconds + 10))
		load "$build/workload/spin" --seconds $((seconds + 10)) --threads "$(nproc)"
		run $tool _ordinary
		stop_load
	done
done
for tool in tprof perf; do
	load "$out/many_stacks" $((seconds + 10)) "$(nproc)"
	run $tool _many
	stop_load
done
load "$out/many_stacks" 1000 "$(nproc)"
for _ in $(seq "$repeat"); do
	for tool in tprof perf; do
		run_raw $tool
	done
done
stop_load
for _ in $(seq $((4 * repeat + 1))); do
	work
	undisturbed=$rate
	for tool in tprof perf; do
		seconds=3 work record $tool
		note slower $tool "$(slower "$undisturbed")"
	done
done
stacks=$(sed -n 's/.*: \([0-9]*\) call stacks, .*/\1/p' "$out/record")

# row WHAT FORMAT DIVISOR KEY
row() {
	awk -v what="$1" -v format="$2" -v by="$3" -v t="$(median "$4" tprof)" -v p="$(median "$4" perf)" 'BEGIN {
		f = "| %s | " format " | " format " |\n"
		printf f, what, t / by, p / by }'
}

cat <<END
## What a recording costs

$seconds s of all CPUs with call stacks at 999 Hz, ended by Ctrl-C, and read: \`tprof record -g\` and
\`tprof report\`, \`perf record -a -g\` and \`perf report --stdio\`; medians of $repeat rounds, of the
slowdown of $((4 * repeat + 1)), of 3 s each. The load is a busy thread
for each CPU and a process that lives in the kernel; then, once, a program with many call stacks, of which the recording
of tprof has $stacks.

| | tprof record -g | perf record -a -g |
|---|---|---|
$(row 'CPU time, report included, ms' %.0f 1000 cpu_ordinary)
$(row 'file, kB' %.1f 1000 bytes_ordinary)
$(row 'from Ctrl-C to the end of the report, ms' %.0f 1e6 wait_ordinary)
$(row 'resident memory, MB' %.1f 1024 rss_ordinary)
| slowdown of user code, % | $(median slower tprof) | $(median slower perf) |
$(row 'many stacks: CPU time, report included, ms' %.0f 1000 cpu_many)
$(row 'many stacks: file, kB' %.1f 1000 bytes_many)
$(row 'many stacks: from Ctrl-C to the end of the report, ms' %.0f 1e6 wait_many)
$(row 'many stacks: resident memory, MB' %.1f 1024 rss_many)
$(row "single samples at $raw_hz Hz, $raw_seconds s, many stacks: CPU time, report included, ms" %.0f 1000 cpu_raw)

$GOALS
$(goal "CPU time, of perf's" "$(ratio "$(median cpu_ordinary tprof)" "$(median cpu_ordinary perf)")" 0.25)
$(goal "file, of perf's" "$(ratio "$(median bytes_ordinary tprof)" "$(median bytes_ordinary perf)")" 0.02)
$(goal "from Ctrl-C to the report, of perf's time" \
	"$(ratio "$(median wait_ordinary tprof)" "$(median wait_ordinary perf)")" 0.25)
$(goal "slowdown, %, against perf's and 0.5 for noise" "$(median slower tprof)" \
	"$(awk -v p="$(median slower perf)" 'BEGIN { printf "%.1f", p + 0.5 }')")
$(goal "single samples (\`--raw\`) at $raw_hz Hz: CPU time, of perf's" \
	"$(ratio "$(median cpu_raw tprof)" "$(median cpu_raw perf)")" 1.5)
$(goal 'of them without a place in a table, %' "$(in_units %.2f 1 "$(median full_raw tprof)")" 0)
$(goal 'resident memory with many stacks, MB' \
	"$(in_units %.1f 1024 "$(median rss_many tprof)")" 32)
END
