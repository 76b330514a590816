#!/bin/busybox sh
# SPDX-License-Identifier: GPL-2.0-only
# Counts the wakeups of idle CPUs, in an emulated machine: for each tool on the first CPU, prints the interrupts a
# second on each of the other CPUs, in a line "@wakes CPUS NAME NUMBER". Argument: the sampling rate.
rate=$1
seconds=10

# Prints the number of interrupts of all kinds on all CPUs except the first.
interrupts() {
	awk 'NR == 1 { nr = NF }
		NR > 1 { for (i = 3; i <= nr + 1; i++) sum += $i }
		END { print sum, nr }' /proc/interrupts
}

# wakes NAME [COMMAND...]: measures while the command runs
wakes() {
	name=$1
	shift
	pid=
	if [ $# -gt 0 ]; then
		"$@" >/tmp/out 2>&1 </dev/null &
		pid=$!
	fi
	sleep 5
	before=$(interrupts)
	sleep $seconds
	after=$(interrupts)
	if [ -n "$pid" ]; then
		kill -INT $pid || { echo "@failed $name"; cat /tmp/out; }
		wait $pid
	fi
	echo "$before $after" | awk -v name="$name" -v seconds=$seconds '{
		printf "@wakes %d %s %.1f\n", $2, name, ($3 - $1) / ($2 - 1) / seconds }'
}

taskset -p 1 $$ >/dev/null
wakes nothing
wakes kmod-unread /bench/tprof top --batch --engine kmod -F "$rate" --delay 1000
wakes kmod /bench/tprof top --batch --engine kmod -F "$rate"
wakes perf-engine /bench/tprof top --batch --engine perf -F "$rate"
wakes perf /bench/perf record -q -a -e cpu-clock -F "$rate" -o /tmp/perf.data
