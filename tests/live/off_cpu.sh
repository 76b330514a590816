#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Waits of threads (the event off-cpu): their time is that of the clocks of the program that waits, for each reason and
# call stack; waits in progress are in each interval, once; and the ledger closes. Alone: who wakes a thread that still
# leaves its CPU is not described, and beside other tests more than one of a hundred wakers is so early.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/waits.sh"

# shellcheck disable=SC2086 # several options
clang -g -O2 --target=bpf $FILTER_INCLUDE -c "${0%/*}/filters/wait_members.bpf.c" -o "$TMP/wait_members.bpf.o" ||
	bail 'cannot compile'
waits_are_true "$TMP/wait_members.bpf.o"
waits_have_stacks

# The states have colours of their own, in a page and in a picture.
"$TPROF" flame -i "$TMP/waits.pb.gz" -o "$TMP/waits.html"
is 'a page: the legend' "$(sed -n '/<script type="application/,/<.script>/p' "$TMP/waits.html" | sed '1d;$d' |
	jq -r '.kinds as $kinds | [.legend[] | $kinds[.]] - ["disk"] | join(" ")')" \
	'user kernel process mark ready lock network sleep waiting'
"$TPROF" flame -i "$TMP/waits.pb.gz" -o "$TMP/waits.svg"
like 'a picture: the box of a state' "$(grep -A 1 '<title>(preempted)$' "$TMP/waits.svg")" 'class="ready"'

waits_have_wakers
waits_add_up

# A thread may be woken while it still leaves its CPU, during the walk of its stacks.
# shellcheck disable=SC2086 # several options
clang -g -O2 --target=bpf $FILTER_INCLUDE -c "${0%/*}/filters/wait_wakers.bpf.c" -o "$TMP/wait_wakers.bpf.o" ||
	bail 'cannot compile'
"$TPROF" run "$TMP/wait_wakers.bpf.o" --json --off-cpu -- "$WORKLOAD/hands" 5000 >"$TMP/json" 2>"$TMP/stderr"
ledger_closes 'wakers' "$TMP/json"
rows_add_up 'wakers' "$TMP/json"
check 'wakers: the partner, in 99 % of the waits' jq -e '[.tables[].rows[] | {samples} +
	(.members | map({(.name): .text}) | add) | select(.comm == "left" or .comm == "right")] |
	(map(.samples) | add) as $all | map(select(.waker == "left" or .waker == "right").samples) | add |
	$all > 1000 and . > 0.99 * $all' "$TMP/json"
diag "wakers: $(jq -c '[.tables[].rows[] | {samples} + (.members | map({(.name): .text}) | add)] |
	group_by(.comm, .waker) | map([.[0].comm, .[0].waker, (map(.samples) | add)])' "$TMP/json")"

waits_before_the_start "$TMP/wait_members.bpf.o"

# shellcheck disable=SC2086 # several options
clang -g -O2 --target=bpf $FILTER_INCLUDE -c "${0%/*}/filters/members.bpf.c" -o "$TMP/members.bpf.o" ||
	bail 'cannot compile'
# shellcheck disable=SC2016 # of the shell there
unshare --pid --fork --mount-proc sh -c '"$0" 0 & sleep 0.3; "$@"' "$WORKLOAD/sleepers" \
	"$TPROF" run "$TMP/members.bpf.o" --off-cpu --comm sleepers --duration 0.3 >"$TMP/out" 2>"$TMP/stderr"
like 'waits before, in a pid namespace: both ids' "$(grep comm=sleepers "$TMP/out")" \
	' ns_tgid=2 ns_tid=2 .* flags=wait '

