# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=arm64,x86-64-16,next,next-arm64,rt,debug seconds=240
# Several events in one session, on both engines: each has its own samples, ledger, period and name. Where the machine
# has counters, also those of the hardware; several_rows.sh has these with the perf engine.
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
	is "eight events, $1: with a scaled weight" "$(jq '[.events[].ledger | select(.weight.fired > 0) |
		.scaled_weight * .running_ns / .enabled_ns / .weight.fired] |
		min > 0.999 and max < 1.001' "$TMP/json")" true
	"$TPROF" top --engine "$1" -e $eight -F 99 --batch --duration 2 >"$TMP/text" 2>"$TMP/stderr"
	like "eight events, $1: as text" "$(cat "$TMP/text")" \
		'^# event .* scope\), counted [0-9.]+% of the time, scaled weight [0-9]+ cycles$'
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
# shellcheck disable=SC2086 # none or one
holds kmod cpu-clock page-faults context-switches $hardware
if [ -z "$hardware" ]; then
	holds perf cpu-clock page-faults context-switches
	# The module has a timer for cpu-clock, and perf's event for task-clock.
	holds kmod task-clock page-faults context-switches cpu-clock
else
	tells_share perf
	tells_share kmod
fi

done_testing
