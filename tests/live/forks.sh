#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# 200 processes a second, each living a few milliseconds: their samples are symbolized and add up.
. "${0%/*}/../lib/live.sh"

# named FILE: prints the percentage of the user-mode samples of spin that have a symbol
named() {
	jq -r '[.functions[] | select(.comm == "spin" and .mode == "user")] |
		(map(select(.symbol | startswith("[") | not).samples) | add // 0) * 100 /
		(map(.samples) | add // 1)' "$1"
}

# fork() uses CPU time, too, the more the less the children get of a busy CPU; and after exec each child also runs the
# dynamic loader. So only the three functions are compared.
known='.comm == "spin" and (.symbol | test("^(hot|warm|mild)$"))'
background "$WORKLOAD/spin" --seconds 600 --fork 200
profile_enough "$TMP/fork" "$known" -F 3989
by_function "$TMP/fork"
truth '200 forks a second' "$TMP/fork" "$known"
at_most '200 forks a second: unnamed samples, percent' "$(named "$TMP/fork" | awk '{ print 100 - $1 }')" 1
is '200 forks a second: no side-band event was lost' "$(ledger "$TMP/fork" '.sideband_lost // 0')" 0
end "$pid"

background "$WORKLOAD/spin" --seconds 600 --fork 200 --exec
seconds=8 profile_enough "$TMP/exec" "$known" -F 3989
by_function "$TMP/exec"
truth '200 execs a second' "$TMP/exec" "$known"
at_most '200 execs a second: unnamed samples, percent' "$(named "$TMP/exec" | awk '{ print 100 - $1 }')" 1
end "$pid"

# While tprof is stopped, the ring of a CPU becomes full. No process starts or ends on that CPU afterwards, so no record
# reports the loss.
background taskset -c 0 "$WORKLOAD/spin" --seconds 600 --fork 400 --exec --child-ms 1
spin=$pid
background "$TPROF" record -F 997 -p "$spin" -o "$TMP/stopped.pb.gz" --duration 600
tprof=$pid
check 'events of processes are lost: recording' await_session_of "$tprof"
works "$tprof" 1
kill -STOP "$tprof"
forks() { awk '$1 == "processes" { print $2 }' /proc/stat; }
enough=$(($(forks) + 1600))
enough_forks() { [ "$(forks)" -ge $enough ]; }
await enough_forks
kill -STOP "$spin"
kill -INT "$tprof"
kill -CONT "$tprof"
wait "$tprof"
kill -KILL "$spin"
"$TPROF" export -i "$TMP/stopped.pb.gz" -f json >"$TMP/stopped"
ledger_closes 'events of processes are lost' "$TMP/stopped"
is 'events of processes are lost: the ledger knows' "$(ledger "$TMP/stopped" '.sideband_lost > 0')" true
# On a busy machine some samples lack a name for other reasons, at most one of a hundred (see above).
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
