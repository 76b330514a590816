#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# 200 children a second, each living a few milliseconds: their samples keep their names and add up.
. "${0%/*}/../lib/live.sh"

# Percent of the user-mode samples of spin's children that have a name
named() {
	jq -r '[.functions[] | select(.comm == "spin" and .mode == "user")] |
		(map(select(.symbol | startswith("[") | not).samples) | add // 0) * 100 /
		(map(.samples) | add // 1)' "$1"
}

# Forking is work too, done in the kernel: the truth is about what the children do in user mode.
background "$WORKLOAD/spin" --seconds 600 --fork 200
profile_enough "$TMP/fork" '.comm == "spin" and .mode == "user"' -F 3989
truth '200 forks a second' "$TMP/fork" '.comm == "spin" and .mode == "user"'
at_most '200 forks a second: unnamed samples, percent' "$(named "$TMP/fork" | awk '{ print 100 - $1 }')" 1
is '200 forks a second: no side-band event was lost' "$(ledger "$TMP/fork" '.sideband_lost // 0')" 0
end "$pid"

# With exec there is a loader to be run in each child as well, so only the three functions are compared.
background "$WORKLOAD/spin" --seconds 600 --fork 200 --exec
seconds=8 profile_enough "$TMP/exec" '.comm == "spin" and (.symbol | test("^(hot|warm|mild)$"))' -F 3989
truth '200 execs a second' "$TMP/exec" '.comm == "spin" and (.symbol | test("^(hot|warm|mild)$"))'
at_most '200 execs a second: unnamed samples, percent' "$(named "$TMP/exec" | awk '{ print 100 - $1 }')" 1
end "$pid"

# While tprof cannot run, the ring of a CPU gets full; and as nothing starts or ends behind that, no record tells of it.
background taskset -c 0 "$WORKLOAD/spin" --seconds 600 --fork 400 --exec --child-ms 1
spin=$pid
background "$TPROF" record -F 997 -p "$spin" -o "$TMP/stopped.pb.gz" --duration 600
tprof=$pid
check 'events of processes are lost: recording' await_session_of "$tprof"
works "$tprof" 1
kill -STOP "$tprof"
sleep 4
kill -STOP "$spin"
kill -INT "$tprof"
kill -CONT "$tprof"
wait "$tprof"
kill -KILL "$spin"
"$TPROF" export -i "$TMP/stopped.pb.gz" -f json >"$TMP/stopped"
ledger_closes 'events of processes are lost' "$TMP/stopped"
is 'events of processes are lost: the ledger knows' "$(ledger "$TMP/stopped" '.sideband_lost > 0')" true
# Some lack it for other reasons, on a busy machine: of all samples a hundredth at most, see above.
nameless=$(samples_of "$TMP/stopped" '.comm == "" or .symbol == "[unknown]"')
at_most 'events of processes are lost: some samples lack a name' 1 "$nameless"
at_most 'events of processes are lost: no more are told to lack a name for that' \
	"$(ledger "$TMP/stopped" .unnamed_sideband_lost)" "$nameless"
at_most 'events of processes are lost: all but few of them are, less a hundredth of all samples' \
	"$(jq -r --argjson nameless "$nameless" '$nameless - .ledger.aggregated / 100' "$TMP/stopped")" \
	"$(ledger "$TMP/stopped" .unnamed_sideband_lost)"
like 'events of processes are lost: the text says so, and what mends it' \
	"$("$TPROF" export -i "$TMP/stopped.pb.gz" -f text)" \
	"^# [0-9]+ side-band events .* were lost: $(ledger "$TMP/stopped" .unnamed_sideband_lost) samples .*nice"

done_testing
