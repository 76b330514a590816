# SPDX-License-Identifier: GPL-2.0-only
# Prints the report of run.sh, which sources this file after its measurements.

# row WHAT FORMAT DIVISOR KEY: prints one line with the three medians
row() {
	awk -v what="$1" -v format="$2" -v by="$3" -v t="$(median "$4" tprof)" -v p="$(median "$4" perf)" \
		-v b="$(median "$4" bpftrace)" 'BEGIN {
			f = "| %s | " format " | " format " | " format " |\n"
			printf f, what, t / by, p / by, b / by }'
}

# slowdown HZ TOOL
slowdown() {
	in_units %.1f 1 "$(median "slower$1" "$2")"
}

cat <<END
<!-- Written by \`make bench\`; do not edit. -->

# Benchmarks

tprof, perf and bpftrace side by side in one run, on the same load, in turns; medians of $repeat rounds
($((2 * repeat + 1)) for the start and the slowdown). Absolute numbers belong to the machine, ratios travel better.

* date: $(date -u +%F)
* machine: $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -n 1), $(nproc) CPUs, Linux $(uname -r)
* tools: $("$build/tprof" --version), $(perf --version), $(bpftrace --version)
* event: $event, 999 Hz on each CPU unless a line says otherwise
* load: one busy thread a CPU, one process that lives in the kernel, 20 short-lived programs a second; for the
  first sample one busy thread in all

| | tprof top | perf record -a -g | bpftrace |
|---|---|---|---|
$(row 'exec to first sample, ms' %.1f 1 startup)
$(row 'the same of one process, ms' %.1f 1 startup_process)
$(row "CPU time of the tool over $seconds s, answer included, ms" %.0f 1 cpu)
$(row 'resident memory, MB' %.1f 1024 rss)
$(row 'the same while it samples, MB' %.1f 1024 record_rss)
$(row "bytes read from the kernel in $seconds s, kB" %.1f 1000 bytes_moving)
$(row 'the same without programs that come and go, kB' %.1f 1000 bytes_steady)
| slowdown of the load at 999 Hz, % | $(slowdown 999 tprof) | $(slowdown 999 perf) | $(slowdown 999 bpftrace) |
| slowdown of the load at 4,999 Hz, % | $(slowdown 4999 tprof) | $(slowdown 4999 perf) | $(slowdown 4999 bpftrace) |

$GOALS
$(goal "first sample, of perf record's time" \
	"$(ratio "$(median startup tprof)" "$(median startup perf)")" 0.5)
$(goal "first sample, of bpftrace's time" \
	"$(ratio "$(median startup tprof)" "$(median startup bpftrace)")" 0.1)
$(goal "first sample of one process, of perf record's time" \
	"$(ratio "$(median startup_process tprof)" "$(median startup_process perf)")" 0.5)
$(goal 'resident memory, MB' "$(in_units %.1f 1024 "$(median rss tprof)")" 16)
$(goal "resident memory, of perf record's" "$(ratio "$(median rss tprof)" "$(median record_rss perf)")" 1)
$(goal 'CPU time, of perf record and perf report' "$(ratio "$(median cpu tprof)" "$(median cpu perf)")" 0.25)
$(goal 'bytes read, of what perf record writes, steady load' \
	"$(ratio "$(median bytes_steady tprof)" "$(median bytes_steady perf)")" 0.02)
$(goal "slowdown at 999 Hz, %, against perf's and 0.5 for noise" "$(slowdown 999 tprof)" \
	"$(awk -v p="$(slowdown 999 perf)" 'BEGIN { printf "%.1f", p + 0.5 }')")
$(goal "slowdown at 4,999 Hz, %, against perf's and 0.5 for noise" "$(slowdown 4999 tprof)" \
	"$(awk -v p="$(slowdown 4999 perf)" 'BEGIN { printf "%.1f", p + 0.5 }')")

How each is measured:

* **exec to first sample**: from right before exec to the time stamp of the first sample, all on
  CLOCK_MONOTONIC. tprof counts as \`top\` does and keeps the times; perf's come out of perf.data. Of one process: the
  busy thread's, with \`-p\`, which in tprof also selects its descendants.
* **CPU time**: user and system time of the process and its children. perf: record and
  \`perf report --stdio\`. tprof prints the answer itself; so does bpftrace, whole stacks of it.
* **resident memory**: the largest the kernel saw (ru_maxrss); perf's is the larger of record and report.
* **bytes**: perf: size of perf.data. tprof and bpftrace: keys and values read from BPF maps, records from the
  rings of perf events, and reads of perf events. Every program that starts is about a kilobyte of side-band
  records to both tprof and perf.
* **slowdown**: work that one thread on each CPU gets done in 3 s, against the same without a profiler in the same
  round.

END
cat "$out/recordings"
echo
cat "$out/pictures"
echo
cat "$out/trees"
echo
cat "$out/symbols"
echo
cat "$out/sandbox"
echo

. "$here/report_module.sh"
