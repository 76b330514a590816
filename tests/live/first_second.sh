#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=3
# The rate of a frequent event is adapted soon after the start: not each occurrence of the first second is a sample.
. "${0%/*}/../lib/live.sh"

background sh -c "while :; do $WORKLOAD/faults 16000 >/dev/null; done"
"$TPROF" top --json -e page-faults,cpu-clock -F 99 --duration 2 >"$TMP/json" 2>"$TMP/stderr"
is 'exit code' $? 0
jq -c '[.events[] | [.event, .ledger.fired, .ledger.weight.fired]]' "$TMP/json" | sed 's/^/# /'
check 'the event is frequent' jq -e '.events[0].ledger.weight.fired > 50000' "$TMP/json"
# 99 samples a second are less than a hundredth. All events of the first second would be half of all; on a busy machine
# the first adaptation may come some tens of milliseconds late.
check 'a fourth of all are samples, or fewer' jq -e '.events[0].ledger | .fired < .weight.fired / 4' "$TMP/json"
is 'the ledger closes' "$(jq -c '[.events[].ledger |
	.fired - .out_of_scope - .decimated - .done - .kept - .below_min - ([.lost[]] | add)]' "$TMP/json")" '[0,0]'

done_testing
