#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=23 sanitized=all
# `tprof top -- COMMAND` runs and profiles the command, and exits with its exit code.
. "${0%/*}/../lib/live.sh"

# launch COMMAND...: profiles it with tprof top and prints the exit code
launch() {
	timeout 30 "$TPROF" top --json -F 997 -- "$@" >"$TMP/json" 2>"$TMP/stderr" </dev/null
	echo $?
}

is 'exit code 0' "$(launch true)" 0
is 'exit code 7' "$(launch sh -c 'exit 7')" 7
is 'killed by SIGKILL' "$(launch sh -c 'kill -9 $$')" 137

is 'not found: 127' "$(launch no-such-command)" 127
like 'not found: said so' "$(cat "$TMP/stderr")" '^tprof: .*no-such-command'
is 'not found: no output' "$(cat "$TMP/json")" ''
is 'not executable: 126' "$(launch /etc/passwd)" 126
like 'not executable: said so' "$(cat "$TMP/stderr")" '^tprof: .*/etc/passwd'
is 'a directory: 126' "$(launch /)" 126
is 'nothing behind --: usage' "$(launch)" 2

is 'one that works' "$(launch "$WORKLOAD/spin" --seconds 2)" 0
is 'its functions alone' "$(jq -sr '[.[].functions[].pid] | unique | length' "$TMP/json")" 1
# Samples before exec, while the child still has the name tprof, must not appear under that name.
is 'by its name' "$(jq -sr '[.[].functions[] | select(.object == "spin").comm] | unique | join(" ")' "$TMP/json")" spin
ledger_closes 'each interval' "$TMP/json"
# A sample that is counted while an interval ends may be in the ledger of one interval and in the table of the next.
is 'all intervals together hold all that was counted' \
	"$(jq -s '([.[].functions[].samples] | add) - ([.[].ledger.aggregated] | add)' "$TMP/json")" 0
background "$WORKLOAD/spin" --seconds 600
is 'all beside a command' "$(timeout 30 "$TPROF" top -a --json -F 997 -- sleep 2 >"$TMP/json"; echo $?)" 0
is 'all beside a command: others, too' \
	"$(jq -s --argjson pid "$pid" 'any(.[].functions[]; .pid == $pid)' "$TMP/json")" true
ledger_closes 'all beside a command' "$TMP/json"
end "$pid"
is 'its children too' "$(launch sh -c "'$WORKLOAD/spin' --seconds 1; '$WORKLOAD/spin_cxx' 1")" 0
jq -s '{ functions: [.[].functions[]] }' "$TMP/json" >"$TMP/all"
like 'its children too: all of them' "$(jq -r '.functions[].comm' "$TMP/all" | sort -u | tr '\n' ' ')" \
	'spin .*spin_cxx'

# A command that changes its credentials, and gains others through a set-user-ID program.
chmod a+rx "$TMP"
cp "$WORKLOAD/spin" "$TMP/spin"
chmod u+s "$TMP/spin"
is 'set-user-id' "$(launch setpriv --reuid 65534 --regid 65534 --clear-groups \
	sh -c "id -u; exec '$TMP/spin' --seconds 2")" 0
like 'set-user-id: it was somebody else before' "$(cat "$TMP/stderr")" '^65534$'
jq -s '{ functions: [.[].functions[]] }' "$TMP/json" >"$TMP/all"
is 'set-user-id: sampled, with names' "$(jq -r '[.functions[] | select(.object == "spin").symbol] |
	unique | map(select(. == "hot" or . == "warm" or . == "mild")) | join(" ")' "$TMP/all")" 'hot mild warm'

# tprof raises its own priority while it samples, unless its nice value was changed; the command keeps its priority.
# shellcheck disable=SC2016 # for the other shell
nice_values='cut -d " " -f 19 /proc/$PPID/stat /proc/$$/stat'
"$TPROF" record -o "$TMP/x" -- sh -c "$nice_values" >"$TMP/values" 2>"$TMP/stderr"
is 'priority: of tprof and of the command' "$(xargs <"$TMP/values")" '-10 0'
nice -n 5 "$TPROF" record -o "$TMP/x" -- sh -c "$nice_values" >"$TMP/values" 2>"$TMP/stderr"
is 'priority: who has chosen one' "$(xargs <"$TMP/values")" '5 5'
setpriv --bounding-set -sys_nice --inh-caps -sys_nice "$TPROF" record -o "$TMP/x" -- sh -c "$nice_values" \
	>"$TMP/values" 2>"$TMP/stderr"
is 'priority: who may not' "$?: $(xargs <"$TMP/values")" '0: 0 0'

# group SIGNAL SECONDS OPTION...: prints the exit code of tprof if it and the command get a signal together, as by
# Ctrl-C, SECONDS after the start of tprof, or as soon as the command runs
group() {
	group_signal=$1 group_moment=$2
	shift 2
	: >"$TMP/running"
	# A shell without job control lets background commands ignore SIGINT.
	setsid env --default-signal=INT,TERM,HUP "$TPROF" "$@" >"$TMP/stdout" 2>"$TMP/stderr" </dev/null &
	group_pid=$!
	until [ "$(cat /proc/$group_pid/comm 2>/dev/null)" = tprof ]; do :; done
	[ "$group_moment" ] || comes . cat "$TMP/running"
	sleep "${group_moment:-0}"
	kill -s "$group_signal" -- -$group_pid
	wait $group_pid
	echo $?
}

# The running command ends by the signal, possibly after a cleanup, as make does.
mortal="echo running >>'$TMP/running'; while :; do sleep 0.05; done"
for command in 'record --format folded -o -' 'top --json' 'run comm --json'; do
	# shellcheck disable=SC2086 # words
	is "Ctrl-C: $command: as the command, ended by it" "$(group INT '' $command -- sh -c "$mortal")" 130
	# shellcheck disable=SC2086 # words
	is "Ctrl-C: $command: as the command, that says what it ends with" \
		"$(group INT '' $command -- sh -c "trap 'exit 5' INT; $mortal")" 5
	# shellcheck disable=SC2086 # words
	is "Ctrl-C: $command: one that does not end by it is ended" \
		"$(group INT '' $command -- sh -c "trap '' INT; $mortal")" 0
done
is 'SIGTERM: as the command' "$(group TERM '' record --format folded -o - -- sh -c "$mortal")" 143
# Before the command is forked, tprof exits with 0, as without a command; before exec, a signal ends the child: 130.
for n in 0 1 2 3 4 5 6 7 8 9; do
	ended=$(group INT "0.00$n" record --format folded -o - -- sh -c "$mortal")
	[ "$ended" -eq 0 ] || [ "$ended" -eq 130 ] || echo "after $n ms: exit code $ended: $(cat "$TMP/stderr")"
done >"$TMP/wrong"
is 'Ctrl-C while it begins: 10 moments' "$(cat "$TMP/wrong")" ''

# tprof ends a command that outlives the duration, so that a script leaves no processes behind.
"$TPROF" top --json --duration 1 -- "$WORKLOAD/spin" --seconds 59 >"$TMP/json" 2>"$TMP/stderr"
has_ended() { ! pgrep -f -x "$WORKLOAD/spin --seconds 59"; }
check 'ended with the duration' await has_ended

done_testing
