#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=40 all long
# The memory of `tprof top --batch` does not grow under many short-lived processes: it frees the data of processes that
# have ended.
#
# 500 processes start and end each second. 1 KiB kept for each would add 10 MB between second 20 and second 40, 20 MB
# until second 60 with LONG=1; fluctuations of the allocator are far below 1 MiB.
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
pause=10
[ -z "${LONG:-}" ] || pause=20
most=1024
sleep 20
at_start=$(resident_kb "$pid")
sleep $pause
at_middle=$(resident_kb "$pid")
sleep $pause
at_end=$(resident_kb "$pid")
diag "resident after 20 s, and twice after $pause s more: $at_start $at_middle $at_end KiB"
at_most 'resident memory, KiB, in the middle' "$at_middle" "$((at_start + most))"
at_most 'resident memory, KiB, at the end' "$at_end" "$((at_start + most))"
at_most 'resident memory, KiB, in all' "$(resident_kb "$pid" VmRSS)" 16384
at_most 'open descriptors' "$(find "/proc/$pid/fd" -mindepth 1 2>/dev/null | wc -l)" 200
check 'it still runs' kill -0 "$pid"

done_testing
