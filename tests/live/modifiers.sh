#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=8
# Modifiers of events, as of perf: each event has the samples of its mode, the ledger closes, and `tprof stat` counts in
# one mode.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/modifiers.sh"

modes_add_up
background "$WORKLOAD/spin" --seconds 600 --fork 20
clock_has_mode

"$TPROF" stat --json -e page-faults:u,page-faults:k,page-faults -- "$WORKLOAD/spin" --seconds 1 --fork 20 \
	>"$TMP/json" 2>"$TMP/stderr"
is 'stat: exit code' $? 0
is 'stat: the sum of both modes' "$(jq -c '[.rows[0].values[].value] | [.[0] > 0, .[1] > 0, .[0] + .[1] == .[2]]' \
	"$TMP/json")" '[true,true,true]'
refuses 'stat: a clock' 2 'event cpu-clock:u: a clock counts the time in all modes' \
	"$TPROF" stat -e cpu-clock:u --duration 1
"$TPROF" top --batch -e page-faults:u,faults:u --duration 1 >"$TMP/out" 2>"$TMP/stderr"
is 'the same modifiers twice' "$? $(head -n 1 "$TMP/stderr")" '2 tprof: event page-faults:u: is given twice'

done_testing
