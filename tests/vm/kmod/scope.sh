# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,next seconds=480
# The scope of sessions of the module: processes with their descendants, threads, names, CPUs, modes.
. "${0%/*}/../lib/live.sh"

seconds=1

# scoped WHAT IDLE OPTION...: writes a profile to $TMP/json; its ledger closes and has samples out of scope
scoped() {
	scoped_what=$1 scoped_idle=$2
	shift 2
	if profile "$TMP/json" -F 499 "$@"; then
		closes "$scoped_what" "$TMP/json" "$scoped_idle"
		is "$scoped_what: on the module" "$(jq -r .engine "$TMP/json")" kmod
	else
		not_ok "$scoped_what"
		echo '{ "functions": [], "ledger": { "lost": {} } }' >"$TMP/json"
	fi
}

# who JQ: prints the sorted, distinct values of a member of all functions
who() {
	jq -r "[.functions[]$1] | unique | join(\" \")" "$TMP/json"
}

lazy "$WORKLOAD/spin" --seconds 3600
one=$pid
lazy "$WORKLOAD/spin" --seconds 3600
two=$pid
lazy "$WORKLOAD/syscalls" 3600
calls=$pid

scoped '-p' 0 -p "$one"
is '-p: that process alone' "$(who .pid)" "$one"
is '-p: the others are out of scope' "$(ledger "$TMP/json" '.out_of_scope > 0')" true

scoped '-p of two' 0 -p "$one,$calls"
is '-p of two: both' "$(who .pid)" "$(printf '%s\n%s\n' "$one" "$calls" | sort -n | paste -sd ' ' -)"

seconds=5 scoped '-C' .idle -C 1
check '-C: all of the time of that CPU, five seconds' jq -e '.cpus == 1 and .ledger.enabled_ns > 4.5e9 and
	(.ledger.weight.fired / .ledger.enabled_ns | . > 0.95 and . < 1.05)' "$TMP/json"
diag "-C: $(jq -c '[.duration_s, .ledger.weight.fired, .ledger.enabled_ns]' "$TMP/json")"

scoped '--comm' 0 --comm spin
is '--comm: those of that name' "$(who .comm)" spin
scoped '--user-only' 0 -p "$calls,$two" --user-only
is '--user-only: no kernel' "$(who .mode)" user
scoped '--kernel-only' 0 -p "$calls,$two" --kernel-only
is '--kernel-only: no user' "$(who .mode)" kernel

# A thread: the workload has three equal threads.
lazy "$WORKLOAD/spin" --threads 3 --seconds 3600
threads=$pid
check '-t: its threads have begun' comes '^Threads:.3$' cat "/proc/$threads/status"
# shellcheck disable=SC2012 # numbers
tid=$(ls "/proc/$threads/task" | tail -n 1)
"$TPROF" run --json --duration 1 -F 499 -t "$tid" pass >"$TMP/lines" 2>"$TMP/stderr" ||
	not_ok '-t' "$(cat "$TMP/stderr")"
is '-t: that thread alone' \
	"$(jq -r 'select(.sample).sample | "\(.pid) \(.tid)"' "$TMP/lines" | sort -u)" "$threads $tid"
end "$threads"

# Descendants that exist at the start: a child and a grandchild.
lazy sh -c "'$WORKLOAD/spin' --seconds 3600 & sh -c \"'$WORKLOAD/spin' --seconds 3600; :\"; :"
tree=$pid
check '-p with descendants: they have begun' comes '^([^ ]+ ){3}[^ ]+$' pidof spin
usleep 500000
scoped '-p with descendants' 0 -p "$tree"
is '-p with descendants: child and grandchild, and no other' "$(who .pid | wc -w)" 2
is '-p with descendants: not the other workloads' "$(who .pid | grep -cw -e "$one" -e "$two")" 0

# Descendants that are forked during the session, in a sequence of forks whose parents exit immediately.
cat >"$TMP/forks.sh" <<'EOF'
n=$1
if [ "$n" -gt 0 ]; then
	sh "$0" $((n - 1)) &
	exit
fi
exec "$WORKLOAD/spin" --seconds 3
EOF
export WORKLOAD
if timeout 60 "$TPROF" top --json -F 499 --duration 5 -- sh -c "sh '$TMP/forks.sh' 5; sleep 4" \
		>"$TMP/json" 2>"$TMP/stderr"; then
	closes 'command' "$TMP/json" 0
	like 'command: the last of a call stack of orphans is in scope' "$(who .comm)" '(^| )spin( |$)'
	is 'command: the other workloads are not' "$(who .pid | grep -cw -e "$one" -e "$two")" 0
else
	not_ok 'command' "$(cat "$TMP/stderr")"
fi

# tprof ends when the last sampled process ends.
lazy "$WORKLOAD/spin" --seconds 3600
ends=$pid
timeout 60 "$TPROF" top --json -F 499 --duration 300 -p "$ends" >"$TMP/json" 2>"$TMP/top.err" &
tprof=$!
check '-p: until it ends: starts' await_sessions 1
sleep 1
end "$ends"
if wait $tprof; then
	closes '-p: until it ends' "$TMP/json" 0
	is '-p: until it ends: that process' "$(who .pid)" "$ends"
else
	not_ok '-p: until it ends' "$(cat "$TMP/top.err")"
fi

refuses 'process that is gone' 2 'no such process' "$TPROF" top --batch --duration 1 -p 4000000

done_testing
