#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=5
# Several events of `tprof record`, also with --raw, and of `tprof run`: one file has all events, commands that show one
# of them select it with --value, each row and each kept sample has its event, and each event has the samples of its
# ledger. What cannot have several events is refused before sampling.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/schema.sh"

schema=$(realpath docs/tprof-report.schema.json)
run_schema=$(realpath docs/tprof-run.schema.json)
cd "$TMP" || exit
case $TPROF in /*) ;; *) TPROF=$OLDPWD/$TPROF WORKLOAD=$OLDPWD/$WORKLOAD ;; esac
events='cpu-clock page-faults context-switches'

"$TPROF" record -e cpu-clock,page-faults -e context-switches -F 997 --max-stack 8 -- \
	"$WORKLOAD/spin" --seconds 1 --fork 20 2>stderr
code=$?
without_loss stderr
is 'record: exit code' $code 0
like 'record: the ledger names all events' "$(sed -n 1p stderr)" \
	'^tprof: perf, cpu-clock, page-faults, context-switches: [1-9][0-9]* samples in '

for event in $events; do
	"$TPROF" report --value $event --json >$event.json 2>stderr
	code=$?
	without_loss stderr
	is "$event: report" "$code$(cat stderr)" 0
	is "$event: is the event of the report" "$(jq -r .event $event.json)" $event
	check "$event: has samples" test "$(jq '[.rows[].self.samples] | add // 0' $event.json)" -gt 0
	is "$event: its ledger closes" "$(jq -c '.ledger |
		.fired - .out_of_scope - .decimated - .done - .kept - .below_min - ([.lost[]] | add)' $event.json)" 0
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
without_loss stderr
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
without_loss stderr
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

# Raw recordings: each sample has its event, and the commands read them like profiles.
"$TPROF" record --raw -e cpu-clock,page-faults,context-switches -F 997 --max-stack 8 -- \
	"$WORKLOAD/spin" --seconds 1 --fork 20 2>stderr
code=$?
without_loss stderr
is 'raw: exit code' $code 0
like 'raw: the ledger names all events' "$(sed -n 1p stderr)" \
	'^tprof: perf, cpu-clock, page-faults, context-switches: [1-9][0-9]* samples in '
"$TPROF" report -i tprof.traw --json >raw.json 2>stderr
is 'raw: all events are named' "$(jq -r '[.events[].event] | join(" ")' raw.json)" "$events"
for event in $events; do
	"$TPROF" report -i tprof.traw --value $event --json >$event.json 2>stderr
	check "raw: $event: has samples" test "$(jq '[.rows[].self.samples] | add // 0' $event.json)" -gt 0
	is "raw: $event: they are those of its ledger" "$(jq '[.rows[].self.samples] | add' $event.json)" \
		"$(jq .ledger.aggregated $event.json)"
	is "raw: $event: its ledger closes" "$(jq -c '.ledger |
		.fired - .out_of_scope - .decimated - .done - .kept - ([.lost[]] | add)' $event.json)" 0
	"$TPROF" export -i tprof.traw --value $event -f folded >$event.folded
	is "raw: $event: folded agrees" "$(awk '{ sum += $NF } END { print sum }' $event.folded)" \
		"$(jq '[.rows[].self.weight] | add' $event.json)"
	# Of two parts, each sample is in one.
	is "raw: $event: in parts" "$(for part in '--to 0.5' '--from 0.5'; do
		# shellcheck disable=SC2086 # words
		"$TPROF" report -i tprof.traw --value $event $part --json | jq '[.rows[].self.samples] | add // 0'
	done | jq -s add)" "$(jq '[.rows[].self.samples] | add' $event.json)"
done
"$TPROF" export -i tprof.traw -f pprof -o raw.pb.gz 2>stderr
is 'raw: converted, each event is the same' \
	"$("$TPROF" report raw.pb.gz --json | jq -c '[.rows[] | [.name, .values]]')" \
	"$(jq -c '[.rows[] | [.name, .values]]' raw.json)"
is 'raw: a value that is no event' "$("$TPROF" report -i tprof.traw --value cycles 2>&1 | tail -n 1)" \
	'hint: it has cpu-clock, page-faults, context-switches'
head -c "$(($(stat -c %s tprof.traw) * 2 / 3))" tprof.traw >cut.traw
for event in $events; do
	"$TPROF" report -i cut.traw --value $event --json >cut.json 2>stderr
	is "raw: cut short: $event: the ledger closes, and has these samples" "$(jq -c '.ledger |
		[.fired - .out_of_scope - .decimated - .done - .kept - ([.lost[]] | add),
		.done - .aggregated - (.not_in_file // 0), .aggregated]' cut.json)" \
		"[0,0,$(jq '[.rows[].self.samples] | add // 0' cut.json)]"
done
like 'raw: cut short: says so' "$(cat stderr)" '^tprof: warning: cut.traw: cut short: it has '

# tprof run: each row and each kept sample has its event.
cat >sum.bpf.c <<'END'
#include <tprof/filter.bpf.h>
TPROF_TABLE(sums, tprof_tgid_t, 1024);
TPROF_FILTER(sums, s) { tprof_count(sums, s->tgid, s->weight); return TPROF_DONE; }
TPROF_LICENSE("GPL");
END
# shellcheck disable=SC2086 # options are words
(cd "$OLDPWD" && clang -g -O2 --target=bpf $FILTER_INCLUDE -c "$TMP/sum.bpf.c" -o "$TMP/sum.bpf.o") ||
	bail 'cannot compile'
for filter in top comm cgroup cpu raw; do
	"$TPROF" run $filter --json -e cpu-clock,page-faults -F 997 --duration 0.5 -- "$WORKLOAD/spin" --fork 20 \
		>run.json 2>stderr
	is "run $filter: exit code" $? 0
	! have_schemas || check "run $filter: the JSON is valid" valid "$run_schema" run.json
	is "run $filter: the rows of each event are those of its ledger" \
		"$(jq -c '.tables[0].rows as $rows | [.events[] | .event as $event |
			[$rows[] | select(.event == $event) | .samples] | add]' run.json)" \
		"$(jq -c '[.events[].ledger.aggregated]' run.json)"
	is "run $filter: the key is without the event" \
		"$(jq '[.tables[0].rows[].key | select(test("event=|page-faults"))] | length' run.json)" 0
done
"$TPROF" run comm -n 1 -e cpu-clock,page-faults -F 997 --duration 0.5 -- "$WORKLOAD/spin" --fork 20 >text 2>stderr
is 'run: text: a table for each event, with shares of its own' "$(grep -c '^comm, \(cpu-clock\|page-faults\) (' text)" 2
like 'run: text: the limit is that of each' "$(cat text)" '^ *[0-9.]+% +[0-9]+ +[0-9]+  spin$'
is 'run: text: rows' "$(grep -c '% ' text)" "$((2 + $(grep -c '^# .*%' text)))"
"$TPROF" run pass --json -e cpu-clock,page-faults --duration 0.5 -- "$WORKLOAD/spin" --fork 20 >run.json 2>stderr
! have_schemas || check 'run pass: the JSON is valid' valid "$run_schema" run.json
is 'run pass: each kept sample has its event' "$(jq -sc '. as $all | [.[-1].events[].event as $event |
	[$all[] | select(.sample.event == $event)] | length]' run.json)" \
	"$(jq -sc '[.[-1].events[].ledger.kept]' run.json)"
"$TPROF" run pass -e cpu-clock,page-faults --duration 0.3 -- "$WORKLOAD/spin" --fork 20 >text 2>stderr
like 'run pass: text' "$(cat text)" ' user +page-faults: [^ ]+ \('

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
refuses 'a filter that adds up events' 'table sums: does not tell apart the 2 events of the session' \
	'sample one event, or add a tprof_event_t to the key of the table' run sum.bpf.o -e cpu-clock,page-faults
refuses 'folded' '-e: this format has one event, and 2 are given' \
	'record to tprof.pb.gz, then: tprof export --value EVENT' record -o x.folded -e cpu-clock,page-faults
refuses 'a period that only one can have' '-c 1: the minimum is 10000 nanoseconds for cpu-clock' \
	'-c 1000000 takes a sample every millisecond' record -e page-faults,cpu-clock -c 1

done_testing