# keeps_none WHAT COMMAND...: threads of the command come and go; when it is over, the maps of tprof have grown by less
# than a hundred entries, of more than 300 bytes each. Kernels before 6.3 do not tell.
# shellcheck disable=SC2016 # of the shell there
keeps_none() {
	what=$1
	shift
	"$TPROF" run comm --json --off-cpu --no-sandbox -- sh -c '
		memory() {
			cat /proc/$PPID/fdinfo/* 2>/dev/null | awk "/^memlock/ { sum += \$2 } END { print sum + 0 }"
		}
		before=$(memory)
		"$@"
		echo $(($(memory) - before)) >"$0"' "$TMP/grown" "$@" >"$TMP/json" 2>"$TMP/stderr"
	is "$what: exit code" $? 0
	ledger_closes "$what" "$TMP/json"
	rows_add_up "$what" "$TMP/json"
	is "$what: no thread lacked space" "$(jq .ledger.lost.threads_full "$TMP/json")" 0
	check "$what: their entries are deleted: $(cat "$TMP/grown") bytes" test "$(cat "$TMP/grown")" -lt 30000
}

# A thread that execs and is not the first: its id is forgotten.
keeps_none 'execs' "$WORKLOAD/waits" --execs 1000
keeps_none 'forks' "$WORKLOAD/spin" --seconds 2 --fork 2000

# Far more threads than there were when tprof started
# shellcheck disable=SC2016 # of the shell there
"$TPROF" top --json --off-cpu --duration 100 -- sh -c '"$0" 5000 >"$1" & until grep -q . "$1"; do sleep 0.1; done
	kill $!' "$WORKLOAD/sleepers" "$TMP/started" >"$TMP/json" 2>"$TMP/stderr"
is 'many threads: exit code' $? 0
ledger_closes 'many threads' "$TMP/json"
check 'many threads: each of them waits' test "$(jq -s 'map(.ledger.done) | add' "$TMP/json")" -ge 5000
is 'many threads: no thread lacked space' "$(jq -s 'map(.ledger.lost.threads_full) | add' "$TMP/json")" 0

waits_in_progress

# With a period, the weights are whole periods, and their sum is that of the waits. One nap in two completes a period.
"$TPROF" run comm --off-cpu -c 15000000 --json -- sh -c 'exec "$0" sleeps >"$1"' "$WORKLOAD/waits" "$TMP/waited" \
	>"$TMP/json" 2>"$TMP/stderr"
ledger_closes 'period' "$TMP/json"
is 'period: each weight is a multiple' "$(jq -c '[.tables[].rows[].weight % 15000000] | unique' "$TMP/json")" '[0]'
waited=$(awk '{ print $2 }' "$TMP/waited")
check 'period: the sum is nearly the same' jq -e --argjson waited "$waited" '[.tables[].rows[] |
	select(.key == "sleeps").weight] | add | . > 0.8 * $waited and . < 1.2 * $waited' "$TMP/json"
check 'period: the waits between are counted as decimated' jq -e '.ledger.decimated > 0 and
	.ledger.weight.decimated == 0' "$TMP/json"

waits_below_the_minimum

# Both times of a thread are the time that passed.
started=$(date +%s.%N)
"$TPROF" record --wall -F 997 -o "$TMP/wall" -- "$WORKLOAD/spin" --seconds 2 2>"$TMP/stderr"
is 'wall: exit code' $? 0
ended=$(date +%s.%N)
like 'wall: both events' "$(cat "$TMP/stderr")" 'perf, cpu-clock, off-cpu:'
"$TPROF" report --json -i "$TMP/wall" >"$TMP/json"
wall=$(jq '[.events[].total.weight] | add / 1e9' "$TMP/json")
check "wall: the sum of both is the time that passed, $wall s" \
	awk -v sum="$wall" -v passed="$started $ended" 'BEGIN {
		split(passed, time)
		exit !(sum > 1.9 && sum < time[2] - time[1])
	}'

# leaves FILE EVENT: prints how many call stacks of the event have a state as their leaf, and how many have none
leaves() {
	"$TPROF" export -i "$1" -f folded --value "$2" 2>"$TMP/stderr" |
		awk '/;\([a-z: ]+\) [0-9]+$/ { with++ } !/;\([a-z: ]+\) [0-9]+$/ { without++ }
			END { print with + 0, without + 0 }'
}

# A thread leaves the CPU where its wait begins: both have the same stacks, and only the wait has a state.
for raw in '' --raw; do
	# shellcheck disable=SC2086 # no word, or one
	"$TPROF" record $raw -e off-cpu,on-cpu -o "$TMP/both" -- sh -c 'for i in 1 2 3 4 5; do sleep 0.01; done' \
		2>"$TMP/stderr"
	name="both events${raw:+, $raw}"
	like "$name: the leaf of each wait is a state" "$(leaves "$TMP/both" off-cpu)" '^[1-9][0-9]* 0$'
	like "$name: that of a run is none" "$(leaves "$TMP/both" on-cpu)" '^0 [1-9][0-9]*$'
done

# Call stacks of any depth
raw_waits --max-stack 1023

# The frames of the program that walks the stack are not among the few that are kept.
"$TPROF" record --off-cpu --max-stack 4 --format folded -o "$TMP/folded" -- "$WORKLOAD/waits" sleeps >"$TMP/out" \
	2>"$TMP/stderr"
like 'few frames' "$(grep '^sleeps;.*sleeps;' "$TMP/folded")" \
	';\[stack cut off\];schedule;__schedule;\(sleeping\) [0-9]+$'
is 'few frames: none of a program' "$(grep -c '__schedule;[^(]' "$TMP/folded")" 0

# Kept samples have the place, too.
"$TPROF" run pass --off-cpu --duration 0.5 -- sleep 0.2 >"$TMP/out" 2>"$TMP/stderr"
like 'kept samples' "$(cat "$TMP/out")" ' sleep .* kernel hrtimer_nanosleep'

# The C library has no frame pointers. The method that finds the callers of other samples is not possible.
for event in off-cpu on-cpu wakeup; do
	"$TPROF" record -e "$event" -o "$TMP/profile" -- sh -c 'sleep 0.1; echo | cat' 2>"$TMP/stderr" >"$TMP/out"
	like "without frame pointers: $event: what to do" "$(cat "$TMP/stderr")" \
		'^tprof: callers are missing in .*: build it with -fno-omit-frame-pointer$'
	refuses "without frame pointers: $event: copies" 2 '--call-graph dwarf cannot find callers of waits' \
		"$TPROF" record -e "cpu-clock,$event" --call-graph dwarf -o "$TMP/none" --duration 1
	"$TPROF" record -e "$event" -g dwarf 2>"$TMP/stderr"
	is "without frame pointers: $event: record -g dwarf" "$(sed -n 2p "$TMP/stderr")" \
		'hint: leave it out; a stack can be copied only while its thread runs'
	"$TPROF" top -e "$event" -g dwarf 2>"$TMP/stderr"
	is "without frame pointers: $event: top -g dwarf" "$(sed -n 2p "$TMP/stderr")" \
		'hint: leave it out; a stack can be copied only while its thread runs'
done

refuses 'a rate' 2 '-F 99: waits have no rate' "$TPROF" top --off-cpu -F 99 --duration 1
refuses 'CPUs' 2 '-C cannot select waits' "$TPROF" top --off-cpu -C 0 --duration 1
refuses 'a mode' 2 '--user-only cannot select waits' "$TPROF" top --off-cpu --user-only --duration 1
refuses 'a minimum without waits' 2 '--min is for waits and wake-ups, and the session has none$' \
	"$TPROF" top -e cpu-clock --min 1ms --duration 1
is 'a minimum without waits: the hint' "$(sed -n 2p "$TMP/stderr")" 'hint: add the event off-cpu or wakeup'
refuses 'a minimum of runs' 2 '--min is for waits and wake-ups, .*: runs are counted however short they are' \
	"$TPROF" top -e on-cpu --min 1ms --duration 1
is 'a minimum of runs: the hint' "$(sed -n 2p "$TMP/stderr")" \
	'hint: leave it out; the event off-cpu has the waits between the runs'
check 'a minimum of wake-ups' "$TPROF" top -e wakeup --min 1ms --batch --duration 0.1
refuses 'a minimum without unit' 2 "--min: '5' is not a time" "$TPROF" top --off-cpu --min 5 --duration 1
refuses 'a modifier' 2 'event off-cpu:u: waits have no modifiers' "$TPROF" top -e off-cpu:u --duration 1
refuses 'wakers: too many' 2 "--wakeups: '9' is out of range" "$TPROF" record --wakeups=9
refuses 'wakers: raw' 2 '--wakeups and --raw exclude each other' "$TPROF" record --wakeups --raw
refuses 'wakers: call graph' 2 '--wakeups and -g exclude each other' "$TPROF" record --wakeups -g
refuses 'wakers: call graph none' 2 '--wakeups and --call-graph exclude each other' \
	"$TPROF" top --wakeups --call-graph none --duration 1
refuses 'a format of one event' 2 '--wall: this format has one event, and 2 are given' \
	"$TPROF" record --wall --format folded -o "$TMP/none" --duration 1
refuses 'wakers: a filter' 2 '--wakeups and --filter exclude each other' "$TPROF" top --wakeups --filter top
refuses 'wakers: few frames' 2 'call stacks of wakers begin with frames of the program' \
	"$TPROF" record --wakeups --max-stack 31 -o "$TMP/none" --duration 1
refuses 'copies of stacks' 2 'filter dwarf: cannot follow waiting threads: it copies user stacks' \
	"$TPROF" record --off-cpu --filter dwarf -o "$TMP/none" --duration 1

done_testing
