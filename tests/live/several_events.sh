#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=2
# Several events in one session of the library: each has its own samples, ledger, period and name, and costs only its
# own descriptors.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/compile.sh"

TPROF_FILTER_PATH=$BUILD/filters
export TPROF_FILTER_PATH

compile "$TMP/several_events" "$BUILD/libtprof.a" "${0%/*}/../vm/programs/several_events.c"

# holds EVENT...
holds() {
	"$TMP/several_events" perf "$@" >"$TMP/said" 2>"$TMP/stderr"
	is "$*: exit code" $? 0
	is "$*: what does not hold" "$(grep '^not ok' "$TMP/said")" ''
	is "$*: nothing is printed" "$(cat "$TMP/stderr")" ''
	check "$*: all was tried" grep -qx "1\.\.$(grep -c '^ok ' "$TMP/said")" "$TMP/said"
}

holds cpu-clock page-faults context-switches
holds task-clock page-faults context-switches cpu-clock minor-faults cpu-migrations major-faults alignment-faults
done_testing
