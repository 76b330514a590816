#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Generated code has its name from the perf map of the program, also if the program writes the map only at its end, and
# never the name of earlier code at the same address. A refused map is reported.
. "${0%/*}/../lib/live.sh"

# jit NAME HOW OPTION...: records a program that ends by itself after $jit_seconds; its map is not removed. If all or no
# samples must have its name, one second is enough.
jit_seconds=1
jit() {
	jit_name=$1 jit_how=$2
	shift 2
	check "$jit_name: recorded" "$TPROF" record -F 499 --user-only "$@" -o "$TMP/file" -- \
		sh -c 'echo $$ >"$0"; exec "$@"' "$TMP/pid" "$WORKLOAD/jit" "$jit_how" $jit_seconds
	cp "$TMP/tap.out" "$TMP/said"
	map=/tmp/perf-$(cat "$TMP/pid").map
	rm -f "$map"
	"$TPROF" report -i "$TMP/file" --json -n 4000000 >"$TMP/json"
	ledger_closes "$jit_name" "$TMP/json"
}

# share NAME: prints the share of a function in the weight of all generated code, in percent
share() {
	jq -r --arg name "$1" '[.rows[] | select(.object == "[jit]")] |
		100 * ((map(select(.name == $name).self.weight) | add) // 0) / (map(.self.weight) | add)' "$TMP/json"
}

# The maximum random deviation from the truth: four standard deviations of about 600 samples
POINTS=8

# warnings FILE TEXT: the warnings with this text; others, of samples that the host delays, may be there at any time
warnings() {
	jq -c --arg text "$2" '[.warnings // [] | .[] | select(contains($text))]' "$1"
}

for mode in --call-graph=fp --call-graph=none --call-graph=dwarf --raw; do
	jit "map at exit, $mode" exit "$mode"
	is "map at exit, $mode: all has its name" "$(share jitted_fn)" 100
done
jit_seconds=2
jit 'code of the last moment' new --call-graph=fp
within 'code of the last moment: its own name' "$(share late_fn)" 33 "$POINTS"
within 'code of the last moment: and that of the other code' "$(share early_fn)" 67 "$POINTS"
# For samples between two readings of the tables it is unknown which of the two functions was at the address.
for mode in --call-graph=fp --raw; do
	jit "in the place of other code, $mode" reuse "$mode"
	check "in the place of other code, $mode: no more than that has its name" \
		jq -en --argjson share "$(share early_fn)" "\$share <= 67 + $POINTS"
done
jit_seconds=1
jit 'moved, and the map removed' moved --call-graph=fp
is 'moved, and the map removed: it has its name' "$(share jitted_fn)" 100

jit 'older than the process' old --call-graph=fp
is 'older than the process: not believed' "$(share jitted_fn)" 0
why="${map#/tmp/}: not read: it is older than the process, so it may belong to another process"
is 'older than the process: said, once' "$(grep '^tprof: warning: perf-' "$TMP/said")" "tprof: warning: $why"
is 'older than the process: in a report' "$("$TPROF" report -i "$TMP/file" | grep '^# warning: perf-')" \
	"# warning: $why"
is 'older than the process: in JSON' "$(warnings "$TMP/json" perf-)" "$(jq -nc --arg why "$why" '[$why]')"
jit "another user's" foreign --call-graph=fp
is "another user's: not believed" "$(share jitted_fn)" 0
like "another user's: said" "$(cat "$TMP/said")" \
	"^tprof: warning: ${map#/tmp/}: not read: it belongs to user 1234, and the process to user 0"

# The program still runs.
background "$WORKLOAD/jit" foreign 600
at_exit "rm -f /tmp/perf-$pid.map"
check 'doctor: there is a map' comes . cat "/tmp/perf-$pid.map"
await sh -c "[ \"\$(stat -c %u /tmp/perf-$pid.map)\" -eq 1234 ]"
why="perf-$pid.map: not read: it belongs to user 1234, and the process to user 0"
like 'doctor: which are refused, and why' "$("$TPROF" doctor)" "^absent +perf_maps +perf-[0-9]+\\.map: not read: "
seconds=1 profile "$TMP/json" -p "$pid"
ledger_closes 'top: a map that is refused' "$TMP/json"
is 'top: in JSON' "$(warnings "$TMP/json" perf-)" "$(jq -nc --arg why "$why" '[$why]')"
is 'top: and no names of it' "$(jq '[.functions[] | select(.symbol == "jitted_fn")] | length' "$TMP/json")" 0
"$TPROF" top --batch --duration 1 -p "$pid" >"$TMP/text" 2>"$TMP/stderr"
is 'top --batch: in text' "$(grep '^# warning: perf-' "$TMP/text" | sort -u)" "# warning: $why"
"$TPROF" run --duration 1 -p "$pid" top >"$TMP/text" 2>"$TMP/stderr" || diag "$(cat "$TMP/stderr")"
is 'run: in text' "$(grep '^# warning: perf-' "$TMP/text" | sort -u)" "# warning: $why"
end "$pid"

if command -v java >"$TMP/path" && command -v javac >"$TMP/path"; then
	cp "$(cd "${0%/*}/../workload" && pwd)/Spin.java" "$TMP"
	check 'java: compiled' javac -d "$TMP" "$TMP/Spin.java"
	check 'java: recorded' "$TPROF" record -F 499 --user-only --call-graph none -o "$TMP/file" -- \
		java -XX:+UnlockDiagnosticVMOptions -XX:+DumpPerfMapAtExit -cp "$TMP" Spin 3
	"$TPROF" report -i "$TMP/file" --json -n 4000000 >"$TMP/json"
	ledger_closes java "$TMP/json"
	within 'java: its functions have names' "$(jq -r '[.rows[] | select(.object == "[jit]")] |
		100 * (map(select(.name | test("Spin\\.(hot|warm|mild)")).self.weight) | add) /
		(map(.self.weight) | add)' "$TMP/json")" 95 5
	check 'java without a map: recorded' "$TPROF" record -F 499 --user-only -o "$TMP/file" -- java -cp "$TMP" Spin 2
	"$TPROF" report -i "$TMP/file" >"$TMP/text"
	is 'java without a map: the option is named, once' \
		"$(grep -c '^# warning: .* Java compiled .*: start .* as java .*-XX:+DumpPerfMapAtExit' "$TMP/text")" 1
	"$TPROF" report -i "$TMP/file" --json >"$TMP/json"
	is 'java without a map: in JSON, too' "$(warnings "$TMP/json" 'Java compiled' | jq length)" 1
	ledger_closes 'java without a map' "$TMP/json"
else
	skip 'java' 'no java'
fi

done_testing
