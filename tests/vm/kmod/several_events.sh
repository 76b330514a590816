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

# Eight events of the CPU; the emulated PMU has seven counters for them.
eight=cycles,cycles:u,cycles:k,cycles:uk,r11,r11:u,r11:k,r11:uk

# tells_share ENGINE: more events than counters take turns, and every output has the share of the time
tells_share() {
	"$TPROF" top --engine "$1" -e $eight -F 99 --json --duration 3 >"$TMP/json" 2>"$TMP/stderr" ||
		diag "$(cat "$TMP/stderr")"
	jq -c '.events[] | [.event, .ledger.fired, .ledger.running_ns / .ledger.enabled_ns]' "$TMP/json" | sed 's/^/# /'
	ledger_closes "eight events, $1" "$TMP/json"
	is "eight events, $1: each was to be counted all the time" "$(jq '[.events[].ledger.enabled_ns] |
		(max - min) / max < 0.1' "$TMP/json")" true
	is "eight events, $1: they took turns" "$(jq '[.events[].ledger | .running_ns / .enabled_ns] |
		min > 0 and add < 7.5' "$TMP/json")" true
	is "eight events, $1: which is said of those concerned, and of all" "$(jq -c '[.events[] |
		select(.ledger.running_ns / .ledger.enabled_ns < 0.99)] + [.] |
		all(.[].loss; .text // "" | test("counted [0-9.]+ % of the time"))' "$TMP/json")" true
	"$TPROF" top --engine "$1" -e $eight -F 99 --batch --duration 2 >"$TMP/text" 2>"$TMP/stderr"
	like "eight events, $1: as text" "$(cat "$TMP/text")" '^# event .* scope\), counted [0-9.]+% of the time$'
	like "eight events, $1: with a warning" "$(cat "$TMP/text")" \
		'^# warning: (.*; )?counted [0-9.]+ % of the time: '
	for file in pb.gz traw; do
		"$TPROF" record --engine "$1" -e $eight -F 99 --duration 2 -o "$TMP/$file" \
			"$([ $file = traw ] && echo --raw || echo --call-graph=fp)" 2>"$TMP/stderr"
		like "eight events, $1: record, $file" "$(cat "$TMP/stderr")" \
			'^tprof: warning: (.*; )?counted [0-9.]+ % of the time: '
		"$TPROF" report -i "$TMP/$file" --json >"$TMP/json"
		check "eight events, $1: in the file, $file" jq -e '.ledger | 0 < .running_ns and
			.running_ns <= .enabled_ns and has("enabled_ns")' "$TMP/json"
	done
	gzip -dc "$TMP/pb.gz" | grep -ac 'tprof.event.[0-7].ledger.running_ns: ' >"$TMP/said"
	check "eight events, $1: as comments of pprof" [ "$(cat "$TMP/said")" -gt 0 ]
}

background "$WORKLOAD/spin" --seconds 600 --fork 20
for engine in perf kmod; do
	# shellcheck disable=SC2086 # none or one
	holds $engine cpu-clock page-faults context-switches $hardware
	columns $engine
	rows $engine
	[ -z "$hardware" ] || tells_share $engine
done
# The module has a timer for cpu-clock, and perf's event for task-clock.
holds kmod task-clock page-faults context-switches cpu-clock

done_testing
