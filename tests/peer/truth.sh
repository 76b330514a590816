#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: truth
# Workloads with a known answer, under tprof, perf record, perf top and bpftrace at the same time, all at the same rate
# and with call stacks: how far each is from the truth, what it lost and told or did not, and what CPU time it took.
# tprof is the nearest, or as near as chance can tell. docs/testing.md says how the numbers are made.
#
# TRUTH_SECONDS is how long each measurement takes (8).
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/peers.sh"

seconds=${TRUTH_SECONDS:-8}
tools=tprof_perf
for tool in perf bpftrace; do
	command -v $tool >/dev/null || continue
	tools="$tools $tool"
	[ $tool != perf ] || tools="$tools perf_top"
done
[ "$tools" != tprof_perf ] || skip_all 'no perf and no bpftrace'

forks='--fork 100 --child-ms 3'
. "${0%/*}/../lib/truths.sh"
done_testing
