#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# run: beside=14
# What threads do all the time, of `tprof top --threads` and the event on-cpu: the times of each thread are the time
# that passed, and those of the kernel's scheduler.
. "${0%/*}/../lib/live.sh"
. "${0%/*}/../lib/schema.sh"

# threads OPTION...: writes the JSON of `tprof top --threads` to $TMP/json
threads() {
	"$TPROF" top --threads --json "$@" >"$TMP/json" 2>"$TMP/stderr"
	is "$*: exit code" $? 0
	ledger_closes "$*" "$TMP/json"
	is "$*: the times of all threads are what was counted" "$(jq -r '([.threads[] | .running.ns + .ready.ns +
		.blocked.ns] | add // 0) - .ledger.weight.aggregated' "$TMP/json" | sort -u)" 0
	is "$*: a wait is one sample in scope, though both of its parts are counted" \
		"$(jq -c 'select(.ledger.done > 0) | .loss.in_scope - .loss.missing - .ledger.done' "$TMP/json" |
			sort -u)" 0
}

# Three threads want the CPUs, and others sleep: running, ready and blocked time of each add up to the time that passed.
set --
for i in 1 2 3; do
	background "$WORKLOAD/spin" --seconds 600
	set -- "$@" "$pid"
done
spins=$(echo "$*" | tr ' ' ,)
background "$WORKLOAD/sleepers" 300
sleeper=$pid
await grep -q . "$TMP/background.out"
threads -d 0.5 --duration 2 -p "$spins,$sleeper"
jq -c . "$TMP/json" | tail -n 1 >"$TMP/total"
is 'identity: all threads' "$(jq '.threads | length' "$TMP/total")" 304
# A profile also has the moments of its start and its end, in which nothing is counted yet.
check 'identity: all of the time, of each thread' jq -e '[.threads[] | .running.ns + .ready.ns + .blocked.ns] |
	max as $most | min > 0.995 * $most' "$TMP/total"
check 'identity: the time that passed' jq -e '(.duration_s * 1e9) as $passed |
	([.threads[] | .running.ns + .ready.ns + .blocked.ns] | max) / $passed | . > 0.9 and . < 1.005' "$TMP/total"
check 'sleepers: in each interval, with their reason' jq -es 'all(.[:-1][]; (.duration_s * 1e9) as $passed |
	[.threads[] | select(.thread == "sleepers")] | length == 301 and all(.[]; .blocked.ns > 0.8 * $passed and
	.reason.state == "sleeping" and (.reason.syscall // "" | test("^(pause|ppoll|wait4)$")) and .waker == null))' \
	"$TMP/json"
check 'spin: it runs, or is ready to run' jq -e 'all(.threads[] | select(.thread == "spin");
	.running.ns > 0 and .blocked.ns < 0.1 * (.running.ns + .ready.ns))' "$TMP/total"
check 'spin: their running time is first' jq -e '[.threads[:3][].thread] == ["spin", "spin", "spin"]' "$TMP/total"

for spin; do
	end "$spin"
done

# The shell reads its own times before and after its work. What tprof counts is between their difference, and the CPU
# time up to its end, also of its children. The hypervisor may take time that the kernel leaves out. At each switch, the
# kernel also leaves out the time of other programs at the tracepoint, so it switches seldom: nobody takes its CPU.
cat >"$TMP/work.sh" <<'END'
read -r ran delayed rest </proc/self/schedstat
i=0
while [ $i -lt 1000000 ]; do i=$((i + 1)); done
sleep 0.3
read -r ran_now delayed_now rest </proc/self/schedstat
echo "$ran $delayed $ran_now $delayed_now $$" >"$1"
END
before=$(stolen_ns)
threads --duration 100 -- "$WORKLOAD/took" "$TMP/took" nice -n -20 sh "$TMP/work.sh" "$TMP/times"
read -r ran delayed ran_now delayed_now shell <"$TMP/times"
jq -r --argjson shell "$shell" '.threads[] | select(.tid == $shell) |
	"\(.running.ns) \(.ready.ns) \(.reason.syscall)"' "$TMP/json" >"$TMP/shell"
read -r running ready syscall <"$TMP/shell"
took=$(cat "$TMP/took")
check "schedstat: running $running ns, by the kernel $ran to $ran_now, $took up to its end" awk -v told="$running" \
	-v from="$ran" -v to="$ran_now" -v took="$took" -v stolen="$(stolen_at_most "$before")" 'BEGIN {
		exit !(told >= 0.995 * (to - from) - 1e6 && told <= 1.005 * took + 1e6 + stolen)
	}'
check "schedstat: ready $ready ns, by the kernel $delayed to $delayed_now" awk -v told="$ready" -v from="$delayed" \
	-v to="$delayed_now" 'BEGIN { exit !(told >= 0.98 * (to - from) - 2e6) }'
like 'schedstat: what it waited for' "$syscall" '^wait4$'

# Threads that have ended are there, with their part of the time.
# shellcheck disable=SC2016 # of the shell there
threads --duration 100 -- sh -c 'for i in 1 2 3 4 5 6 7 8; do sleep 0.01; done; sleep 0.3'
is 'ended: each of them, and their parent' "$(jq '[.threads[] | select(.running.ns > 0) | .tid] | unique | length' \
	"$TMP/json")" 10
check 'ended: for a part of the time' jq -e '(.duration_s * 1e9) as $passed |
	[.threads[] | .running.ns + .ready.ns + .blocked.ns] | min < 0.5 * $passed and max > 0.8 * $passed' "$TMP/json"
check 'ended: who wakes it' jq -e 'any(.threads[]; .process == "sleep" and .waker.name == "[irq]")' "$TMP/json"

