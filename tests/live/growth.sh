#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=60
# The memory of `tprof top --batch` does not grow under many short-lived processes: it frees the data of processes that
# have ended.
#
# 500 processes start and end each second. 1 KiB kept for each would add 20 MB between second 20 and second 60;
# fluctuations of the allocator are far below 1 MiB.
. "${0%/*}/../lib/live.sh"

# resident_kb PID [WHICH]: prints the resident anonymous memory, or WHICH; the kernel may drop pages of files any time
resident_kb() {
	awk -v which="${2:-RssAnon}:" '$1 == which { print $2 }' "/proc/$1/status"
}

background "$WORKLOAD/spin" --seconds 600 --fork 300 --child-ms 1
storm=$pid
background "$WORKLOAD/spin" --seconds 600 --fork 200 --child-ms 1 --exec
# Only these processes are sampled, because symbols of other programs that start on this machine stay in memory for a
# while, megabytes for a compiler.
background "$TPROF" top --batch -d 1 -F 997 -p "$storm,$pid"
sleep 20
at_20=$(resident_kb "$pid")
sleep 20
at_40=$(resident_kb "$pid")
sleep 20
at_60=$(resident_kb "$pid")
diag "resident after 20, 40, 60 s: $at_20 $at_40 $at_60 KiB"
at_most 'resident memory, KiB, after 40 s' "$at_40" "$((at_20 + 1024))"
at_most 'resident memory, KiB, after 60 s' "$at_60" "$((at_20 + 1024))"
at_most 'resident memory, KiB, in all' "$(resident_kb "$pid" VmRSS)" 16384
at_most 'open descriptors' "$(find "/proc/$pid/fd" -mindepth 1 2>/dev/null | wc -l)" 200
check 'it still runs' kill -0 "$pid"

done_testing
