#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=50
# Every shipped filter runs, its tables contain as many samples as its ledger says, and `list`, `filter` and `doctor`
# describe this machine.
. "${0%/*}/../lib/live.sh"

background "$WORKLOAD/spin" --seconds 600
spin=$pid

# The duration of runs that check only the start and the end, not the counts
moment=0.2

# run_json OPTION...: writes the kept samples and the tables of `tprof run` to $TMP/lines, and the tables to $TMP/json
run_json() {
	"$TPROF" run --json --duration 0.5 "$@" >"$TMP/lines" 2>"$TMP/stderr" &&
		jq -s last "$TMP/lines" >"$TMP/json"
}

# row_sum: prints the number of samples in all rows of all tables
row_sum() {
	jq -r '[.tables[].rows[].samples] | add // 0' "$TMP/json"
}

filter_list=$("$TPROF" filter list)
list_filters=$("$TPROF" list filters)
"$TPROF" list filters --json >"$TMP/filters.json"
for object in "$BUILD"/filters/*.bpf.o; do
	filter=$(basename "$object" .bpf.o)
	# The event of coverage needs the module, and that of the others has no rate.
	event= rate='-F 997'
	case $filter in
	coverage) event=cpu-clock ;;
	offcpu | offwake | reasons | runqlat | threads | wakers | wakeups | wall) rate= ;;
	esac
	# shellcheck disable=SC2086 # none or two words
	if ! run_json $rate ${event:+-e $event} "$filter"; then
		not_ok "run $filter" "$(cat "$TMP/stderr")"
		continue
	fi
	ledger_closes "run $filter" "$TMP/json"
	is "run $filter: its tables hold what was counted" "$(row_sum)" "$(ledger "$TMP/json" .aggregated)"
	# shellcheck disable=SC2086
	check "run $filter: as text" "$TPROF" run --duration $moment ${event:+-e $event} "$filter"
	# shellcheck disable=SC2086
	check "run $filter: by path" "$TPROF" run --duration $moment ${event:+-e $event} "$object"
	check "filter check $filter" "$TPROF" filter check "$object"
	check "filter show $filter" "$TPROF" filter show "$filter"
	like "filter list has $filter" "$filter_list" "(^| )$filter( |\$)"
	is "list filters: $filter: a sentence says what it counts" \
		"$(jq -r ".[] | select(.path | endswith(\"/$filter.bpf.o\")).about" "$TMP/filters.json")" \
		"$(sed -n 's/^TPROF_ABOUT("\(Counts .*\.\)");$/\1/p' "bpf/filters/$filter.bpf.c")"
	like "list filters has $filter" "$list_filters" "(^| )$filter( |\$)"
done

like 'list filters: the sentence is below the name' "$(echo "$list_filters" | sed -n '/^cpu /{n;p;}')" \
	'^             Counts samples by CPU and mode: '
like 'filter show: the sentence' "$("$TPROF" filter show cpu | sed -n 2p)" '^  Counts samples by CPU and mode: '

run_json -F 997 cpu
is 'cpu: every sample is in its table' "$(row_sum)" "$(ledger "$TMP/json" .done)"
run_json -F 997 comm
like 'comm: names the workload' "$(jq -r '.tables[].rows[].key' "$TMP/json")" '\bspin\b'
run_json -F 997 cgroup
like 'cgroup: keys are paths' "$(jq -r '.tables[].rows[0].key' "$TMP/json")" '/'
run_json -F 997 pass
is 'pass: keeps all but idle CPUs' "$(ledger "$TMP/json" '.kept > 0 and .done == .idle')" true
is 'pass: each of them is written' "$(jq -s 'length - 1' "$TMP/lines")" "$(ledger "$TMP/json" .kept)"
# The command stops tprof at its start, for longer than the library waits between two readings of samples.
# shellcheck disable=SC2016 # for the other shell
run_json -F 997 pass -- sh -c 'kill -STOP $PPID; "$0" --seconds 6; kill -CONT $PPID' "$WORKLOAD/spin"
is 'pass: each of them is written after a slow start' "$(jq -s 'length - 1' "$TMP/lines")" \
	"$(ledger "$TMP/json" '.kept | if . > 100 then . else "few: \(.)" end')"
run_json -F 997 --set idle=1 pass
is '--set: pass keeps idle CPUs too' "$(ledger "$TMP/json" .done)" 0

# `tprof run top` shows the same symbols as `tprof top`.
like 'run top: symbols in the rows' "$("$TPROF" run --duration 1 -F 997 -p "$spin" top 2>/dev/null)" 'hot'

like 'list events: cpu-clock' "$("$TPROF" list events)" 'cpu-clock'
like 'filter show: its event' "$("$TPROF" filter show coverage)" \
	'^  samples function:\*, unless -e names another event$'
is 'list filters: its event' "$("$TPROF" list filters --json |
	jq -c '[.[] | select(.name == "coverage" or .name == "top").event] | unique')" '["","function:*"]'
refuses 'a filter names its event' 4 'event function:\*: the perf engine cannot run filters on functions' \
	"$TPROF" run coverage --engine perf --duration 1

# unfit FILTER EVENT ITS_EVENT: an empty table says for which event the filter is
unfit() {
	"$TPROF" run "$1" -e "$2" --duration 0.3 -p "$spin" >"$TMP/out" 2>"$TMP/stderr"
	like "$1 -e $2: it is for another event" "$(cat "$TMP/out")" \
		"^# warning: filter $1 counted none of the [0-9]+ samples: it is for the event $3 .-e $3., which "
}
unfit runqlat cpu-clock off-cpu
unfit offcpu cpu-clock off-cpu
unfit wakers cpu-clock wakeup
"$TPROF" run runqlat -e cpu-clock,off-cpu --json --duration 0.3 -p "$spin" >"$TMP/json" 2>"$TMP/stderr"
is 'runqlat: with its event and another one' "$(grep -c 'counted none' "$TMP/json")" 0

like 'list events: how to name others' "$("$TPROF" list events | tail -n 1)" '^# pfm:NAME, .* libpfm4'
like 'list engines: perf' "$("$TPROF" list engines)" 'perf'
check 'list sessions' "$TPROF" list sessions
check 'doctor' "$TPROF" doctor

done_testing
