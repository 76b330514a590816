# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=arm64,x86-64-16,next,next-arm64,rt,debug seconds=240
# Several events in one session, on both engines: each has its own samples, ledger, period and name. Where the machine
# has counters, also those of the hardware.
. "${0%/*}/../lib/live.sh"

hardware=
[ "$(uname -m)" != aarch64 ] || hardware=cycles

# holds ENGINE EVENT...
holds() {
	"$BUILD/several_events" "$@" >"$TMP/said" 2>&1
	is "$*: exit code" $? 0
	is "$*: what does not hold" "$(grep '^not ok' "$TMP/said")" ''
	check "$*: all was tried" grep -qx "1\.\.$(grep -c '^ok ' "$TMP/said")" "$TMP/said"
	sed -n 's/^# //p' "$TMP/said" | while read -r line; do diag "$line"; done
}

# columns ENGINE: the values of `tprof top` add up to the ledger of each event
columns() {
	"$TPROF" top --engine "$1" -e "cpu-clock,page-faults${hardware:+,$hardware}" -F 199 --json --duration 2 \
		>"$TMP/json" 2>"$TMP/stderr" || diag "$(cat "$TMP/stderr")"
	is "top, $1: the values of each event add up" "$(jq -c '(.events | length) as $n | [range($n) as $e |
		[.functions[].values[$e].samples] | add]' "$TMP/json")" \
		"$(jq -c '[.events[].ledger.aggregated]' "$TMP/json")"
	is "top, $1: the ledger of each event closes" "$(jq -c '[.events[].ledger |
		.fired - .out_of_scope - .decimated - .done - .kept - .below_min -
		([.lost[]] | add)] | unique' "$TMP/json")" '[0]'
	check "top, $1: samples of each event" jq -e 'all(.events[].ledger; .aggregated > 0)' "$TMP/json"
}

# rows ENGINE: the rows of `tprof run` and the samples of a raw recording have their events
rows() {
	for filter in comm cgroup; do
		"$TPROF" run $filter --engine "$1" -e "cpu-clock,page-faults${hardware:+,$hardware}" -F 199 --json \
			--duration 2 >"$TMP/json" 2>"$TMP/stderr" || diag "$(cat "$TMP/stderr")"
		is "run $filter, $1: the rows of each event" "$(jq -c '.tables[0].rows as $rows |
			[.events[].event as $event | [$rows[] | select(.event == $event) | .samples] | add]' \
			"$TMP/json")" \
			"$(jq -c '[.events[].ledger.aggregated]' "$TMP/json")"
	done
	"$TPROF" run pass --engine "$1" -e "cpu-clock,page-faults${hardware:+,$hardware}" -F 199 --json \
		--duration 1 >"$TMP/json" 2>"$TMP/stderr" || diag "$(cat "$TMP/stderr")"
	is "run pass, $1: the samples of each event" "$(jq -sc '. as $all | [.[-1].events[].event as $event |
		[$all[] | select(.sample.event == $event)] | length]' "$TMP/json")" \
		"$(jq -sc '[.[-1].events[].ledger.kept]' "$TMP/json")"
	"$TPROF" record --raw --engine "$1" -e "cpu-clock,page-faults${hardware:+,$hardware}" -F 199 --duration 2 \
		-o "$TMP/traw" 2>"$TMP/stderr" || diag "$(cat "$TMP/stderr")"
	for event in cpu-clock page-faults $hardware; do
		"$TPROF" report -i "$TMP/traw" --value $event --json >"$TMP/json" 2>"$TMP/stderr"
		is "raw, $1: $event: the samples are those of its ledger" \
			"$(jq '[.rows[].self.samples] | add' "$TMP/json")" "$(jq .ledger.aggregated "$TMP/json")"
		check "raw, $1: $event: there are some" jq -e '.ledger.aggregated > 0' "$TMP/json"
	done
}

background "$WORKLOAD/spin" --seconds 600 --fork 20
for engine in perf kmod; do
	# shellcheck disable=SC2086 # none or one
	holds $engine cpu-clock page-faults context-switches $hardware
	columns $engine
	rows $engine
done
# The module has a timer for cpu-clock, and perf's event for task-clock.
holds kmod task-clock page-faults context-switches cpu-clock

done_testing
