#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=10
# The perf engine computes the members of a sample that a filter reads, and all of them if the filter passes on the
# address of the sample.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/members.sh"

for filter in members whole; do
	# shellcheck disable=SC2086 # options are words
	clang -g -O2 --target=bpf $FILTER_INCLUDE -c "${0%/*}/filters/$filter.bpf.c" -o "$TMP/$filter.bpf.o" ||
		bail "cannot compile $filter"
done

lazy "$WORKLOAD/spin" --seconds 600
for filter in members whole; do
	members_are_right "$TMP/$filter.bpf.o" perf "$pid"
	members_of_faults "$TMP/$filter.bpf.o" perf
done

# helpers FILTER: prints the helpers that its program for the perf engine calls
helpers() {
	"$TPROF" filter check "$1" | sed -n '/engine perf/,/engine kmod/p'
}

# Members that the filter does not read are not computed. The time and the name of the thread are expensive.
helpers "$BUILD/filters/top.bpf.o" >"$TMP/helpers"
check 'top: its program is listed' grep -q bpf_get_current_cgroup_id "$TMP/helpers"
is 'top: reads no time' "$(grep -c bpf_ktime_get_ns "$TMP/helpers")" 0
is 'top: reads no thread name' "$(grep -c bpf_get_current_comm "$TMP/helpers")" 0
helpers "$BUILD/filters/cpu.bpf.o" >"$TMP/helpers"
is 'cpu: reads no cgroup' "$(grep -c bpf_get_current_cgroup_id "$TMP/helpers")" 0
helpers "$BUILD/filters/raw.bpf.o" >"$TMP/helpers"
check 'raw: reads the time' grep -q bpf_ktime_get_ns "$TMP/helpers"

done_testing