# Hundreds of thousands of switches in a second: no nanosecond of a thread vanishes, also if the table has no space.
set --
for i in 1 2; do
	background "$WORKLOAD/hands" 1000000000
	set -- "$@" "$pid"
done
hands=$(echo "$*" | tr ' ' ,)
two_pairs() {
	[ "$(pgrep -c '^(left|right)$')" -eq 4 ]
}
await two_pairs
threads --duration 2 -p "$hands"
check 'switches: all of the time, of each thread' jq -e '[.threads[] | .running.ns + .ready.ns + .blocked.ns] |
	length == 4 and min > 0.995 * max' "$TMP/json"
"$TPROF" run threads -e on-cpu,off-cpu --table-entries 2 --json --duration 2 -p "$hands" >"$TMP/json" 2>"$TMP/stderr"
ledger_closes 'switches, a small table' "$TMP/json"
check 'switches, a small table: the time of all threads' jq -e '(.duration_s * 4e9) as $passed | .ledger.weight |
	.table_full > 0 and .fired == .aggregated + .table_full and .fired > 0.9 * $passed and
	.fired < 1.005 * $passed' "$TMP/json"
check 'switches, a small table: the loss is a share of the samples' jq -e '.ledger.lost.engine_missed as $unseen |
	.ledger as $l | .loss.in_scope == $l.done + $unseen and ((.loss.missing - $unseen) / $l.done -
	$l.table_full / ($l.aggregated + $l.table_full) | fabs < 0.001)' "$TMP/json"
for hand; do
	end "$hand"
done

for sort in blocked tid; do
	threads --sort "$sort" --duration 0.2 -p "$sleeper"
	is "$sort: sorted" "$(jq --arg sort "$sort" '[.threads[] | if $sort == "tid" then .tid
		else -.[$sort].ns end] | . == sort' "$TMP/json")" true
done
"$TPROF" top --threads --json --duration 0.2 -n 2 -p "$sleeper" >"$TMP/json" 2>"$TMP/stderr"
is 'limit: two threads, and the number of the others' "$(jq -c '[(.threads | length), .omitted]' "$TMP/json")" '[2,299]'
if have_schemas; then
	check 'the schema' valid docs/tprof-threads.schema.json "$TMP/total"
	jq -c '.threads[0].running = 1' "$TMP/total" >"$TMP/broken"
	like 'the schema refuses a time without percent' "$(valid docs/tprof-threads.schema.json "$TMP/broken" 2>&1)" \
		'^/threads/0/running: '
fi
"$TPROF" top --threads --batch --duration 0.2 -n 2 -p "$sleeper" >"$TMP/out" 2>"$TMP/stderr"
like 'text: titles' "$(cat "$TMP/out")" '^ running    ready  blocked  thread  *process  *why  *waker$'
like 'text: a thread' "$(cat "$TMP/out")" \
	'^ *[0-9.]+%  *[0-9.]+%  *[0-9.]+%  sleepers \([0-9]+\)  *sleepers \([0-9]+\)  *sleeping in '
like 'text: the others' "$(cat "$TMP/out")" '^# and 299 more$'

# The event alone: exact CPU time, without samples
"$TPROF" run comm -e on-cpu --json -- "$WORKLOAD/spin" --seconds 1 >"$TMP/json" 2>"$TMP/stderr"
ledger_closes 'on-cpu' "$TMP/json"
check 'on-cpu: at most the time of all CPUs' jq -e '.cpus as $cpus | .duration_s as $passed |
	[.tables[].rows[] | select(.key == "spin").weight] | add | . < 1.01e9 * $passed * $cpus and . > 0' "$TMP/json"
is 'on-cpu: no waits' "$(jq -r .event "$TMP/json")" on-cpu

refuses 'a rate of runs' 2 '-F 99: runs have no rate' "$TPROF" run comm -e on-cpu -F 99 --duration 1
refuses 'a period of runs' 2 '-c 100: runs have no period' "$TPROF" run comm -e on-cpu -c 100 --duration 1
refuses 'a modifier of runs' 2 'event on-cpu:u: runs have no modifiers' "$TPROF" run comm -e on-cpu:u --duration 1
refuses 'CPUs of runs' 2 '-C cannot select runs' "$TPROF" run comm -e on-cpu -C 0 --duration 1
for option in '-F 99' '-c 1000' '-e off-cpu' '--off-cpu' '--wall' '--filter comm' '-g' '--call-graph none' \
	'--min 1ms' '--wakeups' '--by function' '-C 0' '--kernel-only' '--user-only' '--set x=1' '--max-stack 64' \
	'--lines' '--inline' '--debuginfod 1'; do
	# shellcheck disable=SC2086 # an option and its value
	refuses "threads, $option" 2 "--threads and ${option%% *} exclude each other" \
		"$TPROF" top --threads $option --duration 1
done
# Each option that is not among them has a meaning there, and the manual lists the others.
man=$(sed -n '/^\.It Fl -threads$/,/^\.Pa docs/p' man/tprof-top.1 | tr -s ' ,' '\n')
for option in e -off-cpu -wall F c -min C -kernel-only -user-only g -call-graph -by -wakeups -filter -set -max-stack \
	-lines -inline -debuginfod; do
	echo "$man" | grep -qxe "$option" || echo "$option"
done >"$TMP/unlisted"
is 'threads: the manual lists what is excluded' "$(cat "$TMP/unlisted")" ''
refuses 'an order of functions' 2 '--sort is for --threads' "$TPROF" top --sort name --duration 1
refuses 'an unknown order' 2 "--sort: 'size' is not an order of threads" "$TPROF" top --threads --sort size --duration 1

done_testing
