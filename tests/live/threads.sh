#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=14
# The event on-cpu: what threads ran.
. "${0%/*}/../lib/live.sh"

# The event alone: exact CPU time, without samples
"$TPROF" run comm -e on-cpu --json -- "$WORKLOAD/spin" --seconds 1 >"$TMP/json" 2>"$TMP/stderr"
ledger_closes 'on-cpu' "$TMP/json"
check 'on-cpu: at most the time of all CPUs, and most of it' jq -e '.cpus as $cpus | .duration_s as $passed |
	[.tables[].rows[] | select(.key == "spin").weight] | add | . < 1.01e9 * $passed * $cpus and . > 0' "$TMP/json"
is 'on-cpu: no waits' "$(jq -r .event "$TMP/json")" on-cpu

refuses 'a rate of runs' 2 '-F 99: runs have no rate' "$TPROF" run comm -e on-cpu -F 99 --duration 1
refuses 'a period of runs' 2 '-c 100: runs have no period' "$TPROF" run comm -e on-cpu -c 100 --duration 1
refuses 'a modifier of runs' 4 'event on-cpu:u: runs have no modifiers' "$TPROF" run comm -e on-cpu:u --duration 1
refuses 'CPUs of runs' 2 '-C cannot select runs' "$TPROF" run comm -e on-cpu -C 0 --duration 1

done_testing
