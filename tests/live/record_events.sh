#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=5
# `tprof record -e a,b`: one file has all events, commands that show one of them select it with --value, and each has
# the samples of its ledger. What cannot have several events is refused before sampling.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/schema.sh"

schema=$(realpath docs/tprof-report.schema.json)
cd "$TMP" || exit
case $TPROF in /*) ;; *) TPROF=$OLDPWD/$TPROF WORKLOAD=$OLDPWD/$WORKLOAD ;; esac
events='cpu-clock page-faults context-switches'

"$TPROF" record -e cpu-clock,page-faults -e context-switches -F 997 --max-stack 8 -- \
	"$WORKLOAD/spin" --seconds 1 --fork 20 2>stderr
is 'record: exit code' $? 0
like 'record: the ledger names all events' "$(sed -n 1p stderr)" \
	'^tprof: perf, cpu-clock, page-faults, context-switches: [1-9][0-9]* samples in '

for event in $events; do
	"$TPROF" report --value $event --json >$event.json 2>stderr
	is "$event: report" "$?$(cat stderr)" 0
	is "$event: is the event of the report" "$(jq -r .event $event.json)" $event
	check "$event: has samples" test "$(jq '[.rows[].self.samples] | add // 0' $event.json)" -gt 0
	is "$event: its ledger closes" "$(jq -c '.ledger |
		.fired - .out_of_scope - .decimated - .done - .kept - ([.lost[]] | add)' $event.json)" 0
	is "$event: export agrees" "$("$TPROF" export --value $event -f json | jq '[.functions[].samples] | add')" \
		"$(jq '[.rows[].self.samples] | add' $event.json)"
	"$TPROF" export --value $event -f folded >$event.folded
	is "$event: folded agrees" "$(awk '{ sum += $NF } END { print sum }' $event.folded)" \
		"$(jq '[.rows[].self.weight] | add' $event.json)"
	"$TPROF" flame --value $event -o $event.svg
	like "$event: the flame graph names it" "$(cat $event.svg)" "$event"
done
"$TPROF" report --json >first.json 2>stderr
is 'without --value: the first event' "$(jq -r .event first.json)" cpu-clock
is 'nothing is said' "$(cat stderr)" ''
is 'a value that is no event: what there is' "$("$TPROF" report --value cpu-clock_samples 2>&1 | tail -n 1)" \
	'hint: it has cpu-clock, page-faults, context-switches'
if have_schemas; then
	check 'the JSON is valid' valid "$schema" first.json
else
	skip "$NO_SCHEMAS"
fi
is 'all events are named' "$(jq -r '[.events[].event] | join(" ")' first.json)" "$events"
for event in $events; do
	is "$event: its column in JSON is its own report" "$(jq -c --arg event $event '
		[.events[].event] as $all | [.rows[] | [.name, .object, .values[$all | index($event)]] |
		select(.[2].samples > 0)] | sort' first.json)" \
		"$(jq -c '[.rows[] | select(.self.samples > 0) | [.name, .object, .self]] | sort' $event.json)"
done
"$TPROF" report --stdio -n 3 >first.text 2>stderr
like 'text: the events have columns' "$(cat first.text)" '^ +cpu-clock +page-faults +context-switches$'
like 'text: the self share of each' "$(cat first.text)" \
	'^ *[0-9.]+% +[0-9.]+% +[0-9]+ +[0-9.]+% +[0-9.]+%  user +hot +spin$'
"$TPROF" report --stdio --by process -n 3 >first.text 2>stderr
like 'text: by process' "$(cat first.text)" '^ *[0-9.]+% +[0-9.]+% +[0-9]+ +[0-9.]+% +[0-9.]+%  spin \([0-9]+\)$'
"$TPROF" flame -o first.svg 2>stderr
is 'flame: the event, and the others' "$(cat stderr)" "tprof: shows the event cpu-clock; $(
	)--value of report, flame, diff and export selects page-faults, context-switches"
is 'the same as with --value' "$(jq -c '[.rows[] | select(.total.samples > 0) | [.name, .self]]' first.json)" \
	"$(jq -c '[.rows[] | [.name, .self]]' cpu-clock.json)"

# Sums of all events, and differences of one.
"$TPROF" merge tprof.pb.gz tprof.pb.gz -o both.pb.gz
for event in $events; do
	is "$event: merged" "$("$TPROF" report --value $event --json both.pb.gz | jq '[.rows[].self.samples] | add')" \
		"$(jq '2 * ([.rows[].self.samples] | add)' $event.json)"
	"$TPROF" diff --value $event tprof.pb.gz both.pb.gz --json >diff.json
	is "$event: diff: the shares are the same" "$(jq -c '[.rows[] | select(.after.percent != .before.percent)]' \
		diff.json)" '[]'
done
"$TPROF" export -f pprof tprof.pb.gz -o again.pb.gz
check 'written again, the file is the same' cmp tprof.pb.gz again.pb.gz

# refuses WHAT SAYS HINT ARGUMENT...
code=2
refuses() {
	what=$1 says=$2 hint=$3
	shift 3
	timeout 20 "$TPROF" "$@" >stdout 2>stderr
	is "$what: exit code" $? $code
	is "$what: says" "$(cat stderr)" "$(printf 'tprof: %s\nhint: %s' "$says" "$hint")"
}

refuses 'another value' 'tprof.pb.gz: has no sample value named cycles' \
	'it has cpu-clock, page-faults, context-switches' \
	report --value cycles
refuses twice 'event page-faults: is given twice' 'give each event once' record -e page-faults,cpu-clock,faults
refuses 'too many' 'events: 9 are given, and a session has at most 8' 'start several sessions' \
	record -e cpu-clock,task-clock,page-faults,minor-faults,major-faults,context-switches,cpu-migrations,r1,r2
refuses 'no name' "--event: 'cpu-clock,,page-faults' names no event" 'tprof list events' \
	record -e cpu-clock,,page-faults
for group in '{cpu-clock,page-faults}' 'cpu-clock,{page-faults,minor-faults}'; do
	refuses "a group: $group" "--event: '$group' has a group of events, which can be counted but not sampled" \
		'leave the braces out; tprof stat counts groups' record -e "$group"
done
refuses 'raw' '-e: a raw recording has one event, and 2 are given' 'leave --raw out to record several events' \
	record --raw -e cpu-clock,page-faults
refuses 'folded' '-e: this format has one event, and 2 are given' \
	'record to tprof.pb.gz, then: tprof export --value EVENT' record -o x.folded -e cpu-clock,page-faults
refuses 'a period that only one can have' '-c 1: the minimum is 10000 nanoseconds for cpu-clock' \
	'-c 1000000 takes a sample every millisecond' record -e page-faults,cpu-clock -c 1

done_testing
