#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=5
# `tprof top -e a,b`: the live view and text have columns for each event, JSON a list of values that add up to the
# ledger of the event.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/schema.sh"
. "${0%/*}/../lib/screen.sh"

# The functions of the first take the CPU, and the second has page faults and context switches.
background "$WORKLOAD/spin" --seconds 600
both=$pid
background "$WORKLOAD/spin" --seconds 600 --fork 20
both=$both,$pid
set -- -e cpu-clock,page-faults,context-switches -F 997 -p "$both"

"$TPROF" top "$@" --json --duration 2 >"$TMP/total" 2>"$TMP/stderr"
is 'total: exit code' $? 0
is 'total: the events, in order' "$(jq -c '[.events[].event]' "$TMP/total")" \
	'["cpu-clock","page-faults","context-switches"]'
is 'total: each function has a value for each event' "$(jq -c '[.functions[].values | length] | unique' "$TMP/total")" \
	'[3]'
is 'total: the values add up to the ledger of each event' \
	"$(jq -c '[range(3) as $e | [([.functions[].values[$e].samples] | add),
		([.functions[].values[$e].weight] | add)]]' "$TMP/total")" \
	"$(jq -c '[.events[].ledger | [.aggregated, .weight.aggregated]]' "$TMP/total")"
is 'total: the ledger of each event closes' "$(jq -c '[.events[].ledger |
	.fired - .out_of_scope - .decimated - .done - .kept - .below_min -
	([.lost[]] | add)] | unique' "$TMP/total")" '[0]'
is 'total: the ledger is their sum' "$(jq '.ledger.fired' "$TMP/total")" \
	"$(jq '[.events[].ledger.fired] | add' "$TMP/total")"
check 'total: each event has samples' jq -e 'all(.events[].ledger; .aggregated > 0)' "$TMP/total"
is 'total: samples and weight are those of the first event' "$(jq -c '[.functions[] |
	select(.samples != .values[0].samples or .weight != .values[0].weight)]' "$TMP/total")" '[]'
is 'total: the shares of each event add up to 100' "$(jq -c '[range(3) as $e |
	([.functions[].values[$e].percent] | add | round)]' "$TMP/total")" '[100,100,100]'
if have_schemas; then
	check 'total: is valid' valid docs/tprof-top.schema.json "$TMP/total"
else
	skip "$NO_SCHEMAS"
fi

"$TPROF" top "$@" --json -d 0.2 --duration 2 >"$TMP/intervals" 2>"$TMP/stderr"
is 'intervals: the last object is the sum of the others' "$(jq -s -c '
	length as $n | . as $all | [range(3) |
	. as $e | $all[-1].events[$e].ledger.aggregated - ([$all[:$n - 1][].events[$e].ledger.aggregated] | add)]' \
	"$TMP/intervals")" '[0,0,0]'

"$TPROF" top "$@" --batch --duration 2 -n 3 >"$TMP/text" 2>"$TMP/stderr"
is 'text: a line for each event' "$(grep -c '^# event ' "$TMP/text")" 3
like 'text: the events have columns' "$(cat "$TMP/text")" ' cpu-clock +page-faults +context-switches'
like 'text: share and samples of each' "$(cat "$TMP/text")" \
	' [0-9.]+% +[0-9]+ +[0-9.]+% +[0-9]+ +[0-9.]+% +[0-9]+  user +hot +spin '

"$TPROF" top -e cpu-clock --json --duration 0.5 >"$TMP/one" 2>"$TMP/stderr"
is 'one event: no list of events or values' "$(jq -c '[has("events"), any(.functions[]; has("values"))]' "$TMP/one")" \
	'[false,false]'

# Functions of the workload take the CPU, and functions of the kernel switch it: the first row depends on the event.
terminal 120 30 "$TPROF top -g -e cpu-clock,page-faults,context-switches -F 997 -p $both"
shows 'view: the first event' '^ perf cpu-clock 997 Hz .* samples +lost'
shows 'view: the events have columns' '^ +cpu-clock +page-faults +context-switches +FUNCTION'
shows 'view: sorted by the first' '^> +[0-9.]+ % +[0-9]+ +[0-9.]+ % +[0-9]+ +[0-9.]+ % +[0-9]+  .*hot +spin'
keys v v
shows 'view: v shows another event' '^ perf context-switches 997 Hz'
shows 'view: sorted by it' \
	'^>? +[0-9.]+ % +[0-9]+ +[0-9.]+ % +[0-9]+ +[1-9][0-9.]+ % +[0-9]+  .*(schedule|do_task_dead)'
keys c
shows 'view: the callers of this event' '^ CALLERS OF (schedule|do_task_dead)'
keys c l
shows 'view: the ledger of this event' '│ fired +[0-9]+ +[0-9.]+k? events │'
keys l v
shows 'view: and back' '^ perf cpu-clock 997 Hz'
resize 64 20
shows 'view: on a narrow terminal, the others have shares' '^ +cpu-clock +page-f… +contex… +FUNCTION'
shows 'view: the rows, too' '^> +[0-9.]+ % +[0-9]+ +[0-9.]+ % +[0-9.]+ %  [a-z]'
resize 44 20
shows 'view: or no column' '^ +cpu-clock +FUNCTION'
keys v
shows 'view: but the chosen one' '^ +page-faults +FUNCTION'
keys q
ends 'view: exit code' 0

done_testing
