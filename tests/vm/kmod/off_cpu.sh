# SPDX-License-Identifier: GPL-2.0-only
# vm: machines=x86-64,arm64,next all=arm64 seconds=240
# Waits of threads, observed by the module: their time is that of the program's own clocks, their wakers and stacks are
# right, and the ledger closes; also for those in progress, which have their user call stack, in each kind of scope, and
# in sessions beside each other.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/waits.sh"

filter="${0%/*}/../filters/wait_members.bpf.o"
waits_least=190000000
waits_are_true "$filter"
waits_of_32bit_calls "$filter"
waits_have_stacks
waits_add_up
is 'the engine' "$(jq -r .engine "$TMP/json")" kmod
waits_before_the_start "$filter"
waits_in_progress
raw_waits
waits_below_the_minimum

# Threads that waited before the session started have a user call stack, too.
background "$WORKLOAD/sleepers" 1
"$TPROF" record --off-cpu --duration 0.5 -p "$pid" --format folded -o "$TMP/folded" 2>"$TMP/stderr"
like 'in progress: the user call stack' "$(cat "$TMP/folded")" \
	'^sleepers;.*;pause;.*__schedule;\(sleeping: [a-z]+\) [0-9]+$'

# The time in which threads lack a CPU: at least that of the one of which the kernel tells it.
# shellcheck disable=SC2016 # of the shell there
"$TPROF" run runqlat --json -- sh -c 'exec "$0" preempted >"$1"' "$WORKLOAD/waits" "$TMP/waited" >"$TMP/json" \
	2>"$TMP/stderr"
is 'runqlat: the engine' "$(jq -r .engine "$TMP/json")" kmod
ledger_closes 'runqlat' "$TMP/json"
check 'runqlat: the times of threads that lack a CPU' jq -e --argjson delayed "$(awk '{ print $3 }' "$TMP/waited")" \
	'[.tables[].rows[].weight] | length > 1 and $delayed > 1e7 and add > 0.98 * $delayed - 2e6' "$TMP/json"

# Two sessions, with different minima: each gets what it asks for.
"$TPROF" run "$filter" --json --off-cpu --min 5ms --duration 1 >"$TMP/long" 2>"$TMP/stderr" &
"$TPROF" run "$filter" --json --off-cpu -- "$WORKLOAD/waits" locks >"$TMP/all" 2>"$TMP/stderr"
wait $!
for name in long all; do
	ledger_closes "two sessions, $name" "$TMP/$name"
done
check 'two sessions: the minimum is that of one' test "$(jq .ledger.below_min "$TMP/all")" -eq 0 -a \
	"$(jq .ledger.below_min "$TMP/long")" -gt 0

# Each such event costs something at each context switch, so a user may have few of them.
limit=/sys/module/tprof/parameters/max_waits_per_user
at_exit "echo $(cat $limit) >$limit"
echo 0 >$limit
for event in off-cpu wakeup; do
	refuses "$event: more than the limit" 1 "event $event: the sessions of this user have as many events " \
		"$TPROF" run "$filter" -e $event --duration 1
	like "$event: which limit" "$(cat "$TMP/stderr")" '^hint: .* max_waits_per_user '
done

done_testing
