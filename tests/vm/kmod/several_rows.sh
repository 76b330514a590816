# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,arm64,next,next-arm64,rt,debug all=x86-64,arm64 seconds=240
# Several events in one session of the module: the columns of `tprof top`, the rows of `tprof run` and the samples of a
# raw recording have the samples of the event's ledger. Where the machine has counters, also those of the hardware, on
# both engines.
. "${0%/*}/../lib/live.sh"

hardware=
[ "$(uname -m)" != aarch64 ] || hardware=cycles

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
	"$TPROF" run comm --engine "$1" -e "cpu-clock,page-faults${hardware:+,$hardware}" -F 199 --json --duration 2 \
		>"$TMP/json" 2>"$TMP/stderr" || diag "$(cat "$TMP/stderr")"
	is "run comm, $1: the rows of each event" "$(jq -c '.tables[0].rows as $rows |
		[.events[].event as $event | [$rows[] | select(.event == $event) | .samples] | add]' "$TMP/json")" \
		"$(jq -c '[.events[].ledger.aggregated]' "$TMP/json")"
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
for engine in kmod ${hardware:+perf}; do
	columns $engine
	rows $engine
done
if [ -n "$hardware" ]; then
	check 'perf: each event has its own samples, ledger, period and name' \
		"$BUILD/several_events" perf cpu-clock page-faults context-switches $hardware
fi

done_testing
