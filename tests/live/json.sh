#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=11 sanitized=all
# The JSON of `tprof top` and `tprof run` matches the shipped schema, one object a line.
. "${0%/*}/../lib/live.sh"

SCHEMA=docs/tprof-top.schema.json

# valid FILE: validates each line with the schema
valid() {
	/usr/bin/python3 - "$SCHEMA" "$1" <<-'PYTHON'
	import json, jsonschema, sys
	schema = json.load(open(sys.argv[1]))
	lines = open(sys.argv[2]).read().splitlines()
	assert lines, "no output"
	for line in lines:
	    jsonschema.validate(json.loads(line), schema)
	PYTHON
}

background "$WORKLOAD/spin" --seconds 600
check 'the schema is a schema' jq -e '."$schema"' "$SCHEMA"

began=$(date +%s.%N)
seconds=2 profile "$TMP/json" -F 997
took=$(jq -n "$(date +%s.%N) - $began")
is 'with --duration: one object' "$(jq -s length "$TMP/json")" 1
check 'with --duration: valid' valid "$TMP/json"
is 'duration_s' "$(jq --argjson took "$took" '.duration_s | . >= 1.9 and . <= $took' "$TMP/json")" true
is 'rate_hz' "$(jq -r .rate_hz "$TMP/json")" 997
is 'sorted by weight' "$(jq -r '[.functions[].weight] | . == (sort | reverse)' "$TMP/json")" true
# Percentages have three decimals. Each is compared by itself, because the rounding errors of many rows would add up.
at_most 'percent is the share of the weight' "$(jq -r '(.functions | map(.weight) | add) as $all |
	[.functions[] | .percent - 100 * .weight / $all | fabs] | max' "$TMP/json")" 0.000501
is 'cpus' "$(jq -r .cpus "$TMP/json")" "$(nproc)"
if [ ! -e /sys/bus/event_source/devices/cpu ]; then
	is 'event' "$(jq -r .event "$TMP/json")" cpu-clock
	like 'fallback: the reason' "$(jq -r .fallback "$TMP/json")" 'cycles -> cpu-clock: .'
fi

seconds=2 profile "$TMP/json" -e cpu-clock -c 1000000
is 'period' "$(jq -r '.period' "$TMP/json")" 1000000
is 'fallback: none' "$(jq -r .fallback "$TMP/json")" null
check 'with a period: valid' valid "$TMP/json"

env --default-signal=INT "$TPROF" top --json -d 0.5 >"$TMP/json" 2>"$TMP/stderr" &
tprof=$!
check 'an object each interval' comes '^[3-9]' jq -s length "$TMP/json"
kill -INT $tprof
wait $tprof
check 'and one of the rest' [ "$(jq -s length "$TMP/json")" -ge 4 ]
check 'intervals: valid' valid "$TMP/json"

# The kernel keeps 15 bytes of a process name: seven and a half letters of two bytes.
cp "$WORKLOAD/spin" "$TMP/Работники"
background "$TMP/Работники" --seconds 60
workers=$pid
check 'a name cut in half: it is there' comes '^Работни' cat "/proc/$workers/comm"
utf8() {
	check "$1: is UTF-8" iconv -f UTF-8 -t UTF-8 "$2"
	like "$1: what there is of the name" "$(jq -r "$3" "$2")" '^Работни[?]$'
}
seconds=1 profile "$TMP/json" -p "$workers"
utf8 'a name cut in half: top' "$TMP/json" '.functions[].comm'
"$TPROF" run pass --json --duration 1 -p "$workers" >"$TMP/json" 2>/dev/null
utf8 'a name cut in half: run' "$TMP/json" '.sample.comm // empty'
ln -s "$(realpath "$TPROF")" "$TMP/Работнику"
background "$TMP/Работнику" top --batch -d 60 -F 49
await_session_of "$pid"
"$TPROF" list sessions --json >"$TMP/json"
utf8 'a name cut in half: list' "$TMP/json" ".[] | select(.pid == $pid).comm"
end "$pid"

# A process name with an escape sequence that clears the terminal.
escape=$(printf '\033[2J')
ln -s "$(realpath "$TPROF")" "$TMP/$escape"
background "$TMP/$escape" top --batch -d 60 -F 49
await_session_of "$pid"
like 'a list shows a name without control characters' "$("$TPROF" list sessions)" "^ *$pid  *[?]\[2J "

done_testing
