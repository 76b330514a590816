#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: truth
# Runs tprof, perf record, perf top and bpftrace at the same time and rate on workloads with a known answer. Prints for
# each how far it is from the truth, how many samples it lost, reported and unreported, and its CPU time. tprof must be
# the nearest, within random errors. docs/testing.md explains the numbers.
#
# TRUTH_SECONDS is the length of each measurement (8).
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
